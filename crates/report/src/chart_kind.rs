//! The kinds of charts, by which pages and regimes ask for them.

/// The kinds, in the order in which a group's charts are drawn, and how each is named.
macro_rules! kinds {
    ($($doc:literal $kind:ident = $name:literal;)*) => {
        /// What a chart shows.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ChartKind { $(#[doc = $doc] $kind,)* }

        impl ChartKind {
            /// All of them.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// As in names of files.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }
        }
    };
}

kinds! {
    "Cost of a byte at one length as bars, all cases together." GroupedBars = "grouped-bars";
    "Time of a call over message length." TimeOverSize = "time-over-size";
    "Cost of a byte over message length." CyclesPerByte = "cycles-per-byte";
    "Speed over message length." SpeedOverSize = "speed-over-size";
    "A ranking at one size." Ranking = "ranking";
    "How the times of one size spread." Distributions = "distributions";
    "Histograms of speeds." Speeds = "speeds";
    "Call breakdown over message length." TakenApart = "taken-apart";
    "An action of a transaction as box plots." Transactions = "transactions";
    "Where the time of a transaction goes." WhereTimeGoes = "where-time-goes";
    "Absolute processing of a byte over message length." AbsoluteOverSize = "absolute-over-size";
    "Wall clock and processing over message length." ProcessingOverSize = "processing-over-size";
    "Wall clock and processing over processors." OverProcessors = "over-processors";
    "Throughput and tail over the number of sessions." OverSessions = "over-sessions";
    "Ways to serve sessions beside each other." Designs = "designs";
    "How far processing differs from session to session." BetweenSessions = "between-sessions";
    "Time of a message over the number of keys in use." WorkingSet = "working-set";
    "Sessions of a rate that are carried at a tail." Capacity = "capacity";
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_kinds_have_one_name() {
        let names: BTreeSet<&str> = ChartKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), ChartKind::ALL.len());
    }
}
