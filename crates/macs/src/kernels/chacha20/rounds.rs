//! The rounds, whatever the words are in. Many blocks: a vector has one word of each, so that
//! nothing has to be moved between the rounds, and the words are brought together at the end. Few
//! blocks: a vector has a row of four words of each, which is turned between the rounds. All
//! functions are inlined into one that has the instructions of the vectors.

use super::{BLOCK_BYTES, COUNTER, State};
use crate::wipe::wipe;

/// Words of 32 bits side by side, in lanes of four.
pub(super) trait Words: Copy {
    /// Number of lanes.
    const LANES: usize;

    /// A word in all places.
    fn splat(word: u32) -> Self;
    /// These words in each lane.
    fn row(words: &[u32; 4]) -> Self;
    /// The first of these words, as many as there are.
    fn load(words: &[u32; 16]) -> Self;
    fn add(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Each word rotated to the left by 16, 12, 8 or 7 bits.
    fn rotate<const BITS: u32>(self) -> Self;
    /// The words of each lane moved down by so many places, around.
    fn turn<const PLACES: usize>(self) -> Self;
    /// In each lane, rows to columns.
    fn transpose(rows: [Self; 4]) -> [Self; 4];
    /// The first lanes of all, then the second ones, and so on.
    fn by_lanes(rows: [Self; 4]) -> [Self; 4];
    /// XORs all words into as many bytes, little-endian. Panics if there are fewer.
    fn apply(self, data: &mut [u8]);
}

/// Bytes of the blocks of the widest vectors.
const REST_MAX_BYTES: usize = 16 * BLOCK_BYTES;

/// RFC 8439 §2.1, of all words at once.
#[inline(always)]
fn quarter_round<W: Words>(a: &mut W, b: &mut W, c: &mut W, d: &mut W) {
    *a = a.add(*b);
    *d = d.xor(*a).rotate::<16>();
    *c = c.add(*d);
    *b = b.xor(*c).rotate::<12>();
    *a = a.add(*b);
    *d = d.xor(*a).rotate::<8>();
    *c = c.add(*d);
    *b = b.xor(*c).rotate::<7>();
}

/// The quarter round of these words of a state.
#[inline(always)]
fn quarter_round_of<W: Words>(state: &mut [W; 16], [a, b, c, d]: [usize; 4]) {
    let [mut wa, mut wb, mut wc, mut wd] = [state[a], state[b], state[c], state[d]];
    quarter_round(&mut wa, &mut wb, &mut wc, &mut wd);
    (state[a], state[b], state[c], state[d]) = (wa, wb, wc, wd);
}

/// Which block each place of a vector has, in columns: those of one lane are as many blocks apart
/// as there are lanes, so that what comes out lies in order.
const fn counts_in_columns(lanes: usize) -> [u32; 16] {
    let (mut counts, mut place) = ([0; 16], 0);
    while place < 16 {
        counts[place] = ((place % 4) * lanes + place / 4) as u32;
        place += 1;
    }
    counts
}

/// What is added to the last row of a state: the number of the lane's block to the counter.
const fn counts_in_rows() -> [u32; 16] {
    let mut counts = [0; 16];
    let mut lane = 0;
    while lane < 4 {
        counts[4 * lane] = lane as u32;
        lane += 1;
    }
    counts
}

/// XORs as many blocks as a vector has words into `data`, which is as long.
#[inline(always)]
fn columns<W: Words>(start: &State, data: &mut [u8]) {
    let counts = W::load(const { &counts_in_columns(W::LANES) });
    let mut state = [counts; 16];
    for (to, word) in state.iter_mut().zip(start) {
        *to = W::splat(*word);
    }
    state[COUNTER] = state[COUNTER].add(counts);
    for _ in 0..10 {
        quarter_round_of(&mut state, [0, 4, 8, 12]);
        quarter_round_of(&mut state, [1, 5, 9, 13]);
        quarter_round_of(&mut state, [2, 6, 10, 14]);
        quarter_round_of(&mut state, [3, 7, 11, 15]);
        quarter_round_of(&mut state, [0, 5, 10, 15]);
        quarter_round_of(&mut state, [1, 6, 11, 12]);
        quarter_round_of(&mut state, [2, 7, 8, 13]);
        quarter_round_of(&mut state, [3, 4, 9, 14]);
    }
    for (to, word) in state.iter_mut().zip(start) {
        *to = to.add(W::splat(*word));
    }
    state[COUNTER] = state[COUNTER].add(counts);
    let [s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15] = state;
    let a = W::transpose([s0, s1, s2, s3]);
    let b = W::transpose([s4, s5, s6, s7]);
    let c = W::transpose([s8, s9, s10, s11]);
    let d = W::transpose([s12, s13, s14, s15]);
    let quarters = data.chunks_exact_mut(W::LANES * BLOCK_BYTES);
    for (place, data) in quarters.take(4).enumerate() {
        apply_blocks([a[place], b[place], c[place], d[place]], data);
    }
}

/// XORs the blocks whose rows these are, one in each lane, into as many bytes.
#[inline(always)]
fn apply_blocks<W: Words>(rows: [W; 4], data: &mut [u8]) {
    for (words, data) in W::by_lanes(rows).into_iter().zip(data.chunks_exact_mut(16 * W::LANES)) {
        words.apply(data);
    }
}

/// XORs `N` times as many blocks as there are lanes into `data`, which is as long.
#[inline(always)]
fn rows<W: Words, const N: usize>(start: &State, data: &mut [u8]) {
    let [a, b, c, d] = start.as_chunks().0 else { unreachable!("16 words") };
    let first = W::row(d).add(W::load(const { &counts_in_rows() }));
    let begin = [W::row(a), W::row(b), W::row(c), first];
    let mut states = [begin; N];
    let step = W::row(&[W::LANES as u32, 0, 0, 0]);
    for n in 1..N {
        states[n][3] = states[n - 1][3].add(step);
    }
    for _ in 0..10 {
        for [a, b, c, d] in &mut states {
            quarter_round(a, b, c, d);
        }
        for [_, b, c, d] in &mut states {
            (*b, *c, *d) = (b.turn::<1>(), c.turn::<2>(), d.turn::<3>());
        }
        for [a, b, c, d] in &mut states {
            quarter_round(a, b, c, d);
        }
        for [_, b, c, d] in &mut states {
            (*b, *c, *d) = (b.turn::<3>(), c.turn::<2>(), d.turn::<1>());
        }
    }
    let mut last = begin;
    for ([a, b, c, d], data) in
        states.into_iter().zip(data.chunks_exact_mut(W::LANES * BLOCK_BYTES))
    {
        apply_blocks([a.add(last[0]), b.add(last[1]), c.add(last[2]), d.add(last[3])], data);
        last[3] = last[3].add(step);
    }
}

/// XORs the stream of this state into `data`.
#[inline(always)]
pub(super) fn apply<W: Words>(start: &mut State, data: &mut [u8]) {
    let mut runs = data.chunks_exact_mut(4 * W::LANES * BLOCK_BYTES);
    for run in &mut runs {
        columns::<W>(start, run);
        start[COUNTER] = start[COUNTER].wrapping_add(4 * W::LANES as u32);
    }
    rest::<W>(start, runs.into_remainder());
}

/// The same for less than a vector of blocks: through a buffer, unless they fill rows.
#[inline(always)]
fn rest<W: Words>(start: &State, data: &mut [u8]) {
    let row_bytes = W::LANES * BLOCK_BYTES;
    let (rows_needed, len) = (data.len().div_ceil(row_bytes), data.len());
    if rows_needed == 0 {
        return;
    }
    if len == rows_needed * row_bytes && rows_needed < 3 {
        return few::<W>(start, rows_needed, data);
    }
    let mut whole = [0; REST_MAX_BYTES];
    let whole = &mut whole[..if rows_needed < 3 { rows_needed } else { 4 } * row_bytes];
    whole[..len].copy_from_slice(data);
    few::<W>(start, rows_needed, whole);
    data.copy_from_slice(&whole[..len]);
    wipe(whole);
}

/// One row of blocks, two, or four for three.
#[inline(always)]
fn few<W: Words>(start: &State, rows_needed: usize, data: &mut [u8]) {
    match rows_needed {
        1 => rows::<W, 1>(start, data),
        2 => rows::<W, 2>(start, data),
        _ => columns::<W>(start, data),
    }
}
