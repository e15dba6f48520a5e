//! The classes of MACs that an answer tells apart.

use anyhow::Result;
use lab::study::{Class, ClassName};
use macs::MacInfo;

use super::needs::{self, Needs};

/// Those of the admitted MACs. `known` are in wide use, `same` are in use today.
pub fn of(
    needs: &Needs,
    admitted: &[&MacInfo],
    known: &[String],
    same: Vec<String>,
) -> Result<Vec<Class>> {
    let is_wide = |mac: &MacInfo| needs.is_free(mac) && known.iter().any(|name| name == mac.name);
    let is_unconditional = |mac: &MacInfo| !needs.encrypts() && needs::asks(mac.name).is_none();
    let class = |name, macs| Class { name, macs };
    let mut classes = vec![
        class(ClassName::Wide, names(admitted, is_wide)),
        class(ClassName::All, names(admitted, |_| true)),
        class(ClassName::SameMac, same),
        class(ClassName::Unconditional, names(admitted, is_unconditional)),
    ];
    // What is in wide use, or else everything, that another policy admits.
    for policy in needs.others()? {
        let wide = names(admitted, |mac| is_wide(mac) && policy.admits(mac));
        let macs = if wide.is_empty() { names(admitted, |mac| policy.admits(mac)) } else { wide };
        classes.push(class(ClassName::Policy(policy.name.clone()), macs));
    }
    // That nothing is without a condition is an answer, too.
    classes.retain(|class| !class.macs.is_empty() || class.name == ClassName::Unconditional);
    Ok(classes)
}

/// Names of those that are in a class.
fn names(macs: &[&MacInfo], is_in: impl Fn(&MacInfo) -> bool) -> Vec<String> {
    macs.iter().filter(|mac| is_in(mac)).map(|mac| mac.name.to_owned()).collect()
}
