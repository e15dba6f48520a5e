//! Columns: a vector holds one word of each node, and the compression function (§2.2) is that of
//! words.

use super::form::Form;
use super::vector::Vector;
use super::{BLOCK_BYTES, Block, IV, Key, SCHEDULE, Value};

/// A word of `N` nodes.
pub(super) trait Words<const N: usize>: Vector {
    fn splat(word: u32) -> Self;
    fn load(words: &[u32; N]) -> Self;
    /// The four words of this quarter of 16 bytes of each row.
    fn columns<const LEN: usize>(rows: &[&[u8; LEN]; N], quarter: usize) -> [Self; 4];
    /// Writes four words to this half of each value.
    fn rows(columns: [Self; 4], values: &mut [Value; N], half: usize);
    /// As [`Form::pad`].
    #[inline(always)]
    fn pad(data: &[u8], block: &mut Block) {
        let (_, tail) = data.as_chunks::<BLOCK_BYTES>();
        block[..tail.len()].copy_from_slice(tail);
    }
}

/// Chaining values in columns.
#[derive(Clone, Copy)]
pub(super) struct Lanes<W, const N: usize>(pub(super) [W; 8]);

impl<W: Words<N>, const N: usize> Form<N> for Lanes<W, N> {
    type Tweak = [W; 4];

    #[inline(always)]
    fn begin(keys: &[&Key; N]) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (W::columns(keys, 0), W::columns(keys, 1));
        Self([a, b, c, d, e, f, g, h])
    }

    #[inline(always)]
    fn tweak(counters: &[u64; N], lens: &[u32; N], flags: &[u32; N]) -> [W; 4] {
        let low = counters.map(|counter| counter as u32);
        let high = counters.map(|counter| (counter >> 32) as u32);
        [W::load(&low), W::load(&high), W::load(lens), W::load(flags)]
    }

    #[inline(always)]
    fn absorb(&mut self, runs: &[&[Block]; N], tweaks: [[W; 4]; 3]) {
        absorb(&mut self.0, runs, tweaks);
    }

    #[inline(always)]
    fn end(self, values: &mut [Value; N]) {
        let [a, b, c, d, e, f, g, h] = self.0;
        W::rows([a, b, c, d], values, 0);
        W::rows([e, f, g, h], values, 1);
    }

    #[inline(always)]
    fn pad(data: &[u8], block: &mut Block) {
        W::pad(data, block);
    }
}

#[inline(always)]
fn absorb<W: Words<N>, const N: usize>(
    value: &mut [W; 8],
    runs: &[&[Block]; N],
    [mut tweak, inner, last]: [[W; 4]; 3],
) {
    let mut blocks = [&[0; BLOCK_BYTES]; N];
    for index in 0..runs[0].len() {
        // No `map`, which may become a call.
        for (block, run) in blocks.iter_mut().zip(runs) {
            *block = &run[index];
        }
        let [m0, m1, m2, m3] = W::columns(&blocks, 0);
        let [m4, m5, m6, m7] = W::columns(&blocks, 1);
        let [m8, m9, m10, m11] = W::columns(&blocks, 2);
        let [m12, m13, m14, m15] = W::columns(&blocks, 3);
        let words = [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15];
        rounds(value, &words, &tweak);
        tweak = if index + 2 == runs[0].len() { last } else { inner };
    }
}

/// §2.2: seven rounds, and the first half of the output, in place of the chaining values. The last
/// row of the state is `tweak`.
#[inline(always)]
fn rounds<W: Words<N>, const N: usize>(value: &mut [W; 8], words: &[W; 16], tweak: &[W; 4]) {
    let orders = W::orders();
    let mut v = [tweak[0]; 16];
    v[..8].copy_from_slice(value);
    for (v, word) in v[8..].iter_mut().zip(IV) {
        *v = W::splat(word);
    }
    v[12..].copy_from_slice(tweak);

    macro_rules! g {
        ($a:literal $b:literal $c:literal $d:literal, $x:expr, $y:expr) => {
            v[$a] = v[$a].add(words[const { $x }]).add(v[$b]);
            v[$d] = v[$d].xor(v[$a]).rotate::<16>(orders);
            v[$c] = v[$c].add(v[$d]);
            v[$b] = v[$b].xor(v[$c]).rotate::<12>(orders);
            v[$a] = v[$a].add(words[const { $y }]).add(v[$b]);
            v[$d] = v[$d].xor(v[$a]).rotate::<8>(orders);
            v[$c] = v[$c].add(v[$d]);
            v[$b] = v[$b].xor(v[$c]).rotate::<7>(orders);
        };
    }
    macro_rules! round {
        ($($round:literal)*) => {$(
            g!(0 4 8 12, SCHEDULE[$round][0], SCHEDULE[$round][1]);
            g!(1 5 9 13, SCHEDULE[$round][2], SCHEDULE[$round][3]);
            g!(2 6 10 14, SCHEDULE[$round][4], SCHEDULE[$round][5]);
            g!(3 7 11 15, SCHEDULE[$round][6], SCHEDULE[$round][7]);
            g!(0 5 10 15, SCHEDULE[$round][8], SCHEDULE[$round][9]);
            g!(1 6 11 12, SCHEDULE[$round][10], SCHEDULE[$round][11]);
            g!(2 7 8 13, SCHEDULE[$round][12], SCHEDULE[$round][13]);
            g!(3 4 9 14, SCHEDULE[$round][14], SCHEDULE[$round][15]);
        )*};
    }
    round!(0 1 2 3 4 5 6);
    for (i, value) in value.iter_mut().enumerate() {
        *value = v[i].xor(v[8 + i]);
    }
}
