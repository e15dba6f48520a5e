//! Poly1305 in words along with ChaCha20 in vectors: what is encrypted is hashed while the next
//! blocks are computed, by units of the CPU that would be idle.

use core::slice;

use cipher::inout::InOutBuf;

use super::eight::{EIGHT_BYTES, Eight};
use super::rounds::{Sink, Words, advance, finish_rows, rows, to_columns, to_diagonals};
use super::{BLOCK_BYTES, State};
use crate::kernels::cpu::Avx2;
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

/// `N` times as many blocks as there are lanes.
#[inline(always)]
fn few<W: Words, const N: usize>(start: &State, shadow: &mut Shadow<'_>, data: &mut [u8]) {
    let orders = W::orders();
    let mut states = rows::<W, N>(start);
    for _ in 0..10 {
        for rows in &mut states {
            to_diagonals(orders, rows);
        }
        shadow.steps::<2>();
        for rows in &mut states {
            to_columns(orders, rows);
        }
        shadow.steps::<1>();
    }
    finish_rows(start, states, &mut Sink { first: None, data });
}

/// XORs the stream into `data` from byte `ready` on, which is whole blocks, and absorbs all of it
/// but a last part, which was encrypted last. Gives the number of bytes absorbed.
#[inline(always)]
pub(super) fn encrypt<W: Words>(
    token: Avx2,
    start: &mut State,
    running: &mut Accumulator,
    mut data: InOutBuf<'_, '_, u8>,
    mut ready: usize,
) -> usize {
    let (len, mut absorbed) = (data.len(), 0);
    let mut eight = Eight::new(start);
    while ready < len {
        let (mut done, rest) = data.reborrow().split_at(ready);
        let blocks = done.get_out()[absorbed..].as_chunks().0;
        let (now, _) = rest.split_at((len - ready).min(EIGHT_BYTES));
        (absorbed, ready) = (ready, ready + now.len());
        if now.len() > 2 * W::LANES * BLOCK_BYTES {
            eight.encrypt_along(token, running, blocks, now);
            advance(start, 8);
            continue;
        }
        let mut shadow = Shadow { running: *running, blocks };
        let now = now.into_out_with_copied_in();
        if now.len() > W::LANES * BLOCK_BYTES {
            few::<W, 2>(start, &mut shadow, now);
        } else {
            few::<W, 1>(start, &mut shadow, now);
        }
        *running = shadow.finish();
    }
    absorbed
}
