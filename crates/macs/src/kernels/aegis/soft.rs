//! AEGIS in portable code: the rounds of AES on bit planes, four blocks at a time.

use super::{Block, LAST_UPDATES, State, Unit};
use crate::kernels::aes;

fn add(a: &mut Block, b: &Block) {
    *a = (u128::from_ne_bytes(*a) ^ u128::from_ne_bytes(*b)).to_ne_bytes();
}

/// RFC 10032's Update: each block becomes a round of the one before it, under its own old value as
/// the key, to which a block of the message is added every four blocks.
fn update<const S: usize, const M: usize, const D: usize>(
    state: &mut State<S, D>,
    message: &Unit<M, D>,
) {
    let mut keys = state.0;
    for (keys, message) in keys.iter_mut().step_by(4).zip(message) {
        keys.iter_mut().zip(message).for_each(|(key, block)| add(key, block));
    }
    state.0.rotate_right(1);
    let blocks = state.0.as_flattened_mut();
    aes::rounds(blocks);
    blocks.iter_mut().zip(keys.as_flattened()).for_each(|(block, key)| add(block, key));
}

/// `Lanes::begin`.
pub(super) fn begin<const S: usize, const M: usize, const D: usize>(
    state: &mut State<S, D>,
    inputs: &[[Block; M]],
    updates: usize,
) {
    for input in inputs.iter().cycle().take(updates) {
        for at in State::<S, D>::CONTEXT_AT {
            let context = State::<S, D>::CONTEXT;
            state.0[at].iter_mut().zip(&context).for_each(|(block, lane)| add(block, lane));
        }
        update(state, &input.map(|block| [block; D]));
    }
}

/// `Lanes::absorb`.
pub(super) fn absorb<const S: usize, const M: usize, const D: usize>(
    state: &mut State<S, D>,
    units: &[Unit<M, D>],
) {
    for unit in units {
        update(state, unit);
    }
}

/// `Lanes::crypt`.
pub(super) fn crypt<const S: usize, const M: usize, const D: usize>(
    state: &mut State<S, D>,
    units: &mut [Unit<M, D>],
    opens: bool,
) {
    for unit in units {
        let given = *unit;
        for (made, [a, b, c, d]) in unit.iter_mut().zip(State::<S, D>::STREAM) {
            for (lane, made) in made.iter_mut().enumerate() {
                let number = |at: usize| u128::from_ne_bytes(state.0[at][lane]);
                let last = if S == 6 { number(S - 1) } else { 0 };
                let stream = (number(c) & number(d)) ^ number(a) ^ number(b) ^ last;
                add(made, &stream.to_ne_bytes());
            }
        }
        update(state, if opens { unit } else { &given });
    }
}

/// `Lanes::end`.
pub(super) fn end<const S: usize, const M: usize, const D: usize>(
    state: &mut State<S, D>,
    lengths: &Block,
) {
    let mut last = state.0[State::<S, D>::LENGTHS_AT];
    last.iter_mut().for_each(|block| add(block, lengths));
    for _ in 0..LAST_UPDATES {
        update(state, &[last; M]);
    }
}
