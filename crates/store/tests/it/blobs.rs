//! Blobs in a folder and in a bucket, by the same test. The bucket is a real S3 server on loopback.

use anyhow::Result;
use bytes::Bytes;
use secrecy::SecretString;
use sitewright_store::{BlobId, BlobPlace, Blobs, S3Place, SiteId};

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
    blobs.remove(&site, &id).await?;
    blobs.remove(&site, &id).await?;
    assert!(blobs.get(&site, &id).await.is_err());
    Ok(())
}

#[tokio::test]
async fn a_folder_keeps_blobs() -> Result<()> {
    let folder = tempfile::tempdir()?;
    check(&Blobs::open(&BlobPlace::Folder(
        folder.path().join("blobs"),
    ))?)
    .await
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
    check(&Blobs::open(&BlobPlace::S3(place))?).await
}
