//! Messages that come from a reader.

use std::io::{ErrorKind, Read, Result};

/// So much is asked of a reader at a time.
const BUFFER_BYTES: usize = 32_768;

/// Hands over all that `reader` gives, piece by piece, and says how many bytes that was.
pub(crate) fn read_all(mut reader: impl Read, mut update: impl FnMut(&[u8])) -> Result<u64> {
    let mut buffer = [0; BUFFER_BYTES];
    let mut read_bytes = 0;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(read_bytes),
            Ok(len) => {
                update(&buffer[..len]);
                read_bytes += len as u64;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// `io::Write` for a mac, which takes all and keeps nothing back.
macro_rules! io_write {
    ([$($generics:tt)*] $mac:ty, $update:path) => {
        #[cfg(feature = "std")]
        impl<$($generics)*> std::io::Write for $mac {
            #[inline]
            fn write(&mut self, data: &[u8]) -> std::io::Result<usize> {
                $update(self, data);
                Ok(data.len())
            }

            #[inline]
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
    };
}

pub(crate) use io_write;

#[cfg(all(test, feature = "full"))]
mod tests {
    use std::io::Write;

    use digest::array::Array;

    use crate::ciphers::Aes128;
    use crate::{Gmac, Kmac128, NonceMac, Umac64, Vmac64};

    fn written<M: NonceMac + Write>(nonce: &[u8]) {
        let mut mac = M::new_from_slice(&[7; 16]).unwrap();
        let [mut expected, mut tag] = [(); 2].map(|()| Array::<u8, M::TagSize>::default());
        mac.mac_into(nonce, b"a message", &mut expected).unwrap();
        mac.write_all(b"a mes").unwrap();
        mac.write_all(b"sage").unwrap();
        mac.finalize_reset_into(nonce, &mut tag).unwrap();
        assert_eq!(tag, expected);
    }

    #[test]
    fn what_is_written_is_the_message() {
        written::<Gmac<Aes128>>(&[1; 12]);
        written::<Vmac64<Aes128>>(&[1; 8]);
        written::<Umac64>(&[1; 8]);
        let mut mac = Kmac128::new(b"key");
        let [mut expected, mut tag] = [[0; 32]; 2];
        mac.mac_into(b"a message", &mut expected);
        mac.write_all(b"a message").unwrap();
        mac.finalize_into(&mut tag);
        assert_eq!(tag, expected);
    }
}
