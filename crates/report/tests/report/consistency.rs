//! Runs of one machine held against each other, with what contradicts planted.

use lab::record::Run;
use report::consistency::{Consistency, Contradiction, Kind};
use words::Tier;

fn named(run: Run, id: &str) -> Run {
    Run { id: id.into(), ..run }
}

/// Makes every call of a cell take so many times as long.
fn scale(run: &mut Run, cell: u32, factor: f64) {
    run.samples.iter_mut().filter(|it| it.cell == cell).for_each(|it| it.elapsed_ns *= factor);
}

#[test]
fn the_same_twice_agrees_and_what_differs_is_named() {
    let first = named(synthetic::survey(), "first");
    let mut second = named(synthetic::survey(), "second");
    // Drift of all by 3 % is the machine's.
    second.samples.iter_mut().for_each(|it| it.elapsed_ns *= 1.03);
    let alike = Consistency::of(&[first.clone(), second.clone()]);
    assert!(alike.cells.compared > 20);
    assert_eq!((alike.contradictions.len(), alike.cells.contradict, alike.machines), (0, 0, 1));
    let record = second.cells.iter().find(|it| it.cell.candidate.mac == "gmac-aes-128").unwrap();
    let (id, cell) = (record.id, record.cell.clone());
    scale(&mut second, id, 1.3);
    let found = Consistency::of(&[first.clone(), second.clone()]);
    assert_eq!(found.cells.contradict, 1);
    let only = &found.contradictions[0];
    assert_eq!((only.kind, &only.first, &only.second), (Kind::Cell, &cell, &cell));
    assert_eq!((&only.first_run[..], &only.second_run[..]), ("first", "second"));
    assert!((only.second_ns / only.first_ns / 1.339 - 1.0).abs() < 0.02);
    let told = found.told(200);
    let counts = format!("{} agree, 1 contradict", found.cells.compared - 1);
    assert!(told.lines().next().unwrap().contains(&counts), "{told}");
    assert!(told.contains("in run first") && told.contains("in run second"), "{told}");
    // Another machine may have other times.
    second.machine.cpu_model = "another".into();
    let apart = Consistency::of(&[first.clone(), second.clone()]);
    assert_eq!((apart.cells.compared, apart.machines, apart.contradictions.len()), (0, 2, 0));
    // And so may this one without some of its instructions.
    second.machine = first.machine.clone();
    second.machine.without = Tier::ALL[1].without();
    let apart = Consistency::of(&[first, second]);
    assert_eq!((apart.cells.compared, apart.machines, apart.contradictions.len()), (0, 2, 0));
}

#[test]
fn a_choice_that_another_run_shows_to_be_slow_is_named() {
    let first = named(synthetic::hmac_vs_cmac(), "study");
    let mut second = named(synthetic::hmac_vs_cmac(), "survey");
    let chosen = first.chosen.iter().find(|it| it.mac == "hmac-sha256").unwrap().clone();
    let own: Vec<u32> = second
        .cells
        .iter_mut()
        .filter(|it| it.cell.candidate == chosen.candidate)
        .map(|it| {
            it.cell.candidate.provider = "quick".into();
            it.id
        })
        .collect();
    own.iter().for_each(|&id| scale(&mut second, id, 0.98));
    // Others of the planted choices are wrong too.
    let by_quick = |runs: &[Run]| -> Vec<Contradiction> {
        let found = Consistency::of(runs).contradictions;
        found.into_iter().filter(|it| it.second.candidate.provider == "quick").collect()
    };
    let near = Consistency::of(&[first.clone(), second.clone()]);
    assert!(near.choices.compared > 0);
    assert_eq!(by_quick(&[first.clone(), second.clone()]), []);
    own.iter().for_each(|&id| scale(&mut second, id, 0.2));
    let runs = [first, second];
    let named = by_quick(&runs);
    assert!(!named.is_empty());
    for it in named {
        assert_eq!(
            (it.kind, &it.first_run[..], &it.second_run[..]),
            (Kind::Choice, "study", "survey")
        );
        assert_eq!(it.first.candidate, chosen.candidate);
    }
    let found = Consistency::of(&runs);
    assert!(found.told(300).contains("run study shows "), "{}", found.told(300));
}

#[test]
fn calls_by_themselves_are_not_shorter_than_in_a_batch() {
    let mut run = synthetic::survey();
    assert_eq!(Consistency::of(&[run.clone()]).singles.contradict, 0);
    let slow = run
        .cells
        .iter()
        .find(|it| it.cell.len_bytes == 65_536 && it.cell.candidate.mac == "poly1305");
    let id = slow.unwrap().id;
    let calls = run.single_calls.iter_mut().find(|it| it.cell == id).unwrap();
    calls.counts = vec![(2, 1000)];
    let found = Consistency::of(&[run.clone()]);
    assert_eq!((found.singles.contradict, found.contradictions[0].kind), (1, Kind::Single));
    assert!(found.told(200).contains("2.00 ns call by call"), "{}", found.told(200));
    // One call in ten waits for a collector: blocks have its share, and so has the mean.
    let calls = run.single_calls.iter_mut().find(|it| it.cell == id).unwrap();
    calls.counts = vec![(2, 900), (200_000, 100)];
    run.single_calls_are_whole = true;
    assert_eq!(Consistency::of(&[run]).singles.contradict, 0);
}

/// Keeps the blocks of the first launch of every cell only.
fn of_one_launch(mut run: Run) -> Run {
    run.samples.retain(|it| it.launch == 0);
    run
}

#[test]
fn blocks_of_one_launch_are_no_independent_witnesses() {
    let first = named(of_one_launch(synthetic::survey()), "first");
    let mut second = named(of_one_launch(synthetic::survey()), "second");
    second.samples.iter_mut().for_each(|it| it.elapsed_ns *= 1.3);
    let found = Consistency::of(&[first, second]);
    assert!(found.cells.compared > 20);
    assert_eq!((found.cells.contradict, found.cells.open), (0, found.cells.compared));
}
