//! What stood in the source, in its order.

use super::{read, show, show_problems};

fn check(css: &str, expected: &str) {
    assert_eq!(show(&read(css).pieces), expected, "pieces of {css}");
    assert_eq!(show_problems(&read(css)), "", "problems of {css}");
}

fn check_problems(css: &str, expected: &str, problems: &str) {
    let parsed = read(css);
    assert_eq!(show(&parsed.pieces), expected, "pieces of {css}");
    assert_eq!(show_problems(&parsed), problems, "problems of {css}");
}

#[test]
fn declarations_stay_as_they_were_written() {
    for (css, expected) in [
        (".a{color:red}", ".a | color=red"),
        (".a { COLOR : Red ; }", ".a | COLOR=Red"),
        (".a{}", ".a | "),
        (
            ".a{display:-webkit-box;display:flex}",
            ".a | display=-webkit-box; display=flex",
        ),
        (
            ".a{color:red!important;margin:0 ! IMPORTANT}",
            ".a | color=red!; margin=0!",
        ),
        (
            ".a{--X:1;--x: {a:b;c:d} ;--e:;--f: }",
            ".a | --X=1; --x={a:b;c:d}; --e=; --f=",
        ),
        (
            ".a{--x: a /* b */ c;--y:!important}",
            ".a | --x=a /* b */ c; --y=!",
        ),
        (".a{color:/* why */red/* so */}", ".a | color=red"),
        (
            ".a{margin:0/* top */1px !important/* x */}",
            ".a | margin=0/* top */1px!",
        ),
        (
            ".a{*zoom:1;_height:1px;color:red\\9;filter:progid:DX.M(a='1',b=2)}",
            ".a | *zoom=1; _height=1px; color=red\\9; filter=progid:DX.M(a='1',b=2)",
        ),
        (".a{color:red !ie}", ".a | color=red !ie"),
        (
            ".a{background:url( a;b.png ) , url(\"x}y\")}",
            ".a | background=url( a;b.png ) , url(\"x}y\")",
        ),
        (
            ".a{width:calc(1px + (2px * 3))}",
            ".a | width=calc(1px + (2px * 3))",
        ),
        (".a{content:\"\\201C;}\"}", ".a | content=\"\\201C;}\""),
        (
            ".a{grid-template:\"a b\"\n \"c d\"}",
            ".a | grid-template=\"a b\"\n \"c d\"",
        ),
        (".a{;;color:red;;}", ".a | color=red"),
    ] {
        check(css, expected);
    }
}

#[test]
fn selectors_lose_comments_and_needless_space_only() {
    for (css, expected) in [
        (".a,\n .b  >  .c{}", ".a, .b > .c | "),
        ("a /* x */ b{}", "a b | "),
        ("a/* x */b{}", "a/**/b | "),
        (".a/**/.b{}", ".a.b | "),
        (".\\31  .b{}", ".\\31  .b | "),
        (".\\31 .b{}", ".\\31 .b | "),
        (".md\\:flex{}", ".md\\:flex | "),
        ("a[ href = \"x  y\" ]{}", "a[href = \"x  y\"] | "),
        (":is( a , b )  c{}", ":is(a , b) c | "),
        ("> img{}", "> img | "),
        (
            "li:nth-child( 2n + 1 of .x ){}",
            "li:nth-child(2n + 1 of .x) | ",
        ),
        ("::before{}", "::before | "),
        (":unknown(!?x){}", ":unknown(!?x) | "),
    ] {
        check(css, expected);
    }
}

#[test]
fn conditions_layers_and_scopes_wrap_blocks() {
    for (css, expected) in [
        (
            "@media (min-width:600px){.a{x:y}.b{}}",
            "@media (min-width:600px) | .a | x=y\n@media (min-width:600px) | .b | ",
        ),
        (
            "@MEDIA  print , screen{.a{}}",
            "@media print , screen | .a | ",
        ),
        ("@media(width<9px){.a{}}", "@media (width<9px) | .a | "),
        (
            "@supports (display: grid){@media print{@layer base{.a{}}}}",
            "@supports (display: grid) | @media print | @layer base | .a | ",
        ),
        (
            "@container card (width > 40em){.a{}}",
            "@container card (width > 40em) | .a | ",
        ),
        ("@layer a.b{.a{}}", "@layer a.b | .a | "),
        (
            "@scope (.card) to (.content){img{a:b}}",
            "@scope (.card) to (.content) | img | a=b",
        ),
        (
            "@starting-style{.a{opacity:0}}",
            "@starting-style | .a | opacity=0",
        ),
        (
            ".a{a:b}@media print{.a{a:c}}.b{}@media print{.a{a:d}}",
            ".a | a=b\n@media print | .a | a=c\n.b | \n@media print | .a | a=d",
        ),
    ] {
        check(css, expected);
    }
}

#[test]
fn what_is_no_block_stays_raw_in_its_place() {
    for css in [
        "@layer {.a{x:y} .b{}}",
        "@layer a, b;",
        "@layer a {}",
        "@media print {}",
        "@keyframes spin { from { left: 0 } to { left: 1px } }",
        "@property --x { syntax: '<color>'; inherits: false; initial-value: red }",
        "@font-face { font-family: A; src: url(a.woff2) }",
        "@import url(\"a.css\") layer(x) supports(display: grid);",
        "@namespace svg url(http://www.w3.org/2000/svg);",
        "@page :first { margin: 1in; @top-left { content: 'x' } }",
        "@unknown rule { with: anything } ",
        "@counter-style x { system: cyclic; symbols: a }",
        ".a { color: red; &:hover { color: blue } }",
        ".a { b:hover { color: red } }",
        ".a { @media print { color: red } }",
        ".a { @apply b c; color: red }",
        ".a { color: {x} }",
        "@scope (.a) { color: red; img { color: blue } }",
        "@media print { .a {} stray }",
        "@media print { color: red; .a {} }",
        "@media print { .a {}; .b {} }",
        "@media print, x) { .a {} }",
        "@media print { <!-- .a {} --> }",
    ] {
        check(css, &format!("raw | {}", css.trim()));
    }
    check(
        ".a{} @keyframes k{} .b{}",
        ".a | \nraw | @keyframes k{}\n.b | ",
    );
    check(
        "@media print{.a{}@keyframes k{to{x:y}}@layer{.c{}}.b{}}",
        "@media print | .a | \n@media print | raw | @keyframes k{to{x:y}}\n\
         @media print | raw | @layer{.c{}}\n@media print | .b | ",
    );
    check(
        "@media print{@media screen{.a{};.b{}}.c{}}",
        "@media print | raw | @media screen{.a{};.b{}}\n@media print | .c | ",
    );
    check("@charset \"utf-8\"; .a{}", ".a | ");
    check("@charset \"utf-8\" {} .a{}", ".a | ");
    check("<!-- .a{} -->", ".a | ");
}

#[test]
fn what_the_end_leaves_open_is_closed() {
    for (css, expected) in [
        (".a{color:red", ".a | color=red"),
        (".a{color:rgb(1,2", ".a | color=rgb(1,2)"),
        (".a{content:\"x", ".a | content=\"x\""),
        (".a{content:\"x\\", ".a | content=\"x\\\n\""),
        (".a{content:'\\'", ".a | content='\\''"),
        (".a{background:url(x", ".a | background=url(x)"),
        (".a{background:url(x\\", ".a | background=url(x\\\u{fffd})"),
        (".a{color:re\\", ".a | color=re\\\u{fffd}"),
        (".a{color:red/* x", ".a | color=red"),
        ("@media print{.a{color:red", "@media print | .a | color=red"),
        ("@import url(a", "raw | @import url(a);"),
        ("@import 'a' /* x", "raw | @import 'a';"),
        ("@layer a", "raw | @layer a;"),
        (".a{&:hover{x:[", "raw | .a{&:hover{x:[]}}"),
        ("@keyframes x{from{", "raw | @keyframes x{from{}}"),
    ] {
        check(css, expected);
    }
}

#[test]
fn what_no_browser_uses_is_left_out_and_listed() {
    for (css, expected, problems) in [
        (
            ".a{color red;\ncolor:;x:y)z;left:1px}",
            ".a | left=1px",
            "1: declaration: color red;\n2: declaration: color:;\n2: declaration: x:y)z;",
        ),
        (
            ".a{content:\"x\n;left:1px}",
            ".a | left=1px",
            "1: declaration: content:\"x\n;",
        ),
        (".a{};.b{}.c{}", ".a | \n.c | ", "1: rule: ;.b{}"),
        ("} .a{}.b{}", ".b | ", "1: rule: } .a{}"),
        ("{color:red}.b{}", ".b | ", "1: rule: {color:red}"),
        (".b{}\n.a", ".b | ", "2: rule: .a"),
        ("@import 'x\n;.b{}", ".b | ", "1: rule: @import 'x\n;"),
        ("--x:hover{}.b{}", ".b | ", "1: rule: --x:hover{}"),
    ] {
        check_problems(css, expected, problems);
    }
}

#[test]
fn nothing_can_end_a_style_element() {
    for (css, expected) in [
        (".a{content:'</STYLE>'}", ".a | content='<\\/STYLE>'"),
        (
            ".a{background:url(</style)}",
            ".a | background=url(<\\/style)",
        ),
        (".a{--x:</style>}", ".a | --x=</**//style>"),
        (
            "@keyframes a{/*</style>*/}",
            "raw | @keyframes a{/*<\\/style>*/}",
        ),
        (".a{content:'</svg>'}", ".a | content='</svg>'"),
    ] {
        check(css, expected);
    }
}
