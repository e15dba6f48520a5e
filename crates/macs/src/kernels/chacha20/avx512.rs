//! Sixteen blocks at once on 512-bit registers; four or eight of few.
#![expect(unsafe_code, reason = "intrinsics; vectors are loaded and stored through pointers")]

use core::arch::x86_64::*;
use core::slice::from_raw_parts_mut;

use super::State;
use super::rounds::{self, Sink, Words};
use crate::kernels::cpu::Avx512;

/// Four lanes.
#[derive(Clone, Copy)]
struct Zmm(__m512i);

#[inline(always)]
fn load<T>(bytes: &T) -> __m512i {
    const { assert!(size_of::<T>() >= 64) }
    // SAFETY: only called under the token, which proves the instructions; there are so many bytes,
    // and no alignment is asked for.
    unsafe { _mm512_loadu_si512((&raw const *bytes).cast()) }
}

impl Words for Zmm {
    const LANES: usize = 4;
    const TWICE: bool = true;

    type Orders = ();

    #[inline(always)]
    fn orders() -> Self::Orders {}

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn row(words: &[u32; 4]) -> Self {
        // SAFETY: only called under the token, which proves the instructions; there are 16 bytes,
        // and no alignment is asked for.
        Self(unsafe { _mm512_broadcast_i32x4(_mm_loadu_si128(words.as_ptr().cast())) })
    }

    #[inline(always)]
    fn load(words: &[u32; 16]) -> Self {
        Self(load(words))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe { _mm512_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self, (): Self::Orders) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe {
            match BITS {
                16 => _mm512_rol_epi32::<16>(self.0),
                12 => _mm512_rol_epi32::<12>(self.0),
                8 => _mm512_rol_epi32::<8>(self.0),
                _ => {
                    const { assert!(matches!(BITS, 16 | 12 | 8 | 7)) }
                    _mm512_rol_epi32::<7>(self.0)
                }
            }
        })
    }

    #[inline(always)]
    fn turn<const PLACES: usize>(self) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe {
            match PLACES {
                1 => _mm512_shuffle_epi32::<0b00_11_10_01>(self.0),
                2 => _mm512_shuffle_epi32::<0b01_00_11_10>(self.0),
                _ => _mm512_shuffle_epi32::<0b10_01_00_11>(self.0),
            }
        })
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: only called under the token, which proves the instructions.
        unsafe {
            let (ab, cd) = (_mm512_unpacklo_epi32(a.0, b.0), _mm512_unpacklo_epi32(c.0, d.0));
            let (ab2, cd2) = (_mm512_unpackhi_epi32(a.0, b.0), _mm512_unpackhi_epi32(c.0, d.0));
            [
                Self(_mm512_unpacklo_epi64(ab, cd)),
                Self(_mm512_unpackhi_epi64(ab, cd)),
                Self(_mm512_unpacklo_epi64(ab2, cd2)),
                Self(_mm512_unpackhi_epi64(ab2, cd2)),
            ]
        }
    }

    #[inline(always)]
    fn by_lanes([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: only called under the token, which proves the instructions.
        unsafe {
            // Lanes 0 and 1 of both, lanes 2 and 3 of both.
            let ab = _mm512_shuffle_i32x4::<0b01_00_01_00>(a.0, b.0);
            let cd = _mm512_shuffle_i32x4::<0b01_00_01_00>(c.0, d.0);
            let ab2 = _mm512_shuffle_i32x4::<0b11_10_11_10>(a.0, b.0);
            let cd2 = _mm512_shuffle_i32x4::<0b11_10_11_10>(c.0, d.0);
            [
                Self(_mm512_shuffle_i32x4::<0b10_00_10_00>(ab, cd)),
                Self(_mm512_shuffle_i32x4::<0b11_01_11_01>(ab, cd)),
                Self(_mm512_shuffle_i32x4::<0b10_00_10_00>(ab2, cd2)),
                Self(_mm512_shuffle_i32x4::<0b11_01_11_01>(ab2, cd2)),
            ]
        }
    }

    #[inline(always)]
    fn apply(self, data: &mut [u8]) {
        let data = data.first_chunk_mut::<64>().expect("a vector's bytes");
        // SAFETY: only called under the token, which proves the instructions; there are 64 bytes,
        // and no alignment is asked for.
        unsafe {
            let sum = _mm512_xor_si512(self.0, load(&*data));
            _mm512_storeu_si512(data.as_mut_ptr().cast(), sum);
        }
    }

    #[inline(always)]
    fn bytes(words: &mut [Self]) -> &mut [u8] {
        // SAFETY: the vectors are so many bytes, of which any value is valid.
        unsafe { from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
    }
}

/// As `Kernel::apply` and `Kernel::encrypt`.
pub(super) fn apply(_: Avx512, start: &mut State, sink: Sink<'_>) {
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx2,bmi1,bmi2")]
    fn on_cpu(start: &mut State, sink: Sink<'_>) {
        rounds::apply::<Zmm>(start, sink);
    }
    // SAFETY: the token proves the instructions.
    unsafe { on_cpu(start, sink) }
}
