//! Rows: a vector holds one row of the state (§2.2), of one node in each of its lanes of 128 bits.
//! One node after the other waits for sums and rotations most of the time: this is for few.

use core::hint::black_box;

use super::form::Form;
use super::vector::Vector;
use super::{BLOCK_BYTES, Block, IV, Input, KEYED_HASH, Key, Node, Value};
use crate::kernels::md_block::tail;
use crate::wipe::overwrite;

/// A row of `N` nodes.
pub(super) trait Row<const N: usize>: Vector {
    /// The same words for all.
    fn splat(words: &[u32; 4]) -> Self;
    fn load(words: &[[u32; 4]; N]) -> Self;
    /// This quarter of 16 bytes of each.
    fn quarter<const LEN: usize>(rows: &[&[u8; LEN]; N], quarter: usize) -> Self;
    /// Writes this half of each value.
    fn put(self, values: &mut [Value; N], half: usize);
    /// The words at these places: two bits each, the lowest for the first (`PSHUFD`).
    fn pick<const PLACES: i32>(self) -> Self;
    /// Two words of the first, then two of the second (`SHUFPS`).
    fn pick_of<const PLACES: i32>(self, other: Self) -> Self;
    /// The words of `other` where `PLACES` has a bit.
    fn blend<const PLACES: i32>(self, other: Self) -> Self;
    /// The first and the second word of both, in turn.
    fn zip_low(self, other: Self) -> Self;
    /// The third and the fourth word of both, in turn.
    fn zip_high(self, other: Self) -> Self;
    /// The first half of both.
    fn low_halves(self, other: Self) -> Self;
}

/// A row of one node.
pub(super) trait Sole: Row<1> {
    /// The quarters of the last block, which is not whole, padded with zeros.
    fn tail(data: &[u8]) -> [Self; 4];
}

/// Places of `Row::pick`.
const fn places(a: i32, b: i32, c: i32, d: i32) -> i32 {
    a | b << 2 | c << 4 | d << 6
}

/// The value of one node: without the code for several, for its time is felt.
#[inline(always)]
pub(super) fn value<R: Sole>(input: Input<'_>, node: Node, value: &mut Value) {
    let (blocks, rest) = input.data.as_chunks();
    let (blocks, last) = match (blocks, rest) {
        ([blocks @ .., last], []) => (blocks, quarters::<R, 1>(&[last])),
        _ => (blocks, R::tail(input.data)),
    };
    let last_len = input.data.len() - blocks.len() * BLOCK_BYTES;
    let [low, high] = [input.counter as u32, (input.counter >> 32) as u32];
    let (mut flags, mut rows) =
        (KEYED_HASH | node.first, [[R::quarter(&[input.key], 0), R::quarter(&[input.key], 1)]]);
    for block in blocks {
        let tweak = R::load(&[[low, high, BLOCK_BYTES as u32, flags]]);
        rounds(&mut rows, [quarters(&[block])], [tweak]);
        flags = KEYED_HASH;
    }
    let tweak = R::load(&[[low, high, last_len as u32, flags | node.last]]);
    rounds(&mut rows, [last], [tweak]);
    let [[low, high]] = rows;
    low.put(core::array::from_mut(value), 0);
    high.put(core::array::from_mut(value), 1);
}

#[inline(always)]
fn quarters<R: Row<N>, const N: usize>(blocks: &[&Block; N]) -> [R; 4] {
    [R::quarter(blocks, 0), R::quarter(blocks, 1), R::quarter(blocks, 2), R::quarter(blocks, 3)]
}

#[inline(always)]
fn tweak<R: Row<N>, const N: usize>(counters: &[u64; N], lens: &[u32; N], flags: &[u32; N]) -> R {
    R::load(&core::array::from_fn(|i| {
        [counters[i] as u32, (counters[i] >> 32) as u32, lens[i], flags[i]]
    }))
}

/// Chaining values in rows.
#[derive(Clone, Copy)]
pub(super) struct Rows<R>([R; 2]);

impl<R: Row<N>, const N: usize> Form<N> for Rows<R> {
    type Tweak = R;

    #[inline(always)]
    fn begin(keys: &[&Key; N]) -> Self {
        Self([R::quarter(keys, 0), R::quarter(keys, 1)])
    }

    #[inline(always)]
    fn tweak(counters: &[u64; N], lens: &[u32; N], flags: &[u32; N]) -> R {
        tweak(counters, lens, flags)
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &[&[Block]; N], [mut tweak, inner, last]: [R; 3]) {
        let (mut rows, mut blocks) = ([self.0], [&[0; BLOCK_BYTES]; N]);
        for index in 0..runs[0].len() {
            for (block, run) in blocks.iter_mut().zip(runs) {
                *block = &run[index];
            }
            rounds(&mut rows, [quarters(&blocks)], [tweak]);
            tweak = if index + 2 == runs[0].len() { last } else { inner };
        }
        [self.0] = rows;
    }

    #[inline(always)]
    fn end(self, values: &mut [Value; N]) {
        self.0[0].put(values, 0);
        self.0[1].put(values, 1);
    }

    #[inline(always)]
    fn pad(data: &[u8], block: &mut Block) {
        *block = tail::block(data, 0);
    }
}

/// Twice two: what one waits for, the other has done.
#[derive(Clone, Copy)]
pub(super) struct TwiceTwo<R>([[R; 2]; 2]);

/// The first and the last two.
#[inline(always)]
fn halves<T>(four: &[T; 4]) -> [&[T; 2]; 2] {
    let [low, high] = four.as_chunks().0 else { unreachable!("twice two") };
    [low, high]
}

impl<R: Row<2>> Form<4> for TwiceTwo<R> {
    type Tweak = [R; 2];

    #[inline(always)]
    fn begin(keys: &[&Key; 4]) -> Self {
        let [low, high] = halves(keys);
        Self([[R::quarter(low, 0), R::quarter(low, 1)], [R::quarter(high, 0), R::quarter(high, 1)]])
    }

    #[inline(always)]
    fn tweak(counters: &[u64; 4], lens: &[u32; 4], flags: &[u32; 4]) -> [R; 2] {
        let ([counters, counters_2], [lens, lens_2]) = (halves(counters), halves(lens));
        let [flags, flags_2] = halves(flags);
        [tweak(counters, lens, flags), tweak(counters_2, lens_2, flags_2)]
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &[&[Block]; 4], [mut tweak, inner, last]: [[R; 2]; 3]) {
        let mut blocks = [&[0; BLOCK_BYTES]; 4];
        for index in 0..runs[0].len() {
            for (block, run) in blocks.iter_mut().zip(runs) {
                *block = &run[index];
            }
            let [low, high] = halves(&blocks);
            rounds(&mut self.0, [quarters(low), quarters(high)], tweak);
            tweak = if index + 2 == runs[0].len() { last } else { inner };
        }
    }

    #[inline(always)]
    fn end(self, values: &mut [Value; 4]) {
        for (rows, values) in self.0.iter().zip(values.as_chunks_mut().0) {
            rows[0].put(values, 0);
            rows[1].put(values, 1);
        }
    }

    #[inline(always)]
    fn pad(data: &[u8], block: &mut Block) {
        *block = tail::block(data, 0);
    }
}

/// Half a round: the four `g` of columns, or of diagonals.
#[inline(always)]
fn half<R: Row<N>, const N: usize, const GROUPS: usize>(
    v: &mut [[R; 4]; GROUPS],
    m: &[[R; 4]; GROUPS],
    first: usize,
    orders: R::Orders,
) {
    for ([a, b, c, d], m) in v.iter_mut().zip(m) {
        *a = a.add(m[first]).add(*b);
        *d = d.xor(*a).rotate::<16>(orders);
        *c = c.add(*d);
        *b = b.xor(*c).rotate::<12>(orders);
        *a = a.add(m[first + 1]).add(*b);
        *d = d.xor(*a).rotate::<8>(orders);
        *c = c.add(*d);
        *b = b.xor(*c).rotate::<7>(orders);
    }
}

/// Seven rounds, and the first half of the output, in place of the chaining values. The last row of
/// the state is a tweak.
///
/// Between columns and diagonals three rows turn. All wait for the second one, which the others do
/// not: that one stays, so that turning takes no time. The words of the message are in the order
/// in which the `g` of a half round take them, first those of columns, then those of diagonals,
/// whose first is that of the second row's first word.
#[inline(always)]
fn rounds<R: Row<N>, const N: usize, const GROUPS: usize>(
    values: &mut [[R; 2]; GROUPS],
    words: [[R; 4]; GROUPS],
    tweaks: [R; GROUPS],
) {
    const EVEN: i32 = places(0, 2, 0, 2);
    const ODD: i32 = places(1, 3, 1, 3);
    const FORTH: i32 = places(3, 0, 1, 2);
    const TWICE: i32 = places(2, 3, 0, 1);
    const BACK: i32 = places(1, 2, 3, 0);
    let orders = R::orders();
    let (mut v, mut m) = ([[R::splat(&IV); 4]; GROUPS], words);
    for (((v, value), tweak), m) in v.iter_mut().zip(&*values).zip(tweaks).zip(&mut m) {
        (v[0], v[1], v[3]) = (value[0], value[1], tweak);
        let [a, b, c, d] = *m;
        *m = [
            a.pick_of::<EVEN>(b),
            a.pick_of::<ODD>(b),
            c.pick_of::<EVEN>(d).pick::<FORTH>(),
            c.pick_of::<ODD>(d).pick::<FORTH>(),
        ];
    }
    in_memory(&mut m);
    for round in 0..7 {
        half(&mut v, &m, 0, orders);
        for [a, _, c, d] in &mut v {
            (*a, *c, *d) = (a.pick::<FORTH>(), c.pick::<BACK>(), d.pick::<TWICE>());
        }
        half(&mut v, &m, 2, orders);
        for [a, _, c, d] in &mut v {
            (*a, *c, *d) = (a.pick::<BACK>(), c.pick::<FORTH>(), d.pick::<TWICE>());
        }
        if round < 6 {
            for group in 0..GROUPS {
                m[group] = permuted(m[group]);
                in_memory(&mut m);
            }
        }
    }
    if GROUPS > 1 {
        overwrite(&mut m, [[R::splat(&IV); 4]; GROUPS]);
    }
    for (value, [a, b, c, d]) in values.iter_mut().zip(v) {
        *value = [a.xor(c), b.xor(d)];
    }
}

/// Words of several groups are to be in memory: with 16 registers the states fill them, and of what
/// does not fit the compiler would put that in memory for which all wait.
#[inline(always)]
fn in_memory<T, const GROUPS: usize>(words: &mut [T; GROUPS]) {
    if GROUPS > 1 {
        black_box(words);
    }
}

/// The words of the next round. With those of this one as
/// 0 2 4 6, 1 3 5 7, 14 8 10 12 and 15 9 11 13, they are
/// 2 3 7 4, 6 10 0 13, 15 1 12 9 and 8 11 5 14.
#[inline(always)]
fn permuted<R: Row<N>, const N: usize>([m0, m1, m2, m3]: [R; 4]) -> [R; 4] {
    const ENDS: i32 = places(3, 3, 0, 0);
    let outer = m0.pick::<ENDS>();
    let inner = m2.pick_of::<{ places(2, 2, 3, 3) }>(m3);
    let joined = m3.low_halves(m1).blend::<0b1000>(m2);
    let zipped = m2.zip_low(m1.zip_high(m3));
    [
        m0.pick_of::<{ places(1, 2, 1, 3) }>(m1).pick::<{ places(0, 2, 3, 1) }>(),
        outer.blend::<0b1010>(inner),
        joined.pick::<{ places(0, 2, 3, 1) }>(),
        zipped.pick::<{ places(2, 3, 1, 0) }>(),
    ]
}
