//! TDES on bits: a word holds the same bit of as many blocks as it is wide, each block under a key
//! of its own. No table is read and no branch taken by secrets.

use core::mem::swap;

pub(crate) use super::sboxes::Word;
use super::{E, P, PC1, PC2, Schedule, TURNS};
use crate::kernels::lanes::cbc::Fill;
use crate::wipe::overwrite;

/// A word that knows its lanes: `LEN` times 64 of them.
pub(crate) trait Slice: Word {
    /// Number of `u64` in it.
    const LEN: usize;
    /// Of zeros.
    fn zero() -> Self;
    /// From `LEN` of them.
    fn load(from: &[u64]) -> Self;
    /// Into `LEN` of them.
    fn store(self, to: &mut [u64]);
    /// Each `u64` shifted to the left.
    fn shl<const N: u32>(self) -> Self;
    /// Each `u64` shifted to the right.
    fn shr<const N: u32>(self) -> Self;
    /// The same `u64` everywhere.
    fn splat(x: u64) -> Self;
}

/// The halves and the raw keys of all lanes, bit by bit: bit `c` of a half or a key, counted from
/// the least of its bytes read as a little-endian number, is word `c`.
#[repr(C, align(64))]
pub(crate) struct Lanes<W: Slice> {
    l: [W; 32],
    r: [W; 32],
    keys: [[W; 64]; 3],
}

impl<W: Slice> Lanes<W> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { l: [W::zero(); 32], r: [W::zero(); 32], keys: [[W::zero(); 64]; 3] }
    }

    /// Begins chains in lanes.
    #[inline(always)]
    pub(crate) fn put<const LANES: usize>(&mut self, fills: &[Fill<'_, Schedule, 8>]) {
        let mut filled = [0_u64; LANES];
        fills.iter().for_each(|fill| filled[fill.lane / 64] |= 1 << (fill.lane % 64));
        let mut lanes = [0_u64; LANES];
        let mut words = [W::zero(); 64];
        let mut mask = [0; 64];
        for lane in 0..64 * W::LEN {
            let set = filled[lane / 64] >> (lane % 64) & 1;
            mask[lane % W::LEN] |= set << (lane / W::LEN);
        }
        let mask = W::load(&mask[..W::LEN]);
        for (pass, keys) in self.keys.iter_mut().enumerate() {
            fills.iter().for_each(|fill| lanes[fill.lane] = fill.schedule.keys[pass]);
            to_bits(&lanes, &mut words);
            for (key, new) in keys.iter_mut().zip(&words) {
                *key = key.xor(key.xor(*new).and(mask));
            }
        }
        fills.iter().for_each(|fill| lanes[fill.lane] = u64::from_le_bytes(fill.y));
        to_bits(&lanes, &mut words);
        for i in 0..32 {
            let (l, r) = (words[INITIAL[i]], words[INITIAL[i + 32]]);
            self.l[i] = self.l[i].xor(self.l[i].xor(l).and(mask));
            self.r[i] = self.r[i].xor(self.r[i].xor(r).and(mask));
        }
        overwrite(&mut words, [W::zero(); 64]);
        overwrite(&mut lanes, [0; LANES]);
    }

    /// Every lane absorbs the first `count` blocks of its run.
    #[inline(always)]
    pub(crate) fn absorb<const LANES: usize>(
        &mut self,
        runs: &[&[[u8; 8]]; LANES],
        count: usize,
        round: impl Fn(&mut [W; 32], &[W; 32], &[W; 64], &[u8; 48]),
    ) {
        let (mut l, mut r) = (&mut self.l, &mut self.r);
        let mut lanes = [0; LANES];
        let mut words = [W::zero(); 64];
        for number in 0..count {
            for (lane, run) in lanes.iter_mut().zip(runs) {
                *lane = u64::from_le_bytes(run[number]);
            }
            to_bits(&lanes, &mut words);
            for i in 0..32 {
                l[i] = l[i].xor(words[INITIAL[i]]);
                r[i] = r[i].xor(words[INITIAL[i + 32]]);
            }
            for (keys, picks) in self.keys.iter().zip([&FORWARD, &BACKWARD, &FORWARD]) {
                for [even, odd] in picks.as_chunks().0 {
                    round(l, r, keys, even);
                    round(r, l, keys, odd);
                }
                swap(&mut l, &mut r);
            }
        }
        if count % 2 == 1 {
            swap(&mut self.l, &mut self.r);
        }
    }

    /// The chaining values of lanes.
    #[inline(always)]
    pub(crate) fn take<const LANES: usize>(&self, ended: &[(usize, usize)], y: &mut [[u8; 8]]) {
        let mut words = [W::zero(); 64];
        for i in 0..32 {
            words[INITIAL[i]] = self.l[i];
            words[INITIAL[i + 32]] = self.r[i];
        }
        let mut lanes = [0; LANES];
        transpose(&mut words);
        for (lanes, word) in lanes.chunks_exact_mut(W::LEN).zip(words) {
            word.store(lanes);
        }
        for &(lane, number) in ended {
            y[number] = lanes[lane].to_le_bytes();
        }
    }
}

impl<W: Slice> Drop for Lanes<W> {
    fn drop(&mut self) {
        let public = W::zero();
        overwrite(&mut self.keys, [[public; 64]; 3]);
        overwrite(&mut self.l, [public; 32]);
        overwrite(&mut self.r, [public; 32]);
    }
}

/// One round (FIPS 46-3): `l` ⊕ f(`r`, K), K being the bits `pick` of `keys`.
#[inline(always)]
pub(crate) fn round<W: Word>(l: &mut [W; 32], r: &[W; 32], keys: &[W; 64], pick: &[u8; 48]) {
    s_box::<W, 0>(l, r, keys, pick);
    s_box::<W, 1>(l, r, keys, pick);
    s_box::<W, 2>(l, r, keys, pick);
    s_box::<W, 3>(l, r, keys, pick);
    s_box::<W, 4>(l, r, keys, pick);
    s_box::<W, 5>(l, r, keys, pick);
    s_box::<W, 6>(l, r, keys, pick);
    s_box::<W, 7>(l, r, keys, pick);
}

#[inline(always)]
fn s_box<W: Word, const GROUP: usize>(
    l: &mut [W; 32],
    r: &[W; 32],
    keys: &[W; 64],
    pick: &[u8; 48],
) {
    let [a, b, c, d] = W::s_box::<GROUP>([
        input(r, keys, pick, 6 * GROUP),
        input(r, keys, pick, 6 * GROUP + 1),
        input(r, keys, pick, 6 * GROUP + 2),
        input(r, keys, pick, 6 * GROUP + 3),
        input(r, keys, pick, 6 * GROUP + 4),
        input(r, keys, pick, 6 * GROUP + 5),
    ]);
    let [at_a, at_b, at_c, at_d] = FROM_P[GROUP];
    l[at_a] = l[at_a].xor(a);
    l[at_b] = l[at_b].xor(b);
    l[at_c] = l[at_c].xor(c);
    l[at_d] = l[at_d].xor(d);
}

#[inline(always)]
fn input<W: Word>(r: &[W; 32], keys: &[W; 64], pick: &[u8; 48], at: usize) -> W {
    r[E[at] as usize - 1].xor(keys[usize::from(pick[at] & 63)])
}

#[inline(always)]
fn to_bits<W: Slice>(lanes: &[u64], words: &mut [W; 64]) {
    for (word, lanes) in words.iter_mut().zip(lanes.chunks_exact(W::LEN)) {
        *word = W::load(lanes);
    }
    transpose(words);
}

/// Transposes matrices of 64×64 bits, one in each `u64` of the words (Warren 2013, Hacker's Delight
/// §7-3).
#[inline(always)]
fn transpose<W: Slice>(words: &mut [W; 64]) {
    exchange::<W, 32>(words, 0x0000_0000_ffff_ffff);
    exchange::<W, 16>(words, 0x0000_ffff_0000_ffff);
    exchange::<W, 8>(words, 0x00ff_00ff_00ff_00ff);
    exchange::<W, 4>(words, 0x0f0f_0f0f_0f0f_0f0f);
    exchange::<W, 2>(words, 0x3333_3333_3333_3333);
    exchange::<W, 1>(words, 0x5555_5555_5555_5555);
}

#[inline(always)]
fn exchange<W: Slice, const STEP: u32>(words: &mut [W; 64], mask: u64) {
    let step = STEP as usize;
    let mask = W::splat(mask);
    for block in words.chunks_exact_mut(2 * step) {
        let (low, high) = block.split_at_mut(step);
        for (low, high) in low.iter_mut().zip(high) {
            let t = low.shr::<STEP>().xor(*high).and(mask);
            *high = high.xor(t);
            *low = low.xor(t.shl::<STEP>());
        }
    }
}

/// The bit that a bit of FIPS 46-3, counted from 1 and the first of the first byte, is in the
/// little-endian number.
const fn little(bit: usize) -> usize {
    (bit - 1) / 8 * 8 + 7 - (bit - 1) % 8
}

/// Where IP has the bits of L and R from: the even columns of the block from below, then the odd.
const INITIAL: [usize; 64] = {
    let mut table = [0; 64];
    let mut i = 0;
    while i < 64 {
        let column = if i < 32 { 2 + 2 * (i / 8) } else { 1 + 2 * (i / 8 - 4) };
        table[i] = little(56 - 8 * (i % 8) + column);
        i += 1;
    }
    table
};

/// Where P puts the bits of each S-box, counted from 0.
const FROM_P: [[usize; 4]; 8] = {
    let mut table = [[0; 4]; 8];
    let mut i = 0;
    while i < 32 {
        let s = P[i] as usize - 1;
        table[s / 4][s % 4] = i;
        i += 1;
    }
    table
};

/// The key bits of each round.
static FORWARD: [[u8; 48]; 16] = {
    let mut table = [[0; 48]; 16];
    let mut at = 0;
    while at < 16 * 48 {
        let (round, bit) = (at / 48, at % 48);
        let half = bit / 24 * 28;
        let from = (PC2[bit] as usize - 1 - half + TURNS[round] as usize) % 28 + half;
        table[round][bit] = little(PC1[from] as usize) as u8;
        at += 1;
    }
    table
};

/// The same from the last round to the first.
static BACKWARD: [[u8; 48]; 16] = {
    let mut table = [[0; 48]; 16];
    let mut round = 0;
    while round < 16 {
        table[round] = FORWARD[15 - round];
        round += 1;
    }
    table
};
