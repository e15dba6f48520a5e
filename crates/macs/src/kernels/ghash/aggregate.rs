//! GHASH in registers of one or two blocks: the products of up to eight registers by descending
//! powers of H are added up before they are reduced. A message's last blocks and the block of its
//! lengths take part in one such sum with what goes before them, wherever it ends.
//!
//! No vector goes through memory that was written in parts: such a load waits.

use core::arch::x86_64::__m128i;

use super::{Block, Key, element};
use crate::kernels::partial::le_number;

/// Registers to a reduction, at most.
const REGISTERS: usize = 8;

/// Slots of powers: the last one has H, that before it H^2, …
const POWERS: usize = 16;

/// Sums of products, block by block, of weights x^0, x^64 and x^128.
pub(super) type Products<R> = [R; 3];

/// Blocks side by side. To be used in functions that have its instructions.
pub(super) trait Register: Copy {
    /// Number of blocks.
    const LANES: usize;

    fn zero() -> Self;
    fn load(blocks: &[Block]) -> Self;
    fn store(self, blocks: &mut [Block]);
    /// One block, and then zeros.
    fn first_only(block: __m128i) -> Self;
    fn first(self) -> __m128i;
    fn spread(block: __m128i) -> Self;
    /// H^LANES, …, H.
    fn base(h: __m128i) -> Self;
    /// Each block's bytes from these places.
    fn ordered(self, order: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    /// Halves of blocks multiplied: bit 0 says which of this, bit 4 which of the other.
    fn multiply<const HALVES: i32>(self, other: Self) -> Self;
    /// The halves of blocks exchanged.
    fn swap(self) -> Self;
    /// The lower halves of these blocks and of the other ones.
    fn lower_halves(self, other: Self) -> Self;
    /// The sum of all blocks.
    fn add_up(self) -> __m128i;
    /// Adds a·`powers`\[0\] + b·`powers`\[1\].
    fn add_two(sum: Products<Self>, a: __m128i, b: __m128i, powers: &[Block]) -> Products<Self>;
}

#[inline(always)]
fn plus<R: Register>(a: Products<R>, b: Products<R>) -> Products<R> {
    [a[0].xor(b[0]), a[1].xor(b[1]), a[2].xor(b[2])]
}

/// The sum, with the products of blocks and powers.
#[inline(always)]
pub(super) fn add<R: Register>(sum: Products<R>, a: R, b: R) -> Products<R> {
    let middle = a.multiply::<0x01>(b).xor(a.multiply::<0x10>(b));
    plus(sum, [a.multiply::<0x00>(b), middle, a.multiply::<0x11>(b)])
}

/// The products times x^−128 modulo the polynomial, in each place.
#[inline(always)]
fn reduced<R: Register>([low, middle, high]: Products<R>) -> R {
    let polynomial = R::spread(element::polynomial());
    let fold = |part: R| part.multiply::<0x00>(polynomial).xor(part.swap());
    high.xor(fold(middle.xor(fold(low))))
}

/// The same, of the sum of all places.
#[inline(always)]
fn total<R: Register>([low, middle, high]: Products<R>) -> __m128i {
    reduced([low.add_up(), middle.add_up(), high.add_up()])
}

#[inline(always)]
fn product<R: Register>(a: R, b: R) -> R {
    reduced(add([R::zero(); 3], a, b))
}

/// Powers in the slots before the last of `POWERS`, and behind them, if there are eight registers
/// of them, the sums of their halves, those of two registers in one.
#[inline(always)]
pub(super) fn key<R: Register>(key: &mut Key, h: __m128i, reach_bytes: usize) {
    let blocks = (reach_bytes / 16).saturating_add(2);
    let reach = match blocks.div_ceil(R::LANES) {
        REGISTERS.. => REGISTERS,
        4.. => 4,
        _ => 2,
    };
    let mut powers = [R::base(h); REGISTERS];
    let mut made = 1;
    while made < reach {
        let by = R::spread(powers[made - 1].first());
        for number in 0..made {
            powers[made + number] = product(powers[number], by);
        }
        made *= 2;
    }
    let (slots, halves) = key.slots.split_at_mut(POWERS);
    for (number, power) in powers[..reach].iter().enumerate() {
        power.store(&mut slots[POWERS - (number + 1) * R::LANES..]);
    }
    if reach == REGISTERS {
        for pair in 0..REGISTERS / 2 {
            let sum = |number: usize| {
                let power = powers[REGISTERS - 1 - number];
                power.xor(power.swap())
            };
            let both = sum(2 * pair).lower_halves(sum(2 * pair + 1));
            both.store(&mut halves[pair * R::LANES..]);
        }
    }
    key.reach = reach;
}

/// The hash after eight registers of blocks, each by three products (Karatsuba's method).
#[inline(always)]
fn eight<R: Register>(key: &Key, y: __m128i, blocks: &[Block]) -> __m128i {
    let mut sum = [R::zero(); 3];
    let (powers, halves) = key.slots.split_at(POWERS);
    let powers = &powers[POWERS - REGISTERS * R::LANES..];
    let order = R::spread(element::load(&key.order));
    for number in 0..REGISTERS {
        let at = number * R::LANES;
        let mut block = R::load(&blocks[at..]).ordered(order);
        if number == 0 {
            block = block.xor(R::first_only(y));
        }
        let power = R::load(&powers[at..]);
        let half = R::load(&halves[number / 2 * R::LANES..]);
        let folded = block.xor(block.swap());
        let middle = if number % 2 == 0 {
            folded.multiply::<0x00>(half)
        } else {
            folded.multiply::<0x10>(half)
        };
        let [low, high] = [block.multiply::<0x00>(power), block.multiply::<0x11>(power)];
        sum = plus(sum, [low, middle, high]);
    }
    sum[1] = sum[1].xor(sum[0]).xor(sum[2]);
    total(sum)
}

/// The sum of whole registers of blocks by the powers in `slots`, `y` added to the first block.
#[inline(always)]
fn registers<R: Register>(
    order: __m128i,
    y: __m128i,
    blocks: &[Block],
    slots: &[Block],
) -> Products<R> {
    let order = R::spread(order);
    let mut sum = [R::zero(); 3];
    let mut first = R::first_only(y);
    for at in (0..blocks.len()).step_by(R::LANES) {
        let block = R::load(&blocks[at..]).ordered(order).xor(first);
        sum = add(sum, block, R::load(&slots[at..]));
        first = R::zero();
    }
    sum
}

/// The hash after some data, padded with zeros, and with `CLOSES` the block of lengths.
#[inline(always)]
pub(super) fn run<R: Register, const CLOSES: bool>(
    key: &Key,
    mut y: __m128i,
    data: &[u8],
    lengths: __m128i,
) -> __m128i {
    let mut rest = data;
    let order = element::load(&key.order);
    if key.reach == REGISTERS {
        while let Some((blocks, others)) = rest.split_at_checked(16 * REGISTERS * R::LANES) {
            y = eight::<R>(key, y, blocks.as_chunks().0);
            rest = others;
        }
    }
    let powers = &key.slots[..POWERS];
    let mut count = rest.len().div_ceil(16) + usize::from(CLOSES);
    if count == 0 {
        return y;
    }
    while count > key.reach * R::LANES {
        let all = 16 * key.reach * R::LANES;
        let (blocks, others) = rest.split_at(if rest.len() < all { all / 2 } else { all });
        let blocks = blocks.as_chunks().0;
        y = total(registers::<R>(order, y, blocks, &powers[POWERS - blocks.len()..]));
        count -= blocks.len();
        rest = others;
    }
    let slots = &powers[POWERS - count..];
    let (blocks, tail) = rest.as_chunks::<16>();
    let (whole, single) = blocks.split_at(blocks.len() / R::LANES * R::LANES);
    let sum = registers::<R>(order, y, whole, slots);
    let y = if whole.is_empty() { y } else { __m128i::zero() };
    // An array of what is left would be written in parts and read as a whole.
    let block = |block: &Block| __m128i::load(&[*block]).ordered(order);
    let padded = |tail: &[u8]| element::of_number(le_number(tail)).ordered(order);
    total(match (single, tail) {
        ([], []) if CLOSES => add_last(sum, lengths.xor(y), powers),
        ([], []) => sum,
        ([only], []) => add_left::<R, CLOSES>(sum, block(only).xor(y), lengths, powers),
        ([], tail) => add_left::<R, CLOSES>(sum, padded(tail).xor(y), lengths, powers),
        ([first, ..], tail) => {
            let last = &powers[POWERS - 2 - usize::from(CLOSES)..];
            let sum = R::add_two(sum, block(first).xor(y), padded(tail), last);
            if CLOSES { add_last(sum, lengths, powers) } else { sum }
        }
    })
}

/// The sum, with the last block of all.
#[inline(always)]
fn add_last<R: Register>(sum: Products<R>, block: __m128i, powers: &[Block]) -> Products<R> {
    let power = __m128i::load(&powers[POWERS - 1..]);
    add(sum, R::first_only(block), R::first_only(power))
}

/// The sum, with the last block of the data and with `CLOSES` the lengths.
#[inline(always)]
fn add_left<R: Register, const CLOSES: bool>(
    sum: Products<R>,
    block: __m128i,
    lengths: __m128i,
    powers: &[Block],
) -> Products<R> {
    if CLOSES {
        R::add_two(sum, block, lengths, &powers[POWERS - 2..])
    } else {
        add_last(sum, block, powers)
    }
}

/// The functions of a kernel.
macro_rules! entries {
    ($token:ident, $register:ident, $features:literal) => {
        pub(super) fn key(_: $token, key: &mut Key, h: &Block, reach_bytes: usize) {
            #[target_feature(enable = $features)]
            fn on_cpu(key: &mut Key, h: &Block, reach_bytes: usize) {
                aggregate::key::<$register>(key, element::first_power(h), reach_bytes);
            }
            // SAFETY: the token proves the instructions.
            unsafe { on_cpu(key, h, reach_bytes) }
        }

        pub(super) fn absorb(_: $token, key: &Key, y: &mut Block, data: &[u8]) {
            #[target_feature(enable = $features)]
            fn on_cpu(key: &Key, y: &mut Block, data: &[u8]) {
                let none = element::of_number(0);
                let hash = element::ordered(element::load(y), &key.order);
                let hash = aggregate::run::<$register, false>(key, hash, data, none);
                element::store(y, element::ordered(hash, &key.order));
            }
            // SAFETY: the token proves the instructions.
            unsafe { on_cpu(key, y, data) }
        }

        pub(super) fn finish(
            _: $token,
            key: &Key,
            y: &Block,
            data: &[u8],
            [len_bytes, other_bytes]: [u64; 2],
            onto: &mut Block,
        ) {
            #[target_feature(enable = $features)]
            fn on_cpu(
                key: &Key,
                y: &Block,
                data: &[u8],
                len_bytes: u64,
                other_bytes: u64,
                onto: &mut Block,
            ) {
                let lengths = element::lengths([len_bytes, other_bytes]);
                let hash = element::ordered(element::load(y), &key.order);
                let hash = aggregate::run::<$register, true>(key, hash, data, lengths);
                element::add_onto(onto, element::ordered(hash, &key.order));
            }
            // SAFETY: the token proves the instructions.
            unsafe { on_cpu(key, y, data, len_bytes, other_bytes, onto) }
        }
    };
}

pub(super) use entries;
