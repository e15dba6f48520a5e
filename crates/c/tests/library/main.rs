//! The library as C gets it: programs in C and C++ that are compiled against the header, linked
//! with the shared library that Cargo built beside this test, and run. On Linux: elsewhere it has
//! other names.
#![cfg(target_os = "linux")]

mod compiled;
mod programs;
mod symbols;
mod vectors;
