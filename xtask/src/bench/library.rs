//! Benchmarks that a library brings itself: they print a JSON object per measure, which becomes a row.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Bed, Row, Section};

pub(super) fn store(bed: &Bed) -> Result<Section> {
    let method = "Release build, SQLite, `synchronous=FULL`, medians of 2,000 turns about. The store goes through sqlx's `Any` and also \
                  hashes, writes an audit entry and checks expiry; the baseline runs statements of the same shape on sqlx's typed pool.";
    measure(bed, ("sitewright-store", "any"), method)
}

pub(super) fn site(bed: &Bed) -> Result<Section> {
    let method = "Release build, medians. Ops: the same op on a large page against a small one. Rendering: a page of paragraphs against a \
                  loop of `write!` over the same tags and escaped texts.";
    measure(bed, ("sitewright-site", "core"), method)
}

fn measure(bed: &Bed, (package, bench): (&str, &str), method: &str) -> Result<Section> {
    let output = Command::new("cargo")
        .current_dir(&bed.root)
        .args(["bench", "--locked", "--package", package, "--bench", bench])
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
        method: method.to_owned(),
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
        product: micros_text(product),
        baseline: micros_text(baseline),
        ratio: format!("{:.2}", product / baseline),
        target: None,
    })
}

fn micros_text(micros: f64) -> String {
    if micros < 10.0 {
        format!("{micros:.2} µs")
    } else {
        format!("{micros:.0} µs")
    }
}
