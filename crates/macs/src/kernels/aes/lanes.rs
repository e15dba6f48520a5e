//! AES-CBC-MACs of many messages at once, each under a key of its own, side by side in lanes. For
//! x86-64.

mod aes_ni;
mod each;
mod eight;
mod expand;
mod registers;
mod ring;
mod runs;
#[cfg(test)]
mod tests;
mod texts;
mod vaes_256;
mod vaes_512;
mod window;

use super::{Block, Schedule};
use crate::kernels::Job;
use crate::kernels::cpu::{AesNi, Vaes256, Vaes512};
use crate::kernels::lanes::order;
pub(crate) use each::End;
pub(crate) use ring::KeyRing;

/// What becomes of a last block that is not full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    /// A one bit, then zeros; a block of it if the last one was full (ISO/IEC 9797-1 §6.3.3).
    One,
    /// A one bit, then zeros, but only if the last block is not full (SP 800-38B §6.2).
    OneIfNeeded,
    /// Zeros, as few as needed, but at least a block (ISO/IEC 9797-1 §6.3.2).
    Zeros,
}

impl Padding {
    /// Length in bytes of the blocks before the last one.
    #[inline(always)]
    pub(crate) fn head_len(self, message_len: usize) -> usize {
        match self {
            Self::One => message_len / 16 * 16,
            Self::OneIfNeeded | Self::Zeros => message_len.saturating_sub(1) / 16 * 16,
        }
    }
}

/// What chains begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Zeros.
    Zeros,
    /// What the places of the tags have.
    Tags,
}

/// The code paths with lanes. A CPU may have none.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    /// Sixteen lanes on 512-bit registers.
    Vaes512(Vaes512),
    /// Sixteen lanes on 256-bit registers, and those of AES-NI for few messages.
    Vaes256(AesNi, Vaes256),
    /// Eight lanes on 128-bit registers.
    AesNi(AesNi),
}

impl Kernel {
    /// Whether the lanes are quicker than one message after the other. Both times are estimated, in
    /// cycles of a Zen 4: short messages overlap when they are computed one after the other, and
    /// lanes of unequal messages have to be sorted and filled.
    #[inline(always)]
    pub(crate) fn is_worth(self, padding: Padding, jobs: &[Job<'_>]) -> bool {
        let longest = jobs.iter().fold(0, |longest, job| job.message.len().max(longest));
        // If all were as long as the longest; for few short messages more would be felt.
        let most = padding.head_len(longest) / 16 + 1;
        jobs.len() * in_turn(most) > self.in_lanes(jobs.len(), 0, most)
            && self.is_worth_by_all(padding, jobs)
    }

    /// The same, all messages looked at.
    #[inline(never)]
    fn is_worth_by_all(self, padding: Padding, jobs: &[Job<'_>]) -> bool {
        let has_one_key = jobs.iter().all(|job| job.key == jobs[0].key);
        let (mut serial, mut total, mut most, mut least) = (0, 0, 0, usize::MAX);
        for job in jobs {
            let blocks = padding.head_len(job.message.len()) / 16 + 1;
            serial += if has_one_key { in_turn_under_one(blocks) } else { in_turn(blocks) };
            total += blocks;
            most = most.max(blocks);
            least = least.min(blocks);
        }
        let sorting = if most == least { 0 } else { 45 * jobs.len() };
        serial > self.in_lanes(jobs.len(), total, most) + sorting
    }

    /// The same for messages of a block each.
    pub(crate) fn is_worth_blocks(self, jobs: usize) -> bool {
        jobs * in_turn(1) > self.in_lanes(jobs, jobs, 1)
    }

    /// What lanes take for so many messages of so many blocks, of which the longest has `most`.
    #[inline(always)]
    fn in_lanes(self, jobs: usize, blocks: usize, most: usize) -> usize {
        // No division: it would be felt by two short messages.
        let (lanes_log2, start, again, block) = match self {
            Self::Vaes512(_) => (4, 300, 290, 60),
            Self::Vaes256(..) if jobs > aes_ni::LANES => (4, 210, 210, 62),
            Self::Vaes256(..) | Self::AesNi(_) => (3, 160, 130, 48),
        };
        let more = jobs.saturating_sub(1) >> lanes_log2;
        start + again * more + block * most.max((blocks >> lanes_log2) + 1)
    }
}

/// Two messages of at most so many bytes are not worth lanes, whatever the kernel.
pub(crate) const PAIR_BYTES: usize = 256;

/// What one message of so many blocks takes among others.
#[inline(always)]
fn in_turn(blocks: usize) -> usize {
    blocks * (16 + (5 * blocks / 8).min(22))
}

/// The same where all are under one key.
#[inline(always)]
fn in_turn_under_one(blocks: usize) -> usize {
    blocks * (8 + (5 * blocks / 6).min(29))
}

impl<const KEYS: usize> KeyRing<KEYS> {
    /// Sets a key and its masks.
    ///
    /// # Panics
    /// When there are not that many keys.
    pub(crate) fn set(
        &mut self,
        kernel: Kernel,
        key: usize,
        schedule: &Schedule<KEYS>,
        full: &Block,
        padded: &Block,
    ) {
        let zero = match kernel {
            Kernel::Vaes512(proof) => vaes_512::zero(proof, schedule),
            Kernel::Vaes256(_, proof) => vaes_256::zero(proof, schedule),
            Kernel::AesNi(proof) => aes_ni::zero(proof, schedule),
        };
        self.set_schedule(key, schedule, &zero);
        self.set_masks(key, full, padded);
    }

    /// Expands these keys and sets them, from the one of this number on; with `omac` their masks
    /// too: L·u and L·u², the subkeys of SP 800-38B §6.1. Other masks stay.
    ///
    /// # Panics
    /// When there are not that many keys, or one is of another length.
    pub(crate) fn expand(&mut self, kernel: Kernel, first: usize, keys: &[&[u8]], omac: bool) {
        assert!(first <= self.keys() && keys.len() <= self.keys() - first);
        match kernel {
            Kernel::Vaes512(proof) => vaes_512::expand(proof, self, first, keys, omac),
            Kernel::Vaes256(_, proof) => vaes_256::expand(proof, self, first, keys, omac),
            Kernel::AesNi(proof) => aes_ni::expand(proof, self, first, keys, omac),
        }
    }

    /// The CBC-MAC of each message from this start, its last block padded and masked.
    ///
    /// # Panics
    /// When there are not as many tags as jobs, or not as many keys as a job says.
    pub(crate) fn cbc(
        &self,
        kernel: Kernel,
        jobs: &[Job<'_>],
        padding: Padding,
        start: Start,
        tags: &mut [Block],
    ) {
        assert_eq!(jobs.len(), tags.len());
        for (jobs, tags) in jobs.chunks(order::WINDOW).zip(tags.chunks_mut(order::WINDOW)) {
            match kernel {
                Kernel::Vaes512(proof) => vaes_512::cbc(proof, self, jobs, padding, start, tags),
                Kernel::Vaes256(_, proof) if jobs.len() > aes_ni::LANES => {
                    vaes_256::cbc(proof, self, jobs, padding, start, tags);
                }
                Kernel::Vaes256(proof, _) | Kernel::AesNi(proof) => {
                    aes_ni::cbc(proof, self, jobs, padding, start, tags);
                }
            }
        }
    }

    /// E_K of each block under the key of the job of the same place; the keys' masks are to be
    /// zeros. EMAC's second encryption.
    ///
    /// # Panics
    /// When there are not as many blocks as jobs, or not as many keys as a job says.
    pub(crate) fn encrypt(&self, kernel: Kernel, jobs: &[Job<'_>], blocks: &mut [Block]) {
        assert_eq!(jobs.len(), blocks.len());
        for (jobs, blocks) in jobs.chunks(ENCRYPTED).zip(blocks.chunks_mut(ENCRYPTED)) {
            // A chain goes on from the block over one of zeros.
            let mut ones = [Job::new(0, &[]); ENCRYPTED];
            ones.iter_mut().zip(jobs).for_each(|(one, job)| one.key = job.key);
            self.cbc(kernel, &ones[..blocks.len()], Padding::Zeros, Start::Tags, blocks);
        }
    }
}

/// So many blocks are encrypted in one call of a kernel.
const ENCRYPTED: usize = 64;
