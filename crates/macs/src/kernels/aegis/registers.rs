//! The states in registers of any width, written once.

/// The code paths of [`Lanes`](super::Lanes) in registers `$V` of `$width` blocks, N of them for
/// each block of all states: safe functions with the token of the instructions in front.
macro_rules! registers {
    ($token:ident, $features:literal, $V:ty, $width:literal,
     $xor:ident, $and:ident, $round:ident, $load:ident, $store:ident, $spread:ident) => {
        use crate::kernels::aegis::{Block, LAST_UPDATES, State, Unit};
        use crate::kernels::by_place;
        use crate::kernels::stack::align_frame;

        /// `Lanes::begin`.
        #[inline(always)]
        pub(super) fn begin<const S: usize, const M: usize, const D: usize, const N: usize>(
            _: $token,
            state: &mut State<S, D>,
            inputs: &[[Block; M]],
            updates: usize,
        ) {
            // SAFETY: the token proves the instructions that this function is compiled for.
            unsafe { begin_on_cpu::<S, M, D, N>(state, inputs, updates) }
        }

        /// `Lanes::absorb`.
        #[inline(always)]
        pub(super) fn absorb<const S: usize, const M: usize, const D: usize, const N: usize>(
            _: $token,
            state: &mut State<S, D>,
            units: &[Unit<M, D>],
        ) {
            // SAFETY: the token proves the instructions that this function is compiled for.
            unsafe { absorb_on_cpu::<S, M, D, N>(state, units) }
        }

        /// `Lanes::crypt`.
        #[inline(always)]
        pub(super) fn crypt<const S: usize, const M: usize, const D: usize, const N: usize>(
            _: $token,
            state: &mut State<S, D>,
            units: &mut [Unit<M, D>],
            opens: bool,
        ) {
            // SAFETY: the token proves the instructions that this function is compiled for.
            unsafe { crypt_on_cpu::<S, M, D, N>(state, units, opens) }
        }

        /// `Lanes::end`.
        #[inline(always)]
        pub(super) fn end<const S: usize, const M: usize, const D: usize, const N: usize>(
            _: $token,
            state: &mut State<S, D>,
            lengths: &Block,
        ) {
            // SAFETY: the token proves the instructions that this function is compiled for.
            unsafe { end_on_cpu::<S, M, D, N>(state, lengths) }
        }

        #[target_feature(enable = $features)]
        fn begin_on_cpu<const S: usize, const M: usize, const D: usize, const N: usize>(
            state: &mut State<S, D>,
            inputs: &[[Block; M]],
            updates: usize,
        ) {
            // In 16 bytes nothing lies across lines, and sealing takes a little longer so.
            if $width > 1 {
                align_frame();
            }
            let mut registers = load_all::<S, D, N>(&state.0);
            let [context] = load_all::<1, D, N>(&[State::<S, D>::CONTEXT]);
            for input in inputs.iter().cycle().take(updates) {
                for at in State::<S, D>::CONTEXT_AT {
                    registers[at] = xor(registers[at], context);
                }
                let added = by_place([$spread(&input[0]); N], |at| [$spread(&input[at]); N]);
                update::<S, M, N>(&mut registers, added);
            }
            store_all(registers, &mut state.0);
        }

        #[target_feature(enable = $features)]
        fn absorb_on_cpu<const S: usize, const M: usize, const D: usize, const N: usize>(
            state: &mut State<S, D>,
            units: &[Unit<M, D>],
        ) {
            align_frame();
            let mut registers = load_all::<S, D, N>(&state.0);
            for unit in units {
                update(&mut registers, load_all::<M, D, N>(unit));
            }
            store_all(registers, &mut state.0);
        }

        #[target_feature(enable = $features)]
        fn crypt_on_cpu<const S: usize, const M: usize, const D: usize, const N: usize>(
            state: &mut State<S, D>,
            units: &mut [Unit<M, D>],
            opens: bool,
        ) {
            if $width > 1 {
                align_frame();
            }
            let mut registers = load_all::<S, D, N>(&state.0);
            for unit in units {
                let given = load_all::<M, D, N>(unit);
                let mut made = given;
                for (made, [a, b, c, d]) in made.iter_mut().zip(State::<S, D>::STREAM) {
                    let shared = and(registers[c], registers[d]);
                    let added = xor(registers[a], registers[b]);
                    *made = xor(*made, xor(shared, added));
                    if S == 6 {
                        *made = xor(*made, registers[S - 1]);
                    }
                }
                update(&mut registers, if opens { made } else { given });
                store_all(made, unit);
            }
            store_all(registers, &mut state.0);
        }

        #[target_feature(enable = $features)]
        fn end_on_cpu<const S: usize, const M: usize, const D: usize, const N: usize>(
            state: &mut State<S, D>,
            lengths: &Block,
        ) {
            align_frame();
            let mut registers = load_all::<S, D, N>(&state.0);
            let last = xor(registers[State::<S, D>::LENGTHS_AT], [$spread(lengths); N]);
            for _ in 0..LAST_UPDATES {
                update(&mut registers, [last; M]);
            }
            store_all(registers, &mut state.0);
        }

        /// RFC 10032's Update: each block becomes a round of the one before it, under its own old
        /// value as the key, to which a block of the message is added every four blocks.
        #[inline]
        #[target_feature(enable = $features)]
        fn update<const S: usize, const M: usize, const N: usize>(
            state: &mut [[$V; N]; S],
            message: [[$V; N]; M],
        ) {
            let old = *state;
            for (at, block) in state.iter_mut().enumerate() {
                let before = old[(at + S - 1) % S];
                let key = match message.get(at / 4) {
                    Some(added) if at % 4 == 0 => xor(*block, *added),
                    _ => *block,
                };
                for ((block, before), key) in block.iter_mut().zip(before).zip(key) {
                    *block = $round(before, key);
                }
            }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn xor<const N: usize>(mut a: [$V; N], b: [$V; N]) -> [$V; N] {
            for (a, b) in a.iter_mut().zip(b) {
                *a = $xor(*a, b);
            }
            a
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn and<const N: usize>(mut a: [$V; N], b: [$V; N]) -> [$V; N] {
            for (a, b) in a.iter_mut().zip(b) {
                *a = $and(*a, b);
            }
            a
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn load_all<const C: usize, const D: usize, const N: usize>(
            blocks: &[[Block; D]; C],
        ) -> [[$V; N]; C] {
            const { assert!(D == N * $width) };
            let mut registers = [[$spread(&[0; 16]); N]; C];
            for (registers, blocks) in registers.iter_mut().zip(blocks) {
                let blocks = blocks.as_chunks::<$width>().0;
                for (register, blocks) in registers.iter_mut().zip(blocks) {
                    *register = $load(blocks);
                }
            }
            registers
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn store_all<const C: usize, const D: usize, const N: usize>(
            registers: [[$V; N]; C],
            blocks: &mut [[Block; D]; C],
        ) {
            const { assert!(D == N * $width) };
            for (registers, blocks) in registers.iter().zip(blocks) {
                let blocks = blocks.as_chunks_mut::<$width>().0;
                for (register, blocks) in registers.iter().zip(blocks) {
                    $store(blocks, *register);
                }
            }
        }
    };
}
