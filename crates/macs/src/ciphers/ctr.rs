//! Counter mode: SP 800-38A §6.5. The counter is big-endian and as wide as the mode says; it wraps
//! within its own bits. The loop runs inside the cipher's backend, as many blocks at a time as the
//! backend takes.

use cipher::array::{Array, ArraySize};
use cipher::inout::InOutBuf;
use cipher::typenum::Unsigned;
use cipher::{
    Block, BlockCipherEncBackend, BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser,
    ParBlocks,
};

use crate::ciphers::chain::xor;

/// The counter takes the whole block, whatever its length (up to 128 bits).
pub(crate) const WHOLE_BLOCK: u32 = 128;

/// The counter takes the first 32 bits, little-endian (RFC 8452 §4), of blocks of 128 bits.
pub(crate) const LITTLE_ENDIAN: u32 = 8452;

/// XORs the keystream of the counter blocks that begin with `first` into `head` and then `data`, in
/// one call of the backend; data is copied first to where it goes. Two runs, because modes keep the
/// first block for the tag.
#[inline(always)]
pub(crate) fn apply<const COUNTER_BITS: u32, C: BlockCipherEncrypt>(
    cipher: &C,
    first: &Block<C>,
    head: &mut [Block<C>],
    data: InOutBuf<'_, '_, u8>,
) {
    let data = data.into_out_with_copied_in();
    let counter = Counter::<COUNTER_BITS>::new(first);
    cipher.encrypt_with_backend(Keystream { counter, head, data });
}

/// The counter block this many blocks after `first`.
#[inline(always)]
pub(crate) fn after<const COUNTER_BITS: u32, N: ArraySize>(
    first: &Array<u8, N>,
    blocks: u64,
) -> Array<u8, N> {
    Counter::<COUNTER_BITS>::new(first).plus(blocks).block()
}

/// A counter block as a number, in two halves: the compiler makes vector code of 64-bit additions.
struct Counter<const BITS: u32> {
    high: u64,
    low: u64,
}

impl<const BITS: u32> Counter<BITS> {
    #[inline(always)]
    fn new(block: &[u8]) -> Self {
        if BITS == LITTLE_ENDIAN {
            let (low, high) = block.split_at(8);
            let number = |bytes: &[u8]| bytes.iter().rfold(0, |n, &byte| n << 8 | u64::from(byte));
            return Self { high: number(high), low: number(low) };
        }
        let (high, low) = block.split_at(block.len() - 8);
        let number = |bytes: &[u8]| bytes.iter().fold(0, |n, &byte| n << 8 | u64::from(byte));
        Self { high: number(high), low: number(low) }
    }

    /// This many blocks on.
    #[inline(always)]
    fn plus(&self, blocks: u64) -> Self {
        if BITS != WHOLE_BLOCK {
            let counted = (self.low as u32).wrapping_add(blocks as u32);
            return Self { high: self.high, low: self.low >> 32 << 32 | u64::from(counted) };
        }
        let low = self.low.wrapping_add(blocks);
        Self { high: self.high.wrapping_add(u64::from(low < blocks)), low }
    }

    #[inline(always)]
    fn block<N: ArraySize>(&self) -> Array<u8, N> {
        let mut block = Array::default();
        if BITS == LITTLE_ENDIAN {
            block[..8].copy_from_slice(&self.low.to_le_bytes());
            block[8..].copy_from_slice(&self.high.to_le_bytes());
            return block;
        }
        block[..N::USIZE - 8].copy_from_slice(&self.high.to_be_bytes()[16 - N::USIZE..]);
        block[N::USIZE - 8..].copy_from_slice(&self.low.to_be_bytes());
        block
    }
}

struct Keystream<'a, const BITS: u32, N: ArraySize> {
    counter: Counter<BITS>,
    head: &'a mut [Array<u8, N>],
    data: &'a mut [u8],
}

impl<const BITS: u32, N: ArraySize> BlockSizeUser for Keystream<'_, BITS, N> {
    type BlockSize = N;
}

impl<const BITS: u32, N: ArraySize> BlockCipherEncClosure for Keystream<'_, BITS, N> {
    #[inline(always)]
    fn call<B: BlockCipherEncBackend<BlockSize = N>>(self, backend: &B) {
        let Self { mut counter, head, data } = self;
        let one = |counter: &mut Counter<BITS>| {
            let mut block: Array<u8, N> = counter.block();
            *counter = counter.plus(1);
            backend.encrypt_block_inplace(&mut block);
            block
        };
        for block in head {
            xor(block, &one(&mut counter));
        }
        let (blocks, tail) = Array::<u8, N>::slice_as_chunks_mut(data);
        let (runs, rest) = ParBlocks::<B>::slice_as_chunks_mut(blocks);
        for run in runs {
            // Two buffers: encrypting one in place takes more than twice as long on AVX-512.
            let (mut counters, mut keystream) = (ParBlocks::<B>::default(), Default::default());
            for (block, i) in counters.iter_mut().zip(0..) {
                *block = counter.plus(i).block();
            }
            counter = counter.plus(B::ParBlocksSize::U64);
            backend.encrypt_par_blocks((&counters, &mut keystream).into());
            run.iter_mut().zip(&keystream).for_each(|(block, mask)| xor(block, mask));
        }
        for block in rest {
            xor(block, &one(&mut counter));
        }
        if !tail.is_empty() {
            tail.iter_mut().zip(one(&mut counter)).for_each(|(byte, mask)| *byte ^= mask);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks_on<const BITS: u32>(first: u128, blocks: u64) -> u128 {
        let counter = Counter::<BITS>::new(&first.to_be_bytes()).plus(blocks);
        u128::from_be_bytes(counter.block::<cipher::consts::U16>().0)
    }

    #[test]
    fn the_counter_wraps_within_its_own_bits() {
        assert_eq!(blocks_on::<WHOLE_BLOCK>(u128::MAX, 1), 0);
        assert_eq!(blocks_on::<WHOLE_BLOCK>((7 << 64) - 1, 3), (7 << 64) + 2);
        assert_eq!(blocks_on::<32>(u128::MAX, 2), u128::MAX - u128::from(u32::MAX) + 1);
        let little = Counter::<LITTLE_ENDIAN>::new(&u128::MAX.to_le_bytes()).plus(2);
        let expected = (u128::MAX << 32 | 1).to_le_bytes();
        assert_eq!(little.block::<cipher::consts::U16>().0, expected);
        let narrow = Counter::<WHOLE_BLOCK>::new(&[0xff; 8]).plus(2);
        assert_eq!(narrow.block::<cipher::consts::U8>().0, 1_u64.to_be_bytes());
    }
}
