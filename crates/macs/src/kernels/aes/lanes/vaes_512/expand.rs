//! Key expansion, FIPS 197 §5.2, of up to sixteen keys at once, with E_K(0) and OMAC's masks. The
//! S-box is `aesenclast` of a word in all columns, which ShiftRows leaves as it is.
#![expect(unsafe_code, reason = "keys are loaded through pointers")]

use core::arch::x86_64::*;

use super::super::ring::{KeyRing, Quad, Row};
use super::rounds::{States, join, load, store};
use super::{GROUPS, LANES};
use crate::kernels::cpu::Vaes512;

/// As [`KeyRing::expand`].
pub(in super::super) fn expand<const KEYS: usize>(
    _: Vaes512,
    ring: &mut KeyRing<KEYS>,
    first: usize,
    keys: &[&[u8]],
    omac: bool,
) {
    let (mut first, mut keys) = (first, keys);
    while !keys.is_empty() {
        let (now, then) = keys.split_at(keys.len().min(LANES - first % 4));
        let quads = &mut ring.quads_mut()[first / 4..(first + now.len()).div_ceil(4)];
        // SAFETY: the token proves the instructions.
        unsafe { expand_quads(quads, first % 4, now, omac) };
        (first, keys) = (first + now.len(), then);
    }
}

/// Some lanes of a row.
#[target_feature(enable = "avx512f")]
#[inline]
fn merge(row: &mut Row, lanes: __mmask16, blocks: __m512i) {
    store(row, _mm512_mask_mov_epi32(load(row), lanes, blocks));
}

/// Up to four quads under way.
struct Expansion<'a, const KEYS: usize> {
    quads: &'a mut [Quad<KEYS>],
    /// The lanes that have new keys.
    lanes: [__mmask16; GROUPS],
    /// The first round keys.
    first: States,
    /// What has become of the block of zeros.
    zero: States,
}

impl<const KEYS: usize> Expansion<'_, KEYS> {
    /// Takes a round key.
    #[target_feature(enable = "vaes,avx512f")]
    #[inline]
    fn put(&mut self, number: usize, keys: States) {
        if number == 0 {
            (self.first, self.zero) = (keys, keys);
        }
        for (group, quad) in self.quads.iter_mut().enumerate() {
            let (key, zero) = (keys[group], &mut self.zero[group]);
            merge(&mut quad.round[number], self.lanes[group], key);
            if number == KEYS - 1 {
                *zero = _mm512_aesenclast_epi128(*zero, key);
            } else if number > 0 {
                *zero = _mm512_aesenc_epi128(*zero, key);
            }
        }
    }

    /// What is made of the last round key and of E_K(0).
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn finish(&mut self, last: States, omac: bool) {
        for (group, quad) in self.quads.iter_mut().enumerate() {
            let (lanes, zero) = (self.lanes[group], self.zero[group]);
            let fold = _mm512_xor_si512(self.first[group], last[group]);
            merge(&mut quad.fold, lanes, fold);
            merge(&mut quad.zero, lanes, zero);
            if omac {
                let full = double(zero);
                let padded = double(full);
                merge(&mut quad.full, lanes, full);
                merge(&mut quad.padded, lanes, padded);
            }
        }
    }
}

/// Keys for neighbouring slots, from `slot` of the first quad on.
#[target_feature(enable = "vaes,avx512f,avx512bw,avx512vl")]
fn expand_quads<const KEYS: usize>(
    quads: &mut [Quad<KEYS>],
    slot: usize,
    keys: &[&[u8]],
    omac: bool,
) {
    let key_len = 4 * KEYS - 28;
    assert!(keys.iter().all(|key| key.len() == key_len), "keys of {key_len} bytes");
    let (mut low, mut high) = ([_mm512_setzero_si512(); GROUPS], [_mm512_setzero_si512(); GROUPS]);
    let mut lanes = [0; GROUPS];
    for group in 0..quads.len().min(GROUPS) {
        let (mut lows, mut highs) = ([_mm_setzero_si128(); 4], [_mm_setzero_si128(); 4]);
        for lane in 0..4 {
            let Some(key) = (4 * group + lane).checked_sub(slot).and_then(|at| keys.get(at)) else {
                continue;
            };
            lanes[group] |= 0xf << (4 * lane);
            let mask = ((1u32 << (key_len - 16)) - 1) as u16;
            // SAFETY: keys have at least 16 bytes, and as many more as the mask says.
            unsafe {
                lows[lane] = _mm_loadu_si128(key.as_ptr().cast());
                highs[lane] = _mm_maskz_loadu_epi8(mask, key.as_ptr().add(16).cast());
            }
        }
        (low[group], high[group]) = (join(lows), join(highs));
    }
    let none = [_mm512_setzero_si512(); GROUPS];
    let mut expansion = Expansion { quads, lanes, first: none, zero: none };
    let last = match KEYS {
        11 => expand_128(&mut expansion, low),
        13 => expand_192(&mut expansion, low, high),
        _ => expand_256(&mut expansion, low, high),
    };
    expansion.finish(last, omac);
}

/// Word 3 of each lane rotated, word 1 rotated, word 3: in all words.
const ROTATED_3: i32 = 0x0c0f_0e0d;
const ROTATED_1: i32 = 0x0407_0605;
const PLAIN_3: i32 = 0x0f0e_0d0c;

/// Four words of a schedule: those before, summed up, and the substituted word.
#[target_feature(enable = "vaes,avx512f,avx512bw")]
#[inline]
fn words(before: &mut States, from: States, select: i32, rcon: i32) {
    for (before, from) in before.iter_mut().zip(from) {
        let word = _mm512_shuffle_epi8(from, _mm512_set1_epi32(select));
        let word = _mm512_aesenclast_epi128(word, _mm512_set1_epi32(rcon));
        let pairs = _mm512_xor_si512(*before, _mm512_bslli_epi128::<4>(*before));
        *before = _mm512_ternarylogic_epi32::<0x96>(pairs, _mm512_bslli_epi128::<8>(pairs), word);
    }
}

/// Rcon\[number\] of FIPS 197 §5.2.
const fn rcon(number: usize) -> i32 {
    [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36][number - 1]
}

#[target_feature(enable = "vaes,avx512f,avx512bw")]
#[inline]
fn expand_128<const KEYS: usize>(to: &mut Expansion<'_, KEYS>, mut key: States) -> States {
    to.put(0, key);
    for number in 1..KEYS {
        let before = key;
        words(&mut key, before, ROTATED_3, rcon(number));
        to.put(number, key);
    }
    key
}

#[target_feature(enable = "vaes,avx512f,avx512bw")]
#[inline]
fn expand_192<const KEYS: usize>(
    to: &mut Expansion<'_, KEYS>,
    mut key: States,
    mut half: States,
) -> States {
    for number in 0..KEYS / 3 {
        to.put(3 * number, key);
        let before = half;
        six(&mut key, &mut half, rcon(2 * number + 1));
        let mut middle = before;
        for (middle, key) in middle.iter_mut().zip(key) {
            *middle = _mm512_unpacklo_epi64(*middle, key);
        }
        to.put(3 * number + 1, middle);
        for group in 0..GROUPS {
            middle[group] = _mm512_alignr_epi8::<8>(half[group], key[group]);
        }
        to.put(3 * number + 2, middle);
        six(&mut key, &mut half, rcon(2 * number + 2));
    }
    to.put(KEYS - 1, key);
    key
}

/// The next six words of a 192-bit key's schedule.
#[target_feature(enable = "vaes,avx512f,avx512bw")]
#[inline]
fn six(key: &mut States, half: &mut States, rcon: i32) {
    words(key, *half, ROTATED_1, rcon);
    for (half, key) in half.iter_mut().zip(key) {
        let pair = _mm512_xor_si512(*half, _mm512_bslli_epi128::<4>(*half));
        *half = _mm512_xor_si512(pair, _mm512_shuffle_epi32::<0xff>(*key));
    }
}

#[target_feature(enable = "vaes,avx512f,avx512bw")]
#[inline]
fn expand_256<const KEYS: usize>(
    to: &mut Expansion<'_, KEYS>,
    mut low: States,
    mut high: States,
) -> States {
    to.put(0, low);
    to.put(1, high);
    for number in 1..KEYS / 2 {
        words(&mut low, high, ROTATED_3, rcon(number));
        to.put(2 * number, low);
        words(&mut high, low, PLAIN_3, 0);
        to.put(2 * number + 1, high);
    }
    words(&mut low, high, ROTATED_3, rcon(KEYS / 2));
    to.put(KEYS - 1, low);
    low
}

/// Doubling in GF(2^128), SP 800-38B §6.1, of four blocks.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn double(blocks: __m512i) -> __m512i {
    let order = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    let reverse = _mm512_broadcast_i32x4(order);
    let value = _mm512_shuffle_epi8(blocks, reverse);
    let carry = _mm512_bslli_epi128::<8>(_mm512_srli_epi64::<63>(value));
    let top = _mm512_srai_epi32::<31>(_mm512_shuffle_epi32::<0xff>(value));
    let reduction = _mm512_and_si512(top, _mm512_broadcast_i32x4(_mm_set_epi64x(0, 0x87)));
    let doubled = _mm512_or_si512(_mm512_slli_epi64::<1>(value), carry);
    _mm512_shuffle_epi8(_mm512_xor_si512(doubled, reduction), reverse)
}
