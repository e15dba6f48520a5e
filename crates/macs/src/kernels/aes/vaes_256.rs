//! AES on 256-bit registers where blocks are independent.
#![expect(unsafe_code, reason = "vector loads and stores, calls into target_feature functions")]

mod masked;

#[cfg(not(miri))]
use core::arch::asm;
use core::arch::x86_64::*;

use cipher::array::Array;
use cipher::consts::{U16, U32, U256};
use cipher::inout::{InOut, InOutBuf};

pub(super) use masked::{masked_mac, masked_sum};

use super::aes_ni::{V, encrypt_each, load, store, vectors, xor_tail};
use super::counter::{Counter, LITTLE_ENDIAN, WHOLE_BLOCK};
use super::{Block, Schedule};
use crate::kernels::cpu::Vaes256;

/// Two blocks in a register.
pub(super) type W = __m256i;

/// Number of registers that hide the latency of each other.
pub(super) const WIDTH: usize = 8;

/// Blocks in a register, and in all.
const LANES: usize = 2;
const BLOCKS: usize = LANES * WIDTH;

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load_wide<const N: usize>(blocks: &[[Block; LANES]; N]) -> [W; N] {
    let mut out = [_mm256_setzero_si256(); N];
    for (to, from) in out.iter_mut().zip(blocks) {
        // SAFETY: there are 32 bytes; no alignment is asked for.
        *to = unsafe { _mm256_loadu_si256(from.as_ptr().cast()) };
    }
    out
}

#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store_wide<const N: usize>(blocks: &mut [[Block; LANES]; N], values: [W; N]) {
    for (to, value) in blocks.iter_mut().zip(values) {
        // SAFETY: there are 32 bytes; no alignment is asked for.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), value) };
    }
}

/// A round key in both places of a register. The compiler would keep all of them for the next
/// blocks, on the stack.
#[inline]
#[target_feature(enable = "avx2")]
#[cfg_attr(miri, expect(unused_mut, reason = "Miri has no assembly"))]
pub(in crate::kernels) fn spread(key: V) -> W {
    let mut key = _mm256_broadcastsi128_si256(key);
    #[cfg(not(miri))]
    // SAFETY: the empty instruction changes nothing.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) key, options(nomem, nostack, preserves_flags))
    };
    key
}

/// Registers side by side.
#[inline]
#[target_feature(enable = "vaes,avx2")]
pub(super) fn encrypt_wide<const KEYS: usize, const N: usize>(
    keys: &[V; KEYS],
    mut blocks: [W; N],
) -> [W; N] {
    let first = spread(keys[0]);
    for block in &mut blocks {
        *block = _mm256_xor_si256(*block, first);
    }
    rounds_wide(keys, blocks)
}

/// The same for blocks that have their first round key already.
#[inline]
#[target_feature(enable = "vaes,avx2")]
fn rounds_wide<const KEYS: usize, const N: usize>(keys: &[V; KEYS], mut blocks: [W; N]) -> [W; N] {
    for key in &keys[1..KEYS - 1] {
        let key = spread(*key);
        for block in &mut blocks {
            *block = _mm256_aesenc_epi128(*block, key);
        }
    }
    let last = spread(keys[KEYS - 1]);
    for block in &mut blocks {
        *block = _mm256_aesenclast_epi128(*block, last);
    }
    blocks
}

/// As [`encrypt_wide`], with the keys of the equivalent inverse cipher.
#[inline]
#[target_feature(enable = "vaes,avx2")]
pub(super) fn decrypt_wide<const KEYS: usize, const N: usize>(
    keys: &[V; KEYS],
    mut blocks: [W; N],
) -> [W; N] {
    let first = spread(keys[0]);
    for block in &mut blocks {
        *block = _mm256_xor_si256(*block, first);
    }
    for key in &keys[1..KEYS - 1] {
        let key = spread(*key);
        for block in &mut blocks {
            *block = _mm256_aesdec_epi128(*block, key);
        }
    }
    let last = spread(keys[KEYS - 1]);
    for block in &mut blocks {
        *block = _mm256_aesdeclast_epi128(*block, last);
    }
    blocks
}

/// `LANES` · N counter blocks from `first` on.
#[inline]
#[target_feature(enable = "avx2")]
fn counter_blocks<const BITS: u32, const N: usize>(first: Counter<BITS>) -> [W; N] {
    let number = |at: Counter<BITS>| _mm_set_epi64x((at.0 >> 64) as i64, at.0 as i64);
    let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let (order, base) =
        (_mm256_broadcastsi128_si256(order), _mm256_broadcastsi128_si256(number(first)));
    let carries = BITS == WHOLE_BLOCK && (first.0 as u64).checked_add((LANES * N) as u64).is_none();
    let mut out = [_mm256_setzero_si256(); N];
    for (i, to) in out.iter_mut().enumerate() {
        let at = (LANES * i) as i64;
        let count = _mm256_set_epi64x(0, at + 1, 0, at);
        let sum = if carries {
            let [low, high] = [0, 1].map(|lane| number(first.plus(at as u64 + lane)));
            _mm256_set_m128i(high, low)
        } else if BITS != WHOLE_BLOCK {
            _mm256_add_epi32(base, count)
        } else {
            _mm256_add_epi64(base, count)
        };
        *to = if BITS == LITTLE_ENDIAN { sum } else { _mm256_shuffle_epi8(sum, order) };
    }
    out
}

/// XORs the keystream from `first` on into `data`, at most N registers of it.
#[inline]
#[target_feature(enable = "vaes,aes,avx2")]
fn xor_keystream<const KEYS: usize, const BITS: u32, const N: usize>(
    keys: &[V; KEYS],
    first: Counter<BITS>,
    data: InOutBuf<'_, '_, u8>,
) {
    let keystream = encrypt_wide(keys, counter_blocks::<BITS, N>(first));
    let (pairs, rest) = data.into_chunks();
    let count = pairs.len();
    for (pair, mask) in pairs.into_iter().zip(keystream) {
        xor_pair(pair, mask);
    }
    let Some(&last) = keystream.get(count) else { return };
    let (mut next, after) = (_mm256_castsi256_si128(last), _mm256_extracti128_si256::<1>(last));
    let (single, tail) = rest.into_chunks::<U16>();
    for mut block in single {
        let value = _mm_xor_si128(load(&block.get_in().0), next);
        store(&mut block.get_out().0, value);
        next = after;
    }
    xor_tail(tail, next);
}

#[inline]
#[target_feature(enable = "avx2")]
fn xor_pair(mut pair: InOut<'_, '_, Array<u8, U32>>, mask: W) {
    // SAFETY: there are 32 bytes; no alignment is asked for.
    unsafe {
        let value = _mm256_xor_si256(_mm256_loadu_si256(pair.get_in().as_ptr().cast()), mask);
        _mm256_storeu_si256(pair.get_out().as_mut_ptr().cast(), value);
    }
}

entries! {
    Vaes256, "vaes,aes,avx,avx2";

    /// As `Kernel::encrypt_blocks`.
    fn encrypt_blocks<const KEYS: usize>(schedule: &Schedule<KEYS>, blocks: &mut [Block]) {
        let keys = vectors(schedule);
        let (pairs, _) = blocks.as_chunks_mut::<LANES>();
        for run in pairs.as_chunks_mut::<WIDTH>().0 {
            store_wide(run, encrypt_wide(keys, load_wide(run)));
        }
        encrypt_each(keys, blocks.as_chunks_mut::<BLOCKS>().1);
    }

    /// As `Kernel::ctr`.
    fn ctr<const KEYS: usize, const BITS: u32>(
        schedule: &Schedule<KEYS>,
        counter: &mut Block,
        data: InOutBuf<'_, '_, u8>,
    ) {
        const { assert!(16 * BLOCKS == 256) }
        let (keys, mut next) = (vectors(schedule), Counter::<BITS>::new(counter));
        *counter = next.plus(data.len().div_ceil(16) as u64).block();
        let (runs, rest) = data.into_chunks::<U256>();
        for run in runs {
            xor_keystream::<KEYS, BITS, WIDTH>(keys, next, run.into_buf());
            next = next.plus(BLOCKS as u64);
        }
        match rest.len().div_ceil(16 * LANES) {
            0 => {}
            1 => xor_keystream::<KEYS, BITS, 1>(keys, next, rest),
            2 => xor_keystream::<KEYS, BITS, 2>(keys, next, rest),
            3 | 4 => xor_keystream::<KEYS, BITS, 4>(keys, next, rest),
            _ => xor_keystream::<KEYS, BITS, WIDTH>(keys, next, rest),
        }
    }
}
