//! Colours by what they mean. A chart's own file carries the light ones; the page puts a CSS
//! variable in the place of each, so that charts follow its light and dark.

/// What a mark is drawn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Words that must be read.
    Text,
    /// Words that may be read: ticks, notes.
    Quiet,
    /// The frame of the axes.
    Axis,
    /// Lines behind the data.
    Grid,
    /// What lies under everything, and halos around marks.
    Paper,
    /// Data that are there for comparison only: the floor, the rest.
    Rest,
    /// Data, by order of appearance.
    Series(usize),
}

/// Okabe & Ito, *Color Universal Design*, without its yellow (unreadable on white), with a grey
/// brown and a violet behind it: told apart by people of every colour vision, and by marker and
/// dash besides.
const SERIES: [&str; 9] = [
    "#0072b2", "#d55e00", "#009e73", "#b8528f", "#c98a00", "#3aa0dd", "#3d3d3d", "#8a7250",
    "#6a4fb3",
];

/// Fixed colours with their variables on the page.
const FIXED: [(Colour, &str, &str); 6] = [
    (Colour::Text, "#1b1f24", "--ink"),
    (Colour::Quiet, "#5b6470", "--quiet"),
    (Colour::Axis, "#9aa3ad", "--axis"),
    (Colour::Grid, "#e6e9ed", "--grid"),
    (Colour::Paper, "#ffffff", "--paper"),
    (Colour::Rest, "#b4bbc3", "--rest"),
];

impl Colour {
    /// Its hexadecimal form on white.
    #[must_use]
    pub fn hex(self) -> &'static str {
        match self {
            Colour::Series(number) => SERIES[number % SERIES.len()],
            fixed => {
                FIXED.iter().find(|(colour, ..)| *colour == fixed).map_or("#000000", |row| row.1)
            }
        }
    }
}

/// The SVG with a CSS variable in the place of each colour.
#[must_use]
pub fn themed(svg: &str) -> String {
    let mut svg = svg.to_owned();
    for (_, hex, variable) in FIXED {
        svg = svg.replace(&format!("\"{hex}\""), &format!("\"var({variable})\""));
    }
    for (number, hex) in SERIES.iter().enumerate() {
        svg = svg.replace(&format!("\"{hex}\""), &format!("\"var(--series-{number})\""));
    }
    svg
}
