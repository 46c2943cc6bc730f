//! Fonts: a place that answers as Google Fonts does, and tools that ask for a family without a browser.

use std::sync::Arc;

use serde_json::{Value, json};
use sitewright_connect::GoogleFonts;
use sitewright_egress::{Egress, EgressPolicy, Limits};
use sitewright_runtime::{Call, Pipeline, Registry};
use sitewright_site::{Author, FontQuery};
use sitewright_store::{
    BlobId, BlobPlace, Blobs, Committer, Place, SiteId, Stamp, Store, Timestamp,
};
use sitewright_testkit::vendor::{Answer, Received, Reply, Vendor};
use sitewright_tool::{CapabilitySet, Envelope};

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// A file whose bytes tell it from others.
fn woff2(name: &str) -> Vec<u8> {
    let mut bytes = b"wOF2\0\x01\0\0".to_vec();
    let length = u32::try_from(12 + name.len()).unwrap();
    bytes.extend(length.to_be_bytes());
    bytes.extend(name.as_bytes());
    bytes
}

/// Inter in two weights with two subsets, Lobster in one weight without slant; nothing else.
fn google(received: &Received) -> Answer {
    let (path, query) = received
        .path
        .split_once('?')
        .unwrap_or((&received.path, ""));
    if let Some(name) = path.strip_prefix("/s/") {
        return Answer::ok(woff2(name));
    }
    let agent = received.header("user-agent").unwrap_or_default();
    let host = received.header("host").unwrap_or_default();
    let face = |subset: &str, weight: &str, file: &str| {
        format!(
            "/* {subset} */\n@font-face {{ font-family: 'X'; font-style: normal; font-weight: {weight};\n src: \
             url(http://{host}/s/{file}) format('{}'); unicode-range: U+0000-00FF; }}\n",
            if agent.contains("Chrome/") {
                "woff2"
            } else {
                "truetype"
            }
        )
    };
    let css = match query {
        "family=Inter:wght@400;700&display=swap" => [
            face("latin-ext", "400", "inter-ext"),
            face("latin", "400", "inter"),
            face("latin-ext", "700", "inter-ext"),
            face("latin", "700", "inter"),
        ]
        .concat(),
        "family=Lobster&display=swap" => face("latin", "400", "lobster"),
        _ => return Answer::Reply(Reply::new(400, "<title>400: Missing font family</title>")),
    };
    Answer::ok(css)
}

struct Bench {
    fonts: GoogleFonts,
    pipeline: Pipeline,
    store: Store,
    site: SiteId,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new(base_url: Option<String>, allow: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Place::File(folder.path().join("test.db")))
            .await
            .unwrap();
        let blobs = Blobs::open(&BlobPlace::Folder(folder.path().join("blobs"))).unwrap();
        let policy = EgressPolicy {
            allow: allow.parse().unwrap(),
        };
        let egress = Egress::new(policy, Limits::default()).unwrap();
        let fonts = GoogleFonts::new(egress, base_url, store.clone(), blobs);
        let pipeline =
            Pipeline::with_fonts(store.clone(), Registry::built_in(), Arc::new(fonts.clone()));
        let site = store.sites().await.unwrap().remove(0).id;
        Self {
            fonts,
            pipeline,
            store,
            site,
            _folder: folder,
        }
    }

    async fn with(vendor: &Vendor) -> Self {
        Self::new(Some(vendor.url("")), "127.0.0.1/32").await
    }

    async fn set_fonts(&self, tokens: Value) -> Envelope {
        let by = Committer::new(Author::Local, CapabilitySet::all(), Stamp::local(NOW));
        let arguments = json!({ "tokens": tokens });
        let call = Call::new(self.site.clone(), "set_font_tokens", arguments, by);
        self.pipeline.call(call).await.into()
    }

    async fn family(
        &self,
        name: &str,
        variants: &[&str],
        subsets: &[&str],
    ) -> Result<Value, String> {
        let list = |all: &[&str]| all.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        let wish = FontQuery::of(name, Some(&list(variants)), Some(&list(subsets))).unwrap();
        let family = self
            .fonts
            .family(&self.site, &wish, &Stamp::local(NOW))
            .await;
        family
            .map(|family| json!(family))
            .map_err(|error| error.to_string())
    }
}

#[tokio::test]
async fn a_tool_without_a_browser_installs_a_family_and_binds_it() {
    let vendor = Vendor::answering(google);
    let bench = Bench::with(&vendor).await;
    let done = bench
        .set_fonts(json!([{ "name": "Body", "googleFamily": "Inter" }]))
        .await;
    assert!(done.ok, "{:?}", done.error);
    let data = done.data.unwrap();
    assert_eq!(
        data["tokens"][0],
        json!({ "name": "Body", "variable": "font-body", "ref": "var(--font-body)", "installed": true, "action": "created" })
    );
    let css = {
        let live = bench.store.live_site(&bench.site).await.unwrap();
        sitewright_markup::css::write_css(
            &live.site().framework(),
            sitewright_markup::css::CssForm::Readable,
        )
    };
    let blob = BlobId::of(&woff2("inter"));
    let face = |weight: &str| {
        format!(
            "@font-face {{ font-family: \"Inter\"; font-style: normal; font-weight: {weight}; font-display: swap; \
             src: url(\"/uploads/fonts/{blob}.woff2\") format(\"woff2\"); unicode-range: U+0000-00FF; }}"
        )
    };
    assert!(
        css.contains(&face("400")) && css.contains(&face("700")),
        "{css}"
    );
    assert_eq!(css.matches("@font-face").count(), 2, "latin only: {css}");
    let bytes = bench.fonts.file(&blob).await.unwrap();
    assert_eq!(bytes.as_deref(), Some(woff2("inter").as_slice()));
    // One stylesheet, and one file for both weights.
    assert_eq!(vendor.requests().len(), 2);
    let again = bench
        .set_fonts(json!([{ "name": "Code", "googleFamily": "Inter" }]))
        .await;
    assert!(again.ok);
    assert_eq!(vendor.requests().len(), 2, "it is there already");
}

#[tokio::test]
async fn a_family_that_lacks_a_variant_is_installed_with_those_it_has() {
    let vendor = Vendor::answering(google);
    let bench = Bench::with(&vendor).await;
    let family = bench
        .family("Lobster", &["400", "700", "400italic"], &["latin"])
        .await
        .unwrap();
    assert_eq!(
        family,
        json!({ "family": "Lobster", "files": [{
            "weight": "400", "italic": false, "blob": BlobId::of(&woff2("lobster")), "format": "woff2",
            "unicodeRange": "U+0000-00FF",
        }] })
    );
}

#[tokio::test]
async fn what_cannot_be_had_is_told_in_words_and_changes_nothing() {
    let vendor = Vendor::answering(google);
    let bench = Bench::with(&vendor).await;
    let unknown = bench
        .set_fonts(json!([{ "name": "Body", "googleFamily": "Nosuch Sans" }]))
        .await;
    assert_eq!(
        unknown.error.unwrap().message,
        "The font Nosuch Sans could not be installed: Google Fonts has no family of this name with these variants. Choose an \
         installed font, or set only a fallback."
    );
    let refused = bench.family("Inter", &["400", "700"], &["cyrillic"]).await;
    assert_eq!(
        refused,
        Err("it has none of these subsets; it has latin, latin-ext".to_owned())
    );
    let off = Bench::new(None, "").await;
    let refused = off.family("Inter", &["400"], &["latin"]).await;
    assert_eq!(
        refused,
        Err("installing fonts is switched off in the setting `google_fonts_url`".to_owned())
    );
    let closed = Bench::new(Some(vendor.url("")), "").await;
    let refused = closed.family("Inter", &["400"], &["latin"]).await;
    assert_eq!(
        refused,
        Err("the place for fonts could not be asked: 127.0.0.1 may not be reached: it is this machine; an operator can list \
             it in SITEWRIGHT_EGRESS_ALLOW"
            .to_owned())
    );
}

#[tokio::test]
async fn a_file_that_is_no_font_or_too_large_is_not_kept() {
    let answering = |file: Answer| {
        Vendor::answering(move |received| match received.path.starts_with("/s/") {
            true => file.clone(),
            false => google(received),
        })
    };
    for (file, expected) in [
        (Answer::ok("<html>"), "a file that came is no WOFF2 font"),
        (
            Answer::ok(&woff2("inter")[..14]),
            "a file that came is no WOFF2 font",
        ),
        (
            Answer::ok(vec![0; 5 * 1024 * 1024]),
            "the place for fonts could not be asked: the body of the answer from 127.0.0.1 is larger than 4194304 bytes",
        ),
        (
            Answer::Reply(Reply::new(503, "")),
            "the place for fonts answered with status 503",
        ),
    ] {
        let vendor = answering(file);
        let bench = Bench::with(&vendor).await;
        let refused = bench.family("Lobster", &["400"], &["latin"]).await;
        assert_eq!(refused, Err(expected.to_owned()));
    }
}

#[tokio::test]
async fn other_blobs_are_not_given_out_as_fonts() {
    let vendor = Vendor::answering(google);
    let bench = Bench::with(&vendor).await;
    bench.family("Lobster", &["400"], &["latin"]).await.unwrap();
    let other = BlobId::of(b"a secret picture");
    assert_eq!(bench.fonts.file(&other).await.unwrap(), None);
}
