//! Poly1305 with its one-time key r ‖ s: RFC 8439 §2.5, D. J. Bernstein, "The Poly1305-AES
//! message-authentication code", 2005. The key is of one message: there is nothing to prepare.
//!
//! The 64-bit arithmetic here is the quickest for short messages; whole long ones go to the
//! `poly1305` crate, which takes four blocks at a time where there is AVX2.

use core::slice;

use digest::array::Array;
use digest::block_buffer::EagerBuffer;
use digest::consts::{U16, U32};
use digest::{InvalidLength, KeyInit, Output};
use poly1305::universal_hash::UniversalHash;
use zeroize::optimization_barrier;

use crate::catalog::MacInfo;
use crate::digest_traits::digest_traits;
use crate::kernel;
use crate::len::Len;
use crate::prepared::PreparedMac;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::{overwrite, wipe_buffer};

const KEY_LEN_BYTES: usize = 32;
const BLOCK_LEN_BYTES: usize = 16;

/// From about this length the crate's AVX2 code is faster, its dear set-up included.
const LONG_BYTES: usize = 16384;

type Block = Array<u8, U16>;

/// Poly1305 with a key for one message.
#[derive(Clone)]
pub struct Poly1305 {
    key: [u8; KEY_LEN_BYTES],
    running: Accumulator,
    buffer: EagerBuffer<U16>,
}

/// The polynomial's value modulo 2^130 − 5, below 2^130 + 2^66, and the point r.
#[derive(Clone, Copy)]
struct Accumulator {
    h: [u64; 3],
    r: [u64; 2],
}

impl Accumulator {
    const PUBLIC: Self = Self { h: [0; 3], r: [0; 2] };

    /// §2.5: r, with the bits cleared that let products be added without carries.
    #[inline(always)]
    fn new(key: &[u8; KEY_LEN_BYTES]) -> Self {
        let (r0, r1) = words(&key[..16]);
        Self { h: [0; 3], r: [r0 & 0x0ffffffc0fffffff, r1 & 0x0ffffffc0ffffffc] }
    }

    /// h = (h + block + 2^128)·r for each block; the last may come padded, and then without the
    /// high bit.
    #[inline(always)]
    fn absorb(&mut self, blocks: &[Block], high_bit: u64) {
        let [mut h0, mut h1, mut h2] = self.h;
        let [r0, r1] = self.r.map(u128::from);
        // r1 is a multiple of 4: 2^128·r1 = 2^130·r1/4, congruent to 5·r1/4.
        let s1 = r1 + (r1 >> 2);
        for block in blocks {
            let (m0, m1) = words(block);
            let sum = u128::from(h0) + u128::from(m0);
            h0 = sum as u64;
            let sum = u128::from(h1) + u128::from(m1) + (sum >> 64);
            h1 = sum as u64;
            h2 += (sum >> 64) as u64 + high_bit;

            let low = u128::from(h0) * r0 + u128::from(h1) * s1;
            let high = u128::from(h0) * r1 + u128::from(h1) * r0 + u128::from(h2 * s1 as u64);
            let high = high + (low >> 64);
            h2 = h2 * r0 as u64 + (high >> 64) as u64;
            // What is above 2^130 counts five times: (h2 >> 2) and four times that.
            let sum = u128::from(low as u64) + u128::from((h2 >> 2) + (h2 & !3));
            h0 = sum as u64;
            let sum = u128::from(high as u64) + (sum >> 64);
            h1 = sum as u64;
            h2 = (h2 & 3) + (sum >> 64) as u64;
        }
        self.h = [h0, h1, h2];
    }

    /// The last, incomplete block and the tag: h modulo 2^130 − 5, plus s, modulo 2^128.
    #[inline(always)]
    fn close(&mut self, tail: &[u8], s: &[u8], tag: &mut Block) {
        if !tail.is_empty() {
            let mut last = Block::default();
            last[..tail.len()].copy_from_slice(tail);
            last[tail.len()] = 1;
            self.absorb(slice::from_ref(&last), 0);
        }
        let [h0, h1, h2] = self.h;
        let low = u128::from(h1) << 64 | u128::from(h0);
        // h + 5 reaches 2^130 if and only if h reaches the modulus.
        let (plus_5, carry) = low.overflowing_add(5);
        let is_above = (h2 + u64::from(carry)) >> 2;
        let mask = u128::from(is_above).wrapping_neg();
        let reduced = (low & !mask) | (plus_5 & mask);
        let (s0, s1) = words(s);
        let s = u128::from(s1) << 64 | u128::from(s0);
        tag.0 = reduced.wrapping_add(s).to_le_bytes();
    }
}

/// Two little-endian words of 16 bytes.
#[inline(always)]
fn words(bytes: &[u8]) -> (u64, u64) {
    let (words, _) = bytes.as_chunks();
    (u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1]))
}

/// The tag of a whole message.
#[inline(always)]
fn mac(key: &[u8; KEY_LEN_BYTES], message: &[u8], tag: &mut Block) {
    let (blocks, tail) = Block::slice_as_chunks(message);
    if message.len() >= LONG_BYTES && kernel::poly1305() != kernel::soft() {
        let mut long = poly1305::Poly1305::new(key.into());
        long.update(blocks);
        *tag = long.clone().compute_unpadded(tail);
        // The crate's own wiping is a feature that would slow it for its other users in the same
        // build, so a state of a public key takes the place of the secret one.
        long = poly1305::Poly1305::new(&Default::default());
        optimization_barrier(&long);
        return;
    }
    let mut running = Accumulator::new(key);
    running.absorb(blocks, 1);
    running.close(tail, &key[16..], tag);
    overwrite(&mut running, Accumulator::PUBLIC);
}

impl Poly1305 {
    #[inline]
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        let key = *array(key)?;
        Ok(Self { key, running: Accumulator::new(&key), buffer: EagerBuffer::default() })
    }

    fn absorb(&mut self, data: &[u8]) {
        let Self { running, buffer, .. } = self;
        buffer.digest_blocks(data, |blocks| running.absorb(blocks, 1));
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        self.running.close(self.buffer.get_data(), &self.key[BLOCK_LEN_BYTES..], tag);
    }

    fn restart(&mut self) {
        self.running = Accumulator::new(&self.key);
        wipe_buffer(&mut self.buffer);
    }
}

fn array(key: &[u8]) -> Result<&[u8; KEY_LEN_BYTES], InvalidLength> {
    key.try_into().map_err(|_| InvalidLength)
}

impl PreparedMac for Poly1305 {
    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.key = *array(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        mac(&self.key, message, tag);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        mac(array(key)?, message, tag);
        Ok(())
    }
}

impl Drop for Poly1305 {
    fn drop(&mut self) {
        overwrite(&mut self.key, [0; KEY_LEN_BYTES]);
        overwrite(&mut self.running, Accumulator::PUBLIC);
        wipe_buffer(&mut self.buffer);
    }
}

digest_traits! { [] Poly1305, "Poly1305", key: U32, tag: U16 }

pub(crate) const ROWS: &[MacInfo] = &[MacInfo::mac::<Poly1305>(
    "poly1305",
    "Poly1305",
    &MODE,
    &FIELD,
    (KEY_LEN_BYTES, Len::Exactly(KEY_LEN_BYTES as u64)),
)];

static FIELD: Primitive = Primitive {
    name: "poly1305",
    title: "integers modulo 2^130 − 5",
    standing: Standing::Sound,
    note: "",
    constant_time: "mostly: where multiplication is",
    block_len_bytes: BLOCK_LEN_BYTES,
    paths: Paths::Foreign(kernel::poly1305),
};

static MODE: Mode = Mode {
    title: "Poly1305",
    specification: "RFC 8439 §2.5",
    standing: Standing::Conditional,
    proof: "unconditional, for one message a key (Bernstein 2005)",
    bound: "a forgery succeeds with probability 8·⌈L/16⌉/2^106, L the message's length in bytes",
    nonce: "",
    key_life: "one message: a new key for every one, as from ChaCha20 (RFC 8439 §2.6)",
    approved_by: "IRTF, as part of ChaCha20-Poly1305 (RFC 8439)",
    attacks: "two messages under one key let tags be forged",
};
