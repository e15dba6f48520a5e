//! A team's archive in PostgreSQL, with a server of its own for each test. Where none is installed
//! the tests are skipped with a line; `MACROMETER_TEST_POSTGRES` makes that a failure.

mod killed;
mod owners;
mod refused;
mod server;
mod tables;
mod together;

use crate::bench::Bench;

/// A run of few cells that lasts as long as it has launches and blocks.
const SMALL: [&str; 11] = [
    "run",
    "survey",
    "--mac",
    "hmac-sha256,cmac-aes-128",
    "--provider",
    "macs",
    "--size",
    "64",
    "--key-life",
    "prepared",
    "--quiet",
];

/// A run into an archive, with further options.
fn measured(bench: &Bench, archive: &str, options: &[&str]) -> std::process::Command {
    let mut command = bench.command(&SMALL);
    command.args(["--archive", archive]).args(options).env_remove("PGPASSWORD");
    command
}

/// The names of the runs of an archive.
fn runs(bench: &Bench, archive: &str) -> Vec<String> {
    let told = bench.right(&["runs", "--archive", archive, "--format", "json"]);
    let told: serde_json::Value = serde_json::from_str(&told).unwrap();
    let id = |run: &serde_json::Value| run["id"].as_str().unwrap().to_owned();
    told["runs"].as_array().unwrap().iter().map(id).collect()
}
