//! Every kernel of this CPU against RustCrypto; batches are in `tests/batch.rs`.

use alloc::vec::Vec;

use super::{Kernel, Sha224, Sha256, State};
#[cfg(feature = "khc")]
use super::{KhcKernel, KhcVariant};
use crate::kernels::Choice;
use crate::kernels::lanes::hmac::{Hash, HmacKernel, HmacKey};
use crate::kernels::tests::kernels;
use crate::kernels::tests::random::Random;
use hmac::{KeyInit, Mac};
use sha2::block_api::compress256;

fn state(random: &mut Random) -> State {
    core::array::from_fn(|_| random.next() as u32)
}

#[test]
fn best_is_the_first() {
    let first = kernels::<Kernel>()[0];
    assert_eq!(Kernel::best().name(), first.name());
}

#[test]
fn compresses_runs() {
    let mut random = Random(1);
    for kernel in kernels::<Kernel>() {
        for count in 0..20 {
            let bytes = random.bytes(64 * count);
            let (blocks, _) = bytes.as_chunks::<64>();
            let begun = state(&mut random);
            let [mut state, mut expected] = [begun; 2];
            HmacKernel::<Sha256, 64>::compress(kernel, &mut state, blocks);
            compress256(&mut expected, blocks);
            assert_eq!(state, expected, "{kernel:?}, {count} blocks");
        }
    }
}

/// HMAC by RustCrypto.
fn expected<D: hmac::EagerHash>(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = hmac::Hmac::<D>::new_from_slice(key).expect("any length");
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

fn check_hmac<H: Hash<64, State = State>, D: hmac::EagerHash>(
    kernel: Kernel,
    key: &[u8],
    message: &[u8],
) {
    let expected = expected::<D>(key, message);
    let context = (key.len(), message.len());
    let mut tag = alloc::vec![0; H::DIGEST_LEN];
    HmacKernel::<H, 64>::hmac_once(kernel, key, message, &mut tag);
    assert_eq!(tag, expected, "{kernel:?} {context:?}");
    let mut states = HmacKey { inner: [0; 8], outer: [0; 8] };
    HmacKernel::<H, 64>::hmac_key(kernel, key, &mut states);
    HmacKernel::<H, 64>::hmac(kernel, &states, message, &mut tag);
    assert_eq!(tag, expected, "{kernel:?} {context:?}");
}

#[test]
fn macs_like_rustcrypto() {
    let mut random = Random(2);
    for kernel in kernels::<Kernel>() {
        for len in (0..=260).chain([511, 512, 513, 1000, 4096]) {
            // A slice that ends with its allocation: reading past it is seen by Miri and the like.
            let message = random.bytes(len).into_boxed_slice();
            for key_len in [0, 1, 16, 28, 32, 63, 64, 65, 128, len] {
                let key = random.bytes(key_len).into_boxed_slice();
                check_hmac::<Sha256, sha2::Sha256>(kernel, &key, &message);
                check_hmac::<Sha224, sha2::Sha224>(kernel, &key, &message);
            }
        }
    }
}

/// KHC as its paper has it, block by block.
#[cfg(feature = "khc")]
fn expected_khc(variant: KhcVariant, key: &State, message: &[u8]) -> Vec<u8> {
    let mut padded = message.to_vec();
    let bare = message.len() > 64 && message.len().is_multiple_of(64);
    let mut constant = 0x22222222;
    if variant == KhcVariant::Khc1 || !bare {
        padded.push(0x80);
        padded.resize(padded.len().next_multiple_of(64), 0);
    }
    if variant == KhcVariant::Khc1 && padded.len() > 64 {
        *padded.last_mut().expect("not empty") |= 1;
    }
    if variant == KhcVariant::Khc2 && !bare {
        constant = 0x44444444;
        padded.resize(padded.len().max(128), 0);
    }
    let mut state = *key;
    let (blocks, _) = padded.as_chunks::<64>();
    for (i, block) in blocks.iter().enumerate() {
        let masks = if i == 1 { 0x11111111 } else { 0 };
        let last = if i + 1 == blocks.len() { constant } else { 0 };
        state.iter_mut().for_each(|word| *word ^= masks ^ last);
        compress256(&mut state, core::slice::from_ref(block));
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

#[cfg(feature = "khc")]
#[test]
fn khc_like_the_paper() {
    let mut random = Random(3);
    for kernel in kernels::<Kernel>() {
        for len in (0..=330).chain([511, 512, 513, 4096]) {
            let message = random.bytes(len).into_boxed_slice();
            let key = state(&mut random);
            for variant in [KhcVariant::Khc1, KhcVariant::Khc2] {
                let expected = expected_khc(variant, &key, &message);
                let mut tag = [0; 32];
                kernel.khc(variant, &key, &message, &mut tag);
                assert_eq!(tag[..], expected, "{kernel:?} {variant:?} {len}");
            }
        }
    }
}
