//! Two runs for a terminal: what differs, the times, the trends, and the claims that both decide.

use std::collections::{BTreeMap, BTreeSet};

use lab::cell::Regime;
use stats::Verdict;

use super::trends::{CurveTrend, LengthTrend, Trend};
use super::{Compared, ComparedCell, Counts, Machines};
use crate::findings::{key_life_words, regime_words, series::LAUNCHES_MIN};
use crate::format::{self, Figure};
use crate::terminal::layout::{Style, legible, wrapped};
use crate::terminal::table;

impl Compared {
    /// For a terminal `width` columns wide.
    #[must_use]
    pub fn render(&self, width: usize, colour: bool) -> String {
        let (width, style) = (width.max(40), Style { colour });
        let mut text = format!("{}\n", style.bold(&wrapped(&self.verdict(), width, "")));
        if let Some(words) = self.machines.caution() {
            text.push_str(&format!("{}\n", wrapped(words, width, "")));
        }
        for sentence in self.code_paths() {
            text.push_str(&format!("{}\n", wrapped(&sentence, width, "")));
        }
        text.push_str(&format!(
            "\n{}\n",
            style.quiet(&format!("{} → {}", self.before, self.after))
        ));
        if let Some(words) = self.machines.words() {
            text.push_str(&format!("{}\n", wrapped(words, width, "")));
        }
        if self.differences.is_empty() {
            text.push_str("The recorded conditions are the same.\n");
        } else {
            text.push_str(&format!("\n{}\n", style.heading("What differs", width)));
            let rows = self.differences.iter().map(|row| row.to_vec()).collect();
            text.push_str(&table(&["", "before", "after"], rows, &[0, 1, 2], width));
        }
        text.push_str(&self.trends_told(width, style));
        text.push_str(&self.claims_told(width, style));
        text.push_str(&format!("\n{}\n", style.heading("Times", width)));
        let margin = format::percent(self.margin);
        let how = format!(
            "Ratio: time after divided by time before, the median over all pairs of a launch \
             before and a launch after (Hodges-Lehmann estimate), with its 95 % confidence \
             interval. Slower and faster: by more than {margin}, by Mann-Whitney tests over \
             launches, at 5 % for all cells together (Holm). The runs were not interleaved: \
             changes on the machine between runs are included."
        );
        text.push_str(&format!("{}\n", style.quiet(&wrapped(&how, width, ""))));
        let head = ["MAC", "from", "length", "before", "after", "ratio", "95 %", "verdict"];
        let rows = self.rows.iter().map(|row| line(row, self.margin)).collect();
        text.push_str(&table(&head, rows, &[0, 1, 7], width));
        text.push_str(&alone(&self.only_before, &self.only_after));
        legible(&text, colour)
    }

    /// What became of the times, in a few sentences.
    #[must_use]
    pub fn verdict(&self) -> String {
        let of = |it: &ComparedCell| (it.verdict, it.ratio, self.named(it));
        let told = Told {
            what: ["cell", "cells"],
            unit: "launches in one of the runs",
            more: " A larger --budget gives more.",
            rows: self.rows.iter().map(of).collect(),
        };
        told.verdict(self.counts, self.margin)
    }

    /// `hmac-sha256 of openssl[sha-ni], 64 B: 1.31 × (1.28–1.35)`.
    fn named(&self, row: &ComparedCell) -> String {
        let [mac, source, len, .., ratio, ends, _] = &line(row, self.margin)[..] else {
            return row.cell.to_string();
        };
        format!("{mac} of {source}, {len}: {ratio} × ({ends})")
    }

    /// One sentence for each provider whose code path for a MAC is another one now.
    fn code_paths(&self) -> Vec<String> {
        let mut changed: BTreeMap<[&str; 3], BTreeSet<&str>> = BTreeMap::new();
        for row in &self.rows {
            let who = &row.cell.candidate;
            if let Some(was) = &row.kernel_before {
                changed.entry([&who.provider, was, &who.kernel]).or_default().insert(&who.mac);
            }
        }
        let said = changed.into_iter().map(|([provider, was, is], macs)| {
            let macs: Vec<&str> = macs.into_iter().collect();
            format!("Code path of {provider} changed from {was} to {is}: {}.", macs.join(", "))
        });
        said.collect()
    }

    fn trends_told(&self, width: usize, style: Style) -> String {
        if self.trends.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", style.heading("Trends", width));
        let margin = format::percent(self.margin);
        let how = format!(
            "The order of the implementations that both runs have: same MAC, provider and code \
             path. tau: Kendall's, 1 for the same order, -1 for the reverse; p: probability of a \
             tau this far from 0 if the orders were unrelated; opposite: pairs in opposite order, \
             and those of them that differ by more than {margin} in both runs."
        );
        text.push_str(&format!("{}\n", style.quiet(&wrapped(&how, width, ""))));
        for trend in &self.trends {
            let mut of = format!("{} · {}", trend.part_title, key_life_words(trend.key_life));
            if trend.regime != Regime::USUAL {
                of.push_str(&format!(" · {}", regime_words(trend.regime)));
            }
            text.push_str(&format!("\n{}\n", style.bold(&wrapped(&of, width, ""))));
            for sentence in [Some(trend.sentence()), trend.curves_sentence()].into_iter().flatten()
            {
                text.push_str(&format!("{}\n", wrapped(&sentence, width, "")));
            }
            let head =
                ["length", "in common", "tau", "p", "opposite", &format!("by over {margin}")];
            let rows = trend.lengths.iter().map(order).collect();
            text.push_str(&table(&head, rows, &[], width));
        }
        text
    }

    fn claims_told(&self, width: usize, style: Style) -> String {
        if self.claims.is_empty() {
            return String::new();
        }
        let mut text = format!("\n{}\n", style.heading("Claims about both machines", width));
        for claim in &self.claims {
            let quoted = format!("{} ({})", claim.quoted, claim.source);
            text.push_str(&format!("{}\n", wrapped(&quoted, width, "")));
            for panel in &claim.panels {
                let several = claim.panels.len() > 1;
                let whose =
                    if several { format!("{}: ", panel.panel_title) } else { String::new() };
                let said = panel.verdict.because(&panel.reason);
                let said = wrapped(&format!("{whose}{said}."), width, "  ");
                text.push_str(&format!("{}\n", style.verdict(&said, panel.verdict)));
            }
            if claim.panels.is_empty() {
                text.push_str("  undecided: the two studies have no panel in common.\n");
            }
        }
        text
    }
}

impl Machines {
    /// What must be said where the two machines are alike.
    fn words(self) -> Option<&'static str> {
        match self {
            Machines::Same => Some(
                "Both runs are of the same machine, as far as is recorded: same processor model, \
                 same number of logical processors.",
            ),
            Machines::OtherInstructions => Some(
                "Both runs are of the same machine, as far as is recorded, but not with the same \
                 instructions, which may explain differences.",
            ),
            Machines::SameModel => Some(
                "Both runs are of the same processor model, with another number of logical \
                 processors.",
            ),
            Machines::DifferentModels => None,
        }
    }

    /// What must be read before any ratio.
    fn caution(self) -> Option<&'static str> {
        (self == Machines::DifferentModels).then_some(
            "The runs are of different processor models: a ratio compares the two machines, not \
             two versions of a library.",
        )
    }
}

impl Trend {
    /// `The order of 9 implementations of 9 functions is the same in both runs at 5 of 7 lengths;
    /// tau is 0.83 to 1.00, 0.94 in the middle.`
    #[must_use]
    pub fn sentence(&self) -> String {
        let counts: BTreeSet<usize> = self.lengths.iter().map(|it| it.order.n).collect();
        let most = |of: fn(&LengthTrend) -> usize| self.lengths.iter().map(of).max().unwrap_or(0);
        let taus = self.lengths.iter().map(|it| it.order.tau);
        format!(
            "The order of {}{} implementations of {} functions is the same in both runs at {} of \
             {} lengths; tau is {:.2} to {:.2}, median {:.2}.",
            if counts.len() > 1 { "up to " } else { "" },
            most(|it| it.order.n),
            most(|it| it.macs),
            self.lengths.iter().filter(|it| it.order.discordant == 0).count(),
            self.lengths.len(),
            taus.clone().fold(1.0, f64::min),
            taus.fold(-1.0, f64::max),
            self.tau_median
        )
    }

    /// How the curves over length agree; `None` where there are none.
    #[must_use]
    pub fn curves_sentence(&self) -> Option<String> {
        let furthest = self.curves.iter().max_by(|x, y| x.apart.total_cmp(&y.apart))?;
        let known: Vec<f64> = self.curves.iter().filter_map(|it| it.correlation).collect();
        let ends = known
            .iter()
            .fold((1.0, -1.0), |(low, high), &it| (f64::min(low, it), f64::max(high, it)));
        let correlate = if known.is_empty() {
            "Time per byte over length is flat in one run or both".to_owned()
        } else {
            let (low, high) = ends;
            format!("Time per byte over length correlates {low:.3} to {high:.3}")
        };
        let CurveTrend { candidate, apart, apart_at_bytes, .. } = furthest;
        Some(format!(
            "{correlate} (logarithms); with both runs set to 1 at the longest, the curves of {} \
             from {} are furthest apart, by {} at {}.",
            candidate.mac,
            candidate.source(),
            format::times(*apart),
            format::bytes(*apart_at_bytes)
        ))
    }
}

/// What two runs or two files say first.
pub(super) struct Told {
    /// What is compared, one and several.
    pub(super) what: [&'static str; 2],
    /// What six of are needed, of whom.
    pub(super) unit: &'static str,
    /// What brings more of them.
    pub(super) more: &'static str,
    /// Verdict, ratio, and how each is named.
    pub(super) rows: Vec<(Verdict, f64, String)>,
}

impl Told {
    pub(super) fn verdict(&self, counts: Counts, margin: f64) -> String {
        let Counts { slower, faster, equivalent, undecided, not_judged } = counts;
        let [one, several] = self.what;
        let (judged, fewer) =
            (counts.all() - not_judged, format!("fewer than {LAUNCHES_MIN} {}", self.unit));
        if counts.all() == 0 {
            return format!("There are no {several} in common.");
        }
        if judged == 0 {
            return format!("No {one} can be judged: {fewer}.{}", self.more);
        }
        let margin = format::percent(margin);
        let mut text = match slower {
            0 => format!("No {one} is shown to be slower by more than {margin}"),
            1 => format!("1 of {judged} {several} is slower by more than {margin}"),
            _ => format!("{slower} of {judged} {several} are slower by more than {margin}"),
        };
        let of = |verdict: Verdict| self.rows.iter().filter(move |it| it.0 == verdict);
        if let Some((.., name)) = of(Verdict::Slower).max_by(|x, y| x.1.total_cmp(&y.1)) {
            text.push_str(&format!("; most: {name}"));
        }
        let most = of(Verdict::Faster).min_by(|x, y| x.1.total_cmp(&y.1));
        let most = most.map_or(String::new(), |(.., name)| format!(" (most: {name})"));
        let rest = [
            (faster, "faster", most),
            (equivalent, "equivalent", String::new()),
            (undecided, "undecided", String::new()),
        ];
        let rest: Vec<String> = rest
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, what, most)| format!("{count} {what}{most}"))
            .collect();
        if !rest.is_empty() {
            text.push_str(&format!(". Of {judged}: {}", rest.join(", ")));
        }
        text.push('.');
        if not_judged > 0 {
            text.push_str(&format!(" {not_judged} more cannot be judged: {fewer}."));
        }
        text
    }
}

/// Names of what only one has that are listed; JSON has them all.
const ALONE_MAX: usize = 20;

/// What only one of the two has.
pub(super) fn alone(before: &[String], after: &[String]) -> String {
    listed("Only before", before) + &listed("Only after", after)
}

/// Names under what they have in common, a line each; nothing where there are none.
pub(super) fn listed(what: &str, names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{what} ({})\n", names.len());
    let first = names.iter().take(ALONE_MAX);
    text.push_str(&first.map(|name| format!("  {}\n", one_line(name))).collect::<String>());
    if let Some(more) = names.len().checked_sub(ALONE_MAX).filter(|more| *more > 0) {
        text.push_str(&format!("  and {more} more: --format json lists all\n"));
    }
    text
}

/// A name of others, in which nothing ends a line or acts on a terminal.
pub(super) fn one_line(name: &str) -> String {
    let acts = |letter: char| letter.is_control() || words::is_control(letter);
    name.replace(acts, "\u{fffd}")
}

fn order(it: &LengthTrend) -> Vec<String> {
    let pairs = it.order.n * (it.order.n - 1) / 2;
    vec![
        format::bytes(it.len_bytes),
        it.order.n.to_string(),
        format!("{:.2}", it.order.tau),
        chance(it.order.p_two_tailed),
        format!("{} of {pairs}", it.order.discordant),
        it.opposite_beyond_margin.to_string(),
    ]
}

/// A probability, to as many digits as anybody asks for.
pub(super) fn chance(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}

fn line(row: &ComparedCell, margin: f64) -> Vec<String> {
    let (cell, candidate) = (&row.cell, &row.cell.candidate);
    let ratio = Figure::ratio(row.ratio, row.interval.map(crate::findings::Interval::ends), margin);
    let mut mac = format!("{}, {}", candidate.mac, cell.key_life);
    if cell.regime != Regime::USUAL {
        mac.push_str(&format!(", {}", cell.regime));
    }
    if !cell.usual_key {
        mac.push_str(&format!(", key of {} B", cell.key_len_bytes));
    }
    vec![
        mac,
        format!("{}[{}]", candidate.provider, candidate.kernel),
        format::bytes(cell.len_bytes),
        format::time(row.before_ns),
        format::time(row.after_ns),
        ratio.value(),
        ratio.ends(),
        row.verdict.to_string(),
    ]
}
