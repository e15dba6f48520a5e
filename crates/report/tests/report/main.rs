//! Findings, pages and tables of planted runs. One program: Cargo runs programs of tests one after
//! the other, and the tests of one side by side.

mod against;
mod browser;
mod charts;
mod choices;
mod chromium;
mod claimed;
mod claims;
mod compared;
mod consistency;
mod counted;
mod explorer;
mod export;
mod findings;
mod formats;
mod gate;
mod gathered;
mod latex;
mod machines;
mod no_interval;
mod open;
mod page;
mod quotations;
mod recommend;
mod samples;
mod scheduling;
mod segments;
mod sessions;
mod simulation;
mod single_calls;
mod site;
mod taken_apart;
mod text;
mod trends;
mod windows;
