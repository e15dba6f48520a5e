//! AES on 512-bit registers where blocks are independent; where they are not, the chain of AES-NI,
//! with the last block read by a masked load.
#![expect(unsafe_code, reason = "vector loads and stores, calls into target_feature functions")]

mod masked;

use core::arch::x86_64::*;

use cipher::consts::U512;
use cipher::inout::InOutBuf;

pub(super) use masked::{masked_mac, masked_sum};

use super::aes_ni::{self, V, chain_to, load, set_up, store, vectors};
use super::counter::{Counter, LITTLE_ENDIAN, WHOLE_BLOCK};
use super::{Block, Ending, Omac, Padding, Schedule, split_last};
use crate::kernels::cpu::Vaes512;
use crate::kernels::zmm::start_of;
use crate::wipe::overwrite;

/// Four blocks in a register.
pub(super) type W = __m512i;

/// Number of registers that hide the latency of each other.
const WIDTH: usize = 8;

/// Bytes in a register.
const WIDE: usize = size_of::<W>();

/// `tail` as `ending` has it.
#[inline]
#[target_feature(enable = "aes,avx512f,avx512bw,avx512vl")]
pub(super) fn last_block(tail: &[u8], full: V, padded: V, padding: Padding) -> V {
    if let Some(block) = tail.first_chunk() {
        return _mm_xor_si128(load(block), full);
    }
    let end = 1_u16 << tail.len();
    let mask = match padding {
        Padding::One => _mm_xor_si128(_mm_maskz_set1_epi8(end, -0x80), padded),
        Padding::Zeros => padded,
    };
    // SAFETY: the load reads no more than the bytes of the mask, which are those of the slice.
    let bytes = unsafe { _mm_maskz_loadu_epi8(end - 1, start_of(tail).cast()) };
    _mm_xor_si128(bytes, mask)
}

/// The first `len` bytes of a register, which has more.
#[inline(always)]
fn first_bytes(len: usize) -> u64 {
    (1 << len) - 1
}

/// N registers of `bytes`, zeros where it ends.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn load_wide<const N: usize>(bytes: &[u8]) -> [W; N] {
    let mut out = [_mm512_setzero_si512(); N];
    let (full, rest) = bytes.as_chunks::<WIDE>();
    for (i, to) in out.iter_mut().enumerate() {
        if let Some(bytes) = full.get(i) {
            // SAFETY: there are as many bytes as in a register; no alignment is asked for.
            *to = unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) };
        } else if i == full.len() {
            let at = start_of(rest).cast();
            // SAFETY: the load reads no more than the bytes of the mask, those of the slice.
            *to = unsafe { _mm512_maskz_loadu_epi8(first_bytes(rest.len()), at) };
        }
    }
    out
}

/// What `bytes` has of N registers.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn store_wide<const N: usize>(bytes: &mut [u8], values: [W; N]) {
    let (full, rest) = bytes.as_chunks_mut::<WIDE>();
    for (i, value) in values.into_iter().enumerate() {
        if let Some(bytes) = full.get_mut(i) {
            // SAFETY: there are as many bytes as in a register; no alignment is asked for.
            unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), value) };
        } else if i == full.len() {
            let at = rest.as_mut_ptr().cast();
            // SAFETY: the store writes no more than the bytes of the mask, those of the slice.
            unsafe { _mm512_mask_storeu_epi8(at, first_bytes(rest.len()), value) };
        }
    }
}

/// Registers side by side.
#[inline]
#[target_feature(enable = "vaes,avx512f,avx512bw")]
pub(super) fn encrypt_wide<const KEYS: usize, const N: usize>(
    keys: &[V; KEYS],
    mut blocks: [W; N],
) -> [W; N] {
    let first = _mm512_broadcast_i32x4(keys[0]);
    for block in &mut blocks {
        *block = _mm512_xor_si512(*block, first);
    }
    rounds_wide(keys, blocks)
}

/// The same for blocks that have their first round key already.
#[inline]
#[target_feature(enable = "vaes,avx512f,avx512bw")]
fn rounds_wide<const KEYS: usize, const N: usize>(keys: &[V; KEYS], mut blocks: [W; N]) -> [W; N] {
    let key = |i: usize| _mm512_broadcast_i32x4(keys[i]);
    for i in 1..KEYS - 1 {
        for block in &mut blocks {
            *block = _mm512_aesenc_epi128(*block, key(i));
        }
    }
    for block in &mut blocks {
        *block = _mm512_aesenclast_epi128(*block, key(KEYS - 1));
    }
    blocks
}

/// Up to N registers of `bytes`, a whole number of blocks.
#[inline]
#[target_feature(enable = "vaes,avx512f,avx512bw")]
fn encrypt_part<const KEYS: usize, const N: usize>(keys: &[V; KEYS], bytes: &mut [u8]) {
    store_wide(bytes, encrypt_wide::<KEYS, N>(keys, load_wide(bytes)));
}

/// As [`encrypt_wide`], with the keys of the equivalent inverse cipher.
#[inline]
#[target_feature(enable = "vaes,avx512f,avx512bw")]
pub(super) fn decrypt_wide<const KEYS: usize, const N: usize>(
    keys: &[V; KEYS],
    mut blocks: [W; N],
) -> [W; N] {
    let key = |i: usize| _mm512_broadcast_i32x4(keys[i]);
    for block in &mut blocks {
        *block = _mm512_xor_si512(*block, key(0));
    }
    for i in 1..KEYS - 1 {
        for block in &mut blocks {
            *block = _mm512_aesdec_epi128(*block, key(i));
        }
    }
    for block in &mut blocks {
        *block = _mm512_aesdeclast_epi128(*block, key(KEYS - 1));
    }
    blocks
}

/// Four times N counter blocks from `first` on.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn counter_blocks<const BITS: u32, const N: usize>(first: Counter<BITS>) -> [W; N] {
    let number = |at: Counter<BITS>| _mm_set_epi64x((at.0 >> 64) as i64, at.0 as i64);
    let order = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let (order, base) = (_mm512_broadcast_i32x4(order), _mm512_broadcast_i32x4(number(first)));
    let carries = BITS == WHOLE_BLOCK && (first.0 as u64).checked_add(4 * N as u64).is_none();
    let mut out = [_mm512_setzero_si512(); N];
    for (i, to) in out.iter_mut().enumerate() {
        let at = 4 * i as i64;
        let count = _mm512_set_epi64(0, at + 3, 0, at + 2, 0, at + 1, 0, at);
        let mut sum = if BITS == WHOLE_BLOCK {
            _mm512_add_epi64(base, count)
        } else {
            _mm512_add_epi32(base, count)
        };
        if carries {
            let carries = _mm512_cmplt_epu64_mask(sum, count) << 1;
            sum = _mm512_mask_sub_epi64(sum, carries, sum, _mm512_set1_epi64(-1));
        }
        *to = if BITS == LITTLE_ENDIAN { sum } else { _mm512_shuffle_epi8(sum, order) };
    }
    out
}

/// XORs the keystream from `first` on into up to N registers of `data`.
#[inline]
#[target_feature(enable = "vaes,avx512f,avx512bw")]
fn xor_keystream<const KEYS: usize, const BITS: u32, const N: usize>(
    keys: &[V; KEYS],
    first: Counter<BITS>,
    mut data: InOutBuf<'_, '_, u8>,
) {
    let mut keystream = encrypt_wide(keys, counter_blocks::<BITS, N>(first));
    for (mask, data) in keystream.iter_mut().zip(load_wide::<N>(data.get_in())) {
        *mask = _mm512_xor_si512(*mask, data);
    }
    store_wide(data.get_out(), keystream);
}

/// Calls a function with as few registers as `bytes`, up to eight, needs.
macro_rules! narrowest {
    ($bytes:expr, $function:ident::<$($generic:ident),+>($($argument:expr),+)) => {
        match $bytes.len().div_ceil(WIDE) {
            0 => {}
            1 => { $function::<$($generic),+, 1>($($argument),+); }
            2 => { $function::<$($generic),+, 2>($($argument),+); }
            3 | 4 => { $function::<$($generic),+, 4>($($argument),+); }
            _ => { $function::<$($generic),+, WIDTH>($($argument),+); }
        }
    };
}

entries! {
    Vaes512, "vaes,aes,avx512f,avx512bw,avx512vl";

    /// As `Kernel::encrypt_blocks`.
    fn encrypt_blocks<const KEYS: usize>(schedule: &Schedule<KEYS>, blocks: &mut [Block]) {
        let keys = vectors(schedule);
        if blocks.len() <= aes_ni::WIDTH {
            return aes_ni::encrypt_each(keys, blocks);
        }
        let (runs, rest) = blocks.as_flattened_mut().as_chunks_mut::<{ WIDE * WIDTH }>();
        for run in runs {
            encrypt_part::<KEYS, WIDTH>(keys, run);
        }
        narrowest!(rest, encrypt_part::<KEYS>(keys, rest));
    }

    /// As `Kernel::cbc_finish`.
    fn cbc_finish<const KEYS: usize>(
        schedule: &Schedule<KEYS>,
        y: &Block,
        blocks: &[Block],
        tail: &[u8],
        ending: Ending<'_, KEYS>,
        tag: &mut Block,
    ) {
        let last = last_block(tail, load(ending.full), load(ending.padded), ending.padding);
        let outer = ending.outer.map(vectors);
        store(tag, chain_to(vectors(schedule), load(y), blocks, last, outer));
    }

    /// As `Kernel::omac_once`.
    fn omac_once<const KEYS: usize>(
        key: &[u8],
        omac: Omac,
        message: &[u8],
        tag: &mut Block,
    ) {
        let mut schedule = Schedule::<KEYS>::BLANK;
        let (blocks, tail) = split_last(message);
        let parts = set_up(key, omac, &mut schedule);
        let mask = if tail.len() == 16 { parts.full() } else { parts.padded() };
        let last = last_block(tail, mask, mask, Padding::One);
        store(tag, chain_to(vectors(&schedule), _mm_setzero_si128(), blocks, last, None));
        overwrite(&mut schedule, Schedule::BLANK);
    }

    /// As `Kernel::ctr`.
    fn ctr<const KEYS: usize, const BITS: u32>(
        schedule: &Schedule<KEYS>,
        counter: &mut Block,
        data: InOutBuf<'_, '_, u8>,
    ) {
        const { assert!(WIDE * WIDTH == 512) }
        let (keys, mut next) = (vectors(schedule), Counter::<BITS>::new(counter));
        *counter = next.plus(data.len().div_ceil(16) as u64).block();
        let (runs, rest) = data.into_chunks::<U512>();
        for run in runs {
            xor_keystream::<KEYS, BITS, WIDTH>(keys, next, run.into_buf());
            next = next.plus((WIDE * WIDTH / 16) as u64);
        }
        narrowest!(rest, xor_keystream::<KEYS, BITS>(keys, next, rest));
    }
}
