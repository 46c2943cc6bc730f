//! A thousand pages: listed, read and looked up in the history for the cost of what is asked for, published whole, and after one
//! edit only that page is rendered and written.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context as _, Result};
use serde_json::json;
use sitewright_site::{
    Author, BodyId, Change, ChangeId, Element, FORMAT, Kind, Mint, Namespace, NewEntity, Node, Op,
    Page, Subtree, SubtreeNode,
};
use sitewright_store::{Committer, Stamp, Timestamp};
use sitewright_tool::CapabilitySet;
use tracing::field::Field;
use tracing::instrument::WithSubscriber as _;

use crate::press::{Press, local, on_both};

const PAGES: usize = 1000;

on_both! {
    a_thousand_pages_are_published_and_one_edit_is_one_file
    a_thousand_pages_are_listed_and_read_one_by_one
    the_history_of_a_thousand_pages_is_read_in_parts
}

/// Adds pages in one change, each with its own paragraph.
async fn add_pages(press: &Press) -> Result<()> {
    let mut mint = Mint::new(ChangeId::from("many".to_owned()));
    let mut ops = Vec::with_capacity(PAGES);
    for number in 0..PAGES {
        let element = |tag: &str| {
            Node::new(Kind::Element(Element {
                tag: tag.into(),
                namespace: Namespace::Html,
                attrs: Vec::new(),
            }))
        };
        let text = Node::new(Kind::Text(
            format!("This is page {number} of many. ").repeat(20),
        ));
        let tree = Subtree::new(vec![
            SubtreeNode {
                id: mint.mint(),
                parent: None,
                node: element("body"),
            },
            SubtreeNode {
                id: mint.mint(),
                parent: Some(0),
                node: element("p"),
            },
            SubtreeNode {
                id: mint.mint(),
                parent: Some(1),
                node: text,
            },
        ])?;
        let page = Page::new(format!("Page {number}"), format!("page-{number}"));
        let new = NewEntity::Page {
            id: mint.mint(),
            page: Box::new(page),
            tree,
            after: None,
        };
        ops.push(Op::Insert { new: Box::new(new) });
    }
    let change = Change {
        id: ChangeId::from("many".to_owned()),
        author: Author::Local,
        turn: None,
        summary: "Add many pages".to_owned(),
        ops,
        expects: Vec::new(),
        format: FORMAT,
    };
    let by = Stamp::local(Timestamp::now());
    let by = Committer::new(Author::Local, CapabilitySet::all(), by);
    let mut live = press.store.live_site(&press.site).await?;
    live.commit(&change, &by).await?;
    Ok(())
}

async fn a_thousand_pages_are_published_and_one_edit_is_one_file(press: Press) -> Result<()> {
    add_pages(&press).await?;
    let (first, whole) = counted(press.publish()).await;
    assert_eq!(first?.release.pages, PAGES as u64 + 1);
    assert_eq!(whole, PAGES as u64 + 1, "every page is rendered once");
    let (status, html) = press.visit("/page-999").await?;
    assert!(
        status == 200 && html.contains("This is page 999 of many."),
        "{html}"
    );
    let page = press.id_of("page-500").await?;
    let written = press.files()?;
    press.write_as(&local(), &page, "<p>Edited</p>").await?;
    let (compared, edited) = counted(press.compare()).await;
    assert_eq!(compared?.changes.len(), 1);
    assert_eq!(edited, 1, "what was rendered before is used again");
    let (second, again) = counted(press.publish()).await;
    assert_eq!(second?.changes.len(), 1);
    assert_eq!(again, 0, "what was compared is what is published");
    let new: Vec<_> = press.files()?.difference(&written).cloned().collect();
    assert_eq!(new.len(), 3, "the page and its compressed forms: {new:?}");
    assert!(press.visit("/page-500").await?.1.contains("Edited"));
    Ok(())
}

/// How many documents are loaded.
async fn loaded(press: &Press) -> Result<usize> {
    let live = press.store.live_site(&press.site).await?;
    Ok(live.site().bodies.len())
}

async fn a_thousand_pages_are_listed_and_read_one_by_one(press: Press) -> Result<()> {
    add_pages(&press).await?;
    let press = press.restarted(None).await?;
    let listed = press.edit("list_documents", json!({})).await?;
    let listed = listed["documents"].as_array().context("a list")?;
    assert_eq!(listed.len(), PAGES + 1);
    let ids: BTreeSet<String> = listed
        .iter()
        .map(|item| item["document"].to_string())
        .collect();
    assert_eq!(ids.len(), PAGES + 1, "each is listed once");
    let home = loaded(&press).await?;
    assert!(home <= 1, "listing loads no document: {home}");
    for number in [0, 500, PAGES - 1] {
        let title = format!("Page {number}");
        let found = listed.iter().find(|item| item["title"] == title.as_str());
        let document = &found.context("a page")?["document"];
        let read = press
            .edit("read_document", json!({ "document": document }))
            .await?;
        let text = format!("This is page {number} of many.");
        assert!(read.to_string().contains(&text), "{read}");
    }
    assert_eq!(
        loaded(&press).await?,
        home + 3,
        "reading loads what is read"
    );
    let (preview, rendered) = counted(press.edit("previewPublish", json!({}))).await;
    let preview = preview?;
    assert_eq!(rendered, PAGES as u64 + 1);
    let told = preview["changes"].as_array().map(Vec::len);
    assert!(
        preview["changed"].as_u64() > Some(PAGES as u64),
        "all are counted: {}",
        preview["changed"]
    );
    assert_eq!(told, Some(200), "and the first are named");
    Ok(())
}

async fn the_history_of_a_thousand_pages_is_read_in_parts(press: Press) -> Result<()> {
    const EDITS: usize = 130;
    add_pages(&press).await?;
    let pages: Vec<BodyId> = {
        let live = press.store.live_site(&press.site).await?;
        live.site().shell.pages.iter().map(|(id, _)| id).collect()
    };
    let mut expected: Vec<u64> = Vec::new();
    for number in 0..EDITS {
        let page = json!(pages[number * 7]);
        let rename = json!({ "pageId": page, "title": format!("Renamed {number}") });
        press.edit("renamePage", rename).await?;
        expected.push(press.store.live_site(&press.site).await?.seq());
    }
    let press = press.restarted(None).await?;
    let (mut seen, mut before) = (Vec::new(), None);
    loop {
        let part = press.store.history(&press.site, None, before, 50).await?;
        assert!(part.entries.len() <= 50);
        let Some(last) = part.entries.last() else {
            break;
        };
        before = Some(last.seq);
        seen.extend(part.entries.iter().map(|entry| entry.seq));
    }
    seen.reverse();
    let newest = seen.split_off(seen.len() - EDITS);
    assert_eq!(newest, expected, "each once and in order");
    assert_eq!(loaded(&press).await?, 0, "the history needs no document");
    let one = pages[7];
    let own = press
        .store
        .history(&press.site, Some(one), None, 50)
        .await?;
    assert!(
        !own.entries.is_empty() && own.entries.len() < 5,
        "{:?}",
        own.entries
    );
    Ok(())
}

/// Does something, and counts the pages that are rendered for it.
async fn counted<T>(work: impl Future<Output = T>) -> (T, u64) {
    let rendered = Arc::new(AtomicU64::new(0));
    let listener = RenderedPages(Arc::clone(&rendered));
    let done = work.with_subscriber(listener).await;
    (done, rendered.load(Ordering::Relaxed))
}

/// Listens to what publishing tells of the pages it renders.
struct RenderedPages(Arc<AtomicU64>);

impl tracing::Subscriber for RenderedPages {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        metadata.target() == "sitewright::publish"
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        event.record(&mut |field: &Field, value: &dyn std::fmt::Debug| {
            if field.name() == "rendered" {
                let pages = format!("{value:?}").parse().expect("a number");
                self.0.fetch_add(pages, Ordering::Relaxed);
            }
        });
    }
}
