//! Import and rendering give back html5ever's tree, less what was taken out and what the page's settings hold.

use sitewright_markup::html::{HtmlLimits, HtmlMode, import_html};
use sitewright_site::Kind;
use sitewright_testkit::unless_missing;

use super::{publish, templates};
use crate::html_tree::{CANNOT_SPELL, Prune, context, lines, same};

/// What the site writes into every head, by tag and the attribute that names it.
const GENERATED: [(&str, &str); 12] = [
    ("<meta>", "charset=\"utf-8\""),
    ("<title>", ""),
    ("<meta>", "name=\"viewport\""),
    ("<meta>", "name=\"description\""),
    ("<meta>", "property=\"og:description\""),
    ("<meta>", "property=\"og:title\""),
    ("<meta>", "property=\"og:type\""),
    ("<meta>", "property=\"og:site_name\""),
    ("<meta>", "property=\"og:image\""),
    ("<meta>", "name=\"twitter:card\""),
    ("<meta>", "property=\"og:url\""),
    ("<link>", "rel=\"canonical\""),
];

#[test]
fn every_page_of_real_templates_is_rendered_as_it_was() {
    let Some(templates) = unless_missing(templates()) else {
        return;
    };
    let (mut pages, mut nodes, mut failures) = (0, 0, Vec::new());
    for template in &templates {
        for page in &template.pages {
            pages += 1;
            match check(&page.html) {
                Ok(found) => nodes += found,
                Err(error) => failures.push(format!("{}/{}: {error}", template.name, page.path)),
            }
        }
    }
    println!(
        "round trip: {} of {pages} pages of {} templates, {nodes} nodes",
        pages - failures.len(),
        templates.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Answers how many nodes are the same.
fn check(html: &str) -> Result<usize, String> {
    let mode = HtmlMode::Document;
    let mut imported =
        import_html(html, &mode, &HtmlLimits::default()).map_err(|error| error.to_string())?;
    if imported
        .notes
        .iter()
        .any(|note| note.contains(CANNOT_SPELL))
    {
        return Err("HTML cannot spell it".to_owned());
    }
    // That styles survive is for the browser to say.
    imported.styles.clear();
    let html_node = imported
        .document
        .as_ref()
        .map(|document| &document.html.kind);
    let has_language = matches!(html_node, Some(Kind::Element(element))
        if element.attrs.iter().any(|attr| attr.name.as_str() == "lang"));
    let mut rendered = publish(imported, &mut |_| None);
    if !has_language {
        rendered = rendered.replacen("<html lang=\"en\"", "<html", 1);
    }
    let rendered = without_generated(&rendered)?;
    let rendered = match html.contains("sandbox") {
        true => rendered,
        false => without_sandboxes(&rendered),
    };
    let found = lines(&rendered, &mode, Prune::Nothing);
    same("the tree", &found, &lines(html, &mode, Prune::Settings))?;
    let is_node = |line: &&str| line.trim_start().starts_with(['<', '"']);
    Ok(found.lines().filter(is_node).count())
}

/// A rendered page without the sandboxes that its frames got.
fn without_sandboxes(rendered: &str) -> String {
    let mut parts = rendered.split(" sandbox=\"allow-");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once('"').map_or(part, |(_, rest)| rest));
    }
    out
}

/// A rendered page without what the site wrote into its head.
fn without_generated(rendered: &str) -> Result<String, String> {
    let start = rendered.find("\n<meta charset=\"utf-8\">\n<title>");
    let start = start.ok_or("the head does not begin as generated ones do")?;
    let canonical = rendered[start..].find("<link rel=\"canonical\"");
    let canonical = start + canonical.ok_or("the head has no canonical address")?;
    let end = rendered[canonical..].find(">\n").ok_or("it does not end")?;
    let end = canonical + end + 2;
    let generated = lines(&rendered[start..end], &context("head"), Prune::Nothing);
    let mut elements: Vec<String> = Vec::new();
    for line in generated.lines() {
        match elements.last_mut() {
            _ if line.starts_with('<') => elements.push(line.to_owned()),
            Some(last) if !line.starts_with("  content=") => {
                last.push(' ');
                last.push_str(line.trim());
            }
            _ => {}
        }
    }
    for element in elements {
        let is = |(tag, name): &(&str, &str)| element.starts_with(tag) && element.contains(name);
        if !GENERATED.iter().any(is) {
            return Err(format!("the site wrote {element}"));
        }
    }
    Ok(format!("{}{}", &rendered[..start], &rendered[end..]))
}
