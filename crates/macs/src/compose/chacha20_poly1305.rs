//! ChaCha20-Poly1305: RFC 8439 §2.8, by RustCrypto's crate of that name.

use core::fmt;

use chacha20poly1305::aead::AeadInOut;
use cipher::array::Array;
use cipher::consts::U32;
use cipher::{Key, KeySizeUser};
use digest::KeyInit;
use zeroize::{ZeroizeOnDrop, optimization_barrier};

use super::{Composition, Header};
use crate::catalog::MacInfo;
use crate::error::Error;
use crate::kernels::Pin;
use crate::len::Len;
use crate::status::{Mode, Paths, Primitive, Standing};

/// RFC 8439 §2.8: 2^32 − 1 blocks of 64 bytes.
const MESSAGE_LEN_MAX_BYTES: u64 = (1 << 38) - 64;

/// ChaCha20-Poly1305 with nonces of 96 bits.
#[derive(Clone)]
pub struct ChaCha20Poly1305 {
    inner: chacha20poly1305::ChaCha20Poly1305,
}

impl KeySizeUser for ChaCha20Poly1305 {
    type KeySize = U32;
}

impl KeyInit for ChaCha20Poly1305 {
    fn new(key: &Key<Self>) -> Self {
        Self::keyed_on(Pin::BEST, key)
    }
}

impl Drop for ChaCha20Poly1305 {
    /// The crate's own wiping is a feature that would slow its Poly1305 for its other users in the
    /// same build, so a public key takes the place of the secret one. What the crate leaves on the
    /// stack of a message is its own.
    fn drop(&mut self) {
        self.inner = KeyInit::new(&Default::default());
        optimization_barrier(&self.inner);
    }
}

fn nonce_of(nonce: &[u8]) -> &chacha20poly1305::Nonce {
    Array::slice_as_array(nonce).expect("12 bytes, as checked")
}

impl Composition for ChaCha20Poly1305 {
    const TITLE: &'static str = MODE.title;
    const NONCE_LEN: (usize, Len) = (12, Len::Exactly(12));
    const TAG_LEN: (usize, Len) = (16, Len::Exactly(16));

    fn keyed_on(_: Pin, key: &Key<Self>) -> Self {
        Self { inner: KeyInit::new(key) }
    }

    fn message_len_max_bytes(_: usize) -> u64 {
        MESSAGE_LEN_MAX_BYTES
    }

    fn seal_checked(&self, header: Header<'_>, buffer: &mut [u8], _: usize, tag: &mut [u8]) {
        let Header { nonce, associated_data } = header;
        let sealed =
            self.inner.encrypt_inout_detached(nonce_of(nonce), associated_data, buffer.into());
        tag.copy_from_slice(&sealed.expect("lengths are as checked"));
    }

    fn open_checked(
        &self,
        header: Header<'_>,
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Result<usize, Error> {
        let Header { nonce, associated_data } = header;
        let (nonce, tag) = (nonce_of(nonce), Array::slice_as_array(tag).expect("as checked"));
        let message = (&mut *buffer).into();
        if self.inner.decrypt_inout_detached(nonce, associated_data, message, tag).is_err() {
            return Err(Error::TagMismatch);
        }
        Ok(buffer.len())
    }
}

impl ZeroizeOnDrop for ChaCha20Poly1305 {}

impl fmt::Debug for ChaCha20Poly1305 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChaCha20Poly1305 { .. }")
    }
}

pub(crate) const ROWS: &[MacInfo] =
    &[super::row::<ChaCha20Poly1305>("chacha20-poly1305", MODE.title, &MODE, &CHACHA20)
        .with_message_len_max(MESSAGE_LEN_MAX_BYTES)];

static CHACHA20: Primitive = Primitive {
    name: "chacha20",
    title: "ChaCha20",
    standing: Standing::Sound,
    note: "",
    constant_time: "yes: additions, rotations and XOR",
    block_len_bytes: 64,
    paths: Paths::Foreign(kernel),
};

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
cpufeatures::new!(avx2, "avx2");
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
cpufeatures::new!(sse2, "sse2");

/// The choice of the `chacha20` crate, 0.10, built without its cfgs.
fn kernel() -> &'static str {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if avx2::get() {
        return "avx2";
    } else if sse2::get() {
        return "sse2";
    }
    if cfg!(all(target_arch = "aarch64", target_feature = "neon")) { "neon" } else { "soft" }
}

static MODE: Mode = Mode {
    title: "ChaCha20-Poly1305",
    specification: "RFC 8439",
    standing: Standing::Conditional,
    proof: "private and authentic if ChaCha20 is a pseudorandom function (Procter 2014)",
    bound: "ChaCha20's, and for each forgery tried on messages of l 16-byte blocks about l/2^103",
    nonce: "12 bytes, never the same: one used twice gives its one-time key away, and with it \
            forgeries under that nonce, and shows the XOR of its messages",
    key_life: "no practical limit as long as nonces are counted",
    approved_by: "IETF (RFC 8439)",
    attacks: "",
};

#[cfg(test)]
mod tests {
    use super::super::check_message;
    use super::*;
    use crate::error::Input;

    #[test]
    fn a_message_is_as_long_as_the_counter_has_blocks() {
        let check = |message_len| check_message::<ChaCha20Poly1305>(12, message_len);
        assert!(check(274_877_906_880).is_ok());
        assert!(matches!(check(274_877_906_881), Err(Error::Len { what: Input::Message, .. })));
    }
}
