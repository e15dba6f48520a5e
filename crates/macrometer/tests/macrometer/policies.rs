//! The status of MACs by documents, as a user asks for it.

use std::process::Command;

use serde_json::Value;

use crate::bench::Bench;

const ALL: &str = "asvs-5.0,ietf-ipsec,nist-2031";

fn bench() -> Bench {
    Bench::new()
}

/// The first line that begins with this word, as words.
fn line<'a>(text: &'a str, first: &str) -> Vec<&'a str> {
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.find(|words| words.first() == Some(&first)).unwrap_or_else(|| panic!("{first}: {text}"))
}

/// What a terminal of 80 columns shows, if a terminal can be had here; no line is longer, but for
/// addresses, which must not be broken.
fn assert_narrow(arguments: &str) {
    let command = format!("stty cols 80; {} {arguments}", env!("CARGO_BIN_EXE_macrometer"));
    let shown = Command::new("script").args(["-qec", &command, "/dev/null"]).output();
    let Ok(shown) = shown else { return eprintln!("skipped: no `script` for a terminal") };
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.lines().count() > 3, "{shown}");
    for line in shown.lines() {
        assert!(line.chars().count() <= 80 || line.contains("https://"), "{line}");
    }
}

#[test]
fn every_mac_has_a_status_by_each_policy() {
    let text = bench().right(&["list", "macs", "--policy", ALL]);
    let of = |mac: &str| line(&text, mac)[2..].to_vec();
    assert_eq!(of("hmac-sha256"), ["approved"; 3]);
    assert_eq!(of("hmac-sha1"), ["legacy", "allowed", "disallowed"]);
    assert_eq!(of("cmac-aes-128"), ["legacy", "allowed", "approved"]);
    assert_eq!(of("vmac128-aes-128"), ["silent"; 3]);
    assert_eq!(text.matches("DRAFT").count(), 1, "{text}");
    assert_narrow(&format!("list macs --policy {ALL}"));
}

#[test]
fn the_words_of_the_documents_are_shown_on_request() {
    let list = ["list", "macs", "--mac", "cmac-aes-128", "--policy", "asvs-5.0", "--details"];
    let text = bench().right(&list);
    assert_eq!(line(&text, "asvs-5.0"), ["asvs-5.0", "legacy"]);
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(spaced.contains("approved: “| AES-CMAC | … | A | |” (Message"), "{text}");
    assert!(spaced.contains("legacy: “| AES-128 | … | L |” (Cipher Algorithms)"), "{text}");
    assert!(spaced.contains("https://github.com/OWASP/ASVS/"), "{text}");
    assert_narrow(&format!("list macs --policy {ALL} --details"));

    let mut json = list.to_vec();
    json.extend(["--format", "json"]);
    let rows: Value = serde_json::from_str(&bench().right(&json)).unwrap();
    let said = &rows[0]["policies"]["asvs-5.0"];
    assert_eq!((&said["status"], rows[0]["prf"].as_str()), (&"legacy".into(), Some("yes")));
    assert_eq!(said["rules"].as_array().unwrap().len(), 2);
    assert_eq!(said["rules"][0]["place"], "Message Authentication Codes (MAC)");
}

#[test]
fn policies_are_listed() {
    let text = bench().right(&["list", "policies"]);
    for name in ["asvs-5.0", "ietf-ipsec", "nist-2031"] {
        line(&text, name);
    }
    assert_narrow("list policies");
    let details = bench().right(&["list", "policies", "--details"]);
    assert!(details.contains("SP 800-131A Rev. 3") && details.contains("draft"), "{details}");
    assert_narrow("list policies --details");
}

#[test]
fn a_policy_of_ones_own_is_read_and_refused_in_one_line() {
    let ours = "name = \"ours\"\ntitle = \"Ours\"\ndocument = \"Guideline\"\nversion = \"3\"\n\
                url = \"https://example.org\"\n[[rule]]\nmacs = [\"hmac-*\"]\n\
                status = \"legacy\"\nquote = \"No more HMAC.\"\nplace = \"section 1\"\n";
    let bench = Bench::with(&[
        ("ours.toml", ours),
        ("quoteless.toml", &ours.replace("quote", "note")),
        ("nomac.toml", &ours.replace("hmac-*", "hmca-sha256")),
        ("fine.toml", &ours.replace("\"legacy\"", "\"fine\"")),
    ]);
    let text =
        bench.right(&["list", "macs", "--mac", "hmac-sha*,umac-64", "--policy", "ours.toml"]);
    assert_eq!(line(&text, "hmac-sha3-256").last(), Some(&"legacy"));
    assert_eq!(line(&text, "umac-64").last(), Some(&"silent"));
    let list = |policy| bench.wrong(&["list", "macs", "--policy", policy]);
    for (policy, words) in [
        ("quoteless.toml", &["quoteless.toml: line 6", "lacks quote"][..]),
        ("nomac.toml", &["nomac.toml: line 7", "hmca-sha256", "did you mean hmac-sha256"]),
        ("fine.toml", &["fine.toml: line 8", "\"fine\"", "approved, allowed, legacy or disallow"]),
        ("missing.toml", &["cannot read the policy missing.toml"]),
        ("asvs", &["did you mean asvs-5.0?"]),
        ("ours.toml,ours.toml", &["given twice"]),
    ] {
        let error = list(policy);
        assert!(words.iter().all(|word| error.contains(word)), "{policy}: {error}");
    }
    let error = bench.wrong(&["list", "studies", "--policy", "asvs-5.0"]);
    assert!(error.contains("list macs --policy"), "{error}");
}
