//! How a call ended, and how a panic becomes such an end.
#![expect(unsafe_code, reason = "functions that C calls by name")]
#![expect(non_camel_case_types, reason = "the names of the header")]

use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use macs::{Error, Input};

use crate::error_text;

/// How a call ended. Whatever is not `MACS_OK` has written no tag and made no handle (`out` becomes
/// null), and the handles that there are can be used as before. Beside that it has done nothing,
/// except that `macs_open`, `macs_batch_verify` and `macs_batch_tags` (where VMAC refuses a nonce)
/// set to zeros what they would have written, and that a tag that was checked, right or not, ends
/// the message of its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum macs_status {
    /// It was done; of a check: the tag is right.
    MACS_OK = 0,
    /// The tag does not belong to this message, nonce and key. Nothing may be done with the
    /// message.
    MACS_MISMATCH = 1,
    /// The catalog has no mac of this name; `macs_error_text` tells similar ones.
    MACS_UNKNOWN_NAME = 2,
    /// The name is that of a composition, which also encrypts, or that of a mac, which does not.
    MACS_WRONG_KIND = 3,
    /// A key of a length that the mac does not take, or of a composition with two keys: equal ones.
    MACS_BAD_KEY = 4,
    /// A nonce of a length that the mac does not take; none, where it needs one; one, where it
    /// takes none; or one that VMAC refuses: its first bit must be 0.
    MACS_BAD_NONCE = 5,
    /// A tag, or a place for it, of another length than the key's tags have.
    MACS_BAD_TAG_LEN = 6,
    /// A message or ciphertext of a length that the mac does not take.
    MACS_BAD_MESSAGE_LEN = 7,
    /// Associated data of a length that the composition does not take.
    MACS_BAD_DATA_LEN = 8,
    /// `struct_size` was not set, or an option is not known here or not to be had with this mac.
    MACS_BAD_OPTION = 9,
    /// A job, or a change of keys, names a key that the batch does not have.
    MACS_BAD_INDEX = 10,
    /// A pointer is null that must not be, or a length cannot be one of memory.
    MACS_NULL = 11,
    /// Memory that is written overlaps other memory of the same call.
    MACS_OVERLAP = 12,
    /// Refused for another reason, which `macs_error_text` tells.
    MACS_REFUSED = 13,
    /// A defect of the library. The handles of the call must not be used again, but can be freed.
    MACS_PANIC = 14,
}

use macs_status::*;

/// What a status means, in a few words. The text is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn macs_status_text(status: c_int) -> *const c_char {
    text(status).as_ptr()
}

/// What the last call of this thread that failed had to say: what was given, and what would have
/// been right; empty if none has failed. Valid until another call of this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn macs_error_text() -> *const c_char {
    error_text::last()
}

fn text(status: c_int) -> &'static CStr {
    const TEXTS: [(macs_status, &CStr); 15] = [
        (MACS_OK, c"done"),
        (MACS_MISMATCH, c"the tag does not belong to this message and key"),
        (MACS_UNKNOWN_NAME, c"no MAC of this name"),
        (MACS_WRONG_KIND, c"a composition where a mac is needed, or the reverse"),
        (MACS_BAD_KEY, c"the mac does not take this key"),
        (MACS_BAD_NONCE, c"the mac does not take this nonce"),
        (MACS_BAD_TAG_LEN, c"the tags of this key have another length"),
        (MACS_BAD_MESSAGE_LEN, c"the mac does not take a message of this length"),
        (MACS_BAD_DATA_LEN, c"no associated data of this length"),
        (MACS_BAD_OPTION, c"an option that is not known here, or not to be had"),
        (MACS_BAD_INDEX, c"the batch has no key of this number"),
        (MACS_NULL, c"a pointer is null"),
        (MACS_OVERLAP, c"memory that is written overlaps other memory"),
        (MACS_REFUSED, c"refused"),
        (MACS_PANIC, c"a defect of the library"),
    ];
    let row = TEXTS.iter().find(|(known, _)| *known as c_int == status);
    row.map_or(c"not a status", |(_, text)| text)
}

/// The status for an error of `macs`, whose words are kept for who asks.
#[cold]
pub(super) fn refused(error: Error) -> macs_status {
    let status = match &error {
        Error::Len { what, .. } => match what {
            Input::Key => MACS_BAD_KEY,
            Input::Nonce => MACS_BAD_NONCE,
            Input::Tag => MACS_BAD_TAG_LEN,
            Input::Message | Input::Ciphertext => MACS_BAD_MESSAGE_LEN,
            Input::AssociatedData => MACS_BAD_DATA_LEN,
            Input::Customization => MACS_BAD_OPTION,
            _ => MACS_REFUSED,
        },
        Error::NonceMissing { .. } | Error::NonceRefused { .. } => MACS_BAD_NONCE,
        Error::SameKeys { .. } => MACS_BAD_KEY,
        Error::TagMismatch => MACS_MISMATCH,
        Error::UnknownMac { .. } => MACS_UNKNOWN_NAME,
        Error::WrongKind { .. } => MACS_WRONG_KIND,
        _ => MACS_REFUSED,
    };
    said(status, format_args!("{error}"))
}

/// A status, and the words for it.
#[cold]
pub(super) fn said(status: macs_status, text: fmt::Arguments<'_>) -> macs_status {
    error_text::say(text);
    status
}

/// The status of the work, also where it panics: C has no way to unwind.
#[inline(always)]
pub(super) fn guard(work: impl FnOnce() -> Result<(), macs_status>) -> macs_status {
    // What the work was about to change is not looked at again: the status says so.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => MACS_OK,
        Ok(Err(status)) => status,
        Err(_) => panicked(),
    }
}

#[cold]
fn panicked() -> macs_status {
    said(MACS_PANIC, format_args!("a defect of the library: it panicked"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_status() {
        assert_eq!(guard(|| panic!("as if there were a defect")), MACS_PANIC);
        assert_eq!(guard(|| Err(MACS_MISMATCH)), MACS_MISMATCH);
        assert_eq!(guard(|| Ok(())), MACS_OK);
    }

    #[test]
    fn every_status_has_a_text() {
        for status in MACS_OK as c_int..=MACS_PANIC as c_int {
            assert_ne!(text(status), c"not a status", "{status}");
        }
        for status in [-1, MACS_PANIC as c_int + 1, c_int::MAX] {
            assert_eq!(text(status), c"not a status");
        }
    }
}
