//! MD5 in general registers, for x86-64: RFC 1321 §3.4.
//!
//! A step is a = b + ((a + f(b, c, d) + word + T) <<< s), and b is what arrives last. On the path
//! from one step's b to the next's lie, after the rotation and an addition:
//! F = d ⊕ (b ∧ (c ⊕ d)): ∧, ⊕, +;  G = (b ∧ d) + (c ∧ ¬d), two sums: ∧, +;
//! H = b ⊕ (c ⊕ d): ⊕, +;  I = c ⊕ (b ∨ ¬d): ∨, ⊕, +.
//! So four steps, one of each, take 5 + 4 + 4 + 5 cycles, 288 a block. Compilers make one masked
//! merge of G's sum and reassociate the additions: hence the assembly.
#![expect(unsafe_code, reason = "assembly: compilers lengthen the chain")]

use core::arch::asm;

use super::{Block, State, T, rotation_of, word_of};

/// An instruction on 32 bits of registers.
macro_rules! ins {
    ($name:literal, $to:ident) => {
        concat!($name, " {", stringify!($to), ":e}\n")
    };
    ($name:literal, $to:ident, $from:ident) => {
        concat!($name, " {", stringify!($to), ":e}, {", stringify!($from), ":e}\n")
    };
    ($name:literal, $to:ident, const $from:literal) => {
        concat!($name, " {", stringify!($to), ":e}, {", $from, "}\n")
    };
    // a += constant + word
    (addend, $a:ident, $m:ident, $k:literal, $o:literal) => {
        concat!(
            concat!("lea {", stringify!($a), ":e}, [{", stringify!($a), ":r} + {", $k, "}]\n"),
            concat!("add {", stringify!($a), ":e}, "),
            concat!("dword ptr [{", stringify!($m), "} + {", $o, "}]\n"),
        )
    };
}

/// One step of one stream. `$k`, `$o`, `$s` name the operands with constant, word and rotation.
macro_rules! step {
    ($f:ident, $a:ident $b:ident $c:ident $d:ident, $t:ident $m:ident, $k:literal $o:literal
     $s:literal) => {
        concat!(
            ins!(addend, $a, $m, $k, $o),
            boolean!($f, $a, $b, $c, $d, $t),
            ins!("add", $a, $t),
            ins!("rol", $a, const $s),
            ins!("add", $a, $b),
        )
    };
}

/// f(b, c, d) into t; of G one half, the other is added to a.
macro_rules! boolean {
    (f, $a:ident, $b:ident, $c:ident, $d:ident, $t:ident) => {
        concat!(ins!("mov", $t, $c), ins!("xor", $t, $d), ins!("and", $t, $b), ins!("xor", $t, $d))
    };
    (g, $a:ident, $b:ident, $c:ident, $d:ident, $t:ident) => {
        concat!(
            concat!(ins!("mov", $t, $d), ins!("not", $t), ins!("and", $t, $c), ins!("add", $a, $t)),
            concat!(ins!("mov", $t, $d), ins!("and", $t, $b)),
        )
    };
    (h, $a:ident, $b:ident, $c:ident, $d:ident, $t:ident) => {
        concat!(ins!("mov", $t, $c), ins!("xor", $t, $d), ins!("xor", $t, $b))
    };
    (i, $a:ident, $b:ident, $c:ident, $d:ident, $t:ident) => {
        concat!(ins!("mov", $t, $d), ins!("not", $t), ins!("or", $t, $b), ins!("xor", $t, $c))
    };
}

/// Four steps, from the one numbered `$step`, of each stream.
macro_rules! four_steps {
    ($f:ident, $step:expr, $($a:ident $b:ident $c:ident $d:ident $m:ident $t:ident),+) => {
        // SAFETY: reads the 64 bytes of the block behind each `$m`.
        unsafe {
            asm!(
                $(step!($f, $a $b $c $d, $t $m, "k0" "o0" "s0"),)+
                $(step!($f, $d $a $b $c, $t $m, "k1" "o1" "s1"),)+
                $(step!($f, $c $d $a $b, $t $m, "k2" "o2" "s2"),)+
                $(step!($f, $b $c $d $a, $t $m, "k3" "o3" "s3"),)+
                $($a = inout(reg) $a, $b = inout(reg) $b, $c = inout(reg) $c, $d = inout(reg) $d,
                  $m = in(reg) $m, $t = out(reg) _,)+
                k0 = const T[$step].cast_signed(), k1 = const T[$step + 1].cast_signed(),
                k2 = const T[$step + 2].cast_signed(), k3 = const T[$step + 3].cast_signed(),
                o0 = const 4 * word_of($step), o1 = const 4 * word_of($step + 1),
                o2 = const 4 * word_of($step + 2), o3 = const 4 * word_of($step + 3),
                s0 = const rotation_of($step), s1 = const rotation_of($step + 1),
                s2 = const rotation_of($step + 2), s3 = const rotation_of($step + 3),
                options(nostack, readonly),
            );
        }
    };
}

/// The four rounds of each stream.
macro_rules! rounds {
    ($($streams:tt)+) => {
        round!(f, 0, $($streams)+);
        round!(g, 16, $($streams)+);
        round!(h, 32, $($streams)+);
        round!(i, 48, $($streams)+);
    };
}

/// One round of each stream.
macro_rules! round {
    ($f:ident, $step:literal, $($streams:tt)+) => {
        four_steps!($f, $step, $($streams)+);
        four_steps!($f, $step + 4, $($streams)+);
        four_steps!($f, $step + 8, $($streams)+);
        four_steps!($f, $step + 12, $($streams)+);
    };
}

/// Absorbs a run of blocks. Inlined, so that the chaining value stays in registers.
#[inline(always)]
pub(super) fn compress(state: &mut State, blocks: &[Block]) {
    let [mut a, mut b, mut c, mut d] = *state;
    for block in blocks {
        let before = [a, b, c, d];
        let words = block.as_ptr();
        rounds!(a b c d words t);
        a = a.wrapping_add(before[0]);
        b = b.wrapping_add(before[1]);
        c = c.wrapping_add(before[2]);
        d = d.wrapping_add(before[3]);
    }
    *state = [a, b, c, d];
}

/// One block each for two chaining values. One chain leaves more than half of the machine idle.
pub(super) fn compress_pair(states: [&mut State; 2], blocks: [&Block; 2]) {
    let [[mut a0, mut b0, mut c0, mut d0], [mut a1, mut b1, mut c1, mut d1]] =
        [*states[0], *states[1]];
    let [words0, words1] = blocks.map(|block| block.as_ptr());
    rounds!(a0 b0 c0 d0 words0 t0, a1 b1 c1 d1 words1 t1);
    for (state, after) in states.into_iter().zip([[a0, b0, c0, d0], [a1, b1, c1, d1]]) {
        for (word, after) in state.iter_mut().zip(after) {
            *word = word.wrapping_add(after);
        }
    }
}
