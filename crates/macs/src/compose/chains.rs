//! What batches of compositions share: the chains over what lies in the buffers of many messages.

use alloc::vec;
use alloc::vec::Vec;

use cipher::Block;
use cipher::array::Array;
use digest::typenum::Unsigned;

use crate::ciphers::BlockCipher;
use crate::ciphers::chain::xor;
use crate::ciphers::variant::KeyedChains;
use crate::composition::CompositionJob;
use crate::kernels::Job;
use crate::kernels::wiped::wipe_values;

/// Fewer messages are sealed one by one: the chain and counter mode side by side.
const GATHERED_MIN: usize = 4;

/// Up to this length texts are copied behind what their chains begin with, for one pass.
const COPIED_MAX_BYTES: usize = 256;

/// Whether to take the messages one by one, each with so many chains beside counter mode. `len` is
/// the length of what lanes take of a message.
pub(super) fn in_turn<C: BlockCipher, const CHAINS: usize>(
    chains: &dyn KeyedChains<C>,
    jobs: &[CompositionJob<'_>],
    len: impl Fn(&CompositionJob<'_>) -> usize,
) -> bool {
    let Some(first) = jobs.first() else { return true };
    let kernel = chains.cipher(first.key).kernel();
    let least = C::gathers_from_bytes(kernel).saturating_mul(CHAINS);
    let bytes: usize = jobs.iter().map(len).sum();
    jobs.len() < GATHERED_MIN || bytes / jobs.len() < least
}

/// Whether all messages are short enough to be copied.
pub(super) fn are_short(jobs: &[CompositionJob<'_>]) -> bool {
    jobs.iter().all(|job| job.buffer.len() <= COPIED_MAX_BYTES)
}

/// Two blocks, and how many of their bytes are used: what a text begins with, or what takes the
/// place of a message of less than a block.
pub(super) type Short<C> = ([Block<C>; 2], usize);

/// The tags of texts made of two parts for each message; the caller wipes them.
pub(super) fn tags_of_texts<'a, C: BlockCipher>(
    chains: &dyn KeyedChains<C>,
    jobs: &'a [CompositionJob<'_>],
    begin: impl Fn(&CompositionJob<'_>) -> Short<C>,
    end: impl Fn(&'a CompositionJob<'_>) -> &'a [u8],
) -> Vec<Block<C>> {
    // Room for all: what a vector leaves when it grows would not be wiped.
    let most = |job| 2 * C::BlockSize::USIZE + end(job).len();
    let mut texts = Vec::with_capacity(jobs.iter().map(most).sum());
    let mut ends = Vec::with_capacity(jobs.len());
    for job in jobs {
        let (blocks, len) = begin(job);
        texts.extend_from_slice(&Array::slice_as_flattened(&blocks)[..len]);
        texts.extend_from_slice(end(job));
        ends.push(texts.len());
    }
    let (mut start, mut messages) = (0, Vec::with_capacity(jobs.len()));
    for (job, end) in jobs.iter().zip(ends) {
        messages.push(Job::new(job.key, &texts[start..end]));
        start = end;
    }
    let tags = tags(chains, &messages);
    wipe_values(&mut texts);
    tags
}

/// The tags of all messages; the caller wipes them.
fn tags<C: BlockCipher>(chains: &dyn KeyedChains<C>, messages: &[Job<'_>]) -> Vec<Block<C>> {
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
