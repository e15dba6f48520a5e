//! Every kernel of this CPU against RustCrypto, and batches against one message at a time.

use alloc::vec::Vec;

use super::{Kernel, KhcVariant, Sha224, Sha256, State};
use crate::kernels::Choice;
use crate::kernels::lanes::hmac::{Hash, HmacKey};
use hmac::{KeyInit, Mac};
use sha2::Digest;
use sha2::block_api::compress256;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }

    fn state(&mut self) -> State {
        core::array::from_fn(|_| self.next() as u32)
    }
}

fn kernels() -> impl Iterator<Item = Kernel> {
    Kernel::ALL.iter().filter_map(|(_, get)| get())
}

#[test]
fn best_is_the_first() {
    let first = kernels().next().expect("Soft at least");
    assert_eq!(Kernel::best().name(), first.name());
}

#[test]
fn compresses_runs_and_pairs() {
    let mut random = Random(1);
    for kernel in kernels() {
        for count in 0..20 {
            let bytes = random.bytes(64 * count);
            let (blocks, _) = bytes.as_chunks::<64>();
            let begun = random.state();
            let [mut state, mut expected] = [begun; 2];
            kernel.compress(&mut state, blocks);
            compress256(&mut expected, blocks);
            assert_eq!(state, expected, "{kernel:?}, {count} blocks");
            if let [first, .., last] = blocks {
                let [mut a, mut b] = [begun, expected];
                let [mut a_expected, mut b_expected] = [a, b];
                kernel.compress_pair([&mut a, &mut b], [first, last]);
                compress256(&mut a_expected, core::slice::from_ref(first));
                compress256(&mut b_expected, core::slice::from_ref(last));
                assert_eq!([a, b], [a_expected, b_expected], "{kernel:?}");
            }
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
    let once = kernel.hmac_once::<H>(key, message);
    let context = (key.len(), message.len());
    assert_eq!(once[..H::DIGEST_LEN], expected, "{kernel:?} {context:?}");
    let HmacKey { inner, outer } = kernel.hmac_key::<H>(key);
    let tag = kernel.hmac::<H>(&inner, &outer, message);
    assert_eq!(tag[..H::DIGEST_LEN], expected, "{kernel:?} {context:?}");
}

#[test]
fn hashes_and_macs_like_rustcrypto() {
    let mut random = Random(2);
    for kernel in kernels() {
        for len in (0..=260).chain([511, 512, 513, 1000, 4096]) {
            // A slice that ends with its allocation: reading past it is seen by Miri and the like.
            let message = random.bytes(len).into_boxed_slice();
            assert_eq!(kernel.hash::<Sha256>(&message)[..], sha2::Sha256::digest(&message)[..]);
            let digest = kernel.hash::<Sha224>(&message);
            assert_eq!(digest[..28], sha2::Sha224::digest(&message)[..]);
            for key_len in [0, 1, 16, 28, 32, 63, 64, 65, 128, len] {
                let key = random.bytes(key_len).into_boxed_slice();
                check_hmac::<Sha256, sha2::Sha256>(kernel, &key, &message);
                check_hmac::<Sha224, sha2::Sha224>(kernel, &key, &message);
            }
        }
    }
}

/// KHC as its paper has it, block by block.
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

#[test]
fn khc_like_the_paper() {
    let mut random = Random(3);
    for kernel in kernels() {
        for len in (0..=330).chain([511, 512, 513, 4096]) {
            let message = random.bytes(len).into_boxed_slice();
            let key = random.state();
            for variant in [KhcVariant::Khc1, KhcVariant::Khc2] {
                let expected = expected_khc(variant, &key, &message);
                let tag = kernel.khc(variant, &key, &message);
                assert_eq!(tag[..], expected, "{kernel:?} {variant:?} {len}");
            }
        }
    }
}

fn check_batch<H: Hash<64, State = State>>(
    kernel: Kernel,
    keys: &[&[u8]],
    jobs: &[(usize, &[u8])],
) {
    let mut states: Vec<_> = keys.iter().map(|_| kernel.hmac_key::<H>(&[])).collect();
    kernel.hmac_keys::<H>(keys, &mut states);
    let len = H::DIGEST_LEN;
    let mut tags = alloc::vec![0; len * jobs.len()];
    kernel.hmac_batch::<H, _, _>(&states, jobs, &mut tags);
    for ((key, message), tag) in jobs.iter().zip(tags.chunks(len)) {
        let expected = Kernel::best().hmac_once::<H>(keys[*key], message);
        assert_eq!(tag, &expected[..len], "{kernel:?}, {} jobs", jobs.len());
    }
}

fn check_khc_batch(kernel: Kernel, keys: &[State], jobs: &[(usize, &[u8])]) {
    for variant in [KhcVariant::Khc1, KhcVariant::Khc2] {
        let mut tags = alloc::vec![0; 32 * jobs.len()];
        kernel.khc_batch(variant, keys, jobs, &mut tags);
        for ((key, message), tag) in jobs.iter().zip(tags.chunks(32)) {
            let expected = Kernel::best().khc(variant, &keys[*key], message);
            assert_eq!(tag, expected, "{kernel:?} {variant:?}, {} jobs", jobs.len());
        }
    }
}

/// As many as `TRIALS` says, if it says something.
#[test]
fn batches_like_one_at_a_time() {
    let trials = option_env!("TRIALS").map_or(60, |text| text.parse().expect("a number"));
    let mut random = Random(4);
    let bytes = random.bytes(8192);
    for trial in 0..trials {
        let bound = [4, 10, 40, 201][random.below(4)];
        let len_bound = [1, 64, 130, 300, 4097][random.below(5)];
        let keys: Vec<&[u8]> = (0..1 + random.below(9))
            .map(|_| &bytes[random.below(99)..][..random.below(99)])
            .collect();
        let states: Vec<State> = keys.iter().map(|_| random.state()).collect();
        let jobs: Vec<(usize, &[u8])> = (0..random.below(bound))
            .map(|_| {
                let message = &bytes[random.below(4096)..][..random.below(len_bound)];
                (random.below(keys.len()), message)
            })
            .collect();
        for kernel in kernels() {
            if trial % 2 == 0 {
                check_batch::<Sha256>(kernel, &keys, &jobs);
            } else {
                check_batch::<Sha224>(kernel, &keys, &jobs);
            }
            check_khc_batch(kernel, &states, &jobs);
        }
    }
}
