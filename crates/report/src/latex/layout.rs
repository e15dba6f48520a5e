//! How tables lie on a page of LaTeX: as wide as the text and not wider. Heads are broken, letters
//! get smaller, words wrap, and at last further columns get a table of their own.

use super::escape::escaped;

/// Letters that a line of 345 pt holds (`article` at 10 pt), at each size. Digits count; most
/// letters are narrower.
const SIZES: [(&str, f64); 2] = [("footnotesize", 79.0), ("scriptsize", 85.0)];

/// Letters that the space beside a column takes: 3 pt on each side.
const GAP: f64 = 1.5;

/// A table over pages: `columns` as LaTeX has them, `head` and `rows` not yet escaped. Where all
/// columns are plain (`rllr`), they are laid out so that they fit.
pub(super) fn table(caption: &str, columns: &str, head: &[&str], rows: &[Vec<String>]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    if columns.contains('{') {
        let head: Vec<String> = head.iter().map(|it| escaped(it)).collect();
        return written(
            caption,
            columns,
            SIZES[0].0,
            &head,
            rows,
            &(0..head.len()).collect::<Vec<_>>(),
        );
    }
    let is_words: Vec<bool> = columns.chars().map(|it| it == 'l').collect();
    let all = Columns::of(head, rows, is_words);
    let key = all.is_words.iter().position(|&it| it).map_or(1, |at| at + 1);
    let (mut text, mut from, mut own) = (String::new(), key, caption.to_owned());
    loop {
        let mut chosen: Vec<usize> = (0..key).collect();
        chosen.push(from);
        from += 1;
        while from < head.len() && all.least(&[&chosen[..], &[from]].concat()) <= SIZES[1].1 {
            chosen.push(from);
            from += 1;
        }
        text.push_str(&all.laid(&own, rows, &chosen));
        if from >= head.len() {
            return text;
        }
        own = format!("{caption}, further columns");
    }
}

/// What is known of the columns of a table, in letters.
struct Columns<'a> {
    head: &'a [&'a str],
    is_words: Vec<bool>,
    /// Where no cell is broken; heads are.
    whole: Vec<f64>,
    /// Where words wrap.
    wrapped: Vec<f64>,
}

impl<'a> Columns<'a> {
    fn of(head: &'a [&'a str], rows: &[Vec<String>], is_words: Vec<bool>) -> Self {
        let longest = |text: &str| text.split(' ').map(|it| it.chars().count()).max().unwrap_or(0);
        let most = |column: usize, of: &dyn Fn(&str) -> usize| {
            let cells = rows.iter().map(|row| of(&row[column]));
            cells.chain([longest(head[column])]).max().unwrap_or(0) as f64 + GAP
        };
        let whole: Vec<f64> =
            (0..head.len()).map(|column| most(column, &|it| it.chars().count())).collect();
        let wrapped = (0..head.len()).map(|column| match is_words[column] {
            true => most(column, &longest),
            false => whole[column],
        });
        let wrapped = wrapped.collect();
        Self { head, is_words, whole, wrapped }
    }

    /// The least width of these columns beside each other.
    fn least(&self, columns: &[usize]) -> f64 {
        columns.iter().map(|&column| self.wrapped[column]).sum()
    }

    fn laid(&self, caption: &str, rows: &[Vec<String>], columns: &[usize]) -> String {
        let whole: f64 = columns.iter().map(|&column| self.whole[column]).sum();
        let fitting = SIZES.iter().find(|(_, room)| whole <= *room);
        let (size, room) = *fitting.unwrap_or(&SIZES[1]);
        // What is left beside the longest words is shared by the columns that have more.
        let left = room - self.least(columns);
        let more = (whole - self.least(columns)).max(1.0);
        let share = (left / more).clamp(0.0, 1.0);
        let width = |column: usize| {
            self.wrapped[column] + share * (self.whole[column] - self.wrapped[column])
        };
        let aligned = |&column: &usize| match self.is_words[column] {
            false => "r".to_owned(),
            true if width(column) >= self.whole[column] => "l".to_owned(),
            true => {
                let of_line = (width(column) - GAP) / room;
                format!(r">{{\raggedright\arraybackslash}}p{{{of_line:.3}\linewidth}}")
            }
        };
        let head: Vec<String> = columns.iter().map(|&it| self.head_of(it, width(it))).collect();
        let aligned: String = columns.iter().map(aligned).collect();
        written(caption, &aligned, size, &head, rows, columns)
    }

    /// A head in as many lines as its column makes it.
    fn head_of(&self, column: usize, width: f64) -> String {
        let mut lines: Vec<String> = Vec::new();
        for word in self.head[column].split(' ') {
            match lines.last_mut() {
                Some(line) if (line.chars().count() + 1 + word.chars().count()) as f64 <= width => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(word.to_owned()),
            }
        }
        let side = if self.is_words[column] { 'l' } else { 'r' };
        let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
        match &lines[..] {
            [line] => line.clone(),
            lines => format!("\\shortstack[{side}]{{{}}}", lines.join(r"\\")),
        }
    }
}

/// The table as LaTeX; `head` is escaped already, and has only the `chosen` columns.
fn written(
    caption: &str,
    columns: &str,
    size: &str,
    head: &[String],
    rows: &[Vec<String>],
    chosen: &[usize],
) -> String {
    let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
    let row = |row: &Vec<String>| line(chosen.iter().map(|&it| escaped(&row[it])).collect());
    let rows: String = rows.iter().map(row).collect();
    let head = line(head.to_vec());
    format!(
        "\n{{\\{size}\\sloppy\\setlength{{\\tabcolsep}}{{3pt}}\n\
         \\setlength{{\\LTcapwidth}}{{\\linewidth}}\n\
         \\begin{{longtable}}{{{columns}}}\n\\caption{{{}}}\\\\\n\\toprule\n{head}\\midrule\n\
         \\endfirsthead\n\\toprule\n{head}\\midrule\n\\endhead\n\\bottomrule\n\\endfoot\n{rows}\
         \\end{{longtable}}}}\n",
        escaped(caption)
    )
}

#[cfg(test)]
mod unit {
    use super::*;

    fn rows(from: &str) -> Vec<Vec<String>> {
        let interval = || "1.23 (1.20–1.25)".to_owned();
        vec![vec!["hmac-sha256".into(), from.into(), interval(), interval(), interval()]]
    }

    const HEAD: [&str; 5] = ["MAC", "from", "absolute c/B", "apparent c/B", "app./abs."];

    #[test]
    fn what_is_too_wide_wraps_and_then_gets_a_further_table() {
        let told = |from: &str| table("T", "llrrr", &HEAD, &rows(from));
        let tables = |text: &str| text.matches("\\begin{longtable}").count();
        let narrow = told("macs");
        assert!(tables(&narrow) == 1 && narrow.contains("{llrrr}"), "{narrow}");
        let wide = told("openssl[avx2], macs[soft], gcrypt[soft]");
        assert!(tables(&wide) == 1 && wide.contains("p{"), "{wide}");
        let far = told(&"x".repeat(60));
        assert_eq!(tables(&far), 2, "{far}");
        assert_eq!(far.matches("hmac-sha256 & ").count(), 2, "{far}");
    }

    #[test]
    fn long_heads_are_broken_and_not_their_columns_widened() {
        let rows = vec![vec!["a".to_owned(), "1".into()]];
        let text = table("T", "lr", &["MAC", "core cycles (median)"], &rows);
        assert!(text.contains(r"\shortstack[r]{core\\cycles\\(median)}"), "{text}");
    }
}
