//! The catalogue of the content scope, as models see it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use sitewright_testkit::tokens_in;
use sitewright_tool::{Definition, Scope};

use crate::desk::{Desk, on_both};

on_both! {
    the_content_scope_has_its_tools_under_plain_names
    every_tool_is_described_by_the_same_formula
    guidance_belongs_to_tools_and_is_short
    the_catalogue_is_within_its_budget
    recipes_for_people_name_tools_that_exist
}

/// The tools of the content scope alone: without the three of every scope, which a turn adds.
fn tools(desk: &Desk) -> Vec<Definition> {
    let listed = desk.tools.list(Some(Scope::Content)).into_iter();
    let listed = listed.map(|tool| tool.definition);
    listed
        .filter(|definition| definition.manifest.scopes == [Scope::Content])
        .collect()
}

async fn the_content_scope_has_its_tools_under_plain_names(desk: Desk) -> Result<()> {
    let tools = tools(&desk);
    let mut families: BTreeMap<&str, usize> = BTreeMap::new();
    for tool in &tools {
        let name = tool.name();
        assert!(!name.contains('_') && !name.contains('.'), "{name}");
        let family = [
            "SectionTemplate",
            "Section",
            "NavItem",
            "Page",
            "Image",
            "Post",
            "Entry",
        ]
        .into_iter()
        .find(|entity| {
            let verb = name.strip_suffix(entity);
            verb.is_some_and(|verb| matches!(verb, "get" | "create" | "update" | "delete"))
        });
        *families.entry(family.unwrap_or("outside")).or_default() += 1;
    }
    let expected = [
        ("Page", 4),
        ("Section", 4),
        ("SectionTemplate", 1),
        ("Image", 4),
        ("Post", 4),
        ("NavItem", 4),
        ("Entry", 4),
        ("outside", 6),
    ];
    assert_eq!(families, BTreeMap::from(expected));
    assert_eq!(tools.len(), 31);
    for tool in &tools {
        let lists = |name: &str| {
            let schema = &tool.manifest.input_schema["properties"][name];
            schema["type"] == json!("array")
        };
        let has_list = lists("ids") || lists("slugs");
        assert_eq!(
            has_list,
            tool.name().starts_with("delete"),
            "{}",
            tool.name()
        );
    }
    Ok(())
}

/// Parts of descriptions, in their order.
const DESCRIPTIONS: &[(&str, &[&str])] = &[
    (
        "getImage",
        &["Get local image(s).", "By id, query", "or all", "Returns"],
    ),
    (
        "createImage",
        &["Upload image.", "Returns imageId after processing"],
    ),
    (
        "updateImage",
        &["Update image metadata", "description, tags"],
    ),
    ("deleteImage", &["Delete image(s).", "Array", "confirmed"]),
    (
        "browseImages",
        &[
            "Search Pexels/Unsplash",
            "previews",
            "importImage to download",
        ],
    ),
    (
        "importImage",
        &["Download external photo to local.", "local imageId and URL"],
    ),
    (
        "searchWeb",
        &["Web search.", "quick (facts)", "deep (research"],
    ),
    (
        "fetchContent",
        &["Extract content from URLs.", "markdown or text"],
    ),
    ("httpGet", &["HTTP GET to external API."]),
    (
        "httpPost",
        &["HTTP POST to external API.", "Requires confirmed"],
    ),
];

async fn every_tool_is_described_by_the_same_formula(desk: Desk) -> Result<()> {
    let tools = tools(&desk);
    let mut described = BTreeSet::new();
    for tool in &tools {
        let (name, manifest) = (tool.name(), &tool.manifest);
        assert!(described.insert(manifest.description.as_str()), "{name}");
        assert!(manifest.description.len() < 200, "{name}");
        assert!(
            tool.words.is_some() && !manifest.intent_tags.is_empty(),
            "{name}"
        );
        let parameters = manifest.input_schema["properties"].as_object();
        for (parameter, schema) in parameters.with_context(|| name.to_owned())? {
            assert!(
                schema["description"].is_string(),
                "{name} {parameter}: {schema}"
            );
        }
    }
    for (name, parts) in DESCRIPTIONS {
        let tool = tools
            .iter()
            .find(|tool| tool.name() == *name)
            .context(*name)?;
        let mut rest = tool.manifest.description.as_str();
        for part in *parts {
            let at = rest.find(part).with_context(|| format!("{name}: {part}"))?;
            rest = &rest[at..];
        }
    }
    Ok(())
}

async fn guidance_belongs_to_tools_and_is_short(desk: Desk) -> Result<()> {
    let lines: BTreeMap<String, String> =
        serde_json::from_str(include_str!("../../../content/guidance.json"))?;
    let tools = tools(&desk);
    for (name, line) in &lines {
        let tool = tools
            .iter()
            .find(|tool| tool.name() == name)
            .context(name.clone())?;
        assert_eq!(tool.manifest.guidance.as_ref(), Some(line), "{name}");
        assert!(line.len() < 120, "{name}");
        for word in ["BEFORE", "AFTER", "NEXT"] {
            assert!(!line.contains(word), "{name}");
        }
    }
    for (name, words) in [
        ("getImage", "Expand short queries"),
        ("browseImages", "Specific queries"),
        ("importImage", "Credit photographer"),
        ("getSectionTemplate", "`key` as `templateKey`"),
        ("createSection", "NOT templateId"),
        ("updateSection", "must match schema exactly"),
    ] {
        assert!(lines[name].contains(words), "{name}");
    }
    Ok(())
}

async fn recipes_for_people_name_tools_that_exist(desk: Desk) -> Result<()> {
    let tools = tools(&desk);
    for recipe in [
        include_str!("../../../../docs/workflows/create-landing-page.md"),
        include_str!("../../../../docs/workflows/create-page-with-content.md"),
        include_str!("../../../../docs/workflows/publish-post.md"),
        include_str!("../../../../docs/workflows/replace-image.md"),
    ] {
        let calls = recipe.split("sitewright tool call ").skip(1);
        for call in calls {
            let name = call.split(' ').next().unwrap_or_default();
            let tool = tools.iter().find(|tool| tool.name() == name);
            let tool = tool.with_context(|| name.to_owned())?;
            let input = call.split('\'').nth(1).context("an input")?;
            let input: Value = serde_json::from_str(input).with_context(|| input.to_owned())?;
            for (argument, _) in input.as_object().context("an object")? {
                let known = &tool.manifest.input_schema["properties"];
                assert!(known.get(argument).is_some(), "{name} {argument}");
            }
        }
        assert!(tools.iter().any(|tool| recipe.contains(tool.name())));
    }
    Ok(())
}

async fn the_catalogue_is_within_its_budget(desk: Desk) -> Result<()> {
    // Of 7,000, the three tools of every scope have some.
    const TOKENS_MAX: usize = 7_000 - 250;
    let mut sizes: Vec<(usize, String)> = Vec::new();
    for tool in tools(&desk) {
        let manifest = &tool.manifest;
        let shown = json!({
            "name": tool.name(), "description": manifest.description, "parameters": for_providers(&manifest.input_schema),
        });
        let guidance = manifest.guidance.as_deref().unwrap_or_default();
        let size = tokens_in(&shown.to_string()) + tokens_in(guidance);
        sizes.push((size, tool.name().to_owned()));
    }
    sizes.sort_unstable();
    let total: usize = sizes.iter().map(|(size, _)| size).sum();
    assert!(total <= TOKENS_MAX, "{total} of {TOKENS_MAX}: {sizes:?}");
    Ok(())
}

/// A schema as providers get it.
fn for_providers(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let is_left_out = |name: &str, value: &Value| {
                matches!(name, "$schema" | "title" | "format") && value.is_string()
            };
            let sent = fields
                .iter()
                .filter(|(name, value)| !is_left_out(name, value));
            let sent = sent.map(|(name, value)| (name.clone(), for_providers(value)));
            Value::Object(sent.collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(for_providers).collect()),
        other => other.clone(),
    }
}
