//! The pipes of a worker: a request goes out, and one line comes back.

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{Worker, WorkerError, summary};

/// Longest reply that is read: nothing the protocol asks for is longer.
const REPLY_BYTES_MAX: usize = 1 << 24;

/// So much of an answer is told that the protocol does not know.
const TOLD_BYTES: usize = 80;

impl Worker {
    /// Before a request: what came unasked would be taken for its answer, and every later answer
    /// for that of the request behind it. A worker that cannot run here may say so before it is
    /// asked anything.
    pub(super) fn check_silence(&mut self, request: &str) -> Result<(), WorkerError> {
        if !std::mem::replace(&mut self.is_asked, true) {
            return Ok(());
        }
        let mut ready = [PollFd::new(&self.replies, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        if self.pending.is_empty() && poll(&mut ready, Some(&now)).is_ok_and(|count| count > 0) {
            let mut bytes = [0; TOLD_BYTES];
            // An end is no answer: it is told when the request gets none.
            let read = self.replies.read(&mut bytes).unwrap_or(0);
            self.pending.extend_from_slice(&bytes[..read]);
        }
        if self.pending.is_empty() { Ok(()) } else { Err(self.garbled(request)) }
    }

    pub(super) fn send(&mut self, request: &str, deadline: Instant) -> Result<(), WorkerError> {
        let line = format!("{request}\n");
        let mut left = line.as_bytes();
        while !left.is_empty() {
            match self.requests.write(left) {
                Ok(sent) => left = &left[sent..],
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let mut ready = [PollFd::new(&self.requests, PollFlags::OUT)];
                    wait(&mut ready, deadline).ok_or_else(|| hung(request, self.patience))?;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.died(request)),
            }
        }
        Ok(())
    }

    pub(super) fn receive(
        &mut self,
        request: &str,
        deadline: Instant,
    ) -> Result<String, WorkerError> {
        loop {
            if let Some(end) = self.pending.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).take(end).collect();
                return Ok(String::from_utf8_lossy(&line).trim_end().to_owned());
            }
            if self.pending.len() > REPLY_BYTES_MAX {
                return Err(self.garbled(request));
            }
            let mut ready = [PollFd::new(&self.replies, PollFlags::IN)];
            wait(&mut ready, deadline).ok_or_else(|| hung(request, self.patience))?;
            let mut bytes = [0; 16 * 1024];
            match self.replies.read(&mut bytes) {
                Ok(0) => return Err(self.died(request)),
                Ok(read) => self.pending.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Err(self.died(request)),
            }
        }
    }

    /// The beginning of what came is no answer.
    fn garbled(&self, request: &str) -> WorkerError {
        let begin = &self.pending[..self.pending.len().min(TOLD_BYTES)];
        let reply = String::from_utf8_lossy(begin).into_owned();
        WorkerError::Garbled { request: summary(request), reply }
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

fn hung(request: &str, patience: Duration) -> WorkerError {
    WorkerError::Hung { request: summary(request), waited_s: patience.as_secs_f64() }
}

/// Waits until the pipe is ready; `None` after the deadline.
pub(super) fn wait(ready: &mut [PollFd<'_>; 1], deadline: Instant) -> Option<()> {
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
