//! Templates: turning a page into one, and back into a page.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use sitewright_tool::definition::edit;

use crate::binding::{Path, Source, Unbound, looped_value, without};
use crate::{BodyId, Entity, Kind, Loop, Node, NodeId, Op, Template, TemplateTarget, Tree};

use super::pages::{found, touched};
use super::work::{LocatedNode, Stop, Work, name_of};
use super::{Nothing, PureBody as _, SiteTool};

/// The maximum number of bindings that get a note of their own.
const NOTES_MAX: usize = 20;

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        edit("setPageTemplate", "Make a page a template", "Makes a page a template that wraps others, or changes what it wraps. Its content \
               flows in at its one <sw-outlet>. The slugs of collections come from list_post_types.")
        .words("Making a template", "Made a template").with(set),
        edit("clearPageTemplate", "Make a template a page", "Makes a template an ordinary page again. A page shows no entry, so bindings to \
               one become their fallback texts; those in loops stay.").words("Turning a template into a page", "Turned a template into a page").with(clear),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct SetPageTemplate {
    /// The page.
    pub(crate) page_id: BodyId,
    /// What it wraps.
    pub(crate) target: TemplateTarget,
    /// Which of several wins: the greatest; 100 when left out.
    pub(crate) priority: Option<i32>,
}

pub(crate) fn set(input: SetPageTemplate, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    let page = found(work, input.page_id)?;
    if matches!(&input.target, TemplateTarget::PostTypes { table_slugs } if table_slugs.is_empty())
    {
        return Err(Stop::invalid(
            "tableSlugs must name at least one collection; list_post_types names those there are.",
        ));
    }
    let priority = input
        .priority
        .or(page.template.as_ref().map(|template| template.priority))
        .unwrap_or(100);
    let template = Template {
        target: input.target,
        priority,
    };
    let touched = touched(input.page_id, &page);
    if page.template.as_ref() == Some(&template) {
        work.receipt.unchanged.push(touched);
        return Ok(Nothing {});
    }
    work.step(Op::Put {
        entity: Entity::Page { id: input.page_id },
        field: "template".to_owned(),
        value: json!(template),
    })?;
    let tree = work.tree(input.page_id)?;
    let has_outlet = tree.walk(tree.root()).any(|node| {
        tree.node(node)
            .is_some_and(|node| node.kind == Kind::Outlet)
    });
    // The template of a collection shows entries by bindings.
    let wraps = !matches!(template.target, TemplateTarget::PostTypes { .. });
    if wraps && !has_outlet {
        let note = "It has no outlet yet and wraps nothing until it has: insert <sw-outlet></sw-outlet> where the content goes.";
        work.receipt.notes.push(note.to_owned());
    }
    work.receipt.changed.push(touched);
    Ok(Nothing {})
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ClearPageTemplate {
    /// The template.
    page_id: BodyId,
}

fn clear(input: ClearPageTemplate, work: &mut Work<'_>) -> Result<Nothing, Stop> {
    let page = found(work, input.page_id)?;
    if page.template.is_none() {
        return Err(Stop::conflict(format!(
            "The page `{}` is not a template.",
            page.title
        )));
    }
    work.put(Entity::Page { id: input.page_id }, "template", Value::Null)?;
    let mut lost = 0;
    for loss in losses(work.tree(input.page_id)?) {
        let found = LocatedNode {
            body: input.page_id,
            node: loss.node,
        };
        let touched = work.touched(found);
        work.put(found.entity(), &loss.field, loss.value)?;
        if !work.receipt.changed.contains(&touched) {
            work.receipt.changed.push(touched);
        }
        lost += loss.notes.len();
        let room = NOTES_MAX.saturating_sub(work.receipt.notes.len());
        work.receipt.notes.extend(loss.notes.into_iter().take(room));
    }
    if lost > work.receipt.notes.len() {
        let rest = lost - work.receipt.notes.len();
        work.receipt
            .notes
            .push(format!("{rest} more bindings became their fallbacks."));
    }
    work.receipt.changed.push(touched(input.page_id, &page));
    Ok(Nothing {})
}

/// A field that loses bindings.
struct Loss {
    node: NodeId,
    field: String,
    value: Value,
    notes: Vec<String>,
}

/// The fields whose bindings refer to an entry that an ordinary page does not have: the current entry outside of loops,
/// or the parent entry in an outermost loop.
fn losses(tree: &Tree) -> Vec<Loss> {
    let gives_entries = |id: &NodeId| match tree.node(*id).map(|node| &node.kind) {
        Some(Kind::Loop(looped)) => looped_value(&looped.source).is_none(),
        _ => false,
    };
    let mut losses = Vec::new();
    for id in tree.walk(tree.root()) {
        let Some(node) = tree.node(id) else { continue };
        let above = std::iter::successors(tree.parent(id), |above| tree.parent(*above));
        let entries = above.filter(gives_entries).count();
        let is_lost = |path: &Path<'_>| match path.source {
            Source::CurrentEntry => entries < 1,
            Source::ParentEntry => entries < 2,
            Source::Page | Source::Site | Source::Route | Source::Props | Source::Item => false,
        };
        for (field, text) in texts(node) {
            let Some(Unbound { text, lost }) = without(text, is_lost) else {
                continue;
            };
            // An empty address would link to the page itself.
            let value = match text.trim() {
                "" if field.starts_with("attrs.") => Value::Null,
                _ => json!(text),
            };
            let holder = match node.kind {
                Kind::Text(_) => tree.parent(id).and_then(|parent| tree.node(parent)),
                _ => None,
            };
            let name = name_of(holder.unwrap_or(node));
            let notes = lost.iter().map(|(written, fallback)| {
                format!("`{written}` in {name} is `{fallback}` now: a page shows no entry.")
            });
            losses.push(Loss {
                node: id,
                notes: notes.collect(),
                field,
                value,
            });
        }
        if let Kind::Loop(looped) = &node.kind {
            losses.extend(of_filter(id, looped, is_lost));
        }
    }
    losses
}

/// Every field of a node that may contain bindings.
fn texts(node: &Node) -> Vec<(String, &str)> {
    let mut texts: Vec<(String, &str)> = Vec::new();
    texts.extend(
        node.classes
            .iter()
            .map(|text| ("classes".to_owned(), text.as_str())),
    );
    texts.extend(
        node.style
            .iter()
            .map(|text| ("style".to_owned(), text.as_str())),
    );
    match &node.kind {
        Kind::Text(text) => texts.push(("text".to_owned(), text)),
        Kind::Element(element) => texts.extend(
            element
                .attrs
                .iter()
                .map(|attr| (format!("attrs.{}", attr.name.as_str()), attr.value.as_str())),
        ),
        Kind::Component(used) => texts.extend(
            used.props
                .iter()
                .filter_map(|(name, value)| Some((format!("props.{name}"), value.as_str()?))),
        ),
        Kind::Comment(_) | Kind::Loop(_) | Kind::Outlet => {}
    }
    texts
}

/// The loop without the filters that refer to the entry; the value they compare with is no longer known.
fn of_filter(node: NodeId, looped: &Loop, is_lost: impl Fn(&Path<'_>) -> bool) -> Option<Loss> {
    let mut kept = looped.clone();
    let mut notes = Vec::new();
    kept.filter.retain(|field, value| {
        let unbound = value.as_str().and_then(|text| without(text, &is_lost));
        notes.extend(
            unbound
                .iter()
                .flat_map(|unbound| &unbound.lost)
                .map(|(written, _)| {
                    format!("The loop is no longer filtered by {field} = `{written}`.")
                }),
        );
        unbound.is_none()
    });
    (!notes.is_empty()).then(|| Loss {
        node,
        field: "loop".to_owned(),
        value: json!(kept),
        notes,
    })
}
