//! The block of RFC 8439, and all kernels alike at all lengths.

use alloc::vec::Vec;

use super::Kernel;
use crate::kernels::Choice;

fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.iter().filter_map(|(_, get)| get())
}

#[test]
fn the_block_of_the_rfc() {
    let key = core::array::from_fn(|i| i as u8);
    let nonce = [0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0];
    let begins = [0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f];
    let ends = [0xa2, 0x50, 0x3c, 0x4e];
    for kernel in kernels() {
        let mut data = [0; 64];
        kernel.apply(&key, &nonce, 1, &mut data);
        assert!(data.starts_with(&begins) && data.ends_with(&ends), "{kernel:?}");
    }
}

#[test]
fn kernels_agree_at_all_lengths() {
    let key = core::array::from_fn(|i| 7 * i as u8);
    let nonce = core::array::from_fn(|i| 200 - i as u8);
    for counter in [0, 1, 0x7fff_fffa, u32::MAX - 40] {
        for len in (0..=41 * 64).filter(|len| len % 64 < 3 || len % 61 == 0) {
            let data: Vec<u8> = (0..len).map(|i| i as u8).collect();
            let mut expected = data.clone();
            Kernel::Soft.apply(&key, &nonce, counter, &mut expected);
            for kernel in kernels() {
                let mut data = data.clone();
                kernel.apply(&key, &nonce, counter, &mut data);
                assert!(data == expected, "{kernel:?} from {counter}, {len} bytes");
            }
        }
    }
}
