//! AES, FIPS 197: single blocks and runs of them, the CBC chain with the ending of a message, CMAC
//! from the key on, and counter mode, each with its loop inside the kernel.

/// Safe functions, with the token of these instructions in front, over `target_feature` ones.
#[cfg(any(target_arch = "aarch64", all(target_arch = "x86_64", target_feature = "sse2")))]
macro_rules! entries {
    ($token:ident, $features:literal; $($(#[$doc:meta])*
        fn $name:ident<$(const $generic:ident: $type:ty),*>($($argument:ident: $of:ty),* $(,)?)
        $(-> $result:ty)? $body:block)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(in crate::kernels::aes) fn $name<$(const $generic: $type),*>(
            _: $token,
            $($argument: $of),*
        ) $(-> $result)? {
            #[target_feature(enable = $features)]
            fn on_cpu<$(const $generic: $type),*>($($argument: $of),*) $(-> $result)? $body
            // SAFETY: the token proves the features.
            unsafe { on_cpu::<$($generic),*>($($argument),*) }
        }
    )*};
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(in crate::kernels) mod aes_ni;
#[cfg(target_arch = "aarch64")]
mod armv8;
pub(crate) mod cipher;
pub(crate) mod counter;
pub(crate) mod ctr_cbc;
#[cfg(all(feature = "batch", target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) mod lanes;
mod masked;
mod soft;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(in crate::kernels) mod vaes_256;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vaes_512;
mod words;

#[cfg(feature = "aegis")]
pub(in crate::kernels) use soft::rounds;

use ::cipher::inout::InOutBuf;
use digest::array::Array;
use digest::consts::U16;

use super::chaining::{EaxPass, KEPT_MASKS, MaskedPass, Omac, Padding, Pass};
#[cfg(target_arch = "aarch64")]
use super::cpu::ArmAes;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::cpu::{AesNi, Vaes256, Vaes512};
#[cfg(all(feature = "batch", target_arch = "aarch64"))]
use super::lanes::cbc::CbcJob;
use crate::doubling::DoublingSize;

/// A block.
pub(crate) type Block = [u8; 16];

/// The round keys of the forward direction as FIPS 197 §5.2 has them, whatever kernel made them:
/// 11 for keys of 128 bits, 13 for 192, 15 for 256.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct Schedule<const KEYS: usize> {
    pub(crate) keys: [Block; KEYS],
}

impl<const KEYS: usize> Schedule<KEYS> {
    /// What takes the place of a secret one.
    pub(crate) const BLANK: Self = Self { keys: [[0; 16]; KEYS] };
}

/// Length in bytes of the key that has this many round keys.
const fn key_len(keys: usize) -> usize {
    4 * keys - 28
}

/// How a message of the CBC family ends.
#[derive(Clone, Copy)]
pub(crate) struct Ending<'a, const KEYS: usize> {
    /// The mask of a full last block.
    pub(crate) full: &'a Block,
    /// The mask of a padded one.
    pub(crate) padded: &'a Block,
    /// What a last block that is not full is padded with.
    pub(crate) padding: Padding,
    /// What the last value of the chain is encrypted under once more, as in EMAC.
    pub(crate) outer: Option<&'a Schedule<KEYS>>,
}

/// The code paths.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// The chain by AES-NI with masked loads, independent blocks on 512-bit registers.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Vaes512(AesNi, Vaes512),
    /// The chain by AES-NI, independent blocks on 256-bit registers.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Vaes256(AesNi, Vaes256),
    /// AES-NI, eight independent blocks at once.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    AesNi(AesNi),
    /// The AES instructions of ARMv8.
    #[cfg(target_arch = "aarch64")]
    Armv8(ArmAes),
    /// Bit-sliced, four independent blocks at once, constant-time.
    Soft,
}

choice! {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Vaes512 = AesNi::get().zip(Vaes512::get()).map(|(ni, wide)| Kernel::Vaes512(ni, wide));
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Vaes256 = AesNi::get().zip(Vaes256::get()).map(|(ni, wide)| Kernel::Vaes256(ni, wide));
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    AesNi = AesNi::get().map(Kernel::AesNi);
    #[cfg(target_arch = "aarch64")]
    Armv8 = ArmAes::get().map(Kernel::Armv8);
    Soft = Some(Kernel::Soft);
}

/// Calls the function of this name of the kernel. All have all functions, with a token in front,
/// except that the 512-bit kernel has only those after `wide` and `masked`, the 256-bit one only
/// those after `wide`; they take the others of AES-NI.
macro_rules! call {
    ($kernel:expr, $function:ident $(::<$($generic:ident),+>)? ($($argument:expr),*)) => {
        match $kernel {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Vaes512(token, _) | Self::Vaes256(token, _) | Self::AesNi(token) => {
                aes_ni::$function$(::<$($generic),+>)?(token, $($argument),*)
            }
            #[cfg(target_arch = "aarch64")]
            Self::Armv8(token) => armv8::$function$(::<$($generic),+>)?(token, $($argument),*),
            Self::Soft => soft::$function$(::<$($generic),+>)?($($argument),*),
        }
    };
    (masked $kernel:expr, $function:ident $(::<$($generic:ident),+>)? ($($argument:expr),*)) => {
        match $kernel {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Vaes512(_, token) => {
                vaes_512::$function$(::<$($generic),+>)?(token, $($argument),*)
            }
            kernel => call!(kernel, $function$(::<$($generic),+>)?($($argument),*)),
        }
    };
    (wide $kernel:expr, $function:ident $(::<$($generic:ident),+>)? ($($argument:expr),*)) => {
        match $kernel {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Vaes512(_, token) => {
                vaes_512::$function$(::<$($generic),+>)?(token, $($argument),*)
            }
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Vaes256(_, token) => {
                vaes_256::$function$(::<$($generic),+>)?(token, $($argument),*)
            }
            kernel => call!(kernel, $function$(::<$($generic),+>)?($($argument),*)),
        }
    };
}

impl Kernel {
    /// Key set-up: FIPS 197 §5.2.
    ///
    /// # Panics
    /// If `key` has not the length that goes with `KEYS`: 16, 24, 32 bytes for 11, 13, 15.
    #[inline(always)]
    pub(crate) fn expand<const KEYS: usize>(self, key: &[u8], schedule: &mut Schedule<KEYS>) {
        call!(self, expand(key, schedule));
    }

    /// The round keys of the equivalent inverse cipher, FIPS 197 §5.3.5, the one used first first.
    #[inline(always)]
    pub(crate) fn inverse<const KEYS: usize>(self, schedule: &Schedule<KEYS>) -> Schedule<KEYS> {
        let mut inverse = *schedule;
        inverse.keys.reverse();
        call!(self, inv_mix_columns(&mut inverse.keys[1..KEYS - 1]));
        inverse
    }

    /// Encrypts one block.
    #[inline(always)]
    pub(crate) fn encrypt<const KEYS: usize>(self, schedule: &Schedule<KEYS>, block: &mut Block) {
        call!(self, encrypt(schedule, block));
    }

    /// Encrypts the block whose bytes are those of `number`, little-endian.
    #[inline(always)]
    pub(crate) fn encrypt_number<const KEYS: usize>(
        self,
        schedule: &Schedule<KEYS>,
        number: u128,
        block: &mut Block,
    ) {
        call!(self, encrypt_number(schedule, number, block));
    }

    /// The same, with what comes out as a number, too. It comes in two registers, where a block in
    /// memory that has just been written may wait for what was written there before.
    #[inline(always)]
    pub(crate) fn encrypted_number<const KEYS: usize>(
        self,
        schedule: &Schedule<KEYS>,
        number: u128,
    ) -> u128 {
        call!(self, encrypted_number(schedule, number))
    }

    /// Encrypts each block by itself.
    #[inline(always)]
    pub(crate) fn encrypt_blocks<const KEYS: usize>(
        self,
        schedule: &Schedule<KEYS>,
        blocks: &mut [Block],
    ) {
        call!(wide self, encrypt_blocks(schedule, blocks));
    }

    /// Decrypts each block by itself, with the round keys of [`Self::inverse`].
    #[inline(always)]
    pub(crate) fn decrypt_blocks<const KEYS: usize>(
        self,
        inverse: &Schedule<KEYS>,
        blocks: &mut [Block],
    ) {
        call!(self, decrypt_blocks(inverse, blocks));
    }

    /// Runs the CBC chain (ISO/IEC 9797-1 §6.4) over `head` and then `last`, from the chaining
    /// value `y`.
    #[inline(always)]
    pub(crate) fn cbc<const KEYS: usize>(
        self,
        schedule: &Schedule<KEYS>,
        y: &mut Block,
        head: &[Block],
        last: &[Block],
    ) {
        call!(self, cbc(schedule, y, head, last));
    }

    /// Whether so many chains of so many blocks together are worth gathering for
    /// [`cbc_many`](Self::cbc_many).
    #[cfg(all(feature = "batch", target_arch = "aarch64"))]
    pub(crate) fn gathers(self, chains: usize, blocks: usize) -> bool {
        matches!(self, Self::Armv8(_)) && armv8::gathers(chains, blocks)
    }

    /// The chains of many jobs; that of `jobs[i]` goes from `y[i]` and ends there.
    ///
    /// # Panics
    /// When there are not as many `y` as jobs.
    #[cfg(all(feature = "batch", target_arch = "aarch64"))]
    pub(crate) fn cbc_many<const KEYS: usize>(
        self,
        jobs: &[CbcJob<'_, Schedule<KEYS>, 16>],
        y: &mut [Block],
    ) {
        assert_eq!(jobs.len(), y.len(), "a chaining value a job");
        if let Self::Armv8(token) = self {
            return armv8::cbc_many(token, jobs, y);
        }
        for (job, y) in jobs.iter().zip(y) {
            self.cbc(job.schedule, y, job.blocks, job.last.as_slice());
        }
    }

    /// Runs the chain over the end of a message: `blocks`, and then `tail`, at most a block, which
    /// is padded and masked as `ending` has it, even if it is empty. What comes out is the tag; it
    /// goes to memory because a block that is returned comes in two halves.
    #[inline(always)]
    pub(crate) fn cbc_finish<const KEYS: usize>(
        self,
        schedule: &Schedule<KEYS>,
        y: &Block,
        blocks: &[Block],
        tail: &[u8],
        ending: Ending<'_, KEYS>,
        tag: &mut Block,
    ) {
        call!(masked self, cbc_finish(schedule, y, blocks, tail, ending, tag));
    }

    /// Key set-up and the masks of OMAC: of a full last block, and of a padded one.
    ///
    /// # Panics
    /// As [`Self::expand`].
    #[inline(always)]
    pub(crate) fn expand_omac<const KEYS: usize>(
        self,
        key: &[u8],
        omac: Omac,
        schedule: &mut Schedule<KEYS>,
        masks: &mut [Block; 2],
    ) {
        call!(self, expand_omac(key, omac, schedule, masks));
    }

    /// The tag of a whole message from the key on: key set-up, masks and chain overlap.
    ///
    /// # Panics
    /// As [`Self::expand`].
    #[inline(always)]
    pub(crate) fn omac_once<const KEYS: usize>(
        self,
        key: &[u8],
        omac: Omac,
        message: &[u8],
        tag: &mut Block,
    ) {
        call!(masked self, omac_once::<KEYS>(key, omac, message, tag));
    }

    /// XORs the keystream of counter mode (SP 800-38A §6.5) into `data`. The low `COUNTER_BITS`
    /// bits of the block count, 32 or 128, or its first 32 with `LITTLE_ENDIAN`; `counter` is left
    /// at the block that comes next, a begun one being used up.
    #[inline(always)]
    pub(crate) fn ctr<const KEYS: usize, const COUNTER_BITS: u32>(
        self,
        schedule: &Schedule<KEYS>,
        counter: &mut Block,
        data: InOutBuf<'_, '_, u8>,
    ) {
        call!(wide self, ctr::<KEYS, COUNTER_BITS>(schedule, counter, data));
    }

    /// The PMAC of a whole message: `full` is the mask of a full last block.
    #[inline(always)]
    pub(crate) fn masked_mac<const KEYS: usize>(
        self,
        schedule: &Schedule<KEYS>,
        masks: &[Block; KEPT_MASKS],
        full: &Block,
        message: &[u8],
        tag: &mut Block,
    ) {
        call!(wide self, masked_mac(schedule, masks, full, message, tag));
    }

    /// PMAC's sum of the blocks of a message: see [`MaskedPass`].
    #[inline(always)]
    pub(crate) fn masked_sum<const KEYS: usize>(
        self,
        schedule: &Schedule<KEYS>,
        pass: MaskedPass<'_, Block>,
    ) {
        call!(wide self, masked_sum(schedule, pass));
    }

    /// Counter mode under `cipher` and the CBC chain under `mac` in one pass: see [`Pass`]. The
    /// chain takes what the data becomes, or what it was.
    #[inline(always)]
    pub(crate) fn ctr_cbc<const KEYS: usize, const TAKES_OUTPUT: bool>(
        self,
        cipher: &Schedule<KEYS>,
        mac: &Schedule<KEYS>,
        pass: Pass<'_, Block>,
    ) {
        call!(self, ctr_cbc::<KEYS, TAKES_OUTPUT>(cipher, mac, pass));
    }

    /// Seals or opens a message by EAX, but for the comparison of tags.
    #[inline(always)]
    pub(crate) fn eax<const KEYS: usize, const SEALS: bool>(
        self,
        schedule: &Schedule<KEYS>,
        pass: EaxPass<'_, Block>,
    ) {
        call!(self, eax::<KEYS, SEALS>(schedule, pass));
    }
}

/// The blocks before the last, and the last, which is full if it can be; both empty only with the
/// message.
#[inline(always)]
fn split_last(message: &[u8]) -> (&[Block], &[u8]) {
    let (head, tail) = message.split_at(message.len().saturating_sub(1) / 16 * 16);
    (head.as_chunks().0, tail)
}

/// By what PMAC's mask of block `count`, from 1, differs from that of the block before: L·u^i, i
/// the number of zeros that `count` ends in (a Gray code).
#[inline(always)]
fn mask(masks: &[Block; KEPT_MASKS], count: u64) -> Block {
    let power = count.trailing_zeros() as usize;
    masks.get(power).copied().unwrap_or_else(|| far_mask(masks, power))
}

/// L·u^`power`, beyond the last mask kept.
#[cold]
#[inline(never)]
fn far_mask(masks: &[Block; KEPT_MASKS], power: usize) -> Block {
    let last = Array(masks[KEPT_MASKS - 1]);
    (KEPT_MASKS - 1..power).fold(last, |mask, _| U16::double(&mask)).0
}
