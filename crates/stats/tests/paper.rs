//! Every figure in the tables of *Comparing the Speeds of HMAC and CMAC* that follows from other
//! printed figures, worked out again from those: 21 tests of normality from the counts, 5 Friedman
//! tests from the rank sums, 14 signed-rank tests from T+, T− and n, and the ordering sentences.
//! Means and standard deviations follow from raw data only, which the paper does not print.

use stats::ordering::by_rank_sum;
use stats::{Alpha, Friedman, Normality, Ordering, Wilcoxon};

const ALPHA: Alpha = Alpha::FIVE_PERCENT;

/// Title, observed counts, statistic, p.
type NormalityRow = (&'static str, [u64; 5], f64, f64);

/// In the order of the paper; all have n = 100, df 2 and critical value 5.9915.
const NORMALITY_FIXED_SIZE: [NormalityRow; 18] = [
    ("sha-224(128)", [9, 19, 35, 36, 1], 12.8122, 0.0017),
    ("sha-256(128)", [8, 19, 28, 45, 0], 28.7589, 0.0),
    ("sha-384(128)", [11, 14, 31, 44, 0], 31.4056, 0.0),
    ("sha-512(128)", [9, 16, 40, 35, 0], 15.1747, 0.0005),
    ("cmac aes-128", [10, 18, 33, 39, 0], 19.7322, 0.0001),
    ("sha-224(192)", [10, 9, 46, 33, 2], 19.2271, 0.0001),
    ("sha-256(192)", [12, 5, 51, 32, 0], 32.8746, 0.0),
    ("sha-384(192)", [13, 8, 52, 27, 0], 28.7162, 0.0),
    ("sha-512(192)", [13, 4, 53, 30, 0], 36.5466, 0.0),
    ("cmac aes-192", [15, 9, 45, 31, 0], 29.6674, 0.0),
    ("sha-224 (256)", [10, 20, 39, 30, 1], 8.6177, 0.0134),
    ("sha-256(256)", [10, 15, 50, 22, 3], 10.9327, 0.0042),
    ("sha-384(256)", [9, 16, 45, 29, 1], 10.5377, 0.0051),
    ("sha-512(256)", [10, 20, 31, 39, 0], 19.5335, 0.0001),
    ("cmac aes-256", [6, 24, 39, 31, 0], 8.6925, 0.013),
    ("CMAC AES-128", [14, 10, 40, 36, 0], 28.8722, 0.0),
    ("CMAC AES-192", [16, 10, 25, 49, 0], 58.1035, 0.0),
    ("CMAC AES-256", [15, 10, 31, 44, 0], 43.0015, 0.0),
];

/// Part III, increasing message size; n = 128, df 2, critical value 5.9915.
const NORMALITY_INCREASING_SIZE: [NormalityRow; 3] = [
    ("CMAC AES-128", [0, 0, 116, 6, 6], 151.9048, 0.0),
    ("CMAC AES-192", [0, 0, 115, 7, 6], 147.6121, 0.0),
    ("CMAC AES-256", [0, 0, 118, 4, 6], 160.8066, 0.0),
];

/// Title, columns, rank sums, blocks, Fr Stat, df, p, critical.
type FriedmanRow =
    (&'static str, &'static [&'static str], &'static [f64], usize, f64, usize, f64, f64);

const SHA_AES_128: [&str; 5] = ["sha 224", "sha 256", "sha 384", "sha 512", "aes 128"];
const SHA_AES_192: [&str; 5] = ["sha 224", "sha 256", "sha 384", "sha 512", "aes 192"];
const SHA_AES_256: [&str; 5] = ["sha 224", "sha 256", "sha 384", "sha 512", "aes 256"];
const CMAC: [&str; 3] = ["CMAC AES-128", "CMAC AES-192", "CMAC AES-256"];

const SUMS_128: [f64; 5] = [210.5, 392.0, 349.0, 448.5, 100.0];
const SUMS_192: [f64; 5] = [211.0, 374.0, 357.0, 458.0, 100.0];
const SUMS_256: [f64; 5] = [210.0, 388.0, 345.5, 456.5, 100.0];
const SUMS_CMAC: [f64; 3] = [160.0, 208.0, 232.0];
const SUMS_CMAC_INCREASING: [f64; 3] = [260.0, 254.0, 254.0];

#[rustfmt::skip]
const FRIEDMAN: [FriedmanRow; 5] = [
    ("case 1", &SHA_AES_128, &SUMS_128, 100, 323.71, 4, 0.0, 9.4877),
    ("case 2", &SHA_AES_192, &SUMS_192, 100, 326.44, 4, 0.0, 9.4877),
    ("case 3", &SHA_AES_256, &SUMS_256, 100, 329.626, 4, 0.0, 9.4877),
    ("case 4", &CMAC, &SUMS_CMAC, 100, 26.88, 2, 0.0, 5.9915),
    ("part III", &CMAC, &SUMS_CMAC_INCREASING, 128, 0.188, 2, 0.9105, 5.9915),
];

/// Case, first, second (the difference is first less second), T+, T−, observations, z, one-tailed
/// p, two-tailed p. T left empty in the paper is 0.
type WilcoxonRow = (u8, &'static str, &'static str, f64, f64, usize, f64, f64, f64);

#[rustfmt::skip]
const WILCOXON: [WilcoxonRow; 14] = [
    (1, "sha 224", "aes 128", 5050.0, 0.0, 100, 8.682, 0.0, 0.0),
    (1, "sha 256", "sha 384", 1468.0, 1088.0, 71, 1.089, 0.1381, 0.2762),
    (1, "sha 224", "sha 256", 5.0, 4945.0, 99, -8.621, 0.0, 0.0),
    (1, "sha 256", "sha 512", 851.0, 2635.0, 83, -4.05, 0.0, 0.0),
    (2, "aes 192", "sha 224", 0.0, 5050.0, 100, -8.682, 0.0, 0.0),
    (2, "sha 256", "sha 384", 1728.0, 1047.0, 74, 1.834, 0.0333, 0.0666),
    (2, "sha 224", "sha 384", 85.0, 4965.0, 100, -8.39, 0.0, 0.0),
    (2, "sha 256", "sha 512", 380.5, 2545.5, 76, -5.604, 0.0, 0.0),
    (3, "aes 256", "sha 224", 0.0, 5050.0, 100, -8.682, 0.0, 0.0),
    (3, "sha 224", "sha 384", 182.0, 4868.0, 100, -8.056, 0.0, 0.0),
    (3, "sha 256", "sha 512", 779.5, 2541.5, 81, -4.148, 0.0, 0.0),
    (3, "sha 384", "sha 256", 802.5, 1972.5, 74, -3.152, 0.0008, 0.0016),
    (4, "CMAC AES-128", "CMAC AES-192", 1599.0, 3252.0, 98, -2.929, 0.0017, 0.0034),
    (4, "CMAC AES-192", "CMAC AES-256", 1829.0, 2636.0, 94, -1.522, 0.0641, 0.1282),
];

/// Where the paper's two-tailed p is not what its own T+ and n give: it doubles the one-tailed p
/// *after* rounding that to four digits. Case, first, second, ours to four digits.
const TWO_TAILED_DISCREPANCIES: [(u8, &str, &str, f64); 3] = [
    (1, "sha 256", "sha 384", 0.2763), // printed 0.2762 = 2 × 0.1381
    (1, "sha 256", "sha 512", 0.0001), // printed 0 = 2 × 0.0000; exactly 0.000051
    (4, "CMAC AES-192", "CMAC AES-256", 0.1281), // printed 0.1282 = 2 × 0.0641
];

#[track_caller]
fn assert_printed(what: &str, ours: f64, printed: f64, digits: usize) {
    let (ours, printed) = (format!("{ours:.digits$}"), format!("{printed:.digits$}"));
    assert_eq!(ours, printed, "{what}");
}

fn check_normality(rows: &[NormalityRow], n: u64, expected: [(f64, usize); 5]) {
    for &(title, observed, statistic, p) in rows {
        let tested = Normality::from_counts(observed, ALPHA).unwrap();
        assert_eq!((tested.n, tested.df), (n, 2), "{title}");
        for (ours, (printed, digits)) in tested.expected.into_iter().zip(expected) {
            assert_printed(title, ours, printed, digits);
        }
        assert_printed(title, tested.statistic, statistic, 4);
        assert_printed(title, tested.p, p, 4);
        assert_printed(title, tested.critical, 5.9915, 4);
    }
}

#[test]
fn normality_from_the_printed_counts() {
    let expected = [(6.6807, 4), (24.173, 3), (38.2925, 4), (24.173, 3), (6.6807, 4)];
    check_normality(&NORMALITY_FIXED_SIZE, 100, expected);
    let expected = [(8.551296, 6), (30.94144, 5), (49.0144, 4), (30.94144, 5), (8.551296, 6)];
    check_normality(&NORMALITY_INCREASING_SIZE, 128, expected);
}

#[test]
fn friedman_from_the_printed_rank_sums() {
    for (title, _, rank_sums, blocks, statistic, df, p, critical) in FRIEDMAN {
        let tested = Friedman::from_rank_sums(blocks, rank_sums, ALPHA).unwrap();
        assert_printed(title, tested.statistic, statistic, 3);
        assert_eq!(tested.df, df, "{title}");
        assert_printed(title, tested.p, p, 4);
        assert_printed(title, tested.critical, critical, 4);
        assert_eq!(tested.statistic_tie_corrected, None, "{title}");
    }
}

#[test]
fn signed_ranks_from_the_printed_sums() {
    for (case, a, b, t_plus, t_minus, n, z, p_one, p_two) in WILCOXON {
        let title = format!("case {case}, {a} - {b}");
        let tested = Wilcoxon::from_t(t_plus, n).unwrap();
        assert_eq!(tested.t_minus, t_minus, "{title}");
        assert_printed(&title, tested.z.unwrap(), z, 3);
        assert_printed(&title, tested.p_one_tailed, p_one, 4);
        // z Critical is 1.6449 and 1.96 in every table.
        assert_eq!(z.abs() > 1.6449, tested.p_one_tailed < 0.05, "{title}");
        assert_eq!(z.abs() > 1.96, tested.p_two_tailed < 0.05, "{title}");
        let differs = TWO_TAILED_DISCREPANCIES.iter().find(|d| (d.0, d.1, d.2) == (case, a, b));
        match differs {
            None => assert_printed(&title, tested.p_two_tailed, p_two, 4),
            Some(&(.., ours)) => {
                assert_printed(&title, tested.p_two_tailed, ours, 4);
                assert_ne!(ours, p_two, "{title}");
                assert_printed(&title, 2.0 * p_one, p_two, 4);
            }
        }
    }
}

/// The printed test of column i less column j in a case, turned round where the paper has j − i.
fn printed_test(case: u8, a: &str, b: &str) -> Wilcoxon {
    for (row_case, first, second, t_plus, _, n, ..) in WILCOXON {
        let tested = Wilcoxon::from_t(t_plus, n).unwrap();
        if (row_case, first, second) == (case, a, b) {
            return tested;
        }
        if (row_case, first, second) == (case, b, a) {
            return tested.swapped();
        }
    }
    panic!("the paper does not compare {a} and {b} in case {case}");
}

fn ordering(case: u8, names: &[&str], rank_sums: &[f64], order: &[usize]) -> Ordering {
    let friedman = Friedman::from_rank_sums(100, rank_sums, ALPHA).unwrap();
    let owned: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    let test = |i: usize, j: usize| printed_test(case, names[i], names[j]);
    Ordering::along(order, &owned, friedman.p, ALPHA, test)
}

#[test]
fn case_1_in_the_papers_order() {
    // By rank sum sha 384 (349) comes before sha 256 (392); the paper writes the two, which it
    // finds equal, the other way round, so that its neighbours are 224-256 and 384-512; of those
    // it prints the first, and 256-512 in place of the second.
    assert_eq!(by_rank_sum(&SUMS_128), [4, 0, 2, 1, 3]);
    let told = ordering(1, &SHA_AES_128, &SUMS_128, &[4, 0, 1, 2]);
    assert_eq!(told.sentence, "aes 128 < sha 224 < sha 256 = sha 384");
    let told = ordering(1, &SHA_AES_128, &SUMS_128, &[1, 3]);
    assert_eq!(told.sentence, "sha 256 < sha 512");
}

#[test]
fn cases_2_to_4_by_rank_sum() {
    let told = ordering(2, &SHA_AES_192, &SUMS_192, &by_rank_sum(&SUMS_192));
    assert_eq!(told.sentence, "aes 192 < sha 224 < sha 384 < sha 256 < sha 512");
    // The `<` that only a one-tailed, uncorrected p supports (0.0333).
    assert_eq!(told.sentence_holm, "aes 192 < sha 224 < sha 384 = sha 256 < sha 512");

    let told = ordering(3, &SHA_AES_256, &SUMS_256, &by_rank_sum(&SUMS_256));
    assert_eq!(told.sentence, "aes 256 < sha 224 < sha 384 < sha 256 < sha 512");
    assert_eq!(told.sentence_holm, told.sentence);

    let told = ordering(4, &CMAC, &SUMS_CMAC, &by_rank_sum(&SUMS_CMAC));
    assert_eq!(told.sentence, "CMAC AES-128 < CMAC AES-192 = CMAC AES-256");
    assert_eq!(told.sentence_holm, told.sentence);
}

#[test]
fn part_3_orders_nothing_because_friedman_does_not_reject() {
    let friedman = Friedman::from_rank_sums(128, &SUMS_CMAC_INCREASING, ALPHA).unwrap();
    let names = CMAC.map(String::from);
    let order = by_rank_sum(&SUMS_CMAC_INCREASING);
    assert_eq!(order, [1, 2, 0]);
    // The paper prints no signed ranks here; even the most extreme must not matter.
    let extreme = |_, _| Wilcoxon::from_t(0.0, 128).unwrap();
    let told = Ordering::along(&order, &names, friedman.p, ALPHA, extreme);
    assert_eq!(told.sentence, "CMAC AES-192 = CMAC AES-256 = CMAC AES-128");
    assert_eq!(told.sentence_holm, told.sentence);
    // With a Friedman test that rejects, the same signed ranks would have ordered them.
    let told = Ordering::along(&order, &names, 0.01, ALPHA, extreme);
    assert_eq!(told.sentence, "CMAC AES-192 < CMAC AES-256 < CMAC AES-128");
}
