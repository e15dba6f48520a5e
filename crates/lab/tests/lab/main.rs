//! Archives, and whole runs of a test bed. One program: Cargo runs programs of tests one after the
//! other, and the tests of one side by side.

mod archive;
mod bed;
mod cold;
mod launches;
mod logs;
mod measure;
mod schemes;
mod seals;
mod workflow;
