//! The statistics of macrometer: numbers in, numbers out, one file a method, each naming its
//! source. It knows no clock, no archive and no chart: `lab` measures and `report` draws, both by
//! calling this crate, which calls neither. Numbers enter through types that check them once
//! ([`Table`], [`Times`], [`Sample`], [`Differences`]); what comes out is never NaN, and what does
//! not exist is `None`. The paper's methods (normality, Friedman, Wilcoxon, [`Ordering`], all in
//! [`analyze`]) stand beside those we trust more ([`Ratio`], [`Verdict`], [`Ranking`]).

#![forbid(unsafe_code)]

pub mod analysis;
pub mod autocorrelation;
pub mod bimodality;
pub mod binomial;
pub mod correlation;
pub mod crossing;
pub mod crossover;
pub mod discovery;
mod error;
pub mod fisher;
pub mod friedman;
pub mod gate;
pub mod histogram;
pub mod holm;
pub mod joint;
mod joint_two_sample;
pub mod kendall;
pub mod kruskal;
mod level;
pub mod line;
pub mod mann_whitney;
pub mod median;
pub mod normality;
pub mod ordering;
pub mod power;
pub mod rank;
pub mod ranking;
pub mod ratio;
mod sample;
pub mod share;
pub mod sign;
pub mod spending;
mod table;
mod tails;
pub mod units;
pub mod verdict;
pub mod welch;
pub mod wilcoxon;

pub use analysis::{Analysis, ColumnNormality, PairTest, analyze};
pub use autocorrelation::Autocorrelation;
pub use bimodality::Bimodality;
pub use binomial::{acceptance_band, at_least};
pub use correlation::correlation;
pub use crossing::{Crossing, crossing};
pub use crossover::{Crossover, Curve, Side, SizePoint};
pub use discovery::{benjamini_yekutieli, replicates_min};
pub use error::{MAGNITUDE_MAX, StatsError};
pub use fisher::fisher_p;
pub use friedman::{Friedman, ImanDavenport};
pub use gate::{GateCell, GateVerdict, Gated, GatedCell, gate};
pub use histogram::Histogram;
pub use holm::{blocks_min, holm};
pub use joint::joint_p;
pub use joint_two_sample::{TwoSamples, joint_two_sample_p};
pub use kendall::Kendall;
pub use kruskal::KruskalWallis;
pub use level::{Alpha, Confidence, Margin};
pub use line::Line;
pub use mann_whitney::{MannWhitney, Shift};
pub use median::{BoxPlot, MAD_TO_SD, MedianInterval, mad, median, median_interval, quantile};
pub use normality::Normality;
pub use ordering::{Ordering, Relation};
pub use power::{pairs_for, power};
pub use rank::{Ranks, mid_ranks};
pub use ranking::{Ranked, Ranking};
pub use ratio::{Ratio, RatioInterval, exp_even};
pub use sample::{Differences, Sample};
pub use share::share_interval;
pub use sign::SignTest;
pub use spending::{Look, looks, looks_after};
pub use table::{ByColumn, Table, Times};
pub use units::{NextUnit, OverUnits, Unit};
pub use verdict::{Comparison, Verdict};
pub use welch::Welch;
pub use wilcoxon::Wilcoxon;
