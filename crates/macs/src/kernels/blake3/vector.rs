//! What rows and columns have in common: vectors of words.

/// A vector of words.
pub(super) trait Vector: Copy {
    /// What rotations need in registers.
    type Orders: Copy;

    fn orders() -> Self::Orders;
    fn add(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// To the right, by 16, 12, 8 or 7 bits.
    fn rotate<const BITS: u32>(self, orders: Self::Orders) -> Self;
}
