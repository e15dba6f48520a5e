//! Lists: what is verified, what is refused, and which exit code tells it.

use super::*;

/// A bench with `a` and `b`; the lines that verify them.
fn bench() -> (KeyBench, String, String) {
    let bench = KeyBench::new();
    bench.write("a", "content of a");
    bench.write("b", "content of b");
    let (a, b) = (expected(b"content of a"), expected(b"content of b"));
    (bench, format!("{a}  a\n"), format!("{b}  b\n"))
}

#[test]
fn lists_that_are_verified() {
    let (bench, a, b) = bench();
    let tag = expected(b"content of a");
    let path = bench.path("a").display().to_string();
    let folder = path.rsplit('/').nth(1).unwrap().to_owned();
    let long_name = format!("{}a", "./".repeat(1000));
    for (list, names) in [
        (a.clone(), &["a"][..]),
        (format!("{a}{b}"), &["a", "b"]),
        (format!("{a}{a}{a}"), &["a", "a", "a"]),
        (a.trim_end().into(), &["a"]),
        (format!("{a}{b}").replace('\n', "\r\n"), &["a", "b"]),
        (format!("\u{feff}{a}"), &["a"]),
        (format!("\u{feff}{a}{b}").replace('\n', "\r\n"), &["a", "b"]),
        (format!("{}  a\n", tag.to_uppercase()), &["a"]),
        (format!("{tag} *a\n"), &["a"]),
        (format!("hmac-sha256 (a) = {tag}\n{b}"), &["a", "b"]),
        (format!("{b}hmac-sha256 (a) = {}\r\n", tag.to_uppercase()), &["b", "a"]),
        (format!("# a comment\n\n{a}\r\n\n#{b}"), &["a"]),
        (format!("\\{tag}  a\n"), &["a"]),
        (format!("{tag}  ./a\n"), &["./a"]),
        (format!("{tag}  {path}\n"), &[&path]),
        (format!("{tag}  ../{folder}/a\n"), &[&format!("../{folder}/a")]),
        (format!("{tag}  {long_name}\n"), &[&long_name]),
    ] {
        let ok: String = names.iter().map(|name| format!("{name}: OK\n")).collect();
        bench.write("list", &list);
        for (options, lines) in [("", ok.as_str()), (" --quiet", ""), (" --status", "")] {
            let ended = bench.verify(&format!("--check list{options}"));
            assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{list:?}");
            assert_eq!(ended.text(), lines, "{list:?}");
        }
        let piped = bench.shell(&format!("$M verify --mac {MAC} --key-file key -c - <list"));
        assert_eq!((piped.code, piped.text()), (Some(0), ok.as_str()), "{list:?}");
    }
}

/// Where neither `--mac` nor the key file names the MAC, the first BSD line does, for all lines.
#[test]
fn a_list_names_its_mac() {
    let (bench, a, b) = bench();
    let tag = expected(b"content of a");
    let bsd = format!("hmac-sha256 (a) = {tag}\n");
    let verify = |list: &str| {
        bench.write("list", list);
        bench.words("verify --key-file key --check list")
    };
    let ended = verify(&format!("{bsd}{b}"));
    assert_eq!((ended.code, ended.text(), &*ended.stderr), (Some(0), "a: OK\nb: OK\n", ""));
    let ended = verify(&format!("{bsd}hmac-sha512 (a) = {tag}{tag}\n"));
    assert_eq!((ended.code, ended.text()), (Some(2), "a: OK\n"));
    assert!(ended.stderr.contains("line 2: a tag of \"hmac-sha512\", not of hmac-sha256"));
    let ended = verify(&format!("{a}hmac-nonsuch (a) = {tag}\n{bsd}"));
    assert_eq!((ended.code, ended.text()), (Some(2), "a: OK\n"));
    assert!(ended.stderr.contains("line 1: no MAC is named, by --mac"), "{}", ended.stderr);
    assert!(ended.stderr.contains("line 2: unknown MAC \"hmac-nonsuch\""), "{}", ended.stderr);
    verify(&format!("cbc-mac-aes-128 (a) = {tag}\n")).is_refused_with(&["broken", "--insecure"]);
    verify(&format!("cmac-aes-128 (a) = {tag}\n")).is_refused_with(&["key: ", "16 bytes"]);

    // A key that names its MAC is for no other, whatever the list says.
    bench.private("named", format!("mac: hmac-sha512\n{KEY}"));
    bench.write("list", &bsd);
    let ended = bench.words("verify --key-file named --check list");
    assert_eq!((ended.code, ended.text()), (Some(2), ""));
    assert!(ended.stderr.contains("a tag of \"hmac-sha256\", not of hmac-sha512"));
}

/// A line that is none is named, and those around it are verified all the same.
#[test]
fn lines_that_are_none_are_named() {
    let (bench, a, b) = bench();
    let tag = expected(b"content of a");
    let (neither, hex, length) = ("neither `TAG  NAME`", "is not hex", "not of 32");
    for (line, why) in [
        ("junk", neither),
        (" ", neither),
        ("\t", neither),
        (&tag, neither),
        (&format!("{tag} a"), neither),
        (&format!("{tag}\ta"), neither),
        (&format!(" {tag}  a"), neither),
        (&format!("  {tag}  a"), length),
        (&format!("{tag}  "), "no file name"),
        (&format!("hmac-sha256 () = {tag}"), "no file name"),
        (&format!("hmac-sha256 (a) = {tag} "), hex),
        (&format!("hmac-sha256 (a) {tag}"), neither),
        (&format!("hmac-sha256(a) = {tag}"), neither),
        (&format!("hmac-sha512 (a) = {tag}"), "\"hmac-sha512\", not of hmac-sha256"),
        (&format!("HMAC-SHA256 (a) = {tag}"), "\"HMAC-SHA256\", not of hmac-sha256"),
        (&format!("SHA256 (a) = {tag}"), "\"SHA256\", not of hmac-sha256"),
        (&format!("{}  a", &tag[1..]), hex),
        (&format!("{}  a", &tag[2..]), length),
        (&format!("{}  a", &tag[..8]), length),
        (&format!("{tag}00  a"), length),
        ("  a", length),
        (&format!("{}g  a", &tag[1..]), hex),
        (&format!("0x{}  a", &tag[2..]), hex),
        (&format!("00:{tag}  a"), "takes none"),
        (&format!(":{tag}  a"), "takes none"),
        (&format!("\\{tag}  a\\"), "starts no escape"),
        (&format!("\\{tag}  a\\t"), "starts no escape"),
        (&format!("\\\\{tag}  a"), hex),
        (&format!("{tag}  a\0"), "zero byte"),
        (&format!("{tag}\0  a"), hex),
        (&format!("\u{feff}{tag}  a"), hex),
        (&"x".repeat(1 << 20), "longer than 65536 bytes"),
        (&format!("{tag}  {}", "a".repeat(1 << 16)), "longer than 65536 bytes"),
    ] {
        bench.write("list", format!("{a}{line}\n{b}"));
        let ended = bench.verify("--check list");
        let short = &line[..line.len().min(99)];
        assert_eq!((ended.code, ended.text()), (Some(2), "a: OK\nb: OK\n"), "{short:?}");
        let lines: Vec<&str> = ended.stderr.lines().collect();
        assert_eq!(lines.len(), 2, "{short:?}: {lines:?}");
        assert!(lines[0].starts_with("macrometer: list: line 2: "), "{short:?}: {lines:?}");
        assert!(lines[0].contains(why), "{short:?}: {lines:?}");
        assert_eq!(lines[1], "macrometer: WARNING: 1 line is improperly formatted");
        let wrong = b.replacen(&b[..8], "00000000", 1);
        bench.write("list", format!("{a}{line}\n{wrong}"));
        assert_eq!(bench.verify("--check list").code, Some(1), "a mismatch is graver: {short:?}");
        bench.write("list", format!("\n{line}\n"));
        let ended = bench.verify("--check list");
        assert_eq!((ended.code, ended.text()), (Some(2), ""), "{short:?}");
        assert!(ended.stderr.ends_with("list: no file was verified\n"), "{short:?}");
    }
}

#[test]
fn files_of_a_list_that_are_wrong_or_missing() {
    let (bench, a, b) = bench();
    let wrong = format!("{}  b\n", expected(b"content of a"));
    let missing = format!("{}  c\n", expected(b""));
    let folder = format!("{}  .\n", expected(b""));
    for (list, options, code, out, warned) in [
        (format!("{a}{wrong}"), "", 1, "a: OK\nb: FAILED\n", &["1 computed tag did NOT"][..]),
        (format!("{wrong}{wrong}"), "", 1, "b: FAILED\nb: FAILED\n", &["2 computed tags did NOT"]),
        (format!("{a}{wrong}"), "--quiet", 1, "b: FAILED\n", &["1 computed tag"]),
        (format!("{a}{wrong}"), "--status", 1, "", &[]),
        (
            format!("{a}{missing}{b}"),
            "",
            2,
            "a: OK\nc: FAILED open or read\nb: OK\n",
            &["c: no such file", "1 listed file could not be read"],
        ),
        (
            format!("{a}{missing}"),
            "--quiet",
            2,
            "c: FAILED open or read\n",
            &["c: no such", "1 listed"],
        ),
        (format!("{a}{missing}"), "--status", 2, "", &["c: no such"]),
        (format!("{a}{missing}"), "--ignore-missing", 0, "a: OK\n", &[]),
        (format!("{missing}{wrong}"), "--ignore-missing", 1, "b: FAILED\n", &["1 computed tag"]),
        (
            format!("{missing}{wrong}"),
            "",
            1,
            "c: FAILED open or read\nb: FAILED\n",
            &["c: no such", "1 listed file", "1 computed tag"],
        ),
        (missing.clone(), "--ignore-missing", 2, "", &["list: no file was verified"]),
        (missing.clone(), "--ignore-missing --status", 2, "", &["list: no file was verified"]),
        (
            format!("{a}{folder}"),
            "--ignore-missing",
            2,
            "a: OK\n.: FAILED open or read\n",
            &[".: is a directory", "1 listed file"],
        ),
        (String::new(), "", 2, "", &["list: no file was verified"]),
        ("\n\n# nothing\n".into(), "", 2, "", &["list: no file was verified"]),
        ("\u{feff}".into(), "", 2, "", &["list: no file was verified"]),
    ] {
        bench.write("list", &list);
        let ended = bench.verify(format!("--check list {options}").trim_end());
        assert_eq!((ended.code, ended.text()), (Some(code), out), "{list:?} {options}: {ended:?}");
        assert_eq!(ended.stderr.lines().count(), warned.len(), "{list:?} {options}: {ended:?}");
        for (line, words) in ended.stderr.lines().zip(warned) {
            assert!(line.contains(words), "{list:?} {options}: {ended:?}");
        }
    }
}

#[test]
fn one_file_against_one_tag() {
    let (bench, ..) = bench();
    let tag = expected(b"content of a");
    for (arguments, code, out) in [
        (format!("--tag {tag} a"), 0, "a: OK\n"),
        (format!("--tag {} a", tag.to_uppercase()), 0, "a: OK\n"),
        (format!("--tag {tag} a --quiet"), 0, ""),
        (format!("--tag {tag} a --status"), 0, ""),
        (format!("--tag {tag} b"), 1, "b: FAILED\n"),
        (format!("--tag {tag} b --quiet"), 1, "b: FAILED\n"),
        (format!("--tag {tag} b --status"), 1, ""),
        (format!("--tag {tag} c"), 2, "c: FAILED open or read\n"),
        (format!("--tag {tag} ."), 2, ".: FAILED open or read\n"),
        (format!("--tag {} a --tag-len 4", &tag[..8]), 0, "a: OK\n"),
        (format!("--tag {} b --tag-len 4", &tag[..8]), 1, "b: FAILED\n"),
    ] {
        let ended = bench.verify(&arguments);
        assert_eq!((ended.code, ended.text()), (Some(code), out), "{arguments}: {ended:?}");
        assert_eq!(ended.stderr.lines().count(), usize::from(code == 2), "{arguments}");
    }
    let piped = bench.shell(&format!("$M verify --mac {MAC} --key-file key --tag {tag} <a"));
    assert_eq!((piped.code, piped.text()), (Some(0), "-: OK\n"));
    let cases: &[(String, &[&str])] = &[
        (format!("--tag {} a", &tag[..8]), &["--tag: a tag of 4 bytes", "--tag-len"]),
        (format!("--tag {tag}00 a"), &["--tag: a tag of 33 bytes"]),
        (format!("--tag {tag} a --tag-len 4"), &["of 32 bytes, not of 4"]),
        ("--tag zz a".into(), &["--tag: the tag is not hex"]),
        ("--tag  a".into(), &["--tag: a tag of 0 bytes"]),
        (format!("--tag 00:{tag} a"), &["--tag: ", "takes none"]),
        (format!("--tag {tag} a b"), &["'b'"]),
        (format!("--tag {tag} --check list"), &["cannot be used with"]),
        (format!("--tag {tag} --ignore-missing a"), &["cannot be used with"]),
        (format!("--tag {tag} -z a"), &["cannot be used with"]),
        ("--check list a".into(), &["cannot be used with"]),
        ("--check nothing".into(), &["nothing: no such file"]),
        ("a".into(), &["--check"]),
        (format!("--tag {tag} --customization x a"), &["takes no customization string"]),
    ];
    for (arguments, words) in cases {
        bench.verify(arguments).is_refused_with(words);
    }
    let unreadable = bench.verify("--check .");
    assert_eq!((unreadable.code, unreadable.text()), (Some(2), ""));
    assert!(unreadable.stderr.contains(".: is a directory"), "{unreadable:?}");
}

#[test]
fn a_flipped_bit_is_never_verified() {
    let bench = KeyBench::new();
    let message = b"8 bytes.";
    let flips = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let flip = |at: usize| {
            let mut flipped = bytes.to_vec();
            flipped[at / 8] ^= 1 << (at % 8);
            flipped
        };
        (0..8 * bytes.len()).map(flip).collect()
    };
    bench.write("m", message);
    let tag = expected(message);

    let tags = flips(&hex::decode(&tag).unwrap());
    let lines: String = tags.iter().map(|tag| format!("{}  m\n", hex::encode(tag))).collect();
    bench.write("list", lines);
    let ended = bench.verify("--check list");
    assert_eq!((ended.code, ended.text()), (Some(1), "m: FAILED\n".repeat(256).as_str()));

    let mut lines = String::new();
    for (number, message) in flips(message).into_iter().enumerate() {
        bench.write(number.to_string(), message);
        lines += &format!("{tag}  {number}\n");
    }
    bench.write("list", lines);
    let ended = bench.verify("--check list --quiet");
    assert_eq!((ended.code, ended.text().matches(": FAILED\n").count()), (Some(1), 64));

    for key in flips(&hex::decode(KEY).unwrap()) {
        bench.private("key", hex::encode(key));
        assert_eq!(bench.verify(&format!("--tag {tag} m")).code, Some(1));
    }
}

#[test]
fn a_long_list_is_read_line_by_line() {
    let (bench, a, b) = bench();
    bench.write("list", format!("{}{}x\n{b}", a.repeat(5000), "junk\n".repeat(3)));
    let ended = bench.verify("--check list");
    assert_eq!((ended.code, ended.text().lines().count()), (Some(2), 5001));
    for number in 5001..=5004 {
        assert!(ended.stderr.contains(&format!("list: line {number}: ")), "{ended:?}");
    }
    assert!(ended.stderr.ends_with("4 lines are improperly formatted\n"));
}
