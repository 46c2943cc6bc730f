//! Fonts from Google Fonts, or from a server with the same API: fetched once, stored in our blobs and served from our host, so that
//! visitors' browsers contact no third party.
//!
//! Only WOFF2 is accepted, and only from addresses that `egress` allows. The stylesheet is parsed and never passed on.

mod face;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use http::header::{HeaderValue, USER_AGENT};
use sitewright_egress::{Egress, EgressError, Request};
use sitewright_runtime::Fonts;
use sitewright_site::{FontFamily, FontFile, FontQuery, FontReport};
use sitewright_store::{BlobId, Blobs, SiteId, Stamp, Store, StoreError};
use tokio::time::timeout;

use face::{Face, faces};

/// Fonts for the sites of an instance. Cheap to clone; all clones share one state.
#[derive(Clone)]
pub struct GoogleFonts(Arc<Parts>);

struct Parts {
    egress: Egress,
    /// Where stylesheets are requested; `None` when fonts are switched off.
    base_url: Option<String>,
    store: Store,
    blobs: Blobs,
    /// Recently installed families, because a call may be planned several times. A lock is enough: it is held only for map access.
    lately: Mutex<HashMap<(SiteId, FontQuery), (Instant, FontFamily)>>,
}

/// Why a font was not installed. Each message is the beginning of a sentence, without its full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FontError {
    /// The operator has disabled it.
    #[error("installing fonts is switched off in the setting `google_fonts_url`")]
    Off,
    /// There is no such family, or it has none of the variants.
    #[error("Google Fonts has no family of this name with these variants")]
    Unknown,
    /// The family has other subsets.
    #[error("it has none of these subsets; it has {0}")]
    NoSubset(String),
    /// There would be more than a page can use.
    #[error(
        "it has more than {FILES_MAX} files or {TOTAL_MB} MB; ask for fewer variants or subsets"
    )]
    TooMuch,
    /// A downloaded file is not a font.
    #[error("a file that came is no WOFF2 font")]
    NoFont,
    /// The server answered with an unexpected status.
    #[error("the place for fonts answered with status {0}")]
    Status(u16),
    #[error("the place for fonts took longer than {} s", PATIENCE.as_secs())]
    Slow,
    /// The server cannot be reached.
    #[error("the place for fonts could not be asked: {0}")]
    Egress(#[from] EgressError),
    /// The files could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Files per family: one weight of a large script has more than a hundred.
const FILES_MAX: usize = 300;
const TOTAL_MB: usize = 32;
const TOTAL_BYTES_MAX: usize = TOTAL_MB * 1024 * 1024;
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;
const SHEET_BYTES_MAX: u64 = 1024 * 1024;
/// For all requests together; a request to our own server may take 30 s.
const PATIENCE: Duration = Duration::from_secs(25);
/// How long an installed family is returned from the cache.
const LATELY: Duration = Duration::from_secs(10 * 60);
const LATELY_MAX: usize = 64;
/// Browsers that support WOFF2 are served WOFF2.
const BROWSER: HeaderValue = HeaderValue::from_static(
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
);

impl GoogleFonts {
    /// Fetches fonts from this server; with `None`, every request fails with [`FontError::Off`].
    pub fn new(egress: Egress, base_url: Option<String>, store: Store, blobs: Blobs) -> Self {
        Self(Arc::new(Parts {
            egress,
            base_url,
            store,
            blobs,
            lately: Mutex::default(),
        }))
    }

    /// Downloads the files of a family and stores them. The caller adds the family to the site.
    pub async fn family(
        &self,
        site: &SiteId,
        wish: &FontQuery,
        by: &Stamp,
    ) -> Result<FontFamily, FontError> {
        let key = (site.clone(), wish.clone());
        if let Some((at, family)) = self.lately().get(&key).cloned()
            && at.elapsed() < LATELY
        {
            return Ok(family);
        }
        let getting = timeout(PATIENCE, self.fetch(wish)).await;
        let (family, files) = getting.map_err(|_elapsed| FontError::Slow)??;
        let store = &self.0.store;
        let blobs: Vec<BlobId> = files.iter().map(|bytes| BlobId::of(bytes)).collect();
        store.claim_blobs(site, &blobs, by.at).await?;
        for bytes in files {
            self.0.blobs.put(site, bytes).await?;
        }
        store.add_fonts(site, &family.family, &blobs, by).await?;
        let mut lately = self.lately();
        if lately.len() >= LATELY_MAX {
            lately.clear();
        }
        lately.insert(key, (Instant::now(), family.clone()));
        Ok(family)
    }

    /// The bytes of an installed file; `None` when no site has installed it.
    pub async fn file(&self, blob: &BlobId) -> Result<Option<Bytes>, StoreError> {
        match self.0.store.font_site(blob).await? {
            Some(site) => Ok(Some(self.0.blobs.get(&site, blob).await?)),
            None => Ok(None),
        }
    }

    async fn fetch(&self, wish: &FontQuery) -> Result<(FontFamily, Vec<Bytes>), FontError> {
        let faces = chosen(self.all_faces(wish).await?, &wish.subsets)?;
        if faces.len() > FILES_MAX {
            return Err(FontError::TooMuch);
        }
        // One file of a variable font serves several weights.
        let mut fetched: HashMap<String, BlobId> = HashMap::new();
        let (mut files, mut bytes_all, mut total) = (Vec::new(), Vec::new(), 0);
        for face in faces {
            let blob = match fetched.get(&face.url) {
                Some(blob) => blob.clone(),
                None => {
                    let bytes = self.font(&face.url).await?;
                    total += bytes.len();
                    if total > TOTAL_BYTES_MAX {
                        return Err(FontError::TooMuch);
                    }
                    let blob = BlobId::of(&bytes);
                    fetched.insert(face.url.clone(), blob.clone());
                    bytes_all.push(bytes);
                    blob
                }
            };
            files.push(FontFile {
                weight: face.weight,
                italic: face.italic,
                blob: blob.to_string(),
                format: "woff2".to_owned(),
                unicode_range: face.unicode_range,
            });
        }
        let family = FontFamily {
            family: wish.google_family.clone(),
            files,
        };
        Ok((family, bytes_all))
    }

    /// The faces of all variants. The server rejects the whole request if the family lacks one variant, so then each is requested alone.
    async fn all_faces(&self, wish: &FontQuery) -> Result<Vec<Face>, FontError> {
        match self.sheet(&wish.google_family, &wish.variants).await {
            Err(FontError::Unknown) if wish.variants.len() > 1 => (),
            answer => return answer,
        }
        let mut faces = Vec::new();
        for variant in &wish.variants {
            match self
                .sheet(&wish.google_family, std::slice::from_ref(variant))
                .await
            {
                Ok(more) => faces.extend(more),
                Err(FontError::Unknown) => (),
                Err(error) => return Err(error),
            }
        }
        match faces.is_empty() {
            true => Err(FontError::Unknown),
            false => Ok(faces),
        }
    }

    async fn sheet(&self, family: &str, variants: &[String]) -> Result<Vec<Face>, FontError> {
        let base = self.0.base_url.as_deref().ok_or(FontError::Off)?;
        let url = format!(
            "{}/css2?family={}{}&display=swap",
            base.trim_end_matches('/'),
            family.replace(' ', "+"),
            axes(variants)
        );
        let css = self.get(url, SHEET_BYTES_MAX).await?;
        let faces = faces(&String::from_utf8_lossy(&css));
        match faces.is_empty() {
            true => Err(FontError::NoFont),
            false => Ok(faces),
        }
    }

    async fn font(&self, url: &str) -> Result<Bytes, FontError> {
        let bytes = self.get(url.to_owned(), FILE_BYTES_MAX).await?;
        match is_woff2(&bytes) {
            true => Ok(bytes),
            false => Err(FontError::NoFont),
        }
    }

    async fn get(&self, url: String, most: u64) -> Result<Bytes, FontError> {
        let request = Request::get(url)
            .with_header(USER_AGENT, BROWSER)
            .with_total(PATIENCE)
            .with_max_body(most);
        let response = self.0.egress.send(request).await?;
        match response.status.as_u16() {
            200 => Ok(response.body.collect().await?),
            400 | 404 => Err(FontError::Unknown),
            status => Err(FontError::Status(status)),
        }
    }

    fn lately(
        &self,
    ) -> std::sync::MutexGuard<'_, HashMap<(SiteId, FontQuery), (Instant, FontFamily)>> {
        // No operation under the lock can leave a partial state, so a poisoned lock is safe to use.
        self.0.lately.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fonts for GoogleFonts {
    fn install<'a>(
        &'a self,
        site: &'a SiteId,
        wish: &'a FontQuery,
        by: &'a Stamp,
    ) -> BoxFuture<'a, FontReport> {
        Box::pin(async move {
            match self.family(site, wish, by).await {
                Ok(family) => FontReport::Installed(family),
                Err(error) => FontReport::Refused {
                    reason: error.to_string(),
                },
            }
        })
    }
}

/// Variants as they follow the family in the address. A family without italics rejects the `ital` axis, and one with a single weight
/// rejects any axis, so only the needed ones are named.
fn axes(variants: &[String]) -> String {
    let mut axes: Vec<(u8, &str)> = variants
        .iter()
        .map(|variant| match variant.strip_suffix("italic") {
            Some(weight) => (1, weight),
            None => (0, variant.as_str()),
        })
        .collect();
    axes.sort_unstable();
    if axes == [(0, "400")] {
        return String::new();
    }
    let slants = axes.iter().any(|(slant, _)| *slant == 1);
    let written: Vec<String> = axes
        .iter()
        .map(|(slant, weight)| match slants {
            true => format!("{slant},{weight}"),
            false => (*weight).to_owned(),
        })
        .collect();
    let names = if slants { "ital,wght" } else { "wght" };
    format!(":{names}@{}", written.join(";"))
}

/// The faces of the requested subsets. Large scripts come in numbered parts, which together are the subset that has no name of its
/// own in the stylesheet.
fn chosen(faces: Vec<Face>, subsets: &[String]) -> Result<Vec<Face>, FontError> {
    let named: Vec<String> = faces
        .iter()
        .filter_map(|face| face.subset.clone())
        .filter(|name| !name.starts_with('['))
        .collect();
    let wants_parts = subsets.iter().any(|subset| !named.contains(subset));
    let is_wanted = |face: &Face| match &face.subset {
        None => true,
        Some(name) if name.starts_with('[') => wants_parts,
        Some(name) => subsets.contains(name),
    };
    let wanted: Vec<Face> = faces.into_iter().filter(is_wanted).collect();
    if wanted.is_empty() {
        let mut named = named;
        named.sort();
        named.dedup();
        return Err(FontError::NoSubset(named.join(", ")));
    }
    Ok(wanted)
}

/// Checks the signature, and the length in the file's header.
fn is_woff2(bytes: &[u8]) -> bool {
    let length = bytes.get(8..12).and_then(|four| four.try_into().ok());
    let length = length.map(u32::from_be_bytes);
    bytes.starts_with(b"wOF2") && length.is_some_and(|length| length as usize == bytes.len())
}

#[cfg(test)]
mod tests {
    use super::{axes, is_woff2};

    #[test]
    fn variants_are_named_in_the_order_the_address_wants() {
        let check = |variants: &[&str], expected: &str| {
            let variants: Vec<String> = variants.iter().map(|one| (*one).to_owned()).collect();
            assert_eq!(axes(&variants), expected);
        };
        check(
            &["700italic", "400", "300italic", "900"],
            ":ital,wght@0,400;0,900;1,300;1,700",
        );
        check(&["700", "400"], ":wght@400;700");
        check(&["400"], "");
        check(&["400italic"], ":ital,wght@1,400");
    }

    #[test]
    fn what_is_cut_off_or_something_else_is_no_font() {
        let font = |length: u32, rest: usize| {
            let mut bytes = b"wOF2\0\x01\0\0".to_vec();
            bytes.extend(length.to_be_bytes());
            bytes.extend(vec![0; rest]);
            bytes
        };
        assert!(is_woff2(&font(100, 88)));
        assert!(!is_woff2(&font(100, 80)));
        assert!(!is_woff2(b"wOF2"));
        assert!(!is_woff2(b"<html>"));
    }
}
