//! VMAC and UMAC against slow references written straight from the pseudo-code of
//! draft-krovetz-vmac-01 and RFC 4418: strings of bytes, whole numbers, no key set up beforehand,
//! no reduction that is put off. Only the block cipher is shared.
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use digest::KeyInit;
use macs::{Batch, DynMac, Error, Job, NonceMac, ciphers};
use random::Random;

/// Tags compared, all macs together.
const COMPARISONS: usize = 24_000;

/// Lengths around which the specifications change their course: pairs, chunks and blocks.
const EDGES: &[usize] = &[0, 16, 32, 64, 128, 256, 1024, 2048, 4096];

fn encrypt(key: &[u8], block: &[u8]) -> Vec<u8> {
    let mut block = block.to_vec();
    let cipher = ciphers::find(&format!("aes-{}", 8 * key.len())).unwrap();
    cipher.encrypt_block(key, &mut block).unwrap();
    block
}

fn zero_padded(bytes: &[u8], multiple: usize, at_least: usize) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().next_multiple_of(multiple).max(at_least), 0);
    padded
}

fn be(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |value, byte| value << 8 | u128::from(*byte))
}

fn le(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte))
}

/// a·b + c modulo m, bit by bit.
fn multiply_add(a: u128, b: u128, c: u128, m: u128) -> u128 {
    let add = |a: u128, b: u128| {
        // Both are below m, so m − b cannot wrap.
        if b > 0 && a >= m - b { a - (m - b) } else { a + b }
    };
    let (a, mut sum) = (a % m, 0);
    for bit in (0..128).rev() {
        sum = add(sum, sum);
        if b >> bit & 1 == 1 {
            sum = add(sum, a);
        }
    }
    add(sum, c % m)
}

mod vmac {
    use super::{be, encrypt, le, multiply_add, zero_padded};

    const P127: u128 = (1 << 127) - 1;
    const P64: u128 = (1 << 64) - 257;

    /// KDF: the encryption of the index in the first byte and the number of the block.
    fn kdf(key: &[u8], index: u8, number: usize) -> Vec<u8> {
        let mut block = [0; 16];
        block[0] = index;
        block[8..].copy_from_slice(&(number as u64).to_be_bytes());
        encrypt(key, &block)
    }

    fn vhash(key: &[u8], message: &[u8], iteration: usize) -> u64 {
        let l1_key: Vec<u128> = (0..9)
            .flat_map(|number| {
                let block = kdf(key, 0x80, number);
                [be(&block[..8]), be(&block[8..])]
            })
            .collect();
        let l2_key = be(&kdf(key, 0xc0, iteration)) & 0x1fffffff_1fffffff_1fffffff_1fffffff;
        let mut accepted = (0..).map(|number| kdf(key, 0xe0, number)).filter_map(|block| {
            let (k1, k2) = (be(&block[..8]), be(&block[8..]));
            (k1 < P64 && k2 < P64).then_some((k1, k2))
        });
        let (k1, k2) = accepted.nth(iteration).unwrap();

        let blocks: Vec<&[u8]> =
            if message.is_empty() { vec![&[]] } else { message.chunks(128).collect() };
        let mut y = 1;
        for block in blocks {
            let mut sum = 0_u128;
            for (i, pair) in zero_padded(block, 16, 0).chunks(16).enumerate() {
                let word = |half: usize| {
                    let key = l1_key[2 * (i + iteration) + half];
                    (le(&pair[8 * half..][..8]) + key) % (1 << 64)
                };
                sum = sum.wrapping_add(word(0) * word(1));
            }
            y = multiply_add(y, l2_key, sum % (1 << 126), P127);
        }
        let last_bits = 8 * (message.len() % 128) as u128;
        let y = multiply_add(last_bits, 1 << 64, y, P127);
        let divisor = (1 << 64) - (1 << 32);
        multiply_add(y / divisor + k1, (y % divisor + k2) % P64, 0, P64) as u64
    }

    pub fn tag(key: &[u8], nonce: &[u8], message: &[u8], tag_len: usize) -> Vec<u8> {
        let mut block = [0; 16];
        block[16 - nonce.len()..].copy_from_slice(nonce);
        let index = usize::from(block[15]) % (16 / tag_len);
        block[15] -= index as u8;
        let pad = &encrypt(key, &block)[index * tag_len..][..tag_len];
        pad.chunks(8)
            .enumerate()
            .flat_map(|(i, pad)| {
                (be(pad) as u64).wrapping_add(vhash(key, message, i)).to_be_bytes()
            })
            .collect()
    }
}

mod umac {
    use super::{be, encrypt, le, multiply_add, zero_padded};

    /// prime(36), prime(64), prime(128) of §2.4.
    const P36: u128 = (1 << 36) - 5;
    const P64: u128 = (1 << 64) - 59;
    const P128: u128 = u128::MAX - 158;

    /// §3.2.1.
    fn kdf(key: &[u8], index: u64, len: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        for i in 1..=len.div_ceil(16) as u64 {
            bytes.extend(encrypt(key, &[index.to_be_bytes(), i.to_be_bytes()].concat()));
        }
        bytes.truncate(len);
        bytes
    }

    /// §3.3.1.
    fn pdf(key: &[u8], nonce: &[u8], tag_len: usize) -> Vec<u8> {
        let pad_key = kdf(key, 0, 16);
        let mut nonce = nonce.to_vec();
        let mut index = 0;
        if tag_len <= 8 {
            let last = nonce.last_mut().unwrap();
            index = usize::from(*last) % (16 / tag_len);
            *last ^= index as u8;
        }
        encrypt(&pad_key, &zero_padded(&nonce, 16, 16))[index * tag_len..][..tag_len].to_vec()
    }

    /// §5.2: all of it for one iteration.
    fn l1_hash(key: &[u8], message: &[u8]) -> Vec<u8> {
        let blocks: Vec<&[u8]> =
            if message.is_empty() { vec![&[]] } else { message.chunks(1024).collect() };
        blocks
            .into_iter()
            .flat_map(|block| {
                let mut sum = 8 * block.len() as u64;
                for (chunk, key) in zero_padded(block, 32, 32).chunks(32).zip(key.chunks(32)) {
                    let word = |i: usize| {
                        ((le(&chunk[4 * i..][..4]) + be(&key[4 * i..][..4])) % (1 << 32)) as u64
                    };
                    for i in 0..4 {
                        sum = sum.wrapping_add(word(i) * word(i + 4));
                    }
                }
                sum.to_be_bytes()
            })
            .collect()
    }

    /// §5.3.2, for words of the length of the key.
    fn poly(key: u128, words: &[u128], word_bits: u32) -> u128 {
        let p = if word_bits == 64 { P64 } else { P128 };
        // 2^64 − 2^32 or 2^128 − 2^96; 2^word_bits itself does not fit.
        let max_word_range = ((1 << 32) - 1) << (word_bits - 32);
        let offset = if word_bits == 64 { 59 } else { 159 };
        words.iter().fold(1, |y, &word| {
            if word >= max_word_range {
                multiply_add(key, multiply_add(key, y, p - 1, p), word - offset, p)
            } else {
                multiply_add(key, y, word, p)
            }
        })
    }

    /// §5.3.1.
    fn l2_hash(key: &[u8], message: &[u8]) -> u128 {
        let k64 = be(&key[..8]) & 0x01ffffff_01ffffff;
        let k128 = be(&key[8..]) & 0x01ffffff_01ffffff_01ffffff_01ffffff;
        let (first, rest) = message.split_at(message.len().min(1 << 17));
        let first: Vec<u128> = first.chunks(8).map(be).collect();
        let y = poly(k64, &first, 64);
        if rest.is_empty() {
            return y;
        }
        let rest = zero_padded(&[rest, &[0x80]].concat(), 16, 0);
        let words: Vec<u128> = [y].into_iter().chain(rest.chunks(16).map(be)).collect();
        poly(k128, &words, 128)
    }

    /// §5.4.
    fn l3_hash(factors: &[u8], mask: &[u8], l2: u128) -> u32 {
        let words = l2.to_be_bytes();
        let sum = words
            .chunks(2)
            .zip(factors.chunks(8))
            .fold(0, |sum, (word, factor)| multiply_add(be(word), be(factor) % P36, sum, P36));
        sum as u32 ^ be(mask) as u32
    }

    pub fn tag(key: &[u8], nonce: &[u8], message: &[u8], tag_len: usize) -> Vec<u8> {
        let iterations = tag_len / 4;
        let l1_key = kdf(key, 1, 1024 + (iterations - 1) * 16);
        let l2_key = kdf(key, 2, iterations * 24);
        let factors = kdf(key, 3, iterations * 64);
        let masks = kdf(key, 4, iterations * 4);
        let mut tag = pdf(key, nonce, tag_len);
        for i in 0..iterations {
            let l1 = l1_hash(&l1_key[16 * i..][..1024], message);
            let l2 =
                if message.len() <= 1024 { be(&l1) } else { l2_hash(&l2_key[24 * i..][..24], &l1) };
            let hashed = l3_hash(&factors[64 * i..][..64], &masks[4 * i..][..4], l2);
            for (byte, hashed) in tag[4 * i..][..4].iter_mut().zip(hashed.to_be_bytes()) {
                *byte ^= hashed;
            }
        }
        tag
    }
}

fn reference(name: &str, key: &[u8], nonce: &[u8], message: &[u8], tag_len: usize) -> Vec<u8> {
    if name.starts_with("vmac") {
        vmac::tag(key, nonce, message, tag_len)
    } else {
        umac::tag(key, nonce, message, tag_len)
    }
}

fn macs() -> Vec<&'static macs::MacInfo> {
    let is_ours = |name: &str| name.starts_with("vmac") || name.starts_with("umac");
    let found: Vec<_> = macs::catalog().iter().filter(|mac| is_ours(mac.name)).collect();
    assert_eq!(found.len(), 10);
    found
}

impl Random {
    fn message(&mut self) -> Vec<u8> {
        let edge = EDGES[self.below(EDGES.len())];
        let len = (edge + self.below(40)).saturating_sub(20);
        self.bytes_or_ones(len)
    }

    fn nonce(&mut self) -> Vec<u8> {
        let len = 1 + self.below(16);
        let mut nonce = self.bytes_or_ones(len);
        nonce[0] &= 0x7f;
        nonce
    }
}

#[test]
fn random_tags_are_those_of_the_reference() {
    let mut random = Random(1);
    let macs = macs();
    let prepared: Vec<DynMac> = macs
        .iter()
        .map(|info| DynMac::with_info(info, &vec![0; info.key_len_bytes]).unwrap())
        .collect();
    for round in 0..COMPARISONS {
        let (info, mac) = (macs[round % macs.len()], &prepared[round % macs.len()]);
        let key = random.bytes_or_ones(info.key_len_bytes);
        let (nonce, message) = (random.nonce(), random.message());
        let expected = reference(info.name, &key, &nonce, &message, info.tag_len_bytes);
        let case = || format!("{} of {} bytes under {key:02x?}", info.name, message.len());

        let mut mac = mac.clone().with_nonce_len(nonce.len()).unwrap();
        mac.rekey(&key).unwrap();
        let mut tag = vec![0; info.tag_len_bytes];
        mac.mac_with_nonce_into(&nonce, &message, &mut tag).unwrap();
        assert_eq!(tag, expected, "{}", case());
        mac.update(&message);
        mac.update(&key);
        mac.reset();
        let mut rest = &message[..];
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(1 + random.below(rest.len().min(1500)));
            mac.update(piece);
            rest = after;
        }
        let mut clone = mac.clone();
        mac.set_nonce(&nonce).unwrap();
        mac.finalize_reset_into(&mut tag).unwrap();
        assert_eq!(tag, expected, "streamed {}", case());
        clone.set_nonce(&nonce).unwrap();
        assert!(clone.verify(&expected).is_ok(), "clone {}", case());
    }
}

/// Past 2^24 bytes UMAC's second layer goes on modulo another prime.
#[test]
fn long_messages_have_the_tags_of_the_reference() {
    let mut random = Random(2);
    let message: Vec<u8> = (0..(1 << 24) + 5000).map(|_| random.next() as u8).collect();
    let lens = [0, 1, 1023, 1024, 1025, 2048, 2049, 3072, 3100].map(|more| (1 << 24) + more);
    for (i, len) in lens.into_iter().chain([(1 << 24) - 1]).enumerate() {
        for name in ["vmac64-aes-128", ["umac-32", "umac-128"][i % 2]] {
            let info = macs::find(name).unwrap();
            let (key, nonce) = (random.bytes_or_ones(info.key_len_bytes), random.nonce());
            let mac = DynMac::with_info(info, &key).unwrap();
            let mac = mac.with_nonce_len(nonce.len()).unwrap();
            let mut tag = vec![0; info.tag_len_bytes];
            mac.mac_with_nonce_into(&nonce, &message[..len], &mut tag).unwrap();
            let expected = reference(name, &key, &nonce, &message[..len], info.tag_len_bytes);
            assert_eq!(tag, expected, "{name} of {len} bytes");
        }
    }
}

#[test]
fn nonces_that_the_specifications_do_not_have_are_refused() {
    for info in macs() {
        let mac = DynMac::with_info(info, &vec![1; info.key_len_bytes]).unwrap();
        let mut tag = vec![0xa5; info.tag_len_bytes];
        for nonce in [&[][..], &[0; 17], &[0; 32]] {
            assert!(mac.mac_with_nonce_into(nonce, b"", &mut tag).is_err(), "{}", info.name);
            assert!(mac.clone().with_nonce_len(nonce.len()).is_err(), "{}", info.name);
        }
        let whole_block = mac.clone().with_nonce_len(16).unwrap();
        let top_bit = whole_block.mac_with_nonce_into(&[0x80; 16], b"", &mut tag);
        let is_vmac = info.name.starts_with("vmac");
        assert_eq!(top_bit.is_err(), is_vmac, "{}", info.name);
        assert!(!is_vmac || tag.iter().all(|&byte| byte == 0xa5), "{} wrote a tag", info.name);
        if let Err(error) = top_bit {
            assert_eq!(error, Error::NonceRefused { mac: info.name });
        }
        // In a batch nothing is kept of the tags before it.
        for count in [2, 9] {
            let batch = Batch::with_info(info, &[&vec![1; info.key_len_bytes]]).unwrap();
            let batch = batch.with_nonce_len(16).unwrap();
            let mut jobs = vec![Job::new(0, b"message").with_nonce(&[1; 16]); count];
            jobs[count - 1] = Job::new(0, b"message").with_nonce(&[0x80; 16]);
            let mut tags = vec![0; count * info.tag_len_bytes];
            let outcome = batch.macs_into(&jobs, &mut tags);
            assert_eq!(outcome.is_err(), is_vmac, "{}", info.name);
            assert!(!is_vmac || tags.iter().all(|&byte| byte == 0), "{}: {tags:?}", info.name);
        }
        let shorter = mac.with_nonce_len(15).unwrap();
        shorter.mac_with_nonce_into(&[0x80; 15], b"", &mut tag).unwrap();
    }
}

/// The pad is made of the nonce with zeros, before it for VMAC and behind it for UMAC: of two
/// nonces that are the same with them, a key must not take both.
#[test]
fn a_key_takes_nonces_of_one_length() {
    let pairs = [[&[1][..], &[0, 1]], [&[1], &[1, 0]], [&[0; 8], &[0; 9]], [&[0; 7], &[0; 8]]];
    for info in macs() {
        assert!(info.nonce.unwrap().one_len_per_key, "{}", info.name);
        let (key, mut tag) = (vec![1; info.key_len_bytes], vec![0; info.tag_len_bytes]);
        for (pair, chosen) in pairs.iter().flat_map(|pair| [(pair, None), (pair, Some(pair[0]))]) {
            let choose = |mac: DynMac| match chosen {
                Some(nonce) => mac.with_nonce_len(nonce.len()).unwrap(),
                None => mac,
            };
            let mut mac = choose(DynMac::with_info(info, &key).unwrap());
            let mut taken = pair.map(|nonce| mac.mac_with_nonce_into(nonce, b"", &mut tag).is_ok());
            assert!(taken != [true; 2], "{} {pair:?}", info.name);
            mac.rekey(&key).unwrap();
            taken = pair.map(|nonce| mac.clone().set_nonce(nonce).is_ok());
            assert!(taken != [true; 2], "{} {pair:?}, another key", info.name);
            let mut batch = Batch::with_info(info, &[&key]).unwrap();
            if let Some(nonce) = chosen {
                batch = batch.with_nonce_len(nonce.len()).unwrap();
            }
            let job = |nonce| Job::new(0, b"").with_nonce(nonce);
            taken = pair.map(|nonce| batch.macs_into(&[job(nonce)], &mut tag).is_ok());
            assert!(taken != [true; 2], "{} {pair:?}, in a batch", info.name);
        }
        let at_once = [8, 7, 9]
            .map(|len| info.mac_with_nonce_into(&key, &vec![0; len], b"", &mut tag).is_ok());
        assert_eq!(at_once, [true, false, false], "{} in one call", info.name);
    }
    let mut vmac = macs::Vmac64::<macs::ciphers::Aes128>::new(&[1; 16].into());
    let mut tag = Default::default();
    assert!(vmac.mac_into(&[0; 9], b"", &mut tag).is_err());
    vmac.set_nonce_len(9).unwrap();
    vmac.mac_into(&[0; 9], b"", &mut tag).unwrap();
    assert!(vmac.finalize_reset_into(&[0; 8], &mut tag).is_err());
    assert!(vmac.set_nonce_len(0).is_err() && vmac.set_nonce_len(17).is_err());
}
