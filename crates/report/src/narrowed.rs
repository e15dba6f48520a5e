//! What a user narrowed a run down to, or asked of it, from the command line that measures it
//! again.

/// Options that `run` puts behind those that choose what is measured.
const REST: [&str; 4] = [" --budget ", " --cpu ", " --segments-dir ", " --seed "];

/// `--mac 'hmac-*' --size 64`; `None` of a run of the whole study.
#[must_use]
pub fn narrowed_by(command: &str) -> Option<&str> {
    options(command, "macrometer run")
}

/// The same, and what `macrometer recommend` and `macrometer gate` were asked.
#[must_use]
pub fn asked_of(command: &str) -> Option<&str> {
    let of = |verb| options(command, verb);
    narrowed_by(command).or_else(|| of("macrometer recommend")).or_else(|| of("macrometer gate"))
}

fn options<'a>(command: &'a str, verb: &str) -> Option<&'a str> {
    let (_study, options) = command.strip_prefix(verb)?.split_once(" --")?;
    let from = command.len() - options.len() - " --".len();
    let options = &command[from..];
    let to = REST.iter().filter_map(|rest| options.find(rest)).min().unwrap_or(options.len());
    Some(options[..to].trim()).filter(|options| !options.is_empty())
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn only_what_chooses_cells_or_extent_narrows() {
        for whole in [
            "macrometer run survey --seed 1",
            "macrometer run khc --budget 15 --cpu 1 --seed 1",
            "macrometer doctor --pairs 4",
            "macrometer run survey",
        ] {
            assert_eq!(narrowed_by(whole), None, "{whole}");
        }
        let command =
            "macrometer run my study.toml --mac 'hmac-*' --launches 2 --budget 3 --seed 1";
        assert_eq!(narrowed_by(command), Some("--mac 'hmac-*' --launches 2"));
        let held = "macrometer run khc --without avx512,sha --budget 5 --seed 1";
        assert_eq!(narrowed_by(held), Some("--without avx512,sha"));
        assert_eq!(narrowed_by("macrometer run x --size '64'"), Some("--size '64'"));
        let quick = "macrometer run --provider macs --quick --budget 15 --seed 1";
        assert_eq!(narrowed_by(quick), Some("--provider macs --quick"));
        let gate = "macrometer gate --base a --new b --seed 1";
        assert_eq!((narrowed_by(gate), asked_of(gate)), (None, Some("--base a --new b")));
        let asked = "macrometer recommend --size 300 --from python --budget 5 --seed 1";
        assert_eq!((narrowed_by(asked), asked_of(asked)), (None, Some("--size 300 --from python")));
        assert_eq!(asked_of(held), narrowed_by(held));
    }
}
