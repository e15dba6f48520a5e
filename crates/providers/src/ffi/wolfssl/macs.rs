//! The macs of wolfCrypt: HMAC, CMAC, GMAC, keyed BLAKE2, Poly1305, SipHash.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_int, c_uchar, c_uint, c_void};
use std::ptr::null_mut;

use zeroize::Zeroizing;

use super::{Aes, Bytes, BytesMut, Context, INVALID_DEVID, Len, Memory, WolfSsl, len};
use crate::ffi::library::functions;
use crate::{Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

functions! {
    Hmac {
        wc_HmacFinal: fn(Memory, BytesMut) -> c_int;
        wc_HmacFree: fn(Memory);
        wc_HmacInit: fn(Memory, Memory, c_int) -> c_int;
        wc_HmacSetKey: fn(Memory, c_int, Bytes, Len) -> c_int;
        wc_HmacUpdate: fn(Memory, Bytes, Len) -> c_int;
    }
}

functions! {
    /// Of the layer that is compatible with OpenSSL.
    HmacAtOnce {
        wolfSSL_HMAC: fn(
            *const c_void, Bytes, c_int, Bytes, c_int, BytesMut, *mut c_uint
        ) -> BytesMut;
    }
}

/// `wolfSSL_EVP_sha256` and its like.
type EvpMd = unsafe extern "C" fn() -> *const c_void;

functions! {
    Cmac {
        wc_AesCmacGenerate: fn(BytesMut, *mut Len, Bytes, Len, Bytes, Len) -> c_int;
    }
}

functions! {
    Gmac {
        wc_GmacSetKey: fn(Memory, Bytes, Len) -> c_int;
        wc_GmacUpdate: fn(Memory, Bytes, Len, Bytes, Len, BytesMut, Len) -> c_int;
    }
}

functions! {
    Poly1305 {
        wc_Poly1305Final: fn(Memory, BytesMut) -> c_int;
        wc_Poly1305SetKey: fn(Memory, Bytes, Len) -> c_int;
        wc_Poly1305Update: fn(Memory, Bytes, Len) -> c_int;
    }
}

functions! {
    SipHash {
        wc_SipHash: fn(Bytes, Bytes, Len, BytesMut, c_uchar) -> c_int;
    }
}

/// `wc_InitBlake2b_WithKey`, `wc_Blake2bUpdate` and `wc_Blake2bFinal`; likewise of BLAKE2s.
type Blake2Init = unsafe extern "C" fn(Memory, Len, Bytes, Len) -> c_int;
type Blake2Update = unsafe extern "C" fn(Memory, Bytes, Len) -> c_int;
type Blake2Final = unsafe extern "C" fn(Memory, BytesMut, Len) -> c_int;

/// What a function returned: zero for success.
fn done(code: c_int) -> Result<(), &'static str> {
    if code == 0 { Ok(()) } else { Err("wolfCrypt refuses it") }
}

/// A tagger of what keeps nothing of a key: every call gets it, a prepared one the same.
fn keyless(
    key_life: KeyLife,
    inputs: &Inputs<'_>,
    mut call: impl FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), &'static str> + 'static,
) -> Tagger {
    let kept = (key_life == KeyLife::Prepared).then(|| Zeroizing::new(inputs.key.to_vec()));
    let (key_len, tag_len_bytes) = (inputs.key.len(), inputs.tag_len_bytes);
    Box::new(move |key, message, tag| {
        let key = kept.as_ref().map_or(key, |key| &key[..]);
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if key.len() != key_len {
            return Err(crate::WRONG_KEY_LEN);
        }
        call(key, message, tag)
    })
}

impl WolfSsl {
    /// `hash` as in `enum wc_HashType`. A context begins anew with its key after each tag.
    pub(super) fn hmac(
        &self,
        hash: c_int,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        // SAFETY: declared after hmac.h.
        let f = unsafe { Hmac::load(&self.library) }?;
        let mut context = Context::new(f.wc_HmacFree);
        let (state, key) = (context.as_mut_ptr(), inputs.key);
        // SAFETY: zeros, and long enough (`Context`); a key of the length said.
        unsafe {
            done((f.wc_HmacInit)(state, null_mut(), INVALID_DEVID))?;
            done((f.wc_HmacSetKey)(state, hash, key.as_ptr(), len(key)?))?;
        }
        let (is_new, tag_len_bytes) = (key_life == KeyLife::NewKey, inputs.tag_len_bytes);
        Ok(Box::new(move |key, message, tag| {
            if tag.len() != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            let state = context.as_mut_ptr();
            // SAFETY: a context with a key; key and message of the lengths said, a tag as long as
            // that of the hash, by the catalog.
            unsafe {
                if is_new {
                    done((f.wc_HmacSetKey)(state, hash, key.as_ptr(), len(key)?))?;
                }
                done((f.wc_HmacUpdate)(state, message.as_ptr(), len(message)?))?;
                done((f.wc_HmacFinal)(state, tag.as_mut_ptr()))
            }
        }))
    }

    /// `md` names the function that gives the digest.
    pub(super) fn hmac_at_once(&self, md: &str, inputs: &Inputs<'_>) -> Result<Tagger, Refused> {
        // SAFETY: declared after hmac.h and evp.h of the compatible layer; digests are constants.
        let (f, md) =
            unsafe { (HmacAtOnce::load(&self.library)?, self.library.symbol::<EvpMd>(md)?()) };
        let tag_len_bytes = inputs.tag_len_bytes;
        Ok(Box::new(move |key, message, tag| {
            if tag.len() != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            let too_long = |_| "wolfCrypt takes less than 2 GiB per call";
            let key_len = c_int::try_from(key.len()).map_err(too_long)?;
            let message_len = c_int::try_from(message.len()).map_err(too_long)?;
            let (key, message, mut tag_len) = (key.as_ptr(), message.as_ptr(), len(tag)?);
            let out = tag.as_mut_ptr();
            // SAFETY: a digest; key and message of the lengths said, a tag as long as that of the
            // hash, by the catalog.
            let made = unsafe {
                (f.wolfSSL_HMAC)(md, key, key_len, message, message_len, out, &raw mut tag_len)
            };
            if made.is_null() { Err("wolfSSL_HMAC failed") } else { Ok(()) }
        }))
    }

    /// One call that does everything: a context of CMAC is wiped with its tag.
    pub(super) fn cmac(&self, key_life: KeyLife, inputs: &Inputs<'_>) -> Result<Tagger, Refused> {
        // SAFETY: declared after cmac.h.
        let Cmac { wc_AesCmacGenerate: generate } = unsafe { Cmac::load(&self.library) }?;
        Ok(keyless(key_life, inputs, move |key, message, tag| {
            let (out, mut out_len) = (tag.as_mut_ptr(), len(tag)?);
            let (message_len, key_len) = (len(message)?, len(key)?);
            let (message, key) = (message.as_ptr(), key.as_ptr());
            // SAFETY: tag, message and key of the lengths said.
            done(unsafe { generate(out, &raw mut out_len, message, message_len, key, key_len) })
        }))
    }

    pub(super) fn gmac(&self, key_life: KeyLife, inputs: &Inputs<'_>) -> Result<Tagger, Refused> {
        if key_life == KeyLife::OneShot {
            let why = "its one-shot call generates the nonce itself";
            return Err(Refused::key_life(key_life, why));
        }
        // SAFETY: declared after aes.h.
        let (aes, f) = unsafe { (Aes::load(&self.library)?, Gmac::load(&self.library)?) };
        let mut context = Context::aes(&aes, self.aes_context_len)?;
        let (key, key_len) = (inputs.key.as_ptr(), inputs.key.len());
        // SAFETY: a context of AES, of which one of GMAC consists; a key of the length said.
        done(unsafe { (f.wc_GmacSetKey)(context.as_mut_ptr(), key, len(inputs.key)?) })?;
        let (is_new, tag_len_bytes) = (key_life == KeyLife::NewKey, inputs.tag_len_bytes);
        let nonce = inputs.nonce.to_vec();
        Ok(Box::new(move |key, message, tag| {
            if tag.len() != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            let (state, (tag_len, nonce_len)) = (context.as_mut_ptr(), (len(tag)?, len(&nonce)?));
            let (message_len, message) = (len(message)?, message.as_ptr());
            // SAFETY: a context with a key; all of the lengths said.
            unsafe {
                if is_new {
                    if key.len() != key_len {
                        return Err(crate::WRONG_KEY_LEN);
                    }
                    done((f.wc_GmacSetKey)(state, key.as_ptr(), len(key)?))?;
                }
                let (nonce, out) = (nonce.as_ptr(), tag.as_mut_ptr());
                done((f.wc_GmacUpdate)(state, nonce, nonce_len, message, message_len, out, tag_len))
            }
        }))
    }

    /// `which`: `2b` or `2s`. There is no way to keep a context with its key.
    pub(super) fn blake2(
        &self,
        which: &str,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        if key_life == KeyLife::OneShot {
            return Err(crate::NO_ONE_SHOT);
        }
        // SAFETY: declared after blake2.h.
        let (init, update, finish): (Blake2Init, Blake2Update, Blake2Final) = unsafe {
            (
                self.library.symbol(&format!("wc_InitBlake{which}_WithKey"))?,
                self.library.symbol(&format!("wc_Blake{which}Update"))?,
                self.library.symbol(&format!("wc_Blake{which}Final"))?,
            )
        };
        let mut context = Context::plain();
        Ok(keyless(key_life, inputs, move |key, message, tag| {
            let state = context.as_mut_ptr();
            // SAFETY: long enough (`Context`); key, message and tag of the lengths said.
            unsafe {
                done(init(state, len(tag)?, key.as_ptr(), len(key)?))?;
                done(update(state, message.as_ptr(), len(message)?))?;
                done(finish(state, tag.as_mut_ptr(), len(tag)?))
            }
        }))
    }

    pub(super) fn poly1305(
        &self,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        match key_life {
            KeyLife::NewKey => {}
            KeyLife::OneShot => {
                let why = "its one-shot call is that of ChaCha20-Poly1305";
                return Err(Refused::key_life(key_life, why));
            }
            KeyLife::Prepared => return Err(crate::ONE_MESSAGE_KEY),
        }
        // SAFETY: declared after poly1305.h.
        let f = unsafe { Poly1305::load(&self.library) }?;
        let mut context = Context::plain();
        Ok(keyless(key_life, inputs, move |key, message, tag| {
            let state = context.as_mut_ptr();
            // SAFETY: long enough (`Context`); key and message of the lengths said, a tag of 16
            // bytes, by the catalog.
            unsafe {
                done((f.wc_Poly1305SetKey)(state, key.as_ptr(), len(key)?))?;
                done((f.wc_Poly1305Update)(state, message.as_ptr(), len(message)?))?;
                done((f.wc_Poly1305Final)(state, tag.as_mut_ptr()))
            }
        }))
    }

    /// One call that does everything.
    pub(super) fn siphash(
        &self,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Tagger, Refused> {
        // SAFETY: declared after siphash.h.
        let SipHash { wc_SipHash: hash } = unsafe { SipHash::load(&self.library) }?;
        // 8 or 16, by the catalog.
        let tag_len = if inputs.tag_len_bytes == 8 { 8 } else { 16 };
        Ok(keyless(key_life, inputs, move |key, message, tag| {
            let (message_len, key) = (len(message)?, key.as_ptr());
            // SAFETY: a key of 16 bytes and such a tag, by the catalog; a message of the length
            // said.
            done(unsafe { hash(key, message.as_ptr(), message_len, tag.as_mut_ptr(), tag_len) })
        }))
    }
}
