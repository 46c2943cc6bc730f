use anyhow::Result;
use futures_util::{StreamExt as _, stream};
use sha2::{Digest as _, Sha256};
use sitewright_store::{NewToken, Place, Stamp, Store, TokenKind};
use sitewright_tool::CapabilitySet;
use sqlx::{AnyConnection, Connection as _, Row as _};

use crate::both::{Fresh, on_both};
use crate::people::{NOW, set_up};

on_both! {
    entries_written_at_once_are_sealed_into_one_chain
    a_page_tells_who_did_what_newest_first
    m6_every_way_of_tampering_is_found
    a_redacted_detail_keeps_the_chain
    m6_a_chain_computed_anew_without_the_key_is_found
    an_older_chain_is_signed_from_its_end_on
    m6_a_chain_cut_short_is_found_by_a_head_kept_elsewhere
}

pub(crate) async fn write_entries(store: &Store, count: usize) -> Result<()> {
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
    // No more at once than there are connections: on a busy machine others would wait too long for one.
    let mut made = stream::iter(0..count).map(|_| one()).buffer_unordered(8);
    while let Some(made) = made.next().await {
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
    Ok(AnyConnection::connect(&address(fresh)).await?)
}

fn address(fresh: &Fresh) -> String {
    match &fresh.place {
        Place::File(path) => format!(
            "sqlite://{}?mode=rwc",
            path.display()
                .to_string()
                .replace('%', "%25")
                .replace('?', "%3F")
                .replace('#', "%23")
        ),
        Place::Postgres(address) => address.clone(),
    }
}

async fn entries_written_at_once_are_sealed_into_one_chain(fresh: &Fresh) -> Result<()> {
    let (one, other) = (fresh.open().await, fresh.open().await);
    let (sealer, other_sealer) = (Fresh::secrets(&one).await, Fresh::secrets(&other).await);
    // More than a batch, from two nodes, sealed by both while they write.
    let (a, b, c, d) = tokio::join!(
        write_entries(&one, 400),
        write_entries(&other, 400),
        sealer.seal_audit(),
        other_sealer.seal_audit()
    );
    for outcome in [a, b] {
        outcome?;
    }
    for outcome in [c, d] {
        outcome?;
    }
    sealer.seal_audit().await?;
    let report = other_sealer.verify_audit(None).await?;
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

async fn m6_every_way_of_tampering_is_found(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let secrets = Fresh::secrets(&store).await;
    write_entries(&store, 5).await?;
    secrets.seal_audit().await?;
    assert_eq!(secrets.verify_audit(None).await?.broken, None);
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
            "UPDATE audit SET detail = NULL WHERE seq = 4",
            "SELECT 1",
            "the details of entry 4 were erased, and no entry says by whom",
        ),
    ] {
        tamper(fresh, statement).await?;
        assert_eq!(
            secrets.verify_audit(None).await?.broken.as_deref(),
            Some(finding),
            "{statement}"
        );
        tamper(fresh, undo).await?;
    }
    Ok(())
}

async fn a_redacted_detail_keeps_the_chain(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let secrets = Fresh::secrets(&store).await;
    write_entries(&store, 3).await?;
    secrets.seal_audit().await?;
    let site = store.sites().await?.remove(0).id;
    let page = store.audit_page(&site, None, 10).await?;
    let by = Stamp::local(NOW);
    secrets.redact_audit(&page.entries[1].id, &by).await?;
    secrets.seal_audit().await?;
    let report = secrets.verify_audit(None).await?;
    assert_eq!(
        (report.sealed, report.redacted, report.broken),
        (4, 1, None)
    );
    let page = store.audit_page(&site, None, 10).await?;
    assert_eq!(page.entries[0].action, "audit.redacted");
    assert_eq!(page.entries[2].detail, None);
    Ok(())
}

/// M6: somebody with the database in hand knows how links are made, and lacks the key.
async fn m6_a_chain_computed_anew_without_the_key_is_found(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let secrets = Fresh::secrets(&store).await;
    write_entries(&store, 4).await?;
    secrets.seal_audit().await?;
    relink(fresh, 1).await?;
    let broken = secrets.verify_audit(None).await?.broken;
    assert_eq!(
        broken.as_deref(),
        Some("no entry is signed with the key of this instance")
    );
    Ok(())
}

/// M6: links of versions without a key stay valid before the first signed one, and only there.
async fn an_older_chain_is_signed_from_its_end_on(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let secrets = Fresh::secrets(&store).await;
    write_entries(&store, 4).await?;
    secrets.seal_audit().await?;
    relink(fresh, 1).await?;
    let secrets = Fresh::secrets(&store).await;
    secrets.seal_audit().await?;
    let report = secrets.verify_audit(None).await?;
    assert_eq!((report.sealed, report.broken), (5, None));
    relink(fresh, 5).await?;
    let broken = secrets.verify_audit(None).await?.broken;
    assert_eq!(
        broken.as_deref(),
        Some("no entry is signed with the key of this instance")
    );
    Ok(())
}

/// M6: a chain that was cut short is whole in itself; a head that was kept elsewhere tells.
async fn m6_a_chain_cut_short_is_found_by_a_head_kept_elsewhere(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let secrets = Fresh::secrets(&store).await;
    write_entries(&store, 5).await?;
    secrets.seal_audit().await?;
    let head = secrets.verify_audit(None).await?.head.expect("a head");
    assert_eq!(head.to_string().parse().as_ref(), Ok(&head));
    write_entries(&store, 1).await?;
    secrets.seal_audit().await?;
    assert_eq!(secrets.verify_audit(Some(&head)).await?.broken, None);
    tamper(fresh, "DELETE FROM audit WHERE seq > 3").await?;
    tamper(
        fresh,
        "UPDATE audit_head SET seq = 3, chain = (SELECT chain FROM audit WHERE seq = 3)",
    )
    .await?;
    assert_eq!(secrets.verify_audit(None).await?.broken, None);
    let broken = secrets.verify_audit(Some(&head)).await?.broken;
    assert_eq!(
        broken.as_deref(),
        Some("entries 4 to 5 at the end are missing")
    );
    write_entries(&store, 3).await?;
    secrets.seal_audit().await?;
    let broken = secrets.verify_audit(Some(&head)).await?.broken;
    assert_eq!(
        broken.as_deref(),
        Some("entry 5 is not the one of the head that was given")
    );
    Ok(())
}

/// Computes the links anew from an entry on, as versions without a key did.
async fn relink(fresh: &Fresh, from: i64) -> Result<()> {
    let mut connection = AnyConnection::connect(&address(fresh)).await?;
    let rows =
        sqlx::query("SELECT seq, digest, chain FROM audit WHERE seq IS NOT NULL ORDER BY seq")
            .fetch_all(&mut connection)
            .await?;
    let mut chain = String::new();
    for row in rows {
        let (seq, digest): (i64, String) = (row.try_get("seq")?, row.try_get("digest")?);
        if seq < from {
            chain = row.try_get("chain")?;
            continue;
        }
        chain = hex::encode(Sha256::digest(format!("{chain}|{seq}|{digest}")));
        sqlx::query("UPDATE audit SET chain = $1 WHERE seq = $2")
            .bind(&chain)
            .bind(seq)
            .execute(&mut connection)
            .await?;
    }
    sqlx::query("UPDATE audit_head SET chain = $1")
        .bind(&chain)
        .execute(&mut connection)
        .await?;
    Ok(connection.close().await?)
}
