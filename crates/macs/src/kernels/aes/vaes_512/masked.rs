//! PMAC's sum, up to 32 blocks at once. From a multiple of 16 blocks on, the masks of the next 16
//! differ from the one before by the same sums of L·u^i every time, those of the Gray code of 1 to
//! 15, four to a register; only the sixteenth has one more, which its place decides.
#![expect(unsafe_code, reason = "vector loads, calls into target_feature functions")]

use core::arch::x86_64::*;

use super::super::aes_ni::{self, Masked, V, load, loaded, store, tag_of_sum, vectors};
use super::super::{Block, KEPT_MASKS, MaskedPass, Padding, Schedule, split_last};
use super::{W, last_block, load_wide, rounds_wide};
use crate::kernels::cpu::Vaes512;

/// Blocks after which the sums are the same again.
const GROUP: usize = 16;

/// Fewer blocks are taken on 128-bit registers, which need no sums.
const WIDE_MIN: usize = 6;

/// The last of the four blocks in a register.
const LAST: u16 = 0xf000;

#[inline]
#[target_feature(enable = "avx512f")]
fn xor3(a: W, b: W, c: W) -> W {
    _mm512_ternarylogic_epi64::<0x96>(a, b, c)
}

/// What the masks of a group differ by from the one before it, each with the first round key.
#[inline]
#[target_feature(enable = "aes,avx,avx512f")]
fn sums(masks: &[Block; KEPT_MASKS], first_key: V) -> [W; 4] {
    let [l0, l1, l2, l3, ..] = loaded(masks);
    let low = _mm512_castsi128_si512(l0);
    let low = _mm512_inserti32x4::<1>(low, _mm_xor_si128(l0, l1));
    let low = _mm512_inserti32x4::<2>(low, l1);
    let low = _mm512_inserti32x4::<3>(low, l1);
    let low = _mm512_xor_si512(low, _mm512_broadcast_i32x4(first_key));
    let [l12, l23, l13] = [_mm_xor_si128(l1, l2), _mm_xor_si128(l2, l3), _mm_xor_si128(l1, l3)];
    let mut sums = [low; 4];
    for (sum, before) in sums[1..].iter_mut().zip([l12, l23, l13]) {
        *sum = _mm512_xor_si512(*sum, _mm512_broadcast_i32x4(before));
    }
    for (sum, own) in sums.iter_mut().zip([l2, l3, l2]) {
        *sum = _mm512_xor_si512(*sum, _mm512_maskz_broadcast_i32x4(LAST, own));
    }
    sums
}

/// The sum of the encrypted blocks so far, in four parts, with the masks' sums.
struct Wide {
    sums: [W; 4],
    sum: W,
}

impl Wide {
    #[inline]
    #[target_feature(enable = "aes,avx,avx512f")]
    fn new(masks: &[Block; KEPT_MASKS], first_key: V) -> Self {
        Self { sums: sums(masks, first_key), sum: _mm512_setzero_si512() }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn add<const N: usize>(&mut self, blocks: [W; N]) {
        let (pairs, single) = blocks.as_chunks();
        for [a, b] in pairs {
            self.sum = xor3(self.sum, *a, *b);
        }
        for block in single {
            self.sum = _mm512_xor_si512(self.sum, *block);
        }
    }

    /// Takes N registers of blocks, of one group or two; a multiple of 16 was taken before.
    #[inline]
    #[target_feature(enable = "vaes,aes,avx512f,avx512bw")]
    fn take_groups<const KEYS: usize, const N: usize>(
        &mut self,
        masked: &mut Masked<'_>,
        keys: &[V; KEYS],
        bytes: &[u8],
    ) {
        let third = load(&masked.masks[3]);
        let mut blocks = load_wide::<N>(bytes);
        for group in blocks.as_chunks_mut::<4>().0 {
            let before = _mm512_broadcast_i32x4(masked.offset);
            masked.count += GROUP as u64;
            let own = masked.mask(masked.count);
            let last = _mm512_xor_si512(before, _mm512_maskz_broadcast_i32x4(LAST, own));
            for ((block, sum), before) in
                group.iter_mut().zip(self.sums).zip([before, before, before, last])
            {
                *block = xor3(*block, sum, before);
            }
            masked.offset = _mm_xor_si128(masked.offset, _mm_xor_si128(third, own));
        }
        self.add(rounds_wide(keys, blocks));
    }

    /// Takes `bytes`, less than a group and at most N registers, behind a multiple of 16 blocks.
    #[inline]
    #[target_feature(enable = "vaes,aes,avx512f,avx512bw")]
    fn take_part<const KEYS: usize, const N: usize>(
        &mut self,
        masked: &mut Masked<'_>,
        keys: &[V; KEYS],
        bytes: &[u8],
    ) {
        let before = _mm512_broadcast_i32x4(masked.offset);
        let mut blocks = load_wide::<N>(bytes);
        for (block, sum) in blocks.iter_mut().zip(self.sums) {
            *block = xor3(*block, sum, before);
        }
        let mut blocks = rounds_wide(keys, blocks);
        let count = bytes.len() / 16;
        for (i, block) in blocks.iter_mut().enumerate() {
            // Two words of 64 bits to a block.
            let there = (1_u32 << (2 * count.saturating_sub(4 * i).min(4))) - 1;
            *block = _mm512_maskz_mov_epi64(there as u8, *block);
        }
        self.add(blocks);
        masked.count += count as u64;
        for (power, mask) in masked.masks[..4].iter().enumerate() {
            if (count ^ count >> 1) >> power & 1 == 1 {
                masked.offset = _mm_xor_si128(masked.offset, load(mask));
            }
        }
    }

    /// Takes any number of blocks, behind a multiple of 16.
    #[inline]
    #[target_feature(enable = "vaes,aes,avx512f,avx512bw")]
    fn take_all<const KEYS: usize>(
        &mut self,
        masked: &mut Masked<'_>,
        keys: &[V; KEYS],
        blocks: &[Block],
    ) {
        let (runs, rest) = blocks.as_chunks::<{ 2 * GROUP }>();
        for run in runs {
            self.take_groups::<KEYS, 8>(masked, keys, run.as_flattened());
        }
        let (runs, rest) = rest.as_chunks::<GROUP>();
        for run in runs {
            self.take_groups::<KEYS, 4>(masked, keys, run.as_flattened());
        }
        match rest.len() {
            0 => {}
            1..=4 => self.take_part::<KEYS, 1>(masked, keys, rest.as_flattened()),
            5..=8 => self.take_part::<KEYS, 2>(masked, keys, rest.as_flattened()),
            _ => self.take_part::<KEYS, 4>(masked, keys, rest.as_flattened()),
        }
    }

    /// The four parts of the sum together.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl")]
    fn sum(&self) -> V {
        let high = _mm512_extracti64x4_epi64::<1>(self.sum);
        let two = _mm256_xor_si256(_mm512_castsi512_si256(self.sum), high);
        _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256::<1>(two))
    }
}

/// The sum of any number of blocks from the first on.
#[target_feature(enable = "vaes,aes,avx512f,avx512bw,avx512vl")]
fn sum_of<const KEYS: usize>(keys: &[V; KEYS], masks: &[Block; KEPT_MASKS], blocks: &[Block]) -> V {
    let (mut wide, mut masked) = (Wide::new(masks, keys[0]), Masked::new(masks));
    wide.take_all(&mut masked, keys, blocks);
    _mm_xor_si128(masked.sum, wide.sum())
}

entries! {
    Vaes512, "vaes,aes,avx512f,avx512bw,avx512vl";

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
            let before = (masked.count.wrapping_neg() % GROUP as u64) as usize;
            let (before, run) = run.split_at(before.min(run.len()));
            masked.take_all(keys, before);
            wide.take_all(&mut masked, keys, run);
        }
        masked.sum = _mm_xor_si128(masked.sum, wide.sum());
        masked.leave(pass);
    }
}
