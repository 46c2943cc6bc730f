//! Lists of entries over HTTP, with many entries in the database: requests per second, and what they cost in memory.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::load::{self, CONNECTIONS, LoadTools, Running, SECONDS, free_port, get, median};
use super::{Bed, Met, Row, Section, Target, machine, start};

const ENTRIES: usize = 100_000;
const ROUNDS: usize = 3;
const RATE_TARGET: f64 = 10_000.0;
const RESIDENT_TARGET_MB: f64 = 100.0;
const LIST: &str = "admin/api/content/entries?collection=blog&limit=25";

pub(super) fn measure(bed: &Bed) -> Result<Section> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    start::set_up(&bed.program, &data)?;
    import_entries(&bed.program, &data, &folder.path().join("entries.jsonl"))?;
    let token = token(&bed.program, &data)?;
    let tools = LoadTools::find(&bed.root)?;
    let (product_port, nginx_port) = (free_port()?, free_port()?);
    let product = Running::product(&bed.program, &data, product_port)?;
    let list = format!("{}{LIST}", load::local_url(product_port));
    let answer = get(&list, Some(&token))?;
    let items = serde_json::from_slice::<Value>(&answer)?["count"].clone();
    ensure!(items == 25, "the list has {items} entries");
    let _nginx = tools.nginx(folder.path(), nginx_port, &answer)?;
    let same = load::local_url(nginx_port);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(tools.requests_per_second(&list, Some(&token))?);
        theirs.push(tools.requests_per_second(&same, None)?);
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    let resident = machine::resident_mb(product.process())?;
    Ok(Section {
        method: format!(
            "Release build, SQLite, {ENTRIES} entries that `content import` created. {ROUNDS} rounds of {SECONDS} s turn about, medians; wrk with \
             {CONNECTIONS} connections and one thread on the same machine, a token for each request. The baseline is nginx sending the same bytes \
             from a file. Memory is measured after the requests."
        ),
        rows: vec![
            Row {
                measure: "requests per second for a list of 25 entries".to_owned(),
                product: format!("{ours:.0}/s"),
                baseline: format!("{theirs:.0}/s"),
                ratio: format!("{:.2}", ours / theirs),
                target: Some(target(
                    format!("at least {RATE_TARGET}/s, found {ours:.0}"),
                    ours >= RATE_TARGET,
                )),
            },
            Row {
                measure: "resident memory afterwards".to_owned(),
                product: format!("{resident:.0} MB"),
                baseline: "–".to_owned(),
                ratio: "–".to_owned(),
                target: Some(target(
                    format!("under {RESIDENT_TARGET_MB} MB"),
                    resident < RESIDENT_TARGET_MB,
                )),
            },
        ],
    })
}

fn target(text: String, is_met: bool) -> Target {
    let met = if is_met { Met::Yes } else { Met::No };
    Target { text, met }
}

fn import_entries(program: &Path, data: &Path, file: &Path) -> Result<()> {
    let mut lines = String::new();
    for number in 0..ENTRIES {
        let entry = json!({
            "collection": "blog", "title": format!("Entry {number}"), "slug": format!("entry-{number}"),
            "content": { "excerpt": "A line about it", "body": "Some words of an ordinary post, a paragraph long." },
        });
        writeln!(lines, "{entry}")?;
    }
    fs::write(file, lines)?;
    let imported = Command::new(program)
        .args(["content", "import", "--data"])
        .arg(data)
        .arg(file)
        .output()?;
    ensure!(
        imported.status.success(),
        "importing failed: {}",
        String::from_utf8_lossy(&imported.stderr)
    );
    Ok(())
}

fn token(program: &Path, data: &Path) -> Result<String> {
    let made = Command::new(program)
        .args([
            "token",
            "create",
            "--name",
            "bench",
            "--capabilities",
            "all",
            "--json",
            "--data",
        ])
        .arg(data)
        .output()?;
    let made: Value = serde_json::from_slice(&made.stdout).context("no token was made")?;
    Ok(made["token"]
        .as_str()
        .context("no token was made")?
        .to_owned())
}
