//! How much is measured: launches, blocks, and the length of keys.

use anyhow::{Result, bail};
use clap::Args;
use lab::study::Study;

/// Longest budget: a week.
const BUDGET_S_MAX: f64 = 604_800.0;

/// Options that set how much is measured; with them it is neither less nor more.
#[derive(Debug, Clone, Args)]
pub struct ExtentArgs {
    /// Number of launches (starts of all workers), even if claims stay undecided [default:
    /// the study's]
    #[arg(long, value_name = "N")]
    launches: Option<u32>,
    /// Number of blocks (repetitions of every cell) per part and length, over all launches, even if
    /// claims stay undecided [default: the study's]
    #[arg(long, value_name = "N")]
    blocks: Option<u32>,
}

impl ExtentArgs {
    /// The study with this extent.
    pub fn apply(&self, study: &mut Study, budget_s: Option<f64>) -> Result<()> {
        check_budget(budget_s)?;
        study.budget_s = budget_s.unwrap_or(study.budget_s);
        if let Some(launches) = self.launches {
            if !(1..=1000).contains(&launches) {
                bail!("--launches {launches}: must be 1 to 1000");
            }
            study.launches = launches;
        }
        if let Some(blocks) = self.blocks {
            if !(1..=100_000).contains(&blocks) {
                bail!("--blocks {blocks}: must be 1 to 100000");
            }
            study.parts.iter_mut().for_each(|part| part.blocks = Some(blocks));
        }
        study.exact |= self.launches.is_some() || self.blocks.is_some();
        if study.exact {
            study.race = None;
        }
        Ok(())
    }

    /// The options again, as they would be typed.
    pub fn words(&self) -> String {
        let options = [("launches", self.launches), ("blocks", self.blocks)];
        let given = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
        given.map(|(name, value)| format!(" --{name} {value}")).collect()
    }
}

/// A number as a user may have given it: `1e300`, not 300 digits.
pub fn given(value: f64) -> String {
    let plain = value.to_string();
    if plain.len() <= 12 { plain } else { format!("{value:e}") }
}

/// Refuses budgets that no run could have.
pub fn check_budget(budget_s: Option<f64>) -> Result<()> {
    match budget_s {
        Some(budget_s) if !(budget_s > 0.0 && budget_s <= BUDGET_S_MAX) => {
            let budget_s = given(budget_s);
            bail!("--budget {budget_s}: must be more than 0 and at most {BUDGET_S_MAX} seconds")
        }
        _ => Ok(()),
    }
}
