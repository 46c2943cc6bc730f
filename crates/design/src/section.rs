//! A section of the library and the HTML it becomes.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};
use sitewright_site::{DetachedProp, Param, detach_component};

use crate::list::SOURCES;
use crate::picture;

/// Rules that all sections share. Their specificity is as low as can be, so that what the site says about the same classes wins.
/// Where a reset of elements would leave headings without a size or cards without padding, it is just above that of an element.
const SHARED_CSS: &str = include_str!("../sections/shared.css");

/// A designed section.
#[derive(Debug)]
pub struct Section {
    /// Its name in calls, such as `hero-split`.
    pub key: String,
    /// What it is for, such as `hero`; the sections of a family are layouts of the same thing.
    pub family: String,
    /// What people call it.
    pub name: String,
    /// What it shows, in a sentence.
    pub description: String,
    /// The values it takes, in order.
    pub fields: Vec<Param>,
    /// A value for each of its fields that shows what could be there.
    pub sample: Map<String, Value>,
    /// Its HTML with bindings to its fields, and its CSS.
    pub source: String,
    /// The same without the rules that sections share.
    own_source: &'static str,
}

/// What a section says, in place of its samples.
#[derive(Debug, Clone, Default)]
pub struct SectionValues {
    /// Values by field; a field that is missing here shows its sample, marked as a placeholder.
    pub given: Map<String, Value>,
    /// The level of its heading; as designed when left out.
    pub heading: Option<HeadingLevel>,
}

/// The level of a section's heading: a page has only one main heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadingLevel {
    /// The heading of the page.
    Page,
    /// A heading under that of the page.
    Section,
}

/// A section's manifest, the file beside its HTML.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    key: String,
    name: String,
    description: String,
    fields: Vec<Param>,
    sample: Map<String, Value>,
}

/// The files of a section.
pub(crate) struct Source {
    /// Its family and its layout, which are its place in the library.
    pub(crate) path: &'static str,
    pub(crate) html: &'static str,
    pub(crate) manifest: &'static str,
}

/// A manifest that cannot be read is left out, which a test notices.
static SECTIONS: LazyLock<Vec<Section>> =
    LazyLock::new(|| SOURCES.iter().filter_map(Section::read).collect());

/// All sections of the library, family by family.
pub fn sections() -> &'static [Section] {
    &SECTIONS
}

/// The section with this key.
pub fn section(key: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.key == key)
}

impl Section {
    fn read(source: &Source) -> Option<Self> {
        let Manifest {
            key,
            name,
            description,
            fields,
            mut sample,
        } = serde_json::from_str(source.manifest).ok()?;
        sample.values_mut().for_each(picture::fill_in);
        let (family, _) = source.path.split_once('/')?;
        Some(Self {
            key,
            family: family.to_owned(),
            name,
            description,
            fields,
            sample,
            source: format!(
                "<style>
{}</style>
{}",
                shared_css(source.html),
                source.html
            ),
            own_source: source.html,
        })
    }

    /// Plain HTML followed by its CSS, ready to be inserted. Empty when the section cannot be read, which a test notices.
    pub fn html(&self, values: &SectionValues) -> String {
        let prop = |name: &String| {
            let given = values.given.get(name);
            let value = given.or_else(|| self.sample.get(name))?.clone();
            let is_sample = given.is_none();
            Some((name.clone(), DetachedProp { value, is_sample }))
        };
        let names = self.fields.iter().map(|field| &field.name);
        let props: BTreeMap<String, DetachedProp> = names.filter_map(prop).collect();
        let html = detach_component(self.own_source, &props).unwrap_or_default();
        let (body, own_css) = html.split_once("<style>").unwrap_or((&html, ""));
        let html = format!(
            "{body}<style>\n{}{}",
            shared_css(body),
            own_css.trim_start()
        );
        match values.heading {
            None => html,
            Some(HeadingLevel::Page) => with_title_level(&html, "h1"),
            Some(HeadingLevel::Section) => with_title_level(&html, "h2"),
        }
    }
}

/// The shared rules that a section needs: those for every section, and those for classes that it has.
fn shared_css(html: &str) -> String {
    let is_needed = |rule: &&str| {
        let selector = rule.split([',', '{']).next().unwrap_or_default();
        let mut classes = selector.split('.').skip(1).filter_map(|part| {
            let is_end = |sign: char| !sign.is_alphanumeric() && sign != '-';
            part.split(is_end)
                .next()
                .filter(|class| *class != "section-base")
        });
        classes.all(|class| html.contains(class))
    };
    let rules = SHARED_CSS.split("\n\n").map(str::trim).filter(is_needed);
    rules.map(|rule| format!("{rule}\n\n")).collect()
}

/// The HTML with another tag for the section's title.
fn with_title_level(html: &str, tag: &str) -> String {
    for old in ["h1", "h2"] {
        let open = format!("<{old} class=\"section-title");
        if let Some((before, rest)) = html.split_once(&open)
            && let Some((inside, after)) = rest.split_once(&format!("</{old}>"))
        {
            return format!("{before}<{tag} class=\"section-title{inside}</{tag}>{after}");
        }
    }
    html.to_owned()
}

#[cfg(test)]
#[path = "section_tests.rs"]
mod tests;
