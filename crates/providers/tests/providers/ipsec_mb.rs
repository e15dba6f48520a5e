//! What tests of all providers cannot see of intel-ipsec-mb: messages in lanes, with each manager
//! that this CPU can have, and the limits of its jobs.

use providers::{KeyLife, Place, Provider, row};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

use crate::installed::skipped;

/// The managers by name; the first is the one that the library chooses.
const NAMES: [&str; 5] =
    ["ipsec-mb", "ipsec-mb[sse]", "ipsec-mb[avx]", "ipsec-mb[avx2]", "ipsec-mb[avx512]"];

/// No lane, some, all of them, and more than its queue holds.
const BATCHES: [usize; 6] = [1, 3, 16, 64, 256, 300];

fn opened(name: &str) -> Option<Box<dyn Provider>> {
    let place = Place { name: Some(name.into()), path: None };
    let absent = |reason| match name {
        "ipsec-mb" => skipped(&format!("{name}: {reason}")),
        // Not every CPU has each manager, nor every version.
        _ => println!("not here: {name}: {reason}"),
    };
    row(name).expect("there is such a row").open(&place).map_err(absent).ok()
}

fn bytes(rng: &mut StdRng, len_bytes: usize) -> Vec<u8> {
    let mut bytes = vec![0; len_bytes];
    rng.fill_bytes(&mut bytes);
    bytes
}

fn right_tag(mac: &str, key: &[u8], message: &[u8]) -> Vec<u8> {
    let info = macs::find(mac).expect("in the catalog");
    let nonce = vec![0; info.nonce.map_or(0, |nonce| nonce.len_bytes)];
    let mut tag = vec![0; info.tag_len_bytes];
    if info.is_composition() {
        let sealed = macs::DynComposition::with_info(info, key).unwrap().seal(&nonce, &[], message);
        tag.copy_from_slice(&sealed.unwrap()[message.len()..]);
    } else {
        let mac = macs::DynMac::with_info(info, key).unwrap();
        mac.mac_with_nonce_into(&nonce, message, &mut tag).unwrap();
    }
    tag
}

/// What does not work is left out, without an error; nothing is, whichever manager.
#[test]
fn all_that_it_has_is_offered() {
    for provider in NAMES.into_iter().filter_map(opened) {
        let info = provider.info();
        let macs: Vec<_> = info.offers.iter().map(|offer| &offer.mac[..]).collect();
        assert_eq!(macs.len(), 18, "{}: {macs:?}; {}", info.name, info.detail);
        let lives: usize = info.offers.iter().map(|offer| offer.key_lives.len()).sum();
        // A key of Poly1305 is for one message.
        assert_eq!(lives, 2 * 18 - 1, "{}: {}", info.name, info.detail);
    }
}

#[test]
fn batches_of_mixed_lengths_under_all_managers() {
    for name in NAMES {
        let Some(provider) = opened(name) else { continue };
        let mut rng = StdRng::seed_from_u64(4);
        for offer in provider.info().offers {
            let info = macs::find(&offer.mac).expect("in the catalog");
            for (key_life, count) in
                offer.key_lives.iter().flat_map(|life| BATCHES.map(|count| (*life, count)))
            {
                let what = format!("{name}/{}/{key_life}, {count} messages", offer.mac);
                let keys: Vec<_> =
                    (0..2 * count).map(|_| bytes(&mut rng, info.key_len_bytes)).collect();
                let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
                let (first, second) = keys.split_at(count);
                let mut tagger = provider.batch(info.name, key_life, first).expect(&what);
                for given in [first, second] {
                    let messages: Vec<_> = (0..count)
                        .map(|_| {
                            let shortest = usize::from(info.name.starts_with("hmac-"));
                            let len_bytes = rng.random_range(shortest..300);
                            bytes(&mut rng, len_bytes)
                        })
                        .collect();
                    let messages: Vec<&[u8]> = messages.iter().map(|it| &it[..]).collect();
                    let used = if key_life == KeyLife::Prepared { first } else { given };
                    let mut tags = vec![0; count * info.tag_len_bytes];
                    tagger(given, &messages, &mut tags).expect(&what);
                    let tags = tags.chunks_exact(info.tag_len_bytes);
                    for ((key, message), tag) in used.iter().zip(messages).zip(tags) {
                        assert_eq!(tag, right_tag(info.name, key, message), "{what}");
                    }
                }
            }
        }
    }
}

/// The library loads the last block of CMAC whole: messages that end where a page ends are copied.
#[test]
fn messages_at_the_end_of_a_page() {
    let Some(provider) = opened(NAMES[0]) else { return };
    let mut rng = StdRng::seed_from_u64(5);
    let pages = bytes(&mut rng, 3 * 4096);
    let to_boundary = 4096 - pages.as_ptr().addr() % 4096;
    let end = to_boundary + 4096;
    for mac in ["cmac-aes-128", "cmac-aes-256"] {
        let key = bytes(&mut rng, macs::find(mac).expect("in the catalog").key_len_bytes);
        let mut tagger = provider.tagger(mac, KeyLife::Prepared, &key).expect(mac);
        for (len_bytes, before_the_end) in
            (0..70).flat_map(|len| [0, 1, 14, 15, 16].map(|by| (len, by)))
        {
            let message = &pages[end - before_the_end - len_bytes..end - before_the_end];
            let mut tag = [0; 16];
            tagger(&[], message, &mut tag).expect(mac);
            assert_eq!(tag[..], right_tag(mac, &key, message), "{mac}, {len_bytes} bytes");
        }
    }
}

#[test]
fn jobs_have_limits_and_the_rest_has_none() {
    let Some(provider) = opened(NAMES[0]) else { return };
    let long = vec![0x5A; 65535];
    for offer in provider.info().offers {
        let info = macs::find(&offer.mac).expect("in the catalog");
        let key: Vec<u8> = (1..=info.key_len_bytes as u8).collect();
        let what = &offer.mac;
        let mut tagger = provider.tagger(what, KeyLife::NewKey, &key).expect(what);
        let mut tag = vec![0; info.tag_len_bytes];
        tagger(&key, &long[1..], &mut tag).expect(what);
        assert_eq!(tag, right_tag(what, &key, &long[1..]), "{what}");
        let has_limit = ["hmac-", "cmac-", "ccm-"].iter().any(|macs| what.starts_with(macs));
        assert_eq!(tagger(&key, &long, &mut tag).is_err(), has_limit, "{what}");
        if !what.starts_with("hmac-") {
            let short = tagger(&key[1..], &long[1..], &mut tag);
            assert!(short.is_err(), "{what}: a new key of another length");
        }
        let mut batch = provider.batch(what, KeyLife::NewKey, &[&key, &key]).expect(what);
        let mut tags = vec![0; 2 * info.tag_len_bytes];
        assert_eq!(batch(&[&key, &key], &[&long, b"x"], &mut tags).is_err(), has_limit, "{what}");
    }
}

#[test]
fn another_library_is_refused_by_name() {
    let row = row("ipsec-mb").expect("there is such a row");
    let place = Place { name: None, path: Some("libc.so.6".into()) };
    let refused = row.open(&place).err().expect("it is no such library").reason;
    assert!(refused.contains("libc.so.6") && !refused.contains('\n'), "{refused}");
}
