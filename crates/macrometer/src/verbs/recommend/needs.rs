//! What a workload needs of a mac: who may be recommended for it, and what is to be known of them.

use std::str::FromStr;

use anyhow::{Result, bail};
use clap::Args;
use macs::{KeyLife, KeyLimit, MacInfo, Prf, Repeat, Standing};
use report::recommend::ByPolicy as PolicySays;

use crate::condition::Condition;
use crate::policies::{self, Policy, Status};
use crate::verbs::TAG_LEN_BYTES;

/// Below so many messages a key's limits are not worth a word.
const LIMIT_TOLD_FROM: u64 = 1 << 20;

/// What a mac must be.
#[derive(Debug, Clone, Args)]
pub struct Needs {
    /// Shortest acceptable tag in bits
    #[arg(long, value_name = "BITS", default_value_t = 8 * TAG_LEN_BYTES as u32)]
    tag_bits: u32,
    /// Only MACs without a nonce
    #[arg(long, conflicts_with = "encrypt")]
    no_nonce: bool,
    /// Only pseudorandom functions, whose tags may also be used as keys
    #[arg(long, conflicts_with = "encrypt")]
    prf: bool,
    /// Authenticated encryption instead of a MAC alone
    #[arg(long)]
    encrypt: bool,
    /// Only MACs that this policy, or each of several, approves or allows (`macrometer list
    /// policies`)
    #[arg(long, value_name = "NAME|FILE", value_delimiter = ',')]
    policy: Vec<ByPolicy>,
}

/// A policy, and how it was named.
#[derive(Debug, Clone)]
struct ByPolicy {
    asked: String,
    policy: Policy,
}

impl FromStr for ByPolicy {
    type Err = anyhow::Error;

    fn from_str(asked: &str) -> Result<Self> {
        Ok(Self { asked: asked.to_owned(), policy: policies::find(asked)? })
    }
}

impl ByPolicy {
    fn admits(&self, mac: &MacInfo) -> bool {
        self.policy.admits(mac)
    }
}

impl Needs {
    /// Refuses what nothing could fulfil.
    pub fn check(&self) -> Result<()> {
        let most = 8 * macs::TAG_LEN_MAX_BYTES as u32;
        if (1..=most).contains(&self.tag_bits) {
            return Ok(());
        }
        bail!("--tag-bits {}: must be 1 to {most}", self.tag_bits)
    }

    /// Whether a mac may be recommended for so many messages under a key; absent: for any number.
    /// The one place where candidates are left out for what they are.
    pub fn admit(&self, mac: &MacInfo, messages_per_key: Option<u64>) -> bool {
        self.why_not(mac, messages_per_key).is_none()
    }

    /// Whether it is to encrypt, too.
    pub fn encrypts(&self) -> bool {
        self.encrypt
    }

    /// Why a mac is not admitted, of several reasons the first; none where it is.
    pub fn why_not(&self, mac: &MacInfo, messages_per_key: Option<u64>) -> Option<String> {
        let bits = 8 * mac.tag_len_bytes;
        let policy = self.policy.iter().find(|it| !it.admits(mac));
        Some(match (policy, Condition::of(mac)) {
            _ if mac.is_composition() != self.encrypt => match self.encrypt {
                true => "it does not encrypt".into(),
                false => "it is for encryption, and a MAC alone is asked for".into(),
            },
            _ if bits < self.tag_bits as usize => {
                format!("its tag has {bits} bits, fewer than {}", self.tag_bits)
            }
            _ if self.no_nonce && mac.nonce.is_some() => "it needs a nonce".into(),
            _ if self.prf && mac.prf() == Prf::No => "it is not a pseudorandom function".into(),
            (Some(by), _) => format!("{} does not admit it", by.policy.name),
            _ if is_safe(mac, messages_per_key) => return None,
            _ if mac.standing() != Standing::Conditional => format!("it is {}", standing(mac)),
            (None, Condition::OneMessage) => {
                "one key for several messages lets others forge its tags".into()
            }
            (None, condition) => format!("it is sound only {}", condition.words()),
        })
    }

    /// Whether a mac asks for nothing that its user has to see to; what encrypts always takes a
    /// nonce.
    pub fn is_free(&self, mac: &MacInfo) -> bool {
        self.encrypt || mac.standing() == Standing::Sound
    }

    /// The built-in policies, each of which may change the answer; none where one is asked for.
    pub fn others(&self) -> Result<Vec<Policy>> {
        if self.policy.is_empty() { policies::built_in() } else { Ok(vec![]) }
    }

    /// What a built-in policy says of a mac that it does not admit, beside its title; none of one
    /// that it admits.
    pub fn says(name: &str, mac: &str) -> Option<PolicySays> {
        let policy = policies::find(name).ok();
        let status = macs::find(mac).zip(policy.as_ref()).map(|(mac, policy)| policy.status(mac));
        let says = match status {
            Some(Status::Approved | Status::Allowed) => return None,
            Some(Status::Legacy) => format!("calls {mac} legacy"),
            Some(Status::Disallowed) => format!("disallows {mac}"),
            _ => format!("does not name {mac}"),
        };
        let title = policy.map_or_else(|| name.to_owned(), |it| it.title);
        Some(PolicySays { name: name.into(), title, says })
    }

    /// What the policies that are asked for leave open, a sentence each.
    pub fn caveats(&self) -> Vec<String> {
        let of = |it: &ByPolicy| {
            let by = it.policy.validation.as_ref()?;
            Some(format!(
                "{} is about algorithms: whether a build of a library is validated ({by}) is \
                 another question, which its vendor answers.",
                it.policy.name
            ))
        };
        self.policy.iter().filter_map(of).collect()
    }

    /// In words, behind the workload.
    pub fn told(&self) -> Vec<String> {
        let mut told = Vec::new();
        if self.encrypt {
            told.push("encrypted".into());
        }
        if self.tag_bits as usize != 8 * TAG_LEN_BYTES {
            told.push(format!("tags of at least {} bits", self.tag_bits));
        }
        told.extend(self.no_nonce.then(|| "without a nonce".into()));
        told.extend(self.prf.then(|| "by a PRF".into()));
        told.extend(self.policy.iter().map(|it| {
            let draft = if it.policy.is_draft { ", a draft" } else { "" };
            format!("approved or allowed by {}{draft}", it.policy.name)
        }));
        told
    }

    /// The options again, as they would be typed.
    pub fn words(&self, quoted: impl Fn(&str) -> String) -> String {
        let mut words = match self.tag_bits as usize {
            bits if bits == 8 * TAG_LEN_BYTES => String::new(),
            bits => format!(" --tag-bits {bits}"),
        };
        let flags =
            [(" --no-nonce", self.no_nonce), (" --prf", self.prf), (" --encrypt", self.encrypt)];
        words.extend(flags.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag));
        words.extend(self.policy.iter().map(|it| format!(" --policy {}", quoted(&it.asked))));
        words
    }
}

/// Sound, or sound under a condition that the use fulfils or the user can see to.
fn is_safe(mac: &MacInfo, messages_per_key: Option<u64>) -> bool {
    match mac.standing() {
        Standing::Sound => true,
        Standing::Conditional => match Condition::of(mac) {
            Condition::FreshNonce => true,
            Condition::OneMessage => messages_per_key == Some(1),
            Condition::HashTables => false,
        },
        _ => false,
    }
}

/// What speaks against a mac that is legacy or broken: `broken: …`.
fn standing(mac: &MacInfo) -> String {
    let why = [mac.primitive.note, mac.mode.attacks].into_iter().find(|it| !it.is_empty());
    format!("{}: {}", mac.standing(), first(why.unwrap_or("not for new designs")))
}

/// The first clause of a sentence of the catalog.
fn first(text: &str) -> String {
    text.split(';').next().unwrap_or_default().trim().to_owned()
}

/// What a mac asks of its user, if anything.
pub fn asks(mac: &str) -> Option<String> {
    let mac = macs::find(mac).filter(|it| it.standing() == Standing::Conditional)?;
    let asks = match Condition::of(mac) {
        Condition::FreshNonce => "it needs a nonce that never repeats under a key",
        Condition::OneMessage => "it needs an unpredictable key for each message",
        Condition::HashTables => Condition::HashTables.words(),
    };
    Some(asks.into())
}

/// What is to be known of a mac in this use, a sentence each.
pub fn to_know(mac: &str, messages_per_key: Option<u64>) -> Vec<String> {
    let Some(mac) = macs::find(mac) else { return vec![] };
    let mut told = Vec::new();
    match mac.standing() {
        Standing::Sound if !mac.is_composition() => {}
        Standing::Sound | Standing::Conditional if mac.nonce.is_some() => {
            let lost = lost_by_repeating(mac).map(|lost| format!(": one used twice {lost}"));
            told.push(format!("a nonce, never twice under one key{}", lost.unwrap_or_default()));
        }
        Standing::Sound => {}
        Standing::Conditional => told.push(first(mac.mode.key_life)),
        _ => told.push(standing(mac)),
    }
    if mac.tag_len_bytes < TAG_LEN_BYTES {
        told.push(format!("tags of {} bits only", 8 * mac.tag_len_bytes));
    }
    let is_many = messages_per_key.is_none_or(|count| count >= LIMIT_TOLD_FROM);
    if is_many && let Some(limit) = limit_by_standard(mac) {
        told.push(limit);
    }
    told
}

/// What a nonce that is used twice under a key costs, if it can be said in words of here.
fn lost_by_repeating(mac: &MacInfo) -> Option<&'static str> {
    Some(match (mac.nonce_need().repeat()?, mac.is_composition()) {
        (Repeat::AllForgeries, true) => {
            "lets anyone forge tags, and shows the XOR of the two messages"
        }
        (Repeat::AllForgeries, false) => "lets anyone forge tags",
        (Repeat::SomeForgeries, true) => {
            "lets others forge tags under it, and shows the XOR of the two messages"
        }
        (Repeat::SomeForgeries, false) => "lets others forge tags under it",
        (Repeat::Privacy, _) => "shows the XOR of the two messages",
        (Repeat::Equality, _) => "shows whether the two messages are the same",
        _ => return None,
    })
}

/// How much a key may authenticate, where a standard says so.
fn limit_by_standard(mac: &MacInfo) -> Option<String> {
    match (mac.key_life(), mac.key_limit()) {
        (KeyLife::Sp80038B, KeyLimit::Messages { log2, .. }) => {
            Some(format!("at most 2^{log2} messages per key"))
        }
        (KeyLife::Sp80038B | KeyLife::Sp80038C | KeyLife::Sp80038D, _) => {
            Some(first(mac.mode.key_life))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Needs =
        Needs { tag_bits: 96, no_nonce: false, prf: false, encrypt: false, policy: vec![] };

    fn admits(needs: &Needs, mac: &str, messages: Option<u64>) -> bool {
        needs.admit(macs::find(mac).unwrap(), messages)
    }

    #[test]
    fn only_what_is_safe_in_the_use_is_admitted() {
        for (mac, for_good, for_one) in [
            ("hmac-sha256", true, true),
            ("gmac-aes-128", true, true),
            ("poly1305", false, true),
            ("cbc-mac-aes-128", false, false),
            ("hmac-md5", false, false),
            ("siphash-2-4", false, false),
            ("siphash-2-4-128", true, true),
            ("gcm-aes-128", false, false),
        ] {
            let admitted = (admits(&PLAIN, mac, None), admits(&PLAIN, mac, Some(1)));
            assert_eq!(admitted, (for_good, for_one), "{mac}");
        }
    }

    #[test]
    fn each_need_leaves_out_its_own() {
        let no_nonce = Needs { no_nonce: true, ..PLAIN };
        assert!(!admits(&no_nonce, "gmac-aes-128", None) && admits(&no_nonce, "kmac128", None));
        let prf = Needs { prf: true, ..PLAIN };
        assert!(admits(&prf, "cmac-aes-128", None) && admits(&prf, "blake3-keyed", None));
        for mac in ["gmac-aes-128", "umac-128", "vmac128-aes-128", "poly1305"] {
            assert!(!admits(&prf, mac, Some(1)), "{mac}");
        }
        let long = Needs { tag_bits: 256, ..PLAIN };
        assert!(admits(&long, "hmac-sha256", None) && !admits(&long, "cmac-aes-128", None));
        let encrypt = Needs { encrypt: true, ..PLAIN };
        assert!(admits(&encrypt, "gcm-aes-128", None) && !admits(&encrypt, "cmac-aes-128", None));
        assert!(Needs { tag_bits: 0, ..PLAIN }.check().is_err());
        assert!(Needs { tag_bits: 513, ..PLAIN }.check().is_err());
        assert!(PLAIN.check().is_ok());
    }

    #[test]
    fn a_policy_admits_what_it_approves_or_allows() {
        let by = |name: &str| {
            let policy = name.split(',').map(|it| it.parse().unwrap()).collect();
            Needs { policy, ..PLAIN }
        };
        let [asvs, nist] = [by("asvs-5.0"), by("nist-2031")];
        assert!(admits(&asvs, "hmac-sha256", None) && admits(&nist, "hmac-sha256", None));
        assert!(!admits(&asvs, "siphash-2-4-128", None), "which no policy names");
        assert!(!admits(&asvs, "cmac-aes-128", None) && admits(&nist, "cmac-aes-128", None));
        let both = by("asvs-5.0,nist-2031");
        assert!(admits(&both, "hmac-sha256", None) && !admits(&both, "cmac-aes-128", None));
        assert!(!admits(&both, "blake3-keyed", None), "which the second does not approve");
        assert!(both.words(str::to_owned).ends_with(" --policy asvs-5.0 --policy nist-2031"));
        assert!(asvs.words(str::to_owned).ends_with(" --policy asvs-5.0"));
        assert!(nist.told().join(" ").ends_with("by nist-2031, a draft"));
        assert!("asvs".parse::<ByPolicy>().is_err());
        // That an algorithm is approved does not make a module a validated one.
        assert!(asvs.caveats().is_empty() && nist.caveats()[0].contains("validated (FIPS 140-3)"));
        let says = Needs::says("asvs-5.0", "cmac-aes-128").unwrap();
        assert!(says.title.starts_with("OWASP ASVS 5.0"), "{says:?}");
        assert_eq!(says.says, "calls cmac-aes-128 legacy");
        let says = Needs::says("nist-2031", "blake3-keyed").unwrap();
        assert_eq!(says.says, "does not name blake3-keyed");
        // Approved, though it is not widely used.
        assert_eq!(Needs::says("nist-2031", "gmac-aes-128"), None);
    }

    #[test]
    fn what_is_to_be_known_is_what_the_catalog_says() {
        let know = |mac: &str, messages| to_know(mac, messages).join("; ");
        assert!(know("gmac-aes-128", None).starts_with("a nonce, never twice"));
        // What an attacker gains, in words that need no paper.
        let gcm = know("gcm-aes-128", None);
        assert!(gcm.contains("lets anyone forge tags, and shows the XOR"), "{gcm}");
        assert!(!gcm.contains("gives H away"), "{gcm}");
        assert_eq!(know("cmac-aes-128", None), "at most 2^48 messages per key");
        assert!(know("cmac-tdes-3", None).contains("at most 2^21 messages per key"));
        assert!(know("gmac-aes-128", None).contains("at most 2^32 messages per key unless"));
        assert_eq!(
            (know("cmac-aes-128", Some(9)), know("hmac-sha256", None)),
            ("".into(), "".into())
        );
        assert!(
            know("poly1305", Some(1)).starts_with("one message per key")
                || know("poly1305", Some(1)).contains("one message")
        );
        assert!(know("hmac-md5", None).contains(':'), "{}", know("hmac-md5", None));
        assert!(know("siphash-2-4", None).contains("64 bits only"));
    }
}
