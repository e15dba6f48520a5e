//! What the hashes with blocks of 64 bytes and a length field of 64 bits share: the padding, made
//! without a call to `memcpy`, and HMAC over their chaining values (RFC 2104 §2, FIPS 198-1 §4).

use core::slice;

use super::by_place;
use super::lanes::hmac::{IPAD, OPAD};
use crate::wipe::overwrite;

/// Lines of assembly on registers of the width `$r`.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
macro_rules! vector {
    ($r:literal; $($op:literal $($register:literal)+ $(, $last:literal)?;)+) => {
        concat!(
            $("v", $op, $crate::kernels::md_block::vector!(@ $r $($register)+),
              $(", ", $last,)? "\n",)+
        )
    };
    (@ $r:literal $first:literal $($register:literal)*) => {
        concat!(" {", $first, $r, "}", $(", {", $register, $r, "}",)*)
    };
}
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use vector;

/// How a hash absorbs blocks two at a time, many pairs by its `run_pairs`. It has the first and the
/// second of two as `first_of_two` and `second`, one alone as `only`, their words as `words` and
/// the addends that are made of these alone as `first_addends`. The addends of all rounds are
/// wiped: they hold the words.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
macro_rules! two_blocks {
    ($addends:literal) => {
        #[inline(always)]
        fn add(state: &mut State, end: State) {
            state.iter_mut().zip(end).for_each(|(word, end)| *word = word.wrapping_add(end));
        }

        /// Absorbs a run of blocks. Apart from its callers: it is long.
        #[inline(never)]
        pub(super) fn compress(_: Avx2, state: &mut State, blocks: &[Block]) {
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run(state, blocks) }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn run(state: &mut State, blocks: &[Block]) {
            let mut wk = MaybeUninit::uninit();
            let (pairs, rest) = blocks.as_chunks::<2>();
            run_pairs(state, pairs, &mut wk);
            for block in rest {
                let w = words([block, block]);
                first_addends(&w, &mut wk);
                // SAFETY: the first addends are there.
                unsafe { only(state, w, &mut wk) };
            }
            overwrite(&mut wk, MaybeUninit::new(Addends([0; $addends])));
        }

        /// Each state absorbs its block. Apart, too.
        #[inline(never)]
        pub(super) fn compress_pair(_: Avx2, states: [&mut State; 2], blocks: [&Block; 2]) {
            // SAFETY: the token proves that the CPU has the features.
            unsafe { run_pair(states, blocks) }
        }

        #[target_feature(enable = "avx2,bmi1,bmi2")]
        fn run_pair([one, other]: [&mut State; 2], blocks: [&Block; 2]) {
            let mut wk = MaybeUninit::uninit();
            let w = words(blocks);
            first_addends(&w, &mut wk);
            // SAFETY: the first addends are there, `first_of_two` writes all others.
            unsafe {
                first_of_two(one, w, &mut wk);
                second(other, &wk);
            }
            overwrite(&mut wk, MaybeUninit::new(Addends([0; $addends])));
        }
    };
}
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use two_blocks;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod tail;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod ymm;

/// A message block.
pub(crate) type Block = [u8; 64];

/// How the length field is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum LengthOrder {
    /// SHA-1, SHA-2.
    Big,
    /// MD5.
    Little,
}

/// A hash function on chaining values `Self::State`, as HMAC calls it.
pub(crate) trait Hash: Copy {
    /// The chaining value.
    type State: Copy;
    /// The chaining value before the first block.
    const INITIAL: Self::State;
    /// How the length field is written.
    const LENGTH_ORDER: LengthOrder;
    /// Length of the digest in bytes: all of the chaining value.
    const DIGEST_LEN: usize;

    /// Absorbs a run of blocks.
    fn compress(self, state: &mut Self::State, blocks: &[Block]);

    /// One block each for two chaining values.
    fn compress_pair(self, states: [&mut Self::State; 2], blocks: [&Block; 2]);

    /// The last `tail_len` bytes of `bytes` with `marker` and zeros behind them. `tail_len` is at
    /// most 64, and less unless `marker` is 0.
    #[inline(always)]
    fn tail_block(self, bytes: &[u8], tail_len: usize, marker: u8) -> Block {
        block_of_words(&tail_words(bytes, tail_len, marker))
    }

    /// The digest at the start of a block of zeros.
    fn digest_block(state: &Self::State) -> Block;
}

/// The last `tail_len` bytes of `bytes` as little-endian words with the byte `marker` behind them,
/// then zeros. `tail_len` is at most 64, and less unless `marker` is 0.
#[inline(always)]
pub(crate) fn tail_words(bytes: &[u8], tail_len: usize, marker: u8) -> [u64; 8] {
    let mut words = [0; 8];
    let tail = &bytes[bytes.len() - tail_len..];
    let (whole, rest) = tail.as_chunks::<8>();
    for (word, bytes) in words.iter_mut().zip(whole) {
        *word = u64::from_le_bytes(*bytes);
    }
    if let Some(word) = words.get_mut(whole.len()) {
        let rest_bits = 8 * rest.len() as u32;
        *word = last_word(bytes, rest_bits) | u64::from(marker) << rest_bits;
    }
    words
}

/// The last `rest_bits` (a multiple of 8 below 64) of `bytes`; overlapping loads, no loop.
#[inline(always)]
fn last_word(bytes: &[u8], rest_bits: u32) -> u64 {
    if let Some(last) = bytes.last_chunk::<8>() {
        return u64::from_le_bytes(*last) >> 8 >> (56 - rest_bits);
    }
    // All of `bytes` is the rest.
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let [first, last] = [first, last].map(|bytes| u64::from(u32::from_le_bytes(*bytes)));
        return first | last << (rest_bits - 32);
    }
    let byte = |index: usize| u64::from(bytes[index]) << (8 * index);
    match bytes.len() {
        0 => 0,
        len => byte(0) | byte(len / 2) | byte(len - 1),
    }
}

/// Writes words into a block, little-endian.
#[inline(always)]
pub(crate) fn block_of_words(words: &[u64; 8]) -> Block {
    let mut block = [0; 64];
    for (bytes, word) in block.as_chunks_mut::<8>().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
    block
}

/// Whether the length field no longer fits behind a tail of so many bytes and its marker.
#[inline(always)]
pub(crate) const fn needs_two_blocks(tail_len: usize) -> bool {
    tail_len >= 56
}

/// The length field of a message of `len` bytes behind one key block, as a little-endian word.
#[inline(always)]
pub(crate) fn length_word(order: LengthOrder, len: usize) -> u64 {
    let bits = (len as u64).wrapping_add(64) << 3;
    match order {
        LengthOrder::Big => bits.swap_bytes(),
        LengthOrder::Little => bits,
    }
}

#[inline(always)]
fn set_length(block: &mut Block, order: LengthOrder, len: usize) {
    block[56..].copy_from_slice(&length_word(order, len).to_le_bytes());
}

/// The chaining value at the end of HMAC, from those after the two key blocks.
#[inline(always)]
pub(crate) fn hmac<H: Hash>(
    hash: H,
    inner: &H::State,
    outer: &H::State,
    message: &[u8],
) -> H::State {
    let mut running = *inner;
    let (blocks, tail) = message.as_chunks::<64>();
    let mut closing = [hash.tail_block(message, tail.len(), 0x80), [0; 64]];
    let used = 1 + usize::from(needs_two_blocks(tail.len()));
    set_length(&mut closing[used - 1], H::LENGTH_ORDER, message.len());
    let mut last;
    // One call site for `compress`, which may be inlined: the runs in turn.
    let mut runs = [blocks, &closing[..used]].into_iter();
    let mut is_outer = false;
    loop {
        let run = match runs.next() {
            Some(run) => run,
            None if is_outer => return running,
            None => {
                last = H::digest_block(&running);
                last[H::DIGEST_LEN] = 0x80;
                set_length(&mut last, H::LENGTH_ORDER, H::DIGEST_LEN);
                running = *outer;
                is_outer = true;
                slice::from_ref(&last)
            }
        };
        hash.compress(&mut running, run);
    }
}

/// Every byte of a block ⊕ `pad`.
#[inline(always)]
pub(crate) fn xored(block: &Block, pad: u8) -> Block {
    by_place(0, |at| block[at] ^ pad)
}

/// The chaining values after the two key blocks. The key has at most 64 bytes.
#[inline(always)]
pub(crate) fn key_states<H: Hash>(hash: H, key: &[u8]) -> [H::State; 2] {
    assert!(key.len() <= 64, "at most a block");
    let block = hash.tail_block(key, key.len(), 0);
    let mut blocks = [xored(&block, IPAD), xored(&block, OPAD)];
    let [mut inner, mut outer] = [H::INITIAL; 2];
    hash.compress_pair([&mut inner, &mut outer], [&blocks[0], &blocks[1]]);
    overwrite(&mut blocks, [[0; 64]; 2]);
    [inner, outer]
}

/// HMAC under a key of at most 64 bytes that is used once.
#[inline(always)]
pub(crate) fn hmac_once<H: Hash>(hash: H, key: &[u8], message: &[u8]) -> H::State {
    let [mut inner, mut outer] = key_states(hash, key);
    let state = hmac(hash, &inner, &outer, message);
    overwrite(&mut inner, H::INITIAL);
    overwrite(&mut outer, H::INITIAL);
    state
}
