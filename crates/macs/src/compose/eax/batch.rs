//! Many messages under many keys: the chains of all, one of the three of each after the other, and
//! counter mode between them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use cipher::{Block, BlockSizeUser};
use digest::InvalidLength;
use digest::typenum::Unsigned;

use super::{Eax, tweak};
use crate::cbc::batch::Chains;
use crate::cbc::omac::Omac1Masks;
use crate::ciphers::BlockCipher;
use crate::ciphers::chain::xor;
use crate::ciphers::ctr::WHOLE_BLOCK;
use crate::ciphers::variant::KeyedChains;
use crate::compose::chains::{GATHERED_MIN, Short, tags, tags_of_buffers};
use crate::composition::batch::KeyedCompositions;
use crate::composition::{Composition, Header, verify};
use crate::composition_batch::CompositionJob;
use crate::kernels::wiped::wipe_values;
use crate::kernels::{Choice, Job, Pin};

/// The keys of a batch.
struct Keys<C: BlockCipher>(Box<dyn KeyedChains<C>>);

/// Sets up many keys.
pub(super) fn boxed<C: BlockCipher>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedCompositions>, InvalidLength> {
    let in_turn = Chains::<C, Omac1Masks>::boxed;
    Ok(Box::new(Keys(C::batch::<Omac1Masks>(C::Kernel::pinned(pin), keys, in_turn)?)))
}

/// What OMAC^2 takes of data of less than a block: all of it, with [2] before.
fn short<C: BlockCipher>(data: &[u8], _: &Block<C>) -> Short<C> {
    let mut rest = Block::<C>::default();
    rest[..data.len()].copy_from_slice(data);
    ([tweak::<C>(2), rest], C::BlockSize::USIZE + data.len())
}

impl<C: BlockCipher> Keys<C> {
    /// OMAC^t of a part of the headers.
    fn omacs(
        &self,
        jobs: &[CompositionJob<'_>],
        t: u8,
        part: fn(Header<'_>) -> &[u8],
    ) -> Vec<Block<C>> {
        let len = |job: &CompositionJob<'_>| C::BlockSize::USIZE + part(job.header).len();
        let mut texts = Vec::with_capacity(jobs.iter().map(len).sum());
        for job in jobs {
            texts.extend_from_slice(&tweak::<C>(t));
            texts.extend_from_slice(part(job.header));
        }
        let (mut rest, mut messages) = (&texts[..], Vec::with_capacity(jobs.len()));
        for job in jobs {
            let (text, behind) = rest.split_at(len(job));
            rest = behind;
            messages.push(Job::new(job.key, text));
        }
        tags(&*self.0, &messages)
    }

    /// OMAC^2 of what the buffers hold.
    fn omacs_of_buffers(&self, jobs: &mut [CompositionJob<'_>]) -> Vec<Block<C>> {
        let after = |job: &CompositionJob<'_>| {
            let mut block = tweak::<C>(2);
            self.0.cipher(job.key).encrypt_block(&mut block);
            block
        };
        let mut y: Vec<_> = jobs.iter().map(after).collect();
        let tags = tags_of_buffers(&*self.0, jobs, &y, short::<C>);
        wipe_values(&mut y);
        tags
    }

    /// OMAC^0 of the nonces, which counting begins with, and OMAC^1 of the associated data.
    fn headers(&self, jobs: &[CompositionJob<'_>]) -> [Vec<Block<C>>; 2] {
        let nonces = self.omacs(jobs, 0, |header| header.nonce);
        [nonces, self.omacs(jobs, 1, |header| header.associated_data)]
    }

    fn count(&self, job: &mut CompositionJob<'_>, first: &Block<C>) {
        self.0.cipher(job.key).ctr::<WHOLE_BLOCK>(first, &mut [], job.buffer);
    }

    /// One message by itself.
    fn one(&self, key: usize) -> Eax<C> {
        Eax::of(self.0.cipher(key).clone())
    }
}

impl<C: BlockCipher> KeyedCompositions for Keys<C> {
    fn keys(&self) -> usize {
        self.0.keys()
    }

    fn rekey(&mut self, _: Pin, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        self.0.rekey(first, keys)
    }

    fn seal(&self, jobs: &mut [CompositionJob<'_>], tag_len_bytes: usize, tags: &mut [u8]) {
        let tags = tags.chunks_exact_mut(tag_len_bytes);
        if jobs.len() < GATHERED_MIN {
            for (job, tag) in jobs.iter_mut().zip(tags) {
                self.one(job.key).seal_checked(job.header, job.buffer, job.message_len_bytes, tag);
            }
            return;
        }
        let [mut n, mut h] = self.headers(jobs);
        for (job, n) in jobs.iter_mut().zip(&n) {
            self.count(job, n);
        }
        let mut c = self.omacs_of_buffers(jobs);
        for (((n, h), c), tag) in n.iter_mut().zip(&h).zip(&c).zip(tags) {
            xor(n, h);
            xor(n, c);
            tag.copy_from_slice(&n[..tag_len_bytes]);
        }
        [&mut n, &mut h, &mut c].into_iter().for_each(wipe_values);
    }

    fn open(
        &self,
        jobs: &mut [CompositionJob<'_>],
        tag_len_bytes: usize,
        tags: &[u8],
        opened: &mut [Option<usize>],
    ) {
        let tags = tags.chunks_exact(tag_len_bytes);
        if jobs.len() < GATHERED_MIN {
            for ((job, tag), opened) in jobs.iter_mut().zip(tags).zip(opened) {
                *opened = self.one(job.key).open_checked(job.header, job.buffer, tag).ok();
            }
            return;
        }
        let [mut n, mut h] = self.headers(jobs);
        let mut c = self.omacs_of_buffers(jobs);
        let parts = n.iter().zip(&h).zip(&mut c);
        for (((job, ((n, h), right)), tag), opened) in
            jobs.iter_mut().zip(parts).zip(tags).zip(opened)
        {
            xor(right, n);
            xor(right, h);
            if verify(right, tag).is_ok() {
                self.count(job, n);
                *opened = Some(job.buffer.len());
            }
        }
        [&mut n, &mut h, &mut c].into_iter().for_each(wipe_values);
    }
}
