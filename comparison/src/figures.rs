//! The tables: one for each figure.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::record::{Begin, Pair, Record, Verdict};

/// A rule of tools that have none.
const NO_RULE: &str = "none";

/// Markdown tables of everything that was measured.
pub fn tables(records: &[Record]) -> String {
    let mut text = String::new();
    for record in records {
        if let Record::Begin(begin) = record {
            text += &conditions(begin);
        }
    }
    let pairs: Vec<&Pair> = records
        .iter()
        .filter_map(|record| if let Record::Pair(pair) = record { Some(pair) } else { None })
        .collect();
    // Percent times a thousand, which can be sorted.
    let slowdowns: BTreeSet<u64> = pairs.iter().map(|pair| thousandths(pair)).collect();
    for slowdown in slowdowns {
        let of_it = pairs.iter().copied().filter(|pair| thousandths(pair) == slowdown).collect();
        text += &if slowdown == 0 { same_work(&of_it) } else { slower(&of_it) };
    }
    text += &orders(records);
    text + &failures(records)
}

fn thousandths(pair: &Pair) -> u64 {
    (pair.slow_percent * 1000.0).round() as u64
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

fn same_work(pairs: &Vec<&Pair>) -> String {
    let mut text = "### The same work twice\n\n\
        | tool | rule | pairs | called different | no answer | 95th percentile of \\|ratio − 1\\| \
        | wall time |\n|---|---|--:|--:|--:|--:|--:|\n"
        .to_owned();
    for ((tool, rule), row) in rows(pairs) {
        let different = counted(&row, &[Verdict::Slower, Verdict::Faster]);
        let none = counted(&row, &[Verdict::NoAnswer]);
        let off: Vec<f64> = row.iter().map(|(pair, _)| (pair.ratio - 1.0).abs()).collect();
        let _ = writeln!(
            text,
            "| {tool} | {rule} | {} | {different} | {none} | {:.3} % | {:.2} s |",
            row.len(),
            100.0 * quantile(&off, 0.95),
            wall(&row),
        );
    }
    text + "\n"
}

fn slower(pairs: &Vec<&Pair>) -> String {
    let Some(first) = pairs.first() else { return String::new() };
    let [base, new] = first.calls;
    let mut text = format!(
        "### {} % slower: {new} calls against {base}, a ratio of {:.4}\n\n\
         | tool | rule | pairs | called slower | called faster | no answer | median ratio \
         | right sign | wall time |\n|---|---|--:|--:|--:|--:|--:|--:|--:|\n",
        first.slow_percent,
        f64::from(new) / f64::from(base)
    );
    for ((tool, rule), row) in rows(pairs) {
        let ratios: Vec<f64> = row.iter().map(|(pair, _)| pair.ratio).collect();
        let _ = writeln!(
            text,
            "| {tool} | {rule} | {} | {} | {} | {} | {:.4} | {} | {:.2} s |",
            row.len(),
            counted(&row, &[Verdict::Slower]),
            counted(&row, &[Verdict::Faster]),
            counted(&row, &[Verdict::NoAnswer]),
            quantile(&ratios, 0.5),
            ratios.iter().filter(|&&ratio| ratio > 1.0).count(),
            wall(&row),
        );
    }
    text + "\n"
}

fn counted(row: &[(&Pair, Option<Verdict>)], verdicts: &[Verdict]) -> String {
    if row.iter().all(|(_, verdict)| verdict.is_none()) {
        return "–".to_owned();
    }
    let is_one = |(_, verdict): &&(&Pair, Option<Verdict>)| {
        verdict.is_some_and(|verdict| verdicts.contains(&verdict))
    };
    row.iter().filter(is_one).count().to_string()
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
    let mut text = "### 20 candidates, each 1 % of the first apart\n\n\
        | tool | tries | all in order | pairs in order | wall time |\n|---|--:|--:|--:|--:|\n"
        .to_owned();
    for (tool, tries) in tries {
        let shares: Vec<f64> = tries.iter().map(|(order, _)| in_order(order)).collect();
        let count = tries.len() as f64;
        let _ = writeln!(
            text,
            "| {tool} | {} | {} | {:.1} % | {:.2} s |",
            tries.len(),
            shares.iter().filter(|&&share| share == 1.0).count(),
            100.0 * shares.iter().sum::<f64>() / count,
            tries.iter().map(|(_, wall_s)| wall_s).sum::<f64>() / count,
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

/// The value below which a share of these lie, interpolated between neighbours.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let at = share * last as f64;
    let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    low + (high - low) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Judged;

    #[test]
    fn quantiles_and_orders_are_right() {
        assert_eq!(quantile(&[3.0, 1.0, 2.0], 0.5), 2.0);
        assert_eq!(quantile(&[0.0, 10.0], 0.95), 9.5);
        assert_eq!(in_order(&[0, 1, 2, 3]), 1.0);
        assert_eq!(in_order(&[1, 0, 2, 3]), 5.0 / 6.0);
        assert_eq!(in_order(&[3, 2, 1, 0]), 0.0);
    }

    #[test]
    fn a_table_has_a_row_for_each_rule() {
        let pair = |tool: &str, ratio, verdicts| {
            let calls = [200, 201];
            let tool = tool.to_owned();
            Pair { tool, round: 0, slow_percent: 0.5, calls, wall_s: 5.0, ratio, verdicts }
        };
        let slower = Judged { rule: "its mark".to_owned(), verdict: Verdict::Slower };
        let records = [
            Record::Pair(pair("a", 1.005, vec![slower])),
            Record::Pair(pair("b", 0.999, vec![])),
            Record::Order { tool: "a".to_owned(), round: 0, wall_s: 20.0, order: vec![1, 0, 2] },
        ];
        let text = tables(&records);
        assert!(text.contains("0.5 % slower: 201 calls against 200, a ratio of 1.0050"), "{text}");
        assert!(text.contains("| a | its mark | 1 | 1 | 0 | 0 | 1.0050 | 1 | 5.00 s |"), "{text}");
        assert!(text.contains("| b | none | 1 | – | – | – | 0.9990 | 0 | 5.00 s |"), "{text}");
        assert!(text.contains("| a | 1 | 0 | 66.7 % | 20.00 s |"), "{text}");
    }
}
