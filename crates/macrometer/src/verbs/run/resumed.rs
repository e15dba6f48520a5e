//! A run that goes on, or is told again.

use std::path::Path;

use anyhow::{Result, bail};
use lab::archive::Archive;
use lab::plan::Planned;
use lab::record::{ProviderRecord, Run as RunRecord, RunState};
use lab::worker::client::Launch;
use words::counted;

use super::{Run, Sitting, environment, keep, note, packed, pinned_to, said_busy, segments};
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
        self.make_out()?;
        output::say(&format!(
            "run {} is complete and is re-rendered; continue it with a larger --budget",
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
            bail!("run {} is complete; continue it with a larger --budget", run.id);
        }
        files.check(&run.id, &run.study)?;
        packed::check_machine(&run)?;
        check_machine(&run)?;
        providers::restriction::restrict(run.machine.without.clone())
            .map_err(anyhow::Error::msg)?;
        run.budget_s = self.budget.unwrap_or(run.budget_s);
        let launches = self.found_again(&run)?;
        let study = &run.study;
        let (facts, processors) = (crate::selection::facts(), &run.machine.processors);
        let cells = if run.cells.is_empty() {
            lab::plan::cells(study, &run.providers, &facts, processors)?
        } else {
            vec![]
        };
        let settled = run.cells.iter();
        let settled =
            settled.map(|record| Planned { part: record.part, cell: record.cell.clone() });
        let all: Vec<Planned> = settled.chain(cells.iter().cloned()).collect();
        lab::measure::needs(study, &all, processors)?;
        self.make_out()?;
        self.note_conditions(&mut archive, &mut run)?;
        Ok((archive, run, cells, launches))
    }

    /// How the providers of a run are started; each must still be what it was.
    fn found_again(&self, run: &RunRecord) -> Result<Vec<Launch>> {
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
            check_is_as_it_was(run, &now)?;
            launches.push(Launch { patience, ..launch });
        }
        crate::memory_limit::same_allocator(&mut launches);
        if launches.len() < run.providers.len() {
            bail!("run {} used libraries given by --lib: give them again", run.id);
        }
        Ok(launches)
    }

    /// Keeps what is not as it was when the run began, or disturbs now.
    fn note_conditions(&self, archive: &mut Archive, run: &mut RunRecord) -> Result<()> {
        let cpu = self.cpu_of(run)?;
        if cpu != run.machine.pinned_cpu {
            let named = |cpu: Option<u32>| {
                cpu.map_or("no processor".into(), |cpu| format!("processor {cpu}"))
            };
            let [now, then] = [cpu, run.machine.pinned_cpu].map(named);
            note(
                archive,
                run,
                format!("resumed with workers pinned to {now}; it began with {then}"),
            )?;
        }
        if let Some(changed) = environment::changed_since(&run.events) {
            keep(archive, run, changed)?;
        }
        if let Some(busy) = said_busy() {
            note(archive, run, busy)?;
        }
        Ok(())
    }
}

/// Figures of two machines would be mixed. On aarch64 the model is the same for all of them.
fn check_machine(run: &RunRecord) -> Result<()> {
    let (then, here) = (&run.machine, lab::machine::read(None));
    if (&then.cpu_model, then.cpus) == (&here.cpu_model, here.cpus) {
        return Ok(());
    }
    let [then, here] =
        [then, &here].map(|it| format!("{}, {}", it.cpu_model, counted(it.cpus, "processor")));
    bail!(
        "run {} was begun on another machine ({then}; this one: {here}): resume it there, or run \
         its study anew here",
        run.id
    )
}

/// Refuses a provider that is another than when the run was planned.
fn check_is_as_it_was(run: &RunRecord, now: &ProviderRecord) -> Result<()> {
    let then = run.providers.iter().find(|record| record.name == now.name);
    let Some(then) = then.filter(|it| (&it.version, &it.path) == (&now.version, &now.path)) else {
        bail!("provider {} has changed since run {}", now.name, run.id);
    };
    if let Some(what) = changed_offer(run, then, now) {
        bail!("provider {} has changed since run {}: {what}", now.name, run.id);
    }
    Ok(())
}

/// What the run measures of a provider that is gone, or is on another code path now.
fn changed_offer(run: &RunRecord, then: &ProviderRecord, now: &ProviderRecord) -> Option<String> {
    let is_measured = |mac: &str| {
        let candidates = run.cells.iter().map(|it| &it.cell.candidate);
        let mut own = candidates.filter(|it| it.provider == then.name);
        run.cells.is_empty() || own.any(|it| it.mac == mac)
    };
    for offer in then.offers.iter().filter(|it| is_measured(&it.mac)) {
        let same = now.offers.iter().filter(|it| it.mac == offer.mac);
        let kernels: Vec<&str> = same.map(|it| it.kernel.as_str()).collect();
        if kernels.contains(&offer.kernel.as_str()) {
            continue;
        }
        return Some(match kernels.first() {
            None => format!("it no longer offers {}", offer.mac),
            Some(kernel) => format!("code path of {}: {} → {kernel}", offer.mac, offer.kernel),
        });
    }
    None
}
