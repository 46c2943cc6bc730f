//! The log of a site: committing, opening again, taking back, and several nodes at once.

use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt as _;
use serde_json::{Value, json};
use sitewright_site::gate::GateError;
use sitewright_site::{
    Author, BodyId, Change, ChangeId, Element, Entity, Expect, FORMAT, Kind, Lock, Mint, Namespace,
    NewEntity, Node, NodeId, Op, Page, Place, Site, Subtree, SubtreeNode,
};
use sitewright_store::{
    CommitError, Committer, HistoryLimits, LiveSite, RevertTarget, SiteId, Stamp, Store, Timestamp,
    Wake,
};
use sitewright_tool::{Capability, CapabilitySet};

use crate::both::{Fresh, on_both, proven_clock};

on_both! {
    a_new_site_has_a_home_page_and_widths
    what_was_committed_is_there_after_opening_again
    a_second_commit_of_a_change_gets_the_first_answer
    what_was_expected_and_touched_is_a_conflict
    a_page_of_its_own_is_opened_from_its_snapshot
    a_node_leads_to_its_document
    changes_are_taken_back_one_by_one_by_turn_and_to_a_point
    a_dropped_commit_leaves_a_copy_that_is_made_anew
    who_commits_is_known_at_the_gate
    rules_of_the_site_hold_at_the_gate
    old_changes_collapse_and_restore_points_stay
    those_who_wait_are_woken
}

const NOW: i64 = 1_800_000_000_000;

pub(crate) fn main_site() -> SiteId {
    SiteId::from("main".to_owned())
}

pub(crate) fn person() -> Committer {
    let ana = Author::Person {
        id: "ana".to_owned(),
    };
    let by = Stamp::local(Timestamp::from_millis(NOW));
    Committer::new(ana, CapabilitySet::all(), by)
}

fn agent() -> Committer {
    Committer {
        author: Author::Agent {
            id: "ana".to_owned(),
        },
        ..person()
    }
}

pub(crate) fn change(id: &str, ops: Vec<Op>) -> Change {
    Change {
        id: ChangeId::from(id.to_owned()),
        author: Author::Local,
        turn: None,
        summary: format!("Change {id}"),
        ops,
        expects: Vec::new(),
        format: FORMAT,
    }
}

pub(crate) fn home(site: &Site) -> BodyId {
    let mut pages = site.shell.pages.iter();
    pages
        .find(|(_, page)| page.slug == "index")
        .expect("a home page")
        .0
}

fn page_of(site: &Site, id: BodyId) -> &Page {
    site.shell.pages.get(id).expect("the page")
}

pub(crate) fn put(entity: Entity, field: &str, value: Value) -> Op {
    Op::Put {
        entity,
        field: field.to_owned(),
        value,
    }
}

fn node(kind: Kind, id: NodeId) -> Subtree {
    Subtree::new(vec![SubtreeNode {
        id,
        parent: None,
        node: Node::new(kind),
    }])
    .expect("one node is a tree")
}

fn element(tag: &str) -> Kind {
    Kind::Element(Element {
        tag: tag.into(),
        namespace: Namespace::Html,
        attrs: Vec::new(),
    })
}

pub(crate) fn insert(body: BodyId, parent: NodeId, kind: Kind, id: NodeId) -> Op {
    Op::Insert {
        new: Box::new(NewEntity::Nodes {
            body,
            nodes: node(kind, id),
            place: Place {
                parent,
                after: None,
            },
        }),
    }
}

pub(crate) fn page(number: u64) -> (BodyId, NodeId, Op) {
    let mut mint = Mint::new(ChangeId::from(format!("page {number}")));
    let (id, root) = (mint.mint(), mint.mint());
    let new = NewEntity::Page {
        id,
        page: Box::new(Page::new(
            format!("Page {number}"),
            format!("page-{number}"),
        )),
        tree: node(element("body"), root),
        after: None,
    };
    (id, root, Op::Insert { new: Box::new(new) })
}

pub(crate) async fn live(store: &Store) -> anyhow::Result<LiveSite> {
    Ok(store.live_site(&main_site()).await?)
}

/// The whole site as text, so that two can be compared.
async fn everything(store: &Store) -> anyhow::Result<String> {
    let mut live = live(store).await?;
    let shell = live.site().shell_snapshot();
    let mut text = serde_json::to_string(&shell)?;
    for (id, _) in shell.shell.pages.iter() {
        live.open(id).await?;
        text.push_str(&serde_json::to_string(&live.site().body_snapshot(id))?);
    }
    Ok(text)
}

async fn a_new_site_has_a_home_page_and_widths(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let mut live = live(&store).await?;
    let page = home(live.site());
    assert!(live.open(page).await?);
    assert_eq!(live.site().breakpoints().len(), 3);
    assert_eq!(live.site().shell.settings.name, "My site");
    assert_eq!(live.seq(), 1);
    Ok(())
}

async fn what_was_committed_is_there_after_opening_again(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let mut live_site = live(&store).await?;
    let page = home(live_site.site());
    live_site.open(page).await?;
    let root = live_site.site().bodies[&page].root();
    let mut mint = Mint::new(ChangeId::from("nodes".to_owned()));
    // More than fit between two snapshots, in the page and in the shell.
    for number in 0..150 {
        let id: NodeId = mint.mint();
        let ops = vec![
            insert(page, root, Kind::Text(format!("text {number} \u{0} ü")), id),
            put(
                Entity::Page { id: page },
                "title",
                json!(format!("Home {number}")),
            ),
        ];
        live_site
            .commit(&change(&number.to_string(), ops), &person())
            .await?;
    }
    drop(live_site);
    let before = everything(&store).await?;
    store.close().await;
    let again = fresh.open().await;
    assert_eq!(everything(&again).await?, before);
    let live = live(&again).await?;
    assert_eq!(live.seq(), 151);
    assert_eq!(live.site().bodies.len(), 1);
    Ok(())
}

async fn a_second_commit_of_a_change_gets_the_first_answer(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let mut live = live(&store).await?;
    let (_, _, add) = page(1);
    let made = live
        .commit(&change("add", vec![add.clone()]), &person())
        .await?;
    assert!(!made.is_repeated);
    let again = live
        .commit(&change("add", vec![add.clone()]), &person())
        .await?;
    assert!(again.is_repeated);
    assert_eq!((again.entry, live.seq()), (made.entry, 2));
    // The same id for something else, or by somebody else, is a mistake.
    let (_, _, other) = page(2);
    let taken = live.commit(&change("add", vec![other]), &person()).await;
    assert!(matches!(taken, Err(CommitError::IdTaken(_))), "{taken:?}");
    let taken = live.commit(&change("add", vec![add]), &agent()).await;
    assert!(matches!(taken, Err(CommitError::IdTaken(_))), "{taken:?}");
    Ok(())
}

async fn what_was_expected_and_touched_is_a_conflict(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let mut live = live(&store).await?;
    let entity = Entity::Page {
        id: home(live.site()),
    };
    let seen = Expect {
        entity,
        rev: live.site().rev(entity),
    };
    let rename = |title: &str| vec![put(entity, "title", json!(title))];
    live.commit(&change("theirs", rename("Theirs")), &person())
        .await?;
    let mut mine = change("mine", rename("Mine"));
    mine.expects = vec![seen];
    let Err(CommitError::Conflict { touched, newer }) = live.commit(&mine, &person()).await else {
        anyhow::bail!("it went through");
    };
    assert_eq!(touched, [entity]);
    assert_eq!(newer.len(), 1);
    assert_eq!(newer[0].summary, "Change theirs");
    assert_eq!(page_of(live.site(), home(live.site())).title, "Theirs");
    Ok(())
}

async fn a_page_of_its_own_is_opened_from_its_snapshot(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let mut first = live(&store).await?;
    let (id, root, add) = page(1);
    first
        .commit(&change("add", vec![add.clone()]), &person())
        .await?;
    let mut mint = Mint::new(ChangeId::from("x".to_owned()));
    let text: NodeId = mint.mint();
    let words = insert(id, root, Kind::Text("hello".to_owned()), text);
    first
        .commit(&change("text", vec![words]), &person())
        .await?;
    drop(first);
    store.close().await;
    let store = fresh.open().await;
    let mut again = live(&store).await?;
    assert!(again.site().bodies.is_empty());
    assert!(again.open(id).await?);
    assert_eq!(again.site().bodies[&id].len(), 2);
    // Gone and back again: what comes back is what was taken away.
    let gone = change(
        "gone",
        vec![Op::Remove {
            entity: Entity::Page { id },
        }],
    );
    again.commit(&gone, &person()).await?;
    assert!(!again.open(id).await?);
    let back = ChangeId::from("back".to_owned());
    again
        .revert(
            &RevertTarget::Change(gone.id),
            (back, "Undo".to_owned()),
            &person(),
        )
        .await?;
    drop(again);
    store.close().await;
    let store = fresh.open().await;
    let mut again = live(&store).await?;
    assert!(again.open(id).await?);
    assert_eq!(again.site().bodies[&id].len(), 2);
    Ok(())
}

async fn a_node_leads_to_its_document(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let mut first = live(&store).await?;
    let mut mint = Mint::new(ChangeId::from("x".to_owned()));
    let mut last: (BodyId, NodeId) = (mint.mint(), mint.mint());
    for number in 1..4 {
        let (id, root, add) = page(number);
        first
            .commit(
                &change(&format!("add {number}").replace(' ', "-"), vec![add]),
                &person(),
            )
            .await?;
        last = (id, mint.mint());
        let words = insert(id, root, Kind::Text("x".to_owned()), last.1);
        first
            .commit(&change(&format!("text-{number}"), vec![words]), &person())
            .await?;
    }
    drop(first);
    store.close().await;
    let store = fresh.open().await;
    let mut again = live(&store).await?;
    assert_eq!(again.open_owner(last.1).await?, Some(last.0));
    assert_eq!(again.site().bodies.keys().collect::<Vec<_>>(), [&last.0]);
    assert_eq!(again.open_owner(mint.mint()).await?, None);
    Ok(())
}

async fn changes_are_taken_back_one_by_one_by_turn_and_to_a_point(
    fresh: &Fresh,
) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let mut live = live(&store).await?;
    let id = home(live.site());
    let entity = Entity::Page { id };
    let title = |live: &LiveSite| page_of(live.site(), id).title.clone();
    let (other, _, add) = page(1);
    live.commit(&change("add", vec![add]), &person()).await?;
    let start = live.seq();
    for (number, text) in [(1, "One"), (2, "Two")] {
        let mut step = change(
            &format!("turn-{number}"),
            vec![put(entity, "title", json!(text))],
        );
        step.turn = Some("t1".to_owned());
        live.commit(&step, &agent()).await?;
    }
    let description = put(
        Entity::Page { id: other },
        "settings.description",
        json!("d"),
    );
    live.commit(&change("aside", vec![description.clone()]), &person())
        .await?;
    let name = |id: &str| (ChangeId::from(id.to_owned()), "Undo".to_owned());
    let (_, left) = live
        .revert(
            &RevertTarget::Turn("t1".to_owned()),
            name("undo-turn"),
            &person(),
        )
        .await?;
    assert_eq!((title(&live).as_str(), left.len()), ("Home", 0));
    // Undoing the undo brings the turn back.
    let undo = ChangeId::from("undo-turn".to_owned());
    live.revert(&RevertTarget::Change(undo), name("redo"), &person())
        .await?;
    assert_eq!(title(&live), "Two");
    // What somebody touched since is left and told.
    live.commit(
        &change("newer", vec![put(entity, "title", json!("Newer"))]),
        &person(),
    )
    .await?;
    let refused = live
        .revert(
            &RevertTarget::Turn("t1".to_owned()),
            name("again"),
            &person(),
        )
        .await;
    assert!(
        matches!(refused, Err(CommitError::NothingToRevert)),
        "{refused:?}"
    );
    live.revert(&RevertTarget::After(start), name("restore"), &person())
        .await?;
    assert_eq!(title(&live), "Home");
    assert_eq!(page_of(live.site(), other).settings.description, None);
    let none = live
        .revert(
            &RevertTarget::Turn("t9".to_owned()),
            name("none"),
            &person(),
        )
        .await;
    assert!(matches!(none, Err(CommitError::UnknownChange)));
    Ok(())
}

/// A SQLite file belongs to one process at a time, which may believe its own copy; several nodes need Postgres.
#[test]
fn two_nodes_share_one_log() {
    let test = async |fresh: &Fresh| nodes_share_one_log(fresh).await;
    crate::both::run(sitewright_testkit::FreshDatabase::postgres(), test);
}

async fn nodes_share_one_log(fresh: &Fresh) -> anyhow::Result<()> {
    let (one, two) = (fresh.open().await, fresh.open().await);
    let node_of = async |store: Store, name: &str| -> anyhow::Result<()> {
        for number in 0..20 {
            let mut live = live(&store).await?;
            let page = home(live.site());
            live.open(page).await?;
            let root = live.site().bodies[&page].root();
            let mut mint = Mint::new(ChangeId::from(format!("{name}{number}")));
            let ops = vec![insert(page, root, Kind::Text(name.to_owned()), mint.mint())];
            live.commit(&change(&format!("{name}{number}"), ops), &person())
                .await?;
        }
        Ok(())
    };
    let (first, second) = tokio::join!(node_of(one.clone(), "a"), node_of(two.clone(), "b"));
    first?;
    second?;
    assert_eq!(live(&one).await?.seq(), 41);
    assert_eq!(everything(&one).await?, everything(&two).await?);
    Ok(())
}

/// Dropped at every point at which it waits: after no poll, after one, and so on until it comes to its end.
async fn a_dropped_commit_leaves_a_copy_that_is_made_anew(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    for polls in 0..1_000 {
        let (_, _, add) = page(polls);
        let mut held = live(&store).await?;
        let change = change(&format!("add-{polls}"), vec![add]);
        let by = person();
        let committed = polled(held.commit(&change, &by), polls).await;
        drop(held);
        let fresh_copy = fresh.open().await;
        assert_eq!(
            everything(&store).await?,
            everything(&fresh_copy).await?,
            "dropped after {polls} polls"
        );
        fresh_copy.close().await;
        if committed.transpose()?.is_some() {
            return Ok(());
        }
    }
    anyhow::bail!("it never came to its end")
}

/// Polls a future so many times, and gives nothing when it is not ready by then.
async fn polled<T>(future: impl Future<Output = T>, polls: u64) -> Option<T> {
    let mut future = std::pin::pin!(future);
    let mut left = polls;
    std::future::poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            // Without another poll nobody would notice that there are none left.
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Puts a section on the home page.
async fn with_section(live: &mut LiveSite) -> anyhow::Result<Entity> {
    let page = home(live.site());
    live.open(page).await?;
    let root = live.site().bodies[&page].root();
    let section: NodeId = Mint::new(ChangeId::from("x".to_owned())).mint();
    let build = vec![insert(page, root, element("section"), section)];
    live.commit(&change("build", build), &person()).await?;
    Ok(Entity::Node {
        body: page,
        node: section,
    })
}

/// The committer's capabilities, whether it is an agent, and a person's yes all reach the gate.
async fn who_commits_is_known_at_the_gate(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let mut live = live(&store).await?;
    let section = with_section(&mut live).await?;
    let class = vec![put(section, "classes", json!("wide"))];
    let reader = Committer {
        capabilities: [Capability::SiteRead].into_iter().collect(),
        ..person()
    };
    let refused = live.commit(&change("read", class.clone()), &reader).await;
    assert!(
        matches!(refused, Err(CommitError::Gate(GateError::Missing { .. }))),
        "{refused:?}"
    );
    let lock = vec![put(section, "lock", json!(Lock::Ask))];
    live.commit(&change("lock", lock), &person()).await?;
    let refused = live.commit(&change("ask", class.clone()), &agent()).await;
    assert!(
        matches!(
            refused,
            Err(CommitError::Gate(GateError::ApprovalRequired { .. }))
        ),
        "{refused:?}"
    );
    let approved = Committer {
        is_approved: true,
        ..agent()
    };
    live.commit(&change("ask", class), &approved).await?;
    let many = change("many", vec![put(Entity::Site, "name", json!("x")); 20_001]);
    let refused = live.commit(&many, &person()).await;
    assert!(
        matches!(refused, Err(CommitError::Gate(GateError::TooLarge { .. }))),
        "{refused:?}"
    );
    Ok(())
}

async fn rules_of_the_site_hold_at_the_gate(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let mut live = live(&store).await?;
    let id = home(live.site());
    let last = vec![Op::Remove {
        entity: Entity::Page { id },
    }];
    let refused = live.commit(&change("last", last.clone()), &person()).await;
    assert!(
        matches!(refused, Err(CommitError::Gate(GateError::LastPage))),
        "{refused:?}"
    );
    assert!(live.open(id).await?);
    let (_, _, add) = page(1);
    live.commit(&change("add", vec![add]), &person()).await?;
    live.commit(
        &change(
            "protect",
            vec![put(Entity::Page { id }, "isProtected", json!(true))],
        ),
        &person(),
    )
    .await?;
    let refused = live.commit(&change("protected", last), &person()).await;
    assert!(
        matches!(refused, Err(CommitError::Gate(GateError::Protected { .. }))),
        "{refused:?}"
    );
    let reserved = vec![put(Entity::Page { id }, "slug", json!("admin"))];
    let refused = live.commit(&change("reserved", reserved), &person()).await;
    assert!(
        matches!(refused, Err(CommitError::Gate(GateError::Slug(_)))),
        "{refused:?}"
    );
    assert_eq!(page_of(live.site(), id).slug, "index");
    // Nothing of it can be done, or some of it: then the rest is told.
    let mut mint = Mint::new(ChangeId::from("none".to_owned()));
    let missing = Entity::Page { id: mint.mint() };
    let impossible = change("never", vec![put(missing, "title", json!("x"))]);
    let refused = live.commit(&impossible, &person()).await;
    assert!(
        matches!(refused, Err(CommitError::Impossible(_))),
        "{refused:?}"
    );
    let half = change(
        "half",
        vec![
            put(missing, "title", json!("x")),
            put(Entity::Site, "name", json!("Bakery")),
        ],
    );
    let made = live.commit(&half, &person()).await?;
    assert_eq!((made.left_out.len(), made.entry.ops.len()), (1, 1));
    assert_eq!(store.site(&main_site()).await?.name, "Bakery");
    Ok(())
}

async fn old_changes_collapse_and_restore_points_stay(fresh: &Fresh) -> anyhow::Result<()> {
    let store = fresh.open().await;
    let site = main_site();
    let day = Duration::from_secs(24 * 60 * 60);
    let limits = HistoryLimits {
        age: 365 * day,
        bytes: 1 << 30,
    };
    let at = |days: u32| Timestamp::from_millis(NOW).after(days * day);
    let mut gone = 0;
    for month in 0..20u64 {
        let (_, _, add) = page(month);
        let now = at(u32::try_from(month)? * 31);
        let by = Committer {
            by: Stamp::local(now),
            ..person()
        };
        live(&store)
            .await?
            .commit(&change(&format!("month-{month}"), vec![add]), &by)
            .await?;
        let clock = proven_clock(&store, now).await?;
        gone += store.tend_history(&site, limits, &clock).await?;
    }
    let history = store.history(&site, None, None, 100).await?;
    // The first entry and those of the first eight months are more than a year old by then.
    assert_eq!((gone, history.entries.len()), (9, 12));
    assert_eq!(history.kept_from, 10);
    assert_eq!(history.restore_points.len(), 20);
    let before = everything(&store).await?;
    store.close().await;
    let store = fresh.open().await;
    assert_eq!(everything(&store).await?, before);
    // What is not kept one by one is restored from a point, with everything that was there.
    let mut held = live(&store).await?;
    let point = history.restore_points[15].seq;
    assert!(point + 1 < history.kept_from);
    let name = |id: &str| (ChangeId::from(id.to_owned()), "Restore".to_owned());
    let between = held
        .revert(&RevertTarget::After(0), name("none"), &person())
        .await;
    assert!(
        matches!(between, Err(CommitError::NoRestorePoint)),
        "{between:?}"
    );
    held.revert(&RevertTarget::After(point), name("restore"), &person())
        .await?;
    assert_eq!(held.site().shell.pages.len(), 6);
    let back = ChangeId::from("restore".to_owned());
    held.revert(&RevertTarget::Change(back), name("back"), &person())
        .await?;
    assert_eq!(held.site().shell.pages.len(), 21);
    drop(held);
    let before = everything(&store).await?;
    // Bytes count as well, and the newest change stays.
    let tight = HistoryLimits { bytes: 1, ..limits };
    let clock = store.retention_clock(at(20 * 31)).await?;
    store.tend_history(&site, tight, &clock).await?;
    assert_eq!(
        store.history(&site, None, None, 100).await?.entries.len(),
        1
    );
    assert_eq!(everything(&store).await?, before);
    Ok(())
}

/// Each change wakes a waiter once: no bell is lost and none is left over.
async fn those_who_wait_are_woken(fresh: &Fresh) -> anyhow::Result<()> {
    let (one, two) = (fresh.open().await, fresh.open().await);
    let main = main_site();
    let other = one
        .create_site("other", "Other", Timestamp::from_millis(NOW))
        .await?
        .id;
    // On SQLite there is one process, and the bell of its own store rings.
    let listening = match one.backend() {
        sitewright_store::DatabaseKind::Sqlite => &one,
        sitewright_store::DatabaseKind::Postgres => &two,
    };
    let (mut wake, mut wake_of_other) = (listening.wake(&main), listening.wake(&other));
    commit_page(&one, &main, 0).await?;
    assert!(is_woken(&mut wake).await, "nobody was told of the first");
    // A listener that has just connected wakes everybody, and then bells come in the order of the commits. So when the second
    // bell for the other site has come, what was due for this one before is there.
    for number in 0..2 {
        commit_page(&one, &other, number).await?;
        assert!(is_woken(&mut wake_of_other).await);
    }
    while wake.changed().now_or_never().is_some() {}
    for number in 1..=50 {
        commit_page(&one, &main, number).await?;
        assert!(is_woken(&mut wake).await, "nobody was told of {number}");
    }
    assert_eq!(wake.changed().now_or_never(), None);
    Ok(())
}

pub(crate) async fn commit_page(store: &Store, site: &SiteId, number: u64) -> anyhow::Result<()> {
    let (_, _, add) = page(number);
    let change = change(&format!("page-{number}"), vec![add]);
    let mut live = store.live_site(site).await?;
    live.commit(&change, &person()).await?;
    Ok(())
}

/// Whether a bell comes; it always does within milliseconds, or never.
pub(crate) async fn is_woken(wake: &mut Wake) -> bool {
    let woken = tokio::time::timeout(Duration::from_secs(60), wake.changed()).await;
    woken == Ok(true)
}

/// Another node waits, and a change is committed before its listener has connected: that change must not be lost on it.
#[test]
fn a_change_before_the_listener_is_connected_wakes_the_waiter() {
    crate::both::run(
        sitewright_testkit::FreshDatabase::postgres(),
        async |fresh| {
            let (one, place) = (fresh.open().await, fresh.place.clone());
            let (ready, is_ready) = tokio::sync::oneshot::channel();
            let (go_on, goes_on) = std::sync::mpsc::channel();
            // The other node has a runtime of its own, which stands still while the change is committed.
            let other = tokio::task::spawn_blocking(move || -> anyhow::Result<bool> {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()?;
                let store = runtime.block_on(Store::open(&place))?;
                let entered = runtime.enter();
                let mut wake = store.wake(&main_site());
                drop(entered);
                assert!(ready.send(()).is_ok());
                goes_on.recv()?;
                Ok(runtime.block_on(is_woken(&mut wake)))
            });
            is_ready.await?;
            commit_page(&one, &main_site(), 1).await?;
            go_on.send(())?;
            assert!(other.await??, "nobody was told");
            Ok(())
        },
    );
}
