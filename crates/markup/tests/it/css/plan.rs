//! Upsert and add.

use sitewright_markup::css::{
    CssEdit, CssLeft, CssTally, Origin, Piece, plan_add, plan_upsert, tally_css,
};

use super::{pieces, show, show_piece};
use crate::fuzz::css::{carry_out, generated};

/// Pieces of a stylesheet in which `framework|` starts what tokens made.
fn stylesheet(css: &str) -> Vec<Piece> {
    let (author, framework) = css.split_once("framework|").unwrap_or((css, ""));
    let mut all = pieces(framework);
    for piece in &mut all {
        match piece {
            Piece::Block(block) => block.origin = Origin::Framework,
            Piece::Raw(raw) => raw.origin = Origin::Framework,
        }
    }
    all.extend(pieces(author));
    all
}

type Planner = for<'e> fn(&'e [(usize, &'e Piece)], Vec<Piece>) -> Vec<CssEdit<usize>>;

fn check(planner: Planner, existing: &str, incoming: &str, expected: &str, counts: &str) {
    let before = stylesheet(existing);
    let named: Vec<(usize, &Piece)> = before.iter().enumerate().collect();
    let edits = planner(&named, pieces(incoming));
    let after = carry_out(&before, &edits);
    let generated = generated(&before);
    assert_eq!(after[..generated], before[..generated], "generated pieces");
    assert_eq!(
        show(&after[generated..]),
        expected,
        "{existing} + {incoming}"
    );
    let CssTally {
        created,
        updated,
        unchanged,
        left,
    } = tally_css(&edits);
    assert_eq!(
        format!("+{created} ~{updated} ={unchanged} !{left}"),
        counts
    );

    let named: Vec<(usize, &Piece)> = after.iter().enumerate().collect();
    let again = tally_css(&planner(&named, pieces(incoming)));
    assert_eq!((again.created, again.updated), (0, 0), "again: {incoming}");
}

fn check_upsert(existing: &str, incoming: &str, expected: &str, counts: &str) {
    check(plan_upsert, existing, incoming, expected, counts);
}

fn check_add(existing: &str, incoming: &str, expected: &str, counts: &str) {
    check(plan_add, existing, incoming, expected, counts);
}

#[test]
fn upsert_merges_onto_the_last_block() {
    for (existing, incoming, expected, counts) in [
        ("", ".a{x:y}", ".a | x=y", "+1 ~0 =0 !0"),
        (".a{x:y}", ".a{x:y}", ".a | x=y", "+0 ~0 =1 !0"),
        (
            ".a{color:red;left:0}.b{}.a{top:0;color:red}",
            ".a{color:blue;top:0}",
            ".a | color=red; left=0\n.b | \n.a | color=blue; top=0",
            "+0 ~1 =0 !0",
        ),
        // A later shorthand beats an earlier longhand.
        (
            ".a{margin-left:1px;color:red}",
            ".a{margin:0}",
            ".a | margin-left=1px; color=red; margin=0",
            "+0 ~1 =0 !0",
        ),
        (
            ".a{margin:0;margin-left:1px}",
            ".a{margin:2px}",
            ".a | margin-left=1px; margin=2px",
            "+0 ~1 =0 !0",
        ),
        (
            ".a{COLOR:red;--X:1;--x:2}",
            ".a{color:blue;--x:3}",
            ".a | --X=1; color=blue; --x=3",
            "+0 ~1 =0 !0",
        ),
        (
            ".a,.b{x:y}a>b{x:y}",
            ".a, .b{x:z}a > b{x:z}",
            ".a, .b | x=z\na>b | x=z",
            "+0 ~2 =0 !0",
        ),
        (
            ".a .b{x:y}",
            ".a.b{x:y}",
            ".a .b | x=y\n.a.b | x=y",
            "+1 ~0 =0 !0",
        ),
        (".a{}", ".a{}", ".a | ", "+0 ~0 =1 !0"),
    ] {
        // Spelling of an existing selector stays; tables above use the tidy one.
        let expected = expected.replace(".a, .b | x=z", ".a,.b | x=z");
        check_upsert(existing, incoming, &expected, counts);
    }
}

#[test]
fn upsert_beats_important_unless_marked_itself() {
    check_upsert(
        ".a{color:red!important}",
        ".a{color:blue}",
        ".a | color=blue",
        "+0 ~1 =0 !0",
    );
    check_upsert(
        ".a{color:red!important;left:0!important}.a{top:0}",
        ".a{color:blue}",
        ".a | color=red; left=0!\n.a | top=0; color=blue",
        "+0 ~2 =0 !0",
    );
    check_upsert(
        ".a{color:red!important}.a{top:0}",
        ".a{color:blue!important}",
        ".a | color=red!\n.a | top=0; color=blue!",
        "+0 ~1 =0 !0",
    );
}

#[test]
fn upsert_puts_a_new_context_behind_its_selector() {
    check_upsert(
        ".a{x:y}@media print{.a{x:z}}.b{}",
        "@media (width<9px){.a{x:w}}.c{}@media print{.b{x:y}}",
        ".a | x=y\n@media print | .a | x=z\n@media (width<9px) | .a | x=w\n.b | \n\
         @media print | .b | x=y\n.c | ",
        "+3 ~0 =0 !0",
    );
    check_upsert(
        "@media  (max-width:9px){.a{x:y}}",
        "@media (max-width: 9px){.a{x:z}}",
        "@media (max-width:9px) | .a | x=z",
        "+0 ~1 =0 !0",
    );
}

#[test]
fn upsert_keeps_the_order_of_what_is_new() {
    check_upsert(
        ".z{}",
        ".a{color:red;top:0}.b{color:blue}.a{color:green}@media print{.a{x:y}}",
        ".z | \n.a | color=red; top=0\n.b | color=blue\n.a | color=green\n@media print | .a | x=y",
        "+4 ~0 =0 !0",
    );
    check_upsert(
        ".a{x:1}.z{}",
        ".a{x:2}.b{}.a{x:3}",
        ".a | x=2\n.a | x=3\n.z | \n.b | ",
        "+2 ~1 =0 !0",
    );
}

#[test]
fn upsert_replaces_raw_pieces_by_the_name_they_define() {
    check_upsert(
        "@keyframes spin{to{x:y}}.a{}",
        "@keyframes  spin{to{x:z}}@keyframes other{}@-webkit-keyframes spin{}",
        "raw | @keyframes  spin{to{x:z}}\n.a | \nraw | @keyframes other{}\n\
         raw | @-webkit-keyframes spin{}",
        "+2 ~1 =0 !0",
    );
    check_upsert(
        "@property --x{inherits:true}@property --X{inherits:true}",
        "@property --x{inherits:false}",
        "raw | @property --x{inherits:false}\nraw | @property --X{inherits:true}",
        "+0 ~1 =0 !0",
    );
    check_upsert(
        "@font-face{font-family:A;src:url(a)}@font-face{font-family:A;font-weight:700;src:url(b)}",
        "@font-face{src:url(c);font-family:\"a\";font-weight:700}",
        "raw | @font-face{font-family:A;src:url(a)}\n\
         raw | @font-face{src:url(c);font-family:\"a\";font-weight:700}",
        "+0 ~1 =0 !0",
    );
    check_upsert(
        ".a{&:hover{x:y}}.b{}",
        ".a{&:hover{x:z}}",
        "raw | .a{&:hover{x:z}}\n.b | ",
        "+0 ~1 =0 !0",
    );
    check_upsert(
        ".a{x:y}.b{}",
        ".a{&:hover{x:z}}",
        ".a | x=y\nraw | .a{&:hover{x:z}}\n.b | ",
        "+1 ~0 =0 !0",
    );
    check_upsert(
        "@layer{.a{}}",
        "@layer{.a{x:y}}@layer{.a{}}",
        "raw | @layer{.a{}}\nraw | @layer{.a{x:y}}",
        "+1 ~0 =1 !0",
    );
}

#[test]
fn imports_go_where_browsers_read_them() {
    for planner in [plan_upsert as Planner, plan_add as Planner] {
        check(
            planner,
            "@layer a;@import 'x';.a{}",
            ".b{}@namespace url(n);@import 'y';@import 'x';",
            "raw | @layer a;\nraw | @import 'x';\nraw | @import 'y';\nraw | @namespace url(n);\n\
             .a | \n.b | ",
            "+3 ~0 =1 !0",
        );
        check(
            planner,
            ".a{}",
            "@import 'y';",
            "raw | @import 'y';\n.a | ",
            "+1 ~0 =0 !0",
        );
        check(
            planner,
            "",
            "@import 'y';.a{}",
            "raw | @import 'y';\n.a | ",
            "+2 ~0 =0 !0",
        );
    }
}

#[test]
fn what_tokens_made_is_never_overwritten() {
    for planner in [plan_upsert as Planner, plan_add as Planner] {
        check(
            planner,
            "framework|:root{--primary:red}.text-primary{color:var(--primary)}",
            ":root{--primary:blue;--mine:1}.text-primary{color:blue}.a{}",
            ":root | --mine=1\n.a | ",
            "+2 ~0 =0 !2",
        );
    }
    check_upsert(
        ":root{--mine:1}framework|:root{--primary:red}",
        ":root{--primary:red;--mine:2}.text{}",
        ":root | --mine=2\n.text | ",
        "+1 ~1 =0 !1",
    );
}

#[test]
fn adding_brings_in_what_is_missing_and_touches_nothing() {
    for (existing, incoming, expected, counts) in [
        (
            ".a{x:y}",
            ".a{x:z}.b{x:y}@keyframes k{}",
            ".a | x=y\n.b | x=y\nraw | @keyframes k{}",
            "+2 ~0 =0 !1",
        ),
        (".a{x:y}", ".a{x:y}", ".a | x=y", "+0 ~0 =1 !0"),
        (
            "@keyframes k{to{x:y}}",
            "@keyframes k{to{x:z}}",
            "raw | @keyframes k{to{x:y}}",
            "+0 ~0 =0 !1",
        ),
        // A class that is there is not restyled on small screens either.
        (
            ".a{x:y}.b c{x:y}",
            "@media print{.a{x:z}.b c{x:z}}",
            ".a | x=y\n.b c | x=y\n@media print | .b c | x=z",
            "+1 ~0 =0 !1",
        ),
        (
            "",
            ".a{x:y}.b{}.a{x:z}@media print{.a{x:w}}",
            ".a | x=y\n.b | \n.a | x=z\n@media print | .a | x=w",
            "+4 ~0 =0 !0",
        ),
        (
            ":root{--a:1;font-size:9px}",
            ":root{--a:2;--b:3;font-size:10px}",
            ":root | --a=1; font-size=9px\n:root | --b=3",
            "+1 ~0 =0 !1",
        ),
        (
            ":root{--a:1}",
            ":root{--b:2}",
            ":root | --a=1\n:root | --b=2",
            "+1 ~0 =0 !0",
        ),
    ] {
        check_add(existing, incoming, expected, counts);
    }
}

#[test]
fn what_was_left_alone_is_named_with_what_was_asked() {
    let before = stylesheet(".a{x:y}framework|.b{x:y}");
    let named: Vec<(usize, &Piece)> = before.iter().enumerate().collect();
    let left: Vec<String> = plan_add(&named, pieces(".a{x:z}.b{x:z}"))
        .into_iter()
        .map(|edit| match edit {
            CssEdit::Leave { id, why, asked } => {
                let why = match why {
                    CssLeft::Exists => "exists",
                    CssLeft::Framework => "framework",
                };
                format!("{id} {why}: {}", show_piece(&asked))
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(left, ["1 exists: .a | x=z", "0 framework: .b | x=z"]);
}
