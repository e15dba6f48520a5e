//! Which driver the kernel takes for an algorithm: the one of the highest priority in
//! `/proc/crypto`, whose name tells its code path by habit.

use std::collections::BTreeMap;

/// The driver of each algorithm that `/proc/crypto` lists.
pub(super) fn drivers(proc_crypto: &str) -> BTreeMap<String, String> {
    let mut best = BTreeMap::<String, (i64, String)>::new();
    for entry in proc_crypto.split("\n\n") {
        let field = |wanted: &str| {
            let mut fields = entry.lines().filter_map(|line| line.split_once(':'));
            fields.find(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim().to_owned())
        };
        let priority = field("priority").and_then(|priority| priority.parse().ok());
        let (Some(name), Some(driver), Some(priority)) = (field("name"), field("driver"), priority)
        else {
            continue;
        };
        if best.get(&name).is_none_or(|(highest, _)| *highest < priority) {
            best.insert(name, (priority, driver));
        }
    }
    best.into_iter().map(|(name, (_, driver))| (name, driver)).collect()
}

/// The code path in the name of a driver: `aes-ni` of `cmac(aes-aesni)`. Drivers that choose by
/// themselves (`poly1305-simd`, `hmac-sha256-lib`) do not tell.
pub(super) fn code_path(driver: &str) -> &'static str {
    const WORDS: [(&str, &str); 11] = [
        ("aesni", "aes-ni"),
        ("ni", "sha-ni"),
        ("avx512", "avx512"),
        ("avx2", "avx2"),
        ("avx", "avx"),
        ("ssse3", "ssse3"),
        ("sse2", "sse2"),
        ("ce", "armv8"),
        ("neon", "neon"),
        ("asm", "asm"),
        ("generic", "soft"),
    ];
    let mut words = driver.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .find_map(|word| WORDS.iter().find(|(name, _)| *name == word))
        .map_or("unknown", |(_, code_path)| code_path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_of_the_highest_priority_is_taken() {
        let listed = "name         : sha256\ndriver       : sha256-generic\npriority     : 100\n\n\
                      name         : sha256\ndriver       : sha256-ni\npriority     : 250\n\n\
                      name         : sha256\ndriver       : sha256-avx2\npriority     : 170\n\n\
                      name         : nothing\n";
        let found = drivers(listed);
        assert_eq!(found.len(), 1);
        assert_eq!(found["sha256"], "sha256-ni");
    }

    #[test]
    fn a_driver_tells_its_code_path() {
        for (driver, right) in [
            ("hmac(sha256-ni)", "sha-ni"),
            ("cmac(aes-aesni)", "aes-ni"),
            ("hmac(sha512-avx2)", "avx2"),
            ("cmac-aes-ce", "armv8"),
            ("cmac(des3_ede-asm)", "asm"),
            ("blake2b-512-generic", "soft"),
            ("hmac-sha256-lib", "unknown"),
        ] {
            assert_eq!(code_path(driver), right, "{driver}");
        }
    }
}
