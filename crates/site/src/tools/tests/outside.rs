//! Tools that need a host: a snapshot of the page, a font to install.

use serde_json::json;
use sitewright_tool::{ErrorCode, Image};

use super::{Bench, node, page};
use crate::{
    Breakpoint, FontFamily, FontFile, FontQuery, FontReport, Frame, FrameBox, FrameLayout,
    FrameQuery, FrameReport, FrameWarning, FrameWarningKind, Item, ItemId, List, Need, NewEntity,
    Op, Outcome, Viewport,
};

fn bench() -> Bench {
    let mut bench = Bench::new();
    for (number, breakpoint) in (20..).zip(Breakpoint::defaults()) {
        let new = NewEntity::Item {
            id: ItemId::from(number),
            item: Box::new(Item::Breakpoint(breakpoint)),
            pieces: Vec::new(),
            after: Some(ItemId::from(number - 1)),
        };
        bench
            .site
            .apply(&Op::Insert { new: Box::new(new) }, 2)
            .unwrap();
    }
    bench
}

fn query(breakpoint: &str, width: u32) -> FrameQuery {
    FrameQuery {
        document: page(),
        breakpoint: breakpoint.to_owned(),
        width,
        node: None,
        screenshot: true,
    }
}

fn frame(image: Option<Image>) -> FrameReport {
    let layout = FrameLayout {
        node_id: None,
        viewport: Viewport {
            width: 390.0,
            height: 800.0,
            scroll_width: 420.0,
            scroll_height: 2000.0,
        },
        boxes: vec![FrameBox {
            node_id: node(11),
            tag: "p".to_owned(),
            x: 0.0,
            y: 8.0,
            width: 420.0,
            height: 20.5,
        }],
        warnings: vec![FrameWarning {
            kind: FrameWarningKind::Overflow,
            node_id: node(11),
            message: "p is 45 px wider than the window.".to_owned(),
        }],
    };
    FrameReport::Captured {
        frame: Box::new(Frame {
            captured_at: "2026-11-15T12:00:00Z".to_owned(),
            layout,
            image,
        }),
    }
}

fn needs(bench: &mut Bench, tool: &str, input: serde_json::Value) -> Vec<Need> {
    match bench.run(tool, input) {
        Ok(Outcome::Needs(needs)) => needs,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_look_is_asked_for_and_told_with_the_picture_beside_it() {
    let mut bench = bench();
    bench.view.breakpoint = Some("mobile".to_owned());
    let asked = query("mobile", 390);
    assert_eq!(
        needs(&mut bench, "render_snapshot", json!({})),
        [Need::Frame(asked.clone())]
    );
    let image = Image {
        mime_type: "image/png".to_owned(),
        data: "iVBORw0=".to_owned(),
    };
    bench.facts.frames.insert(asked, frame(Some(image.clone())));
    let run = bench.call("render_snapshot", json!({})).unwrap();
    assert_eq!(
        run.data,
        json!({
            "breakpointId": "mobile", "label": "Mobile", "width": 390, "capturedAt": "2026-11-15T12:00:00Z",
            "layout": {
                "viewport": { "width": 390.0, "height": 800.0, "scrollWidth": 420.0, "scrollHeight": 2000.0 },
                "boxes": [{ "nodeId": node(11), "tag": "p", "x": 0.0, "y": 8.0, "width": 420.0, "height": 20.5 }],
                "warnings": [{ "kind": "overflow", "nodeId": node(11), "message": "p is 45 px wider than the window." }],
            },
            "screenshot": { "attached": true, "mimeType": "image/png" },
        })
    );
    assert_eq!((run.images, run.ops, run.open), (vec![image], vec![], None));
}

#[test]
fn a_look_is_at_the_breakpoint_and_the_node_that_are_named() {
    let mut bench = bench();
    bench.view.breakpoint = Some("desktop".to_owned());
    for (input, asked) in [
        (json!({ "breakpointId": "tablet" }), query("tablet", 768)),
        (
            json!({ "nodeId": node(13) }),
            FrameQuery {
                node: Some(node(13)),
                ..query("desktop", 1440)
            },
        ),
        (
            json!({ "breakpointId": "mobile", "nodeId": node(11) }),
            FrameQuery {
                node: Some(node(11)),
                ..query("mobile", 390)
            },
        ),
    ] {
        assert_eq!(
            needs(&mut bench, "render_snapshot", input.clone()),
            [Need::Frame(asked.clone())]
        );
        bench.facts.frames.insert(asked, frame(None));
        let data = bench.call("render_snapshot", input.clone()).unwrap().data;
        let active = json!("desktop");
        assert_eq!(
            (&data["breakpointId"], &data["nodeId"]),
            (
                input.get("breakpointId").unwrap_or(&active),
                &input["nodeId"]
            )
        );
    }
    let other = bench.refused("render_snapshot", json!({ "width": 300 }));
    assert_eq!(other.code, ErrorCode::InvalidInput);
}

#[test]
fn a_look_at_one_node_without_a_picture_says_so() {
    let mut bench = bench();
    let asked = FrameQuery {
        node: Some(node(13)),
        screenshot: false,
        ..query("desktop", 1440)
    };
    let input = json!({ "nodeId": node(13), "captureScreenshot": false });
    assert_eq!(
        needs(&mut bench, "render_snapshot", input.clone()),
        [Need::Frame(asked.clone())],
        "the base when none is in front"
    );
    bench.facts.frames.insert(asked, frame(None));
    let run = bench.call("render_snapshot", input).unwrap();
    assert_eq!(
        (&run.data["nodeId"], &run.data["layout"]["nodeId"]),
        (&json!(node(13)), &json!(node(13)))
    );
    assert_eq!(
        (&run.data["screenshot"], run.images),
        (&json!({ "attached": false }), vec![])
    );
    let tools = super::super::site_tools();
    let tool = tools
        .iter()
        .find(|tool| tool.definition.manifest.name.as_str() == "render_snapshot")
        .unwrap();
    let shown = tool.definition.manifest.input_schema["properties"]
        .as_object()
        .unwrap();
    assert_eq!(
        shown.keys().collect::<Vec<_>>(),
        ["breakpointId", "nodeId"],
        "no model chooses whether it sees"
    );
}

#[test]
fn a_look_at_what_is_not_there_or_without_a_browser_is_an_error() {
    let mut bench = bench();
    assert_eq!(
        bench.call("render_snapshot", json!({ "breakpointId": "phone" })),
        Err(
            "invalid_input: There is no breakpoint `phone`; there are mobile, tablet, desktop."
                .to_owned()
        )
    );
    let unknown = bench.call("render_snapshot", json!({ "nodeId": node(99) }));
    assert!(
        unknown
            .unwrap_err()
            .starts_with("not_found: There is no node")
    );
    let other = bench.call("addPage", json!({ "title": "Other" })).unwrap();
    let elsewhere = bench.call(
        "render_snapshot",
        json!({ "nodeId": other.data["rootNodeId"] }),
    );
    assert!(
        elsewhere
            .unwrap_err()
            .contains("is not shown in the document that is open")
    );
    let reason = "this server has no browser".to_owned();
    bench
        .facts
        .frames
        .insert(query("desktop", 1440), FrameReport::Impossible { reason });
    assert_eq!(
        bench.call("render_snapshot", json!({})),
        Err("unavailable: Nobody can look at the page now: this server has no browser. Go on with read_document, and say that you could not look.".to_owned())
    );
    bench.view.current = None;
    assert!(
        bench
            .call("render_snapshot", json!({}))
            .unwrap_err()
            .starts_with("conflict: No document is open")
    );
}

fn inter(weights: &[&str]) -> FontFamily {
    let file = |weight: &&str| FontFile {
        weight: (*weight).to_owned(),
        italic: false,
        blob: format!("inter-{weight}"),
        format: "woff2".to_owned(),
        unicode_range: None,
    };
    FontFamily {
        family: "Inter".to_owned(),
        files: weights.iter().map(file).collect(),
    }
}

fn wish(variants: &[&str]) -> FontQuery {
    FontQuery {
        google_family: "Inter".to_owned(),
        variants: variants
            .iter()
            .map(|variant| (*variant).to_owned())
            .collect(),
        subsets: vec!["latin".to_owned()],
    }
}

#[test]
fn a_google_family_is_installed_and_bound() {
    let mut bench = Bench::new();
    let headings = json!({ "tokens": [{ "name": "Headings", "googleFamily": " Inter ", "familyId": "gone", "fallback": "serif" }, { "name": "Body", "googleFamily": "Inter" }] });
    let asked = needs(&mut bench, "set_font_tokens", headings.clone());
    assert_eq!(
        asked,
        [Need::FontFamily(wish(&["400", "700"]))],
        "once for both"
    );
    bench.facts.fonts.insert(
        wish(&["400", "700"]),
        FontReport::Installed(inter(&["400", "700"])),
    );
    let run = bench.call("set_font_tokens", headings).unwrap();
    assert_eq!(
        run.data["tokens"][0],
        json!({ "name": "Headings", "variable": "font-headings", "ref": "var(--font-headings)", "installed": true, "action": "created" })
    );
    assert_eq!(
        run.receipt.notes,
        ["familyId `gone` was ignored: googleFamily wins."]
    );
    assert_eq!(
        bench.site.shell.items.list(List::Families).count(),
        1,
        "once for both"
    );
    let css = sitewright_markup::css::write_css(
        &bench.site.framework(),
        sitewright_markup::css::CssForm::Compact,
    );
    assert!(css.contains("--font-headings:\"Inter\", serif"), "{css}");

    bench.facts.fonts.clear();
    let again = bench
        .call(
            "set_font_tokens",
            json!({ "tokens": [{ "name": "Code", "googleFamily": "inter" }] }),
        )
        .unwrap();
    assert_eq!(
        again.data["tokens"][0]["installed"],
        json!(null),
        "it is there already"
    );
    let by_id = bench
        .call(
            "set_font_tokens",
            json!({ "tokens": [{ "name": "Code", "familyId": "Inter" }] }),
        )
        .unwrap();
    assert_eq!(by_id.data["tokens"][0]["action"], "unchanged");
}

#[test]
fn more_variants_of_an_installed_family_join_those_there_are() {
    let mut bench = Bench::new();
    bench.facts.fonts.insert(
        wish(&["400", "700"]),
        FontReport::Installed(inter(&["400", "700"])),
    );
    bench.facts.fonts.insert(
        wish(&["400italic", "900"]),
        FontReport::Installed(inter(&["700", "900"])),
    );
    bench
        .call(
            "set_font_tokens",
            json!({ "tokens": [{ "name": "Body", "googleFamily": "Inter" }] }),
        )
        .unwrap();
    bench.call("set_font_tokens", json!({ "tokens": [{ "name": "Body", "googleFamily": "Inter", "variants": ["900", "italic", "900"] }] })).unwrap();
    let families: Vec<Item> = bench
        .site
        .shell
        .items
        .list(List::Families)
        .map(|(_, item)| item.clone())
        .collect();
    assert_eq!(families, [Item::Family(inter(&["400", "700", "900"]))]);
}

#[test]
fn a_font_that_cannot_be_had_is_an_error_and_changes_nothing() {
    let mut bench = Bench::new();
    let reason = "this server may not reach the internet".to_owned();
    bench
        .facts
        .fonts
        .insert(wish(&["400", "700"]), FontReport::Refused { reason });
    let refused = bench.call(
        "set_font_tokens",
        json!({ "tokens": [{ "name": "Body", "googleFamily": "Inter" }] }),
    );
    assert_eq!(
        refused,
        Err("unavailable: The font Inter could not be installed: this server may not reach the internet. Choose an installed font, or set only a fallback.".to_owned())
    );
    for (field, value) in [
        ("googleFamily", json!("Inter'; x")),
        ("variants", json!(["bolder"])),
        ("subsets", json!(["Latin"])),
        ("variants", json!(["000"])),
    ] {
        let mut token = json!({ "name": "Body", "googleFamily": "Inter" });
        token[field] = value;
        let error = bench.refused("set_font_tokens", json!({ "tokens": [token] }));
        assert_eq!(
            error.details.unwrap()["errors"][0]["pointer"],
            json!(format!("/tokens/0/{field}"))
        );
    }
}
