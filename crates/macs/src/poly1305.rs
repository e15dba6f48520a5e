//! Poly1305 with its one-time key r ‖ s: RFC 8439 §2.5, D. J. Bernstein, "The Poly1305-AES
//! message-authentication code", 2005. The key is of one message: there is nothing to prepare.
//!
//! Whole long messages go to the `poly1305` crate where there is AVX2 and no kernel of ours: it
//! takes four blocks at a time.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use digest::array::Array;
use digest::block_buffer::EagerBuffer;
use digest::consts::{U16, U32};
use digest::{InvalidLength, KeyInit, Output};
use poly1305::universal_hash::UniversalHash;
use zeroize::optimization_barrier;

use crate::batch::{Job, KeyedBatch};
use crate::catalog::MacInfo;
use crate::digest_traits::digest_traits;
use crate::kernel::has_avx2;
use crate::kernels::poly1305::{Accumulator, Kernel};
use crate::kernels::{Choice, KernelName, Pin};
use crate::len::Len;
use crate::prepared::PreparedMac;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::{overwrite, wipe, wipe_buffer};

const KEY_LEN_BYTES: usize = 32;

/// From about this length the crate's AVX2 code is faster, its dear set-up included.
const LONG_BYTES: usize = 16384;

type Block = Array<u8, U16>;

/// Poly1305 with a key for one message.
#[derive(Clone)]
pub struct Poly1305 {
    kernel: Kernel,
    key: [u8; KEY_LEN_BYTES],
    running: Accumulator,
    buffer: EagerBuffer<U16>,
}

/// The tag of a whole message.
#[inline(always)]
fn mac(kernel: Kernel, key: &[u8; KEY_LEN_BYTES], message: &[u8]) -> Block {
    if message.len() >= LONG_BYTES && kernel.name() == KernelName::Soft && has_avx2() {
        return long(key, message);
    }
    Array(kernel.mac(key, message))
}

/// By the `poly1305` crate, where there is AVX2 and no kernel of ours.
#[cold]
fn long(key: &[u8; KEY_LEN_BYTES], message: &[u8]) -> Block {
    let (blocks, tail) = Block::slice_as_chunks(message);
    let mut long = poly1305::Poly1305::new(key.into());
    long.update(blocks);
    let tag = long.clone().compute_unpadded(tail);
    // The crate's own wiping is a feature that would slow it for its other users in the same
    // build, so a state of a public key takes the place of the secret one.
    long = poly1305::Poly1305::new(&Default::default());
    optimization_barrier(&long);
    tag
}

impl Poly1305 {
    #[inline]
    fn keyed(key: &[u8]) -> Result<Self, InvalidLength> {
        Self::new_on(Pin::BEST, key)
    }

    fn absorb(&mut self, data: &[u8]) {
        let Self { kernel, running, buffer, .. } = self;
        buffer.digest_blocks(data, |blocks| {
            kernel.absorb(running, Array::cast_slice_to_core(blocks));
        });
    }

    fn finish(&mut self, tag: &mut Output<Self>) {
        let (_, s) = self.key.split_last_chunk().expect("the key is longer");
        tag.0 = self.kernel.finish(&mut self.running, self.buffer.get_data(), s);
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
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        let (kernel, key) = (Kernel::pinned(pin), *array(key)?);
        Ok(Self { kernel, key, running: Accumulator::new(&key), buffer: EagerBuffer::default() })
    }

    fn batch(pin: Pin, keys: &[&[u8]]) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        let zeros = vec![[0; KEY_LEN_BYTES]; keys.len()];
        let mut batch = Keys { kernel: Kernel::pinned(pin), keys: zeros };
        batch.rekey(0, keys)?;
        Ok(Box::new(batch))
    }

    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.key = *array(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        *tag = mac(self.kernel, &self.key, message);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        *tag = mac(Kernel::best(), array(key)?, message);
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

/// The keys of a batch.
struct Keys {
    kernel: Kernel,
    keys: Vec<[u8; KEY_LEN_BYTES]>,
}

/// How many messages are handed to the kernel at a time: their keys are gathered on the stack.
const GATHERED: usize = 64;

impl KeyedBatch for Keys {
    fn keys(&self) -> usize {
        self.keys.len()
    }

    fn rekey(&mut self, first: usize, keys: &[&[u8]]) -> Result<(), InvalidLength> {
        for (place, key) in self.keys[first..][..keys.len()].iter_mut().zip(keys) {
            *place = *array(key)?;
        }
        Ok(())
    }

    fn macs_into(&self, jobs: &[Job<'_>], _: usize, tags: &mut [u8]) -> Result<(), InvalidLength> {
        let (tags, _) = tags.as_chunks_mut();
        for (jobs, tags) in jobs.chunks(GATHERED).zip(tags.chunks_mut(GATHERED)) {
            let mut keys = [&[0; KEY_LEN_BYTES]; GATHERED];
            let mut messages = [&[][..]; GATHERED];
            for ((key, message), job) in keys.iter_mut().zip(&mut messages).zip(jobs) {
                (*key, *message) = (&self.keys[job.key], job.message);
            }
            self.kernel.batch(&keys[..jobs.len()], &messages[..jobs.len()], tags);
        }
        Ok(())
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        wipe(self.keys.as_flattened_mut());
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
    block_len_bytes: 16,
    paths: Paths::own::<Kernel>(),
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
