//! SHA-256 where there are no SHA instructions: one message in general registers with BMI2, many in
//! the lanes of the CPU's vectors.
#![expect(unsafe_code, reason = "vectors that are bytes")]

use core::arch::x86_64::*;
use core::mem::transmute;
use core::slice;

use super::soft::{self, Portable};
use super::unit::Unit;
use super::{BLOCK_LEN, Block, Digest, State, rorx};
use crate::kernels::by_place;
use crate::kernels::cpu::Avx2;
use crate::kernels::lanes::Plan;
use crate::kernels::md_block::tail;
use crate::wipe::overwrite;

/// A token of vectors; it proves AVX2, BMI1 and BMI2 as well.
pub(super) trait Wide: Copy {
    /// As of `Unit`.
    const LANES_MIN: usize;

    /// What it proves as well.
    fn avx2(self) -> Avx2;

    /// Carries a plan out in the vectors' lanes.
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P);
}

/// General registers, and lanes.
#[derive(Clone, Copy)]
pub(super) struct Scalar<V>(pub(super) V);

/// The bytes of a block.
type Bytes = [__m128i; 4];

#[inline(always)]
fn block(bytes: Bytes) -> Block {
    // SAFETY: a block is four vectors, without invalid values.
    unsafe { transmute::<Bytes, Block>(bytes) }
}

impl<V: Wide> Unit for Scalar<V> {
    type Chain = State;
    type Words = Bytes;
    const STEP_MIN: usize = usize::MAX;
    const LANES_MIN: usize = V::LANES_MIN;
    const SETS_UP_BY_TWO: bool = false;

    #[inline(always)]
    fn chain(self, state: &State) -> State {
        *state
    }

    #[inline(always)]
    fn state(self, chain: State) -> State {
        chain
    }

    #[inline(always)]
    fn digest(self, chain: State) -> Digest {
        Portable.digest(chain)
    }

    #[inline(always)]
    fn xor_chain(self, chain: State, constant: u32) -> State {
        Portable.xor_chain(chain, constant)
    }

    #[inline(always)]
    fn words(self, block: &Block) -> Bytes {
        tail::vectors(block)
    }

    #[inline(always)]
    fn tail(self, message: &[u8], mark: u8) -> Bytes {
        tail::marked(message, mark)
    }

    #[inline(always)]
    fn zero(self) -> Bytes {
        // SAFETY: SSE2 is part of x86-64.
        [unsafe { _mm_setzero_si128() }; 4]
    }

    #[inline(always)]
    fn xor_words(self, words: Bytes, constant: u32) -> Bytes {
        let constant = constant.swap_bytes() as i32;
        // SAFETY: SSE2 is part of x86-64.
        by_place(words[0], |i| unsafe { _mm_xor_si128(words[i], _mm_set1_epi32(constant)) })
    }

    #[inline(always)]
    fn with_field(self, mut words: Bytes, field: u64) -> Bytes {
        // SAFETY: SSE2 is part of x86-64.
        words[3] =
            unsafe { _mm_or_si128(words[3], _mm_set_epi64x(field.swap_bytes().cast_signed(), 0)) };
        words
    }

    #[inline(always)]
    fn digest_words(self, chain: State, count: usize) -> Bytes {
        let mut words = [0; 16];
        words[..count].copy_from_slice(&chain[..count]);
        words[count] = 0x80000000;
        words[15] = 8 * (BLOCK_LEN + 4 * count) as u32;
        // SAFETY: both are 64 bytes without invalid values.
        unsafe { transmute::<[u32; 16], Bytes>(by_place(0, |at| words[at].to_be())) }
    }

    #[inline(always)]
    fn one(self, mut chain: State, words: Bytes) -> State {
        let mut block = block(words);
        rorx::compress(self.0.avx2(), &mut chain, slice::from_ref(&block));
        overwrite(&mut block, [0; 64]);
        chain
    }

    #[inline(always)]
    fn two(self, mut chains: [State; 2], words: [Bytes; 2]) -> [State; 2] {
        let mut blocks = [block(words[0]), block(words[1])];
        rorx::compress_pair(self.0.avx2(), chains.each_mut(), blocks.each_ref());
        overwrite(&mut blocks, [[0; 64]; 2]);
        chains
    }

    #[inline(always)]
    fn absorb(self, mut chain: State, blocks: &[Block]) -> State {
        if !blocks.is_empty() {
            rorx::compress(self.0.avx2(), &mut chain, blocks);
        }
        chain
    }

    #[inline(always)]
    fn absorb_all(self, mut chain: State, message: &[u8], before: usize) -> State {
        let field = (before as u64 + message.len() as u64) << 3;
        tail::absorb_by_two(message, field.to_be_bytes(), |blocks| {
            rorx::compress(self.0.avx2(), &mut chain, blocks);
        });
        chain
    }

    #[inline(always)]
    fn without_rounds(self, chain: State, words: Bytes) -> State {
        soft::without_rounds(chain, Portable.words(&block(words)))
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        self.0.drive(plan);
    }
}
