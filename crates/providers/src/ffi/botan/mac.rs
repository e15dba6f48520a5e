//! Macs: `botan_mac_t`.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{CString, c_int};
use std::ptr::null_mut;

use macs::MacInfo;
use words::MacName;

use super::{Api, Bytes, Object};
use crate::{Input, Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

/// `botan_mac_set_nonce`.
type SetNonce = unsafe extern "C" fn(Object, Bytes, usize) -> c_int;

/// A mac object, which the library wipes when it is destroyed.
pub(super) struct Mac {
    api: &'static Api,
    object: Object,
}

impl Drop for Mac {
    fn drop(&mut self) {
        // SAFETY: made by `botan_mac_init`, and not used after this.
        unsafe { (self.api.functions.botan_mac_destroy)(self.object) };
    }
}

impl Mac {
    pub(super) fn new(api: &'static Api, name: &str) -> Result<Self, Refused> {
        let c_name = CString::new(name).map_err(|_| Refused::Unknown(format!("mac {name:?}")))?;
        let mut object: Object = null_mut();
        // SAFETY: a writable pointer, a name that ends with a zero byte, flags that must be zero.
        let made = unsafe { (api.functions.botan_mac_init)(&raw mut object, c_name.as_ptr(), 0) };
        api.check(made, name)?;
        Ok(Self { api, object })
    }

    /// Length of the tags it writes.
    pub(super) fn tag_len_bytes(&self) -> usize {
        let mut len = 0;
        // SAFETY: an object that was made, a writable length.
        unsafe { (self.api.functions.botan_mac_output_length)(self.object, &raw mut len) };
        len
    }

    pub(super) fn set_key(&mut self, key: &[u8]) -> c_int {
        // SAFETY: an object that was made; a key of the length said.
        unsafe { (self.api.functions.botan_mac_set_key)(self.object, key.as_ptr(), key.len()) }
    }

    fn set_nonce(&mut self, set: SetNonce, nonce: &[u8]) -> c_int {
        // SAFETY: an object that was made; a nonce of the length said.
        unsafe { set(self.object, nonce.as_ptr(), nonce.len()) }
    }

    /// Writes the tag of these parts of a message. `tag` has the length that the object says.
    pub(super) fn compute(&mut self, parts: &[&[u8]], tag: &mut [u8]) -> bool {
        let f = &self.api.functions;
        // SAFETY: an object that was made; parts of the lengths said, a tag as long as the library
        // said that it writes.
        unsafe {
            let mut parts = parts.iter();
            parts.all(|part| (f.botan_mac_update)(self.object, part.as_ptr(), part.len()) == 0)
                && (f.botan_mac_final)(self.object, tag.as_mut_ptr()) == 0
        }
    }
}

/// Before 3.12 the last reduction goes wrong for one message in some 2^85, and for this one of
/// Botan's own tests (src/tests/data/mac/poly1305.vec).
pub(super) fn poly1305_is_right(api: &'static Api) -> bool {
    const R: u128 = 0x4bb7_565d_c495_db16_5ec1_e274_412b_1b5e;
    const S: u128 = 0xe271_4afb_d2f5_237e_2faa_c163_dadc_cb44;
    const MESSAGE: u128 = 0xcc66_72d2_7975_8e2f_ae71_7d8b_6b98_c5f8;
    const TAG: u128 = 0xdf71_4afb_d2f5_237e_2faa_c1ed_4122_ef45;
    let Ok(mut mac) = Mac::new(api, "Poly1305") else { return false };
    let (key, mut tag) = ([R.to_be_bytes(), S.to_be_bytes()].concat(), [0; 16]);
    mac.tag_len_bytes() == tag.len()
        && mac.set_key(&key) == 0
        && mac.compute(&[&MESSAGE.to_be_bytes()], &mut tag)
        && tag == TAG.to_be_bytes()
}

/// A tagger over the mac of that name. `final` leaves the object as it was after `set_key`.
pub(super) fn tagger(
    api: &'static Api,
    name: &str,
    info: &'static MacInfo,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    // Before 3.13 KMAC pads such a key wrongly: with its lengths it is a whole block of Keccak.
    let bad_key_len = match info.name {
        "kmac128" if api.version < (3, 13) => Some(163),
        "kmac256" if api.version < (3, 13) => Some(131),
        _ => None,
    };
    if bad_key_len == Some(inputs.key.len()) {
        return Err(Refused::Faulty("wrong tags for keys of this length before 3.13").of(name));
    }
    let (mut mac, tag_len_bytes) = (Mac::new(api, name)?, inputs.tag_len_bytes);
    if mac.tag_len_bytes() != tag_len_bytes {
        let why = format!("no {tag_len_bytes}-byte tags");
        return Err(Refused::limit(&[Input::Tag], why).of(name));
    }
    api.check(mac.set_key(inputs.key), name)?;
    // KMAC takes its customization string as a nonce; none is the same as an empty one.
    let is_gmac = MacName::of(info.name).mode == "gmac";
    let nonce = if is_gmac { inputs.nonce } else { inputs.customization };
    let nonce = match &api.nonces {
        _ if nonce.is_empty() => None,
        Some(nonces) => Some((nonces.botan_mac_set_nonce, nonce.to_vec())),
        None => {
            let why = format!("{name} takes neither nonce nor customization string here");
            return Err(Refused::limit(&[Input::Nonce, Input::Customization], why));
        }
    };
    // Botan gives zeros where the standard has one block of padding encrypted.
    let takes_nothing = MacName::of(info.name).mode != "cbc-mac";
    let is_new = key_life != KeyLife::Prepared;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        let len = key.len();
        if is_new && (!info.accepted_key_len.accepts(len) || bad_key_len == Some(len)) {
            return Err(crate::WRONG_KEY_LEN);
        }
        if !takes_nothing && message.is_empty() {
            return Err("Botan's CBC-MAC of the empty message is not that of the standard");
        }
        if is_new && mac.set_key(key) != 0 {
            return Err("botan_mac_set_key failed");
        }
        if let Some((set, nonce)) = &nonce
            && mac.set_nonce(*set, nonce) != 0
        {
            return Err("botan_mac_set_nonce failed");
        }
        if mac.compute(&[message], tag) { Ok(()) } else { Err("botan_mac failed") }
    }))
}
