//! Releases: what visitors see, and changing that in one step.

use anyhow::{Context as _, Result};
use serde_json::json;
use sitewright_site::{Author, BodyId, Change, ChangeId, Entity, FORMAT, Op};
use sitewright_store::{
    Actor, BlobId, Committer, NewRelease, Release, ReleaseFile, ReleaseId, ReleaseRoute,
    ReleaseRoutes, ReleaseSwitch, RouteKind, SiteId, Stamp, Store, StoreError, Switch, Timestamp,
};
use sitewright_tool::{CapabilitySet, Taint};

use crate::both::{Fresh, on_both};
use crate::documents::is_woken;
use crate::people::NOW;

on_both! {
    a_release_reads_back_as_it_was_and_is_what_visitors_see
    releases_are_counted_for_each_site
    a_switch_that_begins_elsewhere_does_nothing
    of_two_switches_at_once_one_happens
    a_call_switches_once
    going_back_keeps_every_release_and_goes_on_counting
    files_are_kept_once_and_found_in_any_number
    a_publication_that_is_dropped_half_way_leaves_the_release_before
    a_switch_wakes_those_who_wait
    it_is_known_who_touched_what
}

pub(crate) fn route(name: &str) -> ReleaseRoute {
    ReleaseRoute {
        file: BlobId::of(name.as_bytes()),
        content_type: "text/html; charset=utf-8".to_owned(),
        page: Some(BodyId::from(7)),
        title: name.to_uppercase(),
        seq: 7,
        kind: RouteKind::Page,
        is_listed: true,
        has_scripts: name.ends_with("script"),
        script_policy: name
            .ends_with("script")
            .then(|| "script-src 'sha256-x'".to_owned()),
        entries: None,
    }
}

fn routes(names: &[&str]) -> ReleaseRoutes {
    names
        .iter()
        .map(|name| (format!("/{name}"), route(name)))
        .collect()
}

pub(crate) fn file(name: &str) -> ReleaseFile {
    ReleaseFile {
        blob: BlobId::of(name.as_bytes()),
        bytes: name.len() as u64,
        brotli: Some(BlobId::of(format!("br {name}").as_bytes())),
        gzip: None,
    }
}

async fn main_site(store: &Store) -> Result<SiteId> {
    Ok(store.sites().await?.remove(0).id)
}

/// Publishes pages after a release at a time.
pub(crate) async fn publish_at(
    store: &Store,
    site: &SiteId,
    names: &[&str],
    from: Option<&ReleaseId>,
    at: Timestamp,
) -> Result<Option<Release>, StoreError> {
    let routes = routes(names);
    let files: Vec<ReleaseFile> = names.iter().map(|name| file(name)).collect();
    let new = NewRelease {
        seq: 9,
        note: "",
        routes: &routes,
        files: &files,
        reused: &[],
    };
    let switch = Switch {
        from,
        call: None,
        agreed: None,
        by: &Stamp::local(at),
    };
    store.publish(site, new, switch).await
}

/// Publishes pages after a release, in the name of a call.
async fn publish(
    store: &Store,
    site: &SiteId,
    names: &[&str],
    (from, call): (Option<&ReleaseId>, Option<&str>),
) -> Result<Option<Release>, StoreError> {
    let routes = routes(names);
    let files: Vec<ReleaseFile> = names.iter().map(|name| file(name)).collect();
    let new = NewRelease {
        seq: 9,
        note: "Spring",
        routes: &routes,
        files: &files,
        reused: &[],
    };
    let switch = Switch {
        from,
        call,
        agreed: call.map(|_| "what was shown"),
        by: &Stamp::local(NOW),
    };
    store.publish(site, new, switch).await
}

async fn a_release_reads_back_as_it_was_and_is_what_visitors_see(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    assert_eq!(store.current_release(&site).await?, None);
    let published = publish(&store, &site, &["", "über", "a script"], (None, None)).await?;
    let release = published.context("a release")?;
    let expected = Release {
        id: release.id.clone(),
        number: 1,
        seq: 9,
        actor: Actor::Local,
        note: "Spring".to_owned(),
        at: NOW,
        pages: 3,
    };
    assert_eq!(release, expected);
    let store = fresh.open().await;
    assert_eq!(
        store.current_release(&site).await?.as_ref(),
        Some(&release.id)
    );
    assert_eq!(store.release(&site, &release.id).await?, release);
    let read = store.release_routes(&site, &release.id).await?;
    assert_eq!(read, routes(&["", "über", "a script"]));
    let told = store.audit_page(&site, None, 10).await?.entries;
    let told = told.iter().find(|entry| entry.action == "site.published");
    let told = told.context("an entry")?;
    assert_eq!(told.subject.as_deref(), Some(release.id.as_str()));
    assert_eq!(
        told.detail,
        Some(json!({ "number": 1, "seq": 9, "pages": 3, "note": "Spring" }))
    );
    Ok(())
}

async fn releases_are_counted_for_each_site(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let (one, two) = (
        main_site(&store).await?,
        store.create_site("two", "Two", NOW).await?.id,
    );
    let first = publish(&store, &one, &["a"], (None, None)).await?;
    let first = first.context("a release")?;
    let other = publish(&store, &two, &["a"], (None, None)).await?;
    assert_eq!(other.context("a release")?.number, 1);
    let unknown = store.release(&two, &first.id).await;
    assert!(matches!(unknown, Err(StoreError::NotFound { .. })));
    assert_eq!(store.releases(&two, None, 10).await?.len(), 1);
    Ok(())
}

async fn a_switch_that_begins_elsewhere_does_nothing(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    let first = publish(&store, &site, &["a"], (None, None)).await?;
    let first = first.context("a release")?;
    let late = publish(&store, &site, &["b"], (None, None)).await?;
    assert_eq!(late, None);
    let unknown = ReleaseId::new();
    let astray = publish(&store, &site, &["b"], (Some(&unknown), None)).await?;
    assert_eq!(astray, None);
    assert_eq!(store.releases(&site, None, 10).await?, [first]);
    Ok(())
}

async fn of_two_switches_at_once_one_happens(fresh: &Fresh) -> Result<()> {
    let (one, two) = (fresh.open().await, fresh.open().await);
    let site = main_site(&one).await?;
    let mut from: Option<ReleaseId> = None;
    for round in 1..=8 {
        let (first, second) = tokio::join!(
            publish(&one, &site, &["a"], (from.as_ref(), None)),
            publish(&two, &site, &["b"], (from.as_ref(), None)),
        );
        let made: Vec<Release> = [first?, second?].into_iter().flatten().collect();
        assert_eq!(made.len(), 1, "round {round}");
        assert_eq!(made[0].number, round);
        from = one.current_release(&site).await?;
        assert_eq!(from.as_ref(), Some(&made[0].id));
    }
    Ok(())
}

async fn a_call_switches_once(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    assert_eq!(store.switch_of_call(&site, "c1").await?, None);
    let first = publish(&store, &site, &["a"], (None, Some("c1"))).await?;
    let first = first.context("a release")?;
    let switched = ReleaseSwitch {
        release: first.id.clone(),
        agreed: Some("what was shown".to_owned()),
    };
    assert_eq!(store.switch_of_call(&site, "c1").await?, Some(switched));
    let again = publish(&store, &site, &["b"], (Some(&first.id), Some("c1"))).await?;
    assert_eq!(again, None);
    assert_eq!(store.releases(&site, None, 10).await?, [first]);
    Ok(())
}

async fn going_back_keeps_every_release_and_goes_on_counting(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    let mut from: Option<ReleaseId> = None;
    for name in ["a", "b", "c"] {
        let made = publish(&store, &site, &[name], (from.as_ref(), None)).await?;
        from = made.map(|made| made.id);
    }
    let all = store.releases(&site, None, 10).await?;
    let numbers: Vec<u64> = all.iter().map(|release| release.number).collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(store.releases(&site, Some(3), 1).await?, all[1..2]);
    let by = Stamp::local(NOW);
    let back = |from| Switch {
        from,
        call: None,
        agreed: None,
        by: &by,
    };
    let stale = store.show_release(&site, &all[2], back(Some(&all[1].id)));
    assert!(!stale.await?);
    let shown = store.show_release(&site, &all[2], back(from.as_ref()));
    assert!(shown.await?);
    assert_eq!(store.current_release(&site).await?, Some(all[2].id.clone()));
    let next = publish(&store, &site, &["d"], (Some(&all[2].id), None)).await?;
    assert_eq!(next.context("a release")?.number, 4);
    let told = store.audit_page(&site, None, 10).await?.entries;
    assert!(told.iter().any(|entry| entry.action == "site.rolled_back"
        && entry.subject.as_deref() == Some(all[2].id.as_str())));
    Ok(())
}

async fn files_are_kept_once_and_found_in_any_number(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    let names: Vec<String> = (0..450).map(|number| format!("page {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let first = publish(&store, &site, &names, (None, None)).await?;
    let first = first.context("a release")?;
    let second = publish(&store, &site, &names, (Some(&first.id), None)).await?;
    assert_eq!(second.context("a release")?.pages, 450);
    let mut wanted: Vec<BlobId> = names.iter().map(|name| file(name).blob).collect();
    wanted.push(BlobId::of(b"nobody has this"));
    let mut found = store.release_files(&site, &wanted).await?;
    let mut expected: Vec<ReleaseFile> = names.iter().map(|name| file(name)).collect();
    found.sort_by(|one, other| one.blob.cmp(&other.blob));
    expected.sort_by(|one, other| one.blob.cmp(&other.blob));
    assert_eq!(found, expected);
    Ok(())
}

/// Each time it is given twice as long before it is dropped, until it comes to its end.
async fn a_publication_that_is_dropped_half_way_leaves_the_release_before(
    fresh: &Fresh,
) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    let first = publish(&store, &site, &["a"], (None, None)).await?;
    let first = first.context("a release")?;
    for turns in (0..).map(|power| 2_u32.pow(power)) {
        let publication = publish(&store, &site, &["b", "c"], (Some(&first.id), None));
        let patience = async {
            for _ in 0..turns {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            () = patience => {}
            published = publication => drop(published?),
        }
        let current = store.current_release(&site).await?.context("a release")?;
        let pages = store.release_routes(&site, &current).await?.len();
        let whole = if current == first.id { 1 } else { 2 };
        assert_eq!(pages, whole, "dropped after {turns} turns");
        if current != first.id {
            return Ok(());
        }
    }
    anyhow::bail!("it never came to its end")
}

async fn a_switch_wakes_those_who_wait(fresh: &Fresh) -> Result<()> {
    let (here, there) = (fresh.open().await, fresh.open().await);
    let site = main_site(&here).await?;
    // On SQLite there is one process, and the bell of its own store rings.
    let listening = match &fresh.place {
        sitewright_store::Place::File(_) => &here,
        sitewright_store::Place::Postgres(_) => &there,
    };
    let mut wake = listening.wake(&site);
    let mut from: Option<ReleaseId> = None;
    for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
        let made = publish(&here, &site, &[name], (from.as_ref(), None)).await?;
        from = made.map(|made| made.id);
        assert!(is_woken(&mut wake).await, "nobody was told of {name}");
    }
    Ok(())
}

async fn it_is_known_who_touched_what(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = main_site(&store).await?;
    let mut live = store.live_site(&site).await?;
    let start = live.seq();
    let (home, _) = live.site().shell.pages.iter().next().context("a page")?;
    live.open(home).await?;
    let root = live.site().bodies[&home].root();
    let mut commit = async |id: &str, entity: Entity, (field, value): (&str, &str), taint| {
        let author = Author::Person { id: id.to_owned() };
        let change = Change {
            id: ChangeId::from(format!("{id}-{field}")),
            author: author.clone(),
            turn: None,
            summary: String::new(),
            ops: vec![Op::Put {
                entity,
                field: field.to_owned(),
                value: value.into(),
            }],
            expects: Vec::new(),
            format: FORMAT,
        };
        let by = Committer {
            taint,
            ..Committer::new(author, CapabilitySet::all(), Stamp::local(NOW))
        };
        live.commit(&change, &by).await
    };
    let node = Entity::Node {
        body: home,
        node: root,
    };
    commit("ana", node, ("label", "Start"), Taint::Trusted).await?;
    commit("bo", Entity::Site, ("language", "de"), Taint::Untrusted).await?;
    let by = store.authors_since(&site, start, 100).await?;
    let told: Vec<_> = by
        .iter()
        .map(|change| {
            let Author::Person { id } = &change.author else {
                return ("", change.taint, false, 0);
            };
            let touched = &change.touched;
            (
                id.as_str(),
                change.taint,
                touched.shell,
                touched.bodies.len(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("bo", Taint::Untrusted, true, 0),
            ("ana", Taint::Trusted, false, 1)
        ]
    );
    let touched = store.touched_since(&site, start).await?.context("kept")?;
    assert_eq!(touched.bodies.into_iter().collect::<Vec<_>>(), [home]);
    let later = store.touched_since(&site, start + 1).await?;
    let later = later.context("kept")?;
    assert!(later.shell && later.bodies.is_empty());
    let now = store.touched_since(&site, start + 2).await?;
    assert_eq!(now, Some(sitewright_store::Touched::default()));
    Ok(())
}
