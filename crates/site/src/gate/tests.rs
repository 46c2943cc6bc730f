//! Sizes, permissions and locks.

use serde_json::{Value, json};
use sitewright_tool::{Capability, CapabilitySet};

use super::{Authority, GateError, LockReason, Measure, check_authority, check_form, check_result};
use crate::{
    Author, BodyId, Change, ChangeId, Code, CodeFile, ColorToken, Element, Entity, FORMAT, Item,
    ItemId, Kind, Lock, Namespace, NewEntity, Node, NodeId, Op, Page, Placement, Site, Subtree,
    SubtreeNode, Target, Timing,
};

const PAGE: u64 = 1;
const SECTION: u64 = 11;
const TEXT: u64 = 12;

fn element(tag: &str) -> Kind {
    Kind::Element(Element {
        tag: tag.into(),
        namespace: Namespace::Html,
        attrs: Vec::new(),
    })
}

/// A page whose body contains a section with text.
fn site() -> Site {
    let kinds = [
        element("body"),
        element("section"),
        Kind::Text("words".to_owned()),
    ];
    let nodes = (0u32..).zip(kinds).map(|(at, kind)| SubtreeNode {
        id: NodeId::from(10 + u64::from(at)),
        parent: at.checked_sub(1),
        node: Node::new(kind),
    });
    let new = NewEntity::Page {
        id: BodyId::from(PAGE),
        page: Box::new(Page::new("Home", "index")),
        tree: Subtree::new(nodes.collect()).unwrap(),
        after: None,
    };
    let mut site = Site::default();
    site.apply(&Op::Insert { new: Box::new(new) }, 1).unwrap();
    site
}

fn at(node: u64) -> Entity {
    Entity::Node {
        body: BodyId::from(PAGE),
        node: NodeId::from(node),
    }
}

fn put(entity: Entity, field: &str, value: Value) -> Op {
    Op::Put {
        entity,
        field: field.to_owned(),
        value,
    }
}

fn change(id: &str, ops: Vec<Op>) -> Change {
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

fn person_may(site: &Site, op: &Op, capabilities: &[Capability]) -> Result<(), GateError> {
    let capabilities: CapabilitySet = capabilities.iter().copied().collect();
    let authority = Authority {
        author: &Author::Local,
        capabilities: &capabilities,
        is_approved: false,
    };
    check_authority(site, &change("c", vec![op.clone()]), authority)
}

fn agent_may(site: &Site, op: &Op, is_approved: bool) -> Result<(), GateError> {
    let author = Author::Agent {
        id: "ana".to_owned(),
    };
    let authority = Authority {
        author: &author,
        capabilities: &CapabilitySet::all(),
        is_approved,
    };
    check_authority(site, &change("c", vec![op.clone()]), authority)
}

#[test]
fn permissions_are_checked_by_the_kind_of_step() {
    let site = site();
    let words = put(at(TEXT), "text", json!("x"));
    let missing = |capability, purpose| {
        Err(GateError::Missing {
            capability,
            purpose,
        })
    };
    assert_eq!(
        person_may(&site, &words, &[Capability::SiteRead]),
        missing(Capability::SiteWrite, "change the site")
    );
    assert_eq!(person_may(&site, &words, &[Capability::SiteWrite]), Ok(()));
    let script = CodeFile {
        path: "a.js".to_owned(),
        code: Code::Script {
            module: true,
            placement: Placement::BodyEnd,
            timing: Timing::DomReady,
            in_canvas: false,
        },
        content: "1".to_owned(),
        enabled: true,
        target: Target::Site,
        priority: 100,
        lock: Lock::Open,
    };
    let script = NewEntity::Item {
        id: ItemId::from(20),
        item: Box::new(Item::File(script)),
        pieces: Vec::new(),
        after: None,
    };
    for op in [
        put(Entity::Site, "headCode", json!("<script>x</script>")),
        Op::Insert {
            new: Box::new(script),
        },
    ] {
        assert_eq!(
            person_may(&site, &op, &[Capability::SiteWrite]),
            missing(Capability::SiteCode, "write scripts and code for pages")
        );
        let both = [Capability::SiteWrite, Capability::SiteCode];
        assert_eq!(person_may(&site, &op, &both), Ok(()));
    }
}

#[test]
fn a_lock_holds_for_what_is_in_it_and_for_agents_only() {
    let mut site = site();
    let words = put(at(TEXT), "text", json!("x"));
    let class = put(at(SECTION), "classes", json!("wide"));
    let locked = |entity, reason| Err(GateError::Locked { entity, reason });
    let asks = |entity| Err(GateError::ApprovalRequired { entity });
    for (lock, on_words, on_class) in [
        (
            Lock::TextOnly,
            Ok(()),
            locked(at(SECTION), LockReason::TextOnly),
        ),
        (
            Lock::Locked,
            locked(at(TEXT), LockReason::Locked),
            locked(at(SECTION), LockReason::Locked),
        ),
        (Lock::Ask, asks(at(TEXT)), asks(at(SECTION))),
        (Lock::Open, Ok(()), Ok(())),
    ] {
        site.apply(&put(at(SECTION), "lock", json!(lock)), 2)
            .unwrap();
        assert_eq!(agent_may(&site, &words, false), on_words, "{lock:?}");
        assert_eq!(agent_may(&site, &class, false), on_class, "{lock:?}");
        let people = [Capability::SiteWrite];
        assert_eq!(person_may(&site, &class, &people), Ok(()), "{lock:?}");
        // An approval lifts a lock that asks, and no other.
        let is_open = matches!(lock, Lock::Ask | Lock::Open);
        assert_eq!(agent_may(&site, &class, true).is_ok(), is_open, "{lock:?}");
    }
    let unlock = put(at(SECTION), "lock", json!("open"));
    assert_eq!(agent_may(&site, &unlock, false), Err(GateError::LockChange));
    // An entity that contains something locked cannot be removed either.
    site.apply(&put(at(TEXT), "lock", json!("locked")), 3)
        .unwrap();
    let remove = Op::Remove {
        entity: at(SECTION),
    };
    assert_eq!(
        agent_may(&site, &remove, false),
        locked(at(SECTION), LockReason::Locked)
    );
}

#[test]
fn a_locked_token_keeps_its_value() {
    let mut site = site();
    let color = NewEntity::Item {
        id: ItemId::from(20),
        item: Box::new(Item::Color(ColorToken {
            lock: Lock::Locked,
            ..ColorToken::new("brand", "#f00")
        })),
        pieces: Vec::new(),
        after: None,
    };
    let token = color.entity().unwrap();
    let add = Op::Insert {
        new: Box::new(color),
    };
    site.apply(&add, 2).unwrap();
    let paint = put(token, "lightValue", json!("#0f0"));
    let refused = Err(GateError::Locked {
        entity: token,
        reason: LockReason::Locked,
    });
    assert_eq!(agent_may(&site, &paint, false), refused);
    assert_eq!(person_may(&site, &paint, &[Capability::SiteWrite]), Ok(()));
}

#[test]
fn the_last_page_and_protected_ones_stay() {
    let mut site = site();
    let id = BodyId::from(PAGE);
    let remove = Op::Remove {
        entity: Entity::Page { id },
    };
    let protect = put(Entity::Page { id }, "isProtected", json!(true));
    assert_eq!(person_may(&site, &remove, &[Capability::SiteWrite]), Ok(()));
    site.apply(&protect, 2).unwrap();
    let refused = Err(GateError::Protected {
        page: id,
        title: "Home".to_owned(),
    });
    assert_eq!(
        person_may(&site, &remove, &[Capability::SiteWrite]),
        refused
    );
    site.apply(&remove, 3).unwrap();
    assert_eq!(
        check_result(&site, &change("c", vec![remove])),
        Err(GateError::LastPage)
    );
}

#[test]
fn limits_are_told() {
    let name = |text: &str| put(Entity::Site, "name", json!(text));
    let bytes = |change: &Change| serde_json::to_string(change).unwrap().len();
    let check = |change: &Change| check_form(change, bytes(change));
    let many = change("many", vec![name("x"); 20_001]);
    assert_eq!(
        check(&many).unwrap_err().to_string(),
        "the change has 20001 steps and may have 20000; send it in parts"
    );
    let large = change("large", vec![name(&"x".repeat(4 * 1024 * 1024))]);
    assert!(matches!(
        check(&large),
        Err(GateError::TooLarge {
            what: Measure::Bytes,
            ..
        })
    ));
    let mut long = change("long", vec![name("x")]);
    long.summary = "x".repeat(501);
    let refused = GateError::TooLarge {
        what: Measure::Summary,
        found: 501,
        max: 500,
    };
    assert_eq!(check(&long), Err(refused));
    let mut old = change("old", vec![name("x")]);
    old.format = FORMAT + 1;
    assert_eq!(check(&old), Err(GateError::ReloadRequired));
    for id in ["", "a b", &"x".repeat(101)] {
        let refused = check(&change(id, vec![name("x")]));
        assert_eq!(refused, Err(GateError::ChangeId), "{id}");
    }
    assert_eq!(check(&change("empty", Vec::new())), Err(GateError::Empty));
}
