//! Where the files of transactions are: a folder for each process that measures, which takes it
//! away; and what a killed one has left, which the next takes away. Nothing else is ever taken
//! away: a folder is made anew, under a name that nobody can know before, and marked with whose it
//! is; what is removed is files by their names, and folders that are empty then.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use super::disk;
use crate::owner::Owner;

/// What such a folder is called, before the random part.
const PREFIX: &str = "macrometer-segments-";

/// The file that says whose it is.
const MARK: &str = "owner.json";

/// The longest that this file can be.
const MARK_BYTES_MAX: u64 = 1 << 16;

/// The longest that a lab takes to end whose pipe is closed already.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// A younger folder without a mark may just be made.
const MARKED_WITHIN: Duration = Duration::from_secs(60);

/// The folder of one measuring process, gone when this is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Made in `base`, for this process, which is the lab's. What processes that are no more have
    /// left there is removed first.
    ///
    /// # Errors
    /// When `base` is not there or may not be written.
    pub fn in_base(base: &Path) -> io::Result<Self> {
        let base = fs::canonicalize(base)?;
        remove_all_left_over(&base)?;
        let owner = serde_json::to_string(&Owner::this_process())?;
        let folder = base.join(format!("{PREFIX}{:016x}", rand::random::<u64>()));
        // Refused where there is one of that name; nobody else gets in.
        DirBuilder::new().mode(0o700).create(&folder)?;
        fs::write(folder.join(MARK), owner)?;
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
        clear(&self.0);
    }
}

/// Whose folder this is.
///
/// # Errors
/// When it was not made for segments: one line.
pub(crate) fn owner(folder: &Path) -> Result<Owner, String> {
    let read = || {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let mark =
            OpenOptions::new().read(true).custom_flags(flags).open(folder.join(MARK)).ok()?;
        mark.metadata().ok().filter(|it| it.is_file() && is_own(it))?;
        let mut content = Vec::new();
        mark.take(MARK_BYTES_MAX).read_to_end(&mut content).ok()?;
        serde_json::from_slice(&content).ok()
    };
    // Of anything else nothing is opened: a base may be a folder that all users write to.
    let owner = about_ours(folder).and_then(|_| read());
    owner.ok_or_else(|| {
        let path = folder.display();
        format!("{path}: not a segments folder of a running macrometer")
    })
}

/// About a folder of this user by the name of one for segments; `None` of anything else.
fn about_ours(folder: &Path) -> Option<fs::Metadata> {
    let hex = |c: char| c.is_ascii_hexdigit();
    let random = folder.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    let is_named = random.len() == 16 && random.chars().all(hex);
    let about = is_named.then(|| fs::symlink_metadata(folder).ok()).flatten()?;
    (about.is_dir() && is_own(&about)).then_some(about)
}

fn is_own(about: &fs::Metadata) -> bool {
    about.uid() == rustix::process::geteuid().as_raw()
}

/// Removes a folder whose lab has vanished without a word. One that still lives removes it itself.
pub(crate) fn remove_abandoned(folder: &Path) {
    let Ok(owner) = owner(folder) else { return };
    let begun = Instant::now();
    while owner.has_ended() == Some(false) && begun.elapsed() < ENDS_WITHIN {
        std::thread::sleep(Duration::from_millis(10));
    }
    if owner.has_ended() == Some(true) {
        clear(folder);
    }
}

/// Takes out what transactions write, and the folder if that was all.
fn clear(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name == MARK || disk::is_name(name)) {
            // Of a folder by that name, which is not ours, this is refused.
            let _ = fs::remove_file(entry.path());
        }
    }
    let _ = fs::remove_dir(folder);
}

/// Removes what processes that are no more have left in `base`.
///
/// # Errors
/// When `base` cannot be read.
pub fn remove_all_left_over(base: &Path) -> io::Result<()> {
    remove_left_over(base, MARKED_WITHIN)
}

fn remove_left_over(base: &Path, marked_within: Duration) -> io::Result<()> {
    for entry in fs::read_dir(base)? {
        let folder = entry?.path();
        let is_left = match owner(&folder) {
            Ok(owner) => owner.has_ended() == Some(true),
            Err(_) => was_never_marked(&folder, marked_within),
        };
        if is_left {
            clear(&folder);
        }
    }
    Ok(())
}

/// Whether a process was killed between making this folder and marking it: there is nothing in it
/// but the beginning of a mark.
fn was_never_marked(folder: &Path, marked_within: Duration) -> bool {
    let is_old = |it: fs::Metadata| {
        it.modified().is_ok_and(|it| it.elapsed().is_ok_and(|age| age >= marked_within))
    };
    if !about_ours(folder).is_some_and(is_old) {
        return false;
    }
    let is_empty_mark = |entry: &fs::DirEntry| {
        entry.file_name() == MARK && entry.metadata().is_ok_and(|it| it.is_file() && it.len() == 0)
    };
    let Ok(mut entries) = fs::read_dir(folder) else { return false };
    entries.all(|entry| entry.is_ok_and(|entry| is_empty_mark(&entry)))
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

    /// As a killed process leaves it.
    fn left(base: &Path, change: fn(&mut serde_json::Value)) -> PathBuf {
        let folder = Folder::in_base(base).unwrap();
        let path = folder.path().to_owned();
        std::mem::forget(folder);
        let mark = fs::read(path.join(MARK)).unwrap();
        let mut owner = serde_json::from_slice(&mark).unwrap();
        change(&mut owner);
        fs::write(path.join(MARK), owner.to_string()).unwrap();
        fs::write(path.join("segment-0"), "x").unwrap();
        path
    }

    #[test]
    fn what_dead_processes_left_is_removed_and_the_living_keep_theirs() {
        let base = tempfile::tempdir().unwrap();
        // A number that was given away again, and one that means nothing here.
        let dead = left(base.path(), |owner| owner["started"] = "1".into());
        let elsewhere = left(base.path(), |owner| owner["namespace"] = "pid:[1]".into());
        let alive = left(base.path(), |_| ());
        let folder = Folder::in_base(base.path()).unwrap();
        assert!(!dead.exists() && elsewhere.exists() && alive.exists());
        let own = folder.path().to_owned();
        fs::write(own.join("part-12"), "x").unwrap();
        drop(folder);
        assert!(!own.exists());
    }

    /// As a process leaves it that is killed before it has marked its folder.
    #[test]
    fn what_was_never_marked_is_removed_when_it_is_old() {
        let base = tempfile::tempdir().unwrap();
        let made = |digit: &str, marked: Option<&str>| {
            let folder = base.path().join(format!("{PREFIX}{}", digit.repeat(16)));
            fs::create_dir(&folder).unwrap();
            if let Some(content) = marked {
                fs::write(folder.join(MARK), content).unwrap();
            }
            folder
        };
        let (bare, begun) = (made("0", None), made("1", Some("")));
        let (strange, filled) = (made("2", Some("mine")), made("3", None));
        fs::write(filled.join("segment-0"), "mine").unwrap();
        remove_left_over(base.path(), MARKED_WITHIN).unwrap();
        assert!(bare.exists() && begun.exists(), "they may just be made");
        remove_left_over(base.path(), Duration::ZERO).unwrap();
        assert!(!bare.exists() && !begun.exists());
        assert!(strange.join(MARK).exists() && filled.join("segment-0").exists());
    }

    /// Reading a FIFO would wait for ever, and a device would never end.
    #[test]
    fn what_is_no_mark_of_our_own_is_not_read() {
        let base = tempfile::tempdir().unwrap();
        let ours = |digit: &str| base.path().join(format!("{PREFIX}{}", digit.repeat(16)));
        let fifo = |path: PathBuf| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        };
        fifo(ours("0"));
        for folder in [ours("1"), ours("2"), ours("3"), base.path().join("other")] {
            fs::create_dir(&folder).unwrap();
        }
        fifo(ours("1").join(MARK));
        fifo(base.path().join("other").join(MARK));
        std::os::unix::fs::symlink("/dev/zero", ours("2").join(MARK)).unwrap();
        let dead = left(base.path(), |owner| owner["started"] = "1".into());
        fs::write(ours("3").join(MARK), vec![b' '; 1 << 20]).unwrap();
        std::os::unix::fs::symlink(&dead, ours("4")).unwrap();
        for digit in ["0", "1", "2", "3", "4"] {
            assert!(owner(&ours(digit)).is_err(), "{digit}");
        }
        // Only root can give something away, and only then there is something to see.
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&dead, Some(12345), None).unwrap();
            assert!(owner(&dead).is_err());
            drop(Folder::in_base(base.path()).unwrap());
            assert!(dead.join("segment-0").exists());
            std::os::unix::fs::chown(&dead, Some(0), None).unwrap();
        }
        drop(Folder::in_base(base.path()).unwrap());
        assert!(!dead.exists());
    }

    #[test]
    fn what_others_put_there_survives() {
        let base = tempfile::tempdir().unwrap();
        let dead = left(base.path(), |owner| owner["started"] = "1".into());
        fs::write(dead.join("thesis.tex"), "years").unwrap();
        fs::create_dir_all(dead.join("part-1/deep")).unwrap();
        // By its name alone, or by its mark alone, a folder is nobody's.
        let unmarked = base.path().join(format!("{PREFIX}0123456789abcdef"));
        let other_name = base.path().join("mine");
        for folder in [&unmarked, &other_name] {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join("segment-0"), "mine").unwrap();
        }
        fs::copy(dead.join(MARK), other_name.join(MARK)).unwrap();
        drop(Folder::in_base(base.path()).unwrap());
        for folder in [&unmarked, &other_name] {
            assert!(folder.join("segment-0").exists() && owner(folder).is_err());
            remove_abandoned(folder);
            assert!(folder.join("segment-0").exists());
        }
        assert!(dead.join("thesis.tex").exists() && dead.join("part-1/deep").exists());
        assert!(!dead.join("segment-0").exists());
    }
}
