//! What import makes of HTML, case by case.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot get what it needs has failed"
)]

use std::collections::BTreeMap;

use sitewright_markup::html::{
    Doctype, HtmlLimits, HtmlMode, HtmlPlace, HtmlStylePlace, Quirks, import_html, write_forest,
};
use sitewright_markup::{
    Attr, Direction, Element, Forest, ForestNode, Kind, Loop, Name, Namespace, Node,
};

use crate::fuzz::html::{round_trip, write};
use crate::html_tree::context;

fn imported(html: &str, mode: &HtmlMode) -> sitewright_markup::html::ImportedHtml {
    import_html(html, mode, &HtmlLimits::default()).unwrap()
}

/// Imports a fragment into a context and writes it again.
fn check_in(tag: &str, html: &str, expected: &str) {
    let mode = context(tag);
    let imported = imported(html, &mode);
    assert_eq!(write(&imported, &mode), expected, "{html}");
    round_trip(html, &mode).unwrap();
}

fn check(html: &str, expected: &str) {
    check_in("body", html, expected);
}

/// Imports a page and writes it again.
fn check_page(html: &str, expected: &str) {
    let imported = imported(html, &HtmlMode::Document);
    assert_eq!(write(&imported, &HtmlMode::Document), expected, "{html}");
    assert_eq!(round_trip(html, &HtmlMode::Document), Ok(true));
}

fn same(html: &str) {
    check(html, html);
}

#[test]
fn elements_attributes_texts_and_comments_are_kept() {
    same("<p id=\"a\" data-x=\"1\" hidden=\"\">a <b>b</b> c</p><!-- c --><x-y></x-y>");
    same(
        "<img src=\"a.png\" alt=\"A\" loading=\"lazy\" srcset=\"a.png 1x, b.png 2x\" sizes=\"100vw\">",
    );
    same("<a class=\" btn  big \" href=\"/\"><i class=\"icon\"></i> Go</a>");
    same(
        "<button type=\"button\"><svg viewBox=\"0 0 1 1\"><path d=\"M0 0\"></path></svg></button>",
    );
    same("<iframe src=\"https://maps.example/embed\" allowfullscreen=\"\"></iframe>");
    same(
        "<video poster=\"p.jpg\" controls=\"\"><source src=\"a.mp4\"><track src=\"a.vtt\"></video>",
    );
    check(
        "<!--[if lt IE 9]><script src=\"x.js\"></script><![endif]-->",
        "<!--[if lt IE 9]>&lt;script src=\"x.js\">&lt;/script>&lt;![endif]-->",
    );
    check("<P ID=a CLASS=b>", "<p class=\"b\" id=\"a\"></p>");
    check("<br/><hr>text", "<br><hr>text");
}

#[test]
fn class_and_style_keep_their_text() {
    let imported = imported(
        "<p class=\"\n a  b\" style=\"color : red;;\" id=x>",
        &HtmlMode::body(),
    );
    let expected = Node {
        classes: Some("\n a  b".to_owned()),
        style: Some("color : red;;".to_owned()),
        ..Node::new(Kind::Element(Element {
            tag: Name::from("p"),
            namespace: Namespace::Html,
            attrs: vec![Attr::new("id", "x")],
        }))
    };
    assert_eq!(
        imported.content,
        Forest(vec![ForestNode {
            parent: None,
            node: expected
        }])
    );
}

#[test]
fn texts_are_escaped_as_the_standard_says() {
    check(
        "&lt;b&gt; &amp;amp; \u{a0}&nbsp; \"",
        "&lt;b&gt; &amp;amp; &nbsp;&nbsp; \"",
    );
    check(
        "<p title='\"&lt;&gt;&amp;\u{a0}'>",
        "<p title=\"&quot;&lt;&gt;&amp;&nbsp;\"></p>",
    );
    check("a&#13;b\r\nc", "a&#13;b\nc");
    check("\u{c2}\u{e9}\u{1F600}", "\u{c2}\u{e9}\u{1F600}");
    same("<textarea>&lt;b&gt;</textarea><title>&lt;b&gt;</title>");
    same("<xmp>a &amp; b</xmp>");
    check(
        "<noscript><img src=a></noscript>",
        "<noscript><img src=\"a\"></noscript>",
    );
}

#[test]
fn a_newline_at_the_start_of_pre_and_textarea_survives() {
    check("<pre>\nx</pre>", "<pre>x</pre>");
    check("<pre>\n\nx</pre>", "<pre>\n\nx</pre>");
    check("<textarea>\n\n</textarea>", "<textarea>\n\n</textarea>");
    check("<pre><b>\n</b>\n</pre>", "<pre><b>\n</b>\n</pre>");
    check("<pre><br>\n</pre>", "<pre><br>\n</pre>");
}

#[test]
fn templates_hold_their_contents() {
    same("<template><tr><td>x</td></tr></template>");
    same("<div><template shadowrootmode=\"open\"><slot></slot></template></div>");
}

#[test]
fn foreign_content_keeps_names_and_spelling() {
    same(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" viewBox=\"0 0 1 1\" xml:lang=\"en\">\
         <linearGradient gradientUnits=\"userSpaceOnUse\"></linearGradient><use xlink:href=\"#a\"></use>\
         <foreignObject><p>x</p></foreignObject></svg>",
    );
    check(
        "<svg><LINEARGRADIENT gradientunits=a /><![CDATA[a<b]]></svg>",
        "<svg><linearGradient gradientUnits=\"a\"></linearGradient>a&lt;b</svg>",
    );
    same("<math><mi>x</mi><annotation-xml encoding=\"text/html\"><p>y</p></annotation-xml></math>");
}

#[test]
fn the_context_decides_what_is_legal() {
    check("<tr><td>x</td></tr>", "x");
    check_in("tbody", "<tr><td>x</td></tr>", "<tr><td>x</td></tr>");
    check_in("tr", "<td>x<td>y", "<td>x</td><td>y</td>");
    check_in(
        "select",
        "<option>a<option>b",
        "<option>a</option><option>b</option>",
    );
    check_in(
        "svg svg",
        "<PATH d=a><foreignobject>x",
        "<path d=\"a\"><foreignObject>x</foreignObject></path>",
    );
    check_in("svg g", "a<p>b</p>", "a");
    check_in("math mtext", "<p>b</p>", "<p>b</p>");
    check_in("textarea", "<b>", "&lt;b&gt;");
    check_in("pre", "\nx", "\nx");
}

#[test]
fn a_page_keeps_what_is_around_its_body() {
    check_page(
        "<!-- 1 --><!DOCTYPE html><!-- 2 --><html lang=en class=no-js><!-- 3 --><head data-x> <title>T</title>\n</head> <!-- 4 -->\
         <body class=b style=color:red id=i>x</body><!-- 5 --></html><!-- 6 -->",
        "<!-- 1 --><!DOCTYPE html><!-- 2 --><html class=\"no-js\" lang=\"en\"><!-- 3 --><head data-x=\"\"> <title>T</title>\n</head> <!-- 4 -->\
         <body class=\"b\" style=\"color:red\" id=\"i\">x</body><!-- 5 --></html><!-- 6 -->",
    );
    check_page("x", "<html><head></head><body>x</body></html>");
    let page = imported("<!-- a --><p>", &HtmlMode::Document)
        .document
        .unwrap();
    assert_eq!(page.strays[0].place, HtmlPlace::BeforeHtml);
}

#[test]
fn doctypes_keep_their_ids_and_their_mode() {
    let cases = [
        ("<!DOCTYPE html>", Quirks::None),
        (
            "<!DOCTYPE html SYSTEM \"about:legacy-compat\">",
            Quirks::None,
        ),
        (
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">",
            Quirks::None,
        ),
        (
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Transitional//EN\" \"x\">",
            Quirks::Limited,
        ),
        (
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\" \"\">",
            Quirks::Limited,
        ),
        (
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">",
            Quirks::Full,
        ),
        (
            "<!DOCTYPE html PUBLIC \"-//IETF//DTD HTML//EN\">",
            Quirks::Full,
        ),
        ("<!DOCTYPE html quirks>", Quirks::Full),
        ("<!DOCTYPE html SYSTEM \"never closed>", Quirks::Full),
        ("<!DOCTYPE html PUBLIC \"never closed>", Quirks::Full),
        ("<!DOCTYPE html PUBLIC \"a\" \"b>", Quirks::Full),
        ("<!DOCTYPE other>", Quirks::Full),
        ("<!DOCTYPE>", Quirks::Full),
        ("", Quirks::Full),
    ];
    for (doctype, quirks) in cases {
        let imported = imported(doctype, &HtmlMode::Document);
        let written = write(&imported, &HtmlMode::Document);
        assert_eq!(
            written,
            format!("{doctype}<html><head></head><body></body></html>")
        );
        assert_eq!(imported.document.unwrap().quirks, quirks, "{doctype}");
        round_trip(doctype, &HtmlMode::Document).unwrap();
    }
    let odd = imported("<!doctype HTML public '\"a' 'b'>", &HtmlMode::Document);
    assert_eq!(
        odd.document.unwrap().doctype,
        Some(Doctype {
            name: "html".to_owned(),
            public_id: "\"a".to_owned(),
            system_id: "b".to_owned(),
        })
    );
    round_trip("<!doctype HTML public '\"a' 'b'>", &HtmlMode::Document).unwrap();
}

#[test]
fn framesets_are_refused() {
    let error = import_html(
        "<frameset><frame src=a>",
        &HtmlMode::Document,
        &HtmlLimits::default(),
    );
    assert_eq!(
        error.unwrap_err().to_string(),
        "the page is a <frameset>: import the page of each frame instead"
    );
}

#[test]
fn styles_are_harvested_in_order() {
    let page = imported(
        "<head><style>a{}</style><noscript><style>b{}</style></noscript></head><body>x<style media=print title=t>c > d{}</style>y\
         <svg><style type='text/css'><![CDATA[e{}]]></style><g></g></svg><template><style>f{}</style></template>",
        &HtmlMode::Document,
    );
    let found: Vec<_> = page
        .styles
        .iter()
        .map(|style| {
            (
                style.text.as_str(),
                style.media.as_deref(),
                style.attrs.len(),
                style.place,
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("a{}", None, 0, HtmlStylePlace::Head),
            ("b{}", None, 0, HtmlStylePlace::Noscript),
            ("c > d{}", Some("print"), 1, HtmlStylePlace::Body),
            ("e{}", None, 1, HtmlStylePlace::Body),
            ("f{}", None, 0, HtmlStylePlace::Template),
        ]
    );
    assert_eq!(
        write(&page, &HtmlMode::Document),
        "<html><head><noscript></noscript></head><body>xy<svg><g></g></svg><template></template></body></html>"
    );
    assert_eq!(page.content.0.len(), 4, "x and y are one text");
}

#[test]
fn loops_and_outlets_are_kinds_of_their_own() {
    let html = "<sw-loop class=\"grid\" data-source-id=\"data.rows\" data-table-id=\"posts\" data-order-by=\"publishedAt\" \
                data-direction=\"asc\" data-limit=\"3\" data-offset=\"2\" data-filter=\"{&quot;tag&quot;:&quot;a&quot;}\" data-paged=\"\">\
                <h3>{currentEntry.title}</h3></sw-loop><sw-outlet></sw-outlet>";
    let loops = imported(html, &HtmlMode::body());
    let expected = Loop {
        source: "data.rows".to_owned(),
        table: Some("posts".to_owned()),
        order: Some("publishedAt".to_owned()),
        direction: Direction::Asc,
        limit: Some(3),
        offset: 2,
        filter: BTreeMap::from([("tag".to_owned(), "a".into())]),
        paged: true,
    };
    assert_eq!(loops.content.0[0].node.kind, Kind::Loop(Box::new(expected)));
    assert_eq!(loops.content.0[0].node.classes.as_deref(), Some("grid"));
    assert_eq!(loops.content.0[3].node.kind, Kind::Outlet);
    assert_eq!(write(&loops, &HtmlMode::body()), html);
    assert_eq!(loops.notes, Vec::<String>::new());
    let others = imported("<instatic-card>x</instatic-card>", &HtmlMode::body());
    assert_eq!(
        write(&others, &HtmlMode::body()),
        "<instatic-card>x</instatic-card>"
    );
}

#[test]
fn loops_and_outlets_are_also_read_under_their_other_names() {
    let html = "<instatic-loop data-source-id=\"data.rows\" data-direction=\"asc\"><p>x</p></instatic-loop>\
                <table><tbody><template instatic-loop data-source-id=\"data.rows\" data-direction=\"asc\"></template></tbody></table>\
                <instatic-outlet></instatic-outlet>";
    let read = imported(html, &HtmlMode::body());
    assert_eq!(read.notes, Vec::<String>::new());
    assert_eq!(
        write(&read, &HtmlMode::body()),
        "<sw-loop data-source-id=\"data.rows\" data-direction=\"asc\"><p>x</p></sw-loop>\
         <table><tbody><template sw-loop=\"\" data-source-id=\"data.rows\" data-direction=\"asc\"></template></tbody></table>\
         <sw-outlet></sw-outlet>"
    );
}

#[test]
fn a_loop_over_rows_is_a_template() {
    let html = "<table><tbody><template sw-loop=\"\" data-source-id=\"data.rows\" data-direction=\"desc\"><tr><td>x</td></tr>\
                </template></tbody></table>";
    let rows = imported(html, &HtmlMode::body());
    assert!(matches!(rows.content.0[2].node.kind, Kind::Loop(_)));
    assert_eq!(write(&rows, &HtmlMode::body()), html);
    let moved = imported(
        "<table><sw-loop data-source-id=data.rows><tr><td>x</table>",
        &HtmlMode::body(),
    );
    assert_eq!(moved.notes.len(), 1);
    assert!(moved.notes[0].contains("<template sw-loop"));
}

#[test]
fn what_a_loop_cannot_take_is_said() {
    let found = imported(
        "<sw-loop id=a data-limit=many data-direction=up></sw-loop><sw-outlet id=b></sw-outlet>",
        &HtmlMode::body(),
    );
    assert_eq!(
        found.notes,
        [
            "<sw-loop> has no id; it was left out",
            "<sw-loop> cannot take data-limit=\"many\"; it was left out",
            "<sw-loop> cannot take data-direction=\"up\"; it was left out",
            "<sw-loop> has no data-source-id; data.rows was taken",
            "<sw-outlet> has no id; it was left out",
        ]
    );
}

/// The standard lists trees that no text is parsed as; the parser makes some of them. What their text is parsed as is kept.
#[test]
fn trees_that_cannot_be_spelled_become_what_a_browser_reads() {
    for (html, expected) in [
        ("<form><div></form><form>x", "<form><div>x</div></form>"),
        ("<a>1<table><a>2", "<a>1</a><a>2</a><table></table>"),
        (
            "<li><p><noscript><li>",
            "<li><p><noscript></noscript></p></li><li></li>",
        ),
    ] {
        let imported = imported(html, &HtmlMode::body());
        assert_eq!(write(&imported, &HtmlMode::body()), expected, "{html}");
        assert_eq!(round_trip(html, &HtmlMode::body()), Ok(false), "{html}");
    }
}

/// Nodes from elsewhere may hold what no parser makes; it stays inside its bounds.
#[test]
fn what_no_parser_makes_cannot_break_out() {
    let element = |tag: &str, attrs: Vec<Attr>| {
        Kind::Element(Element {
            tag: Name::from(tag),
            namespace: Namespace::Html,
            attrs,
        })
    };
    let attr = |name: &str| Attr::new(name, "\"><script>");
    for (kind, inside, expected) in [
        (
            Kind::Comment("--><script>".to_owned()),
            None,
            "<!---- >&lt;script>-->",
        ),
        (
            Kind::Comment("><script>".to_owned()),
            None,
            "<!-- >&lt;script>-->",
        ),
        (Kind::Comment("->--!>".to_owned()), None, "<!-- ->-- !>-->"),
        (element("p onclick=x", vec![]), None, ""),
        (
            element("p", vec![attr("a onclick"), attr("b>"), attr("")]),
            None,
            "<p></p>",
        ),
        (
            element("p", vec![attr("a")]),
            None,
            "<p a=\"&quot;&gt;&lt;script&gt;\"></p>",
        ),
        (
            element("xmp", vec![]),
            Some("a</XMP><script>"),
            "<xmp></xmp>",
        ),
    ] {
        let mut forest = Forest(vec![ForestNode {
            parent: None,
            node: Node::new(kind),
        }]);
        if let Some(text) = inside {
            forest.0.push(ForestNode {
                parent: Some(0),
                node: Node::new(Kind::Text(text.to_owned())),
            });
        }
        let mut out = String::new();
        write_forest(&mut out, &forest, None);
        assert_eq!(out, expected);
    }
}
