//! One study on many machines: the pack that each of them measures, the bundle that each leaves in
//! a store, and what is asked of a bundle before its figures are believed. It measures nothing and
//! starts nothing: the command does. Whoever wants to look at many machines reads a store by
//! [`store::read`].

#![forbid(unsafe_code)]

pub mod bundle;
pub mod check;
mod citation;
pub mod gather;
pub mod jobs;
pub mod names;
pub mod pack;
pub mod scripts;
pub mod status;
pub mod store;
pub mod team;

pub use bundle::{AaTest, About, Bundle, Contents, Doctor, ProviderTest, Selftest};
pub use check::{Division, Reason, Verdict};
pub use pack::Pack;
pub use store::{Refused, Store};
