//! TDES, forward (NIST SP 800-67 Rev. 2, FIPS 46-3): CBC chains, one or many.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
mod bitslice;
mod halves;
mod sboxes;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod shuffle;
mod soft;
mod table;
#[cfg(test)]
mod tests;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::cpu;
use super::lanes::cbc::{CbcJob, Worth};

/// The code paths. All but `Table`, which is chosen only by name, are constant-time.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512(cpu::Avx512),
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(cpu::Avx2),
    Table,
    Soft,
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx512 = cpu::Avx512::get().map(Kernel::Avx512);
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2 = cpu::Avx2::get().map(Kernel::Avx2);
    Table = Some(Kernel::Table), else None::<Self>;
    Soft = Some(Kernel::Soft);
}

impl Kernel {
    /// One chain Yi = E_K(Xi ⊕ Yi−1), from `y` over a run of blocks.
    #[inline(always)]
    pub(crate) fn chain(self, schedule: &Schedule, y: &mut [u8; 8], run: &[[u8; 8]]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => shuffle::chain(token.avx2(), schedule, y, run),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => shuffle::chain(token, schedule, y, run),
            Self::Table => table::chain(schedule, y, run),
            Self::Soft => soft::chain(schedule, y, run),
        }
    }

    /// From when on many chains are faster in lanes, at the earliest.
    pub(crate) fn worth(self) -> Worth {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(_) | Self::Avx2(_) => avx2::WORTH,
            Self::Table => soft::WORTH_OF_TABLES,
            Self::Soft => soft::WORTH,
        }
    }

    /// The chains of many jobs; that of `jobs[i]` goes from `y[i]` and ends there.
    ///
    /// # Panics
    /// When there are not as many `y` as jobs.
    pub(crate) fn cbc_many(self, jobs: &[CbcJob<'_, Schedule, 8>], y: &mut [[u8; 8]]) {
        match self {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // Fewer lanes take less time.
            Self::Avx512(token) if jobs.len() <= avx2::LANES => avx2::cbc(token.avx2(), jobs, y),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx512(token) => avx512::cbc(token, jobs, y),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(token) => avx2::cbc(token, jobs, y),
            Self::Table => soft::cbc::<true>(jobs, y),
            Self::Soft => soft::cbc::<false>(jobs, y),
        }
    }
}

/// The schedule of a key of 16 bytes (two-key, K3 = K1) or 24, whatever the kernel. Bits of parity
/// are ignored, and no key is refused: weak ones, and such that make it single DES, are the
/// caller's matter.
#[derive(Clone, Copy)]
pub struct Schedule {
    /// K1 to K3, little-endian.
    keys: [u64; 3],
    /// What masks the halves for their first use: the round keys 1 and 0.
    masks: [u64; 2],
    /// For each round what takes the half that went into it from that round's key to the key of
    /// the next round it goes into. So the addition of a key waits for no look-up.
    steps: [[u64; 16]; 3],
}

impl Schedule {
    /// What takes the place of a schedule that is dropped.
    pub(crate) const BLANK: Self = Self { keys: [0; 3], masks: [0; 2], steps: [[0; 16]; 3] };

    /// Key set-up.
    #[inline(always)]
    pub(crate) fn set_up(&mut self, key: &[u8]) {
        let (keys, _) = key.as_chunks::<8>();
        let third = keys.get(2).unwrap_or(&keys[0]);
        self.keys = [keys[0], keys[1], *third].map(u64::from_le_bytes);
        halves::set_up(self, self.keys);
    }
}

/// By how many bits C and D are turned for each round, all turns before included.
const TURNS: [u32; 16] = [1, 2, 4, 6, 8, 10, 12, 14, 15, 17, 19, 21, 23, 25, 27, 28];

/// S1 to S8, four rows each; a nibble a column.
const S: [[u64; 4]; 8] = [
    [0xe4d1_2fb8_3a6c_5907, 0x0f74_e2d1_a6cb_9538, 0x41e8_d62b_fc97_3a50, 0xfc82_4917_5b3e_a06d],
    [0xf18e_6b34_972d_c05a, 0x3d47_f28e_c01a_69b5, 0x0e7b_a4d1_58c6_932f, 0xd8a1_3f42_b67c_05e9],
    [0xa09e_63f5_1dc7_b428, 0xd709_346a_285e_cbf1, 0xd649_8f30_b12c_5ae7, 0x1ad0_6987_4fe3_b52c],
    [0x7de3_069a_1285_bc4f, 0xd8b5_6f03_472c_1ae9, 0xa690_cb7d_f13e_5284, 0x3f06_a1d8_945b_c72e],
    [0x2c41_7ab6_853f_d0e9, 0xeb2c_47d1_50fa_3986, 0x421b_ad78_f9c5_630e, 0xb8c7_1e2d_6f09_a453],
    [0xc1af_9268_0d34_e75b, 0xaf42_7c95_61de_0b38, 0x9ef5_28c3_704a_1db6, 0x432c_95fa_be17_608d],
    [0x4b2e_f08d_3c97_5a61, 0xd0b7_491a_e35c_2f86, 0x14bd_c37e_af68_0592, 0x6bd8_14a7_950f_e23c],
    [0xd284_6fb1_a93e_50c7, 0x1fd8_a374_c56b_0e92, 0x7b41_9ce2_06ad_f358, 0x21e7_4a8d_fc90_356b],
];

/// P.
const P: [u32; 32] = [
    16, 7, 20, 21, 29, 12, 28, 17, 1, 15, 23, 26, 5, 18, 31, 10, //
    2, 8, 24, 14, 32, 27, 3, 9, 19, 13, 30, 6, 22, 11, 4, 25,
];

/// PC-2.
const PC2: [u8; 48] = [
    14, 17, 11, 24, 1, 5, 3, 28, 15, 6, 21, 10, 23, 19, 12, 4, 26, 8, 16, 7, 27, 20, 13, 2, //
    41, 52, 31, 37, 47, 55, 30, 40, 51, 45, 33, 48, 44, 49, 39, 56, 34, 53, 46, 42, 50, 36, 29, 32,
];

/// E.
const E: [u8; 48] = {
    let mut table = [0; 48];
    let mut i = 0;
    while i < 48 {
        table[i] = ((4 * (i / 6) + i % 6 + 31) % 32) as u8 + 1;
        i += 1;
    }
    table
};

/// PC-1.
const PC1: [u8; 56] = [
    57, 49, 41, 33, 25, 17, 9, 1, 58, 50, 42, 34, 26, 18, 10, 2, 59, 51, 43, 35, 27, 19, 11,
    3, //
    60, 52, 44, 36, 63, 55, 47, 39, 31, 23, 15, 7, 62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45,
    37, //
    29, 21, 13, 5, 28, 20, 12, 4,
];
