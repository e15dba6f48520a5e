//! The traits of `digest` for a mac that takes its message by `absorb`, ends it by `finish` and
//! begins the next by `restart`: the same words for all of them, written once.

/// `digest_traits! { [generics] Type, "Name", key: KeySize, tag: OutputSize }`. The type has the
/// methods `keyed(&[u8]) -> Result<Self, InvalidLength>`, `absorb(&[u8])`, `finish(&mut Output)`
/// and `restart()`, and wipes itself on drop.
macro_rules! digest_traits {
    ([$($generics:tt)*] $mac:ty, $name:literal, key: $key_size:ty, tag: $tag_size:ty) => {
        impl<$($generics)*> digest::common::KeySizeUser for $mac {
            type KeySize = $key_size;
        }

        impl<$($generics)*> digest::KeyInit for $mac {
            #[inline]
            fn new(key: &digest::Key<Self>) -> Self {
                Self::keyed(key).expect("KeySize is a length that the mac takes")
            }

            #[inline]
            fn new_from_slice(key: &[u8]) -> Result<Self, digest::InvalidLength> {
                Self::keyed(key)
            }
        }

        impl<$($generics)*> digest::OutputSizeUser for $mac {
            type OutputSize = $tag_size;
        }

        impl<$($generics)*> digest::Update for $mac {
            #[inline]
            fn update(&mut self, data: &[u8]) {
                self.absorb(data);
            }
        }

        impl<$($generics)*> digest::FixedOutput for $mac {
            #[inline]
            fn finalize_into(mut self, tag: &mut digest::Output<Self>) {
                self.finish(tag);
            }
        }

        impl<$($generics)*> digest::FixedOutputReset for $mac {
            #[inline]
            fn finalize_into_reset(&mut self, tag: &mut digest::Output<Self>) {
                self.finish(tag);
                self.restart();
            }
        }

        impl<$($generics)*> digest::Reset for $mac {
            #[inline]
            fn reset(&mut self) {
                self.restart();
            }
        }

        impl<$($generics)*> digest::MacMarker for $mac {}

        impl<$($generics)*> core::fmt::Debug for $mac {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!($name, " { .. }"))
            }
        }

        impl<$($generics)*> zeroize::ZeroizeOnDrop for $mac {}

        #[cfg(feature = "std")]
        $crate::reading::io_write! { [$($generics)*] $mac, digest::Update::update }
    };
}

pub(crate) use digest_traits;
