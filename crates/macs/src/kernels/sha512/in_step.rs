//! HMAC (RFC 2104 §2, FIPS 198-1 §4) of eight messages in step: chaining values stay in columns
//! from the key's to the tags. Of a few, only the lower halves of the columns are used: on a Zen 4
//! an instruction on 256 bits takes half the time.
#![expect(unsafe_code, reason = "masked loads and stores, calls that need the CPU's features")]

use core::arch::x86_64::*;

use super::vector::{Rotating, SWAP, Vector, compress, transpose8};
use super::{Block, Kernel, State};
use crate::kernels::by_place;
use crate::kernels::cpu::Avx512;
use crate::kernels::lanes::hmac::{Hash, HmacKey, IPAD, OPAD, Tags, blocks, keys_in_turn};
use crate::kernels::stack::align_frame;
use crate::kernels::zmm::load_first;

/// The words of eight blocks in columns.
type Words = [__m512i; 16];

/// Eight chaining values in columns.
type States = [__m512i; 8];

/// The tags of the messages of these numbers, at most eight, which take equally many blocks.
#[inline]
pub(super) fn macs<H: Hash<128, State = State>>(
    _: Avx512,
    tags: &mut Tags<'_, '_, H, 128>,
    numbers: &[u16],
) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { run(tags, numbers) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn run<H: Hash<128, State = State>>(tags: &mut Tags<'_, '_, H, 128>, numbers: &[u16]) {
    assert!((1..=8).contains(&numbers.len()), "at most one a lane");
    let are_few = numbers.len() <= FEW;
    // Lanes without a message repeat the first one.
    let number = |lane: usize| numbers.get(lane).copied().unwrap_or(numbers[0]);
    let messages: [&[u8]; 8] = by_place(&[], |lane| tags.message(number(lane)));
    let count = blocks::<H, 128>(messages[0].len());
    let first = tags.key(numbers[0]);
    let mut states = gather(by_place(&first.inner, |lane| &tags.key(number(lane)).inner));
    let full = messages.iter().map(|message| message.len() / 128).min().unwrap_or(0);
    if full > 0 {
        let runs = by_place(&[][..], |lane| &messages[lane].as_chunks().0[..full]);
        if are_few { absorb_four_runs(&mut states, runs) } else { absorb_runs(&mut states, runs) }
    }
    for index in full..count {
        let mut words = block_columns(&messages, index);
        if index + 1 == count {
            let bits: [u64; 8] = by_place(0, |lane| (messages[lane].len() as u64 + 128) << 3);
            // SAFETY: reads 64 bytes of an array of 64 bytes.
            words[15] = unsafe { _mm512_loadu_si512(bits.as_ptr().cast()) };
        }
        absorb(&mut states, &mut words, are_few);
    }
    let mut words = digest_columns(&states, H::DIGEST_LEN);
    states = gather(by_place(&first.outer, |lane| &tags.key(number(lane)).outer));
    absorb(&mut states, &mut words, are_few);
    for (row, &number) in transposed(states).into_iter().zip(numbers) {
        let digest = tags.tag(number);
        assert!(digest.len() == H::DIGEST_LEN, "a place for the tag");
        let mask = u64::MAX >> (64 - H::DIGEST_LEN);
        // SAFETY: the mask has as many bits as the tag has bytes.
        unsafe { _mm512_mask_storeu_epi8(digest.as_mut_ptr().cast(), mask, swap(row)) };
    }
}

/// Runs of one length.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn absorb_runs(states: &mut States, runs: [&[Block]; 8]) {
    align_frame();
    let mut chains = *states;
    for number in 0..runs[0].len() {
        // SAFETY: this function has the features.
        chains = unsafe { compress(chains, &mut <__m512i as Vector<8>>::words(&runs, number)) };
    }
    *states = chains;
}

/// The first four runs.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn absorb_four_runs(states: &mut States, [a, b, c, d, ..]: [&[Block]; 8]) {
    align_frame();
    let (runs, mut chains) = ([a, b, c, d], lower(states));
    for number in 0..runs[0].len() {
        // SAFETY: this function has the features.
        chains = unsafe { compress(chains, &mut Rotating::words(&runs, number)) };
    }
    *states = whole(&chains);
}

#[inline]
#[target_feature(enable = "avx512f")]
fn lower<const N: usize>(columns: &[__m512i; N]) -> [Rotating; N] {
    by_place(Rotating(_mm256_setzero_si256()), |i| Rotating(_mm512_castsi512_si256(columns[i])))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn whole<const N: usize>(halves: &[Rotating; N]) -> [__m512i; N] {
    by_place(_mm512_setzero_si512(), |i| _mm512_zextsi256_si512(halves[i].0))
}

/// A block each, of the first four messages if they are few.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn absorb(states: &mut States, words: &mut Words, are_few: bool) {
    if are_few { absorb_four(states, words) } else { absorb_eight(states, words) }
}

/// Apart, so that its callers share the rounds.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn absorb_eight(states: &mut States, words: &mut Words) {
    align_frame();
    // SAFETY: this function has the features.
    *states = unsafe { compress::<8, __m512i>(*states, words) };
}

/// As [`absorb_eight`].
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn absorb_four(states: &mut States, words: &mut Words) {
    align_frame();
    // SAFETY: this function has the features.
    *states = whole(&unsafe { compress(lower(states), &mut lower(words)) });
}

#[inline]
#[target_feature(enable = "avx512f")]
fn transposed(rows: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: this function has the features.
    unsafe { transpose8(rows) }
}

/// Bytes as words, or words as bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn swap(bytes: __m512i) -> __m512i {
    let order = _mm_set_epi64x(SWAP[1] as i64, SWAP[0] as i64);
    _mm512_shuffle_epi8(bytes, _mm512_broadcast_i32x4(order))
}

/// Chaining values to columns.
#[inline]
#[target_feature(enable = "avx512f")]
fn gather(states: [&State; 8]) -> States {
    transposed(by_place(_mm512_setzero_si512(), |lane| {
        // SAFETY: reads 64 bytes of an array of 64 bytes.
        unsafe { _mm512_loadu_si512(states[lane].as_ptr().cast()) }
    }))
}

/// The block of this index of each message, the mark behind its end and zeros, without the length.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn block_columns(messages: &[&[u8]; 8], index: usize) -> Words {
    let mut words = [_mm512_setzero_si512(); 16];
    for (half, words) in words.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let start = 128 * index + 64 * half;
        let mut rows = [_mm512_setzero_si512(); 8];
        for (row, message) in rows.iter_mut().zip(messages) {
            let rest = message.get(start..).unwrap_or_default();
            // Bit 64, beyond a full half, is none; nor is the mark's, if it was set before.
            let end = 1_u64.checked_shl(rest.len().min(64) as u32).unwrap_or(0);
            let mark = if message.len() >= start { end } else { 0 };
            *row = swap(_mm512_mask_mov_epi8(load_first(rest), mark, _mm512_set1_epi8(i8::MIN)));
        }
        *words = transposed(rows);
    }
    words
}

/// The block of the outer hash: the inner one's chaining values, cut to `digest_len` bytes.
#[inline]
#[target_feature(enable = "avx512f")]
fn digest_columns(states: &States, digest_len: usize) -> Words {
    let mut words = [_mm512_setzero_si512(); 16];
    let (whole, cut) = (digest_len / 8, digest_len % 8 * 8);
    words[..whole].copy_from_slice(&states[..whole]);
    let mark = _mm512_set1_epi64((1_u64 << 63 >> cut).cast_signed());
    words[whole] = match states.get(whole) {
        Some(word) => {
            let kept = _mm512_set1_epi64((!(u64::MAX >> cut)).cast_signed());
            _mm512_or_si512(_mm512_and_si512(*word, kept), mark)
        }
        None => mark,
    };
    words[15] = _mm512_set1_epi64(8 * (128 + digest_len as i64));
    words
}

/// Messages or keys that are as many as the words in half a register, or fewer.
const FEW: usize = 4;

/// Fewest keys that are quicker side by side.
const KEYS_MIN: usize = 4;

/// Prepares many keys of at most a block.
pub(super) fn keys<H: Hash<128, State = State>>(
    _: Avx512,
    kernel: Kernel,
    keys: &[&[u8]],
    states: &mut [HmacKey<State>],
) {
    for (keys, states) in keys.chunks(8).zip(states.chunks_mut(8)) {
        if keys.len() < KEYS_MIN {
            keys_in_turn::<_, H, 128>(kernel, keys, states);
        } else {
            // SAFETY: the token proves that the CPU has the features.
            unsafe { set_up::<H>(keys, states) };
        }
    }
}

/// At most eight keys.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq")]
fn set_up<H: Hash<128, State = State>>(keys: &[&[u8]], states: &mut [HmacKey<State>]) {
    assert!(keys.len() <= 8 && keys.len() == states.len(), "at most one a lane");
    assert!(keys.iter().all(|key| key.len() <= size_of::<Block>()), "at most a block");
    let mut words = [_mm512_setzero_si512(); 16];
    for (half, words) in words.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let mut rows = [_mm512_setzero_si512(); 8];
        for (row, key) in rows.iter_mut().zip(keys) {
            *row = swap(load_first(key.get(64 * half..).unwrap_or_default()));
        }
        *words = transposed(rows);
    }
    let after = |pad: u8| {
        let pad = _mm512_set1_epi8(pad.cast_signed());
        let zero = _mm512_setzero_si512();
        let mut words = by_place(zero, |word| _mm512_xor_si512(words[word], pad));
        let mut states = by_place(zero, |word| _mm512_set1_epi64(H::INITIAL[word].cast_signed()));
        absorb(&mut states, &mut words, keys.len() <= FEW);
        transposed(states)
    };
    let (inner, outer) = (after(IPAD), after(OPAD));
    for ((states, inner), outer) in states.iter_mut().zip(inner).zip(outer) {
        // SAFETY: writes 64 bytes of arrays of 64 bytes.
        unsafe {
            _mm512_storeu_si512(states.inner.as_mut_ptr().cast(), inner);
            _mm512_storeu_si512(states.outer.as_mut_ptr().cast(), outer);
        }
    }
}
