//! The lab's side of a worker: launch it, ask it, notice when it hangs, dies or talks nonsense.

mod alternating;
mod cold;
mod info;
mod launch;
mod segments;
mod sessions;

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use thiserror::Error;
use words::{Cause, Unavailable};

pub use alternating::Alternated;
pub use cold::FirstCall;
pub use launch::Launch;
pub use segments::{ActionTime, Actions, Faults};

use super::{Inputs, Sealed};
use crate::cell::Cell;

/// How long a worker may take for an answer, unless its launch says otherwise: far longer than
/// anything it is asked for, short enough that a user does not give up first.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// Longest reply that is read: nothing the protocol asks for is longer.
const REPLY_BYTES_MAX: usize = 1 << 24;

/// Requests that may be under way at once, in bytes: half of what a pipe holds.
const PIPE_BYTES: usize = 1 << 15;

/// What a worker can do wrong.
#[derive(Debug, Error)]
pub enum WorkerError {
    /// It answered `err`: the request is refused, the worker lives on.
    #[error("{0}")]
    Refused(String),
    /// It says that its provider cannot be had here; it, too, lives on.
    #[error("{0}")]
    Unavailable(Unavailable),
    /// It could not be started.
    #[error("cannot start {0}")]
    Launch(String),
    /// No answer in time.
    #[error("hangs: no answer to `{request}` within {waited_s} s")]
    Hung {
        /// The first words of what was asked.
        request: String,
        /// Seconds waited.
        waited_s: f64,
    },
    /// Its process ended.
    #[error("died at `{request}`: {how}")]
    Died {
        /// The first words of what was asked.
        request: String,
        /// Signal or exit status.
        how: String,
    },
    /// Neither `ok` nor `err`.
    #[error("answers `{request}` with what the protocol does not know: {reply:?}")]
    Garbled {
        /// The first words of what was asked.
        request: String,
        /// The beginning of the answer.
        reply: String,
    },
}

impl WorkerError {
    /// Whether the worker can still be asked.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Unavailable(_))
    }
}

/// A running worker.
#[derive(Debug)]
pub struct Worker {
    name: String,
    child: Child,
    requests: ChildStdin,
    replies: ChildStdout,
    pending: Vec<u8>,
    patience: Duration,
}

/// The reply to `run`.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Timing {
    /// Nanoseconds of all iterations.
    pub elapsed_ns: f64,
    /// The same in ticks, where the worker has a counter.
    #[serde(default)]
    pub ticks: Option<u64>,
    /// Core clock estimated beside it.
    #[serde(default)]
    pub core_hz: Option<f64>,
}

#[derive(Deserialize)]
struct Empty {}

#[derive(Deserialize)]
struct Tags {
    tags: String,
}

#[derive(Deserialize)]
struct Tag {
    tag: String,
}

#[derive(Deserialize)]
struct Ciphertext {
    ciphertext: String,
    tag: String,
}

#[derive(Deserialize)]
struct Opened {
    message: Option<String>,
}

#[derive(Deserialize)]
struct Histogram {
    ns: Vec<(u64, u64)>,
}

impl Worker {
    /// Starts a worker, pinned to `cpu` where given.
    ///
    /// # Errors
    /// [`WorkerError::Launch`] with the program's name and the reason.
    pub fn launch(launch: &Launch, cpu: Option<u32>) -> Result<Self, WorkerError> {
        let program = launch.command.first().cloned().unwrap_or_default();
        let failed =
            |error: String| WorkerError::Launch(format!("{}: {error}", program.to_string_lossy()));
        let mut child = Command::new(&program)
            .args(launch.command.get(1..).unwrap_or_default())
            .envs(launch.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C is for the lab alone; workers end when it closes their input.
            .process_group(0)
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (Some(requests), Some(replies)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("no pipes".into()));
        };
        rustix::io::ioctl_fionbio(&requests, true).map_err(|error| failed(error.to_string()))?;
        let (name, patience) = (launch.name.clone(), launch.patience);
        let pending = Vec::new();
        let worker = Self { name, child, requests, replies, pending, patience };
        if let Some(cpu) = cpu {
            worker.pin(cpu).map_err(|error| failed(error.to_string()))?;
        }
        Ok(worker)
    }

    fn pin(&self, cpu: u32) -> rustix::io::Result<()> {
        let mut set = rustix::thread::CpuSet::new();
        set.set(cpu as usize);
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::thread::sched_setaffinity(Some(pid), &set)
    }

    /// Nanoseconds of processors that its process has had, those of threads that have ended
    /// included; absent where the system does not tell.
    pub(crate) fn cpu_ns(&self) -> Option<f64> {
        let pid = nix::unistd::Pid::from_raw(self.child.id().cast_signed());
        let time = nix::time::ClockId::pid_cpu_clock_id(pid).ok()?.now().ok()?;
        Some(time.tv_sec() as f64 * 1e9 + time.tv_nsec() as f64)
    }

    /// Name of the provider.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Hands over the bytes that all messages are cut from.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn pool(&mut self, pool: &[u8]) -> Result<(), WorkerError> {
        let Empty {} = self.ask(&format!("pool {}", hex::encode(pool)))?;
        Ok(())
    }

    /// Makes a cell ready under the number `id`. Its segments hold
    /// `block_len_bytes`, where it makes any.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn open(
        &mut self,
        id: u32,
        cell: &Cell,
        keys: &[u8],
        block_len_bytes: Option<u32>,
    ) -> Result<(), WorkerError> {
        let Cell { candidate, regime, key_life, len_bytes, .. } = cell;
        let (mac, keys) = (&candidate.mac, hex::encode(keys));
        let mut request = format!("open {id} {mac} {key_life} {regime} {len_bytes} {keys}");
        if let Some(block_len_bytes) = block_len_bytes {
            request += &format!(" {block_len_bytes}");
        }
        let Empty {} = self.ask_within(&request, sessions::to_open(*regime))?;
        Ok(())
    }

    /// Gives a cell new keys.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn rekey(&mut self, id: u32, keys: &[u8]) -> Result<(), WorkerError> {
        let Empty {} = self.ask(&format!("rekey {id} {}", hex::encode(keys)))?;
        Ok(())
    }

    /// The tags of a cell's first `count` messages, one after another, in hexadecimal.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn prove(&mut self, id: u32, count: usize) -> Result<String, WorkerError> {
        let Tags { tags } = self.ask(&format!("prove {id} {count}"))?;
        Ok(tags)
    }

    /// One sample.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn run(&mut self, id: u32, iterations: u64) -> Result<Timing, WorkerError> {
        let request = format!("run {id} {iterations}");
        let timing: Timing = self.ask(&request)?;
        if timing.elapsed_ns.is_finite() && timing.elapsed_ns >= 0.0 {
            return Ok(timing);
        }
        Err(WorkerError::Garbled { request, reply: format!("{} ns", timing.elapsed_ns) })
    }

    /// `count` calls timed one by one: pairs of nanoseconds and how often.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn single(&mut self, id: u32, count: u64) -> Result<Vec<(u64, u64)>, WorkerError> {
        let Histogram { ns } = self.ask(&format!("single {id} {count}"))?;
        Ok(ns)
    }

    /// One tag of each of these inputs. Several requests are under way at once: they are handed
    /// over while both pipes still have room.
    #[expect(clippy::missing_errors_doc, reason = "as `info`, but for refusals")]
    pub fn tags(
        &mut self,
        mac: &str,
        inputs: &[Inputs<'_>],
    ) -> Result<Vec<Result<Vec<u8>, String>>, WorkerError> {
        let mut tags = Vec::with_capacity(inputs.len());
        let mut under_way = Vec::new();
        let mut under_way_bytes = 0;
        for inputs in inputs {
            let request = format!(
                "tag {mac} {} {} {} {} {}",
                word(inputs.key),
                word(inputs.nonce),
                word(inputs.customization),
                inputs.tag_len_bytes,
                word(inputs.message),
            );
            if under_way_bytes + request.len() > PIPE_BYTES {
                self.receive_tags(&mut under_way, &mut tags)?;
                under_way_bytes = 0;
            }
            self.send(&request, Instant::now() + self.patience)?;
            under_way_bytes += request.len();
            under_way.push(summary(&request));
        }
        self.receive_tags(&mut under_way, &mut tags)?;
        Ok(tags)
    }

    fn receive_tags(
        &mut self,
        under_way: &mut Vec<String>,
        tags: &mut Vec<Result<Vec<u8>, String>>,
    ) -> Result<(), WorkerError> {
        for request in under_way.drain(..) {
            tags.push(match self.answer::<Tag>(&request, Instant::now() + self.patience) {
                Ok(Tag { tag }) => Ok(bytes(&request, tag)?),
                Err(error) if error.is_refusal() => Err(error.to_string()),
                Err(error) => return Err(error),
            });
        }
        Ok(())
    }

    /// Seals one message.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn seal(&mut self, mac: &str, inputs: &Inputs<'_>) -> Result<Sealed, WorkerError> {
        let Inputs { key, nonce, associated_data, message, tag_len_bytes, .. } = *inputs;
        let [key, nonce, associated_data] = [key, nonce, associated_data].map(word);
        let request =
            format!("seal {mac} {key} {nonce} {associated_data} {tag_len_bytes} {}", word(message));
        let Ciphertext { ciphertext, tag } = self.ask(&request)?;
        Ok(Sealed { ciphertext: bytes(&request, ciphertext)?, tag: bytes(&request, tag)? })
    }

    /// Opens one sealed message; `None` when it is not genuine.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn unseal(
        &mut self,
        mac: &str,
        inputs: &Inputs<'_>,
        tag: &[u8],
    ) -> Result<Option<Vec<u8>>, WorkerError> {
        let Inputs { key, nonce, associated_data, message, .. } = *inputs;
        let words = [key, nonce, associated_data, message, tag].map(word).join(" ");
        let request = format!("unseal {mac} {words}");
        let Opened { message } = self.ask(&request)?;
        message.map(|message| bytes(&request, message)).transpose()
    }

    fn ask<T: DeserializeOwned>(&mut self, request: &str) -> Result<T, WorkerError> {
        let deadline = Instant::now() + self.patience;
        self.send(request, deadline)?;
        self.answer(request, deadline)
    }

    fn answer<T: DeserializeOwned>(
        &mut self,
        request: &str,
        deadline: Instant,
    ) -> Result<T, WorkerError> {
        let line = self.receive(request, deadline)?;
        let garbled = || WorkerError::Garbled {
            request: summary(request),
            reply: line.chars().take(80).collect(),
        };
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("ok", reply) => serde_json::from_str(reply).map_err(|_| garbled()),
            (word, text) => {
                let reason = if text.is_empty() { "it gives no reason" } else { text };
                let reason = words::legible(reason).into_owned();
                Err(match Cause::of_reply(word).ok_or_else(garbled)? {
                    Cause::Failure => WorkerError::Refused(reason),
                    cause => WorkerError::Unavailable(Unavailable { cause, reason }),
                })
            }
        }
    }

    fn send(&mut self, request: &str, deadline: Instant) -> Result<(), WorkerError> {
        let line = format!("{request}\n");
        let mut left = line.as_bytes();
        while !left.is_empty() {
            match self.requests.write(left) {
                Ok(sent) => left = &left[sent..],
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    let mut ready = [PollFd::new(&self.requests, PollFlags::OUT)];
                    wait(&mut ready, deadline).ok_or_else(|| hung(request, self.patience))?;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Err(self.died(request)),
            }
        }
        Ok(())
    }

    fn receive(&mut self, request: &str, deadline: Instant) -> Result<String, WorkerError> {
        loop {
            if let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).take(end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            if self.pending.len() > REPLY_BYTES_MAX {
                let reply = String::from_utf8_lossy(&self.pending[..80]).into_owned();
                return Err(WorkerError::Garbled { request: summary(request), reply });
            }
            let mut ready = [PollFd::new(&self.replies, PollFlags::IN)];
            wait(&mut ready, deadline).ok_or_else(|| hung(request, self.patience))?;
            let mut bytes = [0; 16 * 1024];
            match self.replies.read(&mut bytes) {
                Ok(0) => return Err(self.died(request)),
                Ok(read) => self.pending.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => return Err(self.died(request)),
            }
        }
    }

    fn died(&mut self, request: &str) -> WorkerError {
        // The pipe may close a moment before the process is gone.
        let deadline = Instant::now() + Duration::from_secs(1);
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(status) => break status,
                Err(_) => break None,
            }
        };
        let how = status.map_or("closed its output".into(), |status| status.to_string());
        WorkerError::Died { request: summary(request), how }
    }
}

impl Drop for Worker {
    /// A worker holds nothing that must be saved: its end need not be waited for politely.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn hung(request: &str, patience: Duration) -> WorkerError {
    WorkerError::Hung { request: summary(request), waited_s: patience.as_secs_f64() }
}

/// Bytes as a word of a request.
fn word(bytes: &[u8]) -> String {
    if bytes.is_empty() { "-".into() } else { hex::encode(bytes) }
}

/// The bytes of a reply.
fn bytes(request: &str, reply: String) -> Result<Vec<u8>, WorkerError> {
    hex::decode(&reply).map_err(|_| WorkerError::Garbled { request: summary(request), reply })
}

/// The verb and the cell's number or the mac: never the key bytes behind them.
fn summary(request: &str) -> String {
    let words = request.split(' ').take(2).filter(|word| word.len() <= 32);
    words.collect::<Vec<_>>().join(" ")
}

/// Waits until the pipe is ready; `None` after the deadline.
fn wait(ready: &mut [PollFd<'_>; 1], deadline: Instant) -> Option<()> {
    loop {
        let left = deadline.checked_duration_since(Instant::now())?;
        let timeout = Timespec {
            tv_sec: i64::try_from(left.as_secs()).ok()?,
            tv_nsec: i64::from(left.subsec_nanos()),
        };
        match poll(ready, Some(&timeout)) {
            Ok(0) => return None,
            Err(rustix::io::Errno::INTR) => {}
            _ => return Some(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn shell(script: &str) -> Worker {
        let command = ["sh", "-c", script].map(OsString::from).to_vec();
        Worker::launch(&Launch::new("toy", command), None).unwrap()
    }

    #[test]
    fn a_refusal_is_told_and_the_worker_can_be_asked_again() {
        let mut worker = shell("while read line; do echo err no $line; done");
        for _ in 0..2 {
            let error = worker.prove(3, 1).unwrap_err();
            assert!(error.is_refusal() && error.to_string() == "no prove 3 1", "{error}");
        }
    }

    #[test]
    fn death_and_nonsense_are_told_with_the_request_but_without_keys() {
        let error = shell("read line; kill -SEGV $$").rekey(5, &[0xab; 32]).unwrap_err();
        assert!(error.to_string().contains("died at `rekey 5`: signal: 11"), "{error}");
        let error = shell("read line; echo hello").run(5, 1).unwrap_err();
        assert!(error.to_string().contains("`run 5`") && !error.is_refusal(), "{error}");
        let error = shell("read line; echo 'ok {\"elapsed_ns\":-1}'").run(5, 1).unwrap_err();
        assert!(matches!(error, WorkerError::Garbled { .. }));
        let error = shell("exit 3").pool(&vec![0; 1 << 20]).unwrap_err();
        assert!(matches!(error, WorkerError::Died { .. }) && !error.to_string().contains("0000"));
    }

    #[test]
    fn a_worker_that_hangs_is_noticed_while_reading_and_while_writing() {
        let soon = || Instant::now() + Duration::from_millis(50);
        let mut worker = shell("sleep 60");
        assert!(matches!(worker.receive("info", soon()), Err(WorkerError::Hung { .. })));
        let long = "pool ".to_owned() + &"00".repeat(1 << 20);
        assert!(matches!(worker.send(&long, soon()), Err(WorkerError::Hung { .. })));
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let command = vec![OsString::from("/no/such/program")];
        let error = Worker::launch(&Launch::new("x", command), None).unwrap_err();
        assert!(error.to_string().contains("cannot start /no/such/program"), "{error}");
    }
}
