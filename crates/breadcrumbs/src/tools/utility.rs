//! `calculator`, `random`, `echo` and `timer`.

use std::time::Duration;

use exmex::Express as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use sitewright_runtime::{Attempt, Failure, Outside, Tool, ToolOutput};
use sitewright_tool::{Effect, ErrorCode, Taint, ToolError};

use super::tool;

const EXPRESSION_CHARS_MAX: usize = 1000;
const NUMBERS_MAX: u32 = 10_000;
const SECONDS_MAX: f64 = 300.0;
const TIMER_TIMEOUT_MS: u32 = 330_000;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::outside(
            tool(
                "calculator",
                "Calculate",
                "Evaluates an arithmetic expression such as `25 * 4`, `(1 + 2)^3` or `sqrt(2) * sin(PI / 4)`. Answers `result`.",
                Effect::None,
            )
            .words("Calculating", "Calculated")
            .tags(&["math", "arithmetic", "sum"]),
            Calculator,
        ),
        Tool::outside(
            tool(
                "random",
                "Random numbers",
                "Draws whole numbers between `min` and `max`, both included; 1 to 100 when left out. Answers `numbers`.",
                Effect::None,
            )
            .words("Generating random numbers", "Generated random numbers")
            .tags(&["dice", "chance", "sample"]),
            Random,
        ),
        Tool::outside(
            tool(
                "echo",
                "Echo",
                "Answers what it is given, as `echo`.",
                Effect::None,
            )
            .words("Echoing", "Echoed")
            .tags(&["test", "repeat"]),
            Echo,
        ),
        Tool::outside(
            tool(
                "timer",
                "Timer",
                "Waits for a number of seconds, at most 300. Answers `waited`.",
                Effect::None,
            )
            .words("Waiting", "Waited")
            .tags(&["wait", "sleep", "delay"])
            .timeout_ms(TIMER_TIMEOUT_MS),
            Timer,
        ),
    ]
}

fn bad(message: impl Into<String>) -> Failure {
    ToolError::new(ErrorCode::InvalidInput, message).into()
}

/// A tool that only computes passes the mark of its input on.
fn computed<T>(data: T, attempt: &Attempt<'_>) -> ToolOutput<T> {
    let taint = attempt.committer.map(|committer| committer.taint);
    ToolOutput {
        taint: taint.unwrap_or(Taint::Trusted),
        ..ToolOutput::from(data)
    }
}

struct Calculator;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Expression {
    /// What to calculate, such as `25 * 4`.
    #[schemars(length(min = 1, max = 1000))]
    expression: String,
}

#[derive(Serialize, JsonSchema)]
struct CalculatorAnswer {
    /// The value.
    result: Number,
}

impl Outside for Calculator {
    type Input = Expression;
    type Data = CalculatorAnswer;

    async fn run(
        &self,
        input: Expression,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<CalculatorAnswer>, Failure> {
        let result = evaluate(&input.expression).map_err(bad)?;
        Ok(computed(CalculatorAnswer { result }, &attempt))
    }
}

/// The value of an expression. A library parses it into an expression of its own; nothing in it can run code or name anything else.
fn evaluate(text: &str) -> Result<Number, String> {
    if text.chars().count() > EXPRESSION_CHARS_MAX {
        return Err(format!(
            "An expression has at most {EXPRESSION_CHARS_MAX} characters."
        ));
    }
    let unreadable = |error: &dyn std::fmt::Display| {
        format!(
            "`{text}` cannot be calculated: {error}. Use numbers, `+ - * / ^ ( )`, `PI`, `E` and functions such as `sqrt(2)`."
        )
    };
    let parsed = exmex::FlatEx::<f64>::parse(text).map_err(|error| unreadable(&error))?;
    if let Some(name) = parsed.var_names().first() {
        return Err(unreadable(&format!("`{name}` has no value")));
    }
    let value = parsed.eval(&[]).map_err(|error| unreadable(&error))?;
    number(value).ok_or_else(|| {
        format!("`{text}` has no finite value; a division by zero or a value out of range is the usual reason.")
    })
}

/// A whole number is written without a fraction, as in `100` and not `100.0`.
fn number(value: f64) -> Option<Number> {
    /// The whole numbers that a float holds exactly.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}

struct Random;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RandomRange {
    /// The smallest; 1 when left out.
    #[serde(default)]
    min: Option<i64>,
    /// The largest; 100 when left out.
    #[serde(default)]
    max: Option<i64>,
    /// How many; 1 when left out.
    #[serde(default)]
    #[schemars(range(min = 1, max = 10_000))]
    count: Option<u32>,
    /// The same seed draws the same numbers.
    #[serde(default)]
    seed: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct RandomAnswer {
    /// The numbers.
    numbers: Vec<i64>,
}

impl Outside for Random {
    type Input = RandomRange;
    type Data = RandomAnswer;

    async fn run(
        &self,
        input: RandomRange,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<RandomAnswer>, Failure> {
        let seed = match input.seed {
            Some(seed) => seed,
            None => getrandom::u64().map_err(|error| {
                let message = format!("The system gives no random numbers: {error}.");
                ToolError::new(ErrorCode::Unavailable, message)
            })?,
        };
        let numbers = draw(&input, seed).map_err(bad)?;
        Ok(computed(RandomAnswer { numbers }, &attempt))
    }
}

fn draw(range: &RandomRange, seed: u64) -> Result<Vec<i64>, String> {
    let min = range.min.unwrap_or(1);
    let max = range.max.unwrap_or_else(|| min.max(100));
    if min > max {
        return Err(format!("`min` is {min}, which is more than `max`, {max}."));
    }
    let count = range.count.unwrap_or(1);
    if !(1..=NUMBERS_MAX).contains(&count) {
        return Err(format!("`count` must be 1 to {NUMBERS_MAX}."));
    }
    let width = max.abs_diff(min);
    let mut state = seed;
    let mut next = || {
        // SplitMix64: small, well distributed, and the same on every machine for the same seed.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    };
    let numbers = (0..count).map(|_| {
        // The high bits of the product are uniform up to one part in 2^64 per value.
        let scaled = (u128::from(next()) * (u128::from(width) + 1)) >> 64;
        min.wrapping_add_unsigned(u64::try_from(scaled).unwrap_or(width))
    });
    Ok(numbers.collect())
}

struct Echo;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Message {
    /// What to answer, of any type.
    #[serde(default)]
    message: Value,
}

#[derive(Serialize, JsonSchema)]
struct EchoAnswer {
    /// The message.
    echo: Value,
}

impl Outside for Echo {
    type Input = Message;
    type Data = EchoAnswer;

    async fn run(
        &self,
        input: Message,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<EchoAnswer>, Failure> {
        let echo = input.message;
        Ok(computed(EchoAnswer { echo }, &attempt))
    }
}

struct Timer;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Wait {
    /// How long.
    #[schemars(range(min = 0.0, max = 300.0))]
    seconds: f64,
}

#[derive(Serialize, JsonSchema)]
struct TimerAnswer {
    /// The seconds that were waited.
    waited: Number,
}

impl Outside for Timer {
    type Input = Wait;
    type Data = TimerAnswer;

    async fn run(
        &self,
        input: Wait,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<TimerAnswer>, Failure> {
        let seconds = input.seconds;
        if !(0.0..=SECONDS_MAX).contains(&seconds) {
            return Err(bad(format!("`seconds` must be 0 to {SECONDS_MAX}.")));
        }
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        let waited = number(seconds).ok_or_else(|| bad("`seconds` must be a number."))?;
        Ok(computed(TimerAnswer { waited }, &attempt))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{RandomRange, draw, evaluate};

    #[test]
    fn expressions_follow_the_usual_rules() {
        for (text, expected) in [
            ("25 * 4", json!(100)),
            ("2 + 3 * 4", json!(14)),
            ("(2 + 3) * 4", json!(20)),
            ("2^10", json!(1024)),
            ("10 / 4", json!(2.5)),
            ("-3 + 1", json!(-2)),
            ("7.0 + 5", json!(12)),
            ("sqrt(16)", json!(4)),
            ("0.1 + 0.2", json!(0.1 + 0.2)),
        ] {
            assert_eq!(
                evaluate(text).map(|value| json!(value)),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_expression_is_an_error_and_runs_nothing() {
        for text in [
            "",
            "2 +",
            "x + 1",
            "require('fs')",
            "1 / 0",
            "process.exit()",
            "10^400",
            "1; 2",
        ] {
            assert!(evaluate(text).is_err(), "{text}");
        }
        let deep = format!("{}1{}", "(".repeat(499), ")".repeat(499));
        assert_eq!(evaluate(&deep).map(|value| json!(value)), Ok(json!(1)));
        assert!(evaluate(&"1+".repeat(600)).is_err());
    }

    #[test]
    fn numbers_are_in_range_and_repeat_with_their_seed() {
        let range = |min, max, count| RandomRange {
            min,
            max,
            count,
            seed: None,
        };
        let dice = range(Some(1), Some(6), Some(6000));
        let drawn = draw(&dice, 7).unwrap();
        assert!(drawn.iter().all(|number| (1..=6).contains(number)));
        for face in 1..=6 {
            let count = drawn.iter().filter(|number| **number == face).count();
            assert!((850..=1150).contains(&count), "{face}: {count}");
        }
        assert_eq!(drawn, draw(&dice, 7).unwrap());
        assert_ne!(drawn, draw(&dice, 8).unwrap());
        let all = draw(&range(Some(i64::MIN), Some(i64::MAX), Some(3)), 1).unwrap();
        assert_eq!(all.len(), 3);
        assert!(draw(&range(Some(2), Some(1), None), 1).is_err());
        assert_eq!(draw(&range(None, None, None), 1).unwrap().len(), 1);
    }
}
