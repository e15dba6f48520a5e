//! The last bytes of a message, padded with zeros, without a copy of variable length; and a block
//! made of numbers.
#![cfg_attr(
    all(target_arch = "x86_64", target_feature = "sse2"),
    expect(unsafe_code, reason = "a vector store")
)]

#[cfg(all(target_arch = "x86_64", target_feature = "sse2", not(miri)))]
use core::arch::asm;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use core::arch::x86_64::*;

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
    let byte = |at: usize| u128::from(bytes[at]) << (8 * at);
    byte(0) | byte(len / 2) | byte(len - 1)
}

/// Writes the first of the bytes of a little-endian number, less than 16, by stores that overlap.
#[cfg(all(feature = "_ghash", target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
pub(crate) fn write_part([low, high]: [u64; 2], bytes: &mut [u8]) {
    let len = bytes.len();
    if let Some(last) = bytes.last_chunk_mut() {
        let number = u128::from(high) << 64 | u128::from(low);
        *last = ((number >> (8 * (len - 8))) as u64).to_le_bytes();
        *bytes.first_chunk_mut().expect("it has a last one") = low.to_le_bytes();
    } else if let Some(last) = bytes.last_chunk_mut() {
        *last = ((low >> (8 * (len - 4))) as u32).to_le_bytes();
        *bytes.first_chunk_mut().expect("it has a last one") = (low as u32).to_le_bytes();
    } else {
        for (byte, i) in bytes.iter_mut().zip(0..) {
            *byte = (low >> (8 * i)) as u8;
        }
    }
}

/// Makes `block` the bytes of the number, little-endian, by one store. Compilers write it in
/// halves, and who then loads the block as a whole waits until both have left the store buffer.
#[inline(always)]
pub(crate) fn write_number(number: u128, block: &mut [u8; 16]) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    // SAFETY: every x86-64 has the instructions, and the block has 16 bytes. The empty assembly
    // changes nothing; it keeps the halves together.
    unsafe {
        #[cfg_attr(miri, expect(unused_mut, reason = "Miri has no assembly"))]
        let mut vector = _mm_set_epi64x((number >> 64) as i64, number as i64);
        #[cfg(not(miri))]
        asm!("/* {0} */", inout(xmm_reg) vector, options(nomem, nostack, preserves_flags));
        _mm_storeu_si128(block.as_mut_ptr().cast(), vector);
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
    {
        *block = number.to_le_bytes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_with_its_lowest_byte_first() {
        for number in [0, 1, 0x100f_0e0d_0c0b_0a09_0807_0605_0403_0201, u128::MAX - 1] {
            let mut block = [0xaa; 16];
            write_number(number, &mut block);
            assert_eq!(block, number.to_le_bytes());
        }
    }

    #[cfg(all(feature = "_ghash", target_arch = "x86_64", target_feature = "sse2"))]
    #[test]
    fn the_first_bytes_of_a_number_are_written_and_no_others() {
        let number = 0x100f_0e0d_0c0b_0a09_0807_0605_0403_0201_u128;
        for len in 0..16 {
            let mut bytes = [0xaa; 16];
            write_part([number as u64, (number >> 64) as u64], &mut bytes[..len]);
            let (written, rest) = bytes.split_at(len);
            assert_eq!(written, &number.to_le_bytes()[..len]);
            assert!(rest.iter().all(|byte| *byte == 0xaa));
        }
    }

    #[test]
    fn padding_is_zeros_behind_the_bytes() {
        let number = 0x100f_0e0d_0c0b_0a09_0807_0605_0403_0201_u128;
        for len in 0..=16 {
            let expected = if len == 16 { number } else { number & ((1 << (8 * len)) - 1) };
            assert_eq!(le_number(&number.to_le_bytes()[..len]), expected);
        }
    }
}
