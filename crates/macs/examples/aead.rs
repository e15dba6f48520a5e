//! Authenticated encryption: by RustCrypto's traits, and in place.
//!
//!     cargo run -p macs --example aead --features aead,gcm

use macs::aead::{Aead, Aes256Gcm, Payload};
use macs::ciphers::Aes256;
use macs::digest::KeyInit;
use macs::{Composition, Gcm, Header};

fn main() {
    // A nonce is never used twice under one key: count them.
    let (key, nonce) = ([7; 32], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    let (message, header) = (b"a message", b"to all");

    // The ciphertext with the tag behind it.
    let cipher = Aes256Gcm::new(&key.into());
    let payload = Payload { msg: message, aad: header };
    let sealed = cipher.encrypt(&nonce.into(), payload).expect("short enough");
    let payload = Payload { msg: &sealed, aad: header };
    assert_eq!(cipher.decrypt(&nonce.into(), payload).expect("genuine"), message);

    // The same in a buffer, the tag apart, and without a heap.
    let gcm = Gcm::<Aes256>::new(&key.into());
    let header = Header { nonce: &nonce, associated_data: header };
    let (mut buffer, mut tag) = (*message, [0; 16]);
    gcm.seal_in_place(header, &mut buffer, message.len(), &mut tag).expect("right lengths");
    assert_eq!([&buffer[..], &tag[..]].concat(), sealed);
    assert_eq!(gcm.open_in_place(header, &mut buffer, &tag), Ok(message.len()));
    assert_eq!(&buffer, message);
    println!("sealed and opened: {} bytes of message, 16 of tag", message.len());
}
