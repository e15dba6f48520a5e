//! S5 to S8.

use super::Word;

/// The bits of input and output, the most significant first.
#[inline(always)]
pub(crate) fn s5<W: Word>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = x1.xor(x3);
    let t1 = t0.not();
    let t2 = t1.xor(x2);
    let t3 = t2.xor(x6);
    let t4 = x6.or(x3);
    let t5 = t4.and(x1);
    let t6 = t4.and(t3);
    let t7 = t6.not();
    let t8 = t7.and_not(x2);
    let t9 = t5.xor(t8);
    let t10 = t9.and_not(x4);
    let t11 = t3.xor(t10);
    let t12 = x3.or(t1);
    let t13 = x1.xor(x6);
    let t14 = t13.and(t0);
    let t15 = t14.and_not(x4);
    let t16 = t12.xor(t15);
    let t17 = x5.and(t16);
    let t18 = t11.xor(t17);
    let t19 = x4.and(x3);
    let t20 = t19.xor(t7);
    let t21 = t11.and_not(t19);
    let t22 = t21.xor(t1);
    let t23 = t22.and_not(x2);
    let t24 = t20.xor(t23);
    let t25 = t9.xor(t1);
    let t26 = t25.or(t21);
    let t27 = x3.xor(t18);
    let t28 = t27.xor(x4);
    let t29 = t28.and_not(x6);
    let t30 = t26.xor(t29);
    let t31 = t30.and_not(x5);
    let t32 = t24.xor(t31);
    let t33 = x4.xor(t9);
    let t34 = t33.xor(t14);
    let t35 = t26.and_not(t15);
    let t36 = t35.not();
    let t37 = x5.and(t36);
    let t38 = t34.xor(t37);
    let t39 = t23.xor(t25);
    let t40 = t39.and_not(t10);
    let t41 = t9.xor(t17);
    let t42 = x5.and(t41);
    let t43 = t40.xor(t42);
    let t44 = t43.and_not(x2);
    let t45 = t38.xor(t44);
    let t46 = t13.or(t18);
    let t47 = t46.xor(t0);
    let t48 = t16.or(x5);
    let t49 = x2.and(t48);
    let t50 = t47.xor(t49);
    let t51 = t47.or(t34);
    let t52 = t51.xor(t50);
    let t53 = t45.and_not(t22);
    let t54 = t53.not();
    let t55 = t54.and_not(x5);
    let t56 = t52.xor(t55);
    let t57 = x4.and(t56);
    let t58 = t50.xor(t57);
    [t58, t18, t45, t32]
}

/// S6: the bits of its input and output, the most significant first.
/// The bits of input and output, the most significant first.
#[inline(always)]
pub(crate) fn s6<W: Word>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = x6.xor(x4);
    let t1 = t0.xor(x3);
    let t2 = x3.and_not(x2);
    let t3 = t1.xor(t2);
    let t4 = x6.xor(x2);
    let t5 = t4.or(x3);
    let t6 = x1.and(t5);
    let t7 = t3.xor(t6);
    let t8 = x2.or(t7);
    let t9 = t8.xor(x3);
    let t10 = t4.xor(t3);
    let t11 = t10.and_not(x1);
    let t12 = t9.xor(t11);
    let t13 = x1.and_not(x2);
    let t14 = t13.or(x6);
    let t15 = t14.and_not(x4);
    let t16 = t12.xor(t15);
    let t17 = x5.and(t16);
    let t18 = t7.xor(t17);
    let t19 = t16.and(t5);
    let t20 = t19.xor(x5);
    let t21 = t18.or(t4);
    let t22 = t21.and(t8);
    let t23 = t22.and_not(x2);
    let t24 = t20.xor(t23);
    let t25 = t21.and_not(t7);
    let t26 = t25.not();
    let t27 = t3.and(x5);
    let t28 = x3.and(t27);
    let t29 = t26.xor(t28);
    let t30 = t29.and_not(x1);
    let t31 = t24.xor(t30);
    let t32 = t18.and_not(t1);
    let t33 = t32.xor(t20);
    let t34 = t25.or(t16);
    let t35 = t34.and_not(x5);
    let t36 = x1.and(t35);
    let t37 = t33.xor(t36);
    let t38 = t10.or(x1);
    let t39 = t38.and(t18);
    let t40 = t35.and_not(x1);
    let t41 = t39.xor(t40);
    let t42 = x6.and(t41);
    let t43 = t37.xor(t42);
    let t44 = t20.and(t18);
    let t45 = t29.and_not(t44);
    let t46 = t11.xor(t37);
    let t47 = t46.and_not(t32);
    let t48 = x6.and(t47);
    let t49 = t45.xor(t48);
    let t50 = t49.xor(t13);
    let t51 = t50.xor(t27);
    let t52 = x2.and_not(t48);
    let t53 = t52.and_not(x1);
    let t54 = t51.xor(t53);
    let t55 = x5.and(t54);
    let t56 = t49.xor(t55);
    [t56, t31, t18, t43]
}

/// S7: the bits of its input and output, the most significant first.
/// The bits of input and output, the most significant first.
#[inline(always)]
pub(crate) fn s7<W: Word>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = x3.and_not(x6);
    let t1 = t0.xor(x4);
    let t2 = t1.xor(x2);
    let t3 = x6.or(x4);
    let t4 = x3.xor(x4);
    let t5 = t4.and_not(x2);
    let t6 = t3.xor(t5);
    let t7 = x5.and(t6);
    let t8 = t2.xor(t7);
    let t9 = x5.or(t6);
    let t10 = t7.or(t5);
    let t11 = t10.and_not(x6);
    let t12 = t9.xor(t11);
    let t13 = x6.or(t8);
    let t14 = t13.and(x2);
    let t15 = t14.and_not(x3);
    let t16 = t12.xor(t15);
    let t17 = t16.and_not(x1);
    let t18 = t8.xor(t17);
    let t19 = t10.xor(t4);
    let t20 = t19.xor(t16);
    let t21 = t14.and(t19);
    let t22 = t21.not();
    let t23 = x1.and(t22);
    let t24 = t20.xor(t23);
    let t25 = x1.xor(t18);
    let t26 = t25.or(t0);
    let t27 = x4.and(t26);
    let t28 = t11.xor(t27);
    let t29 = t28.and_not(x5);
    let t30 = t24.xor(t29);
    let t31 = t11.or(t2);
    let t32 = t31.xor(t29);
    let t33 = x6.or(t11);
    let t34 = t33.and_not(x3);
    let t35 = t32.xor(t34);
    let t36 = x5.xor(t21);
    let t37 = t36.and(x6);
    let t38 = x3.and(t37);
    let t39 = t9.xor(t38);
    let t40 = t39.and_not(x1);
    let t41 = t35.xor(t40);
    let t42 = t16.xor(t8);
    let t43 = t9.xor(t16);
    let t44 = t43.not();
    let t45 = t44.and_not(x1);
    let t46 = t42.xor(t45);
    let t47 = t39.xor(t41);
    let t48 = t47.xor(t28);
    let t49 = t48.and_not(t6);
    let t50 = t49.and_not(x2);
    let t51 = t48.xor(t50);
    let t52 = x6.and(t51);
    let t53 = t46.xor(t52);
    [t18, t53, t41, t30]
}

/// S8: the bits of its input and output, the most significant first.
/// The bits of input and output, the most significant first.
#[inline(always)]
pub(crate) fn s8<W: Word>([x1, x2, x3, x4, x5, x6]: [W; 6]) -> [W; 4] {
    let t0 = x2.xor(x4);
    let t1 = t0.and_not(x4);
    let t2 = t1.or(x1);
    let t3 = t2.and_not(x5);
    let t4 = t0.xor(t3);
    let t5 = x2.or(x1);
    let t6 = t5.xor(x5);
    let t7 = t6.and_not(x3);
    let t8 = t4.xor(t7);
    let t9 = t7.xor(x4);
    let t10 = t9.xor(x3);
    let t11 = t10.not();
    let t12 = t11.and_not(x1);
    let t13 = t10.xor(t12);
    let t14 = x3.and_not(t13);
    let t15 = t14.and_not(x2);
    let t16 = t13.xor(t15);
    let t17 = t16.and_not(x6);
    let t18 = t8.xor(t17);
    let t19 = x3.or(t1);
    let t20 = t19.xor(t18);
    let t21 = t9.and_not(x5);
    let t22 = t20.xor(t21);
    let t23 = t5.and_not(t11);
    let t24 = t23.and_not(x1);
    let t25 = t22.xor(t24);
    let t26 = t0.and(t17);
    let t27 = t26.xor(t5);
    let t28 = t20.xor(t10);
    let t29 = t28.and_not(x4);
    let t30 = t27.xor(t29);
    let t31 = t30.and_not(x6);
    let t32 = t25.xor(t31);
    let t33 = t6.and_not(t8);
    let t34 = t33.xor(t11);
    let t35 = t9.or(x2);
    let t36 = t35.xor(t6);
    let t37 = x1.and(t36);
    let t38 = t34.xor(t37);
    let t39 = t20.not();
    let t40 = t16.xor(t30);
    let t41 = x5.and(t40);
    let t42 = t39.xor(t41);
    let t43 = t38.or(t21);
    let t44 = t43.and_not(x1);
    let t45 = t42.xor(t44);
    let t46 = x6.and(t45);
    let t47 = t38.xor(t46);
    let t48 = t38.not();
    let t49 = t32.xor(t20);
    let t50 = t3.xor(t34);
    let t51 = x4.and(t50);
    let t52 = t49.xor(t51);
    let t53 = t52.and_not(x6);
    let t54 = t48.xor(t53);
    [t54, t18, t32, t47]
}
