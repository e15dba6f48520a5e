//! Serpent, forward (Anderson, Biham, Knudsen 1998, "Serpent: a proposal for the Advanced
//! Encryption Standard"): CBC chains, one or many. Constant-time.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
mod sboxes;
mod soft;
#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::cpu;
use super::lanes::cbc::{CbcJob, Worth};
use crate::wipe::overwrite;

/// The code paths.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(cpu::Avx512),
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(cpu::Avx2),
    Soft,
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512 = cpu::Avx512::get().map(Kernel::Avx512);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = cpu::Avx2::get().map(Kernel::Avx2);
    Soft = Some(Kernel::Soft);
}

impl Kernel {
    /// One chain Yi = E_K(Xi ⊕ Yi−1), from `y` over a run of blocks.
    #[inline(always)]
    pub(crate) fn chain(self, schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::chain(token, schedule, y, run),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::chain(token, schedule, y, run),
            Self::Soft => soft::chain_apart(schedule, y, run),
        }
    }

    /// From when on many chains are faster in lanes, at the earliest.
    pub(crate) fn worth(self) -> Worth {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(_) => avx512::WORTH,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(_) => avx2::WORTH,
            Self::Soft => Worth::NEVER,
        }
    }

    /// The chains of many jobs; that of `jobs[i]` goes from `y[i]` and ends there.
    ///
    /// # Panics
    /// When there are not as many `y` as jobs.
    pub(crate) fn cbc_many(self, jobs: &[CbcJob<'_, Schedule, 16>], y: &mut [[u8; 16]]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::cbc(token, jobs, y),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::cbc(token, jobs, y),
            Self::Soft => soft::cbc(jobs, y),
        }
    }
}

/// The round keys of a key of 16, 24 or 32 bytes.
#[derive(Clone, Copy)]
pub struct Schedule {
    round_keys: [[u32; 4]; 33],
}

impl Schedule {
    /// What takes the place of a schedule that is dropped.
    pub(crate) const BLANK: Self = Self { round_keys: [[0; 4]; 33] };

    /// Key set-up: the affine recurrence, and the S-boxes from S3 downwards.
    #[inline(always)]
    pub(crate) fn set_up(&mut self, key: &[u8]) {
        let mut w = [0; 8];
        let (key_words, _) = key.as_chunks();
        for (word, &key) in w.iter_mut().zip(key_words) {
            *word = u32::from_le_bytes(key);
        }
        if let Some(word) = w.get_mut(key_words.len()) {
            *word = 1;
        }
        let (eights, last) = self.round_keys.as_chunks_mut::<8>();
        for (keys, first) in eights.iter_mut().zip((0..).step_by(32)) {
            let [a, b] = next_words(&mut w, first);
            (keys[0], keys[1]) = (sboxes::s3(a), sboxes::s2(b));
            let [a, b] = next_words(&mut w, first + 8);
            (keys[2], keys[3]) = (sboxes::s1(a), sboxes::s0(b));
            let [a, b] = next_words(&mut w, first + 16);
            (keys[4], keys[5]) = (sboxes::s7(a), sboxes::s6(b));
            let [a, b] = next_words(&mut w, first + 24);
            (keys[6], keys[7]) = (sboxes::s5(a), sboxes::s4(b));
        }
        let [last_key, _] = next_words(&mut w, 128);
        last.fill(sboxes::s3(last_key));
        overwrite(&mut w, [0; 8]);
    }

    /// All round keys, word by word.
    fn flat(&self) -> &[u32; 132] {
        self.round_keys.as_flattened().try_into().expect("33 keys of four words")
    }
}

/// The next eight words of the affine recurrence, those of two round keys before the S-box, of
/// which the first has this number.
#[inline(always)]
fn next_words(w: &mut [u32; 8], first: u32) -> [[u32; 4]; 2] {
    for i in 0..8 {
        let before = w[i] ^ w[(i + 3) % 8] ^ w[(i + 5) % 8] ^ w[(i + 7) % 8];
        w[i] = (before ^ 0x9e37_79b9 ^ (first + i as u32)).rotate_left(11);
    }
    let [a, b, c, d, e, f, g, h] = *w;
    [[a, b, c, d], [e, f, g, h]]
}
