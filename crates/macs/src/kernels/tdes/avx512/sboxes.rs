//! The S-boxes of DES (FIPS 46-3) as circuits of functions of three bits, found by the same search
//! as those of two.

/// A word of bits with an instruction for any function of three bits.
pub(crate) trait Lut: Copy {
    /// The function whose value for the bits of `a`, `b` and `c` is bit 4a + 2b + c of `TABLE`.
    fn lut<const TABLE: i32>(a: Self, b: Self, c: Self) -> Self;
}

/// S1: the bits of its input and output, the most significant first.
#[inline(always)]
pub(crate) fn s1<W: Lut>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = W::lut::<0x94>(x5, x6, x4);
    let t1 = W::lut::<0xe6>(x5, x1, x4);
    let t2 = W::lut::<0x14>(t1, t0, x2);
    let t3 = W::lut::<0xca>(x2, t0, t2);
    let t4 = W::lut::<0x86>(x1, x2, x6);
    let t5 = W::lut::<0x0b>(t4, t2, x4);
    let t6 = W::lut::<0x96>(x4, x2, x1);
    let t7 = W::lut::<0x49>(t6, t3, t5);
    let t8 = W::lut::<0xac>(x5, t5, t7);
    let t9 = W::lut::<0xca>(x3, t3, t8);
    let t10 = W::lut::<0xda>(t1, t6, x5);
    let t11 = W::lut::<0xc7>(x2, t1, x5);
    let t12 = W::lut::<0xca>(x6, t10, t11);
    let t13 = W::lut::<0x87>(t8, t0, t10);
    let t14 = W::lut::<0x91>(x2, x4, t8);
    let t15 = W::lut::<0xca>(x6, t13, t14);
    let t16 = W::lut::<0xac>(x3, t12, t15);
    let t17 = W::lut::<0x2c>(t13, t12, x4);
    let t18 = W::lut::<0xf6>(t13, x6, t10);
    let t19 = W::lut::<0xca>(x3, t17, t18);
    let t20 = W::lut::<0x7c>(t1, t19, x6);
    let t21 = W::lut::<0x4b>(t20, x3, t13);
    let t22 = W::lut::<0xca>(x2, t19, t21);
    let t23 = W::lut::<0x69>(t22, t9, t16);
    let t24 = W::lut::<0x90>(t10, t2, x3);
    let t25 = W::lut::<0xca>(x4, t23, t24);
    let t26 = W::lut::<0xc2>(t9, x6, t16);
    let t27 = W::lut::<0x95>(t26, x5, t23);
    let t28 = W::lut::<0xac>(x2, t25, t27);
    [t9, t16, t22, t28]
}

/// S2: the bits of its input and output, the most significant first.
#[inline(always)]
pub(crate) fn s2<W: Lut>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = W::lut::<0xd1>(x4, x1, x3);
    let t1 = W::lut::<0x3c>(x3, x1, x4);
    let t2 = W::lut::<0xca>(x5, t0, t1);
    let t3 = W::lut::<0x69>(x1, x5, x4);
    let t4 = W::lut::<0xca>(x2, t2, t3);
    let t5 = W::lut::<0x6c>(x4, x2, x5);
    let t6 = W::lut::<0xc9>(t5, t3, x3);
    let t7 = W::lut::<0xac>(x6, t4, t6);
    let t8 = W::lut::<0x56>(t4, t1, t7);
    let t9 = W::lut::<0x61>(t8, t0, t5);
    let t10 = W::lut::<0x38>(t9, x4, t5);
    let t11 = W::lut::<0xca>(x3, t9, t10);
    let t12 = W::lut::<0x56>(t5, x1, t2);
    let t13 = W::lut::<0x35>(t12, t10, t6);
    let t14 = W::lut::<0xca>(x6, t11, t13);
    let t15 = W::lut::<0xe4>(t12, t2, x5);
    let t16 = W::lut::<0x17>(t2, t15, x3);
    let t17 = W::lut::<0xca>(x6, t15, t16);
    let t18 = W::lut::<0xe8>(t14, t17, t1);
    let t19 = W::lut::<0x3d>(t18, t7, t5);
    let t20 = W::lut::<0xac>(x2, t17, t19);
    let t21 = W::lut::<0x69>(t19, t12, x5);
    let t22 = W::lut::<0x39>(t4, t15, t13);
    let t23 = W::lut::<0xac>(x2, t21, t22);
    let t24 = W::lut::<0x38>(t2, t21, t23);
    let t25 = W::lut::<0xb4>(t24, t4, t20);
    let t26 = W::lut::<0xac>(x6, t23, t25);
    [t20, t7, t26, t14]
}

/// S3: the bits of its input and output, the most significant first.
#[inline(always)]
pub(crate) fn s3<W: Lut>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = W::lut::<0xb4>(x3, x4, x6);
    let t1 = W::lut::<0x21>(t0, x2, x5);
    let t2 = W::lut::<0xb2>(x6, x5, x3);
    let t3 = W::lut::<0x43>(t2, t0, x4);
    let t4 = W::lut::<0xac>(x2, t1, t3);
    let t5 = W::lut::<0xe4>(x3, x4, x5);
    let t6 = W::lut::<0x96>(t5, x6, x2);
    let t7 = W::lut::<0xca>(x1, t4, t6);
    let t8 = W::lut::<0x69>(x6, x4, x5);
    let t9 = W::lut::<0x65>(t2, x2, t8);
    let t10 = W::lut::<0xac>(x3, t8, t9);
    let t11 = W::lut::<0xc6>(t0, t5, t6);
    let t12 = W::lut::<0x3a>(t11, t10, t4);
    let t13 = W::lut::<0xca>(x1, t10, t12);
    let t14 = W::lut::<0x9b>(t2, t4, t9);
    let t15 = W::lut::<0x16>(t12, t14, t9);
    let t16 = W::lut::<0xac>(x1, t14, t15);
    let t17 = W::lut::<0x96>(x1, t5, t0);
    let t18 = W::lut::<0x61>(t5, t9, t17);
    let t19 = W::lut::<0xac>(x6, t17, t18);
    let t20 = W::lut::<0xca>(x2, t16, t19);
    let t21 = W::lut::<0x9e>(t12, t13, t16);
    let t22 = W::lut::<0x4b>(t21, t6, x4);
    let t23 = W::lut::<0x42>(t22, t7, t2);
    let t24 = W::lut::<0xe5>(t23, t8, t18);
    let t25 = W::lut::<0xac>(x2, t22, t24);
    [t13, t20, t25, t7]
}

/// S4: the bits of its input and output, the most significant first.
#[inline(always)]
pub(crate) fn s4<W: Lut>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = W::lut::<0x7c>(x2, x4, x3);
    let t1 = W::lut::<0x52>(x3, x4, x2);
    let t2 = W::lut::<0xac>(x5, t0, t1);
    let t3 = W::lut::<0x64>(t0, x4, x5);
    let t4 = W::lut::<0x4b>(t3, t1, x2);
    let t5 = W::lut::<0xca>(x1, t2, t4);
    let t6 = W::lut::<0x9a>(x2, x3, x4);
    let t7 = W::lut::<0x5e>(t6, t1, x1);
    let t8 = W::lut::<0x78>(t4, t7, t0);
    let t9 = W::lut::<0xca>(x5, t7, t8);
    let t10 = W::lut::<0xac>(x6, t5, t9);
    let t11 = W::lut::<0xb1>(t4, t2, x1);
    let t12 = W::lut::<0x9e>(x1, x5, t4);
    let t13 = W::lut::<0x38>(t12, t6, t2);
    let t14 = W::lut::<0xca>(x2, t11, t13);
    let t15 = W::lut::<0x93>(t9, t11, x2);
    let t16 = W::lut::<0x96>(t2, x5, x1);
    let t17 = W::lut::<0x34>(t16, t6, t3);
    let t18 = W::lut::<0xca>(x4, t15, t17);
    let t19 = W::lut::<0xca>(x6, t14, t18);
    let t20 = W::lut::<0x74>(t9, x6, t5);
    let t21 = W::lut::<0x4e>(t18, t14, x6);
    [t19, t21, t20, t10]
}

/// S5: the bits of its input and output, the most significant first.
#[inline(always)]
pub(crate) fn s5<W: Lut>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = W::lut::<0x9e>(x3, x1, x5);
    let t1 = W::lut::<0x69>(t0, x6, x2);
    let t2 = W::lut::<0x4c>(t1, x6, x3);
    let t3 = W::lut::<0x3c>(t2, t0, x5);
    let t4 = W::lut::<0xd2>(x5, x2, x3);
    let t5 = W::lut::<0x1b>(t4, t1, t3);
    let t6 = W::lut::<0xac>(x1, t3, t5);
    let t7 = W::lut::<0xca>(x4, t1, t6);
    let t8 = W::lut::<0x9e>(x3, x4, x2);
    let t9 = W::lut::<0x87>(t8, t7, t5);
    let t10 = W::lut::<0xc6>(t4, t8, t0);
    let t11 = W::lut::<0xac>(x1, t9, t10);
    let t12 = W::lut::<0xe0>(t0, x3, x2);
    let t13 = W::lut::<0x94>(x3, t4, t9);
    let t14 = W::lut::<0x34>(t13, t5, t12);
    let t15 = W::lut::<0xac>(x4, t12, t14);
    let t16 = W::lut::<0xca>(x6, t11, t15);
    let t17 = W::lut::<0xbc>(x4, t5, t6);
    let t18 = W::lut::<0x83>(t17, t3, t12);
    let t19 = W::lut::<0x78>(t1, t17, t4);
    let t20 = W::lut::<0x6b>(t15, t19, t4);
    let t21 = W::lut::<0xca>(x1, t19, t20);
    let t22 = W::lut::<0xca>(x3, t18, t21);
    let t23 = W::lut::<0xe2>(x2, t16, x1);
    let t24 = W::lut::<0x96>(t23, t22, t7);
    let t25 = W::lut::<0x20>(t23, t8, t3);
    let t26 = W::lut::<0x29>(t25, t16, t24);
    let t27 = W::lut::<0xca>(x5, t24, t26);
    [t22, t7, t27, t16]
}

/// S6: the bits of its input and output, the most significant first.
#[inline(always)]
pub(crate) fn s6<W: Lut>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = W::lut::<0xe5>(x4, x2, x1);
    let t1 = W::lut::<0xc5>(t0, x1, x2);
    let t2 = W::lut::<0xca>(x5, t0, t1);
    let t3 = W::lut::<0x69>(x4, x1, x5);
    let t4 = W::lut::<0xca>(x6, t2, t3);
    let t5 = W::lut::<0x96>(t3, x6, x2);
    let t6 = W::lut::<0x19>(x6, t4, t5);
    let t7 = W::lut::<0xca>(x5, t5, t6);
    let t8 = W::lut::<0xca>(x3, t4, t7);
    let t9 = W::lut::<0x60>(t4, t5, x4);
    let t10 = W::lut::<0x83>(t9, t3, x2);
    let t11 = W::lut::<0x68>(x6, t1, t5);
    let t12 = W::lut::<0xca>(x3, t10, t11);
    let t13 = W::lut::<0x4e>(x6, x2, x1);
    let t14 = W::lut::<0x65>(t13, x3, t5);
    let t15 = W::lut::<0xca>(x5, t12, t14);
    let t16 = W::lut::<0xd6>(t5, t13, x3);
    let t17 = W::lut::<0x5a>(t14, t1, t10);
    let t18 = W::lut::<0xac>(x2, t16, t17);
    let t19 = W::lut::<0xc6>(t2, t5, x3);
    let t20 = W::lut::<0xb0>(t19, t1, t18);
    let t21 = W::lut::<0xca>(x4, t18, t20);
    let t22 = W::lut::<0x26>(t5, x4, t8);
    let t23 = W::lut::<0x59>(t22, t1, t3);
    let t24 = W::lut::<0xd6>(x4, t22, t19);
    let t25 = W::lut::<0xb1>(t24, t7, t0);
    let t26 = W::lut::<0xac>(x3, t23, t25);
    [t8, t21, t15, t26]
}

/// S7: the bits of its input and output, the most significant first.
#[inline(always)]
pub(crate) fn s7<W: Lut>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = W::lut::<0x48>(x2, x5, x6);
    let t1 = W::lut::<0x5c>(t0, x4, x3);
    let t2 = W::lut::<0xa6>(x6, x3, x2);
    let t3 = W::lut::<0x18>(t2, x4, t1);
    let t4 = W::lut::<0xca>(x5, t1, t3);
    let t5 = W::lut::<0xb4>(x5, t2, x2);
    let t6 = W::lut::<0xd2>(t5, x3, x6);
    let t7 = W::lut::<0x35>(t6, x2, t3);
    let t8 = W::lut::<0xac>(x4, t6, t7);
    let t9 = W::lut::<0xca>(x1, t4, t8);
    let t10 = W::lut::<0xa3>(t2, x5, t6);
    let t11 = W::lut::<0xd8>(t4, x2, t10);
    let t12 = W::lut::<0xac>(x4, t10, t11);
    let t13 = W::lut::<0xd4>(t8, t6, t5);
    let t14 = W::lut::<0x78>(t13, x6, t2);
    let t15 = W::lut::<0xac>(x1, t12, t14);
    let t16 = W::lut::<0x62>(x6, t7, x4);
    let t17 = W::lut::<0x69>(t16, t12, x3);
    let t18 = W::lut::<0x7c>(t6, t1, x6);
    let t19 = W::lut::<0x35>(t18, t17, t11);
    let t20 = W::lut::<0xac>(x1, t17, t19);
    let t21 = W::lut::<0x68>(x3, x5, t17);
    let t22 = W::lut::<0xac>(t21, t3, t5);
    let t23 = W::lut::<0x2b>(t12, t21, t2);
    let t24 = W::lut::<0x61>(t18, t10, t20);
    let t25 = W::lut::<0xac>(x6, t23, t24);
    let t26 = W::lut::<0xac>(x1, t22, t25);
    [t9, t15, t26, t20]
}

/// S8: the bits of its input and output, the most significant first.
#[inline(always)]
pub(crate) fn s8<W: Lut>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = W::lut::<0x1b>(x2, x5, x3);
    let t1 = W::lut::<0x39>(x5, x2, x3);
    let t2 = W::lut::<0xac>(x1, t0, t1);
    let t3 = W::lut::<0x47>(t2, x2, t1);
    let t4 = W::lut::<0xca>(x4, t2, t3);
    let t5 = W::lut::<0x9e>(x4, x3, t0);
    let t6 = W::lut::<0x39>(t5, t4, x1);
    let t7 = W::lut::<0xca>(x6, t4, t6);
    let t8 = W::lut::<0x96>(t5, x1, t1);
    let t9 = W::lut::<0x69>(x2, t8, t4);
    let t10 = W::lut::<0xca>(x4, t8, t9);
    let t11 = W::lut::<0x2a>(x3, t8, t2);
    let t12 = W::lut::<0xd2>(t11, x5, t4);
    let t13 = W::lut::<0x4d>(t0, t2, t8);
    let t14 = W::lut::<0xac>(x2, t12, t13);
    let t15 = W::lut::<0xca>(x6, t10, t14);
    let t16 = W::lut::<0x96>(t13, t4, t0);
    let t17 = W::lut::<0x47>(t16, x6, t14);
    let t18 = W::lut::<0xf2>(x6, t13, t14);
    let t19 = W::lut::<0xc5>(t18, t17, t4);
    let t20 = W::lut::<0xac>(x1, t17, t19);
    let t21 = W::lut::<0x6c>(x1, t4, t18);
    let t22 = W::lut::<0x69>(t21, t12, x5);
    let t23 = W::lut::<0xe8>(x1, t19, t4);
    let t24 = W::lut::<0x61>(t23, t22, t12);
    let t25 = W::lut::<0xac>(x2, t22, t24);
    [t20, t7, t25, t15]
}
