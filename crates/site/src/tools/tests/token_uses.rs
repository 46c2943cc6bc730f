//! Where tokens are used, and their names.

use serde_json::json;
use sitewright_markup::css::{CssForm, write_css};

use super::{Bench, node, page};
use crate::{BodyId, Need, Outcome, Piece};

fn bench() -> Bench {
    let mut bench = Bench::new();
    let tokens = json!([
        { "slug": "accent", "lightValue": "#336699" },
        { "slug": "accent-2", "lightValue": "var(--accent)" },
    ]);
    bench
        .call("set_color_tokens", json!({ "tokens": tokens }))
        .unwrap();
    let css = ".a { color: var(--accent); border-color: var(--accent-2) } .dark { --accent: red } \
               @media print { .bg-accent-d-1:hover { fill: var(--x--accent, var(--accent-50)) } } @keyframes k { to { color: var(--accent) } }";
    bench.call("applyCss", json!({ "css": css })).unwrap();
    let html = "<p class=\"bg-accent accent\" style=\"color: var(--accent)\">--accent</p><svg><path fill=\"var(--accent)\"></path></svg>";
    bench
        .call("insertHtml", json!({ "parentId": node(13), "html": html }))
        .unwrap();
    bench
}

fn css(bench: &Bench) -> String {
    let sheet = bench.site.site_sheet().unwrap();
    let pieces = bench.site.shell.items.pieces(sheet);
    let pieces: Vec<Piece> = pieces.map(|(_, piece)| piece.clone()).collect();
    write_css(&pieces, CssForm::Compact)
}

#[test]
fn uses_are_counted_by_place() {
    let mut bench = bench();
    let uses = bench
        .call("list_token_uses", json!({ "token": "accent" }))
        .unwrap();
    assert_eq!(
        uses.data,
        json!({ "count": 9, "places": [
            { "name": "Site", "count": 5 },
            { "name": "accent-2", "count": 1 },
            { "document": page(), "name": "Home", "count": 3 },
        ] })
    );
    let unused = bench
        .call("list_token_uses", json!({ "token": "accent-2" }))
        .unwrap();
    assert_eq!(unused.data["count"], 1);
    let unknown = bench.refused("list_token_uses", json!({ "token": "nobody" }));
    assert_eq!(
        unknown.message,
        "There is no colour or font `nobody`; list_tokens names them."
    );
}

#[test]
fn the_uses_of_a_colour_follow_its_name() {
    let mut bench = bench();
    let run = bench
        .call(
            "rename_color_token",
            json!({ "slug": "accent", "newSlug": "brand" }),
        )
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "slug": "brand", "ref": "var(--brand)", "uses": 9 })
    );
    assert_eq!(
        css(&bench),
        ".a{color:var(--brand);border-color:var(--accent-2)}.dark{--brand:red}\
         @media print{.bg-brand-d-1:hover{fill:var(--x--accent, var(--brand-50))}}@keyframes k { to { color: var(--brand) } }"
    );
    let html = bench
        .call("getNodeHtml", json!({ "nodeId": node(13) }))
        .unwrap();
    let html = html.data["html"].as_str().unwrap();
    for part in [
        "class=\"bg-brand accent\"",
        "style=\"color: var(--brand)\"",
        ">--accent<",
        "fill=\"var(--brand)\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    let tokens = bench.site.tokens();
    let colors: Vec<_> = tokens
        .colors
        .iter()
        .map(|color| (color.slug.as_str(), color.light_value.as_str()))
        .collect();
    assert_eq!(colors, [("brand", "#336699"), ("accent-2", "var(--brand)")]);
}

#[test]
fn a_name_that_is_taken_or_no_name_is_refused() {
    let mut bench = bench();
    for (name, message) in [
        (
            "accent-2",
            "There is a colour `accent-2` already; choose another name.",
        ),
        (
            "two words",
            "\"two words\" cannot name a token: use letters, digits, - and _.",
        ),
    ] {
        let refused = bench.refused(
            "rename_color_token",
            json!({ "slug": "accent", "newSlug": name }),
        );
        assert_eq!(refused.message, message);
    }
}

#[test]
fn documents_that_are_not_open_are_asked_for() {
    let mut bench = bench();
    bench.site.bodies.remove(&page());
    let outcome = bench.run("list_token_uses", json!({ "token": "accent" }));
    let home: BodyId = page();
    assert_eq!(
        outcome
            .map(|outcome| matches!(outcome, Outcome::Needs(needs) if needs == [Need::Body(home)])),
        Ok(true)
    );
}
