//! Rows: a vector holds one row of the state (§2.2), of one node in each of its lanes of 128 bits.
//! One node after the other waits for sums and rotations most of the time: this is for few.

use super::form::Form;
use super::{Block, IV, Key, Value};
use crate::kernels::md_block::tail;

/// A row of `N` nodes.
pub(super) trait Row<const N: usize>: Copy {
    /// What rotations need in registers.
    type Orders: Copy;

    fn orders() -> Self::Orders;
    /// The same words for all.
    fn splat(words: &[u32; 4]) -> Self;
    fn load(words: &[[u32; 4]; N]) -> Self;
    /// This quarter of 16 bytes of each.
    fn quarter<const LEN: usize>(rows: &[&[u8; LEN]; N], quarter: usize) -> Self;
    /// Writes this half of each value.
    fn put(self, values: &mut [Value; N], half: usize);
    fn add(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// To the right, by 16, 12, 8 or 7 bits.
    fn rotate<const BITS: u32>(self, orders: Self::Orders) -> Self;
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

/// Places of `Row::pick`.
const fn places(a: i32, b: i32, c: i32, d: i32) -> i32 {
    a | b << 2 | c << 4 | d << 6
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
        R::load(&core::array::from_fn(|i| {
            [counters[i] as u32, (counters[i] >> 32) as u32, lens[i], flags[i]]
        }))
    }

    #[inline(always)]
    fn compress(&mut self, blocks: &[&Block; N], tweak: R) {
        let words = [
            R::quarter(blocks, 0),
            R::quarter(blocks, 1),
            R::quarter(blocks, 2),
            R::quarter(blocks, 3),
        ];
        rounds(&mut self.0, words, tweak);
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

/// Half a round: the four `g` of columns, or of diagonals.
#[inline(always)]
fn half<R: Row<N>, const N: usize>(v: &mut [R; 4], x: R, y: R, orders: R::Orders) {
    let [a, b, c, d] = *v;
    let a = a.add(x).add(b);
    let d = d.xor(a).rotate::<16>(orders);
    let c = c.add(d);
    let b = b.xor(c).rotate::<12>(orders);
    let a = a.add(y).add(b);
    let d = d.xor(a).rotate::<8>(orders);
    let c = c.add(d);
    let b = b.xor(c).rotate::<7>(orders);
    *v = [a, b, c, d];
}

/// Seven rounds, and the first half of the output.
///
/// Between columns and diagonals three rows turn. All wait for the second one, which the others do
/// not: that one stays, so that turning takes no time. The words of the message are in the order
/// in which the `g` of a half round take them, first those of columns, then those of diagonals,
/// whose first is that of the second row's first word.
#[inline(always)]
fn rounds<R: Row<N>, const N: usize>(value: &mut [R; 2], words: [R; 4], tweak: R) {
    const EVEN: i32 = places(0, 2, 0, 2);
    const ODD: i32 = places(1, 3, 1, 3);
    const FORTH: i32 = places(3, 0, 1, 2);
    const TWICE: i32 = places(2, 3, 0, 1);
    const BACK: i32 = places(1, 2, 3, 0);
    let orders = R::orders();
    let mut v = [value[0], value[1], R::splat(&IV), tweak];
    let mut m = [
        words[0].pick_of::<EVEN>(words[1]),
        words[0].pick_of::<ODD>(words[1]),
        words[2].pick_of::<EVEN>(words[3]).pick::<FORTH>(),
        words[2].pick_of::<ODD>(words[3]).pick::<FORTH>(),
    ];
    macro_rules! round {
        () => {
            half(&mut v, m[0], m[1], orders);
            v = [v[0].pick::<FORTH>(), v[1], v[2].pick::<BACK>(), v[3].pick::<TWICE>()];
            half(&mut v, m[2], m[3], orders);
            v = [v[0].pick::<BACK>(), v[1], v[2].pick::<FORTH>(), v[3].pick::<TWICE>()];
        };
    }
    round!();
    for _ in 1..7 {
        m = permuted(m);
        round!();
    }
    *value = [v[0].xor(v[2]), v[1].xor(v[3])];
}

/// The words of the next round (table 2). With those of this one as
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
