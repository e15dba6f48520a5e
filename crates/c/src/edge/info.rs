//! What the library has, and what is known of it.
#![expect(unsafe_code, reason = "functions that C calls by name")]

use std::ffi::c_char;
use std::panic::catch_unwind;
use std::ptr;

use macs::{Kind, Len};

use super::pointers::{fill, name as text};
use super::status::{guard, macs_status};
use crate::table::{Entry, table};

/// In `flags` of `macs_info`: it also encrypts, and is used by `macs_composition_new`, `macs_seal`
/// and `macs_open`.
pub const MACS_IS_COMPOSITION: u32 = 1;

/// In `flags` of `macs_info`: it takes a customization string.
pub const MACS_IS_CUSTOMIZABLE: u32 = 2;

/// In `flags` of `macs_info`: a key takes nonces of one length only; see `nonce_len` of
/// `macs_options`.
pub const MACS_ONE_NONCE_LEN: u32 = 4;

/// In `flags` of `macs_info`: a key is for one message; a second tag lets others forge.
pub const MACS_ONE_TIME_KEY: u32 = 8;

/// What is known of a mac. Lengths are in bytes; not every length between the least and the most
/// need be taken. Texts are never freed.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct macs_info {
    /// `sizeof(macs_info)`, to be set before the call.
    pub struct_size: usize,
    /// The name that other functions take: `hmac-sha256`.
    pub name: *const c_char,
    /// The name in print: `HMAC-SHA-256`.
    pub title: *const c_char,
    /// How far to rely on it: `sound`, `conditional`, `legacy` or `broken`.
    pub standing: *const c_char,
    /// The code path that runs on this processor: `soft`, `aes-ni`, `sha-ni`, ...
    pub kernel: *const c_char,
    /// The usual length of a tag.
    pub tag_len: usize,
    /// The least that can be asked for with `tag_len` of `macs_options`.
    pub tag_len_min: usize,
    /// The most.
    pub tag_len_max: usize,
    /// The usual length of a key.
    pub key_len: usize,
    /// The least that it takes.
    pub key_len_min: usize,
    /// The most; `SIZE_MAX`: there is no limit.
    pub key_len_max: usize,
    /// The usual length of a nonce; 0: it takes none.
    pub nonce_len: usize,
    /// The least that it takes.
    pub nonce_len_min: usize,
    /// The most; `SIZE_MAX`: there is no limit.
    pub nonce_len_max: usize,
    /// The longest message that its specification allows.
    pub message_len_max: u64,
    /// `MACS_IS_COMPOSITION`, `MACS_IS_CUSTOMIZABLE`, `MACS_ONE_NONCE_LEN`, `MACS_ONE_TIME_KEY`, or
    /// several.
    pub flags: u32,
    /// 0.
    pub reserved: u32,
}

/// The name of the mac or composition of this number, in alphabetical order from 0 on; null behind
/// the last. The text is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn macs_name(index: usize) -> *const c_char {
    let found = catch_unwind(|| table().get(index).map(|entry| entry.name.as_ptr()));
    found.ok().flatten().unwrap_or(ptr::null())
}

/// Fills `info` with what is known of the mac of this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn macs_describe(name: *const c_char, info: *mut macs_info) -> macs_status {
    guard(|| {
        // SAFETY: the header asks for a text that nobody writes during the call.
        let wanted = super::options::find(unsafe { text(name) }?)?;
        let is_wanted = |entry: &&Entry| ptr::eq(entry.info, wanted);
        let Some(entry) = table().iter().find(is_wanted) else {
            unreachable!("every row of the catalog is in the table")
        };
        // SAFETY: the header asks for a structure as long as its first field says, which nobody
        // else uses during the call.
        unsafe { fill("info", info, |struct_size| describe(entry, struct_size)) }
    })
}

fn describe(entry: &Entry, struct_size: usize) -> macs_info {
    let info = entry.info;
    let (tag_len_min, tag_len_max) = bounds(info.accepted_tag_len);
    let (key_len_min, key_len_max) = bounds(info.accepted_key_len);
    let (nonce_len_min, nonce_len_max) =
        info.nonce.map_or((0, 0), |nonce| bounds(nonce.accepted_len));
    let has_one_nonce_len = info.nonce.is_some_and(|nonce| nonce.one_len_per_key);
    let flag = |is_set, flag: u32| if is_set { flag } else { 0 };
    macs_info {
        struct_size,
        name: entry.name.as_ptr(),
        title: entry.title.as_ptr(),
        standing: entry.standing.as_ptr(),
        kernel: entry.kernel.as_ptr(),
        tag_len: info.tag_len_bytes,
        tag_len_min,
        tag_len_max,
        key_len: info.key_len_bytes,
        key_len_min,
        key_len_max,
        nonce_len: info.nonce.map_or(0, |nonce| nonce.len_bytes),
        nonce_len_min,
        nonce_len_max,
        message_len_max: info.message_len_max_bytes,
        flags: flag(info.is_composition(), MACS_IS_COMPOSITION)
            | flag(info.is_customizable, MACS_IS_CUSTOMIZABLE)
            | flag(has_one_nonce_len, MACS_ONE_NONCE_LEN)
            | flag(info.kind() == Kind::OneTimeMac, MACS_ONE_TIME_KEY),
        reserved: 0,
    }
}

/// The least and the most, `usize::MAX` where there is none.
fn bounds(len: Len) -> (usize, usize) {
    let bounded = |len: u64| usize::try_from(len).unwrap_or(usize::MAX);
    let (least, most) = len.bounds();
    (bounded(least), bounded(most))
}
