//! What is measured: a candidate × message size × key life × regime, with its stable name.

use std::fmt;

use serde::{Deserialize, Serialize};
use words::ProviderName;

pub use crate::regimes::Regime;
pub use words::KeyLife;

use crate::regimes::names;
use crate::worker::WINDOWS;

/// In which order a file is sealed and cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flow {
    /// The whole file is encrypted, then split.
    Es,
    /// The file is split, then each part is encrypted.
    Se,
    /// As `Se`, and each part's number and their count are its associated data.
    SeBound,
}

names!(Flow, "flow", Es = "es", Se = "se", SeBound = "se-bound");

/// What seals the files of a transaction, and how: `eax-aes-128-se`. To the plan it is a mac like
/// others, with the key of its composition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scheme<'a> {
    /// Canonical name of the composition.
    pub composition: &'a str,
    /// The order of sealing and cutting.
    pub flow: Flow,
}

impl<'a> Scheme<'a> {
    /// Takes a name apart; `None` for one that does not end in a flow.
    #[must_use]
    pub fn of(name: &'a str) -> Option<Self> {
        Flow::ALL.iter().find_map(|&flow| {
            let composition = name.strip_suffix(flow.name())?.strip_suffix('-')?;
            (!composition.is_empty()).then_some(Self { composition, flow })
        })
    }
}

impl fmt::Display for Scheme<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.composition, self.flow)
    }
}

/// An offer on one code path: who computes what, and how.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Candidate {
    /// Canonical name of the algorithm, `hmac-sha256`; `null` for the floor.
    pub mac: String,
    /// Who computes it.
    pub provider: String,
    /// The code path that runs, `sha-ni`, `soft`, …
    pub kernel: String,
}

impl fmt::Display for Candidate {
    /// `openssl[sha-ni]/hmac-sha256`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.source(), self.mac)
    }
}

impl Candidate {
    /// `openssl[sha-ni]`. A provider whose code path was pinned has it in its name.
    #[must_use]
    pub fn source(&self) -> String {
        if ProviderName::of(&self.provider).is_plain() {
            return format!("{}[{}]", self.provider, self.kernel);
        }
        self.provider.clone()
    }
}

/// One cell of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// Who computes what.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// How calls follow one another.
    pub regime: Regime,
    /// What happens to the key in each call.
    pub key_life: KeyLife,
    /// Length of each message in bytes.
    pub len_bytes: u64,
    /// Length of the key in bytes.
    pub key_len_bytes: u32,
    /// Whether that key length is the mac's usual one; only another is part of the name.
    pub usual_key: bool,
}

impl Cell {
    /// The cell that is measured for this one, and for others that differ from it in the regime
    /// only.
    #[must_use]
    pub fn measured_as(&self) -> Self {
        Self { regime: self.regime.measured_as(), ..self.clone() }
    }

    /// Mean length of its messages in bytes: less than the cell's where lengths are mixed.
    #[must_use]
    pub fn mean_len_bytes(&self) -> f64 {
        let len = |i| self.regime.message_len(i, self.len_bytes as usize) as f64;
        (0..WINDOWS).map(len).sum::<f64>() / WINDOWS as f64
    }
}

impl fmt::Display for Cell {
    /// The stable path `mac/provider/kernel/regime/key-life/len`, with `/key-16` behind it where
    /// the key is not of the mac's usual length.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Candidate { mac, provider, kernel } = &self.candidate;
        let (regime, key_life, len) = (self.regime, self.key_life, self.len_bytes);
        write!(f, "{mac}/{provider}/{kernel}/{regime}/{key_life}/{len}")?;
        if self.usual_key { Ok(()) } else { write!(f, "/key-{}", self.key_len_bytes) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_is_a_composition_and_a_flow() {
        let of = |name| Scheme::of(name).map(|it| (it.composition, it.flow));
        assert_eq!(of("eax-aes-128-es"), Some(("eax-aes-128", Flow::Es)));
        assert_eq!(of("ctr+cmac-aes-128-se-bound"), Some(("ctr+cmac-aes-128", Flow::SeBound)));
        assert_eq!((of("eax-aes-128"), of("-se"), of("these")), (None, None, None));
        assert_eq!(Scheme::of("gcm-aes-256-se").unwrap().to_string(), "gcm-aes-256-se");
    }
}
