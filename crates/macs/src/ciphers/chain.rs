//! The CBC chain Yi = E_K(Xi ⊕ Yi−1), Y0 given (ISO/IEC 9797-1 §6): all that the MACs of the family
//! share. The loop runs inside the cipher's backend, that is in its `target_feature` region, by the
//! rank-2 closure of the `cipher` crate. Padding and the treatment of the last block are the MACs'.

use cipher::array::{Array, ArraySize};
use cipher::{Block, BlockCipherEncBackend, BlockCipherEncClosure, BlockSizeUser};
use digest::typenum::Unsigned;

use super::BlockCipher;

/// The chain over `head` and then `last`, from the value `y`, in one call of the backend. Two runs,
/// because a MAC's last block is its own while the others are the caller's.
pub(crate) struct Chain<'a, N: ArraySize> {
    pub(crate) y: &'a mut Array<u8, N>,
    pub(crate) head: &'a [Array<u8, N>],
    pub(crate) last: &'a [Array<u8, N>],
}

impl<N: ArraySize> BlockSizeUser for Chain<'_, N> {
    type BlockSize = N;
}

impl<N: ArraySize> BlockCipherEncClosure for Chain<'_, N> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = N>>(self, backend: &B) {
        // A local copy, so that the chaining value can stay in a register from block to block.
        let mut y = self.y.clone();
        for run in [self.head, self.last] {
            for block in run {
                xor(&mut y, block);
                backend.encrypt_block_inplace(&mut y);
            }
        }
        *self.y = y;
    }
}

/// One of many chains.
pub struct ChainJob<'a, C: BlockCipher> {
    /// The cipher under its key.
    pub cipher: &'a C,
    /// The first blocks.
    pub blocks: &'a [Block<C>],
    /// The last block.
    pub last: Option<Block<C>>,
}

/// The blocks of a message before its last, and the last, which is full if it can be.
#[inline(always)]
pub(crate) fn split_held<C: BlockCipher>(message: &[u8]) -> (&[Block<C>], &[u8]) {
    let block_len = C::BlockSize::USIZE;
    let (head, tail) = message.split_at(message.len().saturating_sub(1) / block_len * block_len);
    (Block::<C>::slice_as_chunks(head).0, tail)
}

/// XORs `mask` into `block`, by words: byte by byte the compiler takes a block apart that a cipher
/// holds in words. Every block is a whole number of them.
#[inline(always)]
pub(crate) fn xor<N: ArraySize>(block: &mut Array<u8, N>, mask: &Array<u8, N>) {
    for (word, mask) in block.as_chunks_mut().0.iter_mut().zip(mask.as_chunks().0) {
        *word = (u64::from_ne_bytes(*word) ^ u64::from_ne_bytes(*mask)).to_ne_bytes();
    }
}

/// `tail`, which is less than a block, with a one bit and then zeros: padding method 2 of ISO/IEC
/// 9797-1 §6.3.3, pad10* elsewhere.
#[inline(always)]
pub(crate) fn pad_with_one<N: ArraySize>(tail: &[u8]) -> Array<u8, N> {
    let mut last = Array::<u8, N>::default();
    last[..tail.len()].copy_from_slice(tail);
    last[tail.len()] = 0x80;
    last
}
