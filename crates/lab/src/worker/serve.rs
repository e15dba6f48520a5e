//! The worker's side: the one timing loop for all providers that run in our own binary.

mod aligned;
mod alternating;
mod error;
mod info;
mod requests;
mod sessions;
mod transactions;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::io::{self, BufRead, Write};

use hdrhistogram::Histogram;
use serde_json::{Value, json};
use words::{BatchTagger, Inputs, KeyLife, Provider, Refused, Sealed, Tagger};

use super::memory_limit::{Held, MemoryLimit, MemoryLimitError};
use super::{MESSAGE_STEP_BYTES, WINDOWS, lead_in, pool_len_bytes};
use crate::cell::Regime;
use crate::clock::{Clock, PASSES};
use aligned::{Aligned, Shift};
use error::NotDone;
pub use requests::refuse;
use requests::{ITERATIONS_MAX, Reply, SINGLE_MAX, TAG_LEN_BYTES_MAX, at_most, number};
use sessions::ManyKeys;
use transactions::Transactions;

/// Answers requests until `close` or the end of the input.
///
/// # Errors
/// Only when the lab can no longer be heard or answered.
pub fn serve(provider: &dyn Provider, input: impl BufRead, output: impl Write) -> io::Result<()> {
    serve_within(None, provider, input, output)
}

/// As [`serve`], under a memory limit while samples are taken.
#[expect(clippy::missing_errors_doc, reason = "as `serve`")]
pub fn serve_within(
    limit: Option<MemoryLimit>,
    provider: &dyn Provider,
    input: impl BufRead,
    output: impl Write,
) -> io::Result<()> {
    let mut worker = Serving {
        provider,
        limit,
        clock: None,
        pool: Aligned::default(),
        cells: BTreeMap::new(),
        transactions: Transactions::default(),
    };
    requests::each(input, output, |request| worker.answer(request))
}

struct Serving<'a> {
    provider: &'a dyn Provider,
    limit: Option<MemoryLimit>,
    clock: Option<Clock>,
    /// What all messages are cut from.
    pool: Aligned,
    cells: BTreeMap<u32, Open>,
    /// The cells of the regimes `segments-…`.
    transactions: Transactions,
}

struct Open {
    mac: String,
    key_life: KeyLife,
    regime: Regime,
    len: usize,
    keys: Aligned,
    call: Call,
    /// Of one call.
    tags: Aligned,
    /// The regime `latency` writes into its messages and has a pool of its own.
    chained: Option<Aligned>,
    _shift: Shift,
}

/// How messages are handed over.
enum Call {
    One(Tagger),
    Batch(BatchTagger),
    /// Each under the next of many keys.
    Keys(ManyKeys),
}

impl Call {
    fn new(
        provider: &dyn Provider,
        mac: &str,
        key_life: KeyLife,
        regime: Regime,
        keys: &[u8],
    ) -> Result<Self, NotDone> {
        if !regime.has(key_life) {
            return Err(format!("no {key_life} calls in {regime}").into());
        }
        if let Some(count) = regime.keys_in_turn() {
            return ManyKeys::open(provider, mac, keys, count).map(Self::Keys);
        }
        match regime.batch() {
            None => Ok(Self::One(provider.tagger(mac, key_life, key(keys, 0))?)),
            Some(count) => {
                let keys: Vec<&[u8]> = (0..count).map(|i| key(keys, i)).collect();
                Ok(Self::Batch(provider.batch(mac, key_life, &keys)?))
            }
        }
    }
}

impl Serving<'_> {
    fn answer(&mut self, request: &str) -> Result<Reply, NotDone> {
        // A path may have spaces in it.
        if let Some(path) = request.strip_prefix("folder ") {
            return self.transactions.settle_in(path).map(|()| Reply::More(json!({})));
        }
        let words: Vec<&str> = request.split(' ').collect();
        if let Some(reply) = self.of_transactions(&words)? {
            return Ok(Reply::More(reply));
        }
        let reply = match words[..] {
            ["info"] => info::reply(self.provider),
            ["pool", bytes] => self.replace_pool(&unhex(bytes)?)?,
            ["open", id, mac, key_life, regime, len, keys] => {
                let regime = regime.parse::<Regime>().map_err(|error| error.to_string())?;
                let open = self.open(mac, key_life.parse()?, regime, number(len)?, keys)?;
                self.cells.insert(number(id)?, open);
                json!({})
            }
            ["rekey", id, keys] => self.rekey(number(id)?, keys)?,
            ["prove", id, count] => self.prove(number(id)?, number(count)?)?,
            ["run", id, iterations] => {
                self.run(number(id)?, at_most(iterations, ITERATIONS_MAX)?)?
            }
            ["single", id, count] => self.single(number(id)?, at_most(count, SINGLE_MAX)?)?,
            ["alternate", count, seed, ref ids @ ..] => self.alternate(count, seed, ids)?,
            ["sessions", id, load] => self.sessions(number(id)?, load)?,
            ["tag", mac, key, nonce, customization, tag_len, message] => {
                let tag_len = at_most(tag_len, TAG_LEN_BYTES_MAX)?;
                self.tag(mac, [key, nonce, customization, message], tag_len)?
            }
            ["seal", mac, key, nonce, associated_data, tag_len, message] => {
                let tag_len = at_most(tag_len, TAG_LEN_BYTES_MAX)?;
                self.seal(mac, [key, nonce, associated_data, message], tag_len)?
            }
            ["unseal", mac, key, nonce, associated_data, ciphertext, tag] => {
                self.unseal(mac, [key, nonce, associated_data, ciphertext, tag])?
            }
            ["close"] => {
                self.transactions.leave_files();
                return Ok(Reply::Last);
            }
            _ => return Err(format!("no such request: {:?}", words[0]).into()),
        };
        Ok(Reply::More(reply))
    }

    fn open(
        &self,
        mac: &str,
        key_life: KeyLife,
        regime: Regime,
        len: usize,
        keys: &str,
    ) -> Result<Open, NotDone> {
        let keys = unhex(keys)?;
        if keys.len() < WINDOWS {
            return Err(format!("{} key bytes: too few for {WINDOWS} keys", keys.len()).into());
        }
        if self.pool.len() < pool_len_bytes(len as u64) {
            return Err(format!("the pool is too short for messages of {len} bytes").into());
        }
        let tag_len = self.provider.tag_len_bytes(mac);
        let tag_len = tag_len.ok_or_else(|| Refused::Unknown(format!("mac {mac:?}")))?;
        let (keys, shift) = (Aligned::new(&keys), Shift::random());
        let call = Call::new(self.provider, mac, key_life, regime, &keys)?;
        let chained = regime.is_chained().then(|| Aligned::new(&self.pool));
        let tags = Aligned::zeros(tag_len * regime.batch().unwrap_or(1));
        Ok(Open {
            mac: mac.into(),
            key_life,
            regime,
            len,
            keys,
            call,
            tags,
            chained,
            _shift: shift,
        })
    }

    /// Takes a new pool, which cells that are open must still find all their messages in.
    fn replace_pool(&mut self, content: &[u8]) -> Result<Value, NotDone> {
        let open = self.cells.iter().map(|(id, open)| (open.len, id));
        if let Some((len, id)) = open.chain(self.transactions.lengths()).max()
            && content.len() < pool_len_bytes(len as u64)
        {
            return Err(format!(
                "the pool is too short for cell {id}, whose messages have {len} bytes"
            )
            .into());
        }
        self.pool = Aligned::new(content);
        Ok(json!({}))
    }

    fn cell(&mut self, id: u32) -> Result<&mut Open, NotDone> {
        self.cells.get_mut(&id).ok_or(NotDone::NoCell(id))
    }

    fn rekey(&mut self, id: u32, keys: &str) -> Result<Value, NotDone> {
        let provider = self.provider;
        let cell = self.cell(id)?;
        let keys = unhex(keys)?;
        if keys.len() != cell.keys.len() {
            return Err(format!("{} key bytes where {} were", keys.len(), cell.keys.len()).into());
        }
        cell.call = Call::new(provider, &cell.mac, cell.key_life, cell.regime, &keys)?;
        cell.keys = Aligned::new(&keys);
        Ok(json!({}))
    }

    fn prove(&mut self, id: u32, count: usize) -> Result<Value, NotDone> {
        let Self { pool, cells, .. } = self;
        let cell = cells.get_mut(&id).ok_or(NotDone::NoCell(id))?;
        let count = count.min(cell.regime.batch().unwrap_or(WINDOWS)).min(WINDOWS);
        let mut tags = String::new();
        if let Some(batch) = cell.regime.batch() {
            cell.tags.fill(0);
            cell.batches(pool, 1)?;
            let first = hex::encode(&cell.tags[..cell.tags.len() / batch * count]);
            return Ok(json!({ "tags": first }));
        }
        for i in 0..count {
            cell.tags.fill(0);
            cell.prove(pool, i)?;
            tags.push_str(&hex::encode(&*cell.tags));
        }
        Ok(json!({ "tags": tags }))
    }

    fn run(&mut self, id: u32, iterations: u64) -> Result<Value, NotDone> {
        let clock = *self.clock.get_or_insert_with(Clock::calibrate);
        let Self { pool, cells, .. } = self;
        let cell = cells.get_mut(&id).ok_or(NotDone::NoCell(id))?;
        cell.check_is_timed_by_calls()?;
        let core_hz = clock.core_hz(PASSES);
        let _held = held(self.limit)?;
        cell.calls(pool, lead_in(iterations))?;
        let mut outcome = Ok(());
        let elapsed = clock.time(|| outcome = cell.calls(pool, iterations));
        outcome?;
        // A batch is computed whole: what was not asked for is not counted.
        let batch = cell.regime.batch().unwrap_or(1) as u64;
        let share = iterations as f64 / iterations.next_multiple_of(batch).max(1) as f64;
        let (ns, ticks) = (elapsed.ns * share, elapsed.ticks.map(|n| (n as f64 * share) as u64));
        Ok(json!({ "elapsed_ns": ns, "ticks": ticks, "core_hz": core_hz }))
    }

    fn single(&mut self, id: u32, count: u64) -> Result<Value, NotDone> {
        let clock = *self.clock.get_or_insert_with(Clock::calibrate);
        let Self { pool, cells, .. } = self;
        let cell = cells.get_mut(&id).ok_or(NotDone::NoCell(id))?;
        cell.check_is_timed_by_calls()?;
        // Kept as they come, so that nothing is sorted into bins, or grown, between two calls.
        let mut times_ns: Vec<u64> = Vec::new();
        let wanted = usize::try_from(count).map_err(NotDone::counts)?;
        times_ns.try_reserve_exact(wanted).map_err(NotDone::counts)?;
        let held = held(self.limit)?;
        cell.calls(pool, lead_in(count))?;
        for i in 0..count {
            let mut outcome = Ok(());
            let elapsed = clock.time(|| outcome = cell.call(pool, i as usize % WINDOWS));
            outcome?;
            let ns = (elapsed.ns - clock.bracket_ns()).max(0.0).round() as u64;
            times_ns.push(ns);
        }
        drop(held);
        Ok(json!({ "ns": counted(&times_ns)? }))
    }

    fn tag(&self, mac: &str, words: [&str; 4], tag_len_bytes: usize) -> Result<Value, NotDone> {
        let [key, nonce, customization, message] = unhex_all(words)?;
        let inputs = Inputs {
            key: &key,
            nonce: &nonce,
            customization: &customization,
            message: &message,
            tag_len_bytes,
            ..Inputs::default()
        };
        Ok(json!({ "tag": hex::encode(self.provider.tag(mac, &inputs)?) }))
    }

    fn seal(&self, mac: &str, words: [&str; 4], tag_len_bytes: usize) -> Result<Value, NotDone> {
        let [key, nonce, associated_data, message] = unhex_all(words)?;
        let inputs = Inputs {
            key: &key,
            nonce: &nonce,
            associated_data: &associated_data,
            message: &message,
            tag_len_bytes,
            ..Inputs::default()
        };
        let Sealed { ciphertext, tag } = self.provider.seal(mac, &inputs)?;
        Ok(json!({ "ciphertext": hex::encode(ciphertext), "tag": hex::encode(tag) }))
    }

    fn unseal(&self, mac: &str, words: [&str; 5]) -> Result<Value, NotDone> {
        let [key, nonce, associated_data, message, tag] = unhex_all(words)?;
        let inputs = Inputs {
            key: &key,
            nonce: &nonce,
            associated_data: &associated_data,
            message: &message,
            tag_len_bytes: tag.len(),
            ..Inputs::default()
        };
        let message = self.provider.unseal(mac, &inputs, &tag)?;
        Ok(json!({ "message": message.map(hex::encode) }))
    }
}

impl Open {
    /// One call on message and key i.
    #[inline(always)]
    fn call(&mut self, pool: &Aligned, i: usize) -> Result<(), &'static str> {
        let tagger = match &mut self.call {
            Call::One(tagger) => tagger,
            Call::Keys(taggers) => taggers.next(),
            Call::Batch(_) => return self.batches(pool, 1),
        };
        let Some(chained) = &mut self.chained else {
            return tagger(key(&self.keys, i), pool.message(i, self.len), &mut self.tags);
        };
        // A key set up in the call is found through the last tag, no byte further: otherwise its
        // set-up, or all of a call on no message, would begin before the last call ended.
        let nothing = self.tags.first().map_or(0, |byte| byte & black_box(0));
        let key = key(&self.keys, i + usize::from(nothing));
        let message = &mut chained[i * MESSAGE_STEP_BYTES..][..self.len];
        message.iter_mut().zip(&*self.tags).take(8).for_each(|(byte, tag)| *byte ^= tag);
        tagger(key, message, &mut self.tags)
    }

    /// The tag of message i as it lies in the pool; a prepared cell uses key 0.
    fn prove(&mut self, pool: &Aligned, i: usize) -> Result<(), &'static str> {
        let tagger = match &mut self.call {
            Call::One(tagger) => tagger,
            Call::Keys(taggers) => taggers.first(),
            Call::Batch(_) => return self.batches(pool, 1),
        };
        let key = key(&self.keys, if self.key_life == KeyLife::Prepared { 0 } else { i });
        tagger(key, pool.message(i, self.len), &mut self.tags)
    }

    /// As many messages as this, in whole batches.
    fn calls(&mut self, pool: &Aligned, count: u64) -> Result<(), &'static str> {
        if let Some(batch) = self.regime.batch() {
            return self.batches(pool, count.div_ceil(batch as u64));
        }
        (0..count).try_for_each(|i| self.call(pool, i as usize % WINDOWS))
    }

    /// Batches of the same messages: message and key i of the windows, again from the first on.
    fn batches(&mut self, pool: &Aligned, count: u64) -> Result<(), &'static str> {
        let Call::Batch(tagger) = &mut self.call else { return Err("no batch regime") };
        let batch = self.regime.batch().unwrap_or(1);
        let keys: Vec<&[u8]> = (0..batch).map(|i| key(&self.keys, i)).collect();
        let len = |i| self.regime.message_len(i, self.len);
        let messages: Vec<&[u8]> = (0..batch).map(|i| pool.message(i % WINDOWS, len(i))).collect();
        (0..count).try_for_each(|_| tagger(&keys, &messages, &mut self.tags))
    }
}

/// How often each time came, ascending, to three significant digits: whatever the longest is.
fn counted(times_ns: &[u64]) -> Result<Vec<(u64, u64)>, NotDone> {
    // It grows with `record`; what saturates is held at the bounds that it began with.
    let mut histogram = Histogram::<u64>::new(3).map_err(NotDone::counts)?;
    for &ns in times_ns {
        let recorded = histogram.record(ns);
        recorded.map_err(|error| NotDone::counts(format!("a call of {ns} ns: {error}")))?;
    }
    let bins = histogram.iter_recorded();
    Ok(bins.map(|bin| (bin.value_iterated_to(), bin.count_at_value())).collect())
}

/// The limit, where there is one, from now on.
fn held(limit: Option<MemoryLimit>) -> Result<Option<Held>, MemoryLimitError> {
    limit.map(MemoryLimit::hold).transpose()
}

/// Key i of the windows, which begin again behind the last.
fn key(keys: &[u8], i: usize) -> &[u8] {
    let i = i % WINDOWS;
    &keys[i..keys.len() - (WINDOWS - 1) + i]
}

fn unhex(text: &str) -> Result<Vec<u8>, NotDone> {
    hex::decode(text).map_err(|error| format!("not hexadecimal: {error}").into())
}

/// `-` stands for no bytes, since words cannot be empty.
fn unhex_all<const N: usize>(words: [&str; N]) -> Result<[Vec<u8>; N], NotDone> {
    let mut all = std::array::from_fn(|_| Vec::new());
    for (bytes, word) in all.iter_mut().zip(words) {
        *bytes = if word == "-" { Vec::new() } else { unhex(word)? };
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
