//! CSS and tokens.

use serde_json::json;

use super::Bench;
use crate::tools::ToolRun;
use crate::{Item, ItemId, List, NewEntity, Op};

#[test]
fn css_is_written_edited_and_left_alone_where_it_is_so_already() {
    let mut bench = Bench::new();
    let css = |bench: &Bench| {
        let sheet = bench.site.site_sheet().unwrap();
        let pieces: Vec<crate::Piece> = bench
            .site
            .shell
            .items
            .pieces(sheet)
            .map(|(_, piece)| piece.clone())
            .collect();
        sitewright_markup::css::write_css(&pieces, sitewright_markup::css::CssForm::Compact)
    };
    let run = bench
        .call(
            "applyCss",
            json!({ "css": ".hero { color: red } .hero a:hover { color: blue }" }),
        )
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "cssRulesCreated": 2, "cssRulesUpdated": 0 })
    );
    let run = bench.call("applyCss", json!({ "css": ".hero { color: green; margin: 0 } @media (max-width: 768px) { .hero { margin: 1px } }" }));
    assert_eq!(
        run.unwrap().data,
        json!({ "cssRulesCreated": 1, "cssRulesUpdated": 1 })
    );
    assert_eq!(
        css(&bench),
        ".hero{color:green;margin:0}@media (max-width: 768px){.hero{margin:1px}}.hero a:hover{color:blue}"
    );
    let again = bench
        .call(
            "applyCss",
            json!({ "css": ".hero { color: green; margin: 0 }" }),
        )
        .unwrap();
    assert_eq!((again.ops.len(), again.receipt.unchanged.len()), (0, 1));
    let nothing = bench.call("applyCss", json!({ "css": "/* nothing */" }));
    assert!(
        nothing
            .unwrap_err()
            .starts_with("invalid_input: There is no rule in the CSS")
    );
}

#[test]
fn css_takes_every_kind_of_selector() {
    let selectors = [
        ".hero",
        ".hero a",
        "nav > li + li",
        "a:hover",
        "p::before",
        "h1",
        "[data-state=\"open\"]",
        "#p:not(.quiet, :first-child)",
        ".md\\:flex",
        ":is(h1, h2):where(.big)",
        "*",
    ];
    let mut bench = Bench::new();
    for selector in selectors {
        let css = format!("{selector} {{ color: red }}");
        let run = bench.call("applyCss", json!({ "css": css })).unwrap();
        let created = json!({ "cssRulesCreated": 1, "cssRulesUpdated": 0 });
        assert_eq!(run.data, created, "{selector}");
        let css = format!("{selector} {{ color: blue }}");
        let run = bench.call("applyCss", json!({ "css": css })).unwrap();
        let updated = json!({ "cssRulesCreated": 0, "cssRulesUpdated": 1 });
        assert_eq!(run.data, updated, "{selector}");
    }
}

#[test]
fn more_rules_than_a_change_may_have_steps_are_refused_whole() {
    let mut bench = Bench::new();
    let before = bench.site.clone();
    let css = ".a{b:c}".repeat(crate::OPS_MAX + 1);
    let refused = bench.call("applyCss", json!({ "css": css })).unwrap_err();
    assert_eq!(
        refused,
        "too_large: This takes more than 20000 steps, which is the most for one change; do it in parts."
    );
    assert!(bench.site == before);
}

#[test]
fn what_tokens_generate_is_never_overwritten() {
    let mut bench = Bench::new();
    let color = crate::ColorToken::new("primary", "#336699");
    let new = NewEntity::Item {
        id: crate::ItemId::from(5),
        item: Box::new(crate::Item::Color(color)),
        pieces: Vec::new(),
        after: None,
    };
    bench
        .site
        .apply(&Op::Insert { new: Box::new(new) }, 50)
        .unwrap();
    let run = bench
        .call("applyCss", json!({ "css": ":root { --primary: red }" }))
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "cssRulesCreated": 0, "cssRulesUpdated": 0 })
    );
    assert_eq!(
        run.receipt.notes,
        ["`:root` was kept as it is: it is generated from tokens. Change the tokens instead."]
    );
}

#[test]
fn tokens_are_made_changed_and_left_as_they_are() {
    let mut bench = Bench::new();
    let primary = json!({ "tokens": [{ "slug": "primary", "lightValue": "#336699" }] });
    let run = bench.call("set_color_tokens", primary.clone()).unwrap();
    assert_eq!(
        run.data,
        json!({ "tokens": [{ "slug": "primary", "ref": "var(--primary)", "action": "created" }] })
    );
    assert_eq!(
        bench.call("set_color_tokens", primary).unwrap().data["tokens"][0]["action"],
        "unchanged"
    );
    let darker = json!({ "tokens": [{ "slug": "--primary", "lightValue": "#336699", "darkValue": "#99ccff", "category": "Brand" }] });
    let run = bench.call("set_color_tokens", darker).unwrap();
    assert_eq!(
        (&run.data["tokens"][0]["action"], run.ops.len()),
        (&json!("updated"), 3),
        "only what differs is written"
    );
    let css = sitewright_markup::css::write_css(
        &bench.site.framework(),
        sitewright_markup::css::CssForm::Compact,
    );
    assert!(
        css.contains("--primary:#336699") && css.contains("#99ccff"),
        "{css}"
    );
    let bad = bench.call(
        "set_color_tokens",
        json!({ "tokens": [{ "slug": "a b", "lightValue": "red" }] }),
    );
    assert!(bad.unwrap_err().starts_with("invalid_input: "));
}

/// A second run with the same slug, variable or group updates the existing token instead of adding another.
#[test]
fn a_second_run_of_each_token_tool_changes_the_token_in_place() {
    let font = |fallback: &str| json!({ "tokens": [{ "name": "Headings", "fallback": fallback }] });
    let color = |value: &str| json!({ "tokens": [{ "slug": "primary", "lightValue": value }] });
    for (tool, family, first, second) in [
        (
            "set_color_tokens",
            List::Colors,
            color("#336699"),
            color("#112233"),
        ),
        (
            "set_font_tokens",
            List::Fonts,
            font("serif"),
            font("monospace"),
        ),
        (
            "set_type_scale",
            List::TypeScales,
            json!({ "min": { "fontSize": 15 } }),
            json!({ "min": { "fontSize": 17 } }),
        ),
        (
            "set_spacing_scale",
            List::SpacingScales,
            json!({ "min": { "size": 12 } }),
            json!({ "min": { "size": 14 } }),
        ),
    ] {
        let mut bench = Bench::new();
        let items = |bench: &Bench| -> Vec<(ItemId, Item)> {
            let list = bench.site.shell.items.list(family);
            list.map(|(id, item)| (id, item.clone())).collect()
        };
        let action = |run: ToolRun| {
            let first = run.data["tokens"][0]["action"].clone();
            if first.is_null() {
                run.data["action"].clone()
            } else {
                first
            }
        };
        let created = bench.call(tool, first.clone()).unwrap();
        assert_eq!(action(created), "created", "{tool}");
        let before = items(&bench);
        assert_eq!(before.len(), 1, "{tool}");
        let updated = bench.call(tool, second).unwrap();
        assert_eq!(action(updated), "updated", "{tool}");
        let after = items(&bench);
        assert_eq!((after.len(), after[0].0), (1, before[0].0), "{tool}");
        assert_ne!(after[0].1, before[0].1, "{tool}");
        bench.call(tool, first).unwrap();
        assert_eq!(
            items(&bench),
            before,
            "{tool}: what was left out has stayed"
        );
    }
}

#[test]
fn scales_are_fluid_and_keep_what_is_left_out() {
    let mut bench = Bench::new();
    let run = bench
        .call(
            "set_type_scale",
            json!({ "steps": "s, m, l", "baseScaleIndex": 1, "min": { "fontSize": 16 } }),
        )
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "groupId": "typography", "action": "created", "namingConvention": "text", "generatedVars": ["--text-s", "--text-m", "--text-l"] })
    );
    let run = bench
        .call("set_type_scale", json!({ "max": { "scaleRatio": 1.5 } }))
        .unwrap();
    assert_eq!(
        (
            run.data["action"].as_str(),
            run.data["generatedVars"].as_array().map(Vec::len)
        ),
        (Some("updated"), Some(3))
    );
    let spacing = bench
        .call("set_spacing_scale", json!({ "min": { "size": 12 } }))
        .unwrap();
    assert_eq!(spacing.data["groupId"], "spacing");
    let css = sitewright_markup::css::write_css(
        &bench.site.framework(),
        sitewright_markup::css::CssForm::Compact,
    );
    assert!(
        css.contains("--text-m:clamp(1rem,") && css.contains("--space-m:clamp(0.75rem,"),
        "{css}"
    );
}

#[test]
fn fonts_are_named_by_role_and_families_must_be_installed() {
    let mut bench = Bench::new();
    let run = bench
        .call(
            "set_font_tokens",
            json!({ "tokens": [{ "name": "Headings", "fallback": "Georgia, serif" }] }),
        )
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "tokens": [{ "name": "Headings", "variable": "font-headings", "ref": "var(--font-headings)", "action": "created" }] })
    );
    let missing = bench.call(
        "set_font_tokens",
        json!({ "tokens": [{ "name": "Headings", "familyId": "Inter" }] }),
    );
    assert_eq!(
        missing,
        Err("not_found: The family `Inter` is not installed; none is.".to_owned())
    );
}

#[test]
fn tokens_are_listed_by_family_with_how_css_refers_to_them() {
    let mut bench = Bench::new();
    bench
        .call(
            "set_color_tokens",
            json!({ "tokens": [{ "slug": "primary", "lightValue": "#336699" }] }),
        )
        .unwrap();
    bench
        .call(
            "set_type_scale",
            json!({ "steps": ["m"], "baseScaleIndex": 0 }),
        )
        .unwrap();
    let listed = bench.call("list_tokens", json!({})).unwrap().data;
    assert_eq!(listed["colors"][0]["ref"], "var(--primary)");
    assert_eq!(listed["typography"].as_array().map(Vec::len), Some(1));
    let only = bench
        .call("list_tokens", json!({ "family": "typography" }))
        .unwrap()
        .data;
    assert_eq!(
        only.as_object()
            .map(|families| families.keys().cloned().collect::<Vec<_>>()),
        Some(vec!["typography".to_owned()])
    );
    assert_eq!(
        bench.call("list_breakpoints", json!({})).unwrap().data,
        json!({ "breakpoints": [], "activeBreakpointId": null })
    );
}

/// Every listed token can be used as the list says: its variable has the value, and each class sets that variable.
#[test]
fn listed_variables_and_utility_classes_are_those_of_the_framework() {
    let mut bench = Bench::new();
    let color = json!({ "slug": "primary", "lightValue": "#336699" });
    for (tool, input) in [
        ("set_color_tokens", json!({ "tokens": [color] })),
        (
            "set_type_scale",
            json!({ "steps": ["m"], "baseScaleIndex": 0 }),
        ),
        (
            "set_spacing_scale",
            json!({ "steps": ["m"], "baseScaleIndex": 0 }),
        ),
        (
            "set_font_tokens",
            json!({ "tokens": [{ "name": "Headings", "fallback": "Georgia, serif" }] }),
        ),
    ] {
        bench.call(tool, input).unwrap();
    }
    let listed = bench.call("list_tokens", json!({})).unwrap().data;
    assert_eq!(
        listed["colors"][0]["classes"],
        json!(["text-primary", "bg-primary", "border-primary"])
    );
    assert_eq!(listed["typography"][0]["classes"], json!(["text-m"]));
    assert_eq!(
        listed["spacing"][0]["classes"]
            .as_array()
            .map(|all| &all[..3]),
        Some(
            &[
                json!("padding-m"),
                json!("padding-top-m"),
                json!("padding-right-m")
            ][..]
        )
    );
    assert_eq!(listed["fonts"][0]["classes"], json!(["font-headings"]));

    let css = sitewright_markup::css::write_css(
        &bench.site.framework(),
        sitewright_markup::css::CssForm::Compact,
    );
    for token in listed
        .as_object()
        .unwrap()
        .values()
        .flat_map(|family| family.as_array().unwrap())
    {
        let reference = token["ref"].as_str().unwrap();
        let variable = reference.trim_start_matches("var(").trim_end_matches(')');
        let definition = format!("{variable}:{}", token["value"].as_str().unwrap());
        assert!(css.contains(&definition), "{definition} in {css}");
        let classes = token["classes"].as_array().unwrap();
        assert!(!classes.is_empty(), "{token}");
        for class in classes {
            let start = format!(".{}{{", class.as_str().unwrap());
            let rule = css
                .split(&start)
                .nth(1)
                .unwrap_or_else(|| panic!("{start} in {css}"));
            let rule = rule.split('}').next().unwrap();
            assert!(rule.ends_with(&format!(":{reference}")), "{start}{rule}}}");
        }
    }
}

#[test]
fn collections_are_listed_with_their_bindings() {
    let mut bench = Bench::new();
    let none = bench.call("list_post_types", json!({})).unwrap().data;
    assert_eq!(none, json!({ "postTypes": [] }));
    let field = |id: u64, name: &str| json!({ "id": crate::FieldId::from(id), "name": name, "kind": { "type": "text" } });
    let fields = json!([field(1, "title"), field(2, "price")]);
    bench.add_collection(crate::ItemId::from(8), "prices", fields.clone());
    bench.add_collection(crate::ItemId::from(7), "blog", fields);
    let entity = crate::Entity::Item {
        list: crate::List::Collections,
        id: crate::ItemId::from(8),
    };
    let put = crate::Op::Put {
        entity,
        field: "routeBase".to_owned(),
        value: json!(null),
    };
    bench.site.apply(&put, 9).unwrap();
    let routable = bench.call("list_post_types", json!({})).unwrap().data;
    assert_eq!(
        routable,
        json!({ "postTypes": [{ "slug": "blog", "label": "blog", "routeBase": "/blog", "kind": "postType" }] })
    );
    let sources = bench.call("list_loop_sources", json!({})).unwrap().data;
    assert_eq!(
        sources["sources"][0]["tables"][1]["tokens"],
        json!(["{currentEntry.title}", "{currentEntry.price}"])
    );
}

#[test]
fn rules_of_the_stylesheet_level_are_published_as_they_are() {
    let mut bench = Bench::new();
    let css = "@keyframes spin { to { rotate: 1turn } } #p { animation: spin 1s } @property --a { syntax: \"*\"; inherits: false }";
    bench.call("applyCss", json!({ "css": css })).unwrap();
    let facts = crate::Facts::default();
    let rendered = bench
        .site
        .render(super::page(), crate::Purpose::Publish, &facts);
    let Some(crate::Outcome::Done(rendered)) = rendered else {
        panic!("{rendered:?}")
    };
    for kept in [
        "@keyframes spin",
        "rotate: 1turn",
        "animation:",
        "@property --a",
    ] {
        assert!(rendered.html.contains(kept), "{kept}: {}", rendered.html);
    }
}
