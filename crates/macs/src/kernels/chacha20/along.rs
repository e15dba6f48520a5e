//! Poly1305 in words along with ChaCha20 in vectors: what is encrypted is hashed while the next
//! blocks are computed, by units of the CPU that would be idle.

use core::slice;

use super::rounds::{
    Sink, Words, advance, column_round, columns, diagonal_round, finish_columns, finish_rows, rows,
    to_columns, to_diagonals,
};
use super::{BLOCK_BYTES, State};
use crate::kernels::poly1305::Accumulator;

/// Blocks to be hashed, spread over the rounds. Nothing points to the sums: they stay in registers.
struct Shadow<'a> {
    running: Accumulator,
    blocks: &'a [[u8; 16]],
}

impl Shadow<'_> {
    /// Absorbs up to so many.
    #[inline(always)]
    fn steps<const COUNT: usize>(&mut self) {
        for _ in 0..COUNT {
            if let Some((block, rest)) = self.blocks.split_first() {
                self.running.absorb(slice::from_ref(block));
                self.blocks = rest;
            }
        }
    }

    /// Absorbs what is left.
    #[inline(always)]
    fn finish(self) -> Accumulator {
        let Self { mut running, blocks } = self;
        running.absorb(blocks);
        running
    }
}

/// Four times as many blocks as there are lanes; `GROUP` blocks are hashed along with two double
/// rounds.
#[inline(always)]
fn many<W: Words, const GROUP: usize>(start: &State, shadow: &mut Shadow<'_>, sink: &mut Sink<'_>) {
    let orders = W::orders();
    let mut state = columns::<W>(start);
    let (groups, _) = shadow.blocks.as_chunks::<GROUP>();
    for group in &groups[..5] {
        column_round(orders, &mut state);
        shadow.running.absorb(&group[..2]);
        diagonal_round(orders, &mut state);
        shadow.running.absorb(&group[2..3]);
        column_round(orders, &mut state);
        shadow.running.absorb(&group[3..GROUP - 1]);
        diagonal_round(orders, &mut state);
        shadow.running.absorb(&group[GROUP - 1..]);
    }
    shadow.blocks = &shadow.blocks[5 * GROUP..];
    finish_columns(start, state, sink);
}

/// As many blocks as there are lanes.
#[inline(always)]
fn few<W: Words>(start: &State, shadow: &mut Shadow<'_>, sink: &mut Sink<'_>) {
    let orders = W::orders();
    let mut states = rows::<W, 1>(start);
    for _ in 0..10 {
        to_diagonals(orders, &mut states[0]);
        shadow.steps::<2>();
        to_columns(orders, &mut states[0]);
        shadow.steps::<1>();
    }
    finish_rows(start, states, sink);
}

/// XORs the stream into `data` from byte `ready` on, which is whole blocks, and absorbs all of it
/// but a last part, which was encrypted last. Gives the number of bytes absorbed.
#[inline(always)]
pub(super) fn encrypt<W: Words>(
    start: &mut State,
    running: &mut Accumulator,
    data: &mut [u8],
    mut ready: usize,
) -> usize {
    let mut absorbed = 0;
    while ready < data.len() {
        let (done, rest) = data.split_at_mut(ready);
        let (blocks, _) = done[absorbed..].as_chunks();
        let mut shadow = Shadow { running: *running, blocks };
        let is_short = rest.len() <= W::LANES * BLOCK_BYTES;
        let most = if is_short { W::LANES } else { 4 * W::LANES };
        let now = rest.len().min(most * BLOCK_BYTES);
        let mut sink = Sink { first: None, data: &mut rest[..now] };
        if is_short {
            few::<W>(start, &mut shadow, &mut sink);
        } else {
            match shadow.blocks.len() {
                36.. => many::<W, 7>(start, &mut shadow, &mut sink),
                _ => many::<W, 6>(start, &mut shadow, &mut sink),
            }
        }
        *running = shadow.finish();
        advance(start, most);
        (absorbed, ready) = (ready, ready + now);
    }
    absorbed
}
