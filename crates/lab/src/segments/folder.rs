//! Where the files of transactions are: a folder for each process that measures, which takes it
//! away; and what a killed one has left, which the next takes away. Nothing else is ever taken
//! away: a folder is made anew, under a name that nobody can know before, and marked with whose it
//! is; what is removed is files by their names, and folders that are empty then.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;

use super::disk;
use super::error::SegmentsError;
use crate::owner::Owner;

/// What such a folder is called, before the random part.
const PREFIX: &str = "macrometer-segments-";

/// The file that says whose it is.
const MARK: &str = "owner.json";

/// The longest that this file can be.
const MARK_BYTES_MAX: u64 = 1 << 16;

/// The longest that a lab takes to end whose pipe is closed already.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// A folder without a mark may just be made, or be cleared, while it changes.
const MARKED_WITHIN: Duration = Duration::from_secs(60);

/// The folder of one measuring process, gone when this is dropped.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Made in `base`, for this process, which is the lab's. What processes that are no more have
    /// left there is removed first.
    ///
    /// # Errors
    /// When `base` is not there or may not be written, or others could replace what is made there.
    pub fn in_base(base: &Path) -> io::Result<Self> {
        let base = check_base(base)?;
        remove_left_over(&base, MARKED_WITHIN)?;
        let owner = serde_json::to_string(&Owner::this_process())?;
        let folder = base.join(format!("{PREFIX}{:016x}", rand::random::<u64>()));
        // Refused where there is one of that name; nobody else gets in.
        DirBuilder::new().mode(0o700).create(&folder)?;
        mark(&folder, owner.as_bytes())?;
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

/// The folder itself that `base` leads to. One in which others could put something else in the
/// place of ours is refused: what is written and removed by its name could be anybody's.
fn check_base(base: &Path) -> io::Result<PathBuf> {
    let place = fs::canonicalize(base)?;
    if !fs::metadata(&place)?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    match trust::doubt_of_place(&base.join(PREFIX)) {
        None => Ok(place),
        Some(doubt) => Err(io::Error::other(format!(
            "others could replace the folder that is made there: {doubt}; --segments-dir can name \
             another place"
        ))),
    }
}

/// Refuses a folder that was not made for segments, or by a process that is no more, as far as that
/// can be known from here.
///
/// # Errors
/// It is refused.
pub(crate) fn check(folder: &Path) -> Result<(), SegmentsError> {
    let owner = owner(folder)?;
    if owner.has_ended() == Some(true) { Err(not_ours(folder)) } else { Ok(()) }
}

fn not_ours(folder: &Path) -> SegmentsError {
    SegmentsError::NotOurs(folder.to_owned())
}

/// Whose folder this is.
///
/// # Errors
/// When it was not made for segments.
fn owner(folder: &Path) -> Result<Owner, SegmentsError> {
    let read = || serde_json::from_slice(&mark_of(folder)?).ok();
    // Of anything else nothing is opened: a base may be a folder that all users write to.
    let owner = about_ours(folder).and_then(|_| read());
    owner.ok_or_else(|| not_ours(folder))
}

/// What a folder's mark holds, if that is a file of this user.
fn mark_of(folder: &Path) -> Option<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let mark = OpenOptions::new().read(true).custom_flags(flags).open(folder.join(MARK)).ok()?;
    mark.metadata().ok().filter(|it| it.is_file() && is_own(it))?;
    let mut content = Vec::new();
    mark.take(MARK_BYTES_MAX).read_to_end(&mut content).ok()?;
    Some(content)
}

/// Marks a folder that has no mark.
fn mark(folder: &Path, content: &[u8]) -> io::Result<()> {
    let mut mark = OpenOptions::new().write(true).create_new(true).open(folder.join(MARK))?;
    mark.write_all(content)
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

/// Takes out what transactions write, and the folder with its mark if that was all. Until then
/// another process may go on writing into it, or be killed: the mark says to whoever comes next
/// whose the folder is.
fn clear(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut is_all = true;
    for entry in entries {
        let Ok(entry) = entry else { return };
        let name = entry.file_name();
        if name != MARK {
            is_all &= name.to_str().is_some_and(disk::is_name) && is_removed(&entry.path());
        }
    }
    if is_all {
        remove_marked(folder);
    }
}

/// Whether a file is gone now. Of a folder by its name, which is not ours, this is refused.
fn is_removed(file: &Path) -> bool {
    match fs::remove_file(file) {
        Ok(()) => true,
        // Another worker was first.
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}

/// Removes a folder in which there was nothing but its mark. Where something was written meanwhile
/// both stay.
fn remove_marked(folder: &Path) {
    let content = mark_of(folder);
    let _ = fs::remove_file(folder.join(MARK));
    if fs::remove_dir(folder).is_err()
        && let Some(content) = content
    {
        // Where this fails, the next run removes the folder when it is old.
        let _ = mark(folder, &content);
    }
}

/// Removes what processes that are no more have left in `base`.
///
/// # Errors
/// When `base` cannot be read, or others could replace what is there.
pub fn remove_all_left_over(base: &Path) -> io::Result<()> {
    remove_left_over(&check_base(base)?, MARKED_WITHIN)
}

fn remove_left_over(base: &Path, marked_within: Duration) -> io::Result<()> {
    for entry in fs::read_dir(base)? {
        let folder = entry?.path();
        let is_left = match owner(&folder) {
            Ok(owner) => owner.has_ended() == Some(true),
            Err(_) => is_left_unmarked(&folder, marked_within),
        };
        if is_left {
            clear(&folder);
        }
    }
    Ok(())
}

/// Whether a process was killed between making this folder and marking it, or removing its mark and
/// the folder: there is nothing in it but what transactions write and the beginning of a mark, and
/// nothing of it has changed for so long.
fn is_left_unmarked(folder: &Path, unchanged_for: Duration) -> bool {
    let is_old = |it: &fs::Metadata| {
        it.modified().is_ok_and(|it| it.elapsed().is_ok_and(|age| age >= unchanged_for))
    };
    if !about_ours(folder).is_some_and(|about| is_old(&about)) {
        return false;
    }
    let is_left = |entry: &fs::DirEntry| {
        let (name, about) = (entry.file_name(), entry.metadata());
        about.is_ok_and(|it| {
            let is_empty_mark = name == MARK && it.len() == 0;
            let is_known = is_empty_mark || name.to_str().is_some_and(disk::is_name);
            it.is_file() && is_own(&it) && is_known && is_old(&it)
        })
    };
    let Ok(mut entries) = fs::read_dir(folder) else { return false };
    entries.all(|entry| entry.is_ok_and(|entry| is_left(&entry)))
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
    use std::os::unix::fs::PermissionsExt;

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

    /// A folder by the name of ours, without a mark or with this.
    fn made(base: &Path, digit: &str, marked: Option<&str>) -> PathBuf {
        let folder = base.join(format!("{PREFIX}{}", digit.repeat(16)));
        fs::create_dir(&folder).unwrap();
        if let Some(content) = marked {
            fs::write(folder.join(MARK), content).unwrap();
        }
        folder
    }

    /// As a process leaves it that is killed before it has marked its folder.
    #[test]
    fn what_was_never_marked_is_removed_when_it_is_old() {
        let base = tempfile::tempdir().unwrap();
        let made = |digit: &str, marked: Option<&str>| made(base.path(), digit, marked);
        let (bare, begun) = (made("0", None), made("1", Some("")));
        let strange = made("2", Some("mine"));
        remove_left_over(base.path(), MARKED_WITHIN).unwrap();
        assert!(bare.exists() && begun.exists(), "they may just be made");
        remove_left_over(base.path(), Duration::ZERO).unwrap();
        assert!(!bare.exists() && !begun.exists() && strange.join(MARK).exists());
    }

    /// As a process leaves it that is killed while it removes the folder.
    #[test]
    fn what_lost_its_mark_is_removed_when_nothing_of_it_has_changed_for_long() {
        let base = tempfile::tempdir().unwrap();
        let with = |digit: &str, names: &[&str]| {
            let folder = made(base.path(), digit, None);
            names.iter().for_each(|name| fs::write(folder.join(name), "x").unwrap());
            folder
        };
        let left = with("0", &["file", "segment-0", "part-17"]);
        let touched = with("1", &["segment-0"]);
        let filled = with("2", &["segment-0", "thesis.tex"]);
        let linked = with("3", &["segment-0"]);
        std::os::unix::fs::symlink("segment-0", linked.join("segment-1")).unwrap();
        let other = base.path().join("mine");
        fs::create_dir(&other).unwrap();
        fs::write(other.join("segment-0"), "mine").unwrap();
        let all = [&left, &touched, &filled, &linked, &other];
        remove_all_left_over(base.path()).unwrap();
        assert!(all.iter().all(|folder| folder.join("segment-0").exists()), "they are new");
        let old = std::time::SystemTime::now() - 2 * MARKED_WITHIN;
        let age = |path: &Path| fs::File::open(path).unwrap().set_modified(old).unwrap();
        for folder in all {
            for entry in fs::read_dir(folder).unwrap() {
                age(&entry.unwrap().path());
            }
            age(folder);
        }
        // A file that is written over changes its own time, and not that of the folder.
        fs::write(touched.join("segment-0"), "y").unwrap();
        remove_all_left_over(base.path()).unwrap();
        assert!(!left.exists());
        for folder in [&touched, &filled, &linked, &other] {
            assert!(folder.join("segment-0").exists(), "{}", folder.display());
        }
    }

    /// Several workers share the folder: one may clear it while another still writes.
    #[test]
    fn the_mark_goes_with_the_folder_and_not_before_it() {
        let base = tempfile::tempdir().unwrap();
        let dead = left(base.path(), |owner| owner["started"] = "1".into());
        let marked = fs::read(dead.join(MARK)).unwrap();
        // What was written after everything had been taken out.
        remove_marked(&dead);
        assert_eq!(fs::read(dead.join(MARK)).unwrap(), marked);
        // What cannot be taken out.
        fs::create_dir(dead.join("part-1")).unwrap();
        clear(&dead);
        assert!(!dead.join("segment-0").exists() && owner(&dead).is_ok());
        fs::remove_dir(dead.join("part-1")).unwrap();
        clear(&dead);
        assert!(!dead.exists());
    }

    #[test]
    fn no_folder_is_made_where_others_could_replace_it() {
        let base = tempfile::tempdir().unwrap();
        let (shared, file) = (base.path().join("shared"), base.path().join("file"));
        fs::create_dir_all(shared.join("deep")).unwrap();
        fs::write(&file, "").unwrap();
        let mode = |mode| fs::set_permissions(&shared, PermissionsExt::from_mode(mode)).unwrap();
        let told = |base: &Path| check_base(base).unwrap_err().to_string();
        for place in [&shared, &shared.join("deep")] {
            mode(0o777);
            assert!(told(place).contains("0777") && told(place).contains("--segments-dir"));
            assert!(Folder::in_base(place).is_err() && remove_all_left_over(place).is_err());
            for harmless in [0o1777, 0o755] {
                mode(harmless);
                drop(Folder::in_base(place).unwrap());
            }
        }
        assert_eq!(check_base(&file).unwrap_err().kind(), ErrorKind::NotADirectory);
        assert_eq!(check_base(&file.join("x")).unwrap_err().kind(), ErrorKind::NotADirectory);
        assert_eq!(check_base(&shared.join("no")).unwrap_err().kind(), ErrorKind::NotFound);
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
    fn a_worker_takes_no_folder_of_a_process_that_has_ended() {
        let base = tempfile::tempdir().unwrap();
        // One in another container may live.
        let elsewhere = left(base.path(), |owner| owner["namespace"] = "pid:[1]".into());
        let alive = left(base.path(), |_| ());
        let dead = left(base.path(), |owner| owner["started"] = "1".into());
        assert!([&elsewhere, &alive].iter().all(|folder| check(folder).is_ok()));
        let told = check(&dead).unwrap_err();
        let is_refused = matches!(told, SegmentsError::NotOurs(_));
        assert!(is_refused, "{told}");
        assert!(dead.join("segment-0").exists() && owner(&dead).is_ok());
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
