//! `OSSL_PARAM` of openssl/core.h: how settings other than the key are handed to `EVP_MAC`.

use std::ffi::{CStr, c_char, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr::null;

/// One setting. The library reads the value where it is, so that it stays borrowed.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Param<'a> {
    key: *const c_char,
    data_type: c_uint,
    data: *const c_void,
    data_size: usize,
    return_size: usize,
    value: PhantomData<&'a ()>,
}

/// `OSSL_PARAM_UNSIGNED_INTEGER`.
const UNSIGNED_INTEGER: c_uint = 2;
/// `OSSL_PARAM_UTF8_STRING`.
const UTF8_STRING: c_uint = 4;
/// `OSSL_PARAM_OCTET_STRING`.
const OCTET_STRING: c_uint = 5;

impl<'a> Param<'a> {
    /// What closes a list.
    pub(super) const END: Self = Self {
        key: null(),
        data_type: 0,
        data: null(),
        data_size: 0,
        return_size: 0,
        value: PhantomData,
    };

    pub(super) fn utf8(key: &'static CStr, value: &'static CStr) -> Self {
        Self::new(key, UTF8_STRING, value.as_ptr().cast(), value.to_bytes().len())
    }

    pub(super) fn octets(key: &'static CStr, value: &'a [u8]) -> Self {
        Self::new(key, OCTET_STRING, value.as_ptr().cast(), value.len())
    }

    /// The library converts to the width it works with.
    pub(super) fn number(key: &'static CStr, value: &'a usize) -> Self {
        Self::new(key, UNSIGNED_INTEGER, (&raw const *value).cast(), size_of::<usize>())
    }

    fn new(key: &'static CStr, data_type: c_uint, data: *const c_void, data_size: usize) -> Self {
        Self {
            key: key.as_ptr(),
            data_type,
            data,
            data_size,
            // OSSL_PARAM_UNMODIFIED
            return_size: usize::MAX,
            value: PhantomData,
        }
    }
}
