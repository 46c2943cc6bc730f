//! Hostile input is handled or refused, within bounds.

use std::time::{Duration, Instant};

use sitewright_site::{HtmlError, HtmlLimits, HtmlMode, import_html};

/// Unoptimised code is more than ten times slower, so it is given a twentieth.
const SCALE: usize = if cfg!(debug_assertions) { 20 } else { 1 };
const TIME_MAX: Duration = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 2 });
const MEGABYTE: usize = 1_000_000 / SCALE;
const NODES: usize = 200_000 / SCALE;

fn limits() -> HtmlLimits {
    HtmlLimits {
        nodes: NODES,
        ..HtmlLimits::default()
    }
}

/// Imports as a page and as a fragment, and answers what came of the fragment: the number of nodes, or why not.
fn check(what: &str, html: &str, expected: Result<usize, HtmlError>) {
    for mode in [HtmlMode::Document, HtmlMode::body()] {
        let start = Instant::now();
        let found = import_html(html, &mode, &limits()).map(|imported| imported.content.0.len());
        let took = start.elapsed();
        assert_eq!(found, expected, "{what}");
        assert!(took < TIME_MAX, "{what} took {took:?}");
    }
}

fn fill(size: usize, unit: &str) -> String {
    unit.repeat(size / unit.len())
}

fn numbered(size: usize, unit: impl Fn(usize) -> String) -> String {
    let mut out = String::new();
    for number in 0.. {
        if out.len() >= size {
            break;
        }
        out.push_str(&unit(number));
    }
    out
}

const DEEP: Result<usize, HtmlError> = Err(HtmlError::Depth { limit: 512 });
const MANY: Result<usize, HtmlError> = Err(HtmlError::Nodes { limit: NODES });
const WIDE: Result<usize, HtmlError> = Err(HtmlError::Attributes { limit: 256 });
const WIDE_IN_ALL: Result<usize, HtmlError> = Err(HtmlError::AttributesInAll { limit: 4 * NODES });
const MISNESTED: Result<usize, HtmlError> = Err(HtmlError::Misnested);

#[test]
fn depth_is_refused_while_parsing() {
    check("10 MB of <div>", &fill(10 * MEGABYTE, "<div>"), DEEP);
    check("100k spans", &fill(600_000, "<span>"), DEEP);
    check(
        "unclosed everything",
        &fill(
            10 * MEGABYTE,
            "<div><p><b><i><a><table><tr><td><ul><li><svg><g>",
        ),
        DEEP,
    );
    check("deep svg", &format!("<svg>{}", fill(MEGABYTE, "<g>")), DEEP);
    check("deep template", &fill(MEGABYTE, "<template>"), DEEP);
    check("deep table", &fill(MEGABYTE, "<table><tr><td>"), DEEP);
    check(
        "formatting",
        &numbered(MEGABYTE, |n| format!("<b id=b{n}>")),
        DEEP,
    );
}

#[test]
fn depth_up_to_the_limit_is_taken() {
    let nest = |depth: usize| format!("{}x", "<div>".repeat(depth - 1));
    check("512 levels", &nest(512), Ok(512));
    check("513 levels", &nest(513), DEEP);
}

#[test]
fn nodes_are_refused_while_parsing() {
    check("10 MB of <br>", &fill(10 * MEGABYTE, "<br>"), MANY);
    check(
        "10 MB of </p>",
        &format!("x{}", fill(9 * MEGABYTE, "</p>")),
        MANY,
    );
    check(
        "10 MB of comments",
        &format!("x{}", fill(9 * MEGABYTE, "<!---->")),
        MANY,
    );
    check(
        "rows",
        &format!("<table>{}", fill(9 * MEGABYTE, "<tr><td>x")),
        MANY,
    );
}

#[test]
fn attributes_are_refused_before_their_tag_ends() {
    let tag = |end: &str| {
        format!(
            "<p>&<a {}{end}",
            numbered(9 * MEGABYTE, |n| format!("a{n} "))
        )
    };
    check("1M attributes", &tag(">"), WIDE);
    check("1M attributes, no end", &tag(""), WIDE);
    let quoted = numbered(9 * MEGABYTE, |n| format!("a{n}='<>' "));
    check("attributes with signs", &format!("<a {quoted}>"), WIDE);
    check("attributes of an end tag", &format!("</a {quoted}>"), WIDE);
    let hidden = format!("<script><!--</script><a {quoted}>");
    check("attributes after a ruse", &hidden, WIDE);
    let many = numbered(1000, |n| format!(" a{n}"));
    check(
        "many tags with many attributes",
        &fill(10 * MEGABYTE, &format!("<b{many}></b>")),
        WIDE_IN_ALL,
    );
}

#[test]
fn long_things_are_taken() {
    let long = fill(9 * MEGABYTE, "a b=c <d e ");
    check("a long comment", &format!("x<!--{long}-->"), Ok(2));
    check("a long value", &format!("<p title='{long}'>"), Ok(1));
    check("a long text", &fill(9 * MEGABYTE, "text &amp; "), Ok(1));
    check(
        "a long picture",
        &format!(
            "<img src='data:image/png;base64,{}'>",
            fill(9 * MEGABYTE, "AAAA/BBB+")
        ),
        Ok(1),
    );
    let classes = numbered(MEGABYTE, |n| format!("c{n} "));
    check("100k classes", &format!("<p class='{classes}'>"), Ok(1));
    check(
        "a long name",
        &format!("<{}>", fill(9 * MEGABYTE, "abc")),
        Ok(1),
    );
    check(
        "ends of nothing",
        &format!("x{}", fill(9 * MEGABYTE, "</x>")),
        Ok(1),
    );
    check("9 MB of <", &fill(9 * MEGABYTE, "<"), Ok(1));
    check("9 MB of &", &fill(9 * MEGABYTE, "&"), Ok(1));
}

#[test]
fn misnesting_that_multiplies_is_refused() {
    let values = format!("<p><b title='{}'>", fill(MEGABYTE, "v"));
    check(
        "copied values",
        &format!("{values}{}", fill(MEGABYTE, "<p>x")),
        MISNESTED,
    );
    let attrs = numbered(900, |n| format!(" a{n}"));
    let bold = numbered(400 * 1000, |n| format!("<b id=b{n}{attrs}>"));
    check(
        "copied attributes",
        &format!("<p>{bold}{}", fill(MEGABYTE, "<p>x")),
        MISNESTED,
    );
    let leaks = format!("<table><tr>{}", fill(600_000 / SCALE, "<td><object>"));
    check(
        "markers",
        &format!("{leaks}<td>{}", fill(350_000, "<b></b>")),
        MISNESTED,
    );
    let open = "<span>".repeat(500);
    check(
        "ends under many",
        &format!("{open}{}", fill(9 * MEGABYTE, "</x>")),
        MISNESTED,
    );
}

#[test]
fn adoption_is_bounded() {
    let reopened = numbered(MEGABYTE, |n| format!("<p><b id=b{n}></p>"));
    for (what, unit) in [
        ("reopened formatting", reopened.as_str()),
        ("a table", "<a><table>"),
        ("b p", "<b><p>"),
        ("font div", "<font size=1><div>"),
        ("a p /a", "<a><p></a>"),
        ("b div /b", "<b><div></b>"),
        ("a b p /a", "<a><b><p></a></p>"),
        ("table a", "<table><a>x</a>"),
        ("nobr", "<nobr><div>"),
    ] {
        let start = Instant::now();
        for mode in [HtmlMode::Document, HtmlMode::body()] {
            let found = import_html(&fill(10 * MEGABYTE, unit), &mode, &limits());
            assert!(found.is_err(), "{what}");
            assert!(start.elapsed() < TIME_MAX * 2, "{what}");
        }
    }
}

#[test]
fn too_many_bytes_are_refused_unread() {
    let html = fill(10_000_001, "x");
    let error = import_html(&html, &HtmlMode::body(), &HtmlLimits::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the HTML has 10000001 bytes and the limit is 10000000: import it in parts"
    );
}
