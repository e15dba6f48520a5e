//! The block ciphers the catalog uses. They are RustCrypto's: AES as its encrypt-only half (no MAC
//! here decrypts), and RC6 in a thin cover, because the `rc6` crate's type can be neither cloned
//! nor wiped.

use core::fmt;

use cipher::array::Array;
use cipher::consts::{U16, U20, U24, U32};
use cipher::{BlockCipherEncClosure, BlockCipherEncrypt, BlockSizeUser, Key, KeyInit, KeySizeUser};
use zeroize::{ZeroizeOnDrop, optimization_barrier};

pub use aes::{Aes128Enc, Aes192Enc, Aes256Enc};
pub use des::{TdesEde2, TdesEde3};
pub use serpent::Serpent;
pub use twofish::Twofish;

use crate::wipe::wipe;

/// One type a key length: RC6-32/20, the parameters submitted as AES candidate.
macro_rules! rc6 {
    ($($(#[$doc:meta])* $name:ident, $key_size:ty;)*) => {$(
        $(#[$doc])*
        pub struct $name {
            schedule: rc6::RC6<u32, U20, $key_size>,
            key: Array<u8, $key_size>,
        }

        impl KeySizeUser for $name {
            type KeySize = $key_size;
        }

        impl KeyInit for $name {
            fn new(key: &Key<Self>) -> Self {
                Self { schedule: <rc6::RC6<u32, U20, $key_size> as KeyInit>::new(key), key: *key }
            }
        }

        impl BlockSizeUser for $name {
            type BlockSize = U16;
        }

        impl BlockCipherEncrypt for $name {
            #[inline(always)]
            fn encrypt_with_backend(&self, f: impl BlockCipherEncClosure<BlockSize = U16>) {
                self.schedule.encrypt_with_backend(f);
            }
        }

        impl Clone for $name {
            fn clone(&self) -> Self {
                Self::new(&self.key)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), " { .. }"))
            }
        }

        impl Drop for $name {
            /// The schedule is out of reach; that of a public key takes its place.
            fn drop(&mut self) {
                wipe(&mut self.key);
                self.schedule = <rc6::RC6<u32, U20, $key_size> as KeyInit>::new(&self.key);
                optimization_barrier(&self.schedule);
            }
        }

        impl ZeroizeOnDrop for $name {}
    )*};
}

rc6! {
    /// RC6-32/20 with a 128-bit key.
    Rc6With128, U16;
    /// RC6-32/20 with a 192-bit key.
    Rc6With192, U24;
    /// RC6-32/20 with a 256-bit key.
    Rc6With256, U32;
}
