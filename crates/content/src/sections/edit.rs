//! Creating and changing sections.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sitewright_site::{
    BodyId, ComponentUse, Direction, Entity, Kind, Need, NewEntity, Node, NodeId, Op, Param, Place,
    RowQuery, SectionStatus, Stop, Subtree, SubtreeNode, Work,
};
use sitewright_tool::Touched;

use super::find::page_with;
use super::shown::{SectionContent, ShownSection, section_nodes, sections, template_key};
use super::template::Template;
use super::value::{field, image_field, stored};
use crate::pages::find::{named, open_all};

/// The words of [`SectionStatus`] for schemas, without what describes each of them.
#[derive(JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "it is a schema only")]
enum StatusWord {
    Published,
    Unpublished,
    Draft,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct CreateSection {
    /// The page.
    page_id: BodyId,
    /// The key of its template, from getSectionTemplate.
    template_key: String,
    /// Its fields, as the template has them.
    #[serde(default)]
    content: Map<String, Value>,
    /// Its place on the page, from 0; last when left out.
    sort_order: Option<usize>,
    /// Whether it is published with the page; published when left out.
    #[schemars(with = "Option<StatusWord>")]
    status: Option<SectionStatus>,
    /// Whether nobody sees it.
    #[serde(default)]
    hidden: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct SavedSection {
    success: bool,
    /// What updateSection and deleteSection take.
    page_section_id: NodeId,
    item: ShownSection,
}

pub(super) fn create(input: CreateSection, work: &mut Work<'_>) -> Result<SavedSection, Stop> {
    named(input.page_id, work)?;
    open_all(&[input.page_id], work)?;
    let template = Template::with_key(&input.template_key, work)?;
    let mut props = BTreeMap::new();
    for (name, value) in &input.content {
        let field = field(&template.fields, "content", name)?;
        let value = with_default_alt(stored(field, None, value)?, work)?;
        if !value.is_null() {
            props.insert(name.clone(), value);
        }
    }
    refuse_missing(&template, &props)?;
    template.add_to_site(work)?;
    let id: NodeId = work.mint();
    let used = ComponentUse {
        id: template.id.to_string(),
        props,
    };
    let node = Node {
        status: input.status.unwrap_or_default(),
        hidden: input.hidden,
        ..Node::new(Kind::Component(Box::new(used)))
    };
    let nodes = Subtree::new(vec![SubtreeNode {
        id,
        parent: None,
        node,
    }])
    .map_err(|error| Stop::invalid(error.to_string()))?;
    let place = place(input.page_id, None, input.sort_order, work)?;
    work.step(Op::Insert {
        new: Box::new(NewEntity::Nodes {
            body: input.page_id,
            nodes,
            place,
        }),
    })?;
    let touched = touched(id, &template.key);
    work.receipt().created.push(touched);
    saved(input.page_id, id, work)
}

fn refuse_missing(template: &Template, props: &BTreeMap<String, Value>) -> Result<(), Stop> {
    let missing: Vec<&str> = template
        .fields
        .iter()
        .filter(|field| field.required && !props.contains_key(&field.name))
        .map(|field| field.name.as_str())
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(Stop::invalid_at(
            "content",
            format!("`{}` needs {}.", template.key, missing.join(", ")),
        )),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct UpdateSection {
    /// The section.
    page_section_id: NodeId,
    /// The fields to change; null empties one.
    content: Option<Map<String, Value>>,
    /// The picture to attach.
    image_id: Option<String>,
    /// The field it goes into, such as backgroundImage.
    image_field: Option<String>,
    /// Its alternative text here; the library's when left out.
    alt: Option<String>,
    /// Whether it is published with the page.
    #[schemars(with = "Option<StatusWord>")]
    status: Option<SectionStatus>,
    /// Whether nobody sees it.
    hidden: Option<bool>,
    /// Another place on the page, from 0.
    sort_order: Option<usize>,
}

pub(super) fn update(input: UpdateSection, work: &mut Work<'_>) -> Result<SavedSection, Stop> {
    refuse_nothing(&input)?;
    let id = input.page_section_id;
    let page = page_with("pageSectionId", id, work)?;
    let entity = Entity::Node {
        body: page,
        node: id,
    };
    let steps = work.steps();
    let mut values = input.content.clone().unwrap_or_default();
    if let (Some(image), Some(field)) = (&input.image_id, &input.image_field) {
        values.insert(field.clone(), picture(image, input.alt.as_deref(), work)?);
    }
    if !values.is_empty() {
        let fields = fields_of(page, id, work)?;
        if let Some(name) = &input.image_field {
            image_field(&fields, name)?;
        }
        for (name, value) in &values {
            let field = field(&fields, "content", name)?;
            let place = format!("props.{name}");
            let before = work.site().field(entity, &place).ok();
            let value = stored(field, before.as_ref(), value)?;
            work.put(entity, &place, with_default_alt(value, work)?)?;
        }
    }
    if let Some(status) = input.status {
        work.put(entity, "status", json!(status))?;
    }
    if let Some(hidden) = input.hidden {
        work.put(entity, "hidden", json!(hidden))?;
    }
    if let Some(order) = input.sort_order {
        relocate(page, id, order, work)?;
    }
    let key = work.site().bodies.get(&page);
    let key = key.and_then(|tree| template_key(tree, id, work));
    let touched = touched(id, key.as_deref().unwrap_or("html"));
    match work.steps() > steps {
        true => work.receipt().changed.push(touched),
        false => work.receipt().unchanged.push(touched),
    }
    saved(page, id, work)
}

fn refuse_nothing(input: &UpdateSection) -> Result<(), Stop> {
    let has_image = input.image_id.is_some() && input.image_field.is_some();
    if input.image_id.is_some() != input.image_field.is_some()
        || (input.alt.is_some() && !has_image)
    {
        return Err(Stop::invalid(
            "imageId, imageField and alt go together: provide imageId + imageField.",
        ));
    }
    let has_content = input
        .content
        .as_ref()
        .is_some_and(|content| !content.is_empty());
    let has_more = input.status.is_some() || input.hidden.is_some() || input.sort_order.is_some();
    match has_content || has_image || has_more {
        true => Ok(()),
        false => Err(Stop::invalid("Provide content, or imageId + imageField.")),
    }
}

/// The fields of a section; refused for one without a template.
fn fields_of(page: BodyId, id: NodeId, work: &Work<'_>) -> Result<Vec<Param>, Stop> {
    let tree = work.site().bodies.get(&page);
    let kind = tree.and_then(|tree| tree.node(id)).map(|node| &node.kind);
    let component = match kind {
        Some(Kind::Component(used)) => used.id.parse().ok(),
        _ => None,
    };
    let component = component.and_then(|id| work.site().shell.components.get(id));
    match component {
        Some(component) => Ok(component.params.clone()),
        None => Err(Stop::conflict(
            "This section was made without a template, so it has no fields. Change its HTML with the tools of the site, or \
             replace it by one with a template.",
        )),
    }
}

/// A picture of the library as the value of a field.
fn picture(id: &str, alt: Option<&str>, work: &Work<'_>) -> Result<Value, Stop> {
    let found = media(id, work)?.ok_or_else(|| {
        Stop::not_found(format!(
            "There is no image {id}; getImage names those there are."
        ))
    })?;
    let alt = alt.map_or_else(|| found["alt"].clone(), Value::from);
    Ok(json!({ "url": found["url"], "alt": alt, "imageId": id }))
}

/// A picture with the alternative text of the library where the call gives none.
fn with_default_alt(value: Value, work: &Work<'_>) -> Result<Value, Stop> {
    let url = value.get("url").and_then(Value::as_str);
    let id = url
        .and_then(|url| url.strip_prefix("/uploads/"))
        .and_then(|rest| rest.split('/').next());
    match (id, value.get("alt")) {
        (Some(id), None) => {
            let alt = media(id, work)?.map(|found| found["alt"].clone());
            let mut value = value.clone();
            value["alt"] = alt.unwrap_or_default();
            Ok(value)
        }
        (Some(_) | None, _) => Ok(value),
    }
}

/// What the library has about a picture.
fn media(id: &str, work: &Work<'_>) -> Result<Option<Value>, Stop> {
    let query = RowQuery {
        source: "site.media".to_owned(),
        table: None,
        order: None,
        direction: Direction::default(),
        limit: Some(1),
        offset: 0,
        filter: [("id".to_owned(), id.to_owned())].into(),
        locale: None,
    };
    let key = query.key();
    match work.facts().rows.get(&key) {
        Some(rows) => Ok(rows.first().cloned()),
        None => Err(Stop::Needs(vec![Need::Rows {
            key,
            query: Box::new(query),
        }])),
    }
}

/// The place of a section among the others.
fn place(
    page: BodyId,
    moved: Option<NodeId>,
    order: Option<usize>,
    work: &Work<'_>,
) -> Result<Place, Stop> {
    let Some(tree) = work.site().bodies.get(&page) else {
        return Err(Stop::Needs(vec![Need::Body(page)]));
    };
    let others: Vec<NodeId> = section_nodes(tree)
        .filter(|node| Some(*node) != moved)
        .collect();
    let last = tree
        .children(tree.root())
        .filter(|node| Some(*node) != moved)
        .last();
    let after = match order {
        None => last,
        Some(order) if order >= others.len() => last,
        Some(0) => None,
        Some(order) => others.get(order - 1).copied(),
    };
    Ok(Place {
        parent: tree.root(),
        after,
    })
}

fn relocate(page: BodyId, id: NodeId, order: usize, work: &mut Work<'_>) -> Result<(), Stop> {
    let current = work.site().bodies.get(&page);
    let current = current.and_then(|tree| section_nodes(tree).position(|node| node == id));
    if current == Some(order) {
        return Ok(());
    }
    let place = place(page, Some(id), Some(order), work)?;
    work.step(Op::Place {
        body: page,
        node: id,
        place,
    })
}

fn saved(page: BodyId, id: NodeId, work: &Work<'_>) -> Result<SavedSection, Stop> {
    let mut all = sections(page, SectionContent::Included, work)?.into_iter();
    let item = all.find(|section| section.page_section_id == id);
    Ok(SavedSection {
        success: true,
        page_section_id: id,
        item: item.ok_or_else(|| Stop::not_found(format!("There is no section {id}.")))?,
    })
}

pub(super) fn touched(id: NodeId, key: &str) -> Touched {
    Touched {
        kind: "section".to_owned(),
        id: id.to_string(),
        name: Some(key.to_owned()),
        also_used_in: None,
    }
}
