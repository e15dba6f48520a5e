//! The calls of OpenSSL 3.0 and later: a kept `EVP_MAC_CTX`, and `EVP_Q_mac`. The algorithm is
//! fetched and the context made when a mac is opened; a call restarts, updates and finishes it.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ptr::{null, null_mut};

use super::library::{EvpMac, Opaque};
use super::param::Param;
use super::primitive::{Primitive, Restart, Settings};

/// A kept context of one mac.
pub(super) struct EvpMacContext {
    functions: &'static EvpMac,
    /// Never null; freed, and the key in it wiped, on drop.
    context: Opaque,
    tag_len_bytes: usize,
    /// Given again with each message; empty where the mac takes none.
    nonce: Box<[u8]>,
}

impl EvpMacContext {
    pub(super) fn new(
        functions: &'static EvpMac,
        primitive: &'static Primitive,
        key: &[u8],
        settings: &Settings<'_>,
    ) -> Result<Self, &'static str> {
        let name = primitive.mac_name().as_ptr();
        // SAFETY: the name is zero-ended; a null library context is the default one.
        let fetched = unsafe { (functions.EVP_MAC_fetch)(null_mut(), name, null()) };
        if fetched.is_null() {
            return Err("EVP_MAC_fetch failed");
        }
        // SAFETY: `fetched` is a mac; the context takes a reference of its own, so that ours goes.
        let context = unsafe {
            let context = (functions.EVP_MAC_CTX_new)(fetched);
            (functions.EVP_MAC_free)(fetched);
            context
        };
        if context.is_null() {
            return Err("EVP_MAC_CTX_new failed");
        }
        let (tag_len_bytes, nonce) = (settings.tag_len_bytes, settings.nonce.into());
        let kept = Self { functions, context, tag_len_bytes, nonce };
        let under = primitive.under().map(|(param, name)| Param::utf8(param, name));
        let params: Vec<_> = under.into_iter().chain(primitive.params(settings)).collect();
        // SAFETY: a live context, a key of the length said, parameters closed by an empty one.
        let ready =
            unsafe { (functions.EVP_MAC_init)(context, key.as_ptr(), key.len(), params.as_ptr()) };
        if ready == 1 { Ok(kept) } else { Err("EVP_MAC_init failed") }
    }

    /// One tag under the key the context has.
    #[inline]
    pub(super) fn prepared(
        &mut self,
        restart: Restart,
        message: &[u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        if restart == Restart::Dup {
            // SAFETY: a live context; the copy is freed by its own drop.
            let context = unsafe { (self.functions.EVP_MAC_CTX_dup)(self.context) };
            if context.is_null() {
                return Err("EVP_MAC_CTX_dup failed");
            }
            let (functions, tag_len_bytes) = (self.functions, self.tag_len_bytes);
            let mut copy = Self { functions, context, tag_len_bytes, nonce: Box::default() };
            return copy.finish(message, tag);
        }
        self.init(None)?;
        self.finish(message, tag)
    }

    /// One tag of these parts, one behind the other, under the key the context has.
    pub(super) fn prepared_of_parts(
        &mut self,
        parts: &[&[u8]],
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        self.init(None)?;
        let (last, others) = parts.split_last().ok_or("no parts")?;
        for part in others {
            // SAFETY: a live context that has a key; a part of the length said.
            let taken =
                unsafe { (self.functions.EVP_MAC_update)(self.context, part.as_ptr(), part.len()) };
            if taken != 1 {
                return Err("EVP_MAC_update failed");
            }
        }
        self.finish(last, tag)
    }

    /// One tag under another key, which the context then has.
    #[inline]
    pub(super) fn new_key(
        &mut self,
        key: &[u8],
        message: &[u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        self.init(Some(key))?;
        self.finish(message, tag)
    }

    /// Begins another message, under another key or under the one it has.
    #[inline(always)]
    fn init(&mut self, key: Option<&[u8]>) -> Result<(), &'static str> {
        let (key, len) = key.map_or((null(), 0), |key| (key.as_ptr(), key.len()));
        let with_nonce = [Param::octets(c"iv", &self.nonce), Param::END];
        let params = if self.nonce.is_empty() { null() } else { with_nonce.as_ptr() };
        // SAFETY: a live context that has a key; a key of the length said or null; parameters
        // closed by an empty one or null.
        let ready = unsafe { (self.functions.EVP_MAC_init)(self.context, key, len, params) };
        if ready == 1 { Ok(()) } else { Err("EVP_MAC_init failed") }
    }

    /// Takes the message and gives the tag; once in a fresh context.
    #[inline(always)]
    pub(super) fn finish(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
        // EVP_MAC_final looks at the length too; what may be written must not hang on its version.
        if tag.len() != self.tag_len_bytes {
            return Err(crate::WRONG_TAG_LEN);
        }
        let mut written = 0;
        // SAFETY: a live context that has a key; a message and a tag of the lengths said.
        unsafe {
            if (self.functions.EVP_MAC_update)(self.context, message.as_ptr(), message.len()) != 1 {
                return Err("EVP_MAC_update failed");
            }
            let (out, len) = (tag.as_mut_ptr(), tag.len());
            if (self.functions.EVP_MAC_final)(self.context, out, &mut written, len) != 1 {
                return Err("EVP_MAC_final failed");
            }
        }
        if written == tag.len() { Ok(()) } else { Err(crate::WRONG_TAG_LEN) }
    }
}

impl Drop for EvpMacContext {
    fn drop(&mut self) {
        // SAFETY: a live context, not used again. The library wipes the key states it frees.
        unsafe { (self.functions.EVP_MAC_CTX_free)(self.context) };
    }
}

/// `EVP_Q_mac`, which fetches, sets up, computes and frees in each call.
#[inline]
pub(super) fn one_shot(
    functions: &EvpMac,
    primitive: &'static Primitive,
    settings: &Settings<'_>,
    key: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), &'static str> {
    if tag.len() != settings.tag_len_bytes {
        return Err(crate::WRONG_TAG_LEN);
    }
    let under = primitive.under().map_or(null(), |(_, name)| name.as_ptr());
    let params = primitive.params(settings);
    let mut written = 0;
    // SAFETY: zero-ended names, parameters closed by an empty one; a key, a message and a tag of
    // the lengths said; null asks for the defaults.
    let out = unsafe {
        (functions.EVP_Q_mac)(
            null_mut(),
            primitive.mac_name().as_ptr(),
            null(),
            under,
            params.as_ptr(),
            key.as_ptr(),
            key.len(),
            message.as_ptr(),
            message.len(),
            tag.as_mut_ptr(),
            tag.len(),
            &mut written,
        )
    };
    if !out.is_null() && written == tag.len() { Ok(()) } else { Err("EVP_Q_mac failed") }
}
