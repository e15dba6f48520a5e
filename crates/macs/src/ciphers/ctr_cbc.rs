//! Counter mode and the CBC chain over one message, and EAX of both, for the ciphers whose kernels
//! do not run the two side by side: one pass after the other.

use core::slice;

use cipher::{Block, BlockSizeUser};
use digest::typenum::Unsigned;

use super::ctr;
use crate::ciphers::BlockCipher;
use crate::ciphers::chain::{pad_with_one, xor};
use crate::inside::Inside;
use crate::kernels::chaining::{EaxPass, Pass};

/// As [`Engine::ctr_cbc`](super::Engine::ctr_cbc).
#[inline(always)]
pub(crate) fn in_two_passes<C: BlockCipher, const TAKES_OUTPUT: bool>(
    cipher: &C,
    mac: &C,
    pass: Pass<'_, Block<C>>,
) {
    let Pass { counter, y, head, data, masks } = pass;
    if TAKES_OUTPUT {
        cipher.ctr::<{ ctr::WHOLE_BLOCK }>(counter, &mut [], (&mut *data).into(), Inside(()));
    }
    chain(mac, y, head, data, masks);
    if !TAKES_OUTPUT {
        cipher.ctr::<{ ctr::WHOLE_BLOCK }>(counter, &mut [], (&mut *data).into(), Inside(()));
    }
}

/// As [`Engine::eax`](super::Engine::eax).
#[inline(always)]
pub(crate) fn eax<C: BlockCipher, const SEALS: bool>(cipher: &C, pass: EaxPass<'_, Block<C>>) {
    let EaxPass { masks, after, of_nothing, nonce, associated_data, data, tag } = pass;
    let omac = |t: usize, message: &[u8]| {
        if message.is_empty() {
            return of_nothing[t].clone();
        }
        let mut y = after[t].clone();
        chain(cipher, &mut y, &[], message, Some(masks));
        y
    };
    *tag = omac(0, nonce);
    let n = tag.clone();
    xor(tag, &omac(1, associated_data));
    if SEALS {
        cipher.ctr::<{ ctr::WHOLE_BLOCK }>(&n, &mut [], (&mut *data).into(), Inside(()));
    }
    xor(tag, &omac(2, data));
    if !SEALS {
        cipher.ctr::<{ ctr::WHOLE_BLOCK }>(&n, &mut [], (&mut *data).into(), Inside(()));
    }
}

/// The chain over `head` and then `data`, whose last block is padded as [`Pass`] has it.
#[inline(always)]
fn chain<C: BlockCipher>(
    mac: &C,
    y: &mut Block<C>,
    head: &[Block<C>],
    data: &[u8],
    masks: Option<[&Block<C>; 2]>,
) {
    let block_len = <C as BlockSizeUser>::BlockSize::USIZE;
    let before_len = data.len().saturating_sub(1) / block_len * block_len;
    let (before, tail) = data.split_at(before_len);
    let (blocks, _) = Block::<C>::slice_as_chunks(before);
    mac.chain(y, head, blocks, Inside(()));
    if tail.is_empty() {
        return;
    }
    let mut last = Block::<C>::default();
    match (Block::<C>::slice_as_array(tail), masks) {
        (Some(full), _) => last.clone_from(full),
        (None, Some(_)) => last = pad_with_one(tail),
        (None, None) => last[..tail.len()].copy_from_slice(tail),
    }
    if let Some([full, padded]) = masks {
        xor(&mut last, if tail.len() == block_len { full } else { padded });
    }
    mac.chain(y, slice::from_ref(&last), &[], Inside(()));
}
