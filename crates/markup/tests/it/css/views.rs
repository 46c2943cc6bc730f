//! Classes, breakpoints, contexts.

use sitewright_markup::css::{
    Breakpoint, StyleContext, class_of, class_selector, class_view, context_of,
};

use super::{pieces, show_declarations};

#[test]
fn a_class_is_a_selector_of_exactly_one_class() {
    for (selector, expected) in [
        (".a", Some("a")),
        (" .a-b_c ", Some("a-b_c")),
        (".md\\:flex", Some("md:flex")),
        (".\\31 23", Some("123")),
        (".w-1\\/2", Some("w-1/2")),
        (".\\32xl", None),
        (".ä", Some("ä")),
        (".--x", Some("--x")),
        (".1a", None),
        (".a.b", None),
        (".a, .b", None),
        (".a .b", None),
        (".a:hover", None),
        ("a", None),
        ("#a", None),
        (".a\\", Some("a\u{fffd}")),
        (".", None),
        ("", None),
    ] {
        // A hexadecimal escape takes the digits that follow it.
        let expected = if selector == ".\\32xl" {
            Some("2xl")
        } else {
            expected
        };
        assert_eq!(class_of(selector).as_deref(), expected, "{selector}");
    }
}

#[test]
fn every_class_has_a_selector_that_leads_back_to_it() {
    for class in [
        "a", "md:flex", "1", "-1", "w-1/2", "a b", "é", "-", "--", "[x]",
    ] {
        let selector = class_selector(class);
        assert_eq!(class_of(&selector).as_deref(), Some(class), "{selector}");
    }
}

fn breakpoints() -> Vec<Breakpoint> {
    vec![
        Breakpoint::up_to("tablet", "Tablet", 768),
        Breakpoint::up_to("phone", "Phone", 600),
        Breakpoint::from_width("wide", "Wide", 1200),
        Breakpoint {
            id: "middle".to_owned(),
            label: "Middle".to_owned(),
            width: 700,
            query: Some("(min-width: 600px) and (max-width: 768px)".to_owned()),
        },
        Breakpoint {
            id: "touch".to_owned(),
            label: "Touch".to_owned(),
            width: 500,
            query: Some("screen and (pointer: coarse)".to_owned()),
        },
        Breakpoint::base("desktop", "Desktop", 1440),
    ]
}

#[test]
fn media_queries_meet_breakpoints_by_meaning_and_exactly() {
    for (wrappers, expected) in [
        ("", "base"),
        ("@media (max-width: 768px)", "tablet"),
        ("@media (max-width:768px)", "tablet"),
        ("@media all and (MAX-WIDTH: 48em)", "tablet"),
        ("@media (max-width: 48rem)", "tablet"),
        ("@media (width <= 768px)", "tablet"),
        ("@media (768px >= width)", "tablet"),
        ("@media (width < 768px)", "other"),
        ("@media (max-width: 767px)", "other"),
        ("@media (max-width: 767.98px)", "other"),
        ("@media (max-width: 760px)", "other"),
        ("@media (max-width: 37.5em)", "phone"),
        ("@media (min-width: 1200px)", "wide"),
        ("@media (1200px <= width)", "wide"),
        ("@media (width >= 75em)", "wide"),
        ("@media (width > 1200px)", "other"),
        ("@media (600px <= width <= 768px)", "middle"),
        ("@media (max-width:768px) and (min-width:600px)", "middle"),
        (
            "@media (min-width:600px)|@media (max-width:768px)",
            "middle",
        ),
        ("@media (min-width:600px)|@media print", "other"),
        ("@media screen and (pointer:coarse)", "touch"),
        ("@media screen and (max-width: 768px)", "other"),
        ("@media only screen and (max-width: 768px)", "other"),
        ("@media not all and (max-width: 768px)", "other"),
        ("@media (max-width: 768px), print", "other"),
        ("@media (max-width: calc(768px))", "other"),
        ("@media (max-height: 768px)", "other"),
        ("@media (max-width: 1440px)", "other"),
        ("@media", "other"),
        ("@layer x|@media (max-width: 768px)", "other"),
        ("@supports (max-width: 768px)", "other"),
    ] {
        let wrappers: Vec<String> = wrappers
            .split('|')
            .filter(|wrapper| !wrapper.is_empty())
            .map(str::to_owned)
            .collect();
        let found = match context_of(&wrappers, &breakpoints()) {
            StyleContext::Base => "base".to_owned(),
            StyleContext::Breakpoint(id) => id,
            StyleContext::Other => "other".to_owned(),
        };
        assert_eq!(found, expected, "{wrappers:?}");
    }
}

#[test]
fn what_a_breakpoint_writes_is_its_own() {
    for breakpoint in breakpoints().into_iter().chain(Breakpoint::defaults()) {
        let found = context_of(
            &Vec::from_iter(breakpoint.wrapper()),
            std::slice::from_ref(&breakpoint),
        );
        let expected = match breakpoint.query {
            Some(_) => StyleContext::Breakpoint(breakpoint.id),
            None => StyleContext::Base,
        };
        assert_eq!(found, expected);
    }
}

#[test]
fn the_widest_frame_shows_styles_without_an_upper_bound() {
    let defaults = Breakpoint::defaults();
    let widest = defaults.iter().max_by_key(|breakpoint| breakpoint.width);
    assert_eq!(widest.unwrap().wrapper(), None);
}

fn check_view(css: &str, class: &str, expected: &str) {
    let view = class_view(&pieces(css), class, &breakpoints());
    let lines: Vec<String> = view
        .contexts
        .iter()
        .map(|view| {
            let context = match &view.context {
                StyleContext::Base => "base".to_owned(),
                StyleContext::Breakpoint(id) => id.clone(),
                StyleContext::Other => view.wrappers.join(" "),
            };
            let declarations = show_declarations(&view.declarations);
            format!("{context} {:?} {declarations}", view.blocks)
        })
        .collect();
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn a_class_shows_what_wins_in_each_context() {
    check_view(
        ".a{color:red;margin:0}.b{color:x}@media (width<=768px){.a{color:blue}}.a:hover{}\
         @media (max-width:768px){.a{left:0}}@layer x{.a{top:0}}.a{margin-left:1px;COLOR:green}",
        "a",
        "base [0, 6] margin=0; margin-left=1px; COLOR=green\n\
         tablet [2, 4] color=blue; left=0\n\
         @layer x [5] top=0",
    );
    check_view(
        ".a{color:red!important;--x:1}.a{color:blue;--X:2}.a{color:green!important}",
        "a",
        "base [0, 1, 2] --x=1; --X=2; color=green!",
    );
    check_view(".md\\:flex{x:y}", "md:flex", "base [0] x=y");
    check_view(".a,.b{x:y}", "a", "");
}

#[test]
fn of_two_breakpoints_that_match_the_narrower_bound_comes_later_in_the_cascade() {
    let mut breakpoints = [
        Breakpoint::up_to("phone", "Phone", 600),
        Breakpoint::from_width("huge", "Huge", 1800),
        Breakpoint::up_to("tablet", "Tablet", 768),
        Breakpoint::base("desktop", "Desktop", 1440),
        Breakpoint::from_width("wide", "Wide", 1200),
    ];
    breakpoints.sort_by_key(Breakpoint::cascade_order);
    let ids: Vec<&str> = breakpoints.iter().map(|known| known.id.as_str()).collect();
    assert_eq!(ids, ["desktop", "wide", "huge", "tablet", "phone"]);
}

#[test]
fn a_breakpoint_tells_the_widest_screen_it_is_for_and_not_its_frame() {
    let widest = |query: &str| {
        let breakpoint = Breakpoint {
            query: Some(query.to_owned()),
            ..Breakpoint::base("x", "X", 390)
        };
        breakpoint.width_max()
    };
    assert_eq!(widest("(max-width: 640px)"), Some(640));
    assert_eq!(widest("(width <= 640px)"), Some(640));
    assert_eq!(widest("(min-width: 640px)"), None);
    assert_eq!(widest("(min-width: 300px) and (max-width: 640px)"), None);
    assert_eq!(widest("print"), None);
    assert_eq!(Breakpoint::base("x", "X", 1440).width_max(), None);
}
