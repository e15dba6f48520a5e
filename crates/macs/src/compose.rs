//! Authenticated encryption composed of a cipher and a mac, in place: seal turns a message into a
//! ciphertext and a tag, open turns them back or gives nothing. Each composition is a file.

#[cfg(feature = "aegis-aead")]
pub(crate) mod aegis;
#[cfg(feature = "compositions")]
pub(crate) mod cbc_then_cmac;
#[cfg(feature = "ccm")]
pub(crate) mod ccm;
#[cfg(feature = "chacha20poly1305")]
pub(crate) mod chacha20_poly1305;
#[cfg(all(feature = "batch", any(feature = "ccm", feature = "eax")))]
mod chains;
#[cfg(feature = "compositions")]
pub(crate) mod ctr_and_cmac;
#[cfg(feature = "compositions")]
pub(crate) mod ctr_then_cmac;
#[cfg(feature = "eax")]
pub(crate) mod eax;
#[cfg(feature = "gcm")]
pub(crate) mod gcm;
#[cfg(feature = "gcm-siv")]
pub(crate) mod gcm_siv;
#[cfg(any(feature = "compositions", feature = "siv"))]
mod key_pair;
#[cfg(feature = "siv")]
pub(crate) mod siv;

#[cfg(feature = "aegis-aead")]
pub use aegis::AegisAead;
#[cfg(feature = "compositions")]
pub use cbc_then_cmac::CbcThenCmac;
#[cfg(feature = "ccm")]
pub use ccm::Ccm;
#[cfg(feature = "chacha20poly1305")]
pub use chacha20_poly1305::ChaCha20Poly1305;
#[cfg(feature = "compositions")]
pub use ctr_and_cmac::CtrAndCmac;
#[cfg(feature = "compositions")]
pub use ctr_then_cmac::CtrThenCmac;
#[cfg(feature = "eax")]
pub use eax::Eax;
#[cfg(feature = "gcm")]
pub use gcm::Gcm;
#[cfg(feature = "gcm-siv")]
pub use gcm_siv::{GcmSiv, SivCipher};
#[cfg(any(feature = "compositions", feature = "siv"))]
pub use key_pair::Paired;
#[cfg(feature = "siv")]
pub use siv::Siv;

use crate::composition::Composition;
use crate::len::Len;
use crate::row::MacInfo;
use crate::status::{Mode, Primitive};

/// The catalog row of a composition: its lengths but the key's are the type's.
const fn row<C: Composition>(
    name: &'static str,
    title: &'static str,
    mode: &'static Mode,
    primitive: &'static Primitive,
    key_len: (usize, Len),
) -> MacInfo {
    MacInfo::composition::<C>(name, title, mode, primitive, key_len, C::NONCE_LEN, C::TAG_LEN)
        .with_short_tag_len(C::SHORT_TAG_LEN)
}

/// What a tag may be cut to: its leftmost bytes.
const fn leftmost(tag_len_bytes: usize) -> (usize, Len) {
    (tag_len_bytes, Len::Between(1, tag_len_bytes as u64))
}

/// The most associated data whose length in bits fits 64 bits.
const COUNTED_IN_64_BITS: Len = Len::Between(0, (1 << 61) - 1);
