//! Few messages, one after the other, where lanes would not pay off. The round keys are read where
//! the ring has them: to copy those of a key first takes longer than a short message.
#![expect(unsafe_code, reason = "calls into target_feature functions")]

use core::arch::x86_64::_mm_setzero_si128;
use core::array;

use super::super::aes_ni::{self, V, chain_to, load, store};
use super::super::{Block, vaes_512};
use super::ring::{KeyRing, Quad};
use super::{Kernel, Padding};
use crate::kernels::{Job, chaining};

/// Round keys as vectors.
#[inline]
#[target_feature(enable = "aes,avx")]
fn keys<const KEYS: usize>((quad, slot): (&Quad<KEYS>, usize)) -> [V; KEYS] {
    array::from_fn(|number| load(&quad.round[number].0[slot]))
}

/// How the messages of a mac end, known to the compiler: short ones would feel it.
pub(crate) trait End {
    /// What becomes of a last block that is not full.
    const PADDING: Padding;
    /// Whether what comes out is encrypted once more.
    const TWICE: bool;
}

/// The tags of messages, by a function of these features for the last block.
macro_rules! messages {
    ($name:ident, $features:literal, $last_block:path) => {
        #[target_feature(enable = $features)]
        fn $name<E: End, const KEYS: usize>(
            ring: &KeyRing<KEYS>,
            outer: &KeyRing<KEYS>,
            jobs: &[Job<'_>],
            tags: &mut [Block],
        ) {
            let padding = E::PADDING;
            for (job, tag) in jobs.iter().zip(tags) {
                let (blocks, tail) = job.message.split_at(padding.head_len(job.message.len()));
                let place @ (quad, slot) = ring.quad(job.key);
                let [full, padded] = [&quad.full, &quad.padded].map(|masks| load(&masks.0[slot]));
                let last = $last_block(tail, full, padded, padding.of_last_block());
                let (y, blocks) = (_mm_setzero_si128(), blocks.as_chunks().0);
                // Apart, so that keys that are used once come with the instruction that uses them.
                let value = match (E::TWICE, blocks) {
                    (true, _) => {
                        let outer = keys(outer.quad(job.key));
                        chain_to(&keys(place), y, blocks, last, Some(&outer))
                    }
                    (false, []) => chain_to(&keys(place), y, &[], last, None),
                    (false, _) => chain_to(&keys(place), y, blocks, last, None),
                };
                store(tag, value);
            }
        }
    };
}

messages!(by_aes_ni, "aes,avx", aes_ni::last_block);
messages!(by_masked_loads, "aes,avx512f,avx512bw,avx512vl", vaes_512::last_block);

#[target_feature(enable = "aes,avx")]
fn blocks<const KEYS: usize>(ring: &KeyRing<KEYS>, jobs: &[Job<'_>], blocks: &mut [Block]) {
    for (job, block) in jobs.iter().zip(blocks) {
        let last = load(block);
        let keys = keys(ring.quad(job.key));
        store(block, chain_to(&keys, _mm_setzero_si128(), &[], last, None));
    }
}

impl Padding {
    /// Of a last block that is not full.
    #[inline(always)]
    fn of_last_block(self) -> chaining::Padding {
        match self {
            Self::One | Self::OneIfNeeded => chaining::Padding::One,
            Self::Zeros => chaining::Padding::Zeros,
        }
    }
}

impl<const KEYS: usize> KeyRing<KEYS> {
    /// As [`Self::cbc`], one message after the other; what comes out is encrypted once more under
    /// the `outer` keys, if it ends so.
    ///
    /// # Panics
    /// When there are not as many keys as a job says.
    #[inline(always)]
    pub(crate) fn cbc_each<E: End>(
        &self,
        kernel: Kernel,
        outer: &Self,
        jobs: &[Job<'_>],
        tags: &mut [Block],
    ) {
        // SAFETY: the tokens prove the features.
        unsafe {
            match kernel {
                Kernel::Vaes512(_) => by_masked_loads::<E, KEYS>(self, outer, jobs, tags),
                Kernel::Vaes256(..) | Kernel::AesNi(_) => {
                    by_aes_ni::<E, KEYS>(self, outer, jobs, tags);
                }
            }
        }
    }

    /// As [`Self::encrypt`], one block after the other.
    ///
    /// # Panics
    /// When there are not as many keys as a job says.
    pub(crate) fn encrypt_each(&self, _: Kernel, jobs: &[Job<'_>], tags: &mut [Block]) {
        // SAFETY: each of these kernels has a token that proves the features.
        unsafe { blocks(self, jobs, tags) }
    }
}
