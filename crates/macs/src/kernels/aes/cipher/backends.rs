//! The backends, in which the modes' loops run, one a kernel.
#![cfg_attr(
    any(target_arch = "aarch64", all(target_arch = "x86_64", target_feature = "sse2")),
    expect(unsafe_code, reason = "calls into target_feature functions")
)]

use cipher::array::ArraySize;
use cipher::consts::{U4, U16};
use cipher::inout::InOut;
use cipher::{
    Array, Block, BlockCipherDecBackend, BlockCipherDecClosure, BlockCipherEncBackend,
    BlockCipherEncClosure, BlockSizeUser, ParBlocks, ParBlocksSizeUser,
};

#[cfg(target_arch = "aarch64")]
use super::super::armv8;
use super::super::{Kernel, Schedule, soft};
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::super::{aes_ni, vaes_256, vaes_512};

/// What a kernel does with blocks that lie in a register or several.
trait Engine {
    /// How many blocks it has at once.
    type Width: ArraySize;
    /// One block.
    type One;
    /// That many.
    type Many;

    fn load(block: &[u8; 16]) -> Self::One;
    fn store(block: &mut [u8; 16], value: Self::One);
    fn load_many(blocks: &[[u8; 16]]) -> Self::Many;
    fn store_many(blocks: &mut [[u8; 16]], values: Self::Many);

    /// Forward, or backward if `BACK`: the keys are then those of the equivalent inverse cipher.
    fn one<const BACK: bool>(&self, block: Self::One) -> Self::One;
    fn many<const BACK: bool>(&self, blocks: Self::Many) -> Self::Many;
}

struct Backend<E>(E);

impl<E> BlockSizeUser for Backend<E> {
    type BlockSize = U16;
}

impl<E: Engine> ParBlocksSizeUser for Backend<E> {
    type ParBlocksSize = E::Width;
}

impl<E: Engine> Backend<E> {
    #[inline(always)]
    fn one<const BACK: bool>(&self, mut block: InOut<'_, '_, Block<Self>>) {
        let out = self.0.one::<BACK>(E::load(&block.get_in().0));
        E::store(&mut block.get_out().0, out);
    }

    #[inline(always)]
    fn many<const BACK: bool>(&self, mut blocks: InOut<'_, '_, ParBlocks<Self>>) {
        let from = Array::cast_slice_to_core(blocks.get_in().as_slice());
        let out = self.0.many::<BACK>(E::load_many(from));
        E::store_many(Array::cast_slice_to_core_mut(blocks.get_out().as_mut_slice()), out);
    }
}

impl<E: Engine> BlockCipherEncBackend for Backend<E> {
    #[inline(always)]
    fn encrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        self.one::<false>(block);
    }

    #[inline(always)]
    fn encrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.many::<false>(blocks);
    }
}

impl<E: Engine> BlockCipherDecBackend for Backend<E> {
    #[inline(always)]
    fn decrypt_block(&self, block: InOut<'_, '_, Block<Self>>) {
        self.one::<true>(block);
    }

    #[inline(always)]
    fn decrypt_par_blocks(&self, blocks: InOut<'_, '_, ParBlocks<Self>>) {
        self.many::<true>(blocks);
    }
}

impl Engine for soft::Keys {
    type Width = U4;
    type One = [u8; 16];
    type Many = soft::Planes;

    #[inline(always)]
    fn load(block: &[u8; 16]) -> Self::One {
        *block
    }

    #[inline(always)]
    fn store(block: &mut [u8; 16], value: Self::One) {
        *block = value;
    }

    #[inline(always)]
    fn load_many(blocks: &[[u8; 16]]) -> Self::Many {
        soft::to_planes(blocks.first_chunk().expect("the width"))
    }

    #[inline(always)]
    fn store_many(blocks: &mut [[u8; 16]], values: Self::Many) {
        blocks.copy_from_slice(&soft::to_blocks(values));
    }

    #[inline(always)]
    fn one<const BACK: bool>(&self, block: Self::One) -> Self::One {
        soft::to_blocks(self.many::<BACK>(soft::to_planes(&[block, [0; 16], [0; 16], [0; 16]])))[0]
    }

    #[inline(always)]
    fn many<const BACK: bool>(&self, mut blocks: Self::Many) -> Self::Many {
        if BACK {
            self.decrypt(&mut blocks);
        } else {
            self.encrypt(&mut blocks);
        }
        blocks
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
struct OnAesNi<'a, const KEYS: usize>(&'a [aes_ni::V; KEYS]);

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl<const KEYS: usize> Engine for OnAesNi<'_, KEYS> {
    type Width = cipher::consts::U8;
    type One = aes_ni::V;
    type Many = [aes_ni::V; 8];

    #[inline(always)]
    fn load(block: &[u8; 16]) -> Self::One {
        aes_ni::load(block)
    }

    #[inline(always)]
    fn store(block: &mut [u8; 16], value: Self::One) {
        aes_ni::store(block, value);
    }

    #[inline(always)]
    fn load_many(blocks: &[[u8; 16]]) -> Self::Many {
        let blocks: &[_; 8] = blocks.first_chunk().expect("the width");
        aes_ni::loaded(blocks)
    }

    #[inline(always)]
    fn store_many(blocks: &mut [[u8; 16]], values: Self::Many) {
        blocks.iter_mut().zip(values).for_each(|(block, value)| aes_ni::store(block, value));
    }

    #[inline(always)]
    fn one<const BACK: bool>(&self, block: Self::One) -> Self::One {
        // SAFETY: such a value is made in regions of the features only.
        unsafe {
            if BACK {
                aes_ni::decrypt_vectors(self.0, [block])[0]
            } else {
                aes_ni::encrypt_vectors(self.0, [block])[0]
            }
        }
    }

    #[inline(always)]
    fn many<const BACK: bool>(&self, blocks: Self::Many) -> Self::Many {
        // SAFETY: such a value is made in regions of the features only.
        unsafe {
            if BACK {
                aes_ni::decrypt_vectors(self.0, blocks)
            } else {
                aes_ni::encrypt_vectors(self.0, blocks)
            }
        }
    }
}

#[cfg(target_arch = "aarch64")]
struct OnArmv8<'a, const KEYS: usize>(&'a [armv8::V; KEYS]);

#[cfg(target_arch = "aarch64")]
impl<const KEYS: usize> Engine for OnArmv8<'_, KEYS> {
    type Width = cipher::consts::U8;
    type One = armv8::V;
    type Many = [armv8::V; 8];

    #[inline(always)]
    fn load(block: &[u8; 16]) -> Self::One {
        armv8::load(block)
    }

    #[inline(always)]
    fn store(block: &mut [u8; 16], value: Self::One) {
        armv8::store(block, value);
    }

    #[inline(always)]
    fn load_many(blocks: &[[u8; 16]]) -> Self::Many {
        let blocks: &[_; 8] = blocks.first_chunk().expect("the width");
        blocks.each_ref().map(armv8::load)
    }

    #[inline(always)]
    fn store_many(blocks: &mut [[u8; 16]], values: Self::Many) {
        blocks.iter_mut().zip(values).for_each(|(block, value)| armv8::store(block, value));
    }

    #[inline(always)]
    fn one<const BACK: bool>(&self, block: Self::One) -> Self::One {
        // SAFETY: such a value is made in regions of the features only.
        unsafe {
            if BACK {
                armv8::decrypt_vectors(self.0, [block])[0]
            } else {
                armv8::encrypt_vectors(self.0, [block])[0]
            }
        }
    }

    #[inline(always)]
    fn many<const BACK: bool>(&self, blocks: Self::Many) -> Self::Many {
        // SAFETY: such a value is made in regions of the features only.
        unsafe {
            if BACK {
                armv8::decrypt_vectors(self.0, blocks)
            } else {
                armv8::encrypt_vectors(self.0, blocks)
            }
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
struct OnVaes256<'a, const KEYS: usize>(&'a [aes_ni::V; KEYS]);

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl<const KEYS: usize> Engine for OnVaes256<'_, KEYS> {
    type Width = cipher::consts::U16;
    type One = aes_ni::V;
    type Many = [vaes_256::W; vaes_256::WIDTH];

    #[inline(always)]
    fn load(block: &[u8; 16]) -> Self::One {
        aes_ni::load(block)
    }

    #[inline(always)]
    fn store(block: &mut [u8; 16], value: Self::One) {
        aes_ni::store(block, value);
    }

    #[inline(always)]
    fn load_many(blocks: &[[u8; 16]]) -> Self::Many {
        // SAFETY: such a value is made in regions of the features only; so many blocks are the
        // width, and no alignment is asked for.
        unsafe { vaes_256::load_wide(blocks.as_chunks().0.first_chunk().expect("the width")) }
    }

    #[inline(always)]
    fn store_many(blocks: &mut [[u8; 16]], values: Self::Many) {
        // SAFETY: such a value is made in regions of the features only; so many blocks are the
        // width, and no alignment is asked for.
        unsafe {
            let pairs = blocks.as_chunks_mut().0.first_chunk_mut().expect("the width");
            vaes_256::store_wide(pairs, values);
        }
    }

    #[inline(always)]
    fn one<const BACK: bool>(&self, block: Self::One) -> Self::One {
        // SAFETY: such a value is made in regions of the features only.
        unsafe {
            if BACK {
                aes_ni::decrypt_vectors(self.0, [block])[0]
            } else {
                aes_ni::encrypt_vectors(self.0, [block])[0]
            }
        }
    }

    #[inline(always)]
    fn many<const BACK: bool>(&self, blocks: Self::Many) -> Self::Many {
        // SAFETY: such a value is made in regions of the features only.
        unsafe {
            if BACK {
                vaes_256::decrypt_wide(self.0, blocks)
            } else {
                vaes_256::encrypt_wide(self.0, blocks)
            }
        }
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
struct OnVaes512<'a, const KEYS: usize>(&'a [aes_ni::V; KEYS]);

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
impl<const KEYS: usize> Engine for OnVaes512<'_, KEYS> {
    type Width = cipher::consts::U16;
    type One = aes_ni::V;
    type Many = [vaes_512::W; 4];

    #[inline(always)]
    fn load(block: &[u8; 16]) -> Self::One {
        aes_ni::load(block)
    }

    #[inline(always)]
    fn store(block: &mut [u8; 16], value: Self::One) {
        aes_ni::store(block, value);
    }

    #[inline(always)]
    fn load_many(blocks: &[[u8; 16]]) -> Self::Many {
        // SAFETY: such a value is made in regions of the features only; so many blocks are the
        // width, and no alignment is asked for.
        unsafe { vaes_512::load_wide(blocks.as_flattened()) }
    }

    #[inline(always)]
    fn store_many(blocks: &mut [[u8; 16]], values: Self::Many) {
        // SAFETY: such a value is made in regions of the features only; so many blocks are the
        // width, and no alignment is asked for.
        unsafe { vaes_512::store_wide(blocks.as_flattened_mut(), values) }
    }

    #[inline(always)]
    fn one<const BACK: bool>(&self, block: Self::One) -> Self::One {
        // SAFETY: such a value is made in regions of the features only.
        unsafe {
            if BACK {
                aes_ni::decrypt_vectors(self.0, [block])[0]
            } else {
                aes_ni::encrypt_vectors(self.0, [block])[0]
            }
        }
    }

    #[inline(always)]
    fn many<const BACK: bool>(&self, blocks: Self::Many) -> Self::Many {
        // SAFETY: such a value is made in regions of the features only.
        unsafe {
            if BACK {
                vaes_512::decrypt_wide(self.0, blocks)
            } else {
                vaes_512::encrypt_wide(self.0, blocks)
            }
        }
    }
}

/// Runs `f` with a backend of the kernel, within a region of its features.
macro_rules! run {
    ($kernel:ident, $schedule:ident, $f:ident: $closure:ident) => {{
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        #[target_feature(enable = "aes,avx")]
        fn on_aes_ni<const KEYS: usize>(
            schedule: &Schedule<KEYS>,
            f: impl $closure<BlockSize = U16>,
        ) {
            f.call(&Backend(OnAesNi(aes_ni::vectors(schedule))));
        }

        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        #[target_feature(enable = "vaes,aes,avx512f,avx512bw,avx512vl")]
        fn on_vaes_512<const KEYS: usize>(
            schedule: &Schedule<KEYS>,
            f: impl $closure<BlockSize = U16>,
        ) {
            f.call(&Backend(OnVaes512(aes_ni::vectors(schedule))));
        }

        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        #[target_feature(enable = "vaes,aes,avx,avx2")]
        fn on_vaes_256<const KEYS: usize>(
            schedule: &Schedule<KEYS>,
            f: impl $closure<BlockSize = U16>,
        ) {
            f.call(&Backend(OnVaes256(aes_ni::vectors(schedule))));
        }

        #[cfg(target_arch = "aarch64")]
        #[target_feature(enable = "aes")]
        fn on_armv8<const KEYS: usize>(
            schedule: &Schedule<KEYS>,
            f: impl $closure<BlockSize = U16>,
        ) {
            f.call(&Backend(OnArmv8(&armv8::vectors(schedule))));
        }

        /// No region, but not for every caller to take in either.
        #[inline(never)]
        fn on_soft<const KEYS: usize>(
            schedule: &Schedule<KEYS>,
            f: impl $closure<BlockSize = U16>,
        ) {
            f.call(&Backend(soft::Keys::new(&schedule.keys)));
        }

        match $kernel {
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: the tokens prove the features.
            Kernel::Vaes512(..) => unsafe { on_vaes_512($schedule, $f) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: the tokens prove the features.
            Kernel::Vaes256(..) => unsafe { on_vaes_256($schedule, $f) },
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            // SAFETY: the token proves the features.
            Kernel::AesNi(_) => unsafe { on_aes_ni($schedule, $f) },
            #[cfg(target_arch = "aarch64")]
            // SAFETY: the token proves the feature.
            Kernel::Armv8(_) => unsafe { on_armv8($schedule, $f) },
            Kernel::Soft => on_soft($schedule, $f),
        }
    }};
}

/// Runs a closure of the forward direction.
#[inline(always)]
pub(super) fn encrypt<const KEYS: usize>(
    kernel: Kernel,
    schedule: &Schedule<KEYS>,
    f: impl BlockCipherEncClosure<BlockSize = U16>,
) {
    run!(kernel, schedule, f: BlockCipherEncClosure);
}

/// Runs a closure of the backward direction, with the round keys of the inverse cipher.
#[inline(always)]
pub(super) fn decrypt<const KEYS: usize>(
    kernel: Kernel,
    inverse: &Schedule<KEYS>,
    f: impl BlockCipherDecClosure<BlockSize = U16>,
) {
    run!(kernel, inverse, f: BlockCipherDecClosure);
}
