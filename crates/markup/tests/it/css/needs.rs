//! What must be on a page for a selector to match.

use sitewright_markup::css::{
    CssForm, Present, is_relevant, relevant_pieces, selector_needs, write_css,
};

use super::pieces;

fn check(selector: &str, expected: &str) {
    let shown: Vec<String> = selector_needs(selector)
        .into_iter()
        .map(|needs| {
            let tags = needs.tags.into_iter();
            let ids = needs.ids.into_iter().map(|id| format!("#{id}"));
            let classes = needs.classes.into_iter().map(|class| format!(".{class}"));
            let all: Vec<String> = tags.chain(ids).chain(classes).collect();
            all.join(" ")
        })
        .collect();
    assert_eq!(shown.join(" , "), expected, "{selector}");
}

#[test]
fn a_selector_needs_what_it_names_outside_of_alternatives() {
    for (selector, expected) in [
        (".a", ".a"),
        ("#x.a > P + .b:hover::before", "p #x .a .b"),
        (".a, b", ".a , b"),
        ("*", ""),
        ("[class~=x] .a", ".a"),
        (":root", ""),
        ("a:not(.x, #y)", "a"),
        (":is(.a)", ".a"),
        (":is(.a, .b) c", "c"),
        (":where(.a.x, .b.x)", ".x"),
        (".a:has(> .b)", ".a .b"),
        (".a:has(.b, .c)", ".a"),
        ("li:nth-child(2n+1 of .x)", "li .x"),
        ("li:nth-child(odd)", "li"),
        (":is(.a, :not(.b))", ""),
        (":host(.a) ::slotted(.b) ::part(c)", ""),
        ("svg|a", "a"),
        ("*|a", "a"),
        (".md\\:flex", ".md:flex"),
        ("& .a", ".a"),
        ("::view-transition-old(root)", ""),
        (":lang(en) a", "a"),
        (".A", ".a"),
        ("", ""),
    ] {
        check(selector, expected);
    }
}

#[test]
fn selectors_nested_without_end_need_nothing_more() {
    let deep = format!("{}.a{}", ":is(".repeat(10_000), ")".repeat(10_000));
    check(&deep, "");
}

fn check_relevant(selector: &str, expected: bool) {
    let mut present = Present::default();
    present.add_classes("hero  Card btn");
    present.add_id("main");
    present.add_tag("section");
    present.add_tag("a");
    present.add_words("el.classList.toggle('is-open'); b.className = 'btn-' + size;");
    present.add_words("document.createElement(\"dialog\"); x = `${name}__item`; 'w-1/2'");
    present.add_words("<p class=\"md:flex\">");
    let piece = &pieces(&format!("{selector}{{color:red}}"))[0];
    assert_eq!(is_relevant(piece, &present), expected, "{selector}");
}

#[test]
fn a_block_goes_only_when_each_selector_needs_what_is_nowhere() {
    for (selector, expected) in [
        (".hero", true),
        (".card", true),
        (".CARD", true),
        (".hero a", true),
        ("section#main", true),
        (".missing", false),
        (".hero .missing", false),
        (".missing, .hero", true),
        (".missing, .gone", false),
        ("#gone", false),
        ("table", false),
        ("html body", true),
        (":root", true),
        ("*", true),
        (".hero:not(.missing)", true),
        (".hero:is(.missing, .gone)", true),
        (".hero:has(.missing)", false),
    ] {
        check_relevant(selector, expected);
    }
}

#[test]
fn what_scripts_and_stored_html_name_stays() {
    for (selector, expected) in [
        (".is-open", true),
        (".nav.is-open", false),
        (".btn.is-open", true),
        (".btn-lg", true),
        (".btn-outline-primary", true),
        (".list__item", true),
        (".is-closed", false),
        ("dialog", true),
        (".md\\:flex", true),
        (".w-1\\/2", true),
        (".md\\:grid", false),
    ] {
        check_relevant(selector, expected);
    }
}

#[test]
fn raw_pieces_are_always_relevant() {
    let present = Present::default();
    for css in ["@keyframes x{}", ".missing{&:hover{}}", "@layer a;"] {
        assert!(is_relevant(&pieces(css)[0], &present), "{css}");
    }
}

/// `b` would yield to `a` if `a` were first heard of after it.
#[test]
fn a_layer_without_rules_for_the_page_keeps_its_rank() {
    let pieces = pieces(
        "@layer a { .gone { top: 0 } .gone { left: 0 } } @layer b { p { top: 1px } } @layer a { p { top: 2px } } \
         @media print { @layer c { .gone { top: 0 } } } @media print { .gone { top: 0 } }",
    );
    let mut present = Present::default();
    present.add_tag("p");
    let relevant = relevant_pieces(&pieces, &present);
    let css = write_css(relevant.iter().map(|piece| &**piece), CssForm::Compact);
    assert_eq!(
        css,
        "@layer a;@layer b{p{top:1px}}@layer a{p{top:2px}}@media print{@layer c;}"
    );
}
