//! "Did you mean": the names nearest to one that nobody has.

use crate::studies::built_in;

/// Names that are suggested at most.
const SUGGESTED_MAX: usize = 3;

/// `: did you mean survey?`, or `; ` and what is said where nothing is near. A third of the name
/// may be wrong; case costs nothing, and a name begun but not finished is near.
pub fn did_you_mean<'a>(
    name: &str,
    names: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce(&[&'a str]) -> String,
) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let asked = name.to_ascii_lowercase();
    let most = asked.chars().count() / 3;
    let distance = |known: &str| match asked.len() > 1 && known.starts_with(&asked) {
        true => 0,
        false => strsim::damerau_levenshtein(&asked, known),
    };
    let mut near: Vec<(usize, &str)> = names.iter().map(|&it| (distance(it), it)).collect();
    near.retain(|(distance, _)| *distance <= most);
    near.sort_unstable();
    near.truncate(SUGGESTED_MAX);
    if near.is_empty() {
        return format!("; {}", otherwise(&names));
    }
    let near: Vec<&str> = near.into_iter().map(|(_, name)| name).collect();
    format!(": did you mean {}?", near.join(", "))
}

/// `unknown MAC "hmac-sha265": did you mean hmac-sha256?`
pub fn unknown_mac(name: &str) -> String {
    match near_macs(name)[..] {
        [] => format!("unknown MAC {name:?}"),
        ref near => format!("unknown MAC {name:?}: did you mean {}?", near.join(", ")),
    }
}

/// The MACs that may have been meant: the one that is spelled otherwise, those whose name begins so
/// or else has it as a part (what is in wide use first), or the nearest.
pub fn near_macs(name: &str) -> Vec<&'static str> {
    let asked = bare(name);
    let names = || macs::catalog().iter().map(|mac| mac.name);
    if let Some(same) = spelled_otherwise(name) {
        return vec![same];
    }
    let begins = |known: &&str| asked.len() > 1 && bare(known).starts_with(&asked);
    // A hash or a cipher alone: `sha256`, `aes`.
    let contains = |known: &&str| asked.len() > 2 && bare(known).contains(&asked);
    let mut begun: Vec<&str> = names().filter(begins).collect();
    if begun.is_empty() {
        begun = names().filter(contains).collect();
    }
    if begun.is_empty() {
        return macs::suggest(name);
    }
    let used = built_in::macs_in_use();
    begun.sort_by_key(|known| used.iter().position(|it| it == known).unwrap_or(used.len()));
    begun.truncate(SUGGESTED_MAX);
    begun
}

/// The MAC of this name, whatever its case and hyphens.
pub fn spelled_otherwise(name: &str) -> Option<&'static str> {
    let asked = bare(name);
    macs::catalog().iter().map(|mac| mac.name).find(|known| bare(known) == asked)
}

/// The pattern for all names of which this is the first word: `hmac-*` for `hmac`.
pub fn pattern_for<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    let word = name.to_ascii_lowercase();
    let begin = format!("{}-", word.trim_end_matches(['-', '*']));
    let several = names.filter(|known| known.starts_with(&begin)).nth(1);
    several.map(|_| format!("{begin}*"))
}

/// A name without what is spelled in several ways: `HMAC_SHA-256` is `hmacsha256`.
fn bare(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Other names of what providers are named for: of the language or library, and of relatives.
const ALSO_CALLED: [(&str, &[&str]); 14] = [
    ("boringssl", &["aws-lc-rs", "ring"]),
    ("crypto++", &["cryptopp"]),
    ("cryptography", &["python"]),
    ("golang", &["go"]),
    ("hashlib", &["python"]),
    ("intel-ipsec-mb", &["ipsec-mb"]),
    ("javascript", &["node"]),
    ("jdk", &["java"]),
    ("libcrypto", &["openssl"]),
    ("libressl", &["openssl"]),
    ("nodejs", &["node"]),
    ("openjdk", &["java"]),
    ("python3", &["python"]),
    ("rust", &["rustcrypto", "ring"]),
];

/// The providers among `names` that are known by another name, which may have `lib` before it and a
/// code path behind: `libgcrypt[soft]` is gcrypt.
pub fn also_called<'a>(name: &str, names: &[&'a str]) -> Vec<&'a str> {
    let asked = name.split('[').next().unwrap_or_default().to_ascii_lowercase();
    let row = ALSO_CALLED.iter().find(|(other, _)| *other == asked);
    let without_lib = asked.strip_prefix("lib");
    let meant = row.map_or(&[][..], |(_, meant)| meant).iter().copied().chain(without_lib);
    meant.filter_map(|meant| names.iter().find(|known| **known == meant).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macs_are_known_however_they_are_spelled_and_those_in_use_come_first() {
        for name in ["HMAC-SHA-256", "hmac_sha256", "HMAC-SHA256", "hmac sha256", "HmacSHA256"] {
            assert_eq!(near_macs(name), ["hmac-sha256"], "{name}");
        }
        assert_eq!(near_macs("hmac").first(), Some(&"hmac-sha256"));
        assert_eq!(near_macs("cmac-aes").first(), Some(&"cmac-aes-128"));
        assert_eq!(near_macs("siphash").first(), Some(&"siphash-2-4"));
        assert_eq!(near_macs("sha256").first(), Some(&"hmac-sha256"));
        assert_eq!(near_macs("md5"), ["hmac-md5"]);
        assert!(near_macs("poetry").is_empty() && near_macs("").is_empty());
        let names = ["hmac-md5", "hmac-sha1", "poly1305"];
        let pattern = |name| pattern_for(name, names.into_iter());
        assert_eq!(pattern("HMAC").as_deref(), Some("hmac-*"));
        assert_eq!((pattern("poly1305"), pattern("poly"), pattern("")), (None, None, None));
    }

    #[test]
    fn every_other_name_is_of_a_provider() {
        let rows: Vec<&str> = providers::ROWS.iter().map(|row| row.name).collect();
        for (name, meant) in ALSO_CALLED {
            assert_eq!(also_called(name, &rows), *meant, "{name}");
        }
        assert_eq!(also_called("libgcrypt", &rows), ["gcrypt"]);
        assert_eq!(also_called("LibSodium[soft]", &rows), ["sodium"]);
        assert!(also_called("lib", &rows).is_empty());
    }

    #[test]
    fn the_nearest_names_come_first_and_where_none_is_near_all_are_named() {
        let names = ["hmac-vs-cmac", "khc", "kernels", "survey"];
        let told = |name| did_you_mean(name, names, |all| format!("available: {}", all.join(", ")));
        assert_eq!(told("sruvey"), ": did you mean survey?");
        assert_eq!(told("HMAC-VS"), ": did you mean hmac-vs-cmac?");
        assert_eq!(told("hmac-cmac"), ": did you mean hmac-vs-cmac?");
        assert_eq!(told("k"), "; available: hmac-vs-cmac, khc, kernels, survey");
        assert_eq!(told("nonsuch"), told("k"));
    }
}
