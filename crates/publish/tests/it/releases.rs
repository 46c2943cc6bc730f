//! Releases: what differs, who is behind it, leaving pages out, and going back.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use serde_json::json;
use sitewright_publish::{PublishError, PublishOptions, RouteChangeKind};
use sitewright_site::Author;
use sitewright_store::{Committer, ReleaseFile, Stamp, Timestamp};
use sitewright_tool::Taint;

use crate::press::{Press, local, look, on_both, order, person};

on_both! {
    what_would_change_is_listed_with_its_authors
    what_came_from_outside_is_marked
    an_address_that_is_left_out_keeps_what_it_has
    l3_an_older_release_is_read_once_for_all_its_files
    nothing_new_is_no_release
    a_file_that_is_the_same_is_written_once
    somebody_elses_change_is_not_published_unseen
    going_back_shows_the_old_bytes_and_keeps_the_draft
    another_node_and_a_restart_show_the_same
    two_nodes_publish_one_after_the_other
    editing_goes_on_while_pages_are_rendered
}

fn listed(changes: &[sitewright_publish::RouteChange]) -> Vec<(&str, RouteChangeKind)> {
    changes
        .iter()
        .map(|change| (change.address.as_str(), change.change))
        .collect()
}

use RouteChangeKind::{Changed, New, Removed};

/// L3: every file of an older release read the whole release, so that exporting one cost the square of its size.
async fn l3_an_older_release_is_read_once_for_all_its_files(press: Press) -> Result<()> {
    let older = press.publish().await?.release;
    press.page("News", "news", "<p>News</p>").await?;
    press.publish().await?;
    let first = press.publisher.release(&press.site, &older.id).await?;
    let second = press.publisher.release(&press.site, &older.id).await?;
    assert!(Arc::ptr_eq(&first, &second));
    Ok(())
}

async fn what_would_change_is_listed_with_its_authors(press: Press) -> Result<()> {
    let first = press.compare().await?;
    assert_eq!(listed(&first.changes), [("/", New), ("/404.html", New)]);
    let (about, news) = (
        press.page("About", "about", "<p>Us</p>").await?,
        press.page("News", "news", "<p>Old</p>").await?,
    );
    press.page("Old", "old", "<p>Old</p>").await?;
    press.publish().await?;
    assert_eq!(press.compare().await?.changes, []);
    press
        .write_as(&person("ana"), &about, "<p>More</p>")
        .await?;
    press.write_as(&person("bo"), &news, "<p>New</p>").await?;
    press
        .write_as(&person("ana"), &news, "<p>Newer</p>")
        .await?;
    let title = json!({ "pageId": news, "title": "Latest news" });
    press.edit_as(&person("cy"), "renamePage", title).await?;
    let old = json!({ "pageId": press.id_of("old").await? });
    press.edit_as(&person("dan"), "deletePage", old).await?;
    let comparison = press.compare().await?;
    let authors: Vec<(&str, RouteChangeKind, Vec<&str>)> = comparison
        .changes
        .iter()
        .map(|change| {
            let names = change.authors.iter().map(|author| match author {
                Author::Person { id } => id.as_str(),
                _ => "somebody",
            });
            (change.address.as_str(), change.change, names.collect())
        })
        .collect();
    assert_eq!(
        authors,
        [
            ("/about", Changed, vec!["ana"]),
            ("/news", Changed, vec!["cy", "ana", "bo"]),
            ("/old", Removed, vec!["dan"]),
        ]
    );
    assert_eq!(comparison.release.context("a release")?.number, 1);
    // A rule for everything changes every page that it can match; whoever wrote it is behind that.
    press.publish().await?;
    let css = json!({ "css": "p { color: red }" });
    press.edit_as(&person("eve"), "applyCss", css).await?;
    let changes = press.compare().await?.changes;
    assert_eq!(listed(&changes), [("/about", Changed), ("/news", Changed)]);
    let eve = Author::Person {
        id: "eve".to_owned(),
    };
    assert!(
        changes.iter().all(|change| change.authors == [eve.clone()]),
        "{changes:?}"
    );
    Ok(())
}

async fn what_came_from_outside_is_marked(press: Press) -> Result<()> {
    let about = press.page("About", "about", "<p>Us</p>").await?;
    press.publish().await?;
    press
        .write(&press.id_of("index").await?, "<p>Mine</p>")
        .await?;
    let tainted = Committer {
        taint: Taint::Untrusted,
        ..local()
    };
    press
        .write_as(&tainted, &about, "<p>From the web</p>")
        .await?;
    let changes = press.compare().await?.changes;
    let marks: Vec<(&str, bool)> = changes
        .iter()
        .map(|change| (change.address.as_str(), change.tainted))
        .collect();
    assert_eq!(marks, [("/", false), ("/about", true)]);
    Ok(())
}

async fn an_address_that_is_left_out_keeps_what_it_has(press: Press) -> Result<()> {
    let about = press.page("About", "about", "<p>First</p>").await?;
    press.page("Old", "old", "<p>Old</p>").await?;
    press.publish().await?;
    press.write(&about, "<p>Second</p>").await?;
    press.page("Fresh", "fresh", "<p>Fresh</p>").await?;
    let old = json!({ "pageId": press.id_of("old").await? });
    press.edit("deletePage", old).await?;
    press
        .write(&press.id_of("index").await?, "<p>Home</p>")
        .await?;
    let all_but_home = ["/about", "/fresh", "/old"];
    let published = press.publish_without(&all_but_home).await?;
    assert_eq!(listed(&published.changes), [("/", Changed)]);
    let about_now = press.visit("/about").await?.1;
    assert!(
        about_now.contains("First") && !about_now.contains("Second"),
        "{about_now}"
    );
    assert_eq!(
        (press.visit("/old").await?.0, press.visit("/fresh").await?.0),
        (200, 404)
    );
    let (_, sitemap) = press.visit("/sitemap.xml").await?;
    assert!(
        sitemap.contains("/old<") && !sitemap.contains("/fresh"),
        "{sitemap}"
    );
    // What was left out is still to be published, with its authors.
    let left = press.compare().await?.changes;
    assert_eq!(
        listed(&left),
        [("/about", Changed), ("/fresh", New), ("/old", Removed)]
    );
    assert!(
        left.iter().all(|change| change.authors == [Author::Local]),
        "{left:?}"
    );
    let unknown = press.publish_without(&["/abuot"]).await;
    assert!(matches!(unknown, Err(PublishError::UnknownAddress(address)) if address == "/abuot"));
    press.publish().await?;
    assert_eq!(
        (press.visit("/old").await?.0, press.visit("/fresh").await?.0),
        (404, 200)
    );
    Ok(())
}

async fn nothing_new_is_no_release(press: Press) -> Result<()> {
    let first = press.publish().await?;
    assert_eq!((first.release.number, first.before), (1, None));
    let again = press.publish().await?;
    assert_eq!((again.release, again.before), (first.release, Some(1)));
    // Changed and changed back is nothing new either.
    let home = press.id_of("index").await?;
    press
        .edit("renamePage", json!({ "pageId": home, "title": "Other" }))
        .await?;
    press
        .edit("renamePage", json!({ "pageId": home, "title": "Home" }))
        .await?;
    assert_eq!(press.publish().await?.release.number, 1);
    assert_eq!(press.store.releases(&press.site, None, 10).await?.len(), 1);
    Ok(())
}

/// The files there are, by their names and when they were written.
fn files(
    press: &Press,
) -> Result<std::collections::BTreeMap<std::path::PathBuf, std::time::SystemTime>> {
    let mut found = std::collections::BTreeMap::new();
    let mut folders = vec![press.database.folder.path().join("blobs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => drop(found.insert(entry.path(), entry.metadata()?.modified()?)),
            }
        }
    }
    Ok(found)
}

async fn a_file_that_is_the_same_is_written_once(press: Press) -> Result<()> {
    let long = "<p>Long enough to be compressed.</p>".repeat(30);
    press.page("One", "one", &long).await?;
    press.page("Two", "two", &long).await?;
    press.publish().await?;
    let before = files(&press)?;
    let one = press.id_of("one").await?;
    press.write(&one, "<p>More</p>").await?;
    press.publish().await?;
    let after = files(&press)?;
    // The page, in three forms. The list for search engines is the same.
    assert_eq!(after.len(), before.len() + 3);
    assert!(before.iter().all(|(path, at)| after.get(path) == Some(at)));
    let shown = press.shown().await?;
    let routes = press
        .store
        .release_routes(&press.site, &shown.release.id)
        .await?;
    let kept = press
        .store
        .release_files(&press.site, &[routes["/one"].file.clone()])
        .await?;
    let [
        ReleaseFile {
            brotli: Some(_),
            gzip: Some(_),
            bytes,
            ..
        },
    ] = kept.as_slice()
    else {
        anyhow::bail!("{kept:?}");
    };
    assert_eq!(*bytes, press.visit("/one").await?.1.len() as u64);
    Ok(())
}

async fn somebody_elses_change_is_not_published_unseen(press: Press) -> Result<()> {
    let seen = press.compare().await?;
    press.page("Surprise", "surprise", "<p>!</p>").await?;
    let wish = PublishOptions {
        version: Some(seen.version),
        ..PublishOptions::default()
    };
    let by = Stamp::local(Timestamp::now());
    let refused = press
        .publisher
        .publish(&press.site, &wish, order(&by))
        .await;
    assert!(matches!(refused, Err(PublishError::Changed)), "{refused:?}");
    let wish = PublishOptions {
        version: Some(press.compare().await?.version),
        ..PublishOptions::default()
    };
    press
        .publisher
        .publish(&press.site, &wish, order(&by))
        .await?;
    assert_eq!(press.visit("/surprise").await?.0, 200);
    Ok(())
}

async fn going_back_shows_the_old_bytes_and_keeps_the_draft(press: Press) -> Result<()> {
    let by = Stamp::local(Timestamp::now());
    let back = async |to: Option<u64>| press.publisher.roll_back(&press.site, to, order(&by)).await;
    assert!(matches!(
        back(None).await,
        Err(PublishError::NothingPublished)
    ));
    let about = press.page("About", "about", "<p>One</p>").await?;
    press.publish().await?;
    assert!(matches!(
        back(None).await,
        Err(PublishError::NothingEarlier(1))
    ));
    let one = press.visit("/about").await?;
    press.write(&about, "<p>Two</p>").await?;
    press.publish().await?;
    press.write(&about, "<p>Three</p>").await?;
    press.publish().await?;
    let rolled = back(None).await?;
    assert_eq!((rolled.from.number, rolled.to.number), (3, 2));
    assert_eq!(listed(&rolled.changes), [("/about", Changed)]);
    back(Some(1)).await?;
    assert_eq!(press.visit("/about").await?, one);
    assert!(matches!(
        back(Some(9)).await,
        Err(PublishError::UnknownRelease(9))
    ));
    assert_eq!(back(Some(1)).await?.changes, []);
    // The draft is what it was, and publishing it again is a new release.
    assert_eq!(
        listed(&press.compare().await?.changes),
        [("/about", Changed)]
    );
    let published = press.publish().await?;
    assert_eq!((published.release.number, published.before), (4, Some(1)));
    assert!(press.visit("/about").await?.1.contains("Three"));
    Ok(())
}

async fn another_node_and_a_restart_show_the_same(press: Press) -> Result<()> {
    let other = press.beside().await?;
    assert!(other.shown(&press.site).await?.is_none());
    press
        .page("About", "about", &"<p>Us</p>".repeat(100))
        .await?;
    press.publish().await?;
    assert!(
        other.shown(&press.site).await?.is_none(),
        "nobody looked again"
    );
    let shown = other.refresh(&press.site).await?.context("a release")?;
    let here = press.visit("/about").await?;
    assert_eq!(look(&shown, "/about"), here);
    let press = press.restarted(None).await?;
    assert_eq!(press.visit("/about").await?, here);
    assert_eq!(
        press.compare().await?.changes,
        [],
        "rendering gives the same bytes"
    );
    Ok(())
}

async fn two_nodes_publish_one_after_the_other(press: Press) -> Result<()> {
    let other = press.beside().await?;
    press.page("About", "about", "<p>Us</p>").await?;
    let (wish, by) = (PublishOptions::default(), Stamp::local(Timestamp::now()));
    let (here, there) = tokio::join!(
        press.publisher.publish(&press.site, &wish, order(&by)),
        other.publish(&press.site, &wish, order(&by)),
    );
    // Whoever was second found that there was nothing left to do.
    assert_eq!((here?.release.number, there?.release.number), (1, 1));
    assert_eq!(press.store.releases(&press.site, None, 10).await?.len(), 1);
    Ok(())
}

async fn editing_goes_on_while_pages_are_rendered(press: Press) -> Result<()> {
    for number in 0..100 {
        let (title, slug) = (format!("Page {number}"), format!("page-{number}"));
        press.page(&title, &slug, "<p>Text</p>").await?;
    }
    let last = press.id_of("page-99").await?;
    let (published, edited) = tokio::join!(press.publish(), async {
        for number in 0..5 {
            press.write(&last, &format!("<p>Edit {number}</p>")).await?;
        }
        anyhow::Ok(())
    });
    edited?;
    // Whatever was published is the site as of one entry: all pages are there, and the last one has its edits in order.
    assert_eq!(published?.release.pages, 101);
    press.publish().await?;
    let (_, html) = press.visit("/page-99").await?;
    assert!(
        html.contains("<p>Edit 0</p><p>Edit 1</p>") && html.contains("Edit 4"),
        "{html}"
    );
    Ok(())
}
