//! A batch gives what its messages give one after the other: every mac of the catalog on every code
//! path of this CPU. `MACROMETER_BATCHES=N` tries N batches of each mac.
#![cfg(feature = "full")]

use std::env;

use macs::{Batch, DynMac, Job, KernelName, MacInfo, catalog};

const KEYS_MAX: usize = 40;
const MESSAGE_LEN_MAX: usize = 4096;
const BYTES_MAX: usize = 32_768;

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

    fn pick<const N: usize>(&mut self, from: [usize; N]) -> usize {
        from[self.below(N)]
    }
}

/// Keys of any length the mac takes, mostly of its own.
fn keys(info: &MacInfo, count: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let key = |_| {
        let any = random.below(300);
        let is_own = random.below(4) > 0 || !info.accepted_key_len.accepts(any);
        random.bytes(if is_own { info.key_len_bytes } else { any })
    };
    (0..count).map(key).collect()
}

struct Message {
    key: usize,
    nonce: Vec<u8>,
    /// Where in the pool of bytes, so that messages lie at all alignments.
    start: usize,
    len: usize,
}

/// Up to 200 messages, of one length, of lengths that are close, or of any; the more there are, the
/// shorter, for ciphers whose portable code is slow.
fn messages(info: &MacInfo, keys: usize, random: &mut Random) -> Vec<Message> {
    let bound = random.pick([2, 5, 10, 20, 40, 70, 201]);
    let count = 1 + random.below(bound - 1);
    let longest = (BYTES_MAX / count).min(MESSAGE_LEN_MAX);
    let bound = random.pick([2, 66, 130, 300, 1100, MESSAGE_LEN_MAX + 1]).min(longest + 1);
    let least = random.below(bound);
    let spread = random.pick([1, 16, 64, MESSAGE_LEN_MAX + 1]).min(bound - least);
    let nonce_len = info.nonce.map_or(0, |nonce| nonce.len_bytes);
    let message = |_| Message {
        key: random.below(keys),
        nonce: random.bytes(nonce_len),
        start: random.below(64),
        len: least + random.below(spread),
    };
    (0..count).map(message).collect()
}

/// One after the other.
fn serial(
    info: &'static MacInfo,
    kernel: Option<KernelName>,
    keys: &[Vec<u8>],
    jobs: &[Job<'_>],
) -> Vec<u8> {
    let set_up = |key: &Vec<u8>| match kernel {
        Some(kernel) => DynMac::with_kernel(info, key, kernel).unwrap(),
        None => DynMac::with_info(info, key).unwrap(),
    };
    let macs: Vec<DynMac> = keys.iter().map(set_up).collect();
    let mut tags = vec![0; jobs.len() * info.tag_len_bytes];
    for (job, tag) in jobs.iter().zip(tags.chunks_mut(info.tag_len_bytes)) {
        macs[job.key].mac_with_nonce_into(job.nonce, job.message, tag).unwrap();
    }
    tags
}

fn slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}

/// The best path and each that can be named.
fn paths(info: &MacInfo) -> impl Iterator<Item = Option<KernelName>> {
    info.kernels().into_iter().map(Some).chain([None])
}

fn check(info: &'static MacInfo, seed: u64) {
    let mut random = Random(seed);
    let pool = random.bytes(64 + MESSAGE_LEN_MAX);
    let count = 1 + random.below(KEYS_MAX);
    let old_keys = keys(info, count, &mut random);
    let messages = messages(info, count, &mut random);
    let mut jobs = Vec::new();
    for Message { key, nonce, start, len } in &messages {
        jobs.push(Job::new(*key, &pool[*start..][..*len]).with_nonce(nonce));
    }

    let first = random.below(count);
    let other_keys = keys(info, random.below(count - first + 1), &mut random);
    let mut new_keys = old_keys.clone();
    new_keys.splice(first..first + other_keys.len(), other_keys.iter().cloned());
    let [old_tags, new_tags] = [&old_keys, &new_keys]
        .map(|keys| serial(info, info.kernels().last().copied(), keys, &jobs));

    for path in paths(info) {
        let context = format!("{} on {path:?}, {} messages, seed {seed}", info.name, jobs.len());
        assert_eq!(serial(info, path, &old_keys, &jobs), old_tags, "{context}, one by one");
        let old_keys = slices(&old_keys);
        let mut batch = match path {
            Some(kernel) => Batch::with_kernel(info, &old_keys, kernel).unwrap(),
            None => Batch::with_info(info, &old_keys).unwrap(),
        };
        let mut tags = vec![0; old_tags.len()];
        batch.macs_into(&jobs, &mut tags).unwrap();
        assert_eq!(tags, old_tags, "{context}");
        batch.rekey(first, &slices(&other_keys)).unwrap();
        batch.macs_into(&jobs, &mut tags).unwrap();
        assert_eq!(tags, new_tags, "{context}, {} new keys from {first} on", other_keys.len());
    }
}

#[test]
fn a_batch_is_its_messages_one_by_one() {
    let count = env::var("MACROMETER_BATCHES").map_or(4, |text| text.parse().expect("a number"));
    for info in catalog().iter().filter(|info| !info.is_composition()) {
        for seed in 0..count {
            check(info, seed);
        }
    }
}

/// Of 22 messages 16 are alike, and six of other lengths lie between them: they go another way.
#[test]
fn messages_between_those_that_go_in_step_keep_their_places() {
    let pool = Random(5).bytes(2048);
    for info in catalog().iter().filter(|info| info.name.starts_with("hmac-")) {
        let keys = keys(info, 22, &mut Random(6));
        let len = |number: usize| if number % 4 == 1 { 200 + 70 * number } else { 100 };
        let jobs: Vec<_> = (0..22).map(|key| Job::new(key, &pool[key..][..len(key)])).collect();
        for path in paths(info) {
            let keys_of_batch = slices(&keys);
            let batch = match path {
                Some(kernel) => Batch::with_kernel(info, &keys_of_batch, kernel).unwrap(),
                None => Batch::with_info(info, &keys_of_batch).unwrap(),
            };
            let mut tags = vec![0; jobs.len() * info.tag_len_bytes];
            batch.macs_into(&jobs, &mut tags).unwrap();
            assert_eq!(tags, serial(info, path, &keys, &jobs), "{} on {path:?}", info.name);
        }
    }
}
