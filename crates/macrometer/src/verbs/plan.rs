//! `plan`: what a run would measure, for how long, and what its budget can decide, without
//! measuring.

mod cells;
mod power;
mod text;

use std::time::Instant;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use lab::archive::Archive;
use lab::forecast::Forecast;
use lab::record::Run;
use lab::study::Study;

use crate::packs::{self, PackedArgs};
use crate::paths::{ArchiveArg, if_sound, sound};
use crate::selection::{ExtentArgs, Ready, SelectionArgs};
use crate::without::{self, WithoutArgs};
use crate::{output, studies};
pub use power::difference;

/// Show what a run would measure, how long it takes and what it can decide.
#[derive(Debug, Args)]
pub struct Plan {
    /// A study by name, a .toml file, or what `macrometer pack` has written
    #[arg(default_value = "survey")]
    study: String,
    /// Time limit of the whole run in seconds, exceeded only if it is too short for a first look
    /// [default: the study's]
    #[arg(long, allow_negative_numbers = true, value_name = "SECONDS")]
    budget: Option<f64>,
    #[command(flatten)]
    extent: ExtentArgs,
    /// Show what it takes to detect a difference of this size, such as 2%, with 80 % power
    #[arg(long, value_name = "PERCENT", value_parser = power::difference)]
    power: Option<f64>,
    /// List every cell, one per line
    #[arg(long)]
    cells: bool,
    #[command(flatten)]
    without: WithoutArgs,
    #[command(flatten)]
    selection: SelectionArgs,
    /// Output format; json and csv have every cell
    #[arg(long, value_enum, default_value = "text")]
    format: PlanFormat,
    #[command(flatten)]
    pub archive: ArchiveArg,
}

/// How a plan is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PlanFormat {
    Text,
    Json,
    Csv,
}

/// A plan as it is told.
struct Told<'a> {
    ready: &'a Ready,
    forecast: &'a Forecast,
    /// The kept run that the forecast is made of.
    kept: Option<&'a Run>,
    /// The study as it is named on the command line.
    name: &'a str,
}

impl Plan {
    pub fn run(mut self) -> Result<u8> {
        let began = Instant::now();
        let packed = self.unpack()?;
        self.without.apply()?;
        let study = packed.map_or_else(|| studies::find(&self.study), Ok)?;
        let mut study = self.selection.own_files()?.apply(study)?;
        self.extent.apply(&mut study, self.budget)?;
        let ready = self.selection.ready(&study, &self.selection.sought(&study)?)?;
        let archive = self.archive.open_if_there()?;
        let looking_s = began.elapsed().as_secs_f64();
        let (forecast, kept) = forecast(&ready, archive.as_ref())?;
        let forecast = forecast.after(looking_s);
        let (kept, name) = (kept.as_ref(), self.study.as_str());
        let told = Told { ready: &ready, forecast: &forecast, kept, name };
        if self.power.is_some() && (self.cells || self.format != PlanFormat::Text) {
            bail!("--power supports only text output, and not --cells");
        }
        self.print(&told)?;
        Ok(0)
    }

    fn print(&self, told: &Told<'_>) -> Result<()> {
        let text = match (self.format, self.power) {
            (PlanFormat::Json, _) => return output::print(&cells::json(told)),
            (PlanFormat::Csv, _) => return output::print(&cells::csv(told.ready)),
            (PlanFormat::Text, Some(difference)) => power::text(told, difference, output::width()),
            (PlanFormat::Text, None) if self.cells => cells::text(told.ready),
            (PlanFormat::Text, None) => text::page(told, output::width()),
        };
        output::print_text(&text)
    }
}

impl Plan {
    /// The study of a pack, whose options are taken, where the study is one.
    fn unpack(&mut self) -> Result<Option<Study>> {
        let Some(pack) = packs::named(&self.study)? else { return Ok(None) };
        let (name, told) = (&self.study, PackedArgs::of_words(&pack.options));
        let told = told.with_context(|| format!("{name}: not a valid pack"))?;
        let (budget, extent) = (self.budget, self.extent.clone());
        let (without, selection) = (self.without.clone(), self.selection.clone());
        if !(PackedArgs { budget, extent, without, selection }).is_empty() {
            bail!("{name}: a pack has its options: pack the study again with others");
        }
        self.budget = told.budget;
        self.extent = told.extent;
        self.without = told.without;
        self.selection = told.selection.with_patience_of(&self.selection);
        Ok(Some(pack.study))
    }
}

/// What is foretold of a study, from the newest run of it on this machine where there is one.
pub fn forecast(ready: &Ready, archive: Option<&Archive>) -> Result<(Forecast, Option<Run>)> {
    let kept = archive.map_or(Ok(None), |archive| newest(archive, &ready.study))?;
    let Ready { study, cells, processors, .. } = ready;
    Ok((Forecast::of(study, cells, processors, kept.as_ref()), kept))
}

/// The newest run of a study on this machine, whole.
pub fn newest(archive: &Archive, study: &Study) -> Result<Option<Run>> {
    let here = without::machine(None);
    let is_its =
        |outline: &lab::archive::Outline| outline.study.name == study.name && outline.is_of(&here);
    for outline in sound(archive.outlines()?).iter().filter(|outline| is_its(outline)) {
        if let Some(run) = if_sound(archive, &outline.id)? {
            return Ok(Some(run));
        }
    }
    Ok(None)
}
