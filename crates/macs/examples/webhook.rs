//! The tag of a request, as GitHub and others send it in a header: `sha256=` and 64 digits.
//!
//!     cargo run -p macs --example webhook

use macs::HmacSha256;
use macs::digest::{KeyInit, Mac};

/// Whether the header is the tag of the body under the secret, in constant time.
fn is_genuine(secret: &[u8], body: &[u8], header: &str) -> bool {
    let Some(digits) = header.strip_prefix("sha256=") else { return false };
    let Some(tag) = from_hex(digits) else { return false };
    let mac = HmacSha256::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.chain_update(body).verify_slice(&tag).is_ok()
}

/// The bytes of pairs of digits, and of nothing else.
fn from_hex(digits: &str) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_bytes().as_chunks() else { return None };
    pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect()
}

fn digit(character: u8) -> Option<u8> {
    char::from(character).to_digit(16).map(|digit| digit as u8)
}

fn main() {
    // From GitHub's documentation.
    let (secret, body) = (b"It's a Secret to Everybody", b"Hello, World!");
    let header = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    assert!(is_genuine(secret, body, header));
    assert!(!is_genuine(secret, b"Hello, world!", header));
    assert!(!is_genuine(secret, body, &header.replace("=7", "=+")));
    println!("genuine");
}
