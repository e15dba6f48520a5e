//! Go's benchmark format, which `benchstat` compares: a line for each launch, so that its test sees
//! launches, not calls, as repetitions (<https://go.dev/design/14313-benchmark-format>).

use std::fmt::Write as _;

use lab::record::Run;

use super::{Format, Measured, measured};
use crate::Findings;

pub(super) const FORMAT: Format = Format {
    name: "benchstat",
    title: "Go's benchmark format, one line per launch, for benchstat",
    write,
};

fn write(run: &Run, findings: &Findings) -> String {
    let (study, cpu) = (&run.study.name, crate::format::processor(&run.machine));
    let head = [
        ("goos", OS.to_owned()),
        ("goarch", ARCH.to_owned()),
        ("pkg", format!("macrometer/{study}")),
        ("cpu", cpu),
    ];
    let mut text = String::new();
    for (key, value) in head {
        let _ = writeln!(text, "{key}: {}", one_line(&value));
    }
    for own in measured(run, findings) {
        lines(&own, &mut text);
    }
    text
}

/// Go's names of what this was measured on, as far as they differ from Rust's.
const OS: &str = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
const ARCH: &str = match std::env::consts::ARCH.as_bytes() {
    b"x86_64" => "amd64",
    b"aarch64" => "arm64",
    _ => std::env::consts::ARCH,
};

fn lines(own: &Measured<'_>, text: &mut String) {
    let mut name = "BenchmarkMac".to_owned();
    for (key, value) in own.labels() {
        let _ = write!(name, "/{key}={}", plain(&value));
    }
    let len = own.cell().mean_len_bytes();
    for (ns, calls) in &own.launches {
        let _ = write!(text, "{name} {calls} {ns} ns/op");
        if len > 0.0 {
            let _ = write!(text, " {} MB/s", len * 1e3 / ns);
        }
        text.push('\n');
    }
}

/// A value of the head: another line in it would be another key, or a result.
fn one_line(value: &str) -> String {
    words::legible(value).replace('\n', " ")
}

/// A value without what ends a name or a part of it, or does something to a terminal.
fn plain(value: &str) -> String {
    let is_plain =
        |letter: char| !letter.is_whitespace() && letter != '/' && !words::is_control(letter);
    value.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_add_no_line_and_do_nothing_to_a_terminal() {
        let mut run = synthetic::survey();
        run.study.name = "a\nBenchmarkMac/x 1 1 ns/op".into();
        run.machine.cpu_model = "CPU\rb\u{202e}\ngoos: plan9".into();
        let own = run.cells.iter_mut().map(|it| &mut it.cell.candidate.provider);
        own.filter(|it| *it == "macs").for_each(|it| *it = "a\u{202e}b".into());
        let text = write(&run, &Findings::of(&run));
        let head: Vec<&str> = text.lines().take(4).collect();
        assert_eq!(head[2], "pkg: macrometer/a BenchmarkMac/x 1 1 ns/op");
        assert!(head[3].starts_with("cpu: CPU\u{fffd}b\u{fffd} goos: plan9"), "{head:?}");
        assert!(text.lines().skip(4).all(|line| line.starts_with("BenchmarkMac/part=")), "{text}");
        assert!(text.contains("/provider=a_b/"));
    }
}
