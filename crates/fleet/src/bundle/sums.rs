//! `SHA256SUMS`, as `sha256sum` writes and checks it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::FILES;

/// The checksums of a folder's files, in the order of [`FILES`].
pub(super) fn of(folder: &Path) -> io::Result<String> {
    let line = |name: &&str| Ok(format!("{}  {name}\n", of_file(&folder.join(name))?));
    FILES.iter().map(line).collect()
}

fn of_file(path: &Path) -> io::Result<String> {
    let (mut file, mut sum) = (File::open(path)?, Sha256::new());
    let mut bytes = vec![0; 1 << 16];
    loop {
        match file.read(&mut bytes)? {
            0 => return Ok(hex::encode(sum.finalize())),
            count => sum.update(&bytes[..count]),
        }
    }
}

/// The first file that is not what `told` says; `None` where all are.
pub(super) fn first_that_differs(told: &str, found: &str) -> Option<&'static str> {
    let mut lines = told.lines().map(Some).chain(std::iter::repeat(None)).zip(found.lines());
    let differs = lines.position(|(told, found)| told != Some(found));
    differs.and_then(|at| FILES.get(at).copied())
}
