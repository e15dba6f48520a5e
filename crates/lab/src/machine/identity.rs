//! What makes machines comparable: two of one identity may be read as two of one kind. Nothing in
//! it names a host, and what its owner may change from day to day (memory, governor) is not in it.

use std::collections::BTreeSet;
use std::fs;

use serde::{Deserialize, Serialize};

use super::topology::{DEVICES, core_count, numbers, processor};
use super::{deciding, field, line, virtualization};
use crate::record::Processor;

/// Bytes of the hash that are shown.
const ID_BYTES: usize = 16;

/// A kind of machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// `x86_64`, `aarch64`.
    pub architecture: String,
    /// Vendor of the processor; on ARM its implementer.
    pub vendor: Option<String>,
    /// Family; on ARM the architecture's version.
    pub family: Option<String>,
    /// Model; on ARM the part.
    pub model: Option<String>,
    /// Stepping; on ARM variant and revision.
    pub stepping: Option<String>,
    /// Revision of the microcode.
    pub microcode: Option<String>,
    /// Instructions that decide which code path a library takes.
    pub features: Vec<String>,
    /// Sockets that have a processor.
    pub packages: u32,
    /// Cores of all sockets.
    pub cores: u32,
    /// Logical processors online.
    pub processors: u32,
    /// Hypervisor, where there is one.
    pub hypervisor: Option<String>,
}

impl Identity {
    /// Reads this machine's: what it is, whatever part of it this process may use.
    #[must_use]
    pub fn read() -> Self {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let online = line("/sys/devices/system/cpu/online");
        let numbers = online.as_deref().and_then(numbers);
        let numbers = numbers.unwrap_or_else(|| (0..super::online()).collect());
        let own: Vec<Processor> = numbers.iter().map(|&cpu| processor(DEVICES, cpu)).collect();
        let packages: BTreeSet<u32> = own.iter().map(|it| it.package).collect();
        Self {
            packages: packages.len() as u32,
            cores: core_count(&own) as u32,
            processors: numbers.len() as u32,
            ..Self::of_cpuinfo(&cpuinfo)
        }
    }

    fn of_cpuinfo(cpuinfo: &str) -> Self {
        let word = |name: &str| field(cpuinfo, name).map(str::to_owned);
        let flags = field(cpuinfo, "flags").or(field(cpuinfo, "Features")).unwrap_or_default();
        let stepping_of_arm = || {
            let (variant, revision) = (word("CPU variant")?, word("CPU revision")?);
            Some(format!("{variant}r{revision}"))
        };
        let mut features = deciding(flags);
        features.sort_unstable();
        Self {
            architecture: std::env::consts::ARCH.to_owned(),
            vendor: word("vendor_id").or_else(|| word("CPU implementer")),
            family: word("cpu family").or_else(|| word("CPU architecture")),
            model: word("model").or_else(|| word("CPU part")),
            stepping: word("stepping").or_else(stepping_of_arm),
            microcode: word("microcode"),
            features,
            packages: 1,
            cores: 1,
            processors: 1,
            hypervisor: virtualization(flags),
        }
    }

    /// `machine_id`: the first 16 bytes of BLAKE3 over the identity as JSON without spaces, its
    /// keys in the order above.
    #[must_use]
    pub fn id(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_default();
        hex::encode(&blake3::hash(text.as_bytes()).as_bytes()[..ID_BYTES])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPUINFO: &str = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\n\
        model\t\t: 17\nmodel name\t: AMD EPYC 9R14\nstepping\t: 1\nmicrocode\t: 0xa101154\n\
        flags\t\t: fpu vaes aes avx2 sse2\n";

    #[test]
    fn an_identity_is_what_the_kernel_says_of_the_processor() {
        let of = Identity::of_cpuinfo(CPUINFO);
        let words = [&of.vendor, &of.family, &of.model, &of.stepping, &of.microcode];
        let words = words.map(|word| word.as_deref().unwrap_or_default());
        assert_eq!(words, ["AuthenticAMD", "25", "17", "1", "0xa101154"]);
        assert_eq!(of.features, ["aes", "avx2", "vaes"]);
        let arm = "Features : aes sha2\nCPU implementer : 0x41\nCPU architecture: 8\n\
                   CPU variant : 0x3\nCPU part : 0xd0c\nCPU revision : 1\n";
        let of = Identity::of_cpuinfo(arm);
        assert_eq!(of.vendor.as_deref(), Some("0x41"));
        assert_eq!(of.stepping.as_deref(), Some("0x3r1"));
    }

    #[test]
    fn whatever_makes_machines_differ_makes_their_ids_differ() {
        let own = Identity::of_cpuinfo(CPUINFO);
        assert_eq!(own.id().len(), 2 * ID_BYTES);
        assert_eq!(own.id(), Identity::of_cpuinfo(CPUINFO).id());
        let others = [
            Identity { architecture: "other".into(), ..own.clone() },
            Identity { vendor: None, ..own.clone() },
            Identity { family: None, ..own.clone() },
            Identity { model: None, ..own.clone() },
            Identity { stepping: None, ..own.clone() },
            Identity { microcode: None, ..own.clone() },
            Identity { features: vec![], ..own.clone() },
            Identity { packages: 2, ..own.clone() },
            Identity { cores: 2, ..own.clone() },
            Identity { processors: 2, ..own.clone() },
            Identity { hypervisor: Some("another".into()), ..own.clone() },
        ];
        for (at, other) in others.iter().enumerate() {
            assert_ne!(other.id(), own.id(), "{at}");
        }
    }

    #[test]
    fn this_machine_is_read_the_same_twice_and_has_as_many_processors_as_it_says() {
        let (one, two) = (Identity::read(), Identity::read());
        assert_eq!(one, two);
        assert_eq!(one.processors, super::super::online());
        assert!(one.packages >= 1 && one.cores >= one.packages && one.processors >= one.cores);
    }
}
