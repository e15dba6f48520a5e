//! SHA-256 where there are no SHA instructions but AVX-512: 16 messages in the 16 words of a
//! vector; one message in scalar code with BMI2.
#![expect(unsafe_code, reason = "intrinsics under a token, loads of vectors")]

use core::arch::x86_64::*;

use super::message::Blocks;
use super::soft::{self, Portable, quarters, sixteen_times};
use super::unit::{Task, Unit};
use super::{Block, Digest, State};
use crate::kernels::cpu::Avx512;
use crate::kernels::lanes::{self, Plan};
use crate::kernels::md_block::LengthOrder;
use crate::kernels::zmm::{Columns, ZmmLanes};

pub(crate) fn run<T: Task>(token: Avx512, task: T, message: &[u8], output: &mut T::Output) {
    // SAFETY: the token proves the features.
    unsafe { run_with(token, task, message, output) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn run_with<T: Task>(token: Avx512, task: T, message: &[u8], output: &mut T::Output) {
    *output = task.run(Scalar(token), message);
}

/// Portable code, compiled for a CPU with AVX-512.
#[derive(Clone, Copy)]
struct Scalar(Avx512);

impl Unit for Scalar {
    type Chain = State;
    type Words = [u32; 16];
    const STEP_MIN: usize = usize::MAX;
    const LANES_MIN: usize = 3;
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
    fn words(self, block: &Block) -> [u32; 16] {
        Portable.words(block)
    }

    #[inline(always)]
    fn tail(self, message: &[u8], mark: u8) -> [u32; 16] {
        Portable.tail(message, mark)
    }

    #[inline(always)]
    fn zero(self) -> [u32; 16] {
        Portable.zero()
    }

    #[inline(always)]
    fn xor_words(self, words: [u32; 16], constant: u32) -> [u32; 16] {
        Portable.xor_words(words, constant)
    }

    #[inline(always)]
    fn with_field(self, words: [u32; 16], field: u64) -> [u32; 16] {
        Portable.with_field(words, field)
    }

    #[inline(always)]
    fn digest_words(self, chain: State, count: usize) -> [u32; 16] {
        Portable.digest_words(chain, count)
    }

    #[inline(always)]
    fn one(self, chain: State, words: [u32; 16]) -> State {
        // SAFETY: the token proves the features.
        unsafe { compress(chain, words) }
    }

    #[inline(always)]
    fn two(self, chains: [State; 2], words: [[u32; 16]; 2]) -> [State; 2] {
        [self.one(chains[0], words[0]), self.one(chains[1], words[1])]
    }

    #[inline(always)]
    fn without_rounds(self, chain: State, words: [u32; 16]) -> State {
        Portable.without_rounds(chain, words)
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        lanes::drive::<_, _, 64, 16>(&mut Sixteen::new(self.0, Sha256Columns), plan);
    }
}

#[target_feature(enable = "bmi1,bmi2")]
fn compress(chain: State, words: [u32; 16]) -> State {
    soft::compress(chain, words)
}

/// 16 chains.
pub(crate) type Sixteen = ZmmLanes<Sha256Columns, 8, 1>;

/// One block in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Sha256Columns;

impl Columns<8> for Sha256Columns {
    const ORDER: LengthOrder = LengthOrder::Big;
    const ALONE: usize = 2;

    #[inline(always)]
    unsafe fn compress<const GROUPS: usize>(
        states: &mut [[__m512i; 8]; GROUPS],
        words: &mut [[__m512i; 16]; GROUPS],
    ) {
        for (chains, words) in states.iter_mut().zip(words) {
            compress_16(chains, words);
        }
    }

    fn absorb_one(&self, token: Avx512, state: &mut State, blocks: &[Block]) {
        run(token, Blocks { state }, blocks.as_flattened(), &mut ());
    }
}

const XOR: i32 = 0x96;
const CHOICE: i32 = 0xca;
const MAJORITY: i32 = 0xe8;

type Vectors<const N: usize> = [__m512i; N];

/// A block for each of 16 chains: FIPS 180-4 §6.2.2.
#[inline(always)]
fn compress_16(chains: &mut Vectors<8>, words: &mut Vectors<16>) {
    let mut working = *chains;
    let [first, others @ ..] = quarters();
    sixteen_times!(T => {
        working = round_16(working, words[T], first[T]);
    });
    for constants in others {
        sixteen_times!(T => {
            let [far, near] = [words[(T + 1) % 16], words[(T + 14) % 16]];
            words[T] = extended(words[T], far, words[(T + 9) % 16], near);
            working = round_16(working, words[T], constants[T]);
        });
    }
    for (chain, working) in chains.iter_mut().zip(working) {
        // SAFETY: only called under a token.
        *chain = unsafe { _mm512_add_epi32(*chain, working) };
    }
}

/// Wt from those of 16, 15, 7 and 2 rounds before.
#[inline(always)]
fn extended(oldest: __m512i, far: __m512i, middle: __m512i, near: __m512i) -> __m512i {
    // SAFETY: only called under a token.
    unsafe {
        let far = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<7>(far),
            _mm512_ror_epi32::<18>(far),
            _mm512_srli_epi32::<3>(far),
        );
        let near = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<17>(near),
            _mm512_ror_epi32::<19>(near),
            _mm512_srli_epi32::<10>(near),
        );
        _mm512_add_epi32(_mm512_add_epi32(oldest, middle), _mm512_add_epi32(far, near))
    }
}

/// One round.
#[inline(always)]
fn round_16([a, b, c, d, e, f, g, h]: Vectors<8>, word: __m512i, constant: u32) -> Vectors<8> {
    // SAFETY: only called under a token.
    unsafe {
        let input = _mm512_add_epi32(word, _mm512_set1_epi32(constant as i32));
        let sum_e = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<6>(e),
            _mm512_ror_epi32::<11>(e),
            _mm512_ror_epi32::<25>(e),
        );
        let choice = _mm512_ternarylogic_epi32::<CHOICE>(e, f, g);
        let t1 = _mm512_add_epi32(_mm512_add_epi32(h, input), _mm512_add_epi32(choice, sum_e));
        let sum_a = _mm512_ternarylogic_epi32::<XOR>(
            _mm512_ror_epi32::<2>(a),
            _mm512_ror_epi32::<13>(a),
            _mm512_ror_epi32::<22>(a),
        );
        let t2 = _mm512_add_epi32(sum_a, _mm512_ternarylogic_epi32::<MAJORITY>(a, b, c));
        [_mm512_add_epi32(t1, t2), a, b, c, _mm512_add_epi32(d, t1), e, f, g]
    }
}
