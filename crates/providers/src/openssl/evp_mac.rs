//! The calls of OpenSSL 3.0 and later: a kept `EVP_MAC_CTX`, and `EVP_Q_mac`. The algorithm is
//! fetched and the context made when a mac is opened; a call restarts, updates and finishes it.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::ptr::{null, null_mut};

use super::library::{EvpMac, Opaque};
use super::primitive::Primitive;

/// `OSSL_PARAM` of openssl/core.h.
#[repr(C)]
pub(super) struct Param {
    key: *const c_char,
    data_type: c_uint,
    data: *const c_void,
    data_size: usize,
    return_size: usize,
}

/// `OSSL_PARAM_UTF8_STRING`.
const UTF8_STRING: c_uint = 4;

impl Param {
    fn utf8(key: &'static CStr, value: &'static CStr) -> Self {
        Self {
            key: key.as_ptr(),
            data_type: UTF8_STRING,
            data: value.as_ptr().cast(),
            data_size: value.to_bytes().len(),
            // OSSL_PARAM_UNMODIFIED
            return_size: usize::MAX,
        }
    }

    const END: Self =
        Self { key: null(), data_type: 0, data: null(), data_size: 0, return_size: 0 };
}

/// How a context is made ready for the next message under the key it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Restart {
    /// A copy per message. 3.0.0 to 3.0.2 leave the old message in a restarted context (openssl
    /// issue 17811), so there a copy is the only way to use a key again.
    Dup,
    /// `EVP_MAC_init` without a key: documented, and twice as fast.
    Init,
}

/// A kept context of one mac.
pub(super) struct EvpMacContext {
    functions: &'static EvpMac,
    /// Never null; freed, and the key in it wiped, on drop.
    context: Opaque,
    tag_len_bytes: usize,
}

impl EvpMacContext {
    pub(super) fn new(
        functions: &'static EvpMac,
        primitive: &Primitive,
        key: &[u8],
        tag_len_bytes: usize,
    ) -> Result<Self, &'static str> {
        let (mac, param) = primitive.mac_and_param();
        // SAFETY: the names are zero-ended; a null library context is the default one.
        let fetched = unsafe { (functions.EVP_MAC_fetch)(null_mut(), mac.as_ptr(), null()) };
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
        let kept = Self { functions, context, tag_len_bytes };
        let params = [Param::utf8(param, primitive.name), Param::END];
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
            let mut copy = Self { context, ..*self };
            return copy.finish(message, tag);
        }
        // SAFETY: a live context that has a key.
        if unsafe { (self.functions.EVP_MAC_init)(self.context, null(), 0, null()) } != 1 {
            return Err("EVP_MAC_init failed");
        }
        self.finish(message, tag)
    }

    /// One tag under another key, which the context then has.
    #[inline]
    pub(super) fn new_key(
        &mut self,
        key: &[u8],
        message: &[u8],
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        // SAFETY: a live context and a key of the length said.
        let ready =
            unsafe { (self.functions.EVP_MAC_init)(self.context, key.as_ptr(), key.len(), null()) };
        if ready != 1 {
            return Err("EVP_MAC_init failed");
        }
        self.finish(message, tag)
    }

    #[inline(always)]
    fn finish(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
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
    primitive: &Primitive,
    tag_len_bytes: usize,
    key: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), &'static str> {
    if tag.len() != tag_len_bytes {
        return Err(crate::WRONG_TAG_LEN);
    }
    let mut written = 0;
    // SAFETY: zero-ended names, a key, a message and a tag of the lengths said; null asks for the
    // defaults.
    let out = unsafe {
        (functions.EVP_Q_mac)(
            null_mut(),
            primitive.mac_and_param().0.as_ptr(),
            null(),
            primitive.name.as_ptr(),
            null(),
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
