//! Instructions that a run may leave out, so that one machine speaks for older ones.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Extensions of the instruction set that came together, and are left out together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extension {
    /// All of AVX-512 and AVX10.
    Avx512,
    /// AES and carry-less multiplication in registers of more than 128 bits.
    Vaes,
    /// SHA-1 and SHA-256, and on later processors SHA-512.
    Sha,
}

impl Extension {
    /// All of them, the latest first.
    pub const ALL: [Self; 3] = [Self::Avx512, Self::Vaes, Self::Sha];

    /// The word for it on the command line and in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Avx512 => "avx512",
            Self::Vaes => "vaes",
            Self::Sha => "sha",
        }
    }

    /// The word for it in a sentence.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Avx512 => "AVX-512",
            Self::Vaes => "VAES",
            Self::Sha => "SHA",
        }
    }

    /// Whether a feature of the processor, by the standard library's name for it, is of these.
    #[must_use]
    pub fn has(self, feature: &str) -> bool {
        match self {
            Self::Avx512 => feature.starts_with("avx512") || feature.starts_with("avx10"),
            Self::Vaes => matches!(feature, "vaes" | "vpclmulqdq"),
            Self::Sha => matches!(feature, "sha" | "sha512"),
        }
    }
}

impl FromStr for Extension {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|it| it.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            format!("no instructions {name:?} to leave out: must be among {known}")
        })
    }
}

/// Extensions that are left out: none, or some of [`Extension::ALL`] in that order.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Vec<Extension>", into = "Vec<Extension>")]
pub struct Without(Vec<Extension>);

impl Without {
    /// Whether nothing is left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Those left out.
    #[must_use]
    pub fn extensions(&self) -> &[Extension] {
        &self.0
    }

    /// Whether these instructions are left out.
    #[must_use]
    pub fn takes(&self, extension: Extension) -> bool {
        self.0.contains(&extension)
    }

    /// Whether a feature of the processor is left out, by the standard library's name for it.
    #[must_use]
    pub fn takes_feature(&self, feature: &str) -> bool {
        self.0.iter().any(|extension| extension.has(feature))
    }

    /// `without AVX-512, VAES and SHA instructions`; `None` where nothing is left out.
    #[must_use]
    pub fn sentence(&self) -> Option<String> {
        let titles: Vec<_> = self.0.iter().map(|it| it.title()).collect();
        let (last, others) = titles.split_last()?;
        let listed = match others {
            [] => (*last).to_owned(),
            others => format!("{} and {last}", others.join(", ")),
        };
        Some(format!("without {listed} instructions"))
    }
}

impl From<Vec<Extension>> for Without {
    fn from(mut extensions: Vec<Extension>) -> Self {
        extensions.sort_unstable();
        extensions.dedup();
        Self(extensions)
    }
}

impl From<Without> for Vec<Extension> {
    fn from(without: Without) -> Self {
        without.0
    }
}

/// As it is typed: `avx512,vaes`.
impl fmt::Display for Without {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(|it| it.name()).collect::<Vec<_>>().join(","))
    }
}

/// A class of processors that a speed is told for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tier {
    /// `avx2+vaes+sha`.
    pub name: &'static str,
    /// What its processors have; they lack the others.
    pub has: &'static [Extension],
}

impl Tier {
    /// The latest first. Of what `macs` asks for, all have AVX2, AES and carry-less multiplication.
    pub const ALL: [Self; 3] = [
        Self { name: "avx512", has: &Extension::ALL },
        Self { name: "avx2+vaes+sha", has: &[Extension::Vaes, Extension::Sha] },
        Self { name: "avx2", has: &[] },
    ];

    /// What a processor that has everything leaves out to be one of these.
    #[must_use]
    pub fn without(self) -> Without {
        let lacks = |it: &Extension| !self.has.contains(it);
        Extension::ALL.into_iter().filter(lacks).collect::<Vec<_>>().into()
    }
}

impl FromStr for Tier {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|tier| tier.name == name).ok_or_else(|| {
            let known = Self::ALL.map(|tier| tier.name).join(", ");
            format!("no tier {name:?}: must be one of {known}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for extension in Extension::ALL {
            assert_eq!(extension.name().parse(), Ok(extension));
            let json = serde_json::to_string(&extension).unwrap();
            assert_eq!(json, format!("{:?}", extension.name()));
        }
        for tier in Tier::ALL {
            assert_eq!(tier.name.parse(), Ok(tier));
        }
        let said = "avx1024".parse::<Extension>().unwrap_err();
        let right = "no instructions \"avx1024\" to leave out: must be among avx512, vaes, sha";
        assert_eq!(said, right);
        let said = "zen".parse::<Tier>().unwrap_err();
        assert_eq!(said, "no tier \"zen\": must be one of avx512, avx2+vaes+sha, avx2");
    }

    #[test]
    fn what_is_left_out_has_one_order_and_reads_as_a_sentence() {
        let all = Without::from(vec![Extension::Sha, Extension::Avx512, Extension::Sha]);
        assert_eq!(all.to_string(), "avx512,sha");
        assert_eq!(all.sentence().unwrap(), "without AVX-512 and SHA instructions");
        assert_eq!(Tier::ALL[2].without().to_string(), "avx512,vaes,sha");
        let told = Tier::ALL[2].without().sentence().unwrap();
        assert_eq!(told, "without AVX-512, VAES and SHA instructions");
        assert_eq!(Tier::ALL[0].without().sentence(), None);
        assert_eq!(serde_json::to_string(&all).unwrap(), "[\"avx512\",\"sha\"]");
        assert_eq!(serde_json::from_str::<Without>("[\"sha\",\"avx512\"]").unwrap(), all);
    }

    #[test]
    fn a_feature_is_of_the_extension_that_brought_it() {
        let without = Tier::ALL[1].without();
        for (feature, is_taken) in
            [("avx512vl", true), ("avx2", false), ("vaes", false), ("sha", false), ("aes", false)]
        {
            assert_eq!(without.takes_feature(feature), is_taken, "{feature}");
        }
        let without = Tier::ALL[2].without();
        assert!(["vpclmulqdq", "sha512", "vaes"].iter().all(|it| without.takes_feature(it)));
        assert!(["pclmulqdq", "aes", "avx2"].iter().all(|it| !without.takes_feature(it)));
    }
}
