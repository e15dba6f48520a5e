//! Tables of a terminal: one style for reports and lists. Words wrap between them, and nothing is
//! cut inside a name or a number.

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};

use super::layout::pieces;

/// Stands in for a space where no line ends, as between a number and its unit.
pub(super) const TIED: &str = "\u{a0}";

/// Longest unit, in letters.
const UNIT_MAX: usize = 3;

/// A table without frames: a head, rows, and which columns are words, aligned left. What does not
/// fit beside the others follows in a further table, behind the first words again.
#[must_use]
pub fn table(head: &[&str], mut rows: Vec<Vec<String>>, left: &[usize], width: usize) -> String {
    for row in &mut rows {
        for &column in left {
            row.get_mut(column).into_iter().for_each(|cell| *cell = broken(cell, width));
        }
    }
    let least = least(head, &rows, left);
    let key = left.iter().copied().min().map_or(1, |first| first + 1).min(head.len());
    let mut text = String::new();
    let mut from = key;
    loop {
        let mut used: usize = least[..key].iter().sum();
        let mut to = from;
        while to < head.len() && (to == from || used + least[to] <= width) {
            used += least[to];
            to += 1;
        }
        let columns: Vec<usize> = (0..key).chain(from..to).collect();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&laid(head, &rows, left, &least, &columns, width.max(used)));
        from = to;
        if from >= head.len() {
            return text;
        }
    }
}

/// As [`table`], without those of the columns `spare`, the first first, for which there is no room.
#[must_use]
pub fn table_within(
    head: &[&str],
    mut rows: Vec<Vec<String>>,
    left: &[usize],
    spare: &[usize],
    width: usize,
) -> String {
    let least = least(head, &rows, left);
    let mut needed: usize = least.iter().sum();
    let mut columns: Vec<usize> = (0..head.len()).collect();
    for &column in spare {
        if needed > width {
            needed -= least[column];
            columns.retain(|&it| it != column);
        }
    }
    let head: Vec<&str> = columns.iter().map(|&column| head[column]).collect();
    for row in &mut rows {
        *row = columns.iter().map(|&column| std::mem::take(&mut row[column])).collect();
    }
    let is_left = |at: &usize| left.contains(&columns[*at]);
    let left: Vec<usize> = (0..columns.len()).filter(is_left).collect();
    table(&head, rows, &left, width)
}

/// The least width of each column, with the space beside it.
fn least(head: &[&str], rows: &[Vec<String>], left: &[usize]) -> Vec<usize> {
    let longest = |text: &str| tied(text).split([' ', '\n']).map(|it| it.chars().count()).max();
    let of = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let cells = cells.map(|it| match left.contains(&column) {
            true => longest(it).unwrap_or(0),
            false => it.chars().count(),
        });
        cells.chain(longest(head[column])).max().unwrap_or(0) + usize::from(column > 0) + 1
    };
    (0..head.len()).map(of).collect()
}

/// Text in which a list without spaces that would fill most of a line goes on in another.
fn broken(text: &str, width: usize) -> String {
    let word = |word| pieces(word, width / 3 * 2).join("\n");
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Text in which no line ends between a number and its unit.
fn tied(text: &str) -> String {
    let mut tied = String::with_capacity(text.len());
    for word in text.split(' ') {
        let is_unit = tied.ends_with(|it: char| it.is_ascii_digit())
            && (1..=UNIT_MAX)
                .contains(&word.trim_end_matches([',', ';', '.', ')']).chars().count());
        if !tied.is_empty() {
            tied.push_str(if is_unit { TIED } else { " " });
        }
        tied.push_str(word);
    }
    tied
}

fn laid(
    head: &[&str],
    rows: &[Vec<String>],
    left: &[usize],
    least: &[usize],
    columns: &[usize],
    width: usize,
) -> String {
    let fixed = |width: usize| u16::try_from(width).unwrap_or(u16::MAX);
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(fixed(width))
        .set_header(columns.iter().map(|&column| head[column]));
    for row in rows {
        let cell = |&column: &usize| {
            let text = row.get(column).map_or("", String::as_str);
            if left.contains(&column) { tied(text) } else { text.replace(' ', TIED) }
        };
        table.add_row(columns.iter().map(cell));
    }
    for (number, column) in table.column_iter_mut().enumerate() {
        column.set_padding((u16::from(number > 0), 1));
        let least = Width::Fixed(fixed(least[columns[number]]));
        column.set_constraint(ColumnConstraint::LowerBoundary(least));
        if !left.contains(&columns[number]) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines = table.lines().map(|line| line.replace(TIED, " ").trim_end().to_owned() + "\n");
    lines.collect()
}

#[cfg(test)]
mod unit {
    use super::*;

    const HEAD: [&str; 4] = ["mac", "from", "time", "interval"];

    fn rows() -> Vec<Vec<String>> {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        vec![
            row(["hmac-sha512-256", "openssl[avx2], macs[soft]", "1.23 µs", "1.20–1.25 µs"]),
            row(["cmac-aes-128", "macs", "64 ns", "63–65 ns at 16 B"]),
        ]
    }

    /// Every name and number of the table, as a reader must find it on some line.
    fn whole(text: &str, width: usize) {
        assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
        let names = ["hmac-sha512-256", "cmac-aes-128", "openssl[avx2],", "macs[soft]"];
        for name in
            names.into_iter().chain(["1.23 µs", "1.20–1.25 µs", "64 ns", "63–65 ns at 16 B"])
        {
            assert!(text.lines().any(|line| line.contains(name)), "{name} at {width}:\n{text}");
        }
    }

    #[test]
    fn nothing_is_cut_inside_a_name_or_a_number_at_any_width() {
        for width in 36..130 {
            whole(&table(&HEAD, rows(), &[0, 1], width), width);
        }
        let wide = table(&HEAD, rows(), &[0, 1], 120);
        assert_eq!(wide.lines().count(), 3, "{wide}");
    }

    #[test]
    fn a_list_without_spaces_goes_on_behind_a_comma() {
        let list = "--mac 'hmac-sha256,cmac-aes-128,poly1305,kmac128,blake3-keyed,gmac-aes-128'";
        let rows = vec![vec!["20260105-101112-5275".into(), list.into()]];
        for width in [60, 80] {
            let text = table(&["run", "narrowed by"], rows.clone(), &[0, 1], width);
            for name in ["hmac-sha256,", "poly1305,", "blake3-keyed,", "gmac-aes-128'"] {
                assert!(text.contains(name), "{text}");
            }
            assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        }
    }

    #[test]
    fn what_has_no_room_is_told_behind_the_same_names() {
        let text = table(&HEAD, rows(), &[0, 1], 40);
        let names = text.lines().filter(|line| line.starts_with("cmac-aes-128")).count();
        assert!(names > 1, "{text}");
    }

    #[test]
    fn spare_columns_are_left_out_only_where_there_is_no_room() {
        let at = |width| table_within(&HEAD, rows(), &[0, 1], &[3], width);
        assert!(at(120).contains("interval") && !at(50).contains("interval"));
        assert!(at(50).contains("1.23 µs") && at(50).lines().all(|it| it.chars().count() <= 50));
    }
}
