//! What differs between two snapshots, told as the corpus tells it.

use sitewright_site::NodeId;

use crate::snapshot::{Declared, Page, Snapshot, words};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Thing {
    /// `section hero`, `item`, `heading`, `text`, `button`, `link`, `image`, `box`.
    pub(crate) kind: String,
    /// Its first text, or the address of a picture.
    pub(crate) name: String,
    pub(crate) texts: Vec<String>,
    pub(crate) page: String,
    pub(crate) section: String,
    /// Its place among the sections from 1, how many there are, and the kinds around it.
    pub(crate) nth: usize,
    pub(crate) count: usize,
    pub(crate) before: String,
    pub(crate) after: String,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Difference {
    PageAdded {
        title: String,
        path: String,
        copied: Option<String>,
    },
    PageGone {
        title: String,
    },
    PageField {
        title: String,
        field: String,
        value: String,
    },
    Home {
        title: String,
    },
    SiteField {
        field: String,
        value: String,
    },
    Added {
        thing: Thing,
        copied: bool,
        target: String,
    },
    Gone {
        thing: Thing,
    },
    Hidden {
        thing: Thing,
        at: String,
        shown: bool,
    },
    OrderPage {
        page: String,
        kinds: Vec<String>,
    },
    OrderItems {
        kind: String,
        names: Vec<String>,
    },
    OrderMenu {
        names: Vec<String>,
    },
    MenuAdded {
        label: String,
        target: String,
        after: String,
    },
    MenuGone {
        label: String,
    },
    Text {
        old: String,
        new: String,
        thing: Thing,
    },
    Link {
        label: String,
        target: String,
        thing: Thing,
    },
    Image {
        src: String,
        field: String,
        value: String,
        thing: Thing,
    },
    Tag {
        thing: Thing,
        tag: String,
    },
    Style {
        thing: Option<Thing>,
        selector: String,
        property: String,
        value: String,
        before: String,
        at: String,
    },
    Class {
        name: String,
        thing: Thing,
        added: bool,
    },
    Token {
        name: String,
        value: String,
        before: String,
        new: bool,
    },
    Type {
        value: f64,
        before: f64,
    },
    Space {
        value: f64,
        before: f64,
    },
    Font {
        role: String,
        family: String,
    },
    Published,
    Opened {
        title: String,
    },
    Other(String),
}

pub(crate) fn differences(before: &Snapshot, after: &Snapshot) -> Vec<Difference> {
    let mut found = Vec::new();
    pages(before, after, &mut found);
    for (field, value) in &after.settings {
        if before.settings.get(field) != Some(value) {
            found.push(Difference::SiteField {
                field: field.clone(),
                value: value.clone(),
            });
        }
    }
    tokens(before, after, &mut found);
    let added: Vec<String> = after
        .pages
        .iter()
        .flat_map(|page| {
            let known = before.page(page.id);
            page.nodes
                .iter()
                .filter(move |(id, _)| known.is_none_or(|known| !known.nodes.contains_key(id)))
                .flat_map(|(_, node)| node.classes.clone())
        })
        .collect();
    styles(before, after, &added, &mut found);
    found
}

fn pages(before: &Snapshot, after: &Snapshot, found: &mut Vec<Difference>) {
    for page in &before.pages {
        if after.page(page.id).is_none() {
            found.push(Difference::PageGone {
                title: page.title.clone(),
            });
        }
    }
    let became_home = after.pages.iter().find(|page| {
        page.slug == "index" && before.page(page.id).is_none_or(|was| was.slug != "index")
    });
    for page in &after.pages {
        let is_home = became_home.is_some_and(|home| home.id == page.id);
        let name = before.page(page.id).unwrap_or(page);
        if is_home {
            found.push(Difference::Home {
                title: name.title.clone(),
            });
        }
        match before.page(page.id) {
            None => new_page(before, page, found),
            Some(was) => {
                fields(was, page, became_home.is_some(), found);
                nodes(before, was, page, found);
            }
        }
    }
}

fn new_page(before: &Snapshot, page: &Page, found: &mut Vec<Difference>) {
    let html = |page: &Page| {
        let children = page.nodes[&page.root].children.iter();
        children.map(|child| page.html(*child)).collect::<String>()
    };
    let copied = before
        .pages
        .iter()
        .find(|other| html(other) == html(page) && !html(page).is_empty());
    found.push(Difference::PageAdded {
        title: page.title.clone(),
        path: page.path.clone(),
        copied: copied.map(|page| page.title.clone()),
    });
    if copied.is_some() {
        return;
    }
    for section in page.elements(page.root) {
        if page.texts(section) != [words(&page.title)] {
            found.push(Difference::Added {
                thing: thing(page, section),
                copied: false,
                target: String::new(),
            });
        }
    }
}

fn fields(was: &Page, page: &Page, home_moved: bool, found: &mut Vec<Difference>) {
    let mut tell = |field: &str, value: &str| {
        found.push(Difference::PageField {
            title: was.title.clone(),
            field: field.to_owned(),
            value: value.to_owned(),
        });
    };
    if page.title != was.title {
        tell("title", &page.title);
    }
    // Who becomes the home page is told by itself, and so is who was it.
    let is_home_move =
        home_moved && (page.slug == "index" || was.slug == "index" && page.slug == "home");
    if page.slug != was.slug && !is_home_move {
        tell("slug", &page.path);
    }
    for (field, value) in &page.fields {
        if was.fields[field] != *value {
            tell(field, value);
        }
    }
    if page.is_template != was.is_template {
        tell("template", "");
    }
}

fn nodes(site: &Snapshot, was: &Page, now: &Page, found: &mut Vec<Difference>) {
    let gone_at = |id: &NodeId| !now.nodes.contains_key(id);
    let new_at = |id: &NodeId| !was.nodes.contains_key(id);
    for (id, node) in &was.nodes {
        let Some(after) = now.nodes.get(id) else {
            let parent_stays = node.parent.is_some_and(|parent| !gone_at(&parent));
            if parent_stays && !node.tag.is_empty() && !is_replaced(was, now, *id, node.parent) {
                if was.in_nav(*id) {
                    found.push(Difference::MenuGone {
                        label: was.texts(*id).join(" "),
                    });
                } else {
                    found.push(Difference::Gone {
                        thing: thing(was, *id),
                    });
                }
            }
            continue;
        };
        changed(was, now, *id, found);
        if node.parent != after.parent {
            found.push(Difference::Other(format!(
                "moved to another parent: {}",
                was.texts(*id).join(" ")
            )));
        }
        let old: Vec<NodeId> = was
            .elements(*id)
            .into_iter()
            .filter(|child| !gone_at(child))
            .collect();
        let new: Vec<NodeId> = now
            .elements(*id)
            .into_iter()
            .filter(|child| !new_at(child))
            .collect();
        if old != new && old.len() == new.len() {
            found.push(order(was, *id, &new));
        }
    }
    for (id, node) in &now.nodes {
        let is_top = node.parent.is_some_and(|parent| !new_at(&parent));
        if new_at(id) && is_top && !node.tag.is_empty() && !is_replaced(now, was, *id, node.parent)
        {
            found.push(added(site, (was, now), *id));
        }
    }
}

/// Whether an equal element stands in the same parent on the other side, where it has no namesake here.
fn is_replaced(here: &Page, there: &Page, id: NodeId, parent: Option<NodeId>) -> bool {
    let Some(other) = parent.and_then(|parent| there.nodes.get(&parent)) else {
        return false;
    };
    let html = here.html(id);
    other
        .children
        .iter()
        .any(|child| !here.nodes.contains_key(child) && there.html(*child) == html)
}

fn added(site: &Snapshot, (was, now): (&Page, &Page), id: NodeId) -> Difference {
    let target = now
        .walk(id)
        .iter()
        .find_map(|at| now.nodes[at].attrs.get("href").cloned())
        .unwrap_or_default();
    if now.in_nav(id) {
        let parent = now.nodes[&id].parent.expect("a parent");
        let siblings = now.elements(parent);
        let at = siblings
            .iter()
            .position(|sibling| *sibling == id)
            .unwrap_or(0);
        let after = at
            .checked_sub(1)
            .map(|before| now.texts(siblings[before]).join(" "))
            .unwrap_or_default();
        return Difference::MenuAdded {
            label: now.texts(id).join(" "),
            target,
            after,
        };
    }
    let html = now.html(id);
    let copied = site
        .pages
        .iter()
        .any(|page| page.nodes.keys().any(|at| page.html(*at) == html));
    let mut thing = thing(now, id);
    thing.page.clone_from(&was.title);
    // A link in a paragraph of its own is told as the link.
    let only = now.elements(id);
    if thing.kind == "text"
        && only.len() == 1
        && now.own_text(id).is_empty()
        && now.nodes[&only[0]].tag == "a"
    {
        thing.kind = "link".to_owned();
    }
    Difference::Added {
        thing,
        copied,
        target,
    }
}

fn order(was: &Page, parent: NodeId, new: &[NodeId]) -> Difference {
    if parent == was.root {
        return Difference::OrderPage {
            page: was.title.clone(),
            kinds: new.iter().map(|id| was.kind(*id)).collect(),
        };
    }
    let name = |id: &NodeId| match was.nodes[id].attrs.get("src") {
        Some(src) => src.clone(),
        None => was.texts(*id).first().cloned().unwrap_or_default(),
    };
    let names: Vec<String> = new.iter().map(name).collect();
    if was.in_nav(parent) {
        return Difference::OrderMenu { names };
    }
    let kind = was
        .section_of(parent)
        .map(|section| was.kind(section))
        .unwrap_or_default();
    Difference::OrderItems { kind, names }
}

fn changed(was: &Page, now: &Page, id: NodeId, found: &mut Vec<Difference>) {
    let (old, new) = (&was.nodes[&id], &now.nodes[&id]);
    if old.tag.is_empty() {
        return;
    }
    let thing = || thing(was, id);
    let (before, after) = (was.own_text(id), now.own_text(id));
    if before != after {
        found.push(Difference::Text {
            old: before.clone(),
            new: after,
            thing: thing(),
        });
    }
    if old.tag != new.tag {
        found.push(Difference::Tag {
            thing: thing(),
            tag: new.tag.clone(),
        });
    }
    if old.hidden != new.hidden {
        found.push(Difference::Hidden {
            thing: thing(),
            at: String::new(),
            shown: old.hidden,
        });
    }
    classes(was, now, id, found);
    attributes(was, now, id, found);
}

fn classes(was: &Page, now: &Page, id: NodeId, found: &mut Vec<Difference>) {
    let own = |page: &Page| {
        let classes = page.nodes[&id].classes.iter();
        let own = classes.filter(|class| !class.starts_with("n-"));
        own.cloned().collect::<Vec<_>>()
    };
    let (before, after) = (own(was), own(now));
    let mut tell = |name: &String, added: bool| {
        found.push(Difference::Class {
            name: name.clone(),
            thing: thing(was, id),
            added,
        });
    };
    for class in after.iter().filter(|class| !before.contains(class)) {
        tell(class, true);
    }
    for class in before.iter().filter(|class| !after.contains(class)) {
        tell(class, false);
    }
}

fn attributes(was: &Page, now: &Page, id: NodeId, found: &mut Vec<Difference>) {
    let (old, new) = (&was.nodes[&id], &now.nodes[&id]);
    let thing = || thing(was, id);
    let names: std::collections::BTreeSet<&String> =
        old.attrs.keys().chain(new.attrs.keys()).collect();
    for name in names {
        let (before, after) = (old.attrs.get(name), new.attrs.get(name));
        // A link whose page has another address leads where it led.
        let aim = format!("{name}#");
        let is_same_page =
            old.attrs.contains_key(&aim) && old.attrs.get(&aim) == new.attrs.get(&aim);
        if before == after || name.ends_with('#') || is_same_page {
            continue;
        }
        let value = after.cloned().unwrap_or_default();
        found.push(match (old.tag.as_str(), name.as_str()) {
            ("a", "href") => Difference::Link {
                label: was.texts(id).join(" "),
                target: value,
                thing: thing(),
            },
            ("img", "src" | "alt") => Difference::Image {
                src: old.attrs.get("src").cloned().unwrap_or_default(),
                field: name.clone(),
                value,
                thing: thing(),
            },
            _ => Difference::Other(format!("attribute {name} of {}: {value}", old.tag)),
        });
    }
}

pub(crate) fn thing(page: &Page, id: NodeId) -> Thing {
    let node = &page.nodes[&id];
    let section = page.section_of(id);
    let is_section = node.parent == Some(page.root);
    let is_button = node.tag == "button"
        || node.tag == "a" && node.classes.iter().any(|class| class.starts_with("button"));
    let has_field = || {
        page.walk(id)
            .iter()
            .any(|at| matches!(page.nodes[at].tag.as_str(), "input" | "textarea" | "select"))
    };
    let kind = match node.tag.as_str() {
        _ if is_section => format!("section {}", page.kind(id)),
        _ if is_button => "button".to_owned(),
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading".to_owned(),
        "p" => "text".to_owned(),
        "a" => "link".to_owned(),
        "img" => "image".to_owned(),
        "article" | "details" | "blockquote" => "item".to_owned(),
        "label" if has_field() => "item".to_owned(),
        _ => "box".to_owned(),
    };
    let sections = page.elements(page.root);
    let at = section.and_then(|section| sections.iter().position(|other| *other == section));
    let kind_at = |at: Option<usize>| {
        at.and_then(|at| sections.get(at))
            .map(|section| page.kind(*section))
            .unwrap_or_default()
    };
    let name = match node.attrs.get("src") {
        Some(src) => src.clone(),
        None => page.texts(id).first().cloned().unwrap_or_default(),
    };
    Thing {
        kind,
        name,
        texts: page.texts(id),
        page: page.title.clone(),
        section: section
            .map(|section| page.kind(section))
            .unwrap_or_default(),
        nth: at.map_or(0, |at| at + 1),
        count: sections.len(),
        before: kind_at(at.and_then(|at| at.checked_sub(1))),
        after: kind_at(at.map(|at| at + 1)),
    }
}

fn tokens(before: &Snapshot, after: &Snapshot, found: &mut Vec<Difference>) {
    for (name, value) in &after.colours {
        let was = before.colours.iter().find(|(known, _)| known == name);
        if was.is_none_or(|(_, old)| old != value) {
            let old = was.map(|(_, old)| old.clone()).unwrap_or_default();
            found.push(Difference::Token {
                name: name.clone(),
                value: value.clone(),
                before: old,
                new: was.is_none(),
            });
        }
    }
    for (name, value) in &after.fonts {
        if !before.fonts.contains(&(name.clone(), value.clone())) {
            let family = value
                .split(',')
                .next()
                .unwrap_or_default()
                .trim()
                .trim_matches('"')
                .to_owned();
            found.push(Difference::Font {
                role: name.clone(),
                family,
            });
        }
    }
    if (before.type_base - after.type_base).abs() > 0.001 {
        found.push(Difference::Type {
            value: after.type_base,
            before: before.type_base,
        });
    }
    if (before.space_base - after.space_base).abs() > 0.001 {
        found.push(Difference::Space {
            value: after.space_base,
            before: before.space_base,
        });
    }
    let counts = (before.colours.len(), before.fonts.len());
    if after.colours.len() < counts.0 || after.fonts.len() < counts.1 {
        found.push(Difference::Other("a token is gone".to_owned()));
    }
}

/// The classes that a selector names.
fn selector_classes(selector: &str) -> impl Iterator<Item = &str> {
    let ends = |sign: char| !(sign.is_alphanumeric() || sign == '-' || sign == '_');
    let parts = selector.split('.').skip(1);
    parts.map(move |part| part.split(ends).next().unwrap_or_default())
}

fn styles(before: &Snapshot, after: &Snapshot, added: &[String], found: &mut Vec<Difference>) {
    for rule in &after.rules {
        if before.rules.contains(rule) {
            continue;
        }
        let is_known = before
            .rules
            .iter()
            .any(|known| known.selector == rule.selector);
        let is_of_added =
            selector_classes(&rule.selector).any(|class| added.iter().any(|one| one == class));
        if !is_known && is_of_added {
            continue;
        }
        if rule.selector == ":root" && rule.property.starts_with("--") {
            let old = before
                .rules
                .iter()
                .find(|known| known.selector == ":root" && known.property == rule.property);
            let name = rule.property.trim_start_matches("--").to_owned();
            found.push(Difference::Token {
                name,
                value: rule.value.clone(),
                before: old.map(|old| old.value.clone()).unwrap_or_default(),
                new: old.is_none(),
            });
            continue;
        }
        let thing = only_element(before, &rule.selector)
            .or_else(|| own_class(before, after, &rule.selector));
        if rule.property == "display"
            && matches!(rule.value.as_str(), "none" | "revert")
            && let Some(thing) = &thing
        {
            found.push(Difference::Hidden {
                thing: thing.clone(),
                at: rule.at.clone(),
                shown: rule.value == "revert",
            });
            continue;
        }
        let was = held(before, after, rule);
        found.push(Difference::Style {
            thing,
            selector: rule.selector.clone(),
            property: rule.property.clone(),
            value: rule.value.clone(),
            before: was,
            at: rule.at.clone(),
        });
    }
    for rule in &before.rules {
        let still = after.rules.iter().any(|known| {
            known.at == rule.at
                && known.selector == rule.selector
                && known.property == rule.property
        });
        if !still {
            found.push(Difference::Other(format!(
                "a declaration is gone: {} {}",
                rule.selector, rule.property
            )));
        }
    }
}

fn fits(page: &Page, id: NodeId, selector: &str) -> bool {
    let node = &page.nodes[&id];
    match selector.strip_prefix('.') {
        Some(class) => node.classes.iter().any(|own| own == class),
        None => node.tag == selector,
    }
}

/// The element that a selector fits, when it is one.
fn only_element(site: &Snapshot, selector: &str) -> Option<Thing> {
    let all = site.pages.iter().flat_map(|page| {
        page.nodes
            .keys()
            .filter(|id| fits(page, **id, selector))
            .map(move |id| (page, *id))
    });
    let all: Vec<(&Page, NodeId)> = all.collect();
    match all.as_slice() {
        [(page, id)] => Some(thing(page, *id)),
        _ => None,
    }
}

/// The element whose own class the selector is; it is told as it was before.
fn own_class(before: &Snapshot, after: &Snapshot, selector: &str) -> Option<Thing> {
    selector.strip_prefix(".n-")?;
    for page in &after.pages {
        if let Some(id) = page.nodes.keys().find(|id| fits(page, **id, selector)) {
            let was = before
                .page(page.id)
                .filter(|was| was.nodes.contains_key(id));
            return Some(thing(was.unwrap_or(page), *id));
        }
    }
    None
}

/// What held for a property before: of the same rule, or of a rule that fits the element.
fn held(before: &Snapshot, after: &Snapshot, rule: &Declared) -> String {
    let base = |known: &&Declared| known.at.is_empty() || known.at == rule.at;
    let same = before.rules.iter().rfind(|known| {
        known.selector == rule.selector && known.property == rule.property && base(known)
    });
    if let Some(same) = same {
        return same.value.clone();
    }
    for page in &after.pages {
        let Some(id) = page
            .nodes
            .keys()
            .find(|id| fits(page, **id, &rule.selector))
        else {
            continue;
        };
        let fitting = |by_class: bool| {
            before.rules.iter().rfind(|known| {
                known.property == rule.property
                    && known.at.is_empty()
                    && known.selector.starts_with('.') == by_class
                    && fits(page, *id, &known.selector)
            })
        };
        if let Some(known) = fitting(true).or_else(|| fitting(false)) {
            return known.value.clone();
        }
    }
    let body = before
        .rules
        .iter()
        .find(|known| known.selector == "body" && known.property == rule.property);
    body.map(|body| body.value.clone()).unwrap_or_default()
}
