//! A key, set up once; tags of whole messages, and their checks.
#![expect(unsafe_code, reason = "functions that C calls by name")]
#![expect(non_camel_case_types, reason = "the names of the header")]

use std::ffi::c_char;
use std::mem::MaybeUninit;

use macs::{DynMac, TAG_LEN_MAX_BYTES};
use subtle::ConstantTimeEq;
use zeroize::Zeroize;

use super::options::{Options, find, macs_options};
use super::pointers::{give, lend, name as text, null};
use super::status::macs_status::{self, MACS_BAD_TAG_LEN};
use super::status::{guard, refused, said};

/// A mac with a key that is set up. As long as nobody changes it, any number of threads may use it
/// at once, without a lock.
pub struct macs_key {
    pub(super) mac: DynMac,
}

/// Sets up a key of `key_len` bytes for the mac of this name. `options` may be null. The key is
/// copied; what is made of it is wiped when it is freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_key_new(
    name: *const c_char,
    key: *const u8,
    key_len: usize,
    options: *const macs_options,
    out: Option<&mut MaybeUninit<*mut macs_key>>,
) -> macs_status {
    guard(|| {
        give(out, || {
            // SAFETY: the header asks for a text, `key_len` bytes and a structure of the size said,
            // which stay as they are during the call.
            let (name, ([key], []), options) =
                unsafe { (text(name)?, lend([("key", key, key_len)], [])?, Options::of(options)?) };
            options.are_only("a mac", [true, true, true, false])?;
            let made = DynMac::with_customization(find(name)?, key, options.customization);
            let mut mac = made.map_err(refused)?;
            if let Some(len) = options.tag_len {
                mac = mac.with_tag_len(len).map_err(refused)?;
            }
            if let Some(len) = options.nonce_len {
                mac = mac.with_nonce_len(len).map_err(refused)?;
            }
            Ok(macs_key { mac })
        })
    })
}

/// Sets up another key in its place, without the heap. Options stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_key_change(
    handle: Option<&mut macs_key>,
    key: *const u8,
    key_len: usize,
) -> macs_status {
    guard(|| {
        let handle = handle.ok_or_else(|| null("handle"))?;
        // SAFETY: the header asks for `key_len` bytes that stay as they are during the call.
        let ([key], []) = unsafe { lend([("key", key, key_len)], []) }?;
        handle.mac.rekey(key).map_err(refused)
    })
}

/// Length in bytes of the tags under this key; 0 for a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn macs_key_tag_len(handle: Option<&macs_key>) -> usize {
    handle.map_or(0, |handle| handle.mac.tag_len_bytes())
}

/// Wipes the key and frees it. Nothing happens to a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn macs_key_free(handle: Option<Box<macs_key>>) {
    guard(|| {
        drop(handle);
        Ok(())
    });
}

/// The tag of one message, without the heap. `tag_len` must be `macs_key_tag_len`. The nonce is for
/// macs that take one, never the same twice under one key; for others it is null and 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_tag(
    handle: Option<&macs_key>,
    nonce: *const u8,
    nonce_len: usize,
    message: *const u8,
    message_len: usize,
    tag: *mut u8,
    tag_len: usize,
) -> macs_status {
    guard(|| {
        let handle = handle.ok_or_else(|| null("handle"))?;
        let read = [("nonce", nonce, nonce_len), ("message", message, message_len)];
        // SAFETY: the header asks for as many bytes as the lengths say; those of the messages stay
        // as they are during the call, and nobody else uses those of the tag.
        let ([nonce, message], [tag]) = unsafe { lend(read, [("tag", tag, tag_len)]) }?;
        handle.mac.mac_with_nonce_into(nonce, message, tag).map_err(refused)
    })
}

/// Checks the tag of one message in constant time and without the heap: `MACS_OK`, or
/// `MACS_MISMATCH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_verify(
    handle: Option<&macs_key>,
    nonce: *const u8,
    nonce_len: usize,
    message: *const u8,
    message_len: usize,
    tag: *const u8,
    tag_len: usize,
) -> macs_status {
    guard(|| {
        let handle = handle.ok_or_else(|| null("handle"))?;
        let read =
            [("nonce", nonce, nonce_len), ("message", message, message_len), ("tag", tag, tag_len)];
        // SAFETY: the header asks for as many bytes as the lengths say, all of which stay as they
        // are during the call.
        let ([nonce, message, tag], []) = unsafe { lend(read, []) }?;
        handle.mac.verify_message_with_nonce(nonce, message, tag).map_err(refused)
    })
}

/// As `macs_verify`, for a tag that was cut to its first `tag_len` bytes, at least one. How short
/// it may be is for the protocol to say: a tag of n bits is guessed once in 2^n times.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_verify_truncated(
    handle: Option<&macs_key>,
    nonce: *const u8,
    nonce_len: usize,
    message: *const u8,
    message_len: usize,
    tag: *const u8,
    tag_len: usize,
) -> macs_status {
    guard(|| {
        let handle = handle.ok_or_else(|| null("handle"))?;
        let read =
            [("nonce", nonce, nonce_len), ("message", message, message_len), ("tag", tag, tag_len)];
        // SAFETY: the header asks for as many bytes as the lengths say, and for nobody to write
        // them during the call.
        let ([nonce, message, tag], []) = unsafe { lend(read, []) }?;
        let whole_len = handle.mac.tag_len_bytes();
        check_truncated(tag, whole_len)?;
        let mut right = [0; TAG_LEN_MAX_BYTES];
        let computed = handle.mac.mac_with_nonce_into(nonce, message, &mut right[..whole_len]);
        let is_right = bool::from(right[..tag.len()].ct_eq(tag));
        // Whoever had it could forge.
        right.zeroize();
        computed.map_err(refused)?;
        if is_right { Ok(()) } else { Err(refused(macs::Error::TagMismatch)) }
    })
}

/// Refuses a tag that is no beginning of one.
pub(super) fn check_truncated(tag: &[u8], whole_len: usize) -> Result<(), macs_status> {
    if (1..=whole_len).contains(&tag.len()) {
        return Ok(());
    }
    let text = format_args!("the tag has 1 to {whole_len} bytes, not {}", tag.len());
    Err(said(MACS_BAD_TAG_LEN, text))
}

/// The tag of one message under a key that is used once, without the heap and without a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_tag_once(
    name: *const c_char,
    key: *const u8,
    key_len: usize,
    nonce: *const u8,
    nonce_len: usize,
    message: *const u8,
    message_len: usize,
    tag: *mut u8,
    tag_len: usize,
) -> macs_status {
    guard(|| {
        let read =
            [("key", key, key_len), ("nonce", nonce, nonce_len), ("message", message, message_len)];
        // SAFETY: the header asks for a text, and for as many bytes as the lengths say; nobody else
        // uses those of the tag during the call, and the others stay as they are.
        let (name, ([key, nonce, message], [tag])) =
            unsafe { (text(name)?, lend(read, [("tag", tag, tag_len)])?) };
        find(name)?.mac_with_nonce_into(key, nonce, message, tag).map_err(refused)
    })
}

/// Checks the tag of one message under a key that is used once, in constant time and without the
/// heap: `MACS_OK`, or `MACS_MISMATCH`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_verify_once(
    name: *const c_char,
    key: *const u8,
    key_len: usize,
    nonce: *const u8,
    nonce_len: usize,
    message: *const u8,
    message_len: usize,
    tag: *const u8,
    tag_len: usize,
) -> macs_status {
    guard(|| {
        let read = [
            ("key", key, key_len),
            ("nonce", nonce, nonce_len),
            ("message", message, message_len),
            ("tag", tag, tag_len),
        ];
        // SAFETY: the header asks for a text, and for as many bytes as the lengths say; all of them
        // stay as they are during the call.
        let (name, ([key, nonce, message, tag], [])) = unsafe { (text(name)?, lend(read, [])?) };
        find(name)?.verify(key, nonce, message, tag).map_err(refused)
    })
}

/// Threads share keys: the compiler says that they may.
const fn is_shared<T: Send + Sync>() {}
const _: () = is_shared::<macs_key>();
