//! What takes neither nonce nor associated data: HMAC, keyed BLAKE2, CMAC and Poly1305.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_int, c_uint};
use std::ptr::null_mut;
use std::slice;

use macs::MacInfo;
use zeroize::Zeroizing;

use super::super::fixed_keys::FixedKeys;
use super::library::{Buffer, Gcrypt, Open, RESET};
use crate::{Input, Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

/// `GCRY_MD_FLAG_HMAC`.
const HMAC: c_uint = 2;

type Done = Result<(), &'static str>;

impl Open {
    #[inline]
    fn hash_key(&mut self, key: &[u8]) -> Done {
        // SAFETY: an open hash; a key of the length said.
        let error =
            unsafe { (self.functions.gcry_md_setkey)(self.handle, key.as_ptr().cast(), key.len()) };
        if error == 0 { Ok(()) } else { Err("gcry_md_setkey refuses the key") }
    }

    /// The tag has the length that the hash has.
    #[inline]
    fn hash(&mut self, message: &[u8], tag: &mut [u8]) -> Done {
        let f = self.functions;
        // SAFETY: an open hash with one algorithm, which has a key; a message of the length said.
        let digest = unsafe {
            (f.gcry_md_write)(self.handle, message.as_ptr().cast(), message.len());
            (f.gcry_md_read)(self.handle, 0)
        };
        if digest.is_null() {
            return Err("gcry_md_read failed");
        }
        // SAFETY: not null: as long as the hash, which `checked` holds the tag's length against; of
        // the handle's own memory, untouched until the next call.
        tag.copy_from_slice(unsafe { slice::from_raw_parts(digest, tag.len()) });
        Ok(())
    }

    #[inline]
    fn mac_key(&mut self, key: &[u8]) -> Done {
        // SAFETY: an open mac; a key of the length said.
        let error = unsafe {
            (self.functions.gcry_mac_setkey)(self.handle, key.as_ptr().cast(), key.len())
        };
        if error == 0 { Ok(()) } else { Err("gcry_mac_setkey refuses the key") }
    }

    /// `gcry_mac_reset`, a macro in C.
    #[inline]
    fn mac_reset(&mut self) -> Done {
        // SAFETY: an open mac; this command takes no data.
        let error = unsafe { (self.functions.gcry_mac_ctl)(self.handle, RESET, null_mut(), 0) };
        if error == 0 { Ok(()) } else { Err("gcry_mac_reset failed") }
    }

    #[inline]
    fn mac_of(&mut self, message: &[u8], tag: &mut [u8]) -> Done {
        let (f, mut len) = (self.functions, tag.len());
        // SAFETY: an open mac that has a key; message and tag of the lengths said.
        let done = unsafe {
            (f.gcry_mac_write)(self.handle, message.as_ptr().cast(), message.len()) == 0
                && (f.gcry_mac_read)(self.handle, tag.as_mut_ptr().cast(), &raw mut len) == 0
        };
        if done && len == tag.len() {
            Ok(())
        } else {
            Err("gcry_mac_write or gcry_mac_read failed")
        }
    }
}

/// The length of the tag, which must be the hash's: as much as that is read and written.
fn checked(gcrypt: &Gcrypt, hash: c_int, inputs: &Inputs<'_>) -> Result<usize, Refused> {
    // SAFETY: takes any number.
    let len_bytes = unsafe { (gcrypt.functions.gcry_md_get_algo_dlen)(hash) };
    if inputs.tag_len_bytes == len_bytes as usize {
        return Ok(inputs.tag_len_bytes);
    }
    let why = format!("the hash has {len_bytes} bytes, not {}", inputs.tag_len_bytes);
    Err(Refused::limit(&[Input::Tag], why))
}

pub(super) fn hmac(
    gcrypt: &Gcrypt,
    hash: c_int,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let tag_len_bytes = checked(gcrypt, hash, inputs)?;
    let mut md = Open::md(gcrypt, hash, HMAC)?;
    md.hash_key(inputs.key)?;
    let prepared = key_life == KeyLife::Prepared;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if prepared {
            // SAFETY: an open hash with a key, which an HMAC keeps.
            unsafe { (md.functions.gcry_md_reset)(md.handle) };
        } else {
            md.hash_key(key)?;
        }
        md.hash(message, tag)
    }))
}

pub(super) fn hmac_at_once(
    gcrypt: &Gcrypt,
    hash: c_int,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let (tag_len_bytes, f) = (checked(gcrypt, hash, inputs)?, gcrypt.functions);
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        let parts = [key, message].map(|part| Buffer {
            size: 0,
            offset: 0,
            len: part.len(),
            data: part.as_ptr().cast(),
        });
        // SAFETY: two buffers of the lengths said, the first the key; a tag as long as the hash.
        let error = unsafe {
            (f.gcry_md_hash_buffers)(hash, HMAC, tag.as_mut_ptr().cast(), parts.as_ptr(), 2)
        };
        if error == 0 { Ok(()) } else { Err("gcry_md_hash_buffers failed") }
    }))
}

/// A reset loses the key of a hash that is no HMAC, and setting it again is faster than a copy of
/// the handle: both key lives are one.
pub(super) fn keyed_hash(
    gcrypt: &Gcrypt,
    hash: c_int,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let tag_len_bytes = checked(gcrypt, hash, inputs)?;
    let prepared = (key_life == KeyLife::Prepared).then(|| Zeroizing::new(inputs.key.to_vec()));
    let mut md = Open::md(gcrypt, hash, 0)?;
    md.hash_key(inputs.key)?;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        md.hash_key(prepared.as_ref().map_or(key, |key| &key[..]))?;
        md.hash(message, tag)
    }))
}

/// A key that is set leaves what was there of the last message: without a reset the next tag is
/// wrong.
pub(super) fn cmac(
    gcrypt: &Gcrypt,
    info: &'static MacInfo,
    algorithm: c_int,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let (mut keys, tag_len_bytes) = (FixedKeys::of(info), inputs.tag_len_bytes);
    let mut mac = Open::mac(gcrypt, algorithm)?;
    mac.mac_key(keys.checked(inputs.key)?)?;
    let prepared = key_life == KeyLife::Prepared;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if !prepared {
            mac.mac_key(keys.checked(key)?)?;
        }
        mac.mac_reset()?;
        mac.mac_of(message, tag)
    }))
}

/// Setting a key begins anew here.
pub(super) fn poly1305(
    gcrypt: &Gcrypt,
    info: &'static MacInfo,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    if key_life == KeyLife::Prepared {
        return Err(crate::ONE_MESSAGE_KEY);
    }
    let (mut keys, tag_len_bytes) = (FixedKeys::of(info), inputs.tag_len_bytes);
    let mut mac = Open::mac(gcrypt, super::MAC_POLY1305)?;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        mac.mac_key(keys.checked(key)?)?;
        mac.mac_of(message, tag)
    }))
}
