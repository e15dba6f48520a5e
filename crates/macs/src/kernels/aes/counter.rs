//! The counter blocks of SP 800-38A §6.5: big-endian, as wide as the mode says, wrapping within
//! their own bits; and those of RFC 8452 §4, little-endian.

use cipher::inout::InOutBuf;

use super::Block;

/// The counter takes the whole block.
pub(crate) const WHOLE_BLOCK: u32 = 128;

/// The counter takes the first 32 bits, little-endian.
pub(crate) const LITTLE_ENDIAN: u32 = 8452;

/// A counter block as a number, of which the low `BITS` bits (32 or 128) count; those of
/// `LITTLE_ENDIAN` are 32.
#[derive(Clone, Copy)]
pub(super) struct Counter<const BITS: u32>(pub(super) u128);

impl<const BITS: u32> Counter<BITS> {
    #[inline(always)]
    pub(super) fn new(block: &Block) -> Self {
        const { assert!(BITS == 32 || BITS == WHOLE_BLOCK || BITS == LITTLE_ENDIAN) }
        Self(Self(u128::from_le_bytes(*block)).in_order())
    }

    /// This many blocks on.
    #[inline(always)]
    pub(super) fn plus(self, blocks: u64) -> Self {
        if BITS != WHOLE_BLOCK {
            let counted = (self.0 as u32).wrapping_add(blocks as u32);
            return Self(self.0 >> 32 << 32 | u128::from(counted));
        }
        Self(self.0.wrapping_add(u128::from(blocks)))
    }

    #[inline(always)]
    pub(super) fn block(self) -> Block {
        self.in_order().to_le_bytes()
    }

    /// The block as a little-endian number.
    #[inline(always)]
    pub(super) fn in_order(self) -> u128 {
        if BITS == LITTLE_ENDIAN { self.0 } else { self.0.swap_bytes() }
    }
}

/// Number of blocks that are encrypted at once.
const WIDTH: usize = 8;

/// XORs the keystream into `data` and leaves in `counter` the block that comes next. `encrypt`
/// takes up to [`WIDTH`] blocks.
#[inline(always)]
pub(super) fn apply<const BITS: u32>(
    encrypt: impl Fn(&mut [Block]),
    counter: &mut Block,
    mut data: InOutBuf<'_, '_, u8>,
) {
    let mut next = Counter::<BITS>::new(counter);
    while !data.is_empty() {
        let most = data.len().min(WIDTH * size_of::<Block>());
        let (mut piece, rest) = data.split_at(most);
        data = rest;
        let mut keystream = [[0; 16]; WIDTH];
        let keystream = &mut keystream[..piece.len().div_ceil(size_of::<Block>())];
        for block in &mut *keystream {
            *block = next.block();
            next = next.plus(1);
        }
        encrypt(keystream);
        piece.xor_in2out(&keystream.as_flattened()[..piece.len()]);
    }
    *counter = next.block();
}
