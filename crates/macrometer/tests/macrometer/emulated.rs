//! Processors that are not this one: every provider and every code path that it can be held to, on
//! processors that qemu emulates, as the worker that the lab would start there. What such a
//! processor cannot run is refused in one line, and nothing dies. The lab itself cannot be tested
//! so: the workers that it starts would run on the real processor.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::io::Write;
use std::process::{Command, Stdio};

use providers::{Kind, ROWS};

const QEMU: &str = "qemu-x86_64-static";

/// As of 2003; of 2013; the same under an operating system that does not save vector registers.
const PROCESSORS: [&str; 3] = ["qemu64", "Haswell", "Haswell,-xsave"];

type Variables = &'static [(&'static str, &'static str)];

/// Every name that a worker in our own binary goes by, with the variables that hold it to its path.
fn names() -> Vec<(String, Variables)> {
    let in_process = ROWS.iter().filter(|row| matches!(row.kind, Kind::InProcess(_)));
    let names = in_process.flat_map(|row| {
        let forced = (row.forced)().into_iter();
        let forced = forced.map(|it| (format!("{}[{}]", row.name, it.name), it.variables));
        [(row.name.to_owned(), &[][..])].into_iter().chain(forced)
    });
    names.collect()
}

/// What a worker answers to `info`; `processor` is this machine's own where there is none.
fn info(processor: Option<&str>, name: &str, variables: Variables) -> String {
    let own = env!("CARGO_BIN_EXE_macrometer");
    let mut command = match processor {
        None => Command::new(own),
        Some(processor) => {
            let mut command = Command::new(QEMU);
            command.args(["-cpu", processor, own]);
            command
        }
    };
    command.args(["worker", name]).envs(variables.iter().copied());
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut worker = piped.spawn().expect("it starts");
    worker.stdin.take().expect("piped").write_all(b"info\n").expect("it listens");
    let ended = worker.wait_with_output().expect("it ends");
    let said = String::from_utf8(ended.stdout).expect("text");
    let what = processor.unwrap_or("this processor");
    assert!(ended.status.success(), "{name} on {what}: {}: {said}", ended.status);
    assert_eq!(said.lines().count(), 1, "{name} on {what}: {said}");
    said
}

#[test]
fn a_path_that_a_processor_cannot_run_is_refused_before_it_is_entered() {
    if Command::new(QEMU).arg("--version").output().is_err() {
        assert!(std::env::var_os("CHECK_STRICT").is_none(), "CHECK_STRICT is set, and no {QEMU}");
        return println!("skipped: no {QEMU} (package qemu-user-static)");
    }
    let mut refused = Vec::new();
    for (name, variables) in names() {
        let is_here = info(None, &name, variables).starts_with("ok ");
        for processor in PROCESSORS {
            let said = info(Some(processor), &name, variables);
            let is_refused = !said.starts_with("ok ") && said.contains("this processor lacks ");
            assert!(!is_here || said.starts_with("ok ") || is_refused, "{name}: {said}");
            if is_refused {
                println!("{processor}: {}", said.trim_end());
                refused.push((processor, name.clone()));
            } else if processor == PROCESSORS[0] && name.contains('[') {
                // A path that this one can run, the others can. A library that is not held to one
                // chooses another on each.
                break;
            }
        }
    }
    let is_refused = |processor, name: &str| refused.contains(&(processor, name.to_owned()));
    assert!(is_refused("Haswell", "ipsec-mb[avx512]"), "by its name, wherever it is");
    assert!(is_refused("Haswell", "macs[vaes-512]") && is_refused("qemu64", "openssl[avx2]"));
    assert!(!is_refused("Haswell", "macs[avx2]") && !is_refused("qemu64", "gcrypt[soft]"));
}
