//! HMAC of many messages under many keys.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use digest::InvalidLength;
use digest::array::Array;
use digest::typenum::Unsigned;

use super::{public, set_up};
use crate::compression::{Compression, HmacKey};
use crate::inside::Inside;
use crate::kernels::{Choice, Job, Pin};
use crate::keyed::{KeyedBatch, in_turn};
use crate::wipe::overwrite;

/// Keys side by side.
pub(super) struct HmacBatch<C: Compression> {
    kernel: C::Kernel,
    keys: Vec<HmacKey<C::State>>,
}

impl<C: Compression> HmacBatch<C> {
    pub(super) fn boxed(pin: Pin, keys: &[&[u8]]) -> Box<dyn KeyedBatch> {
        let mut batch = Self { kernel: Choice::pinned(pin), keys: vec![public::<C>(); keys.len()] };
        batch.set_up(0, keys);
        Box::new(batch)
    }

    fn set_up(&mut self, first: usize, keys: &[&[u8]]) {
        let states = &mut self.keys[first..][..keys.len()];
        if keys.iter().all(|key| key.len() <= C::BlockSize::USIZE) {
            return C::hmac_keys(self.kernel, keys, states, Inside(()));
        }
        for (key, states) in keys.iter().zip(states) {
            set_up::<C>(self.kernel, key, states);
        }
    }
}

impl<C: Compression> KeyedBatch for HmacBatch<C> {
    fn keys(&self) -> usize {
        self.keys.len()
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        self.set_up(first, keys);
        Ok(())
    }

    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength> {
        let tag = Array::slice_as_mut_array(tag).expect("the caller checks the length");
        C::hmac(self.kernel, &self.keys[job.key], job.message, tag, Inside(()));
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        if C::in_turn(self.kernel, Inside(())).takes(jobs) {
            let len = C::OutputSize::USIZE;
            return in_turn(jobs, len, tags, |job, tag| self.mac_into(job, tag));
        }
        C::hmac_batch(self.kernel, &self.keys, jobs, tags, Inside(()));
        Ok(())
    }
}

impl<C: Compression> Drop for HmacBatch<C> {
    fn drop(&mut self) {
        self.keys.iter_mut().for_each(|key| overwrite(key, public::<C>()));
    }
}
