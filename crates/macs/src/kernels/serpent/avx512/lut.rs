//! The S-boxes of Serpent as circuits of functions of three bits, found by a search for few and
//! then for a short longest path.

use core::arch::x86_64::*;

/// S0.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn s0([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let t0 = _mm512_ternarylogic_epi32::<0x72>(d, a, b);
    let t1 = _mm512_ternarylogic_epi32::<0x96>(b, a, d);
    let t2 = _mm512_ternarylogic_epi32::<0xac>(c, t0, t1);
    let t3 = _mm512_ternarylogic_epi32::<0x3c>(b, c, t2);
    let t4 = _mm512_ternarylogic_epi32::<0x1e>(t3, a, d);
    let t5 = _mm512_ternarylogic_epi32::<0x94>(a, d, c);
    let t6 = _mm512_ternarylogic_epi32::<0x2d>(t5, t0, t3);
    let t7 = _mm512_ternarylogic_epi32::<0x39>(t3, t5, t0);
    [t6, t7, t2, t4]
}

/// S1.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn s1([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let t0 = _mm512_ternarylogic_epi32::<0x95>(a, c, b);
    let t1 = _mm512_ternarylogic_epi32::<0x74>(a, b, c);
    let t2 = _mm512_ternarylogic_epi32::<0xac>(d, t0, t1);
    let t3 = _mm512_ternarylogic_epi32::<0xb4>(c, b, a);
    let t4 = _mm512_ternarylogic_epi32::<0xc3>(t3, d, t2);
    let t5 = _mm512_ternarylogic_epi32::<0xd8>(a, b, d);
    let t6 = _mm512_ternarylogic_epi32::<0x96>(t5, t2, t3);
    let t7 = _mm512_ternarylogic_epi32::<0x59>(t6, t2, t3);
    [t7, t6, t4, t2]
}

/// S2.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn s2([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let t0 = _mm512_ternarylogic_epi32::<0x56>(a, c, d);
    let t1 = _mm512_ternarylogic_epi32::<0xc3>(c, a, d);
    let t2 = _mm512_ternarylogic_epi32::<0xca>(b, t0, t1);
    let t3 = _mm512_ternarylogic_epi32::<0x96>(a, t0, b);
    let t4 = _mm512_ternarylogic_epi32::<0x92>(a, t2, t3);
    let t5 = _mm512_ternarylogic_epi32::<0xda>(t4, t1, b);
    let t6 = _mm512_ternarylogic_epi32::<0xb4>(t1, t3, d);
    let t7 = _mm512_ternarylogic_epi32::<0x4a>(t6, t0, t4);
    [t3, t5, t7, t2]
}

/// S3.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn s3([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let t0 = _mm512_ternarylogic_epi32::<0xe9>(b, a, c);
    let t1 = _mm512_ternarylogic_epi32::<0x25>(t0, a, b);
    let t2 = _mm512_ternarylogic_epi32::<0xca>(d, t0, t1);
    let t3 = _mm512_ternarylogic_epi32::<0xd6>(t1, b, d);
    let t4 = _mm512_ternarylogic_epi32::<0x7c>(t3, c, t0);
    let t5 = _mm512_ternarylogic_epi32::<0xa2>(d, c, t3);
    let t6 = _mm512_ternarylogic_epi32::<0xb4>(t5, a, t2);
    let t7 = _mm512_ternarylogic_epi32::<0x9c>(a, t0, t4);
    let t8 = _mm512_ternarylogic_epi32::<0x2d>(t7, t6, t2);
    [t6, t8, t2, t4]
}

/// S4.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn s4([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let t0 = _mm512_ternarylogic_epi32::<0x2d>(c, a, d);
    let t1 = _mm512_ternarylogic_epi32::<0xc6>(d, c, a);
    let t2 = _mm512_ternarylogic_epi32::<0xac>(b, t0, t1);
    let t3 = _mm512_ternarylogic_epi32::<0x92>(d, t0, b);
    let t4 = _mm512_ternarylogic_epi32::<0xb4>(t3, t1, c);
    let t5 = _mm512_ternarylogic_epi32::<0x6c>(b, t1, t0);
    let t6 = _mm512_ternarylogic_epi32::<0xca>(t2, b, t3);
    let t7 = _mm512_ternarylogic_epi32::<0x96>(t6, d, t1);
    [t2, t4, t7, t5]
}

/// S5.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn s5([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let t0 = _mm512_ternarylogic_epi32::<0xd2>(c, b, a);
    let t1 = _mm512_ternarylogic_epi32::<0x59>(a, b, c);
    let t2 = _mm512_ternarylogic_epi32::<0xca>(d, t0, t1);
    let t3 = _mm512_ternarylogic_epi32::<0x87>(t0, d, t1);
    let t4 = _mm512_ternarylogic_epi32::<0xe6>(t3, a, t1);
    let t5 = _mm512_ternarylogic_epi32::<0x3c>(t4, d, c);
    let t6 = _mm512_ternarylogic_epi32::<0xc6>(t2, a, t5);
    let t7 = _mm512_ternarylogic_epi32::<0x69>(t6, t1, t3);
    [t2, t3, t7, t5]
}

/// S6.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn s6([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let t0 = _mm512_ternarylogic_epi32::<0xa7>(a, d, b);
    let t1 = _mm512_ternarylogic_epi32::<0x16>(d, b, a);
    let t2 = _mm512_ternarylogic_epi32::<0xac>(c, t0, t1);
    let t3 = _mm512_ternarylogic_epi32::<0x68>(d, a, t0);
    let t4 = _mm512_ternarylogic_epi32::<0xb1>(t3, t1, c);
    let t5 = _mm512_ternarylogic_epi32::<0x78>(c, a, d);
    let t6 = _mm512_ternarylogic_epi32::<0xa5>(t5, t3, b);
    let t7 = _mm512_ternarylogic_epi32::<0xd2>(t5, t4, t2);
    [t4, t6, t2, t7]
}

/// S7.
#[inline]
#[target_feature(enable = "avx512f")]
pub(crate) fn s7([a, b, c, d]: [__m512i; 4]) -> [__m512i; 4] {
    let t0 = _mm512_ternarylogic_epi32::<0xb6>(d, c, b);
    let t1 = _mm512_ternarylogic_epi32::<0x83>(b, c, d);
    let t2 = _mm512_ternarylogic_epi32::<0xac>(a, t0, t1);
    let t3 = _mm512_ternarylogic_epi32::<0xc2>(d, t1, b);
    let t4 = _mm512_ternarylogic_epi32::<0x63>(t3, t0, a);
    let t5 = _mm512_ternarylogic_epi32::<0x1c>(a, d, b);
    let t6 = _mm512_ternarylogic_epi32::<0x39>(t5, t3, t4);
    let t7 = _mm512_ternarylogic_epi32::<0x1e>(t5, t6, c);
    [t4, t7, t2, t6]
}
