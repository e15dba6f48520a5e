//! Nodes side by side, whatever the form in which vectors hold them: each takes its blocks, and
//! those that end before others wait.

use core::slice;

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

    /// A run of blocks each, as many. Tweaks are those of the first, of inner and of the last
    /// block; that of only one may be the first or the last.
    fn absorb(&mut self, runs: &[&[Block]; N], tweaks: [Self::Tweak; 3]);

    /// The values.
    fn end(self, values: &mut [Value; N]);

    /// Makes `block`, which is zeros, the bytes of `data` behind its whole blocks, and zeros.
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
    // Lanes without a node repeat the first one. No `map` here, which may become a call.
    let (mut keys, mut counters) = ([first.key; N], [first.counter; N]);
    let (mut data, mut are_alike) = ([first.data; N], true);
    for (lane, input) in inputs.iter().enumerate() {
        (keys[lane], counters[lane], data[lane]) = (input.key, input.counter, input.data);
        are_alike &= input.data.len() == first.data.len();
    }
    let mut state = F::begin(&keys);
    if !are_alike || first.data.is_empty() || !first.data.len().is_multiple_of(BLOCK_BYTES) {
        return uneven(state, &data, &counters, node, values);
    }

    let mut runs = [&[][..]; N];
    for (run, data) in runs.iter_mut().zip(data) {
        *run = data.as_chunks().0;
    }
    let begins = KEYED_HASH | node.first;
    let flags = match runs[0].len() {
        1 => [begins | node.last; 3],
        _ => [begins, KEYED_HASH, KEYED_HASH | node.last],
    };
    let tweak = |flags| F::tweak(&counters, &[BLOCK_BYTES as u32; N], &[flags; N]);
    state.absorb(&runs, [tweak(flags[0]), tweak(flags[1]), tweak(flags[2])]);
    if let Some(values) = values.first_chunk_mut() {
        return state.end(values);
    }
    let mut ended = [[0; 32]; N];
    state.end(&mut ended);
    values.copy_from_slice(&ended[..count]);
    overwrite(&mut ended, [[0; 32]; N]);
}

/// The same where nodes end at different blocks, or not with a whole one.
#[inline(always)]
fn uneven<F: Form<N>, const N: usize>(
    mut state: F,
    data: &[&[u8]; N],
    counters: &[u64; N],
    node: Node,
    values: &mut [Value],
) {
    let mut lens = [0; N];
    let longest = count_blocks(data, &mut lens);
    let (mut tails, mut ended) = ([[0; BLOCK_BYTES]; N], [[0; 32]; N]);
    let (mut tails_left, mut runs) = (tails.iter_mut(), [&[][..]; N]);
    let (mut flags, mut start) = ([KEYED_HASH | node.first; N], 0);
    while start < lens[longest] {
        // The blocks before one that is some node's last.
        let next = lens.iter().filter(|len| **len > start).min().map_or(start, |len| len - 1);
        // A lane that has ended goes on with what the longest has.
        let source = |lane: usize| if lens[lane] > start { lane } else { longest };
        if start < next {
            for (lane, run) in runs.iter_mut().enumerate() {
                *run = &data[source(lane)].as_chunks().0[start..next];
            }
            let tweak = F::tweak(counters, &[BLOCK_BYTES as u32; N], &flags);
            flags = [KEYED_HASH; N];
            let inner = F::tweak(counters, &[BLOCK_BYTES as u32; N], &flags);
            let last = if next - start == 1 { tweak } else { inner };
            state.absorb(&runs, [tweak, inner, last]);
        }

        let mut block_lens = [BLOCK_BYTES as u32; N];
        for lane in 0..N {
            let data = data[source(lane)];
            if next + 1 == lens[lane] {
                flags[lane] |= node.last;
                block_lens[lane] = (data.len() - next * BLOCK_BYTES) as u32;
            }
            runs[lane] = if let Some(block) = data.as_chunks().0.get(next) {
                slice::from_ref(block)
            } else if next + 1 == lens[lane] {
                let tail = tails_left.next().expect("a lane has one tail");
                F::pad(data, tail);
                slice::from_ref(tail)
            } else {
                slice::from_ref(const { &[0; BLOCK_BYTES] })
            };
        }
        state.absorb(&runs, [F::tweak(counters, &block_lens, &flags); 3]);
        flags = [KEYED_HASH; N];
        state.end(&mut ended);
        for ((value, ended), len) in values.iter_mut().zip(&ended).zip(lens) {
            if next + 1 == len {
                *value = *ended;
            }
        }
        start = next + 1;
    }
    let used = N - tails_left.len();
    tails[..used].iter_mut().for_each(|tail| overwrite(tail, [0; BLOCK_BYTES]));
    overwrite(&mut ended, [[0; 32]; N]);
}

/// Counts the blocks of each lane, and tells which has the most.
#[inline(always)]
fn count_blocks<const N: usize>(data: &[&[u8]; N], lens: &mut [usize; N]) -> usize {
    let mut longest = 0;
    for lane in 0..N {
        lens[lane] = blocks(data[lane]);
        if lens[lane] > lens[longest] {
            longest = lane;
        }
    }
    longest
}

/// How many blocks there are: at least one, even of nothing.
#[inline(always)]
fn blocks(data: &[u8]) -> usize {
    data.len().div_ceil(BLOCK_BYTES).max(1)
}

/// Hands nodes over in groups of at most so many. Where most lanes would wait for a long node, that
/// one goes alone; a group's first is its longest, or about as long.
#[inline(always)]
pub(super) fn in_groups(
    lanes: usize,
    mut inputs: &[Input<'_>],
    mut values: &mut [Value],
    mut group: impl FnMut(&[Input<'_>], &mut [Value]),
) {
    while !inputs.is_empty() {
        let mut count = inputs.len().min(lanes);
        // What a node takes, about: its bytes and those that are padded or not there.
        let cost = |input: &Input<'_>| input.data.len() + BLOCK_BYTES / 2;
        let all: usize = inputs[..count].iter().map(cost).sum();
        // Lanes take a half longer for a block than one node does, and some time to begin.
        if count > 1 && 2 * all < 3 * cost(&inputs[0]) + BLOCK_BYTES / 2 {
            count = 1;
        }
        let (inputs_of, values_of);
        (inputs_of, inputs) = inputs.split_at(count);
        (values_of, values) = values.split_at_mut(count);
        group(inputs_of, values_of);
    }
}
