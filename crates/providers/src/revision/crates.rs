//! The crates that can be compared, and which versions of them go with which traits.

use semver::Version;

/// A crate below MACs that can be timed.
#[derive(Debug)]
pub(super) struct Crate {
    pub name: &'static str,
    /// Features of the worker: what is timed.
    pub features: &'static [&'static str],
    /// Where its commits are.
    pub repository: &'static str,
    /// The first version of the present generation of traits.
    present: [u64; 2],
    /// That of the former one, where it has versions for it alone.
    former: Option<[u64; 2]>,
}

/// The versions of RustCrypto's crates that fit together, since they share traits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generation {
    /// `digest` 0.10, `cipher` 0.4.
    Former,
    /// `digest` 0.11, `cipher` 0.5.
    Present,
}

const BLOCK_CIPHERS: &str = "https://github.com/RustCrypto/block-ciphers";
const HASHES: &str = "https://github.com/RustCrypto/hashes";
const MACS: &str = "https://github.com/RustCrypto/MACs";
const UNIVERSAL_HASHES: &str = "https://github.com/RustCrypto/universal-hashes";

const fn row(
    name: &'static str,
    features: &'static [&'static str],
    repository: &'static str,
    former: u64,
    present: u64,
) -> Crate {
    Crate { name, features, repository, present: [0, present], former: Some([0, former]) }
}

/// All of them, by name.
pub(super) const CRATES: &[Crate] = &[
    row("aes", &["cmac", "gmac"], BLOCK_CIPHERS, 8, 9),
    row("aes-gcm", &["gmac"], "https://github.com/RustCrypto/AEADs", 10, 11),
    row("blake2", &["blake2"], HASHES, 10, 11),
    Crate {
        name: "blake3",
        features: &["blake3"],
        repository: "https://github.com/BLAKE3-team/BLAKE3",
        present: [1, 0],
        former: None,
    },
    row("cmac", &["cmac"], MACS, 7, 8),
    row("ghash", &["gmac"], UNIVERSAL_HASHES, 5, 6),
    row("hmac", &["blake2", "sha1", "sha2", "sha3"], MACS, 12, 13),
    row("keccak", &["sha3"], "https://github.com/RustCrypto/sponges", 1, 2),
    row("poly1305", &["poly1305"], UNIVERSAL_HASHES, 8, 9),
    row("polyval", &["gmac"], UNIVERSAL_HASHES, 6, 7),
    row("sha1", &["sha1"], HASHES, 10, 11),
    row("sha2", &["sha2"], HASHES, 10, 11),
    row("sha3", &["sha3"], HASHES, 10, 11),
];

impl Crate {
    pub fn find(name: &str) -> Result<&'static Self, String> {
        CRATES.iter().find(|row| row.name == name).ok_or_else(|| {
            let names: Vec<_> = CRATES.iter().map(|row| row.name).collect();
            format!("crate {name:?} cannot be compared here; available: {}", names.join(", "))
        })
    }

    /// The traits that this version goes with. One that is newer than all known is tried with the
    /// present ones.
    pub fn generation(&self, version: &Version) -> Result<Generation, String> {
        let given = [version.major, version.minor];
        if given >= self.present {
            return Ok(Generation::Present);
        }
        if self.former.is_some_and(|former| given >= former) {
            return Ok(Generation::Former);
        }
        let [major, minor] = self.former.unwrap_or(self.present);
        let name = self.name;
        Err(format!("{name} {version}: its traits are not supported; {name} {major}.{minor} is"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_a_generation() {
        let of = |name: &str, version: &str| {
            Crate::find(name).unwrap().generation(&version.parse().unwrap())
        };
        assert_eq!(of("sha2", "0.10.9"), Ok(Generation::Former));
        assert_eq!(of("sha2", "0.11.0-rc.3"), Ok(Generation::Present));
        assert_eq!(of("sha3", "0.12.0"), Ok(Generation::Present));
        assert_eq!(of("aes", "0.9.4"), Ok(Generation::Present));
        assert_eq!(of("blake3", "1.8.7"), Ok(Generation::Present));
        let old = of("sha2", "0.9.9").unwrap_err();
        assert_eq!(old, "sha2 0.9.9: its traits are not supported; sha2 0.10 is");
        assert!(of("blake3", "0.3.8").is_err());
        assert!(CRATES.is_sorted_by_key(|row| row.name));
    }
}
