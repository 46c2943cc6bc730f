//! Second factors, passkeys, notices, and the end of sessions, tokens and accounts.

use std::time::Duration;

use anyhow::Result;
use secrecy::{ExposeSecret as _, SecretString};
use sitewright_store::{
    AccountEvent, BuiltInRole, ConversationOwner, KeySource, LinkPurpose, Member, NewPasskey,
    NewPassword, NewSecondFactor, NewToken, NewUser, NoticeAuthor, Secrets, SiteId, Stamp, Store,
    StoreError, TokenKind, TokenSecret, TokensAfterPassword, User, UserId,
};
use sitewright_tool::CapabilitySet;

use crate::both::{Fresh, on_both};
use crate::conversations::conversation;
use crate::people::{NOW, set_up};
use crate::sessions::begin;

on_both! {
    m8_a_session_ends_after_90_days_however_much_it_is_used
    m8_a_reset_ends_tokens_and_a_change_can_keep_them
    m8_ending_everything_ends_sessions_tokens_and_links
    a_code_is_accepted_once_and_a_recovery_code_too
    a_second_factor_is_not_stored_in_the_clear
    m8_people_learn_of_changes_to_their_account
    an_invitation_is_no_change_to_an_account
    a_passkey_belongs_to_one_person
    a_ticket_is_spent_once
    l10_a_deleted_account_leaves_its_authorship_and_nothing_else
    l10_the_last_owner_cannot_be_deleted
    l11_a_new_setup_link_replaces_the_older_ones
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

async fn grace(store: &Store, site: &SiteId, ada: &User) -> Result<Member> {
    let new = NewUser {
        email: "grace@example.com",
        name: "Grace",
        password_hash: Some("hash"),
        role: BuiltInRole::Editor.key(),
    };
    let by = Stamp::user(&ada.id, NOW);
    Ok(store.add_member(site, new, &by).await?)
}

async fn token_of(store: &Store, user: &UserId, site: &SiteId) -> Result<TokenSecret> {
    let new = NewToken {
        site,
        name: "deploy",
        kind: TokenKind::Script,
        capabilities: CapabilitySet::all(),
        maker: Some(user),
        parent: None,
        expires_at: None,
    };
    Ok(store.create_token(new, &Stamp::user(user, NOW)).await?.0)
}

async fn m8_a_session_ends_after_90_days_however_much_it_is_used(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0).id;
    let secret = begin(&store, &ada.id, &site).await?;
    for days in (1..90).step_by(8) {
        let used = store.session(&secret, NOW.after(days * DAY)).await?;
        assert!(used.is_some(), "day {days}");
    }
    let last = NOW.after(90 * DAY).before(Duration::from_secs(1));
    let session = store.session(&secret, last).await?.expect("a session");
    assert!(session.expires_at <= NOW.after(90 * DAY));
    assert_eq!(store.session(&secret, NOW.after(90 * DAY)).await?, None);
    Ok(())
}

async fn m8_a_reset_ends_tokens_and_a_change_can_keep_them(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0).id;
    let by = Stamp::user(&ada.id, NOW);
    for (tokens, works) in [
        (TokensAfterPassword::Keep, true),
        (TokensAfterPassword::End, false),
    ] {
        let token = token_of(&store, &ada.id, &site).await?;
        let new = NewPassword {
            user: &ada.id,
            password_hash: "new",
            keep: None,
            tokens,
        };
        store.set_password(new, &by).await?;
        assert_eq!(store.token(&token, NOW).await?.is_some(), works);
    }
    let token = token_of(&store, &ada.id, &site).await?;
    let link = LinkPurpose::Password(ada.id.clone());
    let link = store.create_link(&link, &by).await?;
    store
        .redeem_password_link(&link.token, "reset", NOW)
        .await?;
    assert_eq!(store.token(&token, NOW).await?, None);
    Ok(())
}

async fn m8_ending_everything_ends_sessions_tokens_and_links(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0).id;
    let grace = grace(&store, &site, &ada).await?.user.id;
    let by = Stamp::user(&ada.id, NOW);
    let (token, session) = (
        token_of(&store, &ada.id, &site).await?,
        begin(&store, &ada.id, &site).await?,
    );
    let others = (
        token_of(&store, &grace, &site).await?,
        begin(&store, &grace, &site).await?,
    );
    let link = LinkPurpose::Password(ada.id.clone());
    let link = store.create_link(&link, &by).await?;
    store.end_everything(&ada.id, &by).await?;
    assert_eq!(store.token(&token, NOW).await?, None);
    assert_eq!(store.session(&session, NOW).await?, None);
    let spent = store.redeem_password_link(&link.token, "new", NOW).await;
    assert!(matches!(spent, Err(StoreError::Refused { .. })));
    assert!(store.token(&others.0, NOW).await?.is_some());
    assert!(store.session(&others.1, NOW).await?.is_some());
    Ok(())
}

async fn with_second_factor(store: &Store, user: &UserId) -> Result<Secrets> {
    let key = KeySource::Given(SecretString::from(KEY));
    let secrets = Secrets::open(store, &key).await?;
    let new = NewSecondFactor {
        user,
        secret: &SecretString::from("JBSWY3DPEHPK3PXP"),
        step: 100,
        recovery_codes: &["one", "two"].map(SecretString::from),
    };
    secrets
        .put_second_factor(new, &Stamp::user(user, NOW))
        .await?;
    Ok(secrets)
}

async fn a_code_is_accepted_once_and_a_recovery_code_too(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?.id;
    assert_eq!(store.second_factor(&ada).await?, None);
    let secrets = with_second_factor(&store, &ada).await?;
    let secret = secrets.second_factor_secret(&ada).await?;
    let secret = secret.expect("a secret");
    assert_eq!(secret.expose_secret(), "JBSWY3DPEHPK3PXP");
    assert!(
        !store.accept_code_step(&ada, 100).await?,
        "the code that turned it on"
    );
    let (one, other) = tokio::join!(
        store.accept_code_step(&ada, 102),
        store.accept_code_step(&ada, 102)
    );
    assert_ne!(one?, other?);
    assert!(!store.accept_code_step(&ada, 101).await?, "an older one");
    let code = SecretString::from("one");
    let (one, other) = tokio::join!(
        store.spend_recovery_code(&ada, &code, NOW),
        store.spend_recovery_code(&ada, &code, NOW)
    );
    assert_ne!(one?, other?);
    let left = store.second_factor(&ada).await?.expect("a factor");
    assert_eq!(left.recovery_codes_left, 1);
    let by = Stamp::user(&ada, NOW);
    let codes = ["three"].map(SecretString::from);
    store.replace_recovery_codes(&ada, &codes, &by).await?;
    let old = SecretString::from("two");
    assert!(!store.spend_recovery_code(&ada, &old, NOW).await?);
    store.remove_second_factor(&ada, &by).await?;
    assert_eq!(store.second_factor(&ada).await?, None);
    assert!(!store.spend_recovery_code(&ada, &codes[0], NOW).await?);
    assert!(!store.accept_code_step(&ada, 200).await?);
    Ok(())
}

async fn a_second_factor_is_not_stored_in_the_clear(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?.id;
    with_second_factor(&store, &ada).await?;
    store.close().await;
    if let sitewright_store::Place::File(path) = &fresh.place {
        let bytes = std::fs::read(path)?;
        let secret = b"JBSWY3DPEHPK3PXP";
        assert!(!bytes.windows(secret.len()).any(|part| part == secret));
    }
    Ok(())
}

async fn m8_people_learn_of_changes_to_their_account(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0).id;
    let grace = grace(&store, &site, &ada).await?.user.id;
    let by_ada = Stamp::user(&ada.id, NOW.after(DAY));
    let link = LinkPurpose::Password(grace.clone());
    let link = store.create_link(&link, &by_ada).await?;
    let redeemed = NOW.after(2 * DAY);
    store
        .redeem_password_link(&link.token, "new", redeemed)
        .await?;
    token_of(&store, &grace, &site).await?;
    let by_machine = Stamp::local(NOW.after(3 * DAY));
    store.end_sessions(&grace, &by_machine).await?;
    let notices = store.account_notices(&grace).await?;
    let told: Vec<(AccountEvent, &NoticeAuthor, &str)> = notices
        .iter()
        .map(|notice| (notice.event, &notice.by, notice.about.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            (AccountEvent::SessionsEnded, &NoticeAuthor::Machine, ""),
            (AccountEvent::PasswordChanged, &NoticeAuthor::Owner, "link"),
            (
                AccountEvent::PasswordLinkMade,
                &NoticeAuthor::Person(Some("Ada".to_owned())),
                ""
            ),
            (AccountEvent::TokenCreated, &NoticeAuthor::Owner, "deploy"),
        ]
    );
    store.dismiss_notice(&ada.id, &notices[0].id).await?;
    assert_eq!(store.account_notices(&grace).await?.len(), 4, "not hers");
    store.dismiss_notice(&grace, &notices[0].id).await?;
    assert_eq!(store.account_notices(&grace).await?, notices[1..]);
    Ok(())
}

async fn an_invitation_is_no_change_to_an_account(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0).id;
    let by = Stamp::user(&ada.id, NOW);
    let new = NewUser {
        email: "joan@example.com",
        name: "Joan",
        password_hash: None,
        role: BuiltInRole::Editor.key(),
    };
    let joan = store.add_member(&site, new, &by).await?.user.id;
    let link = LinkPurpose::Password(joan.clone());
    let link = store.create_link(&link, &by).await?;
    store.redeem_password_link(&link.token, "new", NOW).await?;
    assert_eq!(store.account_notices(&joan).await?, []);
    Ok(())
}

async fn a_passkey_belongs_to_one_person(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0).id;
    let grace = grace(&store, &site, &ada).await?.user.id;
    let new = |user| NewPasskey {
        user,
        credential_id: "abc",
        name: "Laptop",
        credential: "{}",
    };
    let by = Stamp::user(&ada.id, NOW);
    let id = store.add_passkey(new(&ada.id), &by).await?;
    let taken = store.add_passkey(new(&grace), &by).await;
    assert!(matches!(taken, Err(StoreError::Taken { .. })));
    let found = store.passkey("abc").await?.expect("the passkey");
    assert_eq!((&found.id, &found.user), (&id, &ada.id));
    assert!(store.rename_passkey(&grace, &id, "Mine").await.is_err());
    assert!(store.remove_passkey(&grace, &id, &by).await.is_err());
    store.rename_passkey(&ada.id, &id, "Desk").await?;
    store.use_passkey(&id, "{\"n\":1}", NOW.after(DAY)).await?;
    let all = store.passkeys_of(&ada.id).await?;
    assert_eq!(
        (all[0].name.as_str(), all[0].credential.as_str()),
        ("Desk", "{\"n\":1}")
    );
    assert_eq!(all[0].last_used_at, Some(NOW.after(DAY)));
    store.remove_passkey(&ada.id, &id, &by).await?;
    assert_eq!(store.passkey("abc").await?, None);
    Ok(())
}

async fn a_ticket_is_spent_once(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let until = NOW.after(DAY);
    let (one, other) = tokio::join!(
        store.spend_ticket("ticket", until),
        store.spend_ticket("ticket", until)
    );
    assert_ne!(one?, other?);
    assert!(store.spend_ticket("another", until).await?);
    store.sweep(NOW).await?;
    assert!(!store.spend_ticket("ticket", until).await?);
    Ok(())
}

async fn l10_a_deleted_account_leaves_its_authorship_and_nothing_else(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0).id;
    let grace = grace(&store, &site, &ada).await?.user.id;
    with_second_factor(&store, &grace).await?;
    let session = begin(&store, &grace, &site).await?;
    let token = token_of(&store, &grace, &site).await?;
    let by = Stamp::user(&ada.id, NOW);
    let hers = conversation(&site, grace.as_str());
    store.create_conversation(&hers, &by).await?;
    store.delete_account(&grace, &by).await?;
    let owner = ConversationOwner {
        site: &site,
        owner: grace.as_str(),
    };
    assert!(store.conversation(owner, &hers.id).await.is_err());
    assert_eq!(store.session(&session, NOW).await?, None);
    assert_eq!(store.token(&token, NOW).await?, None);
    assert_eq!(store.second_factor(&grace).await?, None);
    assert_eq!(store.user_by_email("grace@example.com").await?, None);
    let left = store.user(&grace).await?;
    assert_eq!(
        (left.name.as_str(), left.password_hash, left.disabled),
        ("Someone who left", None, true)
    );
    assert!(!left.email.contains("grace"));
    let entries = store.audit_page(&site, None, 100).await?.entries;
    let made = entries.iter().find(|entry| entry.action == "token.created");
    let name = made.and_then(|entry| entry.actor_name.as_deref());
    assert_eq!(name, Some("Someone who left"));
    let again = store.delete_account(&grace, &by).await;
    assert!(matches!(again, Err(StoreError::NotFound { .. })));
    // The address is free for a new account.
    let back = self::grace(&store, &site, &ada).await?;
    assert_ne!(back.user.id, grace);
    Ok(())
}

async fn l10_the_last_owner_cannot_be_deleted(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let by = Stamp::user(&ada.id, NOW);
    let refused = store.delete_account(&ada.id, &by).await;
    assert!(matches!(refused, Err(StoreError::Refused { .. })));
    assert_eq!(store.user(&ada.id).await?, ada);
    Ok(())
}

async fn l11_a_new_setup_link_replaces_the_older_ones(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let by = Stamp::local(NOW);
    let older = store.create_link(&LinkPurpose::Setup, &by).await?;
    let newer = store.create_link(&LinkPurpose::Setup, &by).await?;
    assert!(!store.setup_link_works(&older.token, NOW).await?);
    assert!(store.setup_link_works(&newer.token, NOW).await?);
    Ok(())
}
