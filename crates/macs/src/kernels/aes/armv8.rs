//! AES by the instructions of ARMv8. AESE adds a round key before SubBytes and ShiftRows, so that
//! the last round key, the next block and the first round key are one key of the chain.
#![expect(unsafe_code, reason = "vector loads and stores, calls into target_feature functions")]

mod ctr_cbc;
#[cfg(feature = "batch")]
mod lanes;

use core::arch::aarch64::*;
use core::ptr;

use cipher::inout::InOutBuf;

pub(super) use ctr_cbc::{ctr_cbc, eax};
#[cfg(feature = "batch")]
pub(super) use lanes::{cbc as cbc_many, gathers};

use super::{
    Block, Ending, KEPT_MASKS, MaskedPass, Omac, Padding, Schedule, counter, masked, split_last,
    words,
};
use crate::kernels::cpu::ArmAes;
use crate::wipe::overwrite;

/// A block in a register.
pub(super) type V = uint8x16_t;

/// Number of blocks that hide the latency of each other.
const WIDTH: usize = 8;

#[inline(always)]
pub(super) fn load(block: &Block) -> V {
    // SAFETY: the block has 16 bytes, and the load asks for no alignment.
    unsafe { vld1q_u8(ptr::from_ref(block).cast()) }
}

#[inline(always)]
pub(super) fn store(block: &mut Block, value: V) {
    // SAFETY: the block has 16 bytes, and the store asks for no alignment.
    unsafe { vst1q_u8(ptr::from_mut(block).cast(), value) }
}

/// The round keys as vectors.
#[inline]
#[target_feature(enable = "aes")]
pub(super) fn vectors<const KEYS: usize>(schedule: &Schedule<KEYS>) -> [V; KEYS] {
    schedule.keys.each_ref().map(load)
}

/// The rounds with all keys but the first, which is `first`, and the last, which is left out.
#[inline]
#[target_feature(enable = "aes")]
fn rounds<const KEYS: usize>(keys: &[V; KEYS], mut state: V, mut first: V) -> V {
    for key in &keys[1..KEYS - 1] {
        state = vaesmcq_u8(vaeseq_u8(state, first));
        first = *key;
    }
    vaeseq_u8(state, first)
}

/// Blocks side by side.
#[inline]
#[target_feature(enable = "aes")]
pub(super) fn encrypt_vectors<const KEYS: usize, const N: usize>(
    keys: &[V; KEYS],
    mut blocks: [V; N],
) -> [V; N] {
    for key in &keys[..KEYS - 2] {
        blocks = blocks.map(|block| vaesmcq_u8(vaeseq_u8(block, *key)));
    }
    blocks.map(|block| veorq_u8(vaeseq_u8(block, keys[KEYS - 2]), keys[KEYS - 1]))
}

/// As [`encrypt_vectors`], with the keys of the equivalent inverse cipher.
#[inline]
#[target_feature(enable = "aes")]
pub(super) fn decrypt_vectors<const KEYS: usize, const N: usize>(
    keys: &[V; KEYS],
    mut blocks: [V; N],
) -> [V; N] {
    for key in &keys[..KEYS - 2] {
        blocks = blocks.map(|block| vaesimcq_u8(vaesdq_u8(block, *key)));
    }
    blocks.map(|block| veorq_u8(vaesdq_u8(block, keys[KEYS - 2]), keys[KEYS - 1]))
}

/// The chain over `blocks` and `last`, from `y`.
#[inline]
#[target_feature(enable = "aes")]
fn chain_to<const KEYS: usize>(keys: &[V; KEYS], y: V, blocks: &[Block], last: V) -> V {
    let between = veorq_u8(keys[0], keys[KEYS - 1]);
    let (mut state, mut key) = (y, keys[0]);
    for block in blocks {
        state = rounds(keys, state, veorq_u8(key, load(block)));
        key = between;
    }
    veorq_u8(rounds(keys, state, veorq_u8(key, last)), keys[KEYS - 1])
}

/// One block after another, `WIDTH` at a time.
#[inline]
#[target_feature(enable = "aes")]
fn encrypt_each<const KEYS: usize>(keys: &[V; KEYS], blocks: &mut [Block]) {
    let (runs, rest) = blocks.as_chunks_mut::<WIDTH>();
    for run in runs {
        let out = encrypt_vectors(keys, run.each_ref().map(load));
        run.iter_mut().zip(out).for_each(|(block, value)| store(block, value));
    }
    for block in rest {
        store(block, encrypt_vectors(keys, [load(block)])[0]);
    }
}

/// SubWord: ShiftRows does nothing to a state of four equal columns.
#[inline]
#[target_feature(enable = "aes")]
fn sub_word(word: u32) -> u32 {
    let columns = vreinterpretq_u8_u32(vdupq_n_u32(word));
    vgetq_lane_u32::<0>(vreinterpretq_u32_u8(vaeseq_u8(columns, vdupq_n_u8(0))))
}

entries! {
    ArmAes, "aes";

    /// As `Kernel::expand`.
    fn expand<const KEYS: usize>(key: &[u8], schedule: &mut Schedule<KEYS>) {
        words::expand(key, schedule, |word| sub_word(word));
    }

    /// InvMixColumns on every block.
    fn inv_mix_columns<>(blocks: &mut [Block]) {
        for block in blocks {
            store(block, vaesimcq_u8(load(block)));
        }
    }

    /// As `Kernel::encrypt`.
    fn encrypt<const KEYS: usize>(schedule: &Schedule<KEYS>, block: &mut Block) {
        store(block, encrypt_vectors(&vectors(schedule), [load(block)])[0]);
    }

    /// As `Kernel::encrypt_number`.
    fn encrypt_number<const KEYS: usize>(
        schedule: &Schedule<KEYS>,
        number: u128,
        block: &mut Block,
    ) {
        let number = load(&number.to_le_bytes());
        store(block, encrypt_vectors(&vectors(schedule), [number])[0]);
    }

    /// As `Kernel::encrypted_number`.
    fn encrypted_number<const KEYS: usize>(schedule: &Schedule<KEYS>, number: u128) -> u128 {
        let number = load(&number.to_le_bytes());
        let mut block = [0; 16];
        store(&mut block, encrypt_vectors(&vectors(schedule), [number])[0]);
        let number = u128::from_le_bytes(block);
        overwrite(&mut block, [0; 16]);
        number
    }

    /// As `Kernel::encrypt_blocks`.
    fn encrypt_blocks<const KEYS: usize>(schedule: &Schedule<KEYS>, blocks: &mut [Block]) {
        encrypt_each(&vectors(schedule), blocks);
    }

    /// As `Kernel::masked_mac`.
    fn masked_mac<const KEYS: usize>(
        schedule: &Schedule<KEYS>,
        masks: &[Block; KEPT_MASKS],
        full: &Block,
        message: &[u8],
        tag: &mut Block,
    ) {
        let keys = vectors(schedule);
        masked::mac(masks, full, message, tag, |blocks| encrypt_each(&keys, blocks));
    }

    /// As `Kernel::masked_sum`.
    fn masked_sum<const KEYS: usize>(schedule: &Schedule<KEYS>, pass: MaskedPass<'_, Block>) {
        let keys = vectors(schedule);
        masked::sum_by_runs(pass, |blocks| encrypt_each(&keys, blocks));
    }

    /// As `Kernel::decrypt_blocks`.
    fn decrypt_blocks<const KEYS: usize>(inverse: &Schedule<KEYS>, blocks: &mut [Block]) {
        let keys = &vectors(inverse);
        let (runs, rest) = blocks.as_chunks_mut::<WIDTH>();
        for run in runs {
            let out = decrypt_vectors(keys, run.each_ref().map(load));
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
        let (keys, mut state) = (&vectors(schedule), load(y));
        for run in [head, last] {
            if let [before @ .., end] = run {
                state = chain_to(keys, state, before, load(end));
            }
        }
        store(y, state);
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
        let mask = load(if tail.len() < 16 { ending.padded } else { ending.full });
        let last = veorq_u8(load(&words::padded(tail, ending.padding).to_le_bytes()), mask);
        let mut state = chain_to(&vectors(schedule), load(y), blocks, last);
        if let Some(outer) = ending.outer {
            state = encrypt_vectors(&vectors(outer), [state])[0];
        }
        store(tag, state);
    }

    /// As `Kernel::expand_omac`.
    fn expand_omac<const KEYS: usize>(
        key: &[u8],
        omac: Omac,
        schedule: &mut Schedule<KEYS>,
        masks: &mut [Block; 2],
    ) {
        words::expand(key, schedule, |word| sub_word(word));
        let mut l = [0; 16];
        store(&mut l, encrypt_vectors(&vectors(schedule), [vdupq_n_u8(0)])[0]);
        *masks = words::masks(&l, omac);
        overwrite(&mut l, [0; 16]);
    }

    /// As `Kernel::omac_once`.
    fn omac_once<const KEYS: usize>(
        key: &[u8],
        omac: Omac,
        message: &[u8],
        tag: &mut Block,
    ) {
        let mut schedule = Schedule::<KEYS>::BLANK;
        words::expand(key, &mut schedule, |word| sub_word(word));
        let keys = &vectors(&schedule);
        let mut l = [0; 16];
        store(&mut l, encrypt_vectors(keys, [vdupq_n_u8(0)])[0]);
        let mut masks = words::masks(&l, omac);
        let (blocks, tail) = split_last(message);
        let mask = load(&masks[usize::from(tail.len() < 16)]);
        let last = load(&words::padded(tail, Padding::One).to_le_bytes());
        store(tag, chain_to(keys, vdupq_n_u8(0), blocks, veorq_u8(last, mask)));
        overwrite(&mut schedule, Schedule::BLANK);
        overwrite(&mut l, [0; 16]);
        overwrite(&mut masks, [[0; 16]; 2]);
    }

    /// As `Kernel::ctr`.
    fn ctr<const KEYS: usize, const BITS: u32>(
        schedule: &Schedule<KEYS>,
        counter: &mut Block,
        data: InOutBuf<'_, '_, u8>,
    ) {
        let keys = &vectors(schedule);
        counter::apply::<BITS>(|blocks| encrypt_each(keys, blocks), counter, data);
    }
}
