//! Parses the stylesheet that names the files of a family. Only `@font-face` rules with a WOFF2 file count, and each of their
//! properties only when it is well-formed.

/// A font file and what it covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Face {
    /// The subset named in the comment before the rule; `[12]` is a part of a large script.
    pub(super) subset: Option<String>,
    pub(super) weight: String,
    pub(super) italic: bool,
    pub(super) url: String,
    pub(super) unicode_range: Option<String>,
}

const RANGE_BYTES_MAX: usize = 16 * 1024;
const URL_BYTES_MAX: usize = 2048;

/// The faces of a stylesheet, in order.
pub(super) fn faces(css: &str) -> Vec<Face> {
    let mut faces = Vec::new();
    let mut rest = css;
    while let Some((before, rule)) = rest.split_once("@font-face") {
        let Some((_, body)) = rule.split_once('{') else {
            break;
        };
        let Some((body, behind)) = body.split_once('}') else {
            break;
        };
        faces.extend(face(last_comment(before), body));
        rest = behind;
    }
    faces
}

fn last_comment(text: &str) -> Option<String> {
    let (_, comment) = text.rsplit_once("/*")?;
    let name = comment.split("*/").next()?.trim();
    (1..=40).contains(&name.len()).then(|| name.to_owned())
}

fn face(subset: Option<String>, body: &str) -> Option<Face> {
    let value = |property: &str| {
        body.split(';').find_map(|declaration| {
            let (name, value) = declaration.split_once(':')?;
            name.trim()
                .eq_ignore_ascii_case(property)
                .then(|| value.trim())
        })
    };
    let source = value("src")?;
    let (_, url) = source.split_once("url(")?;
    let (url, format) = url.split_once(')')?;
    let url = url.trim().trim_matches(['"', '\'']);
    let is_woff2 = format.contains("woff2");
    if !is_woff2 || url.len() > URL_BYTES_MAX || !url.starts_with("http") {
        return None;
    }
    let weight = value("font-weight").unwrap_or("400");
    let is_weight = weight.len() <= 9
        && weight
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b' ');
    let range = value("unicode-range").filter(|range| {
        range.len() <= RANGE_BYTES_MAX
            && range
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() || b"Uu+?-, ".contains(&byte))
    });
    is_weight.then(|| Face {
        subset,
        weight: weight.to_owned(),
        italic: value("font-style") == Some("italic"),
        url: url.to_owned(),
        unicode_range: range.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::{Face, faces};

    #[test]
    fn a_stylesheet_is_read_face_by_face() {
        let css = "/* latin-ext */\n@font-face {\n  font-family: 'Inter';\n  font-style: italic;\n  font-weight: 100 900;\n  \
                   font-display: swap;\n  src: url(https://fonts.gstatic.com/s/inter/a.woff2) format('woff2');\n  \
                   unicode-range: U+0100-02BA, U+02BD-02C5;\n}\n@font-face { src: url(\"https://x/b.woff2\") format(\"woff2\") }";
        let first = Face {
            subset: Some("latin-ext".to_owned()),
            weight: "100 900".to_owned(),
            italic: true,
            url: "https://fonts.gstatic.com/s/inter/a.woff2".to_owned(),
            unicode_range: Some("U+0100-02BA, U+02BD-02C5".to_owned()),
        };
        let second = Face {
            subset: None,
            weight: "400".to_owned(),
            italic: false,
            url: "https://x/b.woff2".to_owned(),
            unicode_range: None,
        };
        assert_eq!(faces(css), [first, second]);
    }

    #[test]
    fn what_is_no_woff2_face_is_left_out() {
        for css in [
            "",
            "@font-face {",
            "@font-face { src: url(https://x/a.ttf) format('truetype') }",
            "@font-face { src: local(Inter) }",
            "@font-face { src: url(data:font/woff2;base64,AAAA) format('woff2') }",
            "@font-face { font-weight: expression(1); src: url(https://x/a.woff2) format('woff2') }",
        ] {
            assert_eq!(faces(css), [], "{css}");
        }
    }

    #[test]
    fn a_range_that_is_none_is_dropped() {
        let css =
            "@font-face { src: url(https://x/a.woff2) format('woff2'); unicode-range: U+0 url(x) }";
        assert_eq!(faces(css)[0].unicode_range, None);
    }
}
