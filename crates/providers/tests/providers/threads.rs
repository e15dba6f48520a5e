//! Many threads at once: each opens taggers of its own of a provider that all of them share, under
//! keys of its own, and every tag is the one that a single thread computes.

use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use providers::{KeyLife, rust::null};

use crate::agreement::right_tag;
use crate::installed::{Installed, in_process};

const THREADS: usize = 8;
const MESSAGES: usize = 200;

/// In no order, about the blocks of all macs; none empty, which some refuse.
const LENS_BYTES: [usize; 14] = [1, 200, 16, 64, 1024, 63, 65, 128, 17, 300, 5, 3000, 55, 112];

/// As many messages at once as some lanes and a part of them.
const BATCH: usize = 19;

/// What a thread may spend on one mac under one key life, so that a library whose calls take long
/// has fewer messages and not a test of minutes. Never fewer than all lengths once.
const ENOUGH: Duration = Duration::from_millis(10);

fn key(len_bytes: usize, thread: usize) -> Vec<u8> {
    (0..len_bytes).map(|i| (i * 11 + thread * 29 + 1) as u8).collect()
}

fn message(len_bytes: usize) -> Vec<u8> {
    (0..len_bytes).map(|i| (i * 7 + len_bytes) as u8).collect()
}

/// The lengths with their messages, and the right tag of each thread's key for each.
struct Right {
    keys: Vec<Vec<u8>>,
    messages: Vec<Vec<u8>>,
    tags: Vec<Vec<Vec<u8>>>,
}

impl Right {
    /// By our own library, the first that is believed, on one thread.
    fn of(mac: &str) -> Self {
        let key_len_bytes = macs::find(mac).expect("in the catalog").key_len_bytes;
        let keys: Vec<_> = (0..THREADS).map(|thread| key(key_len_bytes, thread)).collect();
        let messages = LENS_BYTES.map(message).to_vec();
        let tags = |key: &Vec<u8>| messages.iter().map(|m| right_tag(mac, key, m)).collect();
        Self { tags: keys.iter().map(tags).collect(), keys, messages }
    }
}

/// One thread's part: opened at the same time as the others, then message by message. A prepared
/// tagger is handed the next thread's key, which it must not look at.
fn tag_all(found: &Installed, mac: &str, key_life: KeyLife, right: &Right, thread: usize) {
    let what = format!("{}/{mac}/{key_life}, thread {thread}", found.name);
    let key = &right.keys[thread];
    let mut tagger = found.provider.tagger(mac, key_life, key).expect(&what);
    let is_prepared = key_life == KeyLife::Prepared;
    let given = if is_prepared { &right.keys[(thread + 1) % THREADS] } else { key };
    let begun = Instant::now();
    for call in 0..MESSAGES {
        if call >= LENS_BYTES.len() && begun.elapsed() > ENOUGH {
            break;
        }
        // Threads are at different lengths at the same time.
        let which = (call + thread) % LENS_BYTES.len();
        let mut tag = vec![0; right.tags[thread][which].len()];
        tagger(given, &right.messages[which], &mut tag).expect(&what);
        assert_eq!(tag, right.tags[thread][which], "{what}, {} bytes", LENS_BYTES[which]);
    }
}

/// Runs a part for each of the threads, which begin together; one that fails keeps none waiting.
fn together(part: impl Fn(usize) + Sync) {
    let barrier = Barrier::new(THREADS);
    let begin = |thread| {
        barrier.wait();
        part(thread);
    };
    thread::scope(|scope| {
        (0..THREADS).for_each(|thread| drop(scope.spawn(move || begin(thread))));
    });
}

#[test]
fn threads_that_share_a_provider_get_the_tags_of_one() {
    let mut checked = 0;
    for found in in_process() {
        for offer in found.provider.info().offers {
            if found.name == null::ROW.name || offer.key_lives.is_empty() {
                continue;
            }
            let right = Right::of(&offer.mac);
            for key_life in &offer.key_lives {
                together(|thread| tag_all(&found, &offer.mac, *key_life, &right, thread));
                checked += 1;
            }
        }
    }
    assert!(checked > 500, "only {checked}");
}

/// One thread's part: two batches of messages under the keys of all threads, begun with its own.
fn tag_batches(found: &Installed, mac: &str, key_life: KeyLife, right: &Right, thread: usize) {
    let what = format!("{}/{mac}/{key_life}, thread {thread}", found.name);
    let places: Vec<_> =
        (0..BATCH).map(|i| ((thread + i) % THREADS, (thread * 3 + i) % LENS_BYTES.len())).collect();
    let keys: Vec<&[u8]> = places.iter().map(|(whose, _)| &right.keys[*whose][..]).collect();
    let messages: Vec<&[u8]> =
        places.iter().map(|(_, which)| &right.messages[*which][..]).collect();
    let tags: Vec<_> =
        places.iter().flat_map(|(whose, which)| right.tags[*whose][*which].clone()).collect();
    let mut batch = found.provider.batch(mac, key_life, &keys).expect(&what);
    for _ in 0..2 {
        let mut made = vec![0; tags.len()];
        batch(&keys, &messages, &mut made).expect(&what);
        assert!(made == tags, "{what}");
    }
}

/// By the two that have an interface of their own for many messages at once.
#[test]
fn batches_of_several_threads_do_not_meet() {
    for found in in_process() {
        if !matches!(&found.name[..], "macs" | "ipsec-mb") {
            continue;
        }
        for offer in found.provider.info().offers {
            if offer.key_lives.is_empty() {
                continue;
            }
            let right = Right::of(&offer.mac);
            for key_life in offer.key_lives.iter().filter(|life| **life != KeyLife::OneShot) {
                together(|thread| tag_batches(&found, &offer.mac, *key_life, &right, thread));
            }
        }
    }
}
