//! A release in memory, ready to be sent.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::HeaderValue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_store::{BlobId, Release, ReleaseRoute, ReleaseRoutes, RouteKind};

use crate::compress::PackedBytes;
use crate::made::NOT_FOUND_ADDRESS;
use crate::page_policy::PagePolicies;
use crate::stored::{Damage, FileForm, StoredFile};

/// A release in memory, with its files.
#[derive(Debug)]
pub struct ShownRelease {
    pub release: Release,
    pub(crate) routes: HashMap<String, ShownFile>,
    pub(crate) not_found: Option<ShownFile>,
    /// Addresses whose file is damaged with no intact form left.
    pub(crate) unavailable: BTreeSet<String>,
    damaged: Vec<DamagedAddress>,
    /// The stored files that `damaged` refers to.
    damaged_files: HashMap<BlobId, StoredFile>,
    /// The addresses of pictures in its pages, once somebody has asked; finding them reads every page.
    pub(crate) uploads: OnceLock<BTreeSet<String>>,
}

/// The file at an address, in every form that is sent.
#[derive(Debug, Clone)]
pub struct ShownFile {
    pub(crate) route: ReleaseRoute,
    pub(crate) content_type: HeaderValue,
    pub(crate) policies: PagePolicies,
    pub(crate) forms: Arc<ShownForms>,
}

/// A file in the forms in which it is sent; compressed ones only where they are smaller.
#[derive(Debug)]
pub(crate) struct ShownForms {
    plain: ShownForm,
    brotli: Option<ShownForm>,
    gzip: Option<ShownForm>,
}

/// Bytes as they are sent, and their ETag.
#[derive(Debug, Clone)]
pub(crate) struct ShownForm {
    pub(crate) bytes: Bytes,
    pub(crate) tag: HeaderValue,
}

/// An address of the release that is shown whose file is damaged in storage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DamagedAddress {
    /// The address, such as `/about`.
    pub address: String,
    /// The form of its file that is damaged.
    pub form: FileForm,
    /// What is wrong with it.
    pub damage: Damage,
    /// What the storage said, where it said something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Whether visitors get the page all the same, made from another form.
    pub is_served: bool,
}

impl FileForm {
    pub(crate) const ALL: [Self; 3] = [Self::Brotli, Self::Gzip, Self::Plain];

    /// The name of the content encoding.
    pub(crate) fn encoding(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
            Self::Plain => "identity",
        }
    }
}

/// How many digits of the hash go into an ETag; enough that two files of a site never collide by chance.
const TAG_DIGITS: usize = 32;
/// Matches no tag that a visitor could send, because weak tags are compared without their prefix.
const NO_TAG: HeaderValue = HeaderValue::from_static("W/\"none\"");
const UNKNOWN_TYPE: HeaderValue = HeaderValue::from_static("application/octet-stream");

impl ShownRelease {
    /// Assembles a release from the given files. An address whose file is not among them is unavailable.
    pub(crate) fn new(
        release: Release,
        routes: ReleaseRoutes,
        files: &HashMap<BlobId, StoredFile>,
    ) -> Self {
        let mut forms: HashMap<BlobId, Arc<ShownForms>> = HashMap::new();
        let mut shown = Self {
            release,
            routes: HashMap::with_capacity(routes.len()),
            not_found: None,
            unavailable: BTreeSet::new(),
            damaged: Vec::new(),
            damaged_files: HashMap::new(),
            uploads: OnceLock::new(),
        };
        for (address, route) in routes {
            let stored = files.get(&route.file);
            if let Some(stored) = stored {
                shown.note_damage(&address, &route.file, stored);
            }
            let Some(packed) = stored.and_then(|stored| stored.packed.as_ref()) else {
                shown.unavailable.insert(address);
                continue;
            };
            let forms = forms
                .entry(route.file.clone())
                .or_insert_with(|| Arc::new(ShownForms::new(&route.file, packed)));
            let file = ShownFile {
                content_type: HeaderValue::from_str(&route.content_type).unwrap_or(UNKNOWN_TYPE),
                policies: PagePolicies::of(&route),
                forms: Arc::clone(forms),
                route,
            };
            // Static hosts expect the page at this address; here it is served for every unknown address instead.
            if address == NOT_FOUND_ADDRESS && file.route.kind == RouteKind::NotFound {
                shown.not_found = Some(file);
            } else {
                shown.routes.insert(address, file);
            }
        }
        shown
    }

    fn note_damage(&mut self, address: &str, file: &BlobId, stored: &StoredFile) {
        if stored.damaged.is_empty() {
            return;
        }
        let damaged = stored.damaged.iter().map(|damaged| DamagedAddress {
            address: address.to_owned(),
            form: damaged.form,
            damage: damaged.damage,
            cause: damaged.cause.clone(),
            is_served: stored.packed.is_some(),
        });
        self.damaged.extend(damaged);
        self.damaged_files.insert(file.clone(), stored.clone());
    }

    /// The file at an address of the release.
    pub fn file(&self, address: &str) -> Option<&ShownFile> {
        match address {
            NOT_FOUND_ADDRESS => self.not_found.as_ref(),
            address => self.routes.get(address),
        }
    }

    /// Whether the release has a file at an address that is damaged in storage and cannot be served.
    pub fn is_unavailable(&self, address: &str) -> bool {
        self.unavailable.contains(address)
    }

    /// The addresses whose files are damaged in storage, in order.
    pub fn damaged(&self) -> &[DamagedAddress] {
        &self.damaged
    }

    /// The files that are damaged in storage.
    pub(crate) fn damaged_files(&self) -> &HashMap<BlobId, StoredFile> {
        &self.damaged_files
    }

    /// All files of the release as this process knows them, to be reused when the next release is loaded.
    pub(crate) fn files(&self) -> HashMap<BlobId, StoredFile> {
        let served = self.routes.values().chain(&self.not_found);
        let served = served.map(|file| (file.route.file.clone(), file.forms.stored()));
        let mut files: HashMap<BlobId, StoredFile> = served.collect();
        let damaged = self.damaged_files.iter();
        files.extend(damaged.map(|(file, stored)| (file.clone(), stored.clone())));
        files
    }
}

impl ShownFile {
    /// The uncompressed bytes.
    pub fn bytes(&self) -> Bytes {
        self.forms.plain.bytes.clone()
    }

    /// The media type, such as `text/html; charset=utf-8`.
    pub fn content_type(&self) -> &str {
        &self.route.content_type
    }

    pub(crate) fn form(&self, form: FileForm) -> Option<&ShownForm> {
        match form {
            FileForm::Brotli => self.forms.brotli.as_ref(),
            FileForm::Gzip => self.forms.gzip.as_ref(),
            FileForm::Plain => Some(&self.forms.plain),
        }
    }

    pub(crate) fn plain(&self) -> &ShownForm {
        &self.forms.plain
    }
}

impl ShownForms {
    fn new(file: &BlobId, packed: &PackedBytes) -> Self {
        let form = |bytes: &Bytes, ending: &str| {
            let tag = format!("\"{}{ending}\"", &file.as_str()[..TAG_DIGITS]);
            ShownForm {
                bytes: bytes.clone(),
                // Hexadecimal digits are always valid in a header.
                tag: HeaderValue::from_str(&tag).unwrap_or(NO_TAG),
            }
        };
        Self {
            plain: form(&packed.plain, ""),
            brotli: packed.brotli.as_ref().map(|bytes| form(bytes, "-br")),
            gzip: packed.gzip.as_ref().map(|bytes| form(bytes, "-gz")),
        }
    }

    fn stored(&self) -> StoredFile {
        let bytes = |form: &Option<ShownForm>| form.as_ref().map(|form| form.bytes.clone());
        StoredFile::intact(PackedBytes {
            plain: self.plain.bytes.clone(),
            brotli: bytes(&self.brotli),
            gzip: bytes(&self.gzip),
        })
    }
}
