//! Findings of runs whose truth was planted.

use std::collections::BTreeSet;

use lab::cell::KeyLife;
use lab::record::{LaunchKind, LaunchRecord, Run};
use report::Findings;
use report::findings::{
    Background, ClaimVerdict, CrossoverFinding, Group, RankRow, SizeFinding, Unit,
};
use stats::Verdict;

fn size(group: &Group, len_bytes: u64) -> &SizeFinding {
    group.sizes.iter().find(|size| size.len_bytes == len_bytes).unwrap()
}

fn who(findings: &Findings, row: &RankRow) -> String {
    findings.cell(row).cell.candidate.to_string()
}

#[test]
fn the_fastest_is_first_and_ratios_are_the_planted_ones() {
    let findings = Findings::of(&synthetic::survey());
    let group = &findings.groups[0];
    assert_eq!(group.key_life, KeyLife::Prepared);
    let rows = &size(group, 64).ranking;
    assert_eq!(who(&findings, &rows[0]), "macs[soft]/siphash-2-4");
    assert_eq!(rows.len(), 8, "the floor is not ranked");
    let gmac = rows.iter().find(|row| who(&findings, row).contains("gmac")).unwrap();
    let (ratio, truth) = (gmac.to_best.unwrap(), 63.2 / 43.2);
    assert!((ratio.value / truth - 1.0).abs() < 0.01, "{ratio:?}");
    let interval = ratio.interval.unwrap();
    assert!(
        interval.low < ratio.value && ratio.value < interval.high && interval.confidence >= 0.95
    );
    assert_eq!(gmac.verdict, Some(Verdict::Slower));
    assert_eq!(who(&findings, &size(group, 65_536).ranking[0]), "openssl[vaes-512]/gmac-aes-128");
}

/// The two offers of Poly1305 for messages of 1 KiB.
fn pair_of(run: &Run) -> [usize; 2] {
    let is_one = |it: &lab::cell::Cell| {
        it.candidate.mac == "poly1305" && (it.len_bytes, it.key_life) == (1024, KeyLife::Prepared)
    };
    let places = (0..run.cells.len()).filter(|&at| is_one(&run.cells[at].cell));
    places.collect::<Vec<_>>().try_into().unwrap()
}

/// Thirty launches more of these cells, in which the machine takes twice as long and each cell 10 %
/// more than the one before.
fn measure_further(run: &mut Run, places: &[usize]) {
    let last = run.samples.iter().map(|it| it.block).max().unwrap();
    for (place, &own) in places.iter().enumerate() {
        let id = run.cells[own].id;
        let example = *run.samples.iter().find(|it| it.cell == id).unwrap();
        for more in 1..=30 {
            let mut sample = example;
            (sample.launch, sample.block) = (1000 + more, last + more);
            sample.elapsed_ns *= 2.0 * (1.0 + 0.1 * place as f64 + 0.001 * f64::from(more % 3));
            run.samples.push(sample);
        }
    }
}

/// Says what each launch was for: those that were measured further for open claims.
fn record_launches(run: &mut Run) {
    let launches: BTreeSet<u32> = run.samples.iter().map(|it| it.launch).collect();
    let kind = |launch: u32| if launch > 1000 { LaunchKind::Open } else { LaunchKind::Whole };
    run.launch_records =
        launches.into_iter().map(|launch| LaunchRecord { launch, kind: kind(launch) }).collect();
}

fn rows_at_1_kib(findings: &Findings) -> Vec<RankRow> {
    size(&findings.groups[0], 1024).ranking.clone()
}

#[test]
fn rows_of_a_table_share_their_launches() {
    for recorded in [false, true] {
        let mut run = synthetic::survey();
        let both = pair_of(&run);
        let before = Findings::of(&run);
        measure_further(&mut run, &both);
        if recorded {
            record_launches(&mut run);
        }
        let after = Findings::of(&run);
        for &own in &both {
            let [old, new] = [&before.cells[own], &after.cells[own]];
            assert_eq!((new.median_ns, new.interval_ns), (old.median_ns, old.interval_ns));
            assert_eq!((new.launches, new.further_launches), (old.launches, 30));
        }
        // The two kinds of launches exclude each other: a ranking is of what ran side by side.
        assert_eq!(rows_at_1_kib(&after), rows_at_1_kib(&before));
    }
}

#[test]
fn one_that_ends_early_takes_no_launches_from_the_others() {
    let mut run = synthetic::survey();
    record_launches(&mut run);
    let [own, other] = pair_of(&run);
    let whole = Findings::of(&run).cells[other].launches;
    let id = run.cells[own].id;
    run.samples.retain(|it| it.cell != id || it.launch < 6);
    let findings = Findings::of(&run);
    assert_eq!([own, other].map(|at| findings.cells[at].launches), [6, whole]);
    assert!(whole > 6 && findings.cells[other].further_launches == 0);
}

#[test]
fn launches_for_open_claims_are_of_their_own_kind_though_all_of_a_length_share_them() {
    let mut run = synthetic::survey();
    let both = pair_of(&run);
    let is_beside = |at: &usize| {
        let [own, it] = [&run.cells[both[0]].cell, &run.cells[*at].cell];
        (it.len_bytes, it.key_life, it.regime) == (own.len_bytes, own.key_life, own.regime)
    };
    let all: Vec<usize> = (0..run.cells.len()).filter(is_beside).collect();
    let before = rows_at_1_kib(&Findings::of(&run));
    measure_further(&mut run, &all);
    record_launches(&mut run);
    let findings = Findings::of(&run);
    // Tables may use what all share; a pair that takes otherwise there is told by the first kind.
    assert!(all.iter().all(|&at| findings.cells[at].further_launches == 0));
    let ratio = |rows: &[RankRow]| rows.iter().find(|it| it.cell == both[1]).unwrap().to_best;
    assert_eq!(ratio(&rows_at_1_kib(&findings)), ratio(&before));
}

#[test]
fn a_planted_tie_shares_its_tier_and_only_the_first_is_best_of_its_mac() {
    let findings = Findings::of(&synthetic::survey());
    let rows = &size(&findings.groups[0], 1024).ranking;
    let poly: Vec<&RankRow> =
        rows.iter().filter(|row| who(&findings, row).contains("poly1305")).collect();
    assert_eq!(poly[0].tie_group, poly[1].tie_group);
    assert_eq!([poly[0].best_of_mac, poly[1].best_of_mac], [true, false]);
    assert_eq!(rows.iter().filter(|row| row.best_of_mac).count(), 5);
    let sources = findings.best_sources(size(&findings.groups[0], 1024));
    assert_eq!(sources.len(), 5);
    assert_eq!(sources["poly1305"].matches(" = ").count(), 1, "{sources:?}");
    assert_eq!(sources["cmac-aes-128"], "macs[aes-ni]");
}

#[test]
fn a_cell_without_a_core_clock_takes_that_of_its_blocks() {
    let mut run = synthetic::survey();
    let cycles = |run: &lab::record::Run| Findings::of(run).cells[0].cycles_estimated;
    let (id, own) = (run.cells[0].id, cycles(&run).unwrap());
    for sample in run.samples.iter_mut().filter(|sample| sample.cell == id) {
        sample.core_hz = None;
    }
    let of_blocks = cycles(&run).unwrap();
    assert!((of_blocks / own - 1.0).abs() < 0.01, "{of_blocks} for {own}");
    run.samples.iter_mut().for_each(|sample| sample.core_hz = None);
    assert_eq!(cycles(&run), None);
}

#[test]
fn crossovers_lie_where_they_were_planted() {
    let findings = Findings::of(&synthetic::survey());
    let lead: Vec<_> = findings.groups[0].crossovers.iter().filter(|it| it.lead).collect();
    assert_eq!(lead.len(), 1);
    // 8 + 0.55 s = 60 + 0.05 s at s = 104.
    assert_eq!((lead[0].from_bytes, lead[0].to_bytes), (64, 256));
    assert!((80.0..130.0).contains(&lead[0].at_bytes), "{}", lead[0].at_bytes);
    let sentence = &lead[0].sentence;
    assert!(sentence.contains("is overtaken by gmac-aes-128"), "{sentence}");
    assert!(sentence.contains("between 64 B and 256 B (at about "), "{sentence}");
}

#[test]
fn named_macs_have_crossovers_behind_the_lead() {
    let mut run = synthetic::survey();
    let told = |run: &Run| {
        let crossovers = Findings::of(run).groups.swap_remove(0).crossovers;
        let pair =
            |it: &CrossoverFinding| (it.faster_below.mac.clone(), it.faster_above.mac.clone());
        let is = |it: &&CrossoverFinding| pair(it) == ("cmac-aes-128".into(), "hmac-sha256".into());
        crossovers.iter().find(is).map(|it| (it.from_bytes, it.to_bytes, it.lead))
    };
    assert_eq!(told(&run), None, "neither is fastest anywhere");
    // 25 + 0.62 s = 190 + 0.56 s at s = 2750, and 170 + 0.58 s at s = 3625.
    run.study.named = ["hmac-sha256", "cmac-aes-128"].map(String::from).to_vec();
    assert_eq!(told(&run), Some((1024, 4096, false)));
}

#[test]
fn claims_end_as_planted() {
    let findings = Findings::of(&synthetic::survey());
    let verdicts: Vec<ClaimVerdict> =
        findings.claims.iter().map(|claim| claim.panels[0].verdict).collect();
    use ClaimVerdict::{Confirmed, Refuted, Undecided};
    assert_eq!(verdicts, [Refuted, Confirmed, Undecided]);
    let worst = findings.claims[0].panels[0].effect.as_ref().unwrap();
    assert_eq!(findings.cells[worst.slower].cell.len_bytes, 65_536, "the worst is named");
    assert!(findings.claims[0].panels[0].reason.starts_with("siphash-2-4 takes 10."));
}

#[test]
fn each_panel_gives_its_own_verdict_on_the_paper() {
    let findings = Findings::of(&synthetic::hmac_vs_cmac());
    let claim = findings.claims.iter().find(|claim| claim.id == "hmac-faster").unwrap();
    let by = |panel: &str| claim.panels.iter().find(|it| it.panel == panel).unwrap();
    assert_eq!(by("python").verdict, ClaimVerdict::Confirmed);
    assert_eq!(by("python").comparisons, 12);
    assert_eq!(by("fastest").verdict, ClaimVerdict::Refuted);
    let reason = &by("fastest").reason;
    assert!(reason.contains("openssl[sha-ni] against macs[aes-ni]"), "{reason}");
}

#[test]
fn a_panel_that_was_not_measured_confirms_nothing() {
    let mut run = synthetic::hmac_vs_cmac();
    run.cells.retain(|record| record.cell.candidate.provider != "python");
    let findings = Findings::of(&run);
    for claim in &findings.claims {
        let python = claim.panels.iter().find(|it| it.panel == "python").unwrap();
        assert_eq!((python.verdict, python.comparisons), (ClaimVerdict::Elsewhere, 0));
        assert!(python.reason.contains("not testable in this panel"));
    }
    let told = |headline: &&report::findings::Headline| headline.answer == "not measured";
    assert_eq!(findings.headlines.iter().filter(told).count(), 1);
}

#[test]
fn the_ordering_of_the_paper_is_found_again() {
    let findings = Findings::of(&synthetic::hmac_vs_cmac());
    let group = &findings.groups[0];
    let tests = group.sizes[0].tests.as_ref().unwrap();
    assert_eq!(tests.n_rows, 100);
    assert_eq!(
        tests.analysis.ordering.as_deref(),
        Some("cmac-aes-128 < hmac-sha224 < hmac-sha256 = hmac-sha384 < hmac-sha512")
    );
    let claim = &findings.claims[0].panels[0];
    // By the paper's own test; that the two take the same time within 1 % is not shown.
    assert_eq!((claim.verdict, claim.hold, claim.open), (ClaimVerdict::Undecided, 3, 1));
}

#[test]
fn a_part_whose_rows_are_sizes_has_one_table_over_all_of_them() {
    let run = synthetic::hmac_vs_cmac();
    let findings = Findings::of(&run);
    let growing: Vec<&Group> = findings.groups.iter().filter(|group| group.part == 1).collect();
    assert!(growing.iter().all(|group| group.sizes.iter().all(|size| size.tests.is_none())));
    let tested: Vec<&&Group> = growing.iter().filter(|group| group.tests.is_some()).collect();
    assert_eq!(tested.len(), 2, "the CMAC case in both panels");
    let lengths = run.study.parts[1].lengths().len();
    assert!(tested.iter().all(|group| group.tests.as_ref().unwrap().n_rows == lengths));
}

#[test]
fn few_launches_fall_back_to_blocks_and_say_so() {
    let mut run = synthetic::survey();
    run.samples.retain(|sample| sample.launch < 3);
    let findings = Findings::of(&run);
    assert!(findings.cells.iter().all(|cell| cell.unit == Unit::Block));
    assert!(findings.cells.iter().all(|cell| cell.interval_ns.is_some()), "9 blocks suffice");
    assert!(findings.warnings.iter().any(|it| it.contains("fewer than 6 launches")));
    assert!(findings.notes[findings.cells[0].notes[0]].contains("over blocks"));
}

#[test]
fn an_excluded_cell_has_no_numbers_and_no_rank() {
    let findings = Findings::of(&synthetic::small());
    let cell = findings.cells.last().unwrap();
    assert_eq!((cell.median_ns, cell.interval_ns, cell.cycles_estimated), (None, None, None));
    let rows = &size(&findings.groups[0], cell.cell.len_bytes).ranking;
    assert_eq!(rows.last().unwrap().rank, None);
    assert_eq!(rows.iter().filter(|row| row.rank.is_some()).count(), 2);
    assert_eq!(findings.notes[cell.notes[0]], "excluded: tag differs after timing");
}

#[test]
fn a_candidate_that_broke_off_early_does_not_shorten_the_others() {
    let mut run = synthetic::survey();
    let at = run.cells.iter().position(|it| it.cell.candidate.mac == "poly1305").unwrap();
    let broken = run.cells[at].id;
    run.samples.retain(|sample| sample.cell != broken || sample.launch < 2);
    let findings = Findings::of(&run);
    let rows = &size(&findings.groups[0], run.cells[at].cell.len_bytes).ranking;
    assert_eq!(rows.iter().filter(|row| row.rank.is_some()).count(), 7);
    let ratio = rows[1].to_best.unwrap().interval.unwrap();
    assert!(ratio.confidence >= 0.95);
}

#[test]
fn candidates_are_ranked_though_one_of_them_was_measured_on_for_a_claim() {
    let mut run = synthetic::survey();
    let at = run.cells.iter().position(|it| it.cell.candidate.mac == "poly1305").unwrap();
    let open = run.cells[at].id;
    run.samples.retain(|sample| sample.cell == open || sample.block % 3 == 0);
    let findings = Findings::of(&run);
    let rows = &size(&findings.groups[0], run.cells[at].cell.len_bytes).ranking;
    assert_eq!(rows.iter().filter(|row| row.rank.is_some()).count(), 8);
}

#[test]
fn nothing_measured_is_told_as_nothing() {
    let mut run = synthetic::survey();
    run.samples.clear();
    run.single_calls.clear();
    let findings = Findings::of(&run);
    assert!(findings.headlines.is_empty());
    assert!(findings.cells.iter().all(|cell| cell.median_ns.is_none()));
    run.cells.clear();
    let empty = Findings::of(&run);
    assert!(empty.groups.is_empty() && empty.cells.is_empty());
}

#[test]
fn findings_are_json_without_holes() {
    let text = serde_json::to_string(&Findings::of(&synthetic::hmac_vs_cmac())).unwrap();
    assert!(text.contains("\"verdict\":\"confirmed\"") && !text.contains("NaN"));
}

#[test]
fn a_floor_measured_in_one_key_life_holds_for_all() {
    let mut run = synthetic::survey();
    run.cells.retain(|record| {
        record.cell.candidate.mac != "null" || record.cell.key_life == KeyLife::Prepared
    });
    let findings = Findings::of(&run);
    assert!(findings.groups.iter().all(|group| group.sizes.iter().all(|it| it.floor.is_some())));
    assert!(!findings.warnings.iter().any(|it| it.contains("floor")));
}

#[test]
fn one_length_of_many_makes_no_crossover_by_itself() {
    let mut study = synthetic::hmac_vs_cmac().study;
    study.parts[1].size_range = None;
    study.parts[1].sizes = (1..=20).map(|n| n * 1024).collect();
    let truth = [
        synthetic::planted(("macs", "a", "hmac-sha256"), 100.0, 0.50, 0.0, 16),
        synthetic::planted(("macs", "a", "cmac-aes-128"), 100.0, 0.60, 0.0, 16),
    ];
    let mut run = synthetic::run(study, &truth, synthetic::Filling::QUIET);
    let odd =
        |cell: &lab::cell::Cell| cell.len_bytes == 9216 && cell.candidate.mac.contains("cmac");
    let odd: Vec<u32> = run.cells.iter().filter(|it| odd(&it.cell)).map(|it| it.id).collect();
    for sample in run.samples.iter_mut().filter(|sample| odd.contains(&sample.cell)) {
        sample.elapsed_ns /= 2.0;
    }
    let findings = Findings::of(&run);
    assert!(findings.groups.iter().all(|group| group.crossovers.is_empty()));
}

#[test]
fn a_mac_with_a_caution_is_named_but_is_not_the_answer() {
    let run = synthetic::survey();
    let caution = |mac: &str| (mac == "siphash-2-4").then(|| "conditional".to_owned());
    let findings =
        Findings::with_background(&run, &Background { caution: &caution, ..Background::default() });
    let at_64 = size(&findings.groups[0], 64);
    assert_eq!(who(&findings, &at_64.ranking[0]), "macs[soft]/siphash-2-4");
    let recommended = at_64.recommended.as_ref().unwrap();
    assert_eq!(recommended.len(), at_64.ranking.len() - 1);
    assert_eq!(recommended[0].rank, Some(1));
    assert!(recommended[0].to_best.is_none(), "the best of those that are left");

    let headline = findings.headlines.iter().find(|it| it.len_bytes == Some(64)).unwrap();
    assert!(headline.answer.contains(&findings.cell(&recommended[0]).source()), "{headline:?}");
    assert!(!headline.answer.contains("siphash"), "{headline:?}");
    assert!(headline.detail.contains("siphash-2-4 (conditional)"), "{headline:?}");
    // Where nothing speaks against any, or against all, there is one ranking.
    assert!(Findings::of(&run).groups[0].sizes.iter().all(|size| size.recommended.is_none()));
    let legacy = |_: &str| Some("legacy".into());
    let all =
        Findings::with_background(&run, &Background { caution: &legacy, ..Background::default() });
    assert!(all.groups[0].sizes.iter().all(|size| size.recommended.is_none()));
}

#[test]
fn a_bound_is_told_of_messages_that_are_alone() {
    let mut run = synthetic::survey();
    // The page of a paper has its tables without a script.
    run.study.source = Some("a paper".into());
    let bound = |cell: &lab::cell::Cell| (cell.candidate.mac == "hmac-sha256").then_some(1.5);
    let findings =
        Findings::with_background(&run, &Background { bound: &bound, ..Background::default() });
    let hmac = |len| {
        let fits = |it: &&report::findings::CellFinding| {
            it.cell.candidate.mac == "hmac-sha256" && it.cell.len_bytes == len
        };
        findings.cells.iter().find(fits).unwrap()
    };
    let long = hmac(65_536);
    assert_eq!(long.bound_cycles_per_byte, Some(1.5));
    let ratio = long.to_bound().unwrap();
    assert!((ratio * 1.5 - long.cycles_per_byte_estimated.unwrap()).abs() < 1e-9, "{ratio}");
    // Short independent messages overlap: their bound is told, and no ratio to it.
    assert_eq!((hmac(64).bound_cycles_per_byte, hmac(64).to_bound()), (Some(1.5), None));
    assert!(Findings::of(&run).cells.iter().all(|cell| cell.bound_cycles_per_byte.is_none()));
    let page = |findings: &Findings| report::page::render(&run, findings);
    let column = "<th scope=\"col\">× bound</th>";
    assert!(page(&findings).contains(column) && !page(&Findings::of(&run)).contains(column));
}

#[test]
fn better_than_is_the_share_of_the_others_time_that_is_saved() {
    let findings = Findings::of(&synthetic::cbc_mac_variants());
    let group = &findings.groups[0];
    assert_eq!((&group.case[..], group.key_life), ("aes-128", KeyLife::NewKey));
    let at = size(group, 29);
    assert_eq!(at.better.len(), 6 * 5);
    let pair = |row: &str, column: &str| {
        let mac = |cell: usize| &findings.cells[cell].cell.candidate.mac;
        let own = |pair: &&report::findings::PairFinding| {
            (&mac(pair.row)[..], &mac(pair.column)[..]) == (row, column)
        };
        at.better.iter().find(own).unwrap()
    };
    let share = |row: &str, column: &str| pair(row, column).better();
    // By hand: 0.68 · 29 = 19.72 a message; CBC-MAC 11.22 + 40 beside it, EMAC 22 + 80.
    let (bare, emac) = (19.72 + 11.22 + 40.0, 19.72 + 22.0 + 80.0);
    let saved = share("cbc-mac-aes-128", "emac-aes-128").unwrap();
    assert!((saved.value - (emac - bare) / emac).abs() < 0.01, "{saved:?}");
    let interval = saved.interval.unwrap();
    assert!(interval.low <= saved.value && saved.value <= interval.high, "{saved:?}");
    // The other reading is of the row's own time.
    let of_row = pair("cbc-mac-aes-128", "emac-aes-128").better_of_row().unwrap();
    assert!((of_row.value - (emac - bare) / bare).abs() < 0.02, "{of_row:?}");
    let ends = of_row.interval.unwrap();
    assert!(ends.low <= of_row.value && of_row.value <= ends.high, "{of_row:?}");
    let more = share("emac-aes-128", "cbc-mac-aes-128").unwrap();
    assert!((more.value - (bare - emac) / bare).abs() < 0.02, "{more:?}");
    assert_eq!(share("xcbc-aes-128", "tmac-aes-128"), None, "planted alike");
    assert_eq!(pair("xcbc-aes-128", "tmac-aes-128").better_of_row(), None);
    let survey = Findings::of(&synthetic::survey());
    assert!(survey.groups[0].sizes.iter().all(|size| size.better.is_empty()), "not asked for");
}

#[test]
fn the_formula_of_papers_is_the_mean_by_the_nominal_clock() {
    let mut run = synthetic::cbc_mac_variants();
    let at = run.cells.iter().position(|it| it.cell.candidate.mac == "emac-tdes-3").unwrap();
    let own = run.samples.iter().filter(|sample| sample.cell == run.cells[at].id);
    let times: Vec<f64> = own.map(lab::record::Sample::call_ns).collect();
    let mean_ns = times.iter().sum::<f64>() / times.len() as f64;
    let len = run.cells[at].cell.len_bytes as f64;
    let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-9;

    // No nominal clock is known: that of the time-stamp counter, named.
    let findings = Findings::of(&run);
    assert_eq!(findings.nominal.as_ref().unwrap().source, "rate of the time-stamp counter");
    assert!(close(findings.cells[at].mean_ns.unwrap(), mean_ns));
    let counted = findings.cells[at].cycles_per_byte_nominal.unwrap();
    assert!(close(counted, mean_ns * 2.596 / len), "{counted}");

    run.clock.nominal_hz = Some(2.5e9);
    let findings = Findings::of(&run);
    assert_eq!(findings.nominal.as_ref().unwrap().source, "nominal clock");
    assert!(close(findings.cells[at].cycles_per_byte_nominal.unwrap(), mean_ns * 2.5 / len));

    run.clock.nominal_hz = None;
    run.clock.source = "monotonic raw clock".into();
    let findings = Findings::of(&run);
    assert_eq!((&findings.nominal, findings.cells[at].cycles_per_byte_nominal), (&None, None));
}

#[test]
fn what_is_in_wide_use_is_the_answer_and_who_is_faster_stands_beside_it() {
    let mut run = synthetic::survey();
    run.study.named = vec!["hmac-sha256".into(), "poly1305".into()];
    let caution = |mac: &str| match mac {
        "siphash-2-4" => Some("conditional".to_owned()),
        "poly1305" => Some("one message per key".to_owned()),
        _ => None,
    };
    let findings =
        Findings::with_background(&run, &Background { caution: &caution, ..Background::default() });
    let at_64 = size(&findings.groups[0], 64);
    let in_use = at_64.in_use.as_ref().unwrap();
    assert_eq!(who(&findings, &in_use[0]), "rustcrypto[sha-ni]/hmac-sha256");
    assert_eq!(in_use.len(), 2, "both of hmac-sha256, and poly1305 has a caution");

    let headline = findings.headlines.iter().find(|it| it.len_bytes == Some(64)).unwrap();
    assert_eq!(headline.answer, "hmac-sha256 from rustcrypto[sha-ni]");
    assert!(headline.context.ends_with("MACs in wide use without caveats"), "{headline:?}");
    let [without, of_all] = &headline.beside[..] else { panic!("{headline:?}") };
    assert_eq!(
        (without.of, &*without.who),
        ("Without caveats", "gmac-aes-128 from openssl[vaes-512]")
    );
    assert_eq!((of_all.of, &*of_all.who), ("Fastest of all", "siphash-2-4 from macs[soft]"));
    assert!(of_all.time.contains("(95 % ") && of_all.time.ends_with("conditional"), "{of_all:?}");
    let told = format!("Fastest of all: {}, {}.", of_all.who, of_all.time);
    assert!(headline.sentence.ends_with(&told), "{}", headline.sentence);
}
