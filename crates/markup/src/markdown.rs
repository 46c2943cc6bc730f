//! Markdown, the source of rich text.

use pulldown_cmark::{Options, Parser, html};

/// The HTML of a text in Markdown. HTML within the text is passed on as it is, so the result must be imported like any other HTML from
/// outside before a page shows it.
pub fn markdown_to_html(source: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let mut out = String::with_capacity(source.len() * 3 / 2);
    html::push_html(&mut out, Parser::new_ext(source, options));
    out
}

#[cfg(test)]
mod tests {
    use super::markdown_to_html;

    #[test]
    fn markdown_becomes_html() {
        for (source, expected) in [
            ("Hello *you*", "<p>Hello <em>you</em></p>\n"),
            (
                "# A\n\n- b\n- ~~c~~",
                "<h1>A</h1>\n<ul>\n<li>b</li>\n<li><del>c</del></li>\n</ul>\n",
            ),
            ("1 < 2 & 3", "<p>1 &lt; 2 &amp; 3</p>\n"),
            ("<b>x</b>", "<p><b>x</b></p>\n"),
        ] {
            assert_eq!(markdown_to_html(source), expected, "{source}");
        }
    }
}
