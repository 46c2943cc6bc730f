//! A log is read back by whoever did not see it being written, and one that is damaged costs only what cannot be read.

use serde_json::json;
use sitewright_site::{
    Author, BodyId, ChangeId, Entity, Item, ItemId, Kind, List, Lock, Mint, NewEntity, NodeId, Op,
    Sheet, Site, Target,
};
use sitewright_store::{
    CommitError, HistoryLimits, PartDamage, RecoverTo, Stamp, Store, Timestamp,
};

use crate::audit::tamper;
use crate::both::{Fresh, on_both};
use crate::documents::{change, home, insert, live, main_site, page, person, put};

on_both! {
    a_page_and_its_styles_change_together_after_the_page_changed_alone
    an_entry_that_cannot_be_read_leaves_the_site_read_only_at_the_one_before
    a_damaged_document_is_read_only_alone
    a_damaged_snapshot_costs_nothing_while_the_log_is_kept
    a_document_of_which_nothing_can_be_read_is_named
    a_damaged_site_is_recovered_to_what_can_be_read
    a_damaged_site_is_recovered_from_a_restore_point
    a_copy_elsewhere_loads_a_recovered_site_anew
}

fn everything(site: &Site) -> String {
    let mut text = serde_json::to_string(&site.shell_snapshot()).expect("a shell");
    let mut bodies: Vec<&BodyId> = site.bodies.keys().collect();
    bodies.sort_unstable();
    for body in bodies {
        let document = site.body_snapshot(*body).expect("an open document");
        text.push_str(&serde_json::to_string(&document).expect("a document"));
    }
    text
}

/// A page of its own with words, and then a rule and the words' element in one change, as tools that style a node make it.
async fn styled_page(store: &Store) -> anyhow::Result<(BodyId, NodeId)> {
    let mut held = live(store).await?;
    let (id, root, add) = page(1);
    held.commit(&change("add", vec![add]), &person()).await?;
    let mut mint = Mint::new(ChangeId::from("words".to_owned()));
    let text: NodeId = mint.mint();
    let words = insert(id, root, Kind::Text("hello".to_owned()), text);
    held.commit(&change("words", vec![words]), &person())
        .await?;
    held.commit(&change("style", style(&mut mint, id, text)), &person())
        .await?;
    Ok((id, text))
}

/// A step in the shell and one in a document.
fn style(mint: &mut Mint, body: BodyId, node: NodeId) -> Vec<Op> {
    let sheet: ItemId = mint.mint();
    let item = Item::Sheet(Sheet {
        name: "Styles".to_owned(),
        target: Target::Site,
        lock: Lock::Open,
    });
    vec![
        Op::Insert {
            new: Box::new(NewEntity::Item {
                id: sheet,
                item: Box::new(item),
                pieces: Vec::new(),
                after: None,
            }),
        },
        put(Entity::Node { body, node }, "label", json!("styled")),
        put(
            Entity::Item {
                list: List::Sheets,
                id: sheet,
            },
            "name",
            json!("Words"),
        ),
    ]
}

async fn a_page_and_its_styles_change_together_after_the_page_changed_alone(
    fresh: &Fresh,
) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let (id, text) = styled_page(&store).await?;
    let mut held = live(&store).await?;
    held.open(home(held.site())).await?;
    let written = everything(held.site());
    drop(held);
    store.close().await;
    let again = fresh.open().await;
    let stored = again.stored_site(&main_site()).await?;
    assert_eq!(stored.damage, []);
    assert_eq!(everything(&stored.site), written);
    let mut held = live(&again).await?;
    assert!(held.open(id).await?);
    assert!(held.site().bodies[&id].node(text).is_some());
    // It goes on from there as if nothing had happened.
    let rename = vec![put(Entity::Page { id }, "title", json!("Goes on"))];
    held.commit(&change("rename", rename), &person()).await?;
    Ok(())
}

async fn damaged_entries(store: &Store) -> anyhow::Result<Vec<(Option<BodyId>, Option<u64>)>> {
    let damage = store.check_site(&main_site()).await?;
    Ok(damage
        .into_iter()
        .map(
            |PartDamage {
                 document, entry, ..
             }| (document, entry),
        )
        .collect())
}

/// The home page renamed at entries 2, 3 and 4.
async fn renamed_site(store: &Store) -> anyhow::Result<BodyId> {
    let mut held = live(store).await?;
    let id = home(held.site());
    for title in ["Two", "Three", "Four"] {
        let ops = vec![put(Entity::Page { id }, "title", json!(title))];
        held.commit(&change(title, ops), &person()).await?;
    }
    Ok(id)
}

async fn an_entry_that_cannot_be_read_leaves_the_site_read_only_at_the_one_before(
    fresh: &Fresh,
) -> anyhow::Result<()> {
    for damage in [
        "UPDATE site_changes SET ops = '[{\"op\":\"pu' WHERE seq = 3",
        "UPDATE site_changes SET ops = '[{\"op\":\"remove\",\"entity\":{\"type\":\"page\",\"id\":\"0123456789abcdef0123456789abcdef\"}}]' WHERE seq = 3",
        "UPDATE site_changes SET format = 99 WHERE seq = 3",
    ] {
        let store = fresh.open().await;
        if live(&store).await?.seq() == 1 {
            renamed_site(&store).await?;
        }
        store.close().await;
        tamper(fresh, damage).await?;
        let store = fresh.open().await;
        let mut held = live(&store).await?;
        let id = home(held.site());
        let title = held
            .site()
            .shell
            .pages
            .get(id)
            .map(|page| page.title.clone());
        assert_eq!(title.as_deref(), Some("Two"), "{damage}");
        assert_eq!(held.damage().map(|damage| damage.seq), Some(3), "{damage}");
        assert!(held.open(id).await?, "documents can be looked at");
        let ops = vec![put(Entity::Page { id }, "title", json!("Five"))];
        let refused = held.commit(&change("five", ops), &person()).await;
        let Err(error @ CommitError::ReadOnly { document: None, .. }) = &refused else {
            anyhow::bail!("{damage}: {refused:?}");
        };
        assert!(error.to_string().contains("entry 3"), "{error}");
        drop(held);
        assert_eq!(damaged_entries(&store).await?, [(None, Some(3))]);
        // History lists what is there, and every row can be taken away as it is.
        assert_eq!(
            store
                .history(&main_site(), None, None, 10)
                .await?
                .entries
                .len(),
            4
        );
        assert_eq!(store.raw_entries(&main_site(), 0, 10).await?.len(), 4);
        store.close().await;
    }
    Ok(())
}

async fn a_damaged_document_is_read_only_alone(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let (broken, _) = styled_page(&store).await?;
    let (other, root, add) = page(2);
    live(&store)
        .await?
        .commit(&change("other", vec![add]), &person())
        .await?;
    store.close().await;
    tamper(
        fresh,
        "UPDATE site_changes SET ops = REPLACE(ops, 'hello', 'hello\u{7f}\"') WHERE change_id = 'words'",
    )
    .await?;
    let store = fresh.open().await;
    assert_eq!(damaged_entries(&store).await?, [(Some(broken), Some(3))]);
    let mut held = live(&store).await?;
    assert_eq!(held.damage(), None);
    assert!(held.open(broken).await?, "it is there as it was before");
    assert_eq!(held.site().bodies[&broken].len(), 1);
    assert_eq!(held.damage_of(broken).map(|damage| damage.seq), Some(3));
    let mut mint = Mint::new(ChangeId::from("y".to_owned()));
    let into = |body, root, id| vec![insert(body, root, Kind::Text("x".to_owned()), id)];
    let own_root = held.site().bodies[&broken].root();
    let refused = held
        .commit(
            &change("no", into(broken, own_root, mint.mint())),
            &person(),
        )
        .await;
    assert!(
        matches!(&refused, Err(CommitError::ReadOnly { document: Some(id), .. }) if *id == broken),
        "{refused:?}"
    );
    held.commit(&change("yes", into(other, root, mint.mint())), &person())
        .await?;
    let rename = vec![put(Entity::Page { id: broken }, "title", json!("Renamed"))];
    held.commit(&change("rename", rename), &person()).await?;
    Ok(())
}

async fn a_damaged_snapshot_costs_nothing_while_the_log_is_kept(
    fresh: &Fresh,
) -> anyhow::Result<()> {
    let store = fresh.open().await;
    styled_page(&store).await?;
    let before = everything(&store.stored_site(&main_site()).await?.site);
    store.close().await;
    tamper(fresh, "UPDATE site_snapshots SET document = '{'").await?;
    let store = fresh.open().await;
    let stored = store.stored_site(&main_site()).await?;
    assert_eq!(stored.damage, []);
    assert_eq!(everything(&stored.site), before);
    let mut held = live(&store).await?;
    let id = home(held.site());
    let ops = vec![put(Entity::Page { id }, "title", json!("Goes on"))];
    held.commit(&change("on", ops), &person()).await?;
    Ok(())
}

/// A site whose first entries are collapsed, so that a damaged snapshot cannot be made again from the log.
async fn collapsed_site(fresh: &Fresh) -> anyhow::Result<BodyId> {
    let store = fresh.open().await;
    let (id, _) = styled_page(&store).await?;
    let ops = vec![put(Entity::Page { id }, "title", json!("Last"))];
    live(&store)
        .await?
        .commit(&change("last", ops), &person())
        .await?;
    let limits = HistoryLimits {
        age: std::time::Duration::from_secs(365 * 24 * 60 * 60),
        bytes: 1,
    };
    let now = Timestamp::from_millis(1_800_000_000_000);
    let clock = store.retention_clock(now).await?;
    store.tend_history(&main_site(), limits, &clock).await?;
    store.close().await;
    Ok(id)
}

async fn a_document_of_which_nothing_can_be_read_is_named(fresh: &Fresh) -> anyhow::Result<()> {
    let id = collapsed_site(fresh).await?;
    tamper(
        fresh,
        "UPDATE site_snapshots SET document = '{' WHERE body_id IN (SELECT body_id FROM site_snapshots WHERE document LIKE '%hello%')",
    )
    .await?;
    let store = fresh.open().await;
    assert_eq!(damaged_entries(&store).await?, [(Some(id), None)]);
    let mut held = live(&store).await?;
    let refused = held.open(id).await.err().map(|error| error.to_string());
    assert!(
        refused.is_some_and(|sentence| sentence.contains(&id.to_string())),
        "it names the document"
    );
    let home = home(held.site());
    assert!(held.open(home).await?, "the others are not affected");
    Ok(())
}

async fn a_damaged_site_is_recovered_to_what_can_be_read(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let id = renamed_site(&store).await?;
    let (local, by) = (Author::Local, Stamp::local(Timestamp::from_millis(1)));
    let nothing = store
        .recover_site(&main_site(), RecoverTo::LastReadable, &local, &by)
        .await?;
    assert_eq!(nothing, None, "a site that is well stays as it is");
    store.close().await;
    tamper(fresh, "UPDATE site_changes SET ops = '{' WHERE seq = 3").await?;
    let store = fresh.open().await;
    assert!(live(&store).await?.damage().is_some());
    let recovery = store
        .recover_site(&main_site(), RecoverTo::LastReadable, &local, &by)
        .await?
        .expect("a recovery");
    assert_eq!(recovery.damage.len(), 1);
    let mut held = live(&store).await?;
    assert_eq!((held.damage(), held.seq()), (None, recovery.seq));
    let ops = vec![put(Entity::Page { id }, "title", json!("Writable"))];
    held.commit(&change("on", ops), &person()).await?;
    let written = everything(held.site());
    drop(held);
    store.close().await;
    let store = fresh.open().await;
    let stored = store.stored_site(&main_site()).await?;
    assert_eq!(stored.damage, []);
    let mut shell = stored.site;
    shell.bodies.clear();
    assert_eq!(everything(&shell), written);
    // The way back over the recovery is closed, and told as such.
    let past = store.past_change(&main_site(), 2).await?;
    assert!(past.is_some_and(|past| past.around.is_none()));
    let audit = store.audit_page(&main_site(), None, 10).await?;
    assert!(
        audit
            .entries
            .iter()
            .any(|entry| entry.action == "site.recovered")
    );
    Ok(())
}

async fn a_damaged_site_is_recovered_from_a_restore_point(fresh: &Fresh) -> anyhow::Result<()> {
    let id = collapsed_site(fresh).await?;
    let store = fresh.open().await;
    let point = store
        .history(&main_site(), None, None, 1)
        .await?
        .restore_points[0]
        .seq;
    let there = everything(&store.stored_site(&main_site()).await?.site);
    let ops = vec![Op::Remove {
        entity: Entity::Page { id },
    }];
    live(&store)
        .await?
        .commit(&change("gone", ops), &person())
        .await?;
    store.close().await;
    tamper(fresh, "UPDATE site_changes SET ops = '{'").await?;
    let store = fresh.open().await;
    let (local, by) = (Author::Local, Stamp::local(Timestamp::from_millis(1)));
    store
        .recover_site(&main_site(), RecoverTo::RestorePoint(point), &local, &by)
        .await?
        .expect("a recovery");
    let stored = store.stored_site(&main_site()).await?;
    assert_eq!(stored.damage, []);
    assert_eq!(everything(&stored.site), there);
    Ok(())
}

async fn a_copy_elsewhere_loads_a_recovered_site_anew(fresh: &Fresh) -> anyhow::Result<()> {
    let (one, two) = (fresh.open().await, fresh.open().await);
    if one.backend() != sitewright_store::DatabaseKind::Postgres {
        // A SQLite file has one process; the second store stands for none there.
        return Ok(());
    }
    renamed_site(&one).await?;
    assert_eq!(live(&two).await?.seq(), 4);
    tamper(fresh, "UPDATE site_changes SET ops = '{' WHERE seq = 3").await?;
    let (local, by) = (Author::Local, Stamp::local(Timestamp::from_millis(1)));
    one.recover_site(&main_site(), RecoverTo::LastReadable, &local, &by)
        .await?
        .expect("a recovery");
    assert_eq!(
        everything(live(&one).await?.site()),
        everything(live(&two).await?.site())
    );
    Ok(())
}
