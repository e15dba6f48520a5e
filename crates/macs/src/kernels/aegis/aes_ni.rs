//! AEGIS by AES-NI: a register for each block of each state.
#![expect(unsafe_code, reason = "vector loads and stores, calls of functions with target features")]

use core::arch::x86_64::*;
use core::ptr;

use crate::kernels::cpu::AesNi;

registers! {
    AesNi, "aes,avx", __m128i, 1,
    _mm_xor_si128, _mm_and_si128, _mm_aesenc_si128, load, store, spread
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn load(blocks: &[Block; 1]) -> __m128i {
    // SAFETY: there are 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(ptr::from_ref(blocks).cast()) }
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn store(blocks: &mut [Block; 1], register: __m128i) {
    // SAFETY: there are 16 bytes; no alignment is asked for.
    unsafe { _mm_storeu_si128(ptr::from_mut(blocks).cast(), register) }
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn spread(block: &Block) -> __m128i {
    // SAFETY: there are 16 bytes; no alignment is asked for.
    unsafe { _mm_loadu_si128(ptr::from_ref(block).cast()) }
}
