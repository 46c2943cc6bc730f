//! Hostile input is handled or refused, at a cost like that of ordinary input of its length and within 256 MB.
//!
//! The inputs are recipes in `tests/hostile.json`, which the test of the wasm core reads as well. Each is cooked and eaten in a
//! process of its own, so that its peak of memory is its own. What reading an ordinary text costs is measured beside it.

#![expect(clippy::unwrap_used, reason = "a panic in a test is a failed test")]
#![expect(clippy::print_stdout, reason = "the measures are worth a look")]

use std::process::Command;

use serde::Deserialize;
use sitewright_markup::css::{
    CssForm, CssLimits, Origin, Present, is_relevant, parse_css, plan_upsert, write_css,
};
use sitewright_markup::html::{HtmlError, HtmlLimits, HtmlMode, import_html};
use sitewright_site::{Change, Op, Piece, Site};

use crate::cost::{Parser, times_as_much};

const MEGABYTES_MAX: f64 = 256.0;
/// Names the case that a process of its own is to try.
const CASE: &str = "SITEWRIGHT_HOSTILE_CASE";

#[derive(Deserialize)]
struct Recipe {
    name: String,
    kind: Food,
    /// `ok`, or a part of the message.
    expect: String,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Food {
    Html,
    Css,
    Change,
}

impl Food {
    /// Who reads ordinary text of its kind.
    fn parser(self) -> Parser {
        match self {
            Self::Html => Parser::Html,
            Self::Css => Parser::Css,
            Self::Change => Parser::Json,
        }
    }

    /// How often an input is eaten: HTML as a page and as a fragment.
    fn tries(self) -> usize {
        match self {
            Self::Html => 2,
            Self::Css | Self::Change => 1,
        }
    }

    /// How many times as much as ordinary text it may cost: at least three times what was measured. What is quadratic costs
    /// thousands of times as much. Rules of seven bytes cost more, byte for byte, than those that people write.
    fn times_max(self) -> f64 {
        match self {
            Self::Html | Self::Change => 10.0,
            Self::Css => 500.0,
        }
    }
}

/// A part of an input. In what is repeated `{n}` counts from 0, `{n8}` with eight digits.
#[derive(Deserialize)]
#[serde(untagged)]
enum Part {
    Text(String),
    Repeat { repeat: String, times: usize },
    Bytes { bytes: Vec<u8>, times: usize },
}

fn recipes() -> Vec<Recipe> {
    serde_json::from_str(include_str!("../hostile.json")).unwrap()
}

impl Recipe {
    fn cook(&self) -> String {
        let mut out = Vec::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => out.extend_from_slice(text.as_bytes()),
                Part::Repeat { repeat, times } if repeat.contains("{n") => {
                    for number in 0..*times {
                        let text = repeat
                            .replace("{n}", &number.to_string())
                            .replace("{n8}", &format!("{number:08}"));
                        out.extend_from_slice(text.as_bytes());
                    }
                }
                Part::Repeat { repeat, times } => {
                    out.extend(repeat.repeat(*times).into_bytes());
                }
                Part::Bytes { bytes, times } => out.extend(bytes.repeat(*times)),
            }
        }
        match String::from_utf8(out) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }

    fn eat(&self, input: &str) -> Vec<String> {
        match self.kind {
            Food::Html => [HtmlMode::Document, HtmlMode::body()]
                .iter()
                .map(|mode| said(import_html(input, mode, &HtmlLimits::default())))
                .collect(),
            Food::Css => vec![said(eat_css(input))],
            Food::Change => vec![eat_change(input)],
        }
    }
}

fn said<T, E: std::fmt::Display>(outcome: Result<T, E>) -> String {
    outcome.map_or_else(|error| error.to_string(), |_| "ok".to_owned())
}

fn eat_css(css: &str) -> Result<(), sitewright_markup::css::CssError> {
    let pieces = parse_css(css, Origin::Author, &CssLimits::default())?.pieces;
    assert!(write_css(&pieces, CssForm::Compact).len() < css.len() * 2 + 1024);
    let present = Present::default();
    for piece in &pieces {
        is_relevant(piece, &present);
    }
    let existing: Vec<(usize, &Piece)> = pieces.iter().enumerate().collect();
    drop(plan_upsert(&existing, pieces.clone()));
    Ok(())
}

fn eat_change(change: &str) -> String {
    let Ok(change) = serde_json::from_str::<Change>(change) else {
        return "unreadable".to_owned();
    };
    let mut site = start();
    let before = site.clone();
    let applied = site.apply_all(&change.ops, 2);
    site.undo_all(&applied).unwrap();
    assert!(site == before);
    "ok".to_owned()
}

/// A page with a body, under the ids that the recipes name.
fn start() -> Site {
    let page = r#"{"op": "insert", "new": {"type": "page", "id": "000000000001", "page": {"title": "P", "slug": "p"},
        "tree": [{"id": "000000000001", "node": {"kind": {"element": {"tag": "body"}}}}]}}"#;
    let mut site = Site::default();
    let op: Op = serde_json::from_str(page).unwrap();
    site.apply(&op, 1).unwrap();
    site
}

#[test]
fn hostile_html_costs_little() {
    check_all(Food::Html);
}

#[test]
fn hostile_css_costs_little() {
    check_all(Food::Css);
}

#[test]
fn hostile_changes_cost_little() {
    check_all(Food::Change);
}

fn check_all(kind: Food) {
    let mut failures = Vec::new();
    for (number, recipe) in recipes().iter().enumerate() {
        if recipe.kind == kind {
            failures.extend(check(number, recipe));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Tries a case in a process of its own, and says what is wrong with it.
fn check(number: usize, recipe: &Recipe) -> Vec<String> {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "hostile::one_case", "--nocapture"])
        .env(CASE, number.to_string())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let Some(meal) = text
        .lines()
        .find_map(|line| serde_json::from_str::<Meal>(line.trim()).ok())
    else {
        let errors = String::from_utf8_lossy(&output.stderr);
        return vec![format!("{}: {}\n{errors}", recipe.name, output.status)];
    };
    println!(
        "{}: {:.2} times as much as ordinary text, {:?} MB",
        recipe.name, meal.times, meal.megabytes
    );
    let mut wrong = Vec::new();
    for said in &meal.said {
        let fits = match recipe.expect.as_str() {
            "ok" => said == "ok",
            part => said.contains(part),
        };
        if !fits {
            wrong.push(format!("{}: {said:?}", recipe.name));
        }
    }
    if meal.times > recipe.kind.times_max() {
        wrong.push(format!(
            "{}: {:.1} times as much as ordinary text",
            recipe.name, meal.times
        ));
    }
    match meal.megabytes {
        Some(found) if found > MEGABYTES_MAX => wrong.push(format!("{}: {found} MB", recipe.name)),
        Some(_) => {}
        None => println!("NOT RUN: memory is measured on Linux only"),
    }
    wrong
}

/// What trying a case came to, as one process tells another.
#[derive(serde::Serialize, Deserialize)]
struct Meal {
    said: Vec<String>,
    /// How many times as much it cost as reading ordinary text of that length.
    times: f64,
    megabytes: Option<f64>,
}

/// The process of its own; does nothing unless it is told which case.
#[test]
fn one_case() {
    #[expect(
        clippy::disallowed_methods,
        reason = "the test above tells its child by the environment"
    )]
    let Ok(number) = std::env::var(CASE) else {
        return;
    };
    let recipe = &recipes()[number.parse::<usize>().unwrap()];
    let input = recipe.cook();
    let bytes = input.len() * recipe.kind.tries();
    let eat = || {
        let said = recipe.eat(&input);
        (said, peak_megabytes())
    };
    let ((said, megabytes), times) = times_as_much(recipe.kind.parser(), bytes, eat);
    let meal = Meal {
        said,
        times,
        megabytes,
    };
    println!("\n{}", serde_json::to_string(&meal).unwrap());
}

/// The most memory this process has held.
fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}

#[test]
fn depth_up_to_the_limit_is_taken() {
    let import = |depth: usize| {
        let html = format!("{}x", "<div>".repeat(depth - 1));
        import_html(&html, &HtmlMode::body(), &HtmlLimits::default())
            .map(|imported| imported.content.0.len())
    };
    assert_eq!(import(512), Ok(512));
    assert_eq!(import(513), Err(HtmlError::Depth { limit: 512 }));
}
