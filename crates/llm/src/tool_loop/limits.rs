//! The limits of a turn.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The limits of a turn. The caller converts budgets per person or month into these.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TurnLimits {
    /// Rounds with the model.
    pub rounds: u32,
    /// Time since the turn began.
    pub time: Duration,
    /// Tokens, input and output of all rounds together.
    pub tokens: u64,
    /// US dollars; an unknown cost counts as zero.
    pub cost_usd: Option<f64>,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            rounds: 50,
            time: Duration::from_secs(30 * 60),
            tokens: 5_000_000,
            cost_usd: None,
        }
    }
}

/// Which limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Rounds with the model.
    Rounds,
    /// Seconds.
    Time,
    /// Tokens.
    Tokens,
    /// US dollars.
    Cost,
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReachedLimit {
    /// Which one.
    pub limit: Limit,
    /// What was used; 0 in outcomes that earlier versions stored.
    #[serde(default)]
    pub used: f64,
    /// What was allowed.
    pub max: f64,
}

pub(super) struct Spending {
    pub(super) rounds: u32,
    pub(super) time: Duration,
    pub(super) tokens: u64,
    pub(super) cost_usd: Option<f64>,
}

impl TurnLimits {
    /// The first limit that is used up, so that no further round may start.
    pub(super) fn reached(&self, spent: &Spending) -> Option<ReachedLimit> {
        let rows = [
            (
                Limit::Time,
                spent.time.as_secs_f64(),
                Some(self.time.as_secs_f64()),
            ),
            (
                Limit::Rounds,
                f64::from(spent.rounds),
                Some(f64::from(self.rounds)),
            ),
            (Limit::Tokens, spent.tokens as f64, Some(self.tokens as f64)),
            (Limit::Cost, spent.cost_usd.unwrap_or(0.0), self.cost_usd),
        ];
        rows.into_iter().find_map(|(limit, used, max)| {
            let max = max?;
            (used >= max).then_some(ReachedLimit { limit, used, max })
        })
    }
}
