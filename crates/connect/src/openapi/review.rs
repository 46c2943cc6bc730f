//! What a new version of a document takes away from the promises of the old one.

use super::import::{Import, ImportedTool};
use super::security::SecurityScheme;

/// What a new version weakens, in sentences: confirmations, personal data, ways back, and where secrets are sent. A person has to
/// accept it before the new version is used; a vendor could otherwise drop a confirmation, or collect the stored credentials, by
/// editing a file.
pub fn weakened_contracts(before: &Import, after: &Import) -> Vec<String> {
    let mut weakened = moved_token_endpoints(before, after);
    for old in &before.tools {
        let name = old.definition.name();
        let mut tools = after.tools.iter();
        let Some(new) = tools.find(|new| new.definition.name() == name) else {
            continue;
        };
        if let (Some(was), Some(is)) = (&old.request.server, &new.request.server)
            && was != is
        {
            weakened.push(format!(
                "`{name}` was called at {was}, and would be at {is}."
            ));
        }
        weakened.extend(weakened_tool(old, new));
    }
    weakened
}

fn moved_token_endpoints(before: &Import, after: &Import) -> Vec<String> {
    let moved = before.schemes.iter().filter_map(|(name, was)| {
        let SecurityScheme::ClientCredentials { token_url: was } = was else {
            return None;
        };
        match after.schemes.get(name)? {
            SecurityScheme::ClientCredentials { token_url: is } if is == was => None,
            SecurityScheme::ClientCredentials { token_url: is } => Some(format!(
                "The credential `{name}` was sent to {was}, and would be to {is}."
            )),
            _ => Some(format!(
                "The credential `{name}` was sent to {was} alone, and would be with every call."
            )),
        }
    });
    moved.collect()
}

fn weakened_tool(old: &ImportedTool, new: &ImportedTool) -> Vec<String> {
    let name = old.definition.name();
    let mut weakened = Vec::new();
    let (was, is) = (&old.definition.manifest, &new.definition.manifest);
    if was.effect() != is.effect() && is.effect() == sitewright_tool::Effect::None {
        weakened.push(format!(
            "`{name}` had an effect, and now says that it only reads."
        ));
    }
    if let Some(kind) = &was.confirmation
        && is.confirmation.as_ref() != Some(kind)
    {
        weakened.push(match &is.confirmation {
            Some(now) => format!("`{name}` asked with {kind}, and would ask with {now}."),
            None => format!("`{name}` asked with {kind}, and would no longer ask by itself."),
        });
    }
    for field in was
        .pii_required
        .iter()
        .filter(|field| !is.pii_required.contains(field))
    {
        weakened.push(format!(
            "`{name}` needed a grant for `{field}`, and would no longer."
        ));
    }
    if let Some(cancels) = &was.cancels
        && is.cancels.as_ref() != Some(cancels)
    {
        weakened.push(match &is.cancels {
            Some(now) => {
                format!("`{name}` was cancelled by `{cancels}`, and would be by `{now}`.")
            }
            None => format!("`{name}` could be cancelled by `{cancels}`, and no longer could."),
        });
    }
    if was.compensation != is.compensation && was.compensation.is_some() {
        weakened.push(format!("`{name}` changes how completely it can be undone."));
    }
    let (old_window, new_window) = (
        old.definition.rollback.window_seconds,
        new.definition.rollback.window_seconds,
    );
    if new_window < old_window {
        weakened.push(format!(
            "`{name}` could be undone for {old_window} seconds, and now for {new_window}."
        ));
    }
    weakened
}
