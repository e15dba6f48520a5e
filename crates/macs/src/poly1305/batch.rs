//! Poly1305 of many messages, each under its key.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use digest::InvalidLength;

use super::{KEY_LEN_BYTES, array};
use crate::kernels::Job;
use crate::kernels::poly1305::Kernel;
use crate::keyed::KeyedBatch;
use crate::wipe::wipe;

/// The keys of a batch.
pub(super) struct Keys {
    kernel: Kernel,
    keys: Vec<[u8; KEY_LEN_BYTES]>,
}

impl Keys {
    pub(super) fn boxed(
        kernel: Kernel,
        keys: &[&[u8]],
    ) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        let mut batch = Self { kernel, keys: vec![[0; KEY_LEN_BYTES]; keys.len()] };
        batch.rekey(0, keys)?;
        Ok(Box::new(batch))
    }
}

impl KeyedBatch for Keys {
    fn keys(&self) -> usize {
        self.keys.len()
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        for (place, key) in self.keys[first..][..keys.len()].iter_mut().zip(keys) {
            *place = *array(key)?;
        }
        Ok(())
    }

    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength> {
        let tag: &mut [u8; 16] = tag.try_into().expect("the caller checks the length");
        *tag = self.kernel.mac(&self.keys[job.key], job.message);
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        let (tags, _) = tags.as_chunks_mut();
        self.kernel.batch(&self.keys, jobs, tags);
        Ok(())
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        wipe(self.keys.as_flattened_mut());
    }
}
