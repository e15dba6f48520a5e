//! RC6-32/20, forward (Rivest, Robshaw, Sidney, Yin 1998, "The RC6 block cipher"): the parameters
//! submitted as AES candidate. CBC chains, one or many. Constant-time where multiplication and
//! rotation by a variable are.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
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
    /// One chain Yi = E_K(Xi ⊕ Yi−1), from `y` over a run of blocks: for every kernel the same.
    #[inline(always)]
    pub(crate) fn chain(self, schedule: &Schedule, y: &mut [u8; 16], run: &[[u8; 16]]) {
        soft::chain(schedule, y, run);
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

/// The round keys of a key of 4 to 32 bytes, a multiple of 4.
#[derive(Clone, Copy)]
pub struct Schedule {
    round_keys: [u32; 44],
}

impl Schedule {
    /// What takes the place of a schedule that is dropped.
    pub(crate) const BLANK: Self = Self { round_keys: [0; 44] };

    /// §2, key schedule.
    #[inline(always)]
    pub(crate) fn set_up(&mut self, key: &[u8]) {
        self.round_keys = INITIAL;
        let mut l = [0; KEY_LEN_WORDS_MAX];
        let (key_words, _) = key.as_chunks();
        for (word, &key) in l.iter_mut().zip(key_words) {
            *word = u32::from_le_bytes(key);
        }
        let (mut a, mut b, mut j) = (0_u32, 0_u32, 0);
        for _ in 0..3 {
            for s in &mut self.round_keys {
                a = s.wrapping_add(a.wrapping_add(b)).rotate_left(3);
                *s = a;
                let sum = a.wrapping_add(b);
                b = l[j].wrapping_add(sum).rotate_left(sum & 31);
                l[j] = b;
                j = if j + 1 == key_words.len() { 0 } else { j + 1 };
            }
        }
        overwrite(&mut l, [0; KEY_LEN_WORDS_MAX]);
    }
}

/// Of 32 bytes; the algorithm would take 255.
const KEY_LEN_WORDS_MAX: usize = 8;

/// P32 and then Q32 added for each next word (§2).
const INITIAL: [u32; 44] = {
    let mut s = [0xb7e1_5163_u32; 44];
    let mut i = 1;
    while i < s.len() {
        s[i] = s[i - 1].wrapping_add(0x9e37_79b9);
        i += 1;
    }
    s
};
