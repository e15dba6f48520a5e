//! The sponge over Keccak: FIPS 202 §4. SHA-3, cSHAKE (SP 800-185 §3) and TurboSHAKE (RFC 9861 §2)
//! are this one, with other lengths of blocks and other ends of messages. The permutation is that
//! of the crate `keccak`.

use core::slice;

use keccak::{Keccak, State1600};

use crate::kernels::partial::le_number;
use crate::wipe::overwrite;

/// Rounds of SHA-3 and cSHAKE.
#[cfg(any(feature = "kmac", feature = "sha3"))]
pub(crate) const ALL_ROUNDS: usize = 24;

/// Rounds of TurboSHAKE.
#[cfg(feature = "hopmac")]
pub(crate) const FEW_ROUNDS: usize = 12;

/// A sponge with a message under way. Its state is wiped when dropped.
#[derive(Clone)]
pub(crate) struct Sponge<const ROUNDS: usize> {
    /// Knows which code path the CPU has.
    keccak: Keccak,
    state: State1600,
    /// Length of a block in bytes, a multiple of 8.
    block_len: usize,
    /// How many bytes of the block under way were taken: less than all.
    taken_len: usize,
}

impl<const ROUNDS: usize> Sponge<ROUNDS> {
    pub(crate) fn new(block_len: usize) -> Self {
        Self { keccak: Keccak::new(), state: State1600::default(), block_len, taken_len: 0 }
    }

    /// Takes the next piece of the message.
    #[inline(never)]
    pub(crate) fn absorb(&mut self, mut data: &[u8]) {
        let Self { keccak, state, block_len, taken_len } = self;
        keccak.with_p1600::<ROUNDS>(|permute| {
            while data.len() >= *block_len - *taken_len {
                let (block, rest) = data.split_at(*block_len - *taken_len);
                add(state, *taken_len, block);
                permute(state);
                (*taken_len, data) = (0, rest);
            }
            add(state, *taken_len, data);
            *taken_len += data.len();
        });
    }

    /// Fills the block under way with zeros, if one is.
    #[cfg(feature = "kmac")]
    pub(crate) fn fill_block(&mut self) {
        let Self { keccak, state, taken_len, .. } = self;
        if *taken_len > 0 {
            keccak.with_p1600::<ROUNDS>(|permute| permute(state));
            *taken_len = 0;
        }
    }

    /// Ends the message with the bits that tell what the sponge is used for and the first one of
    /// the padding, and gives a digest of any length. The state is spent, and cannot be gone back
    /// from to the message's.
    #[inline(never)]
    pub(crate) fn finish(&mut self, end: u8, digest: &mut [u8]) {
        let Self { keccak, state, block_len, taken_len } = self;
        add(state, *taken_len, slice::from_ref(&end));
        add(state, *block_len - 1, &[0x80]);
        keccak.with_p1600::<ROUNDS>(|permute| {
            for block in digest.chunks_mut(*block_len) {
                permute(state);
                for (part, word) in block.chunks_mut(size_of::<u64>()).zip(&*state) {
                    part.copy_from_slice(&word.to_le_bytes()[..part.len()]);
                }
            }
        });
    }
}

/// Adds bytes to the state from this one on.
#[inline(always)]
fn add(state: &mut State1600, at: usize, data: &[u8]) {
    let (mut place, in_word) = (at / 8, at % 8);
    let (begin, data) = data.split_at(data.len().min((8 - in_word) % 8));
    if !begin.is_empty() {
        state[place] ^= (le_number(begin) as u64) << (8 * in_word);
        place += 1;
    }
    let (words, end) = data.as_chunks();
    let places = &mut state[place..];
    for (place, word) in places.iter_mut().zip(words) {
        *place ^= u64::from_le_bytes(*word);
    }
    if !end.is_empty() {
        places[words.len()] ^= le_number(end) as u64;
    }
}

impl<const ROUNDS: usize> Drop for Sponge<ROUNDS> {
    fn drop(&mut self) {
        overwrite(&mut self.state, State1600::default());
    }
}
