//! Poly1305: RFC 8439 §2.5; D. J. Bernstein, "The Poly1305-AES message-authentication code", 2005.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod ifma;
#[cfg(any(
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "x86_64", target_feature = "sse2")
))]
mod limbs;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
mod soft;
#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
use super::cpu::Neon;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::cpu::{Avx2, Ifma};
use crate::kernels::Job;
use crate::wipe::overwrite;

/// r ‖ s.
pub(crate) type Key = [u8; 32];
/// A tag.
pub(crate) type Tag = [u8; 16];

/// The polynomial's value modulo 2^130 − 5, below 2^130 + 2^103, in words, and the point r.
#[derive(Clone, Copy)]
pub(crate) struct Accumulator {
    pub(super) h: [u64; 3],
    pub(super) r: [u64; 2],
}

impl Accumulator {
    /// What secret ones are overwritten with.
    pub(crate) const PUBLIC: Self = Self { h: [0; 3], r: [0; 2] };

    /// §2.5: r, with the bits cleared that let products be added without carries.
    #[inline(always)]
    pub(crate) fn new(key: &Key) -> Self {
        let [r0, r1] = words(&key.as_chunks().0[0]);
        Self { h: [0; 3], r: [r0 & CLAMP[0], r1 & CLAMP[1]] }
    }

    /// Absorbs whole blocks, one after the other.
    #[inline(always)]
    pub(crate) fn absorb(&mut self, blocks: &[[u8; 16]]) {
        soft::absorb(self, blocks);
    }
}

/// The bits that r may have: §2.5.
const CLAMP: [u64; 2] = [0x0fff_fffc_0fff_ffff, 0x0fff_fffc_0fff_fffc];

/// The code paths of Poly1305.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Ifma(Ifma),
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neon(Neon),
    Soft,
}

impl Kernel {
    /// Absorbs whole blocks.
    #[inline(always)]
    pub(crate) fn absorb(self, running: &mut Accumulator, blocks: &[[u8; 16]]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Ifma(token) if blocks.len() * 16 >= ifma::LONG_BYTES => {
                ifma::absorb(token, running, blocks.as_flattened());
            }
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) if blocks.len() * 16 >= avx2::LONG_BYTES => {
                avx2::absorb(token, running, blocks.as_flattened());
            }
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Self::Neon(token) if blocks.len() * 16 >= neon::LONG_BYTES => {
                neon::absorb(token, running, blocks.as_flattened());
            }
            _ => soft::absorb(running, blocks),
        }
    }

    /// The tag after the last bytes, of any number. The caller wipes `running`.
    #[inline(always)]
    pub(crate) fn finish(self, running: &mut Accumulator, data: &[u8], s: &[u8; 16]) -> Tag {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Ifma(token) if data.len() >= ifma::LONG_BYTES => {
                ifma::absorb(token, running, data);
            }
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) if data.len() >= avx2::LONG_BYTES => {
                avx2::absorb(token, running, data);
            }
            #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
            Self::Neon(token) if data.len() >= neon::LONG_BYTES => {
                neon::absorb(token, running, data);
            }
            _ => soft::absorb_all(running, data),
        }
        soft::tag(running, s)
    }

    /// The tag of a whole message.
    #[inline(always)]
    pub(crate) fn mac(self, key: &Key, message: &[u8]) -> Tag {
        let mut running = Accumulator::new(key);
        let tag = self.finish(&mut running, message, &key.as_chunks().0[1]);
        overwrite(&mut running, Accumulator::PUBLIC);
        tag
    }

    /// The tags of many messages, each under the key that its job names.
    ///
    /// # Panics
    /// When there are not as many tags as jobs, or not the keys that they name.
    pub(crate) fn batch(self, keys: &[Key], jobs: &[Job<'_>], tags: &mut [Tag]) {
        assert_eq!(jobs.len(), tags.len(), "a place for each tag");
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        if let Self::Ifma(token) = self
            && jobs.len() >= ifma::batch::ANY_MIN
        {
            return ifma::batch::batch(token, keys, jobs, tags);
        }
        for (job, tag) in jobs.iter().zip(tags) {
            *tag = self.mac(&keys[job.key], job.message);
        }
    }
}

/// Two little-endian words of 16 bytes.
#[inline(always)]
pub(super) fn words(bytes: &[u8; 16]) -> [u64; 2] {
    let whole = u128::from_le_bytes(*bytes);
    [whole as u64, (whole >> 64) as u64]
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Ifma = Ifma::get().map(Kernel::Ifma);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = Avx2::get().map(Kernel::Avx2);
    #[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
    Neon = Neon::get().map(Kernel::Neon);
    Soft = Some(Kernel::Soft);
}
