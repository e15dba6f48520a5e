//! The shape of an [`analyze`] result: the JSON that users read, its order of columns, and the
//! warnings that travel with it. Also what the types refuse.

use serde_json::{Value, json};
use stats::{Alpha, Differences, Sample, StatsError, Table, Times, analyze};

const ALPHA: Alpha = Alpha::FIVE_PERCENT;

/// 20 blocks: `fast` half of `slow`, `same` a constant, in an order that is not the alphabet's.
fn analysis() -> Value {
    let noise = |i: i32| f64::from(i * 7 % 20);
    let slow: Vec<f64> = (0..20).map(|i| 200.0 + noise(i)).collect();
    let fast: Vec<f64> = (0..20).map(|i| 100.0 + noise(i * 3)).collect();
    let table = Table::new(vec![("slow", slow), ("fast", fast), ("same", vec![150.0; 20])]);
    serde_json::to_value(analyze(&table.unwrap(), ALPHA)).unwrap()
}

#[test]
fn too_few_blocks_order_nothing() {
    let of = |blocks: i32| {
        let column = |scale: f64| (0..blocks).map(|i| scale + f64::from(i)).collect();
        let table = Table::new(vec![("a", column(1.0)), ("b", column(2.0)), ("c", column(3.0))]);
        let told = analyze(&table.unwrap(), ALPHA);
        (told.ordering, told.ordering_holm)
    };
    assert_eq!(of(5), (None, None));
    assert_eq!(of(6), (Some("a < b < c".into()), None));
    assert_eq!(of(7).1.as_deref(), Some("a < b < c"));
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn the_json_has_the_agreed_keys() {
    let json = analysis();
    let top = ["friedman", "normality", "ordering", "ordering_holm", "warnings", "wilcoxon"];
    assert_eq!(keys(&json), top);
    for key in ["statistic", "df", "p", "critical", "observed", "expected", "mean", "sd", "n"] {
        assert!(!json["normality"]["fast"][key].is_null(), "{key}");
    }
    let friedman = &json["friedman"];
    for key in ["statistic", "statistic_tie_corrected", "df", "p", "p_tie_corrected", "critical"] {
        assert!(friedman[key].is_number(), "{key}");
    }
    assert_eq!(friedman["rank_sums"], json!({"slow": 60.0, "fast": 20.0, "same": 40.0}));
    let pair = &json["wilcoxon"][0];
    assert_eq!((&pair["a"], &pair["b"]), (&json!("slow"), &json!("fast")));
    let numbers = [
        "t_plus",
        "t_minus",
        "n",
        "zeros",
        "z",
        "p_one_tailed",
        "p_two_tailed",
        "z_tie_corrected",
        "p_two_tailed_tie_corrected",
        "p_exact",
        "p_holm",
    ];
    for key in numbers {
        assert!(pair[key].is_number(), "{key}");
    }
    assert_eq!(keys(pair).len(), numbers.len() + 2);
}

#[test]
fn pairs_and_maps_keep_the_order_of_columns() {
    let json = analysis();
    let pairs: Vec<(&str, &str)> = json["wilcoxon"]
        .as_array()
        .unwrap()
        .iter()
        .map(|pair| (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap()))
        .collect();
    assert_eq!(pairs, [("slow", "fast"), ("slow", "same"), ("fast", "same")]);
    // Read as text: serde_json's own map would sort.
    let table = Table::new(vec![("z", vec![1.0, 2.0]), ("a", vec![2.0, 1.0])]).unwrap();
    let text = serde_json::to_string(&analyze(&table, ALPHA)).unwrap();
    assert!(text.contains(r#""rank_sums":{"z":3.0,"a":3.0}"#), "{text}");
    assert!(text.starts_with(r#"{"normality":{"z":{"#), "{text}");
}

#[test]
fn the_ordering_and_the_corrected_p() {
    let json = analysis();
    assert_eq!(json["ordering"], "fast < same < slow");
    assert_eq!(json["ordering_holm"], "fast < same < slow");
    // All 20 signs alike: 2 / 2^20, three times that for the smallest of three.
    for pair in json["wilcoxon"].as_array().unwrap() {
        assert_eq!(pair["p_exact"], json!(2f64.powi(-19)));
        assert_eq!(pair["p_holm"], json!(3.0 * 2f64.powi(-19)));
    }
}

#[test]
fn a_constant_column_has_no_test_of_normality_and_a_warning() {
    let json = analysis();
    let same = &json["normality"]["same"];
    assert_eq!(same["not_applicable"], "all values are equal");
    assert!(same["statistic"].is_null() && same["p"].is_null());
    assert_eq!(warnings_about(&json, "same: no test of normality").len(), 1);
    assert_eq!(warnings_about(&json, "20 values are few").len(), 1);
}

fn warnings_about<'a>(json: &'a Value, about: &str) -> Vec<&'a str> {
    let all = json["warnings"].as_array().unwrap().iter().map(|w| w.as_str().unwrap());
    all.filter(|warning| warning.contains(about)).collect()
}

#[test]
fn too_few_blocks_warn_and_enough_do_not() {
    let analysis = |columns: usize, blocks: usize| {
        let column = |c: usize| (0..blocks).map(|b| ((b * 5 + c * 3) % 11) as f64).collect();
        let columns = (0..columns).map(|c| (c.to_string(), column(c))).collect();
        analyze(&Table::new(columns).unwrap(), ALPHA)
    };
    let warned = |columns: usize, blocks: usize| {
        let told = analysis(columns, blocks);
        let begins = |with: &str| told.warnings.iter().any(|warning| warning.starts_with(with));
        // Each is said where it is so, and where there is such an ordering nothing denies it.
        assert_eq!(begins("cannot conclude: "), told.ordering.is_none());
        let denied = begins("cannot conclude after correction: ");
        assert_eq!(denied, told.ordering.is_some() && told.ordering_holm.is_none());
        [begins("cannot conclude"), begins("with ")]
    };
    let (nothing, pairs, none) = ([true, false], [false, true], [false, false]);
    assert_eq!([warned(2, 5), warned(2, 6)], [nothing, none]);
    // Five columns are four pairs of neighbours, 2^-6 · 4 = 0.063 and 2^-7 · 4 = 0.031, and ten
    // pairs, 2^-7 · 10 = 0.078 and 2^-8 · 10 = 0.039.
    let five = [5, 6, 7, 8, 9].map(|blocks| warned(5, blocks));
    assert_eq!(five, [nothing, nothing, nothing, pairs, none]);
    let fifty = [10, 11, 15, 16].map(|blocks| warned(50, blocks));
    assert_eq!(fifty, [nothing, pairs, pairs, none]);
    let said = analysis(5, 8).warnings[0].clone();
    let expected = "with 8 rows no pair can be significant at 0.05 after correction over all 10 \
                    pairs (p_holm in JSON): that takes 9; the orderings correct over 4 pairs of \
                    neighbours, or not at all";
    assert_eq!(said, expected);
}

/// 80 values of the generator of Numerical Recipes, top bits only.
fn noise(seed: u32) -> Vec<f64> {
    let step = |x: &u32| Some(x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
    std::iter::successors(Some(seed), step).skip(5).take(80).map(|x| f64::from(x >> 16)).collect()
}

#[test]
fn zeros_total_ties_and_dependence_warn() {
    let warnings = |a: Vec<f64>, b: Vec<f64>| {
        let analysis = analyze(&Table::new(vec![("a", a), ("b", b)]).unwrap(), ALPHA);
        analysis.warnings.join("\n")
    };
    let ramp: Vec<f64> = (0..80).map(f64::from).collect();
    let all_tied = warnings(ramp.clone(), ramp.clone());
    assert!(all_tied.contains("every block is entirely tied"), "{all_tied}");
    assert!(all_tied.contains("exactly zero: a − b"), "{all_tied}");
    assert!(!all_tied.contains("independent"), "{all_tied}");
    let drifting = warnings(ramp.clone(), vec![3.5; 80]);
    assert!(drifting.contains("may not be independent"), "{drifting}");
    assert!(!drifting.contains("exactly zero"), "{drifting}");
    let quiet = warnings(noise(1), noise(2));
    assert_eq!(quiet, "");
}

#[test]
fn what_the_types_refuse() {
    let table = |a: Vec<f64>, b: Vec<f64>| Table::new(vec![("a", a), ("b", b)]);
    let refused = |result: Result<Table, StatsError>| result.unwrap_err().to_string();
    assert_eq!(
        refused(table(vec![1.0], vec![f64::NAN])),
        "column `b`: value 0 is not a finite number"
    );
    assert_eq!(refused(table(vec![1e61], vec![1.0])), "column `a`: value 0 is beyond ±1e60");
    assert_eq!(
        refused(table(vec![1.0], vec![1.0, 2.0])),
        "column `b`: paired series have 1 and 2 values"
    );
    assert_eq!(refused(table(vec![], vec![])), "too few blocks: 0, at least 1 needed");
    let alone = Table::new(vec![("a", vec![1.0])]);
    assert_eq!(refused(alone), "too few columns: 1, at least 2 needed");
    let twins = Table::new(vec![("a", vec![1.0]), ("a", vec![2.0])]);
    assert_eq!(refused(twins), "two columns are named `a`");
    let zero = Times::new(table(vec![1.0], vec![0.0]).unwrap());
    assert_eq!(zero.unwrap_err().to_string(), "column `b`: value 0 is not above zero");
    assert!(Sample::new(vec![]).is_err() && Sample::new(vec![f64::INFINITY]).is_err());
    assert!(Differences::between(&[1.0], &[]).is_err() && Differences::between(&[], &[]).is_err());
    assert!(Differences::of_logs(&[1.0], &[-1.0]).is_err());
}
