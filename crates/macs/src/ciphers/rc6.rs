//! RC6-32/20, forward (Rivest, Robshaw, Sidney, Yin 1998, "The RC6 block cipher"): the parameters
//! submitted as AES candidate.

use cipher::array::Array;
use cipher::consts::U16;

use super::{KeySchedule, bytes, words};
use crate::wipe::overwrite;

/// The round keys of a key of 4 to 32 bytes, a multiple of 4.
#[derive(Clone, Copy)]
pub struct Rc6 {
    round_keys: [u32; 44],
}

impl KeySchedule for Rc6 {
    type BlockSize = U16;

    const BLANK: Self = Self { round_keys: [0; 44] };

    /// §2, key schedule.
    #[inline(always)]
    fn set_up(&mut self, key: &[u8]) {
        self.round_keys = INITIAL;
        let mut l = [0; KEY_LEN_WORDS_MAX];
        let (key_words, _) = key.as_chunks();
        for (word, &key) in l.iter_mut().zip(key_words) {
            *word = u32::from_le_bytes(key);
        }
        let (mut a, mut b, mut j) = (0_u32, 0_u32, 0);
        for _ in 0..3 {
            for s in &mut self.round_keys {
                a = s.wrapping_add(a.wrapping_add(b)).rotate_left(3);
                *s = a;
                let sum = a.wrapping_add(b);
                b = l[j].wrapping_add(sum).rotate_left(sum & 31);
                l[j] = b;
                j = if j + 1 == key_words.len() { 0 } else { j + 1 };
            }
        }
        overwrite(&mut l, [0; KEY_LEN_WORDS_MAX]);
    }

    /// §2, encryption.
    #[inline(always)]
    fn encrypt(&self, block: &Array<u8, U16>) -> Array<u8, U16> {
        let [s0, s1, rounds @ .., s42, s43] = &self.round_keys;
        let [mut a, mut b, mut c, mut d] = words(block);
        b = b.wrapping_add(*s0);
        d = d.wrapping_add(*s1);
        for &[k0, k1, k2, k3, k4, k5, k6, k7] in rounds.as_chunks().0 {
            (a, c) = round(a, b, c, d, k0, k1);
            (b, d) = round(b, c, d, a, k2, k3);
            (c, a) = round(c, d, a, b, k4, k5);
            (d, b) = round(d, a, b, c, k6, k7);
        }
        a = a.wrapping_add(*s42);
        c = c.wrapping_add(*s43);
        bytes([a, b, c, d])
    }
}

/// Of 32 bytes; the algorithm would take 255.
const KEY_LEN_WORDS_MAX: usize = 8;

/// One round: what becomes of `a` and `c`; the words change their names for the next.
#[inline(always)]
fn round(a: u32, b: u32, c: u32, d: u32, k0: u32, k1: u32) -> (u32, u32) {
    let t = quadratic(b);
    let u = quadratic(d);
    let a = (a ^ t).rotate_left(u & 31).wrapping_add(k0);
    let c = (c ^ u).rotate_left(t & 31).wrapping_add(k1);
    (a, c)
}

/// f(x) = x(2x + 1), rotated by lg 32.
#[inline(always)]
fn quadratic(x: u32) -> u32 {
    x.wrapping_mul(x.wrapping_add(x).wrapping_add(1)).rotate_left(5)
}

/// P32 and then Q32 added for each next word (§2).
const INITIAL: [u32; 44] = {
    let mut s = [0xb7e1_5163_u32; 44];
    let mut i = 1;
    while i < s.len() {
        s[i] = s[i - 1].wrapping_add(0x9e37_79b9);
        i += 1;
    }
    s
};
