//! A step of the chain and a block of the keystream, round by round.

use core::arch::x86_64::*;

use super::super::ctr_cbc::{self, Pair};
use super::super::{Block, Schedule};
use super::super::{EaxPass, Pass};
use super::{AesNi, V, encrypt_vectors, load, rounds, store, vectors};

/// The round keys of counter mode and of the chain.
struct OnAesNi<'a, const KEYS: usize> {
    cipher: &'a [V; KEYS],
    mac: &'a [V; KEYS],
    /// The last round key of the chain and the first of its next block.
    between: V,
}

impl<'a, const KEYS: usize> OnAesNi<'a, KEYS> {
    #[inline]
    #[target_feature(enable = "aes,avx")]
    fn new(cipher: &'a Schedule<KEYS>, mac: &'a Schedule<KEYS>) -> Self {
        let (cipher, mac) = (vectors(cipher), vectors(mac));
        Self { cipher, mac, between: _mm_xor_si128(mac[0], mac[KEYS - 1]) }
    }

    #[inline]
    #[target_feature(enable = "aes,avx")]
    fn begin_on(&self, y: V, block: V) -> V {
        _mm_xor_si128(_mm_xor_si128(y, self.mac[0]), block)
    }

    #[inline]
    #[target_feature(enable = "aes,avx")]
    fn chain_on(&self, pending: V, next: V) -> V {
        _mm_aesenclast_si128(rounds(self.mac, pending), _mm_xor_si128(self.between, next))
    }

    #[inline]
    #[target_feature(enable = "aes,avx")]
    fn step_on(&self, mut pending: V, next: V, counter: V) -> (V, V) {
        let next = _mm_xor_si128(self.between, next);
        let mut state = _mm_xor_si128(counter, self.cipher[0]);
        for i in 1..KEYS - 1 {
            pending = _mm_aesenc_si128(pending, self.mac[i]);
            state = _mm_aesenc_si128(state, self.cipher[i]);
        }
        let keystream = _mm_aesenclast_si128(state, self.cipher[KEYS - 1]);
        (_mm_aesenclast_si128(pending, next), keystream)
    }

    #[inline]
    #[target_feature(enable = "aes,avx")]
    fn end_on(&self, pending: V) -> V {
        _mm_aesenclast_si128(rounds(self.mac, pending), self.mac[KEYS - 1])
    }
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn of_number(number: u128) -> V {
    _mm_set_epi64x((number >> 64) as i64, number as i64)
}

#[inline]
#[target_feature(enable = "aes,avx")]
fn number(value: V) -> u128 {
    let (low, high) = (_mm_cvtsi128_si64(value), _mm_extract_epi64::<1>(value));
    u128::from(low as u64) | u128::from(high as u64) << 64
}

impl<const KEYS: usize> Pair for OnAesNi<'_, KEYS> {
    type V = V;
    /// The block, with the chaining value and the first round key.
    type Pending = V;

    #[inline(always)]
    fn load(block: &Block) -> V {
        load(block)
    }

    #[inline(always)]
    fn store(block: &mut Block, value: V) {
        store(block, value);
    }

    #[inline(always)]
    fn of_number(value: u128) -> V {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { of_number(value) }
    }

    #[inline(always)]
    fn number(value: V) -> u128 {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { number(value) }
    }

    #[inline(always)]
    fn xor(a: V, b: V) -> V {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { _mm_xor_si128(a, b) }
    }

    #[inline(always)]
    fn keystream(&self, counters: [V; 2]) -> [V; 2] {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { encrypt_vectors(self.cipher, counters) }
    }

    #[inline(always)]
    fn begin(&self, y: V, block: V) -> V {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { self.begin_on(y, block) }
    }

    #[inline(always)]
    fn chain(&self, pending: V, next: V) -> V {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { self.chain_on(pending, next) }
    }

    #[inline(always)]
    fn step(&self, pending: V, next: V, counter: V) -> (V, V) {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { self.step_on(pending, next, counter) }
    }

    #[inline(always)]
    fn end(&self, pending: V) -> V {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { self.end_on(pending) }
    }
}

entries! {
    AesNi, "aes,avx";

    /// As `Kernel::ctr_cbc`.
    fn ctr_cbc<const KEYS: usize, const TAKES_OUTPUT: bool>(
        cipher: &Schedule<KEYS>,
        mac: &Schedule<KEYS>,
        pass: Pass<'_, Block>,
    ) {
        ctr_cbc::ctr_cbc::<_, TAKES_OUTPUT>(&OnAesNi::new(cipher, mac), pass);
    }

    /// As `Kernel::eax`.
    fn eax<const KEYS: usize, const SEALS: bool>(
        schedule: &Schedule<KEYS>,
        pass: EaxPass<'_, Block>,
    ) {
        ctr_cbc::eax::<_, SEALS>(&OnAesNi::new(schedule, schedule), pass);
    }
}
