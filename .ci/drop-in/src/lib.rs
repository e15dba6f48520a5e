//! A program for RustCrypto's crates, and its tests: published values.

use aes::{Aes128, Aes256};
use aes_gcm::aead::{Aead, KeyInit, Payload, consts};
use aes_gcm::{Aes256Gcm, AesGcm};
use ccm::Ccm;
use cmac::Cmac;
use eax::Eax;
use hmac::{Hmac, Mac};
use sha2::{Sha256, Sha512};

/// The macs.
pub type HmacSha256 = Hmac<Sha256>;
/// As above.
pub type HmacSha512 = Hmac<Sha512>;
/// As above.
pub type Cmac128 = Cmac<Aes128>;
/// As above.
pub type Cmac256 = Cmac<Aes256>;

/// The compositions: GCM with nonces of 12 and of 16 bytes, CCM with tags of 4 bytes, EAX.
pub type Gcm = Aes256Gcm;
/// As above.
pub type LongNonceGcm = AesGcm<Aes128, consts::U16>;
/// As above.
pub type ShortCcm = Ccm<Aes128, consts::U4, consts::U7>;
/// As above.
pub type Eax128 = Eax<Aes128>;

/// The tag of a message in two pieces, which is checked.
pub fn tag<M: Mac + KeyInit + Clone>(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = <M as KeyInit>::new_from_slice(key).expect("a length that the mac takes");
    let (head, rest) = message.split_at(message.len() / 3);
    mac.update(head);
    let half = mac.clone();
    let tag = mac.chain_update(rest).finalize().into_bytes();
    half.chain_update(rest).verify(&tag).expect("the same message");
    tag.to_vec()
}

/// The ciphertext with its tag, which is opened again.
pub fn sealed<A: Aead + KeyInit>(key: &[u8], nonce: &[u8], aad: &[u8], msg: &[u8]) -> Vec<u8> {
    let cipher = <A as KeyInit>::new_from_slice(key).expect("a length that the cipher takes");
    let nonce = nonce.try_into().expect("a length that the composition takes");
    let mut sealed = cipher.encrypt(nonce, Payload { msg, aad }).expect("short enough");
    assert_eq!(cipher.decrypt(nonce, Payload { msg: &sealed, aad }).expect("genuine"), msg);
    sealed[0] ^= 1;
    assert!(cipher.decrypt(nonce, Payload { msg: &sealed, aad }).is_err());
    sealed[0] ^= 1;
    sealed
}

/// The key of 42 bytes that HKDF derives.
pub fn derived<H: hkdf::HmacImpl>(salt: &[u8], secret: &[u8], info: &[u8]) -> [u8; 42] {
    let mut key = [0; 42];
    let hkdf = hkdf::GenericHkdf::<H>::new(Some(salt), secret);
    hkdf.expand(info, &mut key).expect("short enough");
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
    }

    #[test]
    fn keys() {
        // RFC 5869, test case 1.
        let (salt, info) = (bytes("000102030405060708090a0b0c"), bytes("f0f1f2f3f4f5f6f7f8f9"));
        let expected = "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf\
                        34007208d5b887185865";
        assert_eq!(derived::<HmacSha256>(&salt, &[0x0b; 22], &info)[..], bytes(expected));
    }

    #[test]
    fn tags() {
        // RFC 4231 §4.3.
        let (key, message) = (b"Jefe", b"what do ya want for nothing?");
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(tag::<HmacSha256>(key, message), bytes(expected));
        assert_eq!(tag::<HmacSha512>(key, message)[..4], bytes("164b7a7b"));
        // SP 800-38B, the examples for AES-128 and AES-256 and a block.
        let block = bytes("6bc1bee22e409f96e93d7e117393172a");
        let key = bytes("2b7e151628aed2a6abf7158809cf4f3c");
        assert_eq!(tag::<Cmac128>(&key, &block), bytes("070a16b46b4d4144f79bdd9dd04a287c"));
        let key = bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
        assert_eq!(tag::<Cmac256>(&key, &block), bytes("28a7023f452e8f82bd4bf28d8c37c35c"));
    }

    #[test]
    fn compositions() {
        // The GCM specification's test case 14.
        let expected = "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919";
        assert_eq!(sealed::<Gcm>(&[0; 32], &[0; 12], b"", &[0; 16]), bytes(expected));
        assert_eq!(sealed::<LongNonceGcm>(&[1; 16], &[2; 16], b"header", &[3; 40]).len(), 56);
        // SP 800-38C, example 1.
        let (key, nonce) = (bytes("404142434445464748494a4b4c4d4e4f"), bytes("10111213141516"));
        let (aad, message) = (bytes("0001020304050607"), bytes("20212223"));
        let expected = bytes("7162015b4dac255d");
        assert_eq!(sealed::<ShortCcm>(&key, &nonce, &aad, &message), expected);
        // Bellare, Rogaway, Wagner, "The EAX mode of operation", appendix G, the second.
        let key = bytes("91945d3f4dcbee0bf45ef52255f095a4");
        let nonce = bytes("becaf043b0a23d843194ba972c66debd");
        let expected = bytes("19dd5c4c9331049d0bdab0277408f67967e5");
        assert_eq!(
            sealed::<Eax128>(&key, &nonce, &bytes("fa3bfd4806eb53fa"), &bytes("f7fb")),
            expected
        );
    }
}
