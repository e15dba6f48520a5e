//! GCM and GMAC by the functions for one message, which need no job.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ptr::{null, null_mut};
use std::rc::Rc;

use super::keys::{Form, Keys};
use super::multi_buffer::MultiBuffer;
use crate::ffi::state::State;
use crate::peer::Sealer;
use crate::{Input, Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

/// `struct gcm_context_data` has 88 bytes.
const CONTEXT_LEN: usize = 128;

/// The nonces for which one function does all.
const USUAL_NONCE_LEN: usize = 12;

/// A key, a context, and what is the same for all messages.
struct Gcm {
    library: Rc<MultiBuffer>,
    keys: Keys,
    context: State,
    nonce: Vec<u8>,
    associated_data: Vec<u8>,
}

impl Gcm {
    fn new(library: &Rc<MultiBuffer>, inputs: &Inputs<'_>) -> Result<Self, Refused> {
        if inputs.nonce.is_empty() {
            return Err(Refused::limit(&[Input::Nonce], "empty nonces are not supported"));
        }
        Ok(Self {
            library: Rc::clone(library),
            keys: Keys::new(library, Form::Gcm, inputs.key)?,
            context: State::new(CONTEXT_LEN),
            nonce: inputs.nonce.to_vec(),
            associated_data: inputs.associated_data.to_vec(),
        })
    }

    /// Encrypts or decrypts `input` into `output`, which is as long, and gives the tag.
    #[inline]
    fn whole(&mut self, seals: bool, input: &[u8], output: &mut [u8], tag: &mut [u8]) {
        assert_eq!(input.len(), output.len());
        let (calls, bits) = (self.library.calls(), self.keys.index());
        let (key, context) = (self.keys.as_ptr(), self.context.as_mut_ptr());
        let (from, len, to) = (input.as_ptr(), input.len() as u64, output.as_mut_ptr());
        let (nonce, nonce_len) = (self.nonce.as_ptr(), self.nonce.len());
        let (data, data_len) = (self.associated_data.as_ptr(), self.associated_data.len() as u64);
        let (tag, tag_len) = (tag.as_mut_ptr(), tag.len() as u64);
        if nonce_len == USUAL_NONCE_LEN {
            let whole = if seals { calls.gcm_enc[bits] } else { calls.gcm_dec[bits] };
            // SAFETY: key data of this key length, a context, a nonce of 12 bytes; an output as
            // long as the input, the other lengths said.
            unsafe { whole(key, context, to, from, len, nonce, data, data_len, tag, tag_len) };
            return;
        }
        let start = calls.gcm_init_var_iv[bits];
        let (update, finish) = if seals {
            (calls.gcm_enc_update[bits], calls.gcm_enc_finalize[bits])
        } else {
            (calls.gcm_dec_update[bits], calls.gcm_dec_finalize[bits])
        };
        // SAFETY: key data of this key length and one context for all three calls; an output as
        // long as the input; nonce, associated data and tag of the lengths said.
        unsafe {
            start(key, context, nonce, nonce_len as u64, data, data_len);
            update(key, context, to, from, len);
            finish(key, context, tag, tag_len);
        }
    }

    /// The tag of a message that is authenticated only. GCM with the message as associated data is
    /// one call, and faster than the three of GMAC, which take nonces of other lengths.
    #[inline]
    fn authenticate(&mut self, message: &[u8], tag: &mut [u8]) {
        let (calls, bits) = (self.library.calls(), self.keys.index());
        let (key, context) = (self.keys.as_ptr(), self.context.as_mut_ptr());
        let (from, len) = (message.as_ptr(), message.len() as u64);
        let (nonce, nonce_len) = (self.nonce.as_ptr(), self.nonce.len());
        let (tag, tag_len) = (tag.as_mut_ptr(), tag.len() as u64);
        if nonce_len == USUAL_NONCE_LEN {
            let whole = calls.gcm_enc[bits];
            // SAFETY: key data of this key length, a context, a nonce of 12 bytes; nothing to
            // encrypt, the other lengths said.
            unsafe { whole(key, context, null_mut(), null(), 0, nonce, from, len, tag, tag_len) };
            return;
        }
        let (start, update, finish) =
            (calls.gmac_init[bits], calls.gmac_update[bits], calls.gmac_finalize[bits]);
        // SAFETY: key data of this key length and one context for all three calls; nonce, message
        // and tag of the lengths said.
        unsafe {
            start(key, context, nonce, nonce_len as u64);
            update(key, context, from, len);
            finish(key, context, tag, tag_len);
        }
    }
}

pub(super) fn gmac(
    library: &Rc<MultiBuffer>,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Tagger, Refused> {
    if key_life == KeyLife::OneShot {
        return Err(crate::NO_ONE_SHOT);
    }
    let (is_new, tag_len_bytes) = (key_life == KeyLife::NewKey, inputs.tag_len_bytes);
    let mut gcm = Gcm::new(library, inputs)?;
    Ok(Box::new(move |key, message, tag| {
        if tag.len() != tag_len_bytes {
            return Err(WRONG_TAG_LEN);
        }
        if is_new {
            gcm.keys.set(&gcm.library, key)?;
        }
        gcm.authenticate(message, tag);
        Ok(())
    }))
}

pub(super) fn sealer(
    library: &Rc<MultiBuffer>,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
) -> Result<Sealer, Refused> {
    let (is_new, tag_len_bytes) = (key_life == KeyLife::NewKey, inputs.tag_len_bytes);
    let mut gcm = Gcm::new(library, inputs)?;
    Ok(Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != tag_len_bytes || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        if is_new {
            gcm.keys.set(&gcm.library, key)?;
        }
        gcm.whole(true, message, ciphertext, tag);
        Ok(())
    }))
}

/// The message, whether it is genuine or not, and the tag that it should have.
pub(super) fn open(
    library: &Rc<MultiBuffer>,
    inputs: &Inputs<'_>,
) -> Result<(Vec<u8>, Vec<u8>), Refused> {
    let (mut opened, mut tag) = (vec![0; inputs.message.len()], vec![0; inputs.tag_len_bytes]);
    Gcm::new(library, inputs)?.whole(false, inputs.message, &mut opened, &mut tag);
    Ok((opened, tag))
}
