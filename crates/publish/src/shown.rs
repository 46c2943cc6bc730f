//! A release in memory, ready to be sent.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderValue;
use sitewright_store::{BlobId, Release, ReleaseRoute, ReleaseRoutes, RouteKind};

use crate::compress::Packed;
use crate::made::NOT_FOUND_ADDRESS;

/// A release in memory.
#[derive(Debug)]
pub struct Shown {
    /// Which one.
    pub release: Release,
    pub(crate) routes: HashMap<String, ShownFile>,
    pub(crate) not_found: Option<ShownFile>,
}

/// What is at an address, in every form that is sent.
#[derive(Debug, Clone)]
pub struct ShownFile {
    pub(crate) route: ReleaseRoute,
    pub(crate) content_type: HeaderValue,
    /// By [`Form`].
    pub(crate) forms: Arc<[Option<ShownForm>; 3]>,
}

/// Bytes as they are sent, and the name that tells them from all others.
#[derive(Debug, Clone)]
pub(crate) struct ShownForm {
    pub(crate) bytes: Bytes,
    pub(crate) tag: HeaderValue,
}

/// The forms in which a file is sent, the best one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Brotli,
    Gzip,
    Plain,
}

impl Form {
    pub(crate) const ALL: [Self; 3] = [Self::Brotli, Self::Gzip, Self::Plain];

    /// The name of its encoding.
    pub(crate) fn encoding(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
            Self::Plain => "identity",
        }
    }
}

/// How much of a hash stands in a tag; two files of one site never share so much by chance.
const TAG_DIGITS: usize = 32;

impl Shown {
    /// A release whose files are all at hand; nothing for one that lacks some.
    pub(crate) fn new(
        release: Release,
        routes: ReleaseRoutes,
        packed: &HashMap<BlobId, Packed>,
    ) -> Option<Self> {
        let mut forms: HashMap<BlobId, Arc<[Option<ShownForm>; 3]>> = HashMap::new();
        let mut shown = HashMap::with_capacity(routes.len());
        let mut not_found = None;
        for (address, route) in routes {
            let packed = packed.get(&route.file)?;
            let forms = forms
                .entry(route.file.clone())
                .or_insert_with(|| Arc::new(forms_of(&route.file, packed)));
            let file = ShownFile {
                content_type: HeaderValue::from_str(&route.content_type).ok()?,
                forms: Arc::clone(forms),
                route,
            };
            // Static hosts keep it under this name; here it is at every address that is none.
            if address == NOT_FOUND_ADDRESS && file.route.kind == RouteKind::NotFound {
                not_found = Some(file);
            } else {
                shown.insert(address, file);
            }
        }
        Some(Self {
            release,
            routes: shown,
            not_found,
        })
    }

    /// The file at an address of the release's map.
    pub fn file(&self, address: &str) -> Option<&ShownFile> {
        match address {
            NOT_FOUND_ADDRESS => self.not_found.as_ref(),
            address => self.routes.get(address),
        }
    }

    /// The bytes of a file, when one of the release has them.
    pub(crate) fn packed(&self) -> HashMap<BlobId, Packed> {
        let files = self.routes.values().chain(&self.not_found);
        let packed = files.filter_map(|file| {
            let [brotli, gzip, plain] = &*file.forms;
            let bytes = |form: &Option<ShownForm>| form.as_ref().map(|form| form.bytes.clone());
            let packed = Packed {
                plain: bytes(plain)?,
                brotli: bytes(brotli),
                gzip: bytes(gzip),
            };
            Some((file.route.file.clone(), packed))
        });
        packed.collect()
    }
}

impl ShownFile {
    /// Its bytes as they are.
    pub fn bytes(&self) -> Bytes {
        let [_, _, plain] = &*self.forms;
        plain
            .as_ref()
            .map(|form| form.bytes.clone())
            .unwrap_or_default()
    }

    /// What it is, such as `text/html; charset=utf-8`.
    pub fn content_type(&self) -> &str {
        &self.route.content_type
    }

    pub(crate) fn form(&self, form: Form) -> Option<&ShownForm> {
        let [brotli, gzip, plain] = &*self.forms;
        match form {
            Form::Brotli => brotli.as_ref(),
            Form::Gzip => gzip.as_ref(),
            Form::Plain => plain.as_ref(),
        }
    }
}

fn forms_of(file: &BlobId, packed: &Packed) -> [Option<ShownForm>; 3] {
    let form = |bytes: Option<&Bytes>, ending: &str| {
        let tag = format!("\"{}{ending}\"", &file.as_str()[..TAG_DIGITS]);
        Some(ShownForm {
            bytes: bytes?.clone(),
            tag: HeaderValue::from_str(&tag).ok()?,
        })
    };
    [
        form(packed.brotli.as_ref(), "-br"),
        form(packed.gzip.as_ref(), "-gz"),
        form(Some(&packed.plain), ""),
    ]
}
