//! Starters: small sites to begin from, each a list of sections with their texts and a set of colours on top of the base theme.
//!
//! They say nothing that only the owner can know: prices, hours, addresses and pictures stay samples, which publishing names.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use sitewright_site::{
    ChangeId, Facts, FontFamily, Item, NewEntity, Op, Outcome, Site, SiteTool, TemplateTarget,
    View, site_tools,
};
use sitewright_tool::{ErrorCode, ToolError};

use crate::section::{HeadingLevel, Section, SectionValues, section};
use crate::theme::theme_ops;

/// A site to begin from.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Starter {
    /// What people call it.
    pub name: String,
    /// What it is for, in a sentence.
    pub description: String,
    /// Values for light and dark pages, in place of those of the theme.
    colours: BTreeMap<String, [String; 2]>,
    /// The links of the header and the footer.
    menu: Vec<Value>,
    /// The button of the header.
    cta: Value,
    pages: Vec<StarterPage>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StarterPage {
    title: String,
    slug: String,
    description: String,
    sections: Vec<StarterSection>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StarterSection {
    key: String,
    /// The target of links to it.
    id: Option<String>,
    /// Whether its heading is that of the page; as designed when left out.
    heading: Option<StarterHeading>,
    /// What it says. A field that is neither here nor in `keep` is empty.
    values: Map<String, Value>,
    /// The fields that show their samples.
    #[serde(default)]
    keep: Vec<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum StarterHeading {
    Page,
}

/// The starters that ship, by their keys.
const SOURCES: [(&str, &str); 3] = [
    ("product", include_str!("../starters/product.json")),
    ("restaurant", include_str!("../starters/restaurant.json")),
    ("portfolio", include_str!("../starters/portfolio.json")),
];

/// A file that cannot be read is left out, which a test notices.
static STARTERS: LazyLock<Vec<(&str, Starter)>> = LazyLock::new(|| {
    let read = |(key, source): &(&'static str, &str)| {
        let starter = serde_json::from_str(source).ok()?;
        Some((*key, starter))
    };
    SOURCES.iter().filter_map(read).collect()
});

/// The starter with this key: `product`, `restaurant` or `portfolio`.
pub fn starter(key: &str) -> Option<&'static Starter> {
    let mut starters = STARTERS.iter();
    starters
        .find(|(known, _)| *known == key)
        .map(|(_, found)| found)
}

/// Stands for the name of the site until its binding is written: a value never becomes a binding by itself.
const SITE_NAME: &str = "@site-name";
const SITE_NAME_BINDING: &str = "{site.name|Your site}";
const HOME: &str = "index";

/// The ops that turn a new site into a starter, with the theme and these typefaces. The home page must be open.
pub fn starter_ops(
    site: &Site,
    starter: &Starter,
    families: Vec<FontFamily>,
    change: ChangeId,
) -> Result<Vec<Op>, ToolError> {
    let mut builder = Builder {
        site: site.clone(),
        tools: site_tools(),
        change: change.clone(),
        ops: Vec::new(),
    };
    let theme = theme_ops(site, families, change);
    builder.take(theme.into_iter().map(|op| recoloured(op, &starter.colours)))?;
    builder.frame(starter)?;
    // All pages are added first, because a link gets its target only if the page exists.
    let mut pages = Vec::new();
    for page in &starter.pages {
        pages.push((page, builder.page(page)?));
    }
    for (page, [id, root]) in pages {
        let sections = page.sections.iter().map(StarterSection::html);
        let html = sections
            .collect::<Option<Vec<String>>>()
            .ok_or_else(incomplete)?;
        let input = json!({ "parentId": root, "html": html.join("\n") });
        builder.call("insertHtml", input)?;
        let input = json!({ "pageId": id, "description": page.description });
        builder.call("updatePageSettings", input)?;
    }
    Ok(builder.ops)
}

fn incomplete() -> ToolError {
    ToolError::new(ErrorCode::Internal, "The starter is not complete.")
}

/// The op with the starter's values if it adds a colour.
fn recoloured(mut op: Op, colours: &BTreeMap<String, [String; 2]>) -> Op {
    if let Op::Insert { new } = &mut op
        && let NewEntity::Item { item, .. } = &mut **new
        && let Item::Color(colour) = &mut **item
        && let Some([light, dark]) = colours.get(&colour.slug)
    {
        colour.light_value.clone_from(light);
        colour.dark_value = Some(dark.clone());
    }
    op
}

impl StarterSection {
    fn html(&self) -> Option<String> {
        let section = section(&self.key)?;
        let heading = self.heading.map(|StarterHeading::Page| HeadingLevel::Page);
        let html = section.html(&SectionValues {
            given: self.given(section),
            heading,
        });
        Some(match &self.id {
            Some(id) => html.replacen(
                "class=\"section-base",
                &format!("id=\"{id}\" class=\"section-base"),
                1,
            ),
            None => html,
        })
    }

    fn given(&self, section: &Section) -> Map<String, Value> {
        let names = section.fields.iter().map(|field| &field.name);
        let shown = names.filter(|name| !self.keep.contains(name));
        let value = |name: &String| self.values.get(name).cloned().unwrap_or_default();
        shown.map(|name| (name.clone(), value(name))).collect()
    }
}

/// A site while it is built with the tools that people and agents use.
struct Builder {
    site: Site,
    tools: Vec<SiteTool>,
    change: ChangeId,
    ops: Vec<Op>,
}

impl Builder {
    fn take(&mut self, ops: impl IntoIterator<Item = Op>) -> Result<(), ToolError> {
        for op in ops {
            let done = self.site.apply(&op, 0);
            done.map_err(|error| ToolError::new(ErrorCode::Internal, error.to_string()))?;
            self.ops.push(op);
        }
        Ok(())
    }

    fn call(&mut self, name: &str, input: Value) -> Result<Value, ToolError> {
        let mut tools = self.tools.iter();
        let tool = tools.find(|tool| tool.definition.name() == name);
        let tool = tool.ok_or_else(incomplete)?;
        let change = ChangeId::of_call(self.change.as_str(), &self.ops.len().to_string());
        let facts = Facts::default();
        match tool.run(input, &mut self.site, &View::default(), (&facts, change))? {
            Outcome::Done(run) => {
                self.take(run.ops)?;
                Ok(run.data)
            }
            Outcome::Needs(_) => Err(incomplete()),
        }
    }

    /// The template around all pages.
    fn frame(&mut self, starter: &Starter) -> Result<(), ToolError> {
        let edge = |key: &str, values: Value| {
            let given = values.as_object().cloned().unwrap_or_default();
            let section = section(key).ok_or_else(incomplete)?;
            let html = section.html(&SectionValues {
                given,
                heading: None,
            });
            Ok(html.replace(SITE_NAME, SITE_NAME_BINDING))
        };
        let (menu, cta) = (&starter.menu, &starter.cta);
        let header = edge(
            "header",
            json!({ "title": SITE_NAME, "items": menu, "cta": cta }),
        )?;
        let note = format!("© {SITE_NAME}");
        let footer = edge("footer-simple", json!({ "items": menu, "note": note }))?;
        let html = format!(
            "<a class=\"skip-link\" href=\"#content\">Skip to content</a>{header}\
             <main id=\"content\"><sw-outlet></sw-outlet></main>{footer}"
        );
        let page = json!({ "title": "Header and footer", "slug": "frame" });
        let made = self.call("addPage", page)?;
        self.call(
            "insertHtml",
            json!({ "parentId": made["rootNodeId"], "html": html }),
        )?;
        let target = TemplateTarget::Everywhere;
        let template = json!({ "pageId": made["pageId"], "target": target });
        self.call("setPageTemplate", template).map(drop)
    }

    /// A page's id and its root: those of the home page that every site has, or of a new page.
    fn page(&mut self, page: &StarterPage) -> Result<[Value; 2], ToolError> {
        if page.slug != HOME {
            let input = json!({ "title": page.title, "slug": page.slug });
            let made = self.call("addPage", input)?;
            return Ok([made["pageId"].clone(), made["rootNodeId"].clone()]);
        }
        let mut pages = self.site.shell.pages.iter();
        let (id, _) = pages
            .find(|(_, page)| page.slug == HOME)
            .ok_or_else(incomplete)?;
        let tree = self.site.bodies.get(&id).ok_or_else(incomplete)?;
        Ok([json!(id), json!(tree.root())])
    }
}

#[cfg(test)]
mod tests {
    use sitewright_site::{ChangeId, Facts, Outcome, Purpose, Site, first_ops};

    use super::{SOURCES, starter, starter_ops};
    use crate::section::section;

    #[test]
    fn every_starter_builds_pages_that_render() {
        for (key, _) in SOURCES {
            let starter = starter(key).expect("a starter that can be read");
            let mut site = Site::default();
            for op in first_ops("Oak", ChangeId::from("first".to_owned())).expect("ops") {
                site.apply(&op, 0).expect("an op of a new site");
            }
            let ops = starter_ops(
                &site,
                starter,
                Vec::new(),
                ChangeId::from("begin".to_owned()),
            );
            for op in ops.expect("ops") {
                site.apply(&op, 0).expect("an op of the starter");
            }
            let pages: Vec<_> = site.shell.pages.iter().collect();
            assert_eq!(
                pages.len(),
                starter.pages.len() + 1,
                "{key}: with the frame"
            );
            for (id, page) in pages
                .into_iter()
                .filter(|(_, page)| page.template.is_none())
            {
                let rendered = site.render(id, Purpose::Publish, &Facts::default());
                let Some(Outcome::Done(rendered)) = rendered else {
                    panic!("{key}: {} does not render", page.title);
                };
                assert_eq!(
                    rendered.problems,
                    Vec::<String>::new(),
                    "{key}: {}",
                    page.title
                );
                assert_eq!(
                    rendered.html.matches("<h1").count(),
                    1,
                    "{key}: {}",
                    page.title
                );
                assert!(rendered.html.contains(">Oak</a>"), "{key}: {}", page.title);
            }
        }
    }

    #[test]
    fn starters_name_fields_that_there_are() {
        for (key, _) in SOURCES {
            let starter = starter(key).expect("a starter that can be read");
            for used in starter.pages.iter().flat_map(|page| &page.sections) {
                let section = section(&used.key).expect("a section of the library");
                for name in used.values.keys().chain(&used.keep) {
                    let is_field = section.fields.iter().any(|field| field.name == *name);
                    assert!(is_field, "{key}: {} has no field {name}", used.key);
                }
            }
        }
    }
}
