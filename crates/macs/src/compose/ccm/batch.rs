//! Many messages under many keys: the chains side by side, and then counter mode, or the other way
//! round.

use alloc::boxed::Box;
use alloc::vec::Vec;

use cipher::Block;
use digest::InvalidLength;

use super::{BLOCK_LEN, Ccm, absorb_padded, associated_data_blocks, begin_chain, begin_counting};
use crate::cbc::batch::Chains;
use crate::cbc::cbc_mac::ZeroPadding;
use crate::ciphers::chain::xor;
use crate::ciphers::ctr::WHOLE_BLOCK;
use crate::ciphers::variant::KeyedChains;
use crate::ciphers::{BlockCipher, WideCipher};
use crate::compose::chains::{Short, are_short, in_turn, tags_of_buffers, tags_of_texts};
use crate::composition::CompositionJob;
use crate::composition::batch::KeyedCompositions;
use crate::composition::verify;
use crate::kernels::wiped::{Wiped, wipe_values};
use crate::kernels::{Choice, Pin};

/// The keys of a batch.
struct Keys<C: BlockCipher>(Wiped<dyn KeyedChains<C>>);

/// Sets up many keys.
pub(super) fn boxed<C: WideCipher>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedCompositions>, InvalidLength> {
    let chains = Chains::<C, ZeroPadding>::boxed;
    let mut chains = C::batch::<ZeroPadding>(C::Kernel::pinned(pin), keys, chains)?;
    chains.keep_ciphers();
    Ok(Box::new(Keys(Wiped::new(chains))))
}

/// What the chain of a message begins with.
#[inline(always)]
fn begin<C: WideCipher>(job: &CompositionJob<'_>, tag_len_bytes: usize) -> Short<C> {
    let (blocks, count, _) = begin_chain(job.header, job.buffer.len(), tag_len_bytes);
    (blocks, BLOCK_LEN * count)
}

/// The associated data that is not in there.
#[inline(always)]
fn rest<'a>(job: &CompositionJob<'a>) -> &'a [u8] {
    associated_data_blocks(job.header.associated_data).1
}

/// The end of the chain over data of less than a block.
fn short<C: WideCipher>(data: &[u8], y: &Block<C>) -> Short<C> {
    let mut block = Block::<C>::default();
    block[..data.len()].copy_from_slice(data);
    xor(&mut block, y);
    ([block, Block::<C>::default()], BLOCK_LEN)
}

impl<C: WideCipher> Keys<C> {
    /// The CBC-MACs of all messages as they are before counter mode.
    fn chained(&self, jobs: &mut [CompositionJob<'_>], tag_len_bytes: usize) -> Vec<Block<C>> {
        let chains = &*self.0;
        let begin = |job: &CompositionJob<'_>| begin::<C>(job, tag_len_bytes);
        if are_short(jobs) && jobs.iter().all(|job| rest(job).is_empty()) {
            return tags_of_texts(chains, jobs, begin, |job| &*job.buffer);
        }
        let mut y = tags_of_texts(chains, jobs, begin, |_| &[]);
        for (job, y) in jobs.iter().zip(&mut y) {
            absorb_padded(chains.cipher(job.key), y, rest(job));
        }
        let mut values = tags_of_buffers(chains, jobs, &y, short::<C>);
        for ((job, y), value) in jobs.iter().zip(&y).zip(&mut values) {
            if job.buffer.is_empty() {
                value.clone_from(y);
            }
        }
        wipe_values(&mut y);
        values
    }

    /// Counter mode over a message; the mask of its tag.
    fn count(&self, job: &mut CompositionJob<'_>) -> Block<C> {
        let cipher = self.0.cipher(job.key);
        let (mask, counter) = begin_counting(cipher, job.header.nonce);
        cipher.ctr::<WHOLE_BLOCK>(&counter, &mut [], job.buffer.into());
        mask
    }
}

impl<C: WideCipher> KeyedCompositions for Keys<C> {
    fn keys(&self) -> usize {
        self.0.keys()
    }

    fn rekey(&mut self, _: Pin, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        self.0.rekey(first, keys)
    }

    fn seal(&self, jobs: &mut [CompositionJob<'_>], tag_len_bytes: usize, tags: &mut [u8]) {
        let tags = tags.chunks_exact_mut(tag_len_bytes);
        if in_turn::<C, 1>(&*self.0, jobs, |job| job.buffer.len()) {
            for (job, tag) in jobs.iter_mut().zip(tags) {
                let cipher = self.0.cipher(job.key);
                let whole = Ccm::pass::<false>(cipher, job.header, job.buffer, tag_len_bytes);
                tag.copy_from_slice(&whole[..tag_len_bytes]);
            }
            return;
        }
        let mut values = self.chained(jobs, tag_len_bytes);
        for ((job, value), tag) in jobs.iter_mut().zip(&mut values).zip(tags) {
            xor(value, &self.count(job));
            tag.copy_from_slice(&value[..tag_len_bytes]);
        }
        wipe_values(&mut values);
    }

    fn open(
        &self,
        jobs: &mut [CompositionJob<'_>],
        tag_len_bytes: usize,
        tags: &[u8],
        opened: &mut [Option<usize>],
    ) {
        let tags = tags.chunks_exact(tag_len_bytes);
        if in_turn::<C, 1>(&*self.0, jobs, |job| job.buffer.len()) {
            for ((job, tag), opened) in jobs.iter_mut().zip(tags).zip(opened) {
                let cipher = self.0.cipher(job.key);
                let mut right = Ccm::pass::<true>(cipher, job.header, job.buffer, tag_len_bytes);
                *opened = verify(&mut right, tag).ok().map(|()| job.buffer.len());
            }
            return;
        }
        let mut masks: Vec<_> = jobs.iter_mut().map(|job| self.count(job)).collect();
        let mut values = self.chained(jobs, tag_len_bytes);
        let rights = values.iter_mut().zip(&masks);
        for (((job, (right, mask)), tag), opened) in jobs.iter().zip(rights).zip(tags).zip(opened) {
            xor(right, mask);
            *opened = verify(right, tag).ok().map(|()| job.buffer.len());
        }
        wipe_values(&mut values);
        wipe_values(&mut masks);
    }
}
