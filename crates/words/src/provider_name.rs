//! What a provider is called.

use std::fmt;

/// What a memory limit begins with among the words in brackets.
const MEMORY_LIMIT: &str = "mem-";

/// The name of a provider or of an alias of it, taken apart: `openssl-4.0[soft+mem-64M]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProviderName<'a> {
    /// The library, or another one of its kind: `openssl-4.0`.
    pub library: &'a str,
    /// The code path that it is held to: `soft`.
    pub code_path: Option<&'a str>,
    /// The limit of its memory, as it is written: `64M`.
    pub memory_limit: Option<&'a str>,
}

impl<'a> ProviderName<'a> {
    /// Takes a name apart. What has no closing bracket has no words in brackets.
    #[must_use]
    pub fn of(name: &'a str) -> Self {
        let in_brackets = name.strip_suffix(']').and_then(|name| name.split_once('['));
        let Some((library, words)) = in_brackets else {
            return Self { library: name, code_path: None, memory_limit: None };
        };
        let (before, last) =
            words.rsplit_once('+').map_or((None, words), |(before, last)| (Some(before), last));
        match last.strip_prefix(MEMORY_LIMIT) {
            Some(limit) => Self { library, code_path: before, memory_limit: Some(limit) },
            None => Self { library, code_path: Some(words), memory_limit: None },
        }
    }

    /// The code that it runs, by the beginning of the names of its aliases and of its bindings in
    /// other languages: `openssl` of `openssl-4.0`, `macs` of `macs-python`.
    #[must_use]
    pub fn code_base(self) -> &'a str {
        self.library.split('-').next().unwrap_or(self.library)
    }

    /// Whether it is this library or an alias of it, on whatever code path: `openssl-4.0[soft]` is
    /// one of `openssl`.
    #[must_use]
    pub fn is_of(self, library: &str) -> bool {
        let rest = self.library.strip_prefix(library);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-') && !rest.contains('['))
    }

    /// Whether it is the plain name of a library.
    #[must_use]
    pub fn is_plain(self) -> bool {
        self.code_path.is_none() && self.memory_limit.is_none()
    }
}

impl fmt::Display for ProviderName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { library, code_path, memory_limit } = self;
        match (code_path, memory_limit) {
            (None, None) => write!(f, "{library}"),
            (Some(path), None) => write!(f, "{library}[{path}]"),
            (None, Some(limit)) => write!(f, "{library}[{MEMORY_LIMIT}{limit}]"),
            (Some(path), Some(limit)) => write!(f, "{library}[{path}+{MEMORY_LIMIT}{limit}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_library_a_code_path_and_a_memory_limit() {
        for (name, library, code_path, memory_limit) in [
            ("macs", "macs", None, None),
            ("openssl-4.0[no-aes]", "openssl-4.0", Some("no-aes"), None),
            ("macs[mem-64M]", "macs", None, Some("64M")),
            ("macs[soft+mem-64M]", "macs", Some("soft"), Some("64M")),
            ("ipsec-mb[sse+x]", "ipsec-mb", Some("sse+x"), None),
            // What the user may type, and nobody is called.
            ("macs[soft", "macs[soft", None, None),
            ("macs]", "macs]", None, None),
            ("", "", None, None),
        ] {
            let parsed = ProviderName::of(name);
            assert_eq!(parsed, ProviderName { library, code_path, memory_limit }, "{name}");
            assert_eq!(parsed.to_string(), name);
            assert_eq!(parsed.is_plain(), !name.ends_with(']') || name == "macs]");
        }
    }

    #[test]
    fn an_alias_is_of_its_library() {
        let is_of = |name: &str, library: &str| ProviderName::of(name).is_of(library);
        assert!(is_of("openssl", "openssl") && is_of("openssl-4.0[soft]", "openssl"));
        assert!(is_of("ipsec-mb", "ipsec") && is_of("ipsec-mb", "ipsec-mb"));
        for (name, library) in [("openssl", "openssl-4.0"), ("macsx", "macs"), ("macs-[x", "macs")]
        {
            assert!(!is_of(name, library), "{name} {library}");
        }
    }
}
