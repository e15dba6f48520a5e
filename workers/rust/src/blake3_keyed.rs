//! Keyed BLAKE3: one function for all key lives, for its key needs no set-up.

use crate::macs::{KeyLife, Row, Tagger, WRONG_KEY_LEN, write};

pub const ROWS: &[Row] = &[Row {
    key_lives: &[KeyLife::Prepared, KeyLife::NewKey, KeyLife::OneShot],
    ..Row::new("blake3-keyed", 32, open)
}];

fn open(key_life: KeyLife, key: &[u8], _: &[u8]) -> Result<Tagger, String> {
    let kept: [u8; blake3::KEY_LEN] = key.try_into().map_err(|_| WRONG_KEY_LEN)?;
    if key_life != KeyLife::Prepared {
        return Ok(Box::new(|key, message, tag| {
            let key = key.try_into().map_err(|_| WRONG_KEY_LEN)?;
            write(blake3::keyed_hash(key, message).as_bytes(), tag)
        }));
    }
    Ok(Box::new(move |_, message, tag| write(blake3::keyed_hash(&kept, message).as_bytes(), tag)))
}
