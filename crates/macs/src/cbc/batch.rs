//! Many messages under many keys of a member of the family: the chains go to the cipher together.

use alloc::boxed::Box;
use alloc::vec::Vec;

use cipher::Block;
use digest::InvalidLength;

use super::{Cbc, Ending, Variant};
use crate::batch::{Job, KeyedBatch, set_up_all};
use crate::block_mac::{self, BlockMode};
use crate::ciphers::BlockCipher;
use crate::kernels::wiped::wipe_values;

/// So few messages are not worth gathering.
const GATHERED_MIN: usize = 2;

/// One of many chains.
pub struct ChainJob<'a, C: BlockCipher> {
    /// The cipher under its key.
    pub cipher: &'a C,
    /// The first blocks.
    pub blocks: &'a [Block<C>],
    /// The last block.
    pub last: Option<Block<C>>,
}

/// The keys of a batch.
pub(crate) struct Chains<C: BlockCipher, V: Variant<C>> {
    kernel: C::Kernel,
    keys: Vec<Cbc<C, V>>,
}

impl<C: BlockCipher, V: Variant<C>> Chains<C, V> {
    pub(crate) fn boxed(
        kernel: C::Kernel,
        keys: &[&[u8]],
    ) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        let keys = set_up_all(keys, |key| Cbc::keyed_on(kernel, key))?;
        Ok(Box::new(Self { kernel, keys }))
    }

    fn outer(&self, job: &Job<'_>) -> Option<&C> {
        self.keys[job.key].ending.last_block().outer
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
        places.zip(keys).try_for_each(|(place, key)| place.rekey(key))
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        let (tags, _) = Block::<C>::slice_as_chunks_mut(tags);
        if jobs.len() < GATHERED_MIN {
            for (job, tag) in jobs.iter().zip(tags) {
                self.keys[job.key].mac_into(job.message, tag);
            }
            return Ok(());
        }
        let mut chains: Vec<ChainJob<'_, C>> = jobs
            .iter()
            .map(|job| {
                let key = &self.keys[job.key];
                let (blocks, tail) = block_mac::split::<Cbc<C, V>>(job.message);
                let last = Some(key.ending.last_block().block(tail));
                ChainJob { cipher: &key.cipher, blocks, last }
            })
            .collect();
        tags.fill(Block::<C>::default());
        C::chains(self.kernel, &chains, tags);
        if jobs.first().is_some_and(|job| self.outer(job).is_some()) {
            wipe_values(&mut chains);
            // Into the same memory: a vector that grows leaves what it held.
            chains.extend(jobs.iter().zip(&*tags).filter_map(|(job, tag)| {
                let cipher = self.outer(job)?;
                Some(ChainJob { cipher, blocks: &[], last: Some(tag.clone()) })
            }));
            tags.fill(Block::<C>::default());
            C::chains(self.kernel, &chains, tags);
        }
        // Last blocks are masked by parts of keys.
        wipe_values(&mut chains);
        Ok(())
    }
}
