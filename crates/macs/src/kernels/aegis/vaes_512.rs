//! AEGIS by VAES on 512-bit registers: four states in a register.
#![expect(unsafe_code, reason = "vector loads and stores, calls of functions with target features")]

use core::arch::x86_64::*;
use core::ptr;

use crate::kernels::cpu::Vaes512;

registers! {
    Vaes512, "vaes,avx512f", __m512i, 4,
    _mm512_xor_si512, _mm512_and_si512, _mm512_aesenc_epi128, load, store, spread
}

#[inline]
#[target_feature(enable = "vaes,avx512f")]
fn load(blocks: &[Block; 4]) -> __m512i {
    // SAFETY: there are 64 bytes; no alignment is asked for.
    unsafe { _mm512_loadu_si512(ptr::from_ref(blocks).cast()) }
}

#[inline]
#[target_feature(enable = "vaes,avx512f")]
fn store(blocks: &mut [Block; 4], register: __m512i) {
    // SAFETY: there are 64 bytes; no alignment is asked for.
    unsafe { _mm512_storeu_si512(ptr::from_mut(blocks).cast(), register) }
}

#[inline]
#[target_feature(enable = "vaes,avx512f")]
fn spread(block: &Block) -> __m512i {
    // SAFETY: there are 16 bytes; no alignment is asked for.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(ptr::from_ref(block).cast()) })
}
