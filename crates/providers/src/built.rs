//! What must be compiled before it can be measured (a worker in a compiled language, a revision of
//! a crate, a shim for a library without a C interface): made once, on first use, by the tools that
//! the user has, and kept in the user's cache folder.

mod error;

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustix::fs::OFlags;
use trust::is_trusted;

use crate::limited::work_of;
pub use error::NotBuilt;

/// Wall time in which this process compiled something, which happens once: whoever has a budget
/// for measuring does not count it.
#[must_use]
pub fn compiling_took() -> Duration {
    COMPILING.lock().unwrap_or_else(PoisonError::into_inner).took
}

static COMPILING: Mutex<Compiling> =
    Mutex::new(Compiling { count: 0, since: None, took: Duration::ZERO });

/// Several may be compiled at once; their time is counted once.
pub(crate) struct Compiling {
    count: u32,
    since: Option<Instant>,
    took: Duration,
}

impl Compiling {
    pub(crate) fn while_doing<T>(make: impl FnOnce() -> T) -> T {
        let change = |more: bool| {
            let mut it = COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
            it.count = if more { it.count + 1 } else { it.count.saturating_sub(1) };
            match (it.count, it.since) {
                (0, Some(since)) => (it.took, it.since) = (it.took + since.elapsed(), None),
                (_, None) => it.since = Some(Instant::now()),
                _ => {}
            }
        };
        change(true);
        let made = make();
        change(false);
        made
    }
}

/// The folder that `make` fills, for these `inputs`: the source, and all else that decides what
/// comes out (the compiler's version, its flags). Of two that want it at once one makes it, and the
/// other waits. It may take half a minute, and so it is told.
pub(crate) fn built<E: From<NotBuilt>>(
    name: &str,
    inputs: &[impl AsRef<str>],
    make: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<PathBuf, E> {
    built_in(&own_cache()?, name, inputs, |ready, begun| {
        tell(&format!("compiling the worker code for {name} (once) in {}", ready.display()));
        Compiling::while_doing(|| make(begun))
    })
}

/// A line on standard error. Where that cannot be written, nobody is told, and all goes on.
pub(crate) fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// The same of what takes no time to make, and is not told: what was built elsewhere.
pub(crate) fn kept<E: From<NotBuilt>>(
    name: &str,
    inputs: &[impl AsRef<str>],
    make: impl FnOnce(&Path) -> Result<(), E>,
) -> Result<PathBuf, E> {
    built_in(&own_cache()?, name, inputs, |_, begun| make(begun))
}

/// Lends an empty folder, which is removed at the end, for one use at a time.
pub(crate) fn lent<T, E: From<NotBuilt>>(
    name: &str,
    work: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    let cache = private_folder()?;
    let failed = |error| NotBuilt::file(&cache, error);
    let _lock = locked(&cache.join(format!("{name}.lock"))).map_err(failed)?;
    let folder = begun(&cache, name).map_err(failed)?;
    work(folder.path())
}

/// Lends the folder for these `inputs` as the last use has left it, for one use at a time. Those of
/// its `kind` that nobody has used for long are removed.
pub(crate) fn lent_again<T, E: From<NotBuilt>>(
    kind: &str,
    name: &str,
    inputs: &[impl AsRef<str>],
    work: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    lent_again_in(&own_cache()?, kind, name, inputs, work)
}

fn lent_again_in<T, E: From<NotBuilt>>(
    cache: &Path,
    kind: &str,
    name: &str,
    inputs: &[impl AsRef<str>],
    work: impl FnOnce(&Path) -> Result<T, E>,
) -> Result<T, E> {
    let cache = private(cache)?;
    let failed = |error| NotBuilt::file(&cache, error);
    remove_unused(&cache, &format!("{kind}-")).map_err(failed)?;
    let folder = cache.join(format!("{kind}-{name}-{}", digest(inputs)));
    let _lock = locked(&lock_of(&folder)).map_err(failed)?;
    made_private(&folder)?;
    let used = fs::File::open(&folder).and_then(|it| it.set_modified(SystemTime::now()));
    used.map_err(failed)?;
    work(&folder)
}

/// The folder that all of this lies in, into which nobody else can put anything.
pub(crate) fn private_folder() -> Result<PathBuf, NotBuilt> {
    private(&own_cache()?)
}

fn own_cache() -> Result<PathBuf, NotBuilt> {
    let cache = dirs::cache_dir().ok_or(NotBuilt::NoCache)?;
    Ok(cache.join("macrometer"))
}

fn private(cache: &Path) -> Result<PathBuf, NotBuilt> {
    made_private(cache)?;
    check_way_to(cache)?;
    let cache = cache.join("built");
    made_private(&cache)?;
    Ok(cache)
}

/// Holds a lock until it is dropped; whoever wants the same one waits.
fn locked(file: &Path) -> io::Result<fs::File> {
    let lock = lock_file(file)?;
    lock.lock()?;
    Ok(lock)
}

fn lock_file(file: &Path) -> io::Result<fs::File> {
    let mut lock = OpenOptions::new();
    lock.write(true).create(true).mode(0o600).custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    lock.open(file)
}

/// Beside a folder that is lent, so that it outlives that.
fn lock_of(folder: &Path) -> PathBuf {
    folder.with_extension("lock")
}

/// `make` gets the folder that will be, to tell of it, and the one to fill.
fn built_in<E: From<NotBuilt>>(
    cache: &Path,
    name: &str,
    inputs: &[impl AsRef<str>],
    make: impl FnOnce(&Path, &Path) -> Result<(), E>,
) -> Result<PathBuf, E> {
    let cache = private(cache)?;
    let ready = cache.join(format!("{name}-{}", digest(inputs)));
    let is_ready = || match ready.symlink_metadata() {
        Ok(_) => check_is_own(&ready).map(|()| true),
        Err(_) => Ok::<_, NotBuilt>(false),
    };
    if is_ready()? {
        return Ok(ready);
    }
    let failed = |error| NotBuilt::file(&cache, error);
    let _lock = locked(&cache.join(format!("{name}.lock"))).map_err(failed)?;
    if is_ready()? {
        return Ok(ready);
    }
    let begun = begun(&cache, name).map_err(failed)?;
    make(&ready, begun.path())?;
    fs::rename(begun.keep(), &ready).map_err(failed)?;
    Ok(ready)
}

/// An empty folder, for whoever holds the lock of this name. No name has a `~`, so that none is the
/// beginning of another one's folder.
fn begun(cache: &Path, name: &str) -> io::Result<tempfile::TempDir> {
    let prefix = format!(".{name}~");
    remove_left_over(cache, &prefix)?;
    let mut begun = tempfile::Builder::new();
    begun.prefix(&prefix).permissions(fs::Permissions::from_mode(0o700)).tempdir_in(cache)
}

/// How long what is lent is kept without being used.
const UNUSED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Folders of this kind that have not been used for long, and are not in use now.
fn remove_unused(cache: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(cache)? {
        let entry = entry?;
        if !entry.file_name().to_string_lossy().starts_with(prefix) || !entry.file_type()?.is_dir()
        {
            continue;
        }
        let folder = entry.path();
        let is_unused = || {
            let used = folder.metadata().and_then(|known| known.modified());
            used.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > UNUSED))
        };
        if is_unused() {
            let lock = lock_file(&lock_of(&folder))?;
            if lock.try_lock().is_ok() && is_unused() {
                fs::remove_dir_all(&folder)?;
            }
        }
    }
    Ok(())
}

/// What a killed process had begun to build: nobody else builds it while the lock is held.
fn remove_left_over(cache: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(cache)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(prefix) && entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// A folder that nobody else can put anything into: what lies in it is executed.
fn made_private(folder: &Path) -> Result<(), NotBuilt> {
    let failed = |error| NotBuilt::file(folder, error);
    if let Some(above) = folder.parent() {
        fs::create_dir_all(above).map_err(failed)?;
    }
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => check_is_own(folder)?,
        made => made.map_err(failed)?,
    }
    let mode = fs::metadata(folder).map_err(failed)?.permissions().mode();
    if mode & 0o077 != 0 {
        // Others could only look so far.
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(folder, private).map_err(failed)?;
    }
    Ok(())
}

/// Refuses a folder in whose place somebody else could put another.
fn check_way_to(folder: &Path) -> Result<(), NotBuilt> {
    let Some(doubt) = trust::doubt_of_place(folder) else { return Ok(()) };
    Err(NotBuilt::Replaceable { folder: folder.to_owned(), doubt })
}

/// Refuses a folder that somebody else has made, or could have put something into.
fn check_is_own(folder: &Path) -> Result<(), NotBuilt> {
    let failed = |error| NotBuilt::file(folder, error);
    let link = folder.symlink_metadata().map_err(failed)?;
    let known = folder.metadata().map_err(failed)?;
    let whole = || folder.to_owned();
    if let Some(owner) = [link.uid(), known.uid()].into_iter().find(|owner| !is_trusted(*owner)) {
        return Err(NotBuilt::OfAnother { folder: whole(), owner });
    }
    if !known.is_dir() {
        return Err(NotBuilt::NotAFolder(whole()));
    }
    if known.mode() & 0o022 != 0 {
        return Err(NotBuilt::Writable { folder: whole(), mode: known.mode() });
    }
    Ok(())
}

/// Runs a compiler and the like; its first words are the error.
pub(crate) fn run(command: &mut Command) -> Result<(), NotBuilt> {
    let program = command.get_program().to_string_lossy().into_owned();
    let ended = work_of(command).map_err(NotBuilt::NotRun)?;
    if ended.status.success() {
        return Ok(());
    }
    let said = [ended.stderr, ended.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    let telling = said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next());
    let said = telling.unwrap_or("it gave no reason").trim().to_owned();
    Err(NotBuilt::Failed { program, said })
}

fn digest(inputs: &[impl AsRef<str>]) -> String {
    let mut hasher = blake3::Hasher::new();
    for input in inputs.iter().map(AsRef::as_ref) {
        hasher.update(&input.len().to_le_bytes());
        hasher.update(input.as_bytes());
    }
    hasher.finalize().to_hex()[..16].into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn mode(path: &Path) -> u32 {
        path.symlink_metadata().unwrap().mode() & 0o777
    }

    fn build(cache: &Path) -> Result<PathBuf, NotBuilt> {
        built_in(cache, "toy", &["1"], |_, folder| {
            let worker = folder.join("worker");
            fs::write(&worker, "ours").map_err(|error| NotBuilt::file(&worker, error))
        })
    }

    #[test]
    fn what_is_built_is_private_and_built_once() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("deep/macrometer");
        let ready = build(&cache).unwrap();
        assert_eq!(fs::read_to_string(ready.join("worker")).unwrap(), "ours");
        for made in [&cache, &cache.join("built"), &ready] {
            assert_eq!(mode(made), 0o700, "{}", made.display());
        }
        fs::write(ready.join("worker"), "still").unwrap();
        assert_eq!(build(&cache).unwrap(), ready);
        assert_eq!(fs::read_to_string(ready.join("worker")).unwrap(), "still");
        // As earlier versions made it.
        fs::set_permissions(&cache, fs::Permissions::from_mode(0o755)).unwrap();
        build(&cache).unwrap();
        assert_eq!(mode(&cache), 0o700);
    }

    #[test]
    fn what_a_killed_process_had_begun_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let built = folder.path().join("built");
        for name in [".toy~abc123/deep", ".toyota~1", ".toy-car~123456", "toy-begun"] {
            fs::create_dir_all(built.join(name)).unwrap();
        }
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
        build(folder.path()).unwrap();
        assert!(!built.join(".toy~abc123").exists());
        for others in [".toyota~1", ".toy-car~123456", "toy-begun"] {
            assert!(built.join(others).exists(), "{others}");
        }
    }

    #[test]
    fn what_is_lent_is_kept_for_a_month_after_its_last_use() {
        let folder = tempfile::tempdir().unwrap();
        let lend = |input: &str| {
            let lent = |it: &Path| Ok::<_, NotBuilt>(it.to_owned());
            lent_again_in(folder.path(), "checkout", "toy", &[input], lent)
        };
        let age = |folder: &Path, days: u64| {
            let then = SystemTime::now() - Duration::from_secs(days * 24 * 60 * 60);
            fs::File::open(folder).unwrap().set_modified(then).unwrap();
        };
        let [first, second, third] = ["1", "2", "3"].map(|input| lend(input).unwrap());
        fs::write(first.join("file"), "kept").unwrap();
        for (folder, days) in [(&first, 29), (&second, 31), (&third, 31)] {
            age(folder, days);
        }
        let in_use = locked(&lock_of(&third)).unwrap();
        assert_eq!(lend("1").unwrap(), first);
        assert_eq!(fs::read_to_string(first.join("file")).unwrap(), "kept");
        assert!(!second.exists() && third.exists());
        drop(in_use);
        // A use makes it young again, before others are looked at.
        age(&first, 29);
        lend("1").unwrap();
        assert!(
            !third.exists()
                && first.metadata().unwrap().modified().unwrap().elapsed().unwrap() < UNUSED / 30
        );
    }

    #[test]
    fn what_others_could_have_put_there_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().join("macrometer");
        let ready = build(&cache).unwrap();
        for loose in [&ready, &cache.join("built"), &cache] {
            let before = mode(loose);
            fs::set_permissions(loose, fs::Permissions::from_mode(0o777)).unwrap();
            let told = build(&cache).unwrap_err().to_string();
            assert!(told.contains("others can write to it (mode 0777)"), "{told}");
            fs::set_permissions(loose, fs::Permissions::from_mode(before)).unwrap();
        }
        // Only root can give something away, and only then there is something to see.
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&ready, Some(12345), None).unwrap();
            let told = build(&cache).unwrap_err().to_string();
            assert!(told.contains("belongs to user 12345"), "{told}");
            std::os::unix::fs::chown(&ready, Some(0), None).unwrap();
        }
        // Whoever can write above it puts another in its place.
        let above = mode(folder.path());
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
        let told = build(&cache).unwrap_err().to_string();
        assert!(told.contains("others can write to (mode 0777)"), "{told}");
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        build(&cache).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(above)).unwrap();
        // And whoever can put another link in the place of one on the way.
        let shared = folder.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
        symlink(folder.path(), shared.join("link")).unwrap();
        let told = build(&shared.join("link/macrometer")).unwrap_err().to_string();
        assert!(told.contains("reached through") && told.contains("mode 0777"), "{told}");
        let victim = folder.path().join("victim");
        fs::write(&victim, "years").unwrap();
        fs::remove_dir_all(&ready).unwrap();
        let lock = cache.join("built/toy.lock");
        fs::remove_file(&lock).unwrap();
        symlink(&victim, &lock).unwrap();
        assert!(build(&cache).is_err());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "years");
    }
}
