//! What takes neither nonce nor associated data: HMAC, CMAC and Poly1305.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::CStr;

use macs::MacInfo;

use super::super::fixed_keys::FixedKeys;
use super::library::{Context, Described, Functions, USUAL_LEN_BYTES};
use crate::{Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

pub(super) fn hmac(
    f: &'static Functions,
    hash: &CStr,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let tag_len_bytes = inputs.tag_len_bytes;
    // SAFETY: a string that ends with zero; the description is of the library's own, or null.
    let described = unsafe { (f.mbedtls_md_info_from_string)(hash.as_ptr()) };
    let absent = || Refused::not_here(format!("hash {}", hash.to_string_lossy()));
    if described.is_null() {
        return Err(absent());
    }
    // SAFETY: a description of a hash.
    if usize::from(unsafe { (f.mbedtls_md_get_size)(described) }) != tag_len_bytes {
        return Err(absent());
    }
    if key_life == KeyLife::OneShot {
        return Ok(hmac_at_once(f, described, tag_len_bytes));
    }
    let mut context = Context::new(USUAL_LEN_BYTES, f.mbedtls_md_init, f.mbedtls_md_free);
    let (key, key_len) = (inputs.key.as_ptr(), inputs.key.len());
    // SAFETY: a context as it was initialised, for HMAC; a key of the length said.
    let ready = unsafe {
        (f.mbedtls_md_setup)(context.as_mut_ptr(), described, 1) == 0
            && (f.mbedtls_md_hmac_starts)(context.as_mut_ptr(), key, key_len) == 0
    };
    if !ready {
        return Err("mbedtls_md_setup or mbedtls_md_hmac_starts failed".into());
    }
    let prepared = key_life == KeyLife::Prepared;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        let hmac = context.as_mut_ptr();
        // SAFETY: a context that was set up and has a key; key and message of the lengths said; a
        // tag as long as the hash.
        let done = unsafe {
            let begun = if prepared {
                (f.mbedtls_md_hmac_reset)(hmac)
            } else {
                (f.mbedtls_md_hmac_starts)(hmac, key.as_ptr(), key.len())
            };
            begun == 0
                && (f.mbedtls_md_hmac_update)(hmac, message.as_ptr(), message.len()) == 0
                && (f.mbedtls_md_hmac_finish)(hmac, tag.as_mut_ptr()) == 0
        };
        if done { Ok(()) } else { Err("mbedtls_md_hmac failed") }
    }))
}

/// By a function that does everything. The tag length is that of the hash described.
fn hmac_at_once(f: &'static Functions, described: Described, tag_len_bytes: usize) -> Tagger {
    Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        let (data, len) = (message.as_ptr(), message.len());
        // SAFETY: key and message of the lengths said; a tag as long as the hash.
        let error = unsafe {
            let (key, key_len, tag) = (key.as_ptr(), key.len(), tag.as_mut_ptr());
            (f.mbedtls_md_hmac)(described, key, key_len, data, len, tag)
        };
        if error == 0 { Ok(()) } else { Err("mbedtls_md_hmac failed") }
    })
}

/// A context of a cipher with a key. To start a CMAC in one that has been started loses the memory
/// of the first one, so that it is freed for each new key.
struct Cmac {
    functions: &'static Functions,
    described: Described,
    context: Context,
}

impl Cmac {
    fn new(f: &'static Functions, described: Described) -> Self {
        let context = Context::new(USUAL_LEN_BYTES, f.mbedtls_cipher_init, f.mbedtls_cipher_free);
        Self { functions: f, described, context }
    }

    #[inline]
    fn start(&mut self, key: &[u8]) -> Result<(), &'static str> {
        let (f, cipher) = (self.functions, self.context.as_mut_ptr());
        // SAFETY: a context that is initialised, started or not; a description of a cipher; a key
        // whose length is said in bits.
        let ready = unsafe {
            (f.mbedtls_cipher_free)(cipher);
            (f.mbedtls_cipher_init)(cipher);
            (f.mbedtls_cipher_setup)(cipher, self.described) == 0
                && (f.mbedtls_cipher_cmac_starts)(cipher, key.as_ptr(), 8 * key.len()) == 0
        };
        if ready { Ok(()) } else { Err("mbedtls_cipher_cmac_starts refuses the key") }
    }

    #[inline]
    fn reset(&mut self) -> Result<(), &'static str> {
        // SAFETY: a context in which a CMAC was started.
        let error =
            unsafe { (self.functions.mbedtls_cipher_cmac_reset)(self.context.as_mut_ptr()) };
        if error == 0 { Ok(()) } else { Err("mbedtls_cipher_cmac_reset failed") }
    }

    /// The tag must be as long as a block.
    #[inline]
    fn tag(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
        let (f, cipher) = (self.functions, self.context.as_mut_ptr());
        // SAFETY: a context in which a CMAC was started; a message of the length said; a tag as
        // long as a block.
        let done = unsafe {
            (f.mbedtls_cipher_cmac_update)(cipher, message.as_ptr(), message.len()) == 0
                && (f.mbedtls_cipher_cmac_finish)(cipher, tag.as_mut_ptr()) == 0
        };
        if done { Ok(()) } else { Err("mbedtls_cipher_cmac_update failed") }
    }
}

/// The tag of the catalog's CMACs is as long as a block: 16 bytes with AES, 8 with TDES.
pub(super) fn cmac(
    f: &'static Functions,
    info: &'static MacInfo,
    cipher: &CStr,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let (mut keys, tag_len_bytes) = (FixedKeys::of(info), info.tag_len_bytes);
    // SAFETY: a string that ends with zero; the description is of the library's own, or null.
    let described = unsafe { (f.mbedtls_cipher_info_from_string)(cipher.as_ptr()) };
    if described.is_null() {
        return Err(Refused::not_here(format!("cipher {}", cipher.to_string_lossy())));
    }
    if key_life == KeyLife::OneShot {
        return Ok(Box::new(move |key, message, tag| {
            if tag.len() != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            let key = keys.checked(key)?;
            let (data, len) = (message.as_ptr(), message.len());
            // SAFETY: a key whose length is said in bits; a message of the length said; a tag as
            // long as a block.
            let error = unsafe {
                let (key, bits, tag) = (key.as_ptr(), 8 * key.len(), tag.as_mut_ptr());
                (f.mbedtls_cipher_cmac)(described, key, bits, data, len, tag)
            };
            if error == 0 { Ok(()) } else { Err("mbedtls_cipher_cmac failed") }
        }));
    }
    let mut cmac = Cmac::new(f, described);
    cmac.start(keys.checked(inputs.key)?)?;
    let prepared = key_life == KeyLife::Prepared;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if prepared {
            cmac.reset()?;
        } else {
            cmac.start(keys.checked(key)?)?;
        }
        cmac.tag(message, tag)
    }))
}

/// One function is all there is of it.
pub(super) fn cmac_prf(
    f: &'static Functions,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    if key_life == KeyLife::Prepared {
        return Err(Refused::key_life(key_life, "it has no context that keeps a key"));
    }
    if inputs.tag_len_bytes != 16 {
        return Err(WRONG_TAG_LEN.into());
    }
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != 16 {
            return Err(WRONG_TAG_LEN);
        }
        let (data, len) = (message.as_ptr(), message.len());
        // SAFETY: key and message of the lengths said; a tag of 16 bytes.
        let error = unsafe {
            (f.mbedtls_aes_cmac_prf_128)(key.as_ptr(), key.len(), data, len, tag.as_mut_ptr())
        };
        if error == 0 { Ok(()) } else { Err("mbedtls_aes_cmac_prf_128 failed") }
    }))
}

pub(super) fn poly1305(
    f: &'static Functions,
    info: &'static MacInfo,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    if key_life == KeyLife::Prepared {
        return Err(crate::ONE_MESSAGE_KEY);
    }
    if inputs.tag_len_bytes != 16 {
        return Err(WRONG_TAG_LEN.into());
    }
    let (mut keys, at_once) = (FixedKeys::of(info), key_life == KeyLife::OneShot);
    let mut context =
        Context::new(USUAL_LEN_BYTES, f.mbedtls_poly1305_init, f.mbedtls_poly1305_free);
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != 16 {
            return Err(WRONG_TAG_LEN);
        }
        let (key, tag) = (keys.checked(key)?.as_ptr(), tag.as_mut_ptr());
        let (data, len, poly1305) = (message.as_ptr(), message.len(), context.as_mut_ptr());
        // SAFETY: a key of 32 bytes, by the catalog; a message of the length said; a tag of 16
        // bytes; a context that is initialised.
        let done = unsafe {
            if at_once {
                (f.mbedtls_poly1305_mac)(key, data, len, tag) == 0
            } else {
                (f.mbedtls_poly1305_starts)(poly1305, key) == 0
                    && (f.mbedtls_poly1305_update)(poly1305, data, len) == 0
                    && (f.mbedtls_poly1305_finish)(poly1305, tag) == 0
            }
        };
        if done { Ok(()) } else { Err("mbedtls_poly1305 failed") }
    }))
}
