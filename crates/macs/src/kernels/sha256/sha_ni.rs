//! SHA-256 with the SHA instructions of x86-64: two rounds take 4 cycles in one chain, so that a
//! block takes 128 whatever else is done, and up to four chains fit side by side.
//!
//! All three begin with `vzeroupper`, and take every vector register so that nothing is lost by it:
//! these instructions have no VEX encoding, and since Golden Cove (measured on a Sapphire Rapids)
//! each change between VEX and legacy encoding costs 100 ns while the upper half of a register is
//! in use. The compiler, which may copy by 256 bits around them, cannot know.
#![expect(unsafe_code, reason = "intrinsics under a token, loads and stores of vectors")]

mod four;
mod rounds;

use core::arch::x86_64::*;

use super::unit::{FourStreams, Fours, Task, Unit};
use super::{Block, Digest, State};
use crate::kernels::by_place;
use crate::kernels::cpu::ShaNi;
use crate::kernels::lanes::{self, Plan};
use crate::kernels::md_block::tail;

pub(crate) fn run<T: Task>(token: ShaNi, task: T, message: &[u8], output: &mut T::Output) {
    // SAFETY: the token proves the features.
    unsafe { run_with(token, task, message, output) }
}

#[target_feature(enable = "sha,avx,sse4.1,ssse3")]
fn run_with<T: Task>(token: ShaNi, task: T, message: &[u8], output: &mut T::Output) {
    *output = task.run(token, message);
}

/// The same, whatever the compiler thinks of it. Like all that is to stay apart here, it is not
/// compiled for these instructions itself: `inline(never)` holds for functions that are only where
/// those are called that have the same, and here all are called through others.
#[inline(never)]
fn run_apart<T: Task>(token: ShaNi, task: T, message: &[u8]) -> T::Output {
    // SAFETY: the token proves the features.
    unsafe { output_with(token, task, message) }
}

#[target_feature(enable = "sha,avx,sse4.1,ssse3")]
fn output_with<T: Task>(token: ShaNi, task: T, message: &[u8]) -> T::Output {
    task.run(token, message)
}

/// A chaining value as the instructions want it, from the highest word down.
#[derive(Clone, Copy)]
pub(crate) struct Chain {
    abef: __m128i,
    cdgh: __m128i,
}

/// The words of a block, the first of each four lowest.
pub(crate) type Words = [__m128i; 4];

/// The bytes of four words, each the other way round.
#[inline(always)]
fn swap(vector: __m128i) -> __m128i {
    // SAFETY: only called under a token.
    unsafe {
        let order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
        _mm_shuffle_epi8(vector, order)
    }
}

/// Of all words of a block. By `map` it would be a call now and then.
#[inline(always)]
fn swap_all([a, b, c, d]: [__m128i; 4]) -> Words {
    [swap(a), swap(b), swap(c), swap(d)]
}

#[inline(always)]
fn load<const N: usize, T: Copy>(source: &[T; N]) -> [__m128i; 2] {
    const { assert!(size_of::<[T; N]>() == 32) };
    let source = source.as_ptr().cast::<__m128i>();
    // SAFETY: two vectors lie there, of any alignment.
    unsafe { [_mm_loadu_si128(source), _mm_loadu_si128(source.add(1))] }
}

#[inline(always)]
fn from_vectors([abcd, efgh]: [__m128i; 2]) -> Chain {
    // SAFETY: only called under a token.
    unsafe {
        let cdab = _mm_shuffle_epi32(abcd, 0xb1);
        let hgfe = _mm_shuffle_epi32(efgh, 0x1b);
        Chain { abef: _mm_alignr_epi8(cdab, hgfe, 8), cdgh: _mm_blend_epi16(hgfe, cdab, 0xf0) }
    }
}

#[inline(always)]
fn to_vectors(chain: Chain) -> [__m128i; 2] {
    // SAFETY: only called under a token.
    unsafe {
        let feba = _mm_shuffle_epi32(chain.abef, 0x1b);
        let dchg = _mm_shuffle_epi32(chain.cdgh, 0xb1);
        [_mm_blend_epi16(feba, dchg, 0xf0), _mm_alignr_epi8(dchg, feba, 8)]
    }
}

impl Unit for ShaNi {
    type Chain = Chain;
    type Words = Words;
    const STEP_MIN: usize = 2;
    const LANES_MIN: usize = 4;
    const SETS_UP_BY_TWO: bool = true;

    #[inline(always)]
    fn chain(self, state: &State) -> Chain {
        from_vectors(load(state))
    }

    #[inline(always)]
    fn state(self, chain: Chain) -> State {
        // SAFETY: both are 32 bytes without invalid values.
        unsafe { core::mem::transmute::<[__m128i; 2], State>(to_vectors(chain)) }
    }

    #[inline(always)]
    fn digest(self, chain: Chain) -> Digest {
        let [first, last] = to_vectors(chain);
        // SAFETY: both are 32 bytes without invalid values.
        unsafe { core::mem::transmute::<[__m128i; 2], Digest>([swap(first), swap(last)]) }
    }

    #[inline(always)]
    fn xor_chain(self, chain: Chain, constant: u32) -> Chain {
        let [abef, cdgh] = xor([chain.abef, chain.cdgh], constant);
        Chain { abef, cdgh }
    }

    #[inline(always)]
    fn words(self, block: &Block) -> Words {
        swap_all(tail::vectors(block))
    }

    #[inline(always)]
    fn tail(self, message: &[u8], mark: u8) -> Words {
        swap_all(tail::marked(message, mark))
    }

    #[inline(always)]
    fn zero(self) -> Words {
        // SAFETY: SSE2 is part of x86-64.
        [unsafe { _mm_setzero_si128() }; 4]
    }

    #[inline(always)]
    fn xor_words(self, words: Words, constant: u32) -> Words {
        xor(words, constant)
    }

    #[inline(always)]
    fn with_field(self, mut words: Words, field: u64) -> Words {
        // SAFETY: SSE2 is part of x86-64.
        let field = unsafe { _mm_set_epi64x(field.rotate_right(32) as i64, 0) };
        // SAFETY: SSE2 is part of x86-64.
        words[3] = unsafe { _mm_or_si128(words[3], field) };
        words
    }

    #[inline(always)]
    fn digest_words(self, chain: Chain, count: usize) -> Words {
        let [abcd, mut efgh] = to_vectors(chain);
        // SAFETY: only called under a token.
        unsafe {
            let mark = _mm_set_epi32(0, 0, 0, i32::MIN);
            let len_bits = _mm_set_epi32(512 + 32 * count as i32, 0, 0, 0);
            if count == 8 {
                return [abcd, efgh, mark, len_bits];
            }
            efgh = _mm_insert_epi32(efgh, i32::MIN, 3);
            [abcd, efgh, _mm_setzero_si128(), len_bits]
        }
    }

    #[inline(always)]
    fn one(self, chain: Chain, words: Words) -> Chain {
        rounds::one(self, chain, words)
    }

    #[inline(always)]
    fn two(self, chains: [Chain; 2], words: [Words; 2]) -> [Chain; 2] {
        rounds::two(self, chains, words)
    }

    #[inline(always)]
    fn without_rounds(self, chain: Chain, words: Words) -> Chain {
        rounds::none(self, chain, words)
    }

    #[inline(always)]
    fn four(self, chains: [Chain; 4], mut words: [Words; 4]) -> [Chain; 4] {
        four::four(self, chains, &mut words)
    }

    #[inline(never)]
    fn step_four(self, chains: &mut [Chain; 4], words: &mut [Words; 4]) {
        // SAFETY: the token proves the features.
        unsafe { four::step_four(self, chains, words) }
    }

    #[inline(always)]
    fn absorb_four(self, chains: &mut [Chain; 4], runs: [&[Block]; 4]) {
        // SAFETY: the token proves the features.
        unsafe { four::absorb_four(self, chains, runs) }
    }

    #[inline(always)]
    fn absorb_two(self, chains: &mut [Chain; 2], runs: [&[Block]; 2]) {
        // SAFETY: the token proves the features.
        unsafe { rounds::absorb_two(self, chains, runs) }
    }

    #[inline(always)]
    fn apart<T: Task>(self, task: T, message: &[u8]) -> T::Output {
        run_apart(self, task, message)
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        lanes::drive::<_, _, 64, 4>(&mut Fours::<_, 1>::new(self), plan);
    }
}

impl FourStreams for ShaNi {
    #[inline(always)]
    fn close(message: &[u8], field: [u8; 8], blocks: &mut [Block; 2]) -> usize {
        tail::close(message, field, blocks)
    }

    #[inline(always)]
    fn absorb_one(self, chain: &mut Chain, run: &[Block]) {
        // SAFETY: the token proves the features.
        unsafe { rounds::absorb_one(self, chain, run) }
    }
}

#[inline(always)]
fn xor<const N: usize>(vectors: [__m128i; N], constant: u32) -> [__m128i; N] {
    by_place(vectors[0], |at| {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { _mm_xor_si128(vectors[at], _mm_set1_epi32(constant as i32)) }
    })
}
