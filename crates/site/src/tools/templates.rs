//! Templates: making a page one, and making it a page again.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{BodyId, Entity, Kind, Op, Template, TemplateTarget};

use super::pages::{found, touched};
use super::work::{Stop, Work};
use super::{About, Nothing, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        About::change("setPageTemplate", "Make a page a template", "Makes a page a template that wraps others, or changes what it wraps. Its content \
               flows in at its one <instatic-outlet>. The slugs of collections come from list_post_types.")
        .with(set),
        About::change("clearPageTemplate", "Make a template a page", "Makes a template an ordinary page again.").with(clear),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SetPageTemplate {
    /// The page.
    page_id: BodyId,
    /// What it wraps.
    target: TemplateTarget,
    /// Which of several wins: the greatest; 100 when left out.
    priority: Option<i32>,
}

fn set(input: SetPageTemplate, work: &mut Work<'_>) -> Result<Nothing, Stop> {
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
    if !has_outlet {
        let note = "It has no outlet yet and wraps nothing until it has: insert <instatic-outlet></instatic-outlet> where the content goes.";
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
    work.step(Op::Put {
        entity: Entity::Page { id: input.page_id },
        field: "template".to_owned(),
        value: Value::Null,
    })?;
    work.receipt.changed.push(touched(input.page_id, &page));
    Ok(Nothing {})
}
