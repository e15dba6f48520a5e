//! Transactions of toy workers that answer `faults` and `segments` with what is known exactly.

use lab::cell::{KeyLife, Regime};
use lab::record::{Offer, ProviderRecord, RunState};
use lab::study::Study;
use lab::worker::client::Launch;

use crate::bed::{self, Bed};

const STUDY: &str = r#"
    name = "toy"
    title = "Toy"
    summary = "Toy workers."
    budget_s = 60
    launches = 1
    [[panels]]
    name = "all"
    title = "All"
    [[parts]]
    name = "one"
    title = "One"
    sizes = [16]
    key_lives = ["prepared"]
    regimes = ["segments-memory-transaction"]
    blocks = 2
    [[parts.cases]]
    name = "toy"
    title = "Toy"
    macs = ["toy-es"]
"#;

/// A scheme that refuses all that it promises to; its actions take 1 µs each.
fn toy(name: &str) -> Launch {
    let script = r#"while read verb id count rest; do
            case $verb in
                prove) echo 'ok {"tags":"aa"}';;
                faults) echo "ok {\"nonce_len_bytes\":12,\"tag_len_bytes\":16,\
\"bound_len_bytes\":0,\"ciphertext_block_len_bytes\":1,\"faults\":[{\"fault\":\"flip\",\
\"planted\":$count,\"refused\":$count,\"promised\":true}]}";;
                segments)
                    one="{\"elapsed_ns\":$((count * 1000))}"
                    all="{\"elapsed_ns\":$((count * 4000))}"
                    echo "ok {\"actions\":{\"splitting\":$one,\"combining\":$one,\
\"encryption\":$one,\"decryption\":$one,\"transaction\":$all}}";;
                *) echo 'ok {}';;
            esac
        done"#;
    bed::worker(name, script)
}

fn provider(name: &str) -> ProviderRecord {
    let key_lives = vec![KeyLife::Prepared];
    ProviderRecord {
        name: name.into(),
        version: "1".into(),
        path: "here".into(),
        detail: String::new(),
        offers: vec![Offer { mac: "toy-es".into(), kernel: "soft".into(), key_lives }],
        regimes: Regime::kinds().collect(),
        different: vec![],
        offloads: false,
    }
}

#[test]
fn a_run_stopped_after_faults_were_planted_keeps_one_record_of_each_scheme() {
    let names = ["a", "b"];
    let providers = names.map(provider).to_vec();
    let run = bed::begun(Study::parse(STUDY).unwrap(), providers);
    let mut bed = Bed::new(run, names.map(toy).to_vec());
    let counting = "counting iterations";
    assert_eq!(bed.measure_until_doing(counting, 1).unwrap(), RunState::Interrupted);
    bed.run = bed.kept();
    assert_eq!((bed.run.cells.len(), bed.run.schemes.len()), (0, 2));
    assert_eq!(bed.measure(u64::MAX).unwrap(), RunState::Complete);
    let run = bed.kept();
    assert_eq!(run.schemes, bed.run.schemes);
    let kept: Vec<&str> = run.schemes.iter().map(|it| it.provider.as_str()).collect();
    assert_eq!(kept, names, "{:?}", run.events);
    assert_eq!(run.samples.len(), 2 * 2, "{:?}", run.events);
}
