//! The workers of one launch: started together, asked one at a time, dropped when they fail.
//!
//! A failure is data: it becomes a line, and the others go on.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use words::ProviderName;

use crate::cell::{Cell, KeyLife};
use crate::plan::NULL;
use crate::record::sessions::{Load, Measured};
use crate::record::{CellRecord, WRONG_TAG};
use crate::study::Part;
use crate::worker::client::{Actions, Faults, Launch, Timing, Worker, WorkerError};

/// Less than a segment of the studies holds, so that no transaction has more files than is thought.
const FILE_LEN_BYTES: u64 = 100;

/// The workers of one launch.
pub(super) struct Workers {
    by_name: BTreeMap<String, Worker>,
    /// Who was dropped, with the reason.
    pub(super) dropped: Vec<(String, String)>,
    /// Nanoseconds a message when its tags were last proved, by the number of a cell: asking and
    /// answering included, so only a rough measure of who is slow.
    pub(super) proof_ns: BTreeMap<u32, f64>,
    /// A line for each cell whose tags differed from those of others when they were last proved.
    pub(super) dissenting: Vec<Refusal>,
    /// Numbers of the cells that were made ready.
    open: BTreeSet<u32>,
}

/// A request that was not fulfilled, in words.
pub(super) type Refusal = String;

/// Why a cell is not proved.
#[derive(Debug, PartialEq)]
pub(super) enum Unproved {
    /// There was no time to verify its tags.
    NotReached,
    /// It was refused.
    Refused(Refusal),
    /// Its tags are others.
    Differs(Refusal),
}

impl Workers {
    /// Starts the workers and hands them the pool.
    pub(super) fn launch(launches: &[Launch], cpu: Option<u32>, pool: &[u8]) -> Self {
        let mut workers = Self {
            by_name: BTreeMap::new(),
            dropped: Vec::new(),
            proof_ns: BTreeMap::new(),
            dissenting: Vec::new(),
            open: BTreeSet::new(),
        };
        // All are started before the first is waited for.
        for launch in launches {
            match Worker::launch(launch, cpu) {
                Ok(worker) => {
                    workers.by_name.insert(launch.name.clone(), worker);
                }
                Err(error) => workers.dropped.push((launch.name.clone(), error.to_string())),
            }
        }
        for launch in launches {
            if workers.has_dropped(&launch.name) {
                continue;
            }
            let _ = workers.ask(&launch.name, |worker| worker.pool(pool));
            if let Some(folder) = &launch.folder {
                let _ = workers.ask(&launch.name, |worker| worker.folder(folder));
            }
            workers.hand_over(&launch.name, &launch.files);
        }
        workers
    }

    /// Lets go of workers that nothing more is asked of.
    pub(super) fn keep_only(&mut self, is_needed: impl Fn(&str) -> bool) {
        self.by_name.retain(|name, _| is_needed(name));
    }

    /// Nanoseconds of processors that each worker has had; absent where the system does not tell.
    pub(super) fn cpu_ns(&self) -> Option<BTreeMap<String, f64>> {
        let each = self.by_name.iter().map(|(name, worker)| Some((name.clone(), worker.cpu_ns()?)));
        each.collect()
    }

    /// Whether a cell was made ready.
    pub(super) fn has_open(&self, id: u32) -> bool {
        self.open.contains(&id)
    }

    /// The user's own files. A worker that does not take them would time others: it is dropped.
    fn hand_over(&mut self, provider: &str, files: &[Vec<u8>]) {
        for file in files {
            if let Err(refusal) = self.ask(provider, |worker| worker.file(file)) {
                if self.by_name.remove(provider).is_some() {
                    self.dropped.push((provider.to_owned(), refusal));
                }
                return;
            }
        }
    }

    /// Asks a worker; one that hangs, dies or talks nonsense is dropped.
    pub(super) fn ask<T>(
        &mut self,
        provider: &str,
        request: impl FnOnce(&mut Worker) -> Result<T, WorkerError>,
    ) -> Result<T, Refusal> {
        let absent = || format!("{provider} is not running");
        let worker = self.by_name.get_mut(provider).ok_or_else(absent)?;
        request(worker).map_err(|error| {
            if !error.is_refusal() {
                self.by_name.remove(provider);
                self.dropped.push((provider.to_owned(), error.to_string()));
            }
            format!("{provider}: {error}")
        })
    }

    /// Whether this provider failed since the last launch.
    pub(super) fn has_dropped(&self, provider: &str) -> bool {
        self.dropped.iter().any(|(name, _)| name == provider)
    }

    /// Makes a cell of this part ready.
    pub(super) fn open(
        &mut self,
        id: u32,
        part: &Part,
        cell: &Cell,
        keys: &[u8],
    ) -> Result<(), Refusal> {
        let block_len_bytes = cell.regime.is_of_schemes().then_some(part.block_len_bytes);
        let cell = &Cell { regime: cell.regime.opened_as(), ..cell.clone() };
        let provider = &cell.candidate.provider;
        self.ask(provider, |worker| worker.open(id, cell, keys, block_len_bytes))?;
        self.open.insert(id);
        Ok(())
    }

    /// One sample; of segments, that of the whole transaction.
    pub(super) fn run(&mut self, record: &CellRecord, count: u64) -> Result<Timing, Refusal> {
        if record.cell.regime.is_of_schemes() {
            return Ok(self.transact(record, count)?.of(record.cell.regime.measured_as()));
        }
        self.ask(&record.cell.candidate.provider, |worker| worker.run(record.id, count))
    }

    /// One sample of every action of a transaction.
    pub(super) fn transact(&mut self, record: &CellRecord, count: u64) -> Result<Actions, Refusal> {
        let files = record.cell.len_bytes / FILE_LEN_BYTES + 1;
        self.ask(&record.cell.candidate.provider, |worker| worker.segments(record.id, count, files))
    }

    /// One window of sessions.
    pub(super) fn sessions(
        &mut self,
        record: &CellRecord,
        load: &Load,
    ) -> Result<Measured, Refusal> {
        self.ask(&record.cell.candidate.provider, |worker| worker.sessions(record.id, load))
    }

    /// Faults planted into the segments of a scheme.
    pub(super) fn faults(
        &mut self,
        record: &CellRecord,
        each: u32,
        seed: u64,
    ) -> Result<Faults, Refusal> {
        self.ask(&record.cell.candidate.provider, |worker| worker.faults(record.id, each, seed))
    }

    /// Lets all candidates of a mac, key and length compute the same inputs, and names those whose
    /// tags differ from the majority's; where there is none, the first in `rank` is believed. What
    /// `late` says that there is no time for is not proved, and named too.
    pub(super) fn prove(
        &mut self,
        cells: &[&CellRecord],
        count: impl Fn(u64) -> usize,
        rank: &[String],
        late: impl Fn(&Cell) -> bool,
    ) -> Vec<(u32, Unproved)> {
        let mut refusals = Vec::new();
        let mut groups: BTreeMap<_, Vec<(&CellRecord, String)>> = BTreeMap::new();
        for &record in cells.iter().filter(|record| record.cell.candidate.mac != NULL) {
            let Cell { candidate, regime, key_life, len_bytes, key_len_bytes, .. } = &record.cell;
            if late(&record.cell) {
                refusals.push((record.id, Unproved::NotReached));
                continue;
            }
            let count = count(*len_bytes).min(regime.proved_max().unwrap_or(usize::MAX));
            let began = Instant::now();
            match self.ask(&candidate.provider, |worker| worker.prove(record.id, count)) {
                Ok(tags) => {
                    let each_ns = began.elapsed().as_secs_f64() * 1e9 / count.max(1) as f64;
                    self.proof_ns.insert(record.id, each_ns);
                    // A prepared cell has one key for all messages, so its tags are others; and a
                    // batch may have messages of other lengths.
                    let one_key = *key_life == KeyLife::Prepared && regime.batch().is_none();
                    let second_len = regime.message_len(1, *len_bytes as usize);
                    let lens = (*len_bytes, second_len);
                    let of_kind = regime.has_own_keys().then_some(*regime);
                    let mac = candidate.mac.clone();
                    let group = (mac, *key_len_bytes, lens, one_key, count, of_kind);
                    groups.entry(group).or_default().push((record, tags));
                }
                Err(_) if self.has_dropped(&candidate.provider) => {}
                Err(refusal) => refusals.push((record.id, Unproved::Refused(refusal))),
            }
        }
        let dissenters = groups.values().flat_map(|answers| dissenters(answers, rank));
        for (record, refusal) in dissenters {
            self.dissenting.push(format!("{}: {refusal}", record.cell));
            refusals.push((record.id, Unproved::Differs(refusal)));
        }
        refusals
    }
}

/// Those whose tags are not the believed ones.
fn dissenters<'a>(
    answers: &[(&'a CellRecord, String)],
    rank: &[String],
) -> Vec<(&'a CellRecord, Refusal)> {
    let place = |record: &CellRecord| {
        let provider = &record.cell.candidate.provider;
        rank.iter().position(|name| name == provider).unwrap_or(rank.len())
    };
    // One code base, on several code paths, in several versions or through several languages, has
    // one vote; where these are even, providers are counted.
    let votes = |tags: &String| {
        let for_it = answers.iter().filter(|(_, other)| other == tags);
        let names: BTreeSet<&str> =
            for_it.map(|(record, _)| record.cell.candidate.provider.as_str()).collect();
        let bases = names.iter().map(|name| ProviderName::of(name).code_base());
        (bases.collect::<BTreeSet<_>>().len(), names.len())
    };
    let believed =
        answers.iter().max_by_key(|(record, tags)| (votes(tags), std::cmp::Reverse(place(record))));
    let Some((believed, tags)) = believed else { return vec![] };
    let others = answers.iter().filter(|(_, other)| other != tags);
    let refusal = format!("{WRONG_TAG} {}", believed.cell.candidate.provider);
    others.map(|(record, _)| (*record, refusal.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Candidate, Regime};

    fn record(id: u32, provider: &str) -> CellRecord {
        let candidate =
            Candidate { mac: "m".into(), provider: provider.into(), kernel: "soft".into() };
        let cell = Cell {
            candidate,
            regime: Regime::USUAL,
            key_life: KeyLife::NewKey,
            len_bytes: 8,
            key_len_bytes: 16,
            usual_key: true,
        };
        CellRecord::new(id, 0, cell)
    }

    #[test]
    fn the_majority_is_believed_and_the_first_of_two() {
        let (a, b, c) = (record(0, "a"), record(1, "b"), record(2, "c"));
        let rank = ["a", "b", "c"].map(String::from);
        let three = [(&a, "x".to_owned()), (&b, "y".to_owned()), (&c, "y".to_owned())];
        let out = dissenters(&three, &rank);
        assert_eq!(out, [(&a, "its tags differ from those of b".into())]);
        let two = [(&b, "x".to_owned()), (&a, "y".to_owned())];
        assert_eq!(dissenters(&two, &rank)[0].0, &b);
        assert!(dissenters(&[], &rank).is_empty());
    }

    #[test]
    fn one_code_base_has_one_vote() {
        let wrong = [record(0, "a"), record(1, "a[soft]"), record(2, "a-python")];
        let right = [record(3, "b"), record(4, "c")];
        let of =
            |records: &'static [CellRecord], tags: &str| -> Vec<(&'static CellRecord, String)> {
                records.iter().map(|it| (it, tags.to_owned())).collect()
            };
        let answers = [of(Box::leak(Box::new(wrong)), "x"), of(Box::leak(Box::new(right)), "y")];
        let rank = ["a", "b", "c"].map(String::from);
        let out: Vec<u32> =
            dissenters(&answers.concat(), &rank).iter().map(|(it, _)| it.id).collect();
        assert_eq!(out, [0, 1, 2]);
    }
}
