//! How much memory a context takes: resident bytes for each prepared tagger, and for each thread
//! that has one, of every in-process provider that offers the mac. Linux only.
//!
//! `cargo run --release -p macrometer-providers --example context_memory -- MAC…`; `PROVIDERS=a,b`
//! in the environment takes some providers, aliases such as `openssl[no-aes]` too.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::{env, fs, thread};

use providers::{KeyLife, Kind, Place, Provider, ROWS};

const TAGGERS: usize = 10_000;
const THREADS: usize = 200;
const PAGE_LEN: u64 = 4096;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match &arguments[..] {
        // A process for each number: what is freed is not always given back.
        [of, provider, mac] if of == "--of-taggers" => of_taggers(provider, mac),
        [of, provider, mac] if of == "--of-threads" => of_threads(provider, mac),
        macs => table(macs),
    }
}

fn table(macs: &[String]) {
    let all = || ROWS.iter().map(|row| row.name.to_owned()).collect();
    let named = |names: String| names.split(',').map(Into::into).collect();
    let names: Vec<String> = env::var("PROVIDERS").map_or_else(|_| all(), named);
    println!("{:<18} {:<18} {:>14} {:>14}", "provider", "mac", "bytes/tagger", "bytes/thread");
    for name in names {
        for mac in macs {
            let asked = ["--of-taggers", "--of-threads"].map(|of| ask(of, &name, mac));
            if let [Some(tagger), Some(thread)] = asked {
                println!("{name:<18} {mac:<18} {tagger:>14} {thread:>14}");
            }
        }
    }
}

/// The answer of a process of its own; `None` where there is no such provider or mac.
fn ask(of: &str, provider: &str, mac: &str) -> Option<u64> {
    let forced = providers::row(provider)?.forced_by(provider).ok()?;
    let mut command = Command::new(env::current_exe().ok()?);
    command.args([of, provider, mac]).stdout(Stdio::piped());
    command.envs(forced.iter().flat_map(|forced| forced.variables.iter().copied()));
    let mut child = command.spawn().ok()?;
    let mut answer = String::new();
    child.stdout.take()?.read_to_string(&mut answer).ok()?;
    child.wait().ok()?;
    answer.trim().parse().ok()
}

fn resident() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0) * PAGE_LEN
}

fn opened(name: &str, mac: &str) -> Option<Box<dyn Provider>> {
    let Kind::InProcess(open) = providers::row(name)?.kind else { return None };
    let provider = open(&Place { name: Some(name.into()), path: None }).ok()?;
    let is_offered =
        |o: &providers::Offer| o.mac == mac && o.key_lives.contains(&KeyLife::Prepared);
    provider.info().offers.iter().any(is_offered).then_some(provider)
}

/// A tagger that has given a tag: some make part of their context then.
fn used(provider: &dyn Provider, mac: &str, number: usize) -> providers::Tagger {
    let len_bytes = macs::find(mac).map_or(0, |info| info.key_len_bytes);
    let key: Vec<u8> = (0..len_bytes).map(|i| (i * 7 + number) as u8).collect();
    let mut tagger = provider.tagger(mac, KeyLife::Prepared, &key).expect("it is offered");
    let mut tag = vec![0; provider.tag_len_bytes(mac).unwrap_or(0)];
    tagger(&key, &[0x5A; 64], &mut tag).expect("a right call");
    tagger
}

fn of_taggers(name: &str, mac: &str) {
    let Some(provider) = opened(name, mac) else { return };
    let mut taggers = Vec::with_capacity(TAGGERS);
    taggers.push(used(&*provider, mac, 0));
    let before = resident();
    taggers.extend((1..TAGGERS).map(|number| used(&*provider, mac, number)));
    println!("{}", resident().saturating_sub(before) / taggers.len() as u64);
}

fn of_threads(name: &str, mac: &str) {
    let Some(provider) = opened(name, mac) else { return };
    let (ready, end) = (Barrier::new(THREADS + 1), Barrier::new(THREADS + 1));
    let before = resident();
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (provider, ready, end) = (&*provider, &ready, &end);
            scope.spawn(move || {
                let tagger = used(provider, mac, number);
                ready.wait();
                end.wait();
                drop(tagger);
            });
        }
        ready.wait();
        println!("{}", resident().saturating_sub(before) / THREADS as u64);
        end.wait();
    });
}
