//! HMAC (RFC 2104 §2, FIPS 198-1 §4) of 16 messages in step, or of several times 16: chaining
//! values stay in columns from the key's to the tags.
#![expect(unsafe_code, reason = "loads, stores, and instructions that the token proves")]

use core::arch::x86_64::*;
use core::ptr;

use super::{Columns, LaneWords, absorb_columns, in_order, load_first, transpose};
use crate::kernels::by_place;
use crate::kernels::cpu::Avx512;
use crate::kernels::lanes::hmac::{Hash, HmacKey, IPAD, OPAD, Tags, blocks};
use crate::kernels::md_block::{Block, LengthOrder};

/// The tags of the messages of these numbers, at most `16 * GROUPS`, which take equally many
/// blocks.
#[inline]
pub(crate) fn in_step<C, H, const WORDS: usize, const GROUPS: usize>(
    _: Avx512,
    tags: &mut Tags<'_, '_, H, 64>,
    numbers: &[u16],
) where
    C: Columns<WORDS>,
    H: Hash<64, State = [u32; WORDS]>,
{
    // SAFETY: the token proves the instructions.
    unsafe { run::<C, H, WORDS, GROUPS>(tags, numbers) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn run<C, H, const WORDS: usize, const GROUPS: usize>(
    tags: &mut Tags<'_, '_, H, 64>,
    numbers: &[u16],
) where
    C: Columns<WORDS>,
    H: Hash<64, State = [u32; WORDS]>,
{
    assert!((1..=16 * GROUPS).contains(&numbers.len()), "at most one a lane");
    // Lanes without a message repeat the first one.
    let number = |lane: usize| numbers.get(lane).copied().unwrap_or(numbers[0]);
    let messages: [[&[u8]; 16]; GROUPS] =
        by_place([&[]; 16], |group| by_place(&[], |lane| tags.message(number(16 * group + lane))));
    let count = blocks::<H, 64>(messages[0][0].len());
    let full = |message: &&[u8]| message.len() / 64;
    let least = messages.as_flattened().iter().map(full).min().unwrap_or(0);
    let first = tags.key(numbers[0]);
    let zeros = [_mm512_setzero_si512(); WORDS];
    let mut states = by_place(zeros, |group| {
        gather(&by_place(&first.inner, |lane| &tags.key(number(16 * group + lane)).inner))
    });
    let starts = by_place([ptr::null(); 16], |group| {
        by_place(ptr::null(), |lane| messages[group][lane].as_ptr())
    });
    // SAFETY: all messages have as many whole blocks.
    unsafe { C::absorb_runs(&mut states, &starts, least) };
    for index in least..count {
        let mut words = by_place([_mm512_setzero_si512(); 16], |group| {
            block_columns::<C, WORDS>(&messages[group], index)
        });
        if index + 1 == count {
            for (words, messages) in words.iter_mut().zip(&messages) {
                set_lengths(C::ORDER, words, messages);
            }
        }
        absorb_columns::<C, WORDS, GROUPS>(&mut states, &mut words);
    }
    let mut words = by_place([_mm512_setzero_si512(); 16], |group| {
        digest_columns::<WORDS>(C::ORDER, &states[group], H::DIGEST_LEN)
    });
    states = by_place(zeros, |group| {
        gather(&by_place(&first.outer, |lane| &tags.key(number(16 * group + lane)).outer))
    });
    absorb_columns::<C, WORDS, GROUPS>(&mut states, &mut words);
    for (group, state) in states.iter().enumerate() {
        let rows = scatter(state);
        let numbers = numbers.get(16 * group..).unwrap_or_default();
        for (row, &number) in rows.iter().zip(numbers) {
            let row = in_order(C::ORDER, *row);
            let digest = tags.tag(number);
            let mask = (1_u64 << H::DIGEST_LEN) - 1;
            assert!(digest.len() == H::DIGEST_LEN, "a place for the tag");
            // SAFETY: the mask has as many bits as the tag has bytes.
            unsafe { _mm512_mask_storeu_epi8(digest.as_mut_ptr().cast(), mask, row) };
        }
    }
}

/// The block of this index of each message, the mark behind its end and zeros, without the length.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn block_columns<C: Columns<WORDS>, const WORDS: usize>(
    messages: &[&[u8]; 16],
    index: usize,
) -> [__m512i; 16] {
    let mut rows = [_mm512_setzero_si512(); 16];
    for (row, message) in rows.iter_mut().zip(messages) {
        let rest = message.get(64 * index..).unwrap_or_default();
        // Bit 64, beyond a full block, is no bit; nor is the mark's, if the block before had it.
        let end = 1_u64.checked_shl(rest.len().min(64) as u32).unwrap_or(0);
        let end = if message.len() >= 64 * index { end } else { 0 };
        let marked = _mm512_mask_mov_epi8(load_first(rest), end, _mm512_set1_epi8(i8::MIN));
        *row = in_order(C::ORDER, marked);
    }
    transpose(&rows)
}

/// The length fields of messages that follow a key block, as the last two words.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn set_lengths(order: LengthOrder, words: &mut [__m512i; 16], messages: &[&[u8]; 16]) {
    let bits = |lane: usize| (messages[lane].len() as u64).wrapping_add(64) << 3;
    let high = LaneWords(by_place(0, |lane| (bits(lane) >> 32) as u32)).load();
    let low = LaneWords(by_place(0, |lane| bits(lane) as u32)).load();
    [words[14], words[15]] = in_length_order(order, [high, low]);
}

/// The block of the outer hash, of the inner one's chaining values.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn digest_columns<const WORDS: usize>(
    order: LengthOrder,
    state: &[__m512i; WORDS],
    digest_len: usize,
) -> [__m512i; 16] {
    let mark = match order {
        LengthOrder::Big => 0x80_u32 << 24,
        LengthOrder::Little => 0x80,
    };
    let zero = _mm512_setzero_si512();
    let count = digest_len / 4;
    let mut words = [zero; 16];
    words[..count].copy_from_slice(&state[..count]);
    words[count] = _mm512_set1_epi32(mark.cast_signed());
    let bits = _mm512_set1_epi32(8 * (64 + digest_len as i32));
    [words[14], words[15]] = in_length_order(order, [zero, bits]);
    words
}

/// The last two words of a block, from the high and the low half of the length.
#[inline(always)]
fn in_length_order(order: LengthOrder, [high, low]: [__m512i; 2]) -> [__m512i; 2] {
    match order {
        LengthOrder::Big => [high, low],
        LengthOrder::Little => [low, high],
    }
}

/// Chaining values to columns.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn gather<const WORDS: usize>(states: &[&[u32; WORDS]; 16]) -> [__m512i; WORDS] {
    let mut rows = [_mm512_setzero_si512(); 16];
    for (row, state) in rows.iter_mut().zip(states) {
        // SAFETY: the mask has as many bits as the chaining value has words.
        *row = unsafe { _mm512_maskz_loadu_epi32((1 << WORDS) - 1, state.as_ptr().cast()) };
    }
    let mut columns = [_mm512_setzero_si512(); WORDS];
    columns.copy_from_slice(&transpose(&rows)[..WORDS]);
    columns
}

/// Chaining values from columns, each at the start of a vector.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn scatter<const WORDS: usize>(state: &[__m512i; WORDS]) -> [__m512i; 16] {
    let mut columns = [_mm512_setzero_si512(); 16];
    columns[..WORDS].copy_from_slice(state);
    transpose(&columns)
}

/// Prepares at most 16 keys, each of at most a block.
#[inline]
pub(crate) fn keys<C, H, const WORDS: usize>(
    _: Avx512,
    keys: &[&[u8]],
    states: &mut [HmacKey<[u32; WORDS]>],
) where
    C: Columns<WORDS>,
    H: Hash<64, State = [u32; WORDS]>,
{
    // SAFETY: the token proves the instructions.
    unsafe { set_up::<C, H, WORDS>(keys, states) }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn set_up<C, H, const WORDS: usize>(keys: &[&[u8]], states: &mut [HmacKey<[u32; WORDS]>])
where
    C: Columns<WORDS>,
    H: Hash<64, State = [u32; WORDS]>,
{
    assert!(keys.len() <= 16 && keys.len() == states.len(), "at most one a lane");
    assert!(keys.iter().all(|key| key.len() <= size_of::<Block>()), "at most a block");
    let mut rows = [_mm512_setzero_si512(); 16];
    for (row, key) in rows.iter_mut().zip(keys) {
        *row = in_order(C::ORDER, load_first(key));
    }
    let words = transpose(&rows);
    let after = |pad: u8| {
        let pad = _mm512_set1_epi8(pad.cast_signed());
        let mut words = [words];
        for word in &mut words[0] {
            *word = _mm512_xor_si512(*word, pad);
        }
        let mut state = [by_place(_mm512_setzero_si512(), |word| {
            _mm512_set1_epi32(H::INITIAL[word].cast_signed())
        })];
        absorb_columns::<C, WORDS, 1>(&mut state, &mut words);
        scatter(&state[0])
    };
    let (inner, outer) = (after(IPAD), after(OPAD));
    let mask = (1 << WORDS) - 1;
    for ((states, inner), outer) in states.iter_mut().zip(inner).zip(outer) {
        // SAFETY: the mask has as many bits as a chaining value has words.
        unsafe {
            _mm512_mask_storeu_epi32(states.inner.as_mut_ptr().cast(), mask, inner);
            _mm512_mask_storeu_epi32(states.outer.as_mut_ptr().cast(), mask, outer);
        }
    }
}
