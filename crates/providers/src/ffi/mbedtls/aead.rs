//! What takes a nonce: GMAC, and the compositions CCM, GCM and ChaCha20-Poly1305. One call seals a
//! message in a context that has a key.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_int, c_uint};

use macs::MacInfo;

use super::super::fixed_keys::FixedKeys;
use super::library::{Context, Functions, GCM_LEN_BYTES, USUAL_LEN_BYTES};
use crate::peer::Sealer;
use crate::{Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

// Of cipher.h, gcm.h, ccm.h and chachapoly.h, the same in both versions.
const CIPHER_ID_AES: c_int = 2;
const ENCRYPT: c_int = 1;
const GCM_AUTH_FAILED: c_int = -0x0012;
const CCM_AUTH_FAILED: c_int = -0x000F;
const CHACHAPOLY_AUTH_FAILED: c_int = -0x0056;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Ccm,
    ChaChaPoly,
    Gcm,
}

/// What is the same for all messages of a sealer.
struct Aead {
    functions: &'static Functions,
    scheme: Scheme,
    context: Context,
    nonce: Vec<u8>,
}

impl Aead {
    fn new(f: &'static Functions, scheme: Scheme, inputs: &Inputs<'_>) -> Result<Self, Refused> {
        let (nonce, tag) = (inputs.nonce.len(), inputs.tag_len_bytes);
        if scheme == Scheme::ChaChaPoly && (nonce, tag) != (12, 16) {
            return Err(crate::usual_lengths_only(nonce, tag));
        }
        let (init, free) = match scheme {
            Scheme::Ccm => (f.mbedtls_ccm_init, f.mbedtls_ccm_free),
            Scheme::ChaChaPoly => (f.mbedtls_chachapoly_init, f.mbedtls_chachapoly_free),
            Scheme::Gcm => (f.mbedtls_gcm_init, f.mbedtls_gcm_free),
        };
        let len_bytes = if scheme == Scheme::Gcm { GCM_LEN_BYTES } else { USUAL_LEN_BYTES };
        let context = Context::new(len_bytes, init, free);
        Ok(Self { functions: f, scheme, context, nonce: inputs.nonce.to_vec() })
    }

    /// The key must have the length that the mac's definition gives it.
    #[inline]
    fn key(&mut self, key: &[u8]) -> Result<(), &'static str> {
        let (f, context) = (self.functions, self.context.as_mut_ptr());
        let (data, bits) = (key.as_ptr(), 8 * key.len() as c_uint);
        // SAFETY: a context that is initialised, with a key or without; a key whose length is said
        // in bits, or which has the 32 bytes of ChaCha20.
        let error = unsafe {
            match self.scheme {
                Scheme::Ccm => (f.mbedtls_ccm_setkey)(context, CIPHER_ID_AES, data, bits),
                Scheme::ChaChaPoly => (f.mbedtls_chachapoly_setkey)(context, data),
                Scheme::Gcm => (f.mbedtls_gcm_setkey)(context, CIPHER_ID_AES, data, bits),
            }
        };
        if error == 0 { Ok(()) } else { Err("the library refuses the key") }
    }

    /// The ciphertext must be as long as the message.
    #[inline]
    fn seal(
        &mut self,
        associated_data: &[u8],
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        let (f, context) = (self.functions, self.context.as_mut_ptr());
        let (nonce, nonce_len) = (self.nonce.as_ptr(), self.nonce.len());
        let (ad, ad_len) = (associated_data.as_ptr(), associated_data.len());
        let (input, len, output) = (message.as_ptr(), message.len(), ciphertext.as_mut_ptr());
        let (tag_len, tag) = (tag.len(), tag.as_mut_ptr());
        // SAFETY: a context with a key; all data of the lengths said, the output as long as the
        // input; with ChaCha20 nonce and tag of the lengths that `new` checked.
        let error = unsafe {
            match self.scheme {
                Scheme::Ccm => (f.mbedtls_ccm_encrypt_and_tag)(
                    context, len, nonce, nonce_len, ad, ad_len, input, output, tag, tag_len,
                ),
                Scheme::ChaChaPoly => (f.mbedtls_chachapoly_encrypt_and_tag)(
                    context, len, nonce, ad, ad_len, input, output, tag,
                ),
                Scheme::Gcm => (f.mbedtls_gcm_crypt_and_tag)(
                    context, ENCRYPT, len, nonce, nonce_len, ad, ad_len, input, output, tag_len,
                    tag,
                ),
            }
        };
        if error == 0 { Ok(()) } else { Err("the library refuses these lengths") }
    }
}

/// GCM of no message, with the message as associated data.
pub(super) fn gmac(
    f: &'static Functions,
    info: &'static MacInfo,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    if key_life == KeyLife::OneShot {
        return Err(crate::no_one_shot_of(info));
    }
    let (mut keys, tag_len_bytes) = (FixedKeys::of(info), inputs.tag_len_bytes);
    let mut gcm = Aead::new(f, Scheme::Gcm, inputs)?;
    gcm.key(keys.checked(inputs.key)?)?;
    let prepared = key_life == KeyLife::Prepared;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if !prepared {
            gcm.key(keys.checked(key)?)?;
        }
        gcm.seal(message, &[], &mut [], tag)
    }))
}

pub(super) fn sealer(
    f: &'static Functions,
    info: &'static MacInfo,
    scheme: Scheme,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Sealer, Refused> {
    let (mut keys, tag_len_bytes) = (FixedKeys::of(info), inputs.tag_len_bytes);
    let associated_data = inputs.associated_data.to_vec();
    let mut aead = Aead::new(f, scheme, inputs)?;
    aead.key(keys.checked(inputs.key)?)?;
    let prepared = key_life == KeyLife::Prepared;
    Ok(Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != tag_len_bytes || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        if !prepared {
            aead.key(keys.checked(key)?)?;
        }
        aead.seal(&associated_data, message, ciphertext, tag)
    }))
}

pub(super) fn unseal(
    f: &'static Functions,
    info: &'static MacInfo,
    scheme: Scheme,
    inputs: &Inputs<'_>,
    tag: &[u8],
) -> Result<Option<Vec<u8>>, Refused> {
    let mut aead = Aead::new(f, scheme, &Inputs { tag_len_bytes: tag.len(), ..*inputs })?;
    aead.key(FixedKeys::of(info).checked(inputs.key)?)?;
    let (context, mut opened) = (aead.context.as_mut_ptr(), vec![0; inputs.message.len()]);
    let (nonce, nonce_len) = (inputs.nonce.as_ptr(), inputs.nonce.len());
    let (ad, ad_len) = (inputs.associated_data.as_ptr(), inputs.associated_data.len());
    let (input, len, output) = (inputs.message.as_ptr(), inputs.message.len(), opened.as_mut_ptr());
    let (tag_len, tag) = (tag.len(), tag.as_ptr());
    // SAFETY: a context with a key; all data of the lengths said, the output as long as the input;
    // with ChaCha20 nonce and tag of the lengths that `Aead::new` checked.
    let error = unsafe {
        match scheme {
            Scheme::Ccm => (f.mbedtls_ccm_auth_decrypt)(
                context, len, nonce, nonce_len, ad, ad_len, input, output, tag, tag_len,
            ),
            Scheme::ChaChaPoly => (f.mbedtls_chachapoly_auth_decrypt)(
                context, len, nonce, ad, ad_len, tag, input, output,
            ),
            Scheme::Gcm => (f.mbedtls_gcm_auth_decrypt)(
                context, len, nonce, nonce_len, ad, ad_len, tag, tag_len, input, output,
            ),
        }
    };
    match error {
        0 => Ok(Some(opened)),
        GCM_AUTH_FAILED | CCM_AUTH_FAILED | CHACHAPOLY_AUTH_FAILED => Ok(None),
        _ => Err(Refused::Call("the library refuses these lengths").of(info.name)),
    }
}
