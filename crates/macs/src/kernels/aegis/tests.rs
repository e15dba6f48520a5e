//! Every kernel of this CPU: one update as RFC 10032 shows it, the beginning of two states, and all
//! against `soft`.

use alloc::vec::Vec;

use super::*;

fn blocks<const N: usize>(hex: [&str; N]) -> [Block; N] {
    hex.map(|hex| core::array::from_fn(|i| u8::from_str_radix(&hex[2 * i..][..2], 16).unwrap()))
}

/// Each of these blocks in all states.
fn everywhere<const S: usize, const D: usize>(blocks: [Block; S]) -> [[Block; D]; S] {
    blocks.map(|block| [block; D])
}

/// All kernels that this CPU has.
fn kernels<K: Choice>() -> Vec<K> {
    K::ALL.iter().filter_map(|(_, get)| get()).collect()
}

fn update_is_right<K: Lanes<D>, const D: usize>() {
    // Appendix A.2.1.
    let before = blocks([
        "9b7e60b24cc873ea894ecc07911049a3",
        "330be08f35300faa2ebf9a7b0d274658",
        "7bbd5bd2b049f7b9b515cf26fbe7756c",
        "c35a00f55ea86c3886ec5e928f87db18",
        "9ebccafce87cab446396c4334592c91f",
        "58d83e31f256371e60fc6bb257114601",
        "1639b56ea322c88568a176585bc915de",
        "640818ffb57dc0fbc2e72ae93457e39a",
    ]);
    let message = blocks(["033e6975b94816879e42917650955aa0", "fcc1968a46b7e97861bd6e89af6aa55f"]);
    let after = blocks([
        "596ab773e4433ca0127c73f60536769d",
        "790394041a3d26ab697bde865014652d",
        "38cf49e4b65248acd533041b64dd0611",
        "16d8e58748f437bfff1797f780337cee",
        "9689ecdf08228c74d7e3360cca53d0a5",
        "a21746bb193a569e331e1aa985d0d729",
        "09d714e6fcf9177a8ed1cde7e3d259a6",
        "61279ba73167f0ab76f0a11bf203bdff",
    ]);
    for kernel in kernels::<K>() {
        let mut state = State(everywhere(before));
        kernel.absorb(&mut state, &[everywhere(message)]);
        assert_eq!(state.0, everywhere(after), "{:?}", kernel.name());
    }
    // A.3.1.
    let before = blocks([
        "1fa1207ed76c86f2c4bb40e8b395b43e",
        "b44c375e6c1e1978db64bcd12e9e332f",
        "0dab84bfa9f0226432ff630f233d4e5b",
        "d7ef65c9b93e8ee60c75161407b066e7",
        "a760bb3da073fbd92bdc24734b1f56fb",
        "a828a18d6a964497ac6e7e53c5f55c73",
    ]);
    let message = blocks(["b165617ed04ab738afb2612c6d18a1ec"]);
    let after = blocks([
        "e6bc643bae82dfa3d991b1b323839dcd",
        "648578232ba0f2f0a3677f617dc052c3",
        "ea788e0e572044a46059212dd007a789",
        "2f1498ae19b80da13fba698f088a8590",
        "a54c2ee95e8c2a2c3dae2ec743ae6b86",
        "a3240fceb68e32d5d114df1b5363ab67",
    ]);
    for kernel in kernels::<K>() {
        let mut state = State(everywhere(before));
        kernel.absorb(&mut state, &[everywhere(message)]);
        assert_eq!(state.0, everywhere(after), "{:?}", kernel.name());
    }
}

#[test]
fn an_update_is_that_of_the_rfc() {
    update_is_right::<one::Kernel, 1>();
    update_is_right::<two::Kernel, 2>();
    update_is_right::<four::Kernel, 4>();
}

/// States and messages that differ in every place.
fn agree<K: Lanes<D>, const S: usize, const M: usize, const D: usize>() {
    let mut count = 0_u8;
    let mut block = || {
        core::array::from_fn::<u8, 16, _>(|i| {
            count = count.wrapping_mul(5).wrapping_add(i as u8 | 1);
            count
        })
    };
    let units: Vec<Unit<M, D>> =
        (0..9).map(|_| [(); M].map(|()| [(); D].map(|()| block()))).collect();
    let inputs: Vec<[Block; M]> = (0..3).map(|_| [(); M].map(|()| block())).collect();
    let (start, lengths) = (State([(); S].map(|()| [(); D].map(|()| block()))), block());
    let states = kernels::<K>().into_iter().map(|kernel| {
        let mut state = start;
        kernel.begin(&mut state, &inputs, 7);
        kernel.absorb(&mut state, &units);
        kernel.absorb::<S, M>(&mut state, &[]);
        let before = state;
        let mut crypted = units.clone();
        kernel.crypt(&mut state, &mut crypted, false);
        let (mut opening, mut opened) = (before, crypted.clone());
        kernel.crypt(&mut opening, &mut opened, true);
        assert_eq!((&opened, opening.0), (&units, state.0), "{:?}", kernel.name());
        kernel.end::<S, M>(&mut state, &lengths);
        (kernel.name(), (crypted, state.0))
    });
    let states: Vec<_> = states.collect();
    let (_, soft) = states.last().expect("there is always `soft`");
    for (name, state) in &states {
        assert_eq!(state, soft, "{name} with {D} states of {S} blocks");
    }
}

#[test]
fn kernels_agree() {
    agree::<one::Kernel, 8, 2, 1>();
    agree::<two::Kernel, 8, 2, 2>();
    agree::<four::Kernel, 8, 2, 4>();
    agree::<one::Kernel, 6, 1, 1>();
    agree::<two::Kernel, 6, 1, 2>();
    agree::<four::Kernel, 6, 1, 4>();
}
