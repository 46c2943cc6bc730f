//! What one SQL text for both databases costs: the store against the same statements on sqlx's typed pool.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Bed, Row, Section};

pub(super) fn measure(bed: &Bed) -> Result<Section> {
    let output = Command::new("cargo")
        .current_dir(&bed.root)
        .args([
            "bench",
            "--locked",
            "--package",
            "sitewright-store",
            "--bench",
            "any",
        ])
        .output()
        .context("could not run cargo")?;
    ensure!(
        output.status.success(),
        "the benchmark failed:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows = text
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(row)
        .collect::<Result<Vec<_>>>()?;
    ensure!(!rows.is_empty(), "the benchmark printed nothing");
    Ok(Section {
        method: "Release build, SQLite, `synchronous=FULL`, medians of 2,000 turns about. The store goes through sqlx's `Any` and also \
                 hashes, writes an audit entry and checks expiry; the baseline runs statements of the same shape on sqlx's typed pool."
            .to_owned(),
        rows,
    })
}

fn row(line: &str) -> Result<Row> {
    let found: serde_json::Value = serde_json::from_str(line)?;
    let micros = |field: &str| {
        found[field]
            .as_f64()
            .with_context(|| format!("no {field} in {line}"))
    };
    let (product, baseline) = (micros("productMicros")?, micros("baselineMicros")?);
    Ok(Row {
        measure: found["measure"].as_str().unwrap_or_default().to_owned(),
        product: format!("{product:.0} µs"),
        baseline: format!("{baseline:.0} µs"),
        ratio: format!("{:.2}", product / baseline),
        target: None,
    })
}
