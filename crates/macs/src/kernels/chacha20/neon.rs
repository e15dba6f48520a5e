//! Four to six blocks at once on 128-bit registers, of which AArch64 has 32; one to three of few.
#![expect(unsafe_code, reason = "intrinsics; vectors are loaded and stored through pointers")]

use core::arch::aarch64::*;
use core::slice::from_raw_parts_mut;

use super::State;
use super::rounds::{self, Sink, Words, rotation};
use crate::kernels::cpu::Neon;
use crate::kernels::neon::{insert, transposed};

/// One lane.
#[derive(Clone, Copy)]
struct Q(uint32x4_t);

impl Words for Q {
    const LANES: usize = 1;
    /// Of eight blocks, many words would go to memory and back each round.
    const TWICE: bool = false;

    /// That of a rotation by eight bits. The others are an instruction or two without a table.
    type Orders = uint8x16_t;

    #[inline(always)]
    fn orders() -> Self::Orders {
        // SAFETY: NEON is part of the target; there are 32 bytes, and no alignment is asked for.
        unsafe { vld1q_u8(const { &rotation(1) }.as_ptr()) }
    }

    #[inline(always)]
    fn splat(word: u32) -> Self {
        // SAFETY: NEON is part of the target.
        Self(unsafe { vdupq_n_u32(word) })
    }

    #[inline(always)]
    fn row(words: &[u32; 4]) -> Self {
        // SAFETY: NEON is part of the target; there are four words.
        Self(unsafe { vld1q_u32(words.as_ptr()) })
    }

    #[inline(always)]
    fn load(words: &[u32; 16]) -> Self {
        // SAFETY: NEON is part of the target; there are more than four words.
        Self(unsafe { vld1q_u32(words.as_ptr()) })
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: NEON is part of the target.
        Self(unsafe { vaddq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        // SAFETY: NEON is part of the target.
        Self(unsafe { veorq_u32(self.0, other.0) })
    }

    #[inline(always)]
    fn rotate<const BITS: u32>(self, order: Self::Orders) -> Self {
        let word = self.0;
        // SAFETY: NEON is part of the target.
        Self(unsafe {
            match BITS {
                16 => vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(word))),
                8 => vreinterpretq_u32_u8(vqtbl1q_u8(vreinterpretq_u8_u32(word), order)),
                12 => insert::<20>(vshlq_n_u32::<12>(word), word),
                _ => {
                    const { assert!(matches!(BITS, 16 | 12 | 8 | 7)) }
                    insert::<25>(vshlq_n_u32::<7>(word), word)
                }
            }
        })
    }

    #[inline(always)]
    fn turn<const PLACES: usize>(self) -> Self {
        // SAFETY: NEON is part of the target.
        Self(unsafe {
            match PLACES {
                1 => vextq_u32::<1>(self.0, self.0),
                2 => vextq_u32::<2>(self.0, self.0),
                _ => vextq_u32::<3>(self.0, self.0),
            }
        })
    }

    #[inline(always)]
    fn transpose([a, b, c, d]: [Self; 4]) -> [Self; 4] {
        transposed([a.0, b.0, c.0, d.0]).map(Self)
    }

    #[inline(always)]
    fn by_lanes(rows: [Self; 4]) -> [Self; 4] {
        rows
    }

    #[inline(always)]
    fn apply(self, data: &mut [u8]) {
        let data = data.first_chunk_mut::<16>().expect("a vector's bytes");
        // SAFETY: NEON is part of the target; there are 16 bytes, and no alignment is asked for.
        unsafe {
            let sum = veorq_u8(vreinterpretq_u8_u32(self.0), vld1q_u8(data.as_ptr()));
            vst1q_u8(data.as_mut_ptr(), sum);
        }
    }

    #[inline(always)]
    fn bytes(words: &mut [Self]) -> &mut [u8] {
        // SAFETY: the vectors are so many bytes, of which any value is valid.
        unsafe { from_raw_parts_mut(words.as_mut_ptr().cast(), size_of_val(words)) }
    }

    /// Four, or six: two blocks in rows beside them fill the time that the rounds of four wait, and
    /// 24 of the 32 registers. What six would leave of seven to nine takes longer by itself.
    #[inline(always)]
    fn many(start: &State, sink: &mut Sink<'_>) -> usize {
        if matches!(sink.blocks(), 6 | 10..) {
            rounds::some_more::<Self, 2>(start, sink);
            return 6;
        }
        rounds::many::<Self>(start, sink);
        4
    }
}

/// As `Kernel::apply` and `Kernel::encrypt`.
pub(super) fn apply(_: Neon, start: &mut State, sink: Sink<'_>) {
    // The target has the instructions; apart, for the code is long and has two callers.
    #[inline(never)]
    fn on_cpu(start: &mut State, sink: Sink<'_>) {
        rounds::apply::<Q>(start, sink);
    }
    on_cpu(start, sink);
}
