//! `openssl speed -mr`: lines that begin with `+H:` have lengths in bytes, lines with `+F:` bytes
//! per second at each (apps/speed.c). Several outputs in one file are repetitions.

use super::{Damage, Format, Held, Times, WrongLine};

pub(super) const FORMAT: Format = Format { name: "openssl speed -mr", is_of, read };

fn is_of(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("+F:"))
}

fn read(text: &str) -> Result<Held, Damage> {
    let mut times = Times::new();
    let mut lens: Vec<f64> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = |wrong| Damage::Line { line: number, wrong };
        let numbers = |fields: &str, what| {
            fields.split(':').map(|it| positive(it, what)).collect::<Result<Vec<f64>, _>>()
        };
        if let Some(fields) = line.strip_prefix("+H:") {
            lens = numbers(fields, "length").map_err(wrong)?;
        }
        let Some(fields) = line.strip_prefix("+F:") else { continue };
        let named = fields.split_once(':').and_then(|(_, rest)| rest.split_once(':'));
        let (name, rest) = named.ok_or_else(|| wrong(WrongLine::NoSpeeds))?;
        let speeds = numbers(rest, "speed").map_err(wrong)?;
        if speeds.len() != lens.len() {
            let (speeds, lens) = (speeds.len(), lens.len());
            return Err(wrong(WrongLine::Unpaired { speeds, lens }));
        }
        for (len, speed) in lens.iter().zip(speeds) {
            times.entry(format!("{name}, {len} B")).or_default().push(len * 1e9 / speed);
        }
    }
    Ok(times.into())
}

fn positive(field: &str, what: &'static str) -> Result<f64, WrongLine> {
    match field.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        Ok(value) => Err(WrongLine::NotPositive { value, what }),
        Err(_) => Err(WrongLine::NoNumber { text: field.into() }),
    }
}
