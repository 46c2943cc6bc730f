use anyhow::Result;
use sitewright_store::{NewToken, Place, Stamp, Store, TokenKind};
use sitewright_tool::CapabilitySet;
use sqlx::AnyConnection;
use sqlx::Connection as _;

use crate::both::{Fresh, on_both};
use crate::people::{NOW, set_up};

on_both! {
    entries_written_at_once_are_sealed_into_one_chain
    a_page_tells_who_did_what_newest_first
    every_way_of_tampering_is_found
    a_redacted_detail_keeps_the_chain
}

async fn write_entries(store: &Store, count: usize) -> Result<()> {
    let site = store.sites().await?.remove(0).id;
    let one = async || {
        let new = NewToken {
            site: &site,
            name: "t",
            kind: TokenKind::Script,
            capabilities: CapabilitySet::default(),
            maker: None,
            parent: None,
            expires_at: None,
        };
        store.create_token(new, &Stamp::local(NOW)).await
    };
    for made in futures_util::future::join_all((0..count).map(|_| one())).await {
        made?;
    }
    Ok(())
}

/// Changes rows behind the store's back, as somebody with the database in hand would.
pub(crate) async fn tamper(fresh: &Fresh, statement: &'static str) -> Result<()> {
    let mut connection = connect(fresh).await?;
    sqlx::query(statement).execute(&mut connection).await?;
    Ok(connection.close().await?)
}

/// A connection beside those of a store.
pub(crate) async fn connect(fresh: &Fresh) -> Result<AnyConnection> {
    sqlx::any::install_default_drivers();
    let address = match &fresh.place {
        Place::File(path) => format!(
            "sqlite://{}?mode=rwc",
            path.display()
                .to_string()
                .replace('%', "%25")
                .replace('?', "%3F")
                .replace('#', "%23")
        ),
        Place::Postgres(address) => address.clone(),
    };
    Ok(AnyConnection::connect(&address).await?)
}

async fn entries_written_at_once_are_sealed_into_one_chain(fresh: &Fresh) -> Result<()> {
    let (one, other) = (fresh.open().await, fresh.open().await);
    // More than a batch, from two nodes, sealed by both while they write.
    let (a, b, c, d) = tokio::join!(
        write_entries(&one, 400),
        write_entries(&other, 400),
        one.seal_audit(),
        other.seal_audit()
    );
    for outcome in [a, b] {
        outcome?;
    }
    for outcome in [c, d] {
        outcome?;
    }
    one.seal_audit().await?;
    let report = other.verify_audit().await?;
    assert_eq!(
        (report.sealed, report.unsealed, report.broken),
        (800, 0, None)
    );
    Ok(())
}

async fn a_page_tells_who_did_what_newest_first(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0).id;
    store
        .rename_user(&ada.id, "Ada L.", &Stamp::user(&ada.id, NOW))
        .await?;
    write_entries(&store, 1).await?;
    let first = store.audit_page(&site, None, 2).await?;
    let shown: Vec<_> = first
        .entries
        .iter()
        .map(|entry| (entry.action.as_str(), entry.actor_name.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [("token.created", None), ("user.renamed", Some("Ada L."))]
    );
    let second = store.audit_page(&site, first.next.as_ref(), 2).await?;
    let shown: Vec<_> = second
        .entries
        .iter()
        .map(|entry| entry.action.as_str())
        .collect();
    assert_eq!(
        (shown.as_slice(), second.next),
        (["instance.set_up"].as_slice(), None)
    );
    Ok(())
}

async fn every_way_of_tampering_is_found(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    write_entries(&store, 5).await?;
    store.seal_audit().await?;
    assert_eq!(store.verify_audit().await?.broken, None);
    for (statement, undo, finding) in [
        (
            "UPDATE audit SET actor = 'user:me' WHERE seq = 2",
            "UPDATE audit SET actor = 'local' WHERE seq = 2",
            "entry 2 was changed",
        ),
        (
            "UPDATE audit SET seq = 9 WHERE seq = 3",
            "UPDATE audit SET seq = 3 WHERE seq = 9",
            "entries 3 to 3 are missing",
        ),
        (
            "UPDATE audit SET seq = NULL WHERE seq = 5",
            "UPDATE audit SET seq = 5 WHERE seq IS NULL",
            "entries 5 to 5 at the end are missing",
        ),
        (
            "UPDATE audit_head SET chain = 'x' WHERE id = 1",
            "UPDATE audit_head SET chain = (SELECT chain FROM audit WHERE seq = 5) WHERE id = 1",
            "the chain does not end in entry 5 as recorded",
        ),
        (
            "UPDATE audit SET digest = 'x', detail = NULL WHERE seq = 4",
            "SELECT 1",
            "entry 4 does not follow from the one before",
        ),
    ] {
        tamper(fresh, statement).await?;
        assert_eq!(
            store.verify_audit().await?.broken.as_deref(),
            Some(finding),
            "{statement}"
        );
        tamper(fresh, undo).await?;
    }
    Ok(())
}

async fn a_redacted_detail_keeps_the_chain(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    write_entries(&store, 3).await?;
    store.seal_audit().await?;
    tamper(fresh, "UPDATE audit SET detail = NULL WHERE seq = 2").await?;
    let report = store.verify_audit().await?;
    assert_eq!(
        (report.sealed, report.redacted, report.broken),
        (3, 1, None)
    );
    Ok(())
}
