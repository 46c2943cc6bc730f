//! The history of the site: a list of changes, and one of them line by line.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_site::{Author, BodyId, ChangeId, DiffKind, DiffLine, Entity, Site, diff};
use sitewright_store::{HistoryEntry, HistoryFilter, PastChange, RestorePoint, Touched};
use sitewright_tool::Taint;

use crate::problem::ApiError;
use crate::route::{Context, Json, Nothing};
use crate::routes::names::Names;

/// The maximum number of lines shown for a change.
const LINES_MAX: usize = 300;
/// How much of a value is shown.
const VALUE_CHARS_MAX: usize = 500;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HistoryQuery {
    /// Only changes of what is in this page, template or component.
    document: Option<String>,
    /// Only changes of this author: `person:ID`, `agent:ID` for what the assistant did for a person, `script:ID` or `local`.
    author: Option<String>,
    /// Only changes from before this entry.
    before: Option<u64>,
    /// How many, at most 200; 50 when left out.
    limit: Option<u16>,
}

/// What happened to the site.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct HistoryPage {
    /// The changes, the newest first.
    changes: Vec<HistoryItem>,
    /// What to send as `before` for older ones; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    /// The oldest change that is kept one by one.
    kept_from: u64,
    /// Entries at which the whole site is kept, the newest first.
    restore_points: Vec<KeptPoint>,
}

/// A change.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct HistoryItem {
    /// Its place in the log.
    seq: u64,
    /// The change.
    id: ChangeId,
    /// Who made it.
    author: Author,
    /// What they are called, while that is known; for an agent, whoever it acts for.
    #[serde(skip_serializing_if = "Option::is_none")]
    author_name: Option<String>,
    /// The turn of the conversation it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<String>,
    /// What it does.
    summary: String,
    /// When it was committed, in milliseconds since 1970.
    at: i64,
    /// Whether something from outside had a part in it.
    tainted: bool,
    /// The pages and templates it touched that still exist.
    documents: Vec<HistoryDocument>,
}

/// A page or template that a change touched.
#[derive(Serialize, JsonSchema)]
struct HistoryDocument {
    /// The page.
    id: BodyId,
    /// What it is called today.
    title: String,
}

/// An entry at which the whole site is kept.
#[derive(Serialize, JsonSchema)]
struct KeptPoint {
    /// The entry.
    seq: u64,
    /// When it was made, in milliseconds since 1970.
    at: i64,
}

impl HistoryItem {
    fn of(entry: HistoryEntry, names: &Names, documents: Vec<HistoryDocument>) -> Self {
        let HistoryEntry {
            seq,
            id,
            author,
            turn,
            summary,
            at,
            taint,
        } = entry;
        Self {
            seq,
            id,
            author_name: names.author(&author),
            author,
            turn,
            summary,
            at: at.millis(),
            tainted: taint == Taint::Untrusted,
            documents,
        }
    }
}

/// The titles of the pages that changes touched.
struct DocumentTitles {
    touched: BTreeMap<u64, Touched>,
    titles: HashMap<BodyId, String>,
}

impl DocumentTitles {
    async fn of(context: &Context, entries: &[HistoryEntry]) -> Result<Self, ApiError> {
        let (site, store) = (context.site()?, context.app.store());
        let seqs = || entries.iter().map(|entry| entry.seq);
        let range = seqs().min().unwrap_or(0)..=seqs().max().unwrap_or(0);
        let touched = store.touched_by(site, range).await?;
        let live = store.live_site(site).await?;
        let known = touched.values().flat_map(|touched| &touched.bodies);
        let titles = known
            .filter_map(|id| Some((*id, live.site().shell.pages.get(*id)?.title.clone())))
            .collect();
        Ok(Self { touched, titles })
    }

    fn of_change(&self, seq: u64) -> Vec<HistoryDocument> {
        let touched = self.touched.get(&seq).into_iter();
        let bodies = touched.flat_map(|touched| &touched.bodies);
        let document = |id: &BodyId| {
            let title = self.titles.get(id)?.clone();
            Some(HistoryDocument { id: *id, title })
        };
        bodies.filter_map(document).collect()
    }
}

fn author_from(text: &str) -> Result<Author, ApiError> {
    let author = match text.split_once(':') {
        None if text == "local" => Some(Author::Local),
        Some((kind, id)) if !id.is_empty() => {
            let id = id.to_owned();
            match kind {
                "person" => Some(Author::Person { id }),
                "agent" => Some(Author::Agent { id }),
                "script" => Some(Author::Script { id }),
                _ => None,
            }
        }
        _ => None,
    };
    author.ok_or_else(|| {
        ApiError::field(
            "author",
            "`author` is `person:ID`, `agent:ID`, `script:ID` or `local`.",
        )
    })
}

pub(super) async fn list(
    context: Context,
    input: HistoryQuery,
) -> Result<Json<HistoryPage>, ApiError> {
    let limit = input.limit.unwrap_or(50).clamp(1, 200);
    let document = input.document.as_deref().map(str::parse).transpose();
    let document: Option<BodyId> =
        document.map_err(|bad| ApiError::field("document", format!("`document`: {bad}.")))?;
    let author = input.author.as_deref().map(author_from).transpose()?;
    let found = context
        .app
        .store()
        .filtered_history(
            context.site()?,
            HistoryFilter { document, author },
            input.before,
            limit,
        )
        .await?;
    let names = Names::of(&context.app, context.site()?).await?;
    let documents = DocumentTitles::of(&context, &found.entries).await?;
    let item = |entry: HistoryEntry| {
        let touched = documents.of_change(entry.seq);
        HistoryItem::of(entry, &names, touched)
    };
    let point = |point: RestorePoint| KeptPoint {
        seq: point.seq,
        at: point.at.millis(),
    };
    Ok(Json(HistoryPage {
        changes: found.entries.into_iter().map(item).collect(),
        next: found.next,
        kept_from: found.kept_from,
        restore_points: found.restore_points.into_iter().map(point).collect(),
    }))
}

/// A change, line by line.
#[derive(Serialize, JsonSchema)]
pub(super) struct HistoryChange {
    /// The change.
    #[serde(flatten)]
    item: HistoryItem,
    /// What it did: first to what all documents share, then document by document. Absent when so much came since that it cannot be
    /// told any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<HistoryLine>>,
    /// How many more lines there are.
    more: usize,
}

/// Something that a change did.
#[derive(Serialize, JsonSchema)]
struct HistoryLine {
    /// The document it is in; absent for what all documents share.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<BodyId>,
    /// What that document is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// What happened.
    kind: DiffKind,
    /// To what.
    entity: Entity,
    /// What a person calls it.
    name: String,
    /// The field that differs, for changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// What it was, shortened; absent for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// What it became, shortened; absent for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// All of it in a sentence.
    sentence: String,
}

pub(super) async fn show(context: Context, _: Nothing) -> Result<Json<HistoryChange>, ApiError> {
    let none = || ApiError::not_found("There is no such change, or it is too old to be kept.");
    let seq: u64 = context.param("seq")?.parse().map_err(|_bad| none())?;
    let site = context.site()?;
    let found = context.app.store().past_change(site, seq).await?;
    let PastChange { entry, around } = found.ok_or_else(none)?;
    let lines = around.map(|(before, after)| {
        let lines = diff(&before, &after).into_iter();
        let line = |line| HistoryLine::of(line, &before, &after);
        lines.map(line).collect::<Vec<_>>()
    });
    let names = Names::of(&context.app, site).await?;
    let documents = DocumentTitles::of(&context, std::slice::from_ref(&entry)).await?;
    let touched = documents.of_change(entry.seq);
    let more = lines.as_ref().map_or(0, Vec::len).saturating_sub(LINES_MAX);
    Ok(Json(HistoryChange {
        item: HistoryItem::of(entry, &names, touched),
        lines: lines.map(|mut lines| {
            lines.truncate(LINES_MAX);
            lines
        }),
        more,
    }))
}

impl HistoryLine {
    fn of(line: DiffLine, before: &Site, after: &Site) -> Self {
        let DiffLine {
            document,
            kind,
            entity,
            name,
            field,
            before: was,
            after: is,
            sentence,
        } = line;
        Self {
            title: document.and_then(|id| title(after, id).or_else(|| title(before, id))),
            document,
            kind,
            entity,
            name,
            field,
            before: shortened(was),
            after: shortened(is),
            sentence,
        }
    }
}

fn title(site: &Site, id: BodyId) -> Option<String> {
    let page = site.shell.pages.get(id).map(|page| page.title.clone());
    let component = || site.shell.components.get(id);
    page.or_else(|| component().map(|component| component.name.clone()))
}

fn shortened(value: Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text,
        other => other.to_string(),
    };
    Some(match text.char_indices().nth(VALUE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    })
}
