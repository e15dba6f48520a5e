//! The processors that this process may use: which of them share a core, and which are of the
//! fastest kind.

use std::collections::BTreeSet;

use rustix::thread::{CpuSet, sched_getaffinity};

use super::line;
use crate::record::Processor;

/// Where the system describes its processors.
pub(super) const DEVICES: &str = "/sys/devices";

/// The processor to pin workers to: the last allowed one of the fastest kind. The first takes most
/// interrupts, and where kinds are mixed the last of all is often of the slowest.
#[must_use]
pub fn pinnable_cpu() -> Option<u32> {
    fastest(DEVICES, &allowed()).last().copied()
}

/// The processors that this process may use, one of each core first, their SMT siblings last; among
/// either the fastest kind comes first. Sessions are given them in this order.
#[must_use]
pub fn processors() -> Vec<Processor> {
    in_order(DEVICES, allowed())
}

fn allowed() -> Vec<u32> {
    let Ok(allowed) = sched_getaffinity(None) else { return vec![] };
    let cpus = (0..CpuSet::MAX_CPU).filter(|&cpu| allowed.is_set(cpu));
    cpus.map(|cpu| cpu as u32).collect()
}

fn in_order(devices: &str, cpus: Vec<u32>) -> Vec<Processor> {
    let cpus = fastest_first(devices, cpus).into_iter();
    one_of_each_core_first(cpus.map(|cpu| processor(devices, cpu)).collect())
}

/// A processor and what it shares. A core goes by the lowest number of its processors: `core_id`
/// begins anew in each cluster that a device tree describes, whose packages may all be −1.
pub(super) fn processor(devices: &str, cpu: u32) -> Processor {
    let of = |name: &str| line(&format!("{devices}/system/cpu/cpu{cpu}/topology/{name}"));
    // The second is the older name of the first.
    let siblings = of("core_cpus_list").or_else(|| of("thread_siblings_list"));
    let lowest = siblings.and_then(|list| list.split([',', '-']).next()?.parse().ok());
    let package = of("physical_package_id").and_then(|number| number.parse().ok());
    // Where the system does not tell, each is taken for a core of its own.
    Processor { cpu, core: lowest.unwrap_or(cpu), package: package.unwrap_or(0) }
}

/// The same by kind, the fastest first; otherwise their order stays.
fn fastest_first(devices: &str, mut left: Vec<u32>) -> Vec<u32> {
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let fast = fastest(devices, &left);
        left.retain(|cpu| !fast.contains(cpu));
        ordered.extend(fast);
    }
    ordered
}

/// Those of the fastest kind among these, by the first account that tells kinds apart; all of them
/// where none does.
fn fastest(devices: &str, cpus: &[u32]) -> Vec<u32> {
    let of_all = |name: &str| {
        let of = |cpu: &u32| line(&format!("{devices}/system/cpu/cpu{cpu}/{name}"))?.parse().ok();
        cpus.iter().map(of).collect::<Option<Vec<u32>>>()
    };
    // Intel's processors with two kinds of cores list the P-cores.
    let list = line(&format!("{devices}/cpu_core/cpus"));
    let p_cores = list.and_then(|list| numbers(&list)).unwrap_or_default();
    let is_p_core = cpus.iter().map(|cpu| u32::from(p_cores.contains(cpu))).collect();
    // All capacities are alike where the system does not know them.
    let accounts = [Some(is_p_core), of_all("cpu_capacity"), of_all("cpufreq/cpuinfo_max_freq")];
    let told_apart = accounts.into_iter().flatten().find_map(|speeds| {
        let most = speeds.iter().copied().max()?;
        let fast = cpus.iter().zip(&speeds).filter(|it| is_same_kind(*it.1, most));
        let fast: Vec<u32> = fast.map(|it| *it.0).collect();
        (fast.len() < cpus.len()).then_some(fast)
    });
    told_apart.unwrap_or_else(|| cpus.to_vec())
}

/// Whether a processor is as fast as the fastest, or only a favoured one is faster: cores of one
/// kind may differ by some percent in their highest clock, kinds differ by a fifth and more.
fn is_same_kind(speed: u32, most: u32) -> bool {
    u64::from(speed) * 5 >= u64::from(most) * 4
}

/// Numbers of a list as the Linux kernel writes it: `0-3,6`.
pub(super) fn numbers(list: &str) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for range in list.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then(|| all.extend(first..=last))?;
    }
    Some(all)
}

/// How many of these are of different cores: so many stand first in the order of a run.
#[must_use]
pub fn core_count(processors: &[Processor]) -> usize {
    let cores: BTreeSet<_> = processors.iter().map(|it| (it.package, it.core)).collect();
    cores.len()
}

/// The same processors in the order of a run; otherwise their order stays.
#[must_use]
pub fn one_of_each_core_first(processors: Vec<Processor>) -> Vec<Processor> {
    let mut known = BTreeSet::new();
    let (mut first, siblings): (Vec<_>, Vec<_>) =
        processors.into_iter().partition(|it| known.insert((it.package, it.core)));
    first.extend(siblings);
    first
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A system that says this of its processors; all else is not readable there.
    struct System(tempfile::TempDir);

    impl System {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn with(self, name: &str, content: &str) -> Self {
            let path = self.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("{content}\n")).unwrap();
            self
        }

        /// The same file of each processor.
        fn with_each(self, name: &str, contents: &[&str]) -> Self {
            contents.iter().enumerate().fold(self, |system, (cpu, content)| {
                system.with(&format!("system/cpu/cpu{cpu}/{name}"), content)
            })
        }

        fn devices(&self) -> &str {
            self.0.path().to_str().unwrap()
        }

        fn pinnable(&self, cpus: &[u32]) -> Option<u32> {
            fastest(self.devices(), cpus).last().copied()
        }

        fn order(&self, count: u32) -> Vec<u32> {
            in_order(self.devices(), (0..count).collect()).iter().map(|it| it.cpu).collect()
        }
    }

    const FREQUENCY: &str = "cpufreq/cpuinfo_max_freq";

    #[test]
    fn workers_are_pinned_to_the_last_of_the_fastest_kind() {
        let untold = System::new();
        assert_eq!((untold.pinnable(&[0, 1, 2, 3]), untold.pinnable(&[])), (Some(3), None));
        let intel = System::new().with("cpu_core/cpus", "0-1,4");
        assert_eq!(intel.pinnable(&[0, 1, 4, 5, 6]), Some(4));
        assert_eq!(intel.pinnable(&[1, 6, 7]), Some(1));
        assert_eq!(intel.pinnable(&[5, 6, 7]), Some(7), "no other kind is allowed");
        let big_first = System::new().with_each("cpu_capacity", &["1024", "1024", "446", "446"]);
        assert_eq!(big_first.pinnable(&[0, 1, 2, 3]), Some(1));
        let little_first = System::new().with_each("cpu_capacity", &["446", "446", "1024", "1011"]);
        assert_eq!(little_first.pinnable(&[0, 1, 2, 3]), Some(3));
        let clocks = ["5100000", "5200000", "3900000", "3900000"];
        let told_by_clocks =
            System::new().with_each("cpu_capacity", &["1024"; 4]).with_each(FREQUENCY, &clocks);
        assert_eq!(told_by_clocks.pinnable(&[0, 1, 2, 3]), Some(1));
        assert_eq!(told_by_clocks.pinnable(&[0, 2, 9]), Some(9), "what one lacks tells nothing");
    }

    #[test]
    fn favoured_cores_are_no_kind_of_their_own() {
        let clocks = ["5300000", "5300000", "5100000", "4900000"];
        let system = System::new().with_each(FREQUENCY, &clocks);
        assert_eq!(system.pinnable(&[0, 1, 2, 3]), Some(3));
        assert_eq!(system.order(4), [0, 1, 2, 3]);
        assert!(is_same_kind(4, 5) && !is_same_kind(7999, 10_000) && is_same_kind(0, 0));
    }

    #[test]
    fn sessions_get_the_fastest_kind_first_and_siblings_last() {
        let little_first = System::new().with_each("cpu_capacity", &["446", "446", "1024", "1024"]);
        assert_eq!(little_first.order(4), [2, 3, 0, 1]);
        let three_kinds = System::new()
            .with("cpu_core/cpus", "2-5")
            .with_each("topology/core_cpus_list", &["0", "1", "2-3", "2-3", "4-5", "4-5"])
            .with_each(FREQUENCY, &["2500000", "3800000", "5", "5", "5", "5"]);
        assert_eq!(three_kinds.order(6), [2, 4, 1, 0, 3, 5]);
    }

    #[test]
    fn cores_of_different_clusters_are_different_cores() {
        let clusters = System::new()
            .with_each("topology/core_id", &["0", "1", "0", "1"])
            .with_each("topology/physical_package_id", &["-1"; 4])
            .with_each("topology/thread_siblings_list", &["0", "1", "2", "3"]);
        let found = in_order(clusters.devices(), (0..4).collect());
        assert_eq!(core_count(&found), 4);
        assert!(found.iter().all(|it| (it.core, it.package) == (it.cpu, 0)), "{found:?}");
        let siblings = System::new()
            .with_each("topology/core_id", &["0", "4", "0", "4"])
            .with_each("topology/physical_package_id", &["1"; 4])
            .with_each("topology/core_cpus_list", &["0,2", "1,3", "0,2", "1,3"]);
        let of = |cpu| Processor { cpu, core: cpu % 2, package: 1 };
        assert_eq!(in_order(siblings.devices(), (0..4).collect()), [0, 1, 2, 3].map(of));
        let strange = System::new().with_each("topology/core_cpus_list", &["x", ""]);
        assert_eq!(core_count(&in_order(strange.devices(), vec![0, 1])), 2);
    }

    #[test]
    fn siblings_stand_behind_one_processor_of_each_core() {
        let of = |cpu, core| Processor { cpu, core, package: 0 };
        let order = one_of_each_core_first(vec![of(0, 0), of(1, 0), of(2, 1), of(3, 1)]);
        assert_eq!(order.iter().map(|it| it.cpu).collect::<Vec<_>>(), [0, 2, 1, 3]);
        assert_eq!(core_count(&order), 2);
        let own = processors();
        assert!(!own.is_empty() && core_count(&own) <= own.len());
    }

    #[test]
    fn lists_of_processors_are_read() {
        assert_eq!(numbers("0-2,5"), Some(vec![0, 1, 2, 5]));
        assert_eq!((numbers("x"), numbers("3-1")), (None, None));
    }
}
