//! AEGIS, RFC 10032: the states of AEGIS-128L (8 blocks) and AEGIS-256 (6 blocks), and D of either
//! side by side, which make AEGIS-128X and AEGIS-256X. A unit is what all of them absorb at once: M
//! blocks each, 2 for AEGIS-128L and 1 for AEGIS-256.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[macro_use]
mod registers;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod aes_ni;
mod soft;
#[cfg(test)]
mod tests;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vaes_256;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod vaes_512;

use crate::kernels::Choice;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use crate::kernels::cpu;

/// A block of AES.
pub(crate) type Block = [u8; 16];

/// What D states absorb at once: the first blocks of all of them, then the second ones.
pub(crate) type Unit<const M: usize, const D: usize> = [[Block; D]; M];

/// D states of S blocks: the first blocks of all of them, then the second ones, and so on.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub struct State<const S: usize, const D: usize>(pub(crate) [[Block; D]; S]);

impl<const S: usize, const D: usize> State<S, D> {
    /// What takes the place of a secret one.
    pub(crate) const BLANK: Self = Self([[[0; 16]; D]; S]);

    /// The block that the lengths are added to at the end.
    const LENGTHS_AT: usize = if S == 8 { 2 } else { 3 };

    /// What a part of the stream is made of: the sum of two blocks and of the bits that two others
    /// share; in states of six blocks the last one is added.
    const STREAM: [[usize; 4]; 2] =
        if S == 8 { [[1, 6, 2, 3], [2, 5, 6, 7]] } else { [[1, 4, 2, 3]; 2] };

    /// Those that the context is added to, of each update while a key is set up.
    const CONTEXT_AT: [usize; 2] = [3, S - 1];

    /// What tells the states apart: the number of each, and the highest.
    const CONTEXT: [Block; D] = {
        let (mut context, mut lane) = ([[0; 16]; D], 0);
        while lane < D {
            context[lane][0] = lane as u8;
            context[lane][1] = (D - 1) as u8;
            lane += 1;
        }
        context
    };
}

/// Updates at the end.
const LAST_UPDATES: usize = 7;

/// The code paths of D states side by side.
pub trait Lanes<const D: usize>: Choice {
    /// Absorbs these blocks again and again, so many times in all, the same into each state; adds
    /// the context before each.
    fn begin<const S: usize, const M: usize>(
        self,
        state: &mut State<S, D>,
        inputs: &[[Block; M]],
        updates: usize,
    );

    /// Absorbs units.
    fn absorb<const S: usize, const M: usize>(self, state: &mut State<S, D>, units: &[Unit<M, D>]);

    /// Encrypts units in place and absorbs what they were, or if it `opens` them decrypts them and
    /// absorbs what they become.
    fn crypt<const S: usize, const M: usize>(
        self,
        state: &mut State<S, D>,
        units: &mut [Unit<M, D>],
        opens: bool,
    );

    /// Adds the lengths and makes the last updates.
    fn end<const S: usize, const M: usize>(self, state: &mut State<S, D>, lengths: &Block);

    /// The same instructions for one state.
    fn for_one(self) -> one::Kernel;
}

/// The code paths of so many states side by side, best first: the token of the instructions, the
/// module, and the number of registers that a block of all states takes.
macro_rules! side_by_side {
    ($(#[$doc:meta])* $name:ident, $states:literal:
     $($(#[$path_doc:meta])* $path:ident $code:ident $registers:literal;)*) => {
        $(#[$doc])*
        pub(crate) mod $name {
            use super::*;

            /// The code paths.
            #[derive(Clone, Copy, Debug)]
            pub enum Kernel {
                $($(#[$path_doc])*
                #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                $path(cpu::$path),)*
                /// Bit-sliced, in constant time.
                Soft,
            }

            choice! {
                $(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                $path = cpu::$path::get().map(Kernel::$path);)*
                Soft = Some(Kernel::Soft);
            }

            impl Lanes<$states> for Kernel {
                #[inline(always)]
                fn begin<const S: usize, const M: usize>(
                    self,
                    state: &mut State<S, $states>,
                    inputs: &[[Block; M]],
                    updates: usize,
                ) {
                    match self {
                        $(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                        Self::$path(token) => {
                            $code::begin::<S, M, $states, $registers>(
                                token, state, inputs, updates,
                            );
                        })*
                        Self::Soft => soft::begin(state, inputs, updates),
                    }
                }

                #[inline(always)]
                fn absorb<const S: usize, const M: usize>(
                    self,
                    state: &mut State<S, $states>,
                    units: &[Unit<M, $states>],
                ) {
                    match self {
                        $(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                        Self::$path(token) => {
                            $code::absorb::<S, M, $states, $registers>(token, state, units);
                        })*
                        Self::Soft => soft::absorb(state, units),
                    }
                }

                #[inline(always)]
                fn crypt<const S: usize, const M: usize>(
                    self,
                    state: &mut State<S, $states>,
                    units: &mut [Unit<M, $states>],
                    opens: bool,
                ) {
                    match self {
                        $(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                        Self::$path(token) => {
                            $code::crypt::<S, M, $states, $registers>(token, state, units, opens);
                        })*
                        Self::Soft => soft::crypt(state, units, opens),
                    }
                }

                #[inline(always)]
                fn end<const S: usize, const M: usize>(
                    self,
                    state: &mut State<S, $states>,
                    lengths: &Block,
                ) {
                    match self {
                        $(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                        Self::$path(token) => {
                            $code::end::<S, M, $states, $registers>(token, state, lengths);
                        })*
                        Self::Soft => soft::end::<S, M, $states>(state, lengths),
                    }
                }

                #[inline(always)]
                fn for_one(self) -> one::Kernel {
                    match self {
                        $(#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
                        Self::$path(token) => one::Kernel::AesNi(token.aes_ni()),)*
                        Self::Soft => one::Kernel::Soft,
                    }
                }
            }
        }
    };
}

side_by_side! {
    /// One state.
    one, 1:
    /// A round an instruction.
    AesNi aes_ni 1;
}

side_by_side! {
    /// Two states.
    two, 2:
    /// Both in a register.
    Vaes256 vaes_256 1;
    /// Each in registers of its own.
    AesNi aes_ni 2;
}

side_by_side! {
    /// Four states.
    four, 4:
    /// All in a register.
    Vaes512 vaes_512 1;
    /// Two in a register.
    Vaes256 vaes_256 2;
    /// Each in registers of its own.
    AesNi aes_ni 4;
}
