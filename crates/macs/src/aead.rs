//! The compositions as the types of RustCrypto's `aes-gcm`, `aes-gcm-siv`, `ccm`, `eax` and the
//! `ChaCha20Poly1305` of its `chacha20poly1305`, with the traits of its `aead`. For users of those
//! crates, [`rustcrypto`](crate::rustcrypto) has them by the paths that they know, and says what is
//! not here. The lengths of nonce and tag are part of the type. For lengths that are known only at
//! run time, see [`Composition`].
//!
#![cfg_attr(all(feature = "gcm", feature = "aes", feature = "alloc"), doc = "```")]
#![cfg_attr(not(all(feature = "gcm", feature = "aes", feature = "alloc")), doc = "```ignore")]
//! use macs::aead::{Aead, Aes256Gcm, KeyInit};
//!
//! let cipher = Aes256Gcm::new(&[7; 32].into());
//! let nonce = [1; 12].into(); // never twice under one key
//! let sealed = cipher.encrypt(&nonce, b"a message".as_slice())?;
//! assert_eq!(cipher.decrypt(&nonce, sealed.as_slice())?, b"a message");
//! # Ok::<(), macs::aead::Error>(())
//! ```

use core::fmt;
use core::marker::PhantomData;

use ::aead::inout::InOutBuf;
use digest::array::{Array, ArraySize};
#[cfg(any(
    all(feature = "gcm", feature = "aes"),
    feature = "chacha20poly1305",
    feature = "gcm-siv"
))]
use digest::consts::U12;
use digest::consts::U16;
use zeroize::ZeroizeOnDrop;

#[cfg(any(feature = "ccm", feature = "eax", feature = "gcm"))]
use crate::ciphers::AnyCipher;
#[cfg(all(feature = "gcm", feature = "aes"))]
use crate::ciphers::{Aes128, Aes192, Aes256};
use crate::composition::{self, Composition, Header};

#[cfg(feature = "alloc")]
pub use ::aead::Aead;
pub use ::aead::{
    AeadCore, AeadInOut, Buffer, Error, Key, KeyInit, KeySizeUser, Payload, TagPosition, array,
    consts, inout,
};

/// A nonce of this length.
pub type Nonce<Size> = Array<u8, Size>;

/// A tag of this length.
pub type Tag<Size = U16> = Array<u8, Size>;

/// GCM over the block cipher `C`.
#[cfg(feature = "gcm")]
pub type AesGcm<C, NonceSize, TagSize = U16> =
    OfSizes<crate::Gcm<<C as AnyCipher>::Cipher>, NonceSize, TagSize>;
/// GCM over AES-128, with nonces of 12 bytes.
#[cfg(all(feature = "gcm", feature = "aes"))]
pub type Aes128Gcm = AesGcm<Aes128, U12>;
/// GCM over AES-192, with nonces of 12 bytes.
#[cfg(all(feature = "gcm", feature = "aes"))]
pub type Aes192Gcm = AesGcm<Aes192, U12>;
/// GCM over AES-256, with nonces of 12 bytes.
#[cfg(all(feature = "gcm", feature = "aes"))]
pub type Aes256Gcm = AesGcm<Aes256, U12>;
/// GCM-SIV (RFC 8452) over `C`, one of the two lengths of AES in this crate.
#[cfg(feature = "gcm-siv")]
pub type AesGcmSiv<C> = OfSizes<crate::GcmSiv<C>, U12, U16>;
/// AES-GCM-SIV with a key of 128 bits (RFC 8452).
#[cfg(feature = "gcm-siv")]
pub type Aes128GcmSiv = AesGcmSiv<crate::ciphers::Aes128>;
/// AES-GCM-SIV with a key of 256 bits (RFC 8452).
#[cfg(feature = "gcm-siv")]
pub type Aes256GcmSiv = AesGcmSiv<crate::ciphers::Aes256>;
/// CCM over the block cipher `C`.
#[cfg(feature = "ccm")]
pub type Ccm<C, TagSize, NonceSize> =
    OfSizes<crate::Ccm<<C as AnyCipher>::Cipher>, NonceSize, TagSize>;
/// EAX over the block cipher `C`, of 128-bit blocks.
#[cfg(feature = "eax")]
pub type Eax<C, TagSize = U16> = OfSizes<crate::Eax<<C as AnyCipher>::Cipher>, U16, TagSize>;
/// ChaCha20-Poly1305 (RFC 8439).
#[cfg(feature = "chacha20poly1305")]
pub type ChaCha20Poly1305 = OfSizes<crate::ChaCha20Poly1305, U12, U16>;

/// A composition with nonces and tags of lengths known to the compiler.
pub struct OfSizes<C, NonceSize, TagSize> {
    composition: C,
    sizes: PhantomData<fn() -> (NonceSize, TagSize)>,
}

impl<C: Composition, N: ArraySize, T: ArraySize> OfSizes<C, N, T> {
    /// Refused by the compiler: lengths that the composition does not take.
    const TAKES_SIZES: () = {
        assert!(C::NONCE_LEN.1.accepts(N::USIZE), "the composition takes no nonce of this length");
        assert!(C::TAG_LEN.1.accepts(T::USIZE), "the composition has no tag of this length");
    };
}

impl<C: KeySizeUser, N, T> KeySizeUser for OfSizes<C, N, T> {
    type KeySize = C::KeySize;
}

impl<C: Composition, N: ArraySize, T: ArraySize> KeyInit for OfSizes<C, N, T> {
    #[inline]
    fn new(key: &Key<Self>) -> Self {
        const { Self::TAKES_SIZES }
        Self { composition: C::new(key), sizes: PhantomData }
    }
}

impl<C: Composition, N: ArraySize, T: ArraySize> AeadCore for OfSizes<C, N, T> {
    type NonceSize = N;
    type TagSize = T;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<C: Composition, N: ArraySize, T: ArraySize> AeadInOut for OfSizes<C, N, T> {
    fn encrypt_inout_detached(
        &self,
        nonce: &Array<u8, N>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<Array<u8, T>, Error> {
        let buffer = buffer.into_out_with_copied_in();
        let (header, mut tag) = (Header { nonce, associated_data }, Array::default());
        let len = buffer.len();
        let sealed = composition::seal(&self.composition, T::USIZE, header, buffer, len, &mut tag);
        sealed.map(|()| tag).map_err(|_| Error)
    }

    fn decrypt_inout_detached(
        &self,
        nonce: &Array<u8, N>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &Array<u8, T>,
    ) -> Result<(), Error> {
        let buffer = buffer.into_out_with_copied_in();
        let header = Header { nonce, associated_data };
        let opened = composition::open(&self.composition, T::USIZE, header, buffer, tag);
        opened.map(|_| ()).map_err(|_| Error)
    }
}

impl<C: Clone, N, T> Clone for OfSizes<C, N, T> {
    fn clone(&self) -> Self {
        Self { composition: self.composition.clone(), sizes: PhantomData }
    }
}

impl<C, N, T> fmt::Debug for OfSizes<C, N, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OfSizes { .. }")
    }
}

impl<C: ZeroizeOnDrop, N, T> ZeroizeOnDrop for OfSizes<C, N, T> {}
