//! PMAC's sum, up to 16 blocks at once, as on 512-bit registers.
#![expect(unsafe_code, reason = "calls into target_feature functions")]

use core::arch::x86_64::*;

use super::super::aes_ni::{self, Masked, V, last_block, load, loaded, store, tag_of_sum, vectors};
use super::super::{Block, KEPT_MASKS, MaskedPass, Padding, Schedule, split_last};
use super::{BLOCKS, LANES, W, WIDTH, load_wide, rounds_wide};
use crate::kernels::cpu::Vaes256;

/// Fewer blocks are taken on 128-bit registers, which need no sums.
const WIDE_MIN: usize = 8;

/// What the masks of 16 blocks differ by from the one before them, each with the first round key.
#[inline]
#[target_feature(enable = "aes,avx2")]
fn sums(masks: &[Block; KEPT_MASKS], first_key: V) -> [W; WIDTH] {
    let [l0, l1, l2, l3, ..] = loaded(masks);
    let key = _mm256_broadcastsi128_si256(first_key);
    let first = _mm256_xor_si256(_mm256_set_m128i(_mm_xor_si128(l0, l1), l0), key);
    let second = _mm256_xor_si256(_mm256_broadcastsi128_si256(l1), key);
    let [l12, l23, l13] = [_mm_xor_si128(l1, l2), _mm_xor_si128(l2, l3), _mm_xor_si128(l1, l3)];
    let zero = _mm_setzero_si128();
    let parts = [(zero, l2), (l12, l3), (l23, l2), (l13, zero)];
    let mut sums = [key; WIDTH];
    for (pair, (before, own)) in sums.as_chunks_mut().0.iter_mut().zip(parts) {
        let both = _mm256_broadcastsi128_si256(before);
        let with_own = _mm256_set_m128i(_mm_xor_si128(before, own), before);
        *pair = [_mm256_xor_si256(first, both), _mm256_xor_si256(second, with_own)];
    }
    sums
}

/// The sum of the encrypted blocks so far, in two parts, with the masks' sums.
struct Wide {
    sums: [W; WIDTH],
    sum: W,
}

impl Wide {
    #[inline]
    #[target_feature(enable = "aes,avx2")]
    fn new(masks: &[Block; KEPT_MASKS], first_key: V) -> Self {
        Self { sums: sums(masks, first_key), sum: _mm256_setzero_si256() }
    }

    /// Takes N registers of blocks, at most 16 blocks behind a multiple of 16. `own` is one mask
    /// more for the last of them.
    #[inline]
    #[target_feature(enable = "vaes,aes,avx2")]
    fn take<const KEYS: usize, const N: usize>(
        &mut self,
        offset: V,
        own: V,
        keys: &[V; KEYS],
        blocks: &[Block],
    ) {
        let before = _mm256_broadcastsi128_si256(offset);
        let pairs = blocks.as_chunks::<LANES>().0.first_chunk::<N>().expect("so many");
        let mut masked = load_wide(pairs);
        for (block, sum) in masked.iter_mut().zip(self.sums) {
            *block = _mm256_xor_si256(*block, _mm256_xor_si256(sum, before));
        }
        let own = _mm256_inserti128_si256::<1>(_mm256_setzero_si256(), own);
        masked[N - 1] = _mm256_xor_si256(masked[N - 1], own);
        for block in rounds_wide(keys, masked) {
            self.sum = _mm256_xor_si256(self.sum, block);
        }
    }

    /// Takes any number of blocks, behind a multiple of 16.
    #[inline]
    #[target_feature(enable = "vaes,aes,avx2")]
    fn take_all<const KEYS: usize>(
        &mut self,
        masked: &mut Masked<'_>,
        keys: &[V; KEYS],
        blocks: &[Block],
    ) {
        let third = load(&masked.masks[3]);
        let (runs, mut rest) = blocks.as_chunks::<BLOCKS>();
        for run in runs {
            masked.count += BLOCKS as u64;
            let own = masked.mask(masked.count);
            self.take::<KEYS, WIDTH>(masked.offset, own, keys, run);
            masked.offset = _mm_xor_si128(masked.offset, _mm_xor_si128(third, own));
        }
        if let Some((half, behind)) = rest.split_first_chunk::<{ BLOCKS / 2 }>() {
            let none = _mm_setzero_si128();
            self.take::<KEYS, { WIDTH / 2 }>(masked.offset, none, keys, half);
            masked.count += (BLOCKS / 2) as u64;
            let sum = _mm_xor_si128(load(&masked.masks[2]), third);
            masked.offset = _mm_xor_si128(masked.offset, sum);
            rest = behind;
        }
        masked.take_all(keys, rest);
    }

    /// The two parts of the sum together.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn sum(&self) -> V {
        let high = _mm256_extracti128_si256::<1>(self.sum);
        _mm_xor_si128(_mm256_castsi256_si128(self.sum), high)
    }
}

/// The sum of any number of blocks from the first on.
#[target_feature(enable = "vaes,aes,avx2")]
fn sum_of<const KEYS: usize>(keys: &[V; KEYS], masks: &[Block; KEPT_MASKS], blocks: &[Block]) -> V {
    let (mut wide, mut masked) = (Wide::new(masks, keys[0]), Masked::new(masks));
    wide.take_all(&mut masked, keys, blocks);
    _mm_xor_si128(masked.sum, wide.sum())
}

entries! {
    Vaes256, "vaes,aes,avx,avx2";

    /// As `Kernel::masked_mac`.
    fn masked_mac<const KEYS: usize>(
        schedule: &Schedule<KEYS>,
        masks: &[Block; KEPT_MASKS],
        full: &Block,
        message: &[u8],
        tag: &mut Block,
    ) {
        let (keys, (blocks, tail)) = (vectors(schedule), split_last(message));
        let last = last_block(tail, load(full), _mm_setzero_si128(), Padding::One);
        let sum = if blocks.len() < WIDE_MIN {
            aes_ni::sum_of(keys, masks, blocks)
        } else {
            sum_of(keys, masks, blocks)
        };
        store(tag, tag_of_sum(keys, sum, last));
    }

    /// As `Kernel::masked_sum`.
    fn masked_sum<const KEYS: usize>(schedule: &Schedule<KEYS>, pass: MaskedPass<'_, Block>) {
        let (keys, mut masked) = (vectors(schedule), Masked::before(&pass));
        let mut wide = Wide::new(pass.masks, keys[0]);
        for run in pass.runs {
            let before = (masked.count.wrapping_neg() % BLOCKS as u64) as usize;
            let (before, run) = run.split_at(before.min(run.len()));
            masked.take_all(keys, before);
            wide.take_all(&mut masked, keys, run);
        }
        masked.sum = _mm_xor_si128(masked.sum, wide.sum());
        masked.leave(pass);
    }
}
