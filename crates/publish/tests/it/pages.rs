//! What visitors get: whole pages with everything around them, and nothing that is not meant for them.

use anyhow::Result;
use serde_json::json;

use crate::press::{Press, on_both};

on_both! {
    a_page_is_whole
    templates_wrap_pages_and_drafts_stay_out
    the_site_has_its_own_page_for_addresses_that_are_none
    search_engines_are_told_what_there_is
    pages_under_pages_and_other_letters_have_addresses
    what_publishing_makes_itself_is_no_page
    scripts_reach_visitors_and_are_marked
    one_page_of_the_draft_can_be_seen
}

async fn a_page_is_whole(press: Press) -> Result<()> {
    let press = press.restarted(Some("https://example.com")).await?;
    let about = press
        .page("About", "about", "<h1 class=big>Hello</h1>")
        .await?;
    let settings =
        json!({ "pageId": about, "description": "Who we are", "socialImage": "/uploads/a/b.png" });
    press.edit("updatePageSettings", settings).await?;
    let css = json!({ "css": ".big { color: red } .nowhere { color: blue }" });
    press.edit("applyCss", css).await?;
    press.publish().await?;
    let (status, html) = press.visit("/about").await?;
    assert_eq!(status, 200);
    for part in [
        "<!doctype html>",
        "<html lang=\"en\">",
        "<title>About – My site</title>",
        "<meta name=\"description\" content=\"Who we are\">",
        "<link rel=\"canonical\" href=\"https://example.com/about\">",
        "<meta property=\"og:title\" content=\"About\">",
        "<meta property=\"og:url\" content=\"https://example.com/about\">",
        "<meta property=\"og:image\" content=\"https://example.com/uploads/a/b.png\">",
        "<h1 class=\"big\">Hello</h1>",
        ".big {",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert!(
        !html.contains(".nowhere"),
        "rules that match nothing stay out: {html}"
    );
    assert!(!html.contains("data-sw-node"), "{html}");
    assert_eq!(press.visit("/about/").await?.0, 308);
    Ok(())
}

async fn templates_wrap_pages_and_drafts_stay_out(press: Press) -> Result<()> {
    press.page("About", "about", "<p>Us</p>").await?;
    let draft = press.page("Soon", "soon", "<p>Later</p>").await?;
    press
        .edit(
            "updatePageSettings",
            json!({ "pageId": draft, "draft": true }),
        )
        .await?;
    let template = press.page(
        "Around",
        "around",
        "<header>Top</header><instatic-outlet></instatic-outlet>",
    );
    let template = template.await?;
    let target = json!({ "pageId": template, "target": { "kind": "everywhere" } });
    press.edit("setPageTemplate", target).await?;
    press.publish().await?;
    let (_, html) = press.visit("/about").await?;
    assert!(html.contains("<header>Top</header><p>Us</p>"), "{html}");
    for hidden in ["/soon", "/around"] {
        assert_eq!(press.visit(hidden).await?.0, 404, "{hidden}");
    }
    let (_, sitemap) = press.visit("/sitemap.xml").await?;
    assert!(
        sitemap.contains("/about<") && !sitemap.contains("/soon"),
        "{sitemap}"
    );
    Ok(())
}

async fn the_site_has_its_own_page_for_addresses_that_are_none(press: Press) -> Result<()> {
    press.publish().await?;
    let (status, html) = press.visit("/nowhere").await?;
    assert_eq!(status, 404);
    assert!(html.contains("<h1>There is no such page</h1>"), "{html}");
    press.page("Gone", "404", "<p>Ours</p>").await?;
    press.publish().await?;
    let (status, html) = press.visit("/nowhere").await?;
    assert_eq!(status, 404);
    assert!(html.contains("<p>Ours</p>"), "{html}");
    assert_eq!(
        press.visit("/404").await?.0,
        404,
        "it has no address of its own"
    );
    let (_, sitemap) = press.visit("/sitemap.xml").await?;
    assert!(!sitemap.contains("404"), "{sitemap}");
    Ok(())
}

async fn search_engines_are_told_what_there_is(press: Press) -> Result<()> {
    let press = press.restarted(Some("https://example.com/")).await?;
    press.page("Secret", "secret", "<p>x</p>").await?;
    let secret = press.id_of("secret").await?;
    let hidden = json!({ "pageId": secret, "noIndex": true });
    press.edit("updatePageSettings", hidden).await?;
    press.page("Zoë & Co", "zoë", "<p>x</p>").await?;
    press.publish().await?;
    let (_, sitemap) = press.visit("/sitemap.xml").await?;
    assert!(
        sitemap.contains("<loc>https://example.com/</loc>"),
        "{sitemap}"
    );
    assert!(
        sitemap.contains("<loc>https://example.com/zo%C3%AB</loc>"),
        "{sitemap}"
    );
    assert!(!sitemap.contains("secret"), "{sitemap}");
    let (_, robots) = press.visit("/robots.txt").await?;
    assert!(
        robots.ends_with("Sitemap: https://example.com/sitemap.xml\n"),
        "{robots}"
    );
    press
        .edit(
            "updateSiteSettings",
            json!({ "discourageSearchEngines": true }),
        )
        .await?;
    press.publish().await?;
    assert_eq!(
        press.visit("/robots.txt").await?.1,
        "User-agent: *\nDisallow: /\n"
    );
    let (_, sitemap) = press.visit("/sitemap.xml").await?;
    assert!(!sitemap.contains("<loc>"), "{sitemap}");
    let (_, html) = press.visit("/").await?;
    assert!(
        html.contains("<meta name=\"robots\" content=\"noindex\">"),
        "{html}"
    );
    Ok(())
}

async fn pages_under_pages_and_other_letters_have_addresses(press: Press) -> Result<()> {
    let team = press.page("Team", "team", "<p>Team</p>").await?;
    let ana = press.page("Ana", "ana-日本", "<p>Ana</p>").await?;
    press.put_under(&ana, &team).await?;
    press.publish().await?;
    for path in ["/team", "/team/ana-%E6%97%A5%E6%9C%AC"] {
        assert_eq!(press.visit(path).await?.0, 200, "{path}");
    }
    assert_eq!(press.visit("/ana-%E6%97%A5%E6%9C%AC").await?.0, 404);
    Ok(())
}

async fn what_publishing_makes_itself_is_no_page(press: Press) -> Result<()> {
    for slug in ["sitemap.xml", "robots.txt", "404.html", "index.html"] {
        press.page("Mine", slug, "<p>Mine</p>").await?;
    }
    let comparison = press.compare().await?;
    assert_eq!(comparison.problems.len(), 3, "{:?}", comparison.problems);
    press.publish().await?;
    for (path, status) in [
        ("/sitemap.xml", 200),
        ("/robots.txt", 200),
        ("/404.html", 404),
    ] {
        let (found, text) = press.visit(path).await?;
        assert_eq!(found, status, "{path}");
        assert!(!text.contains("Mine"), "{path}: {text}");
    }
    // A page may have this name; as a folder it would be in the way of the home page.
    assert_eq!(press.visit("/index.html").await?.0, 200);
    let refused = sitewright_publish::export_files(&*press.shown().await?);
    let refused = refused.expect_err("a clash").to_string();
    assert!(refused.contains("`/` and `/index.html`"), "{refused}");
    Ok(())
}

async fn scripts_reach_visitors_and_are_marked(press: Press) -> Result<()> {
    press.publish().await?;
    let policy = async || -> Result<String> {
        let shown = press.shown().await?;
        let answer = shown.answer(&sitewright_publish::Visit {
            method: &http::Method::GET,
            path: "/",
            query: None,
            headers: &http::HeaderMap::new(),
            host: sitewright_publish::Host::Shared,
            base: &String::new,
        });
        let policy = answer.headers()["content-security-policy"].to_str()?;
        Ok(policy.to_owned())
    };
    assert!(policy().await?.starts_with("script-src 'none'"));
    let code = json!({ "bodyCode": "<img src=x onerror=alert(1)>" });
    press.edit("updateSiteSettings", code).await?;
    let changes = press.compare().await?.changes;
    assert!(
        changes.iter().all(|change| change.has_scripts),
        "{changes:?}"
    );
    press.publish().await?;
    assert!(policy().await?.starts_with("sandbox allow-scripts"));
    Ok(())
}

async fn one_page_of_the_draft_can_be_seen(press: Press) -> Result<()> {
    let page = press.page("About", "about", "<p>Draft</p>").await?;
    let id = page.as_str().unwrap_or_default().parse()?;
    let seen = press.publisher.preview(&press.site, id).await?;
    let seen = seen.expect("the page");
    assert!(String::from_utf8_lossy(&seen.html).contains("<p>Draft</p>"));
    let nobody = press.publisher.preview(&press.site, 12345.into()).await?;
    assert_eq!(nobody, None);
    Ok(())
}
