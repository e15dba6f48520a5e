//! The last bytes of a message, padded with zeros, without a copy of variable length.

/// At most 16 bytes as a little-endian number, by loads that overlap.
#[inline(always)]
pub(crate) fn le_number(bytes: &[u8]) -> u128 {
    let len = bytes.len();
    if let Some(all) = bytes.first_chunk() {
        return u128::from_le_bytes(*all);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // Of 8 bytes, nothing is left: two shifts, as each must be less than 64.
        let high = u64::from_le_bytes(*last) >> 8 >> (8 * (15 - len));
        return u128::from(high) << 64 | u128::from(u64::from_le_bytes(*first));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let last = u64::from(u32::from_le_bytes(*last)) << (8 * (len - 4));
        return u128::from(last | u64::from(u32::from_le_bytes(*first)));
    }
    if len == 0 {
        return 0;
    }
    [0, len / 2, len - 1].into_iter().fold(0, |sum, i| sum | u128::from(bytes[i]) << (8 * i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_zeros_behind_the_bytes() {
        let number = 0x100f_0e0d_0c0b_0a09_0807_0605_0403_0201_u128;
        for len in 0..=16 {
            let expected = if len == 16 { number } else { number & ((1 << (8 * len)) - 1) };
            assert_eq!(le_number(&number.to_le_bytes()[..len]), expected);
        }
    }
}
