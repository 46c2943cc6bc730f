//! Says every sentence of the corpus on a fresh copy of the fixture, and compares what came of it with what should.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use futures_util::StreamExt as _;
use serde::Deserialize;
use serde_json::Value;
use sitewright_site::{BodyId, NodeId};

use crate::differences::{Difference, differences};
use crate::facts;
use crate::snapshot::Snapshot;
use crate::stage::{Conversation, Said, build};

#[derive(Debug, Deserialize)]
struct File {
    phrase: Vec<Phrase>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Phrase {
    pub(crate) say: String,
    #[serde(default)]
    page: Option<String>,
    #[serde(default)]
    selected: Option<String>,
    #[serde(default)]
    before: Vec<String>,
    #[serde(default)]
    expect: Expect,
    #[serde(default)]
    facts: Vec<String>,
    #[serde(default)]
    facts_any: Vec<Vec<String>>,
    #[serde(default)]
    approval: bool,
    #[serde(default)]
    mentions: Vec<String>,
    #[serde(default)]
    choices: usize,
    /// For whoever reads the corpus.
    #[serde(default)]
    #[expect(dead_code, reason = "it is there to be read by people")]
    because: Option<String>,
}

#[derive(Debug, Clone, Deserialize, Default)]
#[serde(untagged)]
enum Expect {
    #[default]
    Done,
    One(String),
    Any(Vec<String>),
}

impl Expect {
    fn all(&self) -> Vec<String> {
        match self {
            Self::Done => vec!["done".to_owned()],
            Self::One(one) => vec![one.clone()],
            Self::Any(any) => any.clone(),
        }
    }
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

pub(crate) fn phrases() -> Vec<(String, Vec<Phrase>)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(corpus().join("phrases"))
        .expect("phrases")
        .map(|entry| entry.expect("a file").path())
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a file");
        let file: File = toml::from_str(&text).expect("phrases");
        (
            path.file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned(),
            file.phrase,
        )
    };
    files.into_iter().map(read).collect()
}

pub(crate) fn fixture() -> Value {
    let text = std::fs::read_to_string(corpus().join("fixture.json")).expect("the fixture");
    serde_json::from_str(&text).expect("the fixture")
}

/// The element of the fixture with this name.
fn element(site: &Snapshot, fixture: &Value, name: &str) -> NodeId {
    let wanted = &fixture["elements"][name];
    let page = site
        .pages
        .iter()
        .find(|page| Some(page.title.as_str()) == wanted["page"].as_str())
        .expect("a page");
    let fits = |id: &NodeId| {
        let node = &page.nodes[id];
        Some(node.tag.as_str()) == wanted["tag"].as_str()
            && wanted["class"]
                .as_str()
                .is_none_or(|class| node.classes.iter().any(|own| own == class))
            && wanted["text"]
                .as_str()
                .is_none_or(|text| page.texts(*id).join(" ") == text)
    };
    let found: Vec<NodeId> = page.walk(page.root).into_iter().filter(fits).collect();
    let nth = wanted["nth"].as_u64().unwrap_or(1);
    found[usize::try_from(nth).expect("a number") - 1]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Right,
    Refused,
    Wrong,
}

/// What the answer is, by its words.
fn outcome(said: &Said, changes: usize) -> &'static str {
    let text = &said.text;
    let points = text.contains("Connect a provider");
    let refuses = [
        "I can’t ",
        "That didn’t work",
        "There is no",
        "There’s nothing in",
        "didn’t understand",
        "don’t know which day",
        "doesn’t have this setting",
        "isn’t in the future",
        "isn’t in the menu",
        "before you delete it",
        "so removing it would",
        "only understand English",
        "Not done",
    ]
    .iter()
    .any(|words| text.contains(words));
    let asks = asks(text);
    match changes {
        0 if points => "points",
        0 if asks && !text.starts_with("Built-in") => "asks",
        0 if refuses => "refuses",
        0 => "answers",
        _ if text.contains("Not done:") => "partly",
        _ => "done",
    }
}

/// Whether its first line asks something, quotations left out.
fn asks(text: &str) -> bool {
    let mut depth = 0;
    text.lines().next().unwrap_or_default().chars().any(|c| {
        match c {
            '“' => depth += 1,
            '”' => depth -= 1,
            _ => {}
        }
        c == '?' && depth == 0
    })
}

struct Judged {
    verdict: Verdict,
    why: String,
}

fn judge(
    phrase: &Phrase,
    said: &Said,
    (found, is_undone): (&[Difference], bool),
    steps: &[String],
) -> Judged {
    let expected = phrase.expect.all();
    let outcome = outcome(said, found.len());
    let wants_change = expected
        .iter()
        .any(|one| matches!(one.as_str(), "done" | "partly"));
    let told = format!(
        "{outcome}: {:?}\n      {found:?}\n      {:?}",
        said.text, said.calls
    );
    let wrong = |why: &str| Judged {
        verdict: Verdict::Wrong,
        why: format!("{why}; {told}"),
    };
    let right = Judged {
        verdict: Verdict::Right,
        why: String::new(),
    };
    if said.asked > 0 && !phrase.approval {
        return wrong("asked for a yes");
    }
    if found.is_empty() && !is_undone {
        let is_expected = expected
            .iter()
            .any(|one| one == outcome || one == "nothing");
        let has_choices = outcome != "asks" || choices(&said.text) >= phrase.choices;
        if is_expected && mentions(phrase, said) && has_choices {
            return right;
        }
        let is_refused = wants_change && matches!(outcome, "asks" | "refuses" | "points");
        if is_refused {
            return Judged {
                verdict: Verdict::Refused,
                why: told,
            };
        }
        return wrong("other words");
    }
    if !wants_change {
        return wrong("changed something");
    }
    if !is_told(phrase, (found, is_undone), steps) {
        return wrong("other facts");
    }
    if !expected.iter().any(|one| one == outcome) || !mentions(phrase, said) {
        return wrong("other words");
    }
    right
}

fn mentions(phrase: &Phrase, said: &Said) -> bool {
    let text = said.text.to_lowercase();
    phrase
        .mentions
        .iter()
        .all(|word| text.contains(&word.to_lowercase()))
}

/// Whether one of the lists of facts tells what differs.
fn is_told(phrase: &Phrase, (found, is_undone): (&[Difference], bool), steps: &[String]) -> bool {
    let is_back = |facts: &[String]| {
        facts
            .first()
            .is_some_and(|fact| fact.starts_with("undone") || fact == "redone")
    };
    let fits = |facts: &[String]| {
        if is_back(facts) {
            is_undone
        } else {
            facts::even(facts, found, (&phrase.say, steps))
        }
    };
    if phrase.facts_any.is_empty() {
        fits(&phrase.facts)
    } else {
        phrase.facts_any.iter().any(|facts| fits(facts))
    }
}

fn choices(text: &str) -> usize {
    text.lines()
        .filter(|line| {
            line.split_once(". ")
                .is_some_and(|(number, _)| number.parse::<u8>().is_ok())
        })
        .count()
}

async fn run(phrase: &Phrase, fixture_file: &Path, fixture: &Value) -> (Judged, usize) {
    let mut conversation = Conversation::on(fixture_file).await;
    let first = conversation.snapshot().await;
    let title = phrase.page.as_deref().unwrap_or("Home");
    let page: BodyId = first
        .pages
        .iter()
        .find(|page| page.title == title)
        .expect("a page")
        .id;
    let selected = phrase
        .selected
        .as_deref()
        .map(|name| element(&first, fixture, name));
    let mut states = vec![first];
    for before in &phrase.before {
        conversation.say(before, (page, selected), true).await;
        states.push(conversation.snapshot().await);
    }
    let before = states.last().expect("a state").clone();
    let said = conversation
        .say(&phrase.say, (page, selected), phrase.approval)
        .await;
    let after = conversation.snapshot().await;
    let mut found = differences(&before, &after);
    if said.published {
        found.push(Difference::Published);
    }
    if let Some(id) = &said.opened
        && found.is_empty()
    {
        let title = after
            .pages
            .iter()
            .find(|page| page.id.to_string() == *id)
            .map(|page| page.title.clone());
        found.push(Difference::Opened {
            title: title.unwrap_or_default(),
        });
    }
    let is_undone = undone(phrase, &states, &after);
    conversation.close().await;
    (
        judge(phrase, &said, (&found, is_undone), &before.steps),
        said.calls.len(),
    )
}

/// Whether the site is what it was before the last of `before` that changed it, or before what was undone.
fn undone(phrase: &Phrase, states: &[Snapshot], after: &Snapshot) -> bool {
    let facts: Vec<&String> = phrase
        .facts
        .iter()
        .chain(phrase.facts_any.iter().flatten())
        .collect();
    let back = facts
        .iter()
        .find(|fact| fact.starts_with("undone") || **fact == "redone");
    let Some(back) = back else { return false };
    let mut distinct: Vec<&Snapshot> = Vec::new();
    for state in states {
        if distinct.last() != Some(&state) {
            distinct.push(state);
        }
    }
    let steps = back
        .strip_prefix("undone ")
        .and_then(|many| many.parse::<usize>().ok())
        .unwrap_or(1);
    let wanted = distinct
        .len()
        .checked_sub(1 + steps)
        .and_then(|at| distinct.get(at));
    wanted.is_some_and(|wanted| *wanted == after)
}

#[test]
fn the_corpus_is_understood() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let report = runtime.block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        let fixture = fixture();
        let file = build(folder.path(), &fixture).await;
        let mut rows: BTreeMap<String, [usize; 3]> = BTreeMap::new();
        let mut lines = Vec::new();
        let mut all_calls = Vec::new();
        let all = phrases().into_iter().flat_map(|(area, phrases)| {
            phrases
                .into_iter()
                .map(move |phrase| (area.clone(), phrase))
        });
        let (file, fixture) = (&file, &fixture);
        let running = futures_util::stream::iter(all).map(|(area, phrase)| async move {
            let (judged, calls) = run(&phrase, file, fixture).await;
            (area, phrase, judged, calls)
        });
        let mut running = std::pin::pin!(running.buffered(4));
        while let Some((area, phrase, judged, calls)) = running.next().await {
            all_calls.push(calls);
            let row = rows.entry(area.clone()).or_default();
            row[judged.verdict as usize] += 1;
            if judged.verdict != Verdict::Right {
                lines.push(format!(
                    "{area} {:?}: {:?} {:?}\n      {}",
                    judged.verdict, phrase.say, phrase.facts, judged.why
                ));
            }
        }
        all_calls.sort_unstable();
        (rows, lines, all_calls)
    });
    let (rows, lines, calls) = report;
    let (usual, most) = (calls[calls.len() / 2], calls[calls.len() - 1]);
    let mut table = String::from("area | right | refused | wrong\n");
    let mut total = [0; 3];
    for (area, row) in &rows {
        table.push_str(&format!("{area} | {} | {} | {}\n", row[0], row[1], row[2]));
        for (sum, count) in total.iter_mut().zip(row) {
            *sum += count;
        }
    }
    let all: usize = total.iter().sum();
    table.push_str(&format!(
        "all | {} | {} | {} | {:.1} % right, half of the answers take {usual} calls at most, all of them {most}\n",
        total[0],
        total[1],
        total[2],
        100.0 * total[0] as f64 / all as f64
    ));
    println!("{}\n{table}", lines.join("\n"));
    assert_eq!(total[2], 0, "sentences were misunderstood:\n{table}");
    assert!(total[0] * 100 > all * 85, "too much is refused:\n{table}");
    assert!(
        usual <= 2 && most <= 8,
        "too many calls for a sentence:\n{table}"
    );
}
