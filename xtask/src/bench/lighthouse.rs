//! What Lighthouse says about the published home page of each starter. `web/e2e/lighthouse.bench.mjs` runs it in a real Chromium;
//! this module turns its scores into rows.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Bed, Met, Row, Section, Target};

const STARTERS: [(&str, &str); 5] = [
    ("example", "studio"),
    ("product", "product"),
    ("restaurant", "restaurant"),
    ("portfolio", "portfolio"),
    ("empty", "empty, with a page by the built-in commands"),
];
/// The categories whose scores do not depend on the machine.
const JUDGED: [&str; 3] = ["accessibility", "best-practices", "seo"];

pub(super) fn measure(bed: &Bed) -> Result<Section> {
    let output = Command::new("node")
        .arg("e2e/lighthouse.bench.mjs")
        .current_dir(bed.root.join("web"))
        .env("SITEWRIGHT_BIN", &bed.program)
        .output()
        .context("could not start node")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "Lighthouse failed: {said}");
    let found: Value = serde_json::from_slice(&output.stdout).context("it printed no JSON")?;
    let rows = STARTERS.iter().map(|(key, words)| row(words, &found[key]));
    Ok(Section {
        method: "Release binary, Chromium, Lighthouse 12 as it is by default (a mid-range phone on a slow network). The home page of each starter, published as it \
                 is; Lighthouse measures nothing on a blank page, so the empty site gets a landing page and a description. Accessibility, best practices and SEO \
                 do not depend on the machine; performance does."
            .to_owned(),
        rows: rows.collect::<Result<_>>()?,
    })
}

fn row(starter: &str, found: &Value) -> Result<Row> {
    let score = |category: &str| {
        let score = found[category].as_u64();
        score.with_context(|| format!("there is no score for {category} on {starter}"))
    };
    let judged: Vec<u64> = JUDGED
        .iter()
        .map(|name| score(name))
        .collect::<Result<_>>()?;
    let met = match judged.iter().all(|score| *score == 100) {
        true => Met::Yes,
        false => Met::No,
    };
    let failed = found["failed"].as_array().into_iter().flatten();
    let failed: Vec<&str> = failed.filter_map(Value::as_str).collect();
    let failed = match failed.is_empty() {
        true => String::new(),
        false => format!(", failed: {}", failed.join(", ")),
    };
    Ok(Row {
        measure: format!("Lighthouse, {starter}"),
        product: format!(
            "accessibility {}, best practices {}, SEO {}, performance {}{failed}",
            judged[0],
            judged[1],
            judged[2],
            score("performance")?
        ),
        baseline: String::new(),
        ratio: String::new(),
        target: Some(Target {
            text: "100 in the first three".to_owned(),
            met,
        }),
    })
}
