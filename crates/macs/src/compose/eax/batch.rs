//! Many messages under many keys: the chains of all, one of the three of each after the other, and
//! counter mode between them.

use alloc::boxed::Box;
use alloc::vec::Vec;

use cipher::Block;
use digest::InvalidLength;
use digest::typenum::Unsigned;

use super::{Masks, Tweaks, pass, set_up, tweak};
use crate::cbc::batch::Chains;
use crate::cbc::omac::Omac1Masks;
use crate::ciphers::BlockCipher;
use crate::ciphers::chain::{ChainJob, split_held, xor};
use crate::ciphers::ctr::WHOLE_BLOCK;
use crate::ciphers::variant::{Ending as _, KeyedChains};
use crate::compose::chains::{Short, are_short, in_turn, tags_of_buffers, tags_of_texts};
use crate::composition::CompositionJob;
use crate::composition::batch::KeyedCompositions;
use crate::composition::verify;
use crate::kernels::wiped::{Wiped, wipe_values};
use crate::kernels::{Choice, Pin};
use crate::wipe::supersede;

/// Up to this length nonces and associated data are copied behind [t], for the lanes.
const COPIED_MAX_BYTES: usize = 16 << 10;

/// The longer of message and associated data, if lanes take that: the chains of one message by
/// itself run side by side.
fn in_lanes(job: &CompositionJob<'_>) -> usize {
    let associated_data = job.header.associated_data.len();
    job.buffer.len().max(if associated_data > COPIED_MAX_BYTES { 0 } else { associated_data })
}

/// The keys of a batch, with what is known before any message.
struct Keys<C: BlockCipher> {
    chains: Wiped<dyn KeyedChains<C>>,
    begun: Vec<(Masks<C>, Tweaks<C>)>,
}

/// Sets up many keys.
pub(super) fn boxed<C: BlockCipher>(
    pin: Pin,
    keys: &[&[u8]],
) -> Result<Box<dyn KeyedCompositions>, InvalidLength> {
    let boxed = Chains::<C, Omac1Masks>::boxed;
    let mut chains = C::batch::<Omac1Masks>(C::Kernel::pinned(pin), keys, boxed)?;
    chains.keep_ciphers();
    let mut begun = Vec::with_capacity(keys.len());
    (0..keys.len()).for_each(|key| begun.push(set_up(chains.cipher(key))));
    Ok(Box::new(Keys { chains: Wiped::new(chains), begun }))
}

/// What OMAC^t begins with.
#[inline(always)]
fn begin<C: BlockCipher>(t: u8) -> Short<C> {
    ([tweak::<C>(t), Block::<C>::default()], C::BlockSize::USIZE)
}

/// What OMAC^2 takes of data of less than a block: all of it, with [2] before.
fn short<C: BlockCipher>(data: &[u8], _: &Block<C>) -> Short<C> {
    let mut rest = Block::<C>::default();
    rest[..data.len()].copy_from_slice(data);
    ([tweak::<C>(2), rest], C::BlockSize::USIZE + data.len())
}

impl<C: BlockCipher> Drop for Keys<C> {
    fn drop(&mut self) {
        wipe_values(&mut self.begun);
    }
}

impl<C: BlockCipher> Keys<C> {
    /// OMAC^2 of what the buffers hold.
    fn of_buffers(&self, jobs: &mut [CompositionJob<'_>]) -> Vec<Block<C>> {
        if are_short(jobs) {
            return tags_of_texts(&*self.chains, jobs, |_| begin::<C>(2), |job| &*job.buffer);
        }
        let after = |job: &CompositionJob<'_>| self.begun[job.key].1.after[2].clone();
        let mut y: Vec<_> = jobs.iter().map(after).collect();
        let tags = tags_of_buffers(&*self.chains, jobs, &y, short::<C>);
        wipe_values(&mut y);
        tags
    }

    /// OMAC^t of the nonces or of the associated data. Long ones stay where they are, for many
    /// messages may share one.
    fn of_headers<'a>(
        &self,
        t: usize,
        jobs: &'a [CompositionJob<'_>],
        part: impl Fn(&'a CompositionJob<'_>) -> &'a [u8],
    ) -> Vec<Block<C>> {
        let is_long = |data: &[u8]| data.len() > COPIED_MAX_BYTES;
        let mut tags = tags_of_texts(
            &*self.chains,
            jobs,
            |_| begin::<C>(t as u8),
            |job| if is_long(part(job)) { &[] } else { part(job) },
        );
        let long = jobs.iter().zip(&mut tags).filter(|(job, _)| is_long(part(job)));
        self.of_long(t, long.map(|(job, tag)| (job.key, part(job), tag)).collect());
        tags
    }

    /// OMAC^t of each text under its key, going on from what [t] becomes.
    fn of_long(&self, t: usize, texts: Vec<(usize, &[u8], &mut Block<C>)>) {
        let Some((first, ..)) = texts.first() else { return };
        let kernel = self.chains.cipher(*first).kernel();
        let mut chains = Vec::with_capacity(texts.len());
        let mut y = Vec::with_capacity(texts.len());
        for (key, text, _) in &texts {
            let (masks, tweaks) = &self.begun[*key];
            let (blocks, tail) = split_held::<C>(text);
            let last = Some(masks.last_block().block(tail));
            chains.push(ChainJob { cipher: self.chains.cipher(*key), blocks, last });
            y.push(tweaks.after[t].clone());
        }
        C::chains(kernel, &chains, &mut y);
        texts.into_iter().zip(&y).for_each(|((_, _, tag), y)| tag.clone_from(y));
        wipe_values(&mut chains);
        wipe_values(&mut y);
    }

    /// OMAC^0 of the nonces, which counting begins with.
    fn of_nonces(&self, jobs: &[CompositionJob<'_>]) -> Vec<Block<C>> {
        self.of_headers(0, jobs, |job| job.header.nonce)
    }

    /// OMAC^1 of the associated data.
    fn of_associated_data(&self, jobs: &[CompositionJob<'_>]) -> Vec<Block<C>> {
        if jobs.iter().all(|job| job.header.associated_data.is_empty()) {
            let of_nothing = |job: &CompositionJob<'_>| self.begun[job.key].1.of_nothing[1].clone();
            return jobs.iter().map(of_nothing).collect();
        }
        self.of_headers(1, jobs, |job| job.header.associated_data)
    }

    fn count(&self, job: &mut CompositionJob<'_>, first: &Block<C>) {
        self.chains.cipher(job.key).ctr::<WHOLE_BLOCK>(first, &mut [], job.buffer.into());
    }

    /// One message by itself; its tag.
    fn pass<const SEALS: bool>(&self, job: &mut CompositionJob<'_>) -> Block<C> {
        let (masks, tweaks) = &self.begun[job.key];
        let cipher = self.chains.cipher(job.key);
        pass::<C, SEALS>(cipher, masks, tweaks, job.header, job.buffer)
    }
}

impl<C: BlockCipher> KeyedCompositions for Keys<C> {
    fn keys(&self) -> usize {
        self.chains.keys()
    }

    fn rekey(&mut self, _: Pin, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        self.chains.rekey(first, keys)?;
        for (key, begun) in (first..).zip(&mut self.begun[first..][..keys.len()]) {
            supersede(begun, set_up(self.chains.cipher(key)));
        }
        Ok(())
    }

    fn seal(&self, jobs: &mut [CompositionJob<'_>], tag_len_bytes: usize, tags: &mut [u8]) {
        let tags = tags.chunks_exact_mut(tag_len_bytes);
        if in_turn::<C, 3>(&*self.chains, jobs, in_lanes) {
            for (job, tag) in jobs.iter_mut().zip(tags) {
                tag.copy_from_slice(&self.pass::<true>(job)[..tag_len_bytes]);
            }
            return;
        }
        let (mut n, mut h) = (self.of_nonces(jobs), self.of_associated_data(jobs));
        for (job, n) in jobs.iter_mut().zip(&n) {
            self.count(job, n);
        }
        let mut c = self.of_buffers(jobs);
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
        if in_turn::<C, 3>(&*self.chains, jobs, in_lanes) {
            for ((job, tag), opened) in jobs.iter_mut().zip(tags).zip(opened) {
                let right = verify(&mut self.pass::<false>(job), tag);
                *opened = right.ok().map(|()| job.buffer.len());
            }
            return;
        }
        let (mut n, mut h) = (self.of_nonces(jobs), self.of_associated_data(jobs));
        let mut c = self.of_buffers(jobs);
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
