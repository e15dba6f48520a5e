//! The CBC family and PMAC against their definitions, written as naively as they can be over single
//! blocks of RustCrypto's ciphers, on random keys and messages; and against RustCrypto's `cbc-mac`
//! and `pmac` where those have them.
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use cipher::{Array, BlockCipherDecrypt, BlockCipherEncrypt, BlockSizeUser, KeyInit};
use digest::Mac;
use macs::{DynMac, mac};
use random::Random;

/// Names, key length and block length in bytes.
const CIPHERS: [(&str, usize, usize); 14] = [
    ("aes-128", 16, 16),
    ("aes-192", 24, 16),
    ("aes-256", 32, 16),
    ("rc6-128", 16, 16),
    ("rc6-192", 24, 16),
    ("rc6-256", 32, 16),
    ("serpent-128", 16, 16),
    ("serpent-192", 24, 16),
    ("serpent-256", 32, 16),
    ("tdes-2", 16, 8),
    ("tdes-3", 24, 8),
    ("twofish-128", 16, 16),
    ("twofish-192", 24, 16),
    ("twofish-256", 32, 16),
];

/// Those that have CMAC only, by name.
const FOREIGN: &[(&str, usize, usize)] = &[
    ("aria-128", 16, 16),
    ("aria-192", 24, 16),
    ("aria-256", 32, 16),
    ("camellia-128", 16, 16),
    ("camellia-192", 24, 16),
    ("camellia-256", 32, 16),
    #[cfg(feature = "kuznyechik")]
    ("kuznyechik", 32, 16),
    ("magma", 32, 8),
    ("sm4", 16, 16),
];

const MODES: [&str; 9] =
    ["cbc-mac", "cbc-mac-pad2", "emac", "xcbc", "xcbc-kdf", "tmac", "cmac", "omac2", "pmac"];

fn one_block<C: BlockCipherEncrypt + KeyInit + BlockSizeUser>(key: &[u8], block: &[u8]) -> Vec<u8> {
    let mut block = Array::try_from(block).unwrap();
    C::new_from_slice(key).unwrap().encrypt_block(&mut block);
    block.to_vec()
}

/// E_K of one block.
fn encrypt(cipher: &str, key: &[u8], block: &[u8]) -> Vec<u8> {
    use cipher::consts::{U16, U20, U24, U32};
    match cipher {
        "aes-128" => one_block::<aes::Aes128>(key, block),
        "aes-192" => one_block::<aes::Aes192>(key, block),
        "aes-256" => one_block::<aes::Aes256>(key, block),
        "aria-128" => one_block::<aria::Aria128>(key, block),
        "aria-192" => one_block::<aria::Aria192>(key, block),
        "aria-256" => one_block::<aria::Aria256>(key, block),
        "camellia-128" => one_block::<camellia::Camellia128>(key, block),
        "camellia-192" => one_block::<camellia::Camellia192>(key, block),
        "camellia-256" => one_block::<camellia::Camellia256>(key, block),
        "kuznyechik" => one_block::<kuznyechik::Kuznyechik>(key, block),
        "magma" => one_block::<magma::Magma>(key, block),
        "rc6-128" => one_block::<rc6::RC6<u32, U20, U16>>(key, block),
        "rc6-192" => one_block::<rc6::RC6<u32, U20, U24>>(key, block),
        "rc6-256" => one_block::<rc6::RC6<u32, U20, U32>>(key, block),
        "sm4" => one_block::<sm4::Sm4>(key, block),
        "tdes-2" => one_block::<des::TdesEde2>(key, block),
        "tdes-3" => one_block::<des::TdesEde3>(key, block),
        _ if cipher.starts_with("serpent") => one_block::<serpent::Serpent>(key, block),
        _ => one_block::<twofish::Twofish>(key, block),
    }
}

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}

/// 0x80, then zeros up to a multiple of n bytes.
fn pad10(message: &[u8], n: usize) -> Vec<u8> {
    let mut padded = [message, &[0x80]].concat();
    padded.resize(padded.len().next_multiple_of(n), 0);
    padded
}

/// Bit by bit, the first the most significant.
fn bits(block: &[u8]) -> Vec<u8> {
    (0..8 * block.len()).map(|i| block[i / 8] >> (7 - i % 8) & 1).collect()
}

fn from_bits(bits: &[u8]) -> Vec<u8> {
    bits.chunks(8).map(|byte| byte.iter().fold(0, |value, bit| value << 1 | bit)).collect()
}

/// X·u.
fn double(block: &[u8]) -> Vec<u8> {
    let bits = bits(block);
    let mut doubled = from_bits(&[&bits[1..], &[0]].concat());
    if bits[0] == 1 {
        doubled[block.len() - 1] ^= if block.len() == 16 { 0x87 } else { 0x1b };
    }
    doubled
}

/// X·u⁻¹.
fn halve(block: &[u8]) -> Vec<u8> {
    let bits = bits(block);
    let (last, first) = bits.split_last().unwrap();
    let mut halved = from_bits(&[&[0], first].concat());
    if *last == 1 {
        halved[0] ^= 0x80;
        halved[block.len() - 1] ^= if block.len() == 16 { 0x43 } else { 0x0d };
    }
    halved
}

/// CBC_K of whole blocks.
fn cbc(cipher: &str, key: &[u8], message: &[u8], n: usize) -> Vec<u8> {
    message.chunks(n).fold(vec![0; n], |y, block| encrypt(cipher, key, &xor(&y, block)))
}

fn xcbc(cipher: &str, k1: &[u8], k2: &[u8], k3: &[u8], message: &[u8]) -> Vec<u8> {
    let n = k2.len();
    let is_full = !message.is_empty() && message.len().is_multiple_of(n);
    let (mut padded, mask) = if is_full { (message.to_vec(), k2) } else { (pad10(message, n), k3) };
    let last = padded.split_off(padded.len() - n);
    cbc(cipher, k1, &[padded, xor(&last, mask)].concat(), n)
}

fn xcbc_kdf(cipher: &str, key: &[u8], message: &[u8], n: usize) -> Vec<u8> {
    let derived = |constant: u8| encrypt(cipher, key, &vec![constant; n]);
    let k1 = [derived(1), derived(4), derived(5)].concat();
    xcbc(cipher, &k1[..key.len()], &derived(2), &derived(3), message)
}

fn pmac(cipher: &str, key: &[u8], message: &[u8], n: usize) -> Vec<u8> {
    let l = encrypt(cipher, key, &vec![0; n]);
    let mut blocks: Vec<&[u8]> = message.chunks(n).collect();
    let last = blocks.pop().unwrap_or_default();
    let (mut sum, mut offset) = (vec![0; n], vec![0; n]);
    for (i, block) in (1_u32..).zip(blocks) {
        let mask = (0..i.trailing_zeros()).fold(l.clone(), |mask, _| double(&mask));
        offset = xor(&offset, &mask);
        sum = xor(&sum, &encrypt(cipher, key, &xor(block, &offset)));
    }
    let last = if last.len() == n { xor(last, &halve(&l)) } else { pad10(last, n) };
    encrypt(cipher, key, &xor(&sum, &last))
}

/// The tag by definition.
fn reference(
    mode: &str,
    cipher: &str,
    key: &[u8],
    message: &[u8],
    key_len: usize,
    n: usize,
) -> Vec<u8> {
    let (k1, rest) = key.split_at(key_len);
    let l = encrypt(cipher, k1, &vec![0; n]);
    match mode {
        "cbc-mac" => {
            let mut padded = message.to_vec();
            padded.resize(message.len().next_multiple_of(n).max(n), 0);
            cbc(cipher, k1, &padded, n)
        }
        "cbc-mac-pad2" => cbc(cipher, k1, &pad10(message, n), n),
        "emac" => encrypt(cipher, rest, &cbc(cipher, k1, &pad10(message, n), n)),
        "xcbc" => xcbc(cipher, k1, &rest[..n], &rest[n..], message),
        "xcbc-kdf" => xcbc_kdf(cipher, k1, message, n),
        "tmac" => xcbc(cipher, k1, &double(rest), rest, message),
        "cmac" => xcbc(cipher, k1, &double(&l), &double(&double(&l)), message),
        "omac2" => xcbc(cipher, k1, &double(&l), &halve(&l), message),
        "pmac" => pmac(cipher, k1, message, n),
        _ => unreachable!("a mode of MODES"),
    }
}

/// Tag and, for a message in up to three pieces, the same by streaming.
fn ours(name: &str, key: &[u8], message: &[u8], random: &mut Random) -> Vec<u8> {
    let tag = mac(name, key, message).unwrap();
    let mut streaming = DynMac::new(name, key).unwrap();
    let cut = random.below(message.len() + 1);
    let (head, rest) = message.split_at(cut);
    let (middle, tail) = rest.split_at(random.below(rest.len() + 1));
    for piece in [head, middle, tail] {
        streaming.update(piece);
    }
    streaming.verify(&tag).unwrap();
    tag
}

#[test]
fn the_macs_are_their_definitions() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for case in 0..12_600 {
        let mode = MODES[case % MODES.len()];
        let (cipher, key_len, n) = CIPHERS[case / MODES.len() % CIPHERS.len()];
        let joined_len = match mode {
            "emac" => 2 * key_len,
            "xcbc" => key_len + 2 * n,
            "tmac" => key_len + n,
            _ => key_len,
        };
        let key = random.bytes(joined_len);
        let len = if case % 5 == 0 { n * random.below(6) } else { random.below(100) };
        let message = random.bytes(len);
        let name = format!("{mode}-{cipher}");
        let expected = reference(mode, cipher, &key, &message, key_len, n);
        assert_eq!(ours(&name, &key, &message, &mut random), expected, "{name}, {len} bytes");
    }
}

/// By name, by one routine for all; by type, by that of every cipher.
#[test]
fn cmac_over_ciphers_of_other_crates_is_its_definition() {
    let mut random = Random(5);
    for case in 0..10_000 {
        let (cipher, key_len, n) = FOREIGN[case % FOREIGN.len()];
        let len = if case % 5 == 0 { n * random.below(6) } else { random.below(100) };
        let (key, message) = (random.bytes(key_len), random.bytes(len));
        let name = format!("cmac-{cipher}");
        let expected = reference("cmac", cipher, &key, &message, key_len, n);
        assert_eq!(ours(&name, &key, &message, &mut random), expected, "{name}, {len} bytes");
    }
    let key = [7; 32];
    let typed = <macs::Cmac<macs::ciphers::Magma> as digest::KeyInit>::new(&key.into());
    let tag = typed.chain_update(b"a message").finalize().into_bytes();
    assert_eq!(tag[..], mac("cmac-magma", &key, b"a message").unwrap());
}

/// Runs of blocks side by side, and places that need a mask beyond those kept.
#[test]
fn pmac_of_long_messages_is_its_definition() {
    let mut random = Random(1);
    for (cipher, key_len, n) in [("aes-128", 16, 16), ("tdes-3", 24, 8)] {
        for blocks in [3, 4, 8, 30, 63, 64, 65, 129, 255, 256, 257, 1025, 2048] {
            for extra in [0, 1, n - 1] {
                let key = random.bytes(key_len);
                let message = random.bytes(blocks * n + extra);
                let expected = pmac(cipher, &key, &message, n);
                let name = format!("pmac-{cipher}");
                assert_eq!(ours(&name, &key, &message, &mut random), expected, "{blocks} {extra}");
            }
        }
    }
}

#[test]
fn the_rfcs_macs_are_their_definitions() {
    let mut random = Random(2);
    for case in 0..1000 {
        let key_len = if case % 4 == 0 { 16 } else { random.below(80) };
        let (key, message_len) = (random.bytes(key_len), random.below(70));
        let message = random.bytes(message_len);
        let xcbc = |key: &[u8], message: &[u8]| xcbc_kdf("aes-128", key, message, 16);
        let cmac = |key: &[u8], message: &[u8]| reference("cmac", "aes-128", key, message, 16, 16);

        let mut padded = key.clone();
        padded.resize(16, 0);
        let xcbc_key = if key_len > 16 { xcbc(&[0; 16], &key) } else { padded };
        let cmac_key = if key_len == 16 { key.clone() } else { cmac(&[0; 16], &key) };
        assert_eq!(ours("xcbc-prf-128", &key, &message, &mut random), xcbc(&xcbc_key, &message));
        assert_eq!(ours("cmac-prf-128", &key, &message, &mut random), cmac(&cmac_key, &message));
        if key_len == 16 {
            let rfc_3566 = ours("xcbc-rfc3566-aes-128", &key, &message, &mut random);
            assert_eq!(rfc_3566, xcbc(&key, &message));
            assert_eq!(rfc_3566, mac("xcbc-kdf-aes-128", &key, &message).unwrap());
        }
    }
}

/// ISO/IEC 9797-1 §7.4, over single DES.
#[test]
fn retail_mac_is_its_definition() {
    let des = |key: &[u8]| des::Des::new_from_slice(key).unwrap();
    let mut random = Random(4);
    for case in 0..10_000 {
        let len = random.below(if case % 100 == 0 { 3000 } else { 60 });
        let (key, message) = (random.bytes(16), random.bytes(len));
        let (first, second) = (des(&key[..8]), des(&key[8..]));
        let mut y = Array::from([0; 8]);
        for block in pad10(&message, 8).chunks(8) {
            y.iter_mut().zip(block).for_each(|(y, byte)| *y ^= byte);
            first.encrypt_block(&mut y);
        }
        second.decrypt_block(&mut y);
        first.encrypt_block(&mut y);
        assert_eq!(ours("retail-mac-des", &key, &message, &mut random), y[..], "{case}");
    }
}

/// What `list macs` says of it.
#[test]
fn cbc_mac_is_forged_without_the_key() {
    let key = [7; 16];
    let message = [3; 16];
    let tag = mac("cbc-mac-aes-128", &key, &message).unwrap();
    let longer = [&message[..], &xor(&message, &tag)].concat();
    assert_eq!(mac("cbc-mac-aes-128", &key, &longer).unwrap(), tag);
    assert_eq!(
        mac("cbc-mac-aes-128", &key, b"M").unwrap(),
        mac("cbc-mac-aes-128", &key, b"M\0").unwrap()
    );

    let tag_of = |message: &[u8]| mac("cbc-mac-pad2-aes-128", &key, message).unwrap();
    let (x, y) = ([5; 16], [6; 20]);
    let spliced = xor(&x, &tag_of(b"M"));
    let forged = [&pad10(b"M", 16)[..], &spliced, &y].concat();
    assert_eq!(tag_of(&forged), tag_of(&[&x[..], &y].concat()));
}

fn theirs<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mac = <M as KeyInit>::new_from_slice(key).unwrap();
    mac.chain_update(message).finalize().into_bytes().to_vec()
}

/// `cbc-mac` pads with zeros as we do, but gives the empty message a tag of zeros for every key.
#[test]
fn rustcryptos_cbc_mac_and_pmac_agree() {
    let mut random = Random(3);
    for _ in 0..300 {
        let len = 1 + random.below(1200);
        let (key, message) = (random.bytes(32), random.bytes(len));
        let check = |name: &str, key: &[u8], theirs: fn(&[u8], &[u8]) -> Vec<u8>| {
            assert_eq!(mac(name, key, &message).unwrap(), theirs(key, &message), "{name} {len}");
        };
        check("cbc-mac-aes-128", &key[..16], theirs::<cbc_mac::CbcMac<aes::Aes128>>);
        check("cbc-mac-aes-256", &key, theirs::<cbc_mac::CbcMac<aes::Aes256>>);
        check("cbc-mac-tdes-3", &key[..24], theirs::<cbc_mac::CbcMac<des::TdesEde3>>);
        check("pmac-aes-128", &key[..16], theirs::<pmac::Pmac<aes::Aes128>>);
        check("pmac-aes-192", &key[..24], theirs::<pmac::Pmac<aes::Aes192>>);
        check("pmac-tdes-2", &key[..16], theirs::<pmac::Pmac<des::TdesEde2>>);
    }
    assert_eq!(theirs::<cbc_mac::CbcMac<aes::Aes128>>(&[1; 16], b""), [0; 16]);
    let of_zeros = encrypt("aes-128", &[1; 16], &[0; 16]);
    assert_eq!(mac("cbc-mac-aes-128", &[1; 16], b"").unwrap(), of_zeros);
}

#[test]
fn types_say_their_key_lengths_and_no_secrets() {
    use macs::ciphers::{Aes256, TdesEde3};
    fn check<M: Mac + KeyInit + zeroize::ZeroizeOnDrop + std::fmt::Debug>(len: usize, name: &str) {
        assert_eq!(M::key_size(), len, "{name}");
        assert_eq!(format!("{:?}", M::new(&Default::default())), format!("{name} {{ .. }}"));
        assert!(<M as KeyInit>::new_from_slice(&vec![0; len]).is_ok());
    }
    check::<macs::CbcMac<Aes256>>(32, "CbcMac");
    check::<macs::CbcMacPad2<TdesEde3>>(24, "CbcMacPad2");
    check::<macs::Emac<TdesEde3>>(48, "Emac");
    check::<macs::Xcbc<Aes256>>(64, "Xcbc");
    check::<macs::Xcbc<TdesEde3>>(40, "Xcbc");
    check::<macs::XcbcKdf<Aes256>>(32, "XcbcKdf");
    check::<macs::XcbcPrf128>(16, "XcbcPrf128");
    check::<macs::Tmac<TdesEde3>>(32, "Tmac");
    check::<macs::Cmac<Aes256>>(32, "Cmac");
    check::<macs::CmacPrf128>(16, "CmacPrf128");
    check::<macs::Omac2<TdesEde3>>(24, "Omac2");
    check::<macs::Pmac<Aes256>>(32, "Pmac");
}
