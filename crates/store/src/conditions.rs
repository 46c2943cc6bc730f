//! The conditions of a query that is put together from filters. `sqlx::QueryBuilder` would not do: for `Any` it writes `?`, which
//! Postgres does not read.

use sqlx::any::AnyArguments;
use sqlx::query::Query;

/// Conditions joined by `AND`, with the values they are bound to.
#[derive(Clone, Default)]
pub(crate) struct Conditions {
    pub(crate) sql: String,
    values: Vec<SqlValue>,
}

#[derive(Clone)]
pub(crate) enum SqlValue {
    Text(String),
    Number(i64),
}

impl Conditions {
    /// Adds a condition that ends with a value.
    pub(crate) fn and(&mut self, left: &str, value: SqlValue) {
        let place = self.place(value);
        self.condition(&format!("{left}{place}"));
    }

    pub(crate) fn condition(&mut self, condition: &str) {
        if !self.sql.is_empty() {
            self.sql.push_str(" AND ");
        }
        self.sql.push_str(condition);
    }

    /// The placeholder of a value.
    pub(crate) fn place(&mut self, value: SqlValue) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }

    /// A query with the values of the conditions.
    pub(crate) fn bound<'q>(&self, sql: &str) -> Query<'q, sqlx::Any, AnyArguments> {
        let mut query = sqlx::query(sqlx::AssertSqlSafe(sql.to_owned()));
        for value in &self.values {
            query = match value {
                SqlValue::Text(text) => query.bind(text.clone()),
                SqlValue::Number(number) => query.bind(*number),
            };
        }
        query
    }
}
