//! BLAKE3 of many messages, each under its key. Those of at most a chunk go side by side; longer
//! ones fill all lanes by themselves.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::array;

use digest::InvalidLength;

use super::{KEY_LEN_BYTES, array as array_of, tree};
use crate::kernels::Job;
use crate::kernels::blake3::{BLOCK_BYTES, CHUNK_BYTES, Input, Kernel, Key, Node, Value};
use crate::kernels::lanes::order::{Order, WINDOW};
use crate::keyed::KeyedBatch;
use crate::wipe::wipe;

/// Messages that are handed over together: as many as any kernel has lanes.
const GROUP: usize = 16;

/// The keys of a batch.
pub(super) struct Keys {
    kernel: Kernel,
    keys: Vec<Key>,
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

    fn input<'a>(&'a self, job: &Job<'a>) -> Input<'a> {
        Input { key: &self.keys[job.key], data: job.message, counter: 0 }
    }

    /// The tags of at most a window of messages.
    fn window(&self, jobs: &[Job<'_>], tags: &mut [Value]) {
        let blocks = |job: &Job<'_>| job.message.len().div_ceil(BLOCK_BYTES).max(1);
        let first = blocks(&jobs[0]);
        if first <= CHUNK_BYTES / BLOCK_BYTES && jobs.iter().all(|job| blocks(job) == first) {
            for (jobs, tags) in jobs.chunks(GROUP).zip(tags.chunks_mut(GROUP)) {
                let job = |i: usize| jobs.get(i).unwrap_or(&jobs[0]);
                let inputs: [Input<'_>; GROUP] = array::from_fn(|i| self.input(job(i)));
                self.kernel.values(&inputs[..jobs.len()], Node::ONLY_CHUNK, tags);
            }
            return;
        }

        let (mut short, mut count) = ([0; WINDOW], 0);
        for ((job, tag), number) in jobs.iter().zip(&mut *tags).zip(0..) {
            if job.message.len() > CHUNK_BYTES {
                *tag = tree::mac(self.kernel, &self.keys[job.key], job.message);
            } else {
                short[count] = number;
                count += 1;
            }
        }
        let short = &short[..count];
        let mut order = Order::new(short.iter().map(|i| jobs[usize::from(*i)].message.len()));
        order.renumber(short);
        for numbers in order.numbers().chunks(GROUP) {
            let number = |i: usize| usize::from(*numbers.get(i).unwrap_or(&numbers[0]));
            let inputs: [Input<'_>; GROUP] = array::from_fn(|i| self.input(&jobs[number(i)]));
            let (mut values, count) = ([[0; 32]; GROUP], numbers.len());
            self.kernel.values(&inputs[..count], Node::ONLY_CHUNK, &mut values[..count]);
            for (number, value) in numbers.iter().zip(values) {
                tags[usize::from(*number)] = value;
            }
        }
    }
}

impl KeyedBatch for Keys {
    fn keys(&self) -> usize {
        self.keys.len()
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        for (place, key) in self.keys[first..][..keys.len()].iter_mut().zip(keys) {
            *place = *array_of(key)?;
        }
        Ok(())
    }

    fn pair_bytes(&self) -> usize {
        if self.kernel.takes_pairs() { 0 } else { usize::MAX }
    }

    #[inline]
    fn mac_into(&self, job: &Job<'_>, tag: &mut [u8]) -> Result<(), InvalidLength> {
        let tag: &mut Value = tag.try_into().expect("the caller checks the length");
        *tag = tree::mac(self.kernel, &self.keys[job.key], job.message);
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        let (tags, _) = tags.as_chunks_mut();
        for (jobs, tags) in jobs.chunks(WINDOW).zip(tags.chunks_mut(WINDOW)) {
            self.window(jobs, tags);
        }
        Ok(())
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        wipe(self.keys.as_flattened_mut());
    }
}
