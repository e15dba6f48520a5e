//! Many messages at once: every provider's batches give the tags that the messages have one by one,
//! by an interface of its own as by taking turns.

use providers::KeyLife;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::agreement::{for_each_offer, right_tag};

/// More than a vector register has lanes, and no multiple of that; lengths in no order.
const LENS_BYTES: [usize; 19] =
    [16, 200, 1, 64, 1024, 63, 65, 128, 16, 17, 300, 5, 4096, 16, 55, 56, 111, 112, 1000];

#[test]
fn tags_of_a_batch_are_those_of_its_messages() {
    for_each_offer(|found, mac, key_life, tag_len_bytes| {
        if key_life == KeyLife::OneShot {
            return;
        }
        let what = format!("{}/{mac}/{key_life}", found.name);
        let mut rng = StdRng::seed_from_u64(4);
        let mut bytes = |len: usize| {
            let mut bytes = vec![0; len];
            rng.fill_bytes(&mut bytes);
            bytes
        };
        let key_len_bytes = macs::find(mac).expect("in the catalog").key_len_bytes;
        let mut keys = || LENS_BYTES.map(|_| bytes(key_len_bytes));
        let (first, second) = (keys(), keys());
        let messages =
            LENS_BYTES.map(|len| (0..len).map(|i| (i * 7 + len) as u8).collect::<Vec<_>>());
        let opened: Vec<&[u8]> = first.iter().map(Vec::as_slice).collect();
        let mut batch = found.provider.batch(mac, key_life, &opened).expect(&what);
        let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
        // Twice, so that what one batch leaves behind would show in the next.
        for keys in [&first, &second] {
            let given: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let mut tags = vec![0; tag_len_bytes * LENS_BYTES.len()];
            batch(&given, &messages, &mut tags).expect(&what);
            let used = if key_life == KeyLife::Prepared { &first } else { keys };
            for ((key, message), tag) in used.iter().zip(&messages).zip(tags.chunks(tag_len_bytes))
            {
                assert_eq!(tag, right_tag(mac, key, message), "{what}, {} bytes", message.len());
            }
        }
    });
}
