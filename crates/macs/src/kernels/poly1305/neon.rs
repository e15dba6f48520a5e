//! Poly1305 on four blocks at once, in five limbs of 26 bits, by the 32-bit multiplication of
//! AArch64's vectors: the way of the kernel for AVX2 (D. J. Bernstein, P. Schwabe, "NEON crypto",
//! CHES 2012).
//!
//! Four chains, each over every fourth block by powers of r^4, eight blocks before carries are
//! taken; at the end the chains are multiplied by r^4 to r and added up. What is beside a multiple
//! of four blocks goes block by block: before the chains, and after them what is less than a block.
#![expect(unsafe_code, reason = "vector loads, calls into target_feature functions")]

use core::arch::aarch64::*;
use core::array::from_fn;

use super::Accumulator;
use super::limbs::{LIMB_BITS, MASK, limbs_26, words_64};
use super::soft;
use crate::kernels::cpu::Neon;

/// From this length the powers of r pay: a guess, for nothing was measured.
pub(super) const LONG_BYTES: usize = 512;

/// Bytes of blocks side by side.
const ROUND_BYTES: usize = 64;

/// Four numbers modulo 2^130 − 5, in limbs of weights 2^(26·i), each below 2^28.
type Limbs = [uint32x4_t; 5];

/// Limbs of sums of products, of the numbers 0 and 1 and of 2 and 3.
type Sums = [[uint64x2_t; 2]; 5];

/// A factor of all four numbers: its five limbs, and five times the upper four, because 2^130 is
/// congruent to 5; one after another.
type Factor = [uint32x4_t; 3];

/// The factor with these limbs, each below 2^27.
#[target_feature(enable = "neon")]
#[inline]
fn factor(r: [u64; 5]) -> Factor {
    let mut words = [0; 12];
    for (i, limb) in r.into_iter().enumerate() {
        words[i] = limb as u32;
        if i > 0 {
            words[4 + i] = 5 * limb as u32;
        }
    }
    let [a, b, c] = words.as_chunks().0 else { unreachable!("12 words") };
    [a, b, c].map(|words| words_of(words))
}

#[target_feature(enable = "neon")]
#[inline]
fn words_of(words: &[u32; 4]) -> uint32x4_t {
    // SAFETY: there are four words.
    unsafe { vld1q_u32(words.as_ptr()) }
}

/// `sum` + a·b, b being word `WORD` of a factor.
#[target_feature(enable = "neon")]
#[inline]
fn product<const WORD: usize>(
    [low, high]: [uint64x2_t; 2],
    a: uint32x4_t,
    b: &Factor,
) -> [uint64x2_t; 2] {
    macro_rules! by {
        ($lane:literal) => {{
            let by = b[WORD / 4];
            [
                vmlal_laneq_u32::<$lane>(low, vget_low_u32(a), by),
                vmlal_high_laneq_u32::<$lane>(high, a, by),
            ]
        }};
    }
    match WORD % 4 {
        0 => by!(0),
        1 => by!(1),
        2 => by!(2),
        _ => by!(3),
    }
}

/// `sums` + a·b.
#[target_feature(enable = "neon")]
#[inline]
fn multiply(mut sums: Sums, a: &Limbs, b: &Factor) -> Sums {
    macro_rules! products {
        ($($limb:literal: $first:literal $second:literal $third:literal $fourth:literal
            $fifth:literal;)*) => {$(
            sums[0] = product::<$first>(sums[0], a[$limb], b);
            sums[1] = product::<$second>(sums[1], a[$limb], b);
            sums[2] = product::<$third>(sums[2], a[$limb], b);
            sums[3] = product::<$fourth>(sums[3], a[$limb], b);
            sums[4] = product::<$fifth>(sums[4], a[$limb], b);
        )*};
    }
    products! {
        0: 0 1 2 3 4;
        1: 8 0 1 2 3;
        2: 7 8 0 1 2;
        3: 6 7 8 0 1;
        4: 5 6 7 8 0;
    }
    sums
}

/// Limbs below 2^26 + 2^12 again, from sums of at most two products.
#[target_feature(enable = "neon")]
#[inline]
fn carry(sums: Sums) -> Limbs {
    let halves = [0, 1].map(|half| carry_pair(sums.map(|sum| sum[half])));
    from_fn(|i| {
        let [low, high] = halves.map(|half| vreinterpretq_u32_u64(half[i]));
        vuzp1q_u32(low, high)
    })
}

#[target_feature(enable = "neon")]
#[inline]
fn carry_pair([mut d0, mut d1, mut d2, mut d3, mut d4]: [uint64x2_t; 5]) -> [uint64x2_t; 5] {
    let mask = vdupq_n_u64(MASK);
    // Two chains of carries side by side, from limb 0 and from limb 3.
    d1 = vsraq_n_u64::<LIMB_BITS>(d1, d0);
    d4 = vsraq_n_u64::<LIMB_BITS>(d4, d3);
    (d0, d3) = (vandq_u64(d0, mask), vandq_u64(d3, mask));
    d2 = vsraq_n_u64::<LIMB_BITS>(d2, d1);
    let over = vshrq_n_u64::<LIMB_BITS>(d4);
    d0 = vaddq_u64(d0, vaddq_u64(over, vshlq_n_u64::<2>(over)));
    (d1, d4) = (vandq_u64(d1, mask), vandq_u64(d4, mask));
    d3 = vsraq_n_u64::<LIMB_BITS>(d3, d2);
    d1 = vsraq_n_u64::<LIMB_BITS>(d1, d0);
    (d2, d0) = (vandq_u64(d2, mask), vandq_u64(d0, mask));
    d4 = vsraq_n_u64::<LIMB_BITS>(d4, d3);
    d3 = vandq_u64(d3, mask);
    [d0, d1, d2, d3, d4]
}

#[target_feature(enable = "neon")]
#[inline]
fn nothing() -> Sums {
    [[vdupq_n_u64(0); 2]; 5]
}

/// Four whole blocks, with the bit above each.
#[target_feature(enable = "neon")]
#[inline]
fn load(blocks: &[u8; ROUND_BYTES]) -> Limbs {
    // SAFETY: the 64 bytes are readable, and the load asks for no alignment.
    let uint32x4x4_t(w0, w1, w2, w3) = unsafe { vld4q_u32(blocks.as_ptr().cast()) };
    let mask = vdupq_n_u32(MASK as u32);
    [
        vandq_u32(w0, mask),
        vandq_u32(vsliq_n_u32::<6>(vshrq_n_u32::<26>(w0), w1), mask),
        vandq_u32(vsliq_n_u32::<12>(vshrq_n_u32::<20>(w1), w2), mask),
        vandq_u32(vsliq_n_u32::<18>(vshrq_n_u32::<14>(w2), w3), mask),
        vorrq_u32(vshrq_n_u32::<8>(w3), vdupq_n_u32(1 << 24)),
    ]
}

#[target_feature(enable = "neon")]
#[inline]
fn plus(a: Limbs, b: Limbs) -> Limbs {
    from_fn(|i| vaddq_u32(a[i], b[i]))
}

/// The chains by r^4, r^3, r^2 and r, whose limbs `powers` has, added up.
#[target_feature(enable = "neon")]
#[inline]
fn join(chains: &Limbs, powers: &[[u64; 5]; 4]) -> [u64; 3] {
    let power: Limbs = from_fn(|i| words_of(&powers.map(|limbs| limbs[i] as u32)));
    let limbs = from_fn(|i| {
        let mut sums = [vdupq_n_u64(0); 2];
        for j in 0..5 {
            let factor = if i < j { times_5(power[i + 5 - j]) } else { power[i - j] };
            sums[0] = vmlal_u32(sums[0], vget_low_u32(chains[j]), vget_low_u32(factor));
            sums[1] = vmlal_high_u32(sums[1], chains[j], factor);
        }
        vaddvq_u64(vaddq_u64(sums[0], sums[1]))
    });
    words_64(limbs)
}

#[target_feature(enable = "neon")]
#[inline]
fn times_5(a: uint32x4_t) -> uint32x4_t {
    vaddq_u32(a, vshlq_n_u32::<2>(a))
}

#[target_feature(enable = "neon")]
fn absorb_inner(running: &mut Accumulator, blocks: &[[u8; ROUND_BYTES]]) {
    let Some((first, rest)) = blocks.split_first() else { return };
    let r = running.r;
    let mut power = [r[0], r[1], 0];
    // r^4 to r.
    let mut powers = [limbs_26(power); 4];
    for limbs in powers[..3].iter_mut().rev() {
        power = soft::step(power, r, &[0; 16], 0);
        *limbs = limbs_26(power);
    }
    let by_4 = factor(powers[0]);
    let eighth = carry(multiply(nothing(), &powers[0].map(|limb| vdupq_n_u32(limb as u32)), &by_4));
    let by_8 = factor(eighth.map(|limb| u64::from(vgetq_lane_u32::<0>(limb))));
    let begin = limbs_26(running.h).map(|limb| vsetq_lane_u32::<0>(limb as u32, vdupq_n_u32(0)));
    let mut chains = plus(load(first), begin);
    let (pairs, last) = rest.as_chunks::<2>();
    for [blocks, next] in pairs {
        // What does not wait for the chains is first.
        let sums = multiply(nothing(), &load(blocks), &by_4);
        chains = plus(carry(multiply(sums, &chains, &by_8)), load(next));
    }
    for blocks in last {
        chains = plus(carry(multiply(nothing(), &chains, &by_4)), load(blocks));
    }
    running.h = join(&chains, &powers);
}

/// Absorbs all bytes; the last block may be incomplete.
#[inline(always)]
pub(super) fn absorb(_: Neon, running: &mut Accumulator, data: &[u8]) {
    let (blocks, tail) = data.as_chunks::<16>();
    let (before, blocks) = blocks.split_at(blocks.len() % 4);
    soft::absorb(running, before);
    // SAFETY: NEON is part of the target.
    unsafe { absorb_inner(running, blocks.as_flattened().as_chunks().0) };
    soft::absorb_all(running, tail);
}
