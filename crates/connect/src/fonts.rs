//! Fonts of Google Fonts, or of a place that answers as it does: fetched once, kept in our blobs and served from our host, so
//! that no visitor's browser asks anybody else.
//!
//! Only WOFF2 is taken, and only from places that `egress` lets through. What the stylesheet says is read and never passed on.

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

/// Fonts for the sites of an instance. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct GoogleFonts(Arc<Parts>);

struct Parts {
    egress: Egress,
    /// Where stylesheets are asked for; nothing when fonts are switched off.
    base_url: Option<String>,
    store: Store,
    blobs: Blobs,
    /// What was installed lately: a call may be planned several times. A lock and not a message: it is held for a look.
    lately: Mutex<HashMap<(SiteId, FontQuery), (Instant, FontFamily)>>,
}

/// Why a font was not installed. Each is the beginning of a sentence, without its full stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FontError {
    /// The operator does not want it.
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
    /// What came is no font.
    #[error("a file that came is no WOFF2 font")]
    NoFont,
    /// The place did not answer as it should.
    #[error("the place for fonts answered with status {0}")]
    Status(u16),
    /// It took too long.
    #[error("the place for fonts took longer than {} s", PATIENCE.as_secs())]
    Slow,
    /// The place cannot be reached.
    #[error("the place for fonts could not be asked: {0}")]
    Egress(#[from] EgressError),
    /// The files could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Files of one family: a weight of a large script has more than a hundred.
const FILES_MAX: usize = 300;
const TOTAL_MB: usize = 32;
const TOTAL_BYTES_MAX: usize = TOTAL_MB * 1024 * 1024;
const FILE_BYTES_MAX: u64 = 4 * 1024 * 1024;
const SHEET_BYTES_MAX: u64 = 1024 * 1024;
/// For everything together; a request to us may take 30 s.
const PATIENCE: Duration = Duration::from_secs(25);
/// How long what was installed need not be asked for again.
const LATELY: Duration = Duration::from_secs(10 * 60);
const LATELY_MAX: usize = 64;
/// Browsers that know WOFF2 are given WOFF2.
const BROWSER: HeaderValue = HeaderValue::from_static(
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36",
);

impl GoogleFonts {
    /// Fonts from this place, or from nowhere.
    pub fn new(egress: Egress, base_url: Option<String>, store: Store, blobs: Blobs) -> Self {
        Self(Arc::new(Parts {
            egress,
            base_url,
            store,
            blobs,
            lately: Mutex::default(),
        }))
    }

    /// Gets the files of a family and keeps them. Whoever uses it puts the family among those of the site.
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
        let mut blobs = Vec::with_capacity(files.len());
        for bytes in files {
            blobs.push(self.0.blobs.put(site, bytes).await?);
        }
        let store = &self.0.store;
        store.add_fonts(site, &family.family, &blobs, by).await?;
        let mut lately = self.lately();
        if lately.len() >= LATELY_MAX {
            lately.clear();
        }
        lately.insert(key, (Instant::now(), family.clone()));
        Ok(family)
    }

    /// The bytes of an installed file; nothing when it is none.
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

    /// The faces of all variants. A family that lacks one of them refuses the whole wish, so they are then asked for one by one.
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
        // Nothing that is done under the lock can leave half a state.
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

/// Variants as the address names them behind the family. A family without slanted letters does not know that axis, and one with a
/// single weight knows none, so only what is needed is named.
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

/// The faces of the subsets that are wanted. Large scripts come in numbered parts, which stand for the subset that has no name
/// of its own.
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

/// The signature, and the length that the file says it has.
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
