//! `selftest` as a user calls it.

use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::bench::Bench;

/// A case of RFC 4493 with another tag, key or result.
fn case(id: &str, mac: &str, key: &str, tag: &str, more: &str) -> String {
    format!(
        r#"{{"id":"{id}","mac":"{mac}","key":"{key}","tag":"{tag}",
            "msg":"6bc1bee22e409f96e93d7e117393172a"{more}}}"#
    )
}

const KEY: &str = "2b7e151628aed2a6abf7158809cf4f3c";
const TAG: &str = "070a16b46b4d4144f79bdd9dd04a287c";
const WRONG: &str = "070a16b46b4d4144f79bdd9dd04a287d";

fn selftest(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_macrometer"));
    command.arg("selftest").args(arguments).stdin(Stdio::null()).output().unwrap()
}

/// Output and exit code of a self-test of `macs` alone, with these cases.
fn with_cases(cases: &[String]) -> (String, i32) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("cases.json");
    std::fs::write(&file, format!("[{}]", cases.join(","))).unwrap();
    let file = file.to_str().unwrap();
    let output = selftest(&["--provider", "macs", "--vectors", file]);
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap())
}

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

#[test]
fn what_is_built_in_passes_and_providers_agree() {
    let output = selftest(&["--provider", "macs,rustcrypto", "--random", "30", "--seed", "7"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(last_line(&text).ends_with(" passed, 0 failed"), "{text}");
    let passed: usize = last_line(&text).split(' ').next().unwrap().parse().unwrap();
    assert!(passed > 500, "{text}");
    assert!(text.contains("random inputs (--seed 7)"), "{text}");
}

/// Cargo leaves it beside this test where the whole workspace is tested.
#[test]
fn the_c_library_passes() {
    let test = std::env::current_exe().unwrap();
    let built = test.with_file_name("libmacs_c.so");
    if !built.is_file() {
        println!("skipped: macs-c: not built here (cargo build -p macs-c)");
        return;
    }
    let place = format!("macs-c={}", built.display());
    let output = selftest(&["--provider", "macs,macs-c", "--lib", &place, "--random", "10"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let passed: usize = last_line(&text).split(' ').next().unwrap().parse().unwrap();
    assert!(passed > 500 && text.contains("macs-c"), "{text}");
}

/// Our own library in other languages, where a variable names what was built of it.
#[test]
fn the_wheel_and_the_npm_package_pass() {
    for (provider, variable) in
        [("macs-python", "MACROMETER_TEST_MACS_PYTHON"), ("macs-wasm", "MACROMETER_TEST_MACS_WASM")]
    {
        let Some(built) = std::env::var_os(variable) else {
            println!("skipped: {provider}: {variable} names no build of it");
            continue;
        };
        let built = std::env::split_paths(&built).next().expect("a path");
        let place = format!("{provider}={}", built.display());
        let output = selftest(&["--provider", provider, "--lib", &place]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(last_line(&text).ends_with(" passed, 0 failed"), "{text}");
        let has_blake2 = !text.contains("not tested: blake2");
        assert!(has_blake2 && text.contains(provider), "{text}");
    }
}

#[test]
fn right_and_wrong_tags_are_told_apart() {
    let valid = |tag| case("a", "cmac-aes-128", KEY, tag, "");
    let invalid = |tag| case("b", "cmac-aes-128", KEY, tag, r#","result":"invalid""#);
    let (text, code) = with_cases(&[valid(TAG), invalid(WRONG)]);
    assert_eq!((last_line(&text), code), ("2 passed, 0 failed", 0), "{text}");
    let (text, code) = with_cases(&[valid(WRONG), valid(TAG)]);
    assert_eq!((last_line(&text), code), ("1 passed, 1 failed", 1), "{text}");
    assert!(text.contains(&format!("FAILED: macs: cmac-aes-128: tag {TAG} instead of")), "{text}");
    let (text, code) = with_cases(&[invalid(TAG)]);
    assert_eq!((last_line(&text), code), ("0 passed, 1 failed", 1), "{text}");
    assert!(text.contains("it accepts an invalid tag (b)"), "{text}");
}

#[test]
fn tags_are_cut_only_where_the_case_says_so() {
    let cut = |tag, bits, result| {
        let more = format!(r#","tag_bits":{bits},"result":"{result}""#);
        case("a", "cmac-aes-128", KEY, tag, &more)
    };
    let (text, code) = with_cases(&[
        cut(&TAG[..8], 32, "valid"),
        cut(&TAG[..8], 128, "invalid"),
        cut("", 0, "invalid"),
    ]);
    assert_eq!((last_line(&text), code), ("3 passed, 0 failed", 0), "{text}");
    let (text, code) = with_cases(&[cut(&TAG[..8], 128, "valid")]);
    assert_eq!((last_line(&text), code), ("0 passed, 1 failed", 1), "{text}");
}

#[test]
fn refusals_and_macs_that_nobody_has_count_as_neither() {
    let refused = case("short", "cmac-aes-128", &KEY[2..], TAG, "");
    let nobody = case("x", "poetry-mac", KEY, TAG, "");
    let right = case("right", "cmac-aes-128", KEY, TAG, "");
    let (text, code) = with_cases(&[refused.clone(), nobody.clone(), right]);
    assert_eq!((last_line(&text), code), ("1 passed, 0 failed", 0), "{text}");
    assert!(text.contains("refused: macs: cmac-aes-128: takes a key of 16 bytes"), "{text}");
    assert!(text.contains("not tested: poetry-mac: 1 case\n"), "{text}");
    // An invalid case is right to be refused.
    let invalid = case("i", "cmac-aes-128", &KEY[2..], TAG, r#","result":"invalid""#);
    let (text, code) = with_cases(&[invalid]);
    assert_eq!((last_line(&text), code), ("1 passed, 0 failed", 0), "{text}");
    // Nothing tested is no success.
    let (_, code) = with_cases(&[refused, nobody]);
    assert_eq!(code, 2);
}

#[test]
fn single_blocks_and_compositions_are_proved_too() {
    let block = case("b", "block-aes-128", KEY, "3ad77bb40d7a3660a89ecaf32466ef97", "");
    // Test case 2 of McGrew and Viega.
    let gcm = |tag: &str, result: &str| {
        format!(
            r#"{{"id":"g","mac":"gcm-aes-128","key":"00000000000000000000000000000000",
                "nonce":"000000000000000000000000","msg":"00000000000000000000000000000000",
                "ct":"0388dace60b6a392f328c2b971b2fe78","tag":"{tag}","result":"{result}"}}"#
        )
    };
    let tag = "ab6e47d42cec13bdf53a67b21257bddf";
    let (text, code) =
        with_cases(&[block, gcm(tag, "valid"), gcm(&tag.replace("df", "de"), "invalid")]);
    assert_eq!((last_line(&text), code), ("3 passed, 0 failed", 0), "{text}");
    let (text, code) = with_cases(&[gcm(tag, "invalid")]);
    assert_eq!((last_line(&text), code), ("0 passed, 1 failed", 1), "{text}");
}

/// What a self-test by a policy tells of one provider.
fn by_policy(policy: &str, provider: &str) -> (serde_json::Value, String) {
    let arguments = ["--policy", policy, "--provider", provider];
    let text = selftest(&arguments);
    assert_eq!(text.status.code(), Some(0), "{}", String::from_utf8_lossy(&text.stderr));
    let json = selftest(&[&arguments[..], &["--json"]].concat());
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    (json["providers"][0].clone(), String::from_utf8(text.stdout).unwrap())
}

#[test]
fn short_hmac_keys_are_told_as_computed_by_who_does_not_refuse_them() {
    for provider in ["macs", "rustcrypto", "openssl"] {
        // The others are built in.
        if provider == "openssl" && Bench::new().libcrypto().is_none() {
            continue;
        }
        let (told, text) = by_policy("nist-2031", provider);
        let answers = told["answers"].as_array().unwrap();
        let of = |question: &str, mac: &str| {
            let fits = |answer: &&serde_json::Value| {
                answer["question"] == question && answer["mac"] == mac
            };
            answers.iter().filter(fits).collect::<Vec<_>>()
        };
        let short = of("short-key", "hmac-sha256");
        assert!(short.len() > 1, "a line for each call of {provider}");
        for answer in short {
            let all: Vec<u64> = (1..16).map(|bytes| 8 * bytes).collect();
            assert_eq!(answer["computed_bits"], serde_json::json!(all), "{provider}");
            assert_eq!(
                (&answer["least_bits"], &answer["least_by"]),
                (&128.into(), &"policy".into())
            );
        }
        assert_eq!(of("disallowed", "hmac-sha1")[0]["computed_bits"], serde_json::json!([160]));
        assert_eq!(of("approved", "cmac-aes-128")[0]["computed_bits"], serde_json::json!([128]));
        // Its key has one length.
        assert!(
            of("short-key", "cmac-aes-128").is_empty() && of("approved", "poly1305").is_empty()
        );
        let said = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains("It certifies nothing") && said.contains("OPENSSL_CONF"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
}

#[test]
fn short_tags_are_asked_for_where_the_library_is_told_their_length() {
    let (told, text) = by_policy("asvs-5.0", "macs");
    let answers = told["answers"].as_array().unwrap();
    let short: Vec<_> = answers.iter().filter(|it| it["question"] == "short-tag").collect();
    assert_eq!(short[0]["mac"], "ccm-aes-192", "{short:?}");
    assert_eq!(short[0]["computed_bits"], serde_json::json!([32, 48, 64, 80, 96, 112]));
    assert!(text.contains("short tags"), "{text}");
    // Where the policy names no key length, that of the specification holds.
    let key = answers.iter().find(|it| it["question"] == "short-key").unwrap();
    assert_eq!(key["least_by"], "specification", "{key}");
}

#[test]
fn a_library_in_fips_mode_is_seen_to_refuse() {
    let listed = Bench::new().json(&["list", "providers"]);
    let gcrypt = listed.as_array().unwrap().iter().find(|row| row["name"] == "gcrypt").unwrap();
    let Some(version) = gcrypt["version"].as_str() else {
        println!("skipped: no libgcrypt here");
        return;
    };
    if !version.starts_with("1.10.") {
        println!("skipped: what libgcrypt {version} refuses in FIPS mode is not known");
        return;
    }
    let output = Command::new(env!("CARGO_BIN_EXE_macrometer"))
        .args(["selftest", "--policy", "nist-2031", "--provider", "gcrypt", "--json"])
        .env("LIBGCRYPT_FORCE_FIPS_MODE", "1")
        .output()
        .unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{error}");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["variables_set"], serde_json::json!(["LIBGCRYPT_FORCE_FIPS_MODE"]));
    let gcrypt = &told["providers"][0];
    let answers = gcrypt["answers"].as_array().unwrap();
    let short = answers.iter().find(|it| it["question"] == "short-key").unwrap();
    let refused: Vec<u64> = (1..14).map(|bytes| 8 * bytes).collect();
    assert_eq!(short["refused_bits"], serde_json::json!(refused), "{short}");
    assert_eq!(short["computed_bits"], serde_json::json!([112, 120]), "{short}");
    assert!(gcrypt["absent_disallowed"]["cmac-tdes-3"].is_string(), "{gcrypt}");
}

#[test]
fn a_policy_that_is_none_is_refused_with_the_nearest() {
    for (arguments, words) in [
        (&["--policy", "fips"][..], "nearest in meaning is nist-2031"),
        (&["--policy", "FIPS 140-3"], "available: asvs-5.0, ietf-ipsec, nist-2031; nearest"),
        (&["--policy", "owasp"], "nearest in meaning is asvs-5.0"),
        (&["--policy", "nonsuch"], "available: asvs-5.0, ietf-ipsec, nist-2031"),
        (&["--policy", "/no/such.toml"], "cannot read the policy"),
        (&["--policy", "nist-2031", "--random", "3"], "cannot be used with"),
        (&["--json"], "only with --policy"),
    ] {
        let output = selftest(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
        assert!(error.contains(words) && output.stdout.is_empty(), "{error}");
    }
}

#[test]
fn files_that_are_none_are_named_in_one_line() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("f.json");
    for (content, words) in [
        ("", "not an array of cases"),
        ("{}", "not an array of cases"),
        (r#"[{"id":"a","mac":"m","key":"0","msg":"","tag":""}]"#, "case 1 (\"a\"): key: not hex"),
    ] {
        std::fs::write(&file, content).unwrap();
        let output = selftest(&["--vectors", file.to_str().unwrap()]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
        assert!(error.contains("f.json: ") && error.contains(words), "{error}");
    }
    let output = selftest(&["--vectors", "/no/such/file"]);
    assert_eq!(output.status.code(), Some(2));
    let output = selftest(&["--provider", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
}
