//! Where the files of transactions are: a folder for each process that measures, which takes it
//! away; and what a killed one has left, which the next takes away.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What the folder of a process is called, before its number.
const PREFIX: &str = "macrometer-segments-";

/// The folder of one measuring process, made when first written to, gone when this is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// In `base`, for this process, which is the lab's. What processes that are no more have left
    /// there is removed first.
    ///
    /// # Errors
    /// When `base` is not there or may not be written.
    pub fn in_base(base: &Path) -> io::Result<Self> {
        let base = fs::canonicalize(base)?;
        remove_left_over(&base)?;
        let folder = base.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder))
    }

    /// Its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        remove(&self.0);
    }
}

/// Removes a folder of segments.
pub(crate) fn remove(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

fn remove_left_over(base: &Path) -> io::Result<()> {
    for entry in fs::read_dir(base)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.parse().ok());
        let pid = number.and_then(rustix::process::Pid::from_raw);
        // One that may not be signalled is there as well.
        let is_gone = |pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH);
        if pid.is_some_and(is_gone) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

/// The type of the file system that a folder is on, as the operating system calls it.
#[must_use]
pub fn file_system(folder: &Path) -> Option<String> {
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    file_system_in(&mounts, folder)
}

/// Of the mounts above the folder the innermost, and of those the last.
fn file_system_in(mounts: &str, folder: &Path) -> Option<String> {
    let mount = |line: &str| {
        let (before, after) = line.split_once(" - ")?;
        let point = before.split(' ').nth(4)?.replace("\\040", " ");
        let kind = after.split(' ').next()?.to_owned();
        folder.starts_with(&point).then_some((point.len(), kind))
    };
    mounts.lines().filter_map(mount).max_by_key(|(len, _)| *len).map(|(_, kind)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_mount_tells_the_file_system() {
        let mounts = "1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 0:5 / /tmp rw - tmpfs tmpfs rw\n\
                      3 1 0:6 / /a\\040b rw shared:1 - xfs /dev/sdb rw\n";
        let of = |path: &str| file_system_in(mounts, Path::new(path));
        assert_eq!(of("/home/x").as_deref(), Some("ext4"));
        assert_eq!(of("/tmp/x").as_deref(), Some("tmpfs"));
        assert_eq!((of("/a b/c").as_deref(), of("/tmpx").as_deref()), (Some("xfs"), Some("ext4")));
    }

    #[test]
    fn what_dead_processes_left_is_removed_and_the_living_keep_theirs() {
        let base = tempfile::tempdir().unwrap();
        // Larger than any process number of Linux.
        let left = base.path().join(format!("{PREFIX}4194999"));
        let others = base.path().join(format!("{PREFIX}x"));
        let parent = base.path().join(format!("{PREFIX}{}", 1));
        for folder in [&left, &others, &parent] {
            fs::create_dir_all(folder.join("macs")).unwrap();
        }
        let folder = Folder::in_base(base.path()).unwrap();
        assert!(!left.exists() && others.exists() && parent.exists());
        let own = folder.path().to_owned();
        fs::create_dir_all(own.join("macs")).unwrap();
        drop(folder);
        assert!(!own.exists());
    }
}
