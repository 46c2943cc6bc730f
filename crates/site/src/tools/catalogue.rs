//! The catalogue: breakpoints, tokens, collections and sources of loops.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_markup::css::{Breakpoint, ScaleStep};
use sitewright_tool::definition::query;

use super::work::{Stop, Work};
use super::{PureBody as _, SiteTool};

pub(super) fn tools() -> Vec<SiteTool> {
    vec![
        query("list_breakpoints", "List breakpoints", "Lists the widths the editor shows and the one in front. Write @media queries that fit them.")
            .words("Looking at breakpoints", "Looked at breakpoints").with(breakpoints),
        query("list_post_types", "List collections with pages", "Lists the collections whose entries have pages, as setPageTemplate takes them.")
            .words("Looking at the collections", "Looked at the collections").with(post_types),
        query("list_loop_sources", "List what loops repeat", "Lists the sources of loops, their tables, orders and the bindings for each field. \
              Use source `data.rows` with a table's id as data-table-id.")
        .words("Looking at list sources", "Looked at list sources").with(loop_sources),
        query("list_tokens", "List tokens", "Lists the design tokens with their variables and utility classes.").words("Looking at colours and sizes", "Looked at colours and sizes").with(tokens),
    ]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Breakpoints {
    breakpoints: Vec<Breakpoint>,
    active_breakpoint_id: Option<String>,
}

fn breakpoints(_: Nothing, work: &mut Work<'_>) -> Result<Breakpoints, Stop> {
    Ok(Breakpoints {
        breakpoints: work.site.breakpoints(),
        active_breakpoint_id: work.view.breakpoint.clone(),
    })
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PostTypes {
    post_types: Vec<PostType>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PostType {
    slug: String,
    label: String,
    route_base: String,
    kind: &'static str,
}

fn post_types(_: Nothing, work: &mut Work<'_>) -> Result<PostTypes, Stop> {
    let routable = work.site.collections().filter_map(|(_, collection)| {
        let route_base = collection.route_base.clone()?;
        Some(PostType {
            slug: collection.slug.clone(),
            label: collection.label.clone(),
            route_base,
            kind: "postType",
        })
    });
    Ok(PostTypes {
        post_types: routable.collect(),
    })
}

#[derive(Serialize, JsonSchema)]
struct LoopSources {
    sources: Vec<LoopSource>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LoopSource {
    /// What data-source-id takes.
    id: &'static str,
    label: &'static str,
    /// What data-order-by takes.
    order_by: Vec<&'static str>,
    /// The fields that data-filter takes, with the value each must have: `{"slug": "news"}`.
    filter_by: Vec<&'static str>,
    /// Bindings that hold for every row.
    tokens: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tables: Vec<LoopTable>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct LoopTable {
    /// What data-table-id takes.
    id: String,
    slug: String,
    label: String,
    /// The fields of its own that data-filter takes, too.
    filter_by: Vec<String>,
    /// Bindings for its fields.
    tokens: Vec<String>,
}

fn loop_sources(_: Nothing, work: &mut Work<'_>) -> Result<LoopSources, Stop> {
    let token = |field: &str| format!("{{currentEntry.{field}}}");
    let tokens = |fields: &[&str]| fields.iter().map(|field| token(field)).collect();
    let tables = work.site.collections().map(|(id, collection)| {
        let names = || collection.fields.iter().map(|field| field.name.as_str());
        LoopTable {
            id: id.to_string(),
            slug: collection.slug.clone(),
            label: collection.label.clone(),
            filter_by: names().map(str::to_owned).collect(),
            tokens: names().map(token).collect(),
        }
    });
    let rows = LoopSource {
        id: "data.rows",
        label: "Entries of a collection",
        order_by: vec![
            "publishedAt",
            "createdAt",
            "updatedAt",
            "slug",
            "title",
            "sortOrder",
        ],
        filter_by: vec!["slug"],
        tokens: tokens(&[
            "title",
            "slug",
            "permalink",
            "featuredMedia",
            "publishedAt",
            "createdAt",
            "updatedAt",
        ]),
        tables: tables.collect(),
    };
    let pages = LoopSource {
        id: "site.pages",
        label: "Pages of the site",
        order_by: vec!["title", "slug"],
        filter_by: vec!["slug"],
        tokens: tokens(&["title", "slug", "permalink"]),
        tables: Vec::new(),
    };
    let menu_tokens = ["label", "url", "id"];
    let menus = work.site.navigations().map(|(id, menu)| LoopTable {
        id: id.to_string(),
        slug: menu.slug.clone(),
        label: menu.label.clone(),
        filter_by: vec!["parent".to_owned()],
        tokens: menu_tokens.iter().map(|field| token(field)).collect(),
    });
    let navigation = LoopSource {
        id: "site.navigation",
        label: "Items of a menu",
        order_by: Vec::new(),
        filter_by: vec!["parent"],
        tokens: tokens(&menu_tokens),
        tables: menus.collect(),
    };
    let media = LoopSource {
        id: "site.media",
        label: "Media",
        order_by: vec!["createdAt", "filename"],
        filter_by: vec!["mimeType"],
        tokens: tokens(&["filename", "url", "alt", "mimeType", "createdAt"]),
        tables: Vec::new(),
    };
    Ok(LoopSources {
        sources: vec![rows, pages, navigation, media],
    })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListTokens {
    /// Only this family.
    family: Option<Family>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Family {
    Colors,
    Typography,
    Spacing,
    Fonts,
}

#[derive(Serialize, JsonSchema)]
struct TokenList {
    #[serde(skip_serializing_if = "Option::is_none")]
    colors: Option<Vec<ListedToken>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    typography: Option<Vec<ListedToken>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spacing: Option<Vec<ListedToken>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fonts: Option<Vec<ListedToken>>,
}

#[derive(Serialize, JsonSchema)]
struct ListedToken {
    name: String,
    /// How CSS refers to it.
    r#ref: String,
    value: String,
    /// Its value on dark pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    dark: Option<String>,
    /// Its utility classes.
    classes: Vec<String>,
}

fn tokens(input: ListTokens, work: &mut Work<'_>) -> Result<TokenList, Stop> {
    let tokens = work.site.tokens();
    let wanted = |family: Family| input.family.is_none_or(|only| only == family);
    let step = |step: ScaleStep| ListedToken {
        name: step.name,
        r#ref: format!("var(--{})", step.variable),
        value: step.value,
        dark: None,
        classes: step.classes,
    };
    // A token with a problem generates nothing, so there is nothing to list.
    let colors = tokens
        .colors
        .iter()
        .flat_map(|color| color.variants().unwrap_or_default())
        .map(|variant| ListedToken {
            name: variant.variable.clone(),
            r#ref: format!("var(--{})", variant.variable),
            value: variant.light,
            dark: variant.dark,
            classes: variant.classes,
        });
    let typography = tokens
        .type_scales
        .iter()
        .flat_map(|scale| scale.type_steps(&tokens.screens).unwrap_or_default())
        .map(step);
    let spacing = tokens
        .spacing_scales
        .iter()
        .flat_map(|scale| scale.spacing_steps(&tokens.screens).unwrap_or_default())
        .map(step);
    let fonts = tokens.fonts.iter().map(|font| ListedToken {
        name: font.name.clone(),
        r#ref: format!("var(--{})", font.variable),
        value: font.value(),
        dark: None,
        classes: vec![font.class().to_owned()],
    });
    Ok(TokenList {
        colors: wanted(Family::Colors).then(|| colors.collect()),
        typography: wanted(Family::Typography).then(|| typography.collect()),
        spacing: wanted(Family::Spacing).then(|| spacing.collect()),
        fonts: wanted(Family::Fonts).then(|| fonts.collect()),
    })
}
