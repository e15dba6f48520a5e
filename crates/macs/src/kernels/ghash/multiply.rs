//! GHASH on one block at a time, over whatever multiplies: the products of several blocks by
//! descending powers of H are added up before they are reduced.

use super::{Block, Key};

/// Powers of the longest group, at least, and one more.
const ROOM: usize = 24;

/// Arithmetic in the field. The value is the proof that the CPU has the instructions.
pub(super) trait Multiply: Copy {
    /// An element of the field.
    type Element: Copy;
    /// A sum of products, not reduced.
    type Product: Copy;
    /// Blocks to a reduction: a key has as many powers.
    const GROUP: usize;

    /// The element as it lies in a key.
    fn load(self, slot: &Block) -> Self::Element;
    /// The inverse of `load`.
    fn store(self, element: Self::Element) -> Block;
    /// The element that a block of this order of bytes is, and back.
    fn ordered(self, element: Self::Element, order: &Block) -> Self::Element;
    fn add(self, a: Self::Element, b: Self::Element) -> Self::Element;
    fn product(self, a: Self::Element, b: Self::Element) -> Self::Product;
    fn sum(self, a: Self::Product, b: Self::Product) -> Self::Product;
    /// The product times x^−128 modulo the polynomial.
    fn reduce(self, product: Self::Product) -> Self::Element;
}

/// H times x: RFC 8452 appendix A, mulX_POLYVAL.
pub(super) fn times_x(h: &Block) -> u128 {
    let h = u128::from_be_bytes(*h);
    (h << 1) ^ ((h >> 127).wrapping_neg() & (0xc2 << 120 | 1))
}

/// H^1, H^2, … in the slots 0, 1, …; as many as the message has blocks with that of the lengths.
#[inline(always)]
pub(super) fn key<M: Multiply>(m: M, key: &mut Key, h: &Block, reach_bytes: usize) {
    let reach = M::GROUP.min((reach_bytes / 16).saturating_add(2));
    let h = m.load(&times_x(h).to_ne_bytes());
    let mut powers = [h; ROOM];
    for n in 2..=M::GROUP {
        if n <= reach {
            // The halves of n, so that few products wait for one another.
            let (a, b) = (powers[n / 2 - 1], powers[n.div_ceil(2) - 1]);
            powers[n - 1] = m.reduce(m.product(a, b));
        }
    }
    for (slot, power) in key.slots[..M::GROUP].iter_mut().zip(powers) {
        *slot = m.store(power);
    }
    key.reach = reach;
}

/// The hash after whole blocks, at most as many as the key has powers.
#[inline(always)]
fn group<M: Multiply>(m: M, key: &Key, y: M::Element, blocks: &[Block]) -> M::Element {
    let power = |index: usize| m.load(&key.slots[blocks.len() - 1 - index]);
    let block = |index: usize| m.ordered(m.load(&blocks[index]), &key.order);
    let mut sum = m.product(m.add(block(0), y), power(0));
    for index in 1..blocks.len() {
        sum = m.sum(sum, m.product(block(index), power(index)));
    }
    m.reduce(sum)
}

/// The hash after whole blocks.
#[inline(always)]
fn run<M: Multiply>(m: M, key: &Key, mut y: M::Element, blocks: &[Block]) -> M::Element {
    let mut rest = blocks;
    if key.reach == M::GROUP {
        while let Some((blocks, others)) = rest.split_at_checked(M::GROUP) {
            y = group(m, key, y, blocks);
            rest = others;
        }
    }
    for blocks in rest.chunks(key.reach) {
        y = group(m, key, y, blocks);
    }
    y
}

#[inline(always)]
pub(super) fn absorb<M: Multiply>(m: M, key: &Key, y: &mut Block, data: &[u8]) {
    let (blocks, tail) = data.as_chunks();
    let mut hash = run(m, key, m.ordered(m.load(y), &key.order), blocks);
    if !tail.is_empty() {
        let mut last = [0; 16];
        last[..tail.len()].copy_from_slice(tail);
        hash = run(m, key, hash, &[last]);
    }
    *y = m.store(m.ordered(hash, &key.order));
}

#[inline(always)]
pub(super) fn finish<M: Multiply>(
    m: M,
    key: &Key,
    y: &Block,
    data: &[u8],
    lens_bytes: [u64; 2],
    onto: &mut Block,
) {
    let (blocks, tail) = data.as_chunks();
    let (bulk, last) = blocks.split_at(blocks.len() - blocks.len() % M::GROUP);
    let hash = run(m, key, m.ordered(m.load(y), &key.order), bulk);
    // What is left, and the lengths: one group, or two.
    let mut closing = [[0; 16]; ROOM];
    let (left, room) = closing.split_at_mut(last.len());
    left.copy_from_slice(last);
    room[0][..tail.len()].copy_from_slice(tail);
    let lens_at = usize::from(!tail.is_empty());
    let [upper, lower] = lens_bytes.map(|len_bytes| u128::from(len_bytes << 3));
    let lens = m.load(&(upper << 64 | lower).to_ne_bytes());
    room[lens_at] = m.store(m.ordered(lens, &key.order));
    let hash = run(m, key, hash, &closing[..last.len() + lens_at + 1]);
    *onto = m.store(m.add(m.load(onto), m.ordered(hash, &key.order)));
}

/// The functions of a kernel whose instructions the compiler must be told of.
#[cfg(target_arch = "aarch64")]
macro_rules! entries {
    ($token:ty, $features:literal) => {
        #[inline(always)]
        pub(super) fn key(token: $token, key: &mut Key, h: &Block, reach_bytes: usize) {
            #[target_feature(enable = $features)]
            fn inner(token: $token, key: &mut Key, h: &Block, reach_bytes: usize) {
                multiply::key(token, key, h, reach_bytes);
            }
            // SAFETY: the token proves the instructions.
            unsafe { inner(token, key, h, reach_bytes) }
        }

        #[inline(always)]
        pub(super) fn absorb(token: $token, key: &Key, y: &mut Block, data: &[u8]) {
            #[target_feature(enable = $features)]
            fn inner(token: $token, key: &Key, y: &mut Block, data: &[u8]) {
                multiply::absorb(token, key, y, data);
            }
            // SAFETY: the token proves the instructions.
            unsafe { inner(token, key, y, data) }
        }

        #[inline(always)]
        pub(super) fn finish(
            token: $token,
            key: &Key,
            y: &Block,
            data: &[u8],
            lens: [u64; 2],
            onto: &mut Block,
        ) {
            #[target_feature(enable = $features)]
            fn inner(
                token: $token,
                key: &Key,
                y: &Block,
                data: &[u8],
                lens: [u64; 2],
                onto: &mut Block,
            ) {
                multiply::finish(token, key, y, data, lens, onto);
            }
            // SAFETY: the token proves the instructions.
            unsafe { inner(token, key, y, data, lens, onto) }
        }
    };
}

#[cfg(target_arch = "aarch64")]
pub(super) use entries;
