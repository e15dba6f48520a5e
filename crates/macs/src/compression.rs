//! Compression functions of the MD family, and the padding that makes hashes of them.
//! FIPS 180-4 (SHA-1, SHA-2), RFC 1321 (MD5). The block functions are RustCrypto's; what is ours is
//! one trait that hands over whole runs of blocks, so that the loop stays inside the kernel.
//! HMAC is built on it; so is any MAC that keys a compression function directly.

use digest::array::{Array, ArraySize};
use digest::consts::{U16, U20, U28, U32, U48, U64, U128};
use digest::typenum::Unsigned;

use crate::kernels::{Choice, OnlySoft};

/// A block of the compression function `C`.
pub type Block<C> = Array<u8, <C as Compression>::BlockSize>;

/// A digest of the hash function built on `C`.
pub type Digest<C> = Array<u8, <C as Compression>::OutputSize>;

/// A compression function with what turns it into a hash: initial value, length field, output.
pub trait Compression: 'static {
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
}

/// The length field of the padding: the message length in bits, at the end of the last block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// One row a hash: name, words of the chaining value, block and digest length, length field, how a
/// word becomes bytes, block function, initial value.
macro_rules! compressions {
    ($($(#[$doc:meta])* $name:ident: [$word:ty; $words:literal], $block:ty, $output:ty,
       $field:ident, $to_bytes:ident, $compress:path, $initial:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Compression for $name {
            type State = [$word; $words];
            type BlockSize = $block;
            type OutputSize = $output;
            type Kernel = OnlySoft;
            const INITIAL: Self::State = $initial;
            const LENGTH_FIELD: LengthField = LengthField::$field;

            #[inline(always)]
            fn compress(_: Self::Kernel, state: &mut Self::State, blocks: &[Block<Self>]) {
                $compress(state, Array::cast_slice_to_core(blocks));
            }

            #[inline(always)]
            fn write_digest(state: &Self::State, digest: &mut Digest<Self>) {
                // The last word may be cut: SHA-512/224 ends in the middle of one.
                for (bytes, word) in digest.chunks_mut(size_of::<$word>()).zip(state) {
                    bytes.copy_from_slice(&word.$to_bytes()[..bytes.len()]);
                }
            }
        }
    )*};
}

compressions! {
    /// MD5 (RFC 1321).
    Md5: [u32; 4], U64, U16, Le64, to_le_bytes, md5::block_api::compress, MD5_INITIAL;
    /// SHA-1 (FIPS 180-4 §6.1).
    Sha1: [u32; 5], U64, U20, Be64, to_be_bytes, sha1::block_api::compress, SHA1_INITIAL;
    /// SHA-224 (FIPS 180-4 §6.3).
    Sha224: [u32; 8], U64, U28, Be64, to_be_bytes, sha2::block_api::compress256, SHA224_INITIAL;
    /// SHA-256 (FIPS 180-4 §6.2).
    Sha256: [u32; 8], U64, U32, Be64, to_be_bytes, sha2::block_api::compress256, SHA256_INITIAL;
    /// SHA-384 (FIPS 180-4 §6.5).
    Sha384: [u64; 8], U128, U48, Be128, to_be_bytes, sha2::block_api::compress512, SHA384_INITIAL;
    /// SHA-512 (FIPS 180-4 §6.4).
    Sha512: [u64; 8], U128, U64, Be128, to_be_bytes, sha2::block_api::compress512, SHA512_INITIAL;
    /// SHA-512/224 (FIPS 180-4 §6.6).
    Sha512_224: [u64; 8], U128, U28, Be128, to_be_bytes, sha2::block_api::compress512,
        SHA512_224_INITIAL;
    /// SHA-512/256 (FIPS 180-4 §6.7).
    Sha512_256: [u64; 8], U128, U32, Be128, to_be_bytes, sha2::block_api::compress512,
        SHA512_256_INITIAL;
}

/// RFC 1321 §3.3.
const MD5_INITIAL: [u32; 4] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];

/// FIPS 180-4 §5.3.1.
const SHA1_INITIAL: [u32; 5] = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];

/// FIPS 180-4 §5.3.2.
const SHA224_INITIAL: [u32; 8] = [
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
];

/// FIPS 180-4 §5.3.3.
const SHA256_INITIAL: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// FIPS 180-4 §5.3.4.
const SHA384_INITIAL: [u64; 8] = [
    0xcbbb9d5dc1059ed8,
    0x629a292a367cd507,
    0x9159015a3070dd17,
    0x152fecd8f70e5939,
    0x67332667ffc00b31,
    0x8eb44a8768581511,
    0xdb0c2e0d64f98fa7,
    0x47b5481dbefa4fa4,
];

/// FIPS 180-4 §5.3.5.
const SHA512_INITIAL: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];

/// FIPS 180-4 §5.3.6.1.
const SHA512_224_INITIAL: [u64; 8] = [
    0x8c3d37c819544da2,
    0x73e1996689dcd4d6,
    0x1dfab7ae32ff9c82,
    0x679dd514582f9fcf,
    0x0f6d2b697bd44da8,
    0x77e36f7304c48942,
    0x3f9d85a86a1d36c8,
    0x1112e6ad91d692a1,
];

/// FIPS 180-4 §5.3.6.2.
const SHA512_256_INITIAL: [u64; 8] = [
    0x22312194fc2bf72c,
    0x9f555fa3c84c64c2,
    0x2393b86b6f53b151,
    0x963877195940eabd,
    0x96283ee2a88effe3,
    0xbe5e1e2553863992,
    0x2b0199fc2c85b8aa,
    0x0eb72ddc81c52ca2,
];
