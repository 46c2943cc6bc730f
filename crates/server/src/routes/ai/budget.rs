//! The assistant's budget: limits per turn, and per person and month.

use http::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_agent::{month_start, usd};
use sitewright_store::AiBudget;
use sitewright_tool::Capability;

use super::present;
use crate::problem::ApiError;
use crate::route::{Access, Context, Json, Nothing, Route};

pub(super) fn routes() -> Vec<Route> {
    const PATH: &str = "/admin/api/ai/budget";
    vec![
        Route::new(
            Method::GET,
            PATH,
            Access::Needs(Capability::AiChat),
            "What the assistant may use, and what you used this month",
            read,
        ),
        Route::new(
            Method::PUT,
            PATH,
            Access::Needs(Capability::AiProvidersManage),
            "Set what the assistant may use",
            set,
        ),
    ]
}

/// The caps, and what the caller used of the monthly ones.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Budget {
    /// The caps.
    caps: Caps,
    /// What the caller used this month.
    month: SpentThisMonth,
}

/// What turns may use. A cap that is null is off.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Caps {
    /// US dollars per turn, where prices are known.
    turn_usd: Option<f64>,
    /// Tokens per turn.
    turn_tokens: u64,
    /// Rounds with the model per turn.
    turn_rounds: u32,
    /// Minutes per turn.
    turn_minutes: u32,
    /// US dollars per person and month, where prices are known.
    user_month_usd: Option<f64>,
    /// Tokens per person and month.
    user_month_tokens: Option<u64>,
}

/// What the caller used since the month began.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SpentThisMonth {
    /// When it began, in ms since 1970 (UTC).
    since: i64,
    /// US dollars, as far as prices are known.
    cost_usd: f64,
    /// All input and output.
    total_tokens: u64,
    /// Whether some of it has no known price.
    has_unknown_cost: bool,
}

/// What is to be different; what is left out stays.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct NewCaps {
    /// US dollars per turn; null is no cap.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<f64>")]
    turn_usd: Option<Option<f64>>,
    /// Tokens per turn, 1,000 to 1,000,000,000.
    turn_tokens: Option<u64>,
    /// Rounds with the model per turn, 1 to 500.
    turn_rounds: Option<u32>,
    /// Minutes per turn, 1 to 1,440.
    turn_minutes: Option<u32>,
    /// US dollars per person and month; null is no cap.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<f64>")]
    user_month_usd: Option<Option<f64>>,
    /// Tokens per person and month; null is no cap.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<u64>")]
    user_month_tokens: Option<Option<u64>>,
}

async fn read(context: Context, _: Nothing) -> Result<Json<Budget>, ApiError> {
    let budget = context.app.store().ai_budget(context.site()?).await?;
    told(&context, budget).await
}

async fn set(context: Context, input: NewCaps) -> Result<Json<Budget>, ApiError> {
    let (store, site) = (context.app.store(), context.site()?);
    let before = store.ai_budget(site).await?;
    let budget = AiBudget {
        turn_usd: input.turn_usd.unwrap_or(before.turn_usd),
        turn_tokens: input.turn_tokens.unwrap_or(before.turn_tokens),
        turn_rounds: input.turn_rounds.unwrap_or(before.turn_rounds),
        turn_minutes: input.turn_minutes.unwrap_or(before.turn_minutes),
        user_month_usd: input.user_month_usd.unwrap_or(before.user_month_usd),
        user_month_tokens: input.user_month_tokens.unwrap_or(before.user_month_tokens),
    };
    check(&budget)?;
    store.set_ai_budget(site, &budget, &context.by()).await?;
    told(&context, budget).await
}

fn check(budget: &AiBudget) -> Result<(), ApiError> {
    const USD_MAX: f64 = 1_000_000.0;
    let usd = |field: &str, value: Option<f64>| match value {
        Some(value) if !(0.0..=USD_MAX).contains(&value) => Err(ApiError::field(
            field,
            format!("`{field}` must be 0 to {USD_MAX} US dollars, or null for no cap."),
        )),
        Some(_) | None => Ok(()),
    };
    let count = |field: &str, value: u64, least: u64, most: u64| match value {
        value if (least..=most).contains(&value) => Ok(()),
        _ => Err(ApiError::field(
            field,
            format!("`{field}` must be {least} to {most}."),
        )),
    };
    usd("turnUsd", budget.turn_usd)?;
    usd("userMonthUsd", budget.user_month_usd)?;
    count("turnTokens", budget.turn_tokens, 1_000, 1_000_000_000)?;
    count("turnRounds", budget.turn_rounds.into(), 1, 500)?;
    count("turnMinutes", budget.turn_minutes.into(), 1, 24 * 60)?;
    let month = budget.user_month_tokens.unwrap_or(0);
    count("userMonthTokens", month, 0, 1_000_000_000_000)
}

async fn told(context: &Context, budget: AiBudget) -> Result<Json<Budget>, ApiError> {
    let AiBudget {
        turn_usd,
        turn_tokens,
        turn_rounds,
        turn_minutes,
        user_month_usd,
        user_month_tokens,
    } = budget;
    let since = month_start(context.now);
    let by = context.by();
    let spent = context
        .app
        .store()
        .spent_since(context.site()?, Some(&by.actor), since)
        .await?;
    Ok(Json(Budget {
        caps: Caps {
            turn_usd,
            turn_tokens,
            turn_rounds,
            turn_minutes,
            user_month_usd,
            user_month_tokens,
        },
        month: SpentThisMonth {
            since: since.millis(),
            cost_usd: usd(spent.cost_picodollars),
            total_tokens: spent.tokens,
            has_unknown_cost: spent.has_unknown,
        },
    }))
}
