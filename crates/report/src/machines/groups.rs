//! Machines told apart: by what they are, by the version of a provider, by code path.

use std::collections::BTreeMap;

use serde::Serialize;
use stats::{KruskalWallis, OverUnits, Sample, Unit};

use super::row_inputs::RowInputs;
use super::{Kind, over};

/// By what machines are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// Each by itself.
    Machine,
    /// Vendor of the processor.
    Vendor,
    /// Vendor, family and model.
    Generation,
    /// Hypervisor, or none.
    Hypervisor,
    /// Operating system.
    System,
    /// Version of the offer's provider.
    ProviderVersion,
    /// Code path of the offer.
    Kernel,
}

/// Machines that are alike in this.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupOver {
    /// The vendor, system, version or other thing that they share.
    pub name: String,
    /// What they have in common.
    #[serde(flatten)]
    pub over: OverUnits,
    /// Their numbers in the list of kinds.
    pub machines: Vec<usize>,
}

type OfKind<'a> = &'a dyn Fn(&Kind) -> Option<String>;
type OfNumber<'a> = &'a dyn Fn(usize) -> Option<String>;

/// The groups of a row, by their names.
pub(super) fn all(
    by: By,
    units: &[(usize, Unit)],
    inputs: &RowInputs<'_>,
    (version, path): (OfKind<'_>, OfNumber<'_>),
) -> Vec<GroupOver> {
    let mut groups: BTreeMap<String, Vec<(usize, Unit)>> = BTreeMap::new();
    for &(number, unit) in units {
        let kind = &inputs.kinds[number];
        let traits = &kind.traits;
        let name = match by {
            By::Machine => {
                Some(format!("{} {}", &kind.machine_id[..8.min(kind.machine_id.len())], traits.cpu))
            }
            By::Vendor => traits.vendor.clone(),
            By::Generation => Some(traits.cpu.clone()),
            By::Hypervisor => Some(traits.hypervisor.clone().unwrap_or("none".into())),
            By::System => Some(traits.system.clone()),
            By::ProviderVersion => version(kind),
            By::Kernel => path(number),
        };
        groups.entry(name.unwrap_or("unknown".into())).or_default().push((number, unit));
    }
    let group = |(name, own): (String, Vec<(usize, Unit)>)| {
        let alone: Vec<Unit> = own.iter().map(|it| it.1).collect();
        let machines = own.iter().map(|it| it.0).collect();
        Some(GroupOver { name, over: over(&alone, inputs.margin)?, machines })
    };
    groups.into_iter().filter_map(group).collect()
}

/// Chance of groups so far apart by chance; absent where they are too few or too small.
pub(super) fn p(groups: &[GroupOver], units: &[(usize, Unit)]) -> Option<f64> {
    let logs: BTreeMap<usize, f64> = units.iter().map(|it| (it.0, it.1.log_ratio)).collect();
    let sample = |group: &GroupOver| {
        Sample::new(group.machines.iter().filter_map(|it| logs.get(it).copied()).collect()).ok()
    };
    let samples: Option<Vec<Sample>> = groups.iter().map(sample).collect();
    KruskalWallis::of(&samples?).map(|it| it.p)
}
