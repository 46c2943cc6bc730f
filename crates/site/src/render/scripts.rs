//! Hand-written scripts on published pages. They are inlined, so that a page is one file.

use crate::{Code, CodeFile, Placement, Timing};

/// Writes the scripts of these files that belong at a placement, in order.
pub(super) fn scripts(out: &mut String, files: &[&CodeFile], at: Placement) {
    for file in files {
        let Code::Script {
            module,
            placement,
            timing,
            in_canvas: _,
        } = file.code
        else {
            continue;
        };
        // A classic script that waits for the document goes to the end of the body; modules are deferred by the browser.
        let place = match (module, timing) {
            (false, Timing::DomReady) => Placement::BodyEnd,
            _ => placement,
        };
        if place == at && !file.content.trim().is_empty() {
            script(out, &file.content, module, timing);
        }
    }
}

fn script(out: &mut String, content: &str, module: bool, timing: Timing) {
    let (open, close) = match (module, timing) {
        (true, Timing::Immediate) => ("<script type=\"module\" async>\n", ""),
        (true, Timing::DomReady) => ("<script type=\"module\">\n", ""),
        (true, Timing::Idle) => (
            "<script type=\"module\">\nawait new Promise((go) => (window.requestIdleCallback ?? setTimeout)(go));\n",
            "",
        ),
        (false, Timing::Immediate | Timing::DomReady) => ("<script>\n", ""),
        (false, Timing::Idle) => (
            "<script>\n(window.requestIdleCallback || setTimeout)(function () {\n",
            "\n});",
        ),
    };
    out.push_str(open);
    inside_element(out, content);
    out.push_str(close);
    out.push_str("\n</script>\n");
}

/// Writes code so that nothing in it ends the script element or hides its end. Both sequences occur only in strings and
/// comments, where the added backslash changes nothing.
fn inside_element(out: &mut String, content: &str) {
    let mut rest = content;
    while let Some(at) = rest.find('<') {
        let (before, after) = rest.split_at(at + 1);
        out.push_str(before);
        let ends = after
            .get(.."/script".len())
            .is_some_and(|tag| tag.eq_ignore_ascii_case("/script"));
        if ends || after.starts_with("!--") {
            out.push('\\');
        }
        rest = after;
    }
    out.push_str(rest);
}
