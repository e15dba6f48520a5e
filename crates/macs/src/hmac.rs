//! HMAC: RFC 2104 §2, FIPS 198-1 §4; H((K ⊕ opad) ‖ H((K ⊕ ipad) ‖ message)).
//! The chaining values after the two key blocks are computed at key set-up (RFC 2104 §4), so that
//! a prepared tag of a short message costs two compressions. Nothing is on the heap.

#[cfg(feature = "batch")]
mod batch;
#[cfg(feature = "hkdf")]
mod hkdf;
pub(crate) mod of_digest;
#[cfg(feature = "sha3")]
mod sha3;
#[cfg(all(test, feature = "full"))]
mod tests;

#[cfg(feature = "batch")]
use alloc::boxed::Box;
use core::fmt;
use core::slice;

use digest::common::{BlockSizeUser, KeySizeUser};
use digest::typenum::Unsigned;
use digest::{
    FixedOutput, FixedOutputReset, InvalidLength, Key, KeyInit, MacMarker, Output, OutputSizeUser,
    Reset, Update,
};
use zeroize::ZeroizeOnDrop;

use crate::compression::{self, Block, Compression, Digest, HmacKey};
use crate::facts::{ConstantTime, Facts, Hardware, KeyLife, LeastBits, Prf, ShortTags};
use crate::inside::Inside;
use crate::kernels::{Choice, Pin};
#[cfg(feature = "batch")]
use crate::keyed::KeyedBatch;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::{overwrite, wipe};
use crate::work::Theory;

/// HMAC over the hash `H`: one of this crate, of [`compression`](crate::compression), or any of
/// another crate that has the traits of `digest`.
///
#[cfg_attr(feature = "sha256", doc = "```")]
#[cfg_attr(not(feature = "sha256"), doc = "```ignore")]
/// use macs::Hmac;
/// use macs::digest::{KeyInit, Mac};
///
/// let ours = Hmac::<macs::compression::Sha256>::new_from_slice(b"key")?;
/// let theirs = Hmac::<sha2::Sha256>::new_from_slice(b"key")?;
/// let tag = theirs.chain_update(b"a message").finalize().into_bytes();
/// assert!(ours.chain_update(b"a message").verify(&tag).is_ok());
/// # Ok::<(), macs::digest::InvalidLength>(())
/// ```
pub type Hmac<H> = <H as HmacHash>::Hmac;

/// A hash that HMAC is made of.
pub trait HmacHash {
    /// HMAC of it.
    type Hmac: PreparedMac;
}

/// HMAC over the hash of the compression function `C`.
pub struct HmacMd<C: Compression> {
    key: KeyStates<C>,
    /// Chaining value of the inner hash of the message under way.
    running: C::State,
    /// The last, incomplete block, or the first one; its first `buffered_len` bytes are set.
    buffer: Block<C>,
    message_len_bytes: u64,
}

/// The two chaining values that stand for the key.
struct KeyStates<C: Compression> {
    kernel: C::Kernel,
    states: HmacKey<C::State>,
}

impl<C: Compression> KeyStates<C> {
    #[inline(always)]
    fn new(kernel: C::Kernel, key: &[u8]) -> Self {
        let mut states = public::<C>();
        set_up::<C>(kernel, key, &mut states);
        Self { kernel, states }
    }
}

/// The chaining values of no key.
#[inline(always)]
fn public<C: Compression>() -> HmacKey<C::State> {
    HmacKey { inner: C::INITIAL, outer: C::INITIAL }
}

/// A key of any length. One longer than a block is hashed first: FIPS 198-1 §4 step 2.
#[inline(always)]
fn set_up<C: Compression>(kernel: C::Kernel, key: &[u8], states: &mut HmacKey<C::State>) {
    with_short_key::<C>(kernel, key, |key| C::hmac_key(kernel, key, states, Inside(())));
}

#[inline(always)]
fn with_short_key<C: Compression>(kernel: C::Kernel, key: &[u8], work: impl FnOnce(&[u8])) {
    if key.len() <= C::BlockSize::USIZE {
        return work(key);
    }
    let mut digest = compression::hash::<C>(kernel, key);
    work(&digest);
    wipe(&mut digest);
}

impl<C: Compression> Clone for KeyStates<C> {
    fn clone(&self) -> Self {
        Self { kernel: self.kernel, states: self.states }
    }
}

impl<C: Compression> Drop for KeyStates<C> {
    #[inline]
    fn drop(&mut self) {
        overwrite(&mut self.states, public::<C>());
    }
}

impl<C: Compression> HmacMd<C> {
    #[inline]
    fn with_key(kernel: C::Kernel, key: &[u8]) -> Self {
        let key = KeyStates::<C>::new(kernel, key);
        let running = key.states.inner;
        Self { key, running, buffer: Block::<C>::default(), message_len_bytes: 0 }
    }

    /// A first block that is full waits: it may be the whole message.
    #[inline(always)]
    fn buffered_len(&self) -> usize {
        let block_len = C::BlockSize::U64;
        let len = self.message_len_bytes;
        (if len <= block_len { len } else { len % block_len }) as usize
    }

    #[inline]
    fn restart(&mut self) {
        self.running = self.key.states.inner;
        // A message not begun has left nothing.
        if self.message_len_bytes > 0 {
            self.message_len_bytes = 0;
            wipe(&mut self.buffer);
        }
    }

    /// The tag of the message under way. One that the buffer holds goes to the kernel whole.
    #[inline(never)]
    fn finish(&mut self, tag: &mut Digest<C>) {
        let tail = &self.buffer[..self.buffered_len()];
        let KeyStates { kernel, states } = &self.key;
        let len = self.message_len_bytes;
        if len <= C::BlockSize::U64 {
            return C::hmac(*kernel, states, tail, tag, Inside(()));
        }
        compression::close_hmac::<C>(*kernel, &mut self.running, &states.outer, tail, len, tag);
    }
}

impl<C: Compression> ByRow for HmacMd<C> {
    #[cfg(feature = "batch")]
    fn batch(pin: Pin, keys: &[&[u8]], _: Inside) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        Ok(batch::HmacBatch::<C>::boxed(pin, keys))
    }
}

impl<C: Compression> PreparedMac for HmacMd<C> {
    #[inline]
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self::with_key(Choice::pinned(pin), key))
    }

    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        set_up::<C>(self.key.kernel, key, &mut self.key.states);
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        C::hmac(self.key.kernel, &self.key.states, message, tag, Inside(()));
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        let kernel = C::Kernel::best();
        with_short_key::<C>(kernel, key, |key| C::hmac_once(kernel, key, message, tag, Inside(())));
        Ok(())
    }
}

impl<C: Compression> Update for HmacMd<C> {
    /// Apart, as `finish`: what calls them is short then, so that the compiler inlines it and moves
    /// the mac less often.
    #[inline(never)]
    fn update(&mut self, mut data: &[u8]) {
        let buffered = self.buffered_len();
        let is_first = self.message_len_bytes <= C::BlockSize::U64;
        self.message_len_bytes += data.len() as u64;
        let (room, len) = (self.buffer.len() - buffered, data.len());
        if len < room || is_first && len == room {
            self.buffer[buffered..][..len].copy_from_slice(data);
            return;
        }
        if buffered > 0 {
            let (fill, rest) = data.split_at(room);
            self.buffer[buffered..].copy_from_slice(fill);
            C::compress(self.key.kernel, &mut self.running, slice::from_ref(&self.buffer));
            data = rest;
        }
        let (blocks, tail) = Block::<C>::slice_as_chunks(data);
        if !blocks.is_empty() {
            C::compress(self.key.kernel, &mut self.running, blocks);
        }
        self.buffer[..tail.len()].copy_from_slice(tail);
    }
}

impl<C: Compression> FixedOutput for HmacMd<C> {
    #[inline]
    fn finalize_into(mut self, tag: &mut Output<Self>) {
        self.finish(tag);
    }
}

impl<C: Compression> FixedOutputReset for HmacMd<C> {
    #[inline]
    fn finalize_into_reset(&mut self, tag: &mut Output<Self>) {
        self.finish(tag);
        self.restart();
    }
}

impl<C: Compression> Reset for HmacMd<C> {
    #[inline]
    fn reset(&mut self) {
        self.restart();
    }
}

impl<C: Compression> KeyInit for HmacMd<C> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        Self::with_key(Choice::best(), key)
    }

    /// Takes a key of any length; one longer than a block is hashed first.
    #[inline]
    fn new_from_slice(key: &[u8]) -> Result<Self, InvalidLength> {
        Ok(Self::with_key(Choice::best(), key))
    }
}

impl<C: Compression> KeySizeUser for HmacMd<C> {
    /// The block, as in RustCrypto's `hmac`: the longest key that is not hashed first.
    type KeySize = C::BlockSize;
}

impl<C: Compression> BlockSizeUser for HmacMd<C> {
    type BlockSize = C::BlockSize;
}

impl<C: Compression> OutputSizeUser for HmacMd<C> {
    type OutputSize = C::OutputSize;
}

impl<C: Compression> MacMarker for HmacMd<C> {}

impl<C: Compression> Clone for HmacMd<C> {
    fn clone(&self) -> Self {
        Self {
            key: self.key.clone(),
            running: self.running,
            buffer: self.buffer.clone(),
            message_len_bytes: self.message_len_bytes,
        }
    }
}

impl<C: Compression> fmt::Debug for HmacMd<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hmac { .. }")
    }
}

impl<C: Compression> Drop for HmacMd<C> {
    /// The key's states wipe themselves.
    fn drop(&mut self) {
        overwrite(&mut self.running, C::INITIAL);
        wipe(&mut self.buffer);
    }
}

impl<C: Compression> ZeroizeOnDrop for HmacMd<C> {}

#[cfg(feature = "std")]
crate::reading::io_write! { [C: Compression] HmacMd<C>, Update::update }

/// HMAC-MD5.
#[cfg(feature = "md5")]
pub type HmacMd5 = HmacMd<compression::Md5>;
/// HMAC-SHA-1.
#[cfg(feature = "sha1")]
pub type HmacSha1 = HmacMd<compression::Sha1>;
/// HMAC-SHA-224.
#[cfg(feature = "sha256")]
pub type HmacSha224 = HmacMd<compression::Sha224>;
/// HMAC-SHA-256.
#[cfg(feature = "sha256")]
pub type HmacSha256 = HmacMd<compression::Sha256>;
/// HMAC-SHA-384.
#[cfg(feature = "sha512")]
pub type HmacSha384 = HmacMd<compression::Sha384>;
/// HMAC-SHA-512.
#[cfg(feature = "sha512")]
pub type HmacSha512 = HmacMd<compression::Sha512>;
/// HMAC-SHA-512/224.
#[cfg(feature = "sha512")]
pub type HmacSha512_224 = HmacMd<compression::Sha512_224>;
/// HMAC-SHA-512/256.
#[cfg(feature = "sha512")]
pub type HmacSha512_256 = HmacMd<compression::Sha512_256>;

/// The default key is as long as the digest (RFC 2104 §3). The longest message is that of the hash,
/// less the key block (FIPS 180-4 §1).
macro_rules! rows {
    ($($feature:literal $compression:ident $primitive:ident $name:literal $title:literal
       $known:ident;)*) => {
        $(#[cfg(feature = $feature)]
        impl HmacHash for compression::$compression {
            type Hmac = HmacMd<Self>;
        }

        #[cfg(feature = $feature)]
        pub(crate) static $primitive: Primitive =
            primitive::<compression::$compression>($name, $title, $known);)*

        pub(crate) const ROWS: &[MacInfo] = &[$(
            #[cfg(feature = $feature)]
            row::<compression::$compression>(
            concat!("hmac-", $name),
            concat!("HMAC-", $title),
            &$primitive,
        )),*];
    };
}

rows! {
    "md5" Md5 MD5 "md5" "MD5" MD5_KNOWN;
    "sha1" Sha1 SHA1 "sha1" "SHA-1" SHA1_KNOWN;
    "sha256" Sha224 SHA224 "sha224" "SHA-224" SHA256_KNOWN;
    "sha256" Sha256 SHA256 "sha256" "SHA-256" SHA256_KNOWN;
    "sha512" Sha384 SHA384 "sha384" "SHA-384" SHA512_KNOWN;
    "sha512" Sha512 SHA512 "sha512" "SHA-512" SHA512_KNOWN;
    "sha512" Sha512_224 SHA512_224 "sha512-224" "SHA-512/224" SHA512_KNOWN;
    "sha512" Sha512_256 SHA512_256 "sha512-256" "SHA-512/256" SHA512_KNOWN;
}

const MD5_KNOWN: (Standing, &str, Hardware) = (
    Standing::Legacy,
    "broken as a hash; no practical attack on its HMAC, but not for new designs (RFC 6151)",
    Hardware::None,
);
const SHA1_KNOWN: (Standing, &str, Hardware) = (
    Standing::Legacy,
    "collides as a hash; no practical attack on its HMAC, but not for new designs",
    Hardware::Sha,
);
const SHA256_KNOWN: (Standing, &str, Hardware) = (Standing::Sound, "", Hardware::Sha);
const SHA512_KNOWN: (Standing, &str, Hardware) = (Standing::Sound, "", Hardware::None);

const fn primitive<C: Compression>(
    name: &'static str,
    title: &'static str,
    (standing, note, hardware): (Standing, &'static str, Hardware),
) -> Primitive {
    let block_len_bytes = C::BlockSize::USIZE;
    let constant_time = ConstantTime::Yes("no table, no branch by data");
    let paths = Paths::own::<C::Kernel>();
    Primitive { name, title, standing, note, constant_time, hardware, block_len_bytes, paths }
}

const fn row<C: Compression>(
    name: &'static str,
    title: &'static str,
    primitive: &'static Primitive,
) -> MacInfo {
    let key_len = (C::OutputSize::USIZE, Len::Any);
    let row = MacInfo::mac::<HmacMd<C>>(name, title, &MODE, primitive, key_len)
        .with_theory(Theory::hmac(C::LENGTH_FIELD.len_bytes()));
    match C::LENGTH_FIELD {
        // MD5: RFC 1321 counts modulo 2^64. What attacks on its HMAC mean for it as a pseudorandom
        // function "is not well understood" (RFC 6151 §2.3).
        compression::LengthField::Le64 => row.with_facts(Facts { prf: Prf::Claimed, ..MODE.facts }),
        compression::LengthField::Be128 => row,
        compression::LengthField::Be64 => {
            row.with_message_len_max((1 << 61) - 1 - C::BlockSize::U64)
        }
    }
}

pub(crate) static MODE: Mode = Mode {
    title: "HMAC",
    specification: "RFC 2104, FIPS 198-1",
    standing: Standing::Sound,
    proof: "pseudorandom function if the compression function is one, also keyed by its block, \
        under two related keys (Bellare 2006)",
    bound: "about q²·blocks/2^c, c the bits of the chaining value",
    nonce: "",
    key_life: "no practical limit with chaining values of 256 bits; far below 2^64 messages with \
        MD5",
    approved_by: "NIST with its approved hashes (FIPS 198-1), IETF (RFC 2104), ISO/IEC 9797-2 \
        algorithm 2",
    attacks: "none on the tag; but keys of at most a block that differ in zero bytes at their end \
        are one key, and so are a longer key and its hash",
    facts: Facts {
        // RFC 2104 §5.
        short_tags: ShortTags::Leftmost(LeastBits::Half(80)),
        key_life: KeyLife::Chaining,
        ..Facts::MAC
    },
};
