//! Compositions of the library, which work in place.
#![expect(unsafe_code, reason = "calls a C library")]

use macs::MacInfo;

use super::handle::{Handle, Options};
use super::{Functions, OK, c_name};
use crate::peer::Sealer;
use crate::{Inputs, KeyLife, Refused, Sealing, WRONG_TAG_LEN};

/// A composition under a key.
struct Composition {
    f: &'static Functions,
    handle: Handle,
}

impl Composition {
    fn new(f: &'static Functions, info: &MacInfo, inputs: &Inputs<'_>) -> Result<Self, Refused> {
        let options = Options::of(info, inputs);
        let handle = Handle::new(f, f.macs_composition_free, |out| {
            let (name, key) = (c_name(info), inputs.key);
            let (key, key_len) = (key.as_ptr(), key.len());
            // SAFETY: a text, a key of the length said, options as long as they say, and a place
            // for the result.
            unsafe {
                (f.macs_composition_new)(name.as_ptr(), key, key_len, &raw const options, out)
            }
        })?;
        Ok(Self { f, handle })
    }

    #[inline]
    fn change(&self, key: &[u8]) -> bool {
        let object = self.handle.object();
        // SAFETY: a composition that nobody else has; a key of the length said.
        unsafe { (self.f.macs_composition_change)(object, key.as_ptr(), key.len()) == OK }
    }

    fn ciphertext_len(&self, message_len: usize) -> usize {
        // SAFETY: a composition that lives.
        unsafe { (self.f.macs_ciphertext_len)(self.handle.object(), message_len) }
    }

    #[inline]
    fn seal(
        &self,
        nonce: &[u8],
        data: &[u8],
        buffer: &mut [u8],
        message_len: usize,
        tag: &mut [u8],
    ) -> bool {
        // SAFETY: a composition that lives; bytes of the lengths said.
        unsafe {
            (self.f.macs_seal)(
                self.handle.object(),
                nonce.as_ptr(),
                nonce.len(),
                data.as_ptr(),
                data.len(),
                buffer.as_mut_ptr(),
                buffer.len(),
                message_len,
                tag.as_mut_ptr(),
                tag.len(),
            ) == OK
        }
    }

    #[inline]
    fn open(&self, nonce: &[u8], data: &[u8], buffer: &mut [u8], tag: &[u8]) -> Option<usize> {
        let mut message_len = 0;
        // SAFETY: a composition that lives; bytes of the lengths said; a place for a length.
        let status = unsafe {
            (self.f.macs_open)(
                self.handle.object(),
                nonce.as_ptr(),
                nonce.len(),
                data.as_ptr(),
                data.len(),
                buffer.as_mut_ptr(),
                buffer.len(),
                tag.as_ptr(),
                tag.len(),
                &raw mut message_len,
            )
        };
        (status == OK).then_some(message_len)
    }
}

/// A message is copied to where its ciphertext will be, and sealed there.
pub(super) fn sealer(
    f: &'static Functions,
    info: &MacInfo,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Sealer, Refused> {
    let composition = Composition::new(f, info, inputs)?;
    let (nonce, data) = (inputs.nonce.to_vec(), inputs.associated_data.to_vec());
    let (is_new, tag_len_bytes) = (key_life == KeyLife::NewKey, inputs.tag_len_bytes);
    Ok(Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != tag_len_bytes || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        if is_new && !composition.change(key) {
            return Err("macs_composition_change failed");
        }
        ciphertext.copy_from_slice(message);
        let is_sealed = composition.seal(&nonce, &data, ciphertext, message.len(), tag);
        if is_sealed { Ok(()) } else { Err("macs_seal failed") }
    }))
}

/// The message, if it is genuine.
pub(super) fn unsealed(
    f: &'static Functions,
    info: &MacInfo,
    inputs: &Inputs<'_>,
    tag: &[u8],
) -> Result<Option<Vec<u8>>, Refused> {
    let inputs = Inputs { tag_len_bytes: tag.len(), ..*inputs };
    let composition = Composition::new(f, info, &inputs)?;
    let mut buffer = inputs.message.to_vec();
    let opened = composition.open(inputs.nonce, inputs.associated_data, &mut buffer, tag);
    Ok(match opened {
        Some(len) => {
            buffer.truncate(len);
            Some(buffer)
        }
        // Whatever it leaves behind counts as opened.
        None => buffer.iter().any(|&byte| byte != 0).then_some(buffer),
    })
}

/// One for messages that differ in nonce and associated data.
pub(super) fn in_place(
    f: &'static Functions,
    info: &'static MacInfo,
    key: &[u8],
) -> Result<Box<dyn Sealing>, Refused> {
    let inputs = Inputs { key, tag_len_bytes: info.tag_len_bytes, ..Inputs::default() };
    let composition = Composition::new(f, info, &inputs)?;
    let (nonce, mut tag) = (crate::timed_nonce(info), vec![0; info.tag_len_bytes]);
    // The one composition without any refuses it.
    let mut buffer = vec![0; composition.ciphertext_len(0)];
    let takes_associated_data = composition.seal(&nonce, &[0], &mut buffer, 0, &mut tag);
    Ok(Box::new(InPlace { composition, info, takes_associated_data }))
}

struct InPlace {
    composition: Composition,
    info: &'static MacInfo,
    takes_associated_data: bool,
}

impl Sealing for InPlace {
    fn nonce_len_bytes(&self) -> usize {
        self.info.nonce.map_or(0, |nonce| nonce.len_bytes)
    }

    fn tag_len_bytes(&self) -> usize {
        self.info.tag_len_bytes
    }

    fn ciphertext_len_bytes(&self, message_len_bytes: usize) -> usize {
        self.composition.ciphertext_len(message_len_bytes)
    }

    fn takes_associated_data(&self) -> bool {
        self.takes_associated_data
    }

    fn seal(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        message_len: usize,
        tag: &mut [u8],
    ) -> Result<(), &'static str> {
        let is_sealed = self.composition.seal(nonce, associated_data, buffer, message_len, tag);
        if is_sealed { Ok(()) } else { Err("macs_seal failed") }
    }

    fn open(
        &mut self,
        nonce: &[u8],
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &[u8],
    ) -> Option<usize> {
        self.composition.open(nonce, associated_data, buffer, tag)
    }
}
