//! Numbers modulo 2^130 − 5 in five limbs of 26 bits, as kernels with vectors of 32-bit
//! multiplications have them.

pub(super) const LIMB_BITS: i32 = 26;
pub(super) const MASK: u64 = (1 << LIMB_BITS) - 1;

/// Words to limbs.
#[inline(always)]
pub(super) fn limbs_26([h0, h1, h2]: [u64; 3]) -> [u64; 5] {
    let middle = h0 >> 52 | h1 << 12;
    [h0 & MASK, h0 >> 26 & MASK, middle & MASK, h1 >> 14 & MASK, h1 >> 40 | h2 << 24]
}

/// Limbs below 2^61 to words, below 2^130 + 2^103 together.
#[inline(always)]
pub(super) fn words_64(mut limbs: [u64; 5]) -> [u64; 3] {
    for i in 1..5 {
        limbs[i] += limbs[i - 1] >> LIMB_BITS;
        limbs[i - 1] &= MASK;
    }
    // What is above 2^130 counts five times.
    let over = (limbs[4] >> LIMB_BITS) * 5;
    let [d0, d1, d2, d3, d4] = limbs.map(u128::from);
    let low = d0 + u128::from(over) + (d1 << 26) + (d2 << 52) + (d3 << 78);
    let d4 = d4 & u128::from(MASK);
    let (low, carry) = low.overflowing_add(d4 << 104);
    [low as u64, (low >> 64) as u64, (d4 >> 24) as u64 + u64::from(carry)]
}
