//! Many messages under many keys of a member of the family: the chains go to the cipher together.

use alloc::boxed::Box;
use alloc::vec::Vec;

use cipher::Block;
use cipher::array::Array;
use digest::InvalidLength;
use digest::typenum::Unsigned;

use super::{Cbc, SetUp};
use crate::block_mac::BlockMode;
use crate::ciphers::BlockCipher;
use crate::ciphers::chain::{ChainJob, split_held};
use crate::ciphers::variant::{Ending, KeyedChains, LastBlock, Variant};
use crate::inside::Inside;
use crate::kernels::Job;
use crate::kernels::wiped::wipe_values;
use crate::keyed::{KeyedBatch, set_up_all};

/// The keys of a batch.
pub(crate) struct Chains<C: BlockCipher, V: Variant<C>> {
    kernel: C::Kernel,
    set_up: SetUp<C, V::Ending>,
    keys: Vec<Cbc<C, V>>,
}

impl<C: BlockCipher, V: Variant<C>> Chains<C, V> {
    pub(crate) fn boxed(
        kernel: C::Kernel,
        keys: &[&[u8]],
    ) -> Result<Box<dyn KeyedChains<C>>, InvalidLength> {
        Self::boxed_by(kernel, V::set_up, keys)
    }

    /// The same of any variant that ends so.
    #[inline(never)]
    pub(super) fn boxed_by(
        kernel: C::Kernel,
        set_up: SetUp<C, V::Ending>,
        keys: &[&[u8]],
    ) -> Result<Box<dyn KeyedChains<C>>, InvalidLength> {
        let keys = set_up_all(keys, |key| Cbc::keyed_by(kernel, set_up, key))?;
        Ok(Box::new(Self { kernel, set_up, keys }))
    }
}

impl<C: BlockCipher, V: Variant<C>> Drop for Chains<C, V> {
    fn drop(&mut self) {
        wipe_values(&mut self.keys);
    }
}

impl<C: BlockCipher, V: Variant<C>> KeyedBatch for Chains<C, V> {
    fn keys(&self) -> usize {
        self.keys.len()
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        let places = self.keys[first..][..keys.len()].iter_mut();
        places.zip(keys).try_for_each(|(place, key)| place.rekey_by(self.set_up, key))
    }

    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength> {
        let tag = Array::slice_as_mut_array(tag).expect("the caller checks the length");
        self.keys[job.key].mac_into(job.message, tag);
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        let (tags, _) = Block::<C>::slice_as_chunks_mut(tags);
        tags.fill(Block::<C>::default());
        self.go_on(jobs, tags);
        Ok(())
    }
}

impl<C: BlockCipher, V: Variant<C>> KeyedChains<C> for Chains<C, V> {
    fn cipher(&self, key: usize) -> &C {
        &self.keys[key].cipher
    }

    fn go_on(&self, jobs: &[Job<'_>], y: &mut [Block<C>]) {
        let held = usize::from(V::Ending::HOLDS_FULL_BLOCK);
        let blocks =
            |job: &Job<'_>| job.message.len().saturating_sub(held) / C::BlockSize::USIZE + 1;
        if !C::gathers(self.kernel, jobs.len(), jobs.iter().map(blocks).sum(), Inside(())) {
            for (job, y) in jobs.iter().zip(y) {
                self.keys[job.key].mac_from(y.clone(), job.message, y);
            }
            return;
        }
        let part = |job: &Job<'_>| {
            let key = &self.keys[job.key];
            (&key.cipher, key.ending.last_block())
        };
        run_all(self.kernel, &part, V::Ending::HOLDS_FULL_BLOCK, jobs, y);
    }
}

/// The chains of all messages from what `tags` has on; `part` tells the cipher of a message's key,
/// and what becomes of the last block. Compiled for each cipher, and not for each member of the
/// family as well.
fn run_all<'k, C: BlockCipher>(
    kernel: C::Kernel,
    part: &dyn Fn(&Job<'_>) -> (&'k C, LastBlock<'k, C>),
    holds_full_block: bool,
    jobs: &[Job<'_>],
    tags: &mut [Block<C>],
) {
    let mut chains: Vec<ChainJob<'_, C>> = Vec::with_capacity(jobs.len());
    for job in jobs {
        let (cipher, ending) = part(job);
        let (blocks, tail) = if holds_full_block {
            split_held::<C>(job.message)
        } else {
            Block::<C>::slice_as_chunks(job.message)
        };
        chains.push(ChainJob { cipher, blocks, last: Some(ending.block(tail)) });
    }
    C::chains(kernel, &chains, tags, Inside(()));
    if jobs.first().is_some_and(|job| part(job).1.outer.is_some()) {
        wipe_values(&mut chains);
        // Into the same memory: a vector that grows leaves what it held.
        for (job, tag) in jobs.iter().zip(&*tags) {
            if let (_, LastBlock { outer: Some(cipher), .. }) = part(job) {
                chains.push(ChainJob { cipher, blocks: &[], last: Some(tag.clone()) });
            }
        }
        tags.fill(Block::<C>::default());
        C::chains(kernel, &chains, tags, Inside(()));
    }
    // Last blocks are masked by parts of keys.
    wipe_values(&mut chains);
}
