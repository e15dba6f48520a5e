//! Which code path runs: the rules of libgcrypt's sources (1.10 and 1.11; `cipher/*.c`, where
//! hardware features are looked at), applied to the features that it says it uses. Inferred: a
//! library built without its assembly would do otherwise.

use words::MacName;

/// What the rules go by.
pub(super) struct Rules<'a> {
    pub(super) features: &'a [String],
    pub(super) is_1_11: bool,
}

impl Rules<'_> {
    /// The code path of a mac; of long messages where it hangs on the length.
    pub(super) fn kernel(&self, mac: &str) -> &'static str {
        if cfg!(target_arch = "x86_64") {
            self.x86_64(mac)
        } else if cfg!(target_arch = "aarch64") {
            self.aarch64(mac)
        } else {
            "unknown"
        }
    }

    fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|name| name == feature)
    }

    fn all(&self, features: &[&str]) -> bool {
        features.iter().all(|feature| self.has(feature))
    }

    /// The first whose features are all there, else `otherwise`.
    fn first(&self, paths: &[(&'static str, &[&str])], otherwise: &'static str) -> &'static str {
        paths.iter().find(|(_, needs)| self.all(needs)).map_or(otherwise, |(name, _)| name)
    }

    fn x86_64(&self, mac: &str) -> &'static str {
        let avx = ("avx", &["intel-avx", "intel-fast-shld"][..]);
        let ssse3 = ("ssse3", &["intel-ssse3"][..]);
        let avx2 = ("avx2", &["intel-avx2", "intel-bmi2"][..]);
        let sha = ("sha-ni", &["intel-shaext", "intel-sse4.1"][..]);
        // 1.10 has no such feature.
        let avx512 = ("avx512", &["intel-avx512"][..]);
        let name = MacName::of(mac);
        match mac {
            "blake2b-keyed" | "hmac-blake2b" => {
                self.first(&[avx512, ("avx2", &["intel-avx2"])], "soft")
            }
            "blake2s-keyed" | "hmac-blake2s" => {
                self.first(&[avx512, ("avx", &["intel-avx"])], "soft")
            }
            "chacha20-poly1305" => self.first(&[avx512, ("avx2", &["intel-avx2"]), ssse3], "soft"),
            "hmac-sha1" => {
                let with_avx2 = ("avx2", &["intel-avx2", "intel-avx", "intel-bmi2"][..]);
                let with_bmi2 = ("avx", &["intel-avx", "intel-bmi2"][..]);
                self.first(&[sha, with_avx2, with_bmi2, avx, ssse3], "soft")
            }
            "hmac-sha224" | "hmac-sha256" => self.first(&[sha, avx2, avx, ssse3], "soft"),
            "hmac-md5" | "hmac-ripemd160" | "hmac-streebog-256" | "hmac-streebog-512" => "soft",
            "hmac-sm3" => self.first(&[("avx", &["intel-avx", "intel-bmi2"])], "soft"),
            "poly1305" => self.first(&[avx512], "asm"),
            _ if name.is("hmac", "sha3") => {
                let shld = ("shld", &["intel-fast-shld"][..]);
                self.first(&[avx512, ("bmi2", &["intel-bmi2"]), shld], "soft")
            }
            // SHA-512 by AVX-512 is for Intel's CPUs only.
            _ if name.mode == "hmac" => {
                let avx512 = ("avx512", &["intel-avx512", "intel-cpu"][..]);
                self.first(&[avx512, avx2, avx, ssse3], "soft")
            }
            _ => self.x86_64_cipher(name),
        }
    }

    /// CBC-MAC and CMAC go one block after the other, by code for one block, and CCM, EAX and SIV
    /// are named after that half of theirs. GCM and GCM-SIV are named after the cipher, GMAC after
    /// the hash.
    fn x86_64_cipher(&self, name: MacName<'_>) -> &'static str {
        let ssse3 = ("ssse3", &["intel-ssse3"][..]);
        let aes_ni = ("aes-ni", &["intel-aesni"][..]);
        let wide = &["intel-vaes-vpclmul", "intel-avx2", "intel-pclmul"][..];
        match (name.mode, name.family().unwrap_or_default()) {
            ("gmac", _) if self.is_1_11 => {
                self.first(&[("vpclmul", wide), ("clmul", &["intel-pclmul"])], "soft")
            }
            ("gmac", _) => self.first(&[("clmul", &["intel-pclmul"])], "soft"),
            ("gcm" | "gcm-siv", "aes") if self.has("intel-aesni") => {
                self.first(&[("vaes", &["intel-vaes-vpclmul", "intel-avx2"])], "aes-ni")
            }
            (_, "aes") => self.first(&[aes_ni, ssse3], "soft"),
            ("gcm" | "gcm-siv", "serpent") => {
                self.first(&[("avx512", &["intel-avx512"]), ("avx2", &["intel-avx2"])], "sse2")
            }
            ("gcm" | "gcm-siv", "twofish") if self.is_1_11 => {
                self.first(&[("avx2", &["intel-avx2"])], "asm")
            }
            ("gcm" | "gcm-siv", "twofish") => {
                self.first(&[("avx2", &["intel-avx2", "intel-fast-vpgather"])], "asm")
            }
            (_, "serpent") => "soft",
            (_, "tdes" | "twofish") => "asm",
            _ => "unknown",
        }
    }

    /// What is by instructions of its own there; the rest is not known here.
    fn aarch64(&self, mac: &str) -> &'static str {
        let name = MacName::of(mac);
        let needs = match mac {
            "hmac-sha1" => "arm-sha1",
            "hmac-sha224" | "hmac-sha256" => "arm-sha2",
            _ if name.mode == "gmac" => "arm-pmull",
            _ if name.family() == Some("aes") => "arm-aes",
            _ => return "unknown",
        };
        if self.has(needs) { "armv8" } else { "unknown" }
    }
}

#[cfg(test)]
#[cfg(target_arch = "x86_64")]
mod tests {
    use super::Rules;

    fn kernels<const N: usize>(
        features: &str,
        is_1_11: bool,
        macs: [&str; N],
    ) -> [&'static str; N] {
        let features: Vec<_> = features.split(' ').map(|name| format!("intel-{name}")).collect();
        macs.map(|mac| Rules { features: &features, is_1_11 }.kernel(mac))
    }

    /// Zen 4 as 1.11 and as 1.10 see it, a CPU of 2008, and none of it.
    #[test]
    fn a_mac_takes_the_path_of_the_sources() {
        let macs = [
            "hmac-sha256",
            "hmac-sha512",
            "hmac-sha3-256",
            "cmac-aes-128",
            "gcm-aes-128",
            "poly1305",
        ];
        let of_1_10 = "bmi2 ssse3 sse4.1 pclmul aesni avx avx2 shaext vaes-vpclmul";
        let of_1_11 = format!("{of_1_10} avx512 gfni");
        let right = ["sha-ni", "avx2", "avx512", "aes-ni", "vaes", "avx512"];
        assert_eq!(kernels(&of_1_11, true, macs), right);
        let right = ["sha-ni", "avx2", "bmi2", "aes-ni", "vaes", "asm"];
        assert_eq!(kernels(of_1_10, false, macs), right);
        let right = ["ssse3", "ssse3", "soft", "ssse3", "ssse3", "asm"];
        assert_eq!(kernels("ssse3", false, macs), right);
        let right = ["soft", "soft", "soft", "soft", "soft", "asm"];
        assert_eq!(kernels("", true, macs), right);
    }
}
