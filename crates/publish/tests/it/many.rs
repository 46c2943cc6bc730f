//! A thousand pages: published whole, and after one edit only that page is rendered and written.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use sitewright_site::{
    Author, Change, ChangeId, Element, FORMAT, Kind, Mint, Namespace, NewEntity, Node, Op, Page,
    Subtree, SubtreeNode,
};
use sitewright_store::{Committer, Stamp, Timestamp};
use sitewright_tool::CapabilitySet;
use tracing::field::Field;
use tracing::instrument::WithSubscriber as _;

use crate::press::{Press, local, on_both};

const PAGES: usize = 1000;

on_both! {
    a_thousand_pages_are_published_and_one_edit_is_one_file
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
