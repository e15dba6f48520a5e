//! What takes a nonce: GMAC, and the compositions CCM, EAX, GCM, GCM-SIV, SIV and
//! ChaCha20-Poly1305. A new nonce begins a new message, so that a handle needs no reset, but for
//! EAX, where what was left over of the last message's key stream would be used first, and the two
//! of SIV.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use macs::MacInfo;

use super::super::fixed_keys::FixedKeys;
use super::library::{Error, Gcrypt, Open, RESET};
use super::{MODE_CCM, MODE_EAX, MODE_GCM_SIV, MODE_SIV};
use crate::peer::Sealer;
use crate::{Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

// Of gcrypt.h and gpg-error.h, the same in all versions.
const SET_CCM_LENGTHS: c_int = 69;
const SET_DECRYPTION_TAG: c_int = 80;
const CODE_MASK: Error = 0xFFFF;
const CHECKSUM: Error = 10;

type Done = Result<(), &'static str>;

/// A cipher in a mode that authenticates, and the nonce of all its messages.
struct Cipher {
    open: Open,
    mode: c_int,
    nonce: Vec<u8>,
}

impl Cipher {
    fn new(gcrypt: &Gcrypt, (cipher, mode): (c_int, c_int), nonce: &[u8]) -> Result<Self, Refused> {
        let open = Open::cipher(gcrypt, cipher, mode)?;
        Ok(Self { open, mode, nonce: nonce.to_vec() })
    }

    #[inline]
    fn key(&mut self, key: &[u8]) -> Done {
        let Open { functions, handle, .. } = self.open;
        // SAFETY: an open cipher; a key of the length said.
        let error =
            unsafe { (functions.gcry_cipher_setkey)(handle, key.as_ptr().cast(), key.len()) };
        if error == 0 { Ok(()) } else { Err("gcry_cipher_setkey refuses the key") }
    }

    /// The nonce, for CCM the lengths of all that comes, and the associated data.
    #[inline]
    fn begin(&mut self, message_len: usize, associated_data: &[u8], tag_len: usize) -> Done {
        let Open { functions, handle, .. } = self.open;
        if matches!(self.mode, MODE_EAX | MODE_GCM_SIV | MODE_SIV) {
            // SAFETY: an open cipher; this command takes no data.
            if unsafe { (functions.gcry_cipher_ctl)(handle, RESET, null_mut(), 0) } != 0 {
                return Err("gcry_cipher_reset failed");
            }
        }
        if self.mode == MODE_SIV {
            // Strings of S2V in their order: one that is empty counts, too.
            self.authenticate(associated_data)?;
            return if self.nonce.is_empty() { Ok(()) } else { self.set_nonce() };
        }
        self.set_nonce()?;
        if self.mode == MODE_CCM {
            self.tell_lengths(message_len, associated_data.len(), tag_len)?;
        }
        if associated_data.is_empty() { Ok(()) } else { self.authenticate(associated_data) }
    }

    #[inline]
    fn set_nonce(&mut self) -> Done {
        let Open { functions, handle, .. } = self.open;
        let (nonce, len) = (self.nonce.as_ptr(), self.nonce.len());
        // SAFETY: an open cipher with a key; a nonce of the length said.
        let error = unsafe { (functions.gcry_cipher_setiv)(handle, nonce.cast(), len) };
        if error == 0 { Ok(()) } else { Err("gcry_cipher_setiv refuses the nonce") }
    }

    #[inline]
    fn authenticate(&mut self, data: &[u8]) -> Done {
        let Open { functions, handle, .. } = self.open;
        let (data, len) = (data.as_ptr(), data.len());
        // SAFETY: an open cipher with a key, and a nonce where it comes first; data of the length
        // said.
        let error = unsafe { (functions.gcry_cipher_authenticate)(handle, data.cast(), len) };
        if error == 0 { Ok(()) } else { Err("gcry_cipher_authenticate failed") }
    }

    /// The library does not look whether the message's length fits beside the nonce.
    #[inline]
    fn tell_lengths(&mut self, message: usize, associated_data: usize, tag: usize) -> Done {
        let bits = 8 * 15_usize.saturating_sub(self.nonce.len());
        if (message as u64).checked_shr(bits as u32).unwrap_or(0) != 0 {
            return Err("the message is too long for a nonce of that length");
        }
        let Open { functions, handle, .. } = self.open;
        let mut lengths = [message as u64, associated_data as u64, tag as u64];
        let (data, len) = (lengths.as_mut_ptr().cast(), size_of_val(&lengths));
        // SAFETY: an open cipher; three 64-bit numbers, as this command takes them.
        let error = unsafe { (functions.gcry_cipher_ctl)(handle, SET_CCM_LENGTHS, data, len) };
        if error == 0 { Ok(()) } else { Err("CCM refuses the length of the tag") }
    }

    /// The output must be as long as the input.
    #[inline]
    fn encrypt(&mut self, message: &[u8], ciphertext: &mut [u8]) -> Done {
        let Open { functions, handle, .. } = self.open;
        let (output, output_len) = (ciphertext.as_mut_ptr().cast(), ciphertext.len());
        let (input, len) = (message.as_ptr().cast(), message.len());
        // SAFETY: an open cipher with key and nonce; output and input of the lengths said.
        let error =
            unsafe { (functions.gcry_cipher_encrypt)(handle, output, output_len, input, len) };
        if error == 0 { Ok(()) } else { Err("gcry_cipher_encrypt failed") }
    }

    #[inline]
    fn tag(&mut self, tag: &mut [u8]) -> Done {
        let Open { functions, handle, .. } = self.open;
        // SAFETY: an open cipher with key and nonce; a tag of the length said.
        let error =
            unsafe { (functions.gcry_cipher_gettag)(handle, tag.as_mut_ptr().cast(), tag.len()) };
        if error == 0 { Ok(()) } else { Err("gcry_cipher_gettag refuses the length of the tag") }
    }

    /// Into an output as long as the input; what the library says of the tag.
    fn decrypt(&mut self, ciphertext: &[u8], message: &mut [u8], tag: &[u8]) -> Error {
        let Open { functions, handle, .. } = self.open;
        let (tag, tag_len) = (tag.as_ptr().cast::<c_void>(), tag.len());
        // The two of SIV decrypt with the tag, and look at it then.
        let is_siv = matches!(self.mode, MODE_GCM_SIV | MODE_SIV);
        if is_siv {
            let set = functions.gcry_cipher_ctl;
            // SAFETY: an open cipher; a tag of the length said, which this command copies.
            let error = unsafe { set(handle, SET_DECRYPTION_TAG, tag.cast_mut(), tag_len) };
            if error != 0 {
                return error;
            }
        }
        let (output, output_len) = (message.as_mut_ptr().cast(), message.len());
        let (input, len) = (ciphertext.as_ptr().cast(), ciphertext.len());
        // SAFETY: an open cipher with key and nonce; output, input and tag of the lengths said.
        unsafe {
            match (functions.gcry_cipher_decrypt)(handle, output, output_len, input, len) {
                0 if !is_siv => (functions.gcry_cipher_checktag)(handle, tag, tag_len),
                error => error,
            }
        }
    }
}

/// GCM whose associated data are the message.
pub(super) fn gmac(
    gcrypt: &Gcrypt,
    info: &'static MacInfo,
    algorithm: (c_int, c_int),
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    let (mut keys, tag_len_bytes) = (FixedKeys::of(info), inputs.tag_len_bytes);
    let mut gcm = Cipher::new(gcrypt, algorithm, inputs.nonce)?;
    gcm.key(keys.checked(inputs.key)?)?;
    let prepared = key_life == KeyLife::Prepared;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if !prepared {
            gcm.key(keys.checked(key)?)?;
        }
        gcm.begin(0, message, tag.len())?;
        gcm.tag(tag)
    }))
}

pub(super) fn sealer(
    gcrypt: &Gcrypt,
    info: &'static MacInfo,
    algorithm: (c_int, c_int),
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Sealer, Refused> {
    let (mut keys, tag_len_bytes) = (FixedKeys::of(info), inputs.tag_len_bytes);
    let associated_data = inputs.associated_data.to_vec();
    let mut cipher = Cipher::new(gcrypt, algorithm, inputs.nonce)?;
    cipher.key(keys.checked(inputs.key)?)?;
    let prepared = key_life == KeyLife::Prepared;
    Ok(Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != tag_len_bytes || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        if !prepared {
            cipher.key(keys.checked(key)?)?;
        }
        cipher.begin(message.len(), &associated_data, tag.len())?;
        cipher.encrypt(message, ciphertext)?;
        cipher.tag(tag)
    }))
}

pub(super) fn unseal(
    gcrypt: &Gcrypt,
    info: &'static MacInfo,
    algorithm: (c_int, c_int),
    inputs: &Inputs<'_>,
    tag: &[u8],
) -> Result<Option<Vec<u8>>, Refused> {
    let mut cipher = Cipher::new(gcrypt, algorithm, inputs.nonce)?;
    cipher.key(FixedKeys::of(info).checked(inputs.key)?)?;
    cipher.begin(inputs.message.len(), inputs.associated_data, tag.len())?;
    let mut opened = vec![0; inputs.message.len()];
    match cipher.decrypt(inputs.message, &mut opened, tag) & CODE_MASK {
        0 => Ok(Some(opened)),
        CHECKSUM => Ok(None),
        error => Err(Refused::Said(gcrypt.reason(error)).of(info.name)),
    }
}
