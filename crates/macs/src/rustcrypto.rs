//! A module for each crate of RustCrypto's whose types this crate replaces, by the same names: an
//! import begins with `macs::rustcrypto::` and is otherwise the same.
//!
#![cfg_attr(all(feature = "hmac", feature = "sha256"), doc = "```")]
#![cfg_attr(not(all(feature = "hmac", feature = "sha256")), doc = "```ignore")]
//! use macs::rustcrypto::hmac::{Hmac, KeyInit, Mac}; // it was `hmac::{Hmac, KeyInit, Mac}`
//!
//! let mac = Hmac::<sha2::Sha256>::new_from_slice(b"key")?;
//! let tag = mac.chain_update(b"a message").finalize().into_bytes();
//! # assert_eq!(tag.len(), 32);
//! # Ok::<(), macs::digest::InvalidLength>(())
//! ```
//!
//! Hashes and ciphers may stay those of `sha2` and `aes`, or become the faster ones of
//! [`compression`](crate::compression) and [`ciphers`](crate::ciphers): the types there are for the
//! MACs of this crate, and no hashes by themselves.
//!
//! What is not here: XChaCha, reduced rounds and the generic `ChaChaPoly1305`, `eax::online`, the
//! bounds `EagerHash`, `SmallBlockSizeUser`, `TagSize` and `NonceSize`, the constants of greatest
//! lengths (`P_MAX` and the like), `aead`'s crate features (random keys and nonces by `Generate`,
//! and buffers of other crates, are had by enabling them in a dependency on `aead`), the modules
//! `block_api`, and hashes and ciphers of other crates under GCM-SIV. And [`Hmac`](crate::Hmac),
//! [`Cmac`](crate::Cmac), `AesGcm` and the others are aliases that ask the hash or cipher for the
//! type: so the compiler cannot tell `D` from an `Hmac<D>` that it is given. A function generic in
//! the hash, `fn tag<D: …>(mac: Hmac<D>)`, is best made generic in the MAC, `fn tag<M: Mac>(mac:
//! M)`; where it has to name the hash, its bound becomes [`HmacHash`](crate::HmacHash), or
//! [`AnyCipher`](crate::ciphers::AnyCipher) for a cipher, and its caller writes the hash out.

/// In place of the crate `hmac`. What that has four types for, because of the hashes they take and
/// whether they can be reset, is one here.
#[cfg(feature = "hmac")]
pub mod hmac {
    pub use crate::Hmac;
    pub use digest::{self, KeyInit, Mac};

    /// HMAC that can be reset.
    pub type HmacReset<D> = Hmac<D>;
    /// HMAC over a hash that is not eager.
    pub type SimpleHmac<D> = Hmac<D>;
    /// The same, which can be reset.
    pub type SimpleHmacReset<D> = Hmac<D>;
}

/// In place of the crate `cmac`.
#[cfg(feature = "cmac")]
pub mod cmac {
    pub use crate::Cmac;
    pub use digest::{self, KeyInit, Mac};
}

/// In place of the crate `pmac`.
#[cfg(feature = "pmac")]
pub mod pmac {
    pub use crate::Pmac;
    pub use digest::{self, KeyInit, Mac};
}

/// In place of the crate `cbc-mac`.
#[cfg(feature = "cbc-mac")]
pub mod cbc_mac {
    pub use crate::CbcMac;
    pub use digest::{self, KeyInit, Mac};
}

/// In place of the crate `aes-gcm`.
#[cfg(all(feature = "aead", feature = "aes", feature = "gcm"))]
pub mod aes_gcm {
    pub use crate::aead::{Aes128Gcm, Aes256Gcm, AesGcm, Nonce, Tag};
    pub use ::aead::{self, AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser};

    pub use super::aes;
}

/// In place of the crate `aes-gcm-siv`.
#[cfg(all(feature = "aead", feature = "gcm-siv"))]
pub mod aes_gcm_siv {
    use digest::consts::{U12, U16};

    pub use crate::aead::{Aes128GcmSiv, Aes256GcmSiv, AesGcmSiv};
    pub use ::aead::{self, AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser};

    pub use super::aes;

    /// A nonce of 12 bytes.
    pub type Nonce = crate::aead::Nonce<U12>;
    /// A tag of 16 bytes.
    pub type Tag = crate::aead::Tag<U16>;
}

/// In place of the crate `ccm`.
#[cfg(all(feature = "aead", feature = "ccm"))]
pub mod ccm {
    pub use crate::aead::{Ccm, Nonce, Tag};
    pub use ::aead::{self, AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser, consts};
}

/// In place of the crate `chacha20poly1305`.
#[cfg(all(feature = "aead", feature = "chacha20poly1305"))]
pub mod chacha20poly1305 {
    use digest::consts::{U12, U16};
    use digest::typenum::U32;

    pub use crate::aead::ChaCha20Poly1305;
    pub use ::aead::{self, AeadCore, AeadInOut, Error, KeyInit, KeySizeUser, consts};

    /// A key of 32 bytes.
    pub type Key = ::aead::array::Array<u8, U32>;
    /// A nonce of 12 bytes.
    pub type Nonce = crate::aead::Nonce<U12>;
    /// A tag of 16 bytes.
    pub type Tag = crate::aead::Tag<U16>;
}

/// In place of the crate `eax`.
#[cfg(all(feature = "aead", feature = "eax"))]
pub mod eax {
    pub use crate::aead::{Eax, Nonce, Tag};
    pub use ::aead::{self, AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser};
    pub use ::cipher;
}

/// What `aes-gcm` and `aes-gcm-siv` have of the crate `aes`: the ciphers of this crate.
#[cfg(all(feature = "aead", feature = "aes"))]
pub mod aes {
    pub use crate::ciphers::{Aes128, Aes192, Aes256};
}
