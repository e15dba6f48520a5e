//! Tags of files: what the verbs `tag`, `verify` and `keygen` share.

pub mod hardening;
pub mod key;
pub mod keyed;
pub mod line;
pub mod list;
pub mod permissions;
pub mod streams;
