//! Few messages, one after the other, where lanes would not pay off. The round keys are read where
//! the ring has them: to copy those of a key first takes longer than a short message.
#![expect(unsafe_code, reason = "calls into target_feature functions")]

use core::arch::x86_64::_mm_setzero_si128;

use super::super::aes_ni::{self, Keys, V, chain_to, load, store};
use super::super::{Block, vaes_512};
use super::ring::{KeyRing, Quad};
use super::{Kernel, Padding, Start};
use crate::kernels::{Job, chaining};

/// A quad and a slot in there.
impl<const KEYS: usize> Keys for (&Quad<KEYS>, usize) {
    const COUNT: usize = KEYS;

    #[inline(always)]
    fn key(self, number: usize) -> V {
        load(&self.0.round[number].0[self.1])
    }
}

/// How the messages of a mac end, known to the compiler: short ones would feel it.
pub(crate) trait End {
    /// What becomes of a last block that is not full.
    const PADDING: Padding;
    /// Whether what comes out is encrypted once more.
    const TWICE: bool;
}

/// The tag of a message, by a function for the last block.
macro_rules! tag {
    ($end:ident, $last_block:path, $rings:ident, $job:ident, $y:expr) => {{
        let (padding, [ring, outer]) = ($end::PADDING, $rings);
        let (blocks, tail) = $job.message.split_at(padding.head_len($job.message.len()));
        let place @ (quad, slot) = ring.quad($job.key);
        let [full, padded] = [&quad.full, &quad.padded].map(|masks| load(&masks.0[slot]));
        let last = $last_block(tail, full, padded, padding.of_last_block());
        let outer = if $end::TWICE { Some((outer.quad_of($job.key), slot)) } else { None };
        // Apart, so that keys that are used once come with the instruction that uses them.
        match blocks.as_chunks().0 {
            [] => chain_to(place, $y, &[], last, outer),
            blocks => chain_to(place, $y, blocks, last, outer),
        }
    }};
}

/// The tags of messages, and of one from zeros, by functions of these features. A call for each of
/// many short messages would be felt, and so would the loop by one.
macro_rules! messages {
    ($each:ident, $one:ident, $features:literal, $last_block:path) => {
        #[target_feature(enable = $features)]
        fn $each<E: End, const KEYS: usize>(
            rings: [&KeyRing<KEYS>; 2],
            jobs: &[Job<'_>],
            start: Start,
            tags: &mut [Block],
        ) {
            for (job, tag) in jobs.iter().zip(tags) {
                let y = if start == Start::Tags { load(tag) } else { _mm_setzero_si128() };
                store(tag, tag!(E, $last_block, rings, job, y));
            }
        }

        #[target_feature(enable = $features)]
        fn $one<E: End, const KEYS: usize>(
            rings: [&KeyRing<KEYS>; 2],
            job: &Job<'_>,
            tag: &mut Block,
        ) {
            store(tag, tag!(E, $last_block, rings, job, _mm_setzero_si128()));
        }
    };
}

messages!(each_by_aes_ni, one_by_aes_ni, "aes,avx", aes_ni::last_block);
messages!(
    each_by_masked_loads,
    one_by_masked_loads,
    "aes,avx512f,avx512bw,avx512vl",
    vaes_512::last_block
);

#[target_feature(enable = "aes,avx")]
fn blocks<const KEYS: usize>(ring: &KeyRing<KEYS>, jobs: &[Job<'_>], blocks: &mut [Block]) {
    for (job, block) in jobs.iter().zip(blocks) {
        let last = load(block);
        store(block, chain_to(ring.quad(job.key), _mm_setzero_si128(), &[], last, None));
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
        start: Start,
        tags: &mut [Block],
    ) {
        let rings = [self, outer];
        // SAFETY: the tokens prove the features.
        unsafe {
            match kernel {
                Kernel::Vaes512(_) => each_by_masked_loads::<E, KEYS>(rings, jobs, start, tags),
                Kernel::Vaes256(..) | Kernel::AesNi(_) => {
                    each_by_aes_ni::<E, KEYS>(rings, jobs, start, tags);
                }
            }
        }
    }

    /// The same of one message, from zeros.
    ///
    /// # Panics
    /// As there.
    #[inline(always)]
    pub(crate) fn cbc_one<E: End>(
        &self,
        kernel: Kernel,
        outer: &Self,
        job: &Job<'_>,
        tag: &mut Block,
    ) {
        let rings = [self, outer];
        // SAFETY: the tokens prove the features.
        unsafe {
            match kernel {
                Kernel::Vaes512(_) => one_by_masked_loads::<E, KEYS>(rings, job, tag),
                Kernel::Vaes256(..) | Kernel::AesNi(_) => {
                    one_by_aes_ni::<E, KEYS>(rings, job, tag);
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
