//! What a mac is called.

/// What the name of a block cipher alone begins with: `block-aes-128` encrypts one block.
pub const BLOCK: &str = "block-";

/// Last words of names that are no primitive: `blake2b-keyed`, and `cmac-prf-128` (RFC 4615).
const NOT_PRIMITIVES: [&str; 2] = ["keyed", "prf"];

/// The name of a mac, taken apart: `cbc-mac-pad2-tdes-3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MacName<'a> {
    /// The construction: `cbc-mac-pad2`.
    pub mode: &'a str,
    /// The block cipher or hash, where the mode can have several: `tdes-3`.
    pub primitive: Option<&'a str>,
}

impl<'a> MacName<'a> {
    /// Takes a name apart. A primitive begins with a letter, and may end in a number that belongs
    /// to it.
    #[must_use]
    pub fn of(name: &'a str) -> Self {
        let whole = Self { mode: name, primitive: None };
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let Some((front, last)) = name.rsplit_once('-') else { return whole };
        let mode = match is_number(last) {
            true => front.rsplit_once('-').map(|(mode, _)| mode),
            false => Some(front),
        };
        let Some(mode) = mode else { return whole };
        let primitive = &name[mode.len() + 1..];
        let word = primitive.split('-').next().unwrap_or_default();
        let is_word = word.starts_with(|first: char| first.is_ascii_alphabetic());
        match is_word && !NOT_PRIMITIVES.contains(&word) {
            true => Self { mode, primitive: Some(primitive) },
            false => whole,
        }
    }

    /// The primitive without its lengths: `aes` of `cmac-aes-128`, `sha3` of `hmac-sha3-256`.
    #[must_use]
    pub fn family(&self) -> Option<&'a str> {
        self.primitive?.split('-').next()
    }

    /// Whether it is this mode over some of these primitives: `gcm` over `aes`.
    #[must_use]
    pub fn is(&self, mode: &str, family: &str) -> bool {
        self.mode == mode && self.family() == Some(family)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mac_is_a_mode_of_a_primitive_or_a_mode_alone() {
        for (name, mode, primitive) in [
            ("cbc-mac-pad2-tdes-3", "cbc-mac-pad2", Some("tdes-3")),
            ("hmac-sha512-256", "hmac", Some("sha512-256")),
            ("hmac-sha3-256", "hmac", Some("sha3-256")),
            ("hmac-sha256", "hmac", Some("sha256")),
            ("null-khc1-sha256", "null-khc1", Some("sha256")),
            ("vmac128-aes-128", "vmac128", Some("aes-128")),
            ("poly1305", "poly1305", None),
            ("siphash-2-4", "siphash-2-4", None),
            ("siphash-2-4-128", "siphash-2-4-128", None),
            ("umac-64", "umac-64", None),
            ("cmac-prf-128", "cmac-prf-128", None),
            ("blake2b-keyed", "blake2b-keyed", None),
        ] {
            assert_eq!(MacName::of(name), MacName { mode, primitive }, "{name}");
        }
    }

    #[test]
    fn a_family_has_primitives_of_several_lengths() {
        for (name, family) in [
            ("gcm-siv-aes-256", Some("aes")),
            ("hmac-sha3-256", Some("sha3")),
            ("hmac-sha512-256", Some("sha512")),
            ("cmac-sm4", Some("sm4")),
            ("cmac-prf-128", None),
            ("poly1305", None),
        ] {
            assert_eq!(MacName::of(name).family(), family, "{name}");
        }
        let name = MacName::of("gcm-aes-192");
        assert!(name.is("gcm", "aes") && !name.is("gcm", "serpent") && !name.is("gmac", "aes"));
    }
}
