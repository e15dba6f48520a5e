//! A row by its name: a hash table with open addressing and linear probing, filled by the compiler.
//! A place of it holds the number of a row from 1 on, or 0 where there is none. A binary search of
//! 292 names took as long as a short tag.

use crate::row::MacInfo;

/// How many places a table of so many names has: a power of two, and at least half of them empty.
pub(super) const fn places(names: usize) -> usize {
    (2 * names + 1).next_power_of_two()
}

/// The table of these rows.
pub(super) const fn fill<const PLACES: usize>(rows: &[MacInfo]) -> [u16; PLACES] {
    assert!(rows.len() < PLACES && rows.len() < u16::MAX as usize);
    let (mut table, mut number) = ([0; PLACES], 0);
    while number < rows.len() {
        let mut place = place::<PLACES>(rows[number].name);
        while table[place] != 0 {
            place = (place + 1) % PLACES;
        }
        number += 1;
        table[place] = number as u16;
    }
    table
}

/// The row of this name, by the table of the rows' names.
pub(super) fn find<'a, const PLACES: usize>(
    rows: &'a [MacInfo],
    table: &[u16; PLACES],
    name: &str,
) -> Option<&'a MacInfo> {
    let mut place = place::<PLACES>(name);
    loop {
        let row = rows.get(usize::from(table[place]).checked_sub(1)?)?;
        if row.name == name {
            return Some(row);
        }
        place = (place + 1) % PLACES;
    }
}

/// Where to look first, in a table of so many places.
const fn place<const PLACES: usize>(name: &str) -> usize {
    const { assert!(PLACES.is_power_of_two()) }
    // The upper bits of a product depend on all bits of its factors.
    (hash(name.as_bytes()) >> 32 >> (32 - PLACES.ilog2())) as usize
}

/// Odd, its bits in no order: 2^64 by the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Of all bytes, eight at a time; the last eight may overlap those before. Names come from the
/// caller, and the table from us: nobody gains by names that collide.
const fn hash(name: &[u8]) -> u64 {
    let (mut hash, mut rest) = (name.len() as u64, name);
    while let Some((word, behind)) = rest.split_first_chunk() {
        hash = mixed(hash, u64::from_le_bytes(*word));
        rest = behind;
    }
    if let Some(word) = name.last_chunk() {
        return mixed(hash, u64::from_le_bytes(*word));
    }
    let mut word = 0;
    while let [byte, behind @ ..] = rest {
        word = word << 8 | *byte as u64;
        rest = behind;
    }
    mixed(hash, word)
}

const fn mixed(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(FACTOR);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::catalog::catalog;

    /// Rows of these names.
    fn rows(names: &[&'static str]) -> Vec<MacInfo> {
        names.iter().map(|name| MacInfo { name, ..crate::catalog::BLANK }).collect()
    }

    /// Every name is found and gives its row; one with a byte changed, left out or added, none.
    fn try_all<const PLACES: usize>(rows: &[MacInfo]) {
        let names: Vec<&str> = rows.iter().map(|row| row.name).collect();
        let table = fill::<PLACES>(rows);
        let found = |name: &str| find(rows, &table, name);
        for row in rows {
            assert!(core::ptr::eq(found(row.name).unwrap(), row), "{}", row.name);
            for other in others(row.name) {
                let known = names.contains(&&*other);
                assert_eq!(found(&other).map(|row| row.name), known.then_some(&*other));
            }
        }
        assert!(found("").is_none());
    }

    fn others(name: &str) -> Vec<alloc::string::String> {
        let changed = (0..name.len()).flat_map(|at| {
            let (before, behind) = (&name[..at], &name[at + 1..]);
            [alloc::format!("{before}{behind}"), alloc::format!("{before}#{behind}")]
        });
        changed.chain([alloc::format!("{name}-"), alloc::format!("{name}{name}")]).collect()
    }

    #[test]
    fn every_name_of_the_catalog_is_found_and_no_other() {
        try_all::<{ places(512) }>(catalog());
        // Nearly full, so that most names collide; the names are at most 512.
        try_all::<512>(&catalog()[..catalog().len().min(511)]);
    }

    /// Names that have the same first place.
    #[test]
    fn names_that_collide_are_found() {
        const PLACES: usize = 16;
        let mut names = Vec::new();
        for number in 0_u32.. {
            let name: &'static str = alloc::format!("mac-{number}").leak();
            // The last place, so that the search goes on at the first.
            if place::<PLACES>(name) == PLACES - 1 {
                names.push(name);
            }
            if names.len() == PLACES {
                break;
            }
        }
        let absent = names.pop().unwrap();
        let rows = rows(&names);
        try_all::<PLACES>(&rows);
        assert!(find(&rows, &fill::<PLACES>(&rows), absent).is_none());
        assert!(find(&[], &fill::<1>(&[]), absent).is_none());
    }

    #[test]
    fn the_table_has_few_names_far_from_their_places() {
        let names: Vec<&str> = catalog().iter().map(|row| row.name).collect();
        let mut counts = [0; 1024];
        names.iter().for_each(|name| counts[place::<1024>(name)] += 1);
        let alone = counts.iter().filter(|count| **count == 1).count();
        assert!(2 * alone >= names.len(), "{alone} of {}", names.len());
        assert!(counts.iter().all(|count| *count <= 4), "{:?}", counts.iter().max());
    }
}
