//! What a user sees while measuring: a bar in a terminal, plain lines elsewhere; drawn between
//! blocks only, since drawing costs about a hundredth of what is measured.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::measure::{Observer, Progress};
use lab::record::Event;

use crate::output::say;

/// Seconds between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(1);

/// Set by Ctrl-C or a termination signal.
#[derive(Clone)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens for the signals. A second one ends the process at once; samples are durable.
    pub fn listen() -> Result<Self> {
        let flag = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&flag);
        ctrlc::set_handler(move || {
            if seen.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })
        .context("signals cannot be listened to")?;
        Ok(Self(flag))
    }

    /// Whether to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The bar, or the lines.
pub struct Bar {
    bar: Option<ProgressBar>,
    last_line: Option<Instant>,
    stop: Stop,
}

impl Bar {
    /// A bar where standard error is a terminal.
    pub fn new(stop: Stop) -> Self {
        let style = "{bar:30.cyan/dim} {msg}";
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            bar.set_style(ProgressStyle::with_template(style).unwrap_or_else(|_| {
                // The template is a constant; the fallback only spares a panic.
                ProgressStyle::default_bar()
            }));
            bar
        });
        Self { bar, last_line: None, stop }
    }

    /// Takes the bar away, so that results begin on a clean line.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Bar {
    fn show(&mut self, progress: &Progress) {
        let Progress { doing, spent_s, budget_s, samples } = progress;
        if let Some(bar) = &self.bar {
            bar.set_length(budget_s.ceil() as u64);
            bar.set_position((*spent_s as u64).min(budget_s.ceil() as u64));
            let left_s = (budget_s - spent_s).max(0.0);
            let doing = words::legible(doing);
            bar.set_message(format!("at most {left_s:.0} s left  {doing}"));
            return;
        }
        if self.last_line.is_none_or(|last| last.elapsed() >= LINE_EVERY) {
            self.last_line = Some(Instant::now());
            say(&format!("{spent_s:.0} s of {budget_s:.0} s, {samples} samples kept: {doing}"));
        }
    }

    fn tell(&mut self, event: &Event) {
        let line = format!("{}: {}", event.kind, event.text);
        match &self.bar {
            Some(bar) => bar.suspend(|| say(&line)),
            None => say(&line),
        }
    }

    fn stop(&self) -> bool {
        self.stop.is_set()
    }
}
