//! GHASH by the carry-less multiplication of 512-bit registers. Four chains run side by side, each
//! over every fourth block: up to eight registers of blocks, by powers of H^4, to a reduction. At
//! the end the chains are multiplied by H^4, H^3, H^2 and H (with the block of lengths behind them
//! by H^5 to H^2) and added up.
//!
//! The blocks are laid to the right: if they are not a multiple of four, the first register begins
//! with zeros. So the powers at the end are always the same.
//!
//! No vector goes through `map` and the like: a closure that has the vectors' features is not
//! inlined into functions of `core`, which have not.
#![expect(unsafe_code, reason = "intrinsics, masked loads")]

use core::arch::x86_64::*;
use core::mem::transmute;

use super::element::{
    self, POLYNOMIAL, add_onto, first_power, lengths, load, ordered, product, reduce, store,
};
use super::{Block, Key};
use crate::kernels::cpu::Vpclmul512;

/// Where the powers lie in a key: H^5, H^4, H^3, H^2, H from here on,
const FIFTH: usize = 0;
/// and H^4, H^8, … H^(4·reach) from here on; the reach is 1, 4 or 8.
const FOURTHS: usize = 8;

/// Blocks in a register.
const LANES: usize = 4;
const REGISTER_BYTES: usize = 64;

/// Up to so many bytes, setting up powers beyond H^16 does not pay.
const NEAR_BYTES: usize = 1024;

/// From so many registers in a step on, three products in place of four are the quicker.
const KARATSUBA: usize = 4;

/// Sums of products, lane by lane, of weights x^0, x^64 and x^128.
type Products = [__m512i; 3];

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn load_lanes(slots: &[Block; LANES]) -> __m512i {
    // SAFETY: both are 64 bytes of which any value is valid.
    unsafe { transmute(*slots) }
}

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn store_lanes(lanes: __m512i) -> [Block; LANES] {
    // SAFETY: both are 64 bytes of which any value is valid.
    unsafe { transmute(lanes) }
}

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn products(a: __m512i, b: __m512i) -> Products {
    let low = _mm512_clmulepi64_epi128::<0x00>(a, b);
    let middle = _mm512_xor_si512(
        _mm512_clmulepi64_epi128::<0x01>(a, b),
        _mm512_clmulepi64_epi128::<0x10>(a, b),
    );
    [low, middle, _mm512_clmulepi64_epi128::<0x11>(a, b)]
}

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn sum(a: Products, b: Products) -> Products {
    let [low, middle, high] = a;
    let add = _mm512_xor_si512;
    [add(low, b[0]), add(middle, b[1]), add(high, b[2])]
}

/// As `element::reduce`, in each lane.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn reduce_lanes([low, middle, high]: Products) -> __m512i {
    let polynomial = _mm512_set1_epi64(POLYNOMIAL);
    let fold = |part, upper| {
        let folded = _mm512_clmulepi64_epi128::<0x00>(part, polynomial);
        let swapped = _mm512_shuffle_epi32::<0x4e>(part);
        _mm512_ternarylogic_epi64::<0x96>(folded, swapped, upper)
    };
    fold(fold(low, middle), high)
}

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn add_up(lanes: __m512i) -> __m128i {
    let upper = _mm512_extracti64x4_epi64::<1>(lanes);
    let pair = _mm256_xor_si256(_mm512_castsi512_si256(lanes), upper);
    _mm_xor_si128(_mm256_castsi256_si128(pair), _mm256_extracti128_si256::<1>(pair))
}

/// The lanes times these powers, added up.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn join(lanes: __m512i, powers: __m512i) -> element::Product {
    let [low, middle, high] = products(lanes, powers);
    [add_up(low), add_up(middle), add_up(high)]
}

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn ordered_lanes(lanes: __m512i, order: &Block) -> __m512i {
    _mm512_shuffle_epi8(lanes, _mm512_broadcast_i32x4(load(order)))
}

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn square(a: __m128i) -> __m128i {
    let low = _mm_clmulepi64_si128::<0x00>(a, a);
    reduce([low, _mm_setzero_si128(), _mm_clmulepi64_si128::<0x11>(a, a)])
}

/// H^4, H^3, H^2, H.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn four_powers(h: __m128i) -> __m512i {
    let h2 = square(h);
    let pair = _mm512_castsi256_si512(_mm256_set_m128i(h, h2));
    let next = reduce_lanes(products(pair, _mm512_broadcast_i32x4(h2)));
    _mm512_shuffle_i64x2::<0b01_00_01_00>(next, pair)
}

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
fn key_inner(key: &mut Key, h: &Block, reach_bytes: usize) {
    let h = first_power(h);
    let four = four_powers(h);
    let five = reduce_lanes(products(four, _mm512_broadcast_i32x4(h)));
    key.reach = 1;
    let (near, far) = key.slots.split_at_mut(FOURTHS);
    near[FIFTH..][..LANES].copy_from_slice(&store_lanes(five));
    store(&mut near[FIFTH + LANES], h);
    let h4 = _mm512_castsi512_si128(four);
    store(&mut far[0], h4);
    if reach_bytes > 2 * REGISTER_BYTES {
        let h8 = square(h4);
        let pair = _mm512_castsi256_si512(_mm256_set_m128i(h8, h4));
        let next = reduce_lanes(products(pair, _mm512_broadcast_i32x4(h8)));
        let fourths = _mm512_shuffle_i64x2::<0b01_00_01_00>(pair, next);
        far[..LANES].copy_from_slice(&store_lanes(fourths));
        key.reach = 4;
        if reach_bytes > NEAR_BYTES {
            let h16 = _mm512_shuffle_i64x2::<0b11_11_11_11>(fourths, fourths);
            let next = reduce_lanes(products(fourths, h16));
            far[LANES..][..LANES].copy_from_slice(&store_lanes(next));
            key.reach = 8;
        }
    }
}

/// Those of the 64 bytes from `at` on that lie in `data`, which is laid to the right in
/// registers of which the first starts with `zeros` bytes; other bytes are zero.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn masked(data: &[u8], zeros: usize, at: usize) -> __m512i {
    let end = (zeros + data.len()).saturating_sub(at).min(REGISTER_BYTES) as u32;
    let inside = _bzhi_u64(u64::MAX, end) & (u64::MAX << zeros.saturating_sub(at));
    let start = data.as_ptr().wrapping_add(at).wrapping_sub(zeros);
    // SAFETY: by the mask only bytes of `data` are loaded.
    unsafe { _mm512_maskz_loadu_epi8(inside, start.cast()) }
}

/// The products, by Karatsuba's method if there are many: then the others are yet to be taken from
/// the middle one.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn thirds<const COUNT: usize>(a: __m512i, b: __m512i) -> Products {
    if COUNT < KARATSUBA {
        return products(a, b);
    }
    let halves = |a| _mm512_xor_si512(a, _mm512_shuffle_epi32::<0x4e>(a));
    [
        _mm512_clmulepi64_epi128::<0x00>(a, b),
        _mm512_clmulepi64_epi128::<0x00>(halves(a), halves(b)),
        _mm512_clmulepi64_epi128::<0x11>(a, b),
    ]
}

/// The chains after `COUNT` more registers: lanes·H^(4·COUNT) and so on. The last register is
/// only added.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn step<const COUNT: usize>(key: &Key, lanes: __m512i, registers: [__m512i; COUNT]) -> __m512i {
    let power = |index: usize| _mm512_broadcast_i32x4(load(&key.slots[FOURTHS + index - 1]));
    let mut total = thirds::<COUNT>(lanes, power(COUNT));
    for index in 1..COUNT {
        let lanes = ordered_lanes(registers[index - 1], &key.order);
        total = sum(total, thirds::<COUNT>(lanes, power(COUNT - index)));
    }
    if COUNT >= KARATSUBA {
        total[1] = _mm512_ternarylogic_epi64::<0x96>(total[0], total[1], total[2]);
    }
    let last = ordered_lanes(registers[COUNT - 1], &key.order);
    _mm512_xor_si512(reduce_lanes(total), last)
}

/// As many steps of `COUNT` whole registers as leave something for the last step.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn steps<'a, const COUNT: usize>(
    key: &Key,
    mut lanes: __m512i,
    mut rest: &'a [u8],
) -> (__m512i, &'a [u8]) {
    while rest.len() > COUNT * REGISTER_BYTES {
        let (blocks, others) = rest.split_at(COUNT * REGISTER_BYTES);
        let (blocks, _) = blocks.as_chunks::<16>().0.as_chunks::<LANES>();
        let mut registers = [_mm512_setzero_si512(); COUNT];
        for (register, blocks) in registers.iter_mut().zip(blocks) {
            *register = load_lanes(blocks);
        }
        lanes = step(key, lanes, registers);
        rest = others;
    }
    (lanes, rest)
}

/// The last step, of up to `COUNT` registers.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn last_step<const COUNT: usize>(key: &Key, lanes: __m512i, rest: &[u8]) -> __m512i {
    let mut registers = [_mm512_setzero_si512(); COUNT];
    for (index, register) in registers.iter_mut().enumerate() {
        *register = masked(rest, 0, index * REGISTER_BYTES);
    }
    step(key, lanes, registers)
}

/// The chains after all data, padded with zeros, of which there are some. The blocks must yet
/// be multiplied by H^4, H^3, H^2, H.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn chains(key: &Key, y: __m128i, data: &[u8]) -> __m512i {
    let zeros = data.len().div_ceil(16).wrapping_neg() % LANES * 16;
    let first = ordered_lanes(masked(data, zeros, 0), &key.order);
    let y = _mm512_maskz_broadcast_i64x2(0b11 << (zeros / 8), y);
    let mut lanes = _mm512_xor_si512(first, y);
    let mut rest = data.get(REGISTER_BYTES - zeros..).unwrap_or_default();
    if key.reach == 8 {
        (lanes, rest) = steps::<8>(key, lanes, rest);
    }
    if key.reach >= 4 {
        (lanes, rest) = steps::<4>(key, lanes, rest);
    } else {
        (lanes, rest) = steps::<1>(key, lanes, rest);
    }
    match rest.len().div_ceil(REGISTER_BYTES) {
        0 => lanes,
        1 => last_step::<1>(key, lanes, rest),
        2 => last_step::<2>(key, lanes, rest),
        3 => last_step::<3>(key, lanes, rest),
        _ => last_step::<4>(key, lanes, rest),
    }
}

/// The element of the only block of a message, padded with zeros.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn single(data: &[u8], order: &Block) -> __m128i {
    let inside = _bzhi_u32(u32::MAX, data.len().min(16) as u32) as u16;
    // SAFETY: by the mask only bytes of `data` are loaded.
    ordered(unsafe { _mm_maskz_loadu_epi8(inside, data.as_ptr().cast()) }, order)
}

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn plus(a: element::Product, b: element::Product) -> element::Product {
    let add = _mm_xor_si128;
    [add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2])]
}

/// a·H^2 + b·H.
#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
#[inline]
fn two(a: __m128i, h2: __m128i, b: __m128i, h: __m128i) -> element::Product {
    plus(product(a, h2), product(b, h))
}

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
fn absorb_inner(key: &Key, y: &mut Block, data: &[u8]) {
    let lanes = chains(key, ordered(load(y), &key.order), data);
    let (powers, _) = key.slots[FIFTH + 1..].as_chunks();
    let hash = reduce(join(lanes, load_lanes(&powers[0])));
    store(y, ordered(hash, &key.order));
}

#[target_feature(enable = "vpclmulqdq,avx512bw,avx512vl,avx512dq,bmi2")]
fn finish_inner(
    key: &Key,
    y: &Block,
    data: &[u8],
    len_bytes: u64,
    other_bytes: u64,
    onto: &mut Block,
) {
    let (y, lengths) = (ordered(load(y), &key.order), lengths([len_bytes, other_bytes]));
    let h = load(&key.slots[FIFTH + 4]);
    let sum = if data.is_empty() {
        product(_mm_xor_si128(y, lengths), h)
    } else if data.len() <= 16 {
        let block = _mm_xor_si128(single(data, &key.order), y);
        two(block, load(&key.slots[FIFTH + 3]), lengths, h)
    } else {
        let (powers, _) = key.slots[FIFTH..].as_chunks();
        plus(join(chains(key, y, data), load_lanes(&powers[0])), product(lengths, h))
    };
    add_onto(onto, ordered(reduce(sum), &key.order));
}

#[inline(always)]
pub(super) fn key(_: Vpclmul512, key: &mut Key, h: &Block, reach_bytes: usize) {
    // SAFETY: the token proves the instructions.
    unsafe { key_inner(key, h, reach_bytes) }
}

/// `data` is not empty.
#[inline(always)]
pub(super) fn absorb(_: Vpclmul512, key: &Key, y: &mut Block, data: &[u8]) {
    // SAFETY: the token proves the instructions.
    unsafe { absorb_inner(key, y, data) }
}

#[inline(always)]
pub(super) fn finish(
    _: Vpclmul512,
    key: &Key,
    y: &Block,
    data: &[u8],
    [len_bytes, other_bytes]: [u64; 2],
    onto: &mut Block,
) {
    // The lengths go in registers: a vector is not loaded at once from memory written in halves.
    // SAFETY: the token proves the instructions.
    unsafe { finish_inner(key, y, data, len_bytes, other_bytes, onto) }
}
