//! Lines that a worker may be sent by whoever runs it: each has a reply of one line, and the worker
//! lives on.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::Tried;
use crate::bed::{Bed, PATIENCE, ended, kill};

const VERBS: [&str; 16] = [
    "info",
    "pool",
    "open",
    "rekey",
    "prove",
    "run",
    "single",
    "alternate",
    "sessions",
    "tag",
    "seal",
    "unseal",
    "segments",
    "folder",
    "file",
    "cold",
];

const WORDS: [&str; 22] = [
    "0",
    "1",
    "2",
    "16",
    "64",
    "-1",
    "18446744073709551616",
    "x",
    "-",
    "",
    "00",
    "0",
    "zz",
    "hmac-sha256",
    "cmac-aes-128",
    "eax-aes-128",
    "prepared",
    "new-key",
    "single",
    "latency",
    "segments-memory-transaction",
    "../../x",
];

/// Lines that one worker is sent.
const LINES: usize = 500;

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "lines", tried.seed);
    while tried.has_time() {
        let mut command = bed.command(&["worker", "macs"]);
        let mut child = command.stdin(Stdio::piped()).spawn().expect("the program to start");
        let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return tried.one(Some("no pipes".into()));
        };
        let (sender, replies) = channel();
        let reader = thread::spawn(move || {
            for reply in BufReader::new(output).split(b'\n') {
                if reply.is_err() || sender.send(reply.unwrap_or_default()).is_err() {
                    return;
                }
            }
        });
        for _ in 0..LINES {
            let line = line(tried);
            let is_sent = input.write_all(&line).and_then(|()| input.flush()).is_ok();
            let reply = replies.recv_timeout(Duration::from_secs(20)).unwrap_or_default();
            let is_reply = reply.starts_with(b"ok ") || reply.starts_with(b"err ");
            let is_right = is_sent && is_reply;
            let shown = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
            tried.one((!is_right).then(|| format!("{shown:?}: no reply")));
            if !is_right {
                kill(&child, "-KILL");
                break;
            }
        }
        drop(input);
        let ended = ended(child, PATIENCE);
        let _ = reader.join();
        if let Some(broken) = ended.is_broken() {
            tried.one(Some(format!("the worker: {broken}")));
        }
    }
}

fn line(tried: &mut Tried) -> Vec<u8> {
    let random = &mut tried.random;
    let mut line = Vec::new();
    match random.below(8) {
        0 => line.extend((0..random.below(300)).map(|_| random.next() as u8)),
        1 => line.extend(format!("pool {}", "00".repeat(random.below(3000))).bytes()),
        2 => {
            let keys = "00".repeat(31 + random.below(3));
            line.extend(format!("open 1 hmac-sha256 prepared single 64 {keys}").bytes());
        }
        _ => {
            line.extend(random.pick(&VERBS).bytes());
            for _ in 0..random.below(8) {
                line.push(b' ');
                line.extend(random.pick(&WORDS).bytes());
            }
        }
    }
    // One line, and none that ends the worker.
    line.retain(|byte| *byte != b'\n');
    if line.starts_with(b"close") {
        line.clear();
    }
    line.push(b'\n');
    line
}
