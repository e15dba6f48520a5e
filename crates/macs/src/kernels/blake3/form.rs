//! Nodes side by side, whatever the form in which vectors hold them: each takes its blocks, and
//! those that end before others wait.

use core::array;

use super::{BLOCK_BYTES, Block, Input, KEYED_HASH, Key, Node, Value};
use crate::wipe::overwrite;

/// The chaining values of `N` nodes.
pub(super) trait Form<const N: usize>: Copy {
    /// What is not of the message: the last row of the state.
    type Tweak: Copy;

    /// The values that nodes begin with.
    fn begin(keys: &[&Key; N]) -> Self;

    /// Counters, lengths of blocks and flags.
    fn tweak(counters: &[u64; N], lens: &[u32; N], flags: &[u32; N]) -> Self::Tweak;

    /// One block each.
    fn compress(&mut self, blocks: &[&Block; N], tweak: Self::Tweak);

    /// The values.
    fn end(self, values: &mut [Value; N]);

    /// Makes `block`, which is zeros, the bytes of `data` behind its whole blocks, at least one,
    /// and zeros.
    fn pad(data: &[u8], block: &mut Block);
}

/// The values of at most `N` nodes, and at least one.
#[inline(always)]
pub(super) fn values<F: Form<N>, const N: usize>(
    inputs: &[Input<'_>],
    node: Node,
    values: &mut [Value],
) {
    let (first, count) = (&inputs[0], inputs.len());
    assert!(count <= N && count == values.len(), "at most one a lane");
    // Lanes without a node repeat the first one.
    let inputs: [&Input<'_>; N] = array::from_fn(|lane| inputs.get(lane).unwrap_or(first));
    let lens = inputs.map(|input| input.data.len().div_ceil(BLOCK_BYTES).max(1));
    let (mut shortest, mut longest) = (lens[0], lens[0]);
    for len in lens {
        (shortest, longest) = (shortest.min(len), longest.max(len));
    }
    let counters = inputs.map(|input| input.counter);
    let mut state = F::begin(&inputs.map(|input| input.key));

    let mut flags = [KEYED_HASH | node.first; N];
    let mut blocks = [&[0; BLOCK_BYTES]; N];
    if shortest > 1 {
        let mut tweak = F::tweak(&counters, &[BLOCK_BYTES as u32; N], &flags);
        flags = [KEYED_HASH; N];
        let inner = F::tweak(&counters, &[BLOCK_BYTES as u32; N], &flags);
        for step in 0..shortest - 1 {
            for (block, input) in blocks.iter_mut().zip(inputs) {
                *block = &input.data.as_chunks().0[step];
            }
            state.compress(&blocks, tweak);
            tweak = inner;
        }
    }

    let (mut tails, mut ended) = ([[0; BLOCK_BYTES]; N], [[0; 32]; N]);
    let mut tails_left = tails.iter_mut();
    for step in shortest - 1..longest {
        let mut block_lens = [BLOCK_BYTES as u32; N];
        for lane in 0..N {
            let data = inputs[lane].data;
            if step + 1 < lens[lane] {
                blocks[lane] = &data.as_chunks().0[step];
            } else if step + 1 == lens[lane] {
                flags[lane] |= node.last;
                let len = data.len() - step * BLOCK_BYTES;
                block_lens[lane] = len as u32;
                if len == BLOCK_BYTES {
                    blocks[lane] = &data.as_chunks().0[step];
                } else {
                    let tail = tails_left.next().expect("a lane has one tail");
                    if len > 0 {
                        F::pad(data, tail);
                    }
                    blocks[lane] = tail;
                }
            }
        }
        state.compress(&blocks, F::tweak(&counters, &block_lens, &flags));
        flags = [KEYED_HASH; N];
        state.end(&mut ended);
        for ((value, ended), len) in values.iter_mut().zip(&ended).zip(lens) {
            if step + 1 == len {
                *value = *ended;
            }
        }
    }
    overwrite(&mut ended, [[0; 32]; N]);
}
