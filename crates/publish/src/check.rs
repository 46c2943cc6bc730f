//! Checks storage: reads every file, verifies it against its name, and rewrites what can be recovered.

use std::collections::{BTreeMap, HashMap, HashSet};

use futures_util::StreamExt as _;
use schemars::JsonSchema;
use serde::Serialize;
use sitewright_store::{
    BlobId, Blobs, FontFile, MediaRow, Release, ReleaseFile, SiteId, StoreError,
};

use crate::compose::files_of;
use crate::release_cache::rows_of;
use crate::stored::{Damage, FileForm, FilesRead, StoredFile, read_files};
use crate::{PublishError, Publisher};

/// How many files are read before the intact ones are dropped from memory.
const FILES_PER_STEP: usize = 200;
/// How many releases and pictures are fetched from the database at once.
const ROWS_PER_STEP: u16 = 100;
/// How many pictures are read at once. A single one may have many megabytes.
const PICTURES_AT_ONCE: usize = 4;
/// How many damaged files a report lists.
const LISTED_MAX: usize = 1000;
/// How many addresses are listed for one file.
const ADDRESSES_MAX: usize = 20;

/// What [`Publisher::check`] covers, and whether it repairs. By default: the release that visitors see, without repairs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckOptions {
    /// Whether to check earlier releases, too.
    pub all_releases: bool,
    /// Whether to check pictures and fonts, too. They cannot be repaired here.
    pub uploads: bool,
    /// Whether to rewrite damaged files of releases where their bytes can be recovered.
    pub repair: bool,
}

/// What [`Publisher::check`] found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StorageReport {
    /// The number of the release that visitors see; null before the first.
    pub release: Option<u64>,
    /// How many releases were looked at.
    pub releases: usize,
    /// How many stored files hold what was written to them.
    pub intact: usize,
    /// How many are not there.
    pub missing: usize,
    /// How many hold something else.
    pub corrupt: usize,
    /// For how many the storage gives an error.
    pub unreadable: usize,
    /// How many of those that are damaged were written anew.
    pub repaired: usize,
    /// The damaged ones, the first 1000.
    pub damaged: Vec<DamagedBlob>,
}

/// A stored file that is damaged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DamagedBlob {
    /// Its name in the storage.
    pub blob: String,
    /// What is wrong with it.
    pub damage: Damage,
    /// What the storage said, where it said something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Whether it was written anew.
    pub is_repaired: bool,
    /// What it belongs to.
    #[serde(flatten)]
    pub owner: BlobOwner,
}

/// What a stored file belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "camelCase",
    rename_all_fields = "camelCase"
)]
pub enum BlobOwner {
    /// Releases, which show it at addresses.
    Release {
        /// The form of the file.
        form: FileForm,
        /// Where it is shown, the newest release first and the first 20.
        addresses: Vec<ReleaseAddress>,
    },
    /// A picture: the original, or one of its sizes.
    Picture {
        /// The picture.
        id: String,
        /// What people call it.
        name: String,
    },
    /// An installed font.
    Font {
        /// Its family.
        family: String,
    },
}

/// An address of a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReleaseAddress {
    /// The number of the release.
    pub release: u64,
    /// The address.
    pub address: String,
}

impl StorageReport {
    /// Whether nothing is damaged, or all damage has been repaired.
    pub fn is_sound(&self) -> bool {
        self.missing + self.corrupt + self.unreadable == self.repaired
    }

    fn note(&mut self, damaged: DamagedBlob) {
        match damaged.damage {
            Damage::Missing => self.missing += 1,
            Damage::Corrupt => self.corrupt += 1,
            Damage::Unreadable => self.unreadable += 1,
        }
        self.repaired += usize::from(damaged.is_repaired);
        if self.damaged.len() < LISTED_MAX {
            self.damaged.push(damaged);
        }
    }
}

impl Publisher {
    /// Reads the stored files of a site and verifies them against their names, as [`CheckOptions`] says. If asked to, repairs damaged
    /// files of releases from an intact form, from memory, or from the draft when it renders to the same bytes.
    ///
    /// It reads every file, so its duration grows with the size of the site. An error means that the database or the storage does not
    /// respond; damage is part of the report.
    pub async fn check(
        &self,
        site: &SiteId,
        options: CheckOptions,
    ) -> Result<StorageReport, PublishError> {
        let mut report = StorageReport::default();
        let releases = self.releases_to_check(site, options).await?;
        let current = self.store().current_release(site).await?;
        let current = releases
            .iter()
            .find(|release| Some(&release.id) == current.as_ref());
        report.release = current.map(|release| release.number);
        report.releases = releases.len();
        let files = self.files_to_check(site, &releases).await?;
        let damaged = self.damaged_files(site, &files, &mut report).await?;
        if !damaged.is_empty() {
            let mended = match options.repair {
                true => self.repair(site, &damaged).await?,
                false => HashSet::new(),
            };
            let mut addresses = self.addresses_of(site, &releases, &damaged).await?;
            for (file, stored) in damaged {
                let addresses = addresses.remove(&file).unwrap_or_default();
                for damaged in stored.damaged {
                    report.note(DamagedBlob {
                        blob: damaged.blob.to_string(),
                        damage: damaged.damage,
                        cause: damaged.cause,
                        is_repaired: mended.contains(&file),
                        owner: BlobOwner::Release {
                            form: damaged.form,
                            addresses: addresses.clone(),
                        },
                    });
                }
            }
        }
        if options.uploads {
            self.check_uploads(site, &mut report).await?;
        }
        Ok(report)
    }

    /// The releases to check, newest first.
    async fn releases_to_check(
        &self,
        site: &SiteId,
        options: CheckOptions,
    ) -> Result<Vec<Release>, StoreError> {
        let store = self.store();
        if !options.all_releases {
            return Ok(match store.current_release(site).await? {
                Some(id) => vec![store.release(site, &id).await?],
                None => Vec::new(),
            });
        }
        let mut releases: Vec<Release> = Vec::new();
        loop {
            let before = releases.last().map(|release| release.number);
            let page = store.releases(site, before, ROWS_PER_STEP).await?;
            let is_last = page.len() < usize::from(ROWS_PER_STEP);
            releases.extend(page);
            if is_last {
                return Ok(releases);
            }
        }
    }

    async fn files_to_check(
        &self,
        site: &SiteId,
        releases: &[Release],
    ) -> Result<Vec<BlobId>, StoreError> {
        let mut files = HashSet::new();
        for release in releases {
            let routes = self.store().release_routes(site, &release.id).await?;
            files.extend(files_of(&routes));
        }
        let mut files: Vec<BlobId> = files.into_iter().collect();
        files.sort_unstable();
        Ok(files)
    }

    /// Reads files, counts the intact forms and returns the files that have a damaged form.
    async fn damaged_files(
        &self,
        site: &SiteId,
        files: &[BlobId],
        report: &mut StorageReport,
    ) -> Result<BTreeMap<BlobId, StoredFile>, StoreError> {
        let mut damaged = BTreeMap::new();
        for step in files.chunks(FILES_PER_STEP) {
            let rows = rows_of(self.store(), site, step).await?;
            let forms: usize = rows.iter().map(forms_in).sum();
            let FilesRead { files, failure } = read_files(self.blobs(), site, rows).await?;
            if let Some(failure) = failure {
                return Err(failure);
            }
            let broken = files
                .into_iter()
                .filter(|(_, file)| !file.damaged.is_empty());
            let broken: Vec<(BlobId, StoredFile)> = broken.collect();
            let lost: usize = broken.iter().map(|(_, file)| file.damaged.len()).sum();
            report.intact += forms - lost;
            damaged.extend(broken);
        }
        Ok(damaged)
    }

    /// Rewrites damaged files and returns the ones that were written.
    async fn repair(
        &self,
        site: &SiteId,
        damaged: &BTreeMap<BlobId, StoredFile>,
    ) -> Result<HashSet<BlobId>, PublishError> {
        let files: Vec<BlobId> = damaged.keys().cloned().collect();
        let mut stored: HashMap<BlobId, StoredFile> = damaged
            .iter()
            .map(|(file, stored)| (file.clone(), stored.clone()))
            .collect();
        // Files that are served from memory were intact when they were loaded.
        let in_memory = self.in_memory(site).map(|shown| shown.files());
        let mut in_memory = in_memory.unwrap_or_default();
        for (file, stored) in &mut stored {
            if stored.packed.is_none() {
                stored.packed = in_memory.remove(file).and_then(|known| known.packed);
            }
        }
        let mended = self.mend(site, &files, stored).await?;
        let damaged = self.show(site, &mended).await;
        if !damaged.is_empty() {
            tracing::warn!(%site, addresses = damaged.len(), "not every damaged file of the published site could be repaired");
        }
        let whole = mended
            .into_iter()
            .filter(|(_, file)| file.damaged.is_empty());
        Ok(whole.map(|(file, _)| file).collect())
    }

    /// Where damaged files are shown, newest release first.
    async fn addresses_of(
        &self,
        site: &SiteId,
        releases: &[Release],
        damaged: &BTreeMap<BlobId, StoredFile>,
    ) -> Result<HashMap<BlobId, Vec<ReleaseAddress>>, StoreError> {
        let mut addresses: HashMap<BlobId, Vec<ReleaseAddress>> = HashMap::new();
        for release in releases {
            let routes = self.store().release_routes(site, &release.id).await?;
            let of_damaged = routes
                .into_iter()
                .filter(|(_, route)| damaged.contains_key(&route.file));
            for (address, route) in of_damaged {
                let listed = addresses.entry(route.file).or_default();
                if listed.len() < ADDRESSES_MAX {
                    listed.push(ReleaseAddress {
                        release: release.number,
                        address,
                    });
                }
            }
        }
        Ok(addresses)
    }

    async fn check_uploads(
        &self,
        site: &SiteId,
        report: &mut StorageReport,
    ) -> Result<(), StoreError> {
        let store = self.store();
        let fonts = store.fonts(site).await?;
        let fonts = fonts.into_iter().map(|FontFile { blob, family }| Upload {
            blob,
            owner: BlobOwner::Font { family },
        });
        self.check_blobs(site, fonts.collect(), report).await?;
        let mut before = None;
        loop {
            let page = store
                .media_page(site, "", before.as_ref(), ROWS_PER_STEP)
                .await?;
            let uploads = page.rows.into_iter().flat_map(uploads_of_picture);
            self.check_blobs(site, uploads.collect(), report).await?;
            match page.next {
                Some(next) => before = Some(next),
                None => return Ok(()),
            }
        }
    }

    async fn check_blobs(
        &self,
        site: &SiteId,
        uploads: Vec<Upload>,
        report: &mut StorageReport,
    ) -> Result<(), StoreError> {
        let mut checking = futures_util::stream::iter(uploads)
            .map(|upload| read_upload(self.blobs(), site, upload))
            .buffer_unordered(PICTURES_AT_ONCE);
        while let Some((Upload { blob, owner }, read)) = checking.next().await {
            let damage = match read {
                Ok(()) => {
                    report.intact += 1;
                    continue;
                }
                Err(StoreError::NotFound { .. }) => Damage::Missing,
                Err(StoreError::DamagedFile { .. }) => Damage::Corrupt,
                Err(error) => return Err(error),
            };
            report.note(DamagedBlob {
                blob: blob.to_string(),
                damage,
                cause: None,
                is_repaired: false,
                owner,
            });
        }
        Ok(())
    }
}

async fn read_upload(
    blobs: &Blobs,
    site: &SiteId,
    upload: Upload,
) -> (Upload, Result<(), StoreError>) {
    let read = blobs.get(site, &upload.blob).await;
    (upload, read.map(drop))
}

/// A file of a picture or a font.
struct Upload {
    blob: BlobId,
    owner: BlobOwner,
}

fn uploads_of_picture(row: MediaRow) -> Vec<Upload> {
    let sizes = row.variants.iter();
    let sizes = sizes.filter_map(|size| BlobId::parse(&size.blob));
    let owner = BlobOwner::Picture {
        id: row.id.to_string(),
        name: row.name,
    };
    let upload = |blob: BlobId| Upload {
        blob,
        owner: owner.clone(),
    };
    [row.blob].into_iter().chain(sizes).map(upload).collect()
}

fn forms_in(row: &ReleaseFile) -> usize {
    1 + usize::from(row.brotli.is_some()) + usize::from(row.gzip.is_some())
}
