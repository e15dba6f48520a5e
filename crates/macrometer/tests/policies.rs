//! The status of MACs by documents, as a user asks for it.

mod bench;

use bench::Bench;
use serde_json::Value;

fn bench() -> Bench {
    Bench::with(&[])
}

/// The first line that begins with this word, as words.
fn line<'a>(text: &'a str, first: &str) -> Vec<&'a str> {
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    lines.find(|words| words.first() == Some(&first)).unwrap_or_else(|| panic!("{first}: {text}"))
}

fn assert_narrow(text: &str) {
    for line in text.lines() {
        let is_address = line.contains("https://");
        assert!(line.chars().count() <= 80 || is_address, "{line}");
    }
}

impl Bench {
    fn narrow(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).env("COLUMNS", "80").output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn every_mac_has_a_status_by_each_policy() {
    let text = bench().narrow(&["list", "macs", "--policy", "asvs-5.0,ietf-ipsec,nist-2031"]);
    let of = |mac: &str| line(&text, mac).split_off(line(&text, mac).len() - 3);
    assert_eq!(of("hmac-sha256"), ["approved"; 3]);
    assert_eq!(of("hmac-sha1"), ["legacy", "allowed", "disallowed"]);
    assert_eq!(of("cmac-aes-128"), ["legacy", "allowed", "approved"]);
    assert_eq!(of("vmac128-aes-128"), ["silent"; 3]);
    assert_eq!(text.matches("DRAFT").count(), 1, "{text}");
    assert_narrow(&text);
}

#[test]
fn the_words_of_the_documents_are_shown_on_request() {
    let list = ["list", "macs", "--mac", "cmac-aes-128", "--policy", "asvs-5.0", "--details"];
    let text = bench().narrow(&list);
    assert_eq!(line(&text, "asvs-5.0"), ["asvs-5.0", "legacy"]);
    let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(spaced.contains("approved: “| AES-CMAC | … | A | |” OWASP"), "{text}");
    assert!(spaced.contains("legacy: “| AES-128 | … | L |” OWASP"), "{text}");
    assert!(spaced.contains("https://github.com/OWASP/ASVS/"), "{text}");
    assert_narrow(&text);

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
    let text = bench().narrow(&["list", "policies"]);
    for name in ["asvs-5.0", "ietf-ipsec", "nist-2031"] {
        line(&text, name);
    }
    assert_narrow(&text);
    let details = bench().narrow(&["list", "policies", "--details"]);
    assert!(details.contains("SP 800-131A Rev. 3") && details.contains("draft"), "{details}");
    assert_narrow(&details);
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
        ("ours.toml,ours.toml", &["asked for twice"]),
    ] {
        let error = list(policy);
        assert!(words.iter().all(|word| error.contains(word)), "{policy}: {error}");
    }
    let error = bench.wrong(&["list", "studies", "--policy", "asvs-5.0"]);
    assert!(error.contains("list macs --policy"), "{error}");
}
