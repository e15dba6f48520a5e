//! One line for each word that has a meaning of its own here.

use maud::{Markup, html};

use super::Told;

const WORDS: [(&str, &str); 31] = [
    ("MAC", "message authentication code: the algorithm, by its published name"),
    ("provider", "a library, language runtime or system that computes MACs"),
    ("code path", "what runs for this processor, in brackets: openssl[sha-ni]"),
    ("candidate", "a MAC from a provider on one code path"),
    ("key prepared", "the key is set up once and used for many messages"),
    ("new key", "the key is set up for every message"),
    ("one-shot", "the library’s call that takes key and message at once"),
    ("cell", "a candidate at one message length, key life and regime"),
    ("launch", "one start of the worker processes: what is counted and paired"),
    (
        "block",
        "one pass over all cells in random order; blocks of a launch share its memory layout",
    ),
    (
        "median",
        "half of the launches took longer, half shorter; each launch is told by its own median",
    ),
    ("95 %", "an interval made so that 95 of 100 hold the true median, whatever the distribution"),
    ("equivalent", "the interval of the ratio lies within the margin on both sides of 1"),
    ("undecided", "the interval holds 1 and reaches beyond the margin: measure longer"),
    ("floor", "what a call that does nothing takes"),
    (
        "cycles, estimated",
        "time × the core clock that a chain of additions showed beside the sample",
    ),
    ("scheme", "what seals the files of a transaction, and in which flow: eax-aes-128-se"),
    ("ES", "a flow: the whole file is encrypted, then split into segments"),
    (
        "SE, SE bound",
        "a flow: the file is split, then each part is encrypted; bound: each part’s number and \
         their count are its associated data",
    ),
    (
        "frame",
        "what a MAC does beside its primitive, measured by itself: padding, constants, conversions",
    ),
    ("segment", "what one short message holds, 140 bytes"),
    ("transaction", "a file sealed, split, combined and opened again"),
    (
        "bound",
        "cycles a byte that a MAC takes at least, by the instructions of this processor; “× bound” \
         is how far a candidate is from it",
    ),
    ("session", "one user’s messages under a key of his own; many are at work at once"),
    (
        "absolute processing",
        "time of a processor that the sessions’ threads spent, over what they did: what a byte \
         costs the machine",
    ),
    (
        "apparent processing",
        "time of the window over what all sessions did in it: as if one processor did all the work",
    ),
    ("window", "from t1 to t2: sessions are at work before and after it, and only it counts"),
    (
        "fairness",
        "Jain’s index of the sessions’ messages: 1 where all have as many, 1/n where one of n \
         has all",
    ),
    ("stolen", "time that the hypervisor gave to others"),
    ("capacity", "sessions of a given rate that are carried at a given tail"),
    ("working set", "what all keys in use need of memory; where it outgrows a cache, time rises"),
];

/// The list.
pub(super) fn write(_: &Told) -> Option<Markup> {
    Some(html! { dl .facts .words { @for (word, meaning) in WORDS {
        div { dt { (word) } dd { (meaning) } }
    } } })
}
