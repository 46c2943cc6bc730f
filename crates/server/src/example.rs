//! The content of a new site: the name it was given, and the example, committed through the gate like any change.

use sitewright_site::{Author, Change, ChangeId, Entity, FORMAT, Op, example_ops};
use sitewright_store::{CommitError, Committer, Stamp, StoreError};
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

/// Names the first site, which may have been created without a name, and adds the example, unless the site has been changed already.
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
    if first == FirstSite::Example && live.seq() == 1 {
        let pages: Vec<_> = live.site().shell.pages.iter().map(|(id, _)| id).collect();
        for page in pages {
            live.open(page).await?;
        }
        let example = example_ops(live.site_mut(), id.clone(), by.at.millis());
        ops.extend(example.map_err(BeginError::Example)?);
        summary = "Added the example site";
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
