//! A plan cell by cell.

use lab::forecast::PartForecast;
use lab::study::Study;
use serde_json::{Value, json};

use super::Told;
use crate::selection::Ready;

pub fn json(told: &Told<'_>) -> String {
    let Ready { study, launches, cells, needs, .. } = told.ready;
    let cells: Vec<String> = cells.iter().map(|planned| planned.cell.to_string()).collect();
    let providers: Vec<&String> = launches.iter().map(|launch| &launch.name).collect();
    let parts = told.forecast.parts.iter().map(|it| part(it, study));
    let all = json!({
        "study": study.name, "budget_s": study.budget_s, "launches": study.launches,
        "providers": providers,
        "parts": parts.collect::<Vec<_>>(),
        "seconds_before_the_first_launch": told.forecast.before_s,
        "seconds_a_launch_beside_blocks": told.forecast.launch_s,
        "launches_fitting": told.forecast.launches_fitting(),
        "estimated_from_run": told.forecast.from,
        "cells": cells,
        "threads": needs.map(|it| it.threads),
        "memory_bytes": needs.map(|it| it.memory_bytes),
    });
    report::json_line(&all).unwrap_or_default()
}

fn part(forecast: &PartForecast, study: &Study) -> Value {
    json!({
        "name": study.parts[forecast.part as usize].name,
        "cells_measured": forecast.cells,
        "lengths_bytes": forecast.lengths,
        "decides_claims": forecast.decides,
        "seconds_a_block": forecast.block_s,
    })
}

/// A cell a row.
pub fn csv(ready: &Ready) -> String {
    let mut text = "part,mac,provider,kernel,regime,key_life,len_bytes,key_len_bytes\n".to_owned();
    for planned in &ready.cells {
        let part = &ready.study.parts[planned.part as usize].name;
        let cell = &planned.cell;
        let candidate = &cell.candidate;
        let fields = [
            part.clone(),
            candidate.mac.clone(),
            candidate.provider.clone(),
            candidate.kernel.clone(),
            cell.regime.to_string(),
            cell.key_life.to_string(),
            cell.len_bytes.to_string(),
            cell.key_len_bytes.to_string(),
        ];
        text += &(fields.map(field).join(",") + "\n");
    }
    text
}

/// A field that no program takes for a formula, and none for two.
fn field(text: String) -> String {
    let text = report::csv::no_formula(text);
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

/// A cell a line, by its path.
pub fn text(ready: &Ready) -> String {
    let lines = ready.cells.iter().map(|planned| format!("{}\n", planned.cell));
    lines.collect()
}
