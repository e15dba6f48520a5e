//! `plan`: what a run would measure, without measuring.

use anyhow::Result;
use clap::Args;
use lab::worker::memory_limit::byte_text;
use serde_json::json;

use super::Format;
use crate::selection::{Ready, SelectionArgs};
use crate::{output, studies};

/// Tell what a run would measure, and for how long.
#[derive(Debug, Args)]
pub struct Plan {
    /// A study by name, or a .toml file
    #[arg(default_value = "survey")]
    study: String,
    #[command(flatten)]
    selection: SelectionArgs,
    /// How to write it
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

impl Plan {
    pub fn run(self) -> Result<u8> {
        let study = self.selection.own_files()?.apply(studies::find(&self.study)?)?;
        let ready = self.selection.ready(&study, &self.selection.sought(&study)?)?;
        output::print(&match self.format {
            Format::Json => json(&ready),
            Format::Text => text(&ready),
        })?;
        Ok(0)
    }
}

fn json(ready: &Ready) -> String {
    let cells: Vec<String> = ready.cells.iter().map(|planned| planned.cell.to_string()).collect();
    let Ready { study, launches, .. } = ready;
    let providers: Vec<&String> = launches.iter().map(|launch| &launch.name).collect();
    json!({
        "study": study.name, "budget_s": study.budget_s, "launches": study.launches,
        "providers": providers, "cells": cells,
        "threads": ready.needs.map(|it| it.threads),
        "memory_bytes": ready.needs.map(|it| it.memory_bytes),
    })
    .to_string()
}

fn text(ready: &Ready) -> String {
    let Ready { study, cells, launches, .. } = ready;
    let names: Vec<&str> = launches.iter().map(|launch| launch.name.as_str()).collect();
    let mut text =
        format!("{}\n{}\n\nproviders  {}\n", study.title, study.summary, names.join(", "));
    for (number, part) in (0..).zip(&study.parts) {
        let of_part = cells.iter().filter(|planned| planned.part == number).count();
        let lengths = part.lengths();
        let (first, last) = (lengths[0], lengths[lengths.len() - 1]);
        let blocks = part.blocks.map_or("as the budget allows".into(), |n| n.to_string());
        text += &format!(
            "part       {}: {of_part} cells, {} lengths from {first} to {last} B, blocks a \
             length: {blocks}\n",
            part.name,
            lengths.len(),
        );
    }
    if study.panels.iter().any(|panel| panel.choose == lab::study::Choose::Fastest) {
        text += "panels     for each part and key life the pilot keeps the fastest of each mac, so \
                 fewer cells are measured\n";
    }
    if let Some(needs) = ready.needs {
        let memory = byte_text(needs.memory_bytes.next_multiple_of(1 << 20));
        let threads = needs.threads;
        text += &format!(
            "sessions   at most {threads} threads and {memory} of memory, in one worker\n"
        );
    }
    let cells: Vec<String> = cells.iter().map(|planned| format!("  {}\n", planned.cell)).collect();
    text += &format!(
        "time       at most {} s, in {} launches of the workers\n\n{} cells\n{}",
        study.budget_s,
        study.launches,
        cells.len(),
        cells.concat()
    );
    text
}
