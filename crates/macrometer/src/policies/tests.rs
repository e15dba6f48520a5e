use super::*;

fn mac(name: &str) -> &'static MacInfo {
    macs::find(name).unwrap()
}

/// A file with one rule, whose lines are given.
fn with_rule(lines: &str) -> String {
    let head = "name = \"mine\"\ntitle = \"Mine\"\ndocument = \"Rules\"\nversion = \"1\"\n";
    format!("{head}url = \"https://example.org\"\n\n[[rule]]\n{lines}")
}

const RULE: &str = "macs = [\"cmac-*\"]\nstatus = \"legacy\"\nquote = \"no\"\nplace = \"page 1\"\n";

/// Text with every run of white space as one space.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a quote's parts follow each other within one line.
fn quotes(quote: &str, line: &str) -> bool {
    let mut rest = line;
    quote.split('…').map(spaced).all(|part| match rest.find(&part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[test]
fn every_built_in_policy_is_named_as_its_file_and_quotes_a_source() {
    let policies = built_in().unwrap();
    let files = POLICIES.files().count();
    assert!(policies.len() == files && files >= 3, "{files} files");
    for policy in &policies {
        assert!(POLICIES.get_file(format!("{}.toml", policy.name)).is_some(), "{}", policy.name);
        for rule in &policy.rules {
            for text in [&rule.quote, &rule.document, &rule.version, &rule.place] {
                assert!(!is_blank(text), "{}: {:?}", policy.name, rule.macs);
            }
            assert!(rule.url.starts_with("https://"), "{}: {}", policy.name, rule.url);
        }
    }
}

#[test]
fn quotes_are_what_the_kept_source_says() {
    let mut checked = 0;
    for policy in built_in().unwrap() {
        let Some(source) = POLICIES.get_file(format!("sources/{}.md", policy.name)) else {
            continue;
        };
        let source = source.contents_utf8().unwrap();
        let lines: Vec<String> = source.lines().map(spaced).collect();
        for rule in &policy.rules {
            let is_there = lines.iter().any(|line| quotes(&rule.quote, line));
            assert!(is_there, "{}: {:?} is not in its source", policy.name, rule.quote);
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
    assert!(quotes("| A | … | D |", "| A | x | D |"));
    assert!(!quotes("| A | … | D |", "| A | x | L |") && !quotes("D … A", "A D"));
}

#[test]
fn policies_contradict_each_other_and_each_is_told() {
    let status = |policy: &str, name: &str| find(policy).unwrap().status(mac(name));
    for (name, by) in [
        ("hmac-sha256", [Status::Approved, Status::Approved, Status::Approved]),
        ("hmac-sha1", [Status::Legacy, Status::Allowed, Status::Disallowed]),
        ("hmac-md5", [Status::Disallowed, Status::Disallowed, Status::Silent]),
        ("cmac-aes-128", [Status::Legacy, Status::Allowed, Status::Approved]),
        ("cmac-aes-256", [Status::Approved, Status::Silent, Status::Approved]),
        ("blake3-keyed", [Status::Approved, Status::Silent, Status::Silent]),
        ("cmac-tdes-3", [Status::Disallowed, Status::Silent, Status::Disallowed]),
        ("poly1305", [Status::Silent; 3]),
    ] {
        for (policy, expected) in ["asvs-5.0", "ietf-ipsec", "nist-2031"].into_iter().zip(by) {
            assert_eq!(status(policy, name), expected, "{policy}: {name}");
        }
    }
    assert!(find("nist-2031").unwrap().is_draft);
}

#[test]
fn the_strictest_rule_holds_and_short_keys_and_tags_are_disallowed() {
    let asvs = find("asvs-5.0").unwrap();
    assert_eq!(asvs.rules(mac("cmac-aes-128")).count(), 2);
    let nist = find("nist-2031").unwrap();
    let hmac = |bits| nist.status_with(mac("hmac-sha256"), bits, 256);
    assert_eq!((hmac(127), hmac(128)), (Status::Disallowed, Status::Approved));
    let ccm = |bits| asvs.status_with(mac("ccm-aes-256"), 256, bits);
    assert_eq!((ccm(64), ccm(128)), (Status::Disallowed, Status::Approved));
    assert_eq!(nist.status_with(mac("hmac-sha1"), 160, 160), Status::Disallowed);
}

#[test]
fn a_rule_without_quote_document_or_place_is_refused_with_its_line() {
    let policy = Policy::parse(&with_rule(RULE), "mine.toml").unwrap();
    assert_eq!(policy.status(mac("cmac-aes-128")), Status::Legacy);
    assert_eq!(policy.rules[0].document, "Rules");
    let own = format!("{RULE}document = \"Others\"\n");
    let policy = Policy::parse(&with_rule(&own), "mine.toml").unwrap();
    assert_eq!((&policy.rules[0].document[..], &policy.rules[0].version[..]), ("Others", "1"));
    let cases = [
        (with_rule(&RULE.replace("quote = \"no\"\n", "")), "line 7: the rule lacks quote"),
        (with_rule(&RULE.replace("\"no\"", "\" \"")), "line 7: the rule lacks quote"),
        (with_rule(&RULE.replace("place = \"page 1\"\n", "")), "line 7: the rule lacks place"),
        (with_rule(&RULE.replace("\"no\"", "\"…\"")), "line 7: the rule lacks quote"),
        (with_rule(&RULE.replace("page 1", "\u{200b}")), "line 7: the rule lacks place"),
        (with_rule(RULE).replace("\"Rules\"", "\"—\""), "line 3: `document` has no letter"),
        (with_rule(RULE).replace("https:", "javascript:"), "line 5: `url` \"javascript:"),
        (with_rule(RULE).replace("https://example.org", "https://"), "line 5: `url` \"https://\":"),
        (with_rule(&format!("{RULE}url = \"data:x\"")), "line 12: `url` \"data:x\": must begin"),
        (with_rule(&format!("{RULE}version = \"\"")), "line 12: `version` is empty"),
        (with_rule(RULE).replace("\"mine\"", "\"../mine\""), "line 1: `name` \"../mine\": must be"),
        (with_rule(RULE).replace("\"mine\"", "\"a\\u001b[2J\""), "line 1: `name` \"a\\u{1b}[2J\""),
        (with_rule(RULE).replace("mine", &"m".repeat(65)), "line 1: `name`"),
        (
            with_rule(&format!("{RULE}tag_bits_min = 99999")),
            "line 12: tag_bits_min 99999: must be 1 to 512",
        ),
        (with_rule(&format!("{RULE}key_bits_min = 0")), "line 12: key_bits_min 0: must be 1 to"),
        (with_rule(""), "lacks macs: names or patterns; status: approved, allowed, legacy or"),
        (
            with_rule(&RULE.replace("cmac-*", "cmca-aes-128")),
            "line 8: unknown MAC \"cmca-aes-128\": did",
        ),
        (
            with_rule(&RULE.replace("\"legacy\"", "\"fine\"")),
            "line 9: status \"fine\": must be app",
        ),
        (with_rule(&RULE.replace("\"legacy\"", "\"silent\"")), "line 9: status \"silent\": MACs"),
        (with_rule(&RULE.replace("place", "page")), "line 11: unknown field `page`"),
        (with_rule(RULE).replace("document = \"Rules\"\n", ""), "missing field `document`"),
        (with_rule(RULE).replace("\"Rules\"", "\"\""), "line 3: `document` is empty"),
        (with_rule(RULE).replace("url = \"https", "url = https"), "line 5: "),
        (with_rule(RULE).replace("version = \"1\"", "version = 1"), "line 4: invalid type"),
    ];
    for (text, words) in cases {
        let error = Policy::parse(&text, "mine.toml").unwrap_err().to_string();
        assert!(error.starts_with("mine.toml: line "), "{error}");
        assert!(error.contains(words) && !error.contains('\n'), "{error:?} lacks {words:?}");
    }
}

#[test]
fn a_file_cannot_call_itself_by_a_built_in_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let found = |name: &str| {
        std::fs::write(&path, with_rule(RULE).replace("\"mine\"", &format!("{name:?}"))).unwrap();
        find(path.to_str().unwrap())
    };
    assert_eq!(found("mine").unwrap().name, "mine");
    let error = found("nist-2031").unwrap_err().to_string();
    assert!(error.contains("mine.toml: `name` \"nist-2031\" is that of a built-in"), "{error}");
}

#[test]
fn names_are_suggested() {
    assert!(find("asvs-50").unwrap_err().to_string().contains("did you mean asvs-5.0?"));
    let error = find("cnsa").unwrap_err().to_string();
    assert!(error.contains("available: asvs-5.0, ietf-ipsec, nist-2031, or name a .toml file"));
    assert!(find("/no/such.toml").unwrap_err().to_string().contains("/no/such.toml"));
}
