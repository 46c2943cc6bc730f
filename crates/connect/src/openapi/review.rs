//! What a new version of a document takes away from the promises of the old one.

use super::import::ImportedTool;

/// The confirmations, personal data and ways back that a new version weakens, in sentences. A person has to accept them before the
/// new version is used; a vendor could otherwise drop a confirmation by editing a file.
pub fn weakened_contracts(before: &[ImportedTool], after: &[ImportedTool]) -> Vec<String> {
    let mut weakened = Vec::new();
    for old in before {
        let name = old.definition.name();
        let Some(new) = after.iter().find(|new| new.definition.name() == name) else {
            continue;
        };
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
            weakened.push(format!(
                "`{name}` says something else about how completely it can be taken back."
            ));
        }
        let (old_window, new_window) = (
            old.definition.rollback.window_seconds,
            new.definition.rollback.window_seconds,
        );
        if new_window < old_window {
            weakened.push(format!(
                "`{name}` could be taken back for {old_window} seconds, and could be for {new_window}."
            ));
        }
    }
    weakened
}
