//! GHASH under a key, and the first counter block: what GCM and GMAC share (NIST SP 800-38D). The
//! hash is that of the `ghash` crate.

use cipher::Block;
use digest::array::Array;
use digest::consts::U16;
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use zeroize::{ZeroizeOnDrop, optimization_barrier};

use crate::ciphers::WideCipher;
use crate::wipe::wipe;

/// The nonce length that needs no GHASH: §5.2.1.1 recommends it.
pub(crate) const NONCE_LEN_BYTES: usize = 12;

/// GHASH under the key H.
#[derive(Clone)]
pub(crate) struct HashKey {
    keyed: GHash,
    /// GHASH under a public key: what secret ones are overwritten with, because a copy is cheaper
    /// than the set-up of a key or the wiping of the crate.
    public: GHash,
}

impl HashKey {
    /// H = E_K(0): §7.1 step 1.
    pub(crate) fn new<C: WideCipher>(cipher: &C) -> Self {
        let mut h = Block::<C>::default();
        let public = GHash::new(&h);
        cipher.encrypt_block(&mut h);
        let keyed = GHash::new(&h);
        wipe(&mut h);
        Self { keyed, public }
    }

    /// A hash under way, nothing absorbed.
    #[inline(always)]
    pub(crate) fn start(&self) -> GHash {
        self.keyed.clone()
    }

    /// Overwrites a hash under way.
    #[inline(always)]
    pub(crate) fn wipe(&self, running: &mut GHash) {
        *running = self.public.clone();
        optimization_barrier(running);
    }

    /// GHASH_H of both, each padded with zeros, and of their lengths in bits: §7.1 steps 4 and 5.
    #[inline(always)]
    pub(crate) fn hash(&self, associated_data: &[u8], ciphertext: &[u8]) -> Array<u8, U16> {
        let mut running = self.start();
        if !associated_data.is_empty() {
            running.update_padded(associated_data);
        }
        let (blocks, tail) = ghash::Block::slice_as_chunks(ciphertext);
        running.update(blocks);
        let lens_bytes = [associated_data, ciphertext].map(|data| data.len() as u64);
        self.close(&mut running, tail, lens_bytes)
    }

    /// The hash after a last, incomplete block, if there is one, and the block of two lengths,
    /// given in bytes. `running` is wiped.
    #[inline(always)]
    pub(crate) fn close(
        &self,
        running: &mut GHash,
        tail: &[u8],
        lens_bytes: [u64; 2],
    ) -> Array<u8, U16> {
        let mut last = [ghash::Block::default(); 2];
        last[0][..tail.len()].copy_from_slice(tail);
        for (half, len_bytes) in last[1].chunks_exact_mut(8).zip(lens_bytes) {
            half.copy_from_slice(&(len_bytes << 3).to_be_bytes());
        }
        running.update(if tail.is_empty() { &last[1..] } else { &last });
        let hash = running.clone().finalize();
        self.wipe(running);
        hash
    }

    /// The first counter block J0 of a nonce: §7.1 step 2.
    #[inline(always)]
    pub(crate) fn initial_counter(&self, nonce: &[u8]) -> Array<u8, U16> {
        if nonce.len() == NONCE_LEN_BYTES {
            let mut block = Array::default();
            block[..NONCE_LEN_BYTES].copy_from_slice(nonce);
            block[15] = 1;
            return block;
        }
        self.hash(&[], nonce)
    }
}

impl Drop for HashKey {
    fn drop(&mut self) {
        self.keyed = self.public.clone();
        optimization_barrier(&self.keyed);
    }
}

impl ZeroizeOnDrop for HashKey {}
