//! Looking at one change of the past, at what mentions something, and at what is remembered for a person.

use std::collections::BTreeMap;

use anyhow::Result;
use serde_json::{Value, json};
use sitewright_site::{Author, Change, ChangeId, FORMAT, diff};
use sitewright_store::{Committer, HistoryFilter, NewOwner, SiteId, Stamp, Store};
use sitewright_tool::CapabilitySet;

use crate::both::{Fresh, on_both};
use crate::people::NOW;

on_both! {
    a_change_is_seen_from_both_sides_whatever_came_since
    changes_are_found_by_what_they_touched_and_who_made_them
    an_id_is_found_in_documents_that_were_closed
    preferences_are_merged_and_forgotten
}

async fn commit(store: &Store, site: &SiteId, id: &str, op: Value) -> Result<u64> {
    let change = Change {
        id: ChangeId::from(id.to_owned()),
        author: Author::Local,
        turn: None,
        summary: id.to_owned(),
        ops: vec![serde_json::from_value(op)?],
        expects: Vec::new(),
        format: FORMAT,
    };
    let by = Committer::new(Author::Local, CapabilitySet::all(), Stamp::local(NOW));
    let mut live = store.live_site(site).await?;
    Ok(live.commit(&change, &by).await?.entry.seq)
}

/// The id of the home page and of its root.
async fn home(store: &Store, site: &SiteId) -> Result<(String, String)> {
    let mut live = store.live_site(site).await?;
    let found = live.site().shell.pages.iter().map(|(id, _)| id).next();
    let page = found.expect("a page");
    live.open(page).await?;
    let root = live.site().bodies[&page].root();
    Ok((page.to_string(), root.to_string()))
}

fn text(page: &str, parent: &str, id: &str, words: &str) -> Value {
    json!({ "op": "insert", "new": {
        "type": "nodes", "body": page, "place": { "parent": parent },
        "nodes": [{ "id": id, "node": { "kind": { "text": words } } }],
    }})
}

async fn a_change_is_seen_from_both_sides_whatever_came_since(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let (page, root) = home(&store, &site).await?;
    let first = "000000000001";
    let put = |field: &str, value: &str| {
        let entity = json!({ "type": "node", "body": page, "node": first });
        json!({ "op": "put", "entity": entity, "field": field, "value": value })
    };
    let added = commit(&store, &site, "a", text(&page, &root, first, "One")).await?;
    let changed = commit(&store, &site, "b", put("text", "Two")).await?;
    let news = json!({ "op": "insert", "new": {
        "type": "page", "id": "000000000009", "page": { "title": "News", "slug": "news" },
        "tree": [{ "id": "000000000008", "node": { "kind": { "element": { "tag": "body" } } } }],
    }});
    let brought = commit(&store, &site, "c", news).await?;
    let gone = json!({ "op": "remove", "entity": { "type": "page", "id": page } });
    let moved = json!({ "op": "put", "entity": { "type": "page", "id": "000000000009" }, "field": "slug", "value": "index" });
    commit(&store, &site, "d", put("text", "Three")).await?;
    commit(&store, &site, "e", moved).await?;
    commit(&store, &site, "f", gone).await?;
    for (seq, expected) in [
        (added, "Text “One” added."),
        (changed, "Text of page body changed from “One” to “Two”."),
        (brought, "Page News added."),
    ] {
        let past = store.past_change(&site, seq).await?.expect("it is kept");
        let (before, after) = past.around.expect("little came since");
        let told: Vec<String> = diff(&before, &after)
            .into_iter()
            .map(|line| line.sentence)
            .collect();
        assert_eq!(told, [expected], "{seq}");
    }
    assert!(store.past_change(&site, 99).await?.is_none());
    let of_page = store.history(&site, Some(page.parse()?), None, 10).await?;
    let seqs: Vec<u64> = of_page.entries.iter().map(|entry| entry.seq).collect();
    assert_eq!(seqs.len(), 5, "{seqs:?}");
    Ok(())
}

async fn changes_are_found_by_what_they_touched_and_who_made_them(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let (page, root) = home(&store, &site).await?;
    let written = commit(
        &store,
        &site,
        "a",
        text(&page, &root, "000000000001", "One"),
    )
    .await?;
    let news = json!({ "op": "insert", "new": {
        "type": "page", "id": "000000000009", "page": { "title": "News", "slug": "news" },
        "tree": [{ "id": "000000000008", "node": { "kind": { "element": { "tag": "body" } } } }],
    }});
    let added = commit(&store, &site, "b", news).await?;
    let touched = store.touched_by(&site, written..=added).await?;
    let bodies: Vec<(u64, Vec<String>)> = touched
        .iter()
        .map(|(seq, touched)| {
            (
                *seq,
                touched.bodies.iter().map(ToString::to_string).collect(),
            )
        })
        .collect();
    let expected = [
        (written, vec![page.clone()]),
        (added, vec!["000000000009".to_owned()]),
    ];
    assert_eq!(bodies, expected);
    let by = async |author: Author| -> Result<Vec<u64>> {
        let filter = HistoryFilter {
            document: Some(page.parse()?),
            author: Some(author),
        };
        let found = store.filtered_history(&site, filter, None, 10).await?;
        Ok(found.entries.iter().map(|entry| entry.seq).collect())
    };
    // The first entry of the log creates the site with its page.
    assert_eq!(by(Author::Local).await?, [written, 1]);
    let id = "nobody".to_owned();
    assert_eq!(by(Author::Person { id }).await?, [0u64; 0]);
    Ok(())
}

async fn an_id_is_found_in_documents_that_were_closed(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let (page, root) = home(&store, &site).await?;
    let words = "see /uploads/abc123/320.jpg";
    commit(
        &store,
        &site,
        "a",
        text(&page, &root, "000000000001", words),
    )
    .await?;
    // Another process has nothing open.
    store.close().await;
    let store = fresh.open().await;
    let mut live = store.live_site(&site).await?;
    let found = live.mentions("abc123").await?;
    let names: Vec<&str> = found.iter().map(|place| place.name.as_str()).collect();
    assert_eq!(names, ["Home"]);
    assert_eq!(live.mentions("abc124").await?, []);
    assert_eq!(live.mentions("%").await?, [], "no id");
    Ok(())
}

async fn preferences_are_merged_and_forgotten(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let owner = NewOwner {
        email: "ada@example.com",
        name: "Ada",
        password_hash: "x",
        site_name: "Engines",
    };
    let ada = store.set_up(owner, &Stamp::local(NOW)).await?.id;
    let set = async |pairs: &[(&str, Option<&str>)]| {
        let owned =
            |(name, value): &(&str, Option<&str>)| ((*name).to_owned(), value.map(str::to_owned));
        let values: BTreeMap<_, _> = pairs.iter().map(owned).collect();
        store.set_preferences(&ada, &values).await
    };
    set(&[("tour", Some("done")), ("zoom", Some("1"))]).await?;
    set(&[("tour", None), ("zoom", Some("2"))]).await?;
    let kept = store.preferences(&ada).await?;
    assert_eq!(kept, BTreeMap::from([("zoom".to_owned(), "2".to_owned())]));
    Ok(())
}
