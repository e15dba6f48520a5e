//! What the kernels without instructions for it do in words: the key schedule of FIPS 197 §5.2,
//! the padded last block, and the masks of OMAC. All in constant time but for lengths.

use super::{Block, Omac, Padding, Schedule, key_len};

/// The key schedule. `sub_word` is SubWord of FIPS 197 on a word in little-endian order.
#[inline(always)]
pub(super) fn expand<const KEYS: usize>(
    key: &[u8],
    schedule: &mut Schedule<KEYS>,
    sub_word: impl Fn(u32) -> u32,
) {
    assert_eq!(key.len(), key_len(KEYS));
    let words = schedule.keys.as_flattened_mut().as_chunks_mut::<4>().0;
    let key_words = key_len(KEYS) / 4;
    words.as_flattened_mut()[..key_len(KEYS)].copy_from_slice(key);
    let mut rcon = 1_u32;
    for i in key_words..words.len() {
        let mut word = u32::from_le_bytes(words[i - 1]);
        if i % key_words == 0 {
            word = sub_word(word.rotate_right(8)) ^ rcon;
            rcon = (rcon << 1) ^ ((rcon >> 7) * 0x11b);
        } else if key_words == 8 && i % 8 == 4 {
            word = sub_word(word);
        }
        words[i] = (word ^ u32::from_le_bytes(words[i - key_words])).to_le_bytes();
    }
}

/// Up to a block, with its padding, as a little-endian number: read without a copy, in overlapping
/// words. What lies beyond a block is left out.
#[inline(always)]
pub(super) fn padded(tail: &[u8], padding: Padding) -> u128 {
    let len = tail.len();
    let at = |i: usize| 8 * i as u32;
    let number = match len {
        16.. => return tail.first_chunk().map_or(0, |full| u128::from_le_bytes(*full)),
        8.. => {
            let low = tail.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            let high = tail.last_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
            u128::from(low) | u128::from(high) << at(len - 8)
        }
        4.. => {
            let low = tail.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
            let high = tail.last_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
            u128::from(u64::from(low) | u64::from(high) << at(len - 4))
        }
        1.. => {
            let byte = |i: usize| u32::from(tail[i]) << at(i);
            u128::from(byte(0) | byte(len / 2) | byte(len - 1))
        }
        0 => 0,
    };
    match padding {
        Padding::One => number | 0x80 << at(len),
        Padding::Zeros => number,
    }
}

/// L·u in GF(2^128) as SP 800-38B §6.1 has it.
fn double(l: u128) -> u128 {
    (l << 1) ^ ((l >> 127) * 0x87)
}

/// L·u⁻¹.
fn halve(l: u128) -> u128 {
    (l >> 1) ^ ((l & 1) * (1 << 127 | 0x43))
}

/// The masks of a full last block and of a padded one, from L = E_K(0).
pub(super) fn masks(l: &Block, omac: Omac) -> [Block; 2] {
    let l = u128::from_be_bytes(*l);
    let padded = match omac {
        Omac::One => double(double(l)),
        Omac::Two => halve(l),
    };
    [double(l).to_be_bytes(), padded.to_be_bytes()]
}
