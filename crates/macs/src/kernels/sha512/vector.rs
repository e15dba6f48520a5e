//! A vector of 64-bit words, one of each message, and the compression function (FIPS 180-4 §6.4.2)
//! on it. Blocks are read in rows and transposed.
#![expect(unsafe_code, reason = "loads through pointers, calls that need the CPU's features")]

use core::arch::x86_64::*;

use super::Block;
use super::constants::K;
use crate::kernels::by_place;

/// A vector of `N` words and what a round does with it. Its functions may only run, inlined, in a
/// function that has the CPU's features.
pub(super) trait Vector<const N: usize>: Copy {
    unsafe fn load(words: &[u64; N]) -> Self;
    unsafe fn store(self, words: &mut [u64; N]);
    unsafe fn splat(word: u64) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn xor3(self, y: Self, z: Self) -> Self;
    /// Ch of FIPS 180-4 §4.1.3, of `self`, `y` and `z`.
    unsafe fn choice(self, y: Self, z: Self) -> Self;
    /// Maj of FIPS 180-4 §4.1.3.
    unsafe fn majority(self, y: Self, z: Self) -> Self;
    unsafe fn ror<const RIGHT: i32, const LEFT: i32>(self) -> Self;
    unsafe fn shr<const RIGHT: i32>(self) -> Self;
    /// The 16 words of the block that stands at `number` in each run.
    unsafe fn words(runs: &[&[Block]; N], number: usize) -> [Self; 16];
}

/// So many halves of a block are asked for before they are loaded: lanes of long messages at a
/// distance of powers of two evict each other from the first cache.
const AHEAD: usize = 2;

/// # Safety
/// As of [`Vector`].
#[inline(always)]
pub(super) unsafe fn compress<const N: usize, V: Vector<N>>(
    state: [V; 8],
    w: &mut [V; 16],
) -> [V; 8] {
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
    // SAFETY: the caller has the instructions, as the trait asks.
    unsafe {
        macro_rules! round {
            ($t:literal, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident,
             $k:expr) => {
                let sum1 = $e.ror::<14, 50>().xor3($e.ror::<18, 46>(), $e.ror::<41, 23>());
                let t1 = $h.add(w[$t].add(V::splat($k[$t]))).add($e.choice($f, $g)).add(sum1);
                let sum0 = $a.ror::<28, 36>().xor3($a.ror::<34, 30>(), $a.ror::<39, 25>());
                $d = $d.add(t1);
                $h = t1.add(sum0.add($a.majority($b, $c)));
            };
        }
        macro_rules! expand {
            ($t:literal) => {
                let (x, y) = (w[($t + 1) % 16], w[($t + 14) % 16]);
                let s0 = x.ror::<1, 63>().xor3(x.ror::<8, 56>(), x.shr::<7>());
                let s1 = y.ror::<19, 45>().xor3(y.ror::<61, 3>(), y.shr::<6>());
                w[$t] = w[$t].add(w[($t + 9) % 16]).add(s0.add(s1));
            };
        }
        // A word is extended when its round is done with it, 16 rounds before it is wanted.
        macro_rules! eight_rounds {
            ($k:expr, $($expand:ident)?; $t0:literal $t1:literal $t2:literal $t3:literal
             $t4:literal $t5:literal $t6:literal $t7:literal) => {
                round!($t0, a b c d e f g h, $k);
                $($expand!($t0);)?
                round!($t1, h a b c d e f g, $k);
                $($expand!($t1);)?
                round!($t2, g h a b c d e f, $k);
                $($expand!($t2);)?
                round!($t3, f g h a b c d e, $k);
                $($expand!($t3);)?
                round!($t4, e f g h a b c d, $k);
                $($expand!($t4);)?
                round!($t5, d e f g h a b c, $k);
                $($expand!($t5);)?
                round!($t6, c d e f g h a b, $k);
                $($expand!($t6);)?
                round!($t7, b c d e f g h a, $k);
                $($expand!($t7);)?
            };
        }
        let ([others @ .., last], _) = K.0.as_chunks::<16>() else { unreachable!("80 constants") };
        for k in others {
            eight_rounds!(k, expand; 0 1 2 3 4 5 6 7);
            eight_rounds!(k, expand; 8 9 10 11 12 13 14 15);
        }
        eight_rounds!(last,; 0 1 2 3 4 5 6 7);
        eight_rounds!(last,; 8 9 10 11 12 13 14 15);
        added([a, b, c, d, e, f, g, h], state)
    }
}

/// # Safety
/// As of [`Vector`].
#[inline(always)]
unsafe fn added<const N: usize, V: Vector<N>>(mut end: [V; 8], start: [V; 8]) -> [V; 8] {
    for (word, start) in end.iter_mut().zip(start) {
        // SAFETY: the caller has the instructions, as the trait asks.
        *word = unsafe { word.add(start) };
    }
    end
}

/// Order of the bytes of two big-endian words.
pub(super) const SWAP: [u64; 2] = [0x0001020304050607, 0x08090a0b0c0d0e0f];

impl Vector<8> for __m512i {
    #[inline(always)]
    unsafe fn load(words: &[u64; 8]) -> Self {
        // SAFETY: reads 64 bytes of an array of 64 bytes.
        unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, words: &mut [u64; 8]) {
        // SAFETY: writes 64 bytes of an array of 64 bytes.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm512_set1_epi64(word as i64) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm512_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn xor3(self, y: Self, z: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm512_ternarylogic_epi64::<0x96>(self, y, z) }
    }

    #[inline(always)]
    unsafe fn choice(self, y: Self, z: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm512_ternarylogic_epi64::<0xca>(self, y, z) }
    }

    #[inline(always)]
    unsafe fn majority(self, y: Self, z: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm512_ternarylogic_epi64::<0xe8>(self, y, z) }
    }

    #[inline(always)]
    unsafe fn ror<const RIGHT: i32, const LEFT: i32>(self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm512_ror_epi64::<RIGHT>(self) }
    }

    #[inline(always)]
    unsafe fn shr<const RIGHT: i32>(self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm512_srl_epi64(self, _mm_cvtsi32_si128(RIGHT)) }
    }

    #[inline(always)]
    unsafe fn words(runs: &[&[Block]; 8], number: usize) -> [Self; 16] {
        // SAFETY: whoever calls a method has the instructions, as the trait asks; reads the two
        // halves of blocks of 128 bytes.
        unsafe {
            let swap = _mm512_broadcast_i32x4(_mm_set_epi64x(SWAP[1] as i64, SWAP[0] as i64));
            let mut words = [_mm512_setzero_si512(); 16];
            for half in 0..2 {
                let mut rows = [_mm512_setzero_si512(); 8];
                for (row, run) in rows.iter_mut().zip(runs) {
                    let half: *const __m512i = run[number].as_ptr().add(64 * half).cast();
                    _mm_prefetch::<_MM_HINT_T0>(half.wrapping_add(AHEAD).cast());
                    *row = _mm512_shuffle_epi8(_mm512_loadu_si512(half), swap);
                }
                words[8 * half..][..8].copy_from_slice(&transpose8(rows));
            }
            words
        }
    }
}

/// # Safety
/// As of [`Vector`].
#[inline(always)]
pub(super) unsafe fn transpose8(rows: [__m512i; 8]) -> [__m512i; 8] {
    // SAFETY: the caller has the instructions, as the trait asks.
    unsafe {
        // Words of one parity, from two rows; then from four; then from all.
        let mut words = [_mm512_setzero_si512(); 8];
        for parity in 0..2 {
            let mut pairs = rows;
            for i in 0..4 {
                let (x, y) = (rows[2 * i], rows[2 * i + 1]);
                let (even, odd) = (_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y));
                pairs[i] = if parity == 0 { even } else { odd };
            }
            let a = _mm512_shuffle_i64x2::<0x88>(pairs[0], pairs[1]);
            let b = _mm512_shuffle_i64x2::<0xdd>(pairs[0], pairs[1]);
            let c = _mm512_shuffle_i64x2::<0x88>(pairs[2], pairs[3]);
            let d = _mm512_shuffle_i64x2::<0xdd>(pairs[2], pairs[3]);
            words[parity] = _mm512_shuffle_i64x2::<0x88>(a, c);
            words[2 + parity] = _mm512_shuffle_i64x2::<0x88>(b, d);
            words[4 + parity] = _mm512_shuffle_i64x2::<0xdd>(a, c);
            words[6 + parity] = _mm512_shuffle_i64x2::<0xdd>(b, d);
        }
        words
    }
}

impl Vector<4> for __m256i {
    #[inline(always)]
    unsafe fn load(words: &[u64; 4]) -> Self {
        // SAFETY: reads 32 bytes of an array of 32 bytes.
        unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, words: &mut [u64; 4]) {
        // SAFETY: writes 32 bytes of an array of 32 bytes.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self) }
    }

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm256_set1_epi64x(word as i64) }
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm256_add_epi64(self, other) }
    }

    #[inline(always)]
    unsafe fn xor3(self, y: Self, z: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm256_xor_si256(_mm256_xor_si256(self, y), z) }
    }

    #[inline(always)]
    unsafe fn choice(self, y: Self, z: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm256_xor_si256(_mm256_and_si256(self, _mm256_xor_si256(y, z)), z) }
    }

    #[inline(always)]
    unsafe fn majority(self, y: Self, z: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm256_xor_si256(self, y).choice(z, y) }
    }

    #[inline(always)]
    unsafe fn ror<const RIGHT: i32, const LEFT: i32>(self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm256_or_si256(self.shr::<RIGHT>(), _mm256_slli_epi64::<LEFT>(self)) }
    }

    #[inline(always)]
    unsafe fn shr<const RIGHT: i32>(self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { _mm256_srli_epi64::<RIGHT>(self) }
    }

    #[inline(always)]
    unsafe fn words(runs: &[&[Block]; 4], number: usize) -> [Self; 16] {
        // SAFETY: whoever calls a method has the instructions, as the trait asks; reads the four
        // quarters of blocks of 128 bytes.
        unsafe {
            let swap = _mm256_broadcastsi128_si256(_mm_set_epi64x(SWAP[1] as i64, SWAP[0] as i64));
            let mut words = [_mm256_setzero_si256(); 16];
            for quarter in 0..4 {
                let mut rows = [swap; 4];
                for (row, run) in rows.iter_mut().zip(runs) {
                    let quarter: *const __m256i = run[number].as_ptr().add(32 * quarter).cast();
                    *row = _mm256_shuffle_epi8(_mm256_loadu_si256(quarter), swap);
                }
                let [a, b, c, d] = rows;
                let (ab0, ab1) = (_mm256_unpacklo_epi64(a, b), _mm256_unpackhi_epi64(a, b));
                let (cd0, cd1) = (_mm256_unpacklo_epi64(c, d), _mm256_unpackhi_epi64(c, d));
                words[4 * quarter] = _mm256_permute2x128_si256::<0x20>(ab0, cd0);
                words[4 * quarter + 1] = _mm256_permute2x128_si256::<0x20>(ab1, cd1);
                words[4 * quarter + 2] = _mm256_permute2x128_si256::<0x31>(ab0, cd0);
                words[4 * quarter + 3] = _mm256_permute2x128_si256::<0x31>(ab1, cd1);
            }
            words
        }
    }
}

/// Four words with the rotations and the logic of AVX-512.
#[derive(Clone, Copy)]
pub(super) struct Rotating(pub(super) __m256i);

impl Vector<4> for Rotating {
    #[inline(always)]
    unsafe fn load(words: &[u64; 4]) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        Self(unsafe { __m256i::load(words) })
    }

    #[inline(always)]
    unsafe fn store(self, words: &mut [u64; 4]) {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        unsafe { self.0.store(words) }
    }

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        Self(unsafe { __m256i::splat(word) })
    }

    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        Self(unsafe { self.0.add(other.0) })
    }

    #[inline(always)]
    unsafe fn xor3(self, y: Self, z: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        Self(unsafe { _mm256_ternarylogic_epi64::<0x96>(self.0, y.0, z.0) })
    }

    #[inline(always)]
    unsafe fn choice(self, y: Self, z: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        Self(unsafe { _mm256_ternarylogic_epi64::<0xca>(self.0, y.0, z.0) })
    }

    #[inline(always)]
    unsafe fn majority(self, y: Self, z: Self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        Self(unsafe { _mm256_ternarylogic_epi64::<0xe8>(self.0, y.0, z.0) })
    }

    #[inline(always)]
    unsafe fn ror<const RIGHT: i32, const LEFT: i32>(self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        Self(unsafe { _mm256_ror_epi64::<RIGHT>(self.0) })
    }

    #[inline(always)]
    unsafe fn shr<const RIGHT: i32>(self) -> Self {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        Self(unsafe { self.0.shr::<RIGHT>() })
    }

    #[inline(always)]
    unsafe fn words(runs: &[&[Block]; 4], number: usize) -> [Self; 16] {
        // SAFETY: whoever calls a method has the instructions, as the trait asks.
        let words = unsafe { __m256i::words(runs, number) };
        by_place(Self(words[0]), |word| Self(words[word]))
    }
}
