//! Whether all nodes of an instance store their files in one place.
//!
//! Nodes that share a database but not their files look healthy and are not: a picture that was uploaded to one is missing on the
//! others, and so are the pages that one has published. So the place of the files carries a mark, the database says which mark is the
//! right one, and a node compares the two when it starts.

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStoreExt as _, PutMode, PutOptions};
use sqlx::Row;

use crate::blobs::Blobs;
use crate::{Store, StoreError};

/// The object that holds the mark, next to the folders of the sites.
const OBJECT: &str = "place";

impl Store {
    /// Whether these are the files that the database speaks of. The first process that asks decides which place is the right one.
    pub async fn shares_files(&self, blobs: &Blobs) -> Result<bool, StoreError> {
        let mark = blobs.mark().await?;
        let mut write = self.write().await?;
        sqlx::query(
            "INSERT INTO instance (name, value) VALUES ('files', $1) ON CONFLICT (name) DO NOTHING",
        )
        .bind(&mark)
        .execute(&mut *write)
        .await?;
        let known = sqlx::query("SELECT value FROM instance WHERE name = 'files'")
            .fetch_one(&mut *write)
            .await?;
        let known: String = known.try_get("value")?;
        write.commit().await?;
        Ok(known == mark)
    }
}

impl Blobs {
    /// The mark of this place, which is made when there is none. Two nodes that make one at the same time agree on the first.
    async fn mark(&self) -> Result<String, StoreError> {
        let place = Path::from(OBJECT);
        let new = Bytes::from(uuid::Uuid::now_v7().simple().to_string());
        let options = PutOptions {
            mode: PutMode::Create,
            ..PutOptions::default()
        };
        let making = self.0.put_opts(&place, new.clone().into(), options);
        match self.within(new.len(), making).await {
            Ok(_) | Err(object_store::Error::AlreadyExists { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let reading = async { self.0.get(&place).await?.bytes().await };
        let mark = self.within(new.len(), reading).await?;
        Ok(String::from_utf8_lossy(&mark).into_owned())
    }
}
