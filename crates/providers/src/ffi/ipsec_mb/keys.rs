//! Keys as the library's jobs and functions take them: set up by its own functions, in memory that
//! is wiped.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_void;
use std::ptr::null;
use std::slice;

use md5::{Digest, Md5};
use zeroize::Zeroize;

use super::multi_buffer::MultiBuffer;
use crate::ffi::state::State;
use crate::{Input, Refused};

/// Room for `struct gcm_key_data`: 1008 bytes in 1.3, 1264 in 2.0.
pub(super) const GCM_KEY_LEN_MAX: usize = 2048;

/// The hash in an HMAC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Md5,
    /// By index: SHA-1, -224, -256, -384, -512.
    Sha(usize),
}

/// What is made of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// The hash's states behind the inner and the outer pad.
    Hmac(Hash),
    /// AES round keys and two subkeys.
    Cmac,
    /// AES round keys.
    Ccm,
    /// AES round keys and powers of the GHASH key.
    Gcm,
    /// The key itself.
    Plain,
}

/// Where the outer state of an HMAC lies; the inner is at the beginning.
const OPAD_AT: usize = 64;
const PAD_BLOCK_AT: usize = 128;
const SUBKEY_1_AT: usize = 240;
const SUBKEY_2_AT: usize = 256;
const DECRYPTION_KEYS_AT: usize = 272;
const LEN_BYTES: usize = 512;

/// One key, set up.
pub(super) struct Keys {
    form: Form,
    key_len: usize,
    /// Where `_memory` begins.
    at: *mut u8,
    _memory: State,
}

impl Keys {
    /// The key must have a length that the mac takes.
    pub(super) fn new(library: &MultiBuffer, form: Form, key: &[u8]) -> Result<Self, Refused> {
        let mut memory = State::new(if form == Form::Gcm { GCM_KEY_LEN_MAX } else { LEN_BYTES });
        let fits = match form {
            Form::Hmac(_) => true,
            Form::Gcm => matches!(key.len(), 16 | 24 | 32),
            Form::Cmac | Form::Ccm => matches!(key.len(), 16 | 32),
            Form::Plain => key.len() == 32,
        };
        if !fits {
            let why = format!("no key of {} bytes", key.len());
            return Err(Refused::limit(&[Input::Key], why).of(format!("{form:?}")));
        }
        let mut keys = Self { form, key_len: key.len(), at: memory.as_mut_ptr(), _memory: memory };
        keys.set(library, key)?;
        Ok(keys)
    }

    /// Another key in the place of the last.
    #[inline]
    pub(super) fn set(&mut self, library: &MultiBuffer, key: &[u8]) -> Result<(), &'static str> {
        if let Form::Hmac(hash) = self.form {
            self.set_pads(library, hash, key);
            return Ok(());
        }
        if key.len() != self.key_len {
            return Err(crate::WRONG_KEY_LEN);
        }
        let (calls, bits) = (library.calls(), self.index());
        let (from, at) = (key.as_ptr().cast::<c_void>(), self.at);
        match self.form {
            Form::Gcm => {
                let pre = calls.gcm_pre[bits];
                // SAFETY: a key of this length; memory for the key data, on a cache line.
                unsafe { pre(from, at.cast()) };
            }
            Form::Plain => {
                // SAFETY: `LEN_BYTES` of our own, and a key of 32.
                unsafe { at.copy_from_nonoverlapping(key.as_ptr(), key.len()) };
            }
            Form::Cmac | Form::Ccm | Form::Hmac(_) => {
                let expand = calls.keyexp[bits];
                let subkeys =
                    if bits == 0 { calls.cmac_subkey_gen_128 } else { calls.cmac_subkey_gen_256 };
                // SAFETY: a key of this length; 240 bytes for each set of round keys and 16 for
                // each subkey, on multiples of 16.
                unsafe {
                    expand(from, at.cast(), at.add(DECRYPTION_KEYS_AT).cast());
                    if self.form == Form::Cmac {
                        let (one, two) = (at.add(SUBKEY_1_AT), at.add(SUBKEY_2_AT));
                        subkeys(at.cast(), one.cast(), two.cast());
                    }
                }
            }
        }
        Ok(())
    }

    /// HMAC by RFC 2104: both pads through the hash's compression function.
    fn set_pads(&mut self, library: &MultiBuffer, hash: Hash, key: &[u8]) {
        let calls = library.calls();
        let (block_len, one_block) = match hash {
            Hash::Md5 => (64, calls.md5_one_block),
            Hash::Sha(which) => (if which < 3 { 64 } else { 128 }, calls.sha_one_block[which]),
        };
        // SAFETY: within `LEN_BYTES` of our own; nothing else refers to this part.
        let block = unsafe { slice::from_raw_parts_mut(self.at.add(PAD_BLOCK_AT), block_len) };
        block.fill(0);
        if key.len() <= block_len {
            block[..key.len()].copy_from_slice(key);
        } else {
            hash_long_key(library, hash, key, block);
        }
        for (pad, at) in [(0x36, 0), (0x36 ^ 0x5C, OPAD_AT)] {
            block.iter_mut().for_each(|byte| *byte ^= pad);
            // SAFETY: a whole block; a state has at most 64 bytes.
            unsafe { one_block(block.as_ptr().cast(), self.at.add(at).cast()) };
        }
    }

    /// 0, 1, 2 for keys of 128, 192 and 256 bits.
    #[inline]
    pub(super) const fn index(&self) -> usize {
        match self.key_len {
            16 => 0,
            24 => 1,
            _ => 2,
        }
    }

    /// The key material; of AES the round keys.
    #[inline]
    pub(super) const fn as_ptr(&self) -> *const c_void {
        self.at.cast_const().cast()
    }

    /// What a job of the mac has in its union.
    pub(super) fn fields(&self) -> [*const c_void; 3] {
        // SAFETY: within the memory, whichever form it has.
        let at = |offset| unsafe { self.at.add(offset) }.cast_const().cast::<c_void>();
        match self.form {
            Form::Hmac(_) => [at(0), at(OPAD_AT), null()],
            Form::Cmac => [at(0), at(SUBKEY_1_AT), at(SUBKEY_2_AT)],
            Form::Ccm | Form::Gcm | Form::Plain => [at(0), null(), null()],
        }
    }
}

/// A key longer than a block is hashed. The library has functions for all hashes but MD5, of which
/// it has the compression function only.
fn hash_long_key(library: &MultiBuffer, hash: Hash, key: &[u8], block: &mut [u8]) {
    let mut digest = [0_u8; 64];
    match hash {
        Hash::Md5 => digest[..16].copy_from_slice(&Md5::digest(key)),
        Hash::Sha(which) => {
            let sha = library.calls().sha[which];
            // SAFETY: a key of the length said; room for the longest digest.
            unsafe { sha(key.as_ptr().cast(), key.len() as u64, digest.as_mut_ptr().cast()) };
        }
    }
    // No digest is longer than a block; what is behind it is zeros.
    block[..64].copy_from_slice(&digest);
    digest.zeroize();
}
