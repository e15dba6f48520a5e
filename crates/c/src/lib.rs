//! The C library of `macs`: what `include/macs.h` declares, and nothing for Rust.
//!
//! All of its functions are below `edge`, the only place with unsafe code: they check what C hands
//! over, catch panics, and call `macs`.

mod edge;
mod error_text;
mod table;
