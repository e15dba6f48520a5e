//! Libraries in Rust, built in: one file a library, and its row in [`crate::ROWS`].

#[cfg(feature = "aws-lc-rs")]
pub mod aws_lc_rs;
#[cfg(all(feature = "graviola", any(target_arch = "aarch64", target_arch = "x86_64")))]
pub mod graviola;
pub mod macs_own;
pub mod null;
#[cfg(feature = "ring")]
pub mod ring;
pub mod rustcrypto;

#[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
mod boringssl;
#[cfg(any(feature = "aws-lc-rs", feature = "graviola", feature = "ring"))]
mod keys;

/// A crate that this build has not.
#[allow(unused_macros, reason = "a build may have all of them")]
macro_rules! absent_crate {
    ($module:ident, $name:literal, $forced:expr) => {
        /// Not in this build.
        pub mod $module {
            /// The row of this provider.
            pub const ROW: crate::Row = absent!($name, concat!("The crate ", $name), $forced);

            /// No crates.
            pub const VERSIONS: [(&str, &str); 0] = [];
        }
    };
}

#[cfg(not(feature = "aws-lc-rs"))]
absent_crate!(aws_lc_rs, "aws-lc-rs", || crate::capabilities::FORCED.to_vec());
#[cfg(not(all(feature = "graviola", any(target_arch = "aarch64", target_arch = "x86_64"))))]
absent_crate!(graviola, "graviola", Vec::new);
#[cfg(not(feature = "ring"))]
absent_crate!(ring, "ring", Vec::new);
