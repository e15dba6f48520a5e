//! The worker's side: the one timing loop for all providers that run in our own binary.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use hdrhistogram::Histogram;
use serde_json::{Value, json};

use super::{Inputs, MESSAGE_STEP_BYTES, Sealed, WINDOWS};
use crate::cell::{KeyLife, Regime};
use crate::clock::Clock;

/// A mac ready to be called: `(key, message, tag)`. A prepared one ignores the key.
pub type Tagger = Box<dyn FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), &'static str>>;

/// What a worker serves: one provider, as the command hands it over.
pub trait Subject {
    /// The provider's own words: name, version, path, detail, offers.
    fn info(&self) -> Value;

    /// Opens one mac under one key life.
    ///
    /// # Errors
    /// One line saying what the provider cannot do.
    fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, String>;

    /// Length of the tag of `mac` in bytes.
    fn tag_len_bytes(&self, mac: &str) -> Option<usize>;

    /// One tag, with all that may go into it.
    ///
    /// # Errors
    /// One line saying what the provider refuses; likewise below.
    fn tag(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Vec<u8>, String>;

    /// Seals one message.
    #[expect(clippy::missing_errors_doc, reason = "as `tag`")]
    fn seal(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Sealed, String>;

    /// Opens one sealed message; `None` when it is not genuine.
    #[expect(clippy::missing_errors_doc, reason = "as `tag`")]
    fn unseal(&self, mac: &str, inputs: &Inputs<'_>, tag: &[u8])
    -> Result<Option<Vec<u8>>, String>;
}

/// Answers requests until `close` or the end of the input.
///
/// # Errors
/// Only when the lab can no longer be heard or answered.
pub fn serve(subject: &dyn Subject, input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut worker =
        Serving { subject, clock: None, pool: Pool::default(), cells: BTreeMap::new() };
    for request in input.lines() {
        let request = request?;
        match worker.answer(request.trim_end()) {
            Ok(Some(reply)) => writeln!(output, "ok {reply}")?,
            Ok(None) => {
                writeln!(output, "ok {{}}")?;
                return output.flush();
            }
            Err(error) => writeln!(output, "err {}", error.replace('\n', " "))?,
        }
        output.flush()?;
    }
    Ok(())
}

struct Serving<'a> {
    subject: &'a dyn Subject,
    clock: Option<Clock>,
    pool: Pool,
    cells: BTreeMap<u32, Open>,
}

/// The bytes all messages are cut from, beginning at a cache line.
#[derive(Default)]
struct Pool {
    bytes: Vec<u8>,
    begin: usize,
}

impl Pool {
    fn new(content: &[u8]) -> Self {
        let mut bytes = vec![0; content.len() + MESSAGE_STEP_BYTES];
        let begin = bytes.as_ptr().align_offset(MESSAGE_STEP_BYTES).min(MESSAGE_STEP_BYTES);
        bytes[begin..begin + content.len()].copy_from_slice(content);
        bytes.truncate(begin + content.len());
        Self { bytes, begin }
    }

    fn content(&self) -> &[u8] {
        &self.bytes[self.begin..]
    }

    fn message(&self, i: usize, len: usize) -> &[u8] {
        &self.content()[i * MESSAGE_STEP_BYTES..][..len]
    }
}

struct Open {
    mac: String,
    key_life: KeyLife,
    len: usize,
    keys: Vec<u8>,
    tagger: Tagger,
    tag: Vec<u8>,
    /// The regime `latency` writes into its messages and has a pool of its own.
    chained: Option<Pool>,
}

impl Serving<'_> {
    fn answer(&mut self, request: &str) -> Result<Option<Value>, String> {
        let words: Vec<&str> = request.split(' ').collect();
        let reply = match words[..] {
            ["info"] => self.subject.info(),
            ["pool", bytes] => {
                self.pool = Pool::new(&unhex(bytes)?);
                json!({})
            }
            ["open", id, mac, key_life, regime, len, keys] => {
                let open =
                    self.open(mac, key_life.parse()?, regime.parse()?, number(len)?, keys)?;
                self.cells.insert(number(id)?, open);
                json!({})
            }
            ["rekey", id, keys] => self.rekey(number(id)?, keys)?,
            ["prove", id, count] => self.prove(number(id)?, number(count)?)?,
            ["run", id, iterations] => self.run(number(id)?, number(iterations)?)?,
            ["single", id, count] => self.single(number(id)?, number(count)?)?,
            ["tag", mac, key, nonce, customization, tag_len, message] => {
                self.tag(mac, [key, nonce, customization, message], number(tag_len)?)?
            }
            ["seal", mac, key, nonce, associated_data, tag_len, message] => {
                self.seal(mac, [key, nonce, associated_data, message], number(tag_len)?)?
            }
            ["unseal", mac, key, nonce, associated_data, ciphertext, tag] => {
                self.unseal(mac, [key, nonce, associated_data, ciphertext, tag])?
            }
            ["close"] => return Ok(None),
            _ => return Err(format!("no such request: {:?}", words[0])),
        };
        Ok(Some(reply))
    }

    fn open(
        &self,
        mac: &str,
        key_life: KeyLife,
        regime: Regime,
        len: usize,
        keys: &str,
    ) -> Result<Open, String> {
        let keys = unhex(keys)?;
        if keys.len() < WINDOWS {
            return Err(format!("{} key bytes: too few for {WINDOWS} keys", keys.len()));
        }
        if self.pool.content().len() < super::pool_len_bytes(len as u64) {
            return Err(format!("the pool is too short for messages of {len} bytes"));
        }
        let tag_len = self.subject.tag_len_bytes(mac).ok_or_else(|| format!("no mac {mac:?}"))?;
        let tagger = self.subject.tagger(mac, key_life, key(&keys, 0))?;
        let chained = (regime == Regime::Latency).then(|| Pool::new(self.pool.content()));
        Ok(Open { mac: mac.into(), key_life, len, keys, tagger, tag: vec![0; tag_len], chained })
    }

    fn cell(&mut self, id: u32) -> Result<&mut Open, String> {
        self.cells.get_mut(&id).ok_or_else(|| format!("no open cell {id}"))
    }

    fn rekey(&mut self, id: u32, keys: &str) -> Result<Value, String> {
        let subject = self.subject;
        let cell = self.cell(id)?;
        let keys = unhex(keys)?;
        if keys.len() != cell.keys.len() {
            return Err(format!("{} key bytes where {} were", keys.len(), cell.keys.len()));
        }
        cell.tagger = subject.tagger(&cell.mac, cell.key_life, key(&keys, 0))?;
        cell.keys = keys;
        Ok(json!({}))
    }

    fn prove(&mut self, id: u32, count: usize) -> Result<Value, String> {
        let Self { pool, cells, .. } = self;
        let cell = cells.get_mut(&id).ok_or_else(|| format!("no open cell {id}"))?;
        let mut tags = String::new();
        for i in 0..count.min(WINDOWS) {
            let key = if cell.key_life == KeyLife::Prepared { 0 } else { i };
            cell.tag.fill(0);
            (cell.tagger)(self::key(&cell.keys, key), pool.message(i, cell.len), &mut cell.tag)?;
            tags.push_str(&hex::encode(&cell.tag));
        }
        Ok(json!({ "tags": tags }))
    }

    fn run(&mut self, id: u32, iterations: u64) -> Result<Value, String> {
        let clock = *self.clock.get_or_insert_with(Clock::calibrate);
        let Self { pool, cells, .. } = self;
        let cell = cells.get_mut(&id).ok_or_else(|| format!("no open cell {id}"))?;
        let core_hz = clock.core_hz(1);
        cell.calls(pool, iterations / 16)?;
        let mut outcome = Ok(());
        let elapsed = clock.time(|| outcome = cell.calls(pool, iterations));
        outcome?;
        Ok(json!({ "elapsed_ns": elapsed.ns, "ticks": elapsed.ticks, "core_hz": core_hz }))
    }

    fn single(&mut self, id: u32, count: u64) -> Result<Value, String> {
        let clock = *self.clock.get_or_insert_with(Clock::calibrate);
        let Self { pool, cells, .. } = self;
        let cell = cells.get_mut(&id).ok_or_else(|| format!("no open cell {id}"))?;
        let mut histogram = Histogram::<u64>::new(3).map_err(|error| error.to_string())?;
        cell.calls(pool, count / 16)?;
        for i in 0..count {
            let mut outcome = Ok(());
            let elapsed = clock.time(|| outcome = cell.call(pool, i as usize % WINDOWS));
            outcome?;
            let ns = (elapsed.ns - clock.bracket_ns()).max(0.0).round() as u64;
            histogram.saturating_record(ns);
        }
        let counts: Vec<(u64, u64)> = histogram
            .iter_recorded()
            .map(|value| (value.value_iterated_to(), value.count_at_value()))
            .collect();
        Ok(json!({ "ns": counts }))
    }

    fn tag(&self, mac: &str, words: [&str; 4], tag_len_bytes: usize) -> Result<Value, String> {
        let [key, nonce, customization, message] = unhex_all(words)?;
        let inputs = Inputs {
            key: &key,
            nonce: &nonce,
            customization: &customization,
            message: &message,
            tag_len_bytes,
            ..Inputs::default()
        };
        Ok(json!({ "tag": hex::encode(self.subject.tag(mac, &inputs)?) }))
    }

    fn seal(&self, mac: &str, words: [&str; 4], tag_len_bytes: usize) -> Result<Value, String> {
        let [key, nonce, associated_data, message] = unhex_all(words)?;
        let inputs = Inputs {
            key: &key,
            nonce: &nonce,
            associated_data: &associated_data,
            message: &message,
            tag_len_bytes,
            ..Inputs::default()
        };
        let Sealed { ciphertext, tag } = self.subject.seal(mac, &inputs)?;
        Ok(json!({ "ciphertext": hex::encode(ciphertext), "tag": hex::encode(tag) }))
    }

    fn unseal(&self, mac: &str, words: [&str; 5]) -> Result<Value, String> {
        let [key, nonce, associated_data, message, tag] = unhex_all(words)?;
        let inputs = Inputs {
            key: &key,
            nonce: &nonce,
            associated_data: &associated_data,
            message: &message,
            tag_len_bytes: tag.len(),
            ..Inputs::default()
        };
        let message = self.subject.unseal(mac, &inputs, &tag)?;
        Ok(json!({ "message": message.map(hex::encode) }))
    }
}

impl Open {
    /// One call on message and key i.
    #[inline(always)]
    fn call(&mut self, pool: &Pool, i: usize) -> Result<(), &'static str> {
        let key = key(&self.keys, i);
        let Some(chained) = &mut self.chained else {
            return (self.tagger)(key, pool.message(i, self.len), &mut self.tag);
        };
        let message = &mut chained.bytes[chained.begin + i * MESSAGE_STEP_BYTES..][..self.len];
        message.iter_mut().zip(&self.tag).take(8).for_each(|(byte, tag)| *byte ^= tag);
        (self.tagger)(key, message, &mut self.tag)
    }

    fn calls(&mut self, pool: &Pool, count: u64) -> Result<(), &'static str> {
        (0..count).try_for_each(|i| self.call(pool, i as usize % WINDOWS))
    }
}

fn key(keys: &[u8], i: usize) -> &[u8] {
    &keys[i..keys.len() - (WINDOWS - 1) + i]
}

fn unhex(text: &str) -> Result<Vec<u8>, String> {
    hex::decode(text).map_err(|error| format!("not hexadecimal: {error}"))
}

/// `-` stands for no bytes, since words cannot be empty.
fn unhex_all<const N: usize>(words: [&str; N]) -> Result<[Vec<u8>; N], String> {
    let mut all = std::array::from_fn(|_| Vec::new());
    for (bytes, word) in all.iter_mut().zip(words) {
        *bytes = if word == "-" { Vec::new() } else { unhex(word)? };
    }
    Ok(all)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("not a number that fits: {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A toy whose tag tells key and message apart: enough to test the loop, not a MAC.
    struct Sum;

    impl Subject for Sum {
        fn info(&self) -> Value {
            json!({ "name": "sum" })
        }

        fn tagger(&self, mac: &str, key_life: KeyLife, key: &[u8]) -> Result<Tagger, String> {
            let kept = key.to_vec();
            match mac {
                "sum" => Ok(Box::new(move |key, message, tag| {
                    let key = if key_life == KeyLife::Prepared { &kept } else { key };
                    tag[0] = key.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte));
                    tag[1] = message.iter().fold(0, |sum: u8, &byte| sum.wrapping_add(byte));
                    Ok(())
                })),
                _ => Err(format!("no mac {mac:?}")),
            }
        }

        fn tag_len_bytes(&self, _mac: &str) -> Option<usize> {
            Some(2)
        }

        fn tag(&self, mac: &str, inputs: &Inputs<'_>) -> Result<Vec<u8>, String> {
            let mut tag = vec![0; inputs.tag_len_bytes];
            self.tagger(mac, KeyLife::NewKey, inputs.key)?(inputs.key, inputs.message, &mut tag)?;
            Ok([&tag, inputs.nonce, inputs.customization].concat())
        }

        /// The message backwards, and the sum of the associated data.
        fn seal(&self, _mac: &str, inputs: &Inputs<'_>) -> Result<Sealed, String> {
            let ciphertext = inputs.message.iter().rev().copied().collect();
            Ok(Sealed { ciphertext, tag: vec![inputs.associated_data.iter().sum()] })
        }

        fn unseal(
            &self,
            mac: &str,
            inputs: &Inputs<'_>,
            tag: &[u8],
        ) -> Result<Option<Vec<u8>>, String> {
            let sealed = self.seal(mac, inputs)?;
            Ok((sealed.tag == tag).then_some(sealed.ciphertext))
        }
    }

    fn talk(requests: &str) -> Vec<String> {
        let mut output = Vec::new();
        serve(&Sum, requests.as_bytes(), &mut output).unwrap();
        String::from_utf8(output).unwrap().lines().map(Into::into).collect()
    }

    /// A pool in which byte b of window i is i, and keys that count up from 0.
    fn opening(key_life: &str, regime: &str) -> String {
        let pool: Vec<u8> = (0..16).flat_map(|window| [window; 64]).collect();
        let keys: Vec<u8> = (0..16).collect();
        let (pool, keys) = (hex::encode(pool), hex::encode(keys));
        format!("pool {pool}\nopen 7 sum {key_life} {regime} 1 {keys}\n")
    }

    #[test]
    fn each_window_has_its_message_and_its_key() {
        let replies = talk(&format!("{}prove 7 16\n", opening("new-key", "single")));
        let tags: String = (0..16).map(|i| format!("{i:02x}{i:02x}")).collect();
        assert_eq!(replies[2], format!("ok {{\"tags\":\"{tags}\"}}"));
        let replies = talk(&format!("{}prove 7 16\n", opening("prepared", "single")));
        let tags: String = (0..16).map(|i| format!("00{i:02x}")).collect();
        assert_eq!(replies[2], format!("ok {{\"tags\":\"{tags}\"}}"));
    }

    #[test]
    fn a_sample_has_time_and_the_latency_regime_leaves_the_proof_alone() {
        let requests =
            format!("{}prove 7 16\nrun 7 160\nprove 7 16\n", opening("new-key", "latency"));
        let replies = talk(&requests);
        let sample: Value = serde_json::from_str(replies[3].strip_prefix("ok ").unwrap()).unwrap();
        assert!(sample["elapsed_ns"].as_f64().unwrap() > 0.0);
        assert_eq!(replies[2], replies[4]);
    }

    #[test]
    fn single_calls_are_all_counted() {
        let replies = talk(&format!("{}single 7 50\n", opening("prepared", "single")));
        let reply: Value = serde_json::from_str(replies[2].strip_prefix("ok ").unwrap()).unwrap();
        let counts = reply["ns"].as_array().unwrap().iter().map(|pair| pair[1].as_u64().unwrap());
        assert_eq!(counts.sum::<u64>(), 50);
    }

    #[test]
    fn whole_inputs_are_handed_over_and_a_dash_is_nothing() {
        let replies = talk(
            "tag sum 0102 0a 0b 2 03\ntag sum - - - 2 -\nseal x 00 - 0102 1 0708\n\
             unseal x 00 - 0102 0807 03\nunseal x 00 - 0102 0807 04\ntag sum 0 - - 2 -\n",
        );
        assert_eq!(replies[0], r#"ok {"tag":"03030a0b"}"#);
        assert_eq!(replies[1], r#"ok {"tag":"0000"}"#);
        assert_eq!(replies[2], r#"ok {"ciphertext":"0807","tag":"03"}"#);
        assert_eq!(replies[3], r#"ok {"message":"0708"}"#);
        assert_eq!(replies[4], r#"ok {"message":null}"#);
        assert!(replies[5].starts_with("err not hexadecimal"));
    }

    #[test]
    fn junk_is_refused_in_one_line_and_the_worker_lives_on() {
        let replies =
            talk("frobnicate\nopen 1 sum never single 4 00\nprove 9 16\npool xyz\ninfo\n");
        assert!(replies[..4].iter().all(|reply| reply.starts_with("err ")), "{replies:?}");
        assert_eq!(replies[4], "ok {\"name\":\"sum\"}");
    }
}
