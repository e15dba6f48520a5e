//! From a study to durable samples: cells, plan, clock, workers, blocks, archive.
//!
//! The lab knows no mac and no provider by name: it is handed workers. It times, and decides
//! nothing about what the times mean; that is for `stats`, and for `report` to tell.

pub mod archive;
pub mod cell;
pub mod clock;
pub mod forecast;
pub mod machine;
pub mod measure;
pub mod order;
pub mod owner;
pub mod plan;
pub mod race;
pub mod record;
pub mod regimes;
mod schedule;
pub mod segments;
pub mod sessions;
pub mod study;
pub mod worker;
