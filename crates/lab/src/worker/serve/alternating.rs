//! Calls of several cells in turn: in each repetition all have the same new key and the same new
//! message, each in memory of its own, and each is timed by itself, the clock's reads included.

use std::collections::BTreeMap;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

use super::aligned::Aligned;
use super::{Call, NotDone, SINGLE_MAX, Serving, at_most, held, number};
use crate::clock::{Clock, Elapsed};
use crate::worker::WINDOWS;

/// Repetitions that are made and not counted whenever the cells come to the processor again.
const WARM_UP: u64 = 2;

/// Cells in turn at most: each takes memory of its own.
const CELLS_MAX: usize = 1_000;

/// What a cell is called with, and what its calls took: values and how often.
struct Turn {
    id: u32,
    key: Aligned,
    message: Aligned,
    ns: BTreeMap<u64, u64>,
    ticks: BTreeMap<u64, u64>,
}

/// Draws the key and the message of repetition `number`. Both follow from the seed alone, whatever
/// the lengths: workers that are given the same one have the same.
fn draw(seed: u64, number: u64, key: &mut [u8], message: &mut [u8]) {
    let mut random = StdRng::seed_from_u64(seed.wrapping_add(number));
    let mut of_key = StdRng::seed_from_u64(random.next_u64());
    of_key.fill_bytes(key);
    random.fill_bytes(message);
}

impl Serving<'_> {
    /// `alternate COUNT SEED ID…`: so many repetitions of the cells in this order. Cells with a
    /// prepared key ignore the drawn one.
    pub(super) fn alternate(
        &mut self,
        count: &str,
        seed: &str,
        ids: &[&str],
    ) -> Result<Value, NotDone> {
        let (count, seed): (u64, u64) = (at_most(count, SINGLE_MAX)?, number(seed)?);
        if ids.len() > CELLS_MAX {
            return Err(format!("{} cells: must be at most {CELLS_MAX}", ids.len()).into());
        }
        let mut turns = Vec::new();
        for id in ids {
            turns.push(self.turn(number(id)?)?);
        }
        let clock = *self.clock.get_or_insert_with(Clock::calibrate);
        let bracket_ns = clock.bracket_with_stores_ns();
        let held = held(self.limit)?;
        // The repetitions that are not counted have numbers behind all others.
        let warm_up = (count..count + WARM_UP).map(|number| (number, false));
        for (number, is_counted) in warm_up.chain((0..count).map(|number| (number, true))) {
            let spent = self.repeat(&clock, (seed, number), &mut turns)?;
            if is_counted {
                turns.iter_mut().zip(spent).for_each(|(turn, spent)| turn.count(spent, bracket_ns));
            }
        }
        drop(held);
        let cells: BTreeMap<u32, Value> = turns
            .into_iter()
            .map(|it| (it.id, json!({ "ns": pairs(it.ns), "ticks": pairs(it.ticks) })))
            .collect();
        Ok(json!({ "cells": cells }))
    }

    fn turn(&mut self, id: u32) -> Result<Turn, NotDone> {
        let cell = self.cell(id)?;
        cell.check_is_timed_by_calls()?;
        if !matches!(cell.call, Call::One(_)) {
            return Err(format!("cell {id} is not called one message at a time").into());
        }
        let (key, message) =
            (Aligned::zeros(cell.keys.len() - (WINDOWS - 1)), Aligned::zeros(cell.len));
        Ok(Turn { id, key, message, ns: BTreeMap::new(), ticks: BTreeMap::new() })
    }

    /// One call of each cell, and what each took. All inputs are written before the first.
    fn repeat(
        &mut self,
        clock: &Clock,
        (seed, number): (u64, u64),
        turns: &mut [Turn],
    ) -> Result<Vec<Elapsed>, NotDone> {
        for turn in &mut *turns {
            draw(seed, number, &mut turn.key, &mut turn.message);
        }
        let mut spent = Vec::with_capacity(turns.len());
        for Turn { id, key, message, .. } in turns {
            let cell = self.cells.get_mut(id).ok_or(NotDone::Gone)?;
            let Call::One(tagger) = &mut cell.call else {
                return Err(String::from("no such call").into());
            };
            let (tags, mut outcome) = (&mut cell.tags, Ok(()));
            spent.push(clock.time_with_stores(|| outcome = tagger(key, message, tags)));
            outcome?;
        }
        Ok(spent)
    }
}

impl Turn {
    fn count(&mut self, spent: Elapsed, bracket_ns: f64) {
        let ns = (spent.ns - bracket_ns).max(0.0).round() as u64;
        *self.ns.entry(ns).or_default() += 1;
        if let Some(ticks) = spent.ticks {
            *self.ticks.entry(ticks).or_default() += 1;
        }
    }
}

fn pairs(counts: BTreeMap<u64, u64>) -> Vec<(u64, u64)> {
    counts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_follow_from_the_seed_whatever_their_lengths() {
        let of = |key: usize, message: usize| {
            let (mut key, mut message) = (vec![0; key], vec![0; message]);
            draw(7, 3, &mut key, &mut message);
            (key, message)
        };
        let (key, message) = of(32, 100);
        assert_eq!(of(16, 64), (key[..16].to_vec(), message[..64].to_vec()));
        let mut next = vec![0; 32];
        draw(7, 4, &mut next, &mut []);
        assert_ne!(key, next);
    }
}
