//! The options of CRPRF, the program of KHC's authors, by its names: lengths from 0 to L in steps
//! of S, and N calls timed one by one. For any study with a range of lengths.

use anyhow::{Result, bail};
use clap::Args;
use lab::study::{LEN_BYTES_MAX, SizeRange, Study, check_single_calls};

/// Most lengths of a part.
const STEPS_MAX: u64 = 10_000;

/// Options that set the range of lengths.
#[derive(Debug, Clone, Args)]
pub struct CrprfArgs {
    /// Message lengths from 0 to L bytes, in parts with a range of lengths (as in `khc`)
    #[arg(long = "maxMessageByteLength", value_name = "L", conflicts_with = "size")]
    max: Option<u64>,
    /// Step between these lengths in bytes
    #[arg(long = "stepByte", value_name = "S", conflicts_with = "size")]
    step: Option<u64>,
    /// Number of individually timed calls per cell in these parts (odd)
    #[arg(long = "repeatCount", value_name = "N")]
    repeat: Option<u32>,
}

impl CrprfArgs {
    /// A range with these lengths.
    fn range(&self, range: SizeRange) -> Result<SizeRange> {
        let from = if self.max.is_some() { 0 } else { range.from };
        let (to, step) = (self.max.unwrap_or(range.to), self.step.unwrap_or(range.step));
        let steps = to.saturating_sub(from) / step;
        if steps > STEPS_MAX {
            bail!("{steps} steps of {step} bytes to {to}: must be at most {STEPS_MAX} steps");
        }
        Ok(SizeRange { from, to, step })
    }

    /// The study with these lengths and calls.
    pub fn apply(&self, study: &Study) -> Result<Study> {
        let mut study = study.clone();
        let Some(first) = self.given().next() else { return Ok(study) };
        self.check()?;
        let mut ranges = 0;
        for part in &mut study.parts {
            let Some(range) = part.size_range else { continue };
            part.size_range = Some(self.range(range)?);
            part.single_calls = self.repeat.or(part.single_calls);
            ranges += 1;
        }
        if ranges == 0 {
            let name = &study.name;
            bail!("{}: no part of the study {name:?} has a size_range, as `khc` has", first.0);
        }
        Ok(study)
    }

    fn check(&self) -> Result<()> {
        if let Some(max) = self.max.filter(|&max| max > LEN_BYTES_MAX) {
            bail!("--maxMessageByteLength {max}: must be at most {LEN_BYTES_MAX} bytes");
        }
        if self.step == Some(0) {
            bail!("--stepByte 0: must be at least 1 byte");
        }
        if let Some(Err(error)) = self.repeat.map(check_single_calls) {
            bail!("--repeatCount {error}");
        }
        Ok(())
    }

    /// The options again, as they would be typed.
    pub fn words(&self) -> String {
        self.given().map(|(name, value)| format!(" {name} {value}")).collect()
    }

    fn given(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let options = [
            ("--maxMessageByteLength", self.max),
            ("--stepByte", self.step),
            ("--repeatCount", self.repeat.map(u64::from)),
        ];
        options.into_iter().filter_map(|(name, value)| Some((name, value?)))
    }
}
