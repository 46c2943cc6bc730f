//! Reading documents.

use serde_json::{Value, json};

use super::{Bench, node};

#[test]
fn a_document_is_read_with_uids_and_the_css_that_matters() {
    let mut bench = Bench::new();
    bench.call("applyCss", json!({ "css": ".hero { color: red } .other .thing { top: 0 } section a { left: 0 } h6 { top: 1px }" })).unwrap();
    bench
        .call(
            "assignClass",
            json!({ "nodeId": node(13), "classId": "hero" }),
        )
        .unwrap();
    bench.call("insertHtml", json!({ "parentId": node(13), "html": "<a href=\"/\">x</a><instatic-loop data-source-id=\"site.pages\"><p>{currentEntry.title}</p></instatic-loop>" })).unwrap();
    let read = bench.call("read_document", json!({})).unwrap().data;
    let html = read["html"].as_str().unwrap();
    assert!(
        html.starts_with(&format!(
            "<body id=\"body\" uid=\"{}\"><p id=\"p\" uid=\"{}\">Hello</p>",
            node(10),
            node(11)
        )),
        "{html}"
    );
    assert_eq!(html.matches("uid=").count(), 6, "{html}");
    assert!(
        html.contains("<sw-loop data-source-id=\"site.pages\"")
            && html.contains("{currentEntry.title}"),
        "{html}"
    );
    let css = read["css"].as_str().unwrap();
    assert!(
        css.contains(".hero")
            && css.contains("section a")
            && !css.contains(".thing")
            && !css.contains("h6"),
        "{css}"
    );
    assert_eq!(
        (&read["title"], &read["pageInfo"]["nextPart"]),
        (&json!("Home"), &Value::Null)
    );
}

#[test]
fn a_long_document_comes_in_parts_that_fit_and_join_again() {
    let mut bench = Bench::new();
    let card = "<article class=\"card\"><h2>A \"quoted\" title</h2><p>Text with a newline\nand ü</p></article>";
    bench
        .call(
            "insertHtml",
            json!({ "parentId": node(13), "html": card.repeat(300) }),
        )
        .unwrap();
    bench
        .call("applyCss", json!({ "css": ".card { color: red }" }))
        .unwrap();
    let (mut part, mut html, mut css) = (json!(1), String::new(), String::new());
    let mut count = 0;
    while !part.is_null() {
        let read = bench
            .call("read_document", json!({ "part": part }))
            .unwrap()
            .data;
        let sent =
            json!({ "html": read["html"], "css": read["css"], "pageInfo": read["pageInfo"] })
                .to_string();
        assert!(
            sent.encode_utf16().count() <= crate::reading::READING_BUDGET,
            "{}",
            sent.len()
        );
        let text = read["html"].as_str().unwrap();
        assert!(
            text.is_empty() || text.starts_with('<') || html.ends_with('>'),
            "a part begins at a boundary: {}",
            &text[..20]
        );
        html.push_str(text);
        css.push_str(read["css"].as_str().unwrap());
        part = read["pageInfo"]["nextPart"].clone();
        count += 1;
    }
    assert!(count > 2, "{count}");
    assert_eq!(html.matches("<article").count(), 300);
    assert!(html.ends_with("</body>") && css.contains(".card"));
    let beyond = bench
        .call("read_document", json!({ "part": count + 1 }))
        .unwrap_err();
    assert_eq!(
        beyond,
        format!(
            "invalid_input: part must be 1 to {count}, and was {}.",
            count + 1
        )
    );
}

#[test]
fn what_would_fill_the_context_is_shortened_and_counted() {
    let mut bench = Bench::new();
    let html = format!(
        "<img src=\"data:image/png;base64,{}\"><a href=\"https://example.com/{}\">x</a>",
        "A".repeat(5000),
        "b".repeat(5000)
    );
    bench
        .call("insertHtml", json!({ "parentId": node(13), "html": html }))
        .unwrap();
    let read = bench.call("read_document", json!({})).unwrap().data;
    let html = read["html"].as_str().unwrap();
    assert!(
        html.contains("data:image/png;base64,[omitted 5000 chars]")
            && html.contains('…')
            && html.len() < 1500,
        "{html}"
    );
    assert_eq!(
        (
            &read["pageInfo"]["omittedDataUrls"],
            &read["pageInfo"]["shortenedUrls"]
        ),
        (&json!(1), &json!(1))
    );
}

/// Fewer characters than a shortened address has, and more bytes than an address may have.
#[test]
fn a_text_of_few_wide_characters_stays_whole() {
    let mut bench = Bench::new();
    let alt = "港".repeat(120);
    let html = format!("<img src=\"/a.png\" alt=\"{alt}\">");
    bench
        .call("insertHtml", json!({ "parentId": node(13), "html": html }))
        .unwrap();
    let read = bench.call("read_document", json!({})).unwrap().data;
    assert!(read["html"].as_str().unwrap().contains(&alt));
    assert_eq!(read["pageInfo"]["shortenedUrls"], json!(0));
}

#[test]
fn a_part_says_which_it_is_and_what_was_left_out() {
    let mut bench = Bench::new();
    let read = bench.call("read_document", json!({})).unwrap().data;
    let (html, css) = (
        read["html"].as_str().unwrap(),
        read["css"].as_str().unwrap(),
    );
    // As JSON, without the quotes around them.
    let chars = [html, css].map(|text| json!(text).to_string().len() - 2);
    assert_eq!(
        read["pageInfo"],
        json!({
            "part": 1, "totalParts": 1, "nextPart": null,
            "ranges": { "html": [0, html.chars().count()], "css": [0, css.chars().count()] },
            "serializedChars": chars[0] + chars[1], "omittedDataUrls": 0, "shortenedUrls": 0,
        })
    );
}

#[test]
fn a_uid_is_a_node_id_as_it_stands() {
    let mut bench = Bench::new();
    let read = bench.call("read_document", json!({})).unwrap().data;
    let html = read["html"].as_str().unwrap();
    let from = html.find("<p ").unwrap();
    let uid = html[from..].split("uid=\"").nth(1).unwrap();
    let uid = uid.split('"').next().unwrap();
    bench
        .call(
            "updateNodeProps",
            json!({ "nodeId": uid, "patch": { "text": "Found" } }),
        )
        .unwrap();
    assert_eq!(bench.shown(), r#"body(p("Found") section)"#);
}

#[test]
fn css_is_read_with_what_tokens_make_and_files_say_but_without_font_files() {
    let mut bench = Bench::new();
    let color = json!({ "slug": "primary", "lightValue": "#336699" });
    bench
        .call("set_color_tokens", json!({ "tokens": [color] }))
        .unwrap();
    let font = json!({ "name": "Headings", "fallback": "Georgia, serif" });
    bench
        .call("set_font_tokens", json!({ "tokens": [font] }))
        .unwrap();
    let other = bench.call("addPage", json!({ "title": "Other" })).unwrap();
    bench
        .call(
            "applyCss",
            json!({ "css": "@font-face { font-family: X; src: url(/x.woff2) } #section { font-family: X }" }),
        )
        .unwrap();
    let mine = json!({ "kind": "documents", "ids": [super::page()] });
    let others = json!({ "kind": "documents", "ids": [other.data["pageId"]] });
    for (path, target, css) in [
        ("mine.css", mine, "p { color: mine }"),
        ("others.css", others, "p { color: others }"),
    ] {
        let file = json!({ "path": path, "type": "style", "content": css, "runtime": { "target": target } });
        bench.call("write_code_asset", file).unwrap();
    }
    let utility = bench
        .call("list_tokens", json!({ "family": "colors" }))
        .unwrap()
        .data;
    let utility = utility["colors"][0]["classes"][0]
        .as_str()
        .unwrap()
        .to_owned();
    bench
        .call(
            "assignClass",
            json!({ "nodeId": node(11), "classId": utility }),
        )
        .unwrap();
    let read = bench.call("read_document", json!({})).unwrap().data;
    let css = read["css"].as_str().unwrap();
    for kept in [
        "--primary:",
        "--font-headings:",
        &format!(".{utility}"),
        "#section",
        "color: mine",
    ] {
        assert!(css.contains(kept), "{kept}: {css}");
    }
    for left_out in ["@font-face", "x.woff2", "others"] {
        assert!(!css.contains(left_out), "{left_out}: {css}");
    }
}
