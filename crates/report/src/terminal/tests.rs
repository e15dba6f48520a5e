//! The tables of the paper *Comparing the Speeds of HMAC and CMAC* for a terminal, in its form,
//! several beside each other.

use stats::Analysis;

use super::layout::{Style, beside, wrapped};
use crate::paper::{PaperTable, PaperTables};

/// All tables of one analysis and the sentence they lead to.
pub(super) fn tables(analysis: &Analysis, width: usize, style: Style) -> String {
    let tables = PaperTables::of(analysis);
    let normality: Vec<String> = tables.normality.iter().map(block).collect();
    let mut text = beside(&normality, width);
    let mut others = vec![block(&tables.friedman)];
    others.extend(tables.wilcoxon.iter().map(block));
    text.push_str(&beside(&others, width));
    text.push_str(&sentences(analysis, width, style));
    text
}

/// The ordering alone, as the paper has it and corrected, and what there is to doubt.
pub(super) fn sentences(analysis: &Analysis, width: usize, style: Style) -> String {
    let tables = PaperTables::of(analysis);
    let mut text = style.bold(&wrapped(&tables.sentence, width, ""));
    text.push('\n');
    text.push_str(&wrapped(&tables.sentence_corrected, width, ""));
    text.push('\n');
    for warning in &analysis.warnings {
        text.push_str(&wrapped(&format!("Doubt: {warning}."), width, "  "));
        text.push('\n');
    }
    text
}

/// A table as lines: labels left, values right, the paper's title above.
fn block(table: &PaperTable) -> String {
    let columns = table.rows.iter().map(Vec::len).max().unwrap_or(2);
    let width = |column: usize| {
        let own = table.rows.iter().filter(|row| row.len() == columns || column == 0);
        own.filter_map(|row| row.get(column)).map(|it| it.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    // A lone value stands in the paper's second column, which may be narrower than it.
    let lone = table.rows.iter().filter(|row| row.len() == 2).map(|row| row[1].chars().count());
    let second = widths[1].max(lone.max().unwrap_or(0));
    let mut lines = vec![table.title.to_owned(), format!("  {}", table.subject)];
    for row in &table.rows {
        let mut line = format!("{:<1$}", row[0], widths[0]);
        line.push_str(&format!("  {:>second$}", row[1]));
        for (value, width) in row.iter().zip(&widths).skip(2) {
            line.push_str(&format!("  {value:>width$}"));
        }
        lines.push(line);
    }
    lines.join("\n")
}
