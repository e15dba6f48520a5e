//! VHASH of runs of blocks by 52-bit multiplication on 512-bit registers.
//!
//! NH: a word is 52 + 12 bits, so that a product is 7 multiplications, whose sums stand at bits 0,
//! 52 and 104 and need no carries. Eight blocks make a group; two share a register.
#![expect(unsafe_code, reason = "loads, and calls of functions with target features")]

use core::arch::x86_64::*;

use super::{Block, Keys, bmi2, soft};
use crate::kernels::cpu::Ifma;
use crate::wipe::overwrite;

/// Blocks in a group, one a 64-bit lane after the sums.
pub(super) const GROUP: usize = 8;

type Z = __m512i;

/// NH and polynomials of whole blocks.
#[inline(always)]
pub(super) fn absorb<const N: usize>(
    token: Ifma,
    keys: &Keys,
    y: &mut [u128; N],
    blocks: &[Block],
) {
    // SAFETY: the token proves the instructions.
    unsafe { run(token, keys, y, blocks) }
}

/// The key of NH for both words of the pairs of a block's halves: pairs 0, 2, 1, 3 and 4, 6, 5, 7,
/// twice.
#[derive(Clone, Copy)]
struct NhKey([[Z; 2]; 2]);

#[target_feature(enable = "avx512f")]
fn quarter(keys: &Keys, pair: usize) -> Z {
    let ([a, b], [c, d]) = (keys.nh[pair], keys.nh[pair + 1]);
    _mm512_broadcast_i64x4(_mm256_setr_epi64x(a as i64, b as i64, c as i64, d as i64))
}

#[target_feature(enable = "avx512f")]
fn nh_keys<const N: usize>(keys: &Keys) -> [NhKey; N] {
    let mut nh = [NhKey([[_mm512_setzero_si512(); 2]; 2]); N];
    for (hash, key) in nh.iter_mut().enumerate() {
        for half in 0..2 {
            let pair = 4 * half + hash;
            key.0[half] = words(quarter(keys, pair), quarter(keys, pair + 2));
        }
    }
    nh
}

/// First and second words of pairs.
#[target_feature(enable = "avx512f")]
fn words(x: Z, y: Z) -> [Z; 2] {
    [_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y)]
}

/// A quarter of two blocks.
#[target_feature(enable = "avx512f")]
fn load(low: &[u8; 32], high: &[u8; 32]) -> Z {
    // SAFETY: 32 bytes each.
    let (low, high) = unsafe {
        (_mm256_loadu_si256(low.as_ptr().cast()), _mm256_loadu_si256(high.as_ptr().cast()))
    };
    _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1)
}

/// NH of two blocks: four partial sums each, in the low and the high half, each at bits 0, 52, 104.
#[target_feature(enable = "avx512f,avx512ifma")]
fn nh_two<const N: usize>(keys: &[NhKey; N], low: &Block, high: &Block) -> [[Z; 3]; N] {
    let mut sums = [[_mm512_setzero_si512(); 3]; N];
    let (low, high) = (low.as_chunks().0, high.as_chunks().0);
    for half in 0..2 {
        let quarters =
            (load(&low[2 * half], &high[2 * half]), load(&low[2 * half + 1], &high[2 * half + 1]));
        let [first, second] = words(quarters.0, quarters.1);
        for (sums, key) in sums.iter_mut().zip(keys) {
            let a = _mm512_add_epi64(first, key.0[half][0]);
            let b = _mm512_add_epi64(second, key.0[half][1]);
            let (a1, b1) = (_mm512_srli_epi64(a, 52), _mm512_srli_epi64(b, 52));
            sums[0] = _mm512_madd52lo_epu64(sums[0], a, b);
            sums[1] = _mm512_madd52hi_epu64(sums[1], a, b);
            sums[2] = _mm512_madd52hi_epu64(sums[2], a, b1);
            sums[1] = _mm512_madd52lo_epu64(sums[1], a, b1);
            sums[2] = _mm512_madd52hi_epu64(sums[2], a1, b);
            sums[1] = _mm512_madd52lo_epu64(sums[1], a1, b);
            sums[2] = _mm512_madd52lo_epu64(sums[2], a1, b1);
        }
    }
    sums
}

/// Sums of neighbours: of x in even lanes, of y in odd ones.
#[target_feature(enable = "avx512f")]
fn join(x: Z, y: Z) -> Z {
    let (xd, yd) = (_mm512_castsi512_pd(x), _mm512_castsi512_pd(y));
    let crossed = _mm512_castpd_si512(_mm512_shuffle_pd(xd, yd, 0x55));
    _mm512_add_epi64(_mm512_mask_blend_epi64(0xaa, x, y), crossed)
}

/// The sums at bits 0, 52 and 104 of a group, a block a lane: 52, 52 and 22 bits.
#[target_feature(enable = "avx512f,avx512ifma")]
fn nh_group<const N: usize>(keys: &[NhKey; N], blocks: &[Block; GROUP]) -> [[Z; 3]; N] {
    let two = [
        nh_two(keys, &blocks[0], &blocks[2]),
        nh_two(keys, &blocks[1], &blocks[3]),
        nh_two(keys, &blocks[4], &blocks[6]),
        nh_two(keys, &blocks[5], &blocks[7]),
    ];
    let mask = _mm512_set1_epi64((1 << 52) - 1);
    let mut sums = [[_mm512_setzero_si512(); 3]; N];
    for (hash, sums) in sums.iter_mut().enumerate() {
        for (i, sum) in sums.iter_mut().enumerate() {
            let x = join(two[0][hash][i], two[1][hash][i]);
            let y = join(two[2][hash][i], two[3][hash][i]);
            let even = _mm512_shuffle_i64x2(x, y, 0b10_00_10_00);
            let odd = _mm512_shuffle_i64x2(x, y, 0b11_01_11_01);
            *sum = _mm512_add_epi64(even, odd);
        }
        let [low, middle, high] = *sums;
        let middle = _mm512_add_epi64(middle, _mm512_srli_epi64(low, 52));
        let high = _mm512_add_epi64(high, _mm512_srli_epi64(middle, 52));
        let high = _mm512_and_si512(high, _mm512_set1_epi64((1 << 22) - 1));
        *sums = [_mm512_and_si512(low, mask), _mm512_and_si512(middle, mask), high];
    }
    sums
}

/// Bits of the lower two limbs and of the upper one of a value modulo 2^127 − 1.
const LIMB_BITS: u32 = 43;
const LIMB_MASK: i64 = (1 << LIMB_BITS) - 1;

/// Values in lanes: three limbs of 43, 43 and 41 bits, the middle one perhaps a little longer.
#[derive(Clone, Copy)]
struct Values([Z; 3]);

impl Values {
    /// A value a lane.
    #[target_feature(enable = "avx512f")]
    fn from_array(values: &[u128; GROUP]) -> Self {
        let (half, mask) = (values.as_ptr().cast::<Z>(), _mm512_set1_epi64(LIMB_MASK));
        // SAFETY: twice 64 bytes of 128.
        let (x, y) = unsafe { (_mm512_loadu_si512(half), _mm512_loadu_si512(half.add(1))) };
        let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        let low = _mm512_permutex2var_epi64(x, even, y);
        let high = _mm512_permutex2var_epi64(x, add(even, _mm512_set1_epi64(1)), y);
        let middle = _mm512_or_si512(_mm512_srli_epi64(low, 43), _mm512_slli_epi64(high, 21));
        Self([
            _mm512_and_si512(low, mask),
            _mm512_and_si512(middle, mask),
            _mm512_srli_epi64(high, 22),
        ])
    }

    /// The same value in every lane.
    #[target_feature(enable = "avx512f")]
    fn same(value: u128) -> Self {
        Self([
            _mm512_set1_epi64(value as i64 & LIMB_MASK),
            _mm512_set1_epi64((value >> LIMB_BITS) as i64 & LIMB_MASK),
            _mm512_set1_epi64((value >> (2 * LIMB_BITS)) as i64),
        ])
    }

    /// The product modulo 2^127 − 1, with parts of a limb in one that are left of it: below 2^58.
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn multiply(self, factor: &Self) -> [Z; 3] {
        let [a0, a1, a2] = self.0;
        let [k0, k1, k2] = factor.0;
        // 2^129 is 4.
        let (s1, s2) = (_mm512_slli_epi64(k1, 2), _mm512_slli_epi64(k2, 2));
        let terms = [
            [(a0, k0), (a1, s2), (a2, s1)],
            [(a0, k1), (a1, k0), (a2, s2)],
            [(a0, k2), (a1, k1), (a2, k0)],
        ];
        let (mut low, mut high) = ([_mm512_setzero_si512(); 3], [_mm512_setzero_si512(); 3]);
        for (i, terms) in terms.into_iter().enumerate() {
            for (a, k) in terms {
                low[i] = _mm512_madd52lo_epu64(low[i], a, k);
                high[i] = _mm512_madd52hi_epu64(high[i], a, k);
            }
        }
        // The upper parts stand at 52, 52 + 43 and, 11 above 2^127, 52 + 86.
        [
            add(low[0], _mm512_slli_epi64(high[2], 11)),
            add(low[1], _mm512_slli_epi64(high[0], 9)),
            add(low[2], _mm512_slli_epi64(high[1], 9)),
        ]
    }

    /// A sum of limbs below 2^63, carried.
    #[target_feature(enable = "avx512f")]
    fn carry([l0, l1, l2]: [Z; 3]) -> Self {
        let mask = _mm512_set1_epi64(LIMB_MASK);
        let l1 = add(l1, _mm512_srli_epi64(l0, 43));
        let l2 = add(l2, _mm512_srli_epi64(l1, 43));
        let l0 = add(_mm512_and_si512(l0, mask), _mm512_srli_epi64(l2, 41));
        let top = _mm512_and_si512(l2, _mm512_set1_epi64(LIMB_MASK >> 2));
        Self([l0, _mm512_and_si512(l1, mask), top])
    }
}

/// The sum of all lanes modulo 2^127 − 1; limbs are below 2^58.
#[target_feature(enable = "avx512f,avx512dq")]
fn sum_lanes([l0, l1, l2]: [Z; 3]) -> u128 {
    let low = _mm512_reduce_add_epi64(l0) as u64;
    let middle = _mm512_reduce_add_epi64(l1) as u64;
    let high = _mm512_reduce_add_epi64(l2) as u64;
    let top = u128::from(high & (LIMB_MASK as u64 >> 2)) << (2 * LIMB_BITS);
    top + (u128::from(middle) << LIMB_BITS) + u128::from(low) + u128::from(high >> 41)
}

#[target_feature(enable = "avx512f")]
fn add(x: Z, y: Z) -> Z {
    _mm512_add_epi64(x, y)
}

#[target_feature(enable = "avx512f,avx512ifma,avx512vl,avx512dq,bmi2")]
fn run<const N: usize>(token: Ifma, keys: &Keys, y: &mut [u128; N], blocks: &[Block]) {
    let (head, groups) = blocks.split_at(blocks.len() % GROUP);
    bmi2::absorb(token.avx2(), keys, y, head);
    let zero = [_mm512_setzero_si512(); 3];
    let (mut step, mut sums) = ([Values(zero); N], [Values(zero); N]);
    let mut powers = [[1; GROUP + 1]; N];
    for hash in 0..N {
        // From the 8th to the 0th.
        for i in (0..GROUP).rev() {
            powers[hash][i] = soft::poly_step(powers[hash][i + 1], &keys.poly[hash], 0);
        }
        step[hash] = Values::same(powers[hash][0]);
        for (lane, limb) in sums[hash].0.iter_mut().zip(Values::same(y[hash]).0) {
            *lane = _mm512_maskz_mov_epi64(1 << (GROUP - 1), limb);
        }
    }
    let nh = nh_keys::<N>(keys);
    for group in groups.as_chunks().0 {
        let values = nh_group(&nh, group);
        for hash in 0..N {
            let [l0, l1, l2] = sums[hash].multiply(&step[hash]);
            let [low, middle, high] = values[hash];
            sums[hash] = Values::carry([
                add(l0, low),
                add(l1, _mm512_slli_epi64(middle, 9)),
                add(l2, _mm512_slli_epi64(high, 18)),
            ]);
        }
    }
    for hash in 0..N {
        let last = Values::from_array(powers[hash].last_chunk().expect("8 of 9"));
        y[hash] = sum_lanes(sums[hash].multiply(&last));
    }
    overwrite(&mut powers, [[0; GROUP + 1]; N]);
}
