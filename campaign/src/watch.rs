//! Which paths a process and all that it starts write, make, rename or delete, by `strace`.

use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Calls that change something at a path.
pub const CALLS: &str = "openat,openat2,open,creat,unlink,unlinkat,rename,renameat,renameat2,\
                         mkdir,mkdirat,rmdir,symlink,symlinkat,link,linkat,truncate,chmod,\
                         fchmodat,chown,lchown,fchownat,mknod,mknodat";

/// One process of so many is watched, since it takes its time.
static ONE_OF: AtomicU64 = AtomicU64::new(16);

/// Every process is.
pub fn watch_all() {
    ONE_OF.store(1, Ordering::Relaxed);
}

/// Not ours to keep away from: devices.
const DEVICES: [&str; 3] = ["/dev/zero", "/dev/null", "/dev/tty"];

/// What lies below these, or begins so: the process itself, and what every JVM writes.
const BEGINNINGS: [&str; 3] = ["/tmp/hsperfdata_", "/proc/self/", "/dev/fd/"];

/// Words for what is watched here, or why nothing is.
pub fn can() -> Result<String, String> {
    static CAN: OnceLock<bool> = OnceLock::new();
    let tried = || {
        let mut strace = Command::new(strace());
        let calls = format!("trace={CALLS}");
        strace.args(["-f", "--seccomp-bpf", "-o", "/dev/null", "-e", &calls, "true"]);
        strace.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|it| it.success())
    };
    match CAN.get_or_init(tried) {
        true => Ok(match ONE_OF.load(Ordering::Relaxed) {
            1 => "the paths of all processes".into(),
            one_of => format!("the paths of one process of {one_of}"),
        }),
        false => Err("nothing, for strace is missing or may not trace".into()),
    }
}

/// Where it is: what it starts may have another `PATH`.
pub fn strace() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut files = std::env::split_paths(&path).map(|folder| folder.join("strace"));
    files.find(|file| file.is_file()).unwrap_or_else(|| "strace".into())
}

pub fn is_turn(number: u64) -> bool {
    number.is_multiple_of(ONE_OF.load(Ordering::Relaxed)) && can().is_ok()
}

/// The program under `strace`, which writes to this file.
pub fn watched(program: &Path, log: &Path) -> Command {
    let mut command = Command::new(strace());
    command.args(["-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096", "-e", "signal=none", "-e"]);
    command.arg(format!("trace={CALLS}")).arg("-o").arg(log).arg(program);
    command
}

/// Lines of a log that tell of something outside these folders.
pub fn strays(log: &str, folders: &[&Path]) -> Vec<String> {
    log.lines().filter(|line| is_stray(line, folders)).map(str::to_owned).collect()
}

fn is_stray(line: &str, folders: &[&Path]) -> bool {
    let Some((call, arguments)) = line.split_once('(') else { return false };
    // Calls that are to fail are listed, too, with what they read and write.
    let name = call.rsplit(' ').next().unwrap_or_default();
    if !CALLS.split(',').any(|changing| changing == name) {
        return false;
    }
    let is_open = name.contains("open");
    let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"];
    if line.contains(") = -1 ") || is_open && !writes.iter().any(|flag| arguments.contains(flag)) {
        return false;
    }
    let paths = paths(arguments);
    paths.iter().any(|path| {
        // Calls that name no folder begin where the process was started: in the first one.
        let path = plain(&folders[0].join(path).to_string_lossy());
        let is_allowed = path.to_str().is_some_and(|path| {
            DEVICES.contains(&path) || BEGINNINGS.iter().any(|begin| path.starts_with(begin))
        });
        !is_allowed && !folders.iter().any(|folder| path.starts_with(folder))
    })
}

/// The paths of a call: `AT_FDCWD</folder>, "name"`; of a link's target nothing is written.
fn paths(arguments: &str) -> Vec<String> {
    let pieces: Vec<&str> = arguments.split('"').collect();
    let quoted = pieces.chunks(2).filter(|pair| pair.len() == 2);
    let whole = |pair: &[&str]| {
        let base = pair[0].rsplit_once('<').and_then(|(_, rest)| rest.split_once('>'));
        match (pair[1].starts_with('/'), base) {
            (false, Some((base, _))) => format!("{base}/{}", pair[1]),
            _ => pair[1].to_owned(),
        }
    };
    quoted.map(whole).collect()
}

/// Without `..`, which could lead anywhere.
fn plain(path: &str) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in Path::new(path).components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_elsewhere_is_seen() {
        let of = |line: &str| is_stray(line, &[Path::new("/bed")]);
        assert!(of("1 unlink(\"/etc/passwd\") = 0"));
        assert!(of("1 openat(AT_FDCWD</bed>, \"../x\", O_WRONLY|O_CREAT, 0666) = 3</x>"));
        assert!(of("1 openat2(3</x>, \"a\", {flags=O_WRONLY, resolve=0}, 24) = 4</x/a>"));
        assert!(of("1 rename(\"/bed/a\", \"/home/b\") = 0"));
        assert!(of("1 mkdir(\"/x\", 0777 <unfinished ...>"));
        assert!(!of("1 openat(AT_FDCWD</bed>, \"a\", O_RDWR|O_CREAT, 0644) = 3</bed/a>"));
        assert!(!of("1 openat(AT_FDCWD</bed>, \"/etc/passwd\", O_RDONLY) = 3</etc/passwd>"));
        assert!(!of("1 unlink(\"/etc/passwd\") = -1 EACCES (Permission denied)"));
        assert!(!of("1 mkdir(\"reports\", 0777) = 0"));
        assert!(!of("1 read(3</etc/passwd>, \"/etc\", 4) = 4"));
        assert!(of("1 mkdir(\"../reports\", 0777) = 0"));
        assert!(!of("1 openat(AT_FDCWD</bed>, \"/dev/null\", O_RDWR) = 3</dev/null>"));
        assert!(!of("1 openat(AT_FDCWD</bed>, \"/proc/self/x\", O_WRONLY) = 3</proc/1/x>"));
        assert!(!of("1 mkdir(\"/tmp/hsperfdata_me\", 0755) = 0"));
        assert!(of("1 openat(AT_FDCWD</bed>, \"/dev/nullify\", O_WRONLY) = 3</dev/nullify>"));
        assert!(of("1 openat(AT_FDCWD</bed>, \"/proc/self/../../x\", O_WRONLY) = 3</x>"));
    }
}
