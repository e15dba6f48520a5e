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

use programs::{mixed, ours, theirs};

#[test]
fn tags_and_keys_are_the_same() {
    for len in [0, 1, 15, 16, 17, 55, 56, 63, 64, 65, 100, 128, 1000] {
        let message = vec![0xa7; len];
        let expected = theirs::tags(b"sixteen byte key", &message);
        assert_eq!(ours::tags(b"sixteen byte key", &message), expected, "{len} bytes");
        assert_eq!(mixed::tags(b"sixteen byte key", &message), expected, "{len} bytes");
    }
    assert_eq!(ours::password_key(), theirs::password_key());
    assert_eq!(mixed::password_key(), theirs::password_key());
}

#[test]
fn what_one_seals_the_other_opens() {
    for len in [0, 1, 15, 16, 17, 100, 1000] {
        let message = vec![0x3c; len];
        let sealed = theirs::sealed(&message);
        assert_eq!(ours::sealed(&message), sealed, "{len} bytes");
        assert_eq!(mixed::sealed(&message), sealed, "{len} bytes");
        for (number, sealed) in sealed.into_iter().enumerate() {
            let mut forged = sealed.clone();
            forged[len] ^= 1;
            assert_eq!(ours::opened(number, sealed.clone()), Some(message.clone()));
            assert_eq!(theirs::opened(number, sealed), Some(message.clone()));
            assert_eq!(ours::opened(number, forged), None);
        }
    }
}
