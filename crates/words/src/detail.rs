//! What else a provider says of itself.

use std::fmt;

/// What a provider's figures depend on beside its version, in remarks; in text they have
/// semicolons between them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detail(Vec<Remark>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Remark {
    /// The provider does not report which code path runs.
    Inferred,
    /// The same in archives of older versions.
    InferredOnce,
    /// Anything else.
    Said(String),
}

impl Remark {
    fn of(text: &str) -> Self {
        let known = [Self::Inferred, Self::InferredOnce];
        let known = known.into_iter().find(|it| it.text() == text);
        known.unwrap_or_else(|| Self::Said(text.to_owned()))
    }

    fn text(&self) -> &str {
        match self {
            Self::Inferred => "code paths inferred",
            Self::InferredOnce => "kernels inferred",
            Self::Said(text) => text,
        }
    }
}

impl Detail {
    /// That the provider does not report which code path runs, and nothing else.
    #[must_use]
    pub fn inferred() -> Self {
        Self::default().and_inferred()
    }

    /// The same, and that the provider does not report which code path runs.
    #[must_use]
    pub fn and_inferred(mut self) -> Self {
        self.0.push(Remark::Inferred);
        self
    }

    /// The same and something else.
    #[must_use]
    pub fn and(mut self, text: impl Into<String>) -> Self {
        self.0.push(Remark::Said(text.into()));
        self
    }

    /// The same, but that code paths are inferred, where that is the last remark.
    #[must_use]
    pub fn without_inferred(mut self) -> Self {
        self.0.pop_if(|last| matches!(last, Remark::Inferred | Remark::InferredOnce));
        self
    }
}

impl From<&str> for Detail {
    fn from(text: &str) -> Self {
        match text {
            "" => Self::default(),
            text => Self(text.split("; ").map(Remark::of).collect()),
        }
    }
}

impl From<String> for Detail {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl fmt::Display for Detail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, remark) in self.0.iter().enumerate() {
            write!(f, "{}{}", if place == 0 { "" } else { "; " }, remark.text())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detail_is_read_as_it_is_told() {
        for (text, without) in [
            ("", ""),
            ("interface 1", "interface 1"),
            ("code paths inferred", ""),
            ("kernels inferred", ""),
            ("uses aes; avx; code paths inferred", "uses aes; avx"),
            ("uses aes; kernels inferred", "uses aes"),
            ("a; code paths inferred; b", "a; code paths inferred; b"),
        ] {
            let detail = Detail::from(text);
            assert_eq!(detail.to_string(), text);
            assert_eq!(detail.without_inferred().to_string(), without, "{text}");
        }
        let told = Detail::from("a").and_inferred().and("b");
        assert_eq!(told, Detail::from("a; code paths inferred; b"));
        assert_eq!(Detail::inferred(), Detail::from("code paths inferred"));
    }
}
