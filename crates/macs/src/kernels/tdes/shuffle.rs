//! TDES by shuffles of bytes: constant-time, for one chain.
//!
//! A half block, expanded as in [`halves`](super::halves), lies in the low bytes of eight 64-bit
//! words, the groups of the even and of the odd bytes side by side in a lane of 128 bits. An S-box
//! is four tables of 16 entries that a shuffle reads whole; that of a lane gives the even group in
//! the low four bits of an entry and the odd one in the high four. Then every bit of the next half
//! is fetched, compared and weighed in a byte of its own, and the bytes are summed to groups.

#![expect(unsafe_code, reason = "AVX2 intrinsics")]

use core::arch::x86_64::*;

use super::Schedule;
use super::halves::{final_permutation, initial_permutation, permuted, substituted};
use crate::kernels::cpu::Avx2;

/// One chain from `y` over a run of blocks.
pub(crate) fn chain(_: Avx2, schedule: &Schedule, y: &mut [u8; 8], run: &[[u8; 8]]) {
    // SAFETY: the token proves the features.
    unsafe { chain_of(schedule, y, run) }
}

/// The groups of the low four bytes of a half, and of the high four.
type Half = [__m256i; 2];

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn chain_of(schedule: &Schedule, y: &mut [u8; 8], run: &[[u8; 8]]) {
    // Bytes that hold no group: a shuffle makes zeros of them.
    let empty = [_mm256_set1_epi64x(0x8080_8080_8080_8000_u64 as i64); 2];
    let mut chained = u64::from_le_bytes(*y);
    for block in run {
        let [l, r] = initial_permutation(chained ^ u64::from_le_bytes(*block));
        let mut l = sum(spread(l ^ schedule.masks[0]), empty);
        let mut r = sum(spread(r ^ schedule.masks[1]), empty);
        for steps in &schedule.steps {
            for &[even, odd] in steps.as_chunks().0 {
                l = sum(l, f(r));
                r = sum(r, spread(even));
                r = sum(r, f(l));
                l = sum(l, spread(odd));
            }
            (l, r) = (r, l);
        }
        chained = final_permutation(gathered(l), gathered(r));
    }
    *y = chained.to_le_bytes();
}

#[target_feature(enable = "avx2")]
fn sum(a: Half, b: Half) -> Half {
    [_mm256_xor_si256(a[0], b[0]), _mm256_xor_si256(a[1], b[1])]
}

/// Each byte into a word.
#[target_feature(enable = "avx2")]
fn spread(half: u64) -> Half {
    let half = _mm_cvtsi64_si128(half as i64);
    [_mm256_cvtepu8_epi64(half), _mm256_cvtepu8_epi64(_mm_srli_si128::<4>(half))]
}

/// The low byte of each word.
#[target_feature(enable = "avx2")]
fn gathered(half: Half) -> u64 {
    let low = |words: __m256i| {
        let words = _mm256_and_si256(words, _mm256_set1_epi64x(0xff));
        let (low, high) = (_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words));
        let pairs = _mm_packus_epi32(low, high);
        let bytes = _mm_packus_epi16(_mm_packus_epi32(pairs, pairs), pairs);
        _mm_cvtsi128_si64(bytes) as u64 & 0xffff_ffff
    };
    low(half[0]) | low(half[1]) << 32
}

/// The function f of a half that has the round key in it already.
#[target_feature(enable = "avx2")]
fn f(half: Half) -> Half {
    let own = _mm256_packus_epi16(looked_up(half, 0), looked_up(half, 1));
    let other = _mm256_permute4x64_epi64::<0b01_00_11_10>(own);
    let wired = |high: usize| {
        let Wires { own: from_own, other: from_other, bit, weight } = &WIRES[high];
        let fetched = _mm256_or_si256(
            _mm256_shuffle_epi8(own, loaded(from_own)),
            _mm256_shuffle_epi8(other, loaded(from_other)),
        );
        let bit = loaded(bit);
        let is_set = _mm256_cmpeq_epi8(_mm256_and_si256(fetched, bit), bit);
        _mm256_sad_epu8(_mm256_and_si256(is_set, loaded(weight)), _mm256_setzero_si256())
    };
    [wired(0), wired(1)]
}

/// What the S-boxes make of the groups in four words. A shuffle takes four bits of an index; the
/// two above them choose among its four results.
#[target_feature(enable = "avx2")]
fn looked_up(half: Half, high: usize) -> __m256i {
    let x = half[high];
    let in_quarter = |quarter: usize| _mm256_shuffle_epi8(loaded(&S_BOXES[high][quarter]), x);
    let (bit_4, bit_5) = (_mm256_slli_epi16::<3>(x), _mm256_slli_epi16::<2>(x));
    let lower = _mm256_blendv_epi8(in_quarter(0), in_quarter(1), bit_4);
    let upper = _mm256_blendv_epi8(in_quarter(2), in_quarter(3), bit_4);
    _mm256_blendv_epi8(lower, upper, bit_5)
}

#[repr(align(32))]
struct Bytes([u8; 32]);

#[target_feature(enable = "avx2")]
fn loaded(bytes: &Bytes) -> __m256i {
    // SAFETY: 32 bytes that are aligned.
    unsafe { _mm256_load_si256(bytes.0.as_ptr().cast()) }
}

/// For the low four bytes of a half and the high four: a quarter of the S-boxes each.
static S_BOXES: [[Bytes; 4]; 2] = {
    let mut boxes = [const { [const { Bytes([0; 32]) }; 4] }; 2];
    let mut at = 0;
    while at < 2 * 4 * 32 {
        let (high, quarter, lane, column) = (at / 128, at / 32 % 4, at / 16 % 2, at % 16);
        let (x, byte) = (16 * quarter + column, 4 * high + 2 * lane);
        let (even, odd) = (substituted(7 - byte, x), substituted(6 - byte, x));
        boxes[high][quarter].0[16 * lane + column] = even | odd << 4;
        at += 1;
    }
    boxes
};

/// For each bit of four groups, a byte a bit and a word a group: the byte that it is fetched from,
/// in its own lane or in the other one; its place there; and its weight in the group.
struct Wires {
    own: Bytes,
    other: Bytes,
    bit: Bytes,
    weight: Bytes,
}

static WIRES: [Wires; 2] = {
    const NONE: Wires = Wires {
        own: Bytes([0x80; 32]),
        other: Bytes([0x80; 32]),
        bit: Bytes([1; 32]),
        weight: Bytes([0; 32]),
    };
    let mut wires = [NONE; 2];
    let mut at = 0;
    while at < 32 * 64 {
        let (from, bit, to) = (at / 256, at / 64 % 4, at % 64);
        if permuted(7 - from, 1 << bit) >> to & 1 == 1 {
            let (high, word, weight) = (to / 32, to / 8 % 4, to % 8);
            let (wires, byte) = (&mut wires[high], 8 * word + weight);
            // As packed: the low four bytes of a half, then the high four, two of them a lane.
            let source = (from / 4 * 8 + from % 2 * 4) as u8;
            if from / 2 % 2 == word / 2 {
                wires.own.0[byte] = source;
            } else {
                wires.other.0[byte] = source;
            }
            wires.bit.0[byte] = 1 << (bit + 4 * (from % 2));
            wires.weight.0[byte] = 1 << weight;
        }
        at += 1;
    }
    wires
};
