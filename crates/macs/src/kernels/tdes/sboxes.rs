//! The S-boxes of DES (FIPS 46-3) as circuits of AND, OR, XOR, AND-NOT and NOT, found by a search
//! for few gates: outputs one after the other over all gates so far, split by an input where no
//! two further gates make one.

mod last_four;

pub(crate) use last_four::{s5, s6, s7, s8};

/// A word of bits.
pub(crate) trait Word: Copy {
    /// Bitwise AND.
    fn and(self, other: Self) -> Self;
    /// Bitwise AND of `self` and the complement of `other`.
    fn and_not(self, other: Self) -> Self;
    /// Bitwise NOT.
    fn not(self) -> Self;
    /// Bitwise OR.
    fn or(self, other: Self) -> Self;
    /// Bitwise XOR.
    fn xor(self, other: Self) -> Self;

    /// The S-box of this group, counted from 0.
    #[inline(always)]
    fn s_box<const GROUP: usize>(x: [Self; 6]) -> [Self; 4] {
        match GROUP {
            0 => s1(x),
            1 => s2(x),
            2 => s3(x),
            3 => s4(x),
            4 => s5(x),
            5 => s6(x),
            6 => s7(x),
            _ => s8(x),
        }
    }
}

/// The bits of input and output, the most significant first.
#[inline(always)]
pub(crate) fn s1<W: Word>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = x4.xor(x1);
    let t1 = x1.or(x4);
    let t2 = x3.and(t1);
    let t3 = t0.xor(t2);
    let t4 = x3.xor(t2);
    let t5 = t4.and_not(x6);
    let t6 = t3.xor(t5);
    let t7 = x3.xor(x6);
    let t8 = t7.or(t4);
    let t9 = t6.or(x6);
    let t10 = t9.not();
    let t11 = x1.and(t10);
    let t12 = t8.xor(t11);
    let t13 = x5.and(t12);
    let t14 = t6.xor(t13);
    let t15 = t10.xor(x3);
    let t16 = x5.and(t1);
    let t17 = t15.xor(t16);
    let t18 = t11.and_not(t17);
    let t19 = t17.xor(t18);
    let t20 = t19.and_not(x2);
    let t21 = t14.xor(t20);
    let t22 = t13.and_not(x6);
    let t23 = t22.xor(x2);
    let t24 = t0.or(t21);
    let t25 = x6.and(t12);
    let t26 = t24.xor(t25);
    let t27 = t26.and_not(x5);
    let t28 = t23.xor(t27);
    let t29 = t13.and_not(t21);
    let t30 = t29.xor(x6);
    let t31 = t24.xor(t19);
    let t32 = t31.and_not(t12);
    let t33 = t32.and_not(x5);
    let t34 = t30.xor(t33);
    let t35 = t34.and_not(x4);
    let t36 = t28.xor(t35);
    let t37 = t12.xor(t23);
    let t38 = t11.or(t31);
    let t39 = t38.not();
    let t40 = t39.and_not(x3);
    let t41 = t37.xor(t40);
    let t42 = t20.xor(t29);
    let t43 = t31.and(t23);
    let t44 = t43.or(t6);
    let t45 = x6.and(t44);
    let t46 = t42.xor(t45);
    let t47 = x5.and(t46);
    let t48 = t41.xor(t47);
    let t49 = t46.or(t41);
    let t50 = t49.xor(t15);
    let t51 = t37.and(t8);
    let t52 = t34.and_not(t51);
    let t53 = t52.and_not(x1);
    let t54 = t50.xor(t53);
    let t55 = x1.and_not(t6);
    let t56 = t52.or(t5);
    let t57 = x3.and(t56);
    let t58 = t55.xor(t57);
    let t59 = x5.and(t58);
    let t60 = t54.xor(t59);
    [t36, t21, t48, t60]
}

/// S2: the bits of its input and output, the most significant first.
/// The bits of input and output, the most significant first.
#[inline(always)]
pub(crate) fn s2<W: Word>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = x1.xor(x6);
    let t1 = t0.xor(x5);
    let t2 = t1.and(x6);
    let t3 = t2.not();
    let t4 = t3.and_not(x1);
    let t5 = t2.xor(t4);
    let t6 = x2.and(t5);
    let t7 = t1.xor(t6);
    let t8 = x5.and(t5);
    let t9 = t8.or(x2);
    let t10 = x4.and(t9);
    let t11 = t7.xor(t10);
    let t12 = t3.and_not(t6);
    let t13 = t12.or(t0);
    let t14 = t13.and_not(x3);
    let t15 = t11.xor(t14);
    let t16 = x3.xor(t1);
    let t17 = t15.and_not(x5);
    let t18 = t16.xor(t17);
    let t19 = x6.and_not(t17);
    let t20 = x1.and(t19);
    let t21 = t18.xor(t20);
    let t22 = t15.xor(t9);
    let t23 = t22.and_not(x3);
    let t24 = t3.xor(t23);
    let t25 = t16.and(t10);
    let t26 = t25.not();
    let t27 = x4.and(t26);
    let t28 = t24.xor(t27);
    let t29 = t28.and_not(x2);
    let t30 = t21.xor(t29);
    let t31 = x4.xor(t20);
    let t32 = t31.xor(t22);
    let t33 = x4.xor(t8);
    let t34 = t33.xor(t30);
    let t35 = t34.and_not(x3);
    let t36 = t32.xor(t35);
    let t37 = t27.and_not(t11);
    let t38 = t36.and(t28);
    let t39 = t38.xor(t12);
    let t40 = t39.and_not(x1);
    let t41 = t37.xor(t40);
    let t42 = t41.and_not(x6);
    let t43 = t36.xor(t42);
    let t44 = x3.or(t17);
    let t45 = t44.xor(t24);
    let t46 = x3.xor(t39);
    let t47 = x5.and(t46);
    let t48 = t16.xor(t47);
    let t49 = t48.and_not(x6);
    let t50 = t45.xor(t49);
    let t51 = t33.xor(t9);
    let t52 = t51.or(t11);
    let t53 = x4.and(t52);
    let t54 = t50.xor(t53);
    [t15, t54, t43, t30]
}

/// S3: the bits of its input and output, the most significant first.
/// The bits of input and output, the most significant first.
#[inline(always)]
pub(crate) fn s3<W: Word>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = x4.xor(x6);
    let t1 = t0.xor(x2);
    let t2 = x3.xor(x4);
    let t3 = x5.and(t2);
    let t4 = t1.xor(t3);
    let t5 = t2.or(x5);
    let t6 = t1.not();
    let t7 = t6.and_not(x4);
    let t8 = t5.xor(t7);
    let t9 = x3.and_not(t7);
    let t10 = t9.xor(t6);
    let t11 = x5.and(t4);
    let t12 = t10.xor(t11);
    let t13 = x2.and(t12);
    let t14 = t8.xor(t13);
    let t15 = x1.and(t14);
    let t16 = t4.xor(t15);
    let t17 = x1.xor(t4);
    let t18 = t17.not();
    let t19 = t4.xor(x5);
    let t20 = t19.or(t0);
    let t21 = x4.and(t20);
    let t22 = t18.xor(t21);
    let t23 = x2.xor(t20);
    let t24 = t23.or(t18);
    let t25 = t24.and_not(x1);
    let t26 = x1.xor(t25);
    let t27 = t26.and_not(x3);
    let t28 = t22.xor(t27);
    let t29 = t0.and_not(t28);
    let t30 = t29.xor(t19);
    let t31 = t16.xor(t28);
    let t32 = x2.and(t31);
    let t33 = t4.xor(t32);
    let t34 = t33.and_not(x6);
    let t35 = t30.xor(t34);
    let t36 = t12.or(t22);
    let t37 = t36.and_not(t13);
    let t38 = x6.and_not(t11);
    let t39 = t38.xor(x2);
    let t40 = t39.and_not(x3);
    let t41 = t37.xor(t40);
    let t42 = t41.and_not(x1);
    let t43 = t35.xor(t42);
    let t44 = t35.and(x5);
    let t45 = t44.xor(t17);
    let t46 = t5.xor(t44);
    let t47 = x2.and(t46);
    let t48 = t45.xor(t47);
    let t49 = t25.and_not(t39);
    let t50 = t49.xor(x2);
    let t51 = x3.and(t42);
    let t52 = t50.xor(t51);
    let t53 = t52.and_not(x4);
    let t54 = t48.xor(t53);
    [t54, t28, t43, t16]
}

/// S4: the bits of its input and output, the most significant first.
/// The bits of input and output, the most significant first.
#[inline(always)]
pub(crate) fn s4<W: Word>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = x4.or(x5);
    let t1 = t0.xor(x2);
    let t2 = x4.and_not(t1);
    let t3 = t2.xor(x5);
    let t4 = t3.and_not(x3);
    let t5 = t1.xor(t4);
    let t6 = x3.and_not(t3);
    let t7 = t6.not();
    let t8 = t1.xor(x3);
    let t9 = x2.and(t8);
    let t10 = t7.xor(t9);
    let t11 = t10.and_not(x1);
    let t12 = t5.xor(t11);
    let t13 = t10.xor(x4);
    let t14 = t13.xor(t12);
    let t15 = t4.or(x4);
    let t16 = t15.and_not(x1);
    let t17 = t14.xor(t16);
    let t18 = t11.or(x1);
    let t19 = t18.xor(t6);
    let t20 = x2.and(t19);
    let t21 = t17.xor(t20);
    let t22 = x6.and(t21);
    let t23 = t12.xor(t22);
    let t24 = t3.xor(t18);
    let t25 = t14.or(t4);
    let t26 = t25.and(t21);
    let t27 = t26.and_not(x2);
    let t28 = t24.xor(t27);
    let t29 = t11.and_not(t13);
    let t30 = t11.xor(t27);
    let t31 = t30.and_not(x2);
    let t32 = t29.xor(t31);
    let t33 = x4.or(t5);
    let t34 = x3.and(t33);
    let t35 = t32.xor(t34);
    let t36 = t35.and_not(x6);
    let t37 = t28.xor(t36);
    let t38 = x6.and_not(t35);
    let t39 = t38.xor(t28);
    let t40 = t23.xor(t21);
    let t41 = t40.xor(x6);
    [t37, t39, t41, t23]
}
