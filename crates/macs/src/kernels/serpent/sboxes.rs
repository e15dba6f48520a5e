//! The S-boxes of Serpent as circuits, found by a search for a short longest path and then for few
//! gates. The first word has the least bits.

use core::ops::{BitAnd, BitOr, BitXor, Not};

/// Bits side by side.
pub(crate) trait Word:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
}

impl<W> Word for W where
    W: Copy + BitAnd<Output = W> + BitOr<Output = W> + BitXor<Output = W> + Not<Output = W>
{
}

/// S0.
#[inline(always)]
pub(crate) fn s0<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let t0 = !d & b;
    let t1 = !a & d;
    let t2 = t0 ^ t1;
    let t3 = b | a;
    let t4 = !t3;
    let t5 = a ^ b;
    let t6 = d & t5;
    let t7 = t4 ^ t6;
    let t8 = !c & t7;
    let t9 = t2 ^ t8;
    let t10 = t5 ^ d;
    let t11 = t0 ^ t3;
    let t12 = !c & t11;
    let t13 = t10 ^ t12;
    let t14 = t5 ^ c;
    let t15 = t14 ^ t1;
    let t16 = t15 | t7;
    let t17 = t16 ^ t11;
    [t9, t17, t13, t15]
}

/// S1.
#[inline(always)]
pub(crate) fn s1<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let t0 = a ^ b;
    let t1 = !t0;
    let t2 = d & a;
    let t3 = t1 ^ t2;
    let t4 = !t0 & d;
    let t5 = t4 ^ b;
    let t6 = c & t5;
    let t7 = t3 ^ t6;
    let t8 = t1 | d;
    let t9 = t8 & t5;
    let t10 = t8 ^ b;
    let t11 = !c & t10;
    let t12 = t9 ^ t11;
    let t13 = a | t1;
    let t14 = t13 ^ c;
    let t15 = t14 ^ d;
    let t16 = t10 | t14;
    let t17 = t16 ^ t5;
    [t7, t12, t15, t17]
}

/// S2.
#[inline(always)]
pub(crate) fn s2<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let t0 = d ^ b;
    let t1 = t0 ^ c;
    let t2 = a & c;
    let t3 = t1 ^ t2;
    let t4 = c ^ a;
    let t5 = !t4;
    let t6 = t2 ^ t0;
    let t7 = b & t6;
    let t8 = t5 ^ t7;
    let t9 = d | t3;
    let t10 = t9 ^ t4;
    let t11 = !a & t1;
    let t12 = !b & t11;
    let t13 = t10 ^ t12;
    let t14 = t4 | b;
    let t15 = t14 ^ t6;
    let t16 = !d & t11;
    let t17 = t15 ^ t16;
    [t3, t13, t17, t8]
}

/// S3.
#[inline(always)]
pub(crate) fn s3<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let t0 = b & a;
    let t1 = !t0;
    let t2 = d & t1;
    let t3 = b ^ t2;
    let t4 = a | d;
    let t5 = !c & t4;
    let t6 = t3 ^ t5;
    let t7 = b ^ t5;
    let t8 = !d & b;
    let t9 = t8 ^ a;
    let t10 = c & t9;
    let t11 = t7 ^ t10;
    let t12 = t0 | c;
    let t13 = t12 ^ t7;
    let t14 = d & t9;
    let t15 = t13 ^ t14;
    let t16 = t12 ^ t9;
    let t17 = t16 ^ t3;
    [t11, t6, t17, t15]
}

/// S4.
#[inline(always)]
pub(crate) fn s4<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let t0 = b | c;
    let t1 = t0 ^ a;
    let t2 = a | b;
    let t3 = d & t2;
    let t4 = t1 ^ t3;
    let t5 = t2 ^ d;
    let t6 = !t5 & t0;
    let t7 = !c;
    let t8 = !d & b;
    let t9 = t7 ^ t8;
    let t10 = a & t9;
    let t11 = t6 ^ t10;
    let t12 = a ^ b;
    let t13 = t12 ^ t9;
    let t14 = t7 | t12;
    let t15 = !d & t14;
    let t16 = t13 ^ t15;
    let t17 = a | t5;
    let t18 = t17 ^ t13;
    [t18, t16, t11, t4]
}

/// S5.
#[inline(always)]
pub(crate) fn s5<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let t0 = d & b;
    let t1 = d ^ b;
    let t2 = !a & t1;
    let t3 = t0 ^ t2;
    let t4 = !c;
    let t5 = t3 ^ t4;
    let t6 = t4 ^ t1;
    let t7 = !t3 & t6;
    let t8 = !b & c;
    let t9 = t8 | t0;
    let t10 = !a & t9;
    let t11 = t7 ^ t10;
    let t12 = a ^ b;
    let t13 = !d & t5;
    let t14 = t12 ^ t13;
    let t15 = !d & a;
    let t16 = t15 ^ t6;
    let t17 = c & t7;
    let t18 = t16 ^ t17;
    [t5, t14, t11, t18]
}

/// S6.
#[inline(always)]
pub(crate) fn s6<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let t0 = !d;
    let t1 = d ^ c;
    let t2 = a & t1;
    let t3 = t0 ^ t2;
    let t4 = a ^ d;
    let t5 = t4 | t1;
    let t6 = !b & t5;
    let t7 = t3 ^ t6;
    let t8 = t1 ^ b;
    let t9 = t8 | t6;
    let t10 = b | t4;
    let t11 = a & t10;
    let t12 = t9 ^ t11;
    let t13 = a | t0;
    let t14 = t13 ^ t8;
    let t15 = t5 & t10;
    let t16 = t15 ^ t14;
    let t17 = t16 ^ t2;
    [t17, t14, t7, t12]
}

/// S7.
#[inline(always)]
pub(crate) fn s7<W: Word>([a, b, c, d]: [W; 4]) -> [W; 4] {
    let t0 = !c;
    let t1 = a & b;
    let t2 = t0 ^ t1;
    let t3 = b ^ a;
    let t4 = t3 | c;
    let t5 = d & t4;
    let t6 = t2 ^ t5;
    let t7 = t3 ^ c;
    let t8 = !b & c;
    let t9 = t8 ^ d;
    let t10 = a & t9;
    let t11 = t7 ^ t10;
    let t12 = t9 ^ t3;
    let t13 = a & t2;
    let t14 = !d & t13;
    let t15 = t12 ^ t14;
    let t16 = t11 & t12;
    let t17 = d & t9;
    let t18 = t16 ^ t17;
    [t6, t15, t18, t11]
}
