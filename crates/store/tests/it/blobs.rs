//! Blobs in a folder and in a bucket, by the same test. The bucket is a real S3 server on loopback.

use std::path::{Path, PathBuf};

use anyhow::Result;
use bytes::Bytes;
use secrecy::SecretString;
use sitewright_store::{BlobId, BlobPlace, Blobs, S3Place, SiteId, StoreError};

async fn check(blobs: &Blobs) -> Result<()> {
    let (site, elsewhere) = (
        SiteId::from("one".to_owned()),
        SiteId::from("two".to_owned()),
    );
    let id = blobs.put(&site, Bytes::from_static(b"hello world")).await?;
    assert_eq!(id, BlobId::of(b"hello world"));
    assert_eq!(
        blobs.put(&site, Bytes::from_static(b"hello world")).await?,
        id,
        "storing again is no fault"
    );
    assert_eq!(blobs.get(&site, &id).await?, "hello world");
    assert_eq!(blobs.get_range(&site, &id, 6..11).await?, "world");
    assert_eq!(blobs.size(&site, &id).await?, 11);
    let missing = blobs
        .get(&elsewhere, &id)
        .await
        .map_err(|error| error.to_string());
    assert_eq!(
        missing,
        Err("there is no such file".to_owned()),
        "a site sees only its own"
    );
    let other = BlobId::of(b"somebody else's");
    let expected = [(id.clone(), 11), (other.clone(), 3)].into();
    let missing = blobs.find_missing(&site, &expected).await?;
    assert_eq!(missing, [other].into());
    let missing = blobs
        .find_missing(&site, &[(id.clone(), 12)].into())
        .await?;
    assert_eq!(missing, [id.clone()].into(), "another size is damage");
    let missing = blobs
        .find_missing(&elsewhere, &[(id.clone(), 11)].into())
        .await?;
    assert_eq!(missing, [id.clone()].into());
    blobs.remove(&site, &id).await?;
    blobs.remove(&site, &id).await?;
    assert!(blobs.get(&site, &id).await.is_err());
    Ok(())
}

/// Damages a file behind the store's back, in each way in turn: it is never read as if it were whole, and storing the bytes again
/// makes it whole. `files` is the folder that the place keeps its files in.
async fn check_damage(blobs: &Blobs, files: &Path) -> Result<()> {
    let site = SiteId::from("one".to_owned());
    let text = "Bytes that somebody relies on.";
    let bytes = Bytes::from_static(text.as_bytes());
    let id = blobs.put(&site, bytes.clone()).await?;
    let path = file_named(files, id.as_str()).expect("the file of a blob");
    let flipped = text.replacen('B', "b", 1);
    for damaged in [flipped.as_str(), &text[..7], "", &text.repeat(2)] {
        std::fs::write(&path, damaged)?;
        let read = blobs.get(&site, &id).await;
        let Err(StoreError::DamagedFile { blob }) = &read else {
            anyhow::bail!("{damaged:?} was read: {read:?}");
        };
        assert_eq!(*blob, id);
        assert_eq!(blobs.put(&site, bytes.clone()).await?, id);
        assert_eq!(blobs.get(&site, &id).await?, bytes, "{damaged:?}");
    }
    std::fs::remove_file(&path)?;
    let read = blobs.get(&site, &id).await;
    assert!(matches!(read, Err(StoreError::NotFound { .. })), "{read:?}");
    blobs.put(&site, bytes.clone()).await?;
    assert_eq!(blobs.get(&site, &id).await?, bytes);
    Ok(())
}

fn file_named(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().is_some_and(|found| found == name) {
                return Some(path);
            }
        }
    }
    None
}

#[tokio::test]
async fn a_folder_keeps_blobs() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let place = BlobPlace::Folder(folder.path().join("blobs"));
    check(&Blobs::open(&place)?).await?;
    check_damage(&Blobs::open(&place)?, folder.path()).await
}

/// A file that is whole keeps its time: it is looked at and not written.
#[tokio::test]
async fn bytes_that_are_there_are_not_written_again() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let blobs = Blobs::open(&BlobPlace::Folder(folder.path().to_owned()))?;
    let site = SiteId::from("one".to_owned());
    let bytes = Bytes::from_static(b"hello world");
    let id = blobs.put(&site, bytes.clone()).await?;
    let path = file_named(folder.path(), id.as_str()).expect("the file of a blob");
    let inode = |path: &Path| -> Result<u64> {
        use std::os::unix::fs::MetadataExt as _;
        Ok(std::fs::metadata(path)?.ino())
    };
    let before = inode(&path)?;
    blobs.put(&site, bytes).await?;
    assert_eq!(inode(&path)?, before);
    Ok(())
}

#[tokio::test]
async fn a_bucket_keeps_blobs() -> Result<()> {
    let folder = tempfile::tempdir()?;
    std::fs::create_dir(folder.path().join("bucket"))?;
    let files = s3s_fs::FileSystem::new(folder.path()).expect("the S3 server's folder");
    let mut builder = s3s::service::S3ServiceBuilder::new(files);
    builder.set_auth(s3s::auth::SimpleAuth::from_single("id", "key"));
    let service = builder.build();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let endpoint = format!("http://{}", listener.local_addr()?);
    let mut server = tokio::task::JoinSet::new();
    server.spawn(async move {
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            let service = service.clone();
            connections.spawn(async move {
                let io = hyper_util::rt::TokioIo::new(stream);
                let http = hyper_util::server::conn::auto::Builder::new(
                    hyper_util::rt::TokioExecutor::new(),
                );
                http.serve_connection(io, service).await
            });
        }
    });
    let place = S3Place {
        bucket: "bucket".to_owned(),
        prefix: "sitewright/blobs".to_owned(),
        region: "us-east-1".to_owned(),
        endpoint: Some(endpoint),
        access_key_id: "id".to_owned(),
        secret_access_key: SecretString::from("key"),
    };
    let blobs = Blobs::open(&BlobPlace::S3(place))?;
    check(&blobs).await?;
    check_damage(&blobs, folder.path()).await
}
