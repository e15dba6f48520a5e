//! "Did you mean": the names nearest to one that nobody has.

/// Names that are suggested at most.
const SUGGESTED_MAX: usize = 3;

/// `: did you mean survey?`, or what is said where nothing is near. A third of the name may be
/// wrong; case costs nothing, and a name begun but not finished is near.
pub fn did_you_mean<'a>(
    name: &str,
    names: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce(&[&'a str]) -> String,
) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let asked = name.to_ascii_lowercase();
    let most = asked.chars().count() / 3;
    let distance = |known: &str| match asked.len() > 1 && known.starts_with(&asked) {
        true => 0,
        false => strsim::damerau_levenshtein(&asked, known),
    };
    let mut near: Vec<(usize, &str)> = names.iter().map(|&it| (distance(it), it)).collect();
    near.retain(|(distance, _)| *distance <= most);
    near.sort_unstable();
    near.truncate(SUGGESTED_MAX);
    if near.is_empty() {
        return format!(": {}", otherwise(&names));
    }
    let near: Vec<&str> = near.into_iter().map(|(_, name)| name).collect();
    format!(": did you mean {}?", near.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first_and_where_none_is_near_all_are_named() {
        let names = ["hmac-vs-cmac", "khc", "kernels", "survey"];
        let told = |name| did_you_mean(name, names, |all| format!("there are {}", all.join(", ")));
        assert_eq!(told("sruvey"), ": did you mean survey?");
        assert_eq!(told("HMAC-VS"), ": did you mean hmac-vs-cmac?");
        assert_eq!(told("hmac-cmac"), ": did you mean hmac-vs-cmac?");
        assert_eq!(told("k"), ": there are hmac-vs-cmac, khc, kernels, survey");
        assert_eq!(told("nonsuch"), told("k"));
    }
}
