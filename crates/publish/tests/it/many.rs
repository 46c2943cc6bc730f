//! A thousand pages: published whole, and after one edit only that page is rendered and written.

use std::time::Instant;

use anyhow::Result;
use sitewright_site::{
    Author, Change, ChangeId, Element, FORMAT, Grown, Kind, Mint, Namespace, New, Node, Op, Page,
    Subtree,
};
use sitewright_store::{By, Committer, Timestamp};
use sitewright_tool::CapabilitySet;

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
            Grown {
                id: mint.mint(),
                parent: None,
                node: element("body"),
            },
            Grown {
                id: mint.mint(),
                parent: Some(0),
                node: element("p"),
            },
            Grown {
                id: mint.mint(),
                parent: Some(1),
                node: text,
            },
        ])?;
        let page = Page::new(format!("Page {number}"), format!("page-{number}"));
        let new = New::Page {
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
    let by = By::local(Timestamp::now());
    let by = Committer::new(Author::Local, CapabilitySet::all(), by);
    let mut live = press.store.live_site(&press.site).await?;
    live.commit(&change, &by).await?;
    Ok(())
}

async fn a_thousand_pages_are_published_and_one_edit_is_one_file(press: Press) -> Result<()> {
    add_pages(&press).await?;
    let started = Instant::now();
    let first = press.publish().await?;
    let whole = started.elapsed();
    assert_eq!(first.release.pages, PAGES as u64 + 1);
    let (status, html) = press.visit("/page-999").await?;
    assert!(
        status == 200 && html.contains("This is page 999 of many."),
        "{html}"
    );
    let page = press.id_of("page-500").await?;
    press.write_as(&local(), &page, "<p>Edited</p>").await?;
    let started = Instant::now();
    let changes = press.compare().await?.changes;
    assert_eq!(changes.len(), 1);
    let second = press.publish().await?;
    let edited = started.elapsed();
    assert_eq!(second.changes.len(), 1);
    assert!(press.visit("/page-500").await?.1.contains("Edited"));
    // What was rendered and written before is used again.
    assert!(edited < whole, "{edited:?} and {whole:?}");
    Ok(())
}
