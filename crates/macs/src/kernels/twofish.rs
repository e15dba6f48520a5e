//! Twofish, forward (Schneier, Kelsey, Whiting, Wagner, Hall, Ferguson 1998, "Twofish: a 128-bit
//! block cipher"), with full keying: the four key-dependent S-boxes are expanded at key set-up and
//! hold the MDS matrix too, so that a round is eight look-ups. Their indices depend on the secrets.
//! CBC chains, one or many.

mod soft;
#[cfg(test)]
mod tests;

use core::array::from_fn;

use super::lanes::cbc::{CbcJob, Worth};
use crate::wipe::overwrite;

/// The code paths.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    Soft,
}

choice! {
    Soft = Some(Kernel::Soft);
}

impl Kernel {
    /// One chain Yi = E_K(Xi ⊕ Yi−1), from `y` over a run of blocks.
    #[inline(always)]
    pub(crate) fn chain(self, schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
        soft::chain(schedule, y, run);
    }

    /// From when on many chains are faster in lanes, at the earliest.
    pub(crate) fn worth(self) -> Worth {
        match self {
            Self::Soft => soft::WORTH,
        }
    }

    /// The chains of many jobs; that of `jobs[i]` goes from `y[i]` and ends there.
    ///
    /// # Panics
    /// When there are not as many `y` as jobs.
    pub(crate) fn cbc_many(self, jobs: &[CbcJob<'_, Schedule, 16>], y: &mut [[u8; 16]]) {
        match self {
            Self::Soft => soft::cbc(jobs, y),
        }
    }
}

/// The subkeys and S-boxes of a key of 16, 24 or 32 bytes.
#[derive(Clone, Copy)]
pub struct Schedule {
    /// For whitening of the input, of the output, and for eight cycles of two rounds.
    subkeys: [[u32; 4]; 10],
    s_boxes: [[u32; 256]; 4],
}

impl Schedule {
    /// What takes the place of a schedule that is dropped.
    pub(crate) const BLANK: Self = Self { subkeys: [[0; 4]; 10], s_boxes: [[0; 256]; 4] };

    /// Key set-up.
    #[inline(always)]
    pub(crate) fn set_up(&mut self, key: &[u8]) {
        match *key.as_chunks().0 {
            [a, b] => self.expand([a, b]),
            [a, b, c] => self.expand([a, b, c]),
            [a, b, c, d] => self.expand([a, b, c, d]),
            _ => unreachable!("16, 24 or 32 bytes"),
        }
    }

    /// §4.3, for a key of N pairs of words.
    #[inline]
    fn expand<const N: usize>(&mut self, key: [[u8; 8]; N]) {
        let (mut even, mut odd, mut s) = ([0; N], [0; N], [0; N]);
        for (i, &pair) in key.iter().enumerate() {
            let pair = u64::from_le_bytes(pair);
            even[i] = pair as u32;
            odd[i] = (pair >> 32) as u32;
            s[N - 1 - i] = reed_solomon(pair);
        }

        let (pairs, _) = self.subkeys.as_flattened_mut().as_chunks_mut();
        for (i, pair) in (0..).zip(pairs) {
            let a = h(2 * i, &even);
            let b = h(2 * i + 1, &odd).rotate_left(8);
            let sum = a.wrapping_add(b);
            *pair = [sum, sum.wrapping_add(b).rotate_left(9)];
        }

        let [s0, s1, s2, s3] = &mut self.s_boxes;
        fill::<N, 0>(s0, &s);
        fill::<N, 1>(s1, &s);
        fill::<N, 2>(s2, &s);
        fill::<N, 3>(s3, &s);
        for secret in [&mut even, &mut odd, &mut s] {
            overwrite(secret, [0; N]);
        }
    }
}

/// The key-dependent S-box of a column, MDS matrix included (§4.3.3).
#[inline(always)]
fn fill<const N: usize, const COLUMN: usize>(s_box: &mut [u32; 256], list: &[u32; N]) {
    for (four, entries) in s_box.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        *entries = from_fn(|x| h_column::<N, COLUMN>((4 * four + x) as u8, list));
    }
}

/// The function h of §4.3.2 on a word whose four bytes are `x`.
#[inline(always)]
fn h<const N: usize>(x: u8, list: &[u32; N]) -> u32 {
    let low = h_column::<N, 0>(x, list) ^ h_column::<N, 1>(x, list);
    low ^ h_column::<N, 2>(x, list) ^ h_column::<N, 3>(x, list)
}

/// What byte `x` of a column adds to h under `list`, the last element first.
#[inline(always)]
fn h_column<const N: usize, const COLUMN: usize>(x: u8, list: &[u32; N]) -> u32 {
    let mut x = u32::from(x);
    for i in (0..N).rev() {
        let key = (list[i] >> (8 * COLUMN)) & 0xff;
        x = u32::from(Q[Q_ORDER[3 - i][COLUMN]][x as usize]) ^ key;
    }
    Q_MDS[COLUMN][x as usize]
}

/// One word of the vector S: eight bytes of key times the matrix RS, by division by its generator
/// polynomial x⁴ + (α + 1/α)x³ + αx² + (α + 1/α)x + 1 (§4.3).
#[inline(always)]
fn reed_solomon(pair: u64) -> u32 {
    /// x⁸ + x⁶ + x³ + x² + 1.
    const POLYNOMIAL: u32 = 0x14d;
    let divide = |r: u32| {
        let top = r >> 24;
        let times_alpha = (top << 1) ^ ((top >> 7) * POLYNOMIAL);
        let over_alpha = (top >> 1) ^ ((top & 1) * (POLYNOMIAL >> 1));
        let sum = times_alpha ^ over_alpha;
        (r << 8) ^ (sum << 24) ^ (times_alpha << 16) ^ (sum << 8) ^ top
    };
    let high = (0..4).fold((pair >> 32) as u32, |r, _| divide(r));
    (0..4).fold(high ^ pair as u32, |r, _| divide(r))
}

/// The permutations q0 and q1 of bytes (§4.3.5).
static Q: [[u8; 256]; 2] = [permutation(&NIBBLES[0]), permutation(&NIBBLES[1])];

/// Which of q0 and q1 a byte of each column goes through, stage by stage: 192-bit keys leave out
/// the first stage, 128-bit keys the first two (figure 2).
const Q_ORDER: [[usize; 4]; 5] =
    [[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 1, 0]];

/// The last stage and the column's multiplication by the MDS matrix.
static Q_MDS: [[u32; 256]; 4] = q_mds();

/// The matrix MDS, row by row (§4.2).
const MDS: [[u8; 4]; 4] = [
    [0x01, 0xef, 0x5b, 0x5b],
    [0x5b, 0xef, 0xef, 0x01],
    [0xef, 0x5b, 0x01, 0xef],
    [0xef, 0x01, 0xef, 0x5b],
];

/// t0 to t3 of q0, then of q1 (§4.3.5).
const NIBBLES: [[[u8; 16]; 4]; 2] = [
    [
        [0x8, 0x1, 0x7, 0xd, 0x6, 0xf, 0x3, 0x2, 0x0, 0xb, 0x5, 0x9, 0xe, 0xc, 0xa, 0x4],
        [0xe, 0xc, 0xb, 0x8, 0x1, 0x2, 0x3, 0x5, 0xf, 0x4, 0xa, 0x6, 0x7, 0x0, 0x9, 0xd],
        [0xb, 0xa, 0x5, 0xe, 0x6, 0xd, 0x9, 0x0, 0xc, 0x8, 0xf, 0x3, 0x2, 0x4, 0x7, 0x1],
        [0xd, 0x7, 0xf, 0x4, 0x1, 0x2, 0x6, 0xe, 0x9, 0xb, 0x3, 0x0, 0x8, 0x5, 0xc, 0xa],
    ],
    [
        [0x2, 0x8, 0xb, 0xd, 0xf, 0x7, 0x6, 0xe, 0x3, 0x1, 0x9, 0x4, 0x0, 0xa, 0xc, 0x5],
        [0x1, 0xe, 0x2, 0xb, 0x4, 0xc, 0x3, 0x7, 0x6, 0xd, 0xa, 0x5, 0xf, 0x9, 0x0, 0x8],
        [0x4, 0xc, 0x7, 0x5, 0x1, 0x6, 0x9, 0xa, 0x0, 0xe, 0xd, 0x8, 0x2, 0xb, 0x3, 0xf],
        [0xb, 0x9, 0x5, 0x1, 0xc, 0x3, 0xd, 0xe, 0x6, 0x4, 0x7, 0xf, 0x2, 0x0, 0x8, 0xa],
    ],
];

/// §4.3.5, equations for a0 to a4 and b0 to b4.
const fn permutation(t: &[[u8; 16]; 4]) -> [u8; 256] {
    let mut q = [0; 256];
    let mut x = 0;
    while x < 256 {
        let (mut a, mut b) = (x as u8 >> 4, x as u8 & 15);
        let mut half = 0;
        while half < 4 {
            let rotated = (b >> 1) | (b << 3);
            (a, b) = (a ^ b, (a ^ rotated ^ (a << 3)) & 15);
            (a, b) = (t[half][a as usize], t[half + 1][b as usize]);
            half += 2;
        }
        q[x] = (b << 4) | a;
        x += 1;
    }
    q
}

const fn q_mds() -> [[u32; 256]; 4] {
    let q = [permutation(&NIBBLES[0]), permutation(&NIBBLES[1])];
    let mut table = [[0; 256]; 4];
    let mut at = 0;
    while at < 4 * 256 {
        let (column, x) = (at / 256, at % 256);
        let q = q[Q_ORDER[4][column]][x];
        let mut row = 0;
        while row < 4 {
            table[column][x] |= (times(q, MDS[row][column]) as u32) << (8 * row);
            row += 1;
        }
        at += 1;
    }
    table
}

/// The product in GF(2⁸) by x⁸ + x⁶ + x⁵ + x³ + 1 (§4.2).
const fn times(mut a: u8, mut b: u8) -> u8 {
    let mut product = 0;
    while b > 0 {
        product ^= a * (b & 1);
        a = (a << 1) ^ (0x69 * (a >> 7));
        b >>= 1;
    }
    product
}
