//! The block ciphers under the macs, one type a key length, and the one list of them:
//! `rows_over!` makes the rows of a mode over them. Ciphers of other crates go in a cover,
//! [`Foreign`].

#[cfg(feature = "aes")]
mod aes;
#[cfg(feature = "compositions")]
pub(crate) mod cbc;
pub(crate) mod chain;
pub(crate) mod ctr;
pub(crate) mod ctr_cbc;
mod engine;
mod foreign;
#[cfg(all(
    feature = "batch",
    any(
        feature = "rc6",
        feature = "serpent",
        feature = "tdes",
        feature = "twofish",
        all(feature = "aes", target_arch = "aarch64")
    )
))]
mod many_chains;
pub(crate) mod masked;
#[cfg(any(feature = "rc6", feature = "serpent", feature = "tdes", feature = "twofish"))]
mod scheduled;
pub(crate) mod variant;

use cipher::consts::{U16, U24, U32};
use cipher::{
    Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, InvalidLength, Key, KeyInit,
    KeySizeUser,
};
use digest::typenum::Unsigned;

#[cfg(feature = "aes")]
pub use self::aes::{Aes128, Aes192, Aes256};
pub(crate) use self::engine::Engine;
pub use self::foreign::Foreign;
#[cfg(any(feature = "rc6", feature = "serpent", feature = "tdes", feature = "twofish"))]
pub(crate) use self::scheduled::KeySchedule;
#[cfg(any(feature = "rc6", feature = "serpent", feature = "tdes", feature = "twofish"))]
pub use self::scheduled::Scheduled;
use crate::doubling::DoublingSize;
use crate::facts::{ConstantTime, Hardware};
use crate::inside::Inside;
#[cfg(feature = "rc6")]
use crate::kernels::rc6;
#[cfg(feature = "serpent")]
use crate::kernels::serpent;
#[cfg(feature = "tdes")]
use crate::kernels::tdes;
#[cfg(feature = "twofish")]
use crate::kernels::twofish;
use crate::kernels::{Choice, Pin};
use crate::len::Len;
use crate::status::{Paths, Primitive, Standing};

/// What `Cmac<C>` accepts: a block cipher of this crate, or one of another crate that encrypts and
/// decrypts, which is wrapped in [`Foreign`].
///
#[cfg_attr(all(feature = "cmac", feature = "aes"), doc = "```")]
#[cfg_attr(not(all(feature = "cmac", feature = "aes")), doc = "```ignore")]
/// use macs::Cmac;
/// use macs::digest::{KeyInit, Mac};
///
/// let ours = Cmac::<macs::ciphers::Aes128>::new(&[1; 16].into());
/// let theirs = Cmac::<aes::Aes128>::new(&[1; 16].into());
/// let tag = theirs.chain_update(b"a message").finalize().into_bytes();
/// assert!(ours.chain_update(b"a message").verify(&tag).is_ok());
/// ```
pub trait AnyCipher {
    /// What runs.
    type Cipher: BlockCipher;
}

impl<C> AnyCipher for C
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize: DoublingSize>,
    C: KeyInit + Clone + Send + Sync + 'static,
{
    type Cipher = Foreign<C>;
}

/// A block cipher of 64 or 128 bits that the modes here can be had over: one of this crate, or one
/// of another crate in [`Foreign`]. Its key is set up by [`KeyInit`], and it encrypts by
/// [`BlockCipherEncrypt`]. What else the modes ask of it is not public, so that kernels can change:
/// no other crate implements the trait, or can call what it has beyond those two.
pub trait BlockCipher:
    Engine
    + AnyCipher<Cipher = Self>
    + BlockCipherEncrypt
    + BlockSizeUser<BlockSize: DoublingSize>
    + KeyInit
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<C: Engine> BlockCipher for C {}

/// A block cipher of 128 bits, which some modes are defined for only.
pub trait WideCipher: BlockCipher + BlockSizeUser<BlockSize = U16> {}

impl<C: BlockCipher + BlockSizeUser<BlockSize = U16>> WideCipher for C {}

/// Serpent with a 128-bit key.
#[cfg(feature = "serpent")]
pub type Serpent128 = Scheduled<serpent::Schedule, U16>;
/// Serpent with a 192-bit key.
#[cfg(feature = "serpent")]
pub type Serpent192 = Scheduled<serpent::Schedule, U24>;
/// Serpent with a 256-bit key.
#[cfg(feature = "serpent")]
pub type Serpent256 = Scheduled<serpent::Schedule, U32>;
/// RC6-32/20 with a 128-bit key.
#[cfg(feature = "rc6")]
pub type Rc6_128 = Scheduled<rc6::Schedule, U16>;
/// RC6-32/20 with a 192-bit key.
#[cfg(feature = "rc6")]
pub type Rc6_192 = Scheduled<rc6::Schedule, U24>;
/// RC6-32/20 with a 256-bit key.
#[cfg(feature = "rc6")]
pub type Rc6_256 = Scheduled<rc6::Schedule, U32>;
/// Two-key TDES, forward only. Bits of parity are ignored and no key is refused, not even a weak
/// one or one that makes it single DES.
#[cfg(feature = "tdes")]
pub type TdesEde2 = Scheduled<tdes::Schedule, U16>;
/// Three-key TDES, forward only. Bits of parity are ignored and no key is refused, not even a weak
/// one or one that makes it single DES.
#[cfg(feature = "tdes")]
pub type TdesEde3 = Scheduled<tdes::Schedule, U24>;
/// Twofish with a 128-bit key, forward only.
#[cfg(feature = "twofish")]
pub type Twofish128 = Scheduled<twofish::Schedule, U16>;
/// Twofish with a 192-bit key, forward only.
#[cfg(feature = "twofish")]
pub type Twofish192 = Scheduled<twofish::Schedule, U24>;
/// Twofish with a 256-bit key, forward only.
#[cfg(feature = "twofish")]
pub type Twofish256 = Scheduled<twofish::Schedule, U32>;
/// ARIA with a 128-bit key, of the crate `aria`.
#[cfg(feature = "aria")]
pub type Aria128 = Foreign<aria::Aria128>;
/// ARIA with a 192-bit key.
#[cfg(feature = "aria")]
pub type Aria192 = Foreign<aria::Aria192>;
/// ARIA with a 256-bit key.
#[cfg(feature = "aria")]
pub type Aria256 = Foreign<aria::Aria256>;
/// Camellia with a 128-bit key, of the crate `camellia`.
#[cfg(feature = "camellia")]
pub type Camellia128 = Foreign<camellia::Camellia128>;
/// Camellia with a 192-bit key.
#[cfg(feature = "camellia")]
pub type Camellia192 = Foreign<camellia::Camellia192>;
/// Camellia with a 256-bit key.
#[cfg(feature = "camellia")]
pub type Camellia256 = Foreign<camellia::Camellia256>;
/// Kuznyechik, of the crate `kuznyechik`.
#[cfg(feature = "kuznyechik")]
pub type Kuznyechik = Foreign<kuznyechik::Kuznyechik>;
/// Magma, of the crate `magma`: GOST 28147-89 with the S-boxes and byte order of GOST R 34.12-2015.
#[cfg(feature = "magma")]
pub type Magma = Foreign<magma::Magma>;
/// SM4, of the crate `sm4`.
#[cfg(feature = "sm4")]
pub type Sm4 = Foreign<sm4::Sm4>;

/// A block cipher with a way back, for the modes that decrypt with it.
pub trait Invertible: BlockCipher {
    /// The way back, under the same key.
    type Inverse: BlockCipherDecrypt
        + BlockSizeUser<BlockSize = Self::BlockSize>
        + KeySizeUser<KeySize = Self::KeySize>
        + Clone
        + Send
        + Sync
        + 'static;

    /// Sets the way back up on the code path that is pinned.
    fn inverse_on(pin: Pin, key: &Key<Self>) -> Self::Inverse;
}

/// A block cipher in the list of all: what is known of it, and one block through it.
#[derive(Debug)]
pub struct CipherInfo {
    /// What is known of it.
    pub primitive: Primitive,
    /// Length of its key.
    pub key_len_bytes: usize,
    encrypt: fn(&[u8], &mut [u8]) -> Result<(), InvalidLength>,
}

impl CipherInfo {
    const fn new<C: BlockCipher<OfAnyKey: BlockCipher>>(
        name: &'static str,
        title: &'static str,
        (standing, note, constant_time, hardware): Known,
    ) -> Self {
        let block_len_bytes = C::BlockSize::USIZE;
        let paths = Paths::own::<C::Kernel>();
        let primitive = Primitive {
            name,
            title,
            standing,
            note,
            constant_time,
            hardware,
            block_len_bytes,
            paths,
        };
        Self { primitive, key_len_bytes: C::KeySize::USIZE, encrypt: encrypt::<C::OfAnyKey> }
    }

    /// The key lengths it takes, and the one to take.
    pub(crate) const fn key_len(&self) -> (usize, Len) {
        self.joined_key_len(1, 0)
    }

    /// Those of so many keys joined with so many blocks.
    pub(crate) const fn joined_key_len(&self, keys: usize, blocks: usize) -> (usize, Len) {
        let len_bytes = keys * self.key_len_bytes + blocks * self.primitive.block_len_bytes;
        (len_bytes, Len::Exactly(len_bytes as u64))
    }

    /// Encrypts one block: the cipher alone, for tests.
    ///
    /// # Errors
    /// A key or block of another length than the cipher's.
    pub fn encrypt_block(&self, key: &[u8], block: &mut [u8]) -> Result<(), InvalidLength> {
        if key.len() != self.key_len_bytes {
            return Err(InvalidLength);
        }
        (self.encrypt)(key, block)
    }
}

fn encrypt<C: BlockCipher>(key: &[u8], block: &mut [u8]) -> Result<(), InvalidLength> {
    let cipher = C::new_on(C::Kernel::best(), key, Inside(()))?;
    cipher.encrypt_block(Block::<C>::slice_as_mut_array(block).ok_or(InvalidLength)?);
    Ok(())
}

/// The block cipher of this canonical name.
pub fn find(name: &str) -> Option<&'static CipherInfo> {
    CIPHERS.iter().copied().find(|cipher| cipher.primitive.name == name)
}

/// Standing, note, whether it is constant time, and the instructions that it needs to be fast.
type Known = (Standing, &'static str, ConstantTime, Hardware);

const AES: Known =
    (Standing::Sound, "", ConstantTime::Yes("AES instructions, or bit-sliced"), Hardware::Aes);
const RC6: Known = (
    Standing::Sound,
    "AES finalist, little used and little studied since",
    ConstantTime::Mostly("where multiplication and rotation by a variable are"),
    Hardware::None,
);
const SERPENT: Known = (
    Standing::Sound,
    "AES finalist, conservative",
    ConstantTime::Yes("bit-sliced"),
    Hardware::None,
);
const TDES: Known = (
    Standing::Legacy,
    "64-bit blocks: birthday bound at 2^32 blocks; disallowed by NIST after 2023, with two keys \
     after 2015",
    ConstantTime::Yes("by shuffles, or bit-sliced"),
    Hardware::None,
);
const TWOFISH: Known = (
    Standing::Sound,
    "AES finalist",
    ConstantTime::No("table look-ups by the key"),
    Hardware::None,
);
const ARIA: Known =
    (Standing::Sound, "Korea's national standard (RFC 5794)", TABLES, Hardware::None);
const CAMELLIA: Known =
    (Standing::Sound, "ISO/IEC 18033-3, by NTT and Mitsubishi (RFC 3713)", TABLES, Hardware::None);
const KUZNYECHIK: Known = (
    Standing::Sound,
    "Russia's national standard (RFC 7801); its S-box has structure that its designers did not \
     tell (Perrin 2019), of which no attack was made",
    TABLES,
    Hardware::None,
);
const MAGMA: Known = (
    Standing::Legacy,
    "64-bit blocks: birthday bound at 2^32 blocks; Russia's national standard (RFC 8891), which is \
     GOST 28147-89: keys are found in 2^192 steps (Dinur, Dunkelman, Shamir 2012)",
    TABLES,
    Hardware::None,
);
const SM4: Known =
    (Standing::Sound, "China's national standard (ISO/IEC 18033-3)", TABLES, Hardware::None);

const TABLES: ConstantTime = ConstantTime::No("table look-ups by data and key");

/// The one list of ciphers: feature, static, type, names, what is known of each, in groups of those
/// that some modes are defined for only. `cipher_list!(then ARGUMENTS)` hands it to `then!`.
macro_rules! cipher_list {
    ($then:ident $arguments:tt) => {
        $crate::ciphers::$then! { $arguments
            aes {
                "aes" AES_128: Aes128, "aes-128", "AES-128", AES;
                "aes" AES_192: Aes192, "aes-192", "AES-192", AES;
                "aes" AES_256: Aes256, "aes-256", "AES-256", AES;
            }
            wide {
                "rc6" RC6_128: Rc6_128, "rc6-128", "RC6-128", RC6;
                "rc6" RC6_192: Rc6_192, "rc6-192", "RC6-192", RC6;
                "rc6" RC6_256: Rc6_256, "rc6-256", "RC6-256", RC6;
                "serpent" SERPENT_128: Serpent128, "serpent-128", "Serpent-128", SERPENT;
                "serpent" SERPENT_192: Serpent192, "serpent-192", "Serpent-192", SERPENT;
                "serpent" SERPENT_256: Serpent256, "serpent-256", "Serpent-256", SERPENT;
                "twofish" TWOFISH_128: Twofish128, "twofish-128", "Twofish-128", TWOFISH;
                "twofish" TWOFISH_192: Twofish192, "twofish-192", "Twofish-192", TWOFISH;
                "twofish" TWOFISH_256: Twofish256, "twofish-256", "Twofish-256", TWOFISH;
            }
            narrow {
                "tdes" TDES_2: TdesEde2, "tdes-2", "TDES-2", TDES;
                "tdes" TDES_3: TdesEde3, "tdes-3", "TDES-3", TDES;
            }
            foreign {
                "aria" ARIA_128: Aria128, "aria-128", "ARIA-128", ARIA;
                "aria" ARIA_192: Aria192, "aria-192", "ARIA-192", ARIA;
                "aria" ARIA_256: Aria256, "aria-256", "ARIA-256", ARIA;
                "camellia" CAMELLIA_128: Camellia128, "camellia-128", "Camellia-128", CAMELLIA;
                "camellia" CAMELLIA_192: Camellia192, "camellia-192", "Camellia-192", CAMELLIA;
                "camellia" CAMELLIA_256: Camellia256, "camellia-256", "Camellia-256", CAMELLIA;
                "kuznyechik" KUZNYECHIK_256: Kuznyechik, "kuznyechik", "Kuznyechik", KUZNYECHIK;
                "magma" MAGMA_256: Magma, "magma", "Magma", MAGMA;
                "sm4" SM4_128: Sm4, "sm4", "SM4", SM4;
            }
        }
    };
}

/// What is known of each cipher.
macro_rules! infos {
    ([] $($group:ident {$(
        $feature:literal $info:ident: $cipher:ident, $name:literal, $title:literal, $known:ident;
    )*})*) => {
        $($(
            #[cfg(feature = $feature)]
            pub(crate) static $info: CipherInfo =
                CipherInfo::new::<$cipher>($name, $title, $known);
        )*)*

        /// All of them that features chose.
        pub static CIPHERS: &[&CipherInfo] = &[$($(#[cfg(feature = $feature)] &$info),*),*];
    };
}

/// The rows of a mode: `rows_over!(all: row, "cmac", "CMAC")` calls
/// `row::<Aes128>("cmac-aes-128", "CMAC-AES-128", &AES_128)` and so on, for most ciphers with one
/// type for keys of all lengths. `all` are those of this crate, `wide` all but those with 64-bit
/// blocks, `aes` AES alone, and `foreign` those of other crates.
macro_rules! rows_over {
    ($group:ident: $row:ident, $mode:literal, $title:literal) => {
        $crate::ciphers::cipher_list!(rows_over [$group $row $mode $title])
    };
    ([all $($row:tt)*] aes {$($a:tt)*} wide {$($w:tt)*} narrow {$($n:tt)*} foreign $f:tt) => {
        $crate::ciphers::rows_over!([$($row)*] $($a)* $($w)* $($n)*)
    };
    ([wide $($row:tt)*] aes {$($a:tt)*} wide {$($w:tt)*} narrow $n:tt foreign $f:tt) => {
        $crate::ciphers::rows_over!([$($row)*] $($a)* $($w)*)
    };
    ([aes $($row:tt)*] aes {$($a:tt)*} wide $w:tt narrow $n:tt foreign $f:tt) => {
        $crate::ciphers::rows_over!([$($row)*] $($a)*)
    };
    ([foreign $($row:tt)*] aes $a:tt wide $w:tt narrow $n:tt foreign {$($f:tt)*}) => {
        $crate::ciphers::rows_over!([$($row)*] $($f)*)
    };
    ([$row:ident $mode:literal $mode_title:literal] $(
        $feature:literal $info:ident: $cipher:ident, $name:literal, $title:literal, $known:ident;
    )*) => {
        &[$(#[cfg(feature = $feature)] $row::<
            <$crate::ciphers::$cipher as $crate::ciphers::Engine>::OfAnyKey,
        >(
            concat!($mode, "-", $name),
            concat!($mode_title, "-", $title),
            &$crate::ciphers::$info,
        )),*]
    };
}

pub(crate) use {cipher_list, infos, rows_over};

cipher_list!(infos []);
