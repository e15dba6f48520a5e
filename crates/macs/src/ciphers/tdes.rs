//! TDES, forward (NIST SP 800-67 Rev. 2, FIPS 46-3), by tables that hold S, P and E together.
//!
//! A half block is kept expanded by E through all rounds, its eight groups of six bits in the bytes
//! of a `u64`, S1's group at the top: a group is an index as it stands, and since P and E are
//! linear, nothing has to be expanded or gathered between the rounds. FP and IP cancel out between
//! the three passes and are done once a block. The indices depend on the secrets.

use core::array::from_fn;

use cipher::array::Array;
use cipher::consts::U8;

use super::KeySchedule;
use crate::wipe::overwrite;

/// The schedule of a key of 16 bytes (two-key, K3 = K1) or 24. Bits of parity are ignored, and no
/// key is refused: weak ones, and such that make it single DES, are the caller's matter.
#[derive(Clone, Copy)]
pub struct Tdes {
    /// What masks the halves for their first use: the round keys 1 and 0.
    masks: [u64; 2],
    /// For each round what takes the half that went into it from that round's key to the key of
    /// the next round it goes into. So the addition of a key waits for no look-up.
    steps: [[u64; 16]; 3],
}

impl KeySchedule for Tdes {
    type BlockSize = U8;

    const BLANK: Self = Self { masks: [0; 2], steps: [[0; 16]; 3] };

    #[inline(always)]
    fn set_up(&mut self, key: &[u8]) {
        let (keys, _) = key.as_chunks::<8>();
        let mut first = round_keys(keys[0]);
        let mut second = round_keys(keys[1]);
        second.reverse();
        let mut third = keys.get(2).map_or(first, |&key| round_keys(key));

        // The half that a pass ends on is the one that the next pass begins with.
        self.steps = [
            steps(&first, [second[1], second[0]]),
            steps(&second, [third[1], third[0]]),
            steps(&third, [0, 0]),
        ];
        self.masks = [first[1], first[0]];
        for secret in [&mut first, &mut second, &mut third] {
            overwrite(secret, [0; 16]);
        }
    }

    #[inline(always)]
    fn encrypt(&self, block: &Array<u8, U8>) -> Array<u8, U8> {
        let [l, r] = initial_permutation(u64::from_le_bytes(block.0));
        let mut l = l ^ self.masks[0];
        let mut r = r ^ self.masks[1];
        for steps in &self.steps {
            for &[even, odd] in steps.as_chunks().0 {
                l = round(l, r);
                r = (r ^ even) & GROUPS;
                r = round(r, l);
                l = (l ^ odd) & GROUPS;
            }
            (l, r) = (r, l);
        }
        Array(final_permutation(l, r).to_le_bytes())
    }
}

/// The differences from the keys of a pass to those of the second round after, which takes the same
/// half; `next` are the keys that the two halves meet after the pass.
#[inline(always)]
fn steps(keys: &[u64; 16], next: [u64; 2]) -> [u64; 16] {
    from_fn(|i| keys[i] ^ keys.get(i + 2).copied().unwrap_or(next[i % 2]))
}

/// The bits of a half in use. No others are ever set, but the compiler does not know: the mask
/// keeps it from adding a step to the sum of the look-ups, late, in place of the half, early.
const GROUPS: u64 = 0x3f3f_3f3f_3f3f_3f3f;

/// `other` and the function f of `half`, which has the round key in it already.
#[inline(always)]
fn round(other: u64, half: u64) -> u64 {
    let x = half.to_le_bytes().map(usize::from);
    let s = |group: usize| S_P_E[group][x[7 - group]];
    // Each look-up has bits of its own, so |, + and ^ are the same; the mixture keeps the compiler
    // from making one long chain of the tree.
    other ^ ((s(0) | s(1)) + (s(2) | s(3))) ^ ((s(4) | s(5)) + (s(6) | s(7)))
}

/// L and R of IP, expanded. IP is the transpose of the block as a matrix of bits, a byte a row; its
/// columns 2, 4, 6, 8 are L, the others R.
#[inline(always)]
fn initial_permutation(block: u64) -> [u64; 2] {
    let columns = transpose(block);
    [columns, columns >> 8].map(|columns| {
        let bytes = columns & 0x00ff_00ff_00ff_00ff;
        let inner = ((bytes | bytes << 4) & 0x0f0f_0f0f_0f0f_0f0f) << 1;
        let left = inner.rotate_right(4) & 0x2020_2020_2020_2020;
        let right = inner.rotate_left(4) & 0x0101_0101_0101_0101;
        inner | left | right
    })
}

/// FP of L and R, expanded.
#[inline(always)]
fn final_permutation(l: u64, r: u64) -> u64 {
    let [l, r] = [l, r].map(|half| {
        let inner = (half >> 1) & 0x0f0f_0f0f_0f0f_0f0f;
        (inner | inner >> 4) & 0x00ff_00ff_00ff_00ff
    });
    transpose(l | r << 8)
}

/// Transposes a matrix of 8×8 bits, a byte a row (Warren 2013, Hacker's Delight §7-3).
#[inline(always)]
fn transpose(mut x: u64) -> u64 {
    let t = (x ^ (x >> 7)) & 0x00aa_00aa_00aa_00aa;
    x ^= t ^ (t << 7);
    let t = (x ^ (x >> 14)) & 0x0000_cccc_0000_cccc;
    x ^= t ^ (t << 14);
    let t = (x ^ (x >> 28)) & 0x0000_0000_f0f0_f0f0;
    x ^ t ^ (t << 28)
}

/// The round keys of DES, their groups of six bits in bytes as in a half block.
#[inline(always)]
fn round_keys(key: [u8; 8]) -> [u64; 16] {
    // PC-1: C is the columns 1, 2, 3 and half of 4, D is 7, 6, 5 and the other half.
    let columns = transpose(u64::from_le_bytes(key));
    let c = columns >> 36;
    let d = ((columns.swap_bytes() >> 32) & 0x00ff_ffff) << 4 | ((columns >> 32) & 15);
    from_fn(|round| {
        let half = |half: u64, pc2: &[[u32; 128]; 4]| {
            let turned = (half << TURNS[round]) | (half >> (28 - TURNS[round]));
            let part = |part: usize| pc2[part][(turned >> (21 - 7 * part)) as usize & 127];
            u64::from((part(0) | part(1)) | (part(2) | part(3)))
        };
        half(c, &PC2[0]) << 32 | half(d, &PC2[1])
    })
}

/// By how many bits C and D are turned for each round, all turns before included.
const TURNS: [u32; 16] = [1, 2, 4, 6, 8, 10, 12, 14, 15, 17, 19, 21, 23, 25, 27, 28];

/// What S and then P make of the six bits of each group, expanded by E. Only the first 64 entries
/// are ever read: with 256 of them a byte is an index without mask or check.
static S_P_E: [[u64; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut at = 0;
    while at < 8 * 64 {
        let (group, x) = (at / 64, at % 64);
        let (row, column) = (x >> 5 << 1 | x & 1, x >> 1 & 15);
        let nibble = (S[group][row] >> (60 - 4 * column)) as u32 & 15;
        let s = nibble << (28 - 4 * group);
        let (mut p, mut bit) = (0, 0);
        while bit < 32 {
            p |= (s >> (32 - P[bit]) & 1) << (31 - bit);
            bit += 1;
        }
        table[group][x] = expand(p);
        at += 1;
    }
    table
};

/// E, a group a byte: each nibble with the bit before it and the bit after it.
const fn expand(half: u32) -> u64 {
    let (mut expanded, mut group) = (0, 0);
    while group < 8 {
        expanded = expanded << 8 | (half.rotate_left(4 * group + 5) & 63) as u64;
        group += 1;
    }
    expanded
}

/// PC-2 of C and of D, by seven bits of them: its groups of six bits in bytes.
static PC2: [[[u32; 128]; 4]; 2] = {
    let mut table = [[[0; 128]; 4]; 2];
    let mut at = 0;
    while at < 48 {
        let (half, group, bit) = (at / 24, at % 24 / 6, at % 6);
        let from = PC2_BITS[at] as usize - 1 - 28 * half;
        let mut x = 0;
        while x < 128 {
            let set = (x >> (6 - from % 7) & 1) as u32;
            table[half][from / 7][x] |= set << (8 * (3 - group) + 5 - bit);
            x += 1;
        }
        at += 1;
    }
    table
};

/// S1 to S8, four rows each; a nibble a column.
const S: [[u64; 4]; 8] = [
    [0xe4d1_2fb8_3a6c_5907, 0x0f74_e2d1_a6cb_9538, 0x41e8_d62b_fc97_3a50, 0xfc82_4917_5b3e_a06d],
    [0xf18e_6b34_972d_c05a, 0x3d47_f28e_c01a_69b5, 0x0e7b_a4d1_58c6_932f, 0xd8a1_3f42_b67c_05e9],
    [0xa09e_63f5_1dc7_b428, 0xd709_346a_285e_cbf1, 0xd649_8f30_b12c_5ae7, 0x1ad0_6987_4fe3_b52c],
    [0x7de3_069a_1285_bc4f, 0xd8b5_6f03_472c_1ae9, 0xa690_cb7d_f13e_5284, 0x3f06_a1d8_945b_c72e],
    [0x2c41_7ab6_853f_d0e9, 0xeb2c_47d1_50fa_3986, 0x421b_ad78_f9c5_630e, 0xb8c7_1e2d_6f09_a453],
    [0xc1af_9268_0d34_e75b, 0xaf42_7c95_61de_0b38, 0x9ef5_28c3_704a_1db6, 0x432c_95fa_be17_608d],
    [0x4b2e_f08d_3c97_5a61, 0xd0b7_491a_e35c_2f86, 0x14bd_c37e_af68_0592, 0x6bd8_14a7_950f_e23c],
    [0xd284_6fb1_a93e_50c7, 0x1fd8_a374_c56b_0e92, 0x7b41_9ce2_06ad_f358, 0x21e7_4a8d_fc90_356b],
];

const P: [u32; 32] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, //
    2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
];

const PC2_BITS: [u8; 48] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, //
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];
