//! Compositions, and GMAC as GCM of no message: `botan_cipher_t`. It writes ciphertext and tag as
//! one, into a buffer that is kept.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{CString, c_int};
use std::ptr::null_mut;

use macs::{Len, MacInfo};
use words::MacName;

use super::{Api, Object};
use crate::peer::Sealer;
use crate::{Input, Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

const FINAL: u32 = 1;
pub(super) const DECRYPT: u32 = 1;
const BAD_MAC: c_int = -2;

/// A cipher object, which the library wipes when it is destroyed.
pub(super) struct Cipher {
    api: &'static Api,
    object: Object,
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: made by `botan_cipher_init`, and not used after this.
        unsafe { (self.api.functions.botan_cipher_destroy)(self.object) };
    }
}

impl Cipher {
    pub(super) fn new(
        api: &'static Api,
        name: &str,
        direction: u32,
        key: &[u8],
    ) -> Result<Self, Refused> {
        let c_name =
            CString::new(name).map_err(|_| Refused::Unknown(format!("cipher {name:?}")))?;
        let (mut object, f): (Object, _) = (null_mut(), &api.functions);
        // SAFETY: a writable pointer, a name that ends with a zero byte, one of the two directions.
        let made = unsafe { (f.botan_cipher_init)(&raw mut object, c_name.as_ptr(), direction) };
        api.check(made, name)?;
        let cipher = Self { api, object };
        // SAFETY: an object that was made; a key of the length said.
        let keyed = unsafe { (f.botan_cipher_set_key)(cipher.object, key.as_ptr(), key.len()) };
        api.check(keyed, name)?;
        Ok(cipher)
    }

    /// Gives the last part of a message to the library: how much it wrote, or its error.
    pub(super) fn finish(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, c_int> {
        let (mut written, mut consumed) = (0, 0);
        // SAFETY: a keyed and started object; an output and an input of the lengths said, and two
        // writable lengths.
        let done = unsafe {
            (self.api.functions.botan_cipher_update)(
                self.object,
                FINAL,
                output.as_mut_ptr(),
                output.len(),
                &raw mut written,
                input.as_ptr(),
                input.len(),
                &raw mut consumed,
            )
        };
        if done == 0 { Ok(written) } else { Err(done) }
    }

    /// Forgets the last message: its nonce, its associated data.
    pub(super) fn reset(&mut self) -> bool {
        // SAFETY: an object that was made.
        unsafe { (self.api.functions.botan_cipher_reset)(self.object) == 0 }
    }

    pub(super) fn set_associated_data(&mut self, data: &[u8]) -> bool {
        let set = self.api.functions.botan_cipher_set_associated_data;
        // SAFETY: a keyed object; associated data of the length said.
        unsafe { set(self.object, data.as_ptr(), data.len()) == 0 }
    }

    /// Gives all whole multiples of the granularity to the library, where there is one; how many
    /// bytes that were. The output is no shorter than the message.
    pub(super) fn begin(
        &mut self,
        granularity: Option<usize>,
        message: &[u8],
        output: &mut [u8],
    ) -> Result<usize, &'static str> {
        let whole = granularity.map_or(0, |of| message.len() / of * of);
        if whole == 0 || output.len() < whole {
            return Ok(0);
        }
        let (mut written, mut consumed) = (0, 0);
        // SAFETY: a keyed and started object; an input of `whole` bytes, which are not more than
        // the message's; an output of as many; two writable lengths.
        let done = unsafe {
            (self.api.functions.botan_cipher_update)(
                self.object,
                0,
                output.as_mut_ptr(),
                whole,
                &raw mut written,
                message.as_ptr(),
                whole,
                &raw mut consumed,
            )
        };
        if (done, written, consumed) == (0, whole, whole) {
            Ok(whole)
        } else {
            Err("botan_cipher_update failed")
        }
    }

    /// Begins a message.
    pub(super) fn start(&mut self, nonce: &[u8]) -> bool {
        let start = self.api.functions.botan_cipher_start;
        // SAFETY: a keyed object; a nonce of the length said.
        unsafe { start(self.object, nonce.as_ptr(), nonce.len()) == 0 }
    }
}

/// Botan 2 copies a last part into a new buffer, which takes longer than all else when it is long:
/// in what multiples messages are given to it before. CCM and SIV keep the whole message anyhow.
pub(super) fn granularity(api: &'static Api, info: &MacInfo, cipher: &Cipher) -> Option<usize> {
    let keeps_all = MacName::of(info.name).mode == "ccm" || is_siv(info);
    (api.version.0 == 2 && !keeps_all).then(|| {
        let mut multiple = 0;
        // SAFETY: an object that was made, a writable length.
        unsafe {
            (api.functions.botan_cipher_get_update_granularity)(cipher.object, &raw mut multiple)
        };
        multiple.max(1)
    })
}

/// SIV writes the tag before the ciphertext, and counts associated data that are empty.
fn is_siv(info: &MacInfo) -> bool {
    MacName::of(info.name).mode == "siv"
}

/// A composition with its nonce, its associated data and the buffer it writes into.
pub(super) struct Aead {
    cipher: Cipher,
    key_len: Len,
    nonce: Vec<u8>,
    associated_data: Vec<u8>,
    /// Before 3.13 EAX keeps what it computed of the associated data under the last key.
    must_reset: bool,
    is_siv: bool,
    tag_len_bytes: usize,
    /// In what multiples messages are given to the library before their last part; without, they
    /// are given as one.
    granularity: Option<usize>,
    joined: Vec<u8>,
}

impl Aead {
    pub(super) fn new(
        api: &'static Api,
        name: &str,
        info: &MacInfo,
        inputs: &Inputs<'_>,
    ) -> Result<Self, Refused> {
        if name == "ChaCha20Poly1305" && inputs.tag_len_bytes != 16 {
            return Err(Refused::limit(&[Input::Tag], "16-byte tags only").of(name));
        }
        let cipher = Cipher::new(api, name, 0, inputs.key)?;
        let granularity = granularity(api, info, &cipher);
        Ok(Self {
            cipher,
            key_len: info.accepted_key_len,
            nonce: inputs.nonce.to_vec(),
            associated_data: inputs.associated_data.to_vec(),
            must_reset: MacName::of(info.name).mode == "eax" && api.version < (3, 13),
            is_siv: is_siv(info),
            tag_len_bytes: inputs.tag_len_bytes,
            granularity,
            joined: Vec::new(),
        })
    }

    fn rekey(&mut self, key: &[u8]) -> Result<(), &'static str> {
        if !self.key_len.accepts(key.len()) {
            return Err(crate::WRONG_KEY_LEN);
        }
        let set_key = self.cipher.api.functions.botan_cipher_set_key;
        // SAFETY: an object that was made; a key of the length said.
        let done = unsafe { set_key(self.cipher.object, key.as_ptr(), key.len()) };
        if done != 0 {
            return Err("botan_cipher_set_key failed");
        }
        if self.must_reset && !self.cipher.reset() {
            return Err("botan_cipher_reset failed");
        }
        Ok(())
    }

    /// Seals a message: the ciphertext and the tag behind it.
    fn seal(&mut self, message: &[u8]) -> Result<(&[u8], &[u8]), &'static str> {
        let len = message.len() + self.tag_len_bytes;
        if self.joined.len() != len {
            self.joined.resize(len, 0);
        }
        let (cipher, data) = (&mut self.cipher, &self.associated_data);
        let is_set =
            data.is_empty() && !self.is_siv || cipher.reset() && cipher.set_associated_data(data);
        if !is_set {
            return Err("botan_cipher_set_associated_data failed");
        }
        if !self.cipher.start(&self.nonce) {
            return Err("botan_cipher_start failed");
        }
        let begun = self.cipher.begin(self.granularity, message, &mut self.joined)?;
        let written = self.cipher.finish(&message[begun..], &mut self.joined[begun..]);
        if written != Ok(len - begun) {
            return Err("botan_cipher_update failed");
        }
        Ok(match self.is_siv {
            true => {
                let (tag, ciphertext) = self.joined.split_at(self.tag_len_bytes);
                (ciphertext, tag)
            }
            false => self.joined.split_at(message.len()),
        })
    }

    /// Ciphertext and tag are taken apart, by a copy.
    pub(super) fn sealer(mut self, key_life: KeyLife) -> Result<Sealer, Refused> {
        let is_new = is_new(key_life)?;
        Ok(Box::new(move |key, message, ciphertext, tag| {
            if tag.len() != self.tag_len_bytes || ciphertext.len() != message.len() {
                return Err(WRONG_TAG_LEN);
            }
            if is_new {
                self.rekey(key)?;
            }
            let (sealed, computed) = self.seal(message)?;
            ciphertext.copy_from_slice(sealed);
            tag.copy_from_slice(computed);
            Ok(())
        }))
    }

    /// The ciphertext stays where the library wrote it.
    pub(super) fn tagger(mut self, key_life: KeyLife) -> Result<Tagger, Refused> {
        let is_new = is_new(key_life)?;
        Ok(Box::new(move |key, message, tag| {
            if tag.len() != self.tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            if is_new {
                self.rekey(key)?;
            }
            tag.copy_from_slice(self.seal(message)?.1);
            Ok(())
        }))
    }

    /// GMAC: the message is the associated data of an empty one.
    pub(super) fn gmac(mut self, key_life: KeyLife) -> Result<Tagger, Refused> {
        let is_new = is_new(key_life)?;
        Ok(Box::new(move |key, message, tag| {
            if tag.len() != self.tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            if is_new {
                self.rekey(key)?;
            }
            // An empty message too, or the last one would stay.
            if !self.cipher.set_associated_data(message) || !self.cipher.start(&self.nonce) {
                return Err("botan_cipher_start failed");
            }
            match self.cipher.finish(&[], tag) {
                Ok(written) if written == tag.len() => Ok(()),
                _ => Err("botan_cipher_update failed"),
            }
        }))
    }
}

fn is_new(key_life: KeyLife) -> Result<bool, Refused> {
    match key_life {
        KeyLife::Prepared => Ok(false),
        KeyLife::NewKey => Ok(true),
        KeyLife::OneShot => Err(crate::NO_ONE_SHOT),
    }
}

/// Opens a sealed message; `None` when it is not genuine.
pub(super) fn unseal(
    api: &'static Api,
    name: &str,
    info: &MacInfo,
    inputs: &Inputs<'_>,
    tag: &[u8],
) -> Result<Option<Vec<u8>>, Refused> {
    if name == "ChaCha20Poly1305" && tag.len() != 16 {
        return Err(Refused::limit(&[Input::Tag], "16-byte tags only").of(name));
    }
    let mut cipher = Cipher::new(api, name, DECRYPT, inputs.key)?;
    if !cipher.set_associated_data(inputs.associated_data) || !cipher.start(inputs.nonce) {
        return Err(Refused::Call("botan_cipher_start refuses the nonce").of(name));
    }
    let sealed = match is_siv(info) {
        true => [tag, inputs.message].concat(),
        false => [inputs.message, tag].concat(),
    };
    let mut opened = vec![0; inputs.message.len()];
    match cipher.finish(&sealed, &mut opened) {
        Ok(written) if written == opened.len() => Ok(Some(opened)),
        Err(BAD_MAC) => Ok(None),
        Ok(_) => Err(Refused::Call("botan_cipher_update wrote another length").of(name)),
        Err(error) => api.check(error, name).map(|()| None),
    }
}
