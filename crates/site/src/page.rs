//! Pages, templates and components: the shell's record of a document. Their trees are stored separately as bodies.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sitewright_markup::html::HtmlStray;
use sitewright_tool::tagged;

use crate::{Attr, BodyId, Forest, Lock};

/// A page, or with `template`, a template that wraps others.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Page {
    /// Its title.
    pub title: String,
    /// Its part of the address, unique among its siblings of a locale; `index` is the home page.
    pub slug: String,
    /// The page it lies under in addresses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<BodyId>,
    /// Its language, when it is not the site's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// The page it is a translation of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation_of: Option<BodyId>,
    /// Whether it cannot be deleted.
    #[serde(default)]
    pub is_protected: bool,
    /// Whether it is kept out of publishing.
    #[serde(default)]
    pub draft: bool,
    /// What stands around its content.
    #[serde(default)]
    pub settings: PageSettings,
    /// What it wraps, when it is a template.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<Template>,
    /// What agents may do to it.
    #[serde(default)]
    pub lock: Lock,
}

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<String>, slug: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            slug: slug.into(),
            parent_id: None,
            locale: None,
            translation_of: None,
            is_protected: false,
            draft: false,
            settings: PageSettings::default(),
            template: None,
            lock: Lock::Open,
        }
    }
}

/// What stands around a page's content.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct PageSettings {
    /// What search engines show under the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The picture that others show with a link to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub social_image: Option<String>,
    /// The address search engines should know it by, when it is not its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// Whether search engines are asked to leave it out.
    pub no_index: bool,
    /// Whether it is left out of generated menus.
    pub hide_in_menus: bool,
    /// The doctype when it is not `<!doctype html>`, as it was written; empty for a page without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doctype: Option<String>,
    /// Attributes of `<html>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub html_attrs: Vec<Attr>,
    /// Attributes of `<head>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub head_attrs: Vec<Attr>,
    /// What stands in `<head>` besides what is generated.
    #[serde(skip_serializing_if = "forest_is_empty")]
    pub head: Forest,
    /// What stands outside `<head>` and `<body>`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strays: Vec<HtmlStray>,
}

fn forest_is_empty(forest: &Forest) -> bool {
    forest.0.is_empty()
}

/// What a template wraps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Template {
    /// The pages it is for.
    pub target: TemplateTarget,
    /// Which of several wins: the greatest.
    #[serde(default = "usual_priority")]
    pub priority: i32,
}

fn usual_priority() -> i32 {
    100
}

tagged! {
    /// The pages a template is for.
    #[derive(Debug, Clone, PartialEq, Eq, JsonSchema)]
    tag "kind" (rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)
    pub enum TemplateTarget {
        /// All.
        Everywhere,
        /// The entries of these collections.
        PostTypes {
            /// The collections, by slug.
            table_slugs: Vec<String>,
        },
        /// The page shown for an address that is none.
        NotFound,
    }
}

/// A component: a tree that is used in many places with other values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Component {
    /// Its name.
    pub name: String,
    /// What can be filled in, in order.
    #[serde(default)]
    pub params: Vec<Param>,
    /// Its key as a section template, for components that are sections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template_key: Option<String>,
    /// What agents may do to it.
    #[serde(default)]
    pub lock: Lock,
}

/// A value a component takes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Param {
    /// Its name in bindings.
    pub name: String,
    /// What it is.
    pub kind: ParamKind,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it is when it is left out.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub default: Value,
    /// Whether it must be given.
    #[serde(default)]
    pub required: bool,
    /// What can be chosen, for `enum`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// The fields of each item, for `list`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, ParamKind>,
}

/// What a param is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum ParamKind {
    /// A line of text.
    String,
    /// Text with markup.
    RichText,
    /// A number.
    Number,
    /// Yes or no.
    Boolean,
    /// An address.
    Url,
    /// A picture.
    Image,
    /// A colour.
    Color,
    /// One of several.
    Enum,
    /// A link with its words: `label` and `url`.
    Link,
    /// A list of items with fields.
    List,
}

/// First path segments that belong to Sitewright itself.
pub(crate) const RESERVED_SLUGS: [&str; 10] = [
    "admin",
    "tools",
    "breadcrumbs",
    "mcp",
    "uploads",
    "preview",
    "healthz",
    "readyz",
    "metrics",
    "_sw",
];
/// The slug of the home page.
pub(crate) const HOME: &str = "index";
/// The maximum length of a slug, in characters.
const SLUG_MAX: usize = 100;

/// Why a page cannot have a slug.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SlugProblem {
    /// It is not valid in an address.
    #[error("`{slug}` is not a valid address: use letters, digits and hyphens, such as `about-us`")]
    Spelling {
        /// The slug.
        slug: String,
    },
    /// It is reserved for the home page, which must be at the top level.
    #[error(
        "`{HOME}` is reserved for the home page, which is not under another page; choose another address"
    )]
    Home,
    /// The address belongs to Sitewright itself.
    #[error("`{slug}` is reserved by Sitewright; choose another address, such as `{slug}-page`")]
    Reserved {
        /// The slug.
        slug: String,
    },
}

/// Whether a slug is valid in an address.
pub(crate) fn check_spelling(slug: &str) -> Result<(), SlugProblem> {
    let fine = !slug.is_empty()
        && slug.chars().count() <= SLUG_MAX
        && slug
            .chars()
            .all(|char| char.is_alphanumeric() || matches!(char, '-' | '_' | '.' | '~'))
        && !slug.starts_with('.');
    if fine {
        return Ok(());
    }
    Err(SlugProblem::Spelling {
        slug: slug.to_owned(),
    })
}

/// A slug made of the words of a title.
pub(crate) fn slugified(title: &str) -> String {
    let lower = title.to_lowercase();
    let words = lower
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty());
    let slug: String = words
        .collect::<Vec<_>>()
        .join("-")
        .chars()
        .take(SLUG_MAX)
        .collect();
    if slug.is_empty() {
        "page".to_owned()
    } else {
        slug
    }
}

impl Page {
    /// Whether the page may have its slug at its position, at the top level or under another page.
    pub fn check_slug(&self) -> Result<(), SlugProblem> {
        let slug = self.slug.as_str();
        check_spelling(slug)?;
        match self.parent_id {
            Some(_) if slug == HOME => Err(SlugProblem::Home),
            None if RESERVED_SLUGS.contains(&slug) => Err(SlugProblem::Reserved {
                slug: slug.to_owned(),
            }),
            Some(_) | None => Ok(()),
        }
    }
}
