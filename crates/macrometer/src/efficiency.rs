//! How near `macs` comes to the bounds of this machine: each mac timed for a moment in this
//! process, beside a chain of additions that gives the core cycle. Not a study: no blocks, no
//! launches, no intervals, the least time of all passes.

use lab::clock::{Clock, instructions};
use macs::{Batch, DynMac, Job, MacInfo};
use report::format::{ABSENT, three};
use serde_json::{Value, json};

use crate::bounds::{self, Bound};

/// Long enough that what is done once a message is nothing to it.
const LEN_BYTES: usize = 16 << 10;

/// Messages of a batch, each under its own key.
const MESSAGES: usize = 64;

/// Messages of a batch begin so far apart in one pool: other content, same alignment, no larger
/// footprint than one.
const APART_BYTES: usize = 64;

/// How long one mac is timed, and the fewest passes.
const SPENT_NS: f64 = 30e6;
const PASSES_MIN: u32 = 5;

/// What the table holds, in one line.
const NOTE: &str = "cycles per byte: 16 KiB under one prepared key, each message depending on the \
                    previous tag; batch: 64 messages of 16 KiB under 64 keys; minimum of several \
                    passes in this process; ~ estimated from operation counts";

/// A mac's row.
struct Reached {
    mac: &'static MacInfo,
    bound: Option<Bound>,
    serial: Option<f64>,
    batch: Option<f64>,
}

/// Measures these macs, or all that have a bound where `macs` is empty.
pub fn rows(macs: &[&'static MacInfo]) -> Vec<Value> {
    lab::machine::pinned(lab::machine::pinnable_cpu(), || {
        let clock = Clock::calibrate();
        let costs = instructions::measure(&clock, &providers::restriction::left_out());
        let all: Vec<&MacInfo> = macs::catalog().iter().collect();
        let chosen = if macs.is_empty() { &all } else { macs };
        let timed = chosen.iter().filter(|mac| !mac.is_composition());
        let with_bound = timed.map(|mac| (*mac, bounds::of(mac, &costs)));
        with_bound
            .filter(|(_, bound)| bound.is_some() || !macs.is_empty())
            .map(|(mac, bound)| Reached::of(mac, bound, &clock).row())
            .collect()
    })
}

impl Reached {
    fn of(mac: &'static MacInfo, bound: Option<Bound>, clock: &Clock) -> Self {
        let (serial, batch) = (serial(mac, clock), batch(mac, clock));
        Self { mac, bound, serial, batch }
    }

    fn row(&self) -> Value {
        let (bound, batch_bound) = match self.bound {
            Some(bound) => (bound.serial, bound.batch),
            None => (None, None),
        };
        let ratio = |reached: Option<f64>, bound: Option<f64>| {
            Some(reached? / bound?).filter(|it| *it > 0.0)
        };
        json!({
            "name": self.mac.name,
            "kernel": self.mac.kernel(),
            "bound_cycles_per_byte": bound,
            "reached_cycles_per_byte": self.serial,
            "reached_to_bound": ratio(self.serial, bound),
            "batch_bound_cycles_per_byte": batch_bound,
            "batch_reached_cycles_per_byte": self.batch,
            "batch_reached_to_bound": ratio(self.batch, batch_bound),
            "because": self.bound.map(|it| it.because),
            "is_estimate": self.bound.map(|it| it.is_estimate),
        })
    }
}

/// The table, and how it was made.
pub fn table(rows: &[Value], width: usize) -> String {
    if rows.is_empty() {
        return "no bound is known: instructions are not timed on this processor\n".into();
    }
    let head = ["MAC", "code path", "bound", "reached", "ratio", "batch bound", "reached", "ratio"];
    let table = report::terminal::table(&head, rows.iter().map(line).collect(), &[0, 1], width);
    let without = providers::restriction::left_out().sentence();
    let without = without.map_or(String::new(), |it| format!("; {it}"));
    format!("{table}\n{NOTE}{without}\n")
}

fn line(row: &Value) -> Vec<String> {
    let text = |name: &str| row[name].as_str().unwrap_or(ABSENT).to_owned();
    let number = |name: &str| row[name].as_f64().map_or(ABSENT.into(), three);
    let bound = |name: &str| match (row["is_estimate"] == true, &row[name]) {
        (true, Value::Number(_)) => format!("~{}", number(name)),
        _ => number(name),
    };
    vec![
        text("name"),
        text("kernel"),
        bound("bound_cycles_per_byte"),
        number("reached_cycles_per_byte"),
        number("reached_to_bound"),
        bound("batch_bound_cycles_per_byte"),
        number("batch_reached_cycles_per_byte"),
        number("batch_reached_to_bound"),
    ]
}

/// Cycles a byte of one message after the other; each begins with a byte of the tag before it, so
/// that no two overlap.
fn serial(mac: &'static MacInfo, clock: &Clock) -> Option<f64> {
    let keyed = DynMac::with_info(mac, &key(mac, 0)).ok()?;
    let (nonce, mut tag) = (nonce(mac), vec![0; mac.tag_len_bytes]);
    let mut message = vec![0x5a; LEN_BYTES];
    let mut failed = false;
    let cycles = least_cycles(clock, || {
        failed |= keyed.mac_with_nonce_into(&nonce, &message, &mut tag).is_err();
        message[0] ^= tag[0];
    });
    cycles.filter(|_| !failed).map(|cycles| cycles / LEN_BYTES as f64)
}

/// Cycles a byte of a batch.
fn batch(mac: &'static MacInfo, clock: &Clock) -> Option<f64> {
    let keys: Vec<Vec<u8>> = (0..MESSAGES).map(|number| key(mac, number)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
    let keyed = Batch::with_info(mac, &keys).ok()?;
    let nonce = nonce(mac);
    let pool = vec![0x5a; LEN_BYTES + MESSAGES * APART_BYTES];
    let jobs: Vec<Job<'_>> = (0..MESSAGES)
        .map(|key| Job::new(key, &pool[key * APART_BYTES..][..LEN_BYTES]).with_nonce(&nonce))
        .collect();
    let mut tags = vec![0; MESSAGES * mac.tag_len_bytes];
    let mut failed = false;
    let cycles = least_cycles(clock, || failed |= keyed.macs_into(&jobs, &mut tags).is_err());
    cycles.filter(|_| !failed).map(|cycles| cycles / (MESSAGES * LEN_BYTES) as f64)
}

fn least_cycles(clock: &Clock, mut work: impl FnMut()) -> Option<f64> {
    let first_ns = clock.time(&mut work).ns;
    let passes = (SPENT_NS / first_ns.max(1.0)) as u32;
    clock.cycles(passes.max(PASSES_MIN), work)
}

/// Different keys, none of them secret.
fn key(mac: &MacInfo, number: usize) -> Vec<u8> {
    (0..mac.key_len_bytes).map(|place| (place * 7 + number + 1) as u8).collect()
}

fn nonce(mac: &MacInfo) -> Vec<u8> {
    vec![0; mac.nonce.map_or(0, |nonce| nonce.len_bytes)]
}
