//! AVX2 for hashes with blocks of 64 bytes and words of 32 bits: eight messages side by side, one
//! in each lane, in one or more groups. HMAC of messages in step (RFC 2104 §2, FIPS 198-1 §4) keeps
//! chaining values in columns from the key's to the tags.
#![expect(unsafe_code, reason = "loads, stores, and instructions that the token proves")]

#[cfg(not(miri))]
use core::arch::asm;
use core::arch::x86_64::*;
use core::{array, ptr};

use super::{Block, LengthOrder, length_word, tail};
use crate::kernels::by_place;
use crate::kernels::cpu::Avx2;
use crate::kernels::lanes::Lanes;
use crate::kernels::lanes::hmac::{Hash, HmacKey, IPAD, OPAD, Tags, blocks};
use crate::kernels::stack::align_frame;
use crate::wipe::overwrite;

/// A compression function in columns: a vector holds one word of eight lanes.
pub(crate) trait Columns<const WORDS: usize> {
    /// How words and lengths are written.
    const ORDER: LengthOrder;
    /// So many chains, or less, are quicker one after the other.
    const ALONE: usize;

    /// One block each for the lanes of all groups; `words` may be overwritten.
    ///
    /// # Safety
    /// The CPU has AVX2.
    unsafe fn compress<const GROUPS: usize>(
        states: &mut [[__m256i; WORDS]; GROUPS],
        words: &mut [[__m256i; 16]; GROUPS],
    );

    /// A run for one chain.
    fn absorb_one(&self, token: Avx2, state: &mut [u32; WORDS], run: &[Block]);
}

/// `GROUPS` times eight chains of `WORDS` words.
pub(crate) struct YmmLanes<C, const WORDS: usize, const GROUPS: usize> {
    token: Avx2,
    groups: [[LaneWords; WORDS]; GROUPS],
    columns: C,
}

/// One word of each lane.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct LaneWords([u32; 8]);

impl<C, const WORDS: usize, const GROUPS: usize> YmmLanes<C, WORDS, GROUPS> {
    /// Chains that begin with zeros.
    #[inline(always)]
    pub(crate) fn new(token: Avx2, columns: C) -> Self {
        Self { token, groups: [[LaneWords([0; 8]); WORDS]; GROUPS], columns }
    }
}

impl<C: Columns<WORDS>, const WORDS: usize, const GROUPS: usize> Lanes
    for YmmLanes<C, WORDS, GROUPS>
{
    type State = [u32; WORDS];
    type Block = Block;
    const LANES: usize = 8 * GROUPS;

    #[inline(always)]
    fn put(&mut self, lane: usize, state: &Self::State) {
        for (words, word) in self.groups[lane / 8].iter_mut().zip(state) {
            words.0[lane % 8] = *word;
        }
    }

    #[inline(always)]
    fn take(&self, lane: usize) -> Self::State {
        array::from_fn(|word| self.groups[lane / 8][word].0[lane % 8])
    }

    #[inline(always)]
    fn close(message: &[u8], field: [u8; 8], _: usize, blocks: &mut [Block; 2]) -> usize {
        tail::close(message, field, blocks)
    }

    #[inline]
    fn absorb(&mut self, runs: &[&[Block]]) {
        let _: Avx2 = self.token;
        // SAFETY: the token proves the instructions.
        unsafe { absorb::<C, WORDS, GROUPS>(&mut self.groups, runs) }
    }

    #[inline]
    fn absorb_first(&mut self, active: usize, runs: &[&[Block]]) {
        if active > C::ALONE {
            return self.absorb(runs);
        }
        for (lane, run) in runs[..active].iter().enumerate() {
            let mut state = self.take(lane);
            self.columns.absorb_one(self.token, &mut state, run);
            self.put(lane, &state);
        }
    }
}

#[target_feature(enable = "avx2")]
fn absorb<C: Columns<WORDS>, const WORDS: usize, const GROUPS: usize>(
    groups: &mut [[LaneWords; WORDS]; GROUPS],
    runs: &[&[Block]],
) {
    assert_eq!(runs.len(), 8 * GROUPS, "one run a lane");
    let blocks = runs[0].len();
    assert!(runs.iter().all(|run| run.len() == blocks), "runs of one length");
    let mut states = [[_mm256_setzero_si256(); WORDS]; GROUPS];
    for (vector, words) in states.as_flattened_mut().iter_mut().zip(groups.as_flattened()) {
        // SAFETY: 32 aligned bytes are readable.
        *vector = unsafe { _mm256_load_si256(words.0.as_ptr().cast()) };
    }
    let starts = array::from_fn(|group| {
        let runs = &runs[8 * group..];
        array::from_fn(|lane| runs[lane].as_ptr().cast())
    });
    // SAFETY: every run has so many blocks.
    unsafe { absorb_runs::<C, WORDS, GROUPS>(&mut states, &starts, blocks) };
    for (words, vector) in groups.as_flattened_mut().iter_mut().zip(states.as_flattened()) {
        // SAFETY: 32 aligned bytes are writable.
        unsafe { _mm256_store_si256(words.0.as_mut_ptr().cast(), *vector) };
    }
}

/// Every lane absorbs a run of blocks.
///
/// # Safety
/// At each of `starts`, `blocks` blocks are readable.
#[target_feature(enable = "avx2")]
unsafe fn absorb_runs<C: Columns<WORDS>, const WORDS: usize, const GROUPS: usize>(
    states: &mut [[__m256i; WORDS]; GROUPS],
    starts: &[[*const u8; 8]; GROUPS],
    blocks: usize,
) {
    for block in 0..blocks {
        let mut words = [[_mm256_setzero_si256(); 16]; GROUPS];
        for (words, starts) in words.iter_mut().zip(starts) {
            // SAFETY: the caller's promise.
            unsafe { load_columns(C::ORDER, starts, 64 * block, words) };
        }
        absorb_columns::<C, WORDS, GROUPS>(states, &mut words);
    }
}

/// Every lane absorbs a block that is there in columns. One copy of the rounds for all callers.
#[inline(never)]
#[target_feature(enable = "avx2")]
fn absorb_columns<C: Columns<WORDS>, const WORDS: usize, const GROUPS: usize>(
    states: &mut [[__m256i; WORDS]; GROUPS],
    words: &mut [[__m256i; 16]; GROUPS],
) {
    align_frame();
    // SAFETY: the instructions are those of this function.
    unsafe { C::compress(states, words) };
}

/// Loads the block that lies `offset` bytes behind the start of each lane.
///
/// # Safety
/// It is readable.
#[inline]
#[target_feature(enable = "avx2")]
unsafe fn load_columns(
    order: LengthOrder,
    starts: &[*const u8; 8],
    offset: usize,
    words: &mut [__m256i; 16],
) {
    for (quarter, words) in words.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let mut rows = [_mm256_setzero_si256(); 4];
        for (lane, row) in rows.iter_mut().enumerate() {
            let [low, high] = [starts[lane], starts[lane + 4]].map(|start| {
                // SAFETY: the caller's promise.
                unsafe { _mm_loadu_si128(start.add(offset + 16 * quarter).cast()) }
            });
            *row = in_order(order, _mm256_set_m128i(high, low));
        }
        *words = transposed(rows);
    }
}

/// Rows to columns of two matrices of 4 × 4 words, one in the low halves, one in the high ones;
/// and back.
#[inline]
#[target_feature(enable = "avx2")]
fn transposed([a, b, c, d]: [__m256i; 4]) -> [__m256i; 4] {
    let [ab_low, ab_high] = [_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b)];
    let [cd_low, cd_high] = [_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d)];
    [
        _mm256_unpacklo_epi64(ab_low, cd_low),
        _mm256_unpackhi_epi64(ab_low, cd_low),
        _mm256_unpacklo_epi64(ab_high, cd_high),
        _mm256_unpackhi_epi64(ab_high, cd_high),
    ]
}

/// The same, made where it stands: the compiler has an order of its own for long runs of
/// instructions, in which a Zen 4 loses time.
#[inline]
#[target_feature(enable = "avx2")]
#[cfg_attr(miri, expect(unused_mut, reason = "Miri has no assembly"))]
pub(crate) fn pinned(mut vector: __m256i) -> __m256i {
    #[cfg(not(miri))]
    // SAFETY: the empty instruction changes nothing.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) vector, options(nomem, nostack, preserves_flags))
    };
    vector
}

/// Bytes as words.
#[inline]
#[target_feature(enable = "avx2")]
fn in_order(order: LengthOrder, words: __m256i) -> __m256i {
    match order {
        LengthOrder::Big => {
            let swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
            _mm256_shuffle_epi8(words, _mm256_broadcastsi128_si256(swap))
        }
        LengthOrder::Little => words,
    }
}

/// Chaining values to columns.
#[inline]
#[target_feature(enable = "avx2")]
fn gather<const WORDS: usize>(states: &[&[u32; WORDS]; 8]) -> [__m256i; WORDS] {
    let mut columns = [_mm256_setzero_si256(); WORDS];
    let (fours, rest) = columns.as_chunks_mut::<4>();
    let fours_len = fours.len();
    for (four, columns) in fours.iter_mut().enumerate() {
        let mut rows = [_mm256_setzero_si256(); 4];
        for (lane, row) in rows.iter_mut().enumerate() {
            let [low, high] = [states[lane], states[lane + 4]].map(|state| {
                // SAFETY: four words lie there.
                unsafe { _mm_loadu_si128(state.as_chunks::<4>().0[four].as_ptr().cast()) }
            });
            *row = _mm256_set_m128i(high, low);
        }
        *columns = transposed(rows);
    }
    for (index, column) in rest.iter_mut().enumerate() {
        let words = states.map(|state| state[4 * fours_len + index]);
        // SAFETY: 32 bytes are readable.
        *column = unsafe { _mm256_loadu_si256(words.as_ptr().cast()) };
    }
    columns
}

/// Chaining values from columns.
#[inline]
#[target_feature(enable = "avx2")]
fn scatter<const WORDS: usize>(columns: &[__m256i; WORDS]) -> [[u32; WORDS]; 8] {
    let mut states = [[0; WORDS]; 8];
    let (fours, rest) = columns.as_chunks::<4>();
    for (four, columns) in fours.iter().enumerate() {
        for (lane, row) in transposed(*columns).into_iter().enumerate() {
            let halves = [_mm256_castsi256_si128(row), _mm256_extracti128_si256::<1>(row)];
            for (half, lane) in halves.into_iter().zip([lane, lane + 4]) {
                let words = &mut states[lane].as_chunks_mut::<4>().0[four];
                // SAFETY: 16 bytes are writable.
                unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), half) };
            }
        }
    }
    for (index, column) in rest.iter().enumerate() {
        let mut words = [0_u32; 8];
        // SAFETY: 32 bytes are writable.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), *column) };
        for (state, word) in states.iter_mut().zip(words) {
            state[4 * fours.len() + index] = word;
        }
    }
    states
}

/// The tags of the messages of these numbers, at most `8 * GROUPS`, which take equally many blocks.
#[inline]
pub(crate) fn in_step<C, H, const WORDS: usize, const GROUPS: usize>(
    _: Avx2,
    tags: &mut Tags<'_, '_, H, 64>,
    numbers: &[u16],
) where
    C: Columns<WORDS>,
    H: Hash<64, State = [u32; WORDS]>,
{
    // SAFETY: the token proves the instructions.
    unsafe { run::<C, H, WORDS, GROUPS>(tags, numbers) }
}

#[target_feature(enable = "avx2")]
fn run<C, H, const WORDS: usize, const GROUPS: usize>(
    tags: &mut Tags<'_, '_, H, 64>,
    numbers: &[u16],
) where
    C: Columns<WORDS>,
    H: Hash<64, State = [u32; WORDS]>,
{
    assert!((1..=8 * GROUPS).contains(&numbers.len()), "at most one a lane");
    // Lanes without a message repeat the first one.
    let number = |lane: usize| numbers.get(lane).copied().unwrap_or(numbers[0]);
    let messages: [[&[u8]; 8]; GROUPS] =
        by_place([&[]; 8], |group| by_place(&[], |lane| tags.message(number(8 * group + lane))));
    let mut closing = [[[[0; 64]; 2]; 8]; GROUPS];
    let lanes = messages.as_flattened().iter().zip(closing.as_flattened_mut());
    for (message, blocks) in lanes {
        tail::close(message, length_word(C::ORDER, message.len()).to_le_bytes(), blocks);
    }
    let count = blocks::<H, 64>(messages[0][0].len());
    let full = |message: &&[u8]| message.len() / 64;
    let least = messages.as_flattened().iter().map(full).min().unwrap_or(0);

    let first = tags.key(numbers[0]);
    let zeros = [_mm256_setzero_si256(); WORDS];
    let mut states = by_place(zeros, |group| {
        gather(&by_place(&first.inner, |lane| &tags.key(number(8 * group + lane)).inner))
    });
    let starts = by_place([ptr::null(); 8], |group| {
        by_place(ptr::null(), |lane| messages[group][lane].as_ptr())
    });
    // SAFETY: all messages have as many whole blocks.
    unsafe { absorb_runs::<C, WORDS, GROUPS>(&mut states, &starts, least) };
    for index in least..count {
        let starts = by_place([ptr::null(); 8], |group| {
            by_place(ptr::null(), |lane| {
                let (blocks, _) = messages[group][lane].as_chunks();
                let block = blocks.get(index);
                block.unwrap_or_else(|| &closing[group][lane][index - blocks.len()]).as_ptr()
            })
        });
        // SAFETY: each is the start of a block.
        unsafe { absorb_runs::<C, WORDS, GROUPS>(&mut states, &starts, 1) };
    }
    let mut words = by_place([_mm256_setzero_si256(); 16], |group| {
        digest_columns::<WORDS>(C::ORDER, &states[group], H::DIGEST_LEN)
    });
    states = by_place(zeros, |group| {
        gather(&by_place(&first.outer, |lane| &tags.key(number(8 * group + lane)).outer))
    });
    absorb_columns::<C, WORDS, GROUPS>(&mut states, &mut words);
    let states: [_; GROUPS] = by_place([[0; WORDS]; 8], |group| scatter(&states[group]));
    for (state, number) in states.as_flattened().iter().zip(numbers) {
        H::write_digest(state, tags.tag(*number));
    }
}

/// The block of the outer hash, of the inner one's chaining values.
#[inline]
#[target_feature(enable = "avx2")]
fn digest_columns<const WORDS: usize>(
    order: LengthOrder,
    state: &[__m256i; WORDS],
    digest_len: usize,
) -> [__m256i; 16] {
    let bits = _mm256_set1_epi32(8 * (64 + digest_len as i32));
    let (mark, length_place) = match order {
        LengthOrder::Big => (i32::MIN, 15),
        LengthOrder::Little => (0x80, 14),
    };
    let count = digest_len / 4;
    let mut words = [_mm256_setzero_si256(); 16];
    words[..count].copy_from_slice(&state[..count]);
    words[count] = _mm256_set1_epi32(mark);
    words[length_place] = bits;
    words
}

/// Prepares at most eight keys, each of at most a block: the two blocks of a key as two groups.
#[inline]
pub(crate) fn keys<C, H, const WORDS: usize>(
    _: Avx2,
    keys: &[&[u8]],
    states: &mut [HmacKey<[u32; WORDS]>],
) where
    C: Columns<WORDS>,
    H: Hash<64, State = [u32; WORDS]>,
{
    // SAFETY: the token proves the instructions.
    unsafe { set_up::<C, H, WORDS>(keys, states) }
}

#[target_feature(enable = "avx2")]
fn set_up<C, H, const WORDS: usize>(keys: &[&[u8]], states: &mut [HmacKey<[u32; WORDS]>])
where
    C: Columns<WORDS>,
    H: Hash<64, State = [u32; WORDS]>,
{
    assert!(keys.len() <= 8 && keys.len() == states.len(), "at most one a lane");
    assert!(keys.iter().all(|key| key.len() <= size_of::<Block>()), "at most a block");
    let mut padded = [[0; 64]; 8];
    for (block, key) in padded.iter_mut().zip(keys) {
        *block = match <&Block>::try_from(*key) {
            Ok(key) => *key,
            Err(_) => tail::block(key, 0),
        };
    }
    let mut words = [[_mm256_setzero_si256(); 16]; 2];
    // SAFETY: a block lies at the start of each lane.
    unsafe {
        load_columns(C::ORDER, &padded.each_ref().map(|block| block.as_ptr()), 0, &mut words[0])
    };
    words[1] = words[0];
    for (words, pad) in words.iter_mut().zip([IPAD, OPAD]) {
        for word in words {
            *word = _mm256_xor_si256(*word, _mm256_set1_epi8(pad.cast_signed()));
        }
    }
    let mut columns = [H::INITIAL.map(|word| _mm256_set1_epi32(word.cast_signed())); 2];
    absorb_columns::<C, WORDS, 2>(&mut columns, &mut words);
    let [inner, outer] = columns.map(|state| scatter(&state));
    for ((states, inner), outer) in states.iter_mut().zip(inner).zip(outer) {
        *states = HmacKey { inner, outer };
    }
    overwrite(&mut padded, [[0; 64]; 8]);
}
