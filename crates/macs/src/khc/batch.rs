//! KHC of many messages under many keys.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use digest::InvalidLength;

use super::{State, state};
use crate::compression::{Compression, Sha256};
use crate::kernels::Job;
use crate::kernels::sha256::{KhcKernel, KhcVariant};
use crate::keyed::{KeyedBatch, in_turn};
use crate::wipe::overwrite;

/// Keys side by side.
pub(super) struct KhcBatch<K: KhcKernel> {
    kernel: K,
    keys: Vec<State>,
    variant: KhcVariant,
}

impl<K: KhcKernel> KhcBatch<K> {
    pub(super) fn boxed(
        kernel: K,
        keys: &[&[u8]],
        variant: KhcVariant,
    ) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        let mut batch = Self { kernel, keys: vec![Sha256::INITIAL; keys.len()], variant };
        batch.rekey(0, keys)?;
        Ok(Box::new(batch))
    }
}

impl<K: KhcKernel> KeyedBatch for KhcBatch<K> {
    fn keys(&self) -> usize {
        self.keys.len()
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        for (old, key) in self.keys[first..][..keys.len()].iter_mut().zip(keys) {
            *old = state(key)?;
        }
        Ok(())
    }

    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength> {
        let tag = tag.try_into().expect("the caller checks the length");
        self.kernel.khc(self.variant, &self.keys[job.key], job.message, tag);
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        if self.kernel.in_turn().takes(jobs) {
            return in_turn(jobs, size_of::<State>(), tags, |job, tag| self.mac_into(job, tag));
        }
        self.kernel.khc_batch(self.variant, &self.keys, jobs, tags);
        Ok(())
    }
}

impl<K: KhcKernel> Drop for KhcBatch<K> {
    fn drop(&mut self) {
        self.keys.iter_mut().for_each(|key| overwrite(key, Sha256::INITIAL));
    }
}
