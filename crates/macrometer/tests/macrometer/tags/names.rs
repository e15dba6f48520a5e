//! Names of files, and the layouts of lines.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::*;

/// Names that trouble one program or another, and how they stand in a line where they are escaped.
fn odd_names() -> Vec<(OsString, Option<&'static str>)> {
    let plain = [
        "a",
        "a b",
        " a",
        "a ",
        "  ",
        "*a",
        "-z",
        "--mac",
        "a\tb",
        "#a",
        "(a)",
        "a) = b",
        ") = 0a",
        "= ",
        "a\"b'c",
        "$HOME",
        "`id`",
        "é",
        "日本",
        "\u{feff}a",
        "a\u{1b}[31m",
        "OK",
        "a: OK",
        "\u{7f}",
        ".a",
        "a%s",
        "hmac-sha256 (a) = 00",
        "00  a",
    ];
    let escaped = [
        ("a\nb", "a\\nb"),
        ("\n", "\\n"),
        ("a\r", "a\\r"),
        ("\r\n", "\\r\\n"),
        ("\\", "\\\\"),
        ("a\\nb", "a\\\\nb"),
        ("\\\n\\", "\\\\\\n\\\\"),
    ];
    let mut names: Vec<_> = plain.map(|name| (OsString::from(name), None)).into();
    names.extend(escaped.map(|(name, shown)| (OsString::from(name), Some(shown))));
    names.push((OsString::from("x".repeat(255)), None));
    names.push((OsString::from_vec(vec![0xff, 0xfe, b'a', 0x80]), None));
    names.push((OsString::from_vec((0x80..=0xff).collect()), None));
    names
}

/// The bench with a file of each odd name, whose content is its number.
fn bench_of_names() -> (KeyBench, Vec<OsString>) {
    let bench = KeyBench::new();
    let names: Vec<OsString> = odd_names().into_iter().map(|(name, _)| name).collect();
    for (number, name) in names.iter().enumerate() {
        bench.write(name, number.to_string());
    }
    (bench, names)
}

#[test]
fn lines_are_those_of_sha256sum_byte_for_byte() {
    let (bench, _) = bench_of_names();
    for (number, (name, escaped)) in odd_names().into_iter().enumerate() {
        let tag = expected(number.to_string().as_bytes());
        let (backslash, shown) = match escaped {
            Some(shown) => ("\\", OsStr::new(shown)),
            None => ("", name.as_os_str()),
        };
        let (shown, plain) = (shown.as_bytes(), name.as_bytes());
        let (dashes, bsd) = (OsStr::new("--"), OsStr::new("--format=bsd"));
        let gnu = [backslash.as_bytes(), tag.as_bytes(), b"  ", shown, b"\n"].concat();
        assert_eq!(bench.tag(&[dashes, &name]), gnu, "{name:?}");
        let line = [backslash.as_bytes(), b"hmac-sha256 (", shown, b") = ", tag.as_bytes(), b"\n"];
        assert_eq!(bench.tag(&[bsd, dashes, &name]), line.concat(), "{name:?}");
        let zero = [tag.as_bytes(), b"  ", plain, b"\0"].concat();
        assert_eq!(bench.tag(&[OsStr::new("-z"), dashes, &name]), zero, "{name:?}");
        let line = [b"hmac-sha256 (", plain, b") = ", tag.as_bytes(), b"\0"].concat();
        assert_eq!(bench.tag(&[OsStr::new("-z"), bsd, dashes, &name]), line, "{name:?}");
    }
}

/// Where GNU's own program is: its lines and ours differ in the checksums only.
#[test]
fn sha256sum_writes_the_same_lines_but_for_the_checksums() {
    let (bench, names) = bench_of_names();
    let arguments: Vec<OsString> = [OsString::from("--")].into_iter().chain(names).collect();
    let mut sha256sum = Command::new("sha256sum");
    let Ok(theirs) = sha256sum.args(&arguments).current_dir(bench.folder()).output() else {
        eprintln!("skipped: no sha256sum here");
        return;
    };
    let names_of = |text: &[u8]| -> Vec<Vec<u8>> {
        let without_checksum = |line: &[u8]| {
            let begin = usize::from(line.starts_with(b"\\"));
            [&line[..begin], &line[begin + 64..]].concat()
        };
        text.strip_suffix(b"\n")
            .unwrap()
            .split(|byte| *byte == b'\n')
            .map(without_checksum)
            .collect()
    };
    assert_eq!(names_of(&bench.tag(&arguments)), names_of(&theirs.stdout));
}

#[test]
fn what_tag_writes_verify_reads() {
    let (bench, names) = bench_of_names();
    for options in [&[][..], &["--format=bsd"], &["-z"], &["-z", "--format=bsd"]] {
        let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
        arguments.push("--".into());
        arguments.extend(names.iter().cloned());
        bench.write("list", bench.tag(&arguments));
        let zero = if options.contains(&"-z") { " -z" } else { "" };
        let ended = bench.verify(&format!("--check list{zero}"));
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{options:?}");
        let mut lines = ended.stdout.split(|byte| *byte == b'\n');
        for (name, escaped) in odd_names() {
            let shown = escaped.map_or(name.clone(), |shown| format!("\\{shown}").into());
            assert_eq!(lines.next().unwrap(), [shown.as_bytes(), b": OK"].concat());
        }
        assert_eq!(lines.next(), Some(&b""[..]));
    }
}

#[test]
fn names_in_messages_stay_in_one_line() {
    let bench = KeyBench::new();
    for (name, shown) in [("a\nb", "a\\nb: no such"), ("\u{1b}[2J", "\\u{1b}[2J"), ("", "\"\": no")]
    {
        let arguments = ["tag", "--mac", MAC, "--key-file", "key", name];
        bench.run(&arguments).is_refused_with(&[shown]);
        let arguments = ["tag", "--mac", MAC, "--key-file", name, "key"];
        bench.run(&arguments).is_refused_with(&["key"]);
    }
}

#[test]
fn tags_are_cut_where_asked_and_not_below_four_bytes() {
    let bench = KeyBench::new();
    bench.write("m", "m");
    let whole = expected(b"m");
    for len in 4..=32 {
        let len_text = len.to_string();
        let line = bench.tag(&["--tag-len", &len_text, "m"]);
        assert_eq!(line, format!("{}  m\n", &whole[..2 * len]).into_bytes());
        bench.write("list", line);
        let with = format!("--check list --tag-len {len}");
        assert_eq!(bench.verify(&with).code, Some(0), "{len}");
        let without = bench.verify("--check list");
        assert_eq!(without.code, Some(if len == 32 { 0 } else { 2 }), "{len}: {without:?}");
        let other =
            bench.verify(&format!("--check list --tag-len {}", if len == 4 { 5 } else { 4 }));
        assert_eq!(other.code, Some(2), "{len}: {other:?}");
    }
    for (len, words) in [
        ("0", &["--tag-len 0", "at least 4", "guessed"][..]),
        ("3", &["at least 4"]),
        ("33", &["--tag-len 33", "hmac-sha256", "32 bytes"]),
        ("18446744073709551615", &["32 bytes"]),
        ("-1", &["-1"]),
        ("x", &["--tag-len"]),
    ] {
        for verb in ["tag", "verify --tag 00"] {
            let line = format!("{verb} --mac {MAC} --key-file key --tag-len {len} m");
            bench.words(&line).is_refused_with(words);
        }
    }
}
