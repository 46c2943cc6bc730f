//! Other widths for breakpoints.

use serde_json::json;
use sitewright_markup::css::{CssForm, write_css};

use super::Bench;
use crate::{Breakpoint, Item, ItemId, NewEntity, Op, Piece};

/// A site with the widths that were shipped before.
fn bench() -> Bench {
    let mut bench = Bench::new();
    let breakpoints = [
        Breakpoint::up_to("mobile", "Mobile", 375),
        Breakpoint::up_to("tablet", "Tablet", 768),
        Breakpoint::base("desktop", "Desktop", 1440),
    ];
    let mut after = None;
    for (number, breakpoint) in (20..).zip(breakpoints) {
        let id = ItemId::from(number);
        let new = NewEntity::Item {
            id,
            item: Box::new(Item::Breakpoint(breakpoint)),
            pieces: Vec::new(),
            after,
        };
        let op = Op::Insert { new: Box::new(new) };
        bench.site.apply(&op, 1).unwrap();
        after = Some(id);
    }
    bench
}

#[test]
fn rules_move_with_their_breakpoint_and_others_stay() {
    let mut bench = bench();
    let css = ".a { top: 0 } @media (width <= 375px) { .a { top: 1px } @keyframes x { to { top: 0 } } } \
               @media (max-width: 768px) { .a { top: 2px } } @media (max-width: 767px) { .a { top: 3px } }";
    bench.call("applyCss", json!({ "css": css })).unwrap();
    let run = bench
        .call(
            "set_breakpoint_widths",
            json!({ "breakpoints": [
                { "breakpointId": "mobile", "maxWidth": 640, "frameWidth": 390 },
                { "breakpointId": "tablet", "maxWidth": 1024 },
            ] }),
        )
        .unwrap();
    assert_eq!(
        run.data,
        json!({ "breakpoints": [
            { "breakpointId": "mobile", "oldQuery": "(max-width: 375px)", "query": "(max-width: 640px)", "rules": 2 },
            { "breakpointId": "tablet", "oldQuery": "(max-width: 768px)", "query": "(max-width: 1024px)", "rules": 1 },
        ] })
    );
    assert_eq!(bench.site.breakpoints(), Breakpoint::defaults());
    let sheet = bench.site.site_sheet().unwrap();
    let pieces = bench.site.shell.items.pieces(sheet);
    let pieces: Vec<Piece> = pieces.map(|(_, piece)| piece.clone()).collect();
    assert_eq!(
        write_css(&pieces, CssForm::Compact),
        ".a{top:0}@media (max-width: 640px){.a{top:1px}@keyframes x { to { top: 0 } }}\
         @media (max-width: 1024px){.a{top:2px}}@media (max-width: 767px){.a{top:3px}}"
    );
}

#[test]
fn widths_that_make_no_sense_are_refused() {
    let mut bench = bench();
    for (breakpoint, width, message) in [
        (
            "watch",
            300,
            "There is no breakpoint `watch`; list_breakpoints names them.",
        ),
        (
            "desktop",
            2000,
            "The breakpoint `desktop` is the base that all widths share, so it has no maximum.",
        ),
        ("mobile", 20, "Widths must be 200 to 10000 pixels."),
    ] {
        let input = json!({ "breakpoints": [{ "breakpointId": breakpoint, "maxWidth": width }] });
        assert_eq!(
            bench.refused("set_breakpoint_widths", input).message,
            message
        );
    }
}
