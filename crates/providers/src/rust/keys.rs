//! What libraries in Rust have in common: a key is a value that is kept, or made anew for every
//! message, and nothing in them is unsafe to call.

use macs::MacInfo;

use crate::peer::Sealer;
use crate::{Inputs, KeyLife, Refused, Tagger, WRONG_TAG_LEN};

/// What a call gives; errors are those that a caller could make.
pub(super) type Step = crate::sealing::Step;

/// A key of an authenticated encryption with nonces of 12 and tags of 16 bytes.
pub(super) trait AeadKey: Sized + 'static {
    /// Seals the message into a ciphertext that is as long.
    fn seal(
        &self,
        nonce: [u8; 12],
        data: &[u8],
        message: &[u8],
        ciphertext: &mut [u8],
        tag: &mut [u8],
    ) -> Step;

    /// The message, where it is genuine.
    fn open(&self, nonce: [u8; 12], data: &[u8], ciphertext: &[u8], tag: &[u8]) -> Option<Vec<u8>>;
}

/// A tagger: `new` makes a key, `tag` computes under it, into a slice of the mac's tag length.
pub(super) fn tagger<K: 'static>(
    key_life: KeyLife,
    inputs: &Inputs<'_>,
    new: impl Fn(&[u8]) -> Result<K, &'static str> + 'static,
    tag: impl Fn(&K, &[u8], &mut [u8]) -> Step + 'static,
) -> Result<Tagger, Refused> {
    let tag_len_bytes = inputs.tag_len_bytes;
    let kept = new(inputs.key)?;
    match key_life {
        KeyLife::Prepared => Ok(Box::new(move |_, message, out| {
            if out.len() != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            tag(&kept, message, out)
        })),
        KeyLife::NewKey => Ok(Box::new(move |key, message, out| {
            if out.len() != tag_len_bytes {
                return Err(WRONG_TAG_LEN);
            }
            tag(&new(key)?, message, out)
        })),
        KeyLife::OneShot => Err(crate::NO_ONE_SHOT),
    }
}

/// GMAC: the message is data that is authenticated, and nothing is sealed.
pub(super) fn gmac<K: AeadKey>(
    info: &MacInfo,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
    new: impl Fn(&[u8]) -> Result<K, &'static str> + 'static,
) -> Result<Tagger, Refused> {
    let nonce = nonce(info, inputs.nonce, inputs.tag_len_bytes)?;
    tagger(key_life, inputs, new, move |key: &K, message, tag| {
        key.seal(nonce, message, &[], &mut [], tag)
    })
}

/// A composition.
pub(super) fn sealer<K: AeadKey>(
    info: &MacInfo,
    key_life: KeyLife,
    inputs: &Inputs<'_>,
    new: impl Fn(&[u8]) -> Result<K, &'static str> + 'static,
) -> Result<Sealer, Refused> {
    let nonce = nonce(info, inputs.nonce, inputs.tag_len_bytes)?;
    let (data, tag_len_bytes) = (inputs.associated_data.to_vec(), inputs.tag_len_bytes);
    let kept = new(inputs.key)?;
    let is_new = key_life == KeyLife::NewKey;
    Ok(Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != tag_len_bytes || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        match is_new {
            true => new(key)?.seal(nonce, &data, message, ciphertext, tag),
            false => kept.seal(nonce, &data, message, ciphertext, tag),
        }
    }))
}

/// A sealed message opened; `None` where it is not genuine.
pub(super) fn unseal<K: AeadKey>(
    info: &MacInfo,
    inputs: &Inputs<'_>,
    tag: &[u8],
    key: Result<K, &'static str>,
) -> Result<Option<Vec<u8>>, Refused> {
    let nonce = nonce(info, inputs.nonce, tag.len())?;
    Ok(key?.open(nonce, inputs.associated_data, inputs.message, tag))
}

/// The nonce, of the one length that these libraries take; and a tag as long as they give it.
fn nonce(info: &MacInfo, nonce: &[u8], tag_len_bytes: usize) -> Result<[u8; 12], Refused> {
    match nonce.try_into() {
        Ok(nonce) if tag_len_bytes == 16 => Ok(nonce),
        _ => Err(crate::USUAL_LENGTHS_ONLY.of(info.name)),
    }
}
