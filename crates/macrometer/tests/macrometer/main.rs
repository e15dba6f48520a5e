//! The command as a user calls it, and what holds for the files of the project. One program:
//! Cargo runs programs of tests one after the other, and the tests of one side by side.

mod bad_providers;
mod bench;
mod circles;
mod claims;
mod cli;
mod crprf;
mod documents;
mod doors;
mod emulated;
mod fleet;
mod formats;
mod gate;
mod gather;
mod many_machines;
mod memory_limit;
mod newcomers;
mod own_files;
mod policies;
mod programs;
mod recommend;
mod recommend_tls;
mod resumed;
mod runs;
mod schemes;
mod segments;
mod selftest;
mod sessions;
mod stores;
mod strangers;
mod tags;
mod team;
mod tidy;
mod without;
mod wycheproof;
