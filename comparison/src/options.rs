//! The command line.

use std::path::PathBuf;

use clap::Parser;

use crate::tools::ToolName;

/// Measures false alarms, small slowdowns and the order of candidates by macrometer and by other
/// benchmark programs, in turn, and prints a table for each
#[derive(Debug, Parser)]
#[command(version)]
pub struct Options {
    /// The program macrometer; left out without it
    #[arg(long, value_name = "FILE")]
    pub macrometer: Option<PathBuf>,
    /// The folder with nanobench.h (github.com/martinus/nanobench, 4.6 or later); left out without
    #[arg(long, value_name = "DIR")]
    pub nanobench: Option<PathBuf>,
    /// Wall time of a pair, in seconds
    #[arg(long, default_value_t = 5.0, value_parser = positive)]
    pub seconds: f64,
    /// Number of pairs of each tool for each figure
    #[arg(long, default_value_t = 40)]
    pub pairs: u32,
    /// Slowdowns in percent: 0.5 is 201 calls against 200; 7 is 15 against 14, the nearest that one
    /// call more can be
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', default_value = "0.5,0.2",
        value_parser = slowdown)]
    pub slow: Vec<f64>,
    /// Number of tries to order 20 candidates that are 1 % apart
    #[arg(long, default_value_t = 0)]
    pub order: u32,
    /// Wall time of such a try, in seconds [default: four times that of a pair]
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub order_seconds: Option<f64>,
    /// Difference that does not count, in percent, for each tool that has such a setting
    #[arg(long, value_name = "PERCENT", default_value_t = 0.1, value_parser = positive)]
    pub margin: f64,
    /// Run one other process per processor, which is busy half of the time
    #[arg(long)]
    pub load: bool,
    /// Only these tools
    #[arg(long, value_name = "TOOL", value_delimiter = ',')]
    pub only: Vec<ToolName>,
    /// Determines the order of the tools in each round
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Measure no longer than this, and print what there is
    #[arg(long, value_name = "SECONDS", value_parser = positive)]
    pub limit: Option<f64>,
    /// Append every result to this file as a line of JSON; what is there must have been measured
    /// under the same conditions
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Measure nothing: print the tables of a file that --out has written
    #[arg(long, value_name = "FILE")]
    pub read: Option<PathBuf>,
    /// What --load starts
    #[arg(long, hide = true)]
    pub busy: bool,
}

impl Options {
    pub fn order_seconds(&self) -> f64 {
        self.order_seconds.unwrap_or(4.0 * self.seconds)
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("must be a number above 0".to_owned()),
    }
}

fn slowdown(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.01..=10.0).contains(&number) => Ok(number),
        _ => Err("must be between 0.01 and 10".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Options::command().debug_assert();
    }
}
