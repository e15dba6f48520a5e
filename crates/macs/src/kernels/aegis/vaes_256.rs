//! AEGIS by VAES on 256-bit registers: two states in a register.
#![expect(unsafe_code, reason = "vector loads and stores, calls of functions with target features")]

use core::arch::x86_64::*;
use core::ptr;

use crate::kernels::cpu::Vaes256;

registers! {
    Vaes256, "vaes,avx2", __m256i, 2,
    _mm256_xor_si256, _mm256_and_si256, _mm256_aesenc_epi128, load, store, spread
}

#[inline]
#[target_feature(enable = "vaes,avx2")]
fn load(blocks: &[Block; 2]) -> __m256i {
    // SAFETY: there are 32 bytes; no alignment is asked for.
    unsafe { _mm256_loadu_si256(ptr::from_ref(blocks).cast()) }
}

#[inline]
#[target_feature(enable = "vaes,avx2")]
fn store(blocks: &mut [Block; 2], register: __m256i) {
    // SAFETY: there are 32 bytes; no alignment is asked for.
    unsafe { _mm256_storeu_si256(ptr::from_mut(blocks).cast(), register) }
}

#[inline]
#[target_feature(enable = "vaes,avx2")]
fn spread(block: &Block) -> __m256i {
    // SAFETY: there are 16 bytes; no alignment is asked for.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(ptr::from_ref(block).cast()) })
}
