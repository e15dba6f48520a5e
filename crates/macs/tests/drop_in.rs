//! The same program by RustCrypto's crates and by this one: only its imports differ. What it
//! computes is the same, and what one seals the other opens.
#![cfg(all(
    feature = "aead",
    feature = "ccm",
    feature = "eax",
    feature = "gcm",
    feature = "hmac",
    feature = "sha2",
    feature = "cmac",
    feature = "aes",
))]

mod programs {
    /// By RustCrypto's crates.
    pub mod theirs {
        use aes::{Aes128, Aes256};
        use aes_gcm::{
            Aes128Gcm, Aes256Gcm, AesGcm,
            aead::{AeadInOut, KeyInit, consts},
        };
        use ccm::Ccm;
        use cmac::{Cmac, Mac};
        use eax::Eax;
        use hmac::Hmac;
        use sha2::{Sha256, Sha512};

        include!("drop_in/program.rs");
    }

    /// By this crate, its imports those of theirs behind a prefix.
    pub mod prefixed {
        use aes::{Aes128, Aes256};
        use macs::rustcrypto::aes_gcm::{
            Aes128Gcm, Aes256Gcm, AesGcm,
            aead::{AeadInOut, KeyInit, consts},
        };
        use macs::rustcrypto::ccm::Ccm;
        use macs::rustcrypto::cmac::{Cmac, Mac};
        use macs::rustcrypto::eax::Eax;
        use macs::rustcrypto::hmac::Hmac;
        use sha2::{Sha256, Sha512};

        include!("drop_in/program.rs");
    }

    /// By this crate.
    pub mod ours {
        use macs::aead::{AeadInOut, Aes128Gcm, Aes256Gcm, AesGcm, Ccm, Eax, KeyInit, consts};
        use macs::ciphers::{Aes128, Aes256};
        use macs::compression::{Sha256, Sha512};
        use macs::digest::Mac;
        use macs::{Cmac, Hmac};

        include!("drop_in/program.rs");
    }

    /// Modes of this crate over ciphers and hashes of theirs.
    pub mod mixed {
        use aes::{Aes128, Aes256};
        use macs::aead::{AeadInOut, Aes128Gcm, Aes256Gcm, AesGcm, Ccm, Eax, KeyInit, consts};
        use macs::digest::Mac;
        use macs::{Cmac, Hmac};
        use sha2::{Sha256, Sha512};

        include!("drop_in/program.rs");
    }
}

use programs::{mixed, ours, prefixed, theirs};

#[test]
fn tags_and_keys_are_the_same() {
    for len in [0, 1, 15, 16, 17, 55, 56, 63, 64, 65, 100, 128, 1000] {
        let message = vec![0xa7; len];
        let expected = theirs::tags(b"sixteen byte key", &message);
        assert_eq!(ours::tags(b"sixteen byte key", &message), expected, "{len} bytes");
        assert_eq!(mixed::tags(b"sixteen byte key", &message), expected, "{len} bytes");
        assert_eq!(prefixed::tags(b"sixteen byte key", &message), expected, "{len} bytes");
    }
    assert_eq!(ours::password_key(), theirs::password_key());
    assert_eq!(mixed::password_key(), theirs::password_key());
    assert_eq!(prefixed::password_key(), theirs::password_key());
}

#[test]
fn what_one_seals_the_other_opens() {
    for len in [0, 1, 15, 16, 17, 100, 1000] {
        let message = vec![0x3c; len];
        let sealed = theirs::sealed(&message);
        assert_eq!(ours::sealed(&message), sealed, "{len} bytes");
        assert_eq!(mixed::sealed(&message), sealed, "{len} bytes");
        assert_eq!(prefixed::sealed(&message), sealed, "{len} bytes");
        for (number, sealed) in sealed.into_iter().enumerate() {
            let mut forged = sealed.clone();
            forged[len] ^= 1;
            assert_eq!(ours::opened(number, sealed.clone()), Some(message.clone()));
            assert_eq!(theirs::opened(number, sealed), Some(message.clone()));
            assert_eq!(ours::opened(number, forged), None);
        }
    }
}

/// Whatever takes no parameters there takes none here, and what has several names there has them
/// here.
#[cfg(all(feature = "alloc", feature = "chacha20poly1305", feature = "gcm-siv"))]
#[test]
fn other_names_of_theirs_are_here() {
    use macs::rustcrypto::{aes_gcm_siv, chacha20poly1305, hmac};

    use aes_gcm_siv::AesGcmSiv;
    use aes_gcm_siv::aead::{Aead, KeyInit};

    let key: &chacha20poly1305::Key = &[7; 32].into();
    let nonce = chacha20poly1305::Nonce::default();
    let chacha = chacha20poly1305::ChaCha20Poly1305::new(key);
    let sealed = chacha.encrypt(&nonce, b"a message".as_slice()).unwrap();
    assert_eq!(sealed.len(), 9 + chacha20poly1305::Tag::default().len());
    assert_eq!(chacha.decrypt(&nonce, sealed.as_slice()).unwrap(), b"a message");

    let key: &aes_gcm_siv::Key<AesGcmSiv<aes_gcm_siv::aes::Aes256>> = &[7; 32].into();
    let nonce = aes_gcm_siv::Nonce::default();
    let siv = AesGcmSiv::<aes_gcm_siv::aes::Aes256>::new(key);
    let sealed = siv.encrypt(&nonce, b"a message".as_slice()).unwrap();
    assert_eq!(sealed.len(), 9 + aes_gcm_siv::Tag::default().len());
    assert_eq!(siv.decrypt(&nonce, sealed.as_slice()).unwrap(), b"a message");

    use hmac::Mac;
    let tag = |mac: hmac::HmacReset<sha2::Sha256>| mac.chain_update(b"a message").finalize();
    let reset = tag(<hmac::HmacReset<sha2::Sha256> as hmac::KeyInit>::new(&[1; 64].into()));
    let simple = <hmac::SimpleHmac<sha2::Sha256> as hmac::KeyInit>::new(&[1; 64].into());
    assert!(reset == simple.chain_update(b"a message").finalize());
}
