//! BLAKE3 of many messages, each under its key. Those of at most a chunk go side by side; of
//! longer ones, each after the other, the chunks do.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use digest::InvalidLength;

use super::{KEY_LEN_BYTES, array, tree};
use crate::kernels::Job;
use crate::kernels::blake3::{
    BLOCK_BYTES, CHUNK_BYTES, Input, Kernel, Key, LANES_MAX, Node, Value,
};
use crate::kernels::lanes::order::{Order, WINDOW};
use crate::keyed::KeyedBatch;
use crate::wipe::wipe;

/// Messages that are handed over together.
const GROUP: usize = LANES_MAX;

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

    #[inline(always)]
    fn input<'a>(&'a self, job: &Job<'a>) -> Input<'a> {
        Input { key: &self.keys[job.key], data: job.message, counter: 0 }
    }

    /// The tags of at most a window of messages.
    fn window(&self, jobs: &[Job<'_>], tags: &mut [Value]) {
        let blocks = |job: &Job<'_>| job.message.len().div_ceil(BLOCK_BYTES).max(1);
        let first = blocks(&jobs[0]);
        if first <= CHUNK_BYTES / BLOCK_BYTES && jobs.iter().all(|job| blocks(job) == first) {
            for (jobs, tags) in jobs.chunks(GROUP).zip(tags.chunks_mut(GROUP)) {
                let mut inputs = [self.input(&jobs[0]); GROUP];
                for (input, job) in inputs.iter_mut().zip(jobs) {
                    *input = self.input(job);
                }
                self.kernel.values(&inputs[..jobs.len()], Node::ONLY_CHUNK, tags);
            }
            return;
        }

        if jobs.len() <= 4 {
            let longest = jobs.iter().map(blocks).fold(0, usize::max);
            let others = jobs.iter().map(blocks).fold(0, usize::saturating_add) - longest;
            // As good as alone: what it takes to put them in order would be felt.
            if others <= longest / 2 {
                for (job, tag) in jobs.iter().zip(tags) {
                    *tag = tree::mac(self.kernel, &self.keys[job.key], job.message);
                }
                return;
            }
        }
        if jobs.len() <= GROUP {
            // Sorted by insertion: the other way takes longer to begin.
            let (mut numbers, mut count) = ([0; GROUP], 0);
            for (number, job) in jobs.iter().enumerate() {
                if self.is_long(job, &mut tags[number]) {
                    continue;
                }
                let mut place = count;
                while place > 0 && jobs[numbers[place - 1]].message.len() < job.message.len() {
                    numbers[place] = numbers[place - 1];
                    place -= 1;
                }
                numbers[place] = number;
                count += 1;
            }
            return self.group(jobs, tags, &numbers[..count]);
        }
        let (mut short, mut count) = ([0; WINDOW], 0);
        for (number, job) in jobs.iter().enumerate() {
            if !self.is_long(job, &mut tags[number]) {
                short[count] = number as u16;
                count += 1;
            }
        }
        let short = &short[..count];
        let mut order = Order::new(short.iter().map(|i| jobs[usize::from(*i)].message.len()));
        order.renumber(short);
        for group in order.numbers().chunks(GROUP) {
            let mut numbers = [0; GROUP];
            for (number, ordered) in numbers.iter_mut().zip(group) {
                *number = usize::from(*ordered);
            }
            self.group(jobs, tags, &numbers[..group.len()]);
        }
    }

    /// Whether a message is of more than a chunk: then its tag is computed.
    #[inline(always)]
    fn is_long(&self, job: &Job<'_>, tag: &mut Value) -> bool {
        let is_long = job.message.len() > CHUNK_BYTES;
        if is_long {
            *tag = tree::mac(self.kernel, &self.keys[job.key], job.message);
        }
        is_long
    }

    /// The tags of the jobs of these numbers, at most a group, the longest first.
    fn group(&self, jobs: &[Job<'_>], tags: &mut [Value], numbers: &[usize]) {
        let [first, ..] = numbers else { return };
        let (mut inputs, mut values) = ([self.input(&jobs[*first]); GROUP], [[0; 32]; GROUP]);
        for (input, number) in inputs.iter_mut().zip(numbers) {
            *input = self.input(&jobs[*number]);
        }
        let (inputs, values) = (&inputs[..numbers.len()], &mut values[..numbers.len()]);
        self.kernel.values(inputs, Node::ONLY_CHUNK, values);
        for (number, value) in numbers.iter().zip(values) {
            tags[*number] = *value;
        }
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
