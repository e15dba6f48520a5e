//! The library as C gets it: programs in C and C++ that are compiled against the header, linked with
//! the shared library that Cargo built beside this test, and run.

mod compiled;
mod programs;
mod symbols;
mod vectors;
