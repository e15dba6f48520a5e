//! Nouns and verbs behind numbers.

use std::fmt::Display;

/// `1 launch`, `2 launches`.
#[must_use]
pub fn counted(count: impl Display, one: &str) -> String {
    format!("{count} {}", noun(&count, one))
}

/// The noun of so many: `launch`, `launches`.
#[must_use]
pub fn noun(count: impl Display, one: &str) -> String {
    let ending = match is_one(count) {
        true => "",
        false if one.ends_with("ch") => "es",
        false => "s",
    };
    format!("{one}{ending}")
}

/// `is` behind one, `are` behind any other number.
#[must_use]
pub fn is_are(count: impl Display) -> &'static str {
    if is_one(count) { "is" } else { "are" }
}

fn is_one(count: impl Display) -> bool {
    count.to_string() == "1"
}

#[test]
fn one_is_singular_and_nothing_is_not() {
    let launches = [0, 1, 2].map(|count| counted(count, "launch"));
    assert_eq!(launches, ["0 launches", "1 launch", "2 launches"]);
    assert_eq!(counted("1,200", "run"), "1,200 runs");
    assert_eq!([0, 1, 2].map(is_are), ["are", "is", "are"]);
}
