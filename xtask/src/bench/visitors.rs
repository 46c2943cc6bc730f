//! Requests per second on a published page, compared with nginx on the same bytes; then publishing itself.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::load::{self, CONNECTIONS, LoadTools, Running, SECONDS, free_port, get, median};
use super::{Bed, Met, Row, Section, Target, library, start};

const ROUNDS: usize = 5;
/// The target that DESIGN sets: at least this share of nginx's requests per second.
const SHARE: f64 = 0.8;

pub(super) fn measure(bed: &Bed) -> Result<Section> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    start::set_up(&bed.program, &data)?;
    publish_a_page(&bed.program, &data)?;
    let tools = LoadTools::find(&bed.root)?;
    let (product_port, nginx_port) = (free_port()?, free_port()?);
    let _product = Running::product(&bed.program, &data, product_port)?;
    let (ours, theirs) = (load::local_url(product_port), load::local_url(nginx_port));
    let page = get(&ours, None)?;
    let _nginx = tools.nginx(folder.path(), nginx_port, &page)?;
    ensure!(get(&theirs, None)? == page, "both serve the same bytes");
    let (mut our_rates, mut their_rates) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        our_rates.push(tools.requests_per_second(&ours, None)?);
        their_rates.push(tools.requests_per_second(&theirs, None)?);
    }
    let (ours, theirs) = (median(&mut our_rates), median(&mut their_rates));
    let share = ours / theirs;
    let kilobytes = page.len() / 1000;
    let mut rows = vec![Row {
        measure: format!(
            "requests per second on a published page of {kilobytes} KB, against nginx"
        ),
        product: format!("{ours:.0}/s"),
        baseline: format!("{theirs:.0}/s"),
        ratio: format!("{share:.2}"),
        target: Some(Target {
            text: format!("at least {SHARE} of nginx's, found {share:.2}"),
            met: if share >= SHARE { Met::Yes } else { Met::No },
        }),
    }];
    let publishing = library::publish(bed)?;
    rows.extend(publishing.rows);
    Ok(Section {
        method: format!(
            "Release build, SQLite. Requests: {ROUNDS} rounds of {SECONDS} s turn about, medians; wrk with {CONNECTIONS} connections and one thread \
             on the same machine, no compression asked for; nginx with a worker per processor, `sendfile` and no log. {}",
            publishing.method
        ),
        rows,
    })
}

/// Creates a page of about eight kilobytes and publishes it as the start page.
fn publish_a_page(program: &Path, data: &Path) -> Result<()> {
    let paragraph = "<p>The quick brown fox jumps over the lazy dog, again and again, until the page is long enough.</p>";
    let call = |tool: &str, arguments: &str| -> Result<serde_json::Value> {
        let mut command = Command::new(program);
        command.args([
            "tool", "call", tool, "--scope", "site", "--json", "--args", arguments, "--data",
        ]);
        let output = command.arg(data).output()?;
        ensure!(
            output.status.success(),
            "{tool} failed: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        Ok(serde_json::from_slice(&output.stdout)?)
    };
    let read = call("read_document", "{}")?["data"].to_string();
    let root = read
        .split_once("uid=\\\"")
        .and_then(|(_, rest)| rest.split_once("\\\""))
        .context("the page has a body")?
        .0
        .to_owned();
    let html = serde_json::json!({ "parentId": root, "html": paragraph.repeat(76) });
    call("insertHtml", &html.to_string())?;
    let published = Command::new(program)
        .args(["publish", "--data"])
        .arg(data)
        .output()?;
    ensure!(
        published.status.success(),
        "publishing failed: {}",
        String::from_utf8_lossy(&published.stderr)
    );
    Ok(())
}
