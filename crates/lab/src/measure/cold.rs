//! Cold starts: in each launch a process of its own for the macs of a case, which are asked for
//! their first call one after the other. The process has tried and proved nothing before; its tags
//! are held against those of a warm worker afterwards.

use std::collections::BTreeMap;
use std::time::Instant;

use super::workers::Workers;
use super::{MeasureError, Sitting, key_bytes};
use crate::record::{CellRecord, Exclusion, Sample, WRONG_FIRST_TAG, unix_s};
use crate::regimes::cold::Cold;
use crate::worker::client::{FirstCall, Launch, Worker, WorkerError};

impl Sitting<'_> {
    /// Whether there is any first call to be timed.
    pub(super) fn has_cold_starts(&self) -> bool {
        let mut cells = self.run.cells.iter();
        cells.any(|it| !it.cell.regime.is_in_blocks() && self.is_open(it))
    }

    fn is_open(&self, record: &CellRecord) -> bool {
        record.excluded.is_none() && !self.dropped.contains(&record.cell.candidate.provider)
    }

    /// One first call of each cell.
    pub(super) fn cold_starts(
        &mut self,
        workers: &mut Workers,
        launch: u32,
    ) -> Result<(), MeasureError> {
        if !self.has_cold_starts() {
            return Ok(());
        }
        self.show("cold starts");
        let began = Instant::now();
        let keys = self.keys(launch);
        for places in self.processes(launch) {
            if self.bench.observer.stop() {
                return Ok(());
            }
            self.one_process(workers, &places, launch, &keys)?;
        }
        self.cold_s = began.elapsed().as_secs_f64();
        Ok(())
    }

    /// The cells of each process, in the order in which it gets them: those of one case, provider,
    /// length and regime, as the case names their macs.
    fn processes(&self, launch: u32) -> Vec<Vec<usize>> {
        let mut processes: BTreeMap<_, Vec<(usize, usize)>> = BTreeMap::new();
        for (place, record) in self.run.cells.iter().enumerate() {
            let Some(turns) = record.cell.regime.cold().filter(|_| self.is_open(record)) else {
                continue;
            };
            let cases = &self.run.study.parts[record.part as usize].cases;
            let in_case = cases.iter().enumerate().find_map(|(case, it)| {
                let at = it.macs.iter().position(|mac| *mac == record.cell.candidate.mac)?;
                Some((case, at))
            });
            let Some((case, at)) = in_case else { continue };
            let provider = &record.cell.candidate.provider;
            let process = (record.part, turns, case, provider, record.cell.len_bytes);
            processes.entry(process).or_default().push((at, place));
        }
        let ordered = |((_, turns, ..), mut own): ((_, Cold, _, _, _), Vec<(usize, usize)>)| {
            own.sort_unstable();
            if turns == Cold::Rotated {
                let by = launch as usize % own.len();
                own.rotate_left(by);
            }
            own.into_iter().map(|(_, place)| place).collect()
        };
        processes.into_iter().map(ordered).collect()
    }

    fn one_process(
        &mut self,
        workers: &mut Workers,
        places: &[usize],
        launch: u32,
        keys: &[u8],
    ) -> Result<(), MeasureError> {
        let provider = &self.run.cells[places[0]].cell.candidate.provider;
        let launches = self.bench.launches;
        let Some(start) = launches.iter().find(|it| it.name == *provider) else {
            return Ok(());
        };
        let outcomes = self.first_calls(start, places, keys);
        for (position, (&place, outcome)) in places.iter().zip(outcomes).enumerate() {
            let record = &self.run.cells[place];
            let (id, provider) = (record.id, &record.cell.candidate.provider);
            let proof = workers.ask(provider, |worker| worker.prove(id, 1));
            match (outcome, proof) {
                (Ok(first), Ok(tag)) if first.tag == tag => {
                    let sample = Sample {
                        cell: id,
                        launch,
                        block: launch,
                        position: position as u32,
                        iterations: 1,
                        elapsed_ns: first.elapsed_ns,
                        ticks: None,
                        core_hz: None,
                        unix_s: Some(unix_s()),
                    };
                    let spent_s = self.spent_s();
                    self.bench.archive.append(&self.run.id, &[sample], &[], spent_s)?;
                    self.run.samples.push(sample);
                }
                (Ok(_), Ok(_)) => {
                    self.exclude(workers, place, Exclusion::WrongTags(WRONG_FIRST_TAG.into()))?;
                }
                (Err(error), _) => {
                    self.exclude(workers, place, Exclusion::Failed(error.to_string()))?;
                }
                (_, Err(refusal)) => self.exclude(workers, place, Exclusion::Failed(refusal))?,
            }
        }
        Ok(())
    }

    /// The first calls of these cells in a process just started; it gets nothing else to do before.
    /// It is not pinned: a runtime that compiles in the background has processors for that, as
    /// where nobody measures.
    fn first_calls(
        &self,
        start: &Launch,
        places: &[usize],
        keys: &[u8],
    ) -> Vec<Result<FirstCall, WorkerError>> {
        let mut worker = match Worker::launch(&start.cold(), None) {
            Ok(worker) => worker,
            Err(error) => {
                let error = error.to_string();
                let failed = |_| Err(WorkerError::Launch(error.clone()));
                return places.iter().map(failed).collect();
            }
        };
        let first_call = |&place: &usize| {
            let cell = &self.run.cells[place].cell;
            let key = &key_bytes(keys, cell.key_len_bytes)[..cell.key_len_bytes as usize];
            worker.cold(&cell.candidate.mac, cell.key_life, key, self.message(cell.len_bytes))
        };
        places.iter().map(first_call).collect()
    }

    /// Message 0 of a cell.
    fn message(&self, len_bytes: u64) -> &[u8] {
        &self.pool[..len_bytes as usize]
    }
}
