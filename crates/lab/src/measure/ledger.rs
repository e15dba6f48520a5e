//! What a sitting's time went to: every moment belongs to exactly one thing, so the parts add up to
//! the whole.

use std::collections::BTreeMap;
use std::time::Instant;

/// What a run can be busy with, in the order in which it is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Libraries are looked for, and the run is begun.
    Looking,
    /// Processes are started, cells opened.
    Starting,
    /// The pilot, for panels that want the fastest.
    Choosing,
    /// Tags are compared, before timing and after it.
    Proving,
    /// Calls of a sample are counted; sessions and their windows are settled.
    Settling,
    /// Untimed turns before the blocks of a launch.
    WarmingUp,
    /// First calls of processes just started.
    ColdStarts,
    /// Blocks of a part, by its place in the study.
    Blocks(u32),
    /// Calls timed one by one.
    SingleCalls,
    /// Samples are made durable.
    Keeping,
    /// What the report will take is tried.
    Reporting,
}

impl Task {
    fn words(self, parts: &[String]) -> String {
        match self {
            Self::Looking => "looking for libraries".into(),
            Self::Starting => "starting workers".into(),
            Self::Choosing => "choosing the fastest".into(),
            Self::Proving => "comparing tags".into(),
            Self::Settling => "calibrating iterations and loads".into(),
            Self::WarmingUp => "warming up".into(),
            Self::ColdStarts => "cold starts".into(),
            Self::Blocks(part) => {
                let name = parts.get(part as usize).map_or("", String::as_str);
                format!("blocks of {name}")
            }
            Self::SingleCalls => "single calls".into(),
            Self::Keeping => "keeping samples".into(),
            Self::Reporting => "trial report".into(),
        }
    }
}

/// Seconds of each task.
#[derive(Debug)]
pub(super) struct Ledger {
    spent_s: BTreeMap<Task, f64>,
    task: Task,
    since: Instant,
}

impl Ledger {
    /// Time has gone to looking for libraries since then.
    pub(super) fn since(since: Instant) -> Self {
        Self { spent_s: BTreeMap::new(), task: Task::Looking, since }
    }

    /// From now on time goes to `task`; returns what it went to before.
    pub(super) fn turn_to(&mut self, task: Task) -> Task {
        let now = Instant::now();
        let spent_s = now.duration_since(self.since).as_secs_f64();
        *self.spent_s.entry(self.task).or_default() += spent_s;
        self.since = now;
        std::mem::replace(&mut self.task, task)
    }

    /// `of 90.0 s: 40.1 s blocks of fixed, 12.0 s comparing tags, …`; what took least is summed up.
    pub(super) fn sentence(&mut self, parts: &[String]) -> String {
        self.turn_to(self.task);
        told(&self.spent_s, parts)
    }
}

/// Shares of the whole below this are told together.
const TOLD_SHARE: f64 = 0.01;

fn told(spent_s: &BTreeMap<Task, f64>, parts: &[String]) -> String {
    let whole_s: f64 = spent_s.values().sum();
    let mut rows: Vec<(f64, Task)> = spent_s.iter().map(|(task, s)| (*s, *task)).collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let is_told = |row: &&(f64, Task)| row.0 >= whole_s * TOLD_SHARE;
    let mut items: Vec<String> = rows
        .iter()
        .filter(is_told)
        .map(|(s, task)| format!("{s:.1} s {}", task.words(parts)))
        .collect();
    let rest_s: f64 = rows.iter().filter(|row| !is_told(row)).map(|row| row.0).sum();
    if rest_s >= 0.05 {
        items.push(format!("{rest_s:.1} s other"));
    }
    format!("of {whole_s:.1} s: {}", items.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_comes_first_and_trifles_are_summed_up() {
        let spent_s = [
            (Task::Starting, 14.04),
            (Task::Choosing, 0.2),
            (Task::Proving, 0.3),
            (Task::Blocks(1), 40.0),
            (Task::Blocks(0), 35.46),
        ];
        let parts = ["fixed".to_owned(), "growing".to_owned()];
        assert_eq!(
            told(&spent_s.into(), &parts),
            "of 90.0 s: 40.0 s blocks of growing, 35.5 s blocks of fixed, 14.0 s starting \
             workers, 0.5 s other"
        );
    }

    #[test]
    fn every_moment_belongs_to_one_task() {
        let mut ledger = Ledger::since(Instant::now());
        assert_eq!(ledger.turn_to(Task::Proving), Task::Looking);
        assert_eq!(ledger.turn_to(Task::Keeping), Task::Proving);
        ledger.turn_to(Task::Proving);
        assert_eq!(ledger.spent_s.len(), 3);
    }
}
