//! "Did you mean": the catalog names nearest to one that is not in it, by the edit distance
//! that takes two swapped neighbours for one edit (optimal string alignment: Damerau, Commun. ACM
//! 7(3), 1964).

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::catalog::{catalog, find};
use crate::error::Error;
use crate::row::MacInfo;

const SUGGESTIONS_MAX: usize = 3;

/// `find`, with the error that says what the name may have meant.
#[inline(always)]
pub(crate) fn lookup(name: &str) -> Result<&'static MacInfo, Error> {
    find(name).ok_or_else(|| unknown(name))
}

#[cold]
fn unknown(name: &str) -> Error {
    Error::UnknownMac { name: name.into(), suggestions: suggest(name) }
}

/// The catalog names nearest to `name`, best first; none when nothing is near.
/// Case, and `_`, `/` or a space for `-`, cost nothing.
pub fn suggest(name: &str) -> Vec<&'static str> {
    let plain = |c: char| if "_/ ".contains(c) { '-' } else { c.to_ascii_lowercase() };
    let asked: String = name.chars().map(plain).collect();
    // A third of the name may be wrong; a name begun but not finished is near however short it is.
    let asked_len = asked.chars().count();
    let near = asked_len / 3 + 1;
    let mut ranked: Vec<(usize, &'static str)> = catalog()
        .iter()
        .filter_map(|mac| {
            let begun = asked.len() > 1 && mac.name.starts_with(&asked);
            // As many edits as the lengths differ at least: a long text is not gone through.
            if !begun && asked_len.abs_diff(mac.name.len()) > near {
                return None;
            }
            let distance = edit_distance(&asked, mac.name);
            (begun || distance <= near).then_some((if begun { 0 } else { distance }, mac.name))
        })
        .collect();
    ranked.sort_by_key(|&(distance, _)| distance);
    // Beside a name that is near, one twice as far only distracts.
    let far = 2 * ranked.first().map_or(0, |&(distance, _)| distance);
    ranked.retain(|&(distance, _)| distance <= far);
    ranked.into_iter().take(SUGGESTIONS_MAX).map(|(_, name)| name).collect()
}

/// How many letters must be put in, taken out, changed or swapped with their neighbour to get from
/// `a` to `b`.
fn edit_distance(a: &str, b: &str) -> usize {
    let [a, b]: [Vec<char>; 2] = [a, b].map(|it| it.chars().collect());
    // row[j]: the distance between the part of `a` seen so far and the first j letters of `b`.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut before = row.clone();
    for i in 1..=a.len() {
        let above = core::mem::replace(&mut row, vec![i; b.len() + 1]);
        for j in 1..=b.len() {
            let changed = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = changed.min(above[j] + 1).min(row[j - 1] + 1);
            let is_swapped = i > 1 && j > 1 && (a[i - 2], a[i - 1]) == (b[j - 1], b[j - 2]);
            if is_swapped {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = above;
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("cmac", "cmac"), 0);
        assert_eq!(edit_distance("cmac", "camc"), 1);
        assert_eq!(edit_distance("sha265-x", "sha256"), 3);
    }

    #[test]
    fn the_nearest_name_comes_first() {
        assert_eq!(suggest("hmac-sha-256").first(), Some(&"hmac-sha256"));
        assert_eq!(suggest("HMAC_SHA512/256").first(), Some(&"hmac-sha512-256"));
        assert_eq!(suggest("hmac-sha265").first(), Some(&"hmac-sha256"));
        assert_eq!(suggest("cmac-aes").first(), Some(&"cmac-aes-128"));
        assert_eq!(suggest("cmac-aes128").first(), Some(&"cmac-aes-128"));
        assert!(suggest("poetry").is_empty());
        assert!(suggest("").is_empty());
    }
}
