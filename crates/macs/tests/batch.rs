//! A batch gives what its messages give one after the other: every mac and composition of the
//! catalog on every code path of this CPU. `MACROMETER_BATCHES=N` tries N batches of each mac.
#![cfg(feature = "full")]

#[path = "../src/kernels/tests/random.rs"]
mod random;

use std::env;

use macs::{
    Batch, CompositionBatch, CompositionJob, DynComposition, DynMac, Error, Header, Input, Job,
    KernelName, MacInfo, SealJob, catalog,
};
use random::Random;

const KEYS_MAX: usize = 40;
const MESSAGE_LEN_MAX: usize = 4096;
const BYTES_MAX: usize = 32_768;

impl Random {
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

/// A composition's messages: what is sealed and what is written beside it.
struct Sealed {
    associated_data: Vec<u8>,
    message_len: usize,
    buffer: Vec<u8>,
    tag: Vec<u8>,
}

/// Sealed one by one.
fn seal(info: &'static MacInfo, key: &[u8], message: &Message, pool: &[u8], ad: &[u8]) -> Sealed {
    let keyed = DynComposition::with_info(info, key).unwrap();
    let mut buffer = vec![0; keyed.ciphertext_len_bytes(message.len)];
    buffer[..message.len].copy_from_slice(&pool[message.start..][..message.len]);
    let mut tag = vec![0; info.tag_len_bytes];
    keyed.seal_in_place(&message.nonce, ad, &mut buffer, message.len, &mut tag).unwrap();
    Sealed { associated_data: ad.to_vec(), message_len: message.len, buffer, tag }
}

fn check_composition(info: &'static MacInfo, seed: u64) {
    let mut random = Random(seed);
    let count = 1 + random.below(KEYS_MAX);
    let keys = keys(info, count, &mut random);
    let messages = messages(info, count, &mut random);
    let ad_len = if info.name.starts_with("ctr+cmac") { 0 } else { random.pick([0, 14, 60]) };
    let ad_lens: Vec<_> = messages.iter().map(|_| ad_len.min(random.below(100))).collect();
    check_sealed(info, &mut random, &keys, &messages, &ad_lens);
}

/// What goes with the message.
fn header<'a>(sealed: &'a Sealed, message: &'a Message) -> Header<'a> {
    Header { nonce: &message.nonce, associated_data: &sealed.associated_data }
}

/// These messages in their places.
fn jobs_of<'a>(
    buffers: &'a mut [Vec<u8>],
    sealed: &'a [Sealed],
    messages: &'a [Message],
) -> Vec<CompositionJob<'a>> {
    let places = buffers.iter_mut().zip(sealed).zip(messages);
    places
        .map(|((buffer, sealed), message)| {
            let job = CompositionJob::new(message.key, header(sealed, message), buffer);
            job.with_message_len(sealed.message_len)
        })
        .collect()
}

/// The same messages into another place, and none if one ciphertext has no room or too much.
fn check_sealed_into(
    batch: &CompositionBatch,
    messages: &[Message],
    pool: &[u8],
    sealed: &[Sealed],
    tags: &[u8],
    context: &str,
) {
    let last = sealed.len() - 1;
    for (longer, shorter) in [(0, 0), (1, 0), (0, 1)] {
        let mut places: Vec<Vec<u8>> =
            sealed.iter().map(|sealed| vec![0xaa; sealed.buffer.len()]).collect();
        let len = (places[last].len() + longer).saturating_sub(shorter);
        let is_right = len == places[last].len();
        places[last].resize(len, 0xaa);
        let parts = places.iter_mut().zip(sealed).zip(messages);
        let mut jobs: Vec<SealJob<'_>> = parts
            .map(|((ciphertext, sealed), message)| {
                let text = &pool[message.start..][..message.len];
                SealJob::new(message.key, header(sealed, message), text, ciphertext)
            })
            .collect();
        let mut given = vec![0xaa; tags.len()];
        let result = batch.seal_into(&mut jobs, &mut given);
        if is_right {
            result.unwrap();
            assert!(given == tags, "{context}: tags of what stays");
            let all = places.iter().zip(sealed);
            assert!({ all }.all(|(place, sealed)| *place == sealed.buffer), "{context}");
            continue;
        }
        let error = result.unwrap_err();
        assert!(matches!(error, Error::Len { what: Input::Ciphertext, .. }), "{context}: {error}");
        let written = places.iter().flatten().chain(&given).filter(|&&byte| byte != 0xaa);
        assert_eq!(written.count(), 0, "{context}");
    }
}

/// These messages, with associated data of these lengths, one by one and in a batch.
fn check_sealed(
    info: &'static MacInfo,
    random: &mut Random,
    keys: &[Vec<u8>],
    messages: &[Message],
    ad_lens: &[usize],
) {
    let (count, pool) = (keys.len(), random.bytes(64 + MESSAGE_LEN_MAX));
    let mut sealed = Vec::new();
    for (message, ad_len) in messages.iter().zip(ad_lens) {
        let ad = random.bytes(*ad_len);
        sealed.push(seal(info, &keys[message.key], message, &pool, &ad));
    }
    let tags: Vec<u8> = sealed.iter().flat_map(|sealed| sealed.tag.clone()).collect();
    // Some were not sealed so.
    let forged: Vec<bool> = messages.iter().map(|_| random.below(5) == 0).collect();
    for path in paths(info) {
        let context = format!("{} on {path:?}, {random:?}, {} messages", info.name, sealed.len());
        let keys = slices(keys);
        let mut batch = match path {
            Some(kernel) => CompositionBatch::with_kernel(info, &keys, kernel).unwrap(),
            None => CompositionBatch::with_info(info, &keys).unwrap(),
        };
        batch.rekey(count / 2, &keys[count / 2..]).unwrap();
        let mut buffers: Vec<Vec<u8>> = sealed
            .iter()
            .zip(messages)
            .map(|(sealed, message)| {
                let mut buffer = vec![0; sealed.buffer.len()];
                buffer[..message.len].copy_from_slice(&pool[message.start..][..message.len]);
                buffer
            })
            .collect();
        let mut jobs = jobs_of(&mut buffers, &sealed, messages);
        let mut given = vec![0; tags.len()];
        batch.seal_in_place(&mut jobs, &mut given).unwrap();
        assert!(given == tags, "{context}: tags");
        for (job, sealed) in jobs.iter().zip(&sealed) {
            assert!(*job.buffer == sealed.buffer[..], "{context}: {} bytes", sealed.message_len);
        }
        drop(jobs);
        check_sealed_into(&batch, messages, &pool, &sealed, &given, &context);
        let mut jobs = jobs_of(&mut buffers, &sealed, messages);
        for (tag, forged) in given.chunks_mut(info.tag_len_bytes).zip(&forged) {
            tag[0] ^= u8::from(*forged);
        }
        let mut are_right = vec![false; jobs.len()];
        batch.open_in_place(&mut jobs, &given, &mut are_right).unwrap();
        let are_so = are_right.iter().zip(&forged).all(|(is_right, forged)| is_right != forged);
        assert!(are_so, "{context}: {are_right:?}");
        check_opened(&jobs, messages, &pool, &forged, &context);
    }
}

/// Each is opened, or all zeros where it was forged.
fn check_opened(
    jobs: &[CompositionJob<'_>],
    messages: &[Message],
    pool: &[u8],
    forged: &[bool],
    context: &str,
) {
    for ((job, message), forged) in jobs.iter().zip(messages).zip(forged) {
        let expected = &pool[message.start..][..message.len];
        let is_opened = job.message_len_bytes == message.len
            && job.buffer[..message.len] == *expected
            || message.len == 0 && !forged;
        let is_zero = job.message_len_bytes == 0 && job.buffer.iter().all(|&byte| byte == 0);
        assert!(if *forged { is_zero } else { is_opened }, "{context}: {}", message.len);
    }
}

#[test]
fn a_batch_of_compositions_is_its_messages_one_by_one() {
    for info in catalog().iter().filter(|info| info.is_composition()) {
        for seed in 0..count() {
            check_composition(info, seed);
        }
    }
}

/// Lengths are checked before anything is written, and what cannot be opened is zero.
/// Long ones go another way than short ones, and both are in one batch.
#[test]
fn nonces_and_associated_data_of_all_lengths_are_taken_in_batches_of_compositions() {
    const LENS: [usize; 7] = [300, 16, 1 << 14, (1 << 14) + 1, 0, 4096, 20_001];
    for info in catalog().iter().filter(|info| info.is_composition()) {
        let mut random = Random(7);
        let nonce = info.nonce.unwrap();
        let message = |(key, len): (usize, usize)| {
            let is_taken = nonce.accepted_len.accepts(len) && len > 0;
            let nonce_len = if is_taken { len } else { nonce.len_bytes };
            Message { key, nonce: random.bytes(nonce_len), start: key, len: 350 + 3 * key }
        };
        let messages: Vec<_> = LENS.into_iter().enumerate().map(message).collect();
        let keys = keys(info, LENS.len(), &mut random);
        let takes_ad = !info.name.starts_with("ctr+cmac");
        for turned in [0, 2, 5] {
            let mut ad_lens = LENS.map(|len| if takes_ad { len } else { 0 });
            ad_lens.rotate_left(turned);
            check_sealed(info, &mut random, &keys, &messages, &ad_lens);
        }
    }
}

#[test]
fn wrong_lengths_are_refused_in_batches_of_compositions() {
    let keys: [&[u8]; 2] = [&[1; 16], &[2; 16]];
    let batch = CompositionBatch::new("ccm-aes-128", &keys).unwrap();
    for (nonce_len, tags_len) in [(12, 31), (14, 32)] {
        let header = Header { nonce: &[3; 14][..nonce_len], associated_data: b"" };
        let mut buffers = [[5; 20]; 2];
        let [first, second] = &mut buffers;
        let mut jobs =
            [CompositionJob::new(0, header, first), CompositionJob::new(1, header, second)];
        let mut tags = vec![7; tags_len];
        let error = batch.seal_in_place(&mut jobs, &mut tags).unwrap_err();
        assert!(error.to_string().starts_with("ccm-aes-128"), "{error}");
        assert!(jobs.iter().all(|job| *job.buffer == [5; 20]) && tags.iter().all(|&tag| tag == 7));
        assert_eq!(batch.open_in_place(&mut jobs, &tags, &mut [true; 2]), Err(error.clone()));
        assert_eq!(buffers, [[0; 20]; 2]);
        let [first, second] = &mut buffers;
        let mut jobs =
            [SealJob::new(0, header, &[5; 20], first), SealJob::new(1, header, &[5; 20], second)];
        assert_eq!(batch.seal_into(&mut jobs, &mut tags), Err(error));
        assert!(buffers == [[0; 20]; 2] && tags.iter().all(|&tag| tag == 7));
    }
    assert!(CompositionBatch::new("cmac-aes-128", &keys).is_err());
    assert!(CompositionBatch::new("ccm-aes-128", &[&[1; 17]]).is_err());
    assert!(batch.with_tag_len(5).is_err());
}

/// Batches of each mac.
fn count() -> u64 {
    env::var("MACROMETER_BATCHES").map_or(4, |text| text.parse().expect("a number"))
}

#[test]
fn few_messages_of_lengths_at_the_ends_of_blocks_are_as_one_by_one() {
    let (key, pool) = (Random(1).bytes(32), Random(2).bytes(400));
    for info in catalog().iter().filter(|info| info.name.starts_with("hmac-")) {
        for path in paths(info) {
            for len in [0, 16, 55, 56, 63, 64, 65, 111, 112, 119, 127, 128, 240, 300] {
                for count in 1..=9 {
                    let keys: Vec<Vec<u8>> = (0..count).map(|at| key[at..].to_vec()).collect();
                    let job = |at| Job::new(at, &pool[at..][..len]);
                    let jobs: Vec<Job<'_>> = (0..count).map(job).collect();
                    let keys_of = slices(&keys);
                    let batch = match path {
                        Some(kernel) => Batch::with_kernel(info, &keys_of, kernel).unwrap(),
                        None => Batch::with_info(info, &keys_of).unwrap(),
                    };
                    let mut tags = vec![0; count * info.tag_len_bytes];
                    batch.macs_into(&jobs, &mut tags).unwrap();
                    let soft = info.kernels().last().copied();
                    let expected = serial(info, soft, &keys, &jobs);
                    assert_eq!(tags, expected, "{} on {path:?}, {count} of {len} B", info.name);
                }
            }
        }
    }
}

#[test]
fn a_batch_is_its_messages_one_by_one() {
    for info in catalog().iter().filter(|info| !info.is_composition()) {
        for seed in 0..count() {
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

/// Short tags of GCM are opened only where they are asked for by name, in a batch as elsewhere.
#[test]
fn batches_take_short_tags_where_they_are_asked_for() {
    let keyed = || CompositionBatch::new("gcm-aes-128", &[&[1; 16]]).unwrap();
    let refused = keyed().with_tag_len(4).unwrap_err();
    assert!(matches!(refused, Error::Len { what: Input::Tag, .. }), "{refused}");
    assert_eq!(
        keyed().with_short_tag_len(5).unwrap_err().to_string(),
        "gcm-aes-128 takes a tag of 4, 8, 12, 13, 14, 15 or 16 bytes, not of 5 bytes"
    );
    let batch = keyed().with_short_tag_len(4).unwrap();
    let header = Header { nonce: &[3; 12], associated_data: b"" };
    let (mut buffer, mut tag) = (*b"a message", [0; 4]);
    batch.seal_in_place(&mut [CompositionJob::new(0, header, &mut buffer)], &mut tag).unwrap();
    let alone = macs::DynComposition::new("gcm-aes-128", &[1; 16]).unwrap();
    let alone = alone.with_short_tag_len(4).unwrap();
    assert_eq!(alone.seal(header.nonce, b"", b"a message").unwrap(), [&buffer[..], &tag].concat());
    let (mut is_right, jobs) = ([false], &mut [CompositionJob::new(0, header, &mut buffer)]);
    batch.open_in_place(jobs, &tag, &mut is_right).unwrap();
    assert_eq!((is_right, &buffer), ([true], b"a message"));
}

/// One key that may not be used: all keys stay.
#[test]
fn a_batch_of_compositions_changes_all_keys_or_none() {
    let [good, other] = [1, 2].map(|of| core::array::from_fn::<u8, 32, _>(|i| of + i as u8));
    let twice = [7; 32];
    for name in
        ["ctr+cmac-aes-128", "ctr-then-cmac-aes-128", "cbc-then-cmac-aes-128", "siv-aes-128"]
    {
        let mut batch = CompositionBatch::new(name, &[&good, &good]).unwrap();
        let refused = batch.rekey(0, &[&other, &twice]).unwrap_err();
        assert_eq!(refused, Error::SameKeys { mac: name });
        let header = Header { nonce: &[3; 16], associated_data: b"" };
        let sealed = macs::DynComposition::new(name, &good).unwrap();
        let sealed = sealed.seal(header.nonce, b"", b"a message").unwrap();
        let (buffer, tag) = sealed.split_at(sealed.len() - 16);
        for key in [0, 1] {
            let (mut buffer, mut is_right) = (buffer.to_vec(), [false]);
            let job = CompositionJob::new(key, header, &mut buffer);
            batch.open_in_place(&mut [job], tag, &mut is_right).unwrap();
            assert!(is_right[0], "{name}: key {key} is the old one");
        }
    }
}
