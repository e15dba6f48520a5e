//! VHASH of runs of blocks by 32-bit multiplication on 256-bit registers, the polynomials in words.
//!
//! In words, a product of NH costs the integer units of a Zen 4 more than two cycles, of which its
//! multiplier works one. Vectors are idle there: they take NH of a group of four blocks, while the
//! polynomials of the group before go on in words. A block is a lane. The four products of halves
//! of words have 64 bits; their sums may wrap. For those at bits 0 and 32 the upper halves are
//! added up as well: what these do not account for is the sum of the lower halves.
#![expect(unsafe_code, reason = "loads, stores, and calls of functions with target features")]

use core::arch::x86_64::*;

use super::{Block, Keys, PAIRS, soft};
use crate::kernels::cpu::Avx2;
use crate::wipe::overwrite;

/// Blocks in a group, one a lane.
const GROUP: usize = 4;
/// A group.
type Group = [Block; GROUP];
/// Pairs of words for each block of the group before.
const STEP: usize = PAIRS / GROUP;

type Y = __m256i;

/// NH and polynomials of whole blocks.
#[inline(always)]
pub(super) fn absorb<const N: usize>(_: Avx2, keys: &Keys, y: &mut [u128; N], blocks: &[Block]) {
    // SAFETY: the token proves the instructions.
    unsafe { run(keys, y, blocks) }
}

/// NH of a group: low words, high words.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Words([[u64; GROUP]; 2]);

impl Words {
    const ZERO: Self = Self([[0; GROUP]; 2]);
}

/// Sums modulo 2^64 of products of halves of words, those at bits 0, 32 and 64; of the first two
/// also the sums of the upper halves.
#[derive(Clone, Copy)]
struct Sums {
    low: [Y; 2],
    middle: [Y; 2],
    high: Y,
}

impl Sums {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn zero() -> Self {
        let zero = _mm256_setzero_si256();
        Self { low: [zero; 2], middle: [zero; 2], high: zero }
    }

    /// Adds the products of words.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add_product(&mut self, a: Y, b: Y) {
        let (a1, b1) = (upper(a), upper(b));
        add_split(&mut self.middle, _mm256_mul_epu32(a1, b));
        self.high = add(self.high, _mm256_mul_epu32(a1, b1));
        add_split(&mut self.middle, _mm256_mul_epu32(a, b1));
        add_split(&mut self.low, _mm256_mul_epu32(a, b));
    }

    /// The sums as they go on, with 126 bits.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn store(self, words: &mut Words) {
        let low = lower_halves(self.low);
        let middle = add(lower_halves(self.middle), add(self.low[1], upper(low)));
        let high = add(add(self.high, self.middle[1]), upper(middle));
        let low = _mm256_blend_epi32(low, _mm256_slli_epi64(middle, 32), 0b1010_1010);
        let high = _mm256_and_si256(high, _mm256_set1_epi64x((soft::NH_MASK >> 64) as i64));
        let [low_words, high_words] = &mut words.0;
        // SAFETY: 32 bytes each.
        unsafe {
            _mm256_storeu_si256(low_words.as_mut_ptr().cast(), low);
            _mm256_storeu_si256(high_words.as_mut_ptr().cast(), high);
        }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: Y, b: Y) -> Y {
    _mm256_add_epi64(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn upper(a: Y) -> Y {
    _mm256_srli_epi64(a, 32)
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_split(sums: &mut [Y; 2], product: Y) {
    *sums = [add(sums[0], product), add(sums[1], upper(product))];
}

/// The sum of the lower halves, of which there are few.
#[inline]
#[target_feature(enable = "avx2")]
fn lower_halves([sum, upper_halves]: [Y; 2]) -> Y {
    _mm256_sub_epi64(sum, _mm256_slli_epi64(upper_halves, 32))
}

/// First and second words of a pair of each block.
#[inline]
#[target_feature(enable = "avx2")]
fn load(group: &Group, pair: usize) -> [Y; 2] {
    let at = |block: usize| group[block].as_chunks::<16>().0[pair].as_ptr().cast();
    // SAFETY: 16 bytes each.
    let [a, b, c, d] = unsafe {
        [
            _mm_loadu_si128(at(0)),
            _mm_loadu_si128(at(1)),
            _mm_loadu_si128(at(2)),
            _mm_loadu_si128(at(3)),
        ]
    };
    let (even, odd) = (_mm256_set_m128i(c, a), _mm256_set_m128i(d, b));
    [_mm256_unpacklo_epi64(even, odd), _mm256_unpackhi_epi64(even, odd)]
}

/// Adds the products of a pair of words of each block to each hash's sums.
#[inline]
#[target_feature(enable = "avx2")]
fn add_pair<const N: usize>(keys: &Keys, sums: &mut [Sums; N], group: &Group, pair: usize) {
    let [first, second] = load(group, pair);
    for (hash, sums) in sums.iter_mut().enumerate() {
        let [a, b] = keys.nh[pair + hash];
        let (a, b) = (_mm256_set1_epi64x(a as i64), _mm256_set1_epi64x(b as i64));
        sums.add_product(add(first, a), add(second, b));
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn run<const N: usize>(keys: &Keys, running: &mut [u128; N], blocks: &[Block]) {
    let (groups, rest) = blocks.as_chunks();
    let (mut y, mut nh, mut is_begun) = (*running, [Words::ZERO; N], false);
    for group in groups {
        let mut sums = [Sums::zero(); N];
        for block in 0..GROUP {
            for pair in STEP * block..STEP * (block + 1) {
                add_pair(keys, &mut sums, group, pair);
            }
            if is_begun {
                step(keys, &mut y, &nh, block);
            }
        }
        for (sums, words) in sums.into_iter().zip(&mut nh) {
            sums.store(words);
        }
        is_begun = true;
    }
    if is_begun {
        for block in 0..GROUP {
            step(keys, &mut y, &nh, block);
        }
    }
    overwrite(&mut nh, [Words::ZERO; N]);
    for block in rest {
        y = soft::absorb_block(keys, y, block);
    }
    *running = y;
}

/// The polynomials of a block.
#[inline(always)]
fn step<const N: usize>(keys: &Keys, y: &mut [u128; N], nh: &[Words; N], block: usize) {
    for ((y, Words([low, high])), key) in y.iter_mut().zip(nh).zip(&keys.poly) {
        *y = soft::poly_step(*y, key, u128::from(high[block]) << 64 | u128::from(low[block]));
    }
}
