//! Eight nodes in columns of 256 bits; up to four in rows.
#![expect(unsafe_code, reason = "instructions that the token proves; loads and stores of vectors")]

#[cfg(not(miri))]
use core::arch::asm;
use core::arch::x86_64::*;
#[cfg(not(miri))]
use core::ptr;

#[cfg(not(miri))]
use super::eight;
use super::form::{self, Form};
use super::lanes::{Lanes, Words};
use super::rows::{self, Row, Rows, TwiceTwo};
use super::vector::Vector;
use super::xmm::{Xmm, put, quarter_of, rotation};
use super::{Block, Input, Key, Node, Value};
use crate::kernels::cpu::Avx2;
use crate::kernels::md_block::tail;

/// As `Kernel::values`.
pub(super) fn values(token: Avx2, inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::in_groups(8, inputs, values, |inputs, values| match (inputs, &mut *values) {
        ([input], [output]) => value(token, *input, node, output),
        // SAFETY: the token proves the instructions of the function for two.
        ([_, _], _) => unsafe { two(inputs, node, values) },
        // SAFETY: the token proves the instructions of the function for four.
        ([_, _, _] | [_, _, _, _], _) => unsafe { four(inputs, node, values) },
        // SAFETY: the token proves the instructions of the function for eight.
        _ => unsafe { eight(inputs, node, values) },
    });
}

/// As `Kernel::value`.
#[inline]
pub(super) fn value(_: Avx2, input: Input<'_>, node: Node, value: &mut Value) {
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn on_cpu(input: Input<'_>, node: Node, value: &mut Value) {
        rows::value::<Xmm>(input, node, value);
    }
    // SAFETY: the token proves the instructions.
    unsafe { on_cpu(input, node, value) }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn two(inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::values::<Rows<Ymm>, 2>(inputs, node, values);
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn four(inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::values::<TwiceTwo<Ymm>, 4>(inputs, node, values);
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn eight(inputs: &[Input<'_>], node: Node, values: &mut [Value]) {
    form::values::<Eight, 8>(inputs, node, values);
}

#[inline(always)]
fn load<T>(bytes: &T) -> __m256i {
    const { assert!(size_of::<T>() >= 32) }
    // SAFETY: only called under a token that proves AVX2; there are so many bytes,
    // and no alignment is asked for.
    unsafe { _mm256_loadu_si256((&raw const *bytes).cast()) }
}

/// The same, but not to the compiler: of a shuffle by 16 bits it would make two others.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn hidden(
    #[cfg_attr(miri, expect(unused_mut, reason = "Miri has no assembly"))] mut order: __m256i,
) -> __m256i {
    #[cfg(not(miri))]
    // SAFETY: the empty assembly changes nothing.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) order, options(pure, nomem, nostack, preserves_flags));
    }
    order
}

/// A word of eight nodes, or a row of two.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(super) struct Ymm(__m256i);

impl Vector for Ymm {
    type Orders = [__m256i; 2];

    #[inline(always)]
    fn orders() -> Self::Orders {
        let orders = const { &[rotation::<32>(2), rotation::<32>(1)] };
        // SAFETY: only called under a token that proves AVX2.
        [unsafe { hidden(load(&orders[0])) }, load(&orders[1])]
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: only called under a token that proves AVX2.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: only called under a token that proves AVX2.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self, orders: Self::Orders) -> Self {
        let word = self.0;
        // SAFETY: only called under a token that proves AVX2.
        Self(unsafe {
            match BITS {
                16 => _mm256_shuffle_epi8(word, orders[0]),
                8 => _mm256_shuffle_epi8(word, orders[1]),
                12 => _mm256_or_si256(_mm256_srli_epi32::<12>(word), _mm256_slli_epi32::<20>(word)),
                _ => {
                    const { assert!(matches!(BITS, 16 | 12 | 8 | 7)) }
                    _mm256_or_si256(_mm256_srli_epi32::<7>(word), _mm256_slli_epi32::<25>(word))
                }
            }
        })
    }
}

/// This quarter of 16 bytes of two.
#[inline(always)]
fn pair<const LEN: usize>(low: &[u8; LEN], high: &[u8; LEN], quarter: usize) -> __m256i {
    let [low, high] = [quarter_of(low, quarter), quarter_of(high, quarter)];
    // SAFETY: only called under a token that proves AVX2.
    unsafe { _mm256_set_m128i(high, low) }
}

/// Rows to columns of two matrices of 4 × 4 words, one in the low halves, one in the high ones;
/// and back.
#[inline(always)]
fn transposed([a, b, c, d]: [__m256i; 4]) -> [Ymm; 4] {
    // SAFETY: only called under a token that proves AVX2.
    unsafe {
        let [ab_low, ab_high] = [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
        let [cd_low, cd_high] = [_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d)];
        [
            Ymm(_mm256_unpacklo_epi64(ab_low, cd_low)),
            Ymm(_mm256_unpackhi_epi64(ab_low, cd_low)),
            Ymm(_mm256_unpacklo_epi64(ab_high, cd_high)),
            Ymm(_mm256_unpackhi_epi64(ab_high, cd_high)),
        ]
    }
}

impl Words<8> for Ymm {
    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: only called under a token that proves AVX2.
        Self(unsafe { _mm256_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn load(words: &[u32; 8]) -> Self {
        Self(load(words))
    }

    #[inline(always)]
    fn columns<const LEN: usize>(rows: &[&[u8; LEN]; 8], quarter: usize) -> [Self; 4] {
        transposed([
            pair(rows[0], rows[4], quarter),
            pair(rows[1], rows[5], quarter),
            pair(rows[2], rows[6], quarter),
            pair(rows[3], rows[7], quarter),
        ])
    }

    #[inline(always)]
    fn rows([a, b, c, d]: [Self; 4], values: &mut [Value; 8], half: usize) {
        for (lane, row) in transposed([a.0, b.0, c.0, d.0]).into_iter().enumerate() {
            // SAFETY: only called under a token that proves AVX2.
            let high = unsafe { _mm256_extracti128_si256::<1>(row.0) };
            // SAFETY: only called under a token that proves AVX2, and so AVX.
            put(unsafe { _mm256_castsi256_si128(row.0) }, &mut values[lane], half);
            put(high, &mut values[lane + 4], half);
        }
    }

    #[inline(always)]
    fn pad(data: &[u8], block: &mut Block) {
        *block = tail::block(data, 0);
    }
}

/// Columns, whose blocks assembly takes.
#[derive(Clone, Copy)]
struct Eight(Lanes<Ymm, 8>);

impl Form<8> for Eight {
    type Tweak = [Ymm; 4];

    #[inline(always)]
    fn begin(keys: &[&Key; 8]) -> Self {
        Self(Lanes::begin(keys))
    }

    #[inline(always)]
    fn tweak(counters: &[u64; 8], lens: &[u32; 8], flags: &[u32; 8]) -> Self::Tweak {
        Lanes::<Ymm, 8>::tweak(counters, lens, flags)
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &[&[Block]; 8], tweaks: [Self::Tweak; 3]) {
        #[cfg(miri)]
        self.0.absorb(runs, tweaks);
        #[cfg(not(miri))]
        {
            let [tweak, [.., inner], [.., last]] = tweaks;
            let (mut starts, blocks) = ([ptr::null(); 8], runs[0].len());
            for (start, run) in starts.iter_mut().zip(runs) {
                *start = run[..blocks].as_ptr().cast();
            }
            assert!(blocks > 0, "a run is not empty");
            // SAFETY: only called under a token that proves AVX2; each run has so many blocks, and
            // the vectors have 256 bits.
            unsafe { eight::absorb(&mut self.0.0, &starts, blocks, &tweak, [inner, last]) };
        }
    }

    #[inline(always)]
    fn end(self, values: &mut [Value; 8]) {
        self.0.end(values);
    }

    #[inline(always)]
    fn pad(data: &[u8], block: &mut Block) {
        *block = tail::block(data, 0);
    }
}

impl Row<2> for Ymm {
    #[inline(always)]
    fn splat(words: &[u32; 4]) -> Self {
        // SAFETY: only called under a token that proves AVX2; there are 16 bytes,
        // and no alignment is asked for.
        Self(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(words.as_ptr().cast())) })
    }

    #[inline(always)]
    fn load(words: &[[u32; 4]; 2]) -> Self {
        Self(load(words))
    }

    #[inline(always)]
    fn quarter<const LEN: usize>(rows: &[&[u8; LEN]; 2], quarter: usize) -> Self {
        Self(pair(rows[0], rows[1], quarter))
    }

    #[inline(always)]
    fn put(self, [first, second]: &mut [Value; 2], half: usize) {
        // SAFETY: only called under a token that proves AVX2.
        let halves =
            unsafe { [_mm256_castsi256_si128(self.0), _mm256_extracti128_si256::<1>(self.0)] };
        put(halves[0], first, half);
        put(halves[1], second, half);
    }

    #[inline(always)]
    fn pick<const PLACES: i32>(self) -> Self {
        // SAFETY: only called under a token that proves AVX2.
        Self(unsafe { _mm256_shuffle_epi32::<PLACES>(self.0) })
    }

    #[inline(always)]
    fn pick_of<const PLACES: i32>(self, other: Self) -> Self {
        // SAFETY: only called under a token that proves AVX2.
        Self(unsafe {
            let [one, two] = [_mm256_castsi256_ps(self.0), _mm256_castsi256_ps(other.0)];
            _mm256_castps_si256(_mm256_shuffle_ps::<PLACES>(one, two))
        })
    }

    #[inline(always)]
    fn blend<const PLACES: i32>(self, other: Self) -> Self {
        // SAFETY: only called under a token that proves AVX2.
        Self(unsafe {
            match PLACES {
                0b1010 => _mm256_blend_epi32::<0b1010_1010>(self.0, other.0),
                _ => {
                    const { assert!(matches!(PLACES, 0b1010 | 0b1000)) }
                    _mm256_blend_epi32::<0b1000_1000>(self.0, other.0)
                }
            }
        })
    }

    #[inline(always)]
    fn zip_low(self, other: Self) -> Self {
        // SAFETY: only called under a token that proves AVX2.
        Self(unsafe { _mm256_unpacklo_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn zip_high(self, other: Self) -> Self {
        // SAFETY: only called under a token that proves AVX2.
        Self(unsafe { _mm256_unpackhi_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn low_halves(self, other: Self) -> Self {
        // SAFETY: only called under a token that proves AVX2.
        Self(unsafe { _mm256_unpacklo_epi64(self.0, other.0) })
    }
}
