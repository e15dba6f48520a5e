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

/// How many messages are handed to the kernel at a time: their keys are gathered on the stack.
const GATHERED: usize = 64;

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

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        let (tags, _) = tags.as_chunks_mut();
        for (jobs, tags) in jobs.chunks(GATHERED).zip(tags.chunks_mut(GATHERED)) {
            let mut keys = [&[0; KEY_LEN_BYTES]; GATHERED];
            let mut messages = [&[][..]; GATHERED];
            for ((key, message), job) in keys.iter_mut().zip(&mut messages).zip(jobs) {
                (*key, *message) = (&self.keys[job.key], job.message);
            }
            self.kernel.batch(&keys[..jobs.len()], &messages[..jobs.len()], tags);
        }
        Ok(())
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        wipe(self.keys.as_flattened_mut());
    }
}
