//! SubBytes (FIPS 197 §5.1.1) and its inverse on bit planes, by the circuit of Boyar, Peralta, A
//! Small Depth-16 Circuit for the AES S-Box, SEC 2012, whose names the variables have: the top
//! linear transformation, inversion in GF(2^8) by way of GF(2^4), and the bottom one.

use super::Planes;

/// The sums that the products are made of: y1 to y21, and x7 in the place of a y0.
#[inline(always)]
fn top([x7, x6, x5, x4, x3, x2, x1, x0]: Planes) -> [u64; 22] {
    let y14 = x3 ^ x5;
    let y13 = x0 ^ x6;
    let y9 = x0 ^ x3;
    let y8 = x0 ^ x5;
    let t0 = x1 ^ x2;
    let y1 = t0 ^ x7;
    let y4 = y1 ^ x3;
    let y12 = y13 ^ y14;
    let y2 = y1 ^ x0;
    let y5 = y1 ^ x6;
    let y3 = y5 ^ y8;
    let t1 = x4 ^ y12;
    let y15 = t1 ^ x5;
    let y20 = t1 ^ x1;
    let y6 = y15 ^ x7;
    let y10 = y15 ^ t0;
    let y11 = y20 ^ y9;
    let y7 = x7 ^ y11;
    let y17 = y10 ^ y11;
    let y19 = y10 ^ y8;
    let y16 = t0 ^ y11;
    let y21 = y13 ^ y16;
    let y18 = x0 ^ y16;
    [
        x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19,
        y20, y21,
    ]
}

/// The inverse in GF(2^4) that the last products need: t29, t33, t37, t40.
#[inline(always)]
fn middle(y: &[u64; 22]) -> [u64; 4] {
    let t2 = y[12] & y[15];
    let t4 = y[3] & y[6] ^ t2;
    let t6 = y[4] & y[0] ^ t2;
    let t7 = y[13] & y[16];
    let t9 = y[5] & y[1] ^ t7;
    let t11 = y[2] & y[7] ^ t7;
    let t12 = y[9] & y[11];
    let t14 = y[14] & y[17] ^ t12;
    let t16 = y[8] & y[10] ^ t12;
    let t21 = t4 ^ t14 ^ y[20];
    let t22 = t6 ^ t16 ^ y[19];
    let t23 = t9 ^ t14 ^ y[21];
    let t24 = t11 ^ t16 ^ y[18];
    let t25 = t21 ^ t22;
    let t26 = t21 & t23;
    let t27 = t24 ^ t26;
    let t29 = t25 & t27 ^ t22;
    let t33 = (t22 ^ t26) & (t23 ^ t24) ^ t24;
    let t35 = t27 ^ t33;
    let t36 = t24 & t35;
    let t37 = t36 ^ t23 ^ t33;
    let t40 = t25 ^ t29 & (t27 ^ t36);
    [t29, t33, t37, t40]
}

/// z0 to z17.
#[inline(always)]
fn products(y: &[u64; 22], [t29, t33, t37, t40]: [u64; 4]) -> [u64; 18] {
    let t41 = t40 ^ t37;
    let t42 = t29 ^ t33;
    let t43 = t29 ^ t40;
    let t44 = t33 ^ t37;
    let t45 = t42 ^ t41;
    [
        t44 & y[15],
        t37 & y[6],
        t33 & y[0],
        t43 & y[16],
        t40 & y[1],
        t29 & y[7],
        t42 & y[11],
        t45 & y[17],
        t41 & y[10],
        t44 & y[12],
        t37 & y[3],
        t33 & y[4],
        t43 & y[13],
        t40 & y[5],
        t29 & y[2],
        t42 & y[9],
        t45 & y[14],
        t41 & y[8],
    ]
}

#[inline(always)]
fn bottom(z: &[u64; 18]) -> Planes {
    let t46 = z[15] ^ z[16];
    let t47 = z[10] ^ z[11];
    let t48 = z[5] ^ z[13];
    let t49 = z[9] ^ z[10];
    let t50 = z[2] ^ z[12];
    let t51 = z[2] ^ z[5];
    let t52 = z[7] ^ z[8];
    let t53 = z[0] ^ z[3];
    let t54 = z[6] ^ z[7];
    let t55 = z[16] ^ z[17];
    let t56 = z[12] ^ t48;
    let t57 = t50 ^ t53;
    let t58 = z[4] ^ t46;
    let t59 = z[3] ^ t54;
    let t60 = t46 ^ t57;
    let t61 = z[14] ^ t57;
    let t62 = t52 ^ t58;
    let t63 = t49 ^ t58;
    let t64 = z[4] ^ t59;
    let t65 = t61 ^ t62;
    let t66 = z[1] ^ t63;
    let s0 = t59 ^ t63;
    let s6 = t56 ^ !t62;
    let s7 = t48 ^ !t60;
    let t67 = t64 ^ t65;
    let s3 = t53 ^ t66;
    let s4 = t51 ^ t66;
    let s5 = t47 ^ t65;
    let s1 = t64 ^ !s3;
    let s2 = t55 ^ !t67;
    [s7, s6, s5, s4, s3, s2, s1, s0]
}

#[inline(always)]
pub(super) fn sub_bytes(planes: &mut Planes) {
    let y = top(*planes);
    *planes = bottom(&products(&y, middle(&y)));
}

/// The inverse of the affine transformation of FIPS 197 §5.1.1.
#[inline(always)]
fn inv_affine(mut planes: Planes) -> Planes {
    for i in [0, 1, 5, 6] {
        planes[i] = !planes[i];
    }
    core::array::from_fn(|i| planes[(i + 2) % 8] ^ planes[(i + 5) % 8] ^ planes[(i + 7) % 8])
}

/// SubBytes is inversion and then the affine transformation, and inversion is its own inverse.
#[inline(always)]
pub(super) fn inv_sub_bytes(planes: &mut Planes) {
    *planes = inv_affine(*planes);
    sub_bytes(planes);
    *planes = inv_affine(*planes);
}
