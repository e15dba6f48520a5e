//! The calls of OpenSSL before 3.0 and of its forks: a kept `HMAC_CTX` or `CMAC_CTX`; and `HMAC()`,
//! the one-call function that every version has.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_int;
use std::ptr::{null, null_mut};

use super::library::{Base, Boring, LowLevel, Opaque, PrimitiveFn};
use super::primitive::Construction;

/// A kept context of one mac.
pub(super) struct LowLevelContext {
    functions: &'static LowLevel,
    /// Of BoringSSL and AWS-LC: they restart CMAC by a function of its own, and take no null for
    /// "the cipher it has".
    boring: Option<&'static Boring>,
    /// What `CMAC_Init` and `HMAC_Init_ex` are handed with another key: null, or the cipher.
    primitive: Opaque,
    /// CMAC or HMAC: of no other mac is there a function that returns what is under it.
    construction: Construction,
    /// Never null; freed, and the key in it wiped, on drop.
    context: Opaque,
    tag_len_bytes: usize,
}

impl LowLevelContext {
    pub(super) fn new(
        (functions, boring): (&'static LowLevel, Option<&'static Boring>),
        construction: Construction,
        primitive: PrimitiveFn,
        key: &[u8],
        tag_len_bytes: usize,
    ) -> Result<Self, &'static str> {
        // SAFETY: takes nothing, returns a new context or null.
        let context = unsafe {
            match construction {
                Construction::Cmac => (functions.CMAC_CTX_new)(),
                _ => (functions.HMAC_CTX_new)(),
            }
        };
        if context.is_null() {
            return Err("the context could not be created");
        }
        // SAFETY: takes nothing, returns a digest or a cipher.
        let primitive = unsafe { primitive() };
        let mut kept = Self { functions, boring, primitive, construction, context, tag_len_bytes };
        kept.set_key(key)?;
        if construction != Construction::Cmac || boring.is_none() {
            // The context keeps the one it has.
            kept.primitive = null_mut();
        }
        Ok(kept)
    }

    /// One tag under the key the context has.
    #[inline]
    pub(super) fn prepared(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
        let (functions, context, none) = (self.functions, self.context, null_mut());
        // SAFETY: a live context that has a key; all zero means restart (HMAC(3), crypto/cmac).
        let ready = unsafe {
            match (self.construction, self.boring) {
                (Construction::Cmac, Some(boring)) => (boring.CMAC_Reset)(context),
                (Construction::Cmac, None) => (functions.CMAC_Init)(context, null(), 0, none, none),
                _ => (functions.HMAC_Init_ex)(context, null(), 0, none, none),
            }
        };
        if ready != 1 {
            return Err("the context could not be restarted");
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
        self.set_key(key)?;
        self.finish(message, tag)
    }

    #[inline(always)]
    fn set_key(&mut self, key: &[u8]) -> Result<(), &'static str> {
        let (functions, context, primitive) = (self.functions, self.context, self.primitive);
        let (data, len, none) = (key.as_ptr().cast(), checked_len(key)?, null_mut());
        // SAFETY: a live context, a key of the length said, a primitive of this library or null.
        let ready = unsafe {
            match self.construction {
                Construction::Cmac => (functions.CMAC_Init)(context, data, len, primitive, none),
                _ => (functions.HMAC_Init_ex)(context, data, len, primitive, none),
            }
        };
        if ready == 1 { Ok(()) } else { Err("the key could not be set") }
    }

    #[inline(always)]
    fn finish(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
        if tag.len() != self.tag_len_bytes {
            return Err(crate::WRONG_TAG_LEN);
        }
        let (functions, context, len) = (self.functions, self.context, message.len());
        let (mut hmac_len, mut cmac_len) = (0, 0);
        // SAFETY: a live context that has a key; a message of the length said; a tag as long as the
        // digest or block is by its standard, which is what the library writes.
        let done = unsafe {
            match self.construction {
                Construction::Cmac => {
                    (functions.CMAC_Update)(context, message.as_ptr().cast(), len) == 1
                        && (functions.CMAC_Final)(context, tag.as_mut_ptr(), &mut cmac_len) == 1
                }
                _ => {
                    (functions.HMAC_Update)(context, message.as_ptr(), len) == 1
                        && (functions.HMAC_Final)(context, tag.as_mut_ptr(), &mut hmac_len) == 1
                }
            }
        };
        if done { Ok(()) } else { Err("the tag could not be computed") }
    }
}

impl Drop for LowLevelContext {
    fn drop(&mut self) {
        // SAFETY: a live context, not used again. The library wipes the key states it frees.
        unsafe {
            match self.construction {
                Construction::Cmac => (self.functions.CMAC_CTX_free)(self.context),
                _ => (self.functions.HMAC_CTX_free)(self.context),
            }
        }
    }
}

/// The length of a key, once it is one that an `int` holds.
#[inline(always)]
fn checked_len(key: &[u8]) -> Result<usize, &'static str> {
    c_int::try_from(key.len()).map(|_| key.len()).map_err(|_| "the key is too long")
}

/// `HMAC(EVP_sha256(), …)`, as people write it.
#[inline]
pub(super) fn one_shot(
    functions: &Base,
    digest: PrimitiveFn,
    tag_len_bytes: usize,
    key: &[u8],
    message: &[u8],
    tag: &mut [u8],
) -> Result<(), &'static str> {
    if tag.len() != tag_len_bytes {
        return Err(crate::WRONG_TAG_LEN);
    }
    let key_len = checked_len(key)?;
    let mut written = 0;
    // SAFETY: a digest of this library; a key and a message of the lengths said; a tag as long as
    // the digest is by its standard, which is what the library writes.
    let out = unsafe {
        let (key, tag) = (key.as_ptr().cast(), tag.as_mut_ptr());
        (functions.HMAC)(digest(), key, key_len, message.as_ptr(), message.len(), tag, &mut written)
    };
    if out.is_null() { Err("HMAC failed") } else { Ok(()) }
}
