//! One message at a time: under a key used once, under one that is set up, piece by piece.

use macs::{DynMac, Error};

use crate::areas::Output;
use crate::catalog::row;
use crate::objects::{Object, Objects};
use crate::refused::Refused;

/// Stands for a length that is not said.
const DEFAULT: u32 = u32::MAX;

pub fn new_key(
    objects: &mut Objects,
    number: u32,
    [key, customization]: [&[u8]; 2],
    [tag_len, nonce_len]: [u32; 2],
) -> Result<u32, Refused> {
    let mut mac = DynMac::with_customization(row(number)?, key, customization)?;
    if tag_len != DEFAULT {
        mac = mac.with_tag_len(tag_len as usize)?;
    }
    if nonce_len != DEFAULT {
        mac = mac.with_nonce_len(nonce_len as usize)?;
    }
    Ok(objects.add(Object::Mac(mac)))
}

pub fn tag_once(
    output: &mut Output,
    number: u32,
    [key, nonce, message]: [&[u8]; 3],
) -> Result<(), Refused> {
    let row = row(number)?;
    let tag = output.bytes(row.tag_len_bytes)?;
    // The other call would say of a nonce that is missing that it is short.
    Ok(match nonce {
        [] => row.mac_into(key, message, tag),
        _ => row.mac_with_nonce_into(key, nonce, message, tag),
    }?)
}

pub fn verify_once(number: u32, [key, nonce, message, tag]: [&[u8]; 4]) -> Result<bool, Refused> {
    judged(row(number)?.verify(key, nonce, message, tag))
}

pub fn tag(
    objects: &Objects,
    output: &mut Output,
    number: u32,
    [nonce, message]: [&[u8]; 2],
) -> Result<(), Refused> {
    let mac = objects.mac(number)?;
    let tag = output.bytes(mac.tag_len_bytes())?;
    Ok(match nonce {
        [] => mac.mac_into(message, tag),
        _ => mac.mac_with_nonce_into(nonce, message, tag),
    }?)
}

pub fn verify(
    objects: &Objects,
    number: u32,
    [nonce, message, tag]: [&[u8]; 3],
) -> Result<bool, Refused> {
    let mac = objects.mac(number)?;
    judged(match nonce {
        [] => mac.verify_message(message, tag),
        _ => mac.verify_message_with_nonce(nonce, message, tag),
    })
}

/// Another of the same state: a message begun under a key, or a copy of one under way.
pub fn copy(objects: &mut Objects, number: u32) -> Result<u32, Refused> {
    let copy = objects.mac(number)?.clone();
    Ok(objects.add(Object::Mac(copy)))
}

pub fn finish(objects: &mut Objects, output: &mut Output, number: u32) -> Result<(), Refused> {
    let mac = objects.mac_mut(number)?;
    let tag = output.bytes(mac.tag_len_bytes())?;
    Ok(mac.finalize_reset_into(tag)?)
}

pub fn finish_verify(objects: &mut Objects, number: u32, tag: &[u8]) -> Result<bool, Refused> {
    let mac = objects.mac_mut(number)?;
    if tag.len() != mac.tag_len_bytes() {
        // A copy refuses it, and the message under way goes on.
        return judged(mac.clone().verify(tag));
    }
    judged(mac.verify(tag))
}

/// A tag that is wrong is an answer, and everything else an error.
fn judged(checked: Result<(), Error>) -> Result<bool, Refused> {
    match checked {
        Ok(()) => Ok(true),
        Err(Error::TagMismatch) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
