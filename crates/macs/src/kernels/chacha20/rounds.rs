//! The rounds, whatever the words are in. Many blocks: a vector has one word of each, so that
//! nothing has to be moved between the rounds, and the words are brought together at the end. Few
//! blocks: a vector has a row of four words of each, which is turned between the rounds. All
//! functions are inlined into one that has the instructions of the vectors.

use core::mem;

use super::{BLOCK_BYTES, COUNTER, State};
use crate::wipe::{overwrite, wipe};

/// Words of 32 bits side by side, in lanes of four.
pub(super) trait Words: Copy {
    /// Number of lanes.
    const LANES: usize;
    /// Length of a vector.
    const BYTES: usize = 16 * Self::LANES;
    /// Whether the registers hold the words of two times as many blocks as a vector has words.
    const TWICE: bool;

    /// What rotations need.
    type Orders: Copy;

    fn orders() -> Self::Orders;
    /// A word in all places.
    fn splat(word: u32) -> Self;
    /// These words in each lane.
    fn row(words: &[u32; 4]) -> Self;
    /// The first of these words, as many as there are.
    fn load(words: &[u32; 16]) -> Self;
    fn add(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Each word rotated to the left by 16, 12, 8 or 7 bits.
    fn rotate<const BITS: u32>(self, orders: Self::Orders) -> Self;
    /// The words of each lane moved down by so many places, around.
    fn turn<const PLACES: usize>(self) -> Self;
    /// In each lane, rows to columns.
    fn transpose(rows: [Self; 4]) -> [Self; 4];
    /// The first lanes of all, then the second ones, and so on.
    fn by_lanes(rows: [Self; 4]) -> [Self; 4];
    /// XORs all words into as many bytes, little-endian. Panics if there are fewer.
    fn apply(self, data: &mut [u8]);
    /// The same words as bytes in memory.
    fn bytes(words: &mut [Self]) -> &mut [u8];

    /// Four times as many blocks as there are lanes, once or more times: gives how many times as
    /// many it were.
    #[inline(always)]
    fn many(start: &State, sink: &mut Sink<'_>) -> usize {
        many::<Self>(start, sink);
        4
    }
}

/// For a shuffle of bytes: each word rotated by so many bytes.
pub(super) const fn rotation(bytes: usize) -> [u8; 32] {
    let (mut order, mut at) = ([0; 32], 0);
    while at < 32 {
        order[at] = (at % 16 / 4 * 4 + (at + 4 - bytes) % 4) as u8;
        at += 1;
    }
    order
}

/// The words of many blocks.
pub(super) type Columns<W> = [W; 16];
/// The rows of one block a lane.
pub(super) type Rows<W> = [W; 4];

/// RFC 8439 §2.1, of all words at once.
#[inline(always)]
fn quarter_round<W: Words>(orders: W::Orders, a: &mut W, b: &mut W, c: &mut W, d: &mut W) {
    *a = a.add(*b);
    *d = d.xor(*a).rotate::<16>(orders);
    *c = c.add(*d);
    *b = b.xor(*c).rotate::<12>(orders);
    *a = a.add(*b);
    *d = d.xor(*a).rotate::<8>(orders);
    *c = c.add(*d);
    *b = b.xor(*c).rotate::<7>(orders);
}

/// The quarter round of these words of a state.
#[inline(always)]
fn quarter_round_of<W: Words>(orders: W::Orders, state: &mut Columns<W>, [a, b, c, d]: [usize; 4]) {
    let [mut wa, mut wb, mut wc, mut wd] = [state[a], state[b], state[c], state[d]];
    quarter_round(orders, &mut wa, &mut wb, &mut wc, &mut wd);
    (state[a], state[b], state[c], state[d]) = (wa, wb, wc, wd);
}

#[inline(always)]
pub(super) fn column_round<W: Words>(orders: W::Orders, state: &mut Columns<W>) {
    quarter_round_of(orders, state, [0, 4, 8, 12]);
    quarter_round_of(orders, state, [1, 5, 9, 13]);
    quarter_round_of(orders, state, [2, 6, 10, 14]);
    quarter_round_of(orders, state, [3, 7, 11, 15]);
}

#[inline(always)]
pub(super) fn diagonal_round<W: Words>(orders: W::Orders, state: &mut Columns<W>) {
    quarter_round_of(orders, state, [1, 6, 11, 12]);
    quarter_round_of(orders, state, [0, 5, 10, 15]);
    quarter_round_of(orders, state, [3, 4, 9, 14]);
    quarter_round_of(orders, state, [2, 7, 8, 13]);
}

/// Which block each place of a vector has, in columns: those of one lane are as many blocks apart
/// as there are lanes, so that what comes out lies in order.
pub(super) const fn counts_in_columns(lanes: usize) -> [u32; 16] {
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

/// The words of as many blocks as a vector has words, before the rounds.
#[inline(always)]
pub(super) fn columns<W: Words>(start: &State) -> Columns<W> {
    let counts = W::load(const { &counts_in_columns(W::LANES) });
    let mut state = [counts; 16];
    for (to, word) in state.iter_mut().zip(start) {
        *to = W::splat(*word);
    }
    state[COUNTER] = state[COUNTER].add(counts);
    state
}

/// After the rounds: the blocks go where they belong.
#[inline(always)]
pub(super) fn finish_columns<W: Words>(start: &State, mut state: Columns<W>, sink: &mut Sink<'_>) {
    let begin = columns::<W>(start);
    for (to, word) in state.iter_mut().zip(begin) {
        *to = to.add(word);
    }
    let [s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15] = state;
    let a = W::transpose([s0, s1, s2, s3]);
    let b = W::transpose([s4, s5, s6, s7]);
    let c = W::transpose([s8, s9, s10, s11]);
    let d = W::transpose([s12, s13, s14, s15]);
    if let Some(data) = sink.whole(16 * W::BYTES) {
        for (place, data) in data.chunks_exact_mut(4 * W::BYTES).take(4).enumerate() {
            apply_all(W::by_lanes([a[place], b[place], c[place], d[place]]), data);
        }
        return;
    }
    let mut blocks = [a, b, c, d];
    for (place, blocks) in blocks.iter_mut().enumerate() {
        *blocks = W::by_lanes([a[place], b[place], c[place], d[place]]);
    }
    sink.take_part(W::bytes(blocks.as_flattened_mut()));
}

/// The rows of `N` times as many blocks as there are lanes, before the rounds.
#[inline(always)]
pub(super) fn rows<W: Words, const N: usize>(start: &State) -> [Rows<W>; N] {
    let [a, b, c, d] = start.as_chunks().0 else { unreachable!("16 words") };
    let first = W::row(d).add(W::load(const { &counts_in_rows() }));
    let mut states = [[W::row(a), W::row(b), W::row(c), first]; N];
    let step = W::row(&[W::LANES as u32, 0, 0, 0]);
    for n in 1..N {
        states[n][3] = states[n - 1][3].add(step);
    }
    states
}

/// A column round of rows, which leaves them on the diagonals: the second row, which is ready last,
/// stays, and the others are turned around it.
#[inline(always)]
pub(super) fn to_diagonals<W: Words>(orders: W::Orders, [a, b, c, d]: &mut Rows<W>) {
    quarter_round(orders, a, b, c, d);
    (*a, *d, *c) = (a.turn::<3>(), d.turn::<2>(), c.turn::<1>());
}

/// A diagonal round, and back.
#[inline(always)]
pub(super) fn to_columns<W: Words>(orders: W::Orders, [a, b, c, d]: &mut Rows<W>) {
    quarter_round(orders, a, b, c, d);
    (*a, *d, *c) = (a.turn::<1>(), d.turn::<2>(), c.turn::<3>());
}

/// After the rounds: the blocks of rows go where they belong.
#[inline(always)]
pub(super) fn finish_rows<W: Words, const N: usize>(
    start: &State,
    states: [Rows<W>; N],
    sink: &mut Sink<'_>,
) {
    let mut blocks = rows::<W, N>(start);
    for (to, rows) in blocks.iter_mut().zip(states) {
        let [a, b, c, d] = *to;
        *to = W::by_lanes([a.add(rows[0]), b.add(rows[1]), c.add(rows[2]), d.add(rows[3])]);
    }
    if let Some(data) = sink.whole(4 * N * W::BYTES) {
        for (blocks, data) in blocks.into_iter().zip(data.chunks_exact_mut(4 * W::BYTES)) {
            apply_all(blocks, data);
        }
        return;
    }
    sink.take_part(W::bytes(blocks.as_flattened_mut()));
}

/// `N` times as many blocks as there are lanes.
#[inline(always)]
fn few<W: Words, const N: usize>(start: &State, sink: &mut Sink<'_>) {
    let orders = W::orders();
    let mut states = rows::<W, N>(start);
    for _ in 0..10 {
        for rows in &mut states {
            to_diagonals(orders, rows);
        }
        for rows in &mut states {
            to_columns(orders, rows);
        }
    }
    finish_rows(start, states, sink);
}

/// Four times as many.
#[inline(always)]
pub(super) fn many<W: Words>(start: &State, sink: &mut Sink<'_>) {
    let orders = W::orders();
    let mut state = columns::<W>(start);
    for _ in 0..10 {
        column_round(orders, &mut state);
        diagonal_round(orders, &mut state);
    }
    finish_columns(start, state, sink);
}

/// `N` times more than four: rows go along with the columns in their shadow.
#[inline(always)]
pub(super) fn some_more<W: Words, const N: usize>(start: &State, sink: &mut Sink<'_>) {
    let orders = W::orders();
    let mut behind = advanced(start, 4 * W::LANES);
    let mut state = columns::<W>(start);
    let mut last = rows::<W, N>(&behind);
    for _ in 0..10 {
        for rows in &mut last {
            to_diagonals(orders, rows);
        }
        column_round(orders, &mut state);
        for rows in &mut last {
            to_columns(orders, rows);
        }
        diagonal_round(orders, &mut state);
    }
    finish_columns(start, state, sink);
    finish_rows(&behind, last, sink);
    overwrite(&mut behind, [0; 16]);
}

/// Eight times: a single state leaves the CPU waiting.
#[inline(always)]
fn twice<W: Words>(start: &State, sink: &mut Sink<'_>) {
    let orders = W::orders();
    let mut behind = advanced(start, 4 * W::LANES);
    let mut states = [columns::<W>(start), columns::<W>(&behind)];
    for _ in 0..10 {
        for state in &mut states {
            column_round(orders, state);
        }
        for state in &mut states {
            diagonal_round(orders, state);
        }
    }
    let [state, second] = states;
    finish_columns(start, state, sink);
    finish_columns(&behind, second, sink);
    overwrite(&mut behind, [0; 16]);
}

/// The state of the block so many blocks behind.
#[inline(always)]
fn advanced(start: &State, blocks: usize) -> State {
    let mut state = *start;
    advance(&mut state, blocks);
    state
}

#[inline(always)]
pub(super) fn advance(state: &mut State, blocks: usize) {
    state[COUNTER] = state[COUNTER].wrapping_add(blocks as u32);
}

/// XORs four vectors into as many bytes.
#[inline(always)]
fn apply_all<W: Words>(stream: [W; 4], data: &mut [u8]) {
    for (words, data) in stream.into_iter().zip(data.chunks_exact_mut(W::BYTES)) {
        words.apply(data);
    }
}

/// Where a stream goes: its first block perhaps to where a key is taken from it, the rest into
/// data.
pub(super) struct Sink<'a> {
    pub(super) first: Option<&'a mut [u8; BLOCK_BYTES]>,
    pub(super) data: &'a mut [u8],
}

impl<'a> Sink<'a> {
    /// Blocks that it takes.
    #[inline(always)]
    pub(super) fn blocks(&self) -> usize {
        usize::from(self.first.is_some()) + self.data.len().div_ceil(BLOCK_BYTES)
    }

    /// The next bytes of the data, so many, if there are and no block is before them.
    #[inline(always)]
    fn whole(&mut self, len: usize) -> Option<&'a mut [u8]> {
        if self.first.is_some() || self.data.len() < len {
            return None;
        }
        Some(self.next(len))
    }

    /// The next bytes of the data, so many, which are to be there.
    #[inline(always)]
    pub(super) fn next(&mut self, len: usize) -> &'a mut [u8] {
        let (now, rest) = mem::take(&mut self.data).split_at_mut(len);
        self.data = rest;
        now
    }

    /// Takes what it needs of the next part of the stream, which is wiped.
    #[inline(always)]
    pub(super) fn take_part(&mut self, stream: &mut [u8]) {
        let mut bytes = &*stream;
        if let Some(first) = self.first.take() {
            let (block, behind) = bytes.split_first_chunk().expect("there are whole blocks");
            (*first, bytes) = (*block, behind);
        }
        let len = bytes.len().min(self.data.len());
        xor(self.next(len), &bytes[..len]);
        wipe(stream);
    }
}

/// XORs bytes into as many.
#[inline(always)]
fn xor(data: &mut [u8], stream: &[u8]) {
    let ((data, tail), (stream, last)) = (data.as_chunks_mut::<16>(), stream.as_chunks::<16>());
    for (data, stream) in data.iter_mut().zip(stream) {
        *data = (u128::from_ne_bytes(*data) ^ u128::from_ne_bytes(*stream)).to_ne_bytes();
    }
    tail.iter_mut().zip(last).for_each(|(byte, stream)| *byte ^= stream);
}

/// XORs the stream of this state into where it goes.
#[inline(always)]
pub(super) fn apply<W: Words>(start: &mut State, mut sink: Sink<'_>) {
    loop {
        let blocks = sink.blocks();
        // As many blocks as there are lanes, so many times.
        let done = match blocks.div_ceil(W::LANES) {
            0 => return,
            1 => {
                few::<W, 1>(start, &mut sink);
                1
            }
            2 => {
                few::<W, 2>(start, &mut sink);
                2
            }
            3 => {
                few::<W, 3>(start, &mut sink);
                3
            }
            5 => {
                some_more::<W, 1>(start, &mut sink);
                5
            }
            // Nine are four and five.
            6..=8 | 10.. if W::TWICE => {
                twice::<W>(start, &mut sink);
                8
            }
            _ => W::many(start, &mut sink),
        };
        advance(start, done * W::LANES);
    }
}
