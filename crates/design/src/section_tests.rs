//! Every section of the library is complete: its files are listed, its fields are shown, its samples are marked.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use sitewright_markup::css::{CssLimits, Origin, parse_css};
use sitewright_markup::html::{HtmlLimits, HtmlMode, import_html};
use sitewright_site::ParamKind;

use super::{HeadingLevel, SectionValues, section, sections};
use crate::list::SOURCES;

#[test]
fn every_file_is_listed_and_can_be_read() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/sections"));
    let mut found = BTreeSet::new();
    for family in std::fs::read_dir(folder).expect("a folder") {
        let family = family.expect("an entry").path();
        for file in std::fs::read_dir(&family).into_iter().flatten() {
            let file = file.expect("an entry").path().with_extension("");
            let path = file.strip_prefix(folder).expect("a path in the folder");
            found.insert(path.to_string_lossy().into_owned());
        }
    }
    let listed: BTreeSet<String> = SOURCES
        .iter()
        .map(|source| source.path.to_owned())
        .collect();
    assert_eq!(found, listed);
    assert_eq!(sections().len(), SOURCES.len());
    let keys: BTreeSet<&str> = sections()
        .iter()
        .map(|section| section.key.as_str())
        .collect();
    assert_eq!(keys.len(), sections().len(), "keys are unique");
}

#[test]
fn every_family_has_its_sections() {
    let mut families: Vec<&str> = sections()
        .iter()
        .map(|found| found.family.as_str())
        .collect();
    assert!(families.len() >= 36);
    families.dedup();
    assert_eq!(
        families,
        [
            "header",
            "hero",
            "features",
            "text",
            "split",
            "gallery",
            "quotes",
            "logos",
            "pricing",
            "steps",
            "team",
            "questions",
            "posts",
            "contact",
            "newsletter",
            "location",
            "cta",
            "footer",
            "404"
        ]
    );
}

#[test]
fn every_field_is_shown_and_has_a_sample() {
    for section in sections() {
        let key = &section.key;
        for field in &section.fields {
            let bound = format!("props.{}", field.name);
            assert!(section.source.contains(&bound), "{key}: {bound}");
            // A picture behind everything is for sites that have one.
            if field.name != "backgroundImage" && !(key == "text" && field.name == "image") {
                assert!(section.sample.contains_key(&field.name), "{key}: {bound}");
            }
            assert!(
                field.kind != ParamKind::List || !field.fields.is_empty(),
                "{key}"
            );
            for item in field.fields.keys() {
                let bound = format!("{{item.{item}");
                assert!(section.source.contains(&bound), "{key}: {bound}");
            }
        }
        for name in section.sample.keys() {
            let is_field = section.fields.iter().any(|field| field.name == *name);
            assert!(is_field, "{key}: {name} is no field");
        }
    }
}

#[test]
fn the_html_is_plain_clean_and_marked() {
    for section in sections() {
        let (key, html) = (&section.key, section.html(&SectionValues::default()));
        assert!(
            !html.contains("{props") && !html.contains("{item"),
            "{key}: {html}"
        );
        assert!(html.contains("data-placeholder=\""), "{key} has samples");
        let root = format!("class=\"section-base section-{key}");
        let is_root = |end: &str| html.contains(&format!("{root}{end}"));
        assert!(is_root("\"") || is_root(" "), "{key}: {root}");
        let imported = import_html(&html, &HtmlMode::body(), &HtmlLimits::default()).expect("HTML");
        assert!(imported.removed.is_empty(), "{key}: {:?}", imported.removed);
        assert!(imported.notes.is_empty(), "{key}: {:?}", imported.notes);
        for style in &imported.styles {
            let css = parse_css(&style.text, Origin::Author, &CssLimits::default()).expect("CSS");
            let problems = css.problems.iter().map(|found| found.text.clone());
            assert_eq!(problems.collect::<Vec<_>>(), Vec::<String>::new(), "{key}");
        }
    }
}

#[test]
fn colours_are_those_of_the_site() {
    // A cover lies over a picture, whose colours no token knows.
    let over_pictures = ["hero", "hero-cover"];
    for source in SOURCES {
        let name: Value = serde_json::from_str(source.manifest).expect("JSON");
        let key = name["key"].as_str().unwrap_or_default();
        let css = source.html.split("</style>").next().unwrap_or_default();
        let has_colour = css.contains(": #") || css.contains(" #") || css.contains("rgb(");
        assert!(!has_colour || over_pictures.contains(&key), "{key}");
    }
}

#[test]
fn given_values_are_not_marked_and_the_heading_has_the_wanted_level() {
    let faq = section("faq").expect("a section");
    let given = json!({ "title": "Ask", "items": [{ "title": "Why?", "text": "Because." }] });
    let html = faq.html(&SectionValues {
        given: given.as_object().cloned().unwrap_or_default(),
        heading: Some(HeadingLevel::Page),
    });
    assert!(
        html.contains("<h1 class=\"section-title\">Ask</h1>"),
        "{html}"
    );
    assert!(html.contains("<summary>Why?</summary>"), "{html}");
    assert!(!html.contains("data-placeholder"), "{html}");
    let hero = section("hero-split").expect("a section");
    let heading = Some(HeadingLevel::Section);
    let html = hero.html(&SectionValues {
        heading,
        ..SectionValues::default()
    });
    assert!(
        html.contains("<h2 class=\"section-title\"") && !html.contains("<h1"),
        "{html}"
    );
}
