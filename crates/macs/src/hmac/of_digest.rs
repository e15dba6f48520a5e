//! HMAC over hashes that are no `Compression`: RIPEMD-160, SM3 and Streebog, by the `Digest` of
//! another crate, BLAKE2 and SHA-3.
//! The states after the two key blocks are kept (RFC 2104 §4).

use digest::array::Array;
use digest::common::BlockSizeUser;
#[cfg(feature = "sha3")]
use digest::consts::{U28, U32, U48, U64, U72, U104, U136, U144};
use digest::typenum::Unsigned;
use digest::{FixedOutputReset, InvalidLength, Output, OutputSizeUser, Update};
use zeroize::optimization_barrier;

#[cfg(feature = "sha3")]
use super::sha3::Sha3;
use super::{HmacHash, MODE};
use crate::after_block::AfterBlock;
#[cfg(feature = "blake2")]
use crate::blake2::{self, Blake2bCore, Blake2sCore};
use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware, KeyLife};
#[cfg(feature = "sha3")]
use crate::kernel;
#[cfg(any(feature = "ripemd160", feature = "sm3", feature = "streebog"))]
use crate::kernels::OnlySoft;
use crate::kernels::lanes::hmac::{IPAD, OPAD};
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::wipe;
use crate::work::Theory;

/// HMAC over the hash `H`.
#[derive(Clone)]
pub struct HmacOf<H: AfterBlock> {
    inner: H,
    outer: H,
}

impl<H: AfterBlock> HmacOf<H> {
    /// FIPS 198-1 §4 steps 1 to 4 and 7.
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        let mut block = Array::<u8, H::BlockSize>::default();
        if key.len() <= block.len() {
            block[..key.len()].copy_from_slice(key);
        } else {
            let mut digest = H::hash(key);
            block[..digest.len()].copy_from_slice(&digest);
            wipe(&mut digest);
        }
        block.iter_mut().for_each(|byte| *byte ^= IPAD);
        let inner = H::after_block(&block);
        block.iter_mut().for_each(|byte| *byte ^= IPAD ^ OPAD);
        let outer = H::after_block(&block);
        wipe(&mut block);
        Ok(Self { inner, outer })
    }

    fn absorb(&mut self, data: &[u8]) {
        self.inner.absorb(data);
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        self.inner.finish(tag);
        self.close(tag);
    }

    /// FIPS 198-1 §4 steps 8 and 9: the inner digest, in `tag`, under the outer state.
    #[inline(always)]
    fn close(&self, tag: &mut Output<Self>) {
        let mut inner = tag.clone();
        self.outer.digest_into(&inner, tag);
        wipe(&mut inner);
    }

    fn restart(&mut self) {
        self.inner.restart();
    }
}

impl<H: AfterBlock> ByRow for HmacOf<H> {}

impl<H: AfterBlock> PreparedMac for HmacOf<H> {
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        *self = Self::keyed(key)?;
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        self.inner.digest_into(message, tag);
        self.close(tag);
    }
}

impl<H: AfterBlock> BlockSizeUser for HmacOf<H> {
    type BlockSize = H::BlockSize;
}

digest_traits! { [H: AfterBlock] HmacOf<H>, "HmacOf", key: H::BlockSize, tag: H::OutputSize }

/// A hash of another crate. When dropped, its default value takes the place of the secret one, and
/// `digest` wipes the buffer beside its state, whatever features that crate was built with.
pub struct OfDigest<D: Hash> {
    keyed: D,
    running: D,
}

impl<D: Hash> HmacHash for D {
    type Hmac = HmacOf<OfDigest<D>>;
}

/// The traits that a hash of another crate has.
pub trait Hash:
    Default + Update + FixedOutputReset + BlockSizeUser + Clone + Send + Sync + 'static
{
}

impl<D: Default + Update + FixedOutputReset + BlockSizeUser + Clone + Send + Sync + 'static> Hash
    for D
{
}

impl<D: Hash> AfterBlock for OfDigest<D> {
    type BlockSize = D::BlockSize;
    type OutputSize = D::OutputSize;

    fn after_block(block: &Array<u8, D::BlockSize>) -> Self {
        let mut keyed = D::default();
        keyed.update(block);
        Self { running: keyed.clone(), keyed }
    }

    fn hash(data: &[u8]) -> Array<u8, D::OutputSize> {
        let mut digest = Array::default();
        close(D::default(), data, &mut digest);
        digest
    }

    #[inline]
    fn digest_into(&self, message: &[u8], digest: &mut Array<u8, D::OutputSize>) {
        close(self.keyed.clone(), message, digest);
    }

    fn absorb(&mut self, data: &[u8]) {
        self.running.update(data);
    }

    fn finish(&mut self, digest: &mut Array<u8, D::OutputSize>) {
        self.running.finalize_into_reset(digest);
    }

    fn restart(&mut self) {
        self.running = self.keyed.clone();
    }
}

/// The digest when `data` is the rest of the message.
#[inline(always)]
fn close<D: Hash>(mut state: D, data: &[u8], digest: &mut Output<D>) {
    state.update(data);
    state.finalize_into_reset(digest);
    optimization_barrier(&state);
}

impl<D: Hash> Clone for OfDigest<D> {
    fn clone(&self) -> Self {
        Self { keyed: self.keyed.clone(), running: self.running.clone() }
    }
}

impl<D: Hash> Drop for OfDigest<D> {
    fn drop(&mut self) {
        for state in [&mut self.keyed, &mut self.running] {
            *state = D::default();
            optimization_barrier(state);
        }
    }
}

/// HMAC-RIPEMD-160.
#[cfg(feature = "ripemd160")]
pub type HmacRipemd160 = HmacOf<OfDigest<ripemd::Ripemd160>>;
/// HMAC-SHA3-224.
#[cfg(feature = "sha3")]
pub type HmacSha3_224 = HmacOf<Sha3<U144, U28>>;
/// HMAC-SHA3-256.
#[cfg(feature = "sha3")]
pub type HmacSha3_256 = HmacOf<Sha3<U136, U32>>;
/// HMAC-SHA3-384.
#[cfg(feature = "sha3")]
pub type HmacSha3_384 = HmacOf<Sha3<U104, U48>>;
/// HMAC-SHA3-512.
#[cfg(feature = "sha3")]
pub type HmacSha3_512 = HmacOf<Sha3<U72, U64>>;
/// HMAC-SM3.
#[cfg(feature = "sm3")]
pub type HmacSm3 = HmacOf<OfDigest<sm3::Sm3>>;
/// HMAC-Streebog-256, RFC 7836's HMAC_GOSTR3411_2012_256.
#[cfg(feature = "streebog")]
pub type HmacStreebog256 = HmacOf<OfDigest<streebog::Streebog256>>;
/// HMAC-Streebog-512, RFC 7836's HMAC_GOSTR3411_2012_512.
#[cfg(feature = "streebog")]
pub type HmacStreebog512 = HmacOf<OfDigest<streebog::Streebog512>>;
/// HMAC-BLAKE2b with digests of 64 bytes.
#[cfg(feature = "blake2")]
pub type HmacBlake2b = HmacOf<blake2::Prefixed<Blake2bCore>>;
/// HMAC-BLAKE2s with digests of 32 bytes.
#[cfg(feature = "blake2")]
pub type HmacBlake2s = HmacOf<blake2::Prefixed<Blake2sCore>>;

pub(crate) const ROWS: &[MacInfo] = &[
    #[cfg(feature = "blake2")]
    row::<HmacBlake2b>("hmac-blake2b", "HMAC-BLAKE2b", &BLAKE2_MODE, &blake2::BLAKE2B),
    #[cfg(feature = "blake2")]
    row::<HmacBlake2s>("hmac-blake2s", "HMAC-BLAKE2s", &BLAKE2_MODE, &blake2::BLAKE2S),
    #[cfg(feature = "ripemd160")]
    row::<HmacRipemd160>("hmac-ripemd160", "HMAC-RIPEMD-160", &MODE, &RIPEMD160)
        .with_theory(Theory::hmac(8)),
    #[cfg(feature = "sha3")]
    row::<HmacSha3_224>("hmac-sha3-224", "HMAC-SHA3-224", &SHA3_MODE, &SHA3_224),
    #[cfg(feature = "sha3")]
    row::<HmacSha3_256>("hmac-sha3-256", "HMAC-SHA3-256", &SHA3_MODE, &SHA3_256),
    #[cfg(feature = "sha3")]
    row::<HmacSha3_384>("hmac-sha3-384", "HMAC-SHA3-384", &SHA3_MODE, &SHA3_384),
    #[cfg(feature = "sha3")]
    row::<HmacSha3_512>("hmac-sha3-512", "HMAC-SHA3-512", &SHA3_MODE, &SHA3_512),
    // The length of a message in bits is below 2^64 (GB/T 32905 §5.2).
    #[cfg(feature = "sm3")]
    row::<HmacSm3>("hmac-sm3", "HMAC-SM3", &MODE, &SM3)
        .with_theory(Theory::hmac(8))
        .with_message_len_max((1 << 61) - 1 - 64),
    #[cfg(feature = "streebog")]
    row::<HmacStreebog256>("hmac-streebog-256", "HMAC-Streebog-256", &STREEBOG_MODE, &STREEBOG_256),
    #[cfg(feature = "streebog")]
    row::<HmacStreebog512>("hmac-streebog-512", "HMAC-Streebog-512", &STREEBOG_MODE, &STREEBOG_512),
];

/// The default key is as long as the digest (RFC 2104 §3).
const fn row<M: PreparedMac + Send + Sync + 'static>(
    name: &'static str,
    title: &'static str,
    mode: &'static Mode,
    primitive: &'static Primitive,
) -> MacInfo {
    let key_len = (<M as OutputSizeUser>::OutputSize::USIZE, Len::Any);
    MacInfo::mac::<M>(name, title, mode, primitive, key_len)
}

#[cfg(feature = "sha3")]
static SHA3_224: Primitive = sha3("sha3-224", "SHA3-224", 144);
#[cfg(feature = "sha3")]
static SHA3_256: Primitive = sha3("sha3-256", "SHA3-256", 136);
#[cfg(feature = "sha3")]
static SHA3_384: Primitive = sha3("sha3-384", "SHA3-384", 104);
#[cfg(feature = "sha3")]
static SHA3_512: Primitive = sha3("sha3-512", "SHA3-512", 72);

#[cfg(feature = "sha3")]
const fn sha3(name: &'static str, title: &'static str, block_len_bytes: usize) -> Primitive {
    Primitive {
        name,
        title,
        standing: Standing::Sound,
        note: "",
        constant_time: ConstantTime::Yes("no table, no branch by data"),
        hardware: Hardware::None,
        block_len_bytes,
        paths: Paths::Foreign(kernel::keccak),
    }
}

#[cfg(feature = "ripemd160")]
static RIPEMD160: Primitive = Primitive {
    standing: Standing::Legacy,
    note: "no attack on all of its rounds, but few bits for a hash; for what already uses it",
    ..portable::<ripemd::Ripemd160>("ripemd160", "RIPEMD-160", NO_TABLE)
};

#[cfg(feature = "sm3")]
static SM3: Primitive = Primitive {
    note: "China's national standard, in shape like SHA-256; no attack on all of its rounds",
    ..portable::<sm3::Sm3>("sm3", "SM3", NO_TABLE)
};

#[cfg(feature = "streebog")]
static STREEBOG_256: Primitive = streebog::<streebog::Streebog256>("streebog-256", "Streebog-256");
#[cfg(feature = "streebog")]
static STREEBOG_512: Primitive = streebog::<streebog::Streebog512>("streebog-512", "Streebog-512");

#[cfg(feature = "streebog")]
const fn streebog<D: Hash>(name: &'static str, title: &'static str) -> Primitive {
    Primitive {
        note: "Russia's national standard; its S-box has structure that its designers did not tell \
               (Perrin 2019), of which no attack was made",
        ..portable::<D>(name, title, ConstantTime::No("table look-ups by data"))
    }
}

#[cfg(any(feature = "ripemd160", feature = "sm3"))]
const NO_TABLE: ConstantTime = ConstantTime::Yes("no table, no branch by data");

/// Of a crate that has portable code and nothing else.
#[cfg(any(feature = "ripemd160", feature = "sm3", feature = "streebog"))]
const fn portable<D: Hash>(
    name: &'static str,
    title: &'static str,
    constant_time: ConstantTime,
) -> Primitive {
    Primitive {
        name,
        title,
        standing: Standing::Sound,
        note: "",
        constant_time,
        hardware: Hardware::None,
        block_len_bytes: D::BlockSize::USIZE,
        paths: Paths::own::<OnlySoft>(),
    }
}

static STREEBOG_MODE: Mode = Mode {
    title: "HMAC over Streebog",
    specification: "RFC 7836 §4.1, R 50.1.113-2016",
    proof: "pseudorandom function if the compression function is one, under related keys too \
            (Kiryukhin 2022)",
    bound: "about q²·blocks/2^512",
    key_life: "no practical limit",
    approved_by: "Rosstandart (R 50.1.113-2016)",
    facts: Facts { key_life: KeyLife::Unlimited, ..MODE.facts },
    ..MODE
};

static SHA3_MODE: Mode = Mode {
    title: "HMAC over a sponge",
    specification: "RFC 2104, FIPS 198-1; FIPS 202 §7 (SHA-3 in it)",
    proof: "the sponge behaves as a random oracle if its permutation is ideal (Bertoni, Daemen, \
            Peeters, Van Assche 2008)",
    bound: "about N²/2^(c+1) for N calls of the permutation, c the capacity, and q²/2^d for inner \
            digests of d bits that collide",
    key_life: "no practical limit",
    approved_by: "NIST (FIPS 202 §7)",
    facts: Facts { key_life: KeyLife::Unlimited, ..MODE.facts },
    ..MODE
};

static BLAKE2_MODE: Mode = Mode {
    title: "HMAC over BLAKE2",
    proof: "BLAKE2 behaves as a random oracle if its cipher is ideal but for known weak keys \
            (Luykx, Mennink, Neves 2016)",
    bound: "birthday bound of the chaining value: 2^256 blocks with BLAKE2b, 2^128 with BLAKE2s",
    key_life: "no practical limit",
    approved_by: "no standards body; in Noise and WireGuard; BLAKE2 also takes keys itself",
    facts: Facts { key_life: KeyLife::Unlimited, ..MODE.facts },
    ..MODE
};
