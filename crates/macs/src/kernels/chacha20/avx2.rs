//! Eight blocks at once on 256-bit registers; two to six of few.
#![expect(unsafe_code, reason = "intrinsics; vectors are loaded and stored through pointers")]

use core::arch::x86_64::*;
use core::hint::black_box;
use core::slice::from_raw_parts_mut;

#[cfg(not(miri))]
use cipher::inout::InOutBuf;

use super::State;
#[cfg(not(miri))]
use super::along;
#[cfg(not(miri))]
use super::eight::Eight;
use super::rounds::{self, Sink, Words, rotation};
use crate::kernels::cpu::Avx2;
#[cfg(not(miri))]
use crate::kernels::poly1305::Accumulator;

/// Two lanes.
#[derive(Clone, Copy)]
struct Ymm(__m256i);

#[inline(always)]
fn load<T>(bytes: &T) -> __m256i {
    const { assert!(size_of::<T>() >= 32) }
    // SAFETY: only called under the token, which proves the instructions; there are so many bytes,
    // and no alignment is asked for.
    unsafe { _mm256_loadu_si256((&raw const *bytes).cast()) }
}

impl Words for Ymm {
    const LANES: usize = 2;
    const TWICE: bool = false;

    type Orders = [__m256i; 2];

    #[inline(always)]
    fn orders() -> Self::Orders {
        // Hidden from the compiler, which would make two shuffles of the one by 16 bits.
        let orders = black_box(const { &[rotation(2), rotation(1)] });
        [load(&orders[0]), load(&orders[1])]
    }

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe { _mm256_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn row(words: &[u32; 4]) -> Self {
        // SAFETY: only called under the token, which proves the instructions; there are 16 bytes,
        // and no alignment is asked for.
        Self(unsafe { _mm256_broadcastsi128_si256(_mm_loadu_si128(words.as_ptr().cast())) })
    }

    #[inline(always)]
    fn load(words: &[u32; 16]) -> Self {
        Self(load(words))
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe { _mm256_add_epi32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe { _mm256_xor_si256(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self, orders: Self::Orders) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe {
            match BITS {
                16 => _mm256_shuffle_epi8(self.0, orders[0]),
                8 => _mm256_shuffle_epi8(self.0, orders[1]),
                12 => _mm256_or_si256(
                    _mm256_slli_epi32::<12>(self.0),
                    _mm256_srli_epi32::<20>(self.0),
                ),
                _ => {
                    const { assert!(matches!(BITS, 16 | 12 | 8 | 7)) }
                    _mm256_or_si256(_mm256_slli_epi32::<7>(self.0), _mm256_srli_epi32::<25>(self.0))
                }
            }
        })
    }

    #[inline(always)]
    fn turn<const PLACES: usize>(self) -> Self {
        // SAFETY: only called under the token, which proves the instructions.
        Self(unsafe {
            match PLACES {
                1 => _mm256_shuffle_epi32::<0b00_11_10_01>(self.0),
                2 => _mm256_shuffle_epi32::<0b01_00_11_10>(self.0),
                _ => _mm256_shuffle_epi32::<0b10_01_00_11>(self.0),
            }
        })
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: only called under the token, which proves the instructions.
        unsafe {
            let (ab, cd) = (_mm256_unpacklo_epi32(a.0, b.0), _mm256_unpacklo_epi32(c.0, d.0));
            let (ab2, cd2) = (_mm256_unpackhi_epi32(a.0, b.0), _mm256_unpackhi_epi32(c.0, d.0));
            [
                Self(_mm256_unpacklo_epi64(ab, cd)),
                Self(_mm256_unpackhi_epi64(ab, cd)),
                Self(_mm256_unpacklo_epi64(ab2, cd2)),
                Self(_mm256_unpackhi_epi64(ab2, cd2)),
            ]
        }
    }

    #[inline(always)]
    fn by_lanes([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        // SAFETY: only called under the token, which proves the instructions.
        unsafe {
            [
                Self(_mm256_permute2x128_si256::<0x20>(a.0, b.0)),
                Self(_mm256_permute2x128_si256::<0x20>(c.0, d.0)),
                Self(_mm256_permute2x128_si256::<0x31>(a.0, b.0)),
                Self(_mm256_permute2x128_si256::<0x31>(c.0, d.0)),
            ]
        }
    }

    #[inline(always)]
    fn apply(self, data: &mut [u8]) {
        let data = data.first_chunk_mut::<32>().expect("a vector's bytes");
        // SAFETY: only called under the token, which proves the instructions; there are 32 bytes,
        // and no alignment is asked for.
        unsafe {
            let sum = _mm256_xor_si256(self.0, load(&*data));
            _mm256_storeu_si256(data.as_mut_ptr().cast(), sum);
        }
    }

    #[inline(always)]
    fn bytes(words: &mut [Self]) -> &mut [u8] {
        // SAFETY: the vectors are so many bytes, of which any value is valid.
        unsafe { from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
    }

    #[cfg(not(miri))]
    #[inline(always)]
    fn many(start: &State, sink: &mut Sink<'_>) -> usize {
        // SAFETY: only called under the token, which proves the instructions.
        unsafe { many(start, sink) }
    }
}

/// As `Words::many`. Apart, for what it has on the stack would be felt beside few blocks.
#[cfg(not(miri))]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn many(start: &State, sink: &mut Sink<'_>) -> usize {
    let (mut eight, mut done) = (Eight::new(start), 0);
    loop {
        eight.apply(sink);
        done += 4;
        // The rest may be quicker otherwise.
        if !matches!(sink.blocks().div_ceil(Ymm::LANES), 4 | 6..) {
            return done;
        }
    }
}

/// As `Kernel::apply` and `Kernel::encrypt`.
pub(super) fn apply(_: Avx2, start: &mut State, sink: Sink<'_>) {
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn on_cpu(start: &mut State, sink: Sink<'_>) {
        rounds::apply::<Ymm>(start, sink);
    }
    // SAFETY: the token proves the instructions.
    unsafe { on_cpu(start, sink) }
}

/// As `Kernel::encrypt_along`.
#[cfg(not(miri))]
pub(super) fn encrypt_along(
    token: Avx2,
    start: &mut State,
    running: &mut Accumulator,
    data: InOutBuf<'_, '_, u8>,
    ready: usize,
) -> usize {
    #[target_feature(enable = "avx2,bmi1,bmi2")]
    fn on_cpu(
        token: Avx2,
        start: &mut State,
        running: &mut Accumulator,
        data: InOutBuf<'_, '_, u8>,
        ready: usize,
    ) -> usize {
        along::encrypt::<Ymm>(token, start, running, data, ready)
    }
    // SAFETY: the token proves the instructions.
    unsafe { on_cpu(token, start, running, data, ready) }
}
