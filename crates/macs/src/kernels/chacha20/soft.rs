//! One block after the other, in words.

use super::{BLOCK_BYTES, COUNTER, State};
use crate::wipe::overwrite;

/// RFC 8439 §2.1.
#[inline(always)]
fn quarter_round(state: &mut State, [a, b, c, d]: [usize; 4]) {
    for (to, from, turned, bits) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
        state[to] = state[to].wrapping_add(state[from]);
        state[turned] = (state[turned] ^ state[to]).rotate_left(bits);
    }
}

/// As `Kernel::apply`.
pub(super) fn apply(start: &mut State, data: &mut [u8]) {
    for data in data.chunks_mut(BLOCK_BYTES) {
        let mut state = *start;
        for _ in 0..10 {
            for i in 0..4 {
                quarter_round(&mut state, [i, 4 + i, 8 + i, 12 + i]);
            }
            for i in 0..4 {
                quarter_round(&mut state, [i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4]);
            }
        }
        let mut block = [[0; 4]; 16];
        for ((bytes, word), start) in block.iter_mut().zip(state).zip(*start) {
            *bytes = word.wrapping_add(start).to_le_bytes();
        }
        data.iter_mut().zip(block.as_flattened()).for_each(|(byte, stream)| *byte ^= stream);
        overwrite(&mut state, [0; 16]);
        overwrite(&mut block, [[0; 4]; 16]);
        start[COUNTER] = start[COUNTER].wrapping_add(1);
    }
}
