//! The tables that a store becomes: name, type, unit and meaning of every column, from which the
//! SQL, the heads of the CSV files and the list in `docs/fleet.md` are made.

/// A table.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// What a row is.
    pub what: &'static str,
    /// Its columns, in order.
    pub columns: &'static [Column],
}

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name; the unit comes last.
    pub name: &'static str,
    /// What may stand in it, but for nothing.
    pub kind: Kind,
    /// What it holds.
    pub what: &'static str,
}

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number with a fraction.
    Number,
    /// A whole number.
    Whole,
    /// Yes or no.
    Flag,
    /// Text.
    Text,
}

impl Kind {
    /// The type in SQL.
    #[must_use]
    pub fn sql(self) -> &'static str {
        match self {
            Self::Number => "DOUBLE",
            Self::Whole => "BIGINT",
            Self::Flag => "BOOLEAN",
            Self::Text => "VARCHAR",
        }
    }
}

const fn number(name: &'static str, what: &'static str) -> Column {
    Column { name, kind: Kind::Number, what }
}

const fn whole(name: &'static str, what: &'static str) -> Column {
    Column { name, kind: Kind::Whole, what }
}

const fn flag(name: &'static str, what: &'static str) -> Column {
    Column { name, kind: Kind::Flag, what }
}

const fn text(name: &'static str, what: &'static str) -> Column {
    Column { name, kind: Kind::Text, what }
}

const RUN_KEY: Column = whole("run_key", "which run: runs.run_key");

/// All tables.
pub const TABLES: [Table; 6] = [
    Table { name: "machines", what: "a host", columns: MACHINES },
    Table { name: "runs", what: "a bundle: a run of a pack on a host", columns: RUNS },
    Table { name: "providers", what: "a provider as a run found it", columns: PROVIDERS },
    Table { name: "cells", what: "a cell of a run, and what it took", columns: CELLS },
    Table { name: "samples", what: "a raw sample", columns: SAMPLES },
    Table { name: "claims", what: "what a run says to a claim, in a panel", columns: CLAIMS },
];

const MACHINES: &[Column] = &[
    text("machine_id", "kind of machine: hosts of one kind share it"),
    text("host_id", "the host: random, tells hosts of one kind apart"),
    text("host_name", "what it is called, where its owner told"),
    text("cpu_model", "brand string of the processor"),
    text("architecture", "x86_64, aarch64"),
    text("vendor", "vendor of the processor"),
    text("family", "its family"),
    text("model", "its model"),
    text("stepping", "its stepping"),
    text("microcode", "revision of the microcode"),
    text("features", "instructions that decide code paths, between blanks"),
    whole("packages", "sockets"),
    whole("cores", "cores of all sockets"),
    whole("processors", "logical processors online"),
    text("hypervisor", "hypervisor, where there is one"),
];

const RUNS: &[Column] = &[
    whole("run_key", "number of the bundle in this store, from 1; those refused leave gaps"),
    text("study_id", "the pack"),
    text("machine_id", "the kind of machine"),
    text("host_id", "the host"),
    text("run_id", "name of the run; hosts may have runs of one name"),
    text("study", "name of the study"),
    whole("begun_unix_s", "when it began"),
    text("macrometer_version", "version that measured"),
    text("seed", "seed of every random choice, in digits"),
    number("budget_s", "time allowed"),
    number("spent_s", "time spent"),
    text("state", "complete, interrupted or open"),
    text("division", "closed or open, as `fleet check` says"),
    text("open_reasons", "why it is open"),
    flag("is_simulated", "nobody measured it"),
    whole("launches", "launches of the workers"),
    text("kernel", "operating system and kernel release"),
    text("distribution", "distribution"),
    text("compiler", "compiler of our own code"),
    text("governor", "frequency governor"),
    flag("turbo", "whether turbo was on"),
    text("without", "instructions that were left out"),
    whole("memory_bytes", "memory of the machine"),
    number("load_1min", "load average when the run began"),
    whole("pinned_cpu", "processor that workers were pinned to"),
    number("ticks_hz", "time-stamp counter's frequency"),
    number("core_hz_estimated", "core clock when the run began"),
    number("nominal_hz", "nominal clock"),
    text("doubts", "what made the machine doubtful"),
    whole("aa_pairs", "pairs of identical candidates"),
    whole("aa_called_different", "how many of them were called different"),
];

const PROVIDERS: &[Column] = &[
    RUN_KEY,
    text("provider", "its name"),
    text("version", "its version"),
    text("path", "where it was found"),
    text("detail", "what else decides its figures"),
    flag("offloads", "whether it may compute elsewhere than in the calling thread"),
    whole("vectors_passed", "test vectors computed rightly"),
    whole("vectors_failed", "test vectors computed wrongly"),
    whole("vectors_refused", "test vectors not taken"),
];

const CELLS: &[Column] = &[
    RUN_KEY,
    whole("cell_id", "number of the cell in its run"),
    text("cell", "mac/provider/kernel/regime/key-life/len"),
    text("part", "part of the study"),
    text("mac", "the mac"),
    text("provider", "who computes it"),
    text("kernel", "by which code path"),
    text("regime", "how calls follow one another"),
    text("key_life", "prepared, new-key or one-shot"),
    whole("len_bytes", "length of the message"),
    whole("key_len_bytes", "length of the key"),
    whole("samples", "samples there are"),
    whole("launches", "launches with samples"),
    text("interval_over", "what the interval is over: launches or blocks"),
    number("mean_ns", "mean time of a call"),
    number("median_ns", "median time of a call"),
    number("low_ns", "lower end of the interval of the median"),
    number("high_ns", "upper end"),
    number("confidence", "coverage of the interval"),
    number("cycles_estimated", "core cycles of a call"),
    number("mib_per_s", "throughput at the median"),
    number("capacity_sessions", "sessions carried, where that was sought; it has no times then"),
    text("caution", "what speaks against the mac besides its speed"),
    text("excluded", "why its samples must not be used"),
    text("warnings", "footnotes"),
];

const SAMPLES: &[Column] = &[
    RUN_KEY,
    whole("cell_id", "which cell: cells.cell_id"),
    whole("launch", "number of the launch, from 0"),
    whole("block", "number of the block within part and length, from 0"),
    whole("position", "place within the block"),
    whole("iterations", "calls timed together"),
    number("elapsed_ns", "time of all of them"),
    whole("ticks", "the same in ticks of the time-stamp counter"),
    number("core_hz_estimated", "core clock beside it"),
    whole("begun_unix_s", "when it began"),
    number("capacity_sessions", "sessions carried, where that was sought; it has no times then"),
];

const CLAIMS: &[Column] = &[
    RUN_KEY,
    text("study", "name of the study"),
    text("claim", "name of the claim within it"),
    text("panel", "the panel"),
    text("verdict", "confirmed, refuted, undecided, or not decided here"),
    whole("comparisons", "comparisons it amounts to"),
    whole("hold", "how many hold"),
    whole("contradicted", "how many are contradicted"),
    whole("undecided", "how many are neither"),
    number("ratio", "the comparison that decides: the slower over the faster"),
    number("ratio_low", "lower end of its interval"),
    number("ratio_high", "upper end"),
    text("reason", "why, in a sentence"),
];
