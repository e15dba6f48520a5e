use super::*;
use crate::cell::KeyLife;

fn study(sizes: &str) -> Study {
    with_panel("", sizes)
}

/// A study whose panel says more than that it wants the fastest.
fn with_panel(panel: &str, sizes: &str) -> Study {
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
        {panel}
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
        regime: Regime::USUAL,
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

/// Times of part `growing`, of everybody at each of these lengths.
fn growing(who: &'static str, times_ns: [f64; 3]) -> Vec<(u32, &'static str, u64, f64)> {
    let timed = [1024, 65_536, 131_072].into_iter().zip(times_ns);
    timed.map(|(len, ns)| (1, who, len, ns)).collect()
}

#[test]
fn who_refuses_long_messages_is_not_chosen_by_its_short_ones() {
    // `short` is faster wherever it is there at all.
    let mut times = vec![(0, "whole", 256, 327.0), (1, "short", 1024, 600.0)];
    let alone = [times[0], (0, "short", 256, 250.0), times[1]];
    times.push((0, "short", 256, 3500.0));
    times.extend(growing("whole", [700.0, 33_000.0, 66_000.0]));
    assert_eq!(chosen(&times), [is("short", "whole"), is("growing", "whole")]);
    // What it can do whole it may win, and where nobody else is it is better than nothing.
    assert_eq!(chosen(&alone), [is("short", "short"), is("growing", "short")]);
}

#[test]
fn who_is_never_far_behind_is_chosen_before_who_is_ahead_on_average() {
    let of = |rivals: &[(&'static str, [f64; 3])]| {
        let times: Vec<_> = rivals.iter().flat_map(|&(who, ns)| growing(who, ns)).collect();
        chosen(&times)[0].1.clone()
    };
    let (even, uneven) = ("even", "uneven");
    let spread = [(even, [104.0, 104.0, 104.0]), (uneven, [150.0, 60.0, 104.0])];
    assert_eq!(of(&[spread[0], spread[1], ("long", [100.0, 300.0, 100.0])]), uneven);
    // Within what the pilot can see the mean decides.
    assert_eq!(of(&[(even, [101.0, 99.0, 100.0]), (uneven, [100.0, 100.9, 100.0])]), even);
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
fn who_speaks_at_some_lengths_only_is_chosen_by_those() {
    let study = with_panel("sizes = [11, 21]", "[1, 11, 21, 101, 201]");
    let cells: Vec<Planned> = [1, 11, 21, 101, 201].map(|len| planned(1, "a", len)).to_vec();
    let timed = pilot_cells(&study, &cells);
    let lens: Vec<u64> = timed.iter().map(|planned| planned.cell.len_bytes).collect();
    assert_eq!(lens, [11, 21], "the others are not shown");
    // What others' panels have timed at other lengths counts for nothing.
    let times = |who, ns: [f64; 3]| [1, 11, 21].map(|len| planned(1, who, len)).into_iter().zip(ns);
    let times: Vec<(Planned, f64)> =
        times("a", [10.0, 10.0, 10.0]).chain(times("b", [1.0, 11.0, 11.0])).collect();
    let choice = &choose(&study, &times)[0];
    assert_eq!((choice.candidate.provider.as_str(), choice.cells.len()), ("a", 2));
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
