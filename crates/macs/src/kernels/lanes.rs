//! Many independent chains of one compression function at once, each in a lane of its own.

/// Chains side by side. The scheduler fills a lane when its message ends.
pub(crate) trait Lanes {
    /// A chaining value.
    type State: Copy;
    /// A message block.
    type Block;
    /// Number of lanes.
    const LANES: usize;

    /// Begins another chain in a lane.
    fn put(&mut self, lane: usize, state: &Self::State);

    /// The chaining value of a lane.
    fn take(&self, lane: usize) -> Self::State;

    /// Every lane absorbs its run of blocks: `LANES` runs, all of one length.
    fn absorb(&mut self, runs: &[&[Self::Block]]);
}
