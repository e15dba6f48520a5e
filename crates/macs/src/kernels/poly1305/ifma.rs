//! Poly1305 on eight blocks at once, in limbs of 44, 44 and 42 bits, by the 52-bit multiplication
//! of AVX-512 (S. Gueron, V. Krasnov, "The Use of 52-Bit Multiplication of Poly1305", in OpenSSL).
//!
//! Eight chains, each over every eighth block by powers of r^8, up to four registers of blocks
//! before carries are taken; at the end the chains are multiplied by r^8 to r and added up. The
//! blocks are laid to the right: if they are not a multiple of eight, the first register begins
//! with zeros, so the powers at the end are always the same.
//!
//! No vector goes through `map` and the like: a closure that has the vectors' features is not
//! inlined into functions of `core`, which have not.
#![expect(unsafe_code, reason = "intrinsics, masked loads")]

pub(super) mod batch;

use core::arch::x86_64::*;

use super::Accumulator;
use super::soft::step;
use crate::kernels::cpu::Ifma;

/// From about this length the powers of r pay.
pub(super) const LONG_BYTES: usize = 200;

/// From these lengths two and four registers are multiplied before carries are taken.
const TWO_BYTES: usize = 640;
const FOUR_BYTES: usize = 2560;

/// Bytes of blocks side by side.
const ROUND_BYTES: usize = 128;

const MASK_44: i64 = (1 << 44) - 1;
const MASK_42: i64 = (1 << 42) - 1;

/// Eight numbers modulo 2^130 − 5, in limbs of weights 1, 2^44 and 2^88, each below 2^46.
type Limbs = [__m512i; 3];

/// A factor: its limbs, and 20 times the upper two, because 2^132 is congruent to 20.
#[derive(Clone, Copy)]
struct Factor {
    r: Limbs,
    s: [__m512i; 2],
}

/// Sums of the lower and of the upper 52 bits of the products of limbs, at each limb's weight.
#[derive(Clone, Copy)]
struct Products {
    low: Limbs,
    high: Limbs,
}

#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn add(a: __m512i, b: __m512i) -> __m512i {
    _mm512_add_epi64(a, b)
}

#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn set1(word: i64) -> __m512i {
    _mm512_set1_epi64(word)
}

#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn factor(r: Limbs) -> Factor {
    let times_20 = |a| add(_mm512_slli_epi64::<4>(a), _mm512_slli_epi64::<2>(a));
    Factor { r, s: [times_20(r[1]), times_20(r[2])] }
}

#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn nothing() -> Products {
    Products { low: [_mm512_setzero_si512(); 3], high: [_mm512_setzero_si512(); 3] }
}

/// `sum` + a·b.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn multiply(mut sum: Products, a: Limbs, Factor { r, s }: Factor) -> Products {
    let columns = [[r[0], s[1], s[0]], [r[1], r[0], s[1]], [r[2], r[1], r[0]]];
    for j in 0..3 {
        // In the order in which `carry` needs them.
        for (i, k) in [(2, 1), (0, 2), (1, 0)] {
            sum.low[i] = _mm512_madd52lo_epu64(sum.low[i], a[j], columns[i][j]);
            sum.high[k] = _mm512_madd52hi_epu64(sum.high[k], a[j], columns[k][j]);
        }
    }
    sum
}

#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn product(a: Limbs, b: Factor) -> Limbs {
    carry(multiply(nothing(), a, b))
}

/// The sums put together: limbs below 2^58, if there were at most four products.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn limbs(Products { low, high }: Products) -> Limbs {
    // The upper parts weigh 2^52 = 2^44·2^8 more; 2^132·2^8 is congruent to 20·2^8.
    let over = add(_mm512_slli_epi64::<12>(high[2]), _mm512_slli_epi64::<10>(high[2]));
    [
        add(low[0], over),
        add(low[1], _mm512_slli_epi64::<8>(high[0])),
        add(low[2], _mm512_slli_epi64::<8>(high[1])),
    ]
}

/// Limbs below 2^45 again.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn carry(sum: Products) -> Limbs {
    let [d0, d1, d2] = limbs(sum);
    let over = _mm512_srli_epi64::<42>(d2);
    let (mask_44, mask_42) = (set1(MASK_44), set1(MASK_42));
    [
        add(add(_mm512_and_si512(d0, mask_44), over), _mm512_slli_epi64::<2>(over)),
        add(_mm512_and_si512(d1, mask_44), _mm512_srli_epi64::<44>(d0)),
        add(_mm512_and_si512(d2, mask_42), _mm512_srli_epi64::<44>(d1)),
    ]
}

/// Blocks given as their lower and upper words, plus `high_bit`, that is 2^40 or 0.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn split(low: __m512i, high: __m512i, high_bit: __m512i) -> Limbs {
    let mask_44 = set1(MASK_44);
    let (a, b) = (_mm512_srli_epi64::<44>(low), _mm512_slli_epi64::<20>(high));
    [
        _mm512_and_si512(low, mask_44),
        _mm512_ternarylogic_epi64::<0xe0>(mask_44, a, b),
        _mm512_or_si512(_mm512_srli_epi64::<24>(high), high_bit),
    ]
}

/// Eight whole blocks, in the order 0, 4, 1, 5, 2, 6, 3, 7.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn load(blocks: &[u8; ROUND_BYTES]) -> Limbs {
    let half = |at: usize| {
        // SAFETY: both halves of the 128 bytes are readable.
        unsafe { _mm512_loadu_si512(blocks.as_ptr().add(at).cast()) }
    };
    let (a, b) = (half(0), half(64));
    split(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b), set1(1 << 40))
}

/// As `load`, up to eight blocks behind `zeros` bytes of zeros; the last may be incomplete. With
/// the zeros they fill the eight.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn load_masked(data: &[u8], zeros: usize) -> Limbs {
    let tail = data.len() % 16;
    let end = zeros + data.len();
    let half = |at: usize| {
        let stop = end.saturating_sub(at).min(64) as u32;
        let start = zeros.saturating_sub(at).min(64) as u32;
        let inside = _bzhi_u64(u64::MAX, stop) & !_bzhi_u64(u64::MAX, start);
        let from = data.as_ptr().wrapping_add(at).wrapping_sub(zeros);
        // SAFETY: by the mask only bytes of `data` are loaded.
        unsafe { _mm512_maskz_loadu_epi8(inside, from.cast()) }
    };
    let padding = u64::from(tail > 0) << (48 + tail);
    let (a, b) = (half(0), _mm512_mask_set1_epi8(half(64), padding, 1));
    let blocks = _bzhi_u32(0xff, (zeros / 16) as u32) ^ 0xff;
    let whole = if tail > 0 { blocks & 0x7f } else { blocks };
    let high_bit = _mm512_maskz_set1_epi64(lanes(whole), 1 << 40);
    split(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b), high_bit)
}

/// The lanes of these blocks: see `load`.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn lanes(blocks: u32) -> u8 {
    (_pdep_u32(blocks, 0x55) | _pdep_u32(blocks >> 4, 0xaa)) as u8
}

/// h at the lane of this block.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn place(h: [u64; 3], block: usize) -> Limbs {
    let lane = lanes(1 << block);
    let [h0, h1, h2] = limbs_44(h);
    let limb = |word| _mm512_maskz_set1_epi64(lane, word);
    [limb(h0), limb(h1), limb(h2)]
}

/// r^8, r^4, r^7, r^3, r^6, r^2, r^5, r: what each lane of `load` is multiplied by at the end.
/// The first four powers are quicker in words.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn powers(r: [u64; 2]) -> Limbs {
    let mut power = [r[0], r[1], 0];
    let mut near = [limbs_44(power); 4];
    for limbs in &mut near[1..] {
        power = step(power, r, &[0; 16], 0);
        *limbs = limbs_44(power);
    }
    let [a, b, c, d] = near;
    let twice = |i: usize| _mm512_setr_epi64(d[i], d[i], c[i], c[i], b[i], b[i], a[i], a[i]);
    let fourth = |i: usize, one| _mm512_mask_set1_epi64(set1(one), 0b0101_0101, d[i]);
    let by = [fourth(0, 1), fourth(1, 0), fourth(2, 0)];
    product([twice(0), twice(1), twice(2)], factor(by))
}

#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn first_lane(a: Limbs) -> Factor {
    let limb = |limb| _mm512_broadcastq_epi64(_mm512_castsi512_si128(limb));
    factor([limb(a[0]), limb(a[1]), limb(a[2])])
}

#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn plus(a: Limbs, b: Limbs) -> Limbs {
    [add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])]
}

/// The chains after more rounds of blocks: `by` is r^8, r^16, …
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn rounds<'a, const COUNT: usize>(
    by: &[Factor; COUNT],
    mut chains: Limbs,
    mut data: &'a [u8],
) -> (Limbs, &'a [u8]) {
    while data.len() >= COUNT * ROUND_BYTES {
        let (now, rest) = data.split_at(COUNT * ROUND_BYTES);
        let (blocks, _) = now.as_chunks();
        let mut sum = multiply(nothing(), chains, by[COUNT - 1]);
        for index in 1..COUNT {
            sum = multiply(sum, load(&blocks[index - 1]), by[COUNT - 1 - index]);
        }
        chains = plus(carry(sum), load(&blocks[COUNT - 1]));
        data = rest;
    }
    (chains, data)
}

/// The chains by their powers of r, added up.
#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn join(chains: Limbs, powers: Limbs) -> [u64; 3] {
    let sums = limbs(multiply(nothing(), chains, factor(powers)));
    let limb = |limb| _mm512_reduce_add_epi64(limb) as u64;
    words_64([limb(sums[0]), limb(sums[1]), limb(sums[2])])
}

#[target_feature(enable = "avx512ifma,avx512bw,avx512vl,avx512dq,bmi2")]
fn absorb_inner(running: &mut Accumulator, data: &[u8]) {
    let zeros = data.len().div_ceil(16).wrapping_neg() % 8 * 16;
    let (first, mut rest) = data.split_at(data.len().min(ROUND_BYTES - zeros));
    let mut chains = plus(load_masked(first, zeros), place(running.h, zeros / 16));
    let powers = powers(running.r);
    let mut by = [first_lane(powers); 4];
    let further = match data.len() {
        FOUR_BYTES.. => 4,
        TWO_BYTES.. => 2,
        _ => 1,
    };
    // Between the powers, rounds that would wait for carries.
    for index in 1..further {
        by[index] = factor(product(by[index - 1].r, by[0]));
        let (now, others) = rest.split_at(ROUND_BYTES);
        (chains, _) = rounds::<1>(&[by[0]], chains, now);
        rest = others;
    }
    match further {
        4 => (chains, rest) = rounds::<4>(&by, chains, rest),
        2 => (chains, rest) = rounds::<2>(&[by[0], by[1]], chains, rest),
        _ => {}
    }
    (chains, rest) = rounds::<1>(&[by[0]], chains, rest);
    if !rest.is_empty() {
        chains = carry(multiply(nothing(), chains, by[0]));
        chains = plus(chains, load_masked(rest, 0));
    }
    running.h = join(chains, powers);
}

/// Words to limbs.
#[inline(always)]
fn limbs_44([h0, h1, h2]: [u64; 3]) -> [i64; 3] {
    let middle = (h0 >> 44 | h1 << 20) as i64 & MASK_44;
    [h0 as i64 & MASK_44, middle, (h1 >> 24 | h2 << 40) as i64]
}

/// Limbs below 2^58 to words, below 2^130 + 2^103 together.
#[inline(always)]
fn words_64([d0, d1, d2]: [u64; 3]) -> [u64; 3] {
    // What is above 2^130 = 2^88·2^42 counts five times.
    let over = (d2 >> 42) * 5;
    let low = u128::from(d0) + u128::from(over) + (u128::from(d1) << 44);
    let d2 = d2 & MASK_42 as u64;
    let (low, carry) = low.overflowing_add(u128::from(d2) << 88);
    [low as u64, (low >> 64) as u64, (d2 >> 40) + u64::from(carry)]
}

/// Absorbs all bytes, of which there are some; the last block may be incomplete.
#[inline(always)]
pub(super) fn absorb(_: Ifma, running: &mut Accumulator, data: &[u8]) {
    // SAFETY: the token proves the instructions.
    unsafe { absorb_inner(running, data) }
}
