//! A message that comes in pieces.
#![expect(unsafe_code, reason = "functions that C calls by name")]
#![expect(non_camel_case_types, reason = "the names of the header")]

use std::mem::MaybeUninit;

use macs::DynMac;

use super::key::{check_truncated, macs_key};
use super::pointers::{give, lend, null};
use super::status::macs_status;
use super::status::{guard, refused};

/// A message under way, with a copy of its key. It is for one thread at a time.
pub struct macs_state {
    mac: DynMac,
}

/// Begins a message. The key is copied, and may be freed before the state.
#[unsafe(no_mangle)]
pub extern "C" fn macs_state_new(
    key: Option<&macs_key>,
    out: Option<&mut MaybeUninit<*mut macs_state>>,
) -> macs_status {
    guard(|| {
        give(out, || {
            let key = key.ok_or_else(|| null("key"))?;
            Ok(macs_state { mac: key.mac.clone() })
        })
    })
}

/// A second state that has taken what this one has, for messages that begin alike.
#[unsafe(no_mangle)]
pub extern "C" fn macs_state_clone(
    state: Option<&macs_state>,
    out: Option<&mut MaybeUninit<*mut macs_state>>,
) -> macs_status {
    guard(|| {
        give(out, || {
            let state = state.ok_or_else(|| null("state"))?;
            Ok(macs_state { mac: state.mac.clone() })
        })
    })
}

/// Takes the next piece of the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_state_update(
    state: Option<&mut macs_state>,
    data: *const u8,
    data_len: usize,
) -> macs_status {
    guard(|| {
        let state = state.ok_or_else(|| null("state"))?;
        // SAFETY: the header asks for `data_len` bytes that stay as they are during the call.
        let ([data], []) = unsafe { lend([("data", data, data_len)], []) }?;
        state.mac.update(data);
        Ok(())
    })
}

/// The tag of the pieces taken; then the state is ready for another message under the same key, but
/// not of a mac with `MACS_ONE_TIME_KEY`: free it. `tag_len` must be `macs_key_tag_len` of the key.
/// The nonce as of `macs_tag`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_state_tag(
    state: Option<&mut macs_state>,
    nonce: *const u8,
    nonce_len: usize,
    tag: *mut u8,
    tag_len: usize,
) -> macs_status {
    guard(|| {
        let state = state.ok_or_else(|| null("state"))?;
        let read = [("nonce", nonce, nonce_len)];
        // SAFETY: the header asks for as many bytes as the lengths say; the nonce stays as it is
        // during the call, and nobody else uses the place of the tag.
        let ([nonce], [tag]) = unsafe { lend(read, [("tag", tag, tag_len)]) }?;
        state.mac.set_nonce(nonce).map_err(refused)?;
        state.mac.finalize_reset_into(tag).map_err(refused)
    })
}

/// Checks the tag of the pieces taken, in constant time; then the state is ready for another
/// message under the same key, whatever the outcome: after an error, too, the pieces are dropped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_state_verify(
    state: Option<&mut macs_state>,
    nonce: *const u8,
    nonce_len: usize,
    tag: *const u8,
    tag_len: usize,
) -> macs_status {
    guard(|| {
        end(state, |mac| {
            let read = [("nonce", nonce, nonce_len), ("tag", tag, tag_len)];
            // SAFETY: the header asks for as many bytes as the lengths say, which nobody writes
            // during the call.
            let ([nonce, tag], []) = unsafe { lend(read, []) }?;
            mac.set_nonce(nonce).map_err(refused)?;
            mac.verify(tag).map_err(refused)
        })
    })
}

/// As `macs_state_verify`, for a tag that was cut to its first `tag_len` bytes: see
/// `macs_verify_truncated`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_state_verify_truncated(
    state: Option<&mut macs_state>,
    nonce: *const u8,
    nonce_len: usize,
    tag: *const u8,
    tag_len: usize,
) -> macs_status {
    guard(|| {
        end(state, |mac| {
            let read = [("nonce", nonce, nonce_len), ("tag", tag, tag_len)];
            // SAFETY: the header asks for nonce and tag to be as long as is said, and to stay as
            // they are during the call.
            let ([nonce, tag], []) = unsafe { lend(read, []) }?;
            check_truncated(tag, mac.tag_len_bytes())?;
            mac.set_nonce(nonce).map_err(refused)?;
            mac.verify_truncated_left(tag).map_err(refused)
        })
    })
}

/// A verification, after which nothing of its message is left.
fn end(
    state: Option<&mut macs_state>,
    verify: impl FnOnce(&mut DynMac) -> Result<(), macs_status>,
) -> Result<(), macs_status> {
    let mac = &mut state.ok_or_else(|| null("state"))?.mac;
    let outcome = verify(mac);
    if outcome.is_err() {
        mac.reset();
    }
    outcome
}

/// Drops the pieces taken; the key stays.
#[unsafe(no_mangle)]
pub extern "C" fn macs_state_reset(state: Option<&mut macs_state>) -> macs_status {
    guard(|| {
        state.ok_or_else(|| null("state"))?.mac.reset();
        Ok(())
    })
}

/// Wipes the state and frees it. Nothing happens to a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn macs_state_free(state: Option<Box<macs_state>>) {
    guard(|| {
        drop(state);
        Ok(())
    });
}
