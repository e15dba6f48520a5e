//! From a run to what is told of it: findings as data, tables for the terminal, files, charts, the
//! page, and two runs side by side. A pure function of what the archive holds: it times nothing,
//! and all statistics are those of `stats`. The command calls it; tests give it runs of the crate
//! `synthetic`.

#![forbid(unsafe_code)]

pub mod against;
pub mod bundle;
mod chart_kind;
pub mod charts;
pub mod compare;
pub mod consistency;
pub mod csv;
mod document;
pub mod export;
pub mod findings;
pub mod first_look;
pub mod format;
pub mod gate;
pub mod latex;
pub mod machines;
mod markdown;
pub mod page;
pub mod paper;
pub mod recommend;
pub mod regimes;
pub mod table;
pub mod terminal;
pub mod verdicts;

pub use document::{document, json, json_line};
pub use findings::Findings;
