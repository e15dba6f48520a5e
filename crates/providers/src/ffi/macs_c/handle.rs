//! Objects that the library makes and frees, and the options for them.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ptr::null_mut;

use macs::MacInfo;

use super::{Bytes, Functions, Object, Status};
use crate::{Inputs, Refused};

/// `macs_options`.
#[repr(C)]
pub(in crate::ffi) struct Options {
    struct_size: usize,
    tag_len: usize,
    nonce_len: usize,
    customization: Bytes,
    customization_len: usize,
    flags: u32,
    reserved: u32,
}

/// `MACS_SHORT_TAG`.
const SHORT_TAG: u32 = 1;

impl Options {
    /// What the inputs ask for beside the key; the customization string is theirs.
    pub(super) fn of(info: &MacInfo, inputs: &Inputs<'_>) -> Self {
        let is_usual = inputs.tag_len_bytes == info.tag_len_bytes;
        let has_one_nonce_len = info.nonce.is_some_and(|nonce| nonce.one_len_per_key);
        Self {
            struct_size: size_of::<Self>(),
            tag_len: if is_usual { 0 } else { inputs.tag_len_bytes },
            nonce_len: if has_one_nonce_len { inputs.nonce.len() } else { 0 },
            customization: inputs.customization.as_ptr(),
            customization_len: inputs.customization.len(),
            flags: if info.is_composition() { SHORT_TAG } else { 0 },
            reserved: 0,
        }
    }
}

/// An object of the library, freed on drop, which wipes it.
pub(super) struct Handle {
    object: Object,
    free: unsafe extern "C" fn(Object),
}

impl Handle {
    /// The object that `make` writes to where it is told.
    pub(super) fn new(
        f: &Functions,
        free: unsafe extern "C" fn(Object),
        make: impl FnOnce(*mut Object) -> Status,
    ) -> Result<Self, Refused> {
        let mut object = null_mut();
        f.done(make(&raw mut object))?;
        Ok(Self { object, free })
    }

    #[inline]
    pub(super) fn object(&self) -> Object {
        self.object
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: the library made it, for this function to free, and nobody has it any more.
        unsafe { (self.free)(self.object) };
    }
}
