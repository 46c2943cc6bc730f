//! Records: one order of events whoever writes, versions, keys, and requests that are answered once.

use anyhow::Result;
use serde_json::{Value, json};
use sitewright_store::{
    Actor, Breadcrumb, BreadcrumbFilter, BreadcrumbId, BreadcrumbReader, BreadcrumbRequest,
    CreatedBreadcrumb, EventKind, IdempotencyKey, NewBreadcrumbRun, RequestState, RunQuery,
    Sensitivity, SessionClaim, SiteId, Stamp, Store, Timestamp, UNREADABLE, Visibility,
    WorkflowRecord,
};
use sitewright_tool::Taint;
use tokio::task::JoinSet;

use crate::both::{Fresh, on_both};
use crate::people::NOW;

on_both! {
    events_are_seen_in_order_and_without_gaps_while_many_write
    a_version_is_replaced_once
    a_key_makes_one_record_also_when_two_requests_come_at_once
    a_request_is_answered_once
    a_session_belongs_to_whoever_named_it_first
    what_has_expired_is_gone_before_it_is_deleted
    a_value_that_cannot_be_read_says_so_and_leaves_the_others_readable
    earlier_versions_are_as_guarded_as_the_record_is_today
}

async fn site(store: &Store) -> Result<SiteId> {
    Ok(store.sites().await?.remove(0).id)
}

fn record(site: &SiteId, title: &str) -> Breadcrumb {
    Breadcrumb {
        id: BreadcrumbId::generate(),
        site: site.clone(),
        owner: "ada".to_owned(),
        schema_name: "note.v1".to_owned(),
        title: title.to_owned(),
        tags: vec!["note".to_owned(), format!("title:{title}")],
        context: json!({ "title": title }),
        version: 1,
        visibility: Visibility::Team,
        sensitivity: Sensitivity::Low,
        ttl: None,
        expires_at: None,
        taint: Taint::Trusted,
        seq: 0,
        created_by: Actor::Local,
        created_at: NOW,
        updated_by: Actor::Local,
        updated_at: NOW,
        search: title.to_lowercase(),
    }
}

fn reader(site: &SiteId) -> BreadcrumbReader<'_> {
    BreadcrumbReader {
        site,
        owner: Some("ada"),
        now: NOW,
    }
}

async fn events_are_seen_in_order_and_without_gaps_while_many_write(fresh: &Fresh) -> Result<()> {
    const WRITERS: i64 = 4;
    const EACH: i64 = 15;
    let store = fresh.open().await;
    let site = site(&store).await?;
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (store, site) = (store.clone(), site.clone());
        writers.spawn(async move {
            for number in 0..EACH {
                let new = record(&site, &format!("{writer}.{number}"));
                store
                    .create_breadcrumb(&new, None, None)
                    .await
                    .expect("a record");
            }
        });
    }
    let mut seen = Vec::new();
    let mut wake = store.wake_for_breadcrumbs(&site);
    while seen.len() < usize::try_from(WRITERS * EACH)? {
        let after = seen.last().copied().unwrap_or(0);
        let events = store.breadcrumb_events(reader(&site), after, 7).await?;
        let events = events.expect("nothing was deleted");
        if events.is_empty() {
            wake.changed().await;
        }
        seen.extend(events.iter().map(|event| event.seq));
    }
    assert_eq!(seen, (1..=WRITERS * EACH).collect::<Vec<i64>>());
    writers.join_all().await;
    let filter = BreadcrumbFilter {
        tags: &["note".to_owned(), "title:2.3".to_owned()],
        text: Some("2.3"),
        limit: 10,
        ..BreadcrumbFilter::default()
    };
    let page = store.breadcrumbs(reader(&site), filter).await?;
    assert_eq!((page.breadcrumbs.len(), page.next), (1, None));
    Ok(())
}

async fn a_version_is_replaced_once(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = site(&store).await?;
    let new = record(&site, "one");
    let CreatedBreadcrumb::New(first) = store.create_breadcrumb(&new, None, None).await? else {
        anyhow::bail!("it is new");
    };
    let by = Stamp::local(NOW);
    let changed = Breadcrumb {
        context: json!({ "title": "two" }),
        tags: vec!["other".to_owned()],
        ..first.clone()
    };
    let second = store
        .replace_breadcrumb(&changed, &by)
        .await?
        .expect("the version fits");
    assert_eq!(second.version, 2);
    assert_eq!(store.replace_breadcrumb(&changed, &by).await?, None);
    let history = store.breadcrumb_history(reader(&site), &first.id).await?;
    assert_eq!(
        history.iter().map(|one| one.version).collect::<Vec<_>>(),
        [1, 2]
    );
    store.delete_breadcrumb(&second, &by).await?;
    let events = store
        .breadcrumb_events(reader(&site), 0, 10)
        .await?
        .expect("all of them");
    let kinds: Vec<(EventKind, bool)> = events
        .iter()
        .map(|event| (event.kind, event.breadcrumb.is_some()))
        .collect();
    assert_eq!(
        kinds,
        [
            (EventKind::Created, false),
            (EventKind::Updated, false),
            (EventKind::Deleted, false)
        ]
    );
    Ok(())
}

async fn a_key_makes_one_record_also_when_two_requests_come_at_once(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = site(&store).await?;
    let key = |digest| Some(IdempotencyKey { key: "k", digest });
    let (one, two) = (record(&site, "one"), record(&site, "one"));
    let (first, second) = tokio::join!(
        store.create_breadcrumb(&one, None, key("d")),
        store.create_breadcrumb(&two, None, key("d"))
    );
    let is_new = |created: &CreatedBreadcrumb| matches!(created, CreatedBreadcrumb::New(_));
    assert_ne!(is_new(&first?), is_new(&second?));
    let other = store
        .create_breadcrumb(&record(&site, "x"), None, key("e"))
        .await?;
    assert_eq!(other, CreatedBreadcrumb::KeyTaken);
    assert_eq!(
        store.last_breadcrumb_event(&site).await?,
        1,
        "a repeat leaves no trace"
    );
    Ok(())
}

async fn a_request_is_answered_once(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = site(&store).await?;
    let run = NewBreadcrumbRun {
        caller: json!({}),
        session: None,
        depth: 0,
        holder: "one".to_owned(),
        due: NOW,
        requests: vec![BreadcrumbRequest {
            position: 0,
            request_id: "r".to_owned(),
            body: json!({}),
            returns: false,
            state: RequestState::Open,
            response: None,
        }],
    };
    let asking = record(&site, "asking");
    store.create_breadcrumb(&asking, Some(&run), None).await?;
    let (one, two) = (record(&site, "answer"), record(&site, "answer"));
    let (first, second) = tokio::join!(
        store.answer_request(&asking.id, 0, &one),
        store.answer_request(&asking.id, 0, &two)
    );
    assert_ne!(first?.is_some(), second?.is_some());
    assert_eq!(store.last_breadcrumb_event(&site).await?, 2);
    let held = store.open_breadcrumb_runs().await?.remove(0);
    assert!(
        store
            .take_breadcrumb_run(&held, "two", NOW.after(std::time::Duration::from_secs(9)))
            .await?
    );
    assert!(
        !store.take_breadcrumb_run(&held, "three", NOW).await?,
        "the second was too late"
    );
    store.end_breadcrumb_run(&asking.id).await?;
    assert_eq!(store.open_breadcrumb_runs().await?, []);
    Ok(())
}

async fn a_session_belongs_to_whoever_named_it_first(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = site(&store).await?;
    let own = SessionClaim::Own { conversation: None };
    assert_eq!(store.claim_session(&site, "s", "ada").await?, own);
    assert_eq!(
        store.claim_session(&site, "s", "eve").await?,
        SessionClaim::Foreign
    );
    assert_eq!(store.claim_session(&site, "s", "ada").await?, own);
    Ok(())
}

async fn what_has_expired_is_gone_before_it_is_deleted(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = site(&store).await?;
    let short = Breadcrumb {
        expires_at: Some(Timestamp::from_millis(NOW.millis() + 10)),
        ..record(&site, "short")
    };
    store.create_breadcrumb(&short, None, None).await?;
    assert!(store.breadcrumb(reader(&site), &short.id).await.is_ok());
    let later = BreadcrumbReader {
        now: Timestamp::from_millis(NOW.millis() + 11),
        ..reader(&site)
    };
    assert!(store.breadcrumb(later, &short.id).await.is_err());
    assert_eq!(
        store
            .breadcrumbs(
                later,
                BreadcrumbFilter {
                    limit: 9,
                    ..BreadcrumbFilter::default()
                }
            )
            .await?
            .breadcrumbs,
        []
    );
    Ok(())
}

/// Earlier versions stored values that are nested deeper than they can be read.
async fn a_value_that_cannot_be_read_says_so_and_leaves_the_others_readable(
    fresh: &Fresh,
) -> Result<()> {
    let store = fresh.open().await;
    let site = site(&store).await?;
    let nested = (0..200).fold(json!("core"), |inner, _| json!({ "inner": inner }));
    let deep = Breadcrumb {
        context: nested.clone(),
        ..record(&site, "deep")
    };
    for new in [&deep, &record(&site, "flat")] {
        store.create_breadcrumb(new, None, None).await?;
    }
    let says_so = |value: &Value| {
        value[UNREADABLE]
            .as_str()
            .is_some_and(|text| !text.is_empty())
    };
    let filter = BreadcrumbFilter {
        limit: 10,
        ..BreadcrumbFilter::default()
    };
    let listed = store.breadcrumbs(reader(&site), filter).await?.breadcrumbs;
    assert!(says_so(&listed[0].context), "{:?}", listed[0].context);
    assert_eq!(listed[1].context, json!({ "title": "flat" }));
    let history = store.breadcrumb_history(reader(&site), &deep.id).await?;
    assert!(says_so(&history[0].context));
    let events = store.breadcrumb_events(reader(&site), 0, 10).await?;
    assert_eq!(events.map(|events| events.len()), Some(2));
    for (id, body) in [("a", nested), ("b", json!({ "steps": [] }))] {
        let workflow = WorkflowRecord {
            id: id.to_owned(),
            site: site.clone(),
            actor: Actor::Local,
            body,
            at: NOW,
            ended_at: None,
        };
        store.save_workflow(&workflow).await?;
    }
    let query = RunQuery {
        actor: None,
        before: None,
        limit: 10,
    };
    let bodies = store.workflows(&site, query, |workflow| workflow.body);
    let bodies = bodies.await?;
    assert_eq!(bodies[0], json!({ "steps": [] }));
    assert!(says_so(&bodies[1]), "{:?}", bodies[1]);
    // It can still be deleted, like any other.
    let by = Stamp {
        actor: Actor::Local,
        at: NOW,
    };
    store.delete_breadcrumb(&listed[0], &by).await?;
    let left = store.breadcrumbs(reader(&site), filter).await?.breadcrumbs;
    assert_eq!(left.len(), 1);
    Ok(())
}

async fn earlier_versions_are_as_guarded_as_the_record_is_today(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = site(&store).await?;
    let by = Stamp {
        actor: Actor::Local,
        at: NOW,
    };
    let mut made = Vec::new();
    for title in ["sensitive", "private"] {
        let CreatedBreadcrumb::New(new) = store
            .create_breadcrumb(&record(&site, title), None, None)
            .await?
        else {
            anyhow::bail!("it is new");
        };
        made.push(new);
    }
    let sensitive = Breadcrumb {
        sensitivity: Sensitivity::Pii,
        ..made[0].clone()
    };
    let private = Breadcrumb {
        visibility: Visibility::Private,
        ..made[1].clone()
    };
    for changed in [&sensitive, &private] {
        store.replace_breadcrumb(changed, &by).await?;
    }
    let history = store.breadcrumb_history(reader(&site), &made[0].id).await?;
    let all: Vec<Sensitivity> = history.iter().map(|one| one.sensitivity).collect();
    assert_eq!(all, [Sensitivity::Pii, Sensitivity::Pii]);
    let grace = BreadcrumbReader {
        owner: Some("grace"),
        ..reader(&site)
    };
    let events = store.breadcrumb_events(grace, 0, 10).await?;
    let events = events.unwrap_or_default();
    let shown: Vec<(&BreadcrumbId, Sensitivity)> = events
        .iter()
        .filter_map(|event| event.breadcrumb.as_ref())
        .map(|record| (&record.id, record.sensitivity))
        .collect();
    let id = &made[0].id;
    assert_eq!(shown, [(id, Sensitivity::Pii), (id, Sensitivity::Pii)]);
    Ok(())
}
