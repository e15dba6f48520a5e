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
    let mut text = format!("goos: {}\ngoarch: {}\npkg: macrometer/{}\n", OS, ARCH, run.study.name);
    let _ = writeln!(text, "cpu: {}", crate::format::processor(&run.machine));
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

/// A value without what ends a name or a part of it.
fn plain(value: &str) -> String {
    let is_plain = |letter: char| !letter.is_whitespace() && letter != '/' && !letter.is_control();
    value.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect()
}
