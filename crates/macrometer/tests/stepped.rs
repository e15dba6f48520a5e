//! What is left out is not executed: workers that are held do all that they offer, and are stopped
//! again and again meanwhile, for a few instructions one by one, which are looked at. A switch that
//! a library does not know, or a path that forgets to ask, would be seen.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use providers::{Kind, ROWS, restriction};
use serde_json::Value;
use words::{Extension, Without};

/// Instructions that are looked at whenever the worker is stopped, and how long it runs between.
const STEPS: usize = 48;
const PAUSE: Duration = Duration::from_micros(800);

/// What it is asked for meanwhile: messages of this length, one by one and in batches, of each kind
/// until it was stopped so often.
const STOPS_EACH: usize = 3;
const MESSAGES: usize = 32;
const LEN_BYTES: usize = 2048;
const BATCH: &str = "batch-64";

/// Which extension an instruction belongs to, by its first bytes (Intel's manual, volume 2).
fn extension(code: &[u8]) -> Option<Extension> {
    let prefixes = code.iter().take_while(|byte| matches!(byte, 0x66 | 0x67 | 0xF2 | 0xF3));
    let (plain, rest) = (code[0] != 0x66, &code[prefixes.count()..]);
    match *rest {
        // EVEX: nothing else begins so in 64-bit code.
        [0x62, ..] => Some(Extension::Avx512),
        // VEX with 256 bits: VAESENC to VAESDECLAST, VPCLMULQDQ; and VSHA512.
        [0xC4, map, last, opcode, ..] => match (map & 0x1F, last & 4 != 0, opcode) {
            (2, true, 0xDC..=0xDF) | (3, true, 0x44) => Some(Extension::Vaes),
            (2, true, 0xCB..=0xCD) if last & 3 == 3 => Some(Extension::Sha),
            // Masks, which came with AVX-512.
            (1, _, 0x41..=0x4B | 0x90..=0x93 | 0x98 | 0x99) | (3, _, 0x30..=0x33) => {
                Some(Extension::Avx512)
            }
            _ => None,
        },
        [0xC5, _, 0x41..=0x4B | 0x90..=0x93 | 0x98 | 0x99, ..] => Some(Extension::Avx512),
        _ => {
            let legacy = &rest[usize::from(matches!(rest[0], 0x40..=0x4F))..];
            let is_sha = matches!(legacy, [0x0F, 0x38, 0xC8..=0xCD, ..] | [0x0F, 0x3A, 0xCC, ..]);
            (is_sha && plain).then_some(Extension::Sha)
        }
    }
}

/// What was seen of a worker while it did all that it offers.
struct Seen {
    steps: usize,
    extensions: BTreeSet<Extension>,
    /// What it says of itself, or that it refuses.
    info: Result<Value, String>,
}

/// The other side of a worker: asks for tags under every key life and in batches.
fn asked(requests: impl Write, replies: impl Read, stops: &AtomicUsize) -> Result<Value, String> {
    let (mut requests, mut replies) = (requests, BufReader::new(replies).lines());
    let mut ask = |request: &str| -> Result<Value, String> {
        writeln!(requests, "{request}").expect("it listens");
        let reply = replies.next().expect("it answers").expect("text");
        let ok = reply.strip_prefix("ok ").ok_or_else(|| format!("{request}: {reply}"))?;
        Ok(serde_json::from_str(ok).expect("JSON"))
    };
    let info = ask("info")?;
    ask(&format!("pool {}", "5a".repeat(LEN_BYTES + 15 * 64)))?;
    let has_batches =
        info["regimes"].as_array().is_some_and(|all| all.iter().any(|it| it == BATCH));
    for offer in info["offers"].as_array().expect("a list") {
        let mac = offer["mac"].as_str().expect("a name");
        let Some(catalogued) = macs::find(mac) else { continue };
        // Where a key is made of two, they differ.
        let keys = 0..catalogued.key_len_bytes + 15;
        let keys: String = keys.map(|place| format!("{:02x}", place as u8)).collect();
        for life in offer["key_lives"].as_array().expect("a list") {
            let life = life.as_str().expect("a word");
            let in_batches = has_batches && life != "one-shot";
            for regime in ["single", BATCH].iter().take(1 + usize::from(in_batches)) {
                ask(&format!("open 1 {mac} {life} {regime} {LEN_BYTES} {keys}"))?;
                let until = stops.load(Relaxed) + STOPS_EACH;
                while stops.load(Relaxed) < until {
                    ask(&format!("run 1 {MESSAGES}"))?;
                }
            }
        }
    }
    Ok(info)
}

fn watched(mut worker: Child) -> nix::Result<Seen> {
    let pid = Pid::from_raw(worker.id() as i32);
    let memory = File::open(format!("/proc/{pid}/mem")).expect("the memory of an own child");
    ptrace::seize(pid, ptrace::Options::empty())?;
    let (stdin, stdout) = (worker.stdin.take().expect("piped"), worker.stdout.take());
    let stops = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&stops);
    let asking = std::thread::spawn(move || asked(stdin, stdout.expect("piped"), &seen));
    let (mut steps, mut extensions) = (0, BTreeSet::new());
    while !asking.is_finished() && ptrace::interrupt(pid).is_ok() {
        let Some(mut signal) = stopped(pid)? else { break };
        for _ in 0..STEPS {
            let mut code = [0x90; 16];
            // Fewer bytes where the code ends.
            let _ = memory.read_at(&mut code[..15], ptrace::getregs(pid)?.rip);
            extensions.extend(extension(&code));
            steps += 1;
            // A signal of its own goes on to it: one for a CPUID that trapped.
            ptrace::step(pid, signal)?;
            let Some(next) = stopped(pid)? else { break };
            signal = next;
        }
        stops.fetch_add(1, Relaxed);
        let _ = ptrace::cont(pid, signal);
        std::thread::sleep(PAUSE);
    }
    let info = asking.join().expect("it asks to the end");
    let _ = worker.kill();
    while stopped(pid).is_ok_and(|it| it.is_some()) {}
    Ok(Seen { steps, extensions, info })
}

/// Waits until it stands; the signal that it shall have then. `None` where it has ended.
fn stopped(pid: Pid) -> nix::Result<Option<Option<Signal>>> {
    Ok(match waitpid(pid, Some(WaitPidFlag::__WALL))? {
        WaitStatus::Exited(..) | WaitStatus::Signaled(..) => None,
        WaitStatus::Stopped(_, Signal::SIGTRAP) => Some(None),
        WaitStatus::Stopped(_, signal) => Some(Some(signal)),
        _ => Some(None),
    })
}

fn worker(name: &str, without: &Without, variables: restriction::Variables) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_macrometer"));
    command.args(["worker", name]).envs(variables);
    if !without.is_empty() {
        command.args(["--without", &without.to_string()]);
    }
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    piped.spawn().expect("it starts")
}

#[test]
fn no_worker_executes_what_is_left_out() {
    let all: Without = restriction::present(&Extension::ALL.to_vec().into());
    if all.is_empty() {
        return println!("skipped: this processor has nothing that can be left out");
    }
    // The control: what is not left out is seen.
    let free = match watched(worker("macs", &Without::default(), vec![])) {
        Ok(seen) => seen,
        Err(error) => {
            assert!(std::env::var_os("CHECK_STRICT").is_none(), "CHECK_STRICT is set, and {error}");
            return println!("skipped: this system lets no process be watched: {error}");
        }
    };
    println!("macs, free: {:?} in {} steps", free.extensions, free.steps);
    free.info.expect("macs does all that it offers");
    // With AVX-512 there, VAES is mostly of its registers.
    let mut expected = all.extensions().iter().filter(|it| **it != Extension::Vaes);
    assert!(expected.all(|it| free.extensions.contains(it)), "{:?}", free.extensions);
    restriction::restrict(all.clone()).expect("nothing was left out before");
    let rows = ROWS.iter().filter(|row| matches!(row.kind, Kind::InProcess(_)));
    let held: Vec<_> = rows
        .filter_map(|row| match row.restricted() {
            Ok(variables) => Some((row.name, variables)),
            Err(reason) => {
                println!("{}: {reason}", row.name);
                None
            }
        })
        .collect();
    // Whoever starts a worker watches it, and two of them take half the time.
    let (halves, all) = ([0, 1], &all);
    let watch_half = |half| {
        let watch = |(name, variables): &(&'static str, _)| {
            let seen = watched(worker(name, all, Vec::clone(variables))).expect("as before");
            (*name, seen)
        };
        held.iter().skip(half).step_by(2).map(watch).collect::<Vec<_>>()
    };
    let all_seen: Vec<_> = std::thread::scope(|scope| {
        let watching = halves.map(|half| scope.spawn(move || watch_half(half)));
        watching.into_iter().flat_map(|it| it.join().expect("it watches to the end")).collect()
    });
    let mut held_ones = 0;
    for (name, seen) in all_seen {
        if let Err(reason) = seen.info {
            assert!(reason.starts_with("info: "), "{name}: {reason}");
            println!("{name}: {reason}");
            continue;
        }
        println!("{name}: {:?} in {} steps", seen.extensions, seen.steps);
        assert!(seen.extensions.is_empty(), "{name}: {:?}", seen.extensions);
        held_ones += 1;
    }
    assert!(held_ones >= 3, "macs, null, and what is built in");
}

#[test]
fn instructions_are_told_apart_by_their_bytes() {
    let of = |code: &[u8]| {
        let mut bytes = [0x90; 16];
        bytes[..code.len()].copy_from_slice(code);
        extension(&bytes)
    };
    for (code, right) in [
        // vpaddd zmm0, zmm0, zmm1; kmovq k1, rax; kshiftrq k1, k1, 1
        (&[0x62, 0xF1, 0x7D, 0x48, 0xFE, 0xC1][..], Some(Extension::Avx512)),
        (&[0xC4, 0xE1, 0xFB, 0x92, 0xC8], Some(Extension::Avx512)),
        (&[0xC4, 0xE3, 0xF9, 0x31, 0xC9, 0x01], Some(Extension::Avx512)),
        // vaesenc ymm0, ymm0, ymm1; the same of xmm; vpclmulqdq ymm0, ymm0, ymm1, 0
        (&[0xC4, 0xE2, 0x7D, 0xDC, 0xC1], Some(Extension::Vaes)),
        (&[0xC4, 0xE2, 0x79, 0xDC, 0xC1], None),
        (&[0xC4, 0xE3, 0x7D, 0x44, 0xC1, 0x00], Some(Extension::Vaes)),
        // sha256rnds2 xmm1, xmm2; the same with REX; sha1rnds4 xmm1, xmm2, 0
        (&[0x0F, 0x38, 0xCB, 0xCA], Some(Extension::Sha)),
        (&[0x45, 0x0F, 0x38, 0xCB, 0xCA], Some(Extension::Sha)),
        (&[0x0F, 0x3A, 0xCC, 0xCA, 0x00], Some(Extension::Sha)),
        // vsha512rnds2 ymm0, ymm1, xmm2
        (&[0xC4, 0xE2, 0x77, 0xCB, 0xC2], Some(Extension::Sha)),
        // aesenc xmm0, xmm1; vpaddd ymm0, ymm0, ymm1; add rax, rsi
        (&[0x66, 0x0F, 0x38, 0xDC, 0xC1], None),
        (&[0xC5, 0xFD, 0xFE, 0xC1], None),
        (&[0x48, 0x01, 0xF0], None),
    ] {
        assert_eq!(of(code), right, "{code:x?}");
    }
}
