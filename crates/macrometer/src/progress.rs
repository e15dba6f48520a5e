//! What a user sees while measuring: one line in a terminal, plain lines elsewhere; drawn between
//! blocks only, since drawing costs about a hundredth of what is measured.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::measure::{Look, Observer, Progress};
use lab::record::{Event, EventKind};

use crate::output::{say, width};

/// Until when plain lines come how often: a log is not to be filled with them.
const LINES: [(Duration, Duration); 3] = [
    (Duration::from_secs(3), Duration::from_secs(1)),
    (Duration::from_secs(60), Duration::from_secs(10)),
    (Duration::MAX, Duration::from_secs(30)),
];

/// Set by Ctrl-C or a termination signal.
#[derive(Clone)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for the signals. A second one ends the process at once; samples are durable. Whoever
    /// asks again hears of the same ones.
    pub fn listen() -> Result<Self> {
        static LISTENING: Mutex<Option<Stop>> = Mutex::new(None);
        let mut listening = LISTENING.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stop) = &*listening {
            return Ok(stop.clone());
        }
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })
        .context("cannot install signal handlers")?;
        Ok(listening.insert(Self(flag)).clone())
    }

    /// Whether to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The line of a terminal, or the lines of a log.
pub struct Bar {
    bar: Option<ProgressBar>,
    is_quiet: bool,
    began: Instant,
    last_line: Option<Instant>,
    stop: Stop,
}

impl Bar {
    /// One line where standard error is a terminal; nothing but warnings where it is to be quiet.
    pub fn new(stop: Stop, is_quiet: bool) -> Self {
        let bar = (!is_quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            // Cut to the width of the terminal, whatever that is when it is drawn.
            let style = ProgressStyle::with_template("{wide_msg}");
            bar.set_style(style.unwrap_or_else(|_| {
                // The template is a constant; the fallback only spares a panic.
                ProgressStyle::default_bar()
            }));
            bar
        });
        Self { bar, is_quiet, began: Instant::now(), last_line: None, stop }
    }

    /// Says what is begun.
    pub fn begin(&self, line: &str) {
        if !self.is_quiet {
            say(line);
        }
    }

    /// A line that stays, above the one that changes.
    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| say(line)),
            None => say(line),
        }
    }

    /// Takes the line away, so that results begin on a clean one.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// `12 of 60 s  launch 2/7, sizes, 64 B: 771 cells`: what comes first is never cut.
fn line(progress: &Progress) -> String {
    let Progress { doing, spent_s, budget_s, .. } = progress;
    format!("{spent_s:.0} of {budget_s:.0} s  {}", words::legible(doing))
}

/// Whether a plain line is due, `since` the beginning and the last line.
fn is_due(since: Duration, last: Option<Duration>) -> bool {
    let every = LINES.iter().find(|(until, _)| since < *until).map_or(LINES[0].1, |it| it.1);
    last.is_none_or(|last| last >= every)
}

impl Observer for Bar {
    fn show(&mut self, progress: &Progress) {
        if let Some(bar) = &self.bar {
            bar.set_message(line(progress));
            return;
        }
        let last = self.last_line.map(|last| last.elapsed());
        if !self.is_quiet && is_due(self.began.elapsed(), last) {
            self.last_line = Some(Instant::now());
            say(&line(progress));
        }
    }

    fn tell(&mut self, event: &Event) {
        if self.is_quiet && event.kind != EventKind::Warning {
            return;
        }
        self.say(&format!("{}: {}", event.kind, event.text));
    }

    fn look(&mut self, look: &Look<'_>) {
        let line = report::first_look::line(look, width()).filter(|_| !self.is_quiet);
        if let Some(line) = line {
            self.say(&line);
        }
    }

    fn stop(&self) -> bool {
        self.stop.is_set()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_fewer_lines_the_longer_a_run_takes() {
        let mut told = Vec::new();
        for at in 0..200 {
            let last = told.last().map(|last| Duration::from_secs(at - last));
            if is_due(Duration::from_secs(at), last) {
                told.push(at);
            }
        }
        assert_eq!(told, [0, 1, 2, 12, 22, 32, 42, 52, 82, 112, 142, 172]);
    }

    #[test]
    fn the_line_says_how_far_first() {
        let progress = Progress {
            doing: "launch 2/7\u{1b}[2J".into(),
            spent_s: 12.4,
            budget_s: 60.0,
            samples: 7,
        };
        let told = line(&progress);
        assert!(told.starts_with("12 of 60 s  launch 2/7"), "{told}");
        assert!(!told.contains('\u{1b}'), "{told}");
    }
}
