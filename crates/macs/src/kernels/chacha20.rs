//! ChaCha20: RFC 8439 §2.3 and §2.4. The rounds are written once over words side by side, in the
//! order of columns for many blocks and in that of rows for few. Where vectors leave the units for
//! words idle, Poly1305 goes along.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
mod along;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
mod eight;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
mod rounds;
mod soft;
#[cfg(test)]
mod tests;

use cipher::inout::InOutBuf;

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
use super::cpu::Neon;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::cpu::{Avx2, Avx512};
use crate::kernels::partial::write_number;
use crate::kernels::poly1305::Accumulator;
use crate::wipe::overwrite;
use rounds::Sink;

/// Length of a block of the stream.
pub(crate) const BLOCK_BYTES: usize = 64;

/// What fits into eight blocks behind the first.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
const AHEAD_BYTES: usize = 7 * BLOCK_BYTES;

/// The state that a block is made of.
type State = [u32; 16];

/// The word of the state that counts blocks.
const COUNTER: usize = 12;

/// §2.3: constants, key, counter, nonce. Each row is written at once, as it is read.
#[inline(always)]
fn state(key: &[u8; 32], counter: u32, nonce: &[u8; 12]) -> State {
    let mut last = [0; 16];
    let (nonce, ends) = nonce.as_chunks::<4>();
    debug_assert!(ends.is_empty());
    let words = nonce.iter().rev().map(|bytes| u32::from_le_bytes(*bytes));
    write_number(
        words.chain([counter]).fold(0, |sum, word| sum << 32 | u128::from(word)),
        &mut last,
    );
    let [low, high] = key.as_chunks().0 else { unreachable!("32 bytes") };
    let mut state = [0; 16];
    let rows = state.as_chunks_mut::<4>().0.iter_mut();
    for (row, bytes) in rows.zip([b"expand 32-byte k", low, high, &last]) {
        for (word, bytes) in row.iter_mut().zip(bytes.as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
    }
    state
}

/// The code paths.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// Sixteen blocks at once.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(Avx512),
    /// Eight blocks at once.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// Four to six blocks at once.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neon(Neon),
    Soft,
}

impl Kernel {
    /// Blocks that take no longer than one: multiples of them are quickest.
    #[inline(always)]
    pub(crate) fn row_blocks(self) -> usize {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(_) => 4,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(_) => 2,
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Self::Neon(_) => 1,
            Self::Soft => 1,
        }
    }

    /// XORs the stream, from the block of this number on, into `data`. The counter must not
    /// overflow.
    #[inline]
    pub(crate) fn apply(self, key: &[u8; 32], nonce: &[u8; 12], counter: u32, data: &mut [u8]) {
        let mut state = state(key, counter, nonce);
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::apply(token, &mut state, Sink { first: None, data }),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::apply(token, &mut state, Sink { first: None, data }),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Self::Neon(token) => neon::apply(token, &mut state, Sink { first: None, data }),
            Self::Soft => soft::apply(&mut state, data),
        }
        overwrite(&mut state, [0; 16]);
    }

    /// How much of a message is to be encrypted before it is hashed: all of it, except where both
    /// go on at the same time (in assembly, which Miri has not).
    #[inline(always)]
    pub(crate) fn ahead(self, len: usize) -> usize {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
            Self::Avx2(_) => len.min(AHEAD_BYTES),
            _ => len,
        }
    }

    /// Encrypts what is behind the part [`ahead`](Self::ahead), which is encrypted, and absorbs
    /// all but a last part: gives the number of bytes absorbed, which is whole blocks.
    #[inline]
    #[cfg_attr(
        any(not(all(target_arch = "x86_64", target_feature = "sse2")), miri),
        expect(unused_variables, reason = "all was encrypted ahead")
    )]
    pub(crate) fn encrypt_along(
        self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        running: &mut Accumulator,
        data: InOutBuf<'_, '_, u8>,
    ) -> usize {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
            Self::Avx2(token) if data.len() > AHEAD_BYTES => {
                let mut state = state(key, 1 + (AHEAD_BYTES / BLOCK_BYTES) as u32, nonce);
                let absorbed = avx2::encrypt_along(token, &mut state, running, data, AHEAD_BYTES);
                overwrite(&mut state, [0; 16]);
                absorbed
            }
            // All was encrypted ahead.
            _ => 0,
        }
    }

    /// Gives the first block and XORs the others into `data`, in one go.
    #[inline]
    pub(crate) fn encrypt(
        self,
        key: &[u8; 32],
        nonce: &[u8; 12],
        first: &mut [u8; BLOCK_BYTES],
        data: &mut [u8],
    ) {
        let mut state = state(key, 0, nonce);
        let mut sink = Sink { first: Some(first), data };
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::apply(token, &mut state, sink),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::apply(token, &mut state, sink),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Self::Neon(token) => neon::apply(token, &mut state, sink),
            Self::Soft => {
                if let Some(first) = sink.first.take() {
                    *first = [0; BLOCK_BYTES];
                    soft::apply(&mut state, first);
                }
                soft::apply(&mut state, sink.data);
            }
        }
        overwrite(&mut state, [0; 16]);
    }
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512 = Avx512::get().map(Kernel::Avx512);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = Avx2::get().map(Kernel::Avx2);
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neon = Neon::get().map(Kernel::Neon);
    Soft = Some(Kernel::Soft);
}
