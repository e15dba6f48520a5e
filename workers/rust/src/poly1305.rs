//! Poly1305: whole blocks at once, and the last one as RFC 8439 has it, not padded with zeros.

use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};

use crate::macs::{KeyLife, NO_ONE_SHOT, Row, Tagger, WRONG_KEY_LEN, write};

pub const ROWS: &[Row] = &[Row::new("poly1305", 16, open)];

const BLOCK_LEN: usize = 16;

fn open(key_life: KeyLife, key: &[u8], _: &[u8]) -> Result<Tagger, String> {
    let kept = Poly1305::new_from_slice(key).map_err(|_| WRONG_KEY_LEN)?;
    match key_life {
        KeyLife::Prepared => Ok(Box::new(move |_, message, tag| hash(kept.clone(), message, tag))),
        KeyLife::NewKey => Ok(Box::new(|key, message, tag| {
            hash(Poly1305::new_from_slice(key).map_err(|_| WRONG_KEY_LEN)?, message, tag)
        })),
        KeyLife::OneShot => Err(NO_ONE_SHOT.into()),
    }
}

#[inline(always)]
fn hash(mut fresh: Poly1305, message: &[u8], tag: &mut [u8]) -> Result<(), &'static str> {
    let (blocks, last) = message.split_at(message.len() / BLOCK_LEN * BLOCK_LEN);
    // Of whole blocks nothing is padded.
    fresh.update_padded(blocks);
    write(&fresh.compute_unpadded(last), tag)
}
