//! New sections, from the design library: they take the look of the site, and what the sentence does not give is a sample that is
//! marked as a placeholder. A site without any look of its own gets the base theme first.

use serde_json::{Map, Value, json};
use sitewright_design::{HeadingLevel, SectionValues, THEME_CSS, THEME_TOKENS, section};

use super::call::{Call, ColorValue, FontSource, FontValue, SpaceSize, TypeSize};
use super::draft::Draft;

/// The section of the library that each kind is built with.
const LIBRARY: &[(&str, &str)] = &[
    ("hero", "hero-split"),
    ("features", "features-cards"),
    ("pricing", "pricing"),
    ("testimonials", "quotes-cards"),
    ("faq", "faq"),
    ("gallery", "gallery"),
    ("contact", "contact"),
    ("cta", "cta"),
    ("text", "text"),
    ("header", "header"),
    ("footer", "footer"),
];

/// What is known about a new section. What is not given stays a sample.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownTexts {
    /// Its heading.
    pub(crate) title: Option<String>,
    /// The short line above the heading, in sections that have one.
    pub(crate) eyebrow: Option<String>,
}

/// The HTML of a new section, with its rules. On a page without a main heading, the section gets it.
pub(crate) fn html(kind: &str, known: KnownTexts, heading: HeadingLevel, draft: &Draft) -> String {
    let found = LIBRARY.iter().find(|(known, _)| *known == kind);
    let Some(section) = found.and_then(|(_, key)| section(key)) else {
        return String::new();
    };
    let given = match kind {
        "header" | "footer" => edge_values(kind, draft),
        _ => {
            let KnownTexts { title, eyebrow } = known;
            let texts = [("title", title), ("eyebrow", eyebrow)].into_iter();
            let given = texts.filter_map(|(field, text)| Some((field.to_owned(), text?.into())));
            given.collect()
        }
    };
    let heading = Some(heading);
    let html = section.html(&SectionValues { given, heading });
    // The kind is a class of the section, by which later sentences find it. A rule that the site has for it applies.
    let base = "class=\"section-base";
    match kind {
        "header" | "footer" => html,
        _ => html.replacen(base, &format!("class=\"{kind} section-base"), 1),
    }
}

/// The name of the site and links to its pages.
fn edge_values(kind: &str, draft: &Draft) -> Map<String, Value> {
    let name = &draft.site.shell.settings.name;
    let links = draft
        .pages()
        .map(|page| json!({ "label": page.title(), "url": page.path() }));
    let mut values = Map::from_iter([
        ("title".to_owned(), json!(name)),
        ("items".to_owned(), links.collect()),
    ]);
    match kind {
        // A button without a target would lead nowhere.
        "header" => values.insert("cta".to_owned(), Value::Null),
        _ => values.insert("note".to_owned(), json!(format!("© {name}"))),
    };
    values
}

/// The calls that give a site the base theme; none when the site has any tokens or rules of its own.
pub(crate) fn theme_calls(draft: &Draft) -> Vec<Call> {
    let tokens = draft.site.tokens();
    let is_bare = tokens.colors.is_empty()
        && tokens.type_scales.is_empty()
        && tokens.spacing_scales.is_empty()
        && draft.rules().next().is_none();
    if !is_bare {
        return Vec::new();
    }
    let written: Vec<Value> = serde_json::from_str(THEME_TOKENS).unwrap_or_default();
    let of = |kind: &str| {
        let tokens = written.iter().filter(move |token| token["type"] == kind);
        tokens.cloned().collect::<Vec<Value>>()
    };
    let text = |token: &Value, field: &str| token[field].as_str().unwrap_or_default().to_owned();
    let colours = of("color").into_iter().map(|token| ColorValue {
        slug: text(&token, "slug"),
        light_value: text(&token, "lightValue"),
        category: token["category"].as_str().map(str::to_owned),
        dark_value: token["darkValue"].as_str().map(str::to_owned),
    });
    let fonts = of("font").into_iter().map(|token| FontValue {
        name: text(&token, "name"),
        variable: text(&token, "variable"),
        family: FontSource::Fallback(text(&token, "fallback")),
    });
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let type_end = |end: &Value| TypeSize {
        font_size: number(&end["size"]),
        scale_ratio: end["scaleRatio"].as_f64(),
    };
    let space_end = |end: &Value| SpaceSize {
        size: number(&end["size"]),
        scale_ratio: end["scaleRatio"].as_f64(),
    };
    let mut calls = vec![
        Call::SetColorTokens {
            tokens: colours.collect(),
        },
        Call::SetFontTokens {
            tokens: fonts.collect(),
        },
    ];
    calls.extend(of("typeScale").iter().map(|scale| Call::SetTypeScale {
        min: type_end(&scale["min"]),
        max: type_end(&scale["max"]),
    }));
    calls.extend(
        of("spacingScale")
            .iter()
            .map(|scale| Call::SetSpacingScale {
                min: space_end(&scale["min"]),
                max: space_end(&scale["max"]),
            }),
    );
    calls.push(Call::ApplyCss {
        css: THEME_CSS.to_owned(),
    });
    calls
}

#[cfg(test)]
mod tests {
    use sitewright_design::{HeadingLevel, section};
    use sitewright_site::{ChangeId, Site, first_ops};

    use super::{KnownTexts, LIBRARY, html, theme_calls};
    use crate::draft::{Draft, KINDS};

    #[test]
    fn every_kind_of_section_is_in_the_library() {
        let kinds = KINDS.iter().chain(&["header", "footer"]);
        let is_missing = |kind: &&&str| {
            let found = LIBRARY.iter().find(|(known, _)| known == *kind);
            found.and_then(|(_, key)| section(key)).is_none()
        };
        assert_eq!(
            kinds.filter(is_missing).collect::<Vec<_>>(),
            Vec::<&&str>::new()
        );
    }

    fn new_site() -> Draft {
        let mut site = Site::default();
        for op in first_ops("Bakery", ChangeId::from("first".to_owned())).expect("ops") {
            site.apply(&op, 0).expect("an op of a new site");
        }
        Draft::new(&site)
    }

    #[test]
    fn a_bare_site_gets_the_theme_once() {
        let mut draft = new_site();
        let calls = theme_calls(&draft);
        for call in calls {
            let answer = draft.call(call.clone(), 0);
            assert!(!answer.is_null(), "{call:?}");
        }
        assert_eq!(theme_calls(&draft), Vec::new());
        let tokens = draft.site.tokens();
        let dark = tokens
            .colors
            .iter()
            .filter(|colour| colour.dark_mode_enabled);
        assert_eq!(dark.count(), tokens.colors.len());
    }

    #[test]
    fn the_title_is_given_and_everything_else_is_marked() {
        let draft = new_site();
        let known = KnownTexts {
            title: Some("Fresh <bread>".to_owned()),
            eyebrow: None,
        };
        let hero = html("hero", known, HeadingLevel::Page, &draft);
        assert!(
            hero.contains("<h1 class=\"section-title\">Fresh &lt;bread&gt;</h1>"),
            "{hero}"
        );
        assert!(
            hero.starts_with("<section class=\"hero section-base"),
            "{hero}"
        );
        let contact = html(
            "contact",
            KnownTexts::default(),
            HeadingLevel::Section,
            &draft,
        );
        assert!(
            contact.contains("<h2 class=\"section-title\" data-placeholder=\"Get in touch\">"),
            "{contact}"
        );
        assert!(
            !contact.contains("<form"),
            "nothing receives what a form sends: {contact}"
        );
    }
}
