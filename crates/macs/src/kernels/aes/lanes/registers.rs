//! Registers of one, two or four blocks: what is done with keys and chains in them, whatever their
//! width. All methods are inlined into functions that have the instructions.
#![expect(unsafe_code, reason = "intrinsics; vectors are loaded and stored through pointers")]

use core::arch::x86_64::*;

use super::super::Block;

/// Blocks side by side. To be used in functions that have its instructions.
pub(super) trait Register: Copy {
    /// Number of blocks.
    const LANES: usize;

    fn zero() -> Self;
    /// The first of these blocks, as many as it has.
    fn join(blocks: [__m128i; 4]) -> Self;
    /// As many of these blocks as it has.
    fn load(blocks: &[Block]) -> Self;
    fn store(self, blocks: &mut [Block]);
    /// A word in all places.
    fn splat(word: i32) -> Self;
    fn xor(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn aesenc(self, key: Self) -> Self;
    fn aesenclast(self, key: Self) -> Self;
    /// The bytes of each block in this order.
    fn shuffle(self, order: Self) -> Self;
    /// Each block moved up by so many bytes.
    fn up<const BYTES: i32>(self) -> Self;
    /// The last word of each block in all its places.
    fn last_word(self) -> Self;
    /// The lower halves of blocks.
    fn lower_halves(self, upper: Self) -> Self;
    /// The upper half of each block, and then the lower half of `next`.
    fn middle(self, next: Self) -> Self;
    /// Doubling in GF(2^128), SP 800-38B §6.1.
    fn double(self) -> Self;
}

/// A block in a register of its own.
#[inline(always)]
pub(super) fn load(block: &Block) -> __m128i {
    // SAFETY: 16 bytes.
    unsafe { _mm_loadu_si128(block.as_ptr().cast()) }
}

/// The block that is this number, little-endian.
#[inline(always)]
pub(super) fn number(value: u128) -> __m128i {
    // SAFETY: every x86-64 has the instruction.
    unsafe { _mm_set_epi64x((value >> 64) as i64, value as i64) }
}

/// The order of the bytes of a number written the other way.
const REVERSED: [u64; 2] = [0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607];

macro_rules! registers {
    ($($vector:ident of $lanes:literal: $join:expr; $load:ident, $store:ident, $zero:ident,
        $splat:ident, $xor:ident, $and:ident, $aesenc:ident, $aesenclast:ident, $shuffle:ident,
        $up:ident, $words:ident, $unpack:ident, $align:ident, $right:ident, $left:ident,
        $sign:ident, $broadcast:expr;)*) => {$(
        #[allow(unused_unsafe, reason = "every x86-64 has some of the instructions")]
        impl Register for $vector {
            const LANES: usize = $lanes;

            #[inline(always)]
            fn zero() -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $zero() }
            }

            #[inline(always)]
            fn join(blocks: [__m128i; 4]) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $join(blocks) }
            }

            #[inline(always)]
            fn load(blocks: &[Block]) -> Self {
                let blocks = &blocks[..$lanes];
                // SAFETY: inlined where the instructions are enabled; so many blocks are a
                // register, and no alignment is asked for.
                unsafe { $load(blocks.as_ptr().cast()) }
            }

            #[inline(always)]
            fn store(self, blocks: &mut [Block]) {
                let blocks = &mut blocks[..$lanes];
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $store(blocks.as_mut_ptr().cast(), self) }
            }

            #[inline(always)]
            fn splat(word: i32) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $splat(word) }
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $xor(self, other) }
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $and(self, other) }
            }

            #[inline(always)]
            fn aesenc(self, key: Self) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $aesenc(self, key) }
            }

            #[inline(always)]
            fn aesenclast(self, key: Self) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $aesenclast(self, key) }
            }

            #[inline(always)]
            fn shuffle(self, order: Self) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $shuffle(self, order) }
            }

            #[inline(always)]
            fn up<const BYTES: i32>(self) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $up::<BYTES>(self) }
            }

            #[inline(always)]
            fn last_word(self) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $words::<0xff>(self) }
            }

            #[inline(always)]
            fn lower_halves(self, upper: Self) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $unpack(self, upper) }
            }

            #[inline(always)]
            fn middle(self, next: Self) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe { $align::<8>(next, self) }
            }

            #[inline(always)]
            fn double(self) -> Self {
                // SAFETY: inlined where the instructions are enabled.
                unsafe {
                    let [low, high] = REVERSED.map(|half| half as i64);
                    let reversed = $broadcast(_mm_set_epi64x(high, low));
                    let value = self.shuffle(reversed);
                    let carry = $right::<63>(value).up::<8>();
                    let top = $sign::<31>(value.last_word());
                    let reduction = $and(top, $broadcast(_mm_set_epi64x(0, 0x87)));
                    $left::<1>(value).xor(carry).xor(reduction).shuffle(reversed)
                }
            }
        }
    )*};
}

registers! {
    __m128i of 1: |[block, ..]: [__m128i; 4]| block;
        _mm_loadu_si128, _mm_storeu_si128, _mm_setzero_si128, _mm_set1_epi32, _mm_xor_si128,
        _mm_and_si128, _mm_aesenc_si128, _mm_aesenclast_si128, _mm_shuffle_epi8, _mm_bslli_si128,
        _mm_shuffle_epi32, _mm_unpacklo_epi64, _mm_alignr_epi8, _mm_srli_epi64, _mm_slli_epi64,
        _mm_srai_epi32, |block: __m128i| block;
    __m256i of 2: |[a, b, ..]: [__m128i; 4]| _mm256_set_m128i(b, a);
        _mm256_loadu_si256, _mm256_storeu_si256, _mm256_setzero_si256, _mm256_set1_epi32,
        _mm256_xor_si256, _mm256_and_si256, _mm256_aesenc_epi128, _mm256_aesenclast_epi128,
        _mm256_shuffle_epi8, _mm256_bslli_epi128, _mm256_shuffle_epi32, _mm256_unpacklo_epi64,
        _mm256_alignr_epi8, _mm256_srli_epi64, _mm256_slli_epi64, _mm256_srai_epi32,
        _mm256_broadcastsi128_si256;
    __m512i of 4: |[a, b, c, d]: [__m128i; 4]| {
            let (low, high) = (_mm256_set_m128i(b, a), _mm256_set_m128i(d, c));
            _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high)
        };
        _mm512_loadu_si512, _mm512_storeu_si512, _mm512_setzero_si512, _mm512_set1_epi32,
        _mm512_xor_si512, _mm512_and_si512, _mm512_aesenc_epi128, _mm512_aesenclast_epi128,
        _mm512_shuffle_epi8, _mm512_bslli_epi128, _mm512_shuffle_epi32, _mm512_unpacklo_epi64,
        _mm512_alignr_epi8, _mm512_srli_epi64, _mm512_slli_epi64, _mm512_srai_epi32,
        _mm512_broadcast_i32x4;
}
