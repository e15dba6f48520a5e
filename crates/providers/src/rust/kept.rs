//! What libraries in Rust have in common: a key is a value that is kept, or made anew for every
//! message, and nothing in them is unsafe to call.

use macs::MacInfo;

use crate::peer::Sealer;
use crate::{Inputs, KeyLife, Tagger, WRONG_TAG_LEN};

/// What a call gives; errors are those that a caller could make.
pub(super) type Step = Result<(), &'static str>;

/// A tagger: `new` makes a key, `tag` computes under it, into a slice of the mac's tag length.
pub(super) fn tagger<K: 'static>(
    key_life: KeyLife,
    inputs: &Inputs<'_>,
    new: impl Fn(&[u8]) -> Result<K, &'static str> + 'static,
    tag: impl Fn(&K, &[u8], &mut [u8]) -> Step + 'static,
) -> Result<Tagger, String> {
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
        KeyLife::OneShot => Err("it has no one function that does everything".into()),
    }
}

/// A composition, likewise: `seal` gives ciphertext and tag of a message, both of right lengths.
pub(super) fn sealer<K: 'static>(
    key_life: KeyLife,
    inputs: &Inputs<'_>,
    new: impl Fn(&[u8]) -> Result<K, &'static str> + 'static,
    seal: impl Fn(&K, &[u8], &mut [u8], &mut [u8]) -> Step + 'static,
) -> Result<Sealer, String> {
    let tag_len_bytes = inputs.tag_len_bytes;
    let kept = new(inputs.key)?;
    let is_new = key_life == KeyLife::NewKey;
    Ok(Box::new(move |key, message, ciphertext, tag| {
        if tag.len() != tag_len_bytes || ciphertext.len() != message.len() {
            return Err(WRONG_TAG_LEN);
        }
        match is_new {
            true => seal(&new(key)?, message, ciphertext, tag),
            false => seal(&kept, message, ciphertext, tag),
        }
    }))
}

/// The nonce, of the one length that these libraries take; and a tag as long as they give it.
pub(super) fn nonce(
    info: &MacInfo,
    nonce: &[u8],
    tag_len_bytes: usize,
) -> Result<[u8; 12], String> {
    match nonce.try_into() {
        Ok(nonce) if tag_len_bytes == 16 => Ok(nonce),
        _ => Err(format!("{}: nonces of 12 and tags of 16 bytes only", info.name)),
    }
}
