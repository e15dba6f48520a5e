//! A server with many sessions: the messages that came in together, each under its session's key.
//!
//!     cargo run -p macs --example batch --features batch

use macs::{Batch, Job};

fn main() -> Result<(), macs::Error> {
    let keys: Vec<[u8; 16]> = (0..8).map(|session| [session; 16]).collect();
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 16]>::as_slice).collect();
    let batch = Batch::new("cmac-aes-128", &keys)?;

    // The number of the key, and the message: several may be under one key.
    let jobs = [Job::new(3, b"first"), Job::new(0, b"second"), Job::new(3, b"third")];
    let mut tags = vec![0; jobs.len() * 16];
    batch.macs_into(&jobs, &mut tags)?;

    // Which tags are right, in constant time.
    tags[0] ^= 1;
    let mut are_right = [true; 3];
    batch.verify_each(&jobs, &tags, &mut are_right)?;
    assert_eq!(are_right, [false, true, true]);
    println!("{} keys, {} messages, one tag wrong", batch.keys(), jobs.len());
    Ok(())
}
