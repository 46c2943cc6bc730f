use anyhow::Result;
use sitewright_store::{
    Actor, BuiltInRole, LinkPurpose, NewOwner, NewUser, Role, RoleKey, Stamp, Store, StoreError,
    Timestamp, User,
};
use sitewright_tool::{Capability, CapabilitySet};

use crate::both::{Fresh, on_both};

on_both! {
    opening_twice_keeps_one_site
    only_one_of_many_set_ups_at_once_succeeds
    a_person_is_added_once_per_site
    the_last_owner_stays
    two_owners_leaving_at_once_leave_one
    a_disabled_person_loses_every_session
    a_role_somebody_has_cannot_be_removed
    built_in_roles_cannot_be_changed
    a_password_link_works_once_and_not_late
    a_newer_password_link_replaces_the_older
}

pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

pub(crate) async fn set_up(store: &Store) -> Result<User> {
    let owner = NewOwner {
        email: "ada@example.com",
        name: "Ada",
        password_hash: "hash",
        site_name: "Ada's site",
    };
    Ok(store
        .set_up(
            owner,
            &Stamp {
                actor: Actor::Anonymous,
                at: NOW,
            },
        )
        .await?)
}

fn new_user<'a>(email: &'a str, role: BuiltInRole) -> NewUser<'a> {
    NewUser {
        email,
        name: "Grace",
        password_hash: None,
        role: role.key(),
    }
}

fn refusal<T>(result: Result<T, StoreError>) -> String {
    match result {
        Ok(_) => "allowed".to_owned(),
        Err(error) => error.to_string(),
    }
}

async fn opening_twice_keeps_one_site(fresh: &Fresh) -> Result<()> {
    let first = fresh.open().await;
    let second = fresh.open().await;
    assert_eq!(first.sites().await?, second.sites().await?);
    assert_eq!(first.sites().await?.len(), 1);
    Ok(())
}

#[test]
fn a_damaged_file_is_refused_at_once() {
    crate::both::run(sitewright_testkit::FreshDatabase::sqlite(), async |fresh| {
        let sitewright_store::Place::File(path) = &fresh.place else {
            return Ok(());
        };
        std::fs::write(path, "this is no database ".repeat(500))?;
        let refused = sitewright_store::Store::open(&fresh.place).await;
        let error = anyhow::Error::from(refused.expect_err("it is no database"));
        // The cause is what SQLite says, and not that a connection did not come about in time.
        let said: Vec<String> = error.chain().map(ToString::to_string).collect();
        assert_eq!(
            said,
            [
                format!("{} cannot be used", path.display()),
                "error returned from database: (code: 26) file is not a database".to_owned(),
                "(code: 26) file is not a database".to_owned(),
            ]
        );
        Ok(())
    });
}

#[test]
fn nobody_else_on_the_machine_reads_the_sqlite_file() {
    use std::os::unix::fs::PermissionsExt as _;
    crate::both::run(sitewright_testkit::FreshDatabase::sqlite(), async |fresh| {
        let store = fresh.open().await;
        set_up(&store).await?;
        let sitewright_store::Place::File(path) = &fresh.place else {
            return Ok(());
        };
        for ending in ["", "-wal", "-shm"] {
            let beside = format!("{}{ending}", path.display());
            assert_eq!(
                std::fs::metadata(&beside)?.permissions().mode() & 0o777,
                0o600,
                "{ending}"
            );
        }
        Ok(())
    });
}

/// A SQLite file has one process, which the lock on the data folder sees to; a Postgres has any number.
#[test]
fn two_nodes_may_open_a_new_postgres_at_once() {
    crate::both::run(
        sitewright_testkit::FreshDatabase::postgres(),
        async |fresh| {
            let (first, second) = tokio::join!(fresh.open(), fresh.open());
            assert_eq!(first.sites().await?, second.sites().await?);
            assert_eq!(first.sites().await?.len(), 1);
            Ok(())
        },
    );
}

async fn only_one_of_many_set_ups_at_once_succeeds(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let outcomes = futures_util::future::join_all((0..8).map(|_| set_up(&store))).await;
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    assert!(!store.setup_required().await?);
    assert_eq!(store.sites().await?[0].name, "Ada's site");
    Ok(())
}

async fn a_person_is_added_once_per_site(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    set_up(&store).await?;
    let first = store.sites().await?.remove(0);
    let second = store.create_site("second", "Second", NOW).await?;
    let grace = store
        .add_member(
            &first.id,
            new_user("grace@example.com", BuiltInRole::Editor),
            &Stamp::local(NOW),
        )
        .await?;
    let again = store
        .add_member(
            &first.id,
            new_user("grace@example.com", BuiltInRole::Viewer),
            &Stamp::local(NOW),
        )
        .await;
    assert_eq!(refusal(again), "the address `grace@example.com` is taken");
    let elsewhere = store
        .add_member(
            &second.id,
            new_user("grace@example.com", BuiltInRole::Viewer),
            &Stamp::local(NOW),
        )
        .await?;
    assert_eq!(elsewhere.user.id, grace.user.id);
    assert_eq!(
        store.member(&first.id, &grace.user.id).await?.role,
        BuiltInRole::Editor.key()
    );
    assert_eq!(store.sites_of(&grace.user.id).await?, [first, second]);
    Ok(())
}

async fn the_last_owner_stays(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0);
    let by = &Stamp::local(NOW);
    let last = "This is the last owner. Make someone else an owner first.";
    assert_eq!(
        refusal(
            store
                .set_role(&site.id, &ada.id, &BuiltInRole::Admin.key(), by)
                .await
        ),
        last
    );
    assert_eq!(
        refusal(
            store
                .remove_member(&site.id, &ada.id, &Stamp::local(NOW))
                .await
        ),
        last
    );
    assert_eq!(
        refusal(store.set_disabled(&ada.id, true, &Stamp::local(NOW)).await),
        last
    );
    let member = store.member(&site.id, &ada.id).await?;
    assert_eq!(
        (member.role, member.user.disabled),
        (BuiltInRole::Owner.key(), false)
    );
    Ok(())
}

async fn two_owners_leaving_at_once_leave_one(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0);
    let grace = store
        .add_member(
            &site.id,
            new_user("grace@example.com", BuiltInRole::Owner),
            &Stamp::local(NOW),
        )
        .await?;
    let by = Stamp::local(NOW);
    let (one, other) = tokio::join!(
        store.remove_member(&site.id, &ada.id, &by),
        store.remove_member(&site.id, &grace.user.id, &by),
    );
    assert_ne!(one.is_ok(), other.is_ok());
    assert_eq!(store.members(&site.id).await?.len(), 1);
    Ok(())
}

async fn a_disabled_person_loses_every_session(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    set_up(&store).await?;
    let site = store.sites().await?.remove(0);
    let grace = store
        .add_member(
            &site.id,
            new_user("grace@example.com", BuiltInRole::Editor),
            &Stamp::local(NOW),
        )
        .await?;
    let secret = crate::sessions::begin(&store, &grace.user.id, &site.id).await?;
    store
        .set_disabled(&grace.user.id, true, &Stamp::local(NOW))
        .await?;
    assert_eq!(store.session(&secret, NOW).await?, None);
    assert!(store.user(&grace.user.id).await?.disabled);
    Ok(())
}

async fn a_role_somebody_has_cannot_be_removed(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0);
    let key = RoleKey::parse("translator").expect("a key");
    let capabilities: CapabilitySet = [Capability::ContentRead, Capability::ContentWrite]
        .into_iter()
        .collect();
    let role = Role {
        key: key.clone(),
        name: "Translator".to_owned(),
        capabilities,
        built_in: false,
    };
    store.put_role(&site.id, &role, &Stamp::local(NOW)).await?;
    assert_eq!(store.role(&site.id, &key).await?, role);
    assert_eq!(store.roles(&site.id).await?.last(), Some(&role));
    let grace = NewUser {
        email: "grace@example.com",
        name: "Grace",
        password_hash: None,
        role: key.clone(),
    };
    let grace = store
        .add_member(&site.id, grace, &Stamp::user(&ada.id, NOW))
        .await?;
    let refused = store.remove_role(&site.id, &key, &Stamp::local(NOW)).await;
    assert_eq!(
        refusal(refused),
        "People still have this role; give them another one first."
    );
    store
        .remove_member(&site.id, &grace.user.id, &Stamp::local(NOW))
        .await?;
    store
        .remove_role(&site.id, &key, &Stamp::local(NOW))
        .await?;
    assert_eq!(
        refusal(store.role(&site.id, &key).await),
        "there is no such role"
    );
    Ok(())
}

async fn built_in_roles_cannot_be_changed(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0);
    let role = store.role(&site.id, &BuiltInRole::Viewer.key()).await?;
    let refused = store.put_role(&site.id, &role, &Stamp::local(NOW)).await;
    assert_eq!(
        refusal(refused),
        "The built-in roles cannot be changed; make a role of your own."
    );
    assert!(
        !store
            .role(&site.id, &BuiltInRole::Editor.key())
            .await?
            .capabilities
            .has(Capability::SiteCode)
    );
    Ok(())
}

async fn a_password_link_works_once_and_not_late(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let spent = "This link has expired or was already used; ask for a new one.";
    let link = store
        .create_link(&LinkPurpose::Password(ada.id.clone()), &Stamp::local(NOW))
        .await?;
    let (one, other) = tokio::join!(
        store.redeem_password_link(&link.token, "new-a", NOW),
        store.redeem_password_link(&link.token, "new-b", NOW),
    );
    assert_ne!(one.is_ok(), other.is_ok());
    let late = store
        .create_link(&LinkPurpose::Password(ada.id.clone()), &Stamp::local(NOW))
        .await?;
    assert_eq!(
        refusal(
            store
                .redeem_password_link(&late.token, "new-c", late.expires_at)
                .await
        ),
        spent
    );
    let setup = store
        .create_link(&LinkPurpose::Setup, &Stamp::local(NOW))
        .await?;
    assert_eq!(
        refusal(store.redeem_password_link(&setup.token, "new-d", NOW).await),
        spent
    );
    assert!(store.setup_link_works(&setup.token, NOW).await?);
    assert!(
        !store
            .setup_link_works(&setup.token, setup.expires_at)
            .await?
    );
    assert!(!store.setup_link_works(&late.token, NOW).await?);
    let hash = store.user(&ada.id).await?.password_hash;
    assert!(
        matches!(hash.as_deref(), Some("new-a" | "new-b")),
        "{hash:?}"
    );
    Ok(())
}

async fn a_newer_password_link_replaces_the_older(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let older = store
        .create_link(&LinkPurpose::Password(ada.id.clone()), &Stamp::local(NOW))
        .await?;
    let newer = store
        .create_link(&LinkPurpose::Password(ada.id.clone()), &Stamp::local(NOW))
        .await?;
    assert!(
        store
            .redeem_password_link(&older.token, "new", NOW)
            .await
            .is_err()
    );
    assert_eq!(
        store.redeem_password_link(&newer.token, "new", NOW).await?,
        ada.id
    );
    Ok(())
}
