use std::time::Duration;

use anyhow::Result;
use sitewright_store::{
    NewPassword, NewSession, SessionSecret, SiteId, Stamp, Store, Throttle, ThrottleVerdict,
    ThrottledSubject, TokensAfterPassword, UserId,
};

use crate::both::{Fresh, on_both};
use crate::people::{NOW, set_up};

on_both! {
    a_session_lasts_while_it_is_used
    ending_a_session_needs_its_owner
    a_new_password_ends_the_other_sessions
    attempts_are_counted_over_restarts_and_forgotten_in_time
    attempts_at_once_are_all_counted
    l1_attempts_on_a_full_account_write_nothing
}

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) async fn begin(store: &Store, user: &UserId, site: &SiteId) -> Result<SessionSecret> {
    let new = NewSession {
        user,
        site,
        user_agent: "a browser",
        address: "192.0.2.7",
    };
    Ok(store.create_session(new, NOW).await?.0)
}

async fn a_session_lasts_while_it_is_used(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0);
    let secret = begin(&store, &ada.id, &site.id).await?;
    assert_eq!(
        store
            .session(&SessionSecret::from_cookie("guess"), NOW)
            .await?,
        None
    );
    let used = NOW.after(10 * DAY);
    assert!(store.session(&secret, used).await?.is_some());
    assert!(
        store.session(&secret, NOW.after(20 * DAY)).await?.is_some(),
        "using it on day 10 kept it alive"
    );
    assert_eq!(store.session(&secret, NOW.after(40 * DAY)).await?, None);
    store.sweep(NOW.after(40 * DAY)).await?;
    assert_eq!(store.sessions_of(&ada.id, NOW).await?, []);
    Ok(())
}

async fn ending_a_session_needs_its_owner(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0);
    let secret = begin(&store, &ada.id, &site.id).await?;
    let session = store.session(&secret, NOW).await?.expect("a session");
    store
        .end_session(&UserId::new(), &session.id, &Stamp::local(NOW))
        .await?;
    assert!(store.session(&secret, NOW).await?.is_some());
    store
        .end_session(&ada.id, &session.id, &Stamp::local(NOW))
        .await?;
    assert_eq!(store.session(&secret, NOW).await?, None);
    Ok(())
}

async fn a_new_password_ends_the_other_sessions(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let ada = set_up(&store).await?;
    let site = store.sites().await?.remove(0);
    let mine = begin(&store, &ada.id, &site.id).await?;
    let other = begin(&store, &ada.id, &site.id).await?;
    let keep = store.session(&mine, NOW).await?.expect("a session").id;
    store
        .set_password(
            NewPassword {
                user: &ada.id,
                password_hash: "new",
                keep: Some(&keep),
                tokens: TokensAfterPassword::End,
            },
            &Stamp::user(&ada.id, NOW),
        )
        .await?;
    assert!(store.session(&mine, NOW).await?.is_some());
    assert_eq!(store.session(&other, NOW).await?, None);
    Ok(())
}

fn counted(subject: &str, rule: Throttle) -> [ThrottledSubject; 1] {
    let subject = subject.to_owned();
    [ThrottledSubject { subject, rule }]
}

async fn attempts_are_counted_over_restarts_and_forgotten_in_time(fresh: &Fresh) -> Result<()> {
    let rule = Throttle {
        attempts: 2,
        span: Duration::from_secs(60),
    };
    let on = |subject: &str| counted(subject, rule);
    let store = fresh.open().await;
    assert_eq!(
        store.attempt(&on("ada"), NOW).await?,
        ThrottleVerdict::Allowed
    );
    assert_eq!(
        store.attempt(&on("ada"), NOW).await?,
        ThrottleVerdict::Allowed
    );
    store.close().await;
    let store = fresh.open().await;
    let later = NOW.after(Duration::from_secs(20));
    assert_eq!(
        store.attempt(&on("ada"), later).await?,
        ThrottleVerdict::Wait(Duration::from_secs(40))
    );
    assert_eq!(
        store.attempt(&on("grace"), later).await?,
        ThrottleVerdict::Allowed
    );
    assert_eq!(
        store.attempt(&on("ada"), NOW.after(rule.span)).await?,
        ThrottleVerdict::Allowed
    );
    store.forget_attempts("ada").await?;
    assert_eq!(
        store.attempt(&on("ada"), NOW.after(rule.span)).await?,
        ThrottleVerdict::Allowed
    );
    assert_eq!(
        store.attempt(&on("ada"), NOW.after(rule.span)).await?,
        ThrottleVerdict::Allowed
    );
    Ok(())
}

async fn attempts_at_once_are_all_counted(fresh: &Fresh) -> Result<()> {
    let rule = Throttle {
        attempts: 5,
        span: Duration::from_secs(60),
    };
    let store = fresh.open().await;
    let ada = counted("ada", rule);
    let attempts = (0..20).map(|_| store.attempt(&ada, NOW));
    let verdicts = futures_util::future::join_all(attempts).await;
    let verdicts = verdicts.into_iter().collect::<Result<Vec<_>, _>>()?;
    assert_eq!(
        verdicts
            .iter()
            .filter(|verdict| **verdict == ThrottleVerdict::Allowed)
            .count(),
        5
    );
    Ok(())
}

/// L1: guesses at one account, each from another client, make no rows once the account is full.
async fn l1_attempts_on_a_full_account_write_nothing(fresh: &Fresh) -> Result<()> {
    let rule = Throttle {
        attempts: 1,
        span: Duration::from_secs(60),
    };
    let store = fresh.open().await;
    let guess = |client: &str| [counted(client, rule), counted("ada", rule)].concat();
    let first = store.attempt(&guess("one"), NOW).await?;
    assert_eq!(first, ThrottleVerdict::Allowed);
    let second = store.attempt(&guess("two"), NOW).await?;
    assert_eq!(second, ThrottleVerdict::Wait(rule.span));
    let alone = store.attempt(&counted("two", rule), NOW).await?;
    assert_eq!(alone, ThrottleVerdict::Allowed, "it was not counted");
    Ok(())
}
