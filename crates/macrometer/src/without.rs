//! Instructions that a run, a plan, a test or a bound leaves out.

use anyhow::{Error, Result, bail};
use clap::Args;
use lab::record::Machine;
use providers::restriction;
use words::{Extension, Tier, Without};

use crate::output::say;

/// Options for an older processor.
#[derive(Debug, Clone, Default, Args)]
pub struct WithoutArgs {
    /// Instruction-set extensions to disable, so that this machine stands in for older ones:
    /// avx512, vaes (with VPCLMULQDQ), sha. Providers that cannot be restricted this way are named
    /// and left out
    #[arg(long, value_name = "INSTRUCTIONS", value_delimiter = ',')]
    without: Vec<Extension>,
    /// Restrict to those of a processor class: avx512, avx2+vaes+sha (Zen 3, Alder Lake), avx2
    /// (Haswell to Skylake)
    #[arg(long, value_name = "TIER", conflicts_with = "without")]
    tier: Option<Tier>,
}

impl WithoutArgs {
    /// Restricts this process, and all workers that it starts, to what is left.
    pub fn apply(&self) -> Result<()> {
        let asked = match self.tier {
            Some(tier) => of_tier(tier)?,
            None => self.without.clone().into(),
        };
        let without = restriction::present(&asked);
        let is_absent = |it: &Extension| !without.takes(*it);
        let absent: Vec<_> = asked.extensions().iter().copied().filter(is_absent).collect();
        if let Some(sentence) = Without::from(absent).sentence() {
            say(&format!("this processor is {sentence} anyway"));
        }
        restriction::restrict(without).map_err(Error::msg)
    }

    /// The options again, as they would be typed.
    pub fn words(&self) -> String {
        match self.tier {
            Some(tier) => format!(" --tier {}", tier.name),
            None if self.without.is_empty() => String::new(),
            None => format!(" --without {}", Without::from(self.without.clone())),
        }
    }

    /// Whether one of the options was given.
    pub fn is_given(&self) -> bool {
        !self.without.is_empty() || self.tier.is_some()
    }
}

/// What is to be left out here to be of a tier; this processor must have what the tier has.
fn of_tier(tier: Tier) -> Result<Without> {
    let here = restriction::present(&Extension::ALL.to_vec().into());
    let lacking: Vec<_> = tier.has.iter().copied().filter(|it| !here.takes(*it)).collect();
    if let Some(sentence) = Without::from(lacking).sentence() {
        bail!("--tier {}: this processor is {sentence}", tier.name);
    }
    Ok(tier.without())
}

/// The option again, as it would be typed; nothing where nothing is left out.
pub fn words() -> String {
    let without = restriction::left_out();
    if without.is_empty() { String::new() } else { format!(" --without {without}") }
}

/// This machine, less what is left out of it.
pub fn machine(cpu: Option<u32>) -> Machine {
    Machine { without: restriction::left_out(), ..lab::machine::read(cpu) }
}
