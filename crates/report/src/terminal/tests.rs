//! The tables of the paper *Comparing the Speeds of HMAC and CMAC* for a terminal, in its form and
//! two abreast, as it prints them.

use stats::Analysis;

use super::layout::{Style, beside, wrapped};
use crate::paper::{PaperTable, PaperTables, Values};

/// Between tables that stand beside each other, in full columns and in narrow ones.
const WIDE_GAP: usize = 4;
const NARROW_GAP: usize = 2;

/// All tables of one analysis and the sentence they lead to.
pub(super) fn tables(analysis: &Analysis, values: Values, width: usize, style: Style) -> String {
    let tables = PaperTables::of(analysis, values);
    let mut text = pairs(&tables.normality, width);
    let others: Vec<PaperTable> = std::iter::once(tables.friedman).chain(tables.wilcoxon).collect();
    text.push_str(&pairs(&others, width));
    text.push_str(&sentences(analysis, values, width, style));
    text
}

/// The ordering alone, as the paper has it and corrected, and what there is to doubt.
pub(super) fn sentences(analysis: &Analysis, values: Values, width: usize, style: Style) -> String {
    let tables = PaperTables::of(analysis, values);
    let mut text = style.bold(&wrapped(&tables.sentence, width, ""));
    text.push('\n');
    text.push_str(&wrapped(&tables.sentence_corrected, width, ""));
    text.push('\n');
    for warning in &analysis.warnings {
        text.push_str(&wrapped(&format!("Warning: {warning}."), width, "  "));
        text.push('\n');
    }
    text
}

/// Tables two abreast; where that is too wide for their full columns, in narrow ones.
fn pairs(tables: &[PaperTable], width: usize) -> String {
    let wide: Vec<String> = tables.iter().map(|it| block(it, false)).collect();
    let widest = |blocks: &[String]| {
        blocks.iter().flat_map(|it| it.lines()).map(|line| line.chars().count()).max().unwrap_or(0)
    };
    if 2 * widest(&wide) + WIDE_GAP <= width {
        return beside(&wide, width, 2, WIDE_GAP);
    }
    let narrow: Vec<String> = tables.iter().map(|it| block(it, true)).collect();
    beside(&narrow, width, 2, NARROW_GAP)
}

/// What is missing to a width. Widths of formats end at 65,535, and the names of others do not.
fn fill(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(text.chars().count()))
}

/// A table as lines: labels left, values right, the paper's title above. `narrow` shortens heads
/// and probabilities, and has a space between columns instead of two.
fn block(table: &PaperTable, narrow: bool) -> String {
    let rows: Vec<Vec<String>> = match narrow {
        true => table.rows.iter().map(|row| shortened(row)).collect(),
        false => table.rows.clone(),
    };
    let gap = if narrow { 1 } else { 2 };
    let columns = rows.iter().map(Vec::len).max().unwrap_or(2);
    let width = |column: usize| {
        let own = rows.iter().filter(|row| row.len() == columns).filter_map(|row| row.get(column));
        own.map(|it| it.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    // Lone values stand in the paper's second column, and may reach beyond it.
    let of_lone = |row: &&Vec<String>| row[0].chars().count() + gap + row[1].chars().count();
    let lone = rows.iter().filter(|row| row.len() == 2);
    let second = lone.map(|row| of_lone(&row)).max().unwrap_or(0).max(widths[0] + gap + widths[1]);
    let mut lines = vec![table.title.to_owned(), format!("  {}", table.subject)];
    let between = " ".repeat(gap);
    for row in &rows {
        let mut line = row[0].clone() + &fill(&row[0], widths[0]);
        if let [label, value] = &row[..] {
            let fill = second - label.chars().count() - value.chars().count();
            line = format!("{label}{}{value}", " ".repeat(fill));
        } else {
            for (value, width) in row.iter().zip(&widths).skip(1) {
                line.push_str(&format!("{between}{}{value}", fill(value, *width)));
            }
        }
        lines.push(line);
    }
    lines.join("\n")
}

/// A row of classes with short heads, and with probabilities of four decimals.
fn shortened(row: &[String]) -> Vec<String> {
    if row.len() < 3 {
        return row.to_vec();
    }
    let short = |value: &String| match value.as_str() {
        "Probability" => "Prob.".to_owned(),
        "Observed" => "Obs.".to_owned(),
        _ => value.clone(),
    };
    let mut row: Vec<String> = row.iter().map(short).collect();
    if let Ok(share) = row[1].parse::<f64>() {
        row[1] = format!("{share:.4}");
    }
    row
}
