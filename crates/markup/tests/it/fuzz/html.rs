//! HTML: import settles, keeps to its limits and to html5ever's tree.

use sitewright_markup::Forest;
use sitewright_markup::html::{
    HtmlError, HtmlLimits, HtmlMode, ImportedHtml, import_html, write_document, write_forest,
};

use crate::html_tree::{CANNOT_SPELL, Prune, context, lines, same};

/// Where fragments may go. The first byte of an input chooses one, or a whole page.
const CONTEXTS: &[&str] = &[
    "body",
    "div",
    "p",
    "a",
    "form",
    "table",
    "tbody",
    "tr",
    "td",
    "select",
    "option",
    "svg svg",
    "svg foreignObject",
    "svg title",
    "math math",
    "math mtext",
    "math annotation-xml",
    "template",
    "title",
    "textarea",
    "pre",
    "noscript",
    "button",
    "li",
    "colgroup",
    "caption",
    "head",
    "ul",
];

/// Whether import does all it promises with these bytes.
pub(crate) fn check(data: &[u8]) -> Result<(), String> {
    let (choice, html) = data.split_first().unwrap_or((&b'd', &[]));
    let html = String::from_utf8_lossy(html);
    let mode = match CONTEXTS.get(usize::from(choice.wrapping_sub(b'A'))) {
        Some(tag) => context(tag),
        None => HtmlMode::Document,
    };
    keeps_to(&html, &mode, 24, 6)?;
    match import_html(&html, &mode, &HtmlLimits::default()) {
        Ok(_) => round_trip(&html, &mode).map(drop),
        Err(HtmlError::Unspeakable) => Ok(()),
        Err(HtmlError::Frameset) if mode == HtmlMode::Document => Ok(()),
        Err(HtmlError::Depth { .. }) if html.len() >= 512 => Ok(()),
        Err(error) => Err(format!("refused: {error}")),
    }
}

/// Whether limits that are met soon are kept, whatever comes of the import.
fn keeps_to(html: &str, mode: &HtmlMode, nodes: usize, depth: usize) -> Result<(), String> {
    let limits = HtmlLimits {
        nodes,
        depth,
        attributes: 3,
        ..HtmlLimits::default()
    };
    let Ok(imported) = import_html(html, mode, &limits) else {
        return Ok(());
    };
    // What had to be read back may have become a little more on the way.
    let Forest(content) = &imported.content;
    if content.len() > 2 * nodes {
        return Err(format!("{} nodes, with {nodes} allowed", content.len()));
    }
    let mut depths: Vec<usize> = Vec::new();
    for planted in content {
        let above = planted.parent.map_or(0, |parent| depths[parent as usize]);
        depths.push(above + 1);
    }
    match depths.iter().max() {
        Some(found) if *found > depth => Err(format!("{found} deep, with {depth} allowed")),
        _ => Ok(()),
    }
}

/// Checks everything that import promises of one text. Answers whether html5ever's tree is one that HTML can spell.
pub(crate) fn round_trip(html: &str, mode: &HtmlMode) -> Result<bool, String> {
    let imported =
        import_html(html, mode, &HtmlLimits::default()).map_err(|error| error.to_string())?;
    let written = write(&imported, mode);
    let again =
        import_html(&written, mode, &HtmlLimits::default()).map_err(|error| error.to_string())?;
    same("written again", &write(&again, mode), &written)?;
    if (&again.content, &again.document) != (&imported.content, &imported.document) {
        same(
            "imported again",
            &format!("{:#?}{:#?}", again.content, again.document),
            &format!("{:#?}{:#?}", imported.content, imported.document),
        )?;
    }
    same("removed again", &format!("{:?}", again.removed), "[]")?;
    same("styles again", &format!("{:?}", again.styles), "[]")?;
    same("notes again", &format!("{:?}", again.notes), "[]")?;
    let spells = imported
        .notes
        .iter()
        .all(|note| !note.contains(CANNOT_SPELL));
    // Loops and outlets are written in one spelling, whatever they came as.
    let lower = html.to_ascii_lowercase();
    let has_loops = ["instatic-", "sw-loop", "sw-outlet"]
        .iter()
        .any(|name| lower.contains(name));
    if spells && !has_loops {
        let parsed = lines(&written, mode, Prune::Nothing);
        same("tree", &parsed, &lines(html, mode, Prune::Removals))?;
    }
    Ok(spells)
}

pub(crate) fn write(imported: &ImportedHtml, mode: &HtmlMode) -> String {
    let mut out = String::new();
    match (&imported.document, mode) {
        (Some(document), _) => write_document(&mut out, document, &imported.content),
        (None, HtmlMode::Fragment(context)) => {
            write_forest(&mut out, &imported.content, Some(context));
        }
        (None, HtmlMode::Document) => unreachable!("a page has a document"),
    }
    out
}
