//! SIV over AES, whose functions take a whole message at once and write the tag before the
//! ciphertext.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_int;

use macs::MacInfo;

use super::meta::SetKeyFn;
use super::{Bytes, BytesMut, Memory, Nettle};
use crate::ffi::state::State;
use crate::peer::Sealer;
use crate::{Input, Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

/// The length of what is written, tag and ciphertext, comes before the two pointers.
type EncryptFn = unsafe extern "C" fn(Memory, usize, Bytes, usize, Bytes, usize, BytesMut, Bytes);
/// That of the message; 1 where the tag is right.
type DecryptFn =
    unsafe extern "C" fn(Memory, usize, Bytes, usize, Bytes, usize, BytesMut, Bytes) -> c_int;

const TAG_LEN_BYTES: usize = 16;

/// More than `struct siv_cmac_aes256_ctx` of siv-cmac.h takes: two ciphers with 15 round keys, and
/// two blocks.
const CONTEXT_LEN_BYTES: usize = 1024;

pub(super) struct Siv {
    state: State,
    key_len_bytes: usize,
    set_key: SetKeyFn,
    encrypt: EncryptFn,
    decrypt: DecryptFn,
    nonce: Vec<u8>,
    associated_data: Vec<u8>,
    /// Tag and ciphertext.
    joined: Vec<u8>,
}

impl Nettle {
    /// Under the key, the nonce and the associated data in `inputs`.
    pub(super) fn siv(
        &self,
        name: &str,
        info: &MacInfo,
        inputs: &Inputs<'_>,
    ) -> Result<Siv, Refused> {
        // Nettle aborts the process over none at all.
        if inputs.nonce.is_empty() {
            let why = format!("{name} takes nonces of 1 byte or more");
            return Err(Refused::limit(&[Input::Nonce], why));
        }
        // SAFETY: so declared in siv-cmac.h, for both ciphers, from Nettle 3.5 on.
        let (set_key, encrypt, decrypt) = unsafe {
            (
                self.library.symbol(&format!("nettle_{name}_set_key"))?,
                self.library.symbol(&format!("nettle_{name}_encrypt_message"))?,
                self.library.symbol(&format!("nettle_{name}_decrypt_message"))?,
            )
        };
        let mut siv = Siv {
            state: State::new(CONTEXT_LEN_BYTES),
            key_len_bytes: info.key_len_bytes,
            set_key,
            encrypt,
            decrypt,
            nonce: inputs.nonce.to_vec(),
            associated_data: inputs.associated_data.to_vec(),
            joined: Vec::new(),
        };
        siv.rekey(inputs.key)?;
        Ok(siv)
    }
}

impl Siv {
    fn rekey(&mut self, key: &[u8]) -> Result<(), &'static str> {
        if key.len() != self.key_len_bytes {
            return Err(crate::WRONG_KEY_LEN);
        }
        // SAFETY: a context longer than the library's; a key of the length that its name says.
        unsafe { (self.set_key)(self.state.as_mut_ptr(), key.as_ptr()) };
        Ok(())
    }

    /// Tag and ciphertext of a message.
    fn seal(&mut self, message: &[u8]) -> (&[u8], &[u8]) {
        let len = TAG_LEN_BYTES + message.len();
        if self.joined.len() != len {
            self.joined.resize(len, 0);
        }
        let (nonce, data) = (&self.nonce, &self.associated_data);
        // SAFETY: a context with a key; inputs of the lengths said, an output of `len` bytes.
        unsafe {
            (self.encrypt)(
                self.state.as_mut_ptr(),
                nonce.len(),
                nonce.as_ptr(),
                data.len(),
                data.as_ptr(),
                len,
                self.joined.as_mut_ptr(),
                message.as_ptr(),
            );
        }
        self.joined.split_at(TAG_LEN_BYTES)
    }

    /// Opens `inputs.message` with its tag; `None` when it is not genuine.
    pub(super) fn opened(
        mut self,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        if tag.len() != TAG_LEN_BYTES {
            return Err(WRONG_TAG_LEN.into());
        }
        let sealed = [tag, inputs.message].concat();
        let mut opened = vec![0; inputs.message.len()];
        let (nonce, data) = (&self.nonce, &self.associated_data);
        // SAFETY: a context with a key; inputs of the lengths said, an output as long as the
        // message.
        let is_genuine = unsafe {
            (self.decrypt)(
                self.state.as_mut_ptr(),
                nonce.len(),
                nonce.as_ptr(),
                data.len(),
                data.as_ptr(),
                opened.len(),
                opened.as_mut_ptr(),
                sealed.as_ptr(),
            )
        };
        Ok((is_genuine == 1).then_some(opened))
    }
}

/// Ciphertext and tag are taken apart, by a copy.
pub(super) fn sealer(mut siv: Siv, key_life: KeyLife) -> Sealer {
    let is_new = key_life == KeyLife::NewKey;
    Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != TAG_LEN_BYTES || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        if is_new {
            siv.rekey(key)?;
        }
        let (computed, sealed) = siv.seal(message);
        tag.copy_from_slice(computed);
        ciphertext.copy_from_slice(sealed);
        Ok(())
    })
}

/// What is timed: the key where it is new, and then the message, whose ciphertext stays where the
/// library wrote it.
pub(super) fn tagger(mut siv: Siv, key_life: KeyLife) -> Tagger {
    let is_new = key_life == KeyLife::NewKey;
    Box::new(move |key, message, tag| {
        if tag.len() != TAG_LEN_BYTES {
            return Err(WRONG_TAG_LEN);
        }
        if is_new {
            siv.rekey(key)?;
        }
        tag.copy_from_slice(siv.seal(message).0);
        Ok(())
    })
}
