//! The regimes `segments-…`: transactions instead of calls, five times instead of one.

use std::collections::BTreeMap;
use std::num::NonZeroU16;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::aligned::Aligned;
use super::{ITERATIONS_MAX, NotDone, SINGLE_MAX, Serving, at_most, held, key, number, unhex_all};
use crate::cell::{Flow, Regime, Scheme};
use crate::regimes::segments::{Medium, Segments};
use crate::segments::{Pair, Watch, faults, folder};
use crate::study::BLOCK_LEN_BYTES;
use crate::worker::{PROVED_IN_PLACE_BYTES, WINDOWS};

/// What a segment holds, unless `open` says otherwise.
const USUAL_BLOCK_LEN: NonZeroU16 = NonZeroU16::new(BLOCK_LEN_BYTES as u16).unwrap();

/// What a transaction needs beside the buffers whose length follows from the file's.
const SLACK_BYTES: usize = 1 << 16;

/// What is open, and the folder for its files.
#[derive(Default)]
pub(super) struct Transactions {
    folder: Option<PathBuf>,
    cells: BTreeMap<u32, Open>,
    contents: Contents,
}

/// The user's own files, by their length.
#[derive(Default)]
struct Contents(BTreeMap<usize, Vec<u8>>);

impl Contents {
    /// File i of the windows: the user's own, where one has this length; all are the same then.
    fn file<'a>(&'a self, pool: &'a Aligned, i: usize, len: usize) -> &'a [u8] {
        self.0.get(&len).map_or_else(|| pool.message(i, len), Vec::as_slice)
    }
}

impl Drop for Transactions {
    /// The lab may have vanished without a word: then nobody else removes the files.
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            folder::remove_abandoned(folder);
        }
    }
}

impl Transactions {
    /// Where files are to be: a folder that a lab made for them that has not ended, and no other,
    /// since files are written over and in the end removed there.
    pub(super) fn settle_in(&mut self, path: &str) -> Result<(), NotDone> {
        let path = PathBuf::from(path);
        if !path.is_absolute() {
            return Err(format!("{}: not an absolute path", path.display()).into());
        }
        folder::check(&path)?;
        self.folder = Some(path);
        Ok(())
    }

    /// Keeps a file of the user's own.
    fn keep(&mut self, len: usize, content: &str) -> Result<(), NotDone> {
        let [content] = unhex_all([content])?;
        if content.len() != len {
            return Err(format!("a file of {} bytes where {len} were said", content.len()).into());
        }
        self.contents.0.insert(len, content);
        Ok(())
    }

    /// The length of each open cell's files, and its number.
    pub(super) fn lengths(&self) -> impl Iterator<Item = (usize, &u32)> {
        self.cells.iter().map(|(id, open)| (open.len, id))
    }

    /// Leaves the files to the lab: other workers and later ones write them again.
    pub(super) fn leave_files(&mut self) {
        self.folder = None;
    }
}

struct Open {
    composition: String,
    flow: Flow,
    medium: Medium,
    block_len: NonZeroU16,
    len: usize,
    keys_len: usize,
    pair: Pair,
    /// The same scheme in memory, for proofs.
    beside: Pair,
}

impl Serving<'_> {
    /// Answers what concerns cells of segments; `None` leaves the request to the others.
    pub(super) fn of_transactions(&mut self, words: &[&str]) -> Result<Option<Value>, NotDone> {
        if let ["file", len, content] = words {
            self.transactions.keep(number(len)?, content)?;
            return Ok(Some(json!({})));
        }
        if let ["open", id, scheme, _, regime, len, keys, block_len @ ..] = words
            && let Some(Segments { medium, .. }) = regime.parse().ok().and_then(Regime::segments)
        {
            let block_len = match block_len {
                [] => USUAL_BLOCK_LEN,
                [block_len] => number(block_len)?,
                _ => return Err(String::from("more words than `open` has").into()),
            };
            self.open_scheme(number(id)?, scheme, medium, block_len, number(len)?, keys)?;
            return Ok(Some(json!({})));
        }
        if let ["open", id, ..] = words {
            // The cell of another regime takes the place of what had this number: after the pilot,
            // cells are numbered anew.
            if let Ok(id) = number::<u32>(id) {
                self.transactions.cells.remove(&id);
            }
            return Ok(None);
        }
        let (Some(verb), Some(Ok(id))) = (words.first(), words.get(1).map(|id| number(id))) else {
            return Ok(None);
        };
        if !self.transactions.cells.contains_key(&id) {
            return Ok(None);
        }
        let reply = match (*verb, &words[2..]) {
            ("rekey", [keys]) => self.rekey_scheme(id, keys)?,
            ("prove", [count]) => self.prove_scheme(id, number(count)?)?,
            ("segments", [count]) => self.transactions(id, at_most(count, ITERATIONS_MAX)?)?,
            ("faults", [each, seed]) => {
                self.faults(id, at_most(each, SINGLE_MAX)?, number(seed)?)?
            }
            _ => return Err(format!("no such request for a cell of segments: {verb:?}").into()),
        };
        Ok(Some(reply))
    }

    fn open_scheme(
        &mut self,
        id: u32,
        scheme: &str,
        medium: Medium,
        block_len: NonZeroU16,
        len: usize,
        keys: &str,
    ) -> Result<(), NotDone> {
        let scheme = Scheme::of(scheme).ok_or_else(|| format!("{scheme:?} names no scheme"))?;
        if self.pool.len() < crate::worker::pool_len_bytes(len as u64) {
            return Err(format!("the pool is too short for files of {len} bytes").into());
        }
        let [keys] = unhex_all([keys])?;
        let [pair, beside] = self.pairs(&scheme, medium, block_len, &keys)?;
        pair.make_files(len)?;
        let (composition, flow, keys_len) = (scheme.composition.into(), scheme.flow, keys.len());
        let open = Open { composition, flow, medium, block_len, len, keys_len, pair, beside };
        self.transactions.cells.insert(id, open);
        Ok(())
    }

    /// The pair in its medium, and one in memory.
    fn pairs(
        &self,
        scheme: &Scheme<'_>,
        medium: Medium,
        block_len: NonZeroU16,
        keys: &[u8],
    ) -> Result<[Pair; 2], NotDone> {
        if keys.len() < WINDOWS {
            return Err(format!("{} key bytes: too few for {WINDOWS} keys", keys.len()).into());
        }
        let Scheme { composition, flow } = *scheme;
        let sealing = || self.provider.sealing(composition, key(keys, 0));
        let folder = self.transactions.folder.clone();
        Ok([
            Pair::new(sealing()?, flow, medium, folder, rand::random())?,
            Pair::in_memory(sealing()?, flow, rand::random()),
        ]
        .map(|pair| pair.with_block_len(block_len)))
    }

    fn scheme(&mut self, id: u32) -> Result<&mut Open, NotDone> {
        self.transactions.cells.get_mut(&id).ok_or(NotDone::NoCell(id))
    }

    fn rekey_scheme(&mut self, id: u32, keys: &str) -> Result<Value, NotDone> {
        let [keys] = unhex_all([keys])?;
        let open = self.scheme(id)?;
        if keys.len() != open.keys_len {
            return Err(format!("{} key bytes where {} were", keys.len(), open.keys_len).into());
        }
        let (medium, block_len) = (open.medium, open.block_len);
        let (composition, flow) = (open.composition.clone(), open.flow);
        let scheme = Scheme { composition: &composition, flow };
        let [pair, beside] = self.pairs(&scheme, medium, block_len, &keys)?;
        let open = self.scheme(id)?;
        (open.pair, open.beside) = (pair, beside);
        Ok(json!({}))
    }

    /// Each file there and back; the tags of the whole files under the nonce of zeros.
    fn prove_scheme(&mut self, id: u32, count: usize) -> Result<Value, NotDone> {
        let Self { pool, transactions, .. } = self;
        let Transactions { cells, contents, .. } = transactions;
        let open = cells.get_mut(&id).ok_or(NotDone::Gone)?;
        let mut tags = String::new();
        for i in 0..count.min(WINDOWS) {
            let file = contents.file(pool, i, open.len);
            let is_short = open.len <= PROVED_IN_PLACE_BYTES;
            let pair = if is_short { &mut open.pair } else { &mut open.beside };
            pair.transact(file, &mut Watch::default())?;
            tags.push_str(&hex::encode(pair.known_tag(file)?));
        }
        Ok(json!({ "tags": tags }))
    }

    /// One sample of each action.
    fn transactions(&mut self, id: u32, iterations: u64) -> Result<Value, NotDone> {
        let clock = *self.clock.get_or_insert_with(crate::clock::Clock::calibrate);
        let limit = self.limit;
        let Self { pool, transactions, .. } = self;
        let Transactions { cells, contents, .. } = transactions;
        let open = cells.get_mut(&id).ok_or(NotDone::Gone)?;
        let core_hz = clock.core_hz(crate::clock::PASSES);
        let (medium, flow, len) = (open.medium, open.flow, open.len);
        let mut pass = |count: u64, watch: &mut Watch| {
            (0..count).try_for_each(|i| {
                open.pair.transact(contents.file(pool, i as usize % WINDOWS, open.len), watch)
            })
        };
        let mut watch = Watch::new(clock);
        let held = held(limit)?;
        limit.map_or(Ok(()), |limit| limit.admit(need_bytes(medium, flow, len)))?;
        pass(iterations / 16, &mut Watch::default())?;
        pass(iterations, &mut watch)?;
        drop(held);
        let mut actions = serde_json::Map::new();
        for (action, elapsed) in watch.actions() {
            let times = json!({ "elapsed_ns": elapsed.ns, "ticks": elapsed.ticks });
            actions.insert(action.to_string(), times);
        }
        Ok(json!({ "actions": actions, "core_hz": core_hz }))
    }

    fn faults(&mut self, id: u32, each: u32, seed: u64) -> Result<Value, NotDone> {
        let open = self.scheme(id)?;
        let added = open.beside.added();
        let faults = faults::count(&mut open.beside, each, seed)?;
        Ok(json!({
            "nonce_len_bytes": added.nonce_len_bytes,
            "tag_len_bytes": added.tag_len_bytes,
            "bound_len_bytes": added.bound_len_bytes,
            "ciphertext_block_len_bytes": added.ciphertext_block_len_bytes,
            "faults": faults,
        }))
    }
}

/// What a transaction holds at most. In memory these are a file's segments, each an allocation of
/// its own, and the file put together of them; on disk a whole file and its ciphertext where it is
/// sealed whole, else a part.
fn need_bytes(medium: Medium, flow: Flow, len: usize) -> usize {
    let buffers = match (medium, flow) {
        (Medium::Memory, _) => len / 2 * 5,
        (_, Flow::Es) => len * 2,
        (_, Flow::Se | Flow::SeBound) => 0,
    };
    buffers + SLACK_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealing_a_whole_file_needs_it_twice_and_parts_on_disk_do_not() {
        let need = |medium, flow| need_bytes(medium, flow, 1 << 20);
        assert_eq!(need(Medium::Disk, Flow::Es), (2 << 20) + SLACK_BYTES);
        assert_eq!(need(Medium::Disk, Flow::Se), SLACK_BYTES);
        assert!(need(Medium::Memory, Flow::Se) > 2 << 20);
    }
}
