//! GCM and GMAC against SP 800-38D, written as naively as they can be on single blocks of
//! RustCrypto's AES and its GHASH, at lengths around every step of the kernels and with counters
//! that wrap in the middle of one.
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use macs::{DynComposition, DynMac, MacInfo, find};

use random::Random;

/// How far before the end of the 32-bit counter the first block is.
const BEFORE_THE_END: [u32; 6] = [0, 1, 7, 31, 40, 100];

fn encrypt(key: &[u8], block: u128) -> u128 {
    let mut block = block.to_be_bytes();
    let array = (&mut block).into();
    match key.len() {
        16 => aes::Aes128::new_from_slice(key).unwrap().encrypt_block(array),
        24 => aes::Aes192::new_from_slice(key).unwrap().encrypt_block(array),
        _ => aes::Aes256::new_from_slice(key).unwrap().encrypt_block(array),
    }
    u128::from_be_bytes(block)
}

/// §6.4, of both, with their lengths.
fn ghash(h: u128, associated_data: &[u8], data: &[u8]) -> u128 {
    let mut hash = GHash::new(&h.to_be_bytes().into());
    hash.update_padded(associated_data);
    hash.update_padded(data);
    let lens = ((8 * associated_data.len() as u128) << 64) | (8 * data.len() as u128);
    hash.update(&[lens.to_be_bytes().into()]);
    u128::from_be_bytes(hash.finalize().into())
}

/// §6.3.
fn product(x: u128, y: u128) -> u128 {
    let (mut z, mut v) = (0, y);
    for i in 0..128 {
        if x >> (127 - i) & 1 == 1 {
            z ^= v;
        }
        v = v >> 1 ^ if v & 1 == 1 { 0xe1 << 120 } else { 0 };
    }
    z
}

/// h to the power of 2^128 - 2.
fn inverse(h: u128) -> u128 {
    let (mut power, mut square) = (1 << 127, h);
    for _ in 0..127 {
        square = product(square, square);
        power = product(power, square);
    }
    power
}

struct Reference<'a> {
    key: &'a [u8],
    h: u128,
}

impl<'a> Reference<'a> {
    fn new(key: &'a [u8]) -> Self {
        Self { key, h: encrypt(key, 0) }
    }

    fn first(&self, nonce: &[u8]) -> u128 {
        match <[u8; 12]>::try_from(nonce) {
            Ok(nonce) => {
                let mut block = [0; 16];
                block[..12].copy_from_slice(&nonce);
                u128::from_be_bytes(block) | 1
            }
            Err(_) => ghash(self.h, &[], nonce),
        }
    }

    /// The nonce of 16 bytes with this first counter block.
    fn nonce_of(&self, first: u128) -> Vec<u8> {
        let inverse = inverse(self.h);
        product(product(first, inverse) ^ 128, inverse).to_be_bytes().to_vec()
    }

    /// §7.1: the ciphertext, then the tag.
    fn seal(&self, nonce: &[u8], associated_data: &[u8], message: &[u8]) -> Vec<u8> {
        let first = self.first(nonce);
        let mut sealed = message.to_vec();
        for (at, block) in sealed.chunks_mut(16).enumerate() {
            let counter = (first as u32).wrapping_add(at as u32 + 1);
            let mask = encrypt(self.key, first >> 32 << 32 | u128::from(counter));
            block.iter_mut().zip(mask.to_be_bytes()).for_each(|(byte, mask)| *byte ^= mask);
        }
        let tag = ghash(self.h, associated_data, &sealed) ^ encrypt(self.key, first);
        sealed.extend(tag.to_be_bytes());
        sealed
    }
}

/// One that is set up with the key, and one that had another before.
fn keyed<T>(
    info: &'static MacInfo,
    key: &[u8],
    new: impl Fn(&[u8]) -> T,
    rekey: impl Fn(&mut T, &[u8]),
) -> [T; 2] {
    let mut again = new(&vec![7; info.key_len_bytes]);
    rekey(&mut again, key);
    [new(key), again]
}

#[test]
fn gcm_is_as_specified_on_every_kernel_wherever_its_counter_wraps() {
    let mut random = Random(1);
    for name in ["gcm-aes-128", "gcm-aes-192", "gcm-aes-256"] {
        let info = find(name).unwrap();
        let key = random.bytes(info.key_len_bytes);
        let reference = Reference::new(&key);
        let mut nonces: Vec<Vec<u8>> =
            [12, 1, 16, 129, 3000].iter().map(|&len| random.bytes(len)).collect();
        for before in BEFORE_THE_END {
            let first = u128::from(random.next()) << 32 | u128::from(u32::MAX - before);
            nonces.push(reference.nonce_of(first));
            assert_eq!(reference.first(nonces.last().unwrap()), first);
        }
        let near = (141..1300).filter(|n| matches!(n % 64, 0 | 1 | 63) || n % 67 == 0);
        let long = [514, 527, 528, 529, 1040, 2047, 2048, 2049, 4095, 4096, 4097, 5000, 9000];
        for (at, len) in (0..=140).chain(near).chain(long).enumerate() {
            let message = random.bytes(len);
            let associated_data = random.bytes([0, 1, 15, 16, 17, 113, 512, 600, 2100][at % 9]);
            let all = if len % 16 < 2 {
                &nonces[..]
            } else {
                &nonces[random.up_to(nonces.len() - 1)..][..1]
            };
            for nonce in all {
                let sealed = reference.seal(nonce, &associated_data, &message);
                for kernel in info.kernels() {
                    let new = |key: &[u8]| DynComposition::with_kernel(info, key, kernel).unwrap();
                    let rekey = |it: &mut DynComposition, key: &[u8]| it.rekey(key).unwrap();
                    for it in keyed(info, &key, new, rekey) {
                        let what = || format!("{name} {kernel:?} {len} {}", nonce.len());
                        let told = it.seal(nonce, &associated_data, &message).unwrap();
                        assert!(told == sealed, "{}", what());
                        let (mut buffer, mut tag) = (message.clone(), [0; 16]);
                        it.seal_in_place(nonce, &associated_data, &mut buffer, len, &mut tag)
                            .unwrap();
                        assert!([&buffer[..], &tag].concat() == sealed, "{}", what());
                        let opened = it.open(nonce, &associated_data, &sealed).unwrap();
                        assert!(opened == message, "{}", what());
                        let (mut forged, mut tag) = (sealed[..len].to_vec(), [0; 16]);
                        tag.copy_from_slice(&sealed[len..]);
                        tag[15] ^= 1;
                        let opened = it.open_in_place(nonce, &associated_data, &mut forged, &tag);
                        assert!(opened.is_err() && forged.iter().all(|b| *b == 0), "{}", what());
                    }
                }
            }
        }
    }
}

#[test]
fn gmac_is_as_specified_on_every_kernel_at_once_and_in_pieces() {
    let mut random = Random(2);
    let info = find("gmac-aes-128").unwrap();
    let key = random.bytes(16);
    let reference = Reference::new(&key);
    let lens = (0..=700).chain([1023, 2032, 2047, 2048, 2049, 2560, 4096, 5000]);
    for (at, len) in lens.enumerate() {
        let message = random.bytes(len);
        let nonce = random.bytes([12, 12, 1, 16, 40][at % 5]);
        let right = reference.seal(&nonce, &message, &[]);
        for kernel in info.kernels() {
            let new = |key: &[u8]| DynMac::with_kernel(info, key, kernel).unwrap();
            let rekey = |it: &mut DynMac, key: &[u8]| it.rekey(key).unwrap();
            for mut it in keyed(info, &key, new, rekey) {
                let mut tag = [0; 16];
                it.mac_with_nonce_into(&nonce, &message, &mut tag).unwrap();
                assert_eq!(tag[..], right, "{kernel:?} {len}");
                for piece in [1, 16, 100, 333] {
                    it.set_nonce(&nonce).unwrap();
                    message.chunks(piece).for_each(|piece| it.update(piece));
                    it.finalize_reset_into(&mut tag).unwrap();
                    assert_eq!(tag[..], right, "{kernel:?} {len} in pieces of {piece}");
                }
            }
        }
    }
}
