//! Compositions: `AuthenticatedSymmetricCipher`.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_int;
use std::ptr::null;

use macs::MacInfo;
use words::MacName;

use super::{Functions, Object, c_name_of};
use crate::peer::Sealer;
use crate::{Input, Inputs, KeyLife, Refused, WRONG_TAG_LEN};

/// A composition object, which wipes its key when it is deleted.
struct Aead {
    functions: &'static Functions,
    object: Object,
    nonce: Vec<u8>,
    associated_data: Vec<u8>,
    tag_len_bytes: usize,
}

impl Drop for Aead {
    fn drop(&mut self) {
        // SAFETY: made by `mm_aead_new`, and not used after this.
        unsafe { (self.functions.mm_aead_free)(self.object) };
    }
}

impl Aead {
    /// With its first key; one that seals, or one that `opens`.
    fn new(
        f: &'static Functions,
        info: &MacInfo,
        opens: bool,
        inputs: &Inputs<'_>,
        tag_len_bytes: usize,
    ) -> Result<Self, Refused> {
        // Of other nonces a hash is the first counter, whose last four bytes may count over: then
        // Crypto++ carries into the byte before them.
        if MacName::of(info.name).mode == "gcm" && inputs.nonce.len() != 12 {
            return Err(Refused::limit(&[Input::Nonce], "12-byte nonces only").of(info.name));
        }
        let name = c_name_of(info.name);
        // SAFETY: a name that ends with a zero byte.
        let object = unsafe { (f.mm_aead_new)(name.as_ptr(), opens.into()) };
        if object.is_null() {
            return Err(f.error().of(info.name));
        }
        let mut aead = Self {
            functions: f,
            object,
            nonce: inputs.nonce.to_vec(),
            associated_data: inputs.associated_data.to_vec(),
            tag_len_bytes,
        };
        if !aead.set_key(inputs.key) {
            return Err(f.error().of(info.name));
        }
        Ok(aead)
    }

    /// Takes a key, and the nonce with it.
    fn set_key(&mut self, key: &[u8]) -> bool {
        let (set_key, nonce) = (self.functions.mm_aead_set_key, &self.nonce);
        let (nonce, nonce_len) = (nonce.as_ptr(), nonce.len());
        // SAFETY: an object that was made; a key and a nonce of the lengths said.
        unsafe {
            set_key(self.object, key.as_ptr(), key.len(), nonce, nonce_len, self.tag_len_bytes) == 0
        }
    }

    /// Seals a message; `renews` the nonce first.
    fn seal(&mut self, renews: bool, message: &[u8], out: &mut [u8], tag: &mut [u8]) -> bool {
        // SAFETY: a keyed object; nonce, associated data, message and tag of the lengths said; an
        // output as long as the message.
        unsafe {
            (self.functions.mm_aead_seal)(
                self.object,
                if renews { self.nonce.as_ptr() } else { null() },
                self.nonce.len(),
                self.associated_data.as_ptr(),
                self.associated_data.len(),
                message.as_ptr(),
                message.len(),
                out.as_mut_ptr(),
                tag.as_mut_ptr(),
                tag.len(),
            ) == 0
        }
    }

    /// Opens a message with the nonce that came with the key: 1 where it is genuine, 0 where it is
    /// not.
    fn unseal(&mut self, sealed: &[u8], tag: &[u8], opened: &mut [u8]) -> c_int {
        // SAFETY: a keyed object; associated data, ciphertext and tag of the lengths said; an
        // output as long as the ciphertext.
        unsafe {
            (self.functions.mm_aead_open)(
                self.object,
                self.associated_data.as_ptr(),
                self.associated_data.len(),
                sealed.as_ptr(),
                sealed.len(),
                opened.as_mut_ptr(),
                tag.as_ptr(),
                tag.len(),
            )
        }
    }
}

pub(super) fn sealer(
    f: &'static Functions,
    info: &'static MacInfo,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Sealer, Refused> {
    let is_new = match key_life {
        KeyLife::Prepared => false,
        KeyLife::NewKey => true,
        KeyLife::OneShot => return Err(crate::NO_ONE_SHOT),
    };
    let mut aead = Aead::new(f, info, false, inputs, inputs.tag_len_bytes)?;
    // EAX goes wrong for good when a nonce is set where another one has not been used.
    if !is_new && !aead.seal(false, &[], &mut [], &mut vec![0; inputs.tag_len_bytes]) {
        return Err(f.error().of(info.name));
    }
    Ok(Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != aead.tag_len_bytes || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        if is_new && !info.accepted_key_len.accepts(key.len()) {
            return Err(crate::WRONG_KEY_LEN);
        }
        if is_new && !aead.set_key(key) {
            return Err("SetKeyWithIV failed");
        }
        if aead.seal(!is_new, message, ciphertext, tag) { Ok(()) } else { Err("sealing failed") }
    }))
}

/// Opens a sealed message; `None` when it is not genuine.
pub(super) fn unseal(
    f: &'static Functions,
    info: &'static MacInfo,
    inputs: &Inputs<'_>,
    tag: &[u8],
) -> Result<Option<Vec<u8>>, Refused> {
    let mut aead = Aead::new(f, info, true, inputs, tag.len())?;
    let mut opened = vec![0; inputs.message.len()];
    match aead.unseal(inputs.message, tag, &mut opened) {
        1 => Ok(Some(opened)),
        0 => Ok(None),
        _ => Err(f.error().of(info.name)),
    }
}
