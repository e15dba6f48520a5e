//! Two keys of one cipher joined, K1‖K2: the first encrypts, the second authenticates.

use core::ops::Add;

use cipher::array::{Array, ArraySize};
use cipher::{Key, KeySizeUser};
use ctutils::CtEq;
use digest::InvalidLength;
use digest::typenum::Sum;

use crate::ciphers::BlockCipher;

/// The two halves of a joined key.
fn halves(joined: &[u8]) -> Result<[&[u8]; 2], InvalidLength> {
    let (k1, k2) = joined.split_at(joined.len() / 2);
    if k1.len() == k2.len() { Ok([k1, k2]) } else { Err(InvalidLength) }
}

/// The same, unless they are one key twice.
pub(super) fn differing(joined: &[u8]) -> Result<[&[u8]; 2], InvalidLength> {
    if halves_differ(joined) { halves(joined) } else { Err(InvalidLength) }
}

/// Whether the halves are not the same, told in constant time.
pub(super) fn halves_differ(joined: &[u8]) -> bool {
    halves(joined).is_ok_and(|[k1, k2]| k1.ct_ne(k2).to_bool())
}

/// A cipher two of whose keys can be joined: any with keys of less than 2^63 bytes.
pub trait Paired: BlockCipher {
    /// Length of K1‖K2 in bytes.
    type PairSize: ArraySize;

    /// K1 and K2.
    fn split(pair: &Array<u8, Self::PairSize>) -> [&Key<Self>; 2];

    /// Whether K1 and K2 are not the same, told in constant time.
    fn differ(pair: &Array<u8, Self::PairSize>) -> bool {
        halves_differ(pair)
    }
}

impl<C: BlockCipher> Paired for C
where
    C: KeySizeUser<KeySize: Add<<C as KeySizeUser>::KeySize, Output: ArraySize>>,
{
    type PairSize = Sum<C::KeySize, C::KeySize>;

    fn split(pair: &Array<u8, Self::PairSize>) -> [&Key<Self>; 2] {
        let (keys, _) = Key::<C>::slice_as_chunks(pair);
        [&keys[0], &keys[1]]
    }
}
