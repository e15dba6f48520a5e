//! Files and standard streams that are no plain files, or that fail.

use super::*;

#[test]
fn what_can_be_read_has_a_tag() {
    let bench = KeyBench::new();
    let large: Vec<u8> = (0..3 << 20).map(|at: u32| (at >> 7) as u8).collect();
    bench.write("m", "m");
    bench.write("empty", "");
    bench.write("large", &large);
    let with = format!("--mac {MAC} --key-file key");
    let (m, empty, large) = (expected(b"m"), expected(b""), expected(&large));
    for (line, out) in [
        (
            format!("$M tag {with} m empty large"),
            format!("{m}  m\n{empty}  empty\n{large}  large\n"),
        ),
        (format!("$M tag {with} <m"), format!("{m}  -\n")),
        (format!("$M tag {with} - <m"), format!("{m}  -\n")),
        (format!("$M tag {with} empty - <m"), format!("{empty}  empty\n{m}  -\n")),
        (format!("cat large | $M tag {with}"), format!("{large}  -\n")),
        (
            format!("(printf 'a'; sleep 0.1; printf 'b') | $M tag {with}"),
            format!("{}  -\n", expected(b"ab")),
        ),
        (format!("$M tag {with} --format bsd <m"), format!("hmac-sha256 (-) = {m}\n")),
        (format!("$M tag {with} /dev/null"), format!("{empty}  /dev/null\n")),
        (format!("$M tag {with} </dev/null"), format!("{empty}  -\n")),
        (format!("mkfifo f; cat large >f & $M tag {with} f; rm f"), format!("{large}  f\n")),
        (format!("ln -s m link; $M tag {with} link"), format!("{m}  link\n")),
        (format!("$M tag {with} m m"), format!("{m}  m\n{m}  m\n")),
        (format!("$M tag {with} -- m"), format!("{m}  m\n")),
        (format!("$M tag {with} m | $M verify {with} -c -"), "m: OK\n".into()),
        (format!("$M tag {with} <m >l; $M verify {with} -c l <m"), "-: OK\n".into()),
        (format!("$M tag {with} m 2>&-"), format!("{m}  m\n")),
        (format!("$M tag {with} m </dev/null >out 2>/dev/null; cat out"), format!("{m}  m\n")),
    ] {
        let ended = bench.shell(&line);
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{line}");
        assert_eq!(ended.text(), out, "{line}");
    }
}

/// Files that cannot be read are named, those around them get their tags, and nothing is said of a
/// file that was read in part.
#[test]
fn what_cannot_be_read_is_named_and_the_rest_goes_on() {
    let bench = KeyBench::new();
    bench.write("m", "m");
    bench.write("secret", "s");
    std::os::unix::fs::symlink("loop", bench.path("loop")).unwrap();
    std::os::unix::fs::symlink("nowhere", bench.path("dangling")).unwrap();
    let long = "x".repeat(4096);
    let too_long = "x".repeat(256);
    let mut cases = vec![
        ("nothing", "nothing: no such file or directory"),
        (".", ".: is a directory"),
        ("..", "..: is a directory"),
        ("loop", "loop: too many levels of symbolic links"),
        ("dangling", "dangling: no such file"),
        ("m/", "m/: not a directory"),
        ("m/m", "m/m: not a directory"),
        ("", "\"\": no such file"),
        (&long, "file name too long"),
        (&too_long, "file name too long"),
        ("secret", "secret: permission denied"),
    ];
    if std::path::Path::new("/proc/self/mem").exists() {
        cases.push(("/proc/self/mem", "/proc/self/mem: input/output error"));
    }
    bench.lock("secret");
    let m = format!("{}  m\n", expected(b"m"));
    for (name, words) in cases {
        let ended = bench.stopped(&["tag", "--mac", MAC, "--key-file", "key", "m", name, "m"]);
        assert_eq!((ended.code, ended.text()), (Some(2), m.repeat(2).as_str()), "{name}");
        assert_eq!(ended.stderr.lines().count(), 1, "{ended:?}");
        assert!(ended.stderr.contains(words), "{words:?} is not in {ended:?}");
        bench.stopped(&["tag", "--mac", MAC, "--key-file", "key", name]).is_refused_with(&[words]);
    }
}

#[test]
fn results_that_do_not_arrive_are_an_error() {
    let bench = KeyBench::new();
    bench.write("m", "m");
    let with = format!("--mac {MAC} --key-file key");
    bench.write("list", bench.tag(&["m"]).repeat(20_000));
    bench.write("names", "m ".repeat(20_000));
    let cases: &[(String, &str)] = &[
        (format!("$M tag {with} m >/dev/full"), "No space left"),
        (format!("$M tag {with} -z m >/dev/full"), "No space left"),
        (format!("$M tag {with} $(cat names) >/dev/full"), "No space left"),
        (format!("$M tag {with} m >&-"), "standard output: is closed"),
        (format!("$M tag {with} m <&- >&-"), "standard output: is closed"),
        (format!("$M keygen --mac {MAC} - >/dev/full"), "No space left"),
        (format!("$M keygen --mac {MAC} --key-format raw - >/dev/full"), "No space left"),
        (format!("$M keygen --mac {MAC} - >&-"), "standard output: is closed"),
        (format!("$M verify {with} -c list >/dev/full"), "No space left"),
        (format!("head -1 list | $M verify {with} -c - >/dev/full"), "No space left"),
        (format!("$M verify {with} -c list >&-"), "standard output: is closed"),
        (format!("$M tag {with} m 1</dev/null"), "Bad file descriptor"),
    ];
    for (line, words) in cases {
        let ended = bench.shell(line);
        ended.is_refused_with(&["standard output", words]);
    }
    for verb in [format!("tag {with} $(cat names)"), format!("verify {with} -c list")] {
        let gone = bench.shell(&format!("($M {verb}; echo $? >code) | head -1"));
        assert!(gone.stderr.contains("standard output cannot be written"), "{verb}: {gone:?}");
        assert_eq!(std::fs::read_to_string(bench.path("code")).unwrap(), "2\n", "{verb}");
    }
    // Who wants the exit code alone says so.
    let closed = format!("$M verify {with} -c list --status >&-");
    assert_eq!(bench.shell(&closed).code, Some(0));
    bench.write("m", "n");
    assert_eq!(bench.shell(&closed).code, Some(1));
}

#[test]
fn standard_input_is_read_once_and_not_when_closed() {
    let bench = KeyBench::new();
    bench.write("m", "m");
    let with = format!("--mac {MAC}");
    bench.write("list", format!("{}  -\n", expected(b"m")));
    let cases: &[(String, &str)] = &[
        (format!("$M tag {with} --key-file key <&-"), "standard input: is closed"),
        (
            format!("$M tag {with} --key-file - m <&-"),
            "standard input: the key cannot be read: is closed",
        ),
        (
            format!("$M tag {with} --key-fd 0 m <&-"),
            "--key-fd 0: the key cannot be read: is closed",
        ),
        (format!("$M verify {with} --key-file key -c - <&-"), "standard input: is closed"),
        (format!("$M tag {with} --key-file - <key"), "was already read as the key"),
        (format!("$M tag {with} --key-fd 0 - <key"), "was already read as the key"),
        (format!("$M verify {with} --key-file - -c - <key"), "was already read as the key"),
        (format!("$M tag {with} --key-file key <."), "is a directory"),
    ];
    for (line, words) in cases {
        bench.shell(line).is_refused_with(&[words]);
    }
    let twice = bench.shell(&format!("$M tag {with} --key-file key - - <m"));
    assert_eq!((twice.code, twice.text()), (Some(2), format!("{}  -\n", expected(b"m")).as_str()));
    assert!(twice.stderr.contains("was already read as a message"), "{twice:?}");
    let from_list = bench.shell(&format!("$M verify {with} --key-file key -c - <list"));
    assert_eq!((from_list.code, from_list.text()), (Some(2), "-: FAILED open or read\n"));
    assert!(from_list.stderr.contains("was already read as the list"), "{from_list:?}");
}

#[test]
fn usage_errors_are_one_line() {
    let bench = KeyBench::new();
    bench.write("m", "m");
    let cases: &[(&str, &[&str])] = &[
        ("tag --key-file key m", &["--mac"]),
        ("tag --mac hmac-sha256 m", &["--key-file"]),
        ("tag --mac hmac-sha265 --key-file key m", &["hmac-sha265", "did you mean", "hmac-sha256"]),
        ("tag --mac HMAC-SHA256 --key-file key m", &["did you mean", "hmac-sha256"]),
        ("tag --mac poetry --key-file key m", &["poetry", "macrometer list macs"]),
        ("tag --mac  --key-file key m", &["unknown MAC \"\""]),
        ("tag --mac hmac-sha256 --key-file key --nonce 00 m", &["--nonce", "takes none"]),
        ("tag --mac hmac-sha256 --key-file key --format csv m", &["csv", "gnu", "bsd"]),
        ("tag --mac hmac-sha256 --key-file key --customization x m", &["no customization string"]),
        ("tag --mac hmac-sha256 --key-file key --frobnicate m", &["--frobnicate"]),
        ("tag --mac hmac-sha256 --mac hmac-sha1 --key-file key m", &["--mac"]),
        ("tag --mac hmac-sha256 --key 00 m", &["--key"]),
        ("verify --mac hmac-sha256 --key-file key", &["--check"]),
        ("verify --mac hmac-sha256 --key-file key --check", &["--check"]),
        ("verify --mac hmac-sha265 --key-file key --check m", &["did you mean"]),
        ("keygen --mac hmac-sha256 a b", &["'b'"]),
    ];
    for (line, words) in cases {
        bench.words(line).is_refused_with(words);
    }
    assert!(bench.words("tag --help").text().contains("standard input is read"));
    assert!(bench.words("verify --help").text().contains("1 if a tag does not match"));
    assert!(bench.words("keygen --help").text().contains("never overwritten"));
}
