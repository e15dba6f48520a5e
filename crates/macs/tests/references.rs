//! Agreement on random input with independent implementations: other crates where there are some,
//! and otherwise the definition, written out here as plainly as it can be.
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use aes::cipher::{BlockCipherEncrypt, BlockSizeUser, consts::U16};
use digest::{KeyInit, Mac};
use macs::{DynMac, Error, MacInfo};

use random::Random;

/// Random inputs for each mac.
const CASES: usize = 10_000;

/// One random input.
struct Input {
    key: Vec<u8>,
    nonce: Vec<u8>,
    message: Vec<u8>,
    tag_len_bytes: usize,
}

impl Input {
    fn new(info: &MacInfo, random: &mut Random) -> Self {
        // Keys and nonces of each accepted length up to a little more than any block.
        let mut len = |accepted: macs::Len| loop {
            let len = random.up_to(200);
            let len = if let macs::Len::Exactly(len) = accepted { len as usize } else { len };
            if accepted.accepts(len) {
                return len;
            }
        };
        let (key_len, tag_len_bytes) = (len(info.accepted_key_len), len(info.accepted_tag_len));
        let nonce_len = info.nonce.map_or(0, |nonce| len(nonce.accepted_len));
        // A few messages are long, and one in ten a number of whole blocks.
        let long = random.up_to(199) == 0;
        let message_len = match random.up_to(9) {
            0 => random.up_to(5) * info.primitive.block_len_bytes,
            _ => random.up_to(if long { 20_000 } else { 200 }),
        };
        let nonce_len = if random.up_to(1) == 0 { nonce_len.min(12) } else { nonce_len };
        let (key, nonce) = (random.bytes(key_len), random.bytes(nonce_len));
        Self { key, nonce, message: random.bytes(message_len), tag_len_bytes }
    }
}

/// Whole and in pieces, `name` is what `reference` says.
fn agree(name: &str, reference: impl Fn(&Input) -> Vec<u8>) {
    let info = macs::find(name).unwrap();
    let mut random = Random(1);
    for case in 0..CASES {
        let input = Input::new(info, &mut random);
        let expected = reference(&input);
        let mac = DynMac::with_info(info, &input.key).unwrap();
        let mut mac = mac.with_tag_len(input.tag_len_bytes).unwrap();
        let mut tag = vec![0; input.tag_len_bytes];
        mac.mac_with_nonce_into(&input.nonce, &input.message, &mut tag).unwrap();
        assert_eq!(tag, expected, "{name} {case}");

        if info.nonce.is_some() {
            mac.set_nonce(&input.nonce).unwrap();
        }
        let (head, rest) = input.message.split_at(random.up_to(input.message.len()));
        mac.update(head);
        mac.update(rest);
        mac.finalize_into(&mut tag).unwrap();
        assert_eq!(tag, expected, "{name} {case} in pieces");
    }
}

/// The tag of another crate's mac.
fn theirs<M: Mac + KeyInit>(input: &Input) -> Vec<u8> {
    let mac = <M as KeyInit>::new_from_slice(&input.key).unwrap();
    mac.chain_update(&input.message).finalize().into_bytes().to_vec()
}

#[test]
fn hmac_over_hashes_of_other_crates() {
    agree("hmac-sha3-224", theirs::<hmac::SimpleHmac<sha3::Sha3_224>>);
    agree("hmac-sha3-256", theirs::<hmac::SimpleHmac<sha3::Sha3_256>>);
    agree("hmac-sha3-384", theirs::<hmac::SimpleHmac<sha3::Sha3_384>>);
    agree("hmac-sha3-512", theirs::<hmac::SimpleHmac<sha3::Sha3_512>>);
    agree("hmac-ripemd160", theirs::<hmac::SimpleHmac<ripemd::Ripemd160>>);
    agree("hmac-sm3", theirs::<hmac::SimpleHmac<sm3::Sm3>>);
    agree("hmac-streebog-256", theirs::<hmac::SimpleHmac<streebog::Streebog256>>);
    agree("hmac-streebog-512", theirs::<hmac::SimpleHmac<streebog::Streebog512>>);
    agree("hmac-blake2b", theirs::<hmac::SimpleHmac<blake2::Blake2b512>>);
    agree("hmac-blake2s", theirs::<hmac::SimpleHmac<blake2::Blake2s256>>);
}

#[test]
fn keyed_hashes() {
    agree("blake3-keyed", |input| {
        let key = input.key[..].try_into().unwrap();
        let mut hasher = blake3::Hasher::new_keyed(&key);
        // Chunk by chunk, so that the tree grows another way than in one call.
        input.message.chunks(1024).for_each(|chunk| _ = hasher.update(chunk));
        hasher.finalize().as_bytes().to_vec()
    });
}

/// left_encode of SP 800-185 §2.3.1; right_encode has the count behind.
fn encode(number: usize) -> (Vec<u8>, u8) {
    let bytes = number.to_be_bytes();
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count().min(bytes.len() - 1);
    (bytes[zeros..].to_vec(), (bytes.len() - zeros) as u8)
}

fn left_encode(number: usize) -> Vec<u8> {
    let (digits, count) = encode(number);
    [&[count][..], &digits].concat()
}

fn right_encode(number: usize) -> Vec<u8> {
    let (digits, count) = encode(number);
    [&digits[..], &[count]].concat()
}

/// bytepad of encoded strings, §2.3.2 and §2.3.3.
fn bytepad(strings: &[&[u8]], rate: usize) -> Vec<u8> {
    let mut padded = left_encode(rate);
    for string in strings {
        padded.extend(left_encode(8 * string.len()));
        padded.extend(*string);
    }
    padded.resize(padded.len().next_multiple_of(rate), 0);
    padded
}

/// KMAC as SP 800-185 §3.3 and §4.3 define it, on the permutation alone.
fn kmac_of(rate: usize, is_xof: bool, input: &Input, custom: &[u8]) -> Vec<u8> {
    let mut data = bytepad(&[b"KMAC", custom], rate);
    data.extend(bytepad(&[&input.key], rate));
    data.extend(&input.message);
    data.extend(right_encode(if is_xof { 0 } else { 8 * input.tag_len_bytes }));
    // Domain bits 00 and the padding 10*1 (FIPS 202 §5.1).
    data.push(0x04);
    data.resize(data.len().next_multiple_of(rate), 0);
    *data.last_mut().unwrap() |= 0x80;
    let mut state = [0_u64; 25];
    for block in data.chunks(rate) {
        for (lane, bytes) in state.iter_mut().zip(block.chunks(8)) {
            *lane ^= u64::from_le_bytes(bytes.try_into().unwrap());
        }
        keccak::Keccak::new().with_f1600(|f1600| f1600(&mut state));
    }
    let output: Vec<u8> = state.iter().flat_map(|lane| lane.to_le_bytes()).collect();
    output[..input.tag_len_bytes].to_vec()
}

#[test]
fn kmac() {
    agree("kmac128", |input| kmac_of(168, false, input, b""));
    agree("kmac256", |input| kmac_of(136, false, input, b""));
    agree("kmac128-xof", |input| kmac_of(168, true, input, b""));
    agree("kmac256-xof", |input| kmac_of(136, true, input, b""));
}

/// Among the lengths those for which the padding is empty.
#[test]
fn kmac_with_keys_and_customization_strings_of_every_length() {
    let mut random = Random(2);
    for len in 0..350 {
        for (key_len, custom_len) in [(len, 3), (32, len)] {
            let (key, custom) = (random.bytes(key_len), random.bytes(custom_len));
            let mut ours = macs::Kmac128::new_customized(&random.bytes(5), &custom);
            ours.rekey(&key);
            ours.update(b"message");
            let mut tag = [0; 32];
            ours.finalize_into(&mut tag);
            let input = Input { key, nonce: vec![], message: b"message".into(), tag_len_bytes: 32 };
            assert_eq!(tag[..], kmac_of(168, false, &input, &custom), "{key_len} {custom_len}");
        }
    }
}

#[test]
fn siphash() {
    use core::hash::Hasher;
    use siphasher::sip128::Hasher128;
    use siphasher::{sip, sip128};
    fn taken<H: Hasher>(new: fn(&[u8; 16]) -> H, input: &Input) -> H {
        let mut hasher = new(input.key[..].try_into().unwrap());
        hasher.write(&input.message);
        hasher
    }
    let tag = |hasher: &dyn Hasher| hasher.finish().to_le_bytes().to_vec();
    let tag_128 = |hasher: &dyn Hasher128| hasher.finish128().as_bytes().to_vec();
    agree("siphash-1-3", |input| tag(&taken(sip::SipHasher13::new_with_key, input)));
    agree("siphash-2-4", |input| tag(&taken(sip::SipHasher24::new_with_key, input)));
    agree("siphash-1-3-128", |it| tag_128(&taken(sip128::SipHasher13::new_with_key, it)));
    agree("siphash-2-4-128", |it| tag_128(&taken(sip128::SipHasher24::new_with_key, it)));
}

/// One compression of SHA-256 from a chaining value in bytes.
fn f(chaining: &[u8], block: &[u8]) -> Vec<u8> {
    let mut state = [0; 8];
    for (word, bytes) in state.iter_mut().zip(chaining.chunks(4)) {
        *word = u32::from_be_bytes(bytes.try_into().unwrap());
    }
    sha2::block_api::compress256(&mut state, &[block.try_into().unwrap()]);
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The blocks of the padded message and the last constant to the tag.
fn khc(key: &[u8], padded: &[u8], last_constant: u8) -> Vec<u8> {
    let xor = |value: Vec<u8>, constant: u8| -> Vec<u8> {
        value.iter().map(|byte| byte ^ constant).collect()
    };
    let mut chaining = key.to_vec();
    let count = padded.len() / 64;
    for (i, block) in padded.chunks(64).enumerate() {
        if i == count - 1 {
            chaining = xor(chaining, last_constant);
        }
        chaining = f(&chaining, block);
        if i == 0 && count > 1 {
            chaining = xor(chaining, 0x11);
        }
    }
    chaining
}

fn pad(message: &[u8]) -> Vec<u8> {
    let mut padded = [message, &[0x80]].concat();
    padded.resize(padded.len().next_multiple_of(64), 0);
    padded
}

#[test]
fn khc1_and_khc2() {
    agree("khc1-sha256", |input| {
        let mut padded = pad(&input.message);
        if padded.len() > 64 {
            *padded.last_mut().unwrap() |= 1;
        }
        khc(&input.key, &padded, 0x22)
    });
    agree("khc2-sha256", |input| {
        let message = &input.message;
        if message.len() >= 128 && message.len() % 64 == 0 {
            return khc(&input.key, message, 0x22);
        }
        let mut padded = pad(message);
        if padded.len() == 64 {
            padded.resize(128, 0);
        }
        khc(&input.key, &padded, 0x44)
    });
}

/// A number below 2^131: bits 128 and up, and the rest.
type Number = (u8, u128);

/// (a + b) mod 2^130 − 5.
fn add(a: Number, b: Number) -> Number {
    const MODULUS: Number = (3, u128::MAX - 4);
    let (low, carry) = a.1.overflowing_add(b.1);
    let sum = (a.0 + b.0 + u8::from(carry), low);
    if sum < MODULUS {
        return sum;
    }
    let (low, borrow) = sum.1.overflowing_sub(MODULUS.1);
    (sum.0 - MODULUS.0 - u8::from(borrow), low)
}

/// RFC 8439 §2.5.1, multiplied bit by bit.
#[test]
fn poly1305() {
    agree("poly1305", |input| {
        let number = |bytes: &[u8]| u128::from_le_bytes(bytes.try_into().unwrap());
        let r = number(&input.key[..16]) & 0x0ffffffc0ffffffc0ffffffc0fffffff;
        let mut sum = (0, 0);
        for block in input.message.chunks(16) {
            let mut padded = [0; 17];
            padded[..block.len()].copy_from_slice(block);
            padded[block.len()] = 1;
            sum = add(sum, (padded[16], number(&padded[..16])));
            let mut product = (0, 0);
            for bit in (0..124).rev() {
                product = add(product, product);
                if r >> bit & 1 == 1 {
                    product = add(product, sum);
                }
            }
            sum = product;
        }
        sum.1.wrapping_add(number(&input.key[16..])).to_le_bytes().to_vec()
    });
}

/// The sums that must be reduced at the end: RFC 8439 A.3 has some of them; here is every value
/// from below the modulus to above 2^130.
#[test]
fn poly1305_around_its_modulus() {
    for low in 0..=16_u8 {
        // r = 1, s = 0: the tag is the sum of the blocks, each with 2^128.
        let mut key = [0; 32];
        key[0] = 1;
        // 3·2^128 and all but `low` of the fourth: 2^130 − 16 + low.
        let mut message = [0; 48];
        message[..16].copy_from_slice(&(u128::MAX - 15 + u128::from(low.min(15))).to_le_bytes());
        message[16] = low.saturating_sub(15);
        let sum = add((3, u128::MAX - 15), (0, u128::from(low)));
        let tag = macs::mac("poly1305", &key, &message).unwrap();
        assert_eq!(tag, sum.1.to_le_bytes(), "{low}");
    }
}

/// SP 800-38D §6.3, multiplied bit by bit, and §7.1.
fn gmac<C: BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> + KeyInit>(
    input: &Input,
) -> Vec<u8> {
    let cipher = <C as KeyInit>::new_from_slice(&input.key).unwrap();
    let encrypt = |block: u128| {
        let mut block = block.to_be_bytes().into();
        cipher.encrypt_block(&mut block);
        u128::from_be_bytes(block.into())
    };
    let h = encrypt(0);
    let times_h = |x: u128| {
        let (mut z, mut v) = (0, h);
        for bit in (0..128).rev() {
            if x >> bit & 1 == 1 {
                z ^= v;
            }
            v = v >> 1 ^ if v & 1 == 1 { 0xe1 << 120 } else { 0 };
        }
        z
    };
    let ghash = |data: &[u8], lens_bits: u128| {
        let y = data.chunks(16).fold(0, |y, block| {
            let mut padded = [0; 16];
            padded[..block.len()].copy_from_slice(block);
            times_h(y ^ u128::from_be_bytes(padded))
        });
        times_h(y ^ lens_bits)
    };
    let counter = if input.nonce.len() == 12 {
        let padded = [&input.nonce[..], &[0, 0, 0, 1]].concat();
        u128::from_be_bytes(padded.try_into().unwrap())
    } else {
        ghash(&input.nonce, 8 * input.nonce.len() as u128)
    };
    let hash = ghash(&input.message, (8 * input.message.len() as u128) << 64);
    (hash ^ encrypt(counter)).to_be_bytes().to_vec()
}

#[test]
fn gmac_over_aes() {
    agree("gmac-aes-128", gmac::<aes::Aes128>);
    agree("gmac-aes-192", gmac::<aes::Aes192>);
    agree("gmac-aes-256", gmac::<aes::Aes256>);
}

#[test]
fn secrets_are_not_printed() {
    let printed = |mac: &dyn core::fmt::Debug| format!("{mac:?}");
    assert_eq!(printed(&macs::Kmac128::new(b"key")), "Kmac { .. }");
    assert_eq!(printed(&macs::Khc1Sha256::new_from_slice(&[1; 32]).unwrap()), "Khc { .. }");
    assert_eq!(printed(&macs::SipHash24::new_from_slice(&[1; 16]).unwrap()), "SipHash { .. }");
    assert_eq!(printed(&macs::Poly1305::new_from_slice(&[1; 32]).unwrap()), "Poly1305 { .. }");
    let gmac = macs::Gmac::<macs::ciphers::Aes128>::new_from_slice(&[1; 16]).unwrap();
    assert_eq!(printed(&gmac), "Gmac { .. }");
}

#[test]
fn kmac_of_another_length_is_another_tag_and_xof_the_same() {
    for (name, is_xof) in [("kmac128", false), ("kmac128-xof", true)] {
        let mut long = DynMac::new(name, &[7; 16]).unwrap();
        let mut short = long.clone().with_tag_len(16).unwrap();
        let (mut short_tag, mut long_tag) = ([0; 16], [0; 32]);
        short.mac_into(b"message", &mut short_tag).unwrap();
        long.mac_into(b"message", &mut long_tag).unwrap();
        assert_eq!(long_tag.starts_with(&short_tag), is_xof, "{name}");
        short.update(b"message");
        short.verify(&short_tag).unwrap();
        short.update(b"message");
        assert_eq!(short.verify(&long_tag[..16]).is_ok(), is_xof, "{name}");
        // A shorter tag is never taken for one of the length that was chosen.
        long.update(b"message");
        assert!(matches!(long.verify(&short_tag), Err(Error::Len { .. })), "{name}");
        long.update(b"message");
        assert_eq!(long.verify_truncated_left(&long_tag[..16]), Ok(()), "{name}");
        assert!(long.clone().with_tag_len(3).is_err() && long.with_tag_len(65).is_err(), "{name}");
    }
}
