//! The tables that a store becomes: name, type, unit and meaning of every column, from which the
//! SQL, the heads of the CSV files and the list in `docs/fleet.md` are made.

/// A table that a store becomes.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Its name, and that of its file without the ending.
    pub name: &'static str,
    /// What a row is.
    pub what: &'static str,
    /// Its columns, in order.
    pub columns: &'static [Column],
}

/// A column of such a table.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its name; the unit comes last.
    pub name: &'static str,
    /// What it contains, where it is not empty.
    pub kind: Kind,
    /// What it means.
    pub what: &'static str,
}

/// What a column contains.
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

const RUN_KEY: Column = whole("run_key", "the run: runs.run_key");

/// All tables, in the order in which they are listed.
pub const TABLES: [Table; 6] = [
    Table { name: "machines", what: "a host", columns: MACHINES },
    Table { name: "runs", what: "a bundle: a run of a pack on a host", columns: RUNS },
    Table { name: "providers", what: "a provider found by a run", columns: PROVIDERS },
    Table { name: "cells", what: "a cell of a run, with its figures", columns: CELLS },
    Table { name: "samples", what: "a raw sample", columns: SAMPLES },
    Table { name: "claims", what: "a verdict of a run on a claim, in a panel", columns: CLAIMS },
];

const MACHINES: &[Column] = &[
    text("machine_id", "kind of machine: the same for all hosts of one kind"),
    text("host_id", "the host: a random identifier that distinguishes hosts of the same kind"),
    text("host_name", "name of the host, if its owner gave one"),
    text("cpu_model", "brand string of the processor"),
    text("architecture", "such as x86_64 or aarch64"),
    text("vendor", "vendor of the processor"),
    text("family", "processor family"),
    text("model", "processor model"),
    text("stepping", "processor stepping"),
    text("microcode", "microcode revision"),
    text("features", "instruction sets that determine code paths, separated by spaces"),
    whole("packages", "number of sockets"),
    whole("cores", "number of cores, over all sockets"),
    whole("processors", "number of logical processors online"),
    text("hypervisor", "hypervisor, if there is one"),
];

const RUNS: &[Column] = &[
    whole("run_key", "number of the bundle in this store, from 1; rejected bundles leave gaps"),
    text("study_id", "the pack"),
    text("machine_id", "the kind of machine"),
    text("host_id", "the host"),
    text("run_id", "name of the run; runs on different hosts may have the same name"),
    text("study", "name of the study"),
    whole("begun_unix_s", "when the run began"),
    text("macrometer_version", "version of macrometer that measured it"),
    text("seed", "seed of all random choices, as decimal digits"),
    number("budget_s", "time allowed"),
    number("spent_s", "time spent"),
    text("state", "complete, interrupted or open"),
    text("division", "closed or open, as determined by `fleet check`"),
    text("open_reasons", "why the bundle is open"),
    flag("is_simulated", "true if the run was simulated, not measured"),
    whole("launches", "number of launches"),
    text("kernel", "operating system and release of its Linux kernel"),
    text("distribution", "distribution"),
    text("compiler", "compiler that macrometer was built with"),
    text("governor", "frequency governor"),
    flag("turbo", "true if turbo was on"),
    text("without", "instructions left out (`--without`)"),
    whole("memory_bytes", "memory of the machine"),
    number("load_1min", "load average over one minute when the run began"),
    whole("pinned_cpu", "processor to which workers were pinned"),
    number("ticks_hz", "frequency of the time-stamp counter"),
    number("core_hz_estimated", "estimated core clock when the run began"),
    number("nominal_hz", "nominal clock of the processor"),
    text("doubts", "doubts about the machine"),
    whole("aa_pairs", "pairs of identical candidates in the A/A test"),
    whole("aa_called_different", "how many of these pairs were called different"),
];

const PROVIDERS: &[Column] = &[
    RUN_KEY,
    text("provider", "name of the provider"),
    text("version", "version of the provider"),
    text("path", "where it was found"),
    text("detail", "anything else that affects its figures, such as how it was built"),
    flag("offloads", "true if it may compute outside the calling thread"),
    whole("vectors_passed", "test vectors with the correct result"),
    whole("vectors_failed", "test vectors with a wrong result"),
    whole("vectors_refused", "test vectors that it refused"),
];

const CELLS: &[Column] = &[
    RUN_KEY,
    whole("cell_id", "number of the cell in its run"),
    text("cell", "mac/provider/kernel/regime/key-life/len"),
    text("part", "part of the study"),
    text("mac", "the mac"),
    text("provider", "the provider"),
    text("kernel", "the code path"),
    text("regime", "call pattern, such as single or latency"),
    text("key_life", "prepared, new-key or one-shot"),
    whole("len_bytes", "length of the message"),
    whole("key_len_bytes", "length of the key"),
    whole("samples", "number of samples"),
    whole("launches", "number of launches with samples"),
    text("interval_over", "what the interval is computed over: launches or blocks"),
    number("mean_ns", "mean time per call, over all samples"),
    number("median_ns", "median time per call"),
    number("low_ns", "lower end of the interval of the median"),
    number("high_ns", "upper end of that interval"),
    number("confidence", "confidence level of the interval"),
    number("cycles_estimated", "estimated core cycles per call"),
    number("mib_per_s", "throughput at the median"),
    number("capacity_sessions", "sessions sustained; only in capacity cells, which have no times"),
    text("caution", "reservations about the MAC other than its speed"),
    text("excluded", "why its samples must not be used"),
    text("warnings", "footnotes"),
];

const SAMPLES: &[Column] = &[
    RUN_KEY,
    whole("cell_id", "the cell: cells.cell_id"),
    whole("launch", "number of the launch, from 0"),
    whole("block", "number of the block within its part and length, from 0"),
    whole("position", "position within the block"),
    whole("iterations", "calls timed together"),
    number("elapsed_ns", "time of all these calls"),
    whole("ticks", "the same time in ticks of the time-stamp counter"),
    number("core_hz_estimated", "core clock estimated next to the sample"),
    whole("begun_unix_s", "when the sample began"),
    number("capacity_sessions", "sessions sustained; only in capacity cells, which have no times"),
];

const CLAIMS: &[Column] = &[
    RUN_KEY,
    text("study", "name of the study"),
    text("claim", "name of the claim within it"),
    text("panel", "the panel"),
    text("verdict", "confirmed, refuted, undecided, or not decided here"),
    whole("comparisons", "number of comparisons that the claim makes"),
    whole("hold", "comparisons that hold"),
    whole("contradicted", "comparisons that are contradicted"),
    whole("undecided", "comparisons that are undecided"),
    number("ratio", "ratio of the deciding comparison: slower over faster"),
    number("ratio_low", "lower end of its confidence interval"),
    number("ratio_high", "upper end of that interval"),
    text("reason", "reason for the verdict, in a sentence"),
];
