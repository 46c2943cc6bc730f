//! The target of an address on a site. Only the site knows whether the target exists and where it is.

use schemars::JsonSchema;
use sitewright_tool::tagged;

use crate::BodyId;

tagged! {
    /// What an address leads to.
    #[derive(Debug, Clone, PartialEq, Eq, Hash, JsonSchema)]
    tag "type" (rename_all = "camelCase", deny_unknown_fields)
    pub enum Reference {
        /// A page.
        Page {
            /// The page.
            id: BodyId,
        },
        /// An entry of a collection.
        Entry {
            /// The entry.
            id: String,
        },
        /// A picture or another file.
        Media {
            /// The file.
            id: String,
        },
    }
}
