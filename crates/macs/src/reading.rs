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
