//! Memory as a factor: a provider is measured as it is and, beside it, under limits, each as an
//! alias of its own: `macs[mem-64M]`, `macs[soft+mem-64M]`.

use std::ffi::OsString;

use anyhow::{Result, bail};
use clap::Args;
use lab::study::{Choose, Study};
use lab::worker::client::Launch;
use lab::worker::memory_limit::VARIABLE;
use thiserror::Error;
use words::ProviderName;

/// Below this a worker cannot go about its work at all.
const LIMIT_BYTES_MIN: u64 = 1 << 18;

/// Where glibc reads from which size on a buffer is memory of its own, given back when it is freed.
/// Left to itself it keeps large buffers once it has had some, and they would count as held.
const ALLOCATOR: (&str, &str) = ("MALLOC_MMAP_THRESHOLD_", "65536");

/// The variables of a worker that are not of a code path.
pub const VARIABLES: [&str; 2] = [VARIABLE, ALLOCATOR.0];

/// Memory limits.
#[derive(Debug, Clone, Args)]
pub struct MemoryLimitArgs {
    /// Also measure providers under these memory limits, in bytes or as 512Ki, 64Mi, 1Gi (512K
    /// means the same here)
    #[arg(long, value_name = "BYTES", value_delimiter = ',', value_parser = limit_bytes)]
    memory_limit: Vec<u64>,
}

impl MemoryLimitArgs {
    /// The limits in bytes.
    pub fn limits_bytes(&self) -> &[u64] {
        &self.memory_limit
    }

    /// The study with the aliases in the panels and parts of their providers.
    pub fn apply(&self, mut study: Study) -> Result<Study> {
        if self.memory_limit.is_empty() {
            return Ok(study);
        }
        if let Some(panel) = study.panels.iter().find(|panel| panel.choose == Choose::Fastest) {
            let name = &panel.name;
            bail!(
                "--memory-limit: panel {name:?} of the study keeps only the fastest of each mac; \
                 limits need panels that show all, as `sms` has"
            );
        }
        let panels = study.panels.iter_mut().map(|panel| &mut panel.providers);
        for names in panels.chain(study.parts.iter_mut().map(|part| &mut part.providers)) {
            let own: Vec<String> = names.iter().filter(|name| is_bare(name)).cloned().collect();
            for bytes in &self.memory_limit {
                names.extend(own.iter().map(|name| alias(name, *bytes)));
            }
        }
        Ok(study)
    }

    /// The option again, as it would be typed.
    pub fn words(&self) -> String {
        let limits: Vec<String> = self.memory_limit.iter().map(|&bytes| short(bytes)).collect();
        let words = || format!(" --memory-limit '{}'", limits.join(","));
        if limits.is_empty() { String::new() } else { words() }
    }
}

/// A name taken apart: the provider without its limit, and the limit.
pub struct Limited<'a> {
    provider: ProviderName<'a>,
    /// The limit in bytes, where there is one.
    pub bytes: Option<u64>,
}

impl<'a> Limited<'a> {
    /// Of a provider's name or alias.
    pub fn of(name: &'a str) -> Result<Self> {
        let parsed = ProviderName::of(name);
        let bytes = parsed.memory_limit.map(limit_bytes).transpose();
        let bytes = bytes.map_err(|error| anyhow::anyhow!("{name}: {error}"))?;
        Ok(Self { provider: ProviderName { memory_limit: None, ..parsed }, bytes })
    }

    /// The provider without the limit.
    pub fn provider(&self) -> String {
        self.provider.to_string()
    }

    /// What its worker finds in its environment.
    pub fn variables(&self) -> Option<(OsString, OsString)> {
        self.bytes.map(|bytes| (VARIABLE.into(), bytes.to_string().into()))
    }
}

/// Where one worker of a run is limited, all have the same allocator, so that they differ in the
/// limit alone.
pub fn same_allocator(launches: &mut [Launch]) {
    let is_limited = |launch: &Launch| launch.variables.iter().any(|(name, _)| name == VARIABLE);
    if launches.iter().any(is_limited) {
        let (name, value) = ALLOCATOR;
        launches.iter_mut().for_each(|it| it.variables.push((name.into(), value.into())));
    }
}

/// `macs[mem-64M]` of `macs`, `macs[soft+mem-64M]` of `macs[soft]`.
pub fn alias(provider: &str, bytes: u64) -> String {
    let limit = short(bytes);
    ProviderName { memory_limit: Some(&limit), ..ProviderName::of(provider) }.to_string()
}

/// Whether a provider's name has no limit in it.
pub fn is_bare(name: &str) -> bool {
    ProviderName::of(name).memory_limit.is_none()
}

fn short(bytes: u64) -> String {
    let units = [(30, 'G'), (20, 'M'), (10, 'K')];
    let unit = units.iter().find(|(shift, _)| bytes >> shift << shift == bytes);
    unit.map_or(bytes.to_string(), |(shift, unit)| format!("{}{unit}", bytes >> shift))
}

/// A memory limit that is none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
enum NoLimit {
    #[error("{text:?}: must be bytes, or a number with Ki, Mi or Gi, such as 64Mi")]
    NoNumber { text: String },
    #[error("{text}: must be at least 256Ki, without which no worker goes on, and at most 1024Gi")]
    OutOfRange { text: String },
}

fn limit_bytes(text: &str) -> Result<u64, NoLimit> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let shift = match unit {
        "" => Some(0),
        "K" | "Ki" => Some(10),
        "M" | "Mi" => Some(20),
        "G" | "Gi" => Some(30),
        _ => None,
    };
    let bytes = shift.and_then(|shift| number.parse::<u64>().ok()?.checked_mul(1 << shift));
    match bytes {
        None => Err(NoLimit::NoNumber { text: text.into() }),
        Some(bytes) if !(LIMIT_BYTES_MIN..=1 << 40).contains(&bytes) => {
            Err(NoLimit::OutOfRange { text: text.into() })
        }
        Some(bytes) => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_bytes_or_have_a_binary_unit() {
        assert_eq!(limit_bytes("64M"), Ok(64 << 20));
        for (text, bytes) in [("512Ki", 512 << 10), ("64Mi", 64 << 20), ("1Gi", 1 << 30)] {
            assert_eq!(limit_bytes(text), Ok(bytes));
            assert_eq!(limit_bytes(text.trim_end_matches('i')), Ok(bytes));
        }
        assert_eq!(limit_bytes("300000"), Ok(300_000));
        assert_eq!((short(300_000), short(1 << 30)), ("300000".into(), "1G".into()));
        for wrong in ["", "M", "64i", "64ki", "64MB", "-1", "1.5M", "99999999999999999999G", "é"] {
            assert!(limit_bytes(wrong).unwrap_err().to_string().contains("64Mi"), "{wrong}");
        }
        assert!(limit_bytes("4K").unwrap_err().to_string().contains("at least 256Ki"));
    }

    #[test]
    fn an_alias_names_its_provider_and_its_limit() {
        for (provider, name) in [("macs", "macs[mem-8M]"), ("macs[soft]", "macs[soft+mem-8M]")] {
            assert_eq!(alias(provider, 8 << 20), name);
            let limited = Limited::of(name).unwrap();
            assert_eq!((limited.provider().as_str(), limited.bytes), (provider, Some(8 << 20)));
            assert!(is_bare(provider) && !is_bare(name));
            assert_eq!(Limited::of(provider).unwrap().bytes, None);
        }
        assert!(Limited::of("macs[mem-8X]").is_err());
    }
}
