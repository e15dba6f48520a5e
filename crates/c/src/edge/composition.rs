//! Authenticated encryption.
#![expect(unsafe_code, reason = "functions that C calls by name")]
#![expect(non_camel_case_types, reason = "the names of the header")]

use std::ffi::c_char;
use std::mem::MaybeUninit;

use macs::DynComposition;

use super::options::{Options, find, macs_options};
use super::pointers::{clear, give, lend, name as text, null};
use super::status::macs_status::{self, MACS_BAD_MESSAGE_LEN};
use super::status::{guard, refused, said};

/// A composition, which encrypts and authenticates, with a key that is set up. As long as nobody
/// changes it, any number of threads may use it at once, without a lock.
pub struct macs_composition {
    composition: DynComposition,
}

/// Sets up a key of `key_len` bytes for the composition of this name. `options` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_composition_new(
    name: *const c_char,
    key: *const u8,
    key_len: usize,
    options: *const macs_options,
    out: Option<&mut MaybeUninit<*mut macs_composition>>,
) -> macs_status {
    guard(|| {
        give(out, || {
            // SAFETY: the header asks for a text, `key_len` bytes and a structure of the size said,
            // which nobody writes during the call.
            let (name, ([key], []), options) =
                unsafe { (text(name)?, lend([("key", key, key_len)], [])?, Options::of(options)?) };
            options.are_only("a composition", [true, false, false, true])?;
            let made = DynComposition::with_info(find(name)?, key).map_err(refused)?;
            let composition = match options.tag_len {
                Some(len) if options.takes_short_tags => made.with_short_tag_len(len),
                Some(len) => made.with_tag_len(len),
                None => Ok(made),
            };
            Ok(macs_composition { composition: composition.map_err(refused)? })
        })
    })
}

/// Sets up another key in its place. Options stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_composition_change(
    handle: Option<&mut macs_composition>,
    key: *const u8,
    key_len: usize,
) -> macs_status {
    guard(|| {
        let handle = handle.ok_or_else(|| null("handle"))?;
        // SAFETY: the header asks for `key_len` bytes that nobody writes during the call.
        let ([key], []) = unsafe { lend([("key", key, key_len)], []) }?;
        handle.composition.rekey(key).map_err(refused)
    })
}

/// Wipes the key and frees it. Nothing happens to a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn macs_composition_free(handle: Option<Box<macs_composition>>) {
    guard(|| {
        drop(handle);
        Ok(())
    });
}

/// Length in bytes of the tags under this key; 0 for a null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn macs_composition_tag_len(handle: Option<&macs_composition>) -> usize {
    handle.map_or(0, |handle| handle.composition.tag_len_bytes())
}

/// Length in bytes of the ciphertext of a message, without its tag: that of the message, except for
/// CBC, which fills up the last block. 0 for a null pointer, or where there is no such message.
#[unsafe(no_mangle)]
pub extern "C" fn macs_ciphertext_len(
    handle: Option<&macs_composition>,
    message_len: usize,
) -> usize {
    let Some(handle) = handle.filter(|_| message_len < isize::MAX as usize - 64) else { return 0 };
    let mut len = 0;
    guard(|| {
        len = handle.composition.ciphertext_len_bytes(message_len);
        Ok(())
    });
    len
}

/// Encrypts the first `message_len` bytes of `buffer` in place, and authenticates them, the nonce
/// and the associated data. `buffer_len` must be `macs_ciphertext_len`, `tag_len`
/// `macs_composition_tag_len`. The nonce must never be the same twice under one key. Data that
/// there is none of may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_seal(
    handle: Option<&macs_composition>,
    nonce: *const u8,
    nonce_len: usize,
    data: *const u8,
    data_len: usize,
    buffer: *mut u8,
    buffer_len: usize,
    message_len: usize,
    tag: *mut u8,
    tag_len: usize,
) -> macs_status {
    guard(|| {
        let composition = &handle.ok_or_else(|| null("handle"))?.composition;
        let read = [("nonce", nonce, nonce_len), ("data", data, data_len)];
        let written = [("buffer", buffer, buffer_len), ("tag", tag, tag_len)];
        // SAFETY: the header asks for as many bytes as the lengths say; nobody else uses those of
        // buffer and tag during the call, and the others stay as they are.
        let ([nonce, data], [buffer, tag]) = unsafe { lend(read, written) }?;
        if message_len > buffer.len() || composition.ciphertext_len_bytes(message_len) != buffer_len
        {
            let text = format_args!(
                "`buffer_len` is {buffer_len}: it must be macs_ciphertext_len of {message_len}"
            );
            return Err(said(MACS_BAD_MESSAGE_LEN, text));
        }
        composition.seal_in_place(nonce, data, buffer, message_len, tag).map_err(refused)
    })
}

/// Checks the tag in constant time, and decrypts the ciphertext in `buffer` in place. `message_len`
/// becomes the length of the message, which begins where the buffer begins. If anything is refused,
/// the buffer is all zeros and `message_len` 0; but for a pointer that is null, a length that
/// cannot be one of memory, and memory that overlaps. Until it returns, the buffer may hold
/// plaintext that is not verified: no other thread or process may see it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_open(
    handle: Option<&macs_composition>,
    nonce: *const u8,
    nonce_len: usize,
    data: *const u8,
    data_len: usize,
    buffer: *mut u8,
    buffer_len: usize,
    tag: *const u8,
    tag_len: usize,
    message_len: *mut usize,
) -> macs_status {
    guard(|| {
        let read = [("nonce", nonce, nonce_len), ("data", data, data_len), ("tag", tag, tag_len)];
        let others = read.into_iter().chain([("buffer", buffer.cast_const(), buffer_len)]);
        // SAFETY: the header asks for a place of a length, which nobody else uses during the call.
        unsafe { clear(("message_len", message_len.cast(), size_of::<usize>()), others) }?;
        let composition = &handle.ok_or_else(|| null("handle"))?.composition;
        // SAFETY: the header asks for as many bytes as the lengths say; nobody else uses those of
        // the buffer during the call, and nobody writes the others.
        let ([nonce, data, tag], [buffer]) =
            unsafe { lend(read, [("buffer", buffer, buffer_len)]) }?;
        let opened = or_zeros(buffer, |buffer| composition.open_in_place(nonce, data, buffer, tag));
        let opened = opened.map_err(refused)?;
        // SAFETY: it was zeros above, apart from all else, and may be where no length is aligned.
        unsafe { message_len.write_unaligned(opened) };
        Ok(())
    })
}

/// What `open` makes of the buffer, which is zeros where it does not return `Ok`, also by a panic:
/// plaintext may be in it before the tag is checked.
fn or_zeros<T>(
    buffer: &mut [u8],
    open: impl FnOnce(&mut [u8]) -> Result<T, macs::Error>,
) -> Result<T, macs::Error> {
    struct Zeroed<'a> {
        buffer: &'a mut [u8],
        is_genuine: bool,
    }
    impl Drop for Zeroed<'_> {
        fn drop(&mut self) {
            if !self.is_genuine {
                self.buffer.fill(0);
            }
        }
    }
    let mut zeroed = Zeroed { buffer, is_genuine: false };
    let opened = open(zeroed.buffer);
    zeroed.is_genuine = opened.is_ok();
    opened
}

/// Threads share compositions: the compiler says that they may.
const fn is_shared<T: Send + Sync>() {}
const _: () = is_shared::<macs_composition>();

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edge::status::macs_status::{MACS_OK, MACS_PANIC};

    #[test]
    fn what_is_not_genuine_is_zeros_also_after_a_panic() {
        let mut buffer = *b"plaintext";
        let status = guard(|| or_zeros(&mut buffer, |_| Ok(())).map_err(refused));
        assert_eq!((status, &buffer), (MACS_OK, b"plaintext"));
        let panicked = guard(|| {
            or_zeros(&mut buffer, |_| -> Result<(), _> { panic!("as if there were a defect") })
                .map_err(refused)
        });
        assert_eq!((panicked, buffer), (MACS_PANIC, [0; 9]));
        let mut buffer = *b"plaintext";
        let refused_open = or_zeros(&mut buffer, |_| Err::<(), _>(macs::Error::TagMismatch));
        assert!(refused_open.is_err());
        assert_eq!(buffer, [0; 9]);
    }
}
