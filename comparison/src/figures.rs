//! The tables: one for each figure.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use stats::{Confidence, Sample, median, median_interval, quantile, share_interval};

use crate::record::{Begin, Pair, Record, Verdict};

/// A rule of tools that have none.
const NO_RULE: &str = "none";

/// What cannot be told.
const NOTHING: &str = "–";

/// Of all intervals.
const CONFIDENCE: Confidence = Confidence::NINETY_FIVE_PERCENT;

const IN_PARENTHESES: &str = "In parentheses: the 95 % interval of the share or of the median; \
    after the largest, the confidence that the true 95th percentile is not above it.\n\n";

/// Markdown tables of everything that was measured.
pub fn tables(records: &[Record]) -> String {
    let mut text = String::new();
    for record in records {
        if let Record::Begin(begin) = record {
            text += &conditions(begin);
        }
    }
    text += IN_PARENTHESES;
    let pairs: Vec<&Pair> = records
        .iter()
        .filter_map(|record| if let Record::Pair(pair) = record { Some(pair) } else { None })
        .collect();
    // The same work first, then the smallest slowdown: what was measured, not what was asked for.
    let all_calls: BTreeSet<_> = pairs.iter().map(|pair| Reverse(pair.calls)).collect();
    let (same, unlike): (Vec<_>, Vec<_>) =
        all_calls.into_iter().map(|Reverse(calls)| calls).partition(|[base, new]| base == new);
    for calls in same.into_iter().chain(unlike) {
        let of_it: Vec<&Pair> = pairs.iter().copied().filter(|pair| pair.calls == calls).collect();
        text += &if calls[0] == calls[1] { same_work(&of_it) } else { slower(&of_it, calls) };
    }
    text += &orders(records);
    text + &failures(records)
}

fn conditions(begin: &Begin) -> String {
    let Begin { seconds, order_seconds, margin_percent, load, seed, .. } = begin;
    let Begin { machine, versions, left_out, .. } = begin;
    let load = match load {
        true => "one other process per processor, busy half of the time",
        false => "nothing started beside the tools",
    };
    let mut text = format!(
        "{machine}; {load}; {seconds} s for a pair, {order_seconds} s for an order, margin \
         {margin_percent} %, seed {seed}. {}.\n",
        versions.join(", ")
    );
    for line in left_out {
        let _ = writeln!(text, "Left out: {line}.");
    }
    text + "\n"
}

/// Pairs by tool and rule, tools in the order of their names.
type Rows<'a> = BTreeMap<(&'a str, &'a str), Vec<(&'a Pair, Option<Verdict>)>>;

fn rows<'a>(pairs: &[&'a Pair]) -> Rows<'a> {
    let mut rows = Rows::new();
    for &pair in pairs {
        for judged in &pair.verdicts {
            let key = (pair.tool.as_str(), judged.rule.as_str());
            rows.entry(key).or_default().push((pair, Some(judged.verdict)));
        }
        if pair.verdicts.is_empty() {
            rows.entry((&pair.tool, NO_RULE)).or_default().push((pair, None));
        }
    }
    rows
}

fn same_work(pairs: &[&Pair]) -> String {
    let mut text = "### The same work twice\n\n\
        | tool | rule | pairs | called different | no answer | median of \\|ratio − 1\\| \
        | 95th percentile | largest | wall time |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for ((tool, rule), row) in rows(pairs) {
        let off: Vec<f64> = row.iter().map(|(pair, _)| 100.0 * (pair.ratio - 1.0).abs()).collect();
        let _ = writeln!(
            text,
            "| {tool} | {rule} | {} | {} | {} | {} | {} | {:.2} s |",
            row.len(),
            counted(&row, &[Verdict::Slower, Verdict::Faster]),
            counted(&row, &[Verdict::NoAnswer]),
            middle(&off, 3, " %"),
            outer(&off),
            wall(&row),
        );
    }
    text + "\n"
}

fn slower(pairs: &[&Pair], [base, new]: [u32; 2]) -> String {
    let ratio = f64::from(new) / f64::from(base);
    let mut text = format!(
        "### {:.3} % slower: {new} calls against {base}, a ratio of {ratio:.4}\n\n\
         | tool | rule | pairs | called slower | called faster | no answer | median ratio \
         | right sign | wall time |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        100.0 * (ratio - 1.0)
    );
    for ((tool, rule), row) in rows(pairs) {
        let ratios: Vec<f64> = row.iter().map(|(pair, _)| pair.ratio).collect();
        let right = ratios.iter().filter(|&&ratio| ratio > 1.0).count();
        let _ = writeln!(
            text,
            "| {tool} | {rule} | {} | {} | {} | {} | {} | {} | {:.2} s |",
            row.len(),
            counted(&row, &[Verdict::Slower]),
            counted(&row, &[Verdict::Faster]),
            counted(&row, &[Verdict::NoAnswer]),
            middle(&ratios, 4, ""),
            count(right, row.len()),
            wall(&row),
        );
    }
    text + "\n"
}

fn counted(row: &[(&Pair, Option<Verdict>)], verdicts: &[Verdict]) -> String {
    if row.iter().all(|(_, verdict)| verdict.is_none()) {
        return NOTHING.to_owned();
    }
    let is_one = |(_, verdict): &&(&Pair, Option<Verdict>)| {
        verdict.is_some_and(|verdict| verdicts.contains(&verdict))
    };
    count(row.iter().filter(is_one).count(), row.len())
}

/// So many of all, with the interval of their share.
fn count(number: usize, all: usize) -> String {
    let [low, high] = share_interval(number as u64, all as u64, CONFIDENCE);
    format!("{number} ({:.1}–{:.1} %)", 100.0 * low, 100.0 * high)
}

/// The median with its interval, which fewer than six values do not have.
fn middle(values: &[f64], decimals: usize, unit: &str) -> String {
    let Ok(sample) = Sample::new(values.to_vec()) else { return NOTHING.to_owned() };
    let ends = median_interval(&sample, CONFIDENCE).map_or(NOTHING.to_owned(), |ends| {
        format!("{:.decimals$}–{:.decimals$}{unit}", ends.low, ends.high)
    });
    format!("{:.decimals$}{unit} ({ends})", median(&sample))
}

/// Two columns: the 95th percentile of these percentages, and the largest with the confidence that
/// the true percentile is not above it. No order statistic is a better bound; 59 values are the
/// fewest with one at 95 %.
fn outer(values: &[f64]) -> String {
    let Ok(sample) = Sample::new(values.to_vec()) else { return format!("{NOTHING} | {NOTHING}") };
    let estimate = quantile(&sample, 0.95).map_or(NOTHING.to_owned(), |it| format!("{it:.3} %"));
    let confidence = 100.0 * (1.0 - 0.95_f64.powf(sample.len() as f64));
    format!("{estimate} | {:.3} % ({confidence:.0} %)", sample.max())
}

fn wall(row: &[(&Pair, Option<Verdict>)]) -> f64 {
    row.iter().map(|(pair, _)| pair.wall_s).sum::<f64>() / row.len() as f64
}

fn orders(records: &[Record]) -> String {
    let mut tries = BTreeMap::<&str, Vec<(&[usize], f64)>>::new();
    for record in records {
        if let Record::Order { tool, order, wall_s, .. } = record {
            tries.entry(tool).or_default().push((order, *wall_s));
        }
    }
    if tries.is_empty() {
        return String::new();
    }
    let candidates: BTreeSet<usize> =
        tries.values().flatten().map(|(order, _)| order.len()).collect();
    let candidates: Vec<String> = candidates.iter().map(usize::to_string).collect();
    let mut text = format!(
        "### {} candidates, each 1 % of the first apart\n\n\
        | tool | tries | all in order | median share of pairs in order | wall time |\n\
        |---|--:|--:|--:|--:|\n",
        candidates.join(" or ")
    );
    for (tool, tries) in tries {
        let shares: Vec<f64> = tries.iter().map(|(order, _)| 100.0 * in_order(order)).collect();
        let whole = tries.iter().filter(|(order, _)| order.is_sorted()).count();
        let _ = writeln!(
            text,
            "| {tool} | {} | {} | {} | {:.2} s |",
            tries.len(),
            count(whole, tries.len()),
            middle(&shares, 1, " %"),
            tries.iter().map(|(_, wall_s)| wall_s).sum::<f64>() / tries.len() as f64,
        );
    }
    text + "\n"
}

/// The share of pairs that stand in the right order.
fn in_order(order: &[usize]) -> f64 {
    let count = order.len() * order.len().saturating_sub(1) / 2;
    let later = |at: usize| order[at + 1..].iter().filter(|&&other| other > order[at]).count();
    (0..order.len()).map(later).sum::<usize>() as f64 / count as f64
}

fn failures(records: &[Record]) -> String {
    let mut counts = BTreeMap::<(&str, &str), u32>::new();
    for record in records {
        if let Record::Failure { tool, error, .. } = record {
            *counts.entry((tool, error)).or_default() += 1;
        }
    }
    let mut text = String::new();
    for ((tool, error), count) in counts {
        let _ = writeln!(text, "No result, {count} times: {tool}: {error}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Judged;

    #[test]
    fn orders_are_right_in_part() {
        assert_eq!(in_order(&[0, 1, 2, 3]), 1.0);
        assert_eq!(in_order(&[1, 0, 2, 3]), 5.0 / 6.0);
        assert_eq!(in_order(&[3, 2, 1, 0]), 0.0);
    }

    /// The upper end for 0 of 40 is 1 − 0.025^(1/40); for 1 it is 13.16 %, where at most one has a
    /// chance of 2.5 %.
    #[test]
    fn figures_have_their_intervals() {
        assert_eq!(count(0, 40), "0 (0.0–8.8 %)");
        assert_eq!(count(1, 40), "1 (0.1–13.2 %)");
        assert_eq!(count(40, 40), "40 (91.2–100.0 %)");
        let values: Vec<f64> = (1..=40).map(f64::from).collect();
        // By binomial(40, 1/2): fewer than 14 below the median have a chance of 1.9 %.
        assert_eq!(middle(&values, 1, " %"), "20.5 % (14.0–27.0 %)");
        assert_eq!(middle(&values[..5], 0, ""), "3 (–)");
        assert_eq!(outer(&values), "38.050 % | 40.000 % (87 %)");
        let values: Vec<f64> = (1..=59).map(f64::from).collect();
        assert!(outer(&values).ends_with("(95 %)"));
    }

    fn pair(tool: &str, calls: [u32; 2], ratio: f64, verdicts: Vec<Judged>) -> Record {
        let tool = tool.to_owned();
        let slow_percent = 7.0;
        Record::Pair(Pair { tool, round: 0, slow_percent, calls, wall_s: 5.0, ratio, verdicts })
    }

    #[test]
    fn a_table_has_a_row_for_each_rule() {
        let slower = Judged { rule: "its mark".to_owned(), verdict: Verdict::Slower };
        let records = [
            pair("a", [200, 201], 1.005, vec![slower]),
            pair("b", [200, 201], 0.999, vec![]),
            Record::Order { tool: "a".to_owned(), round: 0, wall_s: 20.0, order: vec![1, 0, 2] },
        ];
        let text = tables(&records);
        let [none, one] = ["0 (0.0–97.5 %)", "1 (2.5–100.0 %)"];
        let verdicts = format!("{one} | {none} | {none}");
        let row = format!("| a | its mark | 1 | {verdicts} | 1.0050 (–) | {one} | 5.00 s |");
        assert!(text.contains(&row), "{text}");
        let row = format!("| b | none | 1 | – | – | – | 0.9990 (–) | {none} | 5.00 s |");
        assert!(text.contains(&row), "{text}");
        assert!(text.contains("### 3 candidates"), "{text}");
        assert!(text.contains(&format!("| a | 1 | {none} | 66.7 % (–) | 20.00 s |")), "{text}");
    }

    #[test]
    fn titles_state_what_was_measured() {
        let calls = [[14, 15], [200, 200], [200, 201], [500, 501]];
        let records = calls.map(|calls| pair("a", calls, 1.0, vec![]));
        let text = tables(&records);
        let titles: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
        let expected = [
            "### The same work twice",
            "### 0.200 % slower: 501 calls against 500, a ratio of 1.0020",
            "### 0.500 % slower: 201 calls against 200, a ratio of 1.0050",
            "### 7.143 % slower: 15 calls against 14, a ratio of 1.0714",
        ];
        assert_eq!(titles, expected);
    }
}
