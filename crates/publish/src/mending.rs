//! Writes what storage lacks: new files, and files that are missing or corrupt.
//!
//! The bytes of a damaged file come from an intact form, from memory, or from the draft when it renders to the same bytes. Files that
//! this process has read and verified are not read again on each publishing.

use std::collections::{BTreeSet, HashMap};

use bytes::Bytes;
use sitewright_store::{BlobId, Release, ReleaseFile, ReleaseRoutes, SiteId, StoreError};

use crate::compose::{ReleaseContents, compose, files_of};
use crate::compress::PackedBytes;
use crate::stored::{
    Content, Damage, DamagedForm, FileForm, FileToWrite, StoredFile, WrittenFiles, read_files,
    write_files,
};
use crate::{DamagedAddress, PublishError, Publisher};

impl Publisher {
    /// The state of files: from memory, where they were verified when they were loaded, else from storage. Files that no release has
    /// used are left out.
    pub(crate) async fn stored_files(
        &self,
        site: &SiteId,
        needed: &[BlobId],
    ) -> Result<HashMap<BlobId, StoredFile>, StoreError> {
        let shown = self.in_memory(site);
        let mut stored = shown.map(|shown| shown.files()).unwrap_or_default();
        stored.retain(|file, _| needed.binary_search(file).is_ok());
        let unknown = needed.iter().filter(|file| !stored.contains_key(file));
        let unknown: Vec<BlobId> = unknown.cloned().collect();
        let rows = self.store().release_files(site, &unknown).await?;
        let read = read_files(self.blobs(), site, rows).await?;
        match read.failure {
            Some(failure) if stored.is_empty() => return Err(failure),
            _ => stored.extend(read.files),
        }
        Ok(stored)
    }

    /// Writes those of the needed files that are missing or damaged in storage. `contents` are bytes at hand. A damaged file whose
    /// bytes are nowhere to be found stays as it is.
    pub(crate) async fn write_lacking(
        &self,
        site: &SiteId,
        needed: &[BlobId],
        mut stored: HashMap<BlobId, StoredFile>,
        contents: &HashMap<BlobId, Bytes>,
    ) -> Result<WrittenFiles, PublishError> {
        let to_write = needed.iter().filter_map(|file| {
            let known = stored.get(file);
            if known.is_some_and(|known| known.damaged.is_empty()) {
                return None;
            }
            let packed = known.and_then(|known| known.packed.clone());
            let content = match packed {
                Some(packed) => Content::Packed(packed),
                None => Content::Plain(contents.get(file)?.clone()),
            };
            Some(FileToWrite {
                file: file.clone(),
                content,
            })
        });
        let to_write = to_write.collect();
        let mut written = write_files(self.places(), site, to_write).await?;
        stored.extend(written.files.drain());
        written.files = stored;
        Ok(written)
    }

    /// Rewrites damaged files of the shown release from the draft, which renders to the same bytes, and returns what is still damaged.
    pub(crate) async fn mend_current(
        &self,
        site: &SiteId,
        composed: &ReleaseContents,
    ) -> Result<Vec<DamagedAddress>, PublishError> {
        let needed = files_of(&composed.routes);
        let mut stored = self.stored_files(site, &needed).await?;
        self.look_for_missing(site, &needed, &mut stored).await?;
        let written = self.write_lacking(site, &needed, stored, &composed.bytes);
        let written = written.await?;
        if !written.rows.is_empty() {
            let store = self.store();
            store.keep_release_files(site, &written.rows).await?;
            tracing::info!(%site, files = written.rows.len(), "damaged files of the published site were written anew");
        }
        Ok(self.show(site, &written.files).await)
    }

    /// Rewrites damaged files of a release as far as their bytes can be recovered, and returns the state of its files. A rollback must
    /// not fail because some file could not be repaired: most addresses are intact.
    pub(crate) async fn mend_release(
        &self,
        site: &SiteId,
        release: &Release,
    ) -> Result<HashMap<BlobId, StoredFile>, PublishError> {
        let routes = self.store().release_routes(site, &release.id).await?;
        let needed = files_of(&routes);
        let stored = self.stored_files(site, &needed).await?;
        if stored.values().all(|file| file.damaged.is_empty()) {
            return Ok(stored);
        }
        let mended = self.mend(site, &needed, stored.clone()).await;
        Ok(mended.unwrap_or_else(|error| {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, %site, release = release.number, "damaged files of a release could not be written anew");
            stored
        }))
    }

    /// Rewrites those of the needed files that are damaged, with the draft's bytes where no intact form is left.
    pub(crate) async fn mend(
        &self,
        site: &SiteId,
        needed: &[BlobId],
        stored: HashMap<BlobId, StoredFile>,
    ) -> Result<HashMap<BlobId, StoredFile>, PublishError> {
        let contents = match stored.values().any(|file| file.packed.is_none()) {
            true => self.draft_contents(site).await,
            false => Ok(HashMap::new()),
        };
        // A draft that cannot be rendered must not block repairs that do not need it.
        let contents = contents.unwrap_or_else(|error| {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, %site, "the draft could not be rendered to mend damaged files");
            HashMap::new()
        });
        let written = self.write_lacking(site, needed, stored, &contents).await?;
        self.store().keep_release_files(site, &written.rows).await?;
        Ok(written.files)
    }

    /// The bytes of every file that publishing the draft would produce.
    async fn draft_contents(&self, site: &SiteId) -> Result<HashMap<BlobId, Bytes>, PublishError> {
        let draft = self.draft(site).await?;
        let (current, leave_out) = (ReleaseRoutes::new(), BTreeSet::new());
        let composed = compose(&draft, &current, &leave_out, self.base())?;
        Ok(composed.bytes)
    }

    /// Marks files that have disappeared since they were read, or have another size, by listing the storage.
    async fn look_for_missing(
        &self,
        site: &SiteId,
        needed: &[BlobId],
        stored: &mut HashMap<BlobId, StoredFile>,
    ) -> Result<(), StoreError> {
        let rows = self.store().release_files(site, needed).await?;
        let forms: Vec<(BlobId, StoredForm)> = rows
            .into_iter()
            .filter_map(|row| {
                let packed = stored.get(&row.blob)?.packed.as_ref()?;
                Some((row.blob.clone(), stored_forms(row, packed)))
            })
            .flat_map(|(file, forms)| forms.into_iter().map(move |form| (file.clone(), form)))
            .collect();
        let expected = forms
            .iter()
            .map(|(_, form)| (form.blob.clone(), form.bytes));
        let missing = self.blobs().find_missing(site, &expected.collect()).await?;
        for (file, StoredForm { form, blob, .. }) in forms {
            let Some(file) = stored.get_mut(&file).filter(|_| missing.contains(&blob)) else {
                continue;
            };
            if file.damaged.iter().all(|damaged| damaged.form != form) {
                file.damaged.push(DamagedForm {
                    form,
                    blob,
                    damage: Damage::Missing,
                    cause: None,
                });
            }
        }
        Ok(())
    }
}

/// A form of a file as storage should have it.
struct StoredForm {
    form: FileForm,
    blob: BlobId,
    bytes: u64,
}

fn stored_forms(row: ReleaseFile, packed: &PackedBytes) -> Vec<StoredForm> {
    let ReleaseFile {
        blob,
        bytes: _,
        brotli,
        gzip,
    } = row;
    let forms = [
        (FileForm::Plain, Some(blob), Some(&packed.plain)),
        (FileForm::Brotli, brotli, packed.brotli.as_ref()),
        (FileForm::Gzip, gzip, packed.gzip.as_ref()),
    ];
    let forms = forms.into_iter().filter_map(|(form, blob, bytes)| {
        Some(StoredForm {
            form,
            blob: blob?,
            bytes: bytes?.len() as u64,
        })
    });
    forms.collect()
}
