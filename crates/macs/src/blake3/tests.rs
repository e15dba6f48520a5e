//! Whole trees on every kernel, in one call, in pieces and in batches, against the crate `blake3`.

use alloc::vec;
use alloc::vec::Vec;

use digest::{FixedOutputReset, Update};

use super::Blake3Keyed;
use super::tree::Running;
use crate::kernels::blake3::{CHUNK_BYTES, Kernel};
use crate::kernels::tests::{self, random::Random};
use crate::kernels::{Choice, KernelName, Pin};
use crate::prepared::PreparedMac;
use crate::{Batch, Job, find};

/// Around blocks, chunks, what kernels take at once, and windows.
const LENS: &[usize] = &[
    0, 1, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025, 2047, 2048, 2049, 3071, 3072, 3073, 4095,
    4096, 4097, 5120, 5121, 6145, 7168, 7169, 8191, 8192, 8193, 9216, 9217, 15_360, 15_361, 16_383,
    16_384, 16_385, 17_408, 17_409, 31_744, 32_769, 65_537, 102_400, 131_071, 131_072, 131_073,
    132_097, 262_145, 400_000,
];

fn kernels() -> impl Iterator<Item = KernelName> {
    tests::kernels::<Kernel>().into_iter().map(Choice::name)
}

fn expected(key: &[u8], message: &[u8]) -> [u8; 32] {
    blake3::keyed_hash(key.try_into().unwrap(), message).into()
}

#[test]
fn all_lengths_in_one_call_and_in_pieces() {
    let mut random = Random(1);
    let (key, message) = (random.bytes(32), random.bytes(400_000));
    for name in kernels() {
        let mut mac = Blake3Keyed::new_on(Pin::to(name), &key).unwrap();
        for len in LENS {
            let message = &message[..*len];
            let expected = expected(&key, message);
            let mut tag = digest::Output::<Blake3Keyed>::default();
            mac.mac_into(message, &mut tag);
            assert_eq!(tag.0, expected, "{name}, {len} bytes");
            for largest in [70, 1025, 5000, 300_000] {
                let mut rest = message;
                while !rest.is_empty() {
                    let piece = rest.split_off(..rest.len().min(random.below(largest))).unwrap();
                    mac.update(piece);
                }
                assert_eq!(mac.finalize_fixed_reset().0, expected, "{name}, {len}, {largest}");
            }
            // Subtrees end with pieces, and what is in halves is joined, or is the root.
            for piece in [1024, 2048, 4096, 8192, 131_072, 262_144] {
                message.chunks(piece).for_each(|piece| mac.update(piece));
                mac.update(&[]);
                assert_eq!(mac.finalize_fixed_reset().0, expected, "{name}, {len}, {piece}");
            }
        }
    }
}

#[test]
fn a_clone_goes_on_by_itself_and_another_key_begins_anew() {
    let mut random = Random(2);
    let (keys, message) = ([random.bytes(32), random.bytes(32)], random.bytes(20_000));
    for name in kernels() {
        let mut mac = Blake3Keyed::new_on(Pin::to(name), &keys[0]).unwrap();
        mac.update(&message[..7000]);
        let mut clone = mac.clone();
        clone.update(&message[7000..]);
        assert_eq!(mac.finalize_fixed_reset().0, expected(&keys[0], &message[..7000]));
        assert_eq!(clone.finalize_fixed_reset().0, expected(&keys[0], &message));
        clone.update(&message[..3000]);
        clone.rekey(&keys[1]).unwrap();
        assert_eq!(clone.finalize_fixed_reset().0, expected(&keys[1], &[]));
    }
}

#[test]
fn a_batch_of_short_and_long_messages() {
    let (info, mut random) = (find("blake3-keyed").unwrap(), Random(3));
    let pool = random.bytes(70_000);
    for name in kernels() {
        for count in [1, 2, 3, 4, 5, 7, 8, 9, 11, 12, 15, 16, 17, 23, 33, 40, 255, 256, 257, 300] {
            for longest in [1, 64, 65, 300, 1025, 5000] {
                let keys: Vec<_> = (0..7).map(|_| random.bytes(32)).collect();
                let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
                let batch = Batch::with_kernel(info, &keys, name).unwrap();
                let least = random.below(longest);
                let jobs: Vec<_> = (0..count)
                    .map(|i| {
                        let len = least + random.below(longest - least);
                        Job::new(random.below(7), &pool[i..][..len])
                    })
                    .collect();
                let mut tags = vec![0; 32 * count];
                batch.macs_into(&jobs, &mut tags).unwrap();
                for (job, tag) in jobs.iter().zip(tags.chunks(32)) {
                    let len = job.message.len();
                    let expected = expected(keys[job.key], job.message);
                    assert_eq!(tag, expected, "{name}, {count} messages, {len} bytes");
                }
            }
        }
    }
}

#[test]
fn nothing_is_left_of_a_message_in_pieces() {
    for len in [1, 1024, 1025, 5000, 200_000] {
        let (mut running, key) = (Running::EMPTY, [3; 32]);
        running.absorb(Kernel::Soft, &key, &vec![5; len]);
        assert!(!running.is_wiped());
        running.restart();
        assert!(running.is_wiped(), "{len} bytes");
        running.absorb(Kernel::Soft, &key, &[7; CHUNK_BYTES]);
        assert_eq!(running.finish(Kernel::Soft, &key), expected(&key, &[7; CHUNK_BYTES]));
    }
}
