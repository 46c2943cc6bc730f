//! How pieces are written.

use sitewright_markup::css::{
    Block, CssError, CssForm, CssLimits, Origin, Piece, Raw, check_piece, write_css,
};

use super::{compact, declaration, pieces};

fn check(css: &str, readable: &str, compacted: &str) {
    assert_eq!(write_css(&pieces(css), CssForm::Readable), readable);
    assert_eq!(compact(css), compacted);
}

#[test]
fn neighbours_share_wrappers_and_nothing_moves() {
    check(
        "@media print{.a{color:red!important;left:0}}@media print{.b{}}.c{--e:}\
         @supports (x:y){@media print{.d{x:y}}.e{x:y}}@keyframes k{}",
        "@media print {\n  .a {\n    color: red !important;\n    left: 0;\n  }\n  .b {}\n}\n\
         .c {\n  --e: ;\n}\n\
         @supports (x:y) {\n  @media print {\n    .d {\n      x: y;\n    }\n  }\n  .e {\n    x: y;\n  }\n}\n\
         @keyframes k{}\n",
        "@media print{.a{color:red!important;left:0}.b{}}.c{--e: }\
         @supports (x:y){@media print{.d{x:y}}.e{x:y}}@keyframes k{}",
    );
}

#[test]
fn layers_keep_their_order() {
    check(
        "@layer a{}@layer b{.x{}}@layer a{.y{}}",
        "@layer a{}\n@layer b {\n  .x {}\n}\n@layer a {\n  .y {}\n}\n",
        "@layer a{}@layer b{.x{}}@layer a{.y{}}",
    );
}

fn block(wrappers: &[&str], selector: &str, property: &str, value: &str) -> Piece {
    Piece::Block(Block {
        wrappers: wrappers.iter().map(|text| (*text).to_owned()).collect(),
        selector: selector.to_owned(),
        declarations: vec![declaration(property, value)],
        origin: Origin::Author,
        lock: sitewright_markup::Lock::Open,
    })
}

fn raw(text: &str) -> Piece {
    Piece::Raw(Raw {
        wrappers: Vec::new(),
        text: text.to_owned(),
        origin: Origin::Framework,
        lock: sitewright_markup::Lock::Open,
    })
}

#[test]
fn pieces_from_outside_are_one_piece_or_refused() {
    for (piece, sound) in [
        (block(&["@media print"], ".a:hover", "color", "red"), true),
        (block(&[], ".a", "--x", "{}"), true),
        (raw("@keyframes x { to { left: 0 } }"), true),
        (
            block(&[], ".a", "color", "red } body { display: none"),
            false,
        ),
        (block(&[], ".a", "color", "red; display: none"), false),
        (block(&[], ".a", "color", "\"open"), false),
        (block(&[], ".a", "color", "red !important"), false),
        (block(&[], ".a", "color", ""), false),
        (block(&[], ".a", "color: red; left", "0"), false),
        (block(&[], ".a {} .b", "color", "red"), false),
        (block(&[], "", "color", "red"), false),
        (
            block(&["@media print {} @media all"], ".a", "x", "y"),
            false,
        ),
        (block(&["print"], ".a", "x", "y"), false),
        (raw(".a { color: red }"), false),
        (raw("@keyframes x {} .b {}"), false),
        (raw("@keyframes x {"), false),
        (raw(""), false),
    ] {
        let checked = check_piece(&piece, &CssLimits::default());
        match checked {
            Ok(()) => assert!(sound, "{piece:?}"),
            Err(CssError::NotOnePiece { .. }) => assert!(!sound, "{piece:?}"),
            Err(other) => panic!("{piece:?}: {other}"),
        }
    }
}

#[test]
fn a_piece_that_was_never_read_cannot_end_a_style_element() {
    let written = write_css(
        [&block(&[], ".a", "content", "'</style>'"), &raw("</StYle")],
        CssForm::Compact,
    );
    assert_eq!(written, ".a{content:'<\\/style>'}</**//StYle");
}
