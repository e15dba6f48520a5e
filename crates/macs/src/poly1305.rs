//! Poly1305 with its one-time key r ‖ s: RFC 8439 §2.5, D. J. Bernstein, "The Poly1305-AES
//! message-authentication code", 2005. The key is of one message: there is nothing to prepare.

#[cfg(feature = "batch")]
mod batch;

#[cfg(feature = "batch")]
use alloc::boxed::Box;

use digest::array::Array;
use digest::block_buffer::EagerBuffer;
use digest::consts::{U16, U32};
use digest::{InvalidLength, Output};

use crate::digest_traits::digest_traits;
use crate::facts::{ConstantTime, Facts, Hardware, KeyLife, Kind, Prf, Quantum, ShortTags};
#[cfg(feature = "batch")]
use crate::inside::Inside;
use crate::kernels::poly1305::{Accumulator, Kernel};
use crate::kernels::{Choice, Pin};
#[cfg(feature = "batch")]
use crate::keyed::KeyedBatch;
use crate::len::Len;
use crate::prepared::{ByRow, PreparedMac};
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};
use crate::wipe::{overwrite, wipe_buffer};

const KEY_LEN_BYTES: usize = 32;

/// Poly1305 with a key for one message.
#[derive(Clone)]
pub struct Poly1305 {
    kernel: Kernel,
    key: [u8; KEY_LEN_BYTES],
    running: Accumulator,
    buffer: EagerBuffer<U16>,
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

impl ByRow for Poly1305 {
    #[cfg(feature = "batch")]
    fn batch(pin: Pin, keys: &[&[u8]], _: Inside) -> Result<Box<dyn KeyedBatch>, InvalidLength> {
        batch::Keys::boxed(Kernel::pinned(pin), keys)
    }
}

impl PreparedMac for Poly1305 {
    #[inline]
    fn new_on(pin: Pin, key: &[u8]) -> Result<Self, InvalidLength> {
        let (kernel, key) = (Kernel::pinned(pin), *array(key)?);
        Ok(Self { kernel, key, running: Accumulator::new(&key), buffer: EagerBuffer::default() })
    }

    #[inline]
    fn rekey(&mut self, key: &[u8]) -> Result<(), InvalidLength> {
        self.key = *array(key)?;
        self.restart();
        Ok(())
    }

    #[inline]
    fn mac_into(&self, message: &[u8], tag: &mut Output<Self>) {
        tag.0 = self.kernel.mac(&self.key, message);
    }

    #[inline]
    fn mac_once(key: &[u8], message: &[u8], tag: &mut Output<Self>) -> Result<(), InvalidLength> {
        tag.0 = Kernel::best().mac(array(key)?, message);
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
    constant_time: ConstantTime::Mostly("where multiplication is"),
    hardware: Hardware::None,
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
    facts: Facts {
        kind: Kind::OneTimeMac,
        prf: Prf::No,
        short_tags: ShortTags::No,
        key_life: KeyLife::OneMessage,
        quantum: Quantum::Nothing,
        ..Facts::MAC
    },
};
