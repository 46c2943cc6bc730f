//! Sections in answers.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use sitewright_site::{BodyId, Kind, Need, NodeId, SectionStatus, Stop, Tree, Work};

/// The most characters of the text of a section.
const TEXT_MAX: usize = 2_000;
/// The key of a section that was made without a template.
pub(super) const HTML: &str = "html";

/// A section of a page: something at the top level of what is on it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShownSection {
    pub(super) page_section_id: NodeId,
    page_id: BodyId,
    /// The key of its template; `html` for what was made without one.
    pub(super) template_key: String,
    /// Its place on the page, from 0.
    sort_order: usize,
    status: SectionStatus,
    hidden: bool,
    /// What it says, shortened.
    pub(super) text: String,
    /// Its fields, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<Map<String, Value>>,
}

/// Whether answers carry the fields of sections.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionContent {
    Included,
    LeftOut,
}

/// The sections of a page, in order.
pub(crate) fn sections(
    page: BodyId,
    content: SectionContent,
    work: &Work<'_>,
) -> Result<Vec<ShownSection>, Stop> {
    let Some(tree) = work.site().bodies.get(&page) else {
        return Err(Stop::Needs(vec![Need::Body(page)]));
    };
    let shown = section_nodes(tree).enumerate().filter_map(|(at, node)| {
        let found = tree.node(node)?;
        let used = match &found.kind {
            Kind::Component(used) => Some(used),
            _ => None,
        };
        let text = match used {
            Some(used) => text_of(used.props.values()),
            None => text_in(tree, node),
        };
        let with_content = content == SectionContent::Included;
        Some(ShownSection {
            page_section_id: node,
            page_id: page,
            template_key: template_key(tree, node, work).unwrap_or_else(|| HTML.to_owned()),
            sort_order: at,
            status: found.status,
            hidden: found.hidden,
            text,
            content: used
                .filter(|_| with_content)
                .map(|used| used.props.clone().into_iter().collect()),
        })
    });
    Ok(shown.collect())
}

/// The nodes of a page that are its sections: everything at the top level except comments and white space.
pub(super) fn section_nodes(tree: &Tree) -> impl Iterator<Item = NodeId> {
    tree.children(tree.root()).filter(|node| {
        tree.node(*node).is_some_and(|found| match &found.kind {
            Kind::Component(_) | Kind::Element(_) | Kind::Loop(_) | Kind::Outlet => true,
            Kind::Text(_) | Kind::Comment(_) => false,
        })
    })
}

/// The key of the template that a section is made from.
pub(super) fn template_key(tree: &Tree, node: NodeId, work: &Work<'_>) -> Option<String> {
    match &tree.node(node)?.kind {
        Kind::Component(used) => {
            let component = work.site().shell.components.get(used.id.parse().ok()?)?;
            component.template_key.clone()
        }
        _ => None,
    }
}

fn text_in(tree: &Tree, node: NodeId) -> String {
    let mut words: Vec<&str> = Vec::new();
    for id in tree.walk(node) {
        if let Some(Kind::Text(text)) = tree.node(id).map(|node| &node.kind) {
            words.extend(text.split_whitespace());
        }
    }
    words.join(" ").chars().take(TEXT_MAX).collect()
}

/// The texts in the fields of a section, without addresses.
fn text_of<'v>(values: impl Iterator<Item = &'v Value>) -> String {
    let mut texts = Vec::new();
    for value in values {
        collect(value, &mut texts);
    }
    texts.join(" ").chars().take(TEXT_MAX).collect()
}

fn collect<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !matches!(name.as_str(), "url" | "imageId"))
            .for_each(|(_, value)| collect(value, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
