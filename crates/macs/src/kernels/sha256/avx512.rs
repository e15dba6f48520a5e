//! SHA-256 where there are no SHA instructions but AVX-512: 16 messages in the 16 words of a
//! vector; one message in scalar code with BMI2.
#![expect(unsafe_code, reason = "intrinsics under a token, loads of vectors")]

use core::arch::x86_64::*;

use super::soft::{self, Portable, quarters, sixteen_times};
use super::unit::{Task, Unit};
use super::{Block, Digest, State, message};
use crate::kernels::cpu::Avx512;
use crate::kernels::lanes::{self, Lanes, Plan};

pub(crate) fn run<T: Task>(token: Avx512, task: T, message: &[u8]) -> T::Output {
    // SAFETY: the token proves the features.
    unsafe { run_with(token, task, message) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
fn run_with<T: Task>(token: Avx512, task: T, message: &[u8]) -> T::Output {
    task.run(Scalar(token), message)
}

/// Portable code, compiled for a CPU with AVX-512.
#[derive(Clone, Copy)]
struct Scalar(Avx512);

impl Unit for Scalar {
    type Chain = State;
    type Words = [u32; 16];
    const BATCH_MIN: usize = 3;
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
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        let mut lanes = Sixteen { token: self.0, words: Columns([[0; 16]; 8]) };
        lanes::drive::<_, _, 64, 16>(&mut lanes, plan);
    }
}

#[target_feature(enable = "bmi1,bmi2")]
fn compress(chain: State, words: [u32; 16]) -> State {
    soft::compress(chain, words)
}

/// One word of 16 chaining values after the other.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Columns([[u32; 16]; 8]);

/// 16 chains.
struct Sixteen {
    token: Avx512,
    words: Columns,
}

impl Lanes for Sixteen {
    type State = State;
    type Block = Block;
    const LANES: usize = 16;

    #[inline(always)]
    fn put(&mut self, lane: usize, state: &State) {
        for (column, word) in self.words.0.iter_mut().zip(state) {
            column[lane] = *word;
        }
    }

    #[inline(always)]
    fn take(&self, lane: usize) -> State {
        self.words.0.map(|column| column[lane])
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &[&[Block]]) {
        if let Some(runs) = runs.first_chunk() {
            // SAFETY: the token proves the features.
            unsafe { absorb(&mut self.words, runs) };
        }
    }

    /// Two chains are quicker alone.
    #[inline(always)]
    fn absorb_first(&mut self, active: usize, runs: &[&[Block]]) {
        if active > 2 {
            return self.absorb(runs);
        }
        for (lane, run) in runs[..active].iter().enumerate() {
            let state = message::absorb(Scalar(self.token), self.take(lane), run);
            self.put(lane, &state);
        }
    }
}

type Vectors<const N: usize> = [__m512i; N];

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn absorb(words: &mut Columns, runs: &[&[Block]; 16]) {
    // SAFETY: both are 8 vectors of 64 bytes without invalid values.
    let mut chains: Vectors<8> = unsafe { core::mem::transmute(*words) };
    let count = runs.iter().map(|run| run.len()).min().unwrap_or(0);
    for index in 0..count {
        compress_16(&mut chains, transposed(runs, index));
    }
    // SAFETY: as above.
    *words = unsafe { core::mem::transmute::<Vectors<8>, Columns>(chains) };
}

/// Word t of the block `index` of all runs, for all t. `index` is below the length of every run.
#[inline(always)]
fn transposed(runs: &[&[Block]; 16], index: usize) -> Vectors<16> {
    let rows = runs.map(|run| {
        let block = &run[index];
        // SAFETY: a block is 64 bytes; only called under a token.
        unsafe {
            let order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
            let order = _mm512_broadcast_i32x4(order);
            _mm512_shuffle_epi8(_mm512_loadu_si512(block.as_ptr().cast()), order)
        }
    });
    // SAFETY: only called under a token.
    unsafe {
        let (mut pairs, mut fours) = (rows, rows);
        for i in (0..16).step_by(2) {
            pairs[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
            pairs[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
        }
        for i in (0..16).step_by(4) {
            fours[i] = _mm512_unpacklo_epi64(pairs[i], pairs[i + 2]);
            fours[i + 1] = _mm512_unpackhi_epi64(pairs[i], pairs[i + 2]);
            fours[i + 2] = _mm512_unpacklo_epi64(pairs[i + 1], pairs[i + 3]);
            fours[i + 3] = _mm512_unpackhi_epi64(pairs[i + 1], pairs[i + 3]);
        }
        // Now fours[4 * i + j] has, of rows 4i to 4i + 3, the columns j, j + 4, j + 8 and j + 12.
        let mut columns = fours;
        for j in 0..4 {
            let even = _mm512_shuffle_i32x4(fours[j], fours[4 + j], 0x88);
            let odd = _mm512_shuffle_i32x4(fours[j], fours[4 + j], 0xdd);
            let even_2 = _mm512_shuffle_i32x4(fours[8 + j], fours[12 + j], 0x88);
            let odd_2 = _mm512_shuffle_i32x4(fours[8 + j], fours[12 + j], 0xdd);
            columns[j] = _mm512_shuffle_i32x4(even, even_2, 0x88);
            columns[4 + j] = _mm512_shuffle_i32x4(odd, odd_2, 0x88);
            columns[8 + j] = _mm512_shuffle_i32x4(even, even_2, 0xdd);
            columns[12 + j] = _mm512_shuffle_i32x4(odd, odd_2, 0xdd);
        }
        columns
    }
}

const XOR: i32 = 0x96;
const CHOICE: i32 = 0xca;
const MAJORITY: i32 = 0xe8;

/// A block for each of 16 chains: FIPS 180-4 §6.2.2.
#[inline(always)]
fn compress_16(chains: &mut Vectors<8>, mut words: Vectors<16>) {
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
