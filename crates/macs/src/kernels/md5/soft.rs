//! MD5 in portable code: RFC 1321 §3.4.

use super::{Block, State, T, rotation_of, word_of};

/// Absorbs a run of blocks.
pub(super) fn compress(state: &mut State, blocks: &[Block]) {
    for block in blocks {
        let (words, _) = block.as_chunks::<4>();
        let words: [u32; 16] = core::array::from_fn(|index| u32::from_le_bytes(words[index]));
        let [mut a, mut b, mut c, mut d] = *state;
        for step in 0..64 {
            let function = match step / 16 {
                0 => d ^ (b & (c ^ d)),
                1 => c ^ (d & (b ^ c)),
                2 => b ^ c ^ d,
                _ => c ^ (b | !d),
            };
            let addend = words[word_of(step)].wrapping_add(T[step]);
            let sum = a.wrapping_add(addend).wrapping_add(function);
            a = d;
            d = c;
            c = b;
            b = b.wrapping_add(sum.rotate_left(rotation_of(step)));
        }
        for (word, after) in state.iter_mut().zip([a, b, c, d]) {
            *word = word.wrapping_add(after);
        }
    }
}

/// One block each for two chaining values.
pub(super) fn compress_pair(states: [&mut State; 2], blocks: [&Block; 2]) {
    for (state, block) in states.into_iter().zip(blocks) {
        compress(state, core::slice::from_ref(block));
    }
}
