//! Resolves pages by the names that people use. A path, slug or title that only one page has is replaced by the page's
//! id; pages that earlier operations create are found in the same way.

use serde_json::{Value, json};

use crate::{BodyId, Site};

use super::naming::{distance, squash};
use super::normalise::Desk;
use super::problem::{PlanProblem, PlanProblemKind, below};
use super::shape::{Form, SHAPES};
use super::slip::Slip;

/// The maximum number of pages that a problem names.
const NAMED_MAX: usize = 8;

/// What a text may refer to.
#[derive(Clone, Copy)]
enum Meant {
    Page(BodyId, Slip),
    /// What the operation at this position creates.
    Made(usize),
}

/// Replaces the pages that operations name by their ids.
pub(super) fn resolve(ops: &mut [Value], site: &Site, desk: &mut Desk) {
    for at in 0..ops.len() {
        let Some(shape) = ops[at]["op"].as_str().and_then(|op| SHAPES.ops.get(op)) else {
            continue;
        };
        let fields = shape.0.iter();
        let fields = fields.filter(|(_, field)| field.form == Form::Page);
        for (name, _) in fields {
            let Some(written) = ops[at][name].as_str().map(str::to_owned) else {
                continue;
            };
            let known = written.parse::<BodyId>();
            let is_known = known.is_ok_and(|id| site.shell.pages.get(id).is_some());
            if is_known || written.starts_with('@') {
                continue;
            }
            let pointer = below(&format!("/ops/{at}"), name);
            let (earlier, rest) = ops.split_at_mut(at);
            let mut meant = pages(&written, site);
            meant.extend(made(&written, earlier));
            match meant.as_slice() {
                [only] => {
                    let (slip, reference) = match only {
                        Meant::Page(id, slip) => (*slip, id.to_string()),
                        Meant::Made(maker) => {
                            let name = named(earlier, *maker, desk);
                            (Slip::MadePageByAddress, format!("@{name}"))
                        }
                    };
                    let found = format!("`{written}`");
                    desk.repair(slip, &pointer, found, format!("`{reference}`"));
                    if let Some(op) = rest.first_mut() {
                        op[name] = json!(reference);
                    }
                }
                [] => desk.refuse(unknown(&pointer, &written, site)),
                several => desk.refuse(ambiguous(&pointer, &written, several, site)),
            }
        }
    }
}

fn pages(written: &str, site: &Site) -> Vec<Meant> {
    let path = written.trim().trim_matches('/');
    let all = || site.shell.pages.iter();
    if written.contains('/') {
        let same = |id: BodyId| site.permalink(id).trim_matches('/') == path;
        return all()
            .filter(|(id, page)| page.template.is_none() && same(*id))
            .map(|(id, _)| Meant::Page(id, Slip::PageByAddress))
            .collect();
    }
    let title = written.trim().to_lowercase();
    all()
        .filter_map(|(id, page)| {
            if page.slug == path && page.template.is_none() {
                return Some(Meant::Page(id, Slip::PageByAddress));
            }
            let same = page.title.to_lowercase() == title;
            same.then_some(Meant::Page(id, Slip::PageByTitle))
        })
        .collect()
}

fn made(written: &str, earlier: &[Value]) -> Vec<Meant> {
    let wanted = squash(written);
    let makes = |op: &Value| {
        let makes_page = matches!(op["op"].as_str(), Some("create_page" | "duplicate_page"));
        let called = ["slug", "title"]
            .into_iter()
            .filter_map(|key| op[key].as_str());
        makes_page && !wanted.is_empty() && called.map(squash).any(|name| name == wanted)
    };
    let makers = earlier.iter().enumerate().filter(|(_, op)| makes(op));
    makers.map(|(at, _)| Meant::Made(at)).collect()
}

/// The name of what an operation creates; assigns one if there is none.
fn named(earlier: &mut [Value], maker: usize, desk: &mut Desk) -> String {
    if let Some(name) = earlier[maker]["as"].as_str() {
        return name.to_owned();
    }
    let taken = |name: &str| earlier.iter().any(|op| op["as"] == name);
    let mut name = format!("page-{maker}");
    while taken(&name) {
        name.push('x');
    }
    earlier[maker]["as"] = json!(name);
    let pointer = format!("/ops/{maker}/as");
    desk.repair(
        Slip::MadePageByAddress,
        &pointer,
        "nothing",
        format!("`{name}`"),
    );
    name
}

fn ambiguous(pointer: &str, written: &str, several: &[Meant], site: &Site) -> PlanProblem {
    let named = several.iter().take(NAMED_MAX).map(|meant| match meant {
        Meant::Page(id, _) => called(*id, site),
        Meant::Made(maker) => format!("the page that /ops/{maker} makes"),
    });
    let named: Vec<String> = named.collect();
    let expected = format!(
        "Several pages are called so: {}. Name one by its id, or one of the plan by `@` and its `as`.",
        named.join("; ")
    );
    PlanProblem::new(
        PlanProblemKind::Ambiguous,
        pointer,
        format!("`{written}`"),
        expected,
    )
}

pub(super) fn unknown(pointer: &str, written: &str, site: &Site) -> PlanProblem {
    let wanted = squash(written);
    let mut pages: Vec<(usize, BodyId)> = site
        .shell
        .pages
        .iter()
        .map(|(id, page)| {
            let far = [&page.title, &page.slug].map(|name| distance(&wanted, &squash(name)));
            (far[0].min(far[1]), id)
        })
        .collect();
    // The sort is stable: pages at the same distance stay in order.
    pages.sort_by_key(|(far, _)| *far);
    let named: Vec<String> = pages
        .iter()
        .take(NAMED_MAX)
        .map(|(_, id)| called(*id, site))
        .collect();
    let more = pages.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 {
        format!(" and {more} more, which list_documents names")
    } else {
        String::new()
    };
    let expected = format!(
        "There is no such page. There are {}{more}.",
        named.join("; ")
    );
    PlanProblem::new(
        PlanProblemKind::NotFound,
        pointer,
        format!("`{written}`"),
        expected,
    )
}

/// A page by title, address and id, for messages.
fn called(id: BodyId, site: &Site) -> String {
    match site.shell.pages.get(id) {
        Some(page) if page.template.is_some() => format!("template `{}` ({id})", page.title),
        Some(page) => format!("`{}` at {} ({id})", page.title, site.permalink(id)),
        None => id.to_string(),
    }
}
