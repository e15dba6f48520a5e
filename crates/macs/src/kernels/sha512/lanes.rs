//! SHA-512 on many messages: a 64-bit word of each message side by side in a vector, FIPS 180-4
//! §6.4.2 on all of them at once.
#![expect(unsafe_code, reason = "calls that need the CPU's features")]

use core::arch::x86_64::*;

use super::vector::{Rotating, Vector, compress};
use super::{Block, Kernel, State, in_step};
use crate::kernels::cpu::{Avx2, Avx512};
use crate::kernels::lanes::hmac::batch::Ways;
use crate::kernels::lanes::hmac::{Hash, HmacKernel, HmacKey, Tags};
use crate::kernels::lanes::{self, Lanes, Plan};
use crate::kernels::stack::align_frame;

/// The chaining values, words outside, lanes inside.
#[repr(C, align(64))]
struct States<const N: usize>([[u64; N]; 8]);

impl<const N: usize> States<N> {
    fn put(&mut self, lane: usize, state: &[u64; 8]) {
        self.0.iter_mut().zip(state).for_each(|(words, word)| words[lane] = *word);
    }

    fn take(&self, lane: usize) -> [u64; 8] {
        self.0.map(|words| words[lane])
    }

    /// Absorbs the runs of the first `M` lanes.
    ///
    /// # Safety
    /// The CPU has the features of `V`, and so does the caller.
    #[inline(always)]
    unsafe fn absorb<const M: usize, V: Vector<M>>(&mut self, runs: &[&[Block]]) {
        assert!(runs.len() == N, "a run for each lane");
        let runs: &[&[Block]; M] = runs.first_chunk().expect("at most all lanes");
        let blocks = runs[0].len();
        assert!(runs.iter().all(|run| run.len() == blocks), "runs of one length");
        // SAFETY: the caller has the features of `V`; `words` is given numbers below the runs'
        // length.
        unsafe {
            let mut state = [V::splat(0); 8];
            for (word, lanes) in state.iter_mut().zip(&self.0) {
                *word = V::load(lanes.first_chunk().expect("at most all lanes"));
            }
            for number in 0..blocks {
                state = compress(state, &mut V::words(runs, number));
            }
            for (word, lanes) in state.into_iter().zip(&mut self.0) {
                word.store(lanes.first_chunk_mut().expect("at most all lanes"));
            }
        }
    }
}

/// One kernel: its token, its features, its vector, its lanes.
macro_rules! lanes {
    ($(#[$doc:meta])* $name:ident, $token:ident, $vector:ty, $lanes:literal,
     $($few_vector:ty, $few:literal,)? $alone:literal, $kernel:ident, $features:literal) => {
        $(#[$doc])*
        pub(crate) struct $name {
            token: $token,
            states: States<$lanes>,
        }

        impl $name {
            /// Lanes with chaining values of zeros.
            pub(crate) fn new(token: $token) -> Self {
                Self { token, states: States([[0; $lanes]; 8]) }
            }

            #[target_feature(enable = $features)]
            fn run(&mut self, runs: &[&[Block]]) {
                align_frame();
                // SAFETY: this function has the features.
                unsafe { self.states.absorb::<$lanes, $vector>(runs) }
            }

            $(#[target_feature(enable = $features)]
            fn run_few(&mut self, runs: &[&[Block]]) {
                align_frame();
                // SAFETY: this function has the features.
                unsafe { self.states.absorb::<$few, $few_vector>(runs) }
            })?
        }

        impl Lanes for $name {
            type State = [u64; 8];
            type Block = Block;
            const LANES: usize = $lanes;

            #[inline]
            fn put(&mut self, lane: usize, state: &[u64; 8]) {
                self.states.put(lane, state);
            }

            #[inline]
            fn take(&self, lane: usize) -> [u64; 8] {
                self.states.take(lane)
            }

            fn absorb(&mut self, runs: &[&[Block]]) {
                let _: $token = self.token;
                // SAFETY: the token proves that the CPU has the features.
                unsafe { self.run(runs) }
            }

            /// Few chains are quicker one after the other.
            fn absorb_first(&mut self, active: usize, runs: &[&[Block]]) {
                $(if active > $alone && active <= $few {
                    // SAFETY: the token proves that the CPU has the features.
                    return unsafe { self.run_few(runs) };
                })?
                if active > $alone {
                    return self.absorb(runs);
                }
                for (lane, run) in runs[..active].iter().enumerate() {
                    let mut state = self.take(lane);
                    Kernel::$kernel(self.token).compress(&mut state, run);
                    self.put(lane, &state);
                }
            }
        }
    };
}

lanes! {
    /// Eight messages in 512-bit vectors, or up to four in 256-bit ones.
    Lanes8, Avx512, __m512i, 8, Rotating, 4, 1, Avx512, "avx512f,avx512bw,avx512vl,avx512dq"
}

lanes! {
    /// Four messages in 256-bit vectors.
    Lanes4, Avx2, __m256i, 4, 2, Avx2, "avx2"
}

/// What a kernel with such lanes does with messages; `$in_step` is its function for a step.
macro_rules! ways {
    ($(#[$doc:meta])* $name:ident, $token:ident, $lanes:ident, $count:literal, $lanes_min:literal,
     $step_min:expr, $in_step:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(super) struct $name {
            pub(super) token: $token,
            pub(super) kernel: Kernel,
        }

        impl<H: Hash<128, State = State>> Ways<H, 128> for $name {
            const STEP: usize = $count;
            const STEP_MIN: usize = $step_min;
            const LANES_MIN: usize = $lanes_min;

            #[inline(always)]
            fn one(self, key: &HmacKey<State>, message: &[u8], tag: &mut [u8]) {
                HmacKernel::<H, 128>::hmac(self.kernel, key, message, tag);
            }

            #[inline(always)]
            fn in_step(self, tags: &mut Tags<'_, '_, H, 128>, numbers: &[u16]) {
                $in_step(self.token, tags, numbers);
            }

            #[inline(always)]
            fn drive<'a, P: Plan<'a, 128, State = State>>(self, plan: P) {
                lanes::drive::<_, _, 128, $count>(&mut $lanes::new(self.token), plan);
            }
        }
    };
}

ways! {
    /// Eight lanes.
    Eight, Avx512, Lanes8, 8, 3, 2, in_step::macs
}

ways! {
    /// Four lanes.
    Four, Avx2, Lanes4, 4, 4, usize::MAX, |_, _, _| ()
}
