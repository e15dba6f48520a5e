//! What GCM asks of registers beside GHASH's, and of what they are loaded from.
#![expect(unsafe_code, reason = "intrinsics, masked stores, an empty instruction")]

#[cfg(not(miri))]
use core::arch::asm;
use core::arch::x86_64::*;
use core::slice;

use super::super::aes::{aes_ni, vaes_256};
use super::super::ghash::aggregate::Register;
use super::super::ghash::element;
use super::super::partial::write_part;

/// Blocks side by side. To be used in functions that have its instructions.
pub(in crate::kernels) trait Wide: Register {
    /// A round key in all places of a register. The compiler is not to keep those of all rounds
    /// for the next blocks, on the stack.
    fn key(key: __m128i) -> Self;
    fn aesenc(self, key: Self) -> Self;
    fn aesenclast(self, key: Self) -> Self;
    /// 1, 2, … in the low 32 bits of each block.
    fn numbers() -> Self;
    /// The low 32 bits of each block added.
    fn plus(self, counts: Self) -> Self;
    /// These bytes, less than all, and then zeros.
    fn first_bytes(self, len: usize) -> Self;
    /// The first bytes, less than all.
    fn store_part(self, bytes: &mut [u8]);
}

impl Wide for __m128i {
    #[inline(always)]
    fn key(key: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { aes_ni::in_register(key) }
    }

    #[inline(always)]
    fn aesenc(self, key: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm_aesenc_si128(self, key) }
    }

    #[inline(always)]
    fn aesenclast(self, key: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm_aesenclast_si128(self, key) }
    }

    #[inline(always)]
    fn numbers() -> Self {
        element::of_number(1)
    }

    #[inline(always)]
    fn plus(self, counts: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm_add_epi32(self, counts) }
    }

    #[inline(always)]
    fn first_bytes(self, len: usize) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe {
            let places = _mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
            _mm_and_si128(self, _mm_cmpgt_epi8(_mm_set1_epi8(len as i8), places))
        }
    }

    #[inline(always)]
    fn store_part(self, bytes: &mut [u8]) {
        // SAFETY: inlined where the instructions are enabled.
        let halves = unsafe { [_mm_cvtsi128_si64(self), _mm_extract_epi64::<1>(self)] };
        write_part(halves.map(|half| half as u64), bytes);
    }
}

impl Wide for __m256i {
    #[inline(always)]
    fn key(key: __m128i) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { vaes_256::spread(key) }
    }

    #[inline(always)]
    fn aesenc(self, key: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_aesenc_epi128(self, key) }
    }

    #[inline(always)]
    fn aesenclast(self, key: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_aesenclast_epi128(self, key) }
    }

    #[inline(always)]
    fn numbers() -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_set_epi64x(0, 2, 0, 1) }
    }

    #[inline(always)]
    fn plus(self, counts: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm256_add_epi32(self, counts) }
    }

    #[inline(always)]
    fn first_bytes(self, len: usize) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe {
            let half = _mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
            let other = _mm_add_epi8(half, _mm_set1_epi8(16));
            let places = _mm256_set_m128i(other, half);
            _mm256_and_si256(self, _mm256_cmpgt_epi8(_mm256_set1_epi8(len as i8), places))
        }
    }

    #[inline(always)]
    fn store_part(self, bytes: &mut [u8]) {
        match bytes.split_first_chunk_mut() {
            Some((first, rest)) => {
                element::store(first, self.first());
                // SAFETY: inlined where the instructions are enabled.
                let other = unsafe { _mm256_extracti128_si256::<1>(self) };
                other.store_part(rest);
            }
            None => self.first().store_part(bytes),
        }
    }
}

impl Wide for __m512i {
    #[inline(always)]
    fn key(key: __m128i) -> Self {
        Self::spread(key)
    }

    #[inline(always)]
    fn aesenc(self, key: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_aesenc_epi128(self, key) }
    }

    #[inline(always)]
    fn aesenclast(self, key: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_aesenclast_epi128(self, key) }
    }

    #[inline(always)]
    fn numbers() -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_set_epi64(0, 4, 0, 3, 0, 2, 0, 1) }
    }

    #[inline(always)]
    fn plus(self, counts: Self) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_add_epi32(self, counts) }
    }

    #[inline(always)]
    fn first_bytes(self, len: usize) -> Self {
        // SAFETY: inlined where the instructions are enabled.
        unsafe { _mm512_maskz_mov_epi8(_bzhi_u64(u64::MAX, len as u32), self) }
    }

    #[inline(always)]
    fn store_part(self, bytes: &mut [u8]) {
        // SAFETY: inlined where the instructions are enabled; by the mask only bytes of the slice
        // are written.
        unsafe {
            let inside = _bzhi_u64(u64::MAX, bytes.len().min(64) as u32);
            _mm512_mask_storeu_epi8(bytes.as_mut_ptr().cast(), inside, self);
        }
    }
}

/// The same bytes, but the compiler cannot know that they were stored just now. It would sometimes
/// keep them in registers from one step to the next, eight of them, and then hash them before the
/// rounds of AES instead of beside them: a seventh more time for 16 KiB on a Zen 4.
#[inline(always)]
#[cfg_attr(miri, expect(unused_mut, reason = "Miri has no assembly"))]
pub(super) fn from_memory(bytes: &[u8]) -> &[u8] {
    let mut start = bytes.as_ptr();
    #[cfg(not(miri))]
    // SAFETY: the empty instruction changes nothing.
    unsafe {
        asm!("/* {0} */", inout(reg) start, options(pure, readonly, nostack, preserves_flags));
    }
    // SAFETY: these are the pointer and the length of the slice.
    unsafe { slice::from_raw_parts(start, bytes.len()) }
}
