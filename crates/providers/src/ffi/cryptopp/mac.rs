//! Macs: `MessageAuthenticationCode`.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ptr::null;

use macs::MacInfo;
use words::MacName;

use super::{Functions, Object, c_name_of};
use crate::{Input, Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

/// A mac object, which wipes its key when it is deleted.
struct Mac {
    functions: &'static Functions,
    object: Object,
    /// Empty where the mac takes none.
    nonce: Vec<u8>,
}

impl Drop for Mac {
    fn drop(&mut self) {
        // SAFETY: made by `mm_mac_new`, and not used after this.
        unsafe { (self.functions.mm_mac_free)(self.object) };
    }
}

impl Mac {
    /// With its first key.
    fn new(f: &'static Functions, info: &MacInfo, inputs: &Inputs<'_>) -> Result<Self, Refused> {
        let name = c_name_of(info.name);
        // SAFETY: a name that ends with a zero byte.
        let object = unsafe { (f.mm_mac_new)(name.as_ptr()) };
        if object.is_null() {
            return Err(f.error().of(info.name));
        }
        let mut mac = Self { functions: f, object, nonce: inputs.nonce.to_vec() };
        if !mac.set_key(inputs.key) {
            return Err(f.error().of(info.name));
        }
        // VMAC knows it only now. SAFETY: an object that was made.
        let tag_len_bytes = unsafe { (f.mm_mac_tag_len)(object) };
        if tag_len_bytes != inputs.tag_len_bytes {
            let why = format!("{tag_len_bytes}-byte tags only");
            return Err(Refused::limit(&[Input::Tag], why).of(info.name));
        }
        Ok(mac)
    }

    /// Takes a key, and the nonce with it.
    fn set_key(&mut self, key: &[u8]) -> bool {
        let (set_key, nonce) = (self.functions.mm_mac_set_key, &self.nonce);
        // SAFETY: an object that was made; a key and a nonce of the lengths said.
        unsafe { set_key(self.object, key.as_ptr(), key.len(), nonce.as_ptr(), nonce.len()) == 0 }
    }

    /// Writes a tag; `renews` the nonce first, where the mac takes one.
    fn compute(&mut self, renews: bool, message: &[u8], tag: &mut [u8]) -> bool {
        let nonce = if renews && !self.nonce.is_empty() { self.nonce.as_ptr() } else { null() };
        // SAFETY: a keyed object; a nonce, a message and a tag of the lengths said.
        unsafe {
            (self.functions.mm_mac_tag)(
                self.object,
                nonce,
                self.nonce.len(),
                message.as_ptr(),
                message.len(),
                tag.as_mut_ptr(),
                tag.len(),
            ) == 0
        }
    }
}

/// A tagger. An object restarts itself when it has given its tag.
pub(super) fn tagger(
    f: &'static Functions,
    info: &'static MacInfo,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let is_new = match key_life {
        KeyLife::Prepared if info.name == "poly1305" => {
            return Err(crate::ONE_MESSAGE_KEY);
        }
        KeyLife::Prepared => false,
        KeyLife::NewKey => true,
        KeyLife::OneShot => return Err(crate::NO_ONE_SHOT),
    };
    let name = MacName::of(info.name);
    // Crypto++ takes a nonce that VMAC has no room for.
    let is_too_long = inputs.nonce.len() == 16 && inputs.nonce[0] >= 0x80;
    if matches!(name.mode, "vmac64" | "vmac128") && is_too_long {
        return Err(Refused::limit(&[Input::Nonce], "nonces of at most 127 bits").of(info.name));
    }
    let (mut mac, tag_len_bytes) = (Mac::new(f, info, inputs)?, inputs.tag_len_bytes);
    // Crypto++ gives zeros where the standard has one block of padding encrypted.
    let takes_nothing = name.mode != "cbc-mac";
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if is_new && !info.accepted_key_len.accepts(key.len()) {
            return Err(crate::WRONG_KEY_LEN);
        }
        if !takes_nothing && message.is_empty() {
            return Err("Crypto++'s CBC-MAC of the empty message is not that of the standard");
        }
        if is_new && !mac.set_key(key) {
            return Err("SetKey failed");
        }
        if mac.compute(!is_new, message, tag) { Ok(()) } else { Err("Update or Final failed") }
    }))
}
