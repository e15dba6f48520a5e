//! The block ciphers alone: ours agree with RustCrypto's on random keys and blocks. (Known answers:
//! `vectors.rs`.)
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use cipher::consts::{U16, U20, U24, U32};
use cipher::{Block, BlockCipherEncrypt, KeyInit, KeySizeUser};
use macs::ciphers::{self, CIPHERS, TdesEde2, TdesEde3};
use random::Random;
use rc6::RC6;
use twofish::Twofish;

#[test]
fn keys_and_blocks_of_other_lengths_are_refused() {
    for cipher in CIPHERS {
        let (key, mut block) = ([7; 40], [7; 40]);
        let (key_len, block_len) = (cipher.key_len_bytes, cipher.primitive.block_len_bytes);
        cipher.encrypt_block(&key[..key_len], &mut block[..block_len]).unwrap();
        cipher.encrypt_block(&key[..key_len - 1], &mut block[..block_len]).unwrap_err();
        cipher.encrypt_block(&key[..key_len + 1], &mut block[..block_len]).unwrap_err();
        cipher.encrypt_block(&key[..key_len], &mut block[..block_len - 1]).unwrap_err();
        cipher.encrypt_block(&key[..key_len], &mut block[..block_len + 1]).unwrap_err();
    }
}

/// Random blocks under random keys; then chains as in NIST's Monte Carlo tests, whose next key
/// comes from the last outputs.
fn agree<Ours, Theirs>()
where
    Ours: BlockCipherEncrypt + KeyInit,
    Theirs: BlockCipherEncrypt<BlockSize = Ours::BlockSize> + KeyInit,
{
    let mut random = Random(0);
    let mut key = vec![0; Ours::key_size()];
    for _ in 0..500 {
        random.fill(&mut key);
        let (ours, theirs) = both::<Ours, Theirs>(&key);
        for _ in 0..20 {
            let mut block = Block::<Ours>::default();
            random.fill(&mut block);
            let mut expected = block.clone();
            ours.encrypt_block(&mut block);
            theirs.encrypt_block(&mut expected);
            assert!(block == expected, "key {key:02x?}");
        }
    }

    let mut block = Block::<Ours>::default();
    for _ in 0..10 {
        let (ours, theirs) = both::<Ours, Theirs>(&key);
        let mut expected = block.clone();
        for i in 0..1000 {
            ours.encrypt_block(&mut block);
            theirs.encrypt_block(&mut expected);
            let at = i * block.len() % key.len();
            key.iter_mut().skip(at).zip(&block).for_each(|(key, byte)| *key ^= byte);
        }
        assert!(block == expected, "a chain ends elsewhere");
    }
}

fn both<Ours: KeyInit, Theirs: KeyInit>(key: &[u8]) -> (Ours, Theirs) {
    (Ours::new_from_slice(key).unwrap(), Theirs::new_from_slice(key).unwrap())
}

#[test]
fn rc6_agrees_with_rustcrypto() {
    agree::<ciphers::Rc6_128, RC6<u32, U20, U16>>();
    agree::<ciphers::Rc6_192, RC6<u32, U20, U24>>();
    agree::<ciphers::Rc6_256, RC6<u32, U20, U32>>();
}

#[test]
fn tdes_agrees_with_rustcrypto() {
    agree::<TdesEde2, des::TdesEde2>();
    agree::<TdesEde3, des::TdesEde3>();
}

#[test]
fn twofish_agrees_with_rustcrypto() {
    agree::<ciphers::Twofish128, Twofish>();
    agree::<ciphers::Twofish192, Twofish>();
    agree::<ciphers::Twofish256, Twofish>();
}

fn encrypted<C: BlockCipherEncrypt + KeyInit>(key: &[u8]) -> Block<C> {
    let mut block = Block::<C>::default();
    C::new_from_slice(key).unwrap().encrypt_block(&mut block);
    block
}

/// Every single bit of a key that is not one of parity counts, and none of parity does.
#[test]
fn bits_of_parity_do_not_count_in_tdes() {
    fn check<C: BlockCipherEncrypt + KeyInit + KeySizeUser>() {
        let mut key = vec![0; C::key_size()];
        Random(1).fill(&mut key);
        let before = encrypted::<C>(&key);
        for bit in 0..8 * key.len() {
            key[bit / 8] ^= 0x80 >> (bit % 8);
            assert_eq!(encrypted::<C>(&key) == before, bit % 8 == 7, "bit {bit}");
            key[bit / 8] ^= 0x80 >> (bit % 8);
        }
    }
    check::<TdesEde2>();
    check::<TdesEde3>();
}

/// Weak keys and equal ones are accepted: three times the same key is DES, and under a weak key of
/// DES encrypting twice changes nothing (NIST SP 800-67).
#[test]
fn weak_keys_of_tdes_are_accepted() {
    let weak = [1; 24];
    let tdes = TdesEde3::new_from_slice(&weak).unwrap();
    let before = Block::<TdesEde3>::from(*b"a block.");
    let mut block = before;
    tdes.encrypt_block(&mut block);
    assert_ne!(block, before);
    tdes.encrypt_block(&mut block);
    assert_eq!(block, before);
    assert_eq!(encrypted::<TdesEde2>(&weak[..16]), encrypted::<TdesEde3>(&weak));
}
