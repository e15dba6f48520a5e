//! SHA-3 (FIPS 202 §6.1) as HMAC uses it.

use core::marker::PhantomData;

use digest::array::{Array, ArraySize};

use crate::after_block::AfterBlock;
use crate::sponge::{ALL_ROUNDS, Sponge};

/// The bits 01, which end the messages of SHA-3, and the first one of the padding.
const END: u8 = 0b110;

/// SHA-3 with blocks of `B` bytes and digests of `N`.
pub struct Sha3<B, N> {
    keyed: Sponge<ALL_ROUNDS>,
    running: Sponge<ALL_ROUNDS>,
    sizes: PhantomData<fn() -> (B, N)>,
}

impl<B: ArraySize, N: ArraySize> AfterBlock for Sha3<B, N> {
    type BlockSize = B;
    type OutputSize = N;

    fn after_block(block: &Array<u8, B>) -> Self {
        let mut keyed = Sponge::new(B::USIZE);
        keyed.absorb(block);
        Self { running: keyed.clone(), keyed, sizes: PhantomData }
    }

    fn hash(data: &[u8]) -> Array<u8, N> {
        let mut digest = Array::default();
        close(Sponge::new(B::USIZE), data, &mut digest);
        digest
    }

    #[inline]
    fn digest_into(&self, message: &[u8], digest: &mut Array<u8, N>) {
        close(self.keyed.clone(), message, digest);
    }

    fn absorb(&mut self, data: &[u8]) {
        self.running.absorb(data);
    }

    fn finish(&mut self, digest: &mut Array<u8, N>) {
        self.running.finish(END, digest);
    }

    fn restart(&mut self) {
        self.running = self.keyed.clone();
    }
}

/// The digest when `data` is the rest of the message.
fn close(mut sponge: Sponge<ALL_ROUNDS>, data: &[u8], digest: &mut [u8]) {
    sponge.absorb(data);
    sponge.finish(END, digest);
}

impl<B, N> Clone for Sha3<B, N> {
    fn clone(&self) -> Self {
        Self { keyed: self.keyed.clone(), running: self.running.clone(), sizes: PhantomData }
    }
}
