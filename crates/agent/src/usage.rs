//! Model usage and its cost: the row of a run, and the sums of the audit page.
//!
//! Days are those of the viewer's time zone. Rows are summed by quarter hours, because a day in any time zone is a whole number of them,
//! including the two days of the year with 23 and 25 hours.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;
use sitewright_llm::{ProviderId, Usage, normalize_context_tokens};
use sitewright_store::{
    Actor, ConversationId, Rollup, SiteId, Store, StoreError, Timestamp, TurnId, UsageBy, UsageId,
    UsageRow, UsageSum,
};
use sitewright_tool::Scope;

/// A run of a model, and where its usage belongs.
#[derive(Debug, Clone)]
pub struct ModelRun {
    pub site: SiteId,
    pub turn_id: TurnId,
    pub conversation_id: ConversationId,
    /// The actor on whose behalf it ran.
    pub user_id: Actor,
    pub scope: Scope,
    pub provider: ProviderId,
    pub model_id: String,
}

impl ModelRun {
    /// Builds the usage row of the run. A `cost_usd` of `None` is stored as unknown, not as zero.
    pub fn row(
        &self,
        id: UsageId,
        usage: &Usage,
        cost_usd: Option<f64>,
        at: Timestamp,
    ) -> UsageRow {
        UsageRow {
            id,
            site: self.site.clone(),
            turn_id: self.turn_id.clone(),
            conversation_id: self.conversation_id.clone(),
            user_id: self.user_id.clone(),
            scope: self.scope,
            provider_id: self.provider.as_str().to_owned(),
            model_id: self.model_id.clone(),
            prompt_tokens: usage.prompt_tokens,
            completion_tokens: usage.completion_tokens,
            cache_read_tokens: usage.cache_read_tokens,
            cache_creation_tokens: usage.cache_creation_tokens,
            tokens: normalize_context_tokens(self.provider, usage)
                .saturating_add(usage.completion_tokens),
            cost_picodollars: cost_usd.and_then(picodollars),
            at,
        }
    }
}

/// Converts US dollars to the stored unit, an integer so that sums are exact. Negative amounts and NaN become unknown.
pub(crate) fn picodollars(usd: f64) -> Option<u64> {
    // The conversion saturates at `u64::MAX`, far beyond any bill.
    (usd >= 0.0).then_some((usd * 1e12).round() as u64)
}

/// Converts a stored amount to US dollars.
pub fn usd(picodollars: u64) -> f64 {
    picodollars as f64 / 1e12
}

/// The beginning of the calendar month, for monthly caps. Months are in UTC, so they are the same for every user.
pub fn month_start(now: Timestamp) -> Timestamp {
    let first = zoned(now, &TimeZone::UTC).date().first_of_month();
    start_of(first, &TimeZone::UTC).unwrap_or(now)
}

/// The period and time zone of an audit.
#[derive(Debug, Clone)]
pub struct Window {
    since: Timestamp,
    zone: TimeZone,
}

/// Why a window could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BadWindow {
    /// The field's name in the request.
    pub field: &'static str,
    /// What is wrong and how to fix it.
    pub message: String,
}

const DEFAULT_SPAN: Duration = Duration::from_secs(30 * 24 * 60 * 60);
const QUARTER_MS: i64 = 15 * 60 * 1000;

impl Window {
    /// Parses a start, by default 30 days ago, and an IANA time zone, by default UTC. A start without an offset is in that zone.
    pub fn parse(
        since: Option<&str>,
        zone: Option<&str>,
        now: Timestamp,
    ) -> Result<Self, BadWindow> {
        let zone = zone.map_or(Ok(TimeZone::UTC), |name| {
            TimeZone::get(name).map_err(|_unknown| BadWindow {
                field: "tz",
                message: format!(
                    "`{}` is not a time zone: use an IANA name such as Europe/Bratislava.",
                    short(name)
                ),
            })
        })?;
        let since = match since {
            None => now.before(DEFAULT_SPAN),
            Some(text) => parse_start(text, &zone).ok_or_else(|| BadWindow {
                field: "since",
                message: format!(
                    "`{}` is no time: use ISO 8601, such as 2026-03-29T00:00:00Z.",
                    short(text)
                ),
            })?,
        };
        Ok(Self { since, zone })
    }
}

/// What a site's turns used since a time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AiAudit {
    /// The start, as an instant in ISO 8601.
    pub since: String,
    /// Everything together.
    pub totals: UsageTotals,
    /// By person, the dearest first.
    pub by_user: Vec<UsageByUser>,
    /// By scope, the dearest first.
    pub by_scope: Vec<UsageByScope>,
    /// By provider and model, the dearest first.
    pub by_model: Vec<UsageByModel>,
    /// By calendar day in the viewer's time zone, in order; days without usage are left out.
    pub by_day: Vec<UsageByDay>,
}

/// A sum of usage.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageTotals {
    /// How often a model was run.
    pub runs: u64,
    /// Input, as the providers count it.
    pub prompt_tokens: u64,
    /// Output.
    pub completion_tokens: u64,
    /// Input from a cache.
    pub cache_read_tokens: u64,
    /// Input that was written to a cache.
    pub cache_creation_tokens: u64,
    /// All input and output, counted the same way for every provider.
    pub total_tokens: u64,
    /// US dollars, as far as prices are known.
    pub cost_usd: f64,
    /// How many runs have no known price.
    pub unpriced_runs: u64,
}

/// What one person used.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageByUser {
    /// The person; `token:ID` for a token that nobody made, `local` for the machine itself.
    pub user_id: String,
    /// What they are called, while they exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What they used.
    #[serde(flatten)]
    pub usage: UsageTotals,
}

/// What was used in one scope.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageByScope {
    /// The scope.
    pub scope: String,
    /// What was used.
    #[serde(flatten)]
    pub usage: UsageTotals,
}

/// What one model was used for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageByModel {
    /// The provider.
    pub provider_id: String,
    /// The model.
    pub model_id: String,
    /// What was used.
    #[serde(flatten)]
    pub usage: UsageTotals,
}

/// What was used on one day.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsageByDay {
    /// The day, `YYYY-MM-DD`.
    pub day: String,
    /// What was used.
    #[serde(flatten)]
    pub usage: UsageTotals,
}

impl AiAudit {
    /// Sums the usage of a site in a window.
    pub async fn read(store: &Store, site: &SiteId, window: &Window) -> Result<Self, StoreError> {
        let sums = async |by| store.usage_by(site, window.since, by).await;
        let totals = sums(UsageBy::Nothing).await?.pop();
        let users = sums(UsageBy::User).await?.into_iter();
        let scopes = sums(UsageBy::Scope).await?.into_iter();
        let models = sums(UsageBy::Model).await?.into_iter();
        let quarters = sums(UsageBy::Quarter).await?;
        Ok(Self {
            since: instant(window.since).to_string(),
            totals: totals.map(|one| told(&one.sum)).unwrap_or_default(),
            by_user: users
                .map(|one| UsageByUser {
                    usage: told(&one.sum),
                    user_id: match one.key.strip_prefix("user:") {
                        Some(id) => id.to_owned(),
                        None => one.key,
                    },
                    name: one.name,
                })
                .collect(),
            by_scope: scopes
                .map(|one| UsageByScope {
                    usage: told(&one.sum),
                    scope: one.key,
                })
                .collect(),
            by_model: models
                .map(|one| UsageByModel {
                    usage: told(&one.sum),
                    provider_id: one.key,
                    model_id: one.model,
                })
                .collect(),
            by_day: days(&quarters, &window.zone)?,
        })
    }
}

/// Groups quarter hours into the days of a time zone.
fn days(quarters: &[Rollup], zone: &TimeZone) -> Result<Vec<UsageByDay>, StoreError> {
    let mut days: BTreeMap<Date, UsageSum> = BTreeMap::new();
    for quarter in quarters {
        let corrupt = |_error| StoreError::Corrupt { what: "AI usage" };
        let number: i64 = quarter.key.parse().map_err(corrupt)?;
        let at = Timestamp::from_millis(number.saturating_mul(QUARTER_MS));
        add(
            days.entry(zoned(at, zone).date()).or_default(),
            &quarter.sum,
        );
    }
    let told = days.into_iter().map(|(day, sum)| UsageByDay {
        day: day.to_string(),
        usage: told(&sum),
    });
    Ok(told.collect())
}

fn add(sum: &mut UsageSum, more: &UsageSum) {
    let UsageSum {
        runs,
        prompt_tokens,
        completion_tokens,
        cache_read_tokens,
        cache_creation_tokens,
        tokens,
        cost_picodollars,
        unpriced_runs,
    } = more;
    sum.runs += runs;
    sum.prompt_tokens += prompt_tokens;
    sum.completion_tokens += completion_tokens;
    sum.cache_read_tokens += cache_read_tokens;
    sum.cache_creation_tokens += cache_creation_tokens;
    sum.tokens += tokens;
    sum.cost_picodollars += cost_picodollars;
    sum.unpriced_runs += unpriced_runs;
}

fn told(sum: &UsageSum) -> UsageTotals {
    let UsageSum {
        runs,
        prompt_tokens,
        completion_tokens,
        cache_read_tokens,
        cache_creation_tokens,
        tokens,
        cost_picodollars,
        unpriced_runs,
    } = *sum;
    UsageTotals {
        runs,
        prompt_tokens,
        completion_tokens,
        cache_read_tokens,
        cache_creation_tokens,
        total_tokens: tokens,
        cost_usd: usd(cost_picodollars),
        unpriced_runs,
    }
}

fn instant(at: Timestamp) -> jiff::Timestamp {
    // No clock returns a time that is out of the calendar's range, so the fallback does not matter.
    jiff::Timestamp::from_millisecond(at.millis()).unwrap_or_default()
}

fn zoned(at: Timestamp, zone: &TimeZone) -> jiff::Zoned {
    instant(at).to_zoned(zone.clone())
}

fn start_of(day: Date, zone: &TimeZone) -> Option<Timestamp> {
    let start = day.to_zoned(zone.clone()).ok()?;
    Some(Timestamp::from_millis(start.timestamp().as_millisecond()))
}

fn parse_start(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Some(Timestamp::from_millis(instant.as_millisecond()));
    }
    let local: DateTime = text.parse().ok()?;
    let start = local.to_zoned(zone.clone()).ok()?;
    Some(Timestamp::from_millis(start.timestamp().as_millisecond()))
}

/// Enough of a text to recognise it in an error message.
fn short(text: &str) -> String {
    text.chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::{Window, days, month_start, picodollars};
    use jiff::tz::TimeZone;
    use sitewright_store::{Rollup, Timestamp, UsageSum};

    /// Puts a run into each quarter hour from `start` on for `hours`, and checks how many hours fall on each day.
    fn check_days(zone: &str, start: &str, hours: i64, expected: &[(&str, u64)]) {
        let first = start.parse::<jiff::Timestamp>().unwrap().as_millisecond() / 900_000;
        let quarters: Vec<Rollup> = (first..first + hours * 4)
            .map(|quarter| Rollup {
                key: quarter.to_string(),
                model: String::new(),
                name: None,
                sum: UsageSum {
                    runs: 1,
                    ..UsageSum::default()
                },
            })
            .collect();
        let days = days(&quarters, &TimeZone::get(zone).unwrap()).unwrap();
        let hours: Vec<(&str, u64)> = days
            .iter()
            .map(|day| (day.day.as_str(), day.usage.runs / 4))
            .collect();
        assert_eq!(hours, expected, "{zone}");
    }

    #[test]
    fn the_day_clocks_go_forward_has_23_hours_and_the_day_they_go_back_25() {
        check_days(
            "Europe/Bratislava",
            "2026-03-28T23:00:00Z",
            48,
            &[("2026-03-29", 23), ("2026-03-30", 24), ("2026-03-31", 1)],
        );
        check_days(
            "Europe/Bratislava",
            "2026-10-24T22:00:00Z",
            48,
            &[("2026-10-25", 25), ("2026-10-26", 23)],
        );
        check_days(
            "America/New_York",
            "2026-03-08T05:00:00Z",
            24,
            &[("2026-03-08", 23), ("2026-03-09", 1)],
        );
    }

    #[test]
    fn odd_zones_have_their_own_midnights() {
        // The offset is 5:45.
        check_days(
            "Asia/Kathmandu",
            "2026-06-01T18:15:00Z",
            24,
            &[("2026-06-02", 24)],
        );
        // Clocks go back by half an hour.
        check_days(
            "Australia/Lord_Howe",
            "2026-04-04T13:00:00Z",
            25,
            &[("2026-04-05", 24), ("2026-04-06", 0)],
        );
        check_days("UTC", "2026-03-29T00:00:00Z", 24, &[("2026-03-29", 24)]);
    }

    #[test]
    fn a_window_is_read_in_the_viewers_zone() {
        let now = Timestamp::from_millis(1_800_000_000_000);
        let check = |since: Option<&str>, zone: Option<&str>, expected: &str| {
            let said = match Window::parse(since, zone, now) {
                Ok(window) => super::instant(window.since).to_string(),
                Err(bad) => format!("{}: {bad}", bad.field),
            };
            assert_eq!(said, expected);
        };
        check(None, None, "2026-12-16T08:00:00Z");
        check(
            Some("2026-03-29T10:00:00+02:00"),
            None,
            "2026-03-29T08:00:00Z",
        );
        check(
            Some("2026-03-29"),
            Some("Europe/Bratislava"),
            "2026-03-28T23:00:00Z",
        );
        check(
            Some("2026-03-29T12:00"),
            Some("europe/bratislava"),
            "2026-03-29T10:00:00Z",
        );
        check(
            Some("yesterday"),
            None,
            "since: `yesterday` is no time: use ISO 8601, such as 2026-03-29T00:00:00Z.",
        );
        check(
            None,
            Some("Europe/Bratislawa"),
            "tz: `Europe/Bratislawa` is not a time zone: use an IANA name such as Europe/Bratislava.",
        );
    }

    #[test]
    fn a_month_begins_on_its_first_day() {
        let at = |text: &str| {
            let instant: jiff::Timestamp = text.parse().unwrap();
            Timestamp::from_millis(instant.as_millisecond())
        };
        assert_eq!(
            month_start(at("2026-11-15T18:39:40Z")),
            at("2026-11-01T00:00:00Z")
        );
        assert_eq!(
            month_start(at("2026-11-01T00:00:00Z")),
            at("2026-11-01T00:00:00Z")
        );
    }

    #[test]
    fn what_is_no_amount_is_not_known() {
        assert_eq!(picodollars(0.00712), Some(7_120_000_000));
        assert_eq!(picodollars(-1.0), None);
        assert_eq!(picodollars(f64::NAN), None);
        assert_eq!(picodollars(f64::INFINITY), Some(u64::MAX));
    }
}
