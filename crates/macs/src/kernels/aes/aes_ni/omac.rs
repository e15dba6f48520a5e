//! OMAC from the key on: the blocks of the message, L = E_K(0) and the key schedule overlap.

use core::arch::x86_64::*;

use zeroize::optimization_barrier;

use super::super::{Block, Omac, Padding, Schedule, split_last};
use super::{AesNi, V, chain_to, encrypt_vector, expand_keys, last_block, store, vectors};
use crate::wipe::overwrite;

/// L·u, big-endian as SP 800-38B §6.1 has it: every byte is doubled and takes the carry of the next
/// one, the last that of the first.
#[inline]
#[target_feature(enable = "aes,avx")]
fn double(l: V) -> V {
    let next = _mm_set_epi8(0, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
    let weights = _mm_set_epi8(0x87_u8 as i8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    let carries = _mm_shuffle_epi8(_mm_cmpgt_epi8(_mm_setzero_si128(), l), next);
    _mm_xor_si128(_mm_add_epi8(l, l), _mm_and_si128(carries, weights))
}

/// L·u⁻¹, likewise the other way.
#[inline]
#[target_feature(enable = "aes,avx")]
fn halve(l: V) -> V {
    let before = _mm_set_epi8(14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15);
    let lost = _mm_set_epi8(15, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
    let odd = _mm_cmpgt_epi8(_mm_setzero_si128(), _mm_slli_epi16(l, 7));
    let carries = _mm_and_si128(_mm_shuffle_epi8(odd, before), _mm_set1_epi8(-0x80));
    let reduction = _mm_and_si128(_mm_shuffle_epi8(odd, lost), _mm_set1_epi8(0x43));
    let half = _mm_and_si128(_mm_srli_epi16(l, 1), _mm_set1_epi8(0x7f));
    _mm_xor_si128(half, _mm_xor_si128(carries, reduction))
}

/// What key set-up leaves in registers.
pub(in super::super) struct Parts {
    /// L = E_K(0).
    l: V,
    omac: Omac,
}

impl Parts {
    /// The mask of a full last block.
    #[inline]
    #[target_feature(enable = "aes,avx")]
    pub(in super::super) fn full(&self) -> V {
        double(self.l)
    }

    /// The mask of a padded last block.
    #[inline]
    #[target_feature(enable = "aes,avx")]
    pub(in super::super) fn padded(&self) -> V {
        match self.omac {
            Omac::One => double(double(self.l)),
            Omac::Two => halve(self.l),
        }
    }
}

/// Key set-up. The round keys are in memory then, and only there.
#[inline]
#[target_feature(enable = "aes,avx")]
pub(in super::super) fn set_up<const KEYS: usize>(
    key: &[u8],
    omac: Omac,
    schedule: &mut Schedule<KEYS>,
) -> Parts {
    let keys = expand_keys::<KEYS>(key);
    for (to, key) in schedule.keys.iter_mut().zip(keys) {
        store(to, key);
    }
    let l = encrypt_vector(&keys, _mm_setzero_si128());
    // Else the compiler would keep round keys in places of its own, which nobody wipes.
    optimization_barrier(schedule);
    Parts { l, omac }
}

entries! {
    AesNi, "aes,avx";

    /// As `Kernel::expand_omac`.
    fn expand_omac<const KEYS: usize>(
        key: &[u8],
        omac: Omac,
        schedule: &mut Schedule<KEYS>,
        masks: &mut [Block; 2],
    ) {
        let parts = set_up(key, omac, schedule);
        store(&mut masks[0], parts.full());
        store(&mut masks[1], parts.padded());
    }

    /// As `Kernel::omac_once`.
    fn omac_once<const KEYS: usize>(
        key: &[u8],
        omac: Omac,
        message: &[u8],
        tag: &mut Block,
    ) {
        let mut schedule = Schedule::<KEYS>::BLANK;
        let (blocks, tail) = split_last(message);
        let parts = set_up(key, omac, &mut schedule);
        let mask = if tail.len() == 16 { parts.full() } else { parts.padded() };
        let last = last_block(tail, mask, mask, Padding::One);
        store(tag, chain_to(vectors(&schedule), _mm_setzero_si128(), blocks, last, None));
        overwrite(&mut schedule, Schedule::BLANK);
    }
}
