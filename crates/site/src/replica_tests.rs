//! Several tabs and a server, in every order of editing, sending, receiving and opening.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::json;

use crate::change::tests::{body, node, ops, start, written};
use crate::{
    Astray, Author, BodyId, Change, ChangeId, Entity, Expect, FORMAT, Kind, Logged, NewEntity,
    Node, Op, OpScope, OpenRecord, Page, Place, RecordId, Replica, Site, Subtree, SubtreeNode,
    replay_body, replay_shell,
};

/// The owner of the log.
struct Server {
    replica: Replica,
    log: Vec<Logged>,
}

impl Server {
    fn new() -> Self {
        let site = start();
        let mut replica = Replica::new(site.shell_snapshot(), 1);
        for body in site.bodies.keys() {
            replica
                .open(*body, &site.body_snapshot(*body).unwrap(), 1)
                .unwrap();
        }
        for (id, open) in &site.records {
            replica.open_record(*id, open.clone(), 1).unwrap();
        }
        Self {
            replica,
            log: Vec::new(),
        }
    }

    /// Commits a change; returns false if none of its ops can be applied.
    fn commit(&mut self, change: &Change) -> bool {
        let applied = self.replica.attempt(&change.ops);
        if applied.done.is_empty() {
            return false;
        }
        self.replica.keep();
        self.log.push(Logged {
            seq: self.replica.seq(),
            at: 0,
            id: change.id.clone(),
            author: change.author.clone(),
            turn: None,
            summary: String::new(),
            ops: applied.done.into_iter().map(|done| done.op).collect(),
            format: FORMAT,
        });
        true
    }

    fn tab(&self) -> Replica {
        Replica::new(self.replica.site().shell_snapshot(), self.replica.seq())
    }

    /// Opens a document as a tab does: fetched at the server's position, whatever the tab has seen of the log.
    fn open(&self, tab: &mut Replica, body: BodyId) {
        if let Some(snapshot) = self.replica.site().body_snapshot(body) {
            tab.open(body, &snapshot, self.replica.seq()).unwrap();
        }
    }

    /// Opens an entry of a collection in the same way.
    fn open_record(&self, tab: &mut Replica, id: RecordId) {
        if let Some(open) = self.replica.site().records.get(&id) {
            tab.open_record(id, open.clone(), self.replica.seq())
                .unwrap();
        }
    }

    fn next(&self, tab: &Replica) -> Option<&Logged> {
        self.log.iter().find(|entry| entry.seq == tab.seq() + 1)
    }

    /// Sends the oldest change of a tab.
    fn send(&mut self, tab: &mut Replica) {
        let Some(change) = tab.pending().next().cloned() else {
            return;
        };
        if self.log.iter().any(|entry| entry.id == change.id) {
            return;
        }
        if !self.commit(&change) {
            tab.drop_pending(&change.id).unwrap();
        }
    }
}

fn change(id: &str, ops: Vec<Op>) -> Change {
    Change {
        id: ChangeId::from(id.to_owned()),
        author: Author::Local,
        turn: None,
        summary: String::new(),
        ops,
        expects: Vec::new(),
        format: FORMAT,
    }
}

/// What is equal in two replicas that have seen the same log: the shell, and the documents both have open.
fn same_as_server(tab: &Replica, server: &Replica) -> (String, String) {
    let mut expected: Site = server.site().clone();
    expected
        .bodies
        .retain(|body, _| tab.site().bodies.contains_key(body));
    expected
        .records
        .retain(|id, _| tab.site().records.contains_key(id));
    (written(tab.site()), written(&expected))
}

#[derive(Debug, Clone)]
enum Event {
    Act(usize, Vec<Op>),
    Send(usize),
    Receive(usize),
    Open(usize, u64),
    Close(usize, u64),
    OpenRecord(usize, u64),
    CloseRecord(usize, u64),
}

fn event() -> impl Strategy<Value = Event> {
    let tab = || 0usize..2;
    prop_oneof![
        4 => (tab(), ops(1..5)).prop_map(|(tab, ops)| Event::Act(tab, ops)),
        4 => tab().prop_map(Event::Send),
        4 => tab().prop_map(Event::Receive),
        2 => (tab(), 0u64..4).prop_map(|(tab, body)| Event::Open(tab, body)),
        1 => (tab(), 0u64..4).prop_map(|(tab, body)| Event::Close(tab, body)),
        2 => (tab(), 0u64..4).prop_map(|(tab, id)| Event::OpenRecord(tab, id)),
        1 => (tab(), 0u64..4).prop_map(|(tab, id)| Event::CloseRecord(tab, id)),
    ]
}

/// The documents that the generated ops can create, change and delete, and one that they never mention.
fn all_bodies() -> impl Iterator<Item = BodyId> {
    (0..4).chain(10..13).map(body)
}

/// Replays every part of a site from its snapshot at `at`, and compares it with the site at the end of the log. `taken` is the site
/// before the first entry and after each.
///
/// Which entries a part gets is decided by what they did to it and not by `Op::scope`, which is what is tested: an entry that left
/// a part as it was must not be needed for it.
fn check_parts(taken: &[Site], log: &[Logged], at: usize) -> Result<(), TestCaseError> {
    let (snapshot, end) = (&taken[at], &taken[taken.len() - 1]);
    let since = |changed: &dyn Fn(&Site, &Site) -> bool| -> Vec<Logged> {
        let steps = taken.windows(2).zip(log).skip(at);
        let own = steps.filter(|(sites, _)| changed(&sites[0], &sites[1]));
        own.map(|(_, entry)| entry.clone()).collect()
    };
    let own = since(&|before, after| before.shell_snapshot() != after.shell_snapshot());
    for entries in [&own[..], &log[at..]] {
        let shell = replay_shell(snapshot.shell_snapshot(), entries)
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(shell.shell_snapshot(), end.shell_snapshot());
        prop_assert!(shell.bodies.is_empty(), "the shell has nodes of its own");
    }
    for id in all_bodies() {
        let of = |site: &Site| site.body_snapshot(id);
        let own = since(&|before, after| of(before) != of(after));
        for entries in [&own[..], &log[at..]] {
            let replayed = replay_body(id, of(snapshot), entries)
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(replayed, of(end));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn tabs_that_have_seen_the_same_log_are_equal(events in proptest::collection::vec(event(), 0..60)) {
        let mut server = Server::new();
        let mut tabs = [server.tab(), server.tab()];
        server.open(&mut tabs[0], body(0));
        for (number, event) in events.into_iter().enumerate() {
            match event {
                // A tab edits only what it has open.
                Event::Act(tab, mut ops) => {
                    let open: Vec<BodyId> = tabs[tab].site().bodies.keys().copied().collect();
                    ops.retain(|op| change("", vec![op.clone()]).bodies().all(|body| open.contains(&body)));
                    if !ops.is_empty() {
                        tabs[tab].act(change(&number.to_string(), ops));
                    }
                }
                Event::Send(tab) => server.send(&mut tabs[tab]),
                Event::Receive(tab) => {
                    if let Some(entry) = server.next(&tabs[tab]).cloned() {
                        tabs[tab].receive(entry).unwrap();
                    }
                }
                Event::Open(tab, number) => server.open(&mut tabs[tab], body(number)),
                Event::Close(tab, number) => tabs[tab].close(body(number)),
                Event::OpenRecord(tab, id) => server.open_record(&mut tabs[tab], id.into()),
                Event::CloseRecord(tab, id) => tabs[tab].close_record(id.into()),
            }
        }
        while tabs.iter().any(|tab| tab.pending().next().is_some() || server.next(tab).is_some()) {
            for tab in &mut tabs {
                server.send(tab);
                while let Some(entry) = server.next(tab).cloned() {
                    tab.receive(entry).unwrap();
                }
            }
        }
        for tab in &tabs {
            let (here, there) = same_as_server(tab, &server.replica);
            prop_assert_eq!(here, there);
        }
    }

    #[test]
    fn a_site_is_put_together_from_its_parts_as_it_was(mine in ops(0..30)) {
        let mut site = start();
        site.apply_all(&mine, 5);
        let text = serde_json::to_string(&site.shell_snapshot()).unwrap();
        let mut again = Site::from_shell(serde_json::from_str(&text).unwrap());
        for body in site.bodies.keys() {
            let text = serde_json::to_string(&site.body_snapshot(*body).unwrap()).unwrap();
            again.open(*body, &serde_json::from_str(&text).unwrap()).unwrap();
        }
        for (id, open) in &site.records {
            let text = serde_json::to_string(&open.record).unwrap();
            let record = serde_json::from_str(&text).unwrap();
            again.open_record(*id, OpenRecord { record, rev: open.rev });
        }
        prop_assert_eq!(written(&again), written(&site));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Each part has its own snapshot, taken at any time, and sees only the entries about it.
    #[test]
    fn every_part_is_replayed_from_its_own_entries(
        changes in proptest::collection::vec(ops(1..6), 1..30),
        snapshot in any::<proptest::sample::Index>(),
    ) {
        let mut server = Server::new();
        let mut taken = vec![server.replica.site().clone()];
        for (number, ops) in changes.into_iter().enumerate() {
            if server.commit(&change(&number.to_string(), ops)) {
                taken.push(server.replica.site().clone());
            }
        }
        check_parts(&taken, &server.log, 0)?;
        check_parts(&taken, &server.log, snapshot.index(taken.len()))?;
    }
}

/// The property above says nothing unless its logs have entries that change several parts, and documents that come and go.
#[test]
fn the_random_logs_have_every_kind_of_entry() {
    let mut runner = TestRunner::deterministic();
    let (mut mixed, mut several, mut created, mut deleted) = (0, 0, 0, 0);
    for _ in 0..100 {
        let changes = proptest::collection::vec(ops(1..6), 1..30);
        let mut server = Server::new();
        let changes = changes.new_tree(&mut runner).unwrap().current();
        for (number, ops) in changes.into_iter().enumerate() {
            server.commit(&change(&number.to_string(), ops));
        }
        for entry in &server.log {
            let scopes: Vec<OpScope> = entry.ops.iter().map(Op::scope).collect();
            let nodes = |scope: &&OpScope| matches!(scope, OpScope::Body(_));
            let bodies: BTreeSet<BodyId> = scopes.iter().filter_map(|scope| scope.body()).collect();
            let has_nodes = scopes.iter().any(|scope| nodes(&scope));
            mixed += usize::from(has_nodes && scopes.contains(&OpScope::Shell));
            several += usize::from(bodies.len() > 1);
            let whole = |scope: &OpScope| matches!(scope, OpScope::Document(_));
            for (op, _) in entry
                .ops
                .iter()
                .zip(&scopes)
                .filter(|(_, scope)| whole(scope))
            {
                match op {
                    Op::Insert { .. } => created += 1,
                    _ => deleted += 1,
                }
            }
        }
    }
    for count in [mixed, several, created, deleted] {
        assert!(count > 50, "{mixed} {several} {created} {deleted}");
    }
}

fn label(value: &str) -> Op {
    Op::Put {
        entity: Entity::Node {
            body: body(0),
            node: node(2),
        },
        field: "label".to_owned(),
        value: json!(value),
    }
}

#[test]
fn what_expects_a_change_of_ones_own_expects_its_entry_once_it_has_one() {
    let mut server = Server::new();
    let mut tab = server.tab();
    server.open(&mut tab, body(0));
    let entity = Entity::Node {
        body: body(0),
        node: node(2),
    };
    tab.act(change("first", vec![label("one")]));
    let mut second = change("second", vec![label("two")]);
    second.expects = vec![Expect {
        entity,
        rev: tab.site().rev(entity),
    }];
    tab.act(second);
    server.send(&mut tab);
    let entry = server.next(&tab).cloned().unwrap();
    let touched = tab.receive(entry).unwrap();
    assert!(touched.contains(&entity));
    let waiting = tab.pending().next().unwrap();
    assert_eq!(waiting.expects, [Expect { entity, rev: 2 }]);
    assert_eq!(server.replica.site().conflicts(waiting), []);
}

#[test]
fn a_document_that_an_entry_creates_and_fills_is_whole_in_other_tabs() {
    let mut server = Server::new();
    let mut tab = server.tab();
    let create = Op::Insert {
        new: Box::new(NewEntity::Page {
            id: body(9),
            page: Box::new(Page::new("Nine", "nine")),
            tree: one_text(90),
            after: None,
        }),
    };
    let fill = Op::Insert {
        new: Box::new(NewEntity::Nodes {
            body: body(9),
            nodes: one_text(91),
            place: Place {
                parent: node(90),
                after: None,
            },
        }),
    };
    server.commit(&change("page", vec![create, fill]));
    let entry = server.next(&tab).cloned().unwrap();
    tab.receive(entry).unwrap();
    let (here, there) = same_as_server(&tab, &server.replica);
    assert_eq!(here, there);
    assert_eq!(tab.site().bodies[&body(9)].len(), 2);
}

fn one_text(id: u64) -> Subtree {
    let grown = SubtreeNode {
        id: node(id),
        parent: None,
        node: Node::new(Kind::Text("x".to_owned())),
    };
    Subtree::new(vec![grown]).unwrap()
}

#[test]
fn a_refused_change_is_gone_and_the_others_stay() {
    let mut server = Server::new();
    let mut tab = server.tab();
    server.open(&mut tab, body(0));
    let entity = Entity::Node {
        body: body(0),
        node: node(2),
    };
    tab.act(change("first", vec![label("refused")]));
    let classes = Op::Put {
        entity,
        field: "classes".to_owned(),
        value: json!("kept"),
    };
    tab.act(change("second", vec![classes]));
    tab.drop_pending(&ChangeId::from("first".to_owned()))
        .unwrap();
    assert_eq!(tab.site().field(entity, "label").unwrap(), json!(null));
    assert_eq!(tab.site().field(entity, "classes").unwrap(), json!("kept"));
    server.send(&mut tab);
    assert_eq!(server.log.len(), 1);
}

#[test]
fn a_hole_in_the_log_is_noticed() {
    let mut server = Server::new();
    let mut tab = server.tab();
    server.commit(&change("1", vec![label("one")]));
    server.commit(&change("2", vec![label("two")]));
    let second = server.log[1].clone();
    assert_eq!(
        tab.receive(second),
        Err(Astray::Gap {
            expected: 2,
            found: 3
        })
    );
}
