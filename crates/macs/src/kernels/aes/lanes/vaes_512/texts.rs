//! Sixteen messages at once, from their beginnings to their tags.
#![expect(unsafe_code, reason = "messages are read through pointers")]

use core::arch::x86_64::*;

use super::super::super::Block;
use super::super::Start;
use super::super::ring::Quad;
use super::super::texts::Texts;
use super::rounds::{States, absorb, join, load, rounds, step};
use super::{GROUPS, LANES};
use crate::kernels::zmm::start_of;

/// At most a block, padded with a one bit where one is asked for and there is room.
///
/// # Safety
/// `len` bytes can be read at `tail`.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
#[inline]
pub(super) unsafe fn pad(tail: *const u8, len: usize, one: bool) -> __m128i {
    let bit = 1u32 << len.min(16);
    let tail = if len == 0 { start_of(&[]) } else { tail };
    // SAFETY: the mask lets no more than `len` bytes be read.
    let bytes = unsafe { _mm_maskz_loadu_epi8((bit - 1) as u16, tail.cast()) };
    let bit = if one { bit as u16 } else { 0 };
    _mm_mask_blend_epi8(bit, bytes, _mm_set1_epi8(-0x80))
}

impl Texts<LANES> {
    /// Block `offset` bytes from the beginning, where all lanes have one.
    ///
    /// # Safety
    /// The texts can be read.
    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn blocks(&self, offset: usize) -> States {
        let mut joined = [_mm512_setzero_si512(); GROUPS];
        for (joined, at) in joined.iter_mut().zip(self.at.as_chunks::<4>().0) {
            // SAFETY: the caller promises it.
            let load = |at: *const u8| unsafe { _mm_loadu_si128(at.wrapping_add(offset).cast()) };
            *joined = join(at.map(load));
        }
        joined
    }

    /// The same where some lanes have not begun, and the lanes that begin here.
    ///
    /// # Safety
    /// The texts can be read.
    #[target_feature(enable = "avx512f")]
    #[inline]
    unsafe fn first_blocks(&self, offset: usize) -> (States, [__mmask8; GROUPS]) {
        let mut joined = [_mm512_setzero_si512(); GROUPS];
        for (group, joined) in joined.iter_mut().enumerate() {
            *joined = join(core::array::from_fn(|slot| {
                let block = self.first_block(4 * group + slot, offset);
                // SAFETY: the caller promises it of lanes that have begun.
                unsafe { _mm_loadu_si128(block.cast()) }
            }));
        }
        (joined, self.beginning(offset))
    }

    /// The lanes that begin here, two bits for each.
    #[target_feature(enable = "avx512f")]
    #[inline]
    fn beginning(&self, offset: usize) -> [__mmask8; GROUPS] {
        let twice = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
        let offset = _mm512_set1_epi64(offset as i64);
        let mut lanes = [0; GROUPS];
        for (lanes, skip) in lanes.iter_mut().zip(self.skip.as_chunks::<4>().0) {
            // SAFETY: 32 bytes.
            let skip = unsafe { _mm256_loadu_si256(skip.as_ptr().cast()) };
            let skip = _mm512_permutexvar_epi64(twice, _mm512_castsi256_si512(skip));
            *lanes = _mm512_cmpeq_epi64_mask(skip, offset);
        }
        lanes
    }

    /// The last blocks, padded and masked; with `SAME` they are of one length.
    ///
    /// # Safety
    /// The texts can be read.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    #[inline]
    unsafe fn last<const KEYS: usize, const SAME: bool>(
        &self,
        quads: [&Quad<KEYS>; GROUPS],
        one: bool,
    ) -> States {
        let mut last = [_mm512_setzero_si512(); GROUPS];
        for (group, last) in last.iter_mut().enumerate() {
            let (mut tails, mut full) = ([_mm_setzero_si128(); 4], 0u16);
            for (slot, tail) in tails.iter_mut().enumerate() {
                let lane = 4 * group + slot;
                let len = self.tail_len[if SAME { 0 } else { lane }];
                // SAFETY: the caller promises it.
                *tail = unsafe { pad(self.at[lane].wrapping_add(self.head_len), len, one) };
                full |= (0xf * (len / 16) as u16) << (4 * slot);
            }
            let (full_mask, padded_mask) = (load(&quads[group].full), load(&quads[group].padded));
            let mask = _mm512_mask_blend_epi32(full, padded_mask, full_mask);
            *last = _mm512_xor_si512(join(tails), mask);
        }
        last
    }
}

/// Lanes begin with these blocks, from the values `y`.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn begin<const KEYS: usize>(
    quads: [&Quad<KEYS>; GROUPS],
    y: States,
    state: &mut States,
    lanes: [__mmask8; GROUPS],
    blocks: States,
) {
    for group in 0..GROUPS {
        let key = _mm512_xor_si512(load(&quads[group].round[0]), y[group]);
        state[group] = _mm512_mask_xor_epi64(state[group], lanes[group], blocks[group], key);
    }
}

/// The CBC-MACs of sixteen messages, which may start from these blocks.
///
/// # Safety
/// The texts can be read.
#[target_feature(enable = "vaes,avx512f,avx512bw,avx512vl,avx512dq")]
#[inline]
pub(super) unsafe fn together<const KEYS: usize>(
    quads: [&Quad<KEYS>; GROUPS],
    texts: &mut Texts<LANES>,
    one: bool,
    start: &[Block; LANES],
) -> States {
    const ALL: [__mmask8; GROUPS] = [0xff; GROUPS];
    let (head_len, mut state) = (texts.head_len, [_mm512_setzero_si512(); GROUPS]);
    let mut y = state;
    if texts.start == Start::Tags {
        for (y, blocks) in y.iter_mut().zip(start.as_chunks::<4>().0) {
            // SAFETY: 64 bytes.
            *y = unsafe { _mm512_loadu_si512(blocks.as_ptr().cast()) };
        }
    }
    // SAFETY: lanes read from where they begin to the end of the head, and their last blocks.
    unsafe {
        let last = if texts.same_tails {
            texts.last::<KEYS, true>(quads, one)
        } else {
            texts.last::<KEYS, false>(quads, one)
        };
        if head_len == 0 {
            begin(quads, y, &mut state, ALL, last);
        } else {
            let mut taken = 16;
            if texts.most_skip == 0 {
                begin(quads, y, &mut state, ALL, texts.blocks(0));
            } else {
                begin(quads, y, &mut state, ALL, texts.first_blocks(0).0);
                while taken <= texts.most_skip && taken < head_len {
                    let (blocks, beginning) = texts.first_blocks(taken);
                    step(quads, &mut state, blocks);
                    begin(quads, y, &mut state, beginning, blocks);
                    taken += 16;
                }
            }
            if (head_len - taken) % 32 == 16 {
                step(quads, &mut state, texts.blocks(taken));
                taken += 16;
            }
            let pairs = (head_len - taken) / 32;
            if pairs > 0 {
                let at = texts.at.as_mut_ptr();
                absorb::<KEYS, false>(quads, &mut state, at, taken, pairs as u64);
            }
            step(quads, &mut state, last);
            if texts.most_skip == head_len {
                begin(quads, y, &mut state, texts.beginning(head_len), last);
            }
        }
    }
    rounds(quads, &mut state);
    for (state, quad) in state.iter_mut().zip(quads) {
        *state = _mm512_aesenclast_epi128(*state, load(&quad.round[KEYS - 1]));
    }
    state
}
