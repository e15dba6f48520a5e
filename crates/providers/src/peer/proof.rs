//! Before a composition of a library is offered for messages that differ in nonce and associated
//! data, it seals them byte for byte as our own does, opens them, and refuses what was changed.

use macs::{DynComposition, MacInfo};

use super::{Outcome, Peer, keys};
use crate::{Refused, Sealing};

/// Lengths of messages and of associated data: none, less than a block, blocks, a short message.
const LENGTHS: [(usize, usize); 7] =
    [(0, 0), (9, 16), (140, 0), (0, 16), (32, 5), (1024, 16), (140, 0)];

/// What a try shows.
pub(super) fn of(peer: &impl Peer, info: &'static MacInfo) -> Outcome {
    let [key, _] = keys(info.key_len_bytes);
    let ours = match DynComposition::with_info(info, &key) {
        Ok(ours) => ours,
        Err(error) => return Outcome::Absent(Refused::said(error)),
    };
    let mut theirs = match peer.sealing(info, &key) {
        Ok(theirs) => theirs,
        Err(reason) => return Outcome::Absent(reason),
    };
    let is_right = LENGTHS.iter().enumerate().all(|(number, &(len, data_len))| {
        let data_len = if theirs.takes_associated_data() { data_len } else { 0 };
        is_same(&ours, &mut *theirs, number as u8, len, data_len) == Some(true)
    });
    if is_right { Outcome::Right } else { Outcome::Different }
}

/// Whether a message is sealed and opened alike; `None` where one of them refuses its lengths.
fn is_same(
    ours: &DynComposition,
    theirs: &mut dyn Sealing,
    number: u8,
    len: usize,
    data_len: usize,
) -> Option<bool> {
    let message: Vec<u8> = (0..len).map(|i| i as u8 ^ number).collect();
    let data = vec![number; data_len];
    let mut nonce = vec![0; theirs.nonce_len_bytes()];
    *nonce.last_mut()? = number;
    let mut right = ours.seal(&nonce, &data, &message).ok()?;
    let right_tag = right.split_off(right.len() - theirs.tag_len_bytes());
    let mut buffer = vec![0; theirs.ciphertext_len_bytes(len)];
    buffer[..len].copy_from_slice(&message);
    let mut tag = vec![0; theirs.tag_len_bytes()];
    theirs.seal(&nonce, &data, &mut buffer, len, &mut tag).ok()?;
    let is_sealed = buffer == right && tag == right_tag;

    let mut forged = (buffer.clone(), tag.clone());
    forged.1[0] ^= 1;
    let is_refused = theirs.open(&nonce, &data, &mut forged.0, &forged.1).is_none()
        && forged.0.iter().all(|&byte| byte == 0);
    // The next message is opened all the same.
    let opened = theirs.open(&nonce, &data, &mut buffer, &tag);
    Some(is_sealed && is_refused && opened == Some(len) && buffer[..len] == message)
}
