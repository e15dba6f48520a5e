//! Nouns behind numbers.

use std::fmt::Display;

/// `1 launch`, `2 launches`.
#[must_use]
pub fn counted(count: impl Display, one: &str) -> String {
    format!("{count} {}", noun(&count, one))
}

/// The noun of so many: `launch`, `launches`.
#[must_use]
pub fn noun(count: impl Display, one: &str) -> String {
    let ending = match count.to_string() == "1" {
        true => "",
        false if one.ends_with("ch") => "es",
        false => "s",
    };
    format!("{one}{ending}")
}

#[test]
fn one_is_singular_and_nothing_is_not() {
    let launches = [0, 1, 2].map(|count| counted(count, "launch"));
    assert_eq!(launches, ["0 launches", "1 launch", "2 launches"]);
    assert_eq!(counted("1,200", "run"), "1,200 runs");
}
