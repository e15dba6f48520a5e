//! A run that goes on, or is told again.

use std::path::Path;

use anyhow::{Result, bail};
use lab::plan::Planned;
use lab::record::{Run as RunRecord, RunState};
use lab::worker::client::Launch;

use super::{Run, Sitting, note, packed, pinned_to, said_busy, segments};
use crate::discovery::{self, Sought};
use crate::output;
use crate::own_files::OwnFiles;

impl Run {
    /// The processor that the run began with, unless another is asked for: figures of two kinds of
    /// core would be mixed.
    pub(super) fn cpu_of(&self, run: &RunRecord) -> Result<Option<u32>> {
        let began = || run.machine.pinned_cpu.map_or("none".into(), |cpu| cpu.to_string());
        pinned_to(Some(&self.cpu.clone().unwrap_or_else(began)))
    }

    /// Where the segments of the run were wanted when it began, unless they are wanted elsewhere
    /// now: figures of two disks would be mixed.
    pub(super) fn segments_dir_of<'a>(&'a self, run: &'a RunRecord) -> Option<&'a Path> {
        self.segments_dir.as_deref().or(run.machine.segments_dir.as_deref())
    }

    /// Whether the run to go on with is complete already. Then it is reported: the process that
    /// measured it may have been killed before it had.
    pub(super) fn told_again(&self) -> Result<bool> {
        let archive = self.archive.open()?;
        let run = archive.load(self.resume.as_deref().unwrap_or("last"))?;
        if run.state != RunState::Complete {
            return Ok(false);
        }
        output::say(&format!(
            "run {} is complete and is re-rendered; a larger --budget would continue it",
            run.id
        ));
        segments::clear(&archive, &run, self.segments_dir_of(&run));
        self.tell(&archive, &run)?;
        Ok(true)
    }

    /// The run as it was planned; its providers must still be what they were.
    pub(super) fn resumed(&self, name: &str, files: &OwnFiles) -> Result<Sitting> {
        let mut archive = self.archive.open_to_write()?;
        // Before it is read: what another process still writes would be missing.
        let id = archive.load(name)?.id;
        archive.claim(&id, self.take_over)?;
        let mut run = archive.load(&id)?;
        if run.state == RunState::Complete && self.budget.is_none_or(|more| more <= run.spent_s) {
            bail!("run {} is complete; a larger --budget would continue it", run.id);
        }
        files.check(&run.id, &run.study)?;
        packed::check_machine(&run)?;
        providers::restriction::restrict(run.machine.without.clone())
            .map_err(anyhow::Error::msg)?;
        run.budget_s = self.budget.unwrap_or(run.budget_s);
        let names = run.providers.iter().map(|record| &record.name);
        let sought: Vec<Sought> = discovery::sought_with_forced(self.selection.libs(), names)?
            .into_iter()
            .filter(|sought| run.providers.iter().any(|record| sought.is(&record.name)))
            .collect();
        let patience = self.selection.patience()?;
        let mut launches = Vec::new();
        for found in discovery::find(&sought, patience) {
            let (launch, now) =
                found.outcome.map_err(|absence| anyhow::anyhow!("provider {}", absence.line))?;
            let then = run.providers.iter().find(|record| record.name == now.name);
            if then.is_none_or(|then| then.version != now.version || then.path != now.path) {
                bail!("provider {} is no longer what run {} measured", now.name, run.id);
            }
            launches.push(Launch { patience, ..launch });
        }
        crate::memory_limit::same_allocator(&mut launches);
        if launches.len() < run.providers.len() {
            bail!("run {} used libraries given by --lib: give them again", run.id);
        }
        let study = &run.study;
        let (facts, processors) = (crate::selection::facts(), &run.machine.processors);
        let cells = if run.cells.is_empty() {
            lab::plan::cells(study, &run.providers, &facts, processors)
        } else {
            Ok(vec![])
        };
        let cells = cells.map_err(|error| anyhow::anyhow!(error))?;
        let settled = run.cells.iter();
        let settled =
            settled.map(|record| Planned { part: record.part, cell: record.cell.clone() });
        let all: Vec<Planned> = settled.chain(cells.iter().cloned()).collect();
        lab::measure::needs(study, &all, processors).map_err(|error| anyhow::anyhow!(error))?;
        let cpu = self.cpu_of(&run)?;
        if cpu != run.machine.pinned_cpu {
            let named = |cpu: Option<u32>| {
                cpu.map_or("no processor".into(), |cpu| format!("processor {cpu}"))
            };
            let [now, then] = [cpu, run.machine.pinned_cpu].map(named);
            note(
                &mut archive,
                &mut run,
                format!("resumed with workers pinned to {now}; it began with {then}"),
            )?;
        }
        if let Some(busy) = said_busy() {
            note(&mut archive, &mut run, busy)?;
        }
        Ok((archive, run, cells, launches))
    }
}
