//! Hashes whose state after one block is kept: HMAC and keyed BLAKE2 are made of them.

use digest::array::{Array, ArraySize};

/// A hash as HMAC uses it: its state after one block is kept, and wiped when dropped.
pub trait AfterBlock: Clone + Send + Sync + 'static {
    /// Length of a block in bytes.
    type BlockSize: ArraySize;
    /// Length of the digest in bytes.
    type OutputSize: ArraySize;

    /// The state after this block.
    fn after_block(block: &Array<u8, Self::BlockSize>) -> Self;

    /// The digest of `data` alone.
    fn hash(data: &[u8]) -> Array<u8, Self::OutputSize>;

    /// The digest of the block and the message. One under way through `absorb` is not disturbed.
    fn digest_into(&self, message: &[u8], digest: &mut Array<u8, Self::OutputSize>);

    /// Takes the next piece of the message under way.
    fn absorb(&mut self, data: &[u8]);

    /// The digest of the block and the pieces taken.
    fn finish(&mut self, digest: &mut Array<u8, Self::OutputSize>);

    /// Drops the pieces taken.
    fn restart(&mut self);
}
