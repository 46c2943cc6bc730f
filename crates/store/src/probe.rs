//! Probes that test whether rows and files can be written right now. Each one writes, because a full or read-only disk can still be read.

use bytes::Bytes;
use object_store::ObjectStoreExt as _;
use object_store::path::Path;

use crate::blobs::{Blobs, Reach};
use crate::{Store, StoreError, Timestamp};

/// The object that probes write, next to the folders of the sites.
const OBJECT: &str = "probe";

impl Store {
    /// Commits one small row. A rollback would prove nothing, because SQLite writes to the disk at the commit.
    pub async fn probe(&self, now: Timestamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        // The value differs each time, because SQLite does not write an unchanged row.
        sqlx::query(
            "INSERT INTO instance (name, value) VALUES ('probe', $1) \
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(now.millis().to_string())
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(())
    }
}

impl Blobs {
    /// Writes one small file to a folder. In a bucket, the file is only looked up, and written if it is missing, because buckets
    /// charge for writes and do not fill up.
    pub async fn probe(&self) -> Result<(), StoreError> {
        let place = Path::from(OBJECT);
        let bytes = Bytes::from_static(&[b'.'; 512]);
        let probing = async {
            if self.1 == Reach::Network && self.0.head(&place).await.is_ok() {
                return Ok(());
            }
            self.0.put(&place, bytes.into()).await.map(drop)
        };
        Ok(self.within(0, probing).await?)
    }
}
