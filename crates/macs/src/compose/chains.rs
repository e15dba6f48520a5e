//! What batches of compositions share: the chains over what lies in the buffers of many messages.

use alloc::vec;
use alloc::vec::Vec;

use cipher::array::Array;
use cipher::{Block, BlockSizeUser};
use digest::typenum::Unsigned;

use crate::ciphers::BlockCipher;
use crate::ciphers::chain::xor;
use crate::ciphers::variant::KeyedChains;
use crate::composition_batch::CompositionJob;
use crate::kernels::Job;
use crate::kernels::wiped::wipe_values;

/// Fewer messages are sealed one by one: the chain and counter mode side by side.
pub(super) const GATHERED_MIN: usize = 4;

/// Two blocks that take the place of a message of less than one, and the bytes used.
pub(super) type Short<C> = ([Block<C>; 2], usize);

/// The tags of all messages; the caller wipes them.
pub(super) fn tags<C: BlockCipher>(
    chains: &dyn KeyedChains<C>,
    messages: &[Job<'_>],
) -> Vec<Block<C>> {
    let mut tags = vec![Block::<C>::default(); messages.len()];
    let (bytes, len) = (Array::slice_as_flattened_mut(&mut tags), C::BlockSize::USIZE);
    chains.macs_into(messages, len, bytes).expect("macs without nonces");
    tags
}

/// The tags of what the buffers hold, each chain going on from its value in `y`. What has less than
/// a block is replaced by what `short` makes of it. The caller wipes the tags.
///
/// The values go into the first blocks in place, and out again: a message in two parts would cost
/// the lanes more.
pub(super) fn tags_of_buffers<C: BlockCipher>(
    chains: &dyn KeyedChains<C>,
    jobs: &mut [CompositionJob<'_>],
    y: &[Block<C>],
    short: impl Fn(&[u8], &Block<C>) -> Short<C>,
) -> Vec<Block<C>> {
    let mut shorts = Vec::with_capacity(jobs.len());
    for (job, y) in jobs.iter_mut().zip(y) {
        match first_block::<C>(job.buffer) {
            Some(first) => xor(first, y),
            None => shorts.push(short(job.buffer, y)),
        }
    }
    let (mut rest, mut messages) = (shorts.iter(), Vec::with_capacity(jobs.len()));
    for job in &*jobs {
        let is_short = job.buffer.len() < C::BlockSize::USIZE;
        let message = match if is_short { rest.next() } else { None } {
            Some((blocks, len)) => &Array::slice_as_flattened(blocks)[..*len],
            None => &*job.buffer,
        };
        messages.push(Job::new(job.key, message));
    }
    let tags = tags(chains, &messages);
    for (job, y) in jobs.iter_mut().zip(y) {
        if let Some(first) = first_block::<C>(job.buffer) {
            xor(first, y);
        }
    }
    wipe_values(&mut shorts);
    tags
}

fn first_block<C: BlockCipher>(buffer: &mut [u8]) -> Option<&mut Block<C>> {
    let first = buffer.get_mut(..C::BlockSize::USIZE)?;
    Block::<C>::slice_as_mut_array(first)
}
