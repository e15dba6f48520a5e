//! What an archive says against itself, for a terminal.

use super::{Consistency, Contradiction, Count, Kind, MARGIN};
use crate::findings::{key_life_words, regime_words};
use crate::format;
use crate::terminal::layout::wrapped;
use lab::cell::{Cell, Regime};

impl Consistency {
    /// The counts, then each contradiction with both figures and runs, `width` columns wide.
    #[must_use]
    pub fn told(&self, width: usize) -> String {
        let count = |count: usize, what: &str| {
            words::counted(crate::findings::sessions::thousands(count as f64), what)
        };
        let ended = |it: Count| {
            let agree = it.compared - it.contradict - it.open;
            let open = if it.open > 0 {
                format!(", {} with too few launches to tell", it.open)
            } else {
                String::new()
            };
            format!("{agree} agree, {} contradict{open}", it.contradict)
        };
        let runs = count(self.runs, "run");
        let machines = count(self.machines, "machine");
        let lines = [
            format!(
                "{} shared by {runs} of {machines}: {}",
                count(self.cells.compared, "cell"),
                ended(self.cells)
            ),
            format!(
                "{} where a choice of the fastest can be checked against another run: {}",
                count(self.choices.compared, "place"),
                ended(self.choices)
            ),
            format!(
                "{} timed call by call as well as in blocks: {}",
                count(self.singles.compared, "cell"),
                ended(self.singles)
            ),
            format!(
                "differences within {} between runs count as drift of the machine; Welch's test \
                 over launches, Holm's correction, 5 %",
                format::percent(MARGIN)
            ),
        ];
        let mut text: String =
            lines.iter().map(|line| format!("{}\n", wrapped(line, width, "  "))).collect();
        for it in &self.contradictions {
            text.push_str(&format!("{}\n", wrapped(&sentence(it), width, "  ")));
        }
        text
    }
}

fn sentence(it: &Contradiction) -> String {
    let (first, second) = (&it.first, &it.second);
    let [one, other] = [it.first_ns, it.second_ns].map(format::time);
    let ratio = format::times((it.first_ns / it.second_ns).max(it.second_ns / it.first_ns));
    let (place, source) = (place(first), first.candidate.source());
    match it.kind {
        Kind::Cell => format!(
            "{place}, {source}: {one} in run {}, {other} in run {} ({ratio} apart)",
            it.first_run, it.second_run
        ),
        Kind::Choice => format!(
            "{place}: run {} shows {source} as the fastest, {one}; in run {} {} takes {other} \
             ({ratio} faster)",
            it.first_run,
            it.second_run,
            second.candidate.source()
        ),
        Kind::Single => format!(
            "{place}, {source}: {one} in its shortest block, {other} call by call (median or \
             mean), in run {}",
            it.first_run
        ),
    }
}

/// `hmac-sha256, 256 B, new key each message`.
fn place(cell: &Cell) -> String {
    let mut text = format!(
        "{}, {}, {}",
        cell.candidate.mac,
        format::bytes(cell.len_bytes),
        key_life_words(cell.key_life)
    );
    if cell.regime != Regime::USUAL {
        text.push_str(&format!(", {}", regime_words(cell.regime)));
    }
    if !cell.usual_key {
        text.push_str(&format!(", key of {} B", cell.key_len_bytes));
    }
    text
}
