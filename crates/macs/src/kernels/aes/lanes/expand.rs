//! Key expansion, FIPS 197 §5.2, of four registers of keys at once, with E_K(0) and OMAC's masks.
//! The S-box is `aesenclast` of a word in all columns, which ShiftRows leaves as it is.
#![expect(unsafe_code, reason = "keys are loaded through pointers")]

use core::arch::x86_64::*;
use core::ops::Range;

use super::super::key_len;
use super::registers::{Register, load};
use super::ring::{KeyRing, Quad, Row};
use crate::wipe::overwrite;

/// Registers side by side: as many as hide the latency of a step.
const GROUPS: usize = 4;

type Group<R> = [R; GROUPS];

/// As [`KeyRing::expand`], in registers of type `R`.
#[inline(always)]
pub(super) fn expand<R: Register, const KEYS: usize>(
    ring: &mut KeyRing<KEYS>,
    first: usize,
    keys: &[&[u8]],
    omac: bool,
) {
    let key_len = key_len(KEYS);
    assert!(keys.iter().all(|key| key.len() == key_len), "keys of {key_len} bytes");
    let (mut first, mut keys) = (first, keys);
    while !keys.is_empty() {
        let (now, then) = keys.split_at(keys.len().min(GROUPS * R::LANES - first % R::LANES));
        expand_group::<R, KEYS>(ring.quads_mut(), first, now, omac);
        (first, keys) = (first + now.len(), then);
    }
}

/// Registers of keys under way.
struct Expansion<'a, R, const KEYS: usize> {
    quads: &'a mut [Quad<KEYS>],
    /// The slot of the first lane; slots are counted from the first quad.
    begin: usize,
    /// The slots that have new keys.
    new: Range<usize>,
    /// The first round keys.
    first: Group<R>,
    /// What has become of the block of zeros.
    zero: Group<R>,
}

impl<R: Register, const KEYS: usize> Expansion<'_, R, KEYS> {
    /// Writes blocks into rows of the quads, where there are new keys.
    #[inline(always)]
    fn write(&mut self, row: impl Fn(&mut Quad<KEYS>) -> &mut Row, blocks: Group<R>) {
        for (group, blocks) in blocks.into_iter().enumerate() {
            let at = self.begin + group * R::LANES;
            let slots = at.max(self.new.start)..(at + R::LANES).min(self.new.end);
            if slots.len() == R::LANES {
                blocks.store(&mut row(&mut self.quads[at / 4]).0[at % 4..]);
            } else if !slots.is_empty() {
                let mut some = Row::ZERO;
                blocks.store(&mut some.0[at % 4..]);
                let row = row(&mut self.quads[at / 4]);
                slots.for_each(|slot| row.0[slot % 4] = some.0[slot % 4]);
                overwrite(&mut some, Row::ZERO);
            }
        }
    }

    /// Takes a round key.
    #[inline(always)]
    fn put(&mut self, number: usize, keys: Group<R>) {
        if number == 0 {
            (self.first, self.zero) = (keys, keys);
        }
        self.write(|quad| &mut quad.round[number], keys);
        for (zero, key) in self.zero.iter_mut().zip(keys) {
            if number == KEYS - 1 {
                *zero = zero.aesenclast(key);
            } else if number > 0 {
                *zero = zero.aesenc(key);
            }
        }
    }

    /// What is made of the last round key and of E_K(0).
    #[inline(always)]
    fn finish(&mut self, mut last: Group<R>, omac: bool) {
        for (last, first) in last.iter_mut().zip(self.first) {
            *last = last.xor(first);
        }
        self.write(|quad| &mut quad.fold, last);
        let mut blocks = self.zero;
        self.write(|quad| &mut quad.zero, blocks);
        if omac {
            for block in &mut blocks {
                *block = block.double();
            }
            self.write(|quad| &mut quad.full, blocks);
            for block in &mut blocks {
                *block = block.double();
            }
            self.write(|quad| &mut quad.padded, blocks);
        }
    }
}

/// The bytes of a key after the first sixteen.
#[inline(always)]
fn upper_part<const KEYS: usize>(key: &[u8]) -> __m128i {
    match (KEYS, key.last_chunk::<8>(), key.last_chunk()) {
        // SAFETY: 8 bytes.
        (13, Some(half), _) => unsafe { _mm_loadl_epi64(half.as_ptr().cast()) },
        (15, _, Some(block)) => load(block),
        _ => __m128i::zero(),
    }
}

/// Keys for neighbouring slots, from `first` on.
#[inline(always)]
fn expand_group<R: Register, const KEYS: usize>(
    quads: &mut [Quad<KEYS>],
    first: usize,
    keys: &[&[u8]],
    omac: bool,
) {
    let begin = first - first % R::LANES;
    let (mut low, mut high) = ([R::zero(); GROUPS], [R::zero(); GROUPS]);
    for group in 0..GROUPS {
        let none = __m128i::zero();
        let (mut lows, mut highs) = ([none; 4], [none; 4]);
        for lane in 0..R::LANES {
            let slot = begin + group * R::LANES + lane;
            if let Some(key) = slot.checked_sub(first).and_then(|number| keys.get(number)) {
                lows[lane] = key.first_chunk().map_or(none, load);
                highs[lane] = upper_part::<KEYS>(key);
            }
        }
        (low[group], high[group]) = (R::join(lows), R::join(highs));
    }
    let (new, none) = (first..first + keys.len(), [R::zero(); GROUPS]);
    let mut expansion = Expansion { quads, begin, new, first: none, zero: none };
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
#[inline(always)]
fn words<R: Register>(before: &mut Group<R>, from: Group<R>, select: i32, rcon: i32) {
    let (select, rcon) = (R::splat(select), R::splat(rcon));
    for (before, from) in before.iter_mut().zip(from) {
        let word = from.shuffle(select).aesenclast(rcon);
        let pairs = before.xor(before.up::<4>());
        *before = pairs.xor(pairs.up::<8>()).xor(word);
    }
}

/// Rcon\[number\] of FIPS 197 §5.2.
const fn rcon(number: usize) -> i32 {
    [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36][number - 1]
}

#[inline(always)]
fn expand_128<R: Register, const KEYS: usize>(
    to: &mut Expansion<'_, R, KEYS>,
    mut key: Group<R>,
) -> Group<R> {
    to.put(0, key);
    for number in 1..KEYS {
        let before = key;
        words(&mut key, before, ROTATED_3, rcon(number));
        to.put(number, key);
    }
    key
}

#[inline(always)]
fn expand_192<R: Register, const KEYS: usize>(
    to: &mut Expansion<'_, R, KEYS>,
    mut key: Group<R>,
    mut half: Group<R>,
) -> Group<R> {
    for number in 0..KEYS / 3 {
        to.put(3 * number, key);
        let mut middle = half;
        six(&mut key, &mut half, rcon(2 * number + 1));
        for (middle, key) in middle.iter_mut().zip(key) {
            *middle = middle.lower_halves(key);
        }
        to.put(3 * number + 1, middle);
        for group in 0..GROUPS {
            middle[group] = key[group].middle(half[group]);
        }
        to.put(3 * number + 2, middle);
        six(&mut key, &mut half, rcon(2 * number + 2));
    }
    to.put(KEYS - 1, key);
    key
}

/// The next six words of a 192-bit key's schedule.
#[inline(always)]
fn six<R: Register>(key: &mut Group<R>, half: &mut Group<R>, rcon: i32) {
    words(key, *half, ROTATED_1, rcon);
    for (half, key) in half.iter_mut().zip(key) {
        *half = half.xor(half.up::<4>()).xor(key.last_word());
    }
}

#[inline(always)]
fn expand_256<R: Register, const KEYS: usize>(
    to: &mut Expansion<'_, R, KEYS>,
    mut low: Group<R>,
    mut high: Group<R>,
) -> Group<R> {
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
