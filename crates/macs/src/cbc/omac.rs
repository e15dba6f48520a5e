//! CMAC, which is OMAC1: NIST SP 800-38B §6, RFC 4493 §2.4. A CBC chain whose last block is masked
//! by one of two subkeys: K1 = E_K(0)·u for a full block, K2 = E_K(0)·u² for a padded one.
//! The subkeys are computed at key set-up, so that a prepared tag costs one cipher call a block.

use core::fmt;
use core::mem;
use core::slice;

use cipher::{Block, BlockSizeUser};
use digest::common::{InnerInit, InnerUser};
use digest::typenum::Unsigned;
use digest::{
    FixedOutput, FixedOutputReset, InvalidLength, MacMarker, Output, OutputSizeUser, Reset, Update,
};
use zeroize::ZeroizeOnDrop;

use super::chain::{absorb, xor};
use crate::catalog::MacInfo;
use crate::ciphers::{BlockCipher, CipherInfo, over_ciphers};
use crate::doubling::DoublingSize;
use crate::prepared::PreparedMac;
use crate::status::{Mode, Standing};
use crate::wipe::wipe;

/// CMAC (OMAC1) over the block cipher `C`.
#[derive(Clone)]
pub struct Cmac<C: BlockCipher> {
    cipher: C,
    masks: Masks<C>,
    /// Chaining value of the message under way.
    running: Block<C>,
    /// The last bytes, a full block at most: which mask they get is known only at the end.
    buffer: Block<C>,
    buffered_len: usize,
}

/// The subkeys K1 and K2 of SP 800-38B §6.1.
struct Masks<C: BlockCipher> {
    full: Block<C>,
    padded: Block<C>,
}

impl<C: BlockCipher> Clone for Masks<C> {
    fn clone(&self) -> Self {
        Self { full: self.full.clone(), padded: self.padded.clone() }
    }
}

impl<C: BlockCipher> Masks<C> {
    /// SP 800-38B §6.1.
    #[inline]
    fn new(cipher: &C) -> Self {
        let mut l = Block::<C>::default();
        cipher.encrypt_block(&mut l);
        let full = C::BlockSize::double(&l);
        let padded = C::BlockSize::double(&full);
        wipe(&mut l);
        Self { full, padded }
    }

    /// The last block with padding and mask: SP 800-38B §6.2 steps 3 and 4. `tail` is the rest of
    /// the message: a full block, or less.
    #[inline(always)]
    fn last_block(&self, tail: &[u8]) -> Block<C> {
        if let Some(full) = Block::<C>::slice_as_array(tail) {
            let mut last = full.clone();
            xor(&mut last, &self.full);
            return last;
        }
        let mut last = Block::<C>::default();
        last[..tail.len()].copy_from_slice(tail);
        last[tail.len()] = 0x80;
        xor(&mut last, &self.padded);
        last
    }
}

/// How many bytes of `data` come before its last block, which is full if it can be.
#[inline(always)]
fn head_len<C: BlockSizeUser>(data: &[u8]) -> usize {
    data.len().saturating_sub(1) / C::BlockSize::USIZE * C::BlockSize::USIZE
}

impl<C: BlockCipher> Cmac<C> {
    #[inline(always)]
    fn finish(&mut self, tag: &mut Output<Self>) {
        let last = self.masks.last_block(&self.buffer[..self.buffered_len]);
        absorb(&self.cipher, &mut self.running, &[], slice::from_ref(&last));
        tag.copy_from_slice(&self.running);
    }

    fn restart(&mut self) {
        self.running = Block::<C>::default();
        self.buffered_len = 0;
        wipe(&mut self.buffer);
    }
}

impl<C: BlockCipher> PreparedMac for Cmac<C> {
    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        // The old schedule is overwritten by the new one, so its own wiping on drop, which costs
        // more than an AES key set-up, would buy nothing.
        mem::forget(mem::replace(&mut self.cipher, C::new_from_slice(key)?));
        self.masks = Masks::new(&self.cipher);
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        let (head, tail) = message.split_at(head_len::<C>(message));
        let last = self.masks.last_block(tail);
        let mut running = Block::<C>::default();
        let (blocks, _) = Block::<C>::slice_as_chunks(head);
        absorb(&self.cipher, &mut running, blocks, slice::from_ref(&last));
        *tag = running;
    }
}

impl<C: BlockCipher> Update for Cmac<C> {
    #[inline]
    fn update(&mut self, mut data: &[u8]) {
        let free = self.buffer.len() - self.buffered_len;
        if data.len() <= free {
            self.buffer[self.buffered_len..][..data.len()].copy_from_slice(data);
            self.buffered_len += data.len();
            return;
        }
        let mut held: &[Block<C>] = &[];
        if self.buffered_len > 0 {
            let (fill, rest) = data.split_at(free);
            self.buffer[self.buffered_len..].copy_from_slice(fill);
            held = slice::from_ref(&self.buffer);
            data = rest;
        }
        let (head, tail) = data.split_at(head_len::<C>(data));
        let (blocks, _) = Block::<C>::slice_as_chunks(head);
        absorb(&self.cipher, &mut self.running, held, blocks);
        self.buffer[..tail.len()].copy_from_slice(tail);
        self.buffered_len = tail.len();
    }
}

impl<C: BlockCipher> FixedOutput for Cmac<C> {
    #[inline]
    fn finalize_into(mut self, tag: &mut Output<Self>) {
        self.finish(tag);
    }
}

impl<C: BlockCipher> FixedOutputReset for Cmac<C> {
    #[inline]
    fn finalize_into_reset(&mut self, tag: &mut Output<Self>) {
        self.finish(tag);
        self.restart();
    }
}

impl<C: BlockCipher> Reset for Cmac<C> {
    #[inline]
    fn reset(&mut self) {
        self.restart();
    }
}

impl<C: BlockCipher> InnerUser for Cmac<C> {
    type Inner = C;
}

impl<C: BlockCipher> InnerInit for Cmac<C> {
    /// From a keyed cipher; `KeyInit` follows from it for every cipher that has `KeyInit`.
    #[inline]
    fn inner_init(cipher: C) -> Self {
        let masks = Masks::new(&cipher);
        let (running, buffer) = (Block::<C>::default(), Block::<C>::default());
        Self { cipher, masks, running, buffer, buffered_len: 0 }
    }
}

impl<C: BlockCipher> BlockSizeUser for Cmac<C> {
    type BlockSize = C::BlockSize;
}

impl<C: BlockCipher> OutputSizeUser for Cmac<C> {
    type OutputSize = C::BlockSize;
}

impl<C: BlockCipher> MacMarker for Cmac<C> {}

impl<C: BlockCipher> fmt::Debug for Cmac<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cmac { .. }")
    }
}

impl<C: BlockCipher> Drop for Cmac<C> {
    /// The cipher wipes its own key schedule.
    fn drop(&mut self) {
        for secret in
            [&mut self.masks.full, &mut self.masks.padded, &mut self.running, &mut self.buffer]
        {
            wipe(secret);
        }
    }
}

impl<C: BlockCipher + ZeroizeOnDrop> ZeroizeOnDrop for Cmac<C> {}

pub(crate) const ROWS: &[MacInfo] = over_ciphers!(row, "cmac", "CMAC");

const fn row<C: BlockCipher>(
    name: &'static str,
    title: &'static str,
    cipher: &'static CipherInfo,
) -> MacInfo {
    MacInfo::mac::<Cmac<C>>(name, title, &MODE, &cipher.primitive, cipher.key_len())
}

static MODE: Mode = Mode {
    title: "CMAC",
    specification: "NIST SP 800-38B; RFC 4493 (AES-128)",
    standing: Standing::Sound,
    proof: "pseudorandom function if the cipher is a pseudorandom permutation (Iwata, Kurosawa 2003)",
    bound: "about 5σ²/2^n, or 16q²/2^n + for messages of few blocks (Nandi 2009)",
    nonce: "",
    key_life: "at most 2^48 messages a key with 128-bit blocks, 2^21 with 64-bit ones (SP 800-38B B)",
    approved_by: "NIST with AES (SP 800-38B); ISO/IEC 9797-1 algorithm 5",
    attacks: "",
};
