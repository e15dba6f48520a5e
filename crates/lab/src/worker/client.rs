//! The lab's side of a worker: launch it, ask it, notice when it hangs, dies or talks nonsense.

mod alternating;
mod cold;
mod info;
mod launch;
mod pipes;
mod segments;
mod sessions;

use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

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
        /// Seconds that an answer was waited for.
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
    /// It was made for other requests and replies.
    #[error("{0}")]
    Protocol(String),
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
    /// Whether it got a request already.
    is_asked: bool,
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
        let (pending, is_asked) = (Vec::new(), false);
        let worker = Self { name, child, requests, replies, pending, is_asked, patience };
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

    /// Times one sample: so many calls of a cell together.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn run(&mut self, id: u32, iterations: u64) -> Result<Timing, WorkerError> {
        let request = format!("run {id} {iterations}");
        let timing: Timing = self.ask(&request)?;
        let Timing { elapsed_ns, core_hz, .. } = timing;
        if elapsed_ns.is_finite() && elapsed_ns >= 0.0 && is_clock(core_hz) {
            return Ok(timing);
        }
        let reply = format!("{elapsed_ns} ns, core clock {core_hz:?}");
        Err(WorkerError::Garbled { request, reply })
    }

    /// `count` calls timed one by one: pairs of nanoseconds and how often.
    #[expect(clippy::missing_errors_doc, reason = "as `info`")]
    pub fn single(&mut self, id: u32, count: u64) -> Result<Vec<(u64, u64)>, WorkerError> {
        let request = format!("single {id} {count}");
        let Histogram { ns } = self.ask(&request)?;
        let counted = calls(&ns);
        if counted == Some(count) {
            return Ok(ns);
        }
        Err(WorkerError::Garbled { request, reply: format!("times of {counted:?} calls") })
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
            if under_way.is_empty() {
                self.check_silence(&request)?;
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
        self.check_silence(request)?;
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
}

impl Drop for Worker {
    /// A worker holds nothing that must be saved: its end need not be waited for politely.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Bytes as a word of a request.
fn word(bytes: &[u8]) -> String {
    if bytes.is_empty() { "-".into() } else { hex::encode(bytes) }
}

/// The bytes of a reply.
fn bytes(request: &str, reply: String) -> Result<Vec<u8>, WorkerError> {
    hex::decode(&reply).map_err(|_| WorkerError::Garbled { request: summary(request), reply })
}

/// How many calls a histogram has; absent where no number is so large.
fn calls(times: &[(u64, u64)]) -> Option<u64> {
    times.iter().try_fold(0_u64, |sum, (_, count)| sum.checked_add(*count))
}

/// Whether a core clock can be one, where it is told.
fn is_clock(core_hz: Option<f64>) -> bool {
    core_hz.is_none_or(|hz| hz.is_finite() && hz > 0.0)
}

/// The verb and the cell's number or the mac: never the key bytes behind them.
fn summary(request: &str) -> String {
    let words = request.split(' ').take(2).filter(|word| word.len() <= 32);
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
