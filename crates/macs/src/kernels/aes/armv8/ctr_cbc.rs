//! A step of the chain and a block of the keystream, round by round.

use core::arch::aarch64::*;

use super::super::ctr_cbc::{self, Pair};
use super::super::{Block, Schedule};
use super::super::{EaxPass, Pass};
use super::{ArmAes, V, encrypt_vectors, load, rounds, store, vectors};

/// The round keys of counter mode and of the chain.
struct OnArmv8<const KEYS: usize> {
    cipher: [V; KEYS],
    mac: [V; KEYS],
    /// The last round key of the chain and the first of its next block.
    between: V,
}

impl<const KEYS: usize> OnArmv8<KEYS> {
    #[inline]
    #[target_feature(enable = "aes")]
    fn new(cipher: &Schedule<KEYS>, mac: &Schedule<KEYS>) -> Self {
        let (cipher, mac) = (vectors(cipher), vectors(mac));
        Self { cipher, mac, between: veorq_u8(mac[0], mac[KEYS - 1]) }
    }

    #[inline]
    #[target_feature(enable = "aes")]
    fn chain_on(&self, (state, key): (V, V), next: V) -> (V, V) {
        (rounds(&self.mac, state, key), veorq_u8(self.between, next))
    }

    #[inline]
    #[target_feature(enable = "aes")]
    fn step_on(&self, (state, key): (V, V), next: V, counter: V) -> ((V, V), V) {
        let (mut state, mut key, mut keystream) = (state, key, counter);
        for i in 0..KEYS - 2 {
            state = vaesmcq_u8(vaeseq_u8(state, key));
            keystream = vaesmcq_u8(vaeseq_u8(keystream, self.cipher[i]));
            key = self.mac[i + 1];
        }
        state = vaeseq_u8(state, key);
        keystream = veorq_u8(vaeseq_u8(keystream, self.cipher[KEYS - 2]), self.cipher[KEYS - 1]);
        ((state, veorq_u8(self.between, next)), keystream)
    }

    #[inline]
    #[target_feature(enable = "aes")]
    fn end_on(&self, (state, key): (V, V)) -> V {
        veorq_u8(rounds(&self.mac, state, key), self.mac[KEYS - 1])
    }
}

impl<const KEYS: usize> Pair for OnArmv8<KEYS> {
    type V = V;
    /// The chain before the last round key of the block before; and that key, the block, and the
    /// first round key in one.
    type Pending = (V, V);

    #[inline(always)]
    fn load(block: &Block) -> V {
        load(block)
    }

    #[inline(always)]
    fn store(block: &mut Block, value: V) {
        store(block, value);
    }

    #[inline(always)]
    fn of_number(number: u128) -> V {
        load(&number.to_le_bytes())
    }

    #[inline(always)]
    fn number(value: V) -> u128 {
        let mut block = [0; 16];
        store(&mut block, value);
        u128::from_le_bytes(block)
    }

    #[inline(always)]
    fn xor(a: V, b: V) -> V {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { veorq_u8(a, b) }
    }

    #[inline(always)]
    fn keystream(&self, counters: [V; 2]) -> [V; 2] {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { encrypt_vectors(&self.cipher, counters) }
    }

    #[inline(always)]
    fn begin(&self, y: V, block: V) -> (V, V) {
        (y, Self::xor(self.mac[0], block))
    }

    #[inline(always)]
    fn chain(&self, pending: (V, V), next: V) -> (V, V) {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { self.chain_on(pending, next) }
    }

    #[inline(always)]
    fn step(&self, pending: (V, V), next: V, counter: V) -> ((V, V), V) {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { self.step_on(pending, next, counter) }
    }

    #[inline(always)]
    fn end(&self, pending: (V, V)) -> V {
        // SAFETY: such a type is used in regions of the features only.
        unsafe { self.end_on(pending) }
    }
}

entries! {
    ArmAes, "aes";

    /// As `Kernel::ctr_cbc`.
    fn ctr_cbc<const KEYS: usize, const TAKES_OUTPUT: bool>(
        cipher: &Schedule<KEYS>,
        mac: &Schedule<KEYS>,
        pass: Pass<'_, Block>,
    ) {
        ctr_cbc::ctr_cbc::<_, TAKES_OUTPUT>(&OnArmv8::new(cipher, mac), pass);
    }

    /// As `Kernel::eax`.
    fn eax<const KEYS: usize, const SEALS: bool>(
        schedule: &Schedule<KEYS>,
        pass: EaxPass<'_, Block>,
    ) {
        ctr_cbc::eax::<_, SEALS>(&OnArmv8::new(schedule, schedule), pass);
    }
}
