//! CBC, the mode of encryption: SP 800-38A §6.2, on whole blocks in place. The loops run inside the
//! cipher's backend.

use cipher::array::{Array, ArraySize};
use cipher::{
    Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherDecrypt, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, ParBlocks,
};

use super::chain::xor;

/// Encrypts the blocks after this initialization vector.
pub(crate) fn encrypt<C: BlockCipherEncrypt>(cipher: &C, iv: &Block<C>, blocks: &mut [Block<C>]) {
    cipher.encrypt_with_backend(Blocks { before: iv.clone(), blocks });
}

/// Decrypts the blocks after this initialization vector, as many at a time as the backend takes.
pub(crate) fn decrypt<C: BlockCipherDecrypt>(cipher: &C, iv: &Block<C>, blocks: &mut [Block<C>]) {
    cipher.decrypt_with_backend(Blocks { before: iv.clone(), blocks });
}

/// Blocks, and the ciphertext before them.
struct Blocks<'a, N: ArraySize> {
    before: Array<u8, N>,
    blocks: &'a mut [Array<u8, N>],
}

impl<N: ArraySize> BlockSizeUser for Blocks<'_, N> {
    type BlockSize = N;
}

impl<N: ArraySize> BlockCipherEncClosure for Blocks<'_, N> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = N>>(self, backend: &B) {
        let Self { mut before, blocks } = self;
        for block in blocks {
            xor(&mut before, block);
            backend.encrypt_block_inplace(&mut before);
            block.clone_from(&before);
        }
    }
}

impl<N: ArraySize> BlockCipherDecClosure for Blocks<'_, N> {
    #[inline(always)]
    fn call<B: BlockCipherDecBackend<BlockSize = N>>(self, backend: &B) {
        let Self { mut before, blocks } = self;
        let mut add = |blocks: &mut [Array<u8, N>], ciphertext: &[Array<u8, N>]| {
            for (block, next) in blocks.iter_mut().zip(ciphertext) {
                xor(block, &before);
                before.clone_from(next);
            }
        };
        let (runs, rest) = ParBlocks::<B>::slice_as_chunks_mut(blocks);
        for run in runs {
            let ciphertext = run.clone();
            backend.decrypt_par_blocks_inplace(run);
            add(run, &ciphertext);
        }
        for block in rest {
            let ciphertext = [block.clone()];
            backend.decrypt_block_inplace(block);
            add(core::slice::from_mut(block), &ciphertext);
        }
    }
}
