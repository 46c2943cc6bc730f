//! Elements as they are written: with their bindings filled in and checked again, and frames with a sandbox.

use sitewright_markup::html::refuses_attr;

use crate::{Attr, Element, Namespace};

/// What a page in a frame may do. Not among them: taking the visitor to another page, downloads, dialogs that block the page.
const FRAME_RIGHTS: [&str; 7] = [
    "allow-scripts",
    SAME_ORIGIN,
    "allow-forms",
    "allow-popups",
    "allow-popups-to-escape-sandbox",
    "allow-presentation",
    "allow-orientation-lock",
];
/// Keeps the origin of the framed page. Together with scripts it lets a page of the same origin remove its own sandbox.
const SAME_ORIGIN: &str = "allow-same-origin";
const SANDBOX: &str = "sandbox";

/// Leaves out the attributes that filled-in values make unsafe. Each is judged together with all others, because one can change
/// what another means.
pub(super) fn without_refused(filled: &mut Element) {
    let refused = |attr: &Attr| refuses_attr(filled, attr).is_some();
    let verdicts: Vec<bool> = filled.attrs.iter().map(refused).collect();
    let mut verdicts = verdicts.into_iter();
    filled
        .attrs
        .retain(|_| !verdicts.next().unwrap_or_default());
}

pub(super) fn is_frame(element: &Element) -> bool {
    element.namespace == Namespace::Html && element.tag.as_str() == "iframe"
}

/// Gives a frame its sandbox. One that the element has already is kept as far as it gives no other rights.
pub(super) fn sandbox_frame(frame: &mut Element, base: Option<&str>) {
    // One without an address shows nothing until a script of the site gives it one.
    let is_foreign = frame.attr("src").is_none_or(|src| is_foreign(src, base));
    let allows =
        |right: &str| FRAME_RIGHTS.contains(&right) && (is_foreign || right != SAME_ORIGIN);
    let rights: Vec<String> = match frame.attr(SANDBOX) {
        Some(own) => own
            .split_ascii_whitespace()
            .map(str::to_ascii_lowercase)
            .filter(|right| allows(right))
            .collect(),
        None => FRAME_RIGHTS
            .into_iter()
            .filter(|right| allows(right))
            .map(str::to_owned)
            .collect(),
    };
    frame
        .attrs
        .retain(|attr| !attr.name.as_str().eq_ignore_ascii_case(SANDBOX));
    frame.attrs.push(Attr::new(SANDBOX, rights.join(" ")));
}

/// Whether an address leads to another site. In doubt it does not, which gives the frame fewer rights.
fn is_foreign(src: &str, base: Option<&str>) -> bool {
    let src = src.trim();
    let start = |length: usize| src.get(..length).unwrap_or_default();
    let after_scheme = if start(8).eq_ignore_ascii_case("https://") {
        &src[8..]
    } else if start(7).eq_ignore_ascii_case("http://") {
        &src[7..]
    } else if let Some(rest) = src.strip_prefix("//") {
        rest
    } else {
        return false;
    };
    let host = |rest: &str| {
        let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
        rest[..end].to_ascii_lowercase()
    };
    let own = base.and_then(|base| base.split_once("://"));
    own.is_none_or(|(_, own)| host(own) != host(after_scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sandbox_of(attrs: &[(&str, &str)]) -> String {
        let attrs = attrs.iter().map(|(name, value)| Attr::new(*name, *value));
        let mut frame = Element {
            tag: "iframe".into(),
            namespace: Namespace::Html,
            attrs: attrs.collect(),
        };
        sandbox_frame(&mut frame, Some("https://www.example.com"));
        frame.attr(SANDBOX).unwrap_or_default().to_owned()
    }

    #[test]
    fn l5_a_frame_never_takes_the_visitor_away() {
        let video = ("src", "https://video.example/embed/1");
        let rights = sandbox_of(&[video]);
        assert!(rights.contains("allow-scripts allow-same-origin"));
        assert!(!rights.contains("top-navigation"));
        let own = (
            "sandbox",
            "allow-scripts Allow-Top-Navigation allow-top-navigation-by-user-activation",
        );
        assert_eq!(sandbox_of(&[video, own]), "allow-scripts");
        assert_eq!(sandbox_of(&[video, ("sandbox", "")]), "");
        assert_eq!(
            sandbox_of(&[video, ("SANDBOX", "allow-top-navigation")]),
            rights
        );
    }

    #[test]
    fn a_page_of_the_site_in_a_frame_loses_its_origin() {
        for src in [
            "/about",
            "about",
            "https://WWW.example.com/a",
            "//www.example.com",
            "\\\\www.example.com",
            "",
        ] {
            let rights = sandbox_of(&[("src", src)]);
            assert!(!rights.contains(SAME_ORIGIN), "{src}: {rights}");
        }
        assert!(sandbox_of(&[("src", "//example.com/")]).contains(SAME_ORIGIN));
    }
}
