//! `claims`: what was published, and what became of it on this machine. Verdicts are not kept: they
//! are worked out again from the newest runs that can give them.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use clap::Args;
use lab::archive::{Archive, Outline};
use lab::record::Run;
use lab::study::{Claim, Study};
use report::findings::Findings;
use report::verdicts::{ClaimLine, StudyVerdicts};
use serde_json::json;

use super::Format;
use crate::paths::{ArchiveArg, if_sound, sound};
use crate::{output, studies};

/// List the claims of the studies and their latest verdicts on this machine.
#[derive(Debug, Args)]
pub struct Claims {
    /// A study by name, or a .toml file [default: every study with claims, built in or run here]
    study: Option<String>,
    /// Show how each claim is decided, and the reasons for its verdict
    #[arg(long)]
    details: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    #[command(flatten)]
    pub archive: ArchiveArg,
}

impl Claims {
    pub fn run(self) -> Result<u8> {
        let archive = self.archive.open_if_there()?;
        let outlines = archive.as_ref().map(Archive::outlines).transpose()?.map_or(vec![], sound);
        let asked = self.asked(&outlines)?;
        let machine = lab::machine::read(None);
        let here = outlines.into_iter().filter(|outline| outline.is_of(&machine)).collect();
        let mut told = Told { archive: archive.as_ref(), outlines: here, runs: BTreeMap::new() };
        let tell = |(study, command): (Study, String)| told.study(&study, command);
        let studies: Vec<StudyVerdicts> = asked.into_iter().map(tell).collect::<Result<_>>()?;
        match self.format {
            Format::Json => output::print(&report::document(&json!({
                "machine": { "cpu_model": machine.cpu_model, "cpus": machine.cpus },
                "studies": studies,
            }))?)?,
            Format::Text => output::print(&self.text(&studies))?,
        }
        Ok(0)
    }

    fn text(&self, studies: &[StudyVerdicts]) -> String {
        let (width, colour) = (output::width(), output::colour());
        let text = |it: &StudyVerdicts| match self.details {
            true => it.details(width, colour),
            false => it.table(width, colour),
        };
        studies.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    /// The studies to be told, each with the command that runs it.
    fn asked(&self, outlines: &[Outline]) -> Result<Vec<(Study, String)>> {
        if let Some(name) = &self.study {
            return Ok(vec![(with_claims(name)?, command(&output::quoted(name)))]);
        }
        let mut asked: Vec<(Study, String)> = Vec::new();
        for study in studies::built_in::all()? {
            let command = command(&study.name);
            asked.push((study, command));
        }
        // A user's own study is told as its newest run has it.
        for outline in outlines {
            if !asked.iter().any(|(study, _)| study.name == outline.study.name) {
                let name = outline.invocation.as_ref().and_then(|it| it.study.as_deref());
                asked.push((outline.study.clone(), command(name.unwrap_or(&outline.study.name))));
            }
        }
        asked.retain(|(study, _)| !study.claims.is_empty());
        Ok(asked)
    }
}

/// Runs of this machine, loaded when they are asked for, each once.
struct Told<'a> {
    archive: Option<&'a Archive>,
    /// Newest first.
    outlines: Vec<Outline>,
    runs: BTreeMap<String, (Run, Findings)>,
}

impl Told<'_> {
    fn study(&mut self, study: &Study, command: String) -> Result<StudyVerdicts> {
        let mut claims = Vec::new();
        for claim in &study.claims {
            let mut line = ClaimLine::new(study, claim);
            for (run, panel) in self.speakers(study, claim) {
                if let Some((run, findings)) = self.load(&run)? {
                    line.add(run, findings, &panel);
                }
            }
            claims.push(line);
        }
        Ok(StudyVerdicts {
            study: study.name.clone(),
            title: study.title.clone(),
            source: study.source.clone(),
            command,
            claims,
        })
    }

    /// The newest run of each panel that tested the very same claim by the same margin: for the
    /// panels of the study, and for those that the newest run had instead.
    fn speakers(&self, study: &Study, claim: &Claim) -> Vec<(String, String)> {
        let margin = |of: &Study| claim.margin.unwrap_or(of.margin);
        let tested = |outline: &&Outline| {
            let own = &outline.study;
            own.name == study.name && own.claims.contains(claim) && margin(own) == margin(study)
        };
        let runs: Vec<&Outline> = self.outlines.iter().filter(tested).collect();
        let Some(newest) = runs.first() else { return vec![] };
        let mut panels: Vec<&String> = Vec::new();
        let both = study.panels.iter().chain(&newest.study.panels);
        for panel in both.filter(|panel| claim.asks(panel)) {
            if !panels.contains(&&panel.name) {
                panels.push(&panel.name);
            }
        }
        let has = |run: &Outline, name: &String| run.study.panels.iter().any(|it| it.name == *name);
        let speaker = |name: &String| {
            let run = runs.iter().find(|run| has(run, name))?;
            Some((run.id.clone(), name.clone()))
        };
        panels.into_iter().filter_map(speaker).collect()
    }

    fn load(&mut self, id: &str) -> Result<Option<&(Run, Findings)>> {
        let Some(archive) = self.archive else { return Ok(None) };
        if !self.runs.contains_key(id) {
            let Some(run) = if_sound(archive, id)? else { return Ok(None) };
            let findings = super::findings(&run);
            self.runs.insert(id.to_owned(), (run, findings));
        }
        Ok(self.runs.get(id))
    }
}

fn command(study: &str) -> String {
    format!("macrometer run {study}")
}

/// A study by its name, which must make a claim.
fn with_claims(name: &str) -> Result<Study> {
    let study = studies::find(name)?;
    if study.claims.is_empty() {
        bail!("study {name:?} makes no claim; docs/studies.md explains how to write one");
    }
    Ok(study)
}
