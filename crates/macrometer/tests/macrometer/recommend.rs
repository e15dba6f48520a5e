//! `recommend` as a user calls it: workloads in words, files and captures, what is used today, what
//! is asked of a MAC, the archive, and what is refused. Small budgets; no timing decides.

use std::borrow::Cow;
use std::time::Duration;

use etherparse::PacketBuilder;
use pcap_file::pcap::{PcapPacket, PcapWriter};
use serde_json::Value;

use crate::bench::Bench;

/// Two libraries that are always there, and three MACs.
const OWN: [&str; 5] = [
    "recommend",
    "--provider",
    "macs,rustcrypto",
    "--mac",
    "hmac-sha256,cmac-aes-128,gmac-aes-128",
];

impl Bench {
    fn answer(&self, arguments: &[&str]) -> Value {
        let text = self.right(&[&OWN, arguments, &["--format", "json"]].concat());
        serde_json::from_str(&text).unwrap()
    }

    fn refused(&self, arguments: &[&str]) -> String {
        self.wrong(&[&["recommend"], arguments].concat())
    }
}

fn class<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let mut classes = answer["classes"].as_array().unwrap().iter();
    classes.find(|it| it["name"] == name).unwrap_or_else(|| panic!("{name}: {answer}"))
}

/// The candidates of a class that are told: the best, those close to it, the next.
fn told(class: &Value) -> Vec<String> {
    let rows = [&class["best"], &class["runner_up"]];
    let rows = rows.into_iter().chain(class["close"].as_array().unwrap());
    rows.filter_map(|it| Some(format!("{}@{}", it["mac"].as_str()?, it["provider"].as_str()?)))
        .collect()
}

#[test]
fn a_workload_is_answered_and_the_next_time_from_the_archive() {
    let bench = Bench::new();
    let workload = ["--size", "300", "--now", "hmac-sha256@macs/one-shot", "--rate", "1000"];
    let measured = bench.answer(&[&workload[..], &["--budget", "6"]].concat());
    let lengths = measured["workload"]["lengths"].as_array().unwrap().iter();
    let lengths: Vec<u64> = lengths.map(|it| it["len_bytes"].as_u64().unwrap()).collect();
    assert_eq!(lengths, [75, 300, 1200]);
    let wide = class(&measured, "widely-used");
    assert!(!told(wide).iter().any(|it| it.starts_with("gmac")), "it needs a nonce: {wide}");
    assert!(wide["best"]["message_ns"]["value"].as_f64().unwrap() > 1.0);
    class(&measured, "same-mac");
    let today = &measured["today"];
    assert_eq!((&today["provider"], &today["call"]), (&"macs".into(), &"one-shot".into()));
    let (cores, ns) = (today["cores"].as_f64().unwrap(), &today["message_ns"]["value"]);
    assert!((cores - 1000.0 * ns.as_f64().unwrap() * 1e-9).abs() < 1e-12, "{today}");
    // It is a run as any other, and has nothing beyond what was asked.
    let run = measured["run"].as_str().unwrap();
    assert!(bench.right(&["list", "runs"]).contains(run));
    let report = bench.right(&["report", "last"]).replace("\n  ", " ");
    assert!(report.contains("hmac-sha256"));
    assert!(report.contains("the recommendation from this run."), "{report}");
    let cells: i64 =
        bench.kept().query_row("SELECT count(*) FROM cell", [], |row| row.get(0)).unwrap();
    // The floor, three MACs of two libraries under two key lives, and one call, at three lengths.
    assert_eq!(cells, 3 * (1 + 2 * 3 * 2 + 1));
    // A run that had as much time is the answer for another rate; more time asks for another run.
    assert_eq!(bench.count("run"), 1);
    let usual = ["--size", "300", "--now", "hmac-sha256@macs/one-shot", "--budget", "10"];
    let first = bench.answer(&usual);
    assert_eq!((bench.count("run"), &first["rate_per_s"]), (2, &Value::Null));
    let again = [&usual[..4], &["--budget", "5", "--rate", "2000"]].concat();
    let again = bench.answer(&again);
    assert_eq!((bench.count("run"), &again["run"]), (2, &first["run"]));
    assert_eq!(again["rate_per_s"], 2000.0);
    let text = bench.right(&[&OWN[..], &usual].concat());
    assert!(text.starts_with("Messages of 300 B, one key for all, calls from C or Rust."));
    assert!(text.lines().count() <= 40, "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    // The same as a page, with the command that measures it again.
    let page = bench.right(&[&OWN[..], &usual, &["--format", "html"]].concat());
    assert_eq!(bench.count("run"), 2);
    assert!(page.contains("<h1>What to use</h1>") && page.contains(first["run"].as_str().unwrap()));
    let command = again["command"].as_str().unwrap();
    assert!(
        command.starts_with("macrometer recommend --size 300 --rate 2000 --now hmac-sha256@macs")
    );
    let own = command.replace(" --rate 2000", "").replace("--budget 5", "--budget 10");
    assert!(page.contains(&own), "{command}: {page}");
}

#[test]
fn lengths_come_from_words_files_and_captures() {
    let mut pcap = PcapWriter::new(Vec::new()).unwrap();
    for (count, len) in [(6, 64), (2, 1000)] {
        for _ in 0..count {
            let builder = PacketBuilder::ethernet2([1; 6], [2; 6]);
            let builder = builder.ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64).udp(1, 2);
            let mut packet = Vec::new();
            builder.write(&mut packet, &vec![0; len]).unwrap();
            let (orig_len, data) = (packet.len() as u32, Cow::Owned(packet));
            let packet = PcapPacket { timestamp: Duration::ZERO, orig_len, data };
            pcap.write_packet(&packet).unwrap();
        }
    }
    let bench = Bench::with(&[("lengths.txt", "64 3 # most\n1000 1\n")]);
    bench.write("a.pcap", pcap.into_writer());
    let budget = ["--budget", "3", "--messages-per-key", "1"];
    for words in [["--size", "64:3,1kB"], ["--size", "lengths.txt"], ["--pcap", "a.pcap"]] {
        let answer = bench.answer(&[&words[..], &budget].concat());
        let expected = serde_json::json!([
            { "len_bytes": 64, "share": 0.75 },
            { "len_bytes": 1000, "share": 0.25 },
        ]);
        assert_eq!(answer["workload"]["lengths"], expected, "{words:?}");
        assert_eq!(class(&answer, "all")["best"]["call"], "new-key");
    }
    let imix = bench.answer(&["--size", "imix", "--budget", "3"]);
    assert!(
        imix["asked"].as_str().unwrap().starts_with("Messages of 64 B, 576 B and 1500 B (58 %")
    );
}

#[test]
fn only_what_fulfils_the_needs_is_recommended() {
    let bench = Bench::new();
    let all = |arguments: &[&str]| {
        let answer = bench.answer(&[&["--size", "64", "--budget", "3"], arguments].concat());
        answer["workload"]["classes"]
            .as_array()
            .unwrap()
            .iter()
            .find(|it| it["name"] == "all")
            .unwrap()["macs"]
            .clone()
    };
    assert_eq!(all(&[]), serde_json::json!(["cmac-aes-128", "gmac-aes-128", "hmac-sha256"]));
    for (need, left) in [
        (&["--no-nonce"][..], &["cmac-aes-128", "hmac-sha256"][..]),
        (&["--prf"], &["cmac-aes-128", "hmac-sha256"]),
        (&["--tag-bits", "256"], &["hmac-sha256"]),
    ] {
        assert_eq!(all(need), serde_json::json!(left), "{need:?}");
    }
    let encrypted = ["--size", "64", "--budget", "3", "--encrypt", "--provider", "macs"];
    let text = bench.right(&[&["recommend"][..], &encrypted].concat());
    let line = text.lines().find(|line| line.starts_with("Use ") || line.starts_with("Undecided"));
    assert!(
        line.is_some_and(|line| ["gcm", "ccm", "chacha20"].iter().any(|it| line.contains(it))),
        "{text}"
    );
    assert!(text.contains("a nonce, "), "{text}");
}

/// What a policy approves is no validated module, which stands in the answer.
#[test]
fn what_a_policy_leaves_open_is_in_the_answer() {
    let bench = Bench::new();
    let asked = ["--size", "64", "--budget", "3", "--policy", "nist-2031"];
    let text = bench.right(&[&OWN, &asked[..]].concat());
    let above = text.split("\n\n").next().unwrap();
    let above = above.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(above.contains("validated (FIPS 140-3) is another question"), "{text}");
    assert!(above.contains("is macrometer's own library") || !above.contains("@macs"), "{text}");
}

/// Nobody to compare it with is no reason to say that nothing was measured.
#[test]
fn the_only_candidate_is_the_answer() {
    let bench = Bench::new();
    let only = ["recommend", "--mac", "hmac-sha256", "--provider", "macs", "--size", "64"];
    let only = [&only[..], &["--budget", "3", "--format", "json"]].concat();
    let answer: Value = serde_json::from_str(&bench.right(&only)).unwrap();
    let wide = class(&answer, "widely-used");
    assert_eq!(told(wide), ["hmac-sha256@macs"]);
    assert!(answer["launches"].as_u64().unwrap() > 0, "{answer}");
}

#[test]
fn servers_are_counted_from_what_this_machine_carries() {
    let bench = Bench::new();
    let asked = ["--size", "64:7,576:4", "--rate", "1000", "--sessions", "10", "--cores", "4"];
    let measured = bench.answer(&[&asked[..], &["--tail", "50%=20ms", "--budget", "12"]].concat());
    // Each session has a key of its own.
    let asked = measured["asked"].as_str().unwrap();
    assert!(asked.contains(", 10 sessions with a key each, "), "{asked}");
    let servers = &measured["servers"];
    assert_eq!(servers["rate_per_s"], 100.0, "{servers}");
    assert_eq!((&servers["cores"], &servers["tail_ms"]), (&4.into(), &20.0.into()));
    let here = servers["processors"].as_f64().unwrap();
    let rows = servers["rows"].as_array().unwrap();
    assert!(!rows.is_empty(), "{servers}");
    for row in rows {
        let carried = &row["carried"];
        let sure = carried["interval"]["low"].as_f64().or(carried["value"].as_f64()).unwrap();
        let cores = 10.0 / sure * here;
        assert!((row["cores_needed"].as_f64().unwrap() / cores - 1.0).abs() < 1e-9, "{row}");
        assert_eq!(row["servers"].as_f64().unwrap(), (cores / 4.0).ceil().max(1.0), "{row}");
    }
    let text = bench.right(&[&["report"], &[servers["run"].as_str().unwrap()][..]].concat());
    assert!(text.contains("Sessions that a server sustains"), "{text}");
}

#[test]
fn what_is_wrong_is_told_in_a_line_with_what_would_be_right() {
    let bench = Bench::with(&[("text.pcap", "no capture"), ("bad.txt", "64 many\n")]);
    for (arguments, said) in [
        (&[][..], "how long are your messages?"),
        (&["--size", "many"], "must be a length (300, 1KiB), lengths with weights"),
        (&["--size", "-5"], "must be a length"),
        (&["--size", "64:0"], "no message has a weight above 0"),
        (&["--size", "bad.txt"], "line 1: weight \"many\": must be a number"),
        (&["--pcap", "text.pcap"], "neither a pcap nor a pcapng file"),
        (&["--pcap", "nonsuch"], "cannot read --pcap nonsuch"),
        (&["--size", "1GiB"], "at most 16777216 can be measured"),
        (&["--size", "64", "--messages-per-key", "0"], "--messages-per-key 0: must be 1 to"),
        (&["--size", "64", "--rate", "-1"], "--rate -1: must be more than 0"),
        (&["--size", "64", "--rate", "1", "--sessions", "0"], "--sessions 0: must be 1 to"),
        (
            &["--size", "64", "--rate", "1", "--sessions", "100"],
            "0.01 messages per second per session",
        ),
        (&["--size", "64", "--tag-bits", "0"], "--tag-bits 0: must be 1 to 512"),
        (&["--size", "64", "--mac", "nonsuch"], "unknown MAC \"nonsuch\""),
        (
            &["--size", "64", "--mac", "hmac-md5"],
            "hmac-md5 does not meet these needs: it is legacy",
        ),
        (&["--size", "64", "--provider", "nonsuch"], "unknown provider \"nonsuch\""),
        (
            &["--size", "64", "--from", "rust", "--provider", "ring", "--mac", "khc1-sha256"],
            "for callers in Rust: part \"messages\": no provider found offers",
        ),
        (
            &["--size", "64", "--from", "python", "--provider", "openssl"],
            "openssl is called from C or Rust",
        ),
        (&["--size", "64", "--from", "c", "--provider", "macs"], "code in C calls "),
        (
            &["--size", "64", "--provider", "macs", "--now", "khc1-sha256@rustcrypto"],
            "rustcrypto does not offer that MAC",
        ),
        (
            &["--size", "64", "--now", "hmac-sha256@macs/prepared", "--messages-per-key", "1"],
            "no key is prepared",
        ),
    ] {
        let error = bench.refused(arguments);
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
}

#[test]
fn misuse_that_clap_tells_is_told_in_its_own_way() {
    let bench = Bench::new();
    for (arguments, said) in [
        (&["--size", "64", "--pcap", "a"][..], "cannot be used with"),
        (&["--size", "64", "--from", "cobol"], "unknown language \"cobol\""),
        (&["--size", "64", "--now", "hmac-sha256"], "must be MAC@PROVIDER"),
        (&["--size", "64", "--now", "hmac-sha265@macs"], "did you mean hmac-sha"),
        (&["--size", "64", "--sessions", "10"], "--rate"),
        (&["--size", "64", "--rate", "1", "--sessions", "1", "--tail", "10ms"], "such as 99%=10ms"),
        (&["--size", "64", "--encrypt", "--prf"], "cannot be used with"),
    ] {
        let output = bench.output(&[&["recommend"], arguments].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(said), "{arguments:?}: {error}");
    }
}
