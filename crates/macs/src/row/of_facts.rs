//! What is known of one mac: the facts of its family with its own lengths put in.

use super::MacInfo;
use crate::facts::{
    ConstantTime, Hardware, KeyLife, KeyLimit, Kind, LeastBits, NonceNeed, Prf, Quantum, ShortTags,
};

/// The probability at which a bound that no document turns into a number is taken to be reached:
/// that of SP 800-38D §8.
const PROBABILITY_LOG2: u32 = 32;

impl MacInfo {
    /// What it is for.
    pub const fn kind(&self) -> Kind {
        self.facts.kind
    }

    /// Whether its tags may pass for random numbers, as keys must.
    pub const fn prf(&self) -> Prf {
        self.facts.prf
    }

    /// What it asks of nonces; [`nonce`](Self::nonce) has the lengths it takes.
    pub const fn nonce_need(&self) -> NonceNeed {
        self.facts.nonce
    }

    /// How a tag of fewer bits is made.
    pub const fn short_tags(&self) -> ShortTags {
        self.facts.short_tags
    }

    /// The fewest bits of a tag that its specification has for general use: all of them where it
    /// knows no shorter tags, `None` where it names no number.
    pub const fn tag_bits_min(&self) -> Option<usize> {
        let whole = 8 * self.tag_len_bytes;
        match self.facts.short_tags {
            ShortTags::No => Some(whole),
            ShortTags::Leftmost(least)
            | ShortTags::Input(least)
            | ShortTags::OwnFinalization(least) => match least {
                LeastBits::Unstated => None,
                LeastBits::Bits(bits) => Some(if bits < whole { bits } else { whole }),
                LeastBits::Half(bits) => Some(if whole / 2 < bits { bits } else { whole / 2 }),
            },
        }
    }

    /// The fewest bits that a key should have: as many as it usually has (of HMAC, RFC 2104 §3; of
    /// KMAC, SP 800-185 §8.4.1), unless more than that is usual.
    pub const fn key_bits_min(&self) -> usize {
        match self.facts.key_bits_min {
            Some(bits) => bits,
            None => 8 * self.key_len_bytes,
        }
    }

    /// What limits the use of a key.
    pub const fn key_life(&self) -> KeyLife {
        self.facts.key_life
    }

    /// How much a key may authenticate: as its specification has it, or to where its bound reaches
    /// 2^-32.
    pub const fn key_limit(&self) -> KeyLimit {
        let block_bits = 8 * self.primitive.block_len_bytes as u32;
        match self.facts.key_life {
            KeyLife::OneMessage => KeyLimit::OneMessage,
            KeyLife::Unlimited => KeyLimit::None,
            KeyLife::Blocks => KeyLimit::Blocks {
                log2: birthday_log2(block_bits),
                probability_log2: -(PROBABILITY_LOG2 as i32),
            },
            // Tags of the hashes that this is about are no longer than their chaining values.
            KeyLife::Chaining => match birthday_log2(8 * self.tag_len_bytes as u32) {
                65.. => KeyLimit::None,
                log2 => messages(log2, PROBABILITY_LOG2),
            },
            KeyLife::Messages => messages(birthday_log2(block_bits), PROBABILITY_LOG2),
            // "Less than one in a billion" with AES, "less than one in a million" with TDEA.
            KeyLife::Sp80038B if block_bits == 64 => messages(21, 19),
            KeyLife::Sp80038B => messages(48, 29),
            // What the bound of CCM makes of it.
            KeyLife::Sp80038C => KeyLimit::Blocks { log2: 61, probability_log2: -6 },
            KeyLife::Sp80038D => messages(32, PROBABILITY_LOG2),
        }
    }

    /// Whether it takes the same time for all secrets, in this implementation: what is worse of its
    /// primitive and, where it has one, its universal hash.
    pub const fn constant_time(&self) -> ConstantTime {
        match &self.universal_hash {
            Some(hash) => self.primitive.constant_time.or_worse(hash.constant_time),
            None => self.primitive.constant_time,
        }
    }

    /// The instructions that it needs to be fast.
    pub fn hardware(&self) -> impl Iterator<Item = Hardware> {
        let parts = [self.primitive.hardware, self.facts.hardware];
        parts.into_iter().filter(|&part| part != Hardware::None)
    }

    /// What a quantum computer would change.
    pub const fn quantum(&self) -> Quantum {
        self.facts.quantum
    }
}

/// Of the numbers with which a bound of q²/2^bits reaches 2^-32.
const fn birthday_log2(bits: u32) -> u32 {
    bits.saturating_sub(PROBABILITY_LOG2) / 2
}

const fn messages(log2: u32, probability: u32) -> KeyLimit {
    KeyLimit::Messages { log2, probability_log2: -(probability as i32) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::catalog;
    use crate::facts::Repeat;

    /// What is said in words and as a value is the same.
    #[test]
    fn facts_and_prose_agree() {
        for mac in catalog() {
            let (name, mode) = (mac.name, mac.mode);
            let is_nonce_asked = mac.nonce_need() != NonceNeed::None;
            assert_eq!(is_nonce_asked, mac.nonce.is_some(), "{name}");
            assert_eq!(is_nonce_asked, !mode.nonce.is_empty(), "{name}");
            let is_unpredictable = matches!(mac.nonce_need(), NonceNeed::Unpredictable(_));
            assert_eq!(is_unpredictable, mode.nonce.contains("unpredictable"), "{name}");
            assert_eq!(mac.kind() == Kind::Aead, mac.is_composition(), "{name}");
            let is_said_a_prf = mode.proof.contains("pseudorandom function if")
                || mode.proof.contains("pseudorandom function, as a sponge")
                || mode.proof.contains("random oracle");
            let is_of_tags = matches!(mac.kind(), Kind::Mac);
            if mac.prf() == Prf::Yes {
                assert!(is_said_a_prf, "{name}: {}", mode.proof);
            } else if is_said_a_prf && is_of_tags {
                assert_eq!((name, mac.prf()), ("hmac-md5", Prf::Claimed));
            }
            let is_unlimited = mac.key_limit() == KeyLimit::None;
            let is_one = mac.key_limit() == KeyLimit::OneMessage;
            assert_eq!(is_one, mode.key_life.starts_with("one message:"), "{name}");
            if mode.key_life.starts_with("no practical limit with") {
                assert_eq!(is_unlimited, mac.tag_len_bytes >= 28, "{name}");
            } else if mode.key_life.starts_with("no ") || mode.key_life.starts_with("none") {
                assert!(is_unlimited, "{name}: {}", mode.key_life);
            } else {
                assert!(!is_unlimited, "{name}: {}", mode.key_life);
            }
        }
    }

    /// Numbers in the prose are those of the values.
    #[test]
    fn numbers_of_key_lives_are_those_of_the_prose() {
        let mut checked = 0;
        for mac in catalog() {
            let (KeyLimit::Messages { log2, .. } | KeyLimit::Blocks { log2, .. }) = mac.key_limit()
            else {
                continue;
            };
            if mac.mode.key_life.contains("at most 2^") {
                let number = alloc::format!("2^{log2} ");
                assert!(mac.mode.key_life.contains(&number), "{}: {number}", mac.name);
                checked += 1;
            }
        }
        assert!(checked > 2 || cfg!(not(feature = "full")));
    }

    /// A cipher does not answer for the hash beside it.
    #[test]
    fn constant_time_is_that_of_the_worse_of_cipher_and_hash() {
        for mac in catalog() {
            let (told, of_primitive) = (mac.constant_time(), mac.primitive.constant_time);
            match (mac.universal_hash, of_primitive) {
                (None, _) | (Some(_), ConstantTime::Mostly(_) | ConstantTime::No(_)) => {
                    assert_eq!(told, of_primitive, "{}", mac.name);
                }
                // Every universal hash here multiplies.
                (Some(hash), ConstantTime::Yes(_)) => {
                    assert_eq!(told, hash.constant_time, "{}", mac.name);
                    assert_eq!(told.name(), "mostly", "{}", mac.name);
                }
            }
        }
        let (yes, mostly, no) =
            (ConstantTime::Yes("a"), ConstantTime::Mostly("b"), ConstantTime::No("c"));
        for (a, b, worse) in [(yes, yes, yes), (yes, mostly, mostly), (mostly, no, no)] {
            assert_eq!((a.or_worse(b), b.or_worse(a)), (worse, worse));
        }
        assert_eq!((yes.or_worse(no), no.or_worse(yes)), (no, no));
    }

    /// Beyond a limit the birthday bound is no longer small: 64-bit blocks end first.
    #[test]
    fn limits_count_the_blocks_of_long_messages() {
        let blocks = KeyLimit::Blocks { log2: 48, probability_log2: -32 };
        assert_eq!(blocks.messages_log2(0), Some(48));
        assert_eq!(blocks.messages_log2(1), Some(48));
        assert_eq!(blocks.messages_log2(2), Some(47));
        assert_eq!(blocks.messages_log2(3), Some(46));
        assert_eq!(blocks.messages_log2(1 << 20), Some(28));
        assert_eq!(blocks.messages_log2(u64::MAX), Some(0));
        assert_eq!(KeyLimit::None.messages_log2(1), None);
        assert_eq!(KeyLimit::OneMessage.messages_log2(9), Some(0));
        for mac in catalog().iter().filter(|mac| mac.name.contains("tdes")) {
            let of_aes = catalog().iter().find(|aes| {
                core::ptr::eq(aes.mode, mac.mode) && aes.primitive.block_len_bytes == 16
            });
            let limit = |mac: &MacInfo| mac.key_limit().messages_log2(1).unwrap_or(u32::MAX);
            assert!(of_aes.is_none_or(|aes| limit(mac) < limit(aes)), "{}", mac.name);
        }
    }

    /// What is asked for can be had.
    #[test]
    fn least_lengths_are_accepted() {
        for mac in catalog() {
            assert!(mac.accepted_key_len.accepts(mac.key_bits_min() / 8), "{}", mac.name);
            assert!(mac.tag_bits_min().is_none_or(|bits| bits <= 8 * mac.tag_len_bytes));
            if mac.kind() == Kind::Aead {
                let least = mac.tag_bits_min().unwrap_or(8 * mac.tag_len_bytes) / 8;
                assert!(mac.accepted_tag_len.accepts(least), "{}: {least}", mac.name);
            }
        }
    }

    #[test]
    fn the_usual_ones_are_what_everybody_knows() {
        let of = |name| crate::catalog::find(name);
        let Some(hmac) = of("hmac-sha256") else { return };
        assert_eq!((hmac.kind(), hmac.prf()), (Kind::Mac, Prf::Yes));
        assert_eq!((hmac.tag_bits_min(), hmac.key_bits_min()), (Some(128), 256));
        assert_eq!(hmac.key_limit(), KeyLimit::None);
        if let Some(cmac) = of("cmac-aes-128") {
            assert_eq!(cmac.key_limit(), messages(48, 29));
            assert!(cmac.hardware().eq([Hardware::Aes]));
        }
        if let Some(gmac) = of("gmac-aes-128") {
            assert_eq!(gmac.nonce_need().repeat(), Some(Repeat::AllForgeries));
            assert!(gmac.hardware().eq([Hardware::Aes, Hardware::Carryless]));
        }
        if let Some(siphash) = of("siphash-1-3") {
            assert_eq!((siphash.kind(), siphash.prf()), (Kind::HashTable, Prf::No));
        }
        if let Some(md5) = of("hmac-md5") {
            assert_eq!((md5.prf(), md5.key_limit()), (Prf::Claimed, messages(48, 32)));
        }
    }
}
