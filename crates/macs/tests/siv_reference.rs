//! S2V and SIV against RFC 5297, GCM-SIV against RFC 8452, written as naively as they can be on
//! single blocks of RustCrypto's AES.
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use aes::cipher::{BlockCipherEncrypt, KeyInit};
use macs::{DynComposition, DynMac};

use random::Random;

/// Random inputs for each.
const CASES: usize = 10_000;

type Block = [u8; 16];

fn encrypt(key: &[u8], mut block: Block) -> Block {
    let array = (&mut block).into();
    match key.len() {
        16 => aes::Aes128::new_from_slice(key).unwrap().encrypt_block(array),
        24 => aes::Aes192::new_from_slice(key).unwrap().encrypt_block(array),
        _ => aes::Aes256::new_from_slice(key).unwrap().encrypt_block(array),
    }
    block
}

fn xor(a: &[u8], b: &[u8]) -> Block {
    core::array::from_fn(|i| a[i] ^ b[i])
}

/// §2.3.
fn double(block: Block) -> Block {
    let number = u128::from_be_bytes(block);
    let carry = if number >> 127 == 1 { 0x87 } else { 0 };
    (number << 1 ^ carry).to_be_bytes()
}

/// 10* of RFC 4493 and RFC 5297.
fn pad(bytes: &[u8]) -> Block {
    core::array::from_fn(|i| match i.cmp(&bytes.len()) {
        core::cmp::Ordering::Less => bytes[i],
        core::cmp::Ordering::Equal => 0x80,
        core::cmp::Ordering::Greater => 0,
    })
}

/// RFC 4493 §2.4.
fn cmac(key: &[u8], message: &[u8]) -> Block {
    let k1 = double(encrypt(key, [0; 16]));
    let mut pieces: Vec<&[u8]> = message.chunks(16).collect();
    let last = pieces.pop().unwrap_or_default();
    let mut y = [0; 16];
    for piece in pieces {
        y = encrypt(key, xor(&y, piece));
    }
    let last = if last.len() == 16 { xor(last, &k1) } else { xor(&pad(last), &double(k1)) };
    encrypt(key, xor(&y, &last))
}

/// §2.4.
fn s2v(key: &[u8], strings: &[&[u8]]) -> Block {
    let Some((last, firsts)) = strings.split_last() else {
        return cmac(key, &1_u128.to_be_bytes());
    };
    let mut d = cmac(key, &[0; 16]);
    for string in firsts {
        d = xor(&double(d), &cmac(key, string));
    }
    if last.len() < 16 {
        return cmac(key, &xor(&double(d), &pad(last)));
    }
    let mut changed = last.to_vec();
    let at = changed.len() - 16;
    changed[at..].copy_from_slice(&xor(&last[at..], &d));
    cmac(key, &changed)
}

/// §2.6: the ciphertext and the tag.
fn siv(key: &[u8], strings: &[&[u8]]) -> (Vec<u8>, Block) {
    let (k1, k2) = key.split_at(key.len() / 2);
    let v = s2v(k1, strings);
    let first = u128::from_be_bytes(v) & !(1 << 63 | 1 << 31);
    let stream = |i: usize| encrypt(k2, first.wrapping_add(i as u128 / 16).to_be_bytes())[i % 16];
    let message = strings.last().unwrap();
    (message.iter().enumerate().map(|(i, byte)| byte ^ stream(i)).collect(), v)
}

/// Mostly short, and one in ten a number of whole blocks.
fn message(random: &mut Random, case: usize) -> Vec<u8> {
    let max = if case.is_multiple_of(100) { 2000 } else { 140 };
    let len = random.up_to(max);
    random.bytes(if case % 10 == 1 { len / 16 * 16 } else { len })
}

#[test]
fn s2v_of_one_string_whole_and_in_pieces() {
    for (name, key_len) in [("s2v-aes-128", 16), ("s2v-aes-192", 24), ("s2v-aes-256", 32)] {
        let mut random = Random(1);
        for case in 0..CASES {
            let (key, message) = (random.bytes(key_len), message(&mut random, case));
            let expected = s2v(&key, &[&message]);
            let mut mac = DynMac::new(name, &key).unwrap();
            let mut tag = [0; 16];
            mac.mac_into(&message, &mut tag).unwrap();
            assert_eq!(tag, expected, "{name} {case}");
            let mut rest = &message[..];
            while !rest.is_empty() {
                let (piece, others) = rest.split_at(random.up_to(rest.len().min(70)));
                mac.update(piece);
                rest = others;
            }
            mac.finalize_into(&mut tag).unwrap();
            assert_eq!(tag, expected, "{name} {case} in pieces");
        }
    }
}

#[test]
fn s2v_of_several_strings() {
    let mut random = Random(2);
    for case in 0..CASES {
        let key = random.bytes(16);
        let strings: Vec<Vec<u8>> =
            (0..random.up_to(4)).map(|_| message(&mut random, case)).collect();
        let strings: Vec<&[u8]> = strings.iter().map(Vec::as_slice).collect();
        let mac = macs::S2v::<macs::ciphers::Aes128>::new_from_slice(&key).unwrap();
        let tag = mac.mac_of_strings(&strings).unwrap();
        assert_eq!(tag.0, s2v(&key, &strings), "{case}");
        assert!(mac.verify_strings(&strings, &tag).is_ok(), "{case}");
        assert!(mac.verify_strings(&[&strings[..], &[b"."]].concat(), &tag).is_err(), "{case}");
    }
}

/// A.2, whose two strings of associated data a composition has no place for.
#[test]
fn s2v_of_the_strings_of_rfc_5297() {
    let bytes = |hex: &str| hex::decode(hex).unwrap();
    let strings = [
        "00112233445566778899aabbccddeeffdeaddadadeaddadaffeeddccbbaa99887766554433221100",
        "102030405060708090a0",
        "09f911029d74e35bd84156c5635688c0",
        "7468697320697320736f6d6520706c61696e7465787420746f20656e6372797074207573696e67205349562d\
         414553",
    ];
    let strings = strings.map(bytes);
    let key = bytes("7f7e7d7c7b7a79787776757473727170");
    let mac = macs::S2v::<macs::ciphers::Aes128>::new_from_slice(&key).unwrap();
    let tag = mac.mac_of_strings(&strings.each_ref().map(Vec::as_slice)).unwrap();
    assert_eq!(tag[..], bytes("7bdb6e3b432667eb06f4d14bff2fbd0f"));
}

/// x^128 + x^7 + x^2 + x + 1 is nothing: what is added with these weights could be exchanged. The
/// reference shows it of 130 strings.
#[test]
fn s2v_refuses_more_strings_than_it_tells_apart() {
    let key = [3; 16];
    let mac = macs::S2v::<macs::ciphers::Aes128>::new_from_slice(&key).unwrap();
    let weights = [128, 7, 2, 1, 0];
    let with = |text: &'static [u8]| -> Vec<&[u8]> {
        // The last string has no weight, the one before it is not doubled any more.
        let of = |at: usize| if weights.contains(&(128 - at)) { text } else { b"the same" };
        (0..129).map(of).chain([&b"a message of more than one block"[..]]).collect()
    };
    let [one, other] = [with(b"one"), with(b"other")];
    assert_eq!(s2v(&key, &one), s2v(&key, &other));
    assert!(mac.mac_of_strings(&one).is_err() && mac.mac_of_strings(&one[..128]).is_err());
    assert_ne!(mac.mac_of_strings(&one[3..]), mac.mac_of_strings(&other[3..]));
    assert!(mac.mac_of_strings(&one[3..]).is_ok());
}

#[test]
fn siv_with_a_nonce_and_without() {
    for (name, key_len) in [("siv-aes-128", 32), ("siv-aes-192", 48), ("siv-aes-256", 64)] {
        let mut random = Random(3);
        for case in 0..CASES {
            let key = random.bytes(key_len);
            let (nonce_len, ad_len) = (random.up_to(20) / 2 * 2, random.up_to(40));
            let (nonce, ad) = (random.bytes(nonce_len), random.bytes(ad_len));
            let message = message(&mut random, case);
            let all = [&ad[..], &nonce, &message];
            let (mut expected, tag) =
                if nonce.is_empty() { siv(&key, &[&ad, &message]) } else { siv(&key, &all) };
            expected.extend_from_slice(&tag);
            let keyed = DynComposition::new(name, &key).unwrap();
            assert_eq!(keyed.seal(&nonce, &ad, &message).unwrap(), expected, "{name} {case}");
            assert_eq!(keyed.open(&nonce, &ad, &expected).unwrap(), message, "{name} {case}");
        }
    }
}

/// The product of RFC 8452 §3's field, bit 0 being that of x^0.
fn times(a: u128, b: u128) -> u128 {
    let (mut product, mut power) = (0, a);
    for bit in 0..128 {
        product ^= if b >> bit & 1 == 1 { power } else { 0 };
        let carry = if power >> 127 == 1 { 1 << 127 | 1 << 126 | 1 << 121 | 1 } else { 0 };
        power = power << 1 ^ carry;
    }
    product
}

/// §3, over whole blocks.
fn polyval(h: Block, data: &[u8]) -> Block {
    // x^-128.
    let inverse = 1 << 127 | 1 << 124 | 1 << 121 | 1 << 114 | 1;
    let by = times(u128::from_le_bytes(h), inverse);
    let blocks = data.chunks(16).map(|block| u128::from_le_bytes(block.try_into().unwrap()));
    blocks.fold(0, |sum, block| times(sum ^ block, by)).to_le_bytes()
}

#[test]
fn polyval_is_that_of_rfc_8452() {
    let h = hex::decode("25629347589242761d31f826ba4b757b").unwrap().try_into().unwrap();
    let data = "4f4f95668c83dfb6401762bb2d01a262d1a24ddd2721d006bbe45f20d3c9f362";
    let hash = polyval(h, &hex::decode(data).unwrap());
    assert_eq!(hex::encode(hash), "f7a3b47b846119fae5b7866cf5e5b77e");
}

/// §4: the ciphertext and behind it the tag.
fn gcm_siv(key: &[u8], nonce: &[u8], ad: &[u8], message: &[u8]) -> Vec<u8> {
    let half = |number: u8| {
        let block = [&[number, 0, 0, 0], nonce].concat();
        encrypt(key, block.try_into().unwrap())[..8].to_vec()
    };
    let h = [half(0), half(1)].concat().try_into().unwrap();
    let halves: Vec<Vec<u8>> = (2..2 + key.len() as u8 / 8).map(half).collect();
    let inner = halves.concat();

    let padded = |data: &[u8]| {
        let mut padded = data.to_vec();
        padded.resize(data.len().next_multiple_of(16), 0);
        padded
    };
    let lens = [ad, message].map(|data| (8 * data.len() as u64).to_le_bytes()).concat();
    let mut sum = polyval(h, &[padded(ad), padded(message), lens].concat());
    sum.iter_mut().zip(nonce).for_each(|(byte, nonce)| *byte ^= nonce);
    sum[15] &= 0x7f;
    let tag = encrypt(&inner, sum);

    let stream = |i: usize| {
        let mut block = tag;
        block[15] |= 0x80;
        let counter = u32::from_le_bytes(block[..4].try_into().unwrap());
        block[..4].copy_from_slice(&counter.wrapping_add(i as u32 / 16).to_le_bytes());
        encrypt(&inner, block)[i % 16]
    };
    let mut sealed: Vec<u8> =
        message.iter().enumerate().map(|(i, byte)| byte ^ stream(i)).collect();
    sealed.extend_from_slice(&tag);
    sealed
}

#[test]
fn gcm_siv_is_that_of_rfc_8452() {
    for (name, key_len) in [("gcm-siv-aes-128", 16), ("gcm-siv-aes-256", 32)] {
        let mut random = Random(4);
        for case in 0..CASES {
            let (key, nonce) = (random.bytes(key_len), random.bytes(12));
            let (ad, message) = (message(&mut random, case + 1), message(&mut random, case));
            let expected = gcm_siv(&key, &nonce, &ad, &message);
            let keyed = DynComposition::new(name, &key).unwrap();
            assert_eq!(keyed.seal(&nonce, &ad, &message).unwrap(), expected, "{name} {case}");
            assert_eq!(keyed.open(&nonce, &ad, &expected).unwrap(), message, "{name} {case}");
        }
    }
}
