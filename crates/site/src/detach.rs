//! Plain HTML from the source of a component: what the insert panel and the built-in commands put on a page, where everything is
//! edited in place and nothing refers back to a component.
//!
//! Only the component's own values are filled in. Loops over entries and bindings to the page or the site stay, because they have
//! their values when the page is rendered.

use std::collections::BTreeMap;

use serde_json::Value;
use sitewright_markup::html::{
    HtmlError, HtmlLimits, HtmlMode, HtmlStyle, import_html, write_forest,
};

use crate::binding::{Path, Source, fill_props, follow, looped_value};
use crate::{Attr, Element, Forest, ForestNode, Kind, Node};

/// Marks an element that shows a sample, with the sample's text as its value. Publishing names such elements while their text is
/// still the same.
const MARK: &str = "data-placeholder";

/// A value that takes the place of a prop.
#[derive(Debug, Clone, PartialEq)]
pub struct DetachedProp {
    /// The value, in the form that the component's prop has.
    pub value: Value,
    /// Whether it only shows what could be there, so that the elements with it are marked as placeholders.
    pub is_sample: bool,
}

/// The HTML of a component with these values in place of its props, followed by its CSS as a `<style>` element.
pub fn detach_component(
    source: &str,
    props: &BTreeMap<String, DetachedProp>,
) -> Result<String, HtmlError> {
    let imported = import_html(source, &HtmlMode::body(), &HtmlLimits::default())?;
    let nodes = &imported.content.0;
    let mut children = vec![Vec::new(); nodes.len()];
    let mut roots = Vec::new();
    for (at, ForestNode { parent, .. }) in nodes.iter().enumerate() {
        match parent {
            Some(parent) => children[*parent as usize].push(at),
            None => roots.push(at),
        }
    }
    let mut detachment = Detachment {
        nodes,
        children: &children,
        props,
        out: Vec::new(),
    };
    for root in roots {
        detachment.write(root, None, None);
    }
    let mut html = String::new();
    write_forest(&mut html, &Forest(detachment.out), None);
    Ok(format!(
        "{}{}",
        html.trim(),
        style_element(&imported.styles)
    ))
}

fn style_element(styles: &[HtmlStyle]) -> String {
    let css: Vec<&str> = styles.iter().map(|style| style.text.trim()).collect();
    match css.is_empty() {
        true => String::new(),
        false => format!("<style>\n{}\n</style>", css.join("\n")),
    }
}

/// The current item of a loop over a prop.
#[derive(Clone, Copy)]
struct CurrentItem<'a> {
    value: &'a Value,
    is_sample: bool,
}

struct Detachment<'a> {
    nodes: &'a [ForestNode],
    children: &'a [Vec<usize>],
    props: &'a BTreeMap<String, DetachedProp>,
    out: Vec<ForestNode>,
}

impl<'a> Detachment<'a> {
    /// Writes a node and its descendants under a node that is written already.
    fn write(&mut self, at: usize, parent: Option<u32>, item: Option<CurrentItem<'a>>) {
        let node = &self.nodes[at].node;
        if let Kind::Loop(looped) = &node.kind
            && let Some(path) = looped_value(&looped.source)
            && path.source == Source::Props
        {
            for item in self.items(&path) {
                self.write_children(at, parent, Some(item));
            }
            return;
        }
        let filled = self.filled(node, parent, item);
        let here = u32::try_from(self.out.len()).unwrap_or(u32::MAX);
        self.out.push(ForestNode {
            parent,
            node: filled,
        });
        self.write_children(at, Some(here), item);
    }

    fn write_children(&mut self, at: usize, parent: Option<u32>, item: Option<CurrentItem<'a>>) {
        for child in &self.children[at] {
            self.write(*child, parent, item);
        }
    }

    /// What a loop over a prop repeats: the items of a list, or the value itself when it is not empty.
    fn items(&self, path: &Path<'_>) -> Vec<CurrentItem<'a>> {
        let Some((name, fields)) = path.fields.split_first() else {
            return Vec::new();
        };
        let Some(prop) = self.props.get(*name) else {
            return Vec::new();
        };
        let Some(value) = follow(&prop.value, fields) else {
            return Vec::new();
        };
        let is_sample = prop.is_sample;
        let values: Vec<&'a Value> = match value {
            Value::Array(items) => items.iter().collect(),
            Value::Null | Value::Bool(false) => Vec::new(),
            Value::String(text) if text.is_empty() => Vec::new(),
            other => vec![other],
        };
        let items = values.into_iter();
        items
            .map(|value| CurrentItem { value, is_sample })
            .collect()
    }

    fn filled(&mut self, node: &Node, parent: Option<u32>, item: Option<CurrentItem<'a>>) -> Node {
        let mut node = node.clone();
        match &mut node.kind {
            Kind::Text(text) => {
                let (filled, has_sample) = self.fill(text, item);
                *text = filled;
                if has_sample && let Some(parent) = parent {
                    mark(&mut self.out[parent as usize].node, text.trim());
                }
            }
            Kind::Element(element) => {
                let mut has_sample_picture = false;
                for attr in &mut element.attrs {
                    let (filled, has_sample) = self.fill(&attr.value, item);
                    attr.value = filled;
                    has_sample_picture |= has_sample && attr.name.as_str() == "src";
                }
                if has_sample_picture {
                    mark(&mut node, "");
                }
            }
            Kind::Comment(_) | Kind::Loop(_) | Kind::Outlet | Kind::Component(_) => {}
        }
        node
    }

    /// A text with its values, and whether one of them is a sample.
    fn fill(&self, text: &str, item: Option<CurrentItem<'_>>) -> (String, bool) {
        let has_sample = std::cell::Cell::new(false);
        let lookup = |path: &Path<'_>| -> Option<Value> {
            let (value, fields, is_sample) = match path.source {
                Source::Item => {
                    let item = item?;
                    (item.value, path.fields.as_slice(), item.is_sample)
                }
                _ => {
                    let (name, fields) = path.fields.split_first()?;
                    let prop = self.props.get(*name)?;
                    (&prop.value, fields, prop.is_sample)
                }
            };
            let found = follow(value, fields)?.clone();
            has_sample.set(has_sample.get() || is_sample);
            Some(found)
        };
        (fill_props(text, &lookup), has_sample.get())
    }
}

fn mark(node: &mut Node, text: &str) {
    if let Kind::Element(Element { attrs, .. }) = &mut node.kind {
        attrs.retain(|attr| attr.name.as_str() != MARK);
        attrs.push(Attr::new(MARK, text));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::{DetachedProp, detach_component};

    fn check(source: &str, samples: &Value, given: &Value, expected: &str) {
        let mut props = BTreeMap::new();
        for (values, is_sample) in [(samples, true), (given, false)] {
            for (name, value) in values.as_object().expect("values by name") {
                let value = value.clone();
                props.insert(name.clone(), DetachedProp { value, is_sample });
            }
        }
        let html = detach_component(source, &props).expect("HTML");
        assert_eq!(html, expected, "{source}");
    }

    #[test]
    fn values_are_filled_in_and_samples_are_marked() {
        check(
            "<h2>{props.title}</h2><p>{props.text}</p>",
            &json!({ "title": "A sample" }),
            &json!({ "text": "Given" }),
            "<h2 data-placeholder=\"A sample\">A sample</h2><p>Given</p>",
        );
        check(
            "<img src=\"{props.image.url}\" alt=\"{props.image.alt}\"><a href=\"{props.cta.url}\">{props.cta.label|More}</a>",
            &json!({ "image": { "url": "/a.png", "alt": "" } }),
            &json!({ "cta": { "url": "/b" } }),
            "<img src=\"/a.png\" alt=\"\" data-placeholder=\"\"><a href=\"/b\">More</a>",
        );
    }

    #[test]
    fn loops_over_values_are_unrolled_and_others_stay() {
        check(
            "<style>.a { color: red }</style><ul><sw-loop data-source-id=\"props.items\"><li>{item.title}</li></sw-loop></ul>\
             <sw-loop data-source-id=\"props.none\"><p>x</p></sw-loop>",
            &json!({ "items": [{ "title": "One" }, { "title": "Two" }] }),
            &json!({}),
            "<ul><li data-placeholder=\"One\">One</li><li data-placeholder=\"Two\">Two</li></ul><style>\n.a { color: red }\n</style>",
        );
        check(
            "<sw-loop data-source-id=\"data.rows\" data-table-id=\"blog\"><h3>{currentEntry.title|None}</h3></sw-loop>",
            &json!({}),
            &json!({}),
            "<sw-loop data-source-id=\"data.rows\" data-table-id=\"blog\" data-direction=\"desc\"><h3>{currentEntry.title|None}</h3></sw-loop>",
        );
    }

    #[test]
    fn braces_in_a_value_stay_text() {
        check(
            "<p>{props.text}</p>",
            &json!({}),
            &json!({ "text": "{site.name} {x} \\{x} {your.name} {" }),
            "<p>\\{site.name} {x} \\\\{x} \\{your.name} {</p>",
        );
    }
}
