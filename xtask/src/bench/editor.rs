//! What selecting and typing cost in the editor on a large page compared with a small one, and what the editor loads at first.
//! `web/e2e/editor.bench.mjs` measures in a real Chromium; this module turns its numbers into rows.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::{Bed, Met, Row, Section, Target};

const RATIO_MAX: f64 = 2.0;
const LOAD_MAX_KB: f64 = 900.0;
const STEPS: [(&str, &str); 4] = [
    ("select", "selecting an element"),
    ("open", "opening its text"),
    ("write", "a key"),
    ("leave", "leaving the text, which saves it"),
];

pub(super) fn measure(bed: &Bed) -> Result<Section> {
    let output = Command::new("node")
        .arg("e2e/editor.bench.mjs")
        .current_dir(bed.root.join("web"))
        .env("SITEWRIGHT_BIN", &bed.program)
        .output()
        .context("could not start node")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "the editor's benchmark failed: {said}"
    );
    let found: Value = serde_json::from_slice(&output.stdout).context("it printed no JSON")?;
    let number = |path: &str| {
        let value = found.pointer(path).and_then(Value::as_f64);
        value.with_context(|| format!("it printed no `{path}`"))
    };
    let mut rows = Vec::new();
    for (step, words) in STEPS {
        let small = number(&format!("/small/{step}"))?;
        rows.push(row(words, number(&format!("/large/{step}"))?, small));
    }
    rows.push(load(number("/loaded")? / 1000.0));
    Ok(Section {
        method: "Release binary, Chromium, a window of 1280 by 840 with three frames and the layers open; medians of 25, both pages by turns. What the page's \
                 main thread works for a step until it is drawn: scripts, styles, layout and drawing. A page of 10,000 nodes; the baseline is one of 500. \
                 First load: bytes over the wire until the editor shows a page, with an empty cache."
            .to_owned(),
        rows,
    })
}

fn row(measure: &str, large: f64, small: f64) -> Row {
    let ratio = large / small;
    Row {
        measure: measure.to_owned(),
        product: format!("{large:.1} ms"),
        baseline: format!("{small:.1} ms"),
        ratio: format!("{ratio:.2}"),
        target: Some(Target {
            text: format!("at most {RATIO_MAX:.0}x"),
            met: met(ratio <= RATIO_MAX),
        }),
    }
}

fn load(kilobytes: f64) -> Row {
    Row {
        measure: "first load of the editor".to_owned(),
        product: format!("{kilobytes:.0} KB"),
        baseline: String::new(),
        ratio: String::new(),
        target: Some(Target {
            text: format!("under {LOAD_MAX_KB:.0} KB"),
            met: met(kilobytes < LOAD_MAX_KB),
        }),
    }
}

fn met(held: bool) -> Met {
    if held { Met::Yes } else { Met::No }
}
