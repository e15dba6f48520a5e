//! The operation under macrometer: a worker that offers HMAC-SHA-256 with a prepared key, where one
//! call is so many computations. Speaks `docs/worker-protocol.md`, as far as a comparison of two
//! versions needs it.
//!
//! The number stands at the end of the last argument: `rival-worker 200`, or the name under which
//! macrometer starts it, `python-200`.

use std::collections::BTreeMap;
use std::env;
use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Instant;

use comparison_work::Keyed;
use serde_json::{Value, json};

const MESSAGES: usize = 16;
const MESSAGE_STEP_BYTES: usize = 64;
const SINGLE_MAX: u64 = 10_000_000;

struct Cell {
    keyed: Keyed,
    len_bytes: usize,
}

struct Worker {
    calls: u32,
    pool: Vec<u8>,
    cells: BTreeMap<u64, Cell>,
}

type Reply = Result<Value, String>;

fn main() -> ExitCode {
    let argument = env::args().next_back().unwrap_or_default();
    let Ok(calls) = argument.rsplit('-').next().unwrap_or_default().parse() else {
        eprintln!("rival-worker: {argument:?}: must end with the number of calls");
        return ExitCode::from(2);
    };
    let mut worker = Worker { calls, pool: vec![], cells: BTreeMap::new() };
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let told = match worker.reply(&line) {
            Ok(value) => format!("ok {value}\n"),
            Err(error) => format!("err {error}\n"),
        };
        let is_written = output.write_all(told.as_bytes()).and_then(|()| output.flush()).is_ok();
        if line == "close" || !is_written {
            break;
        }
    }
    ExitCode::SUCCESS
}

impl Worker {
    fn reply(&mut self, line: &str) -> Reply {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["info"] => Ok(self.info()),
            ["pool", bytes] => {
                self.pool = bytes_of(bytes)?;
                Ok(json!({}))
            }
            ["open", id, "hmac-sha256", "prepared", "single", len, keys] => {
                let len_bytes = usize::try_from(number(len)?).map_err(|e| e.to_string())?;
                let cell = Cell { keyed: keyed(keys)?, len_bytes };
                self.cells.insert(number(id)?, cell);
                Ok(json!({}))
            }
            ["rekey", id, keys] => {
                let keyed = keyed(keys)?;
                self.cells.get_mut(&number(id)?).ok_or("no such cell")?.keyed = keyed;
                Ok(json!({}))
            }
            ["prove", id, count] => self.prove(number(id)?, number(count)?),
            ["run", id, iterations] => self.run(number(id)?, number(iterations)?),
            ["single", id, count] => self.single(number(id)?, number(count)?),
            ["close"] => Ok(json!({})),
            _ => Err("not offered by this worker".to_owned()),
        }
    }

    fn info(&self) -> Value {
        let offer = json!({"mac": "hmac-sha256", "kernel": "own", "key_lives": ["prepared"]});
        json!({
            "protocol": 2, "name": "comparison", "version": env!("CARGO_PKG_VERSION"),
            "path": "comparison", "detail": format!("{} computations in a call", self.calls),
            "offers": [offer], "regimes": ["single"],
        })
    }

    fn cell(&self, id: u64) -> Result<(&Cell, Vec<&[u8]>), String> {
        let cell = self.cells.get(&id).ok_or("no such cell")?;
        let windows = (0..MESSAGES).map(|i| {
            let begin = i * MESSAGE_STEP_BYTES;
            self.pool.get(begin..begin + cell.len_bytes).ok_or("the pool is too short")
        });
        Ok((cell, windows.collect::<Result<_, _>>()?))
    }

    fn prove(&self, id: u64, count: u64) -> Reply {
        let (cell, messages) = self.cell(id)?;
        let count = usize::try_from(count).unwrap_or(MESSAGES).min(MESSAGES);
        let tag = |message: &&[u8]| hex::encode(cell.keyed.compute(message, self.calls));
        Ok(json!({"tags": messages[..count].iter().map(tag).collect::<String>()}))
    }

    fn run(&self, id: u64, iterations: u64) -> Reply {
        let (cell, messages) = self.cell(id)?;
        let call = |message: &[u8]| black_box(cell.keyed.compute(message, self.calls));
        for i in 0..(iterations / 16).max(1) {
            call(messages[i as usize % MESSAGES]);
        }
        let begin = Instant::now();
        for i in 0..iterations {
            call(messages[i as usize % MESSAGES]);
        }
        let elapsed_ns = begin.elapsed().as_nanos() as u64;
        Ok(json!({"elapsed_ns": elapsed_ns}))
    }

    fn single(&self, id: u64, count: u64) -> Reply {
        if count > SINGLE_MAX {
            return Err(format!("at most {SINGLE_MAX} calls"));
        }
        let (cell, messages) = self.cell(id)?;
        let mut counts = BTreeMap::<u64, u64>::new();
        for i in 0..count {
            let begin = Instant::now();
            black_box(cell.keyed.compute(messages[i as usize % MESSAGES], self.calls));
            *counts.entry(begin.elapsed().as_nanos() as u64).or_default() += 1;
        }
        Ok(json!({"ns": counts.into_iter().collect::<Vec<_>>()}))
    }
}

fn keyed(keys: &str) -> Result<Keyed, String> {
    // Key i is `keys[i..i + k]` of k + 15 bytes; a prepared cell uses the first.
    let bytes = bytes_of(keys)?;
    let len = bytes.len().checked_sub(MESSAGES - 1).ok_or("too few bytes of keys")?;
    Keyed::new(&bytes[..len]).map_err(|error| error.to_string())
}

fn bytes_of(word: &str) -> Result<Vec<u8>, String> {
    hex::decode(word).map_err(|error| error.to_string())
}

fn number(word: &str) -> Result<u64, String> {
    word.parse().map_err(|_| format!("{word:?} is not a number"))
}
