//! Values of SQLite as PostgreSQL takes and gives them.

use std::error::Error;

use postgres::types::private::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use rusqlite::types::Value;

/// A value on its way to the server.
#[derive(Debug)]
pub(super) struct Given(pub(super) Value);

impl ToSql for Given {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match &self.0 {
            Value::Null => Ok(IsNull::Yes),
            // SQLite keeps no number that is none.
            Value::Real(number) if number.is_nan() => Ok(IsNull::Yes),
            Value::Integer(number) if *kind == Type::FLOAT8 => (*number as f64).to_sql(kind, out),
            Value::Integer(number) if *kind == Type::INT4 => {
                i32::try_from(*number)?.to_sql(kind, out)
            }
            Value::Integer(number) if *kind == Type::INT8 => number.to_sql(kind, out),
            Value::Real(number) if *kind == Type::FLOAT8 => number.to_sql(kind, out),
            Value::Text(text) if <&str as ToSql>::accepts(kind) => text.as_str().to_sql(kind, out),
            Value::Blob(bytes) if *kind == Type::BYTEA => bytes.to_sql(kind, out),
            other => Err(format!("a column of {kind} takes no {}", other.data_type()).into()),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A value on its way from the server.
pub(super) struct Found(pub(super) Value);

impl<'a> FromSql<'a> for Found {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(match *kind {
            Type::INT8 => Value::Integer(i64::from_sql(kind, raw)?),
            Type::INT4 => Value::Integer(i32::from_sql(kind, raw)?.into()),
            Type::INT2 => Value::Integer(i16::from_sql(kind, raw)?.into()),
            Type::BOOL => Value::Integer(bool::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(kind, raw)?),
            Type::TEXT | Type::VARCHAR | Type::NAME => Value::Text(String::from_sql(kind, raw)?),
            Type::BYTEA => Value::Blob(raw.to_vec()),
            Type::VOID => Value::Null,
            _ => return Err(format!("no column of an archive is of {kind}").into()),
        }))
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Value::Null))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Bytes that a value takes, roughly.
pub(super) fn len_bytes(value: &Value) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Blob(bytes) => bytes.len(),
        _ => 8,
    }
}
