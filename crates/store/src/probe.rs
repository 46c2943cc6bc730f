//! Probes: whether rows and files can be written at this moment. Each one writes, because a full or read-only disk still reads.

use bytes::Bytes;
use object_store::ObjectStoreExt as _;
use object_store::path::Path;

use crate::blobs::{Blobs, Reach};
use crate::{Store, StoreError, Timestamp};

/// The object that probes write; sites have folders beside it.
const OBJECT: &str = "probe";

impl Store {
    /// Commits one small row. A transaction that is rolled back would prove nothing: SQLite writes to the disk at the commit.
    pub async fn probe(&self, now: Timestamp) -> Result<(), StoreError> {
        let mut write = self.write().await?;
        // The value differs each time: SQLite does not write a row that stays as it is.
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
    /// Writes one small file into a folder. A bucket is asked for that file, and it is written only where it is missing, because
    /// buckets charge for writes and do not fill up.
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
