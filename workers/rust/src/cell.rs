//! One MAC, key life, regime and length, with its keys; and how its calls are timed.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::time::Instant;

use crate::macs::{KeyLife, Row, Tagger};
use crate::placed::{Placed, STEP_BYTES, Shift};

/// Messages and keys that a cell rotates through.
pub const WINDOWS: usize = 16;

pub struct Cell {
    row: &'static Row,
    key_life: KeyLife,
    pub len: usize,
    keys: Placed,
    tagger: Tagger,
    tag: Placed,
    /// The regime `latency` writes into its messages and has a pool of its own.
    chained: Option<Placed>,
    _shift: Shift,
}

impl Cell {
    pub fn open(
        row: &'static Row,
        key_life: KeyLife,
        is_latency: bool,
        len: usize,
        keys: &[u8],
        pool: &Placed,
    ) -> Result<Self, String> {
        let (keys, shift) = (checked(keys)?, Shift::random());
        let tagger = opened(row, key_life, &keys)?;
        let chained = is_latency.then(|| Placed::new(pool));
        let tag = Placed::zeros(row.tag_len);
        Ok(Self { row, key_life, len, keys, tagger, tag, chained, _shift: shift })
    }

    pub fn rekey(&mut self, keys: &[u8]) -> Result<(), String> {
        let keys = checked(keys)?;
        self.tagger = opened(self.row, self.key_life, &keys)?;
        self.keys = keys;
        Ok(())
    }

    /// The tags of the first messages as they lie in the pool.
    pub fn prove(&mut self, pool: &Placed, count: usize) -> Result<Vec<u8>, &'static str> {
        let mut tags = Vec::new();
        for i in 0..count.min(WINDOWS) {
            let key = key(&self.keys, if self.key_life == KeyLife::Prepared { 0 } else { i });
            self.tag.fill(0);
            (self.tagger)(key, pool.message(i, self.len), &mut self.tag)?;
            tags.extend_from_slice(&self.tag);
        }
        Ok(tags)
    }

    /// One sample: nanoseconds of so many calls.
    pub fn run(&mut self, pool: &Placed, iterations: u64) -> Result<u64, &'static str> {
        self.calls(pool, lead_in(iterations))?;
        let begin = Instant::now();
        self.calls(pool, iterations)?;
        Ok(nanos(begin))
    }

    /// Calls timed one by one: values in nanoseconds, and how often each came.
    pub fn single(&mut self, pool: &Placed, count: u64) -> Result<BTreeMap<u64, u64>, String> {
        // Kept as they come, so that nothing is counted, or grown, between two calls.
        let mut times_ns: Vec<u64> = Vec::new();
        let wanted = usize::try_from(count).map_err(|error| error.to_string())?;
        times_ns.try_reserve_exact(wanted).map_err(|error| error.to_string())?;
        let bracket_ns = empty_bracket();
        self.calls(pool, lead_in(count))?;
        for i in 0..wanted {
            let begin = Instant::now();
            self.call(pool, i % WINDOWS)?;
            times_ns.push(nanos(begin).saturating_sub(bracket_ns));
        }
        let mut counts = BTreeMap::new();
        times_ns.into_iter().for_each(|ns| *counts.entry(ns).or_default() += 1);
        Ok(counts)
    }

    fn calls(&mut self, pool: &Placed, count: u64) -> Result<(), &'static str> {
        (0..count).try_for_each(|i| self.call(pool, i as usize % WINDOWS))
    }

    /// One call on message and key i.
    #[inline(always)]
    fn call(&mut self, pool: &Placed, i: usize) -> Result<(), &'static str> {
        let Some(chained) = &mut self.chained else {
            return (self.tagger)(key(&self.keys, i), pool.message(i, self.len), &mut self.tag);
        };
        // A key set up in the call is found through the last tag, no byte further: otherwise its
        // set-up, or all of a call on no message, would begin before the last call ended.
        let nothing = self.tag.first().map_or(0, |byte| byte & black_box(0));
        let key = key(&self.keys, i + usize::from(nothing));
        let message = &mut chained[i * STEP_BYTES..][..self.len];
        message.iter_mut().zip(&*self.tag).take(8).for_each(|(byte, tag)| *byte ^= tag);
        (self.tagger)(key, message, &mut self.tag)
    }
}

fn checked(keys: &[u8]) -> Result<Placed, String> {
    match keys.len() {
        0..WINDOWS => Err(format!("{} key bytes: too few for {WINDOWS} keys", keys.len())),
        _ => Ok(Placed::new(keys)),
    }
}

fn opened(row: &Row, key_life: KeyLife, keys: &[u8]) -> Result<Tagger, String> {
    (row.open)(key_life, key(keys, 0), &vec![0; row.nonce_len])
}

/// Key i of the windows, which begin again behind the last.
fn key(keys: &[u8], i: usize) -> &[u8] {
    let i = i % WINDOWS;
    &keys[i..keys.len() - (WINDOWS - 1) + i]
}

/// How many calls come untimed before those that are timed: after the other workers had the
/// processor, the first call finds cold caches.
fn lead_in(calls: u64) -> u64 {
    (calls / 16).max(1)
}

/// The median cost of two reads of the clock with nothing between them.
fn empty_bracket() -> u64 {
    let mut times = [0; 1001];
    times.fill_with(|| nanos(Instant::now()));
    times.sort_unstable();
    times[times.len() / 2]
}

fn nanos(begin: Instant) -> u64 {
    begin.elapsed().as_nanos() as u64
}
