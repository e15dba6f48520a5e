//! Lines that a worker may be sent by whoever runs it, in every language: each has a reply of one
//! line, and the worker lives on.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::Tried;
use crate::bed::{self, Bed, PATIENCE, ended, kill};

const VERBS: [&str; 17] = [
    "info",
    "pool",
    "open",
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

const WORDS: [&str; 36] = [
    "0",
    "1",
    "2",
    "16",
    "64",
    "4096",
    "-1",
    "65536",
    "4294967295",
    "9223372036854775807",
    "18446744073709550655",
    "18446744073709551615",
    "18446744073709551616",
    "x",
    "-",
    "",
    "00",
    "0",
    "zz",
    "hmac-sha256",
    "cmac-aes-128",
    "gcm-aes-128",
    "eax-aes-128",
    "eax-aes-128-se",
    "prepared",
    "new-key",
    "one-shot",
    "single",
    "latency",
    "batch-4",
    "keys-1000",
    "pooled-3-free-apparent",
    "segments-memory-transaction",
    "segments-disk-transaction",
    "{}",
    "../../x",
];

/// Lines that one worker is sent.
const LINES: usize = 500;

/// One line of so many ends the worker before, and so is one that asks for much work tried.
const ENDING_ONE_OF: usize = 1500;
const LONG_ONE_OF: usize = 4;

/// For work that may take an hour: whoever asks for it waits as long as he likes.
const PATIENCE_OF_LONG: Duration = Duration::from_secs(3);

/// What was seen beside replies.
#[derive(Default)]
struct Seen {
    closed: u64,
    long: u64,
    at_work: u64,
}

/// What a line asks for.
enum Asks {
    Reply,
    /// The worker's end, though a reply will do.
    End,
    /// So much that it may take an hour.
    Much,
}

pub fn run(tried: &mut Tried) {
    let bed = Bed::new(tried.program(), "lines", tried.seed);
    bed.let_find_runtimes(true);
    // Compiling them is no trying.
    let begun = Instant::now();
    let (workers, absent) = workers(&bed);
    tried.until = tried.until.map(|until| until + begun.elapsed());
    for reason in absent {
        tried.without(&reason);
    }
    let mut counts = vec![0; workers.len()];
    let mut seen = Seen::default();
    while tried.has_time() {
        // Our own has the most requests.
        let half = 2 * workers.len();
        let at = tried.random.below(half).saturating_sub(workers.len());
        counts[at] += talk(&bed, tried, &workers[at], &mut seen);
    }
    for ((name, _), count) in workers.iter().zip(counts) {
        tried.note(format!("{name}: {count} lines"));
    }
    let Seen { closed, long, at_work } = seen;
    tried.figure(format!("{closed} closed the worker in order"));
    tried.figure(format!("{long} asked for much, {at_work} of them still at work after 3 s"));
    tried.look_around(&bed);
}

type Worker = (&'static str, Vec<String>);

/// How each is started: those that must be compiled are found in the cache, once they were sought.
fn workers(bed: &Bed) -> (Vec<Worker>, Vec<String>) {
    let mut all = vec![("macs", vec![]), ("absent", vec![])];
    let mut absent = vec![];
    for language in ["go", "java", "node", "python"] {
        match command(bed, language) {
            Ok(command) => all.push((language, command)),
            Err(reason) => absent.push(format!("{language}: {reason}")),
        }
    }
    (all, absent)
}

fn command(bed: &Bed, language: &'static str) -> Result<Vec<String>, String> {
    let plan = ["plan", "--provider", language, "--mac", "hmac-sha256", "--size", "64"];
    let sought = bed.prepare(&plan);
    if sought.code() != Some(0) {
        return Err(sought.stderr.trim().to_owned());
    }
    let built = || {
        let folders = std::fs::read_dir(bed::cache().join("macrometer/built"));
        let folders = folders.into_iter().flatten().flatten().map(|it| it.path());
        let is_it = |path: &Path| path.to_string_lossy().contains(&format!("/{language}-"));
        folders.filter(|path| is_it(path)).find(|path| path.is_dir()).ok_or("nothing was built")
    };
    let workers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../workers");
    let text = |path: &Path| path.to_string_lossy().into_owned();
    Ok(match language {
        "go" => vec![text(&built()?.join("worker.exe")), "go".into()],
        "java" => {
            let worker = ["macrometer.Worker", "java"].map(str::to_owned);
            [vec!["java".into(), "-cp".into(), text(built()?.as_path())], worker.into()].concat()
        }
        "node" => {
            let script = text(&workers.join("node/macrometer_worker.js"));
            vec!["node".into(), "--expose-gc".into(), script]
        }
        _ => vec!["python3".into(), text(&workers.join("python/macrometer_worker.py"))],
    })
}

/// How many lines one worker was sent.
fn talk(bed: &Bed, tried: &mut Tried, (name, command): &Worker, seen: &mut Seen) -> u64 {
    let mut command: Command = match (*name, &command[..]) {
        // A library that is nowhere.
        ("absent", _) => bed.command(&["worker", "openssl", "/nowhere/libcrypto.so"]),
        (_, []) => bed.command(&["worker", "macs"]),
        (_, [program, arguments @ ..]) => {
            bed.other(program, &arguments.iter().map(String::as_str).collect::<Vec<_>>())
        }
    };
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program to start");
    let mut input = child.stdin.take().expect("a pipe");
    let output = child.stdout.take().expect("a pipe");
    let (sender, replies) = channel();
    let reader = thread::spawn(move || {
        for reply in BufReader::new(output).split(b'\n') {
            if reply.is_err() || sender.send(reply.unwrap_or_default()).is_err() {
                return;
            }
        }
    });
    let (mut sent, mut is_at_work) = (0, false);
    for _ in 0..LINES {
        let (line, asks) = line(tried);
        let is_sent = input.write_all(&line).and_then(|()| input.flush()).is_ok();
        let is_long = matches!(asks, Asks::Much);
        let reply = replies.recv_timeout(if is_long { PATIENCE_OF_LONG } else { PATIENCE });
        let words: [&[u8]; 3] = [b"ok ", b"err ", b"not-installed "];
        let is_reply = |reply: &[u8]| words.iter().any(|word| reply.starts_with(word));
        // How it has ended is looked at below.
        let is_end = matches!(asks, Asks::End) && reply == Err(RecvTimeoutError::Disconnected);
        is_at_work = is_long && reply == Err(RecvTimeoutError::Timeout);
        let is_right = is_sent && (is_end || is_at_work || reply.is_ok_and(|it| is_reply(&it)));
        let shown = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
        tried.one((!is_right).then(|| format!("{name}: {shown:?}: no reply")));
        sent += 1;
        seen.long += u64::from(is_long);
        seen.at_work += u64::from(is_at_work);
        let is_closed = matches!(asks, Asks::End);
        seen.closed += u64::from(is_closed && is_right);
        if !is_right || is_at_work {
            kill(&child, "-KILL");
        }
        if !is_right || is_at_work || is_closed {
            break;
        }
    }
    drop(input);
    let ended = ended(child, PATIENCE);
    let _ = reader.join();
    if let Some(broken) = ended.is_broken().filter(|_| !is_at_work) {
        tried.failures.push(format!("{name}: the worker: {broken}"));
    }
    sent
}

fn line(tried: &mut Tried) -> (Vec<u8>, Asks) {
    let random = &mut tried.random;
    let mut line = Vec::new();
    match random.below(10) {
        0 => line.extend((0..random.below(300)).map(|_| random.next() as u8)),
        1 => line.extend(format!("pool {}", "00".repeat(random.below(6000))).bytes()),
        2 | 3 => {
            let keys = "00".repeat(30 + random.below(20));
            let mac = *random.pick(&["hmac-sha256", "cmac-aes-128", "eax-aes-128-se"]);
            let life = *random.pick(&["prepared", "new-key", "one-shot"]);
            let regime = *random.pick(&WORDS[26..]);
            let len = *random.pick(&WORDS[..13]);
            let id = random.below(3);
            line.extend(format!("open {id} {mac} {life} {regime} {len} {keys}").bytes());
        }
        4 => {
            let (id, verb) =
                (random.below(3), random.pick(&["prove", "run", "single", "segments"]));
            line.extend(format!("{verb} {id} {}", 1 + random.below(20)).bytes());
        }
        // Now and then one that is longer than any worker takes.
        5 if random.below(400) == 0 => line.resize((1 << 26) + random.below(100), b'0'),
        _ => {
            line.extend(random.pick(&VERBS).bytes());
            for _ in 0..random.below(8) {
                line.push(b' ');
                line.extend(random.pick(&WORDS).bytes());
            }
        }
    }
    // One line.
    line.retain(|byte| *byte != b'\n');
    let is_long = [&b"run "[..], b"single ", b"alternate ", b"segments ", b"faults "];
    let is_long = is_long.iter().any(|verb| line.starts_with(verb))
        && line.windows(5).any(|it| it == b"65536" || it == b"42949");
    let mut asks = if is_long { Asks::Much } else { Asks::Reply };
    if is_long && random.below(LONG_ONE_OF) > 0 {
        line.clear();
        asks = Asks::Reply;
    }
    if random.below(ENDING_ONE_OF) == 0 {
        line =
            (*random.pick(&[&b"close"[..], b"close ", b"close 0", b"close\t", b"close\r"])).into();
    }
    if line.starts_with(b"close") {
        asks = Asks::End;
    }
    line.push(b'\n');
    (line, asks)
}
