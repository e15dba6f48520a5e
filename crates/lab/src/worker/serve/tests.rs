use std::cell::RefCell;

use words::{Info, Refused};

use super::*;

thread_local! {
    /// Keys and messages that the mac `noted` was called with.
    static NOTED: RefCell<Vec<(Vec<u8>, Vec<u8>)>> = const { RefCell::new(vec![]) };
}

/// A toy whose tag tells key and message apart: enough to test the loop, not a MAC.
struct Sum;

impl Provider for Sum {
    fn info(&self) -> Info {
        Info { name: "sum".into(), ..Info::default() }
    }

    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, Refused> {
        let kept = key.to_vec();
        match mac {
            "sum" => Ok(Box::new(move |key, message, tag| {
                let key = if key_life == KeyLife::Prepared { &kept } else { key };
                tag[0] = key.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte));
                tag[1] = message.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte));
                Ok(())
            })),
            "noted" => Ok(Box::new(|key, message, _| {
                NOTED.with(|it| it.borrow_mut().push((key.to_vec(), message.to_vec())));
                Ok(())
            })),
            _ => {
                let ns = mac
                    .strip_prefix("wait-")
                    .ok_or_else(|| Refused::Unknown(format!("mac {mac:?}")))?;
                let least = std::time::Duration::from_nanos(ns.parse().map_err(Refused::said)?);
                Ok(Box::new(move |_, _, _| {
                    let began = std::time::Instant::now();
                    while began.elapsed() < least {}
                    Ok(())
                }))
            }
        }
    }

    fn tag_len_bytes(&self, _mac: &str) -> Option<usize> {
        Some(2)
    }

    fn sealing(&self, _: &str, _key: &[u8]) -> Result<Box<dyn words::Sealing>, Refused> {
        Ok(Box::new(Sealer))
    }

    fn tag(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Vec<u8>, Refused> {
        let mut tag = vec![0; inputs.tag_len_bytes];
        self.tagger(mac, KeyLife::NewKey, inputs.key)?(inputs.key, inputs.message, &mut tag)?;
        Ok([&tag, inputs.nonce, inputs.customization].concat())
    }

    /// The message backwards, and the sum of the associated data.
    fn seal(&self, _mac: &str, inputs: &Inputs<'_>) -> Result<Sealed, Refused> {
        let ciphertext = inputs.message.iter().rev().copied().collect();
        Ok(Sealed { ciphertext, tag: vec![inputs.associated_data.iter().sum()] })
    }

    fn unseal(
        &self,
        mac: &str,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, Refused> {
        let sealed = self.seal(mac, inputs)?;
        Ok((sealed.tag == tag).then_some(sealed.ciphertext))
    }
}

fn talk(requests: &str) -> Vec<String> {
    let mut output = Vec::new();
    serve(&Sum, requests.as_bytes(), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(Into::into).collect()
}

/// A pool in which byte b of window i is i, and keys that count up from 0.
fn opening(key_life: &str, regime: &str) -> String {
    let pool: Vec<u8> = (0..16).flat_map(|window| [window; 64]).collect();
    let keys: Vec<u8> = (0..16).collect();
    let (pool, keys) = (hex::encode(pool), hex::encode(keys));
    format!("pool {pool}\nopen 7 sum {key_life} {regime} 1 {keys}\n")
}

#[test]
fn each_window_has_its_message_and_its_key() {
    let replies = talk(&format!("{}prove 7 16\n", opening("new-key", "single")));
    let tags: String = (0..16).map(|i| format!("{i:02x}{i:02x}")).collect();
    assert_eq!(replies[2], format!("ok {{\"tags\":\"{tags}\"}}"));
    let replies = talk(&format!("{}prove 7 16\n", opening("prepared", "single")));
    let tags: String = (0..16).map(|i| format!("00{i:02x}")).collect();
    assert_eq!(replies[2], format!("ok {{\"tags\":\"{tags}\"}}"));
}

#[test]
fn a_sample_has_time_and_the_latency_regime_leaves_the_proof_alone() {
    let requests = format!("{}prove 7 16\nrun 7 160\nprove 7 16\n", opening("new-key", "latency"));
    let replies = talk(&requests);
    let sample: Value = serde_json::from_str(replies[3].strip_prefix("ok ").unwrap()).unwrap();
    assert!(sample["elapsed_ns"].as_f64().unwrap() > 0.0);
    assert_eq!(replies[2], replies[4]);
}

#[test]
fn a_sixteenth_of_the_calls_and_at_least_one_come_untimed_before_a_sample() {
    for (request, made) in [("run 7 1", 2), ("run 7 15", 16), ("run 7 32", 34), ("single 7 3", 4)] {
        NOTED.take();
        let opened = opening("new-key", "single").replace(" sum ", " noted ");
        let replies = talk(&format!("{opened}{request}\n"));
        assert!(replies[2].starts_with("ok "), "{}", replies[2]);
        assert_eq!(NOTED.take().len(), made, "{request}");
    }
}

#[test]
fn a_batch_has_a_key_for_each_message_and_is_timed_by_messages() {
    let replies = talk(&format!("{}prove 7 16\nrun 7 70\n", opening("prepared", "batch-64")));
    let tags: String = (0..16).map(|i| format!("{i:02x}{i:02x}")).collect();
    assert_eq!(replies[2], format!("ok {{\"tags\":\"{tags}\"}}"));
    assert!(replies[3].contains("elapsed_ns"), "{}", replies[3]);
    let replies = talk(&opening("one-shot", "batch-4"));
    assert_eq!(replies[1], "err no one-shot calls in batch-4");
}

#[test]
fn single_calls_are_all_counted() {
    let replies = talk(&format!("{}single 7 50\n", opening("prepared", "single")));
    let reply: Value = serde_json::from_str(replies[2].strip_prefix("ok ").unwrap()).unwrap();
    let counts = reply["ns"].as_array().unwrap().iter().map(|pair| pair[1].as_u64().unwrap());
    assert_eq!(counts.sum::<u64>(), 50);
}

#[test]
fn cells_in_turn_have_the_same_new_key_and_message_in_each_repetition() {
    let keys = hex::encode((0..18).collect::<Vec<u8>>());
    let opened =
        format!("open 8 noted new-key latency 1 {keys}\nopen 9 noted one-shot single 1 {keys}");
    let requests = format!("{}{opened}\nalternate 5 77 9 8\n", opening("new-key", "single"));
    let replies = talk(&requests);
    let reply: Value = serde_json::from_str(replies[4].strip_prefix("ok ").unwrap()).unwrap();
    for id in ["8", "9"] {
        let counts = reply["cells"][id]["ns"].as_array().unwrap().iter();
        assert_eq!(counts.map(|pair| pair[1].as_u64().unwrap()).sum::<u64>(), 5);
    }
    let first = NOTED.take();
    // Two repetitions are made and not counted.
    assert_eq!(first.len(), 14);
    assert!(first.chunks(2).all(|of_one| of_one[0] == of_one[1] && of_one[0].0.len() == 3));
    let keys: std::collections::BTreeSet<_> = first.iter().map(|it| &it.0).collect();
    assert_eq!(keys.len(), 7);
    // Another worker with the same seed has the same.
    talk(&requests);
    assert_eq!(NOTED.take(), first);
    let refused = talk(&format!("{}alternate 5 77 7\n", opening("new-key", "batch-4")));
    assert!(refused[2].starts_with("err "), "{refused:?}");
}

#[test]
fn single_calls_of_any_length_are_told_as_long_as_they_are() {
    let opening = opening("prepared", "single");
    for least_ns in [5_000, 1_000_000, 50_000_000] {
        let mac = format!("wait-{least_ns}");
        let replies =
            talk(&format!("{}single 7 3\n", opening.replace(" sum ", &format!(" {mac} "))));
        let reply: Value = serde_json::from_str(replies[2].strip_prefix("ok ").unwrap()).unwrap();
        let bins = reply["ns"].as_array().unwrap();
        let all: Vec<[u64; 2]> =
            bins.iter().map(|pair| [0, 1].map(|at| pair[at].as_u64().unwrap())).collect();
        // Less only by the empty bracket, which is subtracted.
        assert!(all.iter().all(|[ns, _]| ns * 10 >= least_ns * 9), "{mac}: {all:?}");
        assert_eq!(all.iter().map(|[_, count]| count).sum::<u64>(), 3);
    }
}

#[test]
fn times_are_counted_to_three_digits_whatever_the_longest_is() {
    let times = [0, 2, 2_044, 2_047, 2_048, 5_000, 1_000_000, 50_000_000, 3_600_000_000_000];
    let counted = counted(&times).unwrap();
    assert_eq!(counted.len(), times.len());
    for (&time, &(told, count)) in times.iter().zip(&counted) {
        assert!(told >= time && told - time <= time / 1000 && count == 1, "{time}: {told}");
    }
}

#[test]
fn many_keys_are_proved_by_the_first_and_called_in_samples_of_any_length() {
    let replies =
        talk(&format!("{}prove 7 2\nrun 7 40\nsingle 7 5\n", opening("prepared", "keys-1000")));
    assert_eq!(replies[2], "ok {\"tags\":\"00000001\"}");
    assert!(replies[3].contains("elapsed_ns") && replies[4].contains("ns"), "{replies:?}");
    let replies = talk(&opening("new-key", "keys-1000"));
    assert_eq!(replies[1], "err no new-key calls in keys-1000");
}

#[test]
fn many_keys_come_all_before_any_comes_again() {
    let keys: Vec<u8> = (0..19).collect();
    let mut many = sessions::ManyKeys::open(&Sum, "sum", &keys, 50.try_into().unwrap()).unwrap();
    let mut turn = || {
        let tag = |_| {
            let mut tag = [0; 2];
            many.next()(&[], &[], &mut tag).unwrap();
            tag[0]
        };
        (0..50).map(tag).collect::<Vec<u8>>()
    };
    let (first, second) = (turn(), turn());
    assert_eq!(first, second);
    let mut known: Vec<u8> = (0..50)
        .map(|i| {
            crate::sessions::key_of(&keys, i).iter().fold(0, |sum: u8, it| sum.wrapping_add(*it))
        })
        .collect();
    let mut sorted = first.clone();
    assert_ne!(first, known);
    known.sort_unstable();
    sorted.sort_unstable();
    assert_eq!(sorted, known);
}

#[test]
fn a_cell_of_sessions_is_proved_as_one_of_single_and_measured_by_windows() {
    let load = concat!(
        r#"{"serving":"pooled","count":3,"cpus":[],"pinned":false,"#,
        r#""lengths":[[1,1]],"from_ms":1,"to_ms":60}"#
    );
    let replies = talk(&format!(
        "{}prove 7 2\nrun 7 10\nsingle 7 1\nsessions 7 {load}\nsessions 7 {{}}\n\
         sessions 8 {load}\n",
        opening("prepared", "pooled-3-free-apparent")
    ));
    assert_eq!(replies[2], "ok {\"tags\":\"00000001\"}");
    for reply in &replies[3..5] {
        assert_eq!(reply, "err pooled-3-free-apparent is timed by `sessions`");
    }
    let seen: crate::record::sessions::Measured =
        serde_json::from_str(replies[5].strip_prefix("ok ").unwrap()).unwrap();
    assert!(seen.messages > 0 && seen.bytes == seen.messages);
    assert!(replies[6].starts_with("err no load: missing field"), "{}", replies[6]);
    assert_eq!(replies[7], "err no open cell 8");
    let replies = talk(&format!("{}sessions 7 {load}\n", opening("prepared", "single")));
    assert_eq!(replies[2], "err cell 7 is one of single, not of sessions");
    let replies = talk(&opening("one-shot", "batched-on-all-apparent"));
    assert!(replies[1].starts_with("err no one-shot calls in batched"), "{}", replies[1]);
}

#[test]
fn whole_inputs_are_handed_over_and_a_dash_is_nothing() {
    let replies = talk(
        "tag sum 0102 0a 0b 2 03\ntag sum - - - 2 -\nseal x 00 - 0102 1 0708\n\
         unseal x 00 - 0102 0807 03\nunseal x 00 - 0102 0807 04\ntag sum 0 - - 2 -\n",
    );
    assert_eq!(replies[0], r#"ok {"tag":"03030a0b"}"#);
    assert_eq!(replies[1], r#"ok {"tag":"0000"}"#);
    assert_eq!(replies[2], r#"ok {"ciphertext":"0807","tag":"03"}"#);
    assert_eq!(replies[3], r#"ok {"message":"0708"}"#);
    assert_eq!(replies[4], r#"ok {"message":null}"#);
    assert!(replies[5].starts_with("err not hexadecimal"));
}

fn is_info(reply: &str) -> bool {
    let info = reply.strip_prefix("ok ").map(serde_json::from_str::<Value>);
    info.is_some_and(|info| info.unwrap()["name"] == "sum")
}

#[test]
fn junk_is_refused_in_one_line_and_the_worker_lives_on() {
    let replies = talk("frobnicate\nopen 1 sum never single 4 00\nprove 9 16\npool xyz\ninfo\n");
    assert!(replies[..4].iter().all(|reply| reply.starts_with("err ")), "{replies:?}");
    assert!(is_info(&replies[4]), "{replies:?}");
}

#[test]
fn a_line_that_is_not_utf_8_is_refused_and_the_worker_lives_on() {
    let mut output = Vec::new();
    serve(&Sum, &b"pool \xff\xfe\ninfo\nclose\n"[..], &mut output).unwrap();
    let replies = String::from_utf8(output).unwrap();
    let replies: Vec<&str> = replies.lines().collect();
    assert_eq!((replies[0], replies[2]), ("err the request is not UTF-8", "ok {}"));
    assert!(replies.len() == 3 && is_info(replies[1]), "{replies:?}");
}

#[test]
fn a_pool_that_open_cells_do_not_fit_into_is_refused_and_the_last_one_is_kept() {
    let of = |len: usize| hex::encode(vec![3; len]);
    let requests = format!(
        "{}pool {}\nprove 7 16\npool {}\nprove 7 1\n",
        opening("prepared", "single"),
        of(15 * 64),
        of(15 * 64 + 1)
    );
    let replies = talk(&requests);
    assert_eq!(replies[2], "err the pool is too short for cell 7, whose messages have 1 bytes");
    assert!(replies[3].starts_with("ok {\"tags\":\"0000"), "{}", replies[3]);
    assert_eq!(replies[4..], ["ok {}", "ok {\"tags\":\"0003\"}"]);
}

/// Seals nothing, which is enough to be open.
struct Sealer;

impl words::Sealing for Sealer {
    fn nonce_len_bytes(&self) -> usize {
        12
    }

    fn tag_len_bytes(&self) -> usize {
        2
    }

    fn ciphertext_len_bytes(&self, message_len_bytes: usize) -> usize {
        message_len_bytes
    }

    fn takes_associated_data(&self) -> bool {
        true
    }

    fn seal(
        &mut self,
        _nonce: &[u8],
        _associated_data: &[u8],
        _buffer: &mut [u8],
        _message_len: usize,
        _tag: &mut [u8],
    ) -> Result<(), &'static str> {
        Ok(())
    }

    fn open(
        &mut self,
        _nonce: &[u8],
        _associated_data: &[u8],
        buffer: &mut [u8],
        _tag: &[u8],
    ) -> Option<usize> {
        Some(buffer.len())
    }
}

#[test]
fn a_number_is_of_the_cell_that_was_opened_last_be_it_one_of_segments_or_not() {
    let calls = opening("prepared", "single");
    let of_scheme = " sum-se prepared segments-memory-transaction ";
    let scheme = calls.replace(" sum prepared single ", of_scheme);
    let replies = talk(&format!("{scheme}run 7 1\n{calls}prove 7 1\nrun 7 1\n"));
    assert_eq!(replies[..2], ["ok {}", "ok {}"]);
    assert!(replies[2].starts_with("err no such request for a cell of segments"), "{replies:?}");
    assert_eq!(replies[3..6], ["ok {}", "ok {}", "ok {\"tags\":\"0000\"}"]);
    assert!(replies[6].contains("elapsed_ns"), "{replies:?}");
}

#[test]
fn numbers_beyond_all_bounds_are_refused_and_the_worker_lives_on() {
    let most = u64::MAX;
    let keys = "00".repeat(16);
    let opened = opening("prepared", "single");
    for request in [
        format!("open 1 sum prepared single {most} {keys}"),
        format!("open 1 sum prepared latency {} {keys}", most - 959),
        format!("open 1 sum-se prepared segments-memory-transaction {most} {keys}"),
        format!("open 1 sum prepared keys-10000001 1 {keys}"),
        format!("run 7 {most}"),
        format!("single 7 {most}"),
        format!("alternate {most} {most} 7"),
        format!("alternate 1 1{}", " 7".repeat(1_001)),
        format!("tag sum 00 - - {most} 00"),
        "tag sum 00 - - 65537 00".into(),
        format!("seal sum 00 - - {most} 00"),
        format!("file {most} 00"),
    ] {
        let replies = talk(&format!("{opened}{request}\nprove 7 1\n"));
        assert!(replies[2].starts_with("err "), "{request}: {}", replies[2]);
        assert_eq!(replies[3], "ok {\"tags\":\"0000\"}", "{request}");
    }
    let replies = talk(&format!("{opened}prove 7 {}\n", usize::MAX));
    assert_eq!(replies[2].len(), "ok {\"tags\":\"\"}".len() + 16 * 4);
}
