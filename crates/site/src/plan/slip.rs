//! The complete list of mistakes of form that models commonly make and that can be repaired without a guess.

use schemars::JsonSchema;
use serde::Serialize;

macro_rules! slips {
    ($($name:ident: $about:literal,)*) => {
        /// A slip of form that is repaired.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Slip {
            $(#[doc = $about] $name,)*
        }

        impl Slip {
            /// Every slip that is repaired.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// A sentence that describes the slip.
            pub fn about(self) -> &'static str {
                match self {
                    $(Self::$name => $about,)*
                }
            }
        }
    };
}

slips! {
    PlanAsText: "The plan is a text that holds JSON.",
    Fenced: "The text stands between code fences.",
    Wrapped: "The plan stands alone in an object under a name such as `plan`.",
    FieldAsText: "A list or an object is a text that holds its JSON.",
    FieldSpelling: "A field or an intent is spelled in another case, such as `changeLog`.",
    FieldName: "A field has another usual name, such as `operations` or `page_slug`.",
    TagName: "The name of an operation stands under `type`, `operation` or the like instead of `op`.",
    OpNested: "An operation stands under its name, or its fields under `args` or the like.",
    OpName: "An operation has another usual name, such as `delete_page`.",
    SettingsOutside: "A setting stands beside `settings` instead of in it.",
    NullForAbsent: "A field that is left out is written as null.",
    NumberAsText: "A number or a yes or no is written as a text.",
    OneForList: "One thing stands where a list of them is expected.",
    MarkedId: "An id has marks around it, such as `uid=` or quotes.",
    DocumentForPage: "A page is named by the reference of its document.",
    PageByAddress: "A page is named by its path or slug.",
    PageByTitle: "A page is named by its title.",
    MadePageByAddress: "A page that an earlier operation makes is named by its path, slug or title.",
    IntentMissing: "The intent is missing and there are operations.",
    ChangeLogMissing: "The change log is missing and is made from the operations.",
    TooManySuggestions: "There are more suggestions than are shown; the first are kept.",
}

/// A slip that was put right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Repair {
    /// The slip.
    pub slip: Slip,
    /// Where in the plan, as a JSON pointer.
    pub pointer: String,
    /// What was there, in a few words.
    pub found: String,
    /// What is there now, in a few words.
    pub written: String,
}
