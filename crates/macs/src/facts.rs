//! What is known of a mac, as values that a program can decide on. The prose beside them, in
//! [`Mode`](crate::Mode) and [`Primitive`](crate::Primitive), says why and by whom. Each family has
//! its own in its file, next to its rows.

use core::fmt;

/// What is known of every mac of a mode; a row may know better of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// What it is for.
    pub kind: Kind,
    /// Whether its tags may pass for random numbers.
    pub prf: Prf,
    /// What it asks of nonces.
    pub nonce: NonceNeed,
    /// How a tag of fewer bits is made.
    pub short_tags: ShortTags,
    /// The fewest bits that a key should have, where that is not the length it usually has.
    pub key_bits_min: Option<usize>,
    /// What limits the use of a key.
    pub key_life: KeyLife,
    /// The instructions that the mode itself needs to be fast, beside those of its primitive.
    pub hardware: Hardware,
    /// What a quantum computer would change.
    pub quantum: Quantum,
}

impl Facts {
    /// A mac that takes no nonce, whose tags are those of a pseudorandom function; a family says
    /// where it differs.
    pub(crate) const MAC: Self = Self {
        kind: Kind::Mac,
        prf: Prf::Yes,
        nonce: NonceNeed::None,
        short_tags: ShortTags::Leftmost(LeastBits::Unstated),
        key_bits_min: None,
        key_life: KeyLife::Unlimited,
        hardware: Hardware::None,
        quantum: Quantum::HalfKey,
    };

    /// A universal hash under a pad that a nonce makes.
    pub(crate) const NONCE_MAC: Self = Self {
        kind: Kind::NonceMac,
        prf: Prf::No,
        nonce: NonceNeed::Unique(Repeat::AllForgeries),
        short_tags: ShortTags::No,
        ..Self::MAC
    };

    /// Authenticated encryption under a nonce that is counted.
    pub(crate) const AEAD: Self = Self {
        kind: Kind::Aead,
        prf: Prf::No,
        nonce: NonceNeed::Unique(Repeat::Privacy),
        ..Self::MAC
    };

    /// Of what is no mac.
    pub(crate) const BLANK: Self =
        Self { kind: Kind::FixedLenMac, prf: Prf::No, short_tags: ShortTags::No, ..Self::MAC };
}

/// What a mac is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Encrypts and authenticates (a composition).
    Aead,
    /// A mac only for messages that all have one length; forged easily otherwise.
    FixedLenMac,
    /// For hash tables, whose values nobody sees; not for tags that are sent.
    HashTable,
    /// A mac for any messages, which takes no nonce.
    Mac,
    /// A mac that takes a nonce with every message.
    NonceMac,
    /// A mac for one message: each needs a key of its own.
    OneTimeMac,
}

impl Kind {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Aead => "AEAD",
            Self::FixedLenMac => "MAC for one length",
            Self::HashTable => "hash-table function",
            Self::Mac => "MAC",
            Self::NonceMac => "MAC with nonce",
            Self::OneTimeMac => "one-time MAC",
        }
    }
}

/// Whether a mac is a pseudorandom function: whether tags may be used as keys or random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Prf {
    /// It is not, or only in a use other than the general one.
    No,
    /// Its designers claim it or it is believed, without a proof or with a weakened premise.
    Claimed,
    /// Proved, of a primitive that is believed to be what the proof needs.
    Yes,
}

impl Prf {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Claimed => "claimed",
            Self::Yes => "yes",
        }
    }
}

/// What a mac asks of nonces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NonceNeed {
    /// It takes none.
    None,
    /// None may be used twice under a key; counting them is enough.
    Unique(Repeat),
    /// None may be used twice under a key, nor may anyone be able to tell the next.
    Unpredictable(Repeat),
}

impl NonceNeed {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Unique(_) => "unique",
            Self::Unpredictable(_) => "unpredictable",
        }
    }

    /// What a nonce that is used twice costs, if it takes one.
    pub const fn repeat(self) -> Option<Repeat> {
        match self {
            Self::None => None,
            Self::Unique(repeat) | Self::Unpredictable(repeat) => Some(repeat),
        }
    }
}

/// What a nonce that is used twice under a key costs, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Repeat {
    /// It shows which messages are the same, and nothing else.
    Equality,
    /// It shows something of the messages encrypted under it; no forgery is known to follow.
    Privacy,
    /// Tags can be forged under that nonce, or of what was authenticated under it.
    SomeForgeries,
    /// The key of the hash is lost, and any tag can be forged.
    AllForgeries,
}

impl Repeat {
    /// The words for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Equality => "equality",
            Self::Privacy => "privacy",
            Self::SomeForgeries => "some forgeries",
            Self::AllForgeries => "all forgeries",
        }
    }
}

/// How a tag of fewer bits is made, and the fewest that the specification has for general use.
/// Which lengths are taken is another thing:
/// [`MacInfo::accepted_tag_len`](crate::MacInfo::accepted_tag_len).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShortTags {
    /// Its specification knows tags of one length only.
    No,
    /// The leftmost bits of the whole tag.
    Leftmost(LeastBits),
    /// The length is an input: tags of two lengths have nothing in common.
    Input(LeastBits),
    /// Each length is computed in a way of its own from one last state, of which the length is no
    /// part: the short tag is not the beginning of the long one, but tags of two lengths under one
    /// nonce may tell of each other.
    OwnFinalization(LeastBits),
}

impl ShortTags {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::No => "no",
            Self::Leftmost(_) => "leftmost bits",
            Self::Input(_) => "length is an input",
            Self::OwnFinalization(_) => "own finalization",
        }
    }
}

/// The fewest bits of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeastBits {
    /// Its specification names none.
    Unstated,
    /// This many.
    Bits(usize),
    /// Half of the whole tag, and this many at least.
    Half(usize),
}

/// What limits the use of a key. [`MacInfo::key_limit`](crate::MacInfo::key_limit) has it in
/// numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyLife {
    /// A key is for one message.
    OneMessage,
    /// Nothing within reach.
    Unlimited,
    /// Collisions of blocks: about σ²/2^n for σ blocks of n bits.
    Blocks,
    /// Collisions of chaining values: about q²/2^c for q messages, c bits of chaining value.
    Chaining,
    /// Collisions of last blocks or of pads, one a message: about q²/2^n for q messages.
    Messages,
    /// 2^48 messages with blocks of 128 bits, 2^21 with blocks of 64 (SP 800-38B, Appendix B).
    Sp80038B,
    /// 2^61 calls of the cipher (SP 800-38C §5.3).
    Sp80038C,
    /// 2^32 messages, unless nonces have 12 bytes and are counted (SP 800-38D §8.3).
    Sp80038D,
}

/// Instructions without which a part of a mac is several times slower. A library without them is
/// slow, or takes its time by secrets where it looks tables up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hardware {
    /// None: it is fast in plain code.
    None,
    /// Those for AES.
    Aes,
    /// Carry-less multiplication.
    Carryless,
    /// Those for SHA-1 and SHA-256.
    Sha,
}

impl Hardware {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "–",
            Self::Aes => "AES instructions",
            Self::Carryless => "carry-less multiplication",
            Self::Sha => "SHA instructions",
        }
    }
}

/// What a quantum computer would change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantum {
    /// A key of k bits is found in about 2^(k/2) steps (Grover 1996): take 256 bits. That no attack
    /// by superposition queries is told here does not mean that there is none.
    HalfKey,
    /// The same; and who could ask for tags of messages in superposition would forge them. It is
    /// shown of CBC-MAC, PMAC, GMAC, GCM and OCB (Kaplan, Leurent, Leverrier, Naya-Plasencia,
    /// CRYPTO 2016), said of EAX for its CMAC (Lang, Lucks, AFRICACRYPT 2023), and told here of
    /// what else is made of the same parts. No ordinary system allows such questions.
    Superposition,
    /// Nothing: it does not rest on what can be computed.
    Nothing,
}

impl Quantum {
    /// The words for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HalfKey => "half the key",
            Self::Superposition => "half the key; forgeable by superposition queries",
            Self::Nothing => "nothing",
        }
    }
}

/// Whether an implementation takes the same time for all secrets, and why or where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConstantTime {
    /// It does, for this reason.
    Yes(&'static str),
    /// It does on processors of this sort.
    Mostly(&'static str),
    /// It does not, for this reason.
    No(&'static str),
}

impl ConstantTime {
    /// That of GHASH and POLYVAL: their portable code has no table and no branch by data, but
    /// multiplies words.
    pub(crate) const OF_GHASH: Self =
        Self::Mostly("with instructions for GHASH, or where multiplication is");

    /// The worse of two; the first where they are alike.
    pub(crate) const fn or_worse(self, other: Self) -> Self {
        if self.rank() < other.rank() { other } else { self }
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Yes(_) => 0,
            Self::Mostly(_) => 1,
            Self::No(_) => 2,
        }
    }

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yes(_) => "yes",
            Self::Mostly(_) => "mostly",
            Self::No(_) => "no",
        }
    }
}

impl fmt::Display for ConstantTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Yes(why) | Self::Mostly(why) | Self::No(why)) = *self;
        write!(f, "{}: {why}", self.name())
    }
}

/// How much a key may authenticate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyLimit {
    /// Any number of messages that can be had.
    None,
    /// One message.
    OneMessage,
    /// 2^`log2` messages.
    Messages {
        /// Logarithm to the base 2 of their number.
        log2: u32,
        /// That of the probability, at this number, that an attacker sees a collision.
        probability_log2: i32,
    },
    /// 2^`log2` blocks of the primitive, all messages together.
    Blocks {
        /// Logarithm to the base 2 of their number.
        log2: u32,
        /// That of the probability, at this number, that an attacker sees a collision.
        probability_log2: i32,
    },
}

impl KeyLimit {
    /// Logarithm to the base 2, rounded down, of the messages of this many blocks that a key may
    /// authenticate. `None` if there is no limit.
    #[must_use]
    pub const fn messages_log2(self, message_blocks: u64) -> Option<u32> {
        match self {
            Self::None => None,
            Self::OneMessage => Some(0),
            Self::Messages { log2, .. } => Some(log2),
            Self::Blocks { log2, .. } => {
                let rounded_up = match message_blocks {
                    0 | 1 => 0,
                    blocks => (blocks - 1).ilog2() + 1,
                };
                Some(log2.saturating_sub(rounded_up))
            }
        }
    }
}

impl fmt::Display for KeyLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::None => f.write_str("no practical limit"),
            Self::OneMessage => f.write_str("1 message"),
            Self::Messages { log2, probability_log2 } => {
                write!(f, "2^{log2} messages (2^{probability_log2})")
            }
            Self::Blocks { log2, probability_log2 } => {
                write!(f, "2^{log2} blocks (2^{probability_log2})")
            }
        }
    }
}
