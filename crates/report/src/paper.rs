//! The tables of the paper *Comparing the Speeds of HMAC and CMAC*, in its form, as rows of text:
//! the terminal and the page both print these. The numbers are those of `stats::analyze`.

use stats::ordering::by_rank_sum;
use stats::{Analysis, ColumnNormality, Normality, PairTest, Wilcoxon};

use crate::format::{ABSENT, four_decimals};

/// Ends of the classes, as the paper writes them.
const CLASSES: [&str; 5] =
    ["(z <= -1.5)", "(-1.5 < z <= -0.5)", "(-0.5 < z <= 0.5)", "(0.5 < z <= 1.5)", "(z > 1.5)"];

/// A table as the paper prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaperTable {
    /// What the test is.
    pub title: &'static str,
    /// What it is about: a column, or two.
    pub subject: String,
    /// A label and what stands behind it: one value, or three.
    pub rows: Vec<Vec<String>>,
}

/// All tables of one analysis in the paper's order, and the sentence it ends with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaperTables {
    /// One a column.
    pub normality: Vec<PaperTable>,
    /// One over all.
    pub friedman: PaperTable,
    /// One for each pair of neighbours in the ordering.
    pub wilcoxon: Vec<PaperTable>,
    /// `Therefore, the speed of A < B = C.`
    pub sentence: String,
    /// The same after correction for the number of neighbours.
    pub sentence_corrected: String,
}

/// What the values of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// What something takes: `<` reads "faster than".
    Times,
    /// How much is done in a time: `<` reads "slower than".
    Speeds,
}

impl Values {
    /// What an ordering is of.
    fn word(self) -> &'static str {
        match self {
            Self::Times => "time",
            Self::Speeds => "speed",
        }
    }
}

/// Why there is no ordering.
const TOO_FEW: &str = "there are too few rows for any difference to be significant";

impl PaperTables {
    /// Of one analysis of such values.
    #[must_use]
    pub fn of(analysis: &Analysis, values: Values) -> Self {
        let (critical, word) = (Wilcoxon::z_critical(analysis.alpha), values.word());
        PaperTables {
            normality: analysis.normality.iter().map(|(name, it)| normality(name, it)).collect(),
            friedman: friedman(analysis),
            wilcoxon: neighbours(analysis).iter().map(|it| wilcoxon(it, critical)).collect(),
            sentence: match &analysis.ordering {
                Some(ordering) => format!("Therefore, the {word} of {ordering}."),
                None => format!("Therefore, nothing: {TOO_FEW}."),
            },
            sentence_corrected: match &analysis.ordering_holm {
                Some(ordering) => format!("After Holm's correction: the {word} of {ordering}."),
                None => format!("After Holm's correction: nothing, because {TOO_FEW}."),
            },
        }
    }
}

fn pair(label: &str, value: impl Into<String>) -> Vec<String> {
    vec![label.into(), value.into()]
}

fn normality(name: &str, column: &ColumnNormality) -> PaperTable {
    let rows = match column {
        ColumnNormality::Tested(it) => tested(it),
        ColumnNormality::NotApplicable { not_applicable, .. } => {
            vec![pair("chi-squared Stat", ABSENT), pair("no test", not_applicable.clone())]
        }
    };
    PaperTable { title: "Chi-Squared Test of Normality", subject: name.into(), rows }
}

fn tested(it: &Normality) -> Vec<Vec<String>> {
    let moment = |value: Option<f64>| value.map_or(ABSENT.into(), four_decimals);
    let mut rows = vec![
        pair("Mean", moment(it.mean)),
        pair("Standard deviation", moment(it.sd)),
        pair("Observations", it.n.to_string()),
        ["Intervals", "Probability", "Expected", "Observed"].map(String::from).to_vec(),
    ];
    let shares = stats::normality::CLASS_PROBABILITIES;
    for (((class, share), expected), observed) in
        CLASSES.iter().zip(shares).zip(it.expected).zip(it.observed)
    {
        let share = share.to_string();
        rows.push(vec![(*class).into(), share, four_decimals(expected), observed.to_string()]);
    }
    rows.extend([
        pair("chi-squared Stat", four_decimals(it.statistic)),
        pair("df", it.df.to_string()),
        pair("p-value", four_decimals(it.p)),
        pair("chi-squared Critical", four_decimals(it.critical)),
    ]);
    rows
}

fn friedman(analysis: &Analysis) -> PaperTable {
    let it = &analysis.friedman;
    let mut rows = vec![pair("Group", "Rank Sum")];
    rows.extend(it.rank_sums.iter().map(|(name, sum)| pair(name, four_decimals(*sum))));
    rows.extend([
        pair("Fr Stat", four_decimals(it.statistic)),
        pair("df", it.df.to_string()),
        pair("p-value", four_decimals(it.p)),
        pair("chi-squared Critical", four_decimals(it.critical)),
    ]);
    PaperTable { title: "Friedman Test", subject: words::counted(it.n_blocks, "row"), rows }
}

/// The pairs that are neighbours by rank sum, the slower one first.
fn neighbours(analysis: &Analysis) -> Vec<(String, Wilcoxon)> {
    let sums = &analysis.friedman.rank_sums;
    let names: Vec<&str> = sums.iter().map(|(name, _)| name).collect();
    let order = by_rank_sum(&sums.iter().map(|(_, sum)| *sum).collect::<Vec<f64>>());
    let find = |a: &str, b: &str| {
        let is = |pair: &&PairTest| pair.a == a && pair.b == b;
        analysis.wilcoxon.iter().find(is).map(|pair| &pair.test)
    };
    let test = |step: &[usize]| {
        let (a, b) = (names[step[0]], names[step[1]]);
        let test = find(a, b).cloned().or_else(|| find(b, a).map(Wilcoxon::swapped))?;
        Some((format!("{a} - {b}"), test))
    };
    order.windows(2).filter_map(test).collect()
}

fn wilcoxon((difference, it): &(String, Wilcoxon), critical: Option<[f64; 2]>) -> PaperTable {
    let [one, two] =
        critical.map_or([ABSENT, ABSENT].map(String::from), |it| it.map(four_decimals));
    let rows = vec![
        pair("T+", four_decimals(it.t_plus)),
        pair("T-", four_decimals(it.t_minus)),
        pair("Observations (for test)", it.n.to_string()),
        pair("z Stat", it.z.map_or(ABSENT.into(), |z| format!("{z:.3}"))),
        pair("P(Z<=z) one-tail", four_decimals(it.p_one_tailed)),
        pair("z Critical one-tail", one),
        pair("P(Z<=z) two-tail", four_decimals(it.p_two_tailed)),
        pair("z Critical two-tail", two),
    ];
    PaperTable { title: "Wilcoxon Signed Rank Sum Test", subject: difference.clone(), rows }
}
