//! SHA-1 in portable code: FIPS 180-4 §6.1.2.

use super::{Block, K, State};

/// Absorbs a run of blocks.
pub(super) fn compress(state: &mut State, blocks: &[Block]) {
    for block in blocks {
        let (words, _) = block.as_chunks::<4>();
        let mut words: [u32; 16] = core::array::from_fn(|index| u32::from_be_bytes(words[index]));
        let mut chain = *state;
        rounds::<0>(&mut chain, &mut words);
        rounds::<1>(&mut chain, &mut words);
        rounds::<2>(&mut chain, &mut words);
        rounds::<3>(&mut chain, &mut words);
        for (word, after) in state.iter_mut().zip(chain) {
            *word = word.wrapping_add(after);
        }
    }
}

/// 20 rounds of one function; `words` are the last 16 of the message schedule.
#[inline(always)]
fn rounds<const QUARTER: usize>(chain: &mut State, words: &mut [u32; 16]) {
    let [mut a, mut b, mut c, mut d, mut e] = *chain;
    for round in 20 * QUARTER..20 * (QUARTER + 1) {
        let back = |distance: usize| words[(round + 16 - distance) % 16];
        if round >= 16 {
            words[round % 16] = (back(3) ^ back(8) ^ back(14) ^ back(16)).rotate_left(1);
        }
        let function = match QUARTER {
            0 => d ^ (b & (c ^ d)),
            2 => (b & c) | (d & (b | c)),
            _ => b ^ c ^ d,
        };
        let sum = words[round % 16].wrapping_add(K[QUARTER]).wrapping_add(e);
        let sum = sum.wrapping_add(function).wrapping_add(a.rotate_left(5));
        e = d;
        d = c;
        c = b.rotate_left(30);
        b = a;
        a = sum;
    }
    *chain = [a, b, c, d, e];
}

/// One block each for two chaining values.
pub(super) fn compress_pair(states: [&mut State; 2], blocks: [&Block; 2]) {
    for (state, block) in states.into_iter().zip(blocks) {
        compress(state, core::slice::from_ref(block));
    }
}
