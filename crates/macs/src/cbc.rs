//! The CBC family: one chain, and one file for each way to pad and to mask the last block.

pub(crate) mod chain;
pub(crate) mod omac;
