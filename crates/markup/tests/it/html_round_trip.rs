//! What is imported and written is parsed as html5ever parses the input, less what was taken out.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use sitewright_markup::html::HtmlMode;

use crate::fuzz::html::round_trip;
use crate::html_tree::context;

const TAGS: &[&str] = &[
    "a",
    "b",
    "i",
    "nobr",
    "font",
    "p",
    "div",
    "span",
    "table",
    "tbody",
    "tr",
    "td",
    "th",
    "caption",
    "colgroup",
    "col",
    "form",
    "button",
    "input",
    "select",
    "option",
    "optgroup",
    "svg",
    "math",
    "mtext",
    "mi",
    "mglyph",
    "malignmark",
    "annotation-xml",
    "foreignObject",
    "desc",
    "title",
    "style",
    "script",
    "textarea",
    "xmp",
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "template",
    "pre",
    "listing",
    "ul",
    "li",
    "dl",
    "dd",
    "dt",
    "h1",
    "h2",
    "br",
    "hr",
    "img",
    "image",
    "object",
    "embed",
    "applet",
    "marquee",
    "plaintext",
    "body",
    "html",
    "head",
    "frameset",
    "base",
    "link",
    "meta",
    "ruby",
    "rt",
    "rp",
    "rtc",
    "address",
    "section",
    "center",
    "video",
    "source",
    "param",
    "main",
    "search",
    "dialog",
    "isindex",
    "menuitem",
    "keygen",
    "x-y",
    "selectedcontent",
    "legend",
    "fieldset",
    "details",
    "summary",
    "area",
    "map",
    "picture",
    "tfoot",
    "thead",
    "g",
    "path",
    "circle",
    "use",
    "a",
    "animate",
    "set",
    "textPath",
    "clipPath",
    "mn",
    "ms",
    "mo",
    "semantics",
];

const BITS: &[&str] = &[
    "x",
    " ",
    "\n",
    "&lt;",
    "&amp;",
    "&nbsp;",
    "&#13;",
    "\r\n",
    "\0",
    "<!--",
    "-->",
    "--!>",
    "<!-->",
    "<!--->",
    "<!---",
    "<!-- a -- b -->",
    "<!--<!-",
    "<!doctype html>",
    "<![CDATA[",
    "]]>",
    "<?php a ?>",
    "</",
    "<",
    ">",
    "\"",
    "'",
    "<!x",
    "</>",
    "&",
    "&#0;",
    "&notin",
    "é😀",
    "<!-- </noscript><img src=x onerror=a> -->",
    "</p>",
    "</br>",
    "</body>",
    "</html>",
    "<!--><img src=x onerror=a>-->",
    "\u{feff}",
    "\u{c}",
];

const ATTRS: &[&str] = &[
    " id=x",
    " class=' a  b '",
    " style=\"color:red\"",
    " href=\"javascript:a\"",
    " href='/a'",
    " onclick=a",
    " title='</noscript><img src=x onerror=a>'",
    " title=\"--><script>\"",
    " xlink:href=#a",
    " xml:lang=en",
    " xmlns:xlink='http://www.w3.org/1999/xlink'",
    " xmlns='http://www.w3.org/2000/svg'",
    " viewbox='0 0 1 1'",
    " definitionurl=a",
    " encoding=text/html",
    " type=hidden",
    " =x",
    " \"b\"",
    " a<b=c",
    " src='data:image/png,x'",
    " srcset='a 1x, data:text/html,x 2x'",
    " srcdoc='<script>'",
    " checked",
    " data-x=\"&quot;'<>&amp;\"",
    " shadowrootmode=open",
    " multiple",
    " form=x",
    " to='javascript:a'",
    " /",
    " v='\r\n\u{a0}'",
];

fn soup() -> impl Strategy<Value = String> {
    let tag = prop::sample::select(TAGS);
    let attrs = prop::collection::vec(prop::sample::select(ATTRS), 0..3);
    let open = (tag.clone(), attrs, any::<prop::sample::Index>()).prop_map(|(tag, attrs, end)| {
        let end = [">", ">", ">", ">", "/>", ""][end.index(6)];
        format!("<{tag}{}{end}", attrs.concat())
    });
    let close = tag.prop_map(|tag| format!("</{tag}>"));
    let bit = prop::sample::select(BITS).prop_map(str::to_owned);
    let token = prop_oneof![5 => open, 3 => close, 2 => bit];
    prop::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat())
}

fn modes() -> impl Strategy<Value = HtmlMode> {
    prop_oneof![
        3 => Just(HtmlMode::body()),
        3 => Just(HtmlMode::Document),
        2 => prop::sample::select(vec![
            "div", "p", "a", "form", "table", "tbody", "tr", "td", "select", "option", "svg svg",
            "svg foreignObject", "svg title", "math math", "math mtext", "math annotation-xml",
            "template", "title", "textarea", "pre", "noscript", "button", "li", "colgroup",
            "caption", "head", "ul",
        ])
        .prop_map(context),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tag_soup_settles(html in soup(), mode in modes()) {
        match round_trip(&html, &mode) {
            Ok(_) => {}
            Err(error) if error.contains("<frameset>") => {}
            Err(error) => return Err(TestCaseError::fail(format!("{html:?}\n{error}"))),
        }
    }
}
