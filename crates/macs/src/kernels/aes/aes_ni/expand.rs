//! Key set-up by AESENCLAST.
//!
//! Let s(i) be the last word of group i of the key schedule (FIPS 197 §5.2), a group being as long
//! as the key. Every word is the sum of the one before and that of the group before, so with E the
//! step from a group to the next and Nk = 4 the last words obey (E + 1)^4 s = E^3 t, and, as
//! (E + 1)^4 = E^4 + 1 in characteristic 2,
//!
//! ```text
//! s(i + 1) = t(i) + s(i - 3),            t(i) = RotWord(SubWord(s(i))) + Rcon(i + 1).
//! ```
//!
//! With a(i) = RotWord^-i(s(i)) the rotations vanish, for RotWord^4 is the identity:
//!
//! ```text
//! a(i + 1) = SubWord(a(i)) + a(i - 3) + RotWord^-(i + 1)(Rcon(i + 1)),
//! ```
//!
//! one AESENCLAST on a word in all four columns, where ShiftRows does nothing: no shuffle lies on
//! the path from group to group. The other words follow from the last ones:
//! w2(i) = s(i) + s(i - 1), w1(i) = s(i) + s(i - 2), w0(i) = s(i) + s(i - 1) + s(i - 2) + s(i - 3).
//! With Nk = 8 there are two such sequences, s3 and s7, that feed each other; with Nk = 6 the sum
//! has more terms, for (E + 1)^6 = E^6 + E^4 + E^2 + 1.

use core::arch::x86_64::*;

use super::super::key_len;
use super::{V, load, load_low};

/// Rcon(i) of FIPS 197 §5.2, in every column, turned back i times.
#[inline]
#[target_feature(enable = "aes,avx")]
fn rcon(i: usize) -> V {
    const RCON: [u32; 11] = [0, 1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];
    _mm_set1_epi32(RCON[i].rotate_left(8 * (i as u32 % 4)) as i32)
}

/// RotWord^i in every column.
#[inline]
#[target_feature(enable = "aes,avx")]
fn turn(a: V, i: usize) -> V {
    if i.is_multiple_of(4) {
        return a;
    }
    let order = 0x0302_0100_u32.rotate_right(8 * (i as u32 % 4));
    let rows = _mm_set_epi32(0x0c0c_0c0c, 0x0808_0808, 0x0404_0404, 0);
    _mm_shuffle_epi8(a, _mm_add_epi32(_mm_set1_epi32(order as i32), rows))
}

/// Words of `key` (one in all columns), as `WORDS` has them, summed: bit j stands for word j.
#[inline]
#[target_feature(enable = "aes,avx")]
fn sum<const WORDS: u8>(key: V) -> V {
    let splats = [
        _mm_shuffle_epi32(key, 0x00),
        _mm_shuffle_epi32(key, 0x55),
        _mm_shuffle_epi32(key, 0xaa),
        _mm_shuffle_epi32(key, 0xff),
    ];
    let mut total = _mm_setzero_si128();
    for (j, splat) in splats.into_iter().enumerate() {
        if WORDS >> j & 1 == 1 {
            total = _mm_xor_si128(total, splat);
        }
    }
    total
}

/// One of the sequences of round keys of four words each.
struct Sequence {
    /// a(i - 3) to a(i), in the order of i modulo 4.
    last: [V; 4],
    /// s(i), s(i - 1), s(i - 2).
    words: [V; 3],
    key: V,
}

impl Sequence {
    #[inline]
    #[target_feature(enable = "aes,avx")]
    fn new(key: V) -> Self {
        let words = [sum::<0b1000>(key), sum::<0b1100>(key), sum::<0b1010>(key)];
        let last = [words[0], turn(sum::<0b1111>(key), 3), turn(words[2], 2), turn(words[1], 1)];
        Self { last, words, key }
    }

    /// The next round key, number i of the sequence, from a(i) less its SubWord. Returns a(i).
    #[inline]
    #[target_feature(enable = "aes,avx")]
    fn step(&mut self, i: usize, before: V, rcon: V) -> V {
        let a = _mm_aesenclast_si128(before, _mm_xor_si128(self.last[i % 4], rcon));
        self.last[i % 4] = a;
        let word = turn(a, i);
        let [one, two, three] = self.words;
        // What the words of this key have beside s(i).
        let all = _mm_xor_si128(one, _mm_xor_si128(two, three));
        let low = _mm_blend_epi16(all, two, 0b0000_1100);
        let high = _mm_blend_epi16(one, _mm_setzero_si128(), 0b1100_0000);
        self.key = _mm_xor_si128(word, _mm_blend_epi16(low, high, 0b1111_0000));
        self.words = [word, one, two];
        a
    }
}

/// The round keys. `key` has the length that goes with `KEYS`.
#[inline]
#[target_feature(enable = "aes,avx")]
pub(in super::super) fn expand<const KEYS: usize>(key: &[u8]) -> [V; KEYS] {
    assert_eq!(key.len(), key_len(KEYS));
    let mut keys = [_mm_setzero_si128(); KEYS];
    keys[0] = load(key.first_chunk().expect("keys are 16 bytes or more"));
    match KEYS {
        11 => expand_128(&mut keys),
        13 => expand_192(load_low(key.last_chunk().expect("as above")), &mut keys),
        15 => expand_256(load(key.last_chunk().expect("as above")), &mut keys),
        _ => unreachable!("AES has 11, 13 or 15 round keys"),
    }
    keys
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn expand_128(keys: &mut [V]) {
    let mut sequence = Sequence::new(keys[0]);
    let mut a = sequence.last[0];
    for (i, key) in keys.iter_mut().enumerate().skip(1) {
        a = sequence.step(i, a, rcon(i));
        *key = sequence.key;
    }
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn expand_256(second: V, keys: &mut [V]) {
    keys[1] = second;
    let (mut even, mut odd) = (Sequence::new(keys[0]), Sequence::new(second));
    let mut a = odd.last[0];
    for i in 1..8 {
        a = even.step(i, a, rcon(i));
        keys[2 * i] = even.key;
        if i < 7 {
            a = odd.step(i, a, _mm_setzero_si128());
            keys[2 * i + 1] = odd.key;
        }
    }
}

/// The words of group i by their last ones, s(i - j) in `s[j]`: w0 to w3, and w4, w5, –, –.
#[inline]
#[target_feature(enable = "aes,avx")]
fn group(s: &[V; 6]) -> [V; 2] {
    let pairs = _mm_blend_epi16(s[4], s[2], 0b1111_0000);
    let more = _mm_xor_si128(s[1], _mm_blend_epi16(s[5], s[3], 0b1111_0000));
    let more = _mm_blend_epi16(more, _mm_setzero_si128(), 0b1100_1100);
    let low = _mm_xor_si128(s[0], _mm_xor_si128(pairs, more));
    let high = _mm_xor_si128(s[0], _mm_blend_epi16(s[1], _mm_setzero_si128(), 0b1111_1100));
    [low, high]
}

/// w0 to w3 are in the first of `keys`, w4 and w5 in `last`.
#[inline]
#[target_feature(enable = "aes,avx")]
fn expand_192(last: V, keys: &mut [V]) {
    let first = keys[0];
    let s0 = sum::<0b10>(last);
    let s1 = sum::<0b11>(last);
    let mut s = [
        s0,
        s1,
        _mm_xor_si128(sum::<0b1000>(first), s0),
        _mm_xor_si128(sum::<0b1100>(first), s1),
        _mm_xor_si128(sum::<0b0010>(first), s0),
        _mm_xor_si128(sum::<0b0011>(first), s1),
    ];
    let mut frames = [s[0], turn(s[1], 1), turn(s[2], 2), turn(s[3], 3), s[4], turn(s[5], 1)];
    let mut high_before = last;
    for i in 1..9 {
        let [a, b, c, d, e, f] = frames;
        let two_back = turn(_mm_xor_si128(b, f), 2);
        let a = _mm_aesenclast_si128(a, _mm_xor_si128(_mm_xor_si128(two_back, d), rcon(i)));
        frames = [a, frames[0], b, c, d, e];
        s = [turn(a, i), s[0], s[1], s[2], s[3], s[4]];
        let [low, high] = group(&s);
        // Two groups are three round keys.
        let at = i / 2 * 3;
        if i % 2 == 1 {
            keys[at + 1] = _mm_unpacklo_epi64(high_before, low);
            keys[at + 2] = _mm_alignr_epi8(high, low, 8);
        } else {
            keys[at] = low;
        }
        high_before = high;
    }
}
