//! The compositions of wolfCrypt: CCM and GCM over AES, and ChaCha20-Poly1305.
#![expect(unsafe_code, reason = "calls a C library")]

use std::ffi::c_int;

use zeroize::Zeroizing;

use super::{Aes, Bytes, BytesMut, Context, Len, Memory, WolfSsl, len};
use crate::ffi::library::functions;
use crate::peer::Sealer;
use crate::{Inputs, KeyLife, Refused, WRONG_TAG_LEN};

functions! {
    ChaCha20Poly1305 {
        wc_ChaCha20Poly1305_Decrypt: fn(
            Bytes, Bytes, Bytes, Len, Bytes, Len, Bytes, BytesMut
        ) -> c_int;
        wc_ChaCha20Poly1305_Encrypt: fn(
            Bytes, Bytes, Bytes, Len, Bytes, Len, BytesMut, BytesMut
        ) -> c_int;
    }
}

/// `wc_AesGcmSetKey`, `wc_AesGcmEncrypt` and `wc_AesGcmDecrypt`; likewise of CCM.
type SetKey = unsafe extern "C" fn(Memory, Bytes, Len) -> c_int;
#[rustfmt::skip]
type Encrypt = unsafe extern "C" fn(
    Memory, BytesMut, Bytes, Len, Bytes, Len, BytesMut, Len, Bytes, Len,
) -> c_int;
#[rustfmt::skip]
type Decrypt = unsafe extern "C" fn(
    Memory, BytesMut, Bytes, Len, Bytes, Len, Bytes, Len, Bytes, Len,
) -> c_int;

/// An argument that it does not take.
const BAD_FUNC_ARG: c_int = -173;

/// CCM counts the message in the bytes that the nonce leaves; longer ones are not refused by all
/// versions.
fn check_len(mode: &str, nonce: &[u8], message: &[u8]) -> Result<(), &'static str> {
    let length_bytes = 15_usize.saturating_sub(nonce.len());
    let is_short = length_bytes >= 8 || (message.len() as u64) < 1 << (8 * length_bytes);
    if mode == "gcm" || is_short { Ok(()) } else { Err("too long for CCM with this nonce") }
}

/// ChaCha20-Poly1305 takes 12-byte nonces and 16-byte tags only.
fn check_chacha(nonce: &[u8], tag_len: usize) -> Result<(), Refused> {
    match (nonce.len(), tag_len) {
        (12, 16) => Ok(()),
        (nonce, tag) => Err(crate::usual_lengths_only(nonce, tag)),
    }
}

impl WolfSsl {
    /// A context of AES with a key for `mode`: `ccm` or `gcm`.
    fn keyed(&self, mode: &str, key: &[u8]) -> Result<(Context, SetKey), Refused> {
        let name = format!("wc_Aes{}SetKey", capitalized(mode));
        // SAFETY: declared after aes.h.
        let (aes, set_key): (_, SetKey) =
            unsafe { (Aes::load(&self.library)?, self.library.symbol(&name)?) };
        let mut context = Context::aes(&aes, self.aes_context_len)?;
        // SAFETY: a context of AES; a key of the length said.
        match unsafe { set_key(context.as_mut_ptr(), key.as_ptr(), len(key)?) } {
            0 => Ok((context, set_key)),
            code => Err(Refused::Failed { call: name, code }),
        }
    }

    pub(super) fn aes_sealer(
        &self,
        mode: &'static str,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        let (mut context, set_key) = self.keyed(mode, inputs.key)?;
        // SAFETY: declared after aes.h.
        let encrypt: Encrypt =
            unsafe { self.library.symbol(&format!("wc_Aes{}Encrypt", capitalized(mode))) }?;
        let (is_new, tag_len_bytes) = (key_life == KeyLife::NewKey, inputs.tag_len_bytes);
        let (nonce, ad) = (inputs.nonce.to_vec(), inputs.associated_data.to_vec());
        let (key_len, nonce_len, ad_len) = (inputs.key.len(), len(&nonce)?, len(&ad)?);
        Ok(Box::new(move |key, message, ciphertext, tag| {
            if tag.len() != tag_len_bytes || ciphertext.len() != message.len() {
                return Err(WRONG_TAG_LEN);
            }
            if is_new && key.len() != key_len {
                return Err(crate::WRONG_KEY_LEN);
            }
            check_len(mode, &nonce, message)?;
            let (state, tag_len) = (context.as_mut_ptr(), len(tag)?);
            let (out, (input, input_len)) =
                (ciphertext.as_mut_ptr(), (message.as_ptr(), len(message)?));
            // SAFETY: a context with a key; all of the lengths said, an output as long as the
            // message.
            let code = unsafe {
                if is_new && set_key(state, key.as_ptr(), len(key)?) != 0 {
                    return Err("wolfCrypt refuses the key");
                }
                let (nonce, tag, ad) = (nonce.as_ptr(), tag.as_mut_ptr(), ad.as_ptr());
                encrypt(state, out, input, input_len, nonce, nonce_len, tag, tag_len, ad, ad_len)
            };
            match code {
                0 => Ok(()),
                BAD_FUNC_ARG => {
                    Err("wolfCrypt refused a length; its GCM tags have at least 12 bytes")
                }
                _ => Err("wolfCrypt refuses it"),
            }
        }))
    }

    pub(super) fn aes_unseal(
        &self,
        mode: &str,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        let Inputs { key, nonce, associated_data: ad, message, .. } = *inputs;
        check_len(mode, nonce, message)?;
        let (mut context, _) = self.keyed(mode, key)?;
        // SAFETY: declared after aes.h.
        let decrypt: Decrypt =
            unsafe { self.library.symbol(&format!("wc_Aes{}Decrypt", capitalized(mode))) }?;
        let mut opened = vec![0; message.len()];
        // SAFETY: a context with a key; all of the lengths said, an output as long as the
        // ciphertext.
        let code = unsafe {
            decrypt(
                context.as_mut_ptr(),
                opened.as_mut_ptr(),
                message.as_ptr(),
                len(message)?,
                nonce.as_ptr(),
                len(nonce)?,
                tag.as_ptr(),
                len(tag)?,
                ad.as_ptr(),
                len(ad)?,
            )
        };
        Ok((code == 0).then_some(opened))
    }

    /// One call that does everything: it keeps nothing of a key.
    pub(super) fn chacha_sealer(
        &self,
        key_life: KeyLife,
        inputs: &Inputs<'_>,
    ) -> Result<Sealer, Refused> {
        check_chacha(inputs.nonce, inputs.tag_len_bytes)?;
        // SAFETY: declared after chacha20_poly1305.h.
        let f = unsafe { ChaCha20Poly1305::load(&self.library) }?;
        let kept = (key_life == KeyLife::Prepared).then(|| Zeroizing::new(inputs.key.to_vec()));
        let (nonce, ad) = (inputs.nonce.to_vec(), inputs.associated_data.to_vec());
        let ad_len = len(&ad)?;
        Ok(Box::new(move |key, message, ciphertext, tag| {
            let key = kept.as_ref().map_or(key, |key| &key[..]);
            if tag.len() != 16 || key.len() != 32 || ciphertext.len() != message.len() {
                return Err(WRONG_TAG_LEN);
            }
            let (out, (input, input_len)) =
                (ciphertext.as_mut_ptr(), (message.as_ptr(), len(message)?));
            let (key, nonce, ad) = (key.as_ptr(), nonce.as_ptr(), ad.as_ptr());
            let (encrypt, tag) = (f.wc_ChaCha20Poly1305_Encrypt, tag.as_mut_ptr());
            // SAFETY: a key of 32, a nonce of 12 and a tag of 16 bytes; the rest of the lengths
            // said, an output as long as the message.
            let code = unsafe { encrypt(key, nonce, ad, ad_len, input, input_len, out, tag) };
            if code == 0 { Ok(()) } else { Err("wolfCrypt refuses it") }
        }))
    }

    pub(super) fn chacha_unseal(
        &self,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        let Inputs { key, nonce, associated_data: ad, message, .. } = *inputs;
        check_chacha(nonce, tag.len())?;
        // SAFETY: declared after chacha20_poly1305.h.
        let f = unsafe { ChaCha20Poly1305::load(&self.library) }?;
        let mut opened = vec![0; message.len()];
        let out = opened.as_mut_ptr();
        let (key, nonce, ad_len, message_len) =
            (key.as_ptr(), nonce.as_ptr(), len(ad)?, len(message)?);
        let (ad, message, tag) = (ad.as_ptr(), message.as_ptr(), tag.as_ptr());
        let decrypt = f.wc_ChaCha20Poly1305_Decrypt;
        // SAFETY: a key of 32 bytes, by the catalog, a nonce of 12 and a tag of 16; the rest of the
        // lengths said, an output as long as the ciphertext.
        let code = unsafe { decrypt(key, nonce, ad, ad_len, message, message_len, tag, out) };
        Ok((code == 0).then_some(opened))
    }
}

/// As in the names of functions: `Ccm`, `Gcm`.
fn capitalized(mode: &str) -> &'static str {
    if mode == "ccm" { "Ccm" } else { "Gcm" }
}
