//! Programs are run for a limited time: one that never answers must not keep us waiting for ever.

use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use words::Unavailable;

/// How long a program may take to say what it is, or where it has something.
const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

/// How long one may take that fetches or compiles.
const WORKS_WITHIN: Duration = Duration::from_secs(600);

/// What it has started may keep its outputs open when it has ended. So long is waited for the rest
/// of what it said itself.
const REST_WITHIN: Duration = Duration::from_millis(500);

/// How often it is looked whether it has ended.
const LOOKS_EVERY: Duration = Duration::from_millis(5);

/// Longest that a program may say.
pub const SAID_BYTES_MAX: usize = 1 << 28;

/// How much is read at once.
const PART_BYTES: usize = 1 << 16;

/// Why a program that was run gave no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// It could not be started, or not be listened to.
    Failed(io::Error),
    /// It had not ended at the limit.
    Late,
    /// It printed more than [`SAID_BYTES_MAX`].
    Endless,
}

impl From<io::Error> for NoAnswer {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// A program that was run and gave no answer.
#[derive(Debug)]
pub struct Unanswered {
    program: String,
    limit: Duration,
    why: NoAnswer,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, limit, why } = self;
        match why {
            NoAnswer::Failed(error) => write!(f, "{program}: {error}"),
            NoAnswer::Late => write!(f, "{program}: no answer within {} s", limit.as_secs_f64()),
            NoAnswer::Endless => write!(f, "{program}: it prints without end"),
        }
    }
}

impl std::error::Error for Unanswered {}

impl From<Unanswered> for Unavailable {
    fn from(unanswered: Unanswered) -> Self {
        unanswered.to_string().into()
    }
}

/// Asks a program something. It has a process group of its own, which ends with it at the limit.
pub(crate) fn answer_of(command: &mut Command) -> Result<Output, Unanswered> {
    said_within(command.process_group(0), ANSWERS_WITHIN)
}

/// Has a program fetch or compile something. It is in our process group: Ctrl-C ends it, and what
/// it starts may ask the user for a password.
pub(crate) fn work_of(command: &mut Command) -> Result<Output, Unanswered> {
    said_within(command, WORKS_WITHIN)
}

/// What a program says that is asked nothing, and how it ends.
fn said_within(command: &mut Command, limit: Duration) -> Result<Output, Unanswered> {
    let program = command.get_program().to_string_lossy().into_owned();
    output_of(command.stdin(Stdio::null()), limit).map_err(|why| Unanswered { program, limit, why })
}

/// What a program prints, and how it ends. Its standard input is the command's. At the limit it is
/// killed, with its process group where it has one of its own.
///
/// # Errors
/// [`NoAnswer`], where it has not ended by itself.
pub fn output_of(command: &mut Command, limit: Duration) -> Result<Output, NoAnswer> {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    said(&mut child, limit).inspect_err(|_| kill(child))
}

fn said(child: &mut Child, limit: Duration) -> Result<Output, NoAnswer> {
    let (to, parts) = sync_channel(16);
    listen(child.stdout.take(), 0, to.clone())?;
    listen(child.stderr.take(), 1, to)?;
    let mut outputs = [Vec::new(), Vec::new()];
    let (mut until, mut ended) = (Instant::now() + limit, None);
    loop {
        match parts.recv_timeout(LOOKS_EVERY) {
            Ok((which, part)) => {
                let output: &mut Vec<u8> = &mut outputs[which];
                output.extend_from_slice(&part);
                if output.len() > SAID_BYTES_MAX {
                    return Err(NoAnswer::Endless);
                }
            }
            Err(RecvTimeoutError::Disconnected) if ended.is_some() => break,
            // It has closed both, and will have ended in a moment: as a rule.
            Err(RecvTimeoutError::Disconnected) => thread::sleep(LOOKS_EVERY),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if ended.is_none() {
            ended = child.try_wait()?;
            if ended.is_some() {
                until = Instant::now() + REST_WITHIN;
            }
        }
        if Instant::now() >= until {
            break;
        }
    }
    let [stdout, stderr] = outputs;
    let status = ended.ok_or(NoAnswer::Late)?;
    Ok(Output { status, stdout, stderr })
}

/// Sends on what comes out of a pipe, until it is closed or nobody takes it any more.
fn listen(
    pipe: Option<impl Read + Send + 'static>,
    which: usize,
    to: SyncSender<(usize, Vec<u8>)>,
) -> io::Result<()> {
    let Some(mut pipe) = pipe else { return Ok(()) };
    let listen = move || {
        let mut part = vec![0; PART_BYTES];
        loop {
            match pipe.read(&mut part) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(read @ 1..) if to.send((which, part[..read].to_vec())).is_ok() => {}
                _ => return,
            }
        }
    };
    thread::Builder::new().spawn(listen).map(drop)
}

fn kill(mut child: Child) {
    // Its number is nobody else's until it has been waited for. It may have no group.
    if matches!(child.try_wait(), Ok(None)) {
        let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
        let _ = child.kill();
    }
    // One that waits for a disk ends later.
    let _ = thread::Builder::new().spawn(move || child.wait());
}

#[cfg(test)]
mod tests {
    use rustix::fs::{Mode, OFlags};

    use super::*;

    fn sh(script: &str) -> Command {
        let mut sh = Command::new("sh");
        sh.args(["-c", script]);
        sh
    }

    #[test]
    fn what_a_program_says_and_how_it_ends_is_told() {
        let said = answer_of(&mut sh("echo one; echo two >&2; exit 3")).unwrap();
        assert_eq!((&said.stdout[..], &said.stderr[..]), (&b"one\n"[..], &b"two\n"[..]));
        assert_eq!(said.status.code(), Some(3));
        // More than a pipe holds, and nothing on standard input.
        let said = work_of(&mut sh("cat; head -c 1000000 /dev/zero")).unwrap();
        assert_eq!((said.stdout.len(), said.status.code()), (1_000_000, Some(0)));
        let error = answer_of(&mut Command::new("/no/such/program")).unwrap_err();
        assert!(matches!(error.why, NoAnswer::Failed(_)), "{error}");
        assert!(error.to_string().starts_with("/no/such/program: "), "{error}");
    }

    #[test]
    fn one_that_does_not_answer_is_killed_with_all_that_it_has_started() {
        let folder = tempfile::tempdir().unwrap();
        // Held for as long as any of them lives.
        let held = folder.path().join("held");
        let made = Command::new("mkfifo").arg(&held).status().unwrap();
        assert!(made.success());
        let scripts = ["exec sleep 100", "sleep 100 & wait", "exec >&- 2>&-; exec sleep 100"];
        for script in scripts {
            let mut asked = sh(&format!("exec 3<>\"$0\"; {script}"));
            asked.arg(&held).process_group(0);
            let error = said_within(&mut asked, Duration::from_millis(200)).unwrap_err();
            assert_eq!(error.to_string(), "sh: no answer within 0.2 s", "{script}");
        }
        // Nobody reads it any more, then, and this is refused.
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let begun = Instant::now();
        while rustix::fs::open(&held, flags, Mode::empty()).is_ok() {
            assert!(begun.elapsed() < Duration::from_secs(60), "one of them sleeps on");
            thread::sleep(LOOKS_EVERY);
        }
    }

    #[test]
    fn one_that_leaves_another_behind_has_answered_when_it_ends() {
        let said = work_of(&mut sh("sleep 100 & echo $!; exit 4")).unwrap();
        assert_eq!(said.status.code(), Some(4));
        let other: u32 = String::from_utf8(said.stdout).unwrap().trim().parse().unwrap();
        let is_killed = sh(&format!("kill {other}")).status().unwrap().success();
        assert!(is_killed, "that one's end was waited for");
    }
}
