//! Portable code: FIPS 180-4 §6.2.2 as it stands, the message schedule in 16 words.

use super::unit::{One, Task, Unit};
use super::{Block, Digest, State};
use crate::kernels::by_place;
use crate::kernels::lanes::{self, Plan};

/// The constants of FIPS 180-4 §4.2.2.
#[repr(align(64))]
pub(crate) struct Constants(pub(crate) [u32; 64]);

pub(crate) static K: Constants = Constants([
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
]);

pub(crate) fn run<T: Task>(task: T, message: &[u8], output: &mut T::Output) {
    *output = task.run(Portable, message);
}

/// Any CPU.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

impl Unit for Portable {
    type Chain = State;
    type Words = [u32; 16];
    const STEP_MIN: usize = usize::MAX;
    const LANES_MIN: usize = usize::MAX;
    const SETS_UP_BY_TWO: bool = true;

    #[inline(always)]
    fn chain(self, state: &State) -> State {
        *state
    }

    #[inline(always)]
    fn state(self, chain: State) -> State {
        chain
    }

    #[inline(always)]
    fn digest(self, chain: State) -> Digest {
        let mut digest = [0; 32];
        for (bytes, word) in digest.as_chunks_mut().0.iter_mut().zip(chain) {
            *bytes = word.to_be_bytes();
        }
        digest
    }

    #[inline(always)]
    fn xor_chain(self, chain: State, constant: u32) -> State {
        by_place(0, |at| chain[at] ^ constant)
    }

    #[inline(always)]
    fn words(self, block: &Block) -> [u32; 16] {
        let (words, _) = block.as_chunks();
        by_place(0, |at| u32::from_be_bytes(words[at]))
    }

    #[inline(always)]
    fn tail(self, message: &[u8], mark: u8) -> [u32; 16] {
        let (_, tail) = message.as_chunks::<64>();
        let mut block = [0; 64];
        block[..tail.len()].copy_from_slice(tail);
        block[tail.len()] = mark;
        self.words(&block)
    }

    #[inline(always)]
    fn zero(self) -> [u32; 16] {
        [0; 16]
    }

    #[inline(always)]
    fn xor_words(self, words: [u32; 16], constant: u32) -> [u32; 16] {
        by_place(0, |at| words[at] ^ constant)
    }

    #[inline(always)]
    fn with_field(self, mut words: [u32; 16], field: u64) -> [u32; 16] {
        words[14] |= (field >> 32) as u32;
        words[15] |= field as u32;
        words
    }

    #[inline(always)]
    fn digest_words(self, chain: State, count: usize) -> [u32; 16] {
        let mut words = [0; 16];
        words[..count].copy_from_slice(&chain[..count]);
        words[count] = 0x80000000;
        words[15] = 512 + 32 * count as u32;
        words
    }

    #[inline(always)]
    fn one(self, chain: State, words: [u32; 16]) -> State {
        compress_outlined(chain, words)
    }

    #[inline(always)]
    fn two(self, chains: [State; 2], words: [[u32; 16]; 2]) -> [State; 2] {
        [self.one(chains[0], words[0]), self.one(chains[1], words[1])]
    }

    #[inline(always)]
    fn without_rounds(self, chain: State, words: [u32; 16]) -> State {
        without_rounds(chain, words)
    }

    #[inline(always)]
    fn drive<'a, P: Plan<'a, 64, State = State>>(self, plan: P) {
        lanes::drive::<_, _, 64, 1>(&mut One::new(self), plan);
    }
}

/// The body for each `$t` from 0 to 15, which the compiler would not unroll by itself.
macro_rules! sixteen_times {
    ($t:ident => $body:block) => {
        sixteen_times!($t => $body; 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    ($t:ident => $body:block; $($value:literal)*) => {
        $({
            const $t: usize = $value;
            $body
        })*
    };
}
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(super) use sixteen_times;

/// FIPS 180-4 §6.2.2.
#[inline(always)]
pub(crate) fn compress(chain: State, mut words: [u32; 16]) -> State {
    let mut working = chain;
    let [first, others @ ..] = quarters();
    sixteen_times!(T => {
        working = round(working, first[T].wrapping_add(words[T]));
    });
    for constants in others {
        sixteen_times!(T => {
            let [far, near] = [words[(T + 1) % 16], words[(T + 14) % 16]];
            let far = far.rotate_right(7) ^ far.rotate_right(18) ^ (far >> 3);
            let near = near.rotate_right(17) ^ near.rotate_right(19) ^ (near >> 10);
            let sum = words[T].wrapping_add(words[(T + 9) % 16]);
            words[T] = sum.wrapping_add(far).wrapping_add(near);
            working = round(working, constants[T].wrapping_add(words[T]));
        });
    }
    by_place(0, |at| chain[at].wrapping_add(working[at]))
}

/// Apart from its callers, of which there are many.
#[inline(never)]
fn compress_outlined(chain: State, words: [u32; 16]) -> State {
    compress(chain, words)
}

/// Apart from its callers as `compress_outlined` is, and called the same way.
#[inline(never)]
pub(super) fn without_rounds(chain: State, words: [u32; 16]) -> State {
    by_place(0, |at| chain[at] ^ words[at] ^ words[at + 8])
}

/// The constants of 16 rounds each.
#[inline(always)]
pub(super) fn quarters() -> [&'static [u32; 16]; 4] {
    let (quarters, _) = K.0.as_chunks();
    [&quarters[0], &quarters[1], &quarters[2], &quarters[3]]
}

/// One round, `input` being Kt + Wt.
#[inline(always)]
fn round([a, b, c, d, e, f, g, h]: State, input: u32) -> State {
    let sum_e = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
    let choice = g ^ (e & (f ^ g));
    let t1 = h.wrapping_add(input).wrapping_add(choice).wrapping_add(sum_e);
    let sum_a = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    let majority = (a & b) | (c & (a | b));
    let t2 = sum_a.wrapping_add(majority);
    [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g]
}
