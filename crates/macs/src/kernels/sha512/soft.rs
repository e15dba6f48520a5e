//! SHA-512 in portable Rust: FIPS 180-4 §6.4.2.

use super::Block;
use super::constants::K;

/// Absorbs a run of blocks. Apart from its callers, of which there are many.
#[inline(never)]
pub(crate) fn compress(state: &mut [u64; 8], blocks: &[Block]) {
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        let mut w = [0; 16];
        w.iter_mut().zip(words).for_each(|(word, bytes)| *word = u64::from_be_bytes(*bytes));
        compress_words(state, &w);
    }
}

/// Absorbs a block given as its 16 words. Apart, as `compress` is.
#[inline(never)]
pub(crate) fn compress_words(state: &mut [u64; 8], block: &[u64; 16]) {
    let mut w = *block;
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    /// Step 3 of FIPS 180-4 §6.4.2: `$d` becomes e, `$h` becomes a.
    macro_rules! round {
        ($a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident, $wk:expr) => {
            let sum1 = $e.rotate_right(14) ^ $e.rotate_right(18) ^ $e.rotate_right(41);
            let choice = ($e & $f).wrapping_add(!$e & $g);
            let t1 = $h.wrapping_add($wk).wrapping_add(choice).wrapping_add(sum1);
            let sum0 = $a.rotate_right(28) ^ $a.rotate_right(34) ^ $a.rotate_right(39);
            let majority = ($a & ($b ^ $c)).wrapping_add($b & $c);
            $d = $d.wrapping_add(t1);
            $h = t1.wrapping_add(majority).wrapping_add(sum0);
        };
    }
    let (constants, _) = K.0.as_chunks::<16>();
    for (step, k) in constants.iter().enumerate() {
        macro_rules! eight_rounds {
            ($t0:literal $t1:literal $t2:literal $t3:literal
             $t4:literal $t5:literal $t6:literal $t7:literal) => {
                if step > 0 {
                    expand(&mut w, [$t0, $t1, $t2, $t3, $t4, $t5, $t6, $t7]);
                }
                round!(a b c d e f g h, w[$t0].wrapping_add(k[$t0]));
                round!(h a b c d e f g, w[$t1].wrapping_add(k[$t1]));
                round!(g h a b c d e f, w[$t2].wrapping_add(k[$t2]));
                round!(f g h a b c d e, w[$t3].wrapping_add(k[$t3]));
                round!(e f g h a b c d, w[$t4].wrapping_add(k[$t4]));
                round!(d e f g h a b c, w[$t5].wrapping_add(k[$t5]));
                round!(c d e f g h a b, w[$t6].wrapping_add(k[$t6]));
                round!(b c d e f g h a, w[$t7].wrapping_add(k[$t7]));
            };
        }
        eight_rounds!(0 1 2 3 4 5 6 7);
        eight_rounds!(8 9 10 11 12 13 14 15);
    }
    let v = [a, b, c, d, e, f, g, h];
    state.iter_mut().zip(v).for_each(|(word, end)| *word = word.wrapping_add(end));
}

/// Eight words of the schedule in the places of those 16 before (step 1 of FIPS 180-4 §6.4.2).
#[inline(always)]
fn expand(w: &mut [u64; 16], places: [usize; 8]) {
    for t in places {
        let recent = small_sigma1(w[(t + 14) % 16]).wrapping_add(w[(t + 9) % 16]);
        w[t] = w[t].wrapping_add(recent).wrapping_add(small_sigma0(w[(t + 1) % 16]));
    }
}

/// σ0 of FIPS 180-4 §4.1.3.
#[inline(always)]
fn small_sigma0(x: u64) -> u64 {
    x.rotate_right(1) ^ x.rotate_right(8) ^ (x >> 7)
}

/// σ1 of FIPS 180-4 §4.1.3.
#[inline(always)]
fn small_sigma1(x: u64) -> u64 {
    x.rotate_right(19) ^ x.rotate_right(61) ^ (x >> 6)
}
