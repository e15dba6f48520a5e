//! Memory as a factor: what fits is measured under the limit, what does not is told.

use std::path::Path;

use serde_json::Value;

use crate::bench::Bench;

/// A small and a large file, each way, on disk and in memory.
const STUDY: &str = r#"
name = "mine"
title = "Mine"
summary = "Files in little memory."
budget_s = 20
launches = 1
[[panels]]
name = "macs"
title = "macs"
providers = ["macs"]
[[parts]]
name = "memory"
title = "In memory"
sizes = [1024, 4194304]
key_lives = ["prepared"]
regimes = ["segments-memory-transaction"]
blocks = 1
[[parts.cases]]
name = "es"
title = "Sealed, then cut"
macs = ["gcm-aes-128-es"]
[[parts]]
name = "disk"
title = "On disk"
sizes = [300000]
key_lives = ["prepared"]
regimes = ["segments-disk-transaction"]
blocks = 1
[[parts.cases]]
name = "both"
title = "Both ways"
macs = ["gcm-aes-128-es", "gcm-aes-128-se"]
"#;

#[test]
fn what_fits_is_measured_and_what_does_not_is_told() {
    let bench = Bench::with(&[("mine.toml", STUDY)]);
    let limit = ["--memory-limit", "256K", "--format", "json"];
    // Thousands of small files: a disk would be the slowest part of it.
    let shm = Path::new("/dev/shm");
    let dir = if shm.is_dir() { shm } else { bench.folder() };
    let dir = dir.to_str().unwrap();
    let run = ["run", "mine.toml", "--segments-dir", dir];
    let output = bench.output(&[&run[..], &limit[..]].concat());
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    let refused = |what: &str| {
        let is_told = |line: &str| line.contains(what) && line.contains("memory limit is 256 KiB");
        error.lines().any(is_told)
    };
    let limited = "macs[mem-256K]";
    assert!(refused("4194304") && refused("300000"), "{error}");
    assert!(!error.contains("dropped"), "{error}");

    let findings: Value = serde_json::from_slice(&output.stdout).unwrap();
    let measured = |provider: &str, mac: &str, len: u64| {
        findings["cells"].as_array().unwrap().iter().any(|cell| {
            let it = &cell["cell"];
            let is_it = it["provider"] == provider && it["mac"] == mac && it["len_bytes"] == len;
            is_it && cell["samples"].as_u64() > Some(0)
        })
    };
    for (mac, len, fits) in [
        ("gcm-aes-128-es", 1024, true),
        ("gcm-aes-128-es", 4_194_304, false),
        ("gcm-aes-128-es", 300_000, false),
        ("gcm-aes-128-se", 300_000, true),
    ] {
        assert!(measured("macs", mac, len), "{mac} {len}: {findings}");
        assert_eq!(measured(limited, mac, len), fits, "{mac} {len}");
    }
}

#[test]
fn limits_that_cannot_be_held_are_refused_in_a_line() {
    let bench = Bench::new();
    let small = bench.wrong(&["plan", "sms", "--memory-limit", "4K"]);
    assert!(small.contains("at least 256K"), "{small}");
    let program = bench.wrong(&["plan", "sms", "--provider", "python[mem-64M]"]);
    assert!(program.contains("not for python"), "{program}");
    // Of programs of their own it would say in a further line that they have no limit.
    let own = ["plan", "cbc-mac-variants", "--provider", "macs"];
    let fastest = bench.wrong(&[&own[..], &["--memory-limit", "1M"]].concat());
    assert!(fastest.contains("keeps only the fastest"), "{fastest}");
}
