//! What the types are called in print, by the trait of RustCrypto's macs: `Cmac<Aes128>`.

use core::fmt::{Formatter, Result};

use digest::common::AlgorithmName;

/// `algorithm_name! { "feature" [generics] Type: format string, arguments }`.
macro_rules! algorithm_name {
    ($($feature:literal [$($generics:tt)*] $type:ty: $($text:expr),*;)*) => {$(
        #[cfg(feature = $feature)]
        impl<$($generics)*> AlgorithmName for $type {
            fn write_alg_name(f: &mut Formatter<'_>) -> Result {
                write!(f, $($text),*)
            }
        }
    )*};
}

/// The name of a type as an argument of `write!`.
#[cfg(any(feature = "blake2", feature = "hmac", feature = "_ciphers"))]
struct Of<T>(core::marker::PhantomData<T>);

#[cfg(any(feature = "blake2", feature = "hmac", feature = "_ciphers"))]
impl<T> Of<T> {
    const NAME: Self = Self(core::marker::PhantomData);
}

#[cfg(any(feature = "blake2", feature = "hmac", feature = "_ciphers"))]
impl<T: AlgorithmName> core::fmt::Display for Of<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        T::write_alg_name(f)
    }
}

#[cfg(any(feature = "rc6", feature = "serpent", feature = "tdes", feature = "twofish"))]
impl<S: crate::ciphers::KeySchedule, K: cipher::array::ArraySize> AlgorithmName
    for crate::ciphers::Scheduled<S, K>
{
    fn write_alg_name(f: &mut Formatter<'_>) -> Result {
        let (name, bits_to_one) = S::NAME;
        write!(f, "{name}{}", 8 * K::USIZE / bits_to_one)
    }
}

#[cfg(all(feature = "hmac", feature = "blake2"))]
impl<C: crate::blake2::Core + AlgorithmName> AlgorithmName for crate::blake2::Prefixed<C> {
    fn write_alg_name(f: &mut Formatter<'_>) -> Result {
        C::write_alg_name(f)
    }
}

algorithm_name! {
    "_ciphers" [C: digest::KeyInit + AlgorithmName] crate::ciphers::Foreign<C>: "{}", Of::<C>::NAME;
    "_ciphers" [M: crate::block_mac::BlockMode<Cipher: AlgorithmName>]
        crate::block_mac::BlockMac<M>: "{}<{}>", M::NAME, Of::<M::Cipher>::NAME;
    "aegis" [V: crate::aegis::Variant, N: crate::aegismac::TagSize]
        crate::aegismac::AegisMac<V, N>:
            "{}{}", V::NAME, if N::USIZE == 32 { "Tag256" } else { "" };
    "ascon" [N: crate::ascon::TagSize] crate::ascon::Ascon<N>:
        "Ascon{}", if N::USIZE == 32 { "Prf" } else { "Mac" };
    "blake2" [C: crate::blake2::Core + AlgorithmName, N: digest::array::ArraySize]
        crate::blake2::Blake2Keyed<C, N>: "{}Keyed", Of::<C>::NAME;
    "blake3" [] crate::blake3::Blake3Keyed: "Blake3Keyed";
    "chaskey" [const ROUNDS: usize] crate::chaskey::ChaskeyOf<ROUNDS>: "Chaskey-{ROUNDS}";
    "gmac" [C: crate::ciphers::WideCipher + AlgorithmName]
        crate::gmac::Gmac<C>: "Gmac<{}>", Of::<C>::NAME;
    "highway" [N: crate::highway_hash::TagSize] crate::highway_hash::HighwayHash<N>:
        "HighwayHash{}", 8 * N::USIZE;
    "hmac" [C: crate::compression::Compression + AlgorithmName]
        crate::hmac::HmacMd<C>: "Hmac<{}>", Of::<C>::NAME;
    "hmac" [D: crate::hmac::of_digest::Hash + AlgorithmName]
        crate::hmac::of_digest::OfDigest<D>: "{}", Of::<D>::NAME;
    "hmac" [H: crate::after_block::AfterBlock + AlgorithmName]
        crate::hmac::of_digest::HmacOf<H>: "Hmac<{}>", Of::<H>::NAME;
    "hopmac" [const RATE: usize, N: digest::array::ArraySize] crate::hopmac::HopMac<RATE, N>:
        "HopMac{}", (200 - RATE) * 4;
    "khc" [V: crate::khc::Variant] crate::khc::Khc<V>: "{:?}<Sha256>", V::VARIANT;
    "kmac" [const RATE: usize, const XOF: bool]
        crate::kmac::Kmac<RATE, XOF>: "Kmac{}{}", (200 - RATE) * 4, if XOF { "Xof" } else { "" };
    "poly1305" [] crate::poly1305::Poly1305: "Poly1305";
    "s2v" [C: crate::ciphers::WideCipher + AlgorithmName + zeroize::ZeroizeOnDrop]
        crate::s2v::S2v<C>: "S2v<{}>", Of::<C>::NAME;
    "siphash" [const C: usize, const D: usize, N: crate::siphash::TagSize]
        crate::siphash::SipHash<C, D, N>:
        "SipHash{C}{D}{}", if N::USIZE == 16 { "_128" } else { "" };
    "umac" [T: digest::array::ArraySize]
        crate::carter_wegman::CarterWegman<crate::umac::Umac<T>>: "Umac{}", 8 * T::USIZE;
    "vmac" [C: crate::ciphers::WideCipher + AlgorithmName, T: digest::array::ArraySize]
        crate::carter_wegman::CarterWegman<crate::vmac::Vmac<C, T>>:
        "Vmac{}<{}>", 8 * T::USIZE, Of::<C>::NAME;
}
