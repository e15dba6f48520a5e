//! The tags of files, and of what is copied from one place to another.
//!
//!     cargo run -p macs --example files -- Cargo.toml

use std::fs::File;
use std::io::{self, BufWriter, Write, copy};

use macs::ciphers::Aes128;
use macs::digest::{KeyInit, Mac};
use macs::{Cmac, PreparedMac};

fn main() -> io::Result<()> {
    // The key is set up once; a clone of it begins a message.
    let keyed = Cmac::<Aes128>::new(&[1; 16].into());
    for path in std::env::args().skip(1) {
        let mut mac = keyed.clone();
        let bytes = mac.update_reader(File::open(&path)?)?;
        println!("{:x?} {path}, {bytes} bytes", mac.finalize().into_bytes());

        // Every mac is a writer as well: what is written is taken into the message.
        let mut written = BufWriter::new(keyed.clone());
        copy(&mut File::open(&path)?, &mut written)?;
        written.flush()?;
        let mac = written.into_inner().map_err(|error| error.into_error())?;
        println!("{:x?} {path}, once more", mac.finalize().into_bytes());
    }
    Ok(())
}
