//! Files of fonts: told once, found by their bytes.

use anyhow::Result;
use sitewright_store::{BlobId, Stamp};

use crate::both::{Fresh, on_both};
use crate::people::NOW;

on_both! {
    a_file_is_told_once_and_found_by_its_bytes
}

async fn a_file_is_told_once_and_found_by_its_bytes(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = store.sites().await?.remove(0).id;
    let (regular, bold) = (BlobId::of(b"regular"), BlobId::of(b"bold"));
    assert_eq!(store.font_site(&regular).await?, None);
    let by = Stamp::local(NOW);
    let both = [regular.clone(), bold];
    for files in [&both[..1], &both, &both] {
        store.add_fonts(&site, "Inter", files, &by).await?;
    }
    assert_eq!(store.font_site(&regular).await?, Some(site.clone()));
    let mut listed: Vec<BlobId> = Vec::new();
    for file in store.fonts(&site).await? {
        assert_eq!(file.family, "Inter");
        listed.push(file.blob);
    }
    listed.sort_unstable();
    let mut expected = both.to_vec();
    expected.sort_unstable();
    assert_eq!(listed, expected);
    let page = store.audit_page(&site, None, 10).await?;
    let told: Vec<String> = page
        .entries
        .iter()
        .filter(|entry| entry.action == "font.installed")
        .map(|entry| entry.detail.clone().unwrap_or_default().to_string())
        .collect();
    assert_eq!(told, ["{\"files\":1}", "{\"files\":1}"]);
    Ok(())
}
