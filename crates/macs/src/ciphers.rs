//! The block ciphers under the macs, one type a key length, and the one list of them:
//! `over_ciphers!` makes the rows of a mode over all. AES and Serpent are RustCrypto's, in a cover
//! that wipes; the others are a file each.

mod rc6;
mod tdes;
mod twofish;

use core::fmt;
use core::marker::PhantomData;

use cipher::array::{Array, ArraySize};
use cipher::consts::{U1, U16, U24, U32};
use cipher::inout::InOut;
use cipher::{
    Block, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend, BlockCipherEncClosure,
    BlockCipherEncrypt, BlockSizeUser, InvalidLength, Key, KeyInit, KeySizeUser, ParBlocksSizeUser,
};
use digest::typenum::Unsigned;
use zeroize::{ZeroizeOnDrop, optimization_barrier};

use self::rc6::Rc6;
use self::tdes::Tdes;
use self::twofish::Twofish;
use crate::doubling::DoublingSize;
use crate::kernels::{Choice, OnlySoft, Pin};
use crate::len::Len;
use crate::status::{Paths, Primitive, Standing};
use crate::wipe::overwrite;

/// A block cipher of 64 or 128 bits whose key can be set up from bytes: what the modes need.
pub trait BlockCipher:
    BlockCipherEncrypt
    + BlockSizeUser<BlockSize: DoublingSize>
    + KeyInit
    + Clone
    + Send
    + Sync
    + 'static
{
    /// The code paths.
    type Kernel: Choice;

    /// Sets a key up on this code path.
    ///
    /// # Errors
    /// When the cipher takes no key of this length.
    fn new_on(kernel: Self::Kernel, key: &[u8]) -> Result<Self, InvalidLength>;

    /// The code path.
    fn kernel(&self) -> Self::Kernel;

    /// Sets a key of the right length up on the code path that is pinned.
    #[inline]
    fn keyed_on(pin: Pin, key: &Key<Self>) -> Self {
        Self::new_on(Self::Kernel::pinned(pin), key).expect("KeySize is a length that is taken")
    }
}

/// A block cipher of 128 bits, which some modes are defined for only.
pub trait WideCipher: BlockCipher + BlockSizeUser<BlockSize = U16> {}

impl<C: BlockCipher + BlockSizeUser<BlockSize = U16>> WideCipher for C {}

/// A cipher of another crate with keys of K bytes. When dropped, the schedule of a public key takes
/// the place of the secret one, whatever features that crate was built with.
#[derive(Clone)]
pub struct Wiped<C: KeyInit, K: ArraySize> {
    schedule: C,
    key_size: PhantomData<fn() -> K>,
}

impl<C: KeyInit, K: ArraySize> KeySizeUser for Wiped<C, K> {
    type KeySize = K;
}

impl<C: KeyInit, K: ArraySize> KeyInit for Wiped<C, K> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        let schedule = C::new_from_slice(key).expect("K is a key length of C");
        Self { schedule, key_size: PhantomData }
    }
}

impl<C: KeyInit + BlockSizeUser, K: ArraySize> BlockSizeUser for Wiped<C, K> {
    type BlockSize = C::BlockSize;
}

impl<C: KeyInit + BlockCipherEncrypt, K: ArraySize> BlockCipherEncrypt for Wiped<C, K> {
    #[inline(always)]
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = C::BlockSize>) {
        self.schedule.encrypt_with_backend(f);
    }
}

impl<C: KeyInit + BlockCipherDecrypt, K: ArraySize> BlockCipherDecrypt for Wiped<C, K> {
    #[inline(always)]
    fn decrypt_with_backend(&self, f: impl BlockCipherDecClosure<BlockSize = C::BlockSize>) {
        self.schedule.decrypt_with_backend(f);
    }
}

impl<C, K: ArraySize> BlockCipher for Wiped<C, K>
where
    C: KeyInit + BlockCipherEncrypt + BlockSizeUser<BlockSize: DoublingSize>,
    C: Clone + Send + Sync + 'static,
{
    type Kernel = OnlySoft;

    #[inline]
    fn new_on(_: OnlySoft, key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_from_slice(key)
    }

    fn kernel(&self) -> OnlySoft {
        OnlySoft
    }
}

impl<C: KeyInit, K: ArraySize> fmt::Debug for Wiped<C, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wiped { .. }")
    }
}

impl<C: KeyInit, K: ArraySize> Drop for Wiped<C, K> {
    fn drop(&mut self) {
        self.schedule = C::new_from_slice(&Array::<u8, K>::default()).expect("as in new");
        optimization_barrier(&self.schedule);
    }
}

impl<C: KeyInit, K: ArraySize> ZeroizeOnDrop for Wiped<C, K> {}

/// A cipher of this crate: all that its file has to say, and [`Scheduled`] makes a cipher of it.
pub trait KeySchedule: Copy + Send + Sync + 'static {
    /// Length of a block.
    type BlockSize: ArraySize;
    /// What takes the place of a schedule that is dropped.
    const BLANK: Self;

    /// Key set-up. `key` has a length of the cipher's; always inlined, it is compiled for that.
    fn set_up(&mut self, key: &[u8]);

    /// One block, forward.
    fn encrypt(&self, block: &Array<u8, Self::BlockSize>) -> Array<u8, Self::BlockSize>;
}

/// A cipher of this crate with keys of K bytes, by RustCrypto's traits. Its schedule is wiped when
/// dropped.
#[derive(Clone)]
pub struct Scheduled<S: KeySchedule, K: ArraySize> {
    schedule: S,
    key_size: PhantomData<fn() -> K>,
}

impl<S: KeySchedule, K: ArraySize> KeySizeUser for Scheduled<S, K> {
    type KeySize = K;
}

impl<S: KeySchedule, K: ArraySize> KeyInit for Scheduled<S, K> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        let mut cipher = Self { schedule: S::BLANK, key_size: PhantomData };
        cipher.schedule.set_up(key);
        cipher
    }
}

impl<S: KeySchedule, K: ArraySize> BlockSizeUser for Scheduled<S, K> {
    type BlockSize = S::BlockSize;
}

impl<S: KeySchedule, K: ArraySize> ParBlocksSizeUser for Scheduled<S, K> {
    type ParBlocksSize = U1;
}

impl<S: KeySchedule, K: ArraySize> BlockCipherEncrypt for Scheduled<S, K> {
    #[inline(always)]
    fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = S::BlockSize>) {
        f.call(self);
    }
}

impl<S: KeySchedule, K: ArraySize> BlockCipherEncBackend for Scheduled<S, K> {
    #[inline(always)]
    fn encrypt_block(&self, mut block: InOut<'_, '_, Block<Self>>) {
        *block.get_out() = self.schedule.encrypt(block.get_in());
    }
}

impl<S: KeySchedule<BlockSize: DoublingSize>, K: ArraySize> BlockCipher for Scheduled<S, K> {
    type Kernel = OnlySoft;

    #[inline]
    fn new_on(_: OnlySoft, key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_from_slice(key)
    }

    fn kernel(&self) -> OnlySoft {
        OnlySoft
    }
}

impl<S: KeySchedule, K: ArraySize> fmt::Debug for Scheduled<S, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Scheduled { .. }")
    }
}

impl<S: KeySchedule, K: ArraySize> Drop for Scheduled<S, K> {
    fn drop(&mut self) {
        overwrite(&mut self.schedule, S::BLANK);
    }
}

impl<S: KeySchedule, K: ArraySize> ZeroizeOnDrop for Scheduled<S, K> {}

/// The four words of a block, little-endian.
#[inline(always)]
fn words(block: &Array<u8, U16>) -> [u32; 4] {
    let block = u128::from_le_bytes(block.0);
    [block as u32, (block >> 32) as u32, (block >> 64) as u32, (block >> 96) as u32]
}

/// The block of four words, little-endian.
#[inline(always)]
fn bytes([a, b, c, d]: [u32; 4]) -> Array<u8, U16> {
    let low = u128::from(a) | u128::from(b) << 32;
    let high = u128::from(c) | u128::from(d) << 32;
    Array((low | high << 64).to_le_bytes())
}

/// AES with a 128-bit key, forward only (FIPS 197).
pub type Aes128 = Wiped<aes::Aes128Enc, U16>;
/// AES with a 192-bit key, forward only (FIPS 197).
pub type Aes192 = Wiped<aes::Aes192Enc, U24>;
/// AES with a 256-bit key, forward only (FIPS 197).
pub type Aes256 = Wiped<aes::Aes256Enc, U32>;
/// Serpent with a 128-bit key.
pub type Serpent128 = Wiped<serpent::Serpent, U16>;
/// Serpent with a 192-bit key.
pub type Serpent192 = Wiped<serpent::Serpent, U24>;
/// Serpent with a 256-bit key.
pub type Serpent256 = Wiped<serpent::Serpent, U32>;
/// RC6-32/20 with a 128-bit key.
pub type Rc6_128 = Scheduled<Rc6, U16>;
/// RC6-32/20 with a 192-bit key.
pub type Rc6_192 = Scheduled<Rc6, U24>;
/// RC6-32/20 with a 256-bit key.
pub type Rc6_256 = Scheduled<Rc6, U32>;
/// Two-key TDES, forward only. Bits of parity are ignored and no key is refused, not even a weak
/// one or one that makes it single DES.
pub type TdesEde2 = Scheduled<Tdes, U16>;
/// Three-key TDES, forward only. Bits of parity are ignored and no key is refused, not even a weak
/// one or one that makes it single DES.
pub type TdesEde3 = Scheduled<Tdes, U24>;
/// Twofish with a 128-bit key, forward only.
pub type Twofish128 = Scheduled<Twofish, U16>;
/// Twofish with a 192-bit key, forward only.
pub type Twofish192 = Scheduled<Twofish, U24>;
/// Twofish with a 256-bit key, forward only.
pub type Twofish256 = Scheduled<Twofish, U32>;

/// A block cipher with a way back, for the modes that decrypt with it.
pub trait Invertible: BlockCipher {
    /// The way back, under the same key.
    type Inverse: BlockCipherDecrypt
        + BlockSizeUser<BlockSize = Self::BlockSize>
        + KeyInit
        + KeySizeUser<KeySize = Self::KeySize>
        + Clone
        + Send
        + Sync
        + 'static;
}

impl Invertible for Aes128 {
    type Inverse = Wiped<aes::Aes128Dec, U16>;
}

impl Invertible for Aes192 {
    type Inverse = Wiped<aes::Aes192Dec, U24>;
}

impl Invertible for Aes256 {
    type Inverse = Wiped<aes::Aes256Dec, U32>;
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
    const fn new<C: BlockCipher>(
        name: &'static str,
        title: &'static str,
        (standing, note, constant_time): (Standing, &'static str, &'static str),
    ) -> Self {
        let block_len_bytes = C::BlockSize::USIZE;
        let paths = Paths::own::<C::Kernel>();
        let primitive =
            Primitive { name, title, standing, note, constant_time, block_len_bytes, paths };
        Self { primitive, key_len_bytes: C::KeySize::USIZE, encrypt: encrypt::<C> }
    }

    /// The key lengths it takes, and the one to take.
    pub(crate) const fn key_len(&self) -> (usize, Len) {
        (self.key_len_bytes, Len::Exactly(self.key_len_bytes as u64))
    }

    /// Encrypts one block: the cipher alone, for tests.
    ///
    /// # Errors
    /// A key or block of another length than the cipher's.
    pub fn encrypt_block(&self, key: &[u8], block: &mut [u8]) -> Result<(), InvalidLength> {
        (self.encrypt)(key, block)
    }
}

fn encrypt<C: BlockCipher>(key: &[u8], block: &mut [u8]) -> Result<(), InvalidLength> {
    let cipher = C::new_from_slice(key)?;
    cipher.encrypt_block(Block::<C>::slice_as_mut_array(block).ok_or(InvalidLength)?);
    Ok(())
}

/// The block cipher of this canonical name.
pub fn find(name: &str) -> Option<&'static CipherInfo> {
    CIPHERS.iter().copied().find(|cipher| cipher.primitive.name == name)
}

/// Standing, note and whether it is constant time.
type Known = (Standing, &'static str, &'static str);

const AES: Known = (Standing::Sound, "", "yes: AES instructions, or bit-sliced");
const RC6: Known = (
    Standing::Sound,
    "AES finalist, little used and little studied since",
    "mostly: where multiplication and rotation by a variable are",
);
const SERPENT: Known = (Standing::Sound, "AES finalist, conservative", "yes: bit-sliced");
const TDES: Known = (
    Standing::Legacy,
    "64-bit blocks: birthday bound at 2^32 blocks; withdrawn by NIST after 2023",
    "no: table look-ups",
);
const TWOFISH: Known = (Standing::Sound, "AES finalist", "no: table look-ups by the key");

/// One row a cipher: static, type, names, what is known of it. The rest of the file
/// follows from it, and the rows of every mode.
macro_rules! ciphers {
    ($($info:ident: $cipher:ident, $name:literal, $title:literal, $known:ident;)*) => {
        $(
            pub(crate) static $info: CipherInfo =
                CipherInfo::new::<$cipher>($name, $title, $known);
        )*

        /// All of them.
        pub static CIPHERS: &[&CipherInfo] = &[$(&$info),*];
    };
}

ciphers! {
    AES_128: Aes128, "aes-128", "AES-128", AES;
    AES_192: Aes192, "aes-192", "AES-192", AES;
    AES_256: Aes256, "aes-256", "AES-256", AES;
    RC6_128: Rc6_128, "rc6-128", "RC6-128", RC6;
    RC6_192: Rc6_192, "rc6-192", "RC6-192", RC6;
    RC6_256: Rc6_256, "rc6-256", "RC6-256", RC6;
    SERPENT_128: Serpent128, "serpent-128", "Serpent-128", SERPENT;
    SERPENT_192: Serpent192, "serpent-192", "Serpent-192", SERPENT;
    SERPENT_256: Serpent256, "serpent-256", "Serpent-256", SERPENT;
    TDES_2: TdesEde2, "tdes-2", "TDES-2", TDES;
    TDES_3: TdesEde3, "tdes-3", "TDES-3", TDES;
    TWOFISH_128: Twofish128, "twofish-128", "Twofish-128", TWOFISH;
    TWOFISH_192: Twofish192, "twofish-192", "Twofish-192", TWOFISH;
    TWOFISH_256: Twofish256, "twofish-256", "Twofish-256", TWOFISH;
}

/// The rows of a mode over every cipher: `over_ciphers!(row, "cmac", "CMAC")` calls
/// `row::<Aes128>("cmac-aes-128", "CMAC-AES-128", &AES_128)` and so on. `over_wide_ciphers!` leaves
/// out those with 64-bit blocks, `over_aes!` all but AES.
macro_rules! over_ciphers {
    ($row:ident, $mode:literal, $title:literal) => {
        $crate::ciphers::rows!($row $mode $title [aes candidates tdes])
    };
}

macro_rules! over_wide_ciphers {
    ($row:ident, $mode:literal, $title:literal) => {
        $crate::ciphers::rows!($row $mode $title [aes candidates])
    };
}

macro_rules! over_aes {
    ($row:ident, $mode:literal, $title:literal) => {
        $crate::ciphers::rows!($row $mode $title [aes])
    };
}

/// Takes the groups in brackets one by one and keeps their ciphers behind; then makes the rows.
macro_rules! rows {
    ($row:ident $mode:literal $title:literal [aes $($more:ident)*] $($done:tt)*) => {
        $crate::ciphers::rows!($row $mode $title [$($more)*] $($done)*
            (Aes128 AES_128 "aes-128" "AES-128")
            (Aes192 AES_192 "aes-192" "AES-192")
            (Aes256 AES_256 "aes-256" "AES-256"))
    };
    ($row:ident $mode:literal $title:literal [candidates $($more:ident)*] $($done:tt)*) => {
        $crate::ciphers::rows!($row $mode $title [$($more)*] $($done)*
            (Rc6_128 RC6_128 "rc6-128" "RC6-128")
            (Rc6_192 RC6_192 "rc6-192" "RC6-192")
            (Rc6_256 RC6_256 "rc6-256" "RC6-256")
            (Serpent128 SERPENT_128 "serpent-128" "Serpent-128")
            (Serpent192 SERPENT_192 "serpent-192" "Serpent-192")
            (Serpent256 SERPENT_256 "serpent-256" "Serpent-256")
            (Twofish128 TWOFISH_128 "twofish-128" "Twofish-128")
            (Twofish192 TWOFISH_192 "twofish-192" "Twofish-192")
            (Twofish256 TWOFISH_256 "twofish-256" "Twofish-256"))
    };
    ($row:ident $mode:literal $title:literal [tdes $($more:ident)*] $($done:tt)*) => {
        $crate::ciphers::rows!($row $mode $title [$($more)*] $($done)*
            (TdesEde2 TDES_2 "tdes-2" "TDES-2")
            (TdesEde3 TDES_3 "tdes-3" "TDES-3"))
    };
    ($row:ident $mode:literal $title:literal []
     $(($cipher:ident $info:ident $name:literal $cipher_title:literal))*) => {
        &[$($row::<$crate::ciphers::$cipher>(
            concat!($mode, "-", $name),
            concat!($title, "-", $cipher_title),
            &$crate::ciphers::$info,
        )),*]
    };
}

pub(crate) use {over_aes, over_ciphers, over_wide_ciphers, rows};
