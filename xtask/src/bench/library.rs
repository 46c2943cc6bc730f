//! Benchmarks that a library provides itself: they print a JSON object per measure, which becomes a row.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Bed, Met, Row, Section, Target};

pub(super) fn store(bed: &Bed) -> Result<Section> {
    let method = "Release build, SQLite, `synchronous=FULL`, medians of 2,000 turns about. The store goes through sqlx's `Any` and also \
                  hashes, writes an audit entry and checks expiry; the baseline runs statements of the same shape on sqlx's typed pool.";
    measure(bed, ("sitewright-store", "any"), method)
}

pub(super) fn documents(bed: &Bed) -> Result<Section> {
    let method = "Release build, SQLite, nothing in memory before, medians of 60. A site of 5,000 pages of 200 nodes against one of 5 such pages. \
                  The target of opening a page is twice at most.";
    measure(bed, ("sitewright-store", "documents"), method)
}

pub(super) fn content(bed: &Bed) -> Result<Section> {
    let method = "Release build, SQLite, 500 turns about, on a file with 100,000 entries and 20,000 pictures. The baseline runs the bare \
                  statements on sqlx's typed pool, on the same file, and reads the columns; the store also parses each entry and checks its \
                  format, and a call of a tool is validated, judged by the policy and recorded besides.";
    measure(bed, ("sitewright-content", "content"), method)
}

pub(super) fn site(bed: &Bed) -> Result<Section> {
    let method = "Release build, medians. Ops: the same op on a large page against a small one, each timed alone. Rendering: a page of paragraphs, with \
                  its CSS chosen from a stylesheet and written, against a loop of `write!` over the same tags and escaped texts without any CSS; once as the page \
                  came, once with its paragraphs moved about, so that they lie all over memory.";
    measure(bed, ("sitewright-site", "core"), method)
}

pub(super) fn import(bed: &Bed) -> Result<Section> {
    let method = "Release build, medians of 60 turns about. Import parses, judges, harvests CSS and makes nodes, within its limits; the \
                  baseline is html5ever alone, building the same arena. Memory: what the allocator holds for a site of one such page, maps and \
                  sequences included, less texts, attribute values, classes and styles; the baseline is those.";
    measure(bed, ("sitewright-site", "import"), method)
}

pub(super) fn pipeline(bed: &Bed) -> Result<Section> {
    let method = "Release build, SQLite, turns about. A read: a page of 200 nodes through the whole pipeline (replay, plan, policy, record) against the \
                  tool's function on a site that is at hand. A draft edit: renaming a page through the pipeline against committing such a change; \
                  the row of the call and its audit entry are in the same transaction.";
    measure(bed, ("sitewright-runtime", "pipeline"), method)
}

pub(super) fn missions(bed: &Bed) -> Result<Section> {
    let method = "Release build, medians of 60, turn about. What a mission adds: a mission of five legs, one after the other, with a tool that does \
                  nothing, less the same five calls without a mission, divided by five; a call is validated, judged and recorded before it is \
                  made and after it. The baseline updates one row of two kilobytes on sqlx's typed pool, with `synchronous=FULL`. At once: 200 \
                  missions whose legs are independent, on two threads, against 4,000 bare commits one after the other.";
    measure(bed, ("sitewright-runtime", "missions"), method)
}

pub(super) fn breadcrumbs(bed: &Bed) -> Result<Section> {
    let method = "Release build, SQLite, 500 records one after the other, each with a request to `echo`, in a database with 100,000 records: from \
                  publishing the record to reading the answer from the stream of events. The baseline is four bare inserts on sqlx's \
                  typed pool, each a commit with `synchronous=FULL`: a yardstick for the disk, not a count of the product's own commits.";
    measure(bed, ("sitewright-breadcrumbs", "records"), method)
}

pub(super) fn llm(bed: &Bed) -> Result<Section> {
    let method = "Release build, 500 turns over loopback, the provider in a process of its own, with a delta every 100 µs; the tenth percentile \
                  (what else runs only makes them longer). The baseline of a round is egress reading the same stream and throwing it away; of the first token, \
                  hyper. Memory: what 500 open streams add to a process, each after its first tokens; the baseline is hyper.";
    measure(bed, ("sitewright-llm", "rounds"), method)
}

pub(super) fn publish(bed: &Bed) -> Result<Section> {
    let method = "Publishing: a thousand pages rendered, compressed twice, written and switched to, medians of 3; the baseline is two threads that \
                  compress the same bytes in the same way and write them, each flushed, without a database.";
    measure(bed, ("sitewright-publish", "publish"), method)
}

pub(super) fn turns(bed: &Bed) -> Result<Section> {
    let method = "Release build, SQLite, the provider over loopback in the same process. A history: rows, blocks and mending for the provider. A turn: a \
                  conversation, a turn and its messages are stored, the prompt is built and every event is watched; the baseline is the loop with a \
                  host that throws everything away, against the same provider.";
    measure(bed, ("sitewright-agent", "turns"), method)
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
    let text = |field: &str| found[field].as_str().map(str::to_owned);
    let number = |field: &str| {
        found[field]
            .as_f64()
            .with_context(|| format!("no {field} in {line}"))
    };
    let measure = text("measure").unwrap_or_default();
    // Texts are used as they are; numbers are times in microseconds.
    if let (Some(product), Some(baseline)) = (text("product"), text("baseline")) {
        let target = found["target"]["text"].as_str().map(|text| Target {
            text: text.to_owned(),
            met: if found["target"]["met"] == true {
                Met::Yes
            } else {
                Met::No
            },
        });
        return Ok(Row {
            measure,
            product,
            baseline,
            ratio: format!("{:.2}", number("ratio")?),
            target,
        });
    }
    let (product, baseline) = (number("productMicros")?, number("baselineMicros")?);
    Ok(Row {
        measure,
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
