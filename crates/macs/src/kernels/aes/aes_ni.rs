//! AES by AES-NI in its VEX encoding. The chain runs at the latency of the instructions: the last
//! round key, the next block and the first round key go into AESENCLAST as one operand.
#![expect(unsafe_code, reason = "vector loads and stores, calls into target_feature functions")]

mod ctr_cbc;
mod expand;
mod masked;
mod omac;

#[cfg(not(miri))]
use core::arch::asm;
use core::arch::x86_64::*;
use core::ptr;

use cipher::array::Array;
use cipher::consts::{U16, U128};
use cipher::inout::InOutBuf;

pub(super) use ctr_cbc::{ctr_cbc, eax};
pub(super) use expand::expand as expand_keys;
pub(super) use masked::{Masked, masked_mac, masked_sum, sum_of, tag_of_sum};
pub(super) use omac::{expand_omac, omac_once, set_up};

use super::counter::Counter;
use super::{Block, Ending, Schedule, words};
use crate::kernels::by_place;
use crate::kernels::cpu::AesNi;

/// A block in a register.
pub(super) type V = __m128i;

/// Number of blocks that hide the latency of each other.
pub(super) const WIDTH: usize = 8;

#[inline(always)]
pub(super) fn load(block: &Block) -> V {
    // SAFETY: the block has 16 bytes, and the load asks for no alignment.
    unsafe { _mm_loadu_si128(ptr::from_ref(block).cast()) }
}

/// Blocks in registers.
#[inline(always)]
pub(super) fn loaded<const N: usize>(blocks: &[Block; N]) -> [V; N] {
    by_place(load(&blocks[0]), |at| load(&blocks[at]))
}

/// Eight bytes, then zeros.
#[inline(always)]
fn load_low(bytes: &[u8; 8]) -> V {
    // SAFETY: there are 8 bytes, and the load asks for no alignment.
    unsafe { _mm_loadl_epi64(ptr::from_ref(bytes).cast()) }
}

#[inline(always)]
pub(super) fn store(block: &mut Block, value: V) {
    // SAFETY: the block has 16 bytes, and the store asks for no alignment.
    unsafe { _mm_storeu_si128(ptr::from_mut(block).cast(), value) }
}

/// The round keys as vectors.
#[inline(always)]
pub(in crate::kernels) fn vectors<const KEYS: usize>(schedule: &Schedule<KEYS>) -> &[V; KEYS] {
    // SAFETY: a schedule is aligned to 16 bytes and is KEYS times 16 bytes, all of which any vector
    // may have.
    unsafe { &*ptr::from_ref(schedule).cast() }
}

/// Round keys, wherever they lie.
pub(super) trait Keys: Copy {
    /// How many they are.
    const COUNT: usize;

    /// The one of this number, in the order of encryption.
    fn key(self, number: usize) -> V;
}

impl<const KEYS: usize> Keys for &[V; KEYS] {
    const COUNT: usize = KEYS;

    #[inline(always)]
    fn key(self, number: usize) -> V {
        self[number]
    }
}

/// All rounds but the last, on a block that has its first round key already.
#[inline]
#[target_feature(enable = "aes,avx")]
pub(super) fn rounds<K: Keys>(keys: K, mut state: V) -> V {
    for number in 1..K::COUNT - 1 {
        state = _mm_aesenc_si128(state, keys.key(number));
    }
    state
}

#[inline]
#[target_feature(enable = "aes,avx")]
pub(super) fn encrypt_vector<const KEYS: usize>(keys: &[V; KEYS], block: V) -> V {
    _mm_aesenclast_si128(rounds(keys, _mm_xor_si128(block, keys[0])), keys[KEYS - 1])
}

/// A round key in a register: an operand in memory would halve the throughput.
#[inline]
#[target_feature(enable = "aes,avx")]
#[cfg_attr(miri, expect(unused_mut, reason = "Miri has no assembly"))]
pub(in crate::kernels) fn in_register(mut key: V) -> V {
    #[cfg(not(miri))]
    // SAFETY: the empty instruction changes nothing.
    unsafe {
        asm!("/* {0} */", inout(xmm_reg) key, options(nomem, nostack, preserves_flags))
    };
    key
}

/// Blocks side by side.
#[inline]
#[target_feature(enable = "aes,avx")]
pub(super) fn encrypt_vectors<const KEYS: usize, const N: usize>(
    keys: &[V; KEYS],
    mut blocks: [V; N],
) -> [V; N] {
    for block in &mut blocks {
        *block = _mm_xor_si128(*block, keys[0]);
    }
    for key in &keys[1..KEYS - 1] {
        let key = if N > 1 { in_register(*key) } else { *key };
        for block in &mut blocks {
            *block = _mm_aesenc_si128(*block, key);
        }
    }
    for block in &mut blocks {
        *block = _mm_aesenclast_si128(*block, keys[KEYS - 1]);
    }
    blocks
}

/// As [`encrypt_vectors`], with the keys of the equivalent inverse cipher.
#[inline]
#[target_feature(enable = "aes,avx")]
pub(super) fn decrypt_vectors<const KEYS: usize, const N: usize>(
    keys: &[V; KEYS],
    mut blocks: [V; N],
) -> [V; N] {
    for block in &mut blocks {
        *block = _mm_xor_si128(*block, keys[0]);
    }
    for key in &keys[1..KEYS - 1] {
        for block in &mut blocks {
            *block = _mm_aesdec_si128(*block, *key);
        }
    }
    for block in &mut blocks {
        *block = _mm_aesdeclast_si128(*block, keys[KEYS - 1]);
    }
    blocks
}

/// Each block by itself.
#[inline]
#[target_feature(enable = "aes,avx")]
pub(super) fn encrypt_each<const KEYS: usize>(keys: &[V; KEYS], blocks: &mut [Block]) {
    let (runs, rest) = blocks.as_chunks_mut::<WIDTH>();
    for run in runs {
        let out = encrypt_vectors(keys, loaded(run));
        run.iter_mut().zip(out).for_each(|(block, value)| store(block, value));
    }
    let (runs, rest) = rest.as_chunks_mut::<4>();
    for run in runs {
        let out = encrypt_vectors(keys, loaded(run));
        run.iter_mut().zip(out).for_each(|(block, value)| store(block, value));
    }
    for block in rest {
        store(block, encrypt_vector(keys, load(block)));
    }
}

/// The chain over `blocks` and `last`, from `y`.
#[inline]
#[target_feature(enable = "aes,avx")]
pub(super) fn chain_to<K: Keys>(keys: K, y: V, blocks: &[Block], last: V, outer: Option<K>) -> V {
    let last_key = K::COUNT - 1;
    let between = _mm_xor_si128(keys.key(0), keys.key(last_key));
    let first_key = _mm_xor_si128(keys.key(0), y);
    let mut state = match blocks {
        [] => _mm_xor_si128(first_key, last),
        [first, rest @ ..] => {
            let last = _mm_xor_si128(between, last);
            let mut state = _mm_xor_si128(first_key, load(first));
            for block in rest {
                let next = _mm_xor_si128(between, load(block));
                state = _mm_aesenclast_si128(rounds(keys, state), next);
            }
            _mm_aesenclast_si128(rounds(keys, state), last)
        }
    };
    let mut end = keys.key(last_key);
    if let Some(outer) = outer {
        state = _mm_aesenclast_si128(rounds(keys, state), _mm_xor_si128(end, outer.key(0)));
        state = rounds(outer, state);
        end = outer.key(last_key);
    } else {
        state = rounds(keys, state);
    }
    _mm_aesenclast_si128(state, end)
}

/// The chain over two runs, from `y`.
#[inline]
#[target_feature(enable = "aes,avx")]
fn chain<const KEYS: usize>(keys: &[V; KEYS], mut y: V, head: &[Block], last: &[Block]) -> V {
    for run in [head, last] {
        if let [before @ .., end] = run {
            y = chain_to(keys, y, before, load(end), None);
        }
    }
    y
}

/// `tail` as `ending` has it, without the copy of a tail and without reading past it.
#[inline]
#[target_feature(enable = "aes,avx")]
pub(super) fn last_block(tail: &[u8], full: V, padded: V, padding: super::Padding) -> V {
    if let Some(block) = tail.first_chunk() {
        return _mm_xor_si128(load(block), full);
    }
    let number = words::padded(tail, padding);
    _mm_xor_si128(_mm_set_epi64x((number >> 64) as i64, number as i64), padded)
}

entries! {
    AesNi, "aes,avx";

    /// As `Kernel::expand`.
    fn expand<const KEYS: usize>(key: &[u8], schedule: &mut Schedule<KEYS>) {
        let keys = expand_keys::<KEYS>(key);
        schedule.keys.iter_mut().zip(keys).for_each(|(to, key)| store(to, key));
    }

    /// InvMixColumns on every block.
    fn inv_mix_columns<>(blocks: &mut [Block]) {
        for block in blocks {
            store(block, _mm_aesimc_si128(load(block)));
        }
    }

    /// As `Kernel::encrypt`.
    fn encrypt<const KEYS: usize>(schedule: &Schedule<KEYS>, block: &mut Block) {
        store(block, encrypt_vector(vectors(schedule), load(block)));
    }

    /// As `Kernel::encrypt_number`.
    fn encrypt_number<const KEYS: usize>(
        schedule: &Schedule<KEYS>,
        number: u128,
        block: &mut Block,
    ) {
        let number = _mm_set_epi64x((number >> 64) as i64, number as i64);
        store(block, encrypt_vector(vectors(schedule), number));
    }

    /// As `Kernel::encrypted_number`.
    fn encrypted_number<const KEYS: usize>(schedule: &Schedule<KEYS>, number: u128) -> u128 {
        let number = _mm_set_epi64x((number >> 64) as i64, number as i64);
        let block = encrypt_vector(vectors(schedule), number);
        let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(block, block)) as u64;
        u128::from(high) << 64 | u128::from(_mm_cvtsi128_si64(block) as u64)
    }

    /// As `Kernel::encrypt_blocks`.
    fn encrypt_blocks<const KEYS: usize>(schedule: &Schedule<KEYS>, blocks: &mut [Block]) {
        let keys = vectors(schedule);
        encrypt_each(keys, blocks);
    }

    /// As `Kernel::decrypt_blocks`.
    fn decrypt_blocks<const KEYS: usize>(inverse: &Schedule<KEYS>, blocks: &mut [Block]) {
        let keys = vectors(inverse);
        let (runs, rest) = blocks.as_chunks_mut::<WIDTH>();
        for run in runs {
            let out = decrypt_vectors(keys, loaded(run));
            run.iter_mut().zip(out).for_each(|(block, value)| store(block, value));
        }
        for block in rest {
            store(block, decrypt_vectors(keys, [load(block)])[0]);
        }
    }

    /// As `Kernel::cbc`.
    fn cbc<const KEYS: usize>(
        schedule: &Schedule<KEYS>,
        y: &mut Block,
        head: &[Block],
        last: &[Block],
    ) {
        store(y, chain(vectors(schedule), load(y), head, last));
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
        store(tag, chain_to(vectors(schedule), load(y), blocks, last, ending.outer.map(vectors)));
    }

    /// As `Kernel::ctr`.
    fn ctr<const KEYS: usize, const BITS: u32>(
        schedule: &Schedule<KEYS>,
        counter: &mut Block,
        data: InOutBuf<'_, '_, u8>,
    ) {
        const { assert!(WIDTH == 8) }
        let (keys, mut next) = (vectors(schedule), Counter::<BITS>::new(counter));
        *counter = next.plus(data.len().div_ceil(16) as u64).block();
        let (runs, rest) = data.into_chunks::<U128>();
        for run in runs {
            let (blocks, _) = run.into_buf().into_chunks();
            xor_blocks(blocks, keystream::<KEYS, BITS, WIDTH>(keys, next));
            next = next.plus(WIDTH as u64);
        }
        match rest.len().div_ceil(16) {
            0 => {}
            1 => xor_rest(rest, keystream::<KEYS, BITS, 1>(keys, next)),
            _ => xor_rest(rest, keystream::<KEYS, BITS, WIDTH>(keys, next)),
        }
    }
}

/// N blocks of the keystream.
#[inline]
#[target_feature(enable = "aes,avx")]
fn keystream<const KEYS: usize, const BITS: u32, const N: usize>(
    keys: &[V; KEYS],
    first: Counter<BITS>,
) -> [V; N] {
    let mut counters = [_mm_setzero_si128(); N];
    for (to, i) in counters.iter_mut().zip(0..) {
        let number = first.plus(i).in_order();
        *to = _mm_set_epi64x((number >> 64) as i64, number as i64);
    }
    encrypt_vectors(keys, counters)
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn xor_blocks<const N: usize>(blocks: InOutBuf<'_, '_, Array<u8, U16>>, masks: [V; N]) {
    for (mut block, mask) in blocks.into_iter().zip(masks) {
        let value = _mm_xor_si128(load(&block.get_in().0), mask);
        store(&mut block.get_out().0, value);
    }
}

/// Less than `N` blocks, or one.
#[inline]
#[target_feature(enable = "aes,avx")]
fn xor_rest<const N: usize>(rest: InOutBuf<'_, '_, u8>, masks: [V; N]) {
    let (blocks, tail) = rest.into_chunks();
    let count = blocks.len();
    xor_blocks(blocks, masks);
    if let Some(mask) = masks.get(count) {
        xor_tail(tail, *mask);
    }
}

/// Less than a block.
#[inline(always)]
pub(super) fn xor_tail(mut tail: InOutBuf<'_, '_, u8>, mask: V) {
    let mut bytes = [0; 16];
    store(&mut bytes, mask);
    tail.xor_in2out(&bytes[..tail.len()]);
}
