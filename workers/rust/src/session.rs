//! What the lab asks, and what it has told so far.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::cell::{Cell, WINDOWS};
use crate::macs::{KeyLife, ROWS, Row};
use crate::placed::{Placed, STEP_BYTES};

/// A call is a tenth of a microsecond: these stand for many minutes, and bound a bad request.
const ITERATIONS_MAX: u64 = 10_000_000_000;
const SINGLE_MAX: u64 = 10_000_000;
const LEN_MAX: u64 = 1 << 26;
const TAG_LEN_MAX: u64 = 1 << 16;

/// What the worker says of itself.
pub struct About {
    pub name: String,
    pub version: String,
    pub path: String,
    pub detail: String,
}

pub struct Session {
    about: About,
    pool: Option<Placed>,
    cells: BTreeMap<u64, Cell>,
}

pub type Reply = Map<String, Value>;

impl Session {
    pub fn new(about: About) -> Self {
        Self { about, pool: None, cells: BTreeMap::new() }
    }

    pub fn answer(&mut self, request: &str) -> Result<Reply, String> {
        let words: Vec<&str> = request.split(' ').collect();
        match words[..] {
            ["close"] => Ok(Reply::new()),
            ["info"] => Ok(self.info()),
            ["open", id, mac, key_life, regime, len, keys] => {
                self.open(id, mac, key_life, regime, len, keys)
            }
            ["pool", bytes] => self.replace_pool(&unhex(bytes)?),
            ["prove", id, count] => {
                let count = whole(count, WINDOWS as u64)? as usize;
                let (cell, pool) = self.cell(id)?;
                Ok(reply("tags", hex::encode(cell.prove(pool, count)?).into()))
            }
            ["rekey", id, keys] => {
                let keys = unhex(keys)?;
                self.cell(id)?.0.rekey(&keys)?;
                Ok(Reply::new())
            }
            ["run", id, iterations] => {
                let iterations = positive(iterations, ITERATIONS_MAX)?;
                let (cell, pool) = self.cell(id)?;
                Ok(reply("elapsed_ns", cell.run(pool, iterations)?.into()))
            }
            ["single", id, count] => {
                let count = positive(count, SINGLE_MAX)?;
                let (cell, pool) = self.cell(id)?;
                let counts: Vec<_> = cell.single(pool, count)?.into_iter().collect();
                Ok(reply("ns", json!(counts)))
            }
            ["tag", mac, key, nonce, customization, tag_len, message] => {
                let tag = tag(mac, [key, nonce, customization, message], tag_len)?;
                Ok(reply("tag", hex::encode(tag).into()))
            }
            _ => Err(format!("no such request, or not so many words: {:?}", words[0])),
        }
    }

    fn info(&self) -> Reply {
        let mut rows: Vec<&Row> = ROWS.iter().copied().flatten().collect();
        rows.sort_by_key(|row| row.mac);
        let offers = rows.into_iter().map(|row| {
            let key_lives: Vec<_> = row.key_lives.iter().map(|life| life.name()).collect();
            // Which code path a revision takes, only that revision knows.
            json!({ "mac": row.mac, "kernel": "unknown", "key_lives": key_lives })
        });
        let About { name, version, path, detail } = &self.about;
        let offers: Vec<Value> = offers.collect();
        let mut info = reply("protocol", 2.into());
        info.insert("offers".into(), offers.into());
        for (word, value) in
            [("name", name), ("version", version), ("path", path), ("detail", detail)]
        {
            info.insert(word.into(), value.as_str().into());
        }
        info
    }

    fn open(
        &mut self,
        id: &str,
        mac: &str,
        key_life: &str,
        regime: &str,
        len: &str,
        keys: &str,
    ) -> Result<Reply, String> {
        let row = offered(mac)?;
        let life = KeyLife::named(key_life).filter(|life| row.key_lives.contains(life));
        let life = life.ok_or_else(|| format!("no {key_life} calls of {mac} here"))?;
        let is_latency = match regime {
            "latency" => true,
            "single" => false,
            _ => return Err(format!("no regime {regime:?}: latency or single")),
        };
        let (id, len) = (whole(id, ITERATIONS_MAX)?, whole(len, LEN_MAX)? as usize);
        let pool = self.pool.as_ref().ok_or("no pool yet")?;
        if pool.len() < pool_len(len) {
            return Err(format!("the pool is too short for messages of {len} bytes"));
        }
        let cell = Cell::open(row, life, is_latency, len, &unhex(keys)?, pool)?;
        self.cells.insert(id, cell);
        Ok(Reply::new())
    }

    /// Takes a new pool, which cells that are open must still find all their messages in.
    fn replace_pool(&mut self, content: &[u8]) -> Result<Reply, String> {
        let longest = self.cells.values().map(|cell| cell.len).max();
        if longest.is_some_and(|len| content.len() < pool_len(len)) {
            return Err("the pool is too short for a cell that is open".into());
        }
        self.pool = Some(Placed::new(content));
        Ok(Reply::new())
    }

    fn cell(&mut self, id: &str) -> Result<(&mut Cell, &Placed), String> {
        let cell = self.cells.get_mut(&whole(id, ITERATIONS_MAX)?);
        cell.zip(self.pool.as_ref()).ok_or_else(|| format!("no open cell {id}"))
    }
}

/// One tag, from a complete set of inputs, by the call that is timed.
fn tag(mac: &str, words: [&str; 4], tag_len: &str) -> Result<Vec<u8>, String> {
    let row = offered(mac)?;
    let [key, nonce, customization, message] = words.map(maybe_unhex);
    let (nonce, tag_len) = (nonce?, positive(tag_len, TAG_LEN_MAX)? as usize);
    if !customization?.is_empty() {
        return Err(format!("{mac} takes no customization string"));
    }
    if nonce.len() != row.nonce_len {
        return Err(format!("{mac} takes a nonce of {} bytes here", row.nonce_len));
    }
    let whole = row.tag_len;
    if tag_len > whole || row.tag_len_is_input && tag_len != whole {
        return Err(format!("{mac} gives tags of {whole} bytes here, not {tag_len}"));
    }
    let (key, mut tag) = (key?, vec![0; whole]);
    (row.open)(KeyLife::NewKey, &key, &nonce)?(&key, &message?, &mut tag)?;
    tag.truncate(tag_len);
    Ok(tag)
}

fn offered(mac: &str) -> Result<&'static Row, String> {
    let row = ROWS.iter().copied().flatten().find(|row| row.mac == mac);
    row.ok_or_else(|| format!("no mac {mac:?} here"))
}

/// Bytes that the pool needs for messages of this length.
fn pool_len(len: usize) -> usize {
    len + (WINDOWS - 1) * STEP_BYTES
}

fn reply(word: &str, value: Value) -> Reply {
    Reply::from_iter([(word.to_owned(), value)])
}

fn unhex(text: &str) -> Result<Vec<u8>, String> {
    hex::decode(text).map_err(|error| format!("not hexadecimal: {error}"))
}

/// `-` stands for no bytes, since words cannot be empty.
fn maybe_unhex(word: &str) -> Result<Vec<u8>, String> {
    if word == "-" { Ok(Vec::new()) } else { unhex(word) }
}

fn whole(text: &str, most: u64) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number <= most);
    number.ok_or_else(|| format!("not a whole number up to {most}: {text:?}"))
}

fn positive(text: &str, most: u64) -> Result<u64, String> {
    match whole(text, most)? {
        0 => Err("at least 1, not 0".into()),
        number => Ok(number),
    }
}
