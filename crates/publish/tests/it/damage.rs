//! Files that are missing or corrupt in storage: what of the site is still served, who is told, and how it is made whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use anyhow::{Context as _, Result};
use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, HeaderValue, Method, Response};
use serde_json::{Value, json};
use sitewright_publish::{
    BlobOwner, CheckOptions, Damage, DamagedAddress, FileForm, Host, ReleaseAddress, ShownRelease,
    Visit,
};
use sitewright_runtime::Call;
use sitewright_store::{
    BlobId, BlobPlace, Blobs, MediaId, MediaRow, MediaVariant, ReleaseFile, Stamp, Timestamp,
};

use crate::press::{Press, local, look, on_both, order};

on_both! {
    a_lost_page_costs_its_own_address_only
    publishing_again_writes_what_is_lost
    damaged_bytes_are_never_served
    a_file_that_vanished_under_a_running_process_is_written_anew
    what_was_read_once_outlives_its_last_form
    a_file_of_an_earlier_release_is_not_trusted_by_its_row
    going_back_mends_and_tells_what_it_cannot
    another_node_shows_what_was_mended
    each_damaged_address_is_logged_once
    a_check_tells_what_is_damaged_and_repairs_it
    a_check_writes_what_is_only_in_memory
    a_check_of_what_was_never_published_finds_nothing
    a_check_looks_at_pictures_and_fonts
    a_lost_page_for_unknown_addresses_is_replaced_by_a_plain_one
    an_export_refuses_what_is_damaged
}

/// Text that is worth compressing, so that its file has three forms.
fn long(text: &str) -> String {
    format!("<p>{text}</p>").repeat(40)
}

/// The row of the file at an address of the release that visitors see.
async fn file_at(press: &Press, address: &str) -> Result<ReleaseFile> {
    let current = press.store.current_release(&press.site).await?;
    let current = current.context("a release")?;
    let routes = press.store.release_routes(&press.site, &current).await?;
    let file = routes.get(address).context("an address")?.file.clone();
    let rows = press.store.release_files(&press.site, &[file]).await?;
    rows.into_iter().next().context("a file")
}

fn path_of(press: &Press, blob: &BlobId) -> PathBuf {
    let folder = press.database.folder.path().join("blobs");
    let name = blob.as_str();
    folder.join(press.site.as_str()).join(&name[..2]).join(name)
}

/// The paths of the forms of a file.
fn paths(press: &Press, file: &ReleaseFile) -> BTreeMap<&'static str, PathBuf> {
    let forms = [
        ("plain", Some(&file.blob)),
        ("brotli", file.brotli.as_ref()),
        ("gzip", file.gzip.as_ref()),
    ];
    let forms = forms
        .into_iter()
        .filter_map(|(form, blob)| Some((form, path_of(press, blob?))));
    forms.collect()
}

/// Removes every form of what is at an address, and tells the paths.
async fn lose(press: &Press, address: &str) -> Result<Vec<PathBuf>> {
    let file = file_at(press, address).await?;
    let paths: Vec<PathBuf> = paths(press, &file).into_values().collect();
    for path in &paths {
        std::fs::remove_file(path)?;
    }
    Ok(paths)
}

fn visit(shown: &ShownRelease, path: &str, encoding: &'static str) -> Response<bytes::Bytes> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(encoding));
    shown.answer(&Visit {
        method: &Method::GET,
        path,
        query: None,
        headers: &headers,
        host: Host::Shared,
        base: &|| "http://localhost".to_owned(),
    })
}

/// The text of an answer, whatever it is packed in.
fn unpacked(answer: Response<bytes::Bytes>) -> Result<String> {
    use std::io::Read as _;
    let encoding = answer.headers().get("content-encoding").cloned();
    let body = answer.into_body();
    let mut text = String::new();
    match encoding.as_ref().map(HeaderValue::as_bytes) {
        Some(b"br") => drop(brotli::Decompressor::new(&*body, 4096).read_to_string(&mut text)?),
        Some(b"gzip") => drop(flate2::read::GzDecoder::new(&*body).read_to_string(&mut text)?),
        _ => text = String::from_utf8(body.to_vec())?,
    }
    Ok(text)
}

async fn statuses(press: &Press, addresses: &[&str]) -> Result<Vec<u16>> {
    let mut statuses = Vec::new();
    for address in addresses {
        statuses.push(press.visit(address).await?.0);
    }
    Ok(statuses)
}

async fn publish_by_tool(press: &Press) -> Result<Value> {
    let call = Call {
        is_confirmed: true,
        ..Call::new(press.site.clone(), "publishSite", json!({}), local())
    };
    let answer = press.call(call).await;
    anyhow::ensure!(answer.ok, "{answer:?}");
    answer.data.context("data")
}

async fn two_pages(press: &Press) -> Result<()> {
    press.page("About", "about", &long("Us")).await?;
    press.page("News", "news", &long("New")).await?;
    press.publish().await?;
    Ok(())
}

async fn a_lost_page_costs_its_own_address_only(press: Press) -> Result<()> {
    two_pages(&press).await?;
    lose(&press, "/about").await?;
    let press = press.restarted(None).await?;
    let addresses = [
        "/",
        "/news",
        "/sitemap.xml",
        "/nowhere",
        "/about",
        "/about/",
    ];
    assert_eq!(
        statuses(&press, &addresses).await?,
        [200, 200, 200, 404, 503, 308]
    );
    let answer = visit(&*press.shown().await?, "/about", "gzip, br");
    assert_eq!(answer.headers()["retry-after"], "60");
    let lost = |form: FileForm| DamagedAddress {
        address: "/about".to_owned(),
        form,
        damage: Damage::Missing,
        cause: None,
        is_served: false,
    };
    let expected = [FileForm::Plain, FileForm::Brotli, FileForm::Gzip].map(lost);
    assert_eq!(press.publisher.damaged(&press.site), expected);
    let problem = "The stored file of `/about` is damaged. Publishing writes it anew.";
    assert_eq!(press.compare().await?.problems, [problem]);
    Ok(())
}

async fn publishing_again_writes_what_is_lost(press: Press) -> Result<()> {
    two_pages(&press).await?;
    let paths = lose(&press, "/about").await?;
    let press = press.restarted(None).await?;
    // Nothing is different, so there is no release to make, and the file is written all the same.
    let published = publish_by_tool(&press).await?;
    assert_eq!(
        (
            &published["release"],
            &published["isNew"],
            &published["damaged"]
        ),
        (&json!(1), &json!(false), &Value::Null)
    );
    assert!(paths.iter().all(|path| path.exists()));
    assert_eq!(statuses(&press, &["/about"]).await?, [200]);
    assert_eq!(press.publisher.damaged(&press.site), []);
    let press = press.restarted(None).await?;
    assert_eq!(statuses(&press, &["/about"]).await?, [200]);
    // The same when something else changed meanwhile.
    lose(&press, "/about").await?;
    let press = press.restarted(None).await?;
    press
        .write(&press.id_of("news").await?, "<p>More</p>")
        .await?;
    let published = press.publish().await?;
    assert_eq!(
        (published.release.number, published.damaged),
        (2, Vec::new())
    );
    assert_eq!(statuses(&press, &["/about", "/news"]).await?, [200, 200]);
    let press = press.restarted(None).await?;
    assert_eq!(statuses(&press, &["/about", "/news"]).await?, [200, 200]);
    Ok(())
}

fn damage(path: &Path, how: &str) -> Result<()> {
    let mut bytes = std::fs::read(path)?;
    let middle = bytes.len() / 2;
    match how {
        "missing" => return Ok(std::fs::remove_file(path)?),
        "empty" => bytes.clear(),
        "cut" => bytes.truncate(middle),
        "flipped" => bytes[middle] ^= 1,
        _ => anyhow::bail!("{how}"),
    }
    Ok(std::fs::write(path, bytes)?)
}

/// Each form in turn, damaged in each way: what visitors get is what was published, or an error, and publishing mends it.
async fn damaged_bytes_are_never_served(mut press: Press) -> Result<()> {
    two_pages(&press).await?;
    let (_, original) = press.visit("/about").await?;
    for how in ["missing", "empty", "cut", "flipped"] {
        for forms in [&["plain"][..], &["brotli"], &["gzip"], &["plain", "brotli"]] {
            let paths = paths(&press, &file_at(&press, "/about").await?);
            for form in forms {
                damage(&paths[form], how)?;
            }
            press = press.restarted(None).await?;
            let shown = press.shown().await?;
            for encoding in ["br", "gzip", "identity"] {
                let answer = visit(&shown, "/about", encoding);
                assert_eq!(answer.status(), 200, "{how} {forms:?} {encoding}");
                let text = unpacked(answer).context(format!("{how} {forms:?} {encoding}"))?;
                assert_eq!(text, original, "{how} {forms:?} {encoding}");
            }
            let damaged = press.publisher.damaged(&press.site);
            assert_eq!(damaged.len(), forms.len(), "{how} {forms:?}: {damaged:?}");
            let is_told = |damaged: &DamagedAddress| {
                let expected = match how {
                    "missing" => Damage::Missing,
                    _ => Damage::Corrupt,
                };
                damaged.is_served && damaged.damage == expected
            };
            assert!(damaged.iter().all(is_told), "{how}: {damaged:?}");
            press.publish().await?;
            assert_eq!(press.publisher.damaged(&press.site), []);
            press = press.restarted(None).await?;
            press.shown().await?;
            assert_eq!(press.publisher.damaged(&press.site), [], "{how} {forms:?}");
        }
        // With no form left there is nothing to serve.
        let paths = paths(&press, &file_at(&press, "/about").await?);
        for path in paths.values() {
            damage(path, how)?;
        }
        press = press.restarted(None).await?;
        assert_eq!(
            statuses(&press, &["/about", "/news"]).await?,
            [503, 200],
            "{how}"
        );
        press.publish().await?;
        assert_eq!(
            press.visit("/about").await?,
            (200, original.clone()),
            "{how}"
        );
    }
    Ok(())
}

async fn a_file_that_vanished_under_a_running_process_is_written_anew(press: Press) -> Result<()> {
    two_pages(&press).await?;
    let paths = lose(&press, "/about").await?;
    assert_eq!(statuses(&press, &["/about"]).await?, [200], "from memory");
    press.publish().await?;
    assert!(paths.iter().all(|path| path.exists()));
    Ok(())
}

async fn what_was_read_once_outlives_its_last_form(press: Press) -> Result<()> {
    two_pages(&press).await?;
    let files = paths(&press, &file_at(&press, "/about").await?);
    std::fs::remove_file(&files["plain"])?;
    let press = press.restarted(None).await?;
    let (_, original) = press.visit("/about").await?;
    for form in ["brotli", "gzip"] {
        std::fs::remove_file(&files[form])?;
        press.publisher.refresh(&press.site).await?;
        assert_eq!(press.visit("/about").await?, (200, original.clone()));
    }
    assert_eq!(press.publisher.damaged(&press.site).len(), 3);
    press.publish().await?;
    assert!(files.values().all(|path| path.exists()));
    Ok(())
}

async fn a_file_of_an_earlier_release_is_not_trusted_by_its_row(press: Press) -> Result<()> {
    let about = press.page("About", "about", &long("First")).await?;
    press.publish().await?;
    let first = press.visit("/about").await?;
    let paths = paths(&press, &file_at(&press, "/about").await?);
    let rename = async |title: &str| {
        let arguments = json!({ "pageId": about, "title": title });
        press.edit("renamePage", arguments).await
    };
    rename("Other").await?;
    press.publish().await?;
    std::fs::remove_file(&paths["plain"])?;
    damage(&paths["gzip"], "flipped")?;
    rename("About").await?;
    assert_eq!(press.publish().await?.release.number, 3);
    assert_eq!(press.visit("/about").await?, first);
    let press = press.restarted(None).await?;
    assert_eq!(press.visit("/about").await?, first);
    assert_eq!(press.publisher.damaged(&press.site), []);
    Ok(())
}

async fn going_back_mends_and_tells_what_it_cannot(press: Press) -> Result<()> {
    let about = press.page("About", "about", &long("Us")).await?;
    press.page("News", "news", &long("New")).await?;
    press.publish().await?;
    let first = press.visit("/about").await?;
    let about_files = paths(&press, &file_at(&press, "/about").await?);
    let news_files = paths(&press, &file_at(&press, "/news").await?);
    let rename = async |press: &Press, title: &str| {
        let arguments = json!({ "pageId": about, "title": title });
        press.edit("renamePage", arguments).await
    };
    let back = async |press: &Press, to: u64| {
        let by = Stamp::local(Timestamp::now());
        let publisher = &press.publisher;
        publisher.roll_back(&press.site, Some(to), order(&by)).await
    };
    rename(&press, "Other").await?;
    press.publish().await?;
    for path in about_files.values() {
        std::fs::remove_file(path)?;
    }
    // A form that is left is enough.
    std::fs::remove_file(&news_files["plain"])?;
    damage(&news_files["brotli"], "cut")?;
    let press = press.restarted(None).await?;
    assert_eq!(statuses(&press, &["/about", "/news"]).await?, [200, 200]);
    // The draft renders something else at the address by now, so nobody has the bytes.
    let rolled = back(&press, 1).await?;
    assert_eq!(rolled.damaged.len(), 3, "{:?}", rolled.damaged);
    let is_about = |damaged: &DamagedAddress| damaged.address == "/about" && !damaged.is_served;
    assert!(rolled.damaged.iter().all(is_about), "{:?}", rolled.damaged);
    assert!(news_files["plain"].exists());
    assert_eq!(statuses(&press, &["/about", "/news"]).await?, [503, 200]);
    assert_eq!(back(&press, 2).await?.damaged, []);
    assert_eq!(statuses(&press, &["/about"]).await?, [200]);
    rename(&press, "About").await?;
    assert_eq!(back(&press, 1).await?.damaged, []);
    assert_eq!(press.visit("/about").await?, first);
    let press = press.restarted(None).await?;
    assert_eq!(press.visit("/about").await?, first);
    Ok(())
}

async fn another_node_shows_what_was_mended(press: Press) -> Result<()> {
    two_pages(&press).await?;
    lose(&press, "/about").await?;
    let other = press.beside().await?;
    let shown = other.refresh(&press.site).await?.context("a release")?;
    assert_eq!(look(&shown, "/about").0, 503);
    press.publish().await?;
    // The release is the same, so nothing but a look finds out.
    let shown = other.refresh(&press.site).await?.context("a release")?;
    assert_eq!(look(&shown, "/about"), press.visit("/about").await?);
    assert_eq!(other.damaged(&press.site), []);
    Ok(())
}

/// Collects what is logged about damage.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl tracing::Subscriber for Log {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::ERROR
    }
    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
        tracing::span::Id::from_u64(1)
    }
    fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
    fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
    fn enter(&self, _: &tracing::span::Id) {}
    fn exit(&self, _: &tracing::span::Id) {}
    fn event(&self, event: &tracing::Event<'_>) {
        struct Line(String);
        impl tracing::field::Visit for Line {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                use std::fmt::Write as _;
                write!(self.0, "{}={value:?} ", field.name()).expect("a line");
            }
        }
        let mut line = Line(String::new());
        event.record(&mut line);
        self.0.lock().expect("the log").push(line.0);
    }
}

async fn each_damaged_address_is_logged_once(press: Press) -> Result<()> {
    two_pages(&press).await?;
    let file = file_at(&press, "/about").await?;
    damage(&paths(&press, &file)["gzip"], "flipped")?;
    lose(&press, "/news").await?;
    let press = press.restarted(None).await?;
    let log = Log::default();
    let logging = tracing::subscriber::set_default(log.clone());
    press.shown().await?;
    for _ in 0..3 {
        press.publisher.refresh(&press.site).await?;
    }
    drop(logging);
    let lines = log.0.lock().expect("the log").clone();
    let about = |address: &str| {
        let address = format!("address=\"{address}\"");
        lines.iter().filter(|line| line.contains(&address)).count()
    };
    assert_eq!(
        (about("/about"), about("/news"), lines.len()),
        (1, 3, 4),
        "{lines:?}"
    );
    assert!(lines[0].contains("publish again"), "{lines:?}");
    Ok(())
}

const EVERYTHING: CheckOptions = CheckOptions {
    all_releases: true,
    uploads: true,
    repair: false,
};

async fn a_check_tells_what_is_damaged_and_repairs_it(press: Press) -> Result<()> {
    let about = press.page("About", "about", &long("First")).await?;
    press.page("News", "news", &long("New")).await?;
    press.publish().await?;
    let old = paths(&press, &file_at(&press, "/about").await?);
    press.write(&about, "<p>Second</p>").await?;
    press.publish().await?;
    let sound = press.publisher.check(&press.site, EVERYTHING).await?;
    assert!(sound.is_sound(), "{sound:?}");
    assert_eq!((sound.release, sound.releases), (Some(2), 2));
    // Two editions of a page and one of another, the home page, the page for unknown addresses, and two files for search engines.
    assert!(sound.intact >= 5 * 3 + 2, "{sound:?}");
    lose(&press, "/news").await?;
    for path in old.values() {
        damage(path, "cut")?;
    }
    let press = press.restarted(None).await?;
    // By default it is about what visitors see.
    let current = press
        .publisher
        .check(&press.site, CheckOptions::default())
        .await?;
    assert_eq!(
        (current.missing, current.corrupt, current.releases),
        (3, 0, 1)
    );
    let report = press.publisher.check(&press.site, EVERYTHING).await?;
    assert_eq!(
        (
            report.missing,
            report.corrupt,
            report.repaired,
            report.intact
        ),
        (3, 3, 0, sound.intact - 6)
    );
    assert!(!report.is_sound());
    let at = |release: u64, address: &str| ReleaseAddress {
        release,
        address: address.to_owned(),
    };
    for damaged in &report.damaged {
        let BlobOwner::Release { addresses, .. } = &damaged.owner else {
            anyhow::bail!("{damaged:?}");
        };
        let expected = match damaged.damage {
            Damage::Missing => vec![at(2, "/news"), at(1, "/news")],
            Damage::Corrupt | Damage::Unreadable => vec![at(1, "/about")],
        };
        assert_eq!(*addresses, expected);
    }
    let told = serde_json::to_value(&report.damaged[0])?;
    assert_eq!(
        (&told["kind"], &told["isRepaired"]),
        (&json!("release"), &json!(false))
    );
    // The draft has the one page and not the old edition of the other.
    let repair = CheckOptions {
        repair: true,
        ..EVERYTHING
    };
    let repaired = press.publisher.check(&press.site, repair).await?;
    assert_eq!(
        (repaired.missing, repaired.corrupt, repaired.repaired),
        (3, 3, 3)
    );
    assert!(!repaired.is_sound());
    assert_eq!(statuses(&press, &["/news"]).await?, [200]);
    let left = press.publisher.check(&press.site, repair).await?;
    assert_eq!((left.missing, left.corrupt, left.repaired), (0, 3, 0));
    Ok(())
}

async fn a_check_of_what_was_never_published_finds_nothing(press: Press) -> Result<()> {
    let empty = press.publisher.check(&press.site, EVERYTHING).await?;
    assert_eq!(
        (empty.release, empty.intact, empty.is_sound()),
        (None, 0, true)
    );
    Ok(())
}

async fn a_check_writes_what_is_only_in_memory(press: Press) -> Result<()> {
    press.page("News", "news", &long("New")).await?;
    press.publish().await?;
    press.page("Later", "later", "<p>Later</p>").await?;
    press
        .write(&press.id_of("news").await?, "<p>Newer</p>")
        .await?;
    lose(&press, "/news").await?;
    let repaired = press.publisher.check(
        &press.site,
        CheckOptions {
            repair: true,
            ..CheckOptions::default()
        },
    );
    let repaired = repaired.await?;
    assert_eq!(
        (repaired.missing, repaired.repaired, repaired.is_sound()),
        (3, 3, true)
    );
    Ok(())
}

async fn a_check_looks_at_pictures_and_fonts(press: Press) -> Result<()> {
    let folder = press.database.folder.path().join("blobs");
    let blobs = Blobs::open(&BlobPlace::Folder(folder))?;
    let put = async |bytes: &'static [u8]| blobs.put(&press.site, bytes.into()).await;
    let by = Stamp::local(Timestamp::now());
    let row = MediaRow {
        id: MediaId::new(),
        site: press.site.clone(),
        variants: vec![MediaVariant {
            width: 320,
            height: 200,
            format: "image/png".to_owned(),
            blob: put(b"a size").await?.to_string(),
            bytes: 6,
        }],
        blob: put(b"the original").await?,
        format: "image/png".to_owned(),
        width: 320,
        height: 200,
        bytes: 12,
        is_animated: false,
        name: "harbour".to_owned(),
        alt: String::new(),
        credit: None,
        tags: Vec::new(),
        categories: Vec::new(),
        created_at: Timestamp::now(),
    };
    press.store.add_media(&row, &by).await?;
    let font = put(b"a font").await?;
    press
        .store
        .add_fonts(&press.site, "Inter", std::slice::from_ref(&font), &by)
        .await?;
    let report = press.publisher.check(&press.site, EVERYTHING).await?;
    assert_eq!((report.intact, report.is_sound()), (3, true));
    damage(&path_of(&press, &row.blob), "flipped")?;
    damage(&path_of(&press, &font), "missing")?;
    let report = press.publisher.check(&press.site, EVERYTHING).await?;
    let mut told: Vec<(Damage, BlobOwner)> = report
        .damaged
        .into_iter()
        .map(|damaged| (damaged.damage, damaged.owner))
        .collect();
    let picture = told.pop().context("a picture")?;
    let font = told.pop().context("a font")?;
    assert_eq!(
        picture,
        (
            Damage::Corrupt,
            BlobOwner::Picture {
                id: row.id.to_string(),
                name: "harbour".to_owned()
            }
        )
    );
    assert_eq!(
        font,
        (
            Damage::Missing,
            BlobOwner::Font {
                family: "Inter".to_owned()
            }
        )
    );
    let (site, without) = (&press.site, CheckOptions::default());
    let report = press.publisher.check(site, without).await?;
    assert!(report.is_sound(), "nobody asked for them: {report:?}");
    Ok(())
}

async fn a_lost_page_for_unknown_addresses_is_replaced_by_a_plain_one(press: Press) -> Result<()> {
    two_pages(&press).await?;
    lose(&press, "/404.html").await?;
    let press = press.restarted(None).await?;
    let (status, html) = press.visit("/nowhere").await?;
    assert_eq!(status, 404);
    assert!(html.contains("<h1>There is no such page</h1>"), "{html}");
    assert_eq!(statuses(&press, &["/", "/about"]).await?, [200, 200]);
    Ok(())
}

async fn an_export_refuses_what_is_damaged(press: Press) -> Result<()> {
    two_pages(&press).await?;
    lose(&press, "/about").await?;
    let press = press.restarted(None).await?;
    let refused = sitewright_publish::export_files(&*press.shown().await?);
    let refused = refused.expect_err("a refusal").to_string();
    assert!(refused.contains("`/about` is damaged"), "{refused}");
    Ok(())
}
