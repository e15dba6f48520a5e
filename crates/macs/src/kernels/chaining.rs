//! What ciphers are asked for beside single blocks: how CBC chains end, chains beside counter
//! mode, and PMAC's sum. A kernel may do it whole.

/// What follows the message in its last block.
#[derive(Clone, Copy, Debug)]
pub enum Padding {
    /// A one bit, then zeros: ISO/IEC 9797-1 §6.3.3.
    One,
    /// Zeros: ISO/IEC 9797-1 §6.3.2.
    Zeros,
}

/// Which masks OMAC makes of L = E_K(0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Omac {
    /// L·u and L·u²: OMAC1, which is CMAC.
    One,
    /// L·u and L·u⁻¹: OMAC2.
    Two,
}

/// Counter mode over `data`, whose counter is the whole block, and the CBC chain over `head` and
/// then over what `data` was or what it becomes. The last block of data is padded with zeros; or,
/// where there are masks, as CMAC has it (SP 800-38B §6.2). Without data it is the chain over
/// `head` alone. `B` is a block.
pub struct Pass<'a, B> {
    /// The first counter block.
    pub counter: &'a B,
    /// The chaining value, before and after.
    pub y: &'a mut B,
    /// What the chain takes before the data.
    pub head: &'a [B],
    /// What is encrypted or decrypted in place.
    pub data: &'a mut [u8],
    /// The masks of a full last block and of a padded one.
    pub masks: Option<[&'a B; 2]>,
}

/// What EAX takes into a message, and its tag. `B` is a block.
pub struct EaxPass<'a, B> {
    /// The masks of CMAC: of a full last block, and of a padded one.
    pub masks: [&'a B; 2],
    /// The chaining values after the blocks [0], [1] and [2].
    pub after: [&'a B; 3],
    /// OMAC^0, OMAC^1 and OMAC^2 of nothing.
    pub of_nothing: [&'a B; 3],
    /// The nonce.
    pub nonce: &'a [u8],
    /// The associated data.
    pub associated_data: &'a [u8],
    /// What is encrypted or decrypted in place.
    pub data: &'a mut [u8],
    /// The whole tag.
    pub tag: &'a mut B,
}

/// How many L·u^i PMAC keeps. A larger i comes up once in 2^8 blocks, and is computed then.
pub const KEPT_MASKS: usize = 8;

/// Blocks of a message for PMAC, not its last: each is masked by its place and encrypted by itself.
/// `B` is a block.
pub struct MaskedPass<'a, B> {
    /// L·u^i.
    pub masks: &'a [B; KEPT_MASKS],
    /// Of the encrypted blocks, before and after.
    pub sum: &'a mut B,
    /// The mask of the block taken last, likewise.
    pub offset: &'a mut B,
    /// Number of blocks taken, likewise.
    pub count: &'a mut u64,
    /// The blocks to take.
    pub runs: [&'a [B]; 2],
}
