//! Compression functions of the MD family, and the padding that makes hashes of them.
//! FIPS 180-4 (SHA-1, SHA-2), RFC 1321 (MD5). One trait hands over whole runs of blocks, so that
//! the loop stays inside the kernel, and whole messages of HMAC, which is built on it; so is any
//! MAC that keys a compression function directly.

use core::{fmt, slice};

use digest::array::{Array, ArraySize};
use digest::common::AlgorithmName;
use digest::consts::{U16, U20, U28, U32, U48, U64, U128};
use digest::typenum::Unsigned;

use crate::inside::{Inside, Sealed};
use crate::kernels::lanes::hmac::{Hash, HmacKernel, IPAD, OPAD};
use crate::kernels::{self, Choice};
use crate::kernels::{InTurn, Job};
use crate::wipe::{overwrite, wipe};

pub(crate) use crate::kernels::lanes::hmac::HmacKey;
#[cfg(feature = "md5")]
pub use crate::kernels::md5::Md5;
#[cfg(feature = "sha1")]
pub use crate::kernels::sha1::Sha1;
#[cfg(feature = "frame")]
pub(crate) use crate::kernels::sha256::frame::Sha256Frame;
#[cfg(feature = "sha256")]
pub use crate::kernels::sha256::{Sha224, Sha256};
#[cfg(feature = "sha512")]
pub use crate::kernels::sha512::{Sha384, Sha512, Sha512_224, Sha512_256};

/// A block of the compression function `C`.
pub type Block<C> = Array<u8, <C as Compression>::BlockSize>;

/// A digest of the hash function built on `C`.
pub type Digest<C> = Array<u8, <C as Compression>::OutputSize>;

/// A compression function with what turns it into a hash: initial value, length field, output. No
/// other crate implements the trait; what asks for `Inside` is HMAC's, may change, and cannot be
/// called by others.
pub trait Compression: Sealed + 'static {
    /// The chaining value.
    type State: Copy + Send + Sync + 'static;
    /// Length of a message block in bytes.
    type BlockSize: ArraySize;
    /// Length of the digest in bytes; shorter than the chaining value for the truncated hashes.
    type OutputSize: ArraySize;
    /// The code paths.
    type Kernel: Choice;

    /// The chaining value before the first block.
    const INITIAL: Self::State;
    /// How the message length is written at the end of the padding.
    const LENGTH_FIELD: LengthField;

    /// Absorbs a whole run of blocks.
    fn compress(kernel: Self::Kernel, state: &mut Self::State, blocks: &[Block<Self>])
    where
        Self: Sized;

    /// Writes the chaining value as the digest, truncated where the hash is.
    fn write_digest(state: &Self::State, digest: &mut Digest<Self>)
    where
        Self: Sized;

    /// Prepares HMAC's key, which is at most a block: FIPS 198-1 §4 steps 1 to 4 and 7. This and
    /// what follows is made of `compress`, where a code path has nothing quicker.
    fn hmac_key(kernel: Self::Kernel, key: &[u8], states: &mut HmacKey<Self::State>, _: Inside)
    where
        Self: Sized,
    {
        let mut block = Block::<Self>::default();
        block[..key.len()].copy_from_slice(key);
        *states = HmacKey { inner: Self::INITIAL, outer: Self::INITIAL };
        block.iter_mut().for_each(|byte| *byte ^= IPAD);
        Self::compress(kernel, &mut states.inner, slice::from_ref(&block));
        block.iter_mut().for_each(|byte| *byte ^= IPAD ^ OPAD);
        Self::compress(kernel, &mut states.outer, slice::from_ref(&block));
        wipe(&mut block);
    }

    /// HMAC of a whole message: FIPS 198-1 §4 steps 5 to 9.
    fn hmac(
        kernel: Self::Kernel,
        key: &HmacKey<Self::State>,
        message: &[u8],
        tag: &mut Digest<Self>,
        _: Inside,
    ) where
        Self: Sized,
    {
        let mut running = key.inner;
        let (blocks, tail) = Block::<Self>::slice_as_chunks(message);
        if !blocks.is_empty() {
            Self::compress(kernel, &mut running, blocks);
        }
        close_hmac::<Self>(kernel, &mut running, &key.outer, tail, message.len() as u64, tag);
    }

    /// HMAC of a whole message under a key of at most a block that is used once.
    fn hmac_once(
        kernel: Self::Kernel,
        key: &[u8],
        message: &[u8],
        tag: &mut Digest<Self>,
        inside: Inside,
    ) where
        Self: Sized,
    {
        let public = HmacKey { inner: Self::INITIAL, outer: Self::INITIAL };
        let mut states = public;
        Self::hmac_key(kernel, key, &mut states, inside);
        Self::hmac(kernel, &states, message, tag, inside);
        overwrite(&mut states, public);
    }

    /// Prepares many keys of at most a block each: `states[i]` from `keys[i]`.
    fn hmac_keys(
        kernel: Self::Kernel,
        keys: &[&[u8]],
        states: &mut [HmacKey<Self::State>],
        inside: Inside,
    ) where
        Self: Sized,
    {
        for (key, states) in keys.iter().zip(states) {
            Self::hmac_key(kernel, key, states, inside);
        }
    }

    /// Which batches are not worth a call of [`hmac_batch`](Self::hmac_batch).
    fn in_turn(_kernel: Self::Kernel, _: Inside) -> InTurn {
        InTurn::ONE
    }

    /// HMAC of many messages, one behind the other in the order of the jobs.
    fn hmac_batch(
        kernel: Self::Kernel,
        keys: &[HmacKey<Self::State>],
        jobs: &[Job<'_>],
        tags: &mut [u8],
        inside: Inside,
    ) where
        Self: Sized,
    {
        let (tags, _) = Digest::<Self>::slice_as_chunks_mut(tags);
        for (job, tag) in jobs.iter().zip(tags) {
            Self::hmac(kernel, &keys[job.key], job.message, tag, inside);
        }
    }
}

/// The length field of the padding: the message length in bits, at the end of the last block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LengthField {
    /// 64 bits, big-endian: SHA-1, SHA-224, SHA-256.
    Be64,
    /// 128 bits, big-endian: SHA-384, SHA-512 and its truncations.
    Be128,
    /// 64 bits, little-endian: MD5.
    Le64,
}

impl LengthField {
    /// Width of the field in bytes.
    pub const fn len_bytes(self) -> usize {
        match self {
            Self::Be64 | Self::Le64 => 8,
            Self::Be128 => 16,
        }
    }

    #[inline(always)]
    fn write(self, field: &mut [u8], message_len_bytes: u64) {
        match self {
            Self::Be64 => field.copy_from_slice(&(message_len_bytes << 3).to_be_bytes()),
            Self::Be128 => {
                field.copy_from_slice(&(u128::from(message_len_bytes) << 3).to_be_bytes())
            }
            Self::Le64 => field.copy_from_slice(&(message_len_bytes << 3).to_le_bytes()),
        }
    }
}

/// Absorbs the last, incomplete block with its padding: FIPS 180-4 §5.1, RFC 1321 §3.1 and §3.2.
/// `tail` is shorter than a block; `message_len_bytes` counts everything absorbed since `INITIAL`.
#[inline(always)]
pub(crate) fn close<C: Compression>(
    kernel: C::Kernel,
    state: &mut C::State,
    tail: &[u8],
    message_len_bytes: u64,
) {
    let block_len = C::BlockSize::USIZE;
    let field_len = C::LENGTH_FIELD.len_bytes();
    let mut blocks = [Block::<C>::default(), Block::<C>::default()];
    let used = if tail.len() + 1 + field_len <= block_len { 1 } else { 2 };
    let padded = &mut Array::slice_as_flattened_mut(&mut blocks)[..used * block_len];
    padded[..tail.len()].copy_from_slice(tail);
    padded[tail.len()] = 0x80;
    let field_start = padded.len() - field_len;
    C::LENGTH_FIELD.write(&mut padded[field_start..], message_len_bytes);
    C::compress(kernel, state, &blocks[..used]);
}

/// Closes the inner hash, whose last bytes are `tail`, and hashes its digest under the outer state:
/// FIPS 198-1 §4 steps 6, 8 and 9. `running` is overwritten.
#[inline(always)]
pub(crate) fn close_hmac<C: Compression>(
    kernel: C::Kernel,
    running: &mut C::State,
    outer: &C::State,
    tail: &[u8],
    message_len_bytes: u64,
    tag: &mut Digest<C>,
) {
    let key_block_len = C::BlockSize::U64;
    close::<C>(kernel, running, tail, key_block_len + message_len_bytes);
    C::write_digest(running, tag);
    *running = *outer;
    close::<C>(kernel, running, tag, key_block_len + C::OutputSize::U64);
    C::write_digest(running, tag);
    overwrite(running, C::INITIAL);
}

/// Hashes a whole message that is in memory.
pub(crate) fn hash<C: Compression>(kernel: C::Kernel, message: &[u8]) -> Digest<C> {
    let mut state = C::INITIAL;
    let (blocks, tail) = Block::<C>::slice_as_chunks(message);
    C::compress(kernel, &mut state, blocks);
    close::<C>(kernel, &mut state, tail, message.len() as u64);
    let mut digest = Digest::<C>::default();
    C::write_digest(&state, &mut digest);
    digest
}

/// One row a hash: name, block length as a number and as a type, digest length, length field, the
/// module of its kernels.
macro_rules! compressions {
    ($($name:ident: $block_len:literal $block:ty, $output:ty, $field:ident,
       $kernels:ident;)*) => {$(
        impl Sealed for $name {}

        impl AlgorithmName for $name {
            fn write_alg_name(f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(stringify!($name))
            }
        }

        impl Compression for $name {
            type State = kernels::$kernels::State;
            type BlockSize = $block;
            type OutputSize = $output;
            type Kernel = kernels::$kernels::Kernel;
            const INITIAL: Self::State = <Self as Hash<$block_len>>::INITIAL;
            const LENGTH_FIELD: LengthField = LengthField::$field;

            #[inline(always)]
            fn compress(kernel: Self::Kernel, state: &mut Self::State, blocks: &[Block<Self>]) {
                let blocks = Array::cast_slice_to_core(blocks);
                HmacKernel::<Self, $block_len>::compress(kernel, state, blocks);
            }

            #[inline(always)]
            fn write_digest(state: &Self::State, digest: &mut Digest<Self>) {
                <Self as Hash<$block_len>>::write_digest(state, digest);
            }

            #[inline(always)]
            fn hmac_key(
                kernel: Self::Kernel,
                key: &[u8],
                states: &mut HmacKey<Self::State>,
                _: Inside,
            ) {
                HmacKernel::<Self, $block_len>::hmac_key(kernel, key, states);
            }

            #[inline(always)]
            fn hmac(
                kernel: Self::Kernel,
                key: &HmacKey<Self::State>,
                message: &[u8],
                tag: &mut Digest<Self>,
                _: Inside,
            ) {
                HmacKernel::<Self, $block_len>::hmac(kernel, key, message, tag);
            }

            #[inline(always)]
            fn hmac_once(
                kernel: Self::Kernel,
                key: &[u8],
                message: &[u8],
                tag: &mut Digest<Self>,
                _: Inside,
            ) {
                HmacKernel::<Self, $block_len>::hmac_once(kernel, key, message, tag);
            }

            #[inline(always)]
            fn hmac_keys(
                kernel: Self::Kernel,
                keys: &[&[u8]],
                states: &mut [HmacKey<Self::State>],
                _: Inside,
            ) {
                HmacKernel::<Self, $block_len>::hmac_keys(kernel, keys, states);
            }

            #[inline(always)]
            fn in_turn(kernel: Self::Kernel, _: Inside) -> InTurn {
                HmacKernel::<Self, $block_len>::in_turn(kernel)
            }

            #[inline(always)]
            fn hmac_batch(
                kernel: Self::Kernel,
                keys: &[HmacKey<Self::State>],
                jobs: &[Job<'_>],
                tags: &mut [u8],
                _: Inside,
            ) {
                HmacKernel::<Self, $block_len>::hmac_batch(kernel, keys, jobs, tags);
            }
        }
    )*};
}

#[cfg(feature = "md5")]
compressions! {
    Md5: 64 U64, U16, Le64, md5;
}

#[cfg(feature = "sha1")]
compressions! {
    Sha1: 64 U64, U20, Be64, sha1;
}

#[cfg(feature = "sha256")]
compressions! {
    Sha224: 64 U64, U28, Be64, sha256;
    Sha256: 64 U64, U32, Be64, sha256;
}

#[cfg(feature = "sha512")]
compressions! {
    Sha384: 128 U128, U48, Be128, sha512;
    Sha512: 128 U128, U64, Be128, sha512;
    Sha512_224: 128 U128, U28, Be128, sha512;
    Sha512_256: 128 U128, U32, Be128, sha512;
}

#[cfg(feature = "frame")]
compressions! {
    Sha256Frame: 64 U64, U32, Be64, sha256_frame;
}
