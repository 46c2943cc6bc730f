//! The content of a new site: the name it was given, and the example or the base theme, committed through the gate like any change.

use bytes::Bytes;
use sitewright_design::{BUNDLED_FONTS, starter, starter_ops, theme_ops};
use sitewright_site::{
    Author, Change, ChangeId, Entity, FORMAT, FontFamily, FontFile, Op, example_ops,
};
use sitewright_store::{BlobId, CommitError, Committer, LiveSite, SiteId, Stamp, StoreError};
use sitewright_tool::{CapabilitySet, ToolError};

use crate::App;
use crate::settings::FirstSite;

/// Why the first site was left unchanged.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BeginError {
    /// The ops of the example could not be planned.
    #[error("{}", .0.message)]
    Example(ToolError),
    #[error(transparent)]
    Commit(#[from] CommitError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Names the first site, which may have been created without a name, and adds the example or the base theme, unless the site has
/// been changed already.
pub(crate) async fn begin(
    app: &App,
    name: &str,
    first: FirstSite,
    by: &Stamp,
) -> Result<(), BeginError> {
    let store = app.store();
    let Some(site) = store.sites().await?.into_iter().next() else {
        return Ok(());
    };
    let mut live = store.live_site(&site.id).await?;
    let id = ChangeId::of_call("begin", site.id.as_str());
    let (mut ops, mut summary) = (Vec::new(), "Named the site");
    if live.site().shell.settings.name != name {
        ops.push(Op::Put {
            entity: Entity::Site,
            field: "name".to_owned(),
            value: name.into(),
        });
    }
    match first {
        _ if live.seq() != 1 => {}
        FirstSite::Example => {
            open_pages(&mut live).await?;
            let example = example_ops(live.site_mut(), id.clone(), by.at.millis());
            ops.extend(example.map_err(BeginError::Example)?);
            summary = "Added the example site";
        }
        FirstSite::Product | FirstSite::Restaurant | FirstSite::Portfolio => {
            open_pages(&mut live).await?;
            let families = install_bundled_fonts(app, &site.id, by).await?;
            if let Some(starter) = first.starter_key().and_then(starter) {
                let begun = starter_ops(live.site(), starter, families, id.clone());
                ops.extend(begun.map_err(BeginError::Example)?);
            }
            summary = "Added the starter";
        }
        FirstSite::Empty => {
            let families = install_bundled_fonts(app, &site.id, by).await?;
            ops.extend(theme_ops(live.site(), families, id.clone()));
            summary = "Added the base theme";
        }
        FirstSite::Bare => {}
    }
    if ops.is_empty() {
        return Ok(());
    }
    // Not authored by a user, so that their first undo reverts their own first change and not the example.
    let author = Author::Local;
    let change = Change {
        id,
        author: author.clone(),
        turn: None,
        summary: summary.to_owned(),
        expects: live.site().expects(&ops),
        ops,
        format: FORMAT,
    };
    let by = Committer::new(author, CapabilitySet::all(), by.clone());
    live.commit(&change, &by).await?;
    Ok(())
}

async fn open_pages(live: &mut LiveSite) -> Result<(), StoreError> {
    let pages: Vec<_> = live.site().shell.pages.iter().map(|(id, _)| id).collect();
    for page in pages {
        live.open(page).await?;
    }
    Ok(())
}

/// Stores the files of the bundled typefaces on the site. The caller adds the families.
async fn install_bundled_fonts(
    app: &App,
    site: &SiteId,
    by: &Stamp,
) -> Result<Vec<FontFamily>, BeginError> {
    let store = app.store();
    let mut families = Vec::new();
    for font in BUNDLED_FONTS {
        let blob = BlobId::of(font.woff2);
        let files = [blob.clone()];
        store.claim_blobs(site, &files, by.at).await?;
        let bytes = Bytes::from_static(font.woff2);
        app.blobs().put(site, bytes).await?;
        store.add_fonts(site, font.family, &files, by).await?;
        families.push(FontFamily {
            family: font.family.to_owned(),
            files: vec![FontFile {
                weight: font.weight.to_owned(),
                italic: false,
                blob: blob.as_str().to_owned(),
                format: "woff2".to_owned(),
                unicode_range: None,
            }],
        });
    }
    Ok(families)
}
