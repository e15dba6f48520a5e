//! macrometer beside other benchmark programs: the same work in the same wall time, interleaved,
//! with settings that are fixed before anything is measured. `README.md` has the settings.
//!
//! One tool is one file in `tools` and a row in its list.

mod figures;
mod load;
mod options;
mod record;
mod rounds;
mod tools;

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use options::Options;

fn main() -> ExitCode {
    let options = Options::parse();
    if options.busy {
        load::be_busy();
    }
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("macrometer-comparison: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<()> {
    let records = match &options.read {
        Some(file) => record::read(file)?,
        None => rounds::measured(options)?,
    };
    print!("{}", figures::tables(&records));
    Ok(())
}
