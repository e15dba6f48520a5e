//! What a mac computes by theory: calls of its block cipher or compression function, and key
//! schedules, as its definition has them. A call is a call, whether a kernel interleaves it with
//! others or not; what two macs share by precomputation is not told here.

/// What a tag and its key cost by the definition of the mac. Over TDES a call is one of TDES, which
/// is three of DES, and a key schedule is one of TDES, which is three of DES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Work {
    /// Calls of the block cipher or compression function for a message under a prepared key.
    pub message_calls: u64,
    /// Further calls when the key is set up: for OMAC's and PMAC's subkeys, keys that are derived,
    /// HMAC's two key blocks. A key of HMAC longer than a block is hashed first: that is not in it.
    pub set_up_calls: u64,
    /// Key schedules when the key is set up; of a compression function there are none.
    pub key_schedules: u64,
}

/// How the blocks of a message are counted.
#[derive(Clone, Copy, Debug)]
enum Blocks {
    /// A last block that is full stays as it is; no message is one block.
    Filled,
    /// The end is marked always, which takes another block where the last one is full.
    Marked,
    /// Mark and length field behind a key block: RFC 2104, FIPS 180-4 §5.1.
    Hashed { field_len: u64 },
    /// As `Marked`, but two at least, and none added to a message of two full blocks or more.
    Khc2,
}

/// How the work of a mac grows with its message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Theory {
    blocks: Blocks,
    /// Calls for any message beside those for its blocks.
    further_calls: u64,
    set_up_calls: SetUpCalls,
    key_schedules: u64,
}

/// Calls of a key set-up.
#[derive(Clone, Copy, Debug)]
enum SetUpCalls {
    These(u64),
    /// Two masks, and a key made of as many blocks as it is long.
    MasksAndKey,
}

impl Theory {
    /// CBC-MAC, padding method 1; XCBC and TMAC, whose masks are part of the key.
    pub(crate) const CHAIN: Self = Self {
        blocks: Blocks::Filled,
        further_calls: 0,
        set_up_calls: SetUpCalls::These(0),
        key_schedules: 1,
    };
    /// CBC-MAC, padding method 2.
    pub(crate) const MARKED_CHAIN: Self = Self { blocks: Blocks::Marked, ..Self::CHAIN };
    /// EMAC.
    pub(crate) const EMAC: Self = Self { further_calls: 1, key_schedules: 2, ..Self::MARKED_CHAIN };
    /// OMAC1, that is CMAC, and OMAC2; PMAC: the masks are made of E(0).
    pub(crate) const MASKED: Self = Self { set_up_calls: SetUpCalls::These(1), ..Self::CHAIN };
    /// XCBC with derived keys.
    pub(crate) const XCBC_KDF: Self =
        Self { set_up_calls: SetUpCalls::MasksAndKey, key_schedules: 2, ..Self::CHAIN };
    /// KHC1.
    pub(crate) const KHC1: Self = Self { key_schedules: 0, ..Self::MARKED_CHAIN };
    /// KHC2.
    pub(crate) const KHC2: Self = Self { blocks: Blocks::Khc2, ..Self::KHC1 };

    /// HMAC over a hash whose padding ends in a length field of this length.
    pub(crate) const fn hmac(field_len: usize) -> Self {
        Self {
            blocks: Blocks::Hashed { field_len: field_len as u64 },
            further_calls: 1,
            set_up_calls: SetUpCalls::These(2),
            key_schedules: 0,
        }
    }
}

impl Blocks {
    fn of(self, len: u64, block_len: u64) -> u64 {
        match self {
            Self::Filled => len.div_ceil(block_len).max(1),
            Self::Marked => len / block_len + 1,
            // A shorter form of (len + 1 + field_len).div_ceil(block_len) that never overflows.
            Self::Hashed { field_len } => {
                len / block_len + 1 + u64::from(len % block_len >= block_len - field_len)
            }
            Self::Khc2 if len > block_len && len.is_multiple_of(block_len) => len / block_len,
            Self::Khc2 => (len / block_len + 1).max(2),
        }
    }
}

impl Theory {
    /// What a message of this length costs, over blocks and under a key of these lengths.
    pub(crate) fn work(self, message_len: u64, block_len: u64, key_len: u64) -> Work {
        let set_up_calls = match self.set_up_calls {
            SetUpCalls::These(calls) => calls,
            SetUpCalls::MasksAndKey => 2 + key_len.div_ceil(block_len),
        };
        Work {
            message_calls: self.blocks.of(message_len, block_len) + self.further_calls,
            set_up_calls,
            key_schedules: self.key_schedules,
        }
    }
}
