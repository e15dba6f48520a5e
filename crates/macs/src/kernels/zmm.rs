//! AVX-512 for hashes with blocks of 64 bytes and words of 32 bits: 16 messages side by side, one
//! in each lane, in one or more groups; and masked loads of a part of a block.
#![expect(unsafe_code, reason = "loads, stores, and instructions that the token proves")]

pub(crate) mod hmac;
pub(crate) mod quarters;

use core::arch::x86_64::*;
use core::array;

use super::cpu::Avx512;
use super::lanes::Lanes;
use super::md_block::{Block, LengthOrder};
use super::stack::align_frame;

/// Rows to columns of a matrix of 16 × 16 words: pairs of words, pairs of pairs, then quarters.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn transpose(rows: &[__m512i; 16]) -> [__m512i; 16] {
    let zero = _mm512_setzero_si512();
    let mut pairs = [zero; 16];
    for i in 0..8 {
        pairs[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
        pairs[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
    }
    // fours[4i + j] holds of rows 4i..4i + 4 the columns j, j + 4, j + 8, j + 12.
    let mut fours = [zero; 16];
    for i in 0..4 {
        for j in 0..2 {
            let [even, odd] = [pairs[4 * i + j], pairs[4 * i + 2 + j]];
            fours[4 * i + 2 * j] = _mm512_unpacklo_epi64(even, odd);
            fours[4 * i + 2 * j + 1] = _mm512_unpackhi_epi64(even, odd);
        }
    }
    let mut columns = [zero; 16];
    for j in 0..4 {
        let [q0, q1, q2, q3] = [fours[j], fours[4 + j], fours[8 + j], fours[12 + j]];
        let even_low = _mm512_shuffle_i32x4(q0, q1, 0x88);
        let odd_low = _mm512_shuffle_i32x4(q0, q1, 0xdd);
        let even_high = _mm512_shuffle_i32x4(q2, q3, 0x88);
        let odd_high = _mm512_shuffle_i32x4(q2, q3, 0xdd);
        columns[j] = _mm512_shuffle_i32x4(even_low, even_high, 0x88);
        columns[4 + j] = _mm512_shuffle_i32x4(odd_low, odd_high, 0x88);
        columns[8 + j] = _mm512_shuffle_i32x4(even_low, even_high, 0xdd);
        columns[12 + j] = _mm512_shuffle_i32x4(odd_low, odd_high, 0xdd);
    }
    columns
}

/// One word of each lane.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(crate) struct LaneWords(pub(crate) [u32; 16]);

impl LaneWords {
    /// As a vector.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(crate) fn load(&self) -> __m512i {
        // SAFETY: 64 aligned bytes are readable.
        unsafe { _mm512_load_si512(self.0.as_ptr().cast()) }
    }

    /// From a vector.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(crate) fn store(&mut self, words: __m512i) {
        // SAFETY: 64 aligned bytes are writable.
        unsafe { _mm512_store_si512(self.0.as_mut_ptr().cast(), words) }
    }
}

/// Where the bytes begin; of none, some place that can be read. An empty slice may point anywhere,
/// and a load with all bytes masked out takes 170 cycles where no page is mapped (Zen 4).
#[inline(always)]
pub(crate) fn start_of(bytes: &[u8]) -> *const u8 {
    // As long as the longest block, and on one page.
    #[repr(align(128))]
    struct Nothing([u8; 128]);

    static NOTHING: Nothing = Nothing([0; 128]);
    let nothing = NOTHING.0.as_ptr();
    // Loads with all bytes masked out never have the page mapped, if nothing else on it is used.
    // SAFETY: the first byte of the array.
    unsafe { nothing.read_volatile() };
    if bytes.is_empty() { nothing } else { bytes.as_ptr() }
}

/// The first 64 bytes, or all if there are fewer, and zeros behind them.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(crate) fn load_first(bytes: &[u8]) -> __m512i {
    let mask = 1_u64.checked_shl(bytes.len().min(64) as u32).unwrap_or(0).wrapping_sub(1);
    // SAFETY: what lies behind the bytes is masked out, and so not accessed.
    unsafe { _mm512_maskz_loadu_epi8(mask, start_of(bytes).cast()) }
}

/// The last `tail_len` bytes of `bytes`, at most 64, with `marker` and zeros behind them, in
/// quarters. No jump by the length.
#[inline]
#[target_feature(enable = "avx512bw,avx512vl")]
pub(crate) fn tail_quarters(bytes: &[u8], tail_len: usize, marker: u8) -> [__m128i; 4] {
    let start = start_of(&bytes[bytes.len() - tail_len..]);
    let end = 1_u64.checked_shl(tail_len as u32).unwrap_or(0);
    let mask = end.wrapping_sub(1);
    let marker = _mm_set1_epi8(marker.cast_signed());
    let quarter = |index: usize| {
        let [mask, end] = [mask, end].map(|bits| (bits >> (16 * index)) as u16);
        let quarter = start.wrapping_add(16 * index).cast();
        // SAFETY: what lies behind the bytes is masked out, and so not accessed.
        _mm_mask_mov_epi8(unsafe { _mm_maskz_loadu_epi8(mask, quarter) }, end, marker)
    };
    [quarter(0), quarter(1), quarter(2), quarter(3)]
}

/// A compression function in columns: a vector holds one word of 16 lanes.
pub(crate) trait Columns<const WORDS: usize> {
    /// How words and lengths are written.
    const ORDER: LengthOrder;
    /// So many chains, or less, are quicker one after the other.
    fn alone(&self) -> usize;

    /// One block each for the lanes of all groups; `words` may be overwritten.
    ///
    /// # Safety
    /// The CPU has AVX-512 F and BW.
    unsafe fn compress<const GROUPS: usize>(
        states: &mut [[__m512i; WORDS]; GROUPS],
        words: &mut [[__m512i; 16]; GROUPS],
    );

    /// Every lane absorbs a run of blocks.
    ///
    /// # Safety
    /// The CPU has AVX-512 F and BW, and at each of `starts`, `blocks` blocks are readable.
    #[inline(always)]
    unsafe fn absorb_runs<const GROUPS: usize>(
        states: &mut [[__m512i; WORDS]; GROUPS],
        starts: &[[*const u8; 16]; GROUPS],
        blocks: usize,
    ) where
        Self: Sized,
    {
        // SAFETY: the caller's promise.
        unsafe { absorb_runs::<Self, WORDS, GROUPS>(states, starts, blocks) }
    }

    /// A run for one chain.
    fn absorb_one(&self, state: &mut [u32; WORDS], run: &[Block]);
}

/// `GROUPS` times 16 chains of `WORDS` words.
pub(crate) struct ZmmLanes<C, const WORDS: usize, const GROUPS: usize> {
    token: Avx512,
    groups: [[LaneWords; WORDS]; GROUPS],
    columns: C,
}

impl<C, const WORDS: usize, const GROUPS: usize> ZmmLanes<C, WORDS, GROUPS> {
    /// Chains that begin with zeros.
    #[inline(always)]
    pub(crate) fn new(token: Avx512, columns: C) -> Self {
        Self { token, groups: [[LaneWords([0; 16]); WORDS]; GROUPS], columns }
    }
}

impl<C: Columns<WORDS>, const WORDS: usize, const GROUPS: usize> Lanes
    for ZmmLanes<C, WORDS, GROUPS>
{
    type State = [u32; WORDS];
    type Block = Block;
    const LANES: usize = 16 * GROUPS;

    #[inline(always)]
    fn put(&mut self, lane: usize, state: &Self::State) {
        for (words, word) in self.groups[lane / 16].iter_mut().zip(state) {
            words.0[lane % 16] = *word;
        }
    }

    #[inline(always)]
    fn take(&self, lane: usize) -> Self::State {
        array::from_fn(|word| self.groups[lane / 16][word].0[lane % 16])
    }

    #[inline]
    fn absorb(&mut self, runs: &[&[Block]]) {
        let _: Avx512 = self.token;
        // SAFETY: the token proves the instructions.
        unsafe { absorb::<C, WORDS, GROUPS>(&mut self.groups, runs) }
    }

    #[inline]
    fn absorb_first(&mut self, active: usize, runs: &[&[Block]]) {
        if active > self.columns.alone() {
            return self.absorb(runs);
        }
        for (lane, run) in runs[..active].iter().enumerate() {
            let mut state = self.take(lane);
            self.columns.absorb_one(&mut state, run);
            self.put(lane, &state);
        }
    }
}

#[target_feature(enable = "avx512f,avx512bw")]
fn absorb<C: Columns<WORDS>, const WORDS: usize, const GROUPS: usize>(
    groups: &mut [[LaneWords; WORDS]; GROUPS],
    runs: &[&[Block]],
) {
    assert_eq!(runs.len(), 16 * GROUPS, "one run a lane");
    let blocks = runs[0].len();
    assert!(runs.iter().all(|run| run.len() == blocks), "runs of one length");
    let mut states = [[_mm512_setzero_si512(); WORDS]; GROUPS];
    for (state, words) in states.iter_mut().zip(&*groups) {
        for (vector, words) in state.iter_mut().zip(words) {
            *vector = words.load();
        }
    }
    let starts = array::from_fn(|group| {
        let runs = &runs[16 * group..];
        array::from_fn(|lane| runs[lane].as_ptr().cast())
    });
    // SAFETY: every run has so many blocks.
    unsafe { C::absorb_runs(&mut states, &starts, blocks) };
    for (words, state) in groups.iter_mut().zip(&states) {
        for (words, vector) in words.iter_mut().zip(state) {
            words.store(*vector);
        }
    }
}

/// So many blocks are asked for before they are loaded: lanes of long messages at a distance of
/// powers of two evict each other from the first cache.
const AHEAD: usize = 2;

/// Every lane absorbs a run of blocks.
///
/// # Safety
/// At each of `starts`, `blocks` blocks are readable.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw")]
unsafe fn absorb_runs<C: Columns<WORDS>, const WORDS: usize, const GROUPS: usize>(
    states: &mut [[__m512i; WORDS]; GROUPS],
    starts: &[[*const u8; 16]; GROUPS],
    blocks: usize,
) {
    align_frame();
    let mut chains = *states;
    for block in 0..blocks {
        let mut words = [[_mm512_setzero_si512(); 16]; GROUPS];
        for (words, starts) in words.iter_mut().zip(starts) {
            for (vector, start) in words.iter_mut().zip(starts) {
                // SAFETY: the caller's promise; a prefetch reads nothing, wherever it points.
                let bytes = unsafe {
                    _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(64 * (block + AHEAD)).cast());
                    _mm512_loadu_si512(start.add(64 * block).cast())
                };
                *vector = in_order(C::ORDER, bytes);
            }
            *words = transpose(words);
        }
        // SAFETY: the instructions are those of this function.
        unsafe { C::compress(&mut chains, &mut words) };
    }
    *states = chains;
}

/// Every lane absorbs a block that is there in columns.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw")]
fn absorb_columns<C: Columns<WORDS>, const WORDS: usize, const GROUPS: usize>(
    states: &mut [[__m512i; WORDS]; GROUPS],
    words: &mut [[__m512i; 16]; GROUPS],
) {
    align_frame();
    // SAFETY: the instructions are those of this function.
    unsafe { C::compress(states, words) };
}

/// Bytes as words, or words as bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn in_order(order: LengthOrder, words: __m512i) -> __m512i {
    match order {
        LengthOrder::Big => {
            let swap = _mm512_set4_epi32(0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203);
            _mm512_shuffle_epi8(words, swap)
        }
        LengthOrder::Little => words,
    }
}
