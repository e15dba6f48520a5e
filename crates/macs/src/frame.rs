//! What HMAC, KHC1 and KHC2 over SHA-256 do beside compressing: padding, constants, conversions of
//! byte order, key set-up, the tag written. Same code and same code paths as the macs, with the 64
//! rounds taken out of every compression; what is left is the block XORed into the chaining value.
//!
//! These are not macs: they authenticate nothing, and are not in the [`catalog`](crate::catalog).
//! They are for taking the time of a mac apart: what a mac takes more than its frame is the
//! compression function.
//!
//! ```
//! use macs::{DynMac, frame};
//!
//! let mut tag = [0; 32];
//! DynMac::with_info(&frame::KHC1_SHA256, &[1; 32])?.mac_into(b"a message", &mut tag)?;
//! # Ok::<(), macs::Error>(())
//! ```

use crate::compression::{Compression, Sha256Frame};
use crate::facts::{ConstantTime, Facts, Hardware};
use crate::hmac::HmacMd;
use crate::khc::{Khc, Khc1, Khc2};
use crate::len::Len;
use crate::row::MacInfo;
use crate::status::{Mode, Paths, Primitive, Standing};

type Kernel = <Sha256Frame as Compression>::Kernel;

const KEY_LEN: (usize, Len) = (32, Len::Exactly(32));

/// Not a mac, authenticates nothing: HMAC-SHA-256 but for the compression function.
pub static HMAC_SHA256: MacInfo = MacInfo::mac::<HmacMd<Sha256Frame>>(
    "null-hmac-sha256",
    "HMAC-SHA-256 without compressions",
    &MODE,
    &PRIMITIVE,
    KEY_LEN,
);

/// Not a mac, authenticates nothing: KHC1-SHA-256 but for the compression function.
pub static KHC1_SHA256: MacInfo = MacInfo::mac::<Khc<Khc1, Kernel>>(
    "null-khc1-sha256",
    "KHC1-SHA-256 without compressions",
    &MODE,
    &PRIMITIVE,
    KEY_LEN,
);

/// Not a mac, authenticates nothing: KHC2-SHA-256 but for the compression function.
pub static KHC2_SHA256: MacInfo = MacInfo::mac::<Khc<Khc2, Kernel>>(
    "null-khc2-sha256",
    "KHC2-SHA-256 without compressions",
    &MODE,
    &PRIMITIVE,
    KEY_LEN,
);

/// All of them.
pub static FRAMES: [&MacInfo; 3] = [&HMAC_SHA256, &KHC1_SHA256, &KHC2_SHA256];

static MODE: Mode = Mode {
    title: "frame",
    specification: "none: a mac without its compression function, for measuring",
    standing: Standing::Broken,
    proof: "none",
    bound: "none",
    nonce: "",
    key_life: "none",
    approved_by: "nobody",
    attacks: "the tag is an XOR of key and message",
    facts: Facts::BLANK,
};

static PRIMITIVE: Primitive = Primitive {
    name: "sha256-frame",
    title: "SHA-256 without its rounds",
    standing: Standing::Broken,
    note: "no primitive at all",
    constant_time: ConstantTime::Yes("no table, no branch by data"),
    hardware: Hardware::None,
    block_len_bytes: 64,
    paths: Paths::own::<Kernel>(),
};

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::{DynMac, catalog, find};

    const KEY: [u8; 32] = *b"thirty-two bytes of secret key!!";

    /// The chaining value ⊕ both halves of the block.
    fn absorb(chain: [u32; 8], block: &[u8]) -> [u32; 8] {
        let word = |i: usize| u32::from_be_bytes(block[4 * i..][..4].try_into().expect("a word"));
        core::array::from_fn(|i| chain[i] ^ word(i) ^ word(i + 8))
    }

    fn words(bytes: &[u8; 32]) -> [u32; 8] {
        core::array::from_fn(|i| u32::from_be_bytes(bytes[4 * i..][..4].try_into().expect("four")))
    }

    fn bytes(chain: [u32; 8]) -> Vec<u8> {
        chain.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    fn padded(message: &[u8]) -> Vec<u8> {
        let mut padded = [message, &[0x80]].concat();
        padded.resize(padded.len().next_multiple_of(64), 0);
        padded
    }

    /// FIPS 180-4 §5.1 behind a key block.
    fn hashed(chain: [u32; 8], message: &[u8]) -> [u32; 8] {
        let mut padded = [message, &[0x80]].concat();
        padded.resize((padded.len() + 8).next_multiple_of(64) - 8, 0);
        padded.extend((8 * (64 + message.len() as u64)).to_be_bytes());
        padded.chunks(64).fold(chain, absorb)
    }

    fn hmac(message: &[u8]) -> Vec<u8> {
        let keyed = |pad: u8| {
            let mut block = [pad; 64];
            block.iter_mut().zip(KEY).for_each(|(byte, key)| *byte ^= key);
            absorb(Sha256Frame::INITIAL, &block)
        };
        bytes(hashed(keyed(0x5c), &bytes(hashed(keyed(0x36), message))))
    }

    fn masked(chain: [u32; 8], constant: u32) -> [u32; 8] {
        chain.map(|word| word ^ constant)
    }

    /// A message of no, one or two blocks, by hand.
    fn khc1(message: &[u8]) -> Vec<u8> {
        let mut padded = padded(message);
        let blocks = padded.len() / 64;
        *padded.last_mut().expect("a block") |= u8::from(blocks > 1);
        let block = |i: usize| &padded[64 * i..][..64];
        let key = words(&KEY);
        bytes(match blocks {
            1 => absorb(masked(key, 0x22222222), block(0)),
            2 => absorb(masked(absorb(key, block(0)), 0x33333333), block(1)),
            _ => {
                let middle = absorb(masked(absorb(key, block(0)), 0x11111111), block(1));
                absorb(masked(middle, 0x22222222), block(2))
            }
        })
    }

    fn khc2(message: &[u8]) -> Vec<u8> {
        let bare = message.len() == 128;
        let mut padded = if bare { message.to_vec() } else { padded(message) };
        padded.resize(padded.len().max(128), 0);
        let constant = if bare { 0x33333333 } else { 0x55555555 };
        let first = absorb(words(&KEY), &padded[..64]);
        bytes(absorb(masked(first, constant), &padded[64..]))
    }

    type ByHand = fn(&[u8]) -> Vec<u8>;

    #[test]
    fn frames_are_an_xor_of_key_and_message_on_every_path() {
        let message: Vec<u8> = (0..128).map(|i: u8| i.wrapping_mul(29) ^ 0xa5).collect();
        let expected: [ByHand; 3] = [hmac, khc1, khc2];
        for (frame, expected) in FRAMES.into_iter().zip(expected) {
            for len in 0..128 {
                let expected = expected(&message[..len]);
                for kernel in frame.kernels() {
                    let mut mac = DynMac::with_kernel(frame, &KEY, kernel).expect("a path");
                    let mut tag = [0; 32];
                    mac.mac_into(&message[..len], &mut tag).expect("a tag");
                    assert_eq!(tag[..], expected, "{} {kernel} {len}", frame.name);
                    mac.rekey(&[0; 32]).expect("a key");
                    mac.rekey(&KEY).expect("a key");
                    mac.update(&message[..len]);
                    mac.finalize_reset_into(&mut tag).expect("a tag");
                    assert_eq!(tag[..], expected, "{} {kernel} {len}, in pieces", frame.name);
                }
                let mut tag = [0; 32];
                frame.mac_into(&KEY, &message[..len], &mut tag).expect("a tag");
                assert_eq!(tag[..], expected, "{} {len}, in one call", frame.name);
            }
        }
        assert_ne!(hmac(&message), hmac(&message[..127]));
        let mut tag = [0; 32];
        KHC2_SHA256.mac_into(&KEY, &message, &mut tag).expect("a tag");
        assert_eq!(tag[..], khc2(&message), "two blocks without padding");
    }

    #[test]
    fn frames_take_the_path_of_their_macs_and_are_none() {
        for frame in FRAMES {
            let real = frame.name.strip_prefix("null-").and_then(find).expect("a mac");
            assert_eq!(frame.kernels(), real.kernels());
            assert_eq!(frame.tag_len_bytes, real.tag_len_bytes);
            assert!(find(frame.name).is_none() && frame.work(0).is_none());
            assert!(catalog().iter().all(|mac| mac.name != frame.name));
        }
    }
}
