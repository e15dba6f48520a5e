//! What can be said about a key beside its bytes.
#![expect(unsafe_code, reason = "reads a structure that C fills")]

use macs::MacInfo;

use super::pointers::{read, sized};
use super::status::macs_status::{self, MACS_BAD_OPTION};
use super::status::{refused, said};

/// In `flags`: tags of a composition may be so short that they are not to be taken without a
/// thought, 4 and 8 bytes of GCM (SP 800-38D, appendix C).
pub const MACS_SHORT_TAG: u32 = 1;

/// What can be said about a key beside its bytes. What is zero is as usual:
/// `macs_options options = {.struct_size = sizeof options};` says nothing.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct macs_options {
    /// `sizeof(macs_options)`.
    pub struct_size: usize,
    /// Length of the tags in bytes, where it can be chosen (KMAC, BLAKE2, compositions); 0: the
    /// usual one. To use the first bytes of a tag only is another thing: see
    /// `macs_verify_truncated`.
    pub tag_len: usize,
    /// Length of all nonces in bytes, for VMAC and UMAC, to which nonces of two lengths can be the
    /// same; 0: 8 bytes of those, any that the mac takes of others.
    pub nonce_len: usize,
    /// The customization string of KMAC (SP 800-185), which may be null where there is none.
    pub customization: *const u8,
    /// Its length in bytes.
    pub customization_len: usize,
    /// `MACS_SHORT_TAG`, or 0.
    pub flags: u32,
    /// 0.
    pub reserved: u32,
}

/// The options, in words of Rust.
#[derive(Default)]
pub(super) struct Options<'a> {
    pub(super) tag_len: Option<usize>,
    pub(super) nonce_len: Option<usize>,
    pub(super) customization: &'a [u8],
    pub(super) takes_short_tags: bool,
}

impl<'a> Options<'a> {
    /// # Safety
    /// As of [`sized`]; and its `customization` must point to that many bytes.
    pub(super) unsafe fn of(given: *const macs_options) -> Result<Self, macs_status> {
        // SAFETY: the caller's promise; the structure begins with its size, and holds numbers and a
        // pointer.
        let Some(given) = unsafe { sized("options", given) }? else { return Ok(Self::default()) };
        if given.flags & !MACS_SHORT_TAG != 0 || given.reserved != 0 {
            let text = format_args!("`options` has flags that are not known");
            return Err(said(MACS_BAD_OPTION, text));
        }
        // SAFETY: the caller's promise.
        let customization = unsafe {
            read(("options->customization", given.customization, given.customization_len))
        }?;
        Ok(Self {
            tag_len: (given.tag_len > 0).then_some(given.tag_len),
            nonce_len: (given.nonce_len > 0).then_some(given.nonce_len),
            customization,
            takes_short_tags: given.flags & MACS_SHORT_TAG != 0,
        })
    }

    /// Refuses what is for something else than this.
    pub(super) fn are_only(&self, what: &str, has: [bool; 4]) -> Result<(), macs_status> {
        let [tag_len, nonce_len, customization, short_tags] = has;
        let superfluous = [
            ("tag_len", self.tag_len.is_some() && !tag_len),
            ("nonce_len", self.nonce_len.is_some() && !nonce_len),
            ("customization", !self.customization.is_empty() && !customization),
            ("MACS_SHORT_TAG", self.takes_short_tags && !short_tags),
        ];
        match superfluous.into_iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) => {
                Err(said(MACS_BAD_OPTION, format_args!("`{name}` is not an option of {what}")))
            }
            None => Ok(()),
        }
    }
}

/// The catalog row of a name.
pub(super) fn find(name: &str) -> Result<&'static MacInfo, macs_status> {
    if let Some(info) = macs::find(name) {
        return Ok(info);
    }
    let suggestions = macs::suggest(name);
    Err(refused(macs::Error::UnknownMac { name: name.into(), suggestions }))
}
