//! Poly1305 on four blocks at once, in five limbs of 26 bits (D. J. Bernstein, P. Schwabe, "NEON
//! crypto", CHES 2012), by the 32-bit multiplication of AVX2.
//!
//! Four chains, each over every fourth block by powers of r^4, up to four registers of blocks
//! before carries are taken; at the end the chains are multiplied by r^4 to r and added up. What is
//! beside a multiple of four blocks goes block by block: before the chains, and after them what is
//! less than a block.
//!
//! No vector goes through `map` and the like: a closure that has the vectors' features is not
//! inlined into functions of `core`, which have not.
#![expect(unsafe_code, reason = "intrinsics, vector loads")]

use core::arch::x86_64::*;

use super::Accumulator;
use super::limbs::{LIMB_BITS, MASK, limbs_26, words_64};
use super::soft;
use crate::kernels::cpu::Avx2;

/// From about this length the powers of r pay.
pub(super) const LONG_BYTES: usize = 768;

/// From this length four registers are multiplied before carries are taken, below it two.
const FOUR_BYTES: usize = 1600;

/// Bytes of blocks side by side.
const ROUND_BYTES: usize = 64;

/// Four numbers modulo 2^130 − 5, in limbs of weights 2^(26·i), each below 2^28.
type Limbs = [__m256i; 5];

/// A factor: its limbs, and five times the upper four, because 2^130 is congruent to 5.
#[derive(Clone, Copy)]
struct Factor {
    r: Limbs,
    s: [__m256i; 4],
}

#[target_feature(enable = "avx2")]
#[inline]
fn set1(word: u64) -> __m256i {
    _mm256_set1_epi64x(word as i64)
}

#[target_feature(enable = "avx2")]
#[inline]
fn times_5(a: __m256i) -> __m256i {
    _mm256_add_epi64(a, _mm256_slli_epi64::<2>(a))
}

#[target_feature(enable = "avx2")]
#[inline]
fn factor(r: Limbs) -> Factor {
    Factor { r, s: [times_5(r[1]), times_5(r[2]), times_5(r[3]), times_5(r[4])] }
}

/// `sum` + a·b.
#[target_feature(enable = "avx2")]
#[inline]
fn multiply(mut sum: Limbs, a: &Limbs, Factor { r, s }: &Factor) -> Limbs {
    for j in 0..5 {
        for i in 0..5 {
            let b = if i < j { s[i + 4 - j] } else { r[i - j] };
            sum[i] = _mm256_add_epi64(sum[i], _mm256_mul_epu32(a[j], b));
        }
    }
    sum
}

/// Limbs below 2^26 + 2^12 again, from sums of at most four products.
#[target_feature(enable = "avx2")]
#[inline]
fn carry([mut d0, mut d1, mut d2, mut d3, mut d4]: Limbs) -> Limbs {
    let mask = set1(MASK);
    let over = |d| _mm256_srli_epi64::<LIMB_BITS>(d);
    // Two chains of carries side by side, from limb 0 and from limb 3.
    d1 = _mm256_add_epi64(d1, over(d0));
    d4 = _mm256_add_epi64(d4, over(d3));
    (d0, d3) = (_mm256_and_si256(d0, mask), _mm256_and_si256(d3, mask));
    d2 = _mm256_add_epi64(d2, over(d1));
    d0 = _mm256_add_epi64(d0, times_5(over(d4)));
    (d1, d4) = (_mm256_and_si256(d1, mask), _mm256_and_si256(d4, mask));
    d3 = _mm256_add_epi64(d3, over(d2));
    d1 = _mm256_add_epi64(d1, over(d0));
    (d2, d0) = (_mm256_and_si256(d2, mask), _mm256_and_si256(d0, mask));
    d4 = _mm256_add_epi64(d4, over(d3));
    d3 = _mm256_and_si256(d3, mask);
    [d0, d1, d2, d3, d4]
}

#[target_feature(enable = "avx2")]
#[inline]
fn nothing() -> Limbs {
    [_mm256_setzero_si256(); 5]
}

/// Four whole blocks, in the order 0, 2, 1, 3.
#[target_feature(enable = "avx2")]
#[inline]
fn load(blocks: &[u8; ROUND_BYTES]) -> Limbs {
    let half = |at: usize| {
        // SAFETY: both halves of the 64 bytes are readable.
        unsafe { _mm256_loadu_si256(blocks.as_ptr().add(at).cast()) }
    };
    let (a, b) = (half(0), half(32));
    let (low, high) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
    let mask = set1(MASK);
    let middle = _mm256_or_si256(_mm256_srli_epi64::<52>(low), _mm256_slli_epi64::<12>(high));
    [
        _mm256_and_si256(low, mask),
        _mm256_and_si256(_mm256_srli_epi64::<26>(low), mask),
        _mm256_and_si256(middle, mask),
        _mm256_and_si256(_mm256_srli_epi64::<14>(high), mask),
        _mm256_or_si256(_mm256_srli_epi64::<40>(high), set1(1 << 24)),
    ]
}

#[target_feature(enable = "avx2")]
#[inline]
fn plus(mut a: Limbs, b: Limbs) -> Limbs {
    for i in 0..5 {
        a[i] = _mm256_add_epi64(a[i], b[i]);
    }
    a
}

/// The chains over as many turns of `N` registers of blocks as there are; `by` has r^4, r^8, …
#[target_feature(enable = "avx2")]
#[inline]
fn rounds<'a, const N: usize>(
    by: &[Factor; N],
    mut chains: Limbs,
    blocks: &'a [[u8; ROUND_BYTES]],
) -> (Limbs, &'a [[u8; ROUND_BYTES]]) {
    let (turns, rest) = blocks.as_chunks::<N>();
    for turn in turns {
        let mut sum = multiply(nothing(), &chains, &by[N - 1]);
        for i in 1..N {
            sum = multiply(sum, &load(&turn[i - 1]), &by[N - 1 - i]);
        }
        chains = plus(carry(sum), load(&turn[N - 1]));
    }
    (chains, rest)
}

/// The chains by r^4, r^2, r^3 and r, added up.
#[target_feature(enable = "avx2")]
#[inline]
fn join(chains: &Limbs, powers: Limbs) -> [u64; 3] {
    let sums = multiply(nothing(), chains, &factor(powers));
    let mut limbs = [0; 5];
    for (limb, sum) in limbs.iter_mut().zip(sums) {
        let pair = _mm_add_epi64(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
        *limb = (_mm_cvtsi128_si64(pair) as u64).wrapping_add(_mm_extract_epi64::<1>(pair) as u64);
    }
    words_64(limbs)
}

#[target_feature(enable = "avx2")]
fn absorb_inner(running: &mut Accumulator, blocks: &[[u8; ROUND_BYTES]]) {
    let Some((first, mut rest)) = blocks.split_first() else { return };
    let r = running.r;
    let mut power = [r[0], r[1], 0];
    let mut near = [limbs_26(power); 4];
    for limbs in &mut near[1..] {
        power = soft::step(power, r, &[0; 16], 0);
        *limbs = limbs_26(power);
    }
    let [one, two, three, four] = near;
    let (mut powers, mut fourth, mut chains) = (nothing(), nothing(), load(first));
    let begin = limbs_26(running.h);
    for i in 0..5 {
        let [a, b, c, d] = [four[i], two[i], three[i], one[i]].map(|limb| limb as i64);
        powers[i] = _mm256_setr_epi64x(a, b, c, d);
        fourth[i] = _mm256_set1_epi64x(a);
        chains[i] = _mm256_add_epi64(chains[i], _mm256_setr_epi64x(begin[i] as i64, 0, 0, 0));
    }
    let mut by = [factor(fourth); 4];
    by[1] = factor(carry(multiply(nothing(), &by[0].r, &by[0])));
    if blocks.len() * ROUND_BYTES >= FOUR_BYTES {
        by[2] = factor(carry(multiply(nothing(), &by[1].r, &by[0])));
        by[3] = factor(carry(multiply(nothing(), &by[1].r, &by[1])));
        (chains, rest) = rounds::<4>(&by, chains, rest);
    }
    (chains, rest) = rounds::<2>(&[by[0], by[1]], chains, rest);
    (chains, _) = rounds::<1>(&[by[0]], chains, rest);
    running.h = join(&chains, powers);
}

/// Absorbs all bytes; the last block may be incomplete.
#[inline(always)]
pub(super) fn absorb(_: Avx2, running: &mut Accumulator, data: &[u8]) {
    let (blocks, tail) = data.as_chunks::<16>();
    let (before, blocks) = blocks.split_at(blocks.len() % 4);
    soft::absorb(running, before);
    // SAFETY: the token proves the instructions.
    unsafe { absorb_inner(running, blocks.as_flattened().as_chunks().0) };
    soft::absorb_all(running, tail);
}
