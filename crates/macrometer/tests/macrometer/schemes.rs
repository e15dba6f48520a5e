//! Schemes over our own compositions: files come back, and faults are refused as promised.

use std::num::NonZeroU16;

use lab::cell::Flow;
use lab::regimes::segments::Medium;
use lab::segments::faults::{self, Fault};
use lab::segments::{Pair, Watch};
use lab::worker::serve::serve;
use providers::{Place, Provider, Sealing};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};
use serde_json::{Value, json};

/// The compositions of the study, and one each with other lengths of nonce and block.
const COMPOSITIONS: [&str; 9] = [
    "eax-aes-128",
    "ctr+cmac-aes-128",
    "ccm-aes-128",
    "gcm-aes-128",
    "ctr-then-cmac-aes-128",
    "chacha20-poly1305",
    "cbc-then-cmac-aes-128",
    "ctr+cmac-tdes-3",
    "eax-serpent-256",
];

/// Files and faults of a test: `MACROMETER_SEGMENTS` asks for others than these.
const COUNT: usize = 10_000;

fn count() -> usize {
    std::env::var("MACROMETER_SEGMENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(COUNT)
}

fn macs() -> Box<dyn Provider> {
    providers::row("macs").unwrap().open(&Place::default()).unwrap()
}

fn sealing(composition: &str) -> Box<dyn Sealing> {
    let key_len = macs::find(composition).unwrap().key_len_bytes;
    // Three different keys for TDES.
    let key: Vec<u8> = (0..key_len as u8).map(|i| i.wrapping_mul(37) | 1).collect();
    macs().sealing(composition, &key).unwrap()
}

/// Every composition in every flow, in memory.
fn pairs() -> Vec<(&'static str, Flow, Pair)> {
    let of = |&name| Flow::ALL.iter().map(move |&flow| (name, flow));
    let pair = |(name, flow)| (name, flow, Pair::in_memory(sealing(name), flow, 1));
    COMPOSITIONS.iter().flat_map(of).map(pair).collect()
}

/// Random bytes, 0 to 64 KiB of them and each order of magnitude as often as the others.
fn file(random: &mut StdRng, least: usize) -> Vec<u8> {
    let longest = random.random_range(0..=16);
    let len = random.random_range(least.min(1 << longest)..=1 << longest);
    let mut file = vec![0; if longest == 0 { least } else { len }];
    random.fill_bytes(&mut file);
    file
}

#[test]
fn files_of_all_lengths_come_back_byte_for_byte() {
    let mut random = StdRng::seed_from_u64(11);
    let mut pairs = pairs();
    let which = pairs.len();
    for i in 0..count() {
        let (name, flow, pair) = &mut pairs[i % which];
        let file = file(&mut random, 0);
        let outcome = pair.transact(&file, &mut Watch::default());
        assert!(outcome.is_ok(), "{name}-{flow}, {} bytes: {outcome:?}", file.len());
    }
}

#[test]
fn files_come_back_from_disk_over_those_of_the_last_transaction() {
    let base = tempfile::tempdir().unwrap();
    let segments = base.path().join("segments");
    std::fs::create_dir(&segments).unwrap();
    let mut random = StdRng::seed_from_u64(12);
    for medium in [Medium::Disk, Medium::Fsync] {
        for name in COMPOSITIONS {
            for &flow in Flow::ALL {
                // One for all, as in a run: what another scheme has left must not be read.
                let folder = Some(segments.clone());
                let mut pair = Pair::new(sealing(name), flow, medium, folder, 3).unwrap();
                let most = if medium == Medium::Disk { 5 } else { 1 };
                for len in [0, 139, 140, 141, random.random_range(1..4096)].into_iter().take(most) {
                    let mut file = vec![0; len];
                    random.fill_bytes(&mut file);
                    let outcome = pair.transact(&file, &mut Watch::default());
                    assert!(outcome.is_ok(), "{name}-{flow}, {len} bytes: {outcome:?}");
                }
            }
        }
    }
}

#[test]
fn faults_are_refused_exactly_as_promised() {
    let mut random = StdRng::seed_from_u64(13);
    let mut pairs = pairs();
    let which = pairs.len();
    let (mut planted, mut i) = (0, 0);
    while planted < count() {
        let (name, flow, pair) = &mut pairs[i % which];
        let fault = Fault::ALL[i / which % Fault::ALL.len()];
        i += 1;
        // An empty file has nothing to be changed: see `Fault`.
        let file = file(&mut random, 1);
        let mut segments = pair.send(&file).unwrap();
        if !fault.plant(&mut segments, &mut random) {
            continue;
        }
        planted += 1;
        let received = pair.receive(segments);
        let (fault_name, len) = (fault.name(), file.len());
        let case = format!("{name}-{flow}, {fault_name} in a file of {len} bytes");
        assert_eq!(received.is_none(), fault.is_refused_in(*flow), "{case}");
        assert_ne!(received, Some(file), "{case}: changed nothing");
    }
}

#[test]
fn a_lost_last_part_and_no_part_at_all_are_noticed_where_parts_are_bound() {
    for name in COMPOSITIONS {
        for (flow, is_refused) in [(Flow::Es, true), (Flow::Se, false), (Flow::SeBound, true)] {
            let mut pair = Pair::in_memory(sealing(name), flow, 4);
            let mut segments = pair.send(&[7; 1000]).unwrap();
            segments.pop();
            assert_eq!(pair.receive(segments).is_none(), is_refused, "{name}-{flow}");
            assert_eq!(pair.receive(vec![]), None, "{name}-{flow}");
            assert_eq!(pair.send(&[]).unwrap().len(), 1, "{name}-{flow}: an empty file");
        }
    }
}

#[test]
fn schemes_are_offered_beside_the_compositions_they_are_made_of() {
    let replies = talk("info\n");
    let info: Value = serde_json::from_str(replies[0].strip_prefix("ok ").unwrap()).unwrap();
    let offers = info["offers"].as_array().unwrap();
    let find = |name: &str| offers.iter().find(|offer| offer["mac"] == name);
    for &flow in Flow::ALL {
        let scheme = find(&format!("ctr+cmac-aes-128-{flow}")).unwrap();
        assert_eq!(scheme["key_lives"], json!(["prepared"]));
        assert_eq!(scheme["kernel"], find("ctr+cmac-aes-128").unwrap()["kernel"]);
        assert!(find(&format!("cmac-aes-128-{flow}")).is_none());
    }
}

#[test]
fn segments_have_the_length_that_was_asked_for_and_faults_are_planted_into_any() {
    let base = tempfile::tempdir().unwrap();
    for (number, len) in [1, 16, 160, 65_535].into_iter().enumerate() {
        let block_len = NonZeroU16::new(len).unwrap();
        for (name, flow, pair) in pairs().into_iter().take(6) {
            let case = format!("{name}-{flow}, {len} bytes");
            let mut pair = pair.with_block_len(block_len);
            let segments = pair.send(&[7; 200]).unwrap();
            let plain = 200_usize.div_ceil(len.into());
            if flow == Flow::Es {
                assert!(segments.iter().all(|segment| segment.len() <= len.into()), "{case}");
            } else {
                assert_eq!(segments.len(), plain, "{case}");
            }
            for count in faults::count(&mut pair, 3, 5).unwrap() {
                let promised = if count.promised { count.planted } else { 0 };
                assert_eq!((count.refused, count.planted), (promised, 3), "{case}: {count:?}");
            }
            let folder = base.path().join(format!("{number}-{name}-{flow}"));
            std::fs::create_dir(&folder).unwrap();
            let disk = Some(folder.clone());
            let pair = Pair::new(sealing(name), flow, Medium::Disk, disk, 3).unwrap();
            let mut pair = pair.with_block_len(block_len);
            pair.make_files(200).unwrap();
            let made = std::fs::read_dir(&folder).unwrap().count();
            pair.transact(&[7; 200], &mut Watch::default()).unwrap();
            let further = std::fs::read_dir(&folder).unwrap().count() - made;
            // The file, what is received, and of one sealed whole that and what is put together.
            assert_eq!(further, if flow == Flow::Es { 4 } else { 2 }, "{case}");
        }
    }
}

/// What our own worker answers.
fn talk(requests: &str) -> Vec<String> {
    let mut output = Vec::new();
    serve(macs().as_ref(), requests.as_bytes(), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(Into::into).collect()
}

#[test]
fn a_worker_sends_the_users_file_in_every_window_of_its_length_only() {
    let pool: String = (0..16 * 64 + 8).map(|i| format!("{:02x}", i / 64)).collect();
    let keys = "00".repeat(16 + 15);
    let open = |id, len| {
        format!("open {id} eax-aes-128-se prepared segments-memory-splitting {len} {keys} 3\n")
    };
    let (two, three) = (open(1, 2), open(2, 3));
    let requests = format!("pool {pool}\nfile 2 0c0c\n{two}{three}prove 1 16\nprove 2 16\n");
    let replies = talk(&requests);
    let tags = |reply: &str| -> Vec<String> {
        let hex = reply.strip_prefix(r#"ok {"tags":""#).unwrap().strip_suffix(r#""}"#).unwrap();
        hex.as_bytes().chunks(32).map(|tag| String::from_utf8(tag.to_vec()).unwrap()).collect()
    };
    let (own, others) = (tags(&replies[4]), tags(&replies[5]));
    assert!(own.len() == 16 && own.iter().all(|tag| *tag == own[0]));
    assert_eq!(others.iter().collect::<std::collections::BTreeSet<_>>().len(), 16);
    let plain = talk(&format!("pool {pool}\n{two}prove 1 16\n"));
    assert_eq!(tags(&plain[2])[12], own[0], "window 12 holds the same bytes");
    let wrong = talk(&format!("file 3 0c0c\npool {pool}\n{}", two.replace(" 3\n", " 0\n")));
    assert_eq!(wrong[0], "err a file of 2 bytes where 3 were said");
    assert_eq!(wrong[2], "err not a number that fits: \"0\"");
}
