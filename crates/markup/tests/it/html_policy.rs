//! What is taken out because it can run code, and that it does not come back.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot get what it needs has failed"
)]

use sitewright_markup::html::{HtmlLimits, HtmlMode, import_html};

use crate::fuzz::html::{round_trip, write};
use crate::html_tree::code_in;

/// Imports a fragment: what is left, and what was taken out as `what@at×count`.
fn check(html: &str, left: &str, removed: &[&str]) {
    let imported = import_html(html, &HtmlMode::body(), &HtmlLimits::default()).unwrap();
    let found: Vec<_> = imported
        .removed
        .iter()
        .map(|one| format!("{}@{}×{}", one.what, one.at, one.count))
        .collect();
    assert_eq!(found, removed, "{html}");
    assert_eq!(write(&imported, &HtmlMode::body()), left, "{html}");
    round_trip(html, &HtmlMode::body()).unwrap();
}

fn kept(html: &str) {
    check(html, html, &[]);
}

#[test]
fn elements_that_run_code_are_taken_out() {
    check("a<script>x</script>b", "ab", &["script@body×1"]);
    check(
        "<div><SCRIPT src=a></SCRIPT><script>",
        "<div></div>",
        &["script@div×2"],
    );
    check(
        "<svg><script>x</script><g></g></svg>",
        "<svg><g></g></svg>",
        &["script@svg×1"],
    );
    check(
        "<template><script></script>x</template>",
        "<template>x</template>",
        &["script@template×1"],
    );
    check(
        "<math><script></script></math>",
        "<math></math>",
        &["script@math×1"],
    );
    check(
        "<object data=a><p>x</p></object><embed src=a><applet></applet>",
        "",
        &["applet@body×1", "embed@body×1", "object@body×1"],
    );
    check("<base href=//evil>x", "x", &["base@body×1"]);
    check("a<plaintext>b<p>c", "a", &["plaintext@body×1"]);
}

#[test]
fn attributes_that_run_code_are_taken_out() {
    check(
        "<p onclick=a OnMouseOver=b id=c>",
        "<p id=\"c\"></p>",
        &["onclick@p×1", "onmouseover@p×1"],
    );
    check(
        "<svg onload=a><circle onbegin=b></svg>",
        "<svg><circle></circle></svg>",
        &["onbegin@circle×1", "onload@svg×1"],
    );
    check("<body onload=a>", "", &[]);
    check(
        "<iframe srcdoc='<script>'></iframe>",
        "<iframe></iframe>",
        &["srcdoc@iframe×1"],
    );
    check("<p/onclick=a /x>", "<p x=\"\"></p>", &["onclick@p×1"]);
}

/// What goes in, what is left, what was taken out.
const ADDRESSES: &[(&str, &str, &str)] = &[
    (
        "<a href='javascript:a'>x</a>",
        "<a href=\"#\">x</a>",
        "href with a javascript: address@a×1",
    ),
    (
        "<a href=' \u{1}JAVA&Tab;SCRIPT&colon;a'>x</a>",
        "<a href=\"#\">x</a>",
        "href with a javascript: address@a×1",
    ),
    (
        "<a href='java&#10;script:a'>x</a>",
        "<a href=\"#\">x</a>",
        "href with a javascript: address@a×1",
    ),
    (
        "<a href=data:text/html,x>x</a>",
        "<a href=\"#\">x</a>",
        "href with a data: address@a×1",
    ),
    (
        "<img src='vbscript:a'>",
        "<img>",
        "src with a vbscript: address@img×1",
    ),
    (
        "<img src='data:text/html,x'>",
        "<img>",
        "src with a data: address@img×1",
    ),
    (
        "<iframe src='data:image/svg+xml,x'></iframe>",
        "<iframe></iframe>",
        "src with a data: address@iframe×1",
    ),
    (
        "<form action=javascript:a></form>",
        "<form></form>",
        "action with a javascript: address@form×1",
    ),
    (
        "<button formaction=javascript:a></button>",
        "<button></button>",
        "formaction with a javascript: address@button×1",
    ),
    (
        "<video poster=javascript:a></video>",
        "<video></video>",
        "poster with a javascript: address@video×1",
    ),
    (
        "<q cite=javascript:a></q>",
        "<q></q>",
        "cite with a javascript: address@q×1",
    ),
    (
        "<div background=javascript:a></div>",
        "<div></div>",
        "background with a javascript: address@div×1",
    ),
    (
        "<a ping='/ok javascript:a'></a>",
        "<a></a>",
        "ping with a javascript: address@a×1",
    ),
    (
        "<img srcset='a 1x, javascript:a 2x'>",
        "<img>",
        "srcset with a javascript: address@img×1",
    ),
    (
        "<meta http-equiv=Refresh content='0;url=javascript:a'>",
        "<meta http-equiv=\"Refresh\">",
        "content with a javascript: address@meta×1",
    ),
    (
        "<link rel=stylesheet href=data:text/css,a>",
        "<link rel=\"stylesheet\">",
        "href with a data: address@link×1",
    ),
    (
        "<svg><a xlink:href=javascript:a></a></svg>",
        "<svg><a xlink:href=\"#\"></a></svg>",
        "xlink:href with a javascript: address@a×1",
    ),
    (
        "<svg><use href='data:image/svg+xml,a'></use></svg>",
        "<svg><use></use></svg>",
        "href with a data: address@use×1",
    ),
    (
        "<svg><animate attributeName=href values='#;javascript:a'></animate></svg>",
        "<svg><animate attributeName=\"href\"></animate></svg>",
        "values with a javascript: address@animate×1",
    ),
    (
        "<svg><set attributeName=xlink:href to=javascript:a></set></svg>",
        "<svg><set attributeName=\"xlink:href\"></set></svg>",
        "to with a javascript: address@set×1",
    ),
    (
        "<math href=javascript:a></math>",
        "<math></math>",
        "href with a javascript: address@math×1",
    ),
];

#[test]
fn addresses_that_run_code_are_taken_out_of_every_attribute() {
    for (html, left, removed) in ADDRESSES {
        check(html, left, &[removed]);
    }
}

#[test]
fn harmless_things_are_kept() {
    kept("<a href=\"mailto:a@b.c\">x</a><a href=\"tel:1\">y</a><a href=\"#javascript:\">z</a>");
    kept(
        "<img src=\"data:image/png;base64,AA==\"><img src=\"data:image/svg+xml,x\" srcset=\"data:image/png;base64,AA== 2x\">",
    );
    kept("<svg><image href=\"data:image/png;base64,AA\"></image></svg>");
    kept("<iframe src=\"https://example.com/\"></iframe>");
    kept("<form action=\"/search\"><input name=\"q\" value=\"javascript:x\"></form>");
    kept(
        "<meta http-equiv=\"refresh\" content=\"5; url=/next\"><meta name=\"description\" content=\"data: and javascript: are words\">",
    );
    kept("<link rel=\"shortcut icon\" href=\"data:image/png;base64,AA\">");
    kept("<p on=\"x\" data-href=\"javascript:x\">javascript:alert(1)</p>");
    kept(
        "<svg><animate attributeName=\"d\" values=\"M0 0;M1 1\" from=\"0\" to=\"1\"></animate></svg>",
    );
    kept("<!-- script onclick=a -->");
}

/// H3: a comment holds no tag, because there are places where it is no comment.
#[test]
fn h3_a_comment_holds_no_tag() {
    check(
        "<!-- <script>x</script> onclick=a -->",
        "<!-- &lt;script>x&lt;/script> onclick=a -->",
        &[],
    );
    check(
        "<noscript><!-- </noscript><img src=x onerror=a> --></noscript>",
        "<noscript><!-- &lt;/noscript>&lt;img src=x onerror=a> --></noscript>",
        &[],
    );
}

/// L5, L12: a refresh leads to a page of the site, however it is spelled.
#[test]
fn l5_a_refresh_to_another_site_is_taken_out() {
    for content in [
        "0;url=https://a.example",
        "0 URL='//a.example'",
        "0,https://a.example",
    ] {
        check(
            &format!("<meta content=\"{content}\" HTTP-EQUIV=Refresh>"),
            "<meta http-equiv=\"Refresh\">",
            &["a refresh to another site@meta×1"],
        );
    }
}

#[test]
fn raw_text_that_reads_as_markup_is_taken_out() {
    check(
        "<xmp><img src=x onerror=a></xmp>",
        "<xmp></xmp>",
        &["text that reads as markup@xmp×1"],
    );
    check(
        "<iframe><p>no frames</p></iframe>",
        "<iframe></iframe>",
        &["text that reads as markup@iframe×1"],
    );
    check(
        "<noembed></p></noembed>",
        "<noembed></noembed>",
        &["text that reads as markup@noembed×1"],
    );
    check(
        "<xmp>a < b</xmp><iframe>no frames</iframe>",
        "<xmp></xmp><iframe>no frames</iframe>",
        &["text that reads as markup@xmp×1"],
    );
}

/// Ways in which a tree that looked harmless came back as another. Whatever is left of them is one that stays.
#[test]
fn nothing_changes_its_meaning_when_it_is_parsed_again() {
    for html in [
        "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
        "<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
        "<math><mtext><table><mglyph><style><math><table id=\"</table><img src=x onerror=alert(1)>\">",
        "<svg><style><img src=x onerror=alert(1)></style></svg>",
        "<svg></p><style><g title=\"</style><img src=x onerror=alert(1)>\">",
        "<svg><p><style><!--</style><img src=x onerror=alert(1)>--></style>",
        "<svg><title><style><!--</style><img src=x onerror=alert(1)>--></style></title>",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "<noscript><!--</noscript><img src=x onerror=alert(1)>--></noscript>",
        "<noscript><xmp></noscript><img src=x onerror=alert(1)></xmp></noscript>",
        "<noscript><style></noscript><img src=x onerror=alert(1)></style></noscript>",
        "<title><p title=\"</title><img src=x onerror=alert(1)>\">",
        "<textarea><p title=\"</textarea><img src=x onerror=alert(1)>\">",
        "<xmp><p title=\"</xmp><img src=x onerror=alert(1)>\">",
        "<plaintext></plaintext><img src=x onerror=alert(1)>",
        "<!--!><img src=x onerror=alert(1)>-->",
        "<!-- --!><img src=x onerror=alert(1)>-->",
        "<!--><img src=x onerror=alert(1)>-->",
        "<!---><img src=x onerror=alert(1)>-->",
        "<!--a<!-- --!><img src=x onerror=alert(1)>-->",
        "<?x ><img src=x onerror=alert(1)>?>",
        "<![CDATA[><img src=x onerror=alert(1)>]]>",
        "<svg><![CDATA[<img src=x onerror=alert(1)>]]></svg>",
        "<a title='\"><img src=x onerror=alert(1)>'>",
        "<a title=`><img src=x onerror=alert(1)>`>",
        "<a title=\"&quot;&gt;&lt;img src=x onerror=alert(1)&gt;\">",
        "<p \"<img src=x onerror=alert(1)>\">",
        "<select><noembed></select><script>alert(1)</script></noembed>",
        "<select><template><style><!--</style><a rel=\"--></style></template></select><img src=x onerror=alert(1)>\">",
        "<svg><annotation-xml><foreignobject><style><!--</style><p id=\"--><img src='x' onerror='alert(1)'>\">",
        "<math><annotation-xml encoding=\"text/html\"><style><img src=x onerror=alert(1)></style></annotation-xml></math>",
        "<math><mi><svg><mi><style><img src=x onerror=alert(1)></style>",
        "<table><td><svg><desc><td><style><a title=\"</style><img src=x onerror=alert(1)>\">",
        "<b><svg><font><style></b><img src=x onerror=alert(1)>",
        "<template><form><math></form></template><form><mtext><form><mglyph><xmp></math><img src=x onerror=alert(1)>",
        "<scr<script>ipt>alert(1)</script>",
        "<<script>script>alert(1)</script>",
        "<svg><a><foreignObject><a href=javascript:alert(1)>x</a></foreignObject></a></svg>",
        "<iframe src=javascript:alert(1)><img src=x onerror=alert(1)></iframe>",
        "<isindex action=javascript:alert(1) type=submit>",
        "<a href=\"javascript&colon;alert(1)\">x</a>",
        "<image src=x onerror=alert(1)>",
        "<img src=x:x onerror\n=alert(1)>",
    ] {
        for mode in [HtmlMode::Document, HtmlMode::body()] {
            round_trip(html, &mode).unwrap();
            let imported = import_html(html, &mode, &HtmlLimits::default()).unwrap();
            let found = code_in(&write(&imported, &mode));
            assert_eq!(found, Vec::<String>::new(), "{html}");
        }
    }
}
