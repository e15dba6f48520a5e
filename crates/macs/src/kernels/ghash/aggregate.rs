//! GHASH in registers of one, two or four blocks: the products of up to eight registers by
//! descending powers of H are added up before they are reduced. A message's last blocks and the
//! block of its lengths take part in one such sum with what goes before them, wherever it ends.
//!
//! No vector goes through memory that was written in parts: such a load waits.

use core::arch::x86_64::__m128i;

use super::{Block, Key, element};

/// Registers to a reduction, at most.
pub(in crate::kernels) const REGISTERS: usize = 8;

/// Sums of products, block by block, of weights x^0, x^64 and x^128.
pub(in crate::kernels) type Products<R> = [R; 3];

/// Blocks side by side. To be used in functions that have its instructions.
pub(in crate::kernels) trait Register: Copy {
    /// Number of blocks.
    const LANES: usize;

    /// Bytes of them.
    const BYTES: usize = 16 * Self::LANES;

    /// Whether three products are quicker than four even where the sums of halves are not in the
    /// key (Karatsuba's method).
    const THIRDS: bool;

    /// Slots of powers: the last one has H, that before it H^2, …
    const POWERS: usize = REGISTERS * Self::LANES;

    /// The slot of the powers above those, after the sums of halves: see [`key`].
    const HIGHEST: usize = Self::POWERS + REGISTERS / 2 * Self::LANES;

    fn zero() -> Self;
    /// Of at least `BYTES` bytes the first ones.
    fn load(bytes: &[u8]) -> Self;
    fn store(self, bytes: &mut [u8]);
    /// Less than `BYTES` bytes, and then zeros.
    fn load_part(bytes: &[u8]) -> Self;
    /// One block, and then zeros.
    fn first_only(block: __m128i) -> Self;
    /// With this block in place of one that is zero.
    fn with_block(self, place: usize, block: __m128i) -> Self;
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
}

/// As many blocks as a register has, from this slot on.
#[inline(always)]
pub(in crate::kernels) fn power<R: Register>(slots: &[Block], at: usize) -> R {
    R::load(slots[at..][..R::LANES].as_flattened())
}

#[inline(always)]
fn plus<R: Register>(a: Products<R>, b: Products<R>) -> Products<R> {
    [a[0].xor(b[0]), a[1].xor(b[1]), a[2].xor(b[2])]
}

/// The sum, with the products of blocks and powers.
#[inline(always)]
pub(in crate::kernels) fn add<R: Register>(sum: Products<R>, a: R, b: R) -> Products<R> {
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

/// The same, of the sum of all places. Wide registers are reduced first, for that takes no longer.
#[inline(always)]
fn total<R: Register>(sum: Products<R>) -> __m128i {
    if R::LANES == 4 {
        return reduced(sum).add_up();
    }
    let [low, middle, high] = sum;
    reduced([low.add_up(), middle.add_up(), high.add_up()])
}

/// The same of `add_third`'s sum.
#[inline(always)]
fn total_of_thirds<R: Register>([low, middle, high]: Products<R>) -> __m128i {
    total([low, middle.xor(low).xor(high), high])
}

/// The sum, with the products of blocks and powers, of which there are not many.
#[inline(always)]
pub(in crate::kernels) fn add_few<R: Register>(sum: Products<R>, a: R, b: R) -> Products<R> {
    if !R::THIRDS {
        return add(sum, a, b);
    }
    let middle = a.xor(a.swap()).multiply::<0x00>(b.xor(b.swap()));
    plus(sum, [a.multiply::<0x00>(b), middle, a.multiply::<0x11>(b)])
}

/// The total of `add_few`'s sum.
#[inline(always)]
pub(in crate::kernels) fn total_of_few<R: Register>(sum: Products<R>) -> __m128i {
    if R::THIRDS { total_of_thirds(sum) } else { total(sum) }
}

#[inline(always)]
pub(super) fn product<R: Register>(a: R, b: R) -> R {
    reduced(add([R::zero(); 3], a, b))
}

/// As many registers of powers more as were `MADE`, into their slots, too.
#[inline(always)]
fn double<R: Register, const MADE: usize>(slots: &mut [Block], powers: &mut [R; REGISTERS]) {
    let by = R::spread(powers[MADE - 1].first());
    for number in MADE..2 * MADE {
        powers[number] = product(powers[number - MADE], by);
        let at = R::POWERS - (number + 1) * R::LANES;
        powers[number].store(slots[at..][..R::LANES].as_flattened_mut());
    }
}

/// Powers in the slots before the last of `POWERS`, and behind them, if there are eight registers
/// of them, the sums of their halves, those of two registers in one, and a register of the highest
/// powers, each one higher, for eight registers of blocks and that of the lengths.
#[inline(always)]
pub(super) fn key<R: Register>(key: &mut Key, h: __m128i, reach_bytes: usize) {
    let registers = (reach_bytes.div_ceil(16) + 1).div_ceil(R::LANES);
    let slots = &mut key.slots;
    let mut powers = [R::base(h); REGISTERS];
    powers[0].store(slots[R::POWERS - R::LANES..][..R::LANES].as_flattened_mut());
    double::<R, 1>(slots, &mut powers);
    key.reach = 2;
    if registers > 2 {
        double::<R, 2>(slots, &mut powers);
        key.reach = 4;
    }
    if registers > 4 {
        double::<R, 4>(slots, &mut powers);
        key.reach = REGISTERS;
        for pair in 0..REGISTERS / 2 {
            let sum = |number: usize| {
                let power = powers[REGISTERS - 1 - number];
                power.xor(power.swap())
            };
            let both = sum(2 * pair).lower_halves(sum(2 * pair + 1));
            both.store(slots[R::POWERS + pair * R::LANES..][..R::LANES].as_flattened_mut());
        }
        let highest = product(powers[REGISTERS - 1], R::spread(h));
        highest.store(slots[R::HIGHEST..][..R::LANES].as_flattened_mut());
    }
}

/// The sum, with the products of one of eight registers of blocks and its powers: the others are
/// yet to be added to the middle one.
#[inline(always)]
pub(in crate::kernels) fn add_one_of_eight<R: Register>(
    sum: Products<R>,
    slots: &[Block],
    number: usize,
    block: R,
) -> Products<R> {
    let power = power::<R>(slots, number * R::LANES);
    let half = self::power::<R>(slots, R::POWERS + number / 2 * R::LANES);
    let folded = block.xor(block.swap());
    let middle = if number.is_multiple_of(2) {
        folded.multiply::<0x00>(half)
    } else {
        folded.multiply::<0x10>(half)
    };
    plus(sum, [block.multiply::<0x00>(power), middle, block.multiply::<0x11>(power)])
}

/// The total of the eight.
#[inline(always)]
pub(in crate::kernels) fn total_of_eight<R: Register>(sum: Products<R>) -> __m128i {
    total_of_thirds(sum)
}

/// The hash after eight registers of blocks.
#[inline(always)]
pub(in crate::kernels) fn eight<R: Register>(key: &Key, y: __m128i, bytes: &[u8]) -> __m128i {
    let mut sum = [R::zero(); 3];
    let order = R::spread(element::load(&key.order));
    for number in (0..REGISTERS).rev() {
        let mut block = R::load(&bytes[number * R::BYTES..]).ordered(order);
        if number == 0 {
            block = block.xor(R::first_only(y));
        }
        sum = add_one_of_eight(sum, &key.slots, number, block);
    }
    total_of_eight(sum)
}

/// The hash after eight registers of blocks, which are the last ones, and the block of lengths: one
/// reduction for all.
#[inline(always)]
pub(in crate::kernels) fn close_eight<R: Register>(
    key: &Key,
    y: __m128i,
    bytes: &[u8],
    lengths: __m128i,
) -> __m128i {
    let (order, slots) = (R::spread(element::load(&key.order)), &key.slots);
    let block = |number: usize| R::load(&bytes[number * R::BYTES..]).ordered(order);
    let mut sum = add_few([R::zero(); 3], R::first_only(lengths), power(slots, R::POWERS - 1));
    for number in (1..REGISTERS).rev() {
        sum = add_few(sum, block(number), power(slots, number * R::LANES - 1));
    }
    let first = block(0).xor(R::first_only(y));
    total_of_few(add_few(sum, first, power(slots, R::HIGHEST)))
}

/// The sum of whole registers of blocks by the powers from a slot on, `y` added to the first block.
#[inline(always)]
fn registers<R: Register>(
    order: R,
    mut first: R,
    bytes: &[u8],
    slots: &[Block],
    mut at: usize,
) -> Products<R> {
    let (mut sum, mut rest) = ([R::zero(); 3], bytes);
    while let Some((bytes, others)) = rest.split_at_checked(R::BYTES) {
        sum = add_few(sum, R::load(bytes).ordered(order).xor(first), power(slots, at));
        (first, at, rest) = (R::zero(), at + R::LANES, others);
    }
    sum
}

/// The hash after some data, padded with zeros.
#[inline(always)]
pub(in crate::kernels) fn absorb<R: Register>(key: &Key, mut y: __m128i, data: &[u8]) -> __m128i {
    let mut rest = data;
    let order = R::spread(element::load(&key.order));
    if key.reach == REGISTERS {
        while let Some((bytes, others)) = rest.split_at_checked(REGISTERS * R::BYTES) {
            y = eight::<R>(key, y, bytes);
            rest = others;
        }
    }
    while let Some((bytes, others)) = rest.split_at_checked(key.reach * R::BYTES) {
        let at = R::POWERS - bytes.len() / 16;
        y = total_of_few(registers(order, R::first_only(y), bytes, &key.slots, at));
        rest = others;
    }
    if rest.is_empty() { y } else { end::<R, false>(key, y, rest, element::of_number(0)) }
}

/// How much of the data is to be absorbed before [`close`].
#[inline(always)]
pub(in crate::kernels) fn before_close<R: Register>(key: &Key, len_bytes: usize) -> usize {
    let all = key.reach * R::BYTES;
    let rest = len_bytes % all;
    let most = all - 16;
    if len_bytes <= most {
        0
    } else if rest <= most {
        len_bytes - rest
    } else {
        len_bytes - rest + all / 2
    }
}

/// The hash after the last data, padded with zeros, and the block of lengths. The powers reach as
/// far. Functions for short messages have only this: what the compiler does ahead of a loop would
/// cost them as much as all the rest.
#[inline(always)]
pub(in crate::kernels) fn close<R: Register>(
    key: &Key,
    y: __m128i,
    data: &[u8],
    lengths: __m128i,
) -> __m128i {
    end::<R, true>(key, y, data, lengths)
}

/// The same with or without the lengths.
#[inline(always)]
fn end<R: Register, const CLOSES: bool>(
    key: &Key,
    y: __m128i,
    data: &[u8],
    lengths: __m128i,
) -> __m128i {
    let (order, slots) = (R::spread(element::load(&key.order)), &key.slots);
    let (whole, tail) = data.split_at(data.len() / R::BYTES * R::BYTES);
    let at = R::POWERS - (data.len().div_ceil(16) + usize::from(CLOSES));
    let mut first = R::first_only(y);
    let mut sum = registers(order, first, whole, slots, at);
    if !whole.is_empty() {
        first = R::zero();
    }
    let mut last = R::zero();
    if !tail.is_empty() {
        last = R::load_part(tail).ordered(order);
    }
    let blocks = tail.len().div_ceil(16);
    if CLOSES && blocks < R::LANES {
        last = last.with_block(blocks, lengths);
    }
    if CLOSES || !tail.is_empty() {
        sum = add_few(sum, last.xor(first), power(slots, at + whole.len() / 16));
    }
    if CLOSES && blocks == R::LANES {
        sum = add_few(sum, R::first_only(lengths), power(slots, R::POWERS - 1));
    }
    total_of_few(sum)
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
                let hash = element::ordered(element::load(y), &key.order);
                let hash = aggregate::absorb::<$register>(key, hash, data);
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
            fn on_cpu<const LONG: bool>(
                key: &Key,
                y: &Block,
                mut data: &[u8],
                len_bytes: u64,
                other_bytes: u64,
                onto: &mut Block,
            ) {
                let lengths = element::lengths([len_bytes, other_bytes]);
                let mut hash = element::ordered(element::load(y), &key.order);
                if LONG {
                    let before = aggregate::before_close::<$register>(key, data.len());
                    hash = aggregate::absorb::<$register>(key, hash, &data[..before]);
                    data = &data[before..];
                }
                let hash = aggregate::close::<$register>(key, hash, data, lengths);
                element::add_onto(onto, element::ordered(hash, &key.order));
            }
            if aggregate::before_close::<$register>(key, data.len()) == 0 {
                // SAFETY: the token proves the instructions.
                unsafe { on_cpu::<false>(key, y, data, len_bytes, other_bytes, onto) }
            } else {
                // SAFETY: the token proves the instructions.
                unsafe { on_cpu::<true>(key, y, data, len_bytes, other_bytes, onto) }
            }
        }
    };
}

pub(super) use entries;
