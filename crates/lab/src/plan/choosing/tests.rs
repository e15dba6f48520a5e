use super::*;
use crate::cell::KeyLife;

fn study(sizes: &str) -> Study {
    let text = format!(
        r#"
        name = "s"
        title = "S"
        summary = "S."
        budget_s = 1
        launches = 6
        [[panels]]
        name = "fastest"
        title = "The fastest"
        choose = "fastest"
        [[parts]]
        name = "short"
        title = "Short"
        sizes = [256]
        key_lives = ["new-key"]
        [[parts.cases]]
        name = "c"
        title = "C"
        macs = ["m"]
        [[parts]]
        name = "growing"
        title = "Growing"
        sizes = {sizes}
        key_lives = ["new-key"]
        [[parts.cases]]
        name = "c"
        title = "C"
        macs = ["m"]
        "#
    );
    Study::parse(&text).unwrap()
}

fn planned(part: u32, provider: &str, len_bytes: u64) -> Planned {
    let candidate = Candidate { mac: "m".into(), provider: provider.into(), kernel: "soft".into() };
    let cell = Cell {
        candidate,
        regime: Regime::Single,
        key_life: KeyLife::NewKey,
        len_bytes,
        key_len_bytes: 16,
        usual_key: true,
    };
    Planned { part, cell }
}

/// Who is chosen for each part, of these times.
fn chosen(times_ns: &[(u32, &str, u64, f64)]) -> Vec<(String, String)> {
    let timed: Vec<(Planned, f64)> =
        times_ns.iter().map(|&(part, who, len, ns)| (planned(part, who, len), ns)).collect();
    let name = |it: Chosen| (it.part.unwrap(), it.candidate.provider);
    choose(&study("[1024, 65536, 131072]"), &timed).into_iter().map(name).collect()
}

fn is(part: &str, who: &str) -> (String, String) {
    (part.into(), who.into())
}

#[test]
fn who_refuses_long_messages_is_not_chosen_by_its_short_ones() {
    let times = [
        (0, "whole", 256, 327.0),
        (1, "whole", 1024, 700.0),
        (1, "whole", 65536, 33_000.0),
        (1, "whole", 131_072, 66_000.0),
        (0, "short", 256, 3500.0),
        // Faster wherever it is there at all.
        (1, "short", 1024, 600.0),
    ];
    assert_eq!(chosen(&times), [is("short", "whole"), is("growing", "whole")]);
    // What it can do whole it may win, and where nobody else is it is better than nothing.
    let quick = [(0, "whole", 256, 327.0), (0, "short", 256, 250.0), (1, "short", 1024, 600.0)];
    assert_eq!(chosen(&quick), [is("short", "short"), is("growing", "short")]);
}

#[test]
fn who_is_never_far_behind_is_chosen_before_who_is_ahead_on_average() {
    let times = [
        (1, "even", 1024, 104.0),
        (1, "even", 65536, 104.0),
        (1, "even", 131_072, 104.0),
        (1, "uneven", 1024, 150.0),
        (1, "uneven", 65536, 60.0),
        (1, "uneven", 131_072, 104.0),
        (1, "long", 1024, 100.0),
        (1, "long", 65536, 300.0),
        (1, "long", 131_072, 100.0),
    ];
    assert_eq!(chosen(&times), [is("growing", "uneven")]);
    // Within what the pilot can see the mean decides.
    let near = [
        (0, "a", 256, 101.0),
        (0, "b", 256, 100.0),
        (1, "a", 1024, 101.0),
        (1, "a", 65536, 99.0),
        (1, "b", 1024, 100.0),
        (1, "b", 65536, 100.9),
    ];
    assert_eq!(chosen(&near), [is("short", "b"), is("growing", "a")]);
}

#[test]
fn the_pilot_sees_short_middle_and_long_messages_of_each_part() {
    let study = study("[1, 11, 21, 101]");
    let cells: Vec<Planned> = [1, 11, 21, 101].map(|len| planned(1, "a", len)).to_vec();
    let lens: Vec<u64> =
        pilot_cells(&study, &cells).iter().map(|planned| planned.cell.len_bytes).collect();
    assert_eq!(lens, [1, 21, 101]);
}

#[test]
fn what_the_pilot_saw_is_kept_and_only_the_chosen_cells_remain() {
    let study = study("[1024, 131072]");
    let cells = vec![
        planned(0, "a", 256),
        planned(0, "b", 256),
        planned(1, "a", 1024),
        planned(1, "b", 1024),
    ];
    let times: Vec<(Planned, f64)> =
        cells.iter().cloned().zip([10.0, 20.0, 200.0, 100.0]).collect();
    let chosen = choose(&study, &times);
    assert_eq!(chosen[1].cells.len(), 1);
    let times: Vec<_> = chosen[1].rivals.iter().map(|it| it.times_ns[0]).collect();
    assert_eq!(times, [Some(200.0), Some(100.0)]);
    let left = keep_chosen(&study, cells.clone(), &chosen);
    assert_eq!(left, [cells[0].clone(), cells[3].clone()]);
}
