//! Without `std` and without a heap: a frame on a bus ends in the first four bytes of its CMAC.
//!
//!     cargo run -p macs --example no_std --no-default-features --features cmac,aes
#![no_std]

use macs::ciphers::Aes128;
use macs::digest::Mac;
use macs::{Cmac, PreparedMac};

/// The tag of so many bytes is at the end of a frame.
pub const TAG_LEN: usize = 4;

/// Writes the tag at the end of a frame.
pub fn close(mac: &Cmac<Aes128>, frame: &mut [u8; 16]) {
    let (message, place) = frame.split_at_mut(16 - TAG_LEN);
    let mut tag = [0; 16].into();
    mac.mac_into(message, &mut tag);
    place.copy_from_slice(&tag[..TAG_LEN]);
}

/// Whether a frame ends in its tag.
pub fn is_genuine(mac: &Cmac<Aes128>, frame: &[u8; 16]) -> bool {
    let (message, tag) = frame.split_at(16 - TAG_LEN);
    mac.clone().chain_update(message).verify_truncated_left(tag).is_ok()
}

/// For machines with an operating system.
#[cfg(not(any(target_os = "none", target_os = "uefi")))]
fn main() {
    extern crate std;
    use macs::digest::KeyInit;

    let mac = Cmac::<Aes128>::new(&[1; 16].into());
    let mut frame = *b"brake, now! ....";
    close(&mac, &mut frame);
    assert!(is_genuine(&mac, &frame));
    frame[0] ^= 1;
    assert!(!is_genuine(&mac, &frame));
    std::println!("a frame with a tag of {TAG_LEN} bytes");
}
