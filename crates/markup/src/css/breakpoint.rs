//! Breakpoints: widths for which the editor shows a frame, and the blocks that belong to each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::media::Query;

/// A width that the editor shows a frame for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Breakpoint {
    /// What blocks and tools call it.
    pub id: String,
    /// What people call it.
    pub label: String,
    /// The width of its frame in pixels.
    pub width: u32,
    /// Where its styles apply, such as `(max-width: 768px)`. Without a query its frame shows the base styles, which apply at
    /// every width: a frame's width is no upper bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
}

impl Breakpoint {
    /// A breakpoint for this width and below.
    pub fn up_to(id: &str, label: &str, width: u32) -> Self {
        Self::of(id, label, width, Some(format!("(max-width: {width}px)")))
    }

    /// A breakpoint for this width and above.
    pub fn from_width(id: &str, label: &str, width: u32) -> Self {
        Self::of(id, label, width, Some(format!("(min-width: {width}px)")))
    }

    /// A frame for the base styles.
    pub fn base(id: &str, label: &str, width: u32) -> Self {
        Self::of(id, label, width, None)
    }

    /// The same breakpoint with a frame of another width, for styles that also apply on wider screens than the one shown.
    pub fn with_frame(self, width: u32) -> Self {
        Self { width, ..self }
    }

    /// The breakpoints of a new site. Phones are up to 640 px wide and tablets up to 1024 px; the frames show a common device of each.
    pub fn defaults() -> Vec<Self> {
        vec![
            Self::up_to("mobile", "Mobile", 640).with_frame(390),
            Self::up_to("tablet", "Tablet", 1024).with_frame(768),
            Self::base("desktop", "Desktop", 1440),
        ]
    }

    /// The position of its blocks in the cascade, for sorting: the base first, then lower bounds from narrow to wide, then upper
    /// bounds from wide to narrow, so that of two breakpoints that match, the more specific one wins. Queries that bound
    /// something else come last.
    pub fn cascade_order(&self) -> CascadeOrder {
        self.query.as_deref().map_or(CascadeOrder::Base, |query| {
            CascadeOrder::of(&Query::read(query))
        })
    }

    /// The widest screen its styles apply to, in pixels, where its query says so and nothing else.
    pub fn width_max(&self) -> Option<u32> {
        let (None, Some(most)) = Query::read(self.query.as_deref()?).bounds()? else {
            return None;
        };
        u32::try_from(most / 1000).ok()
    }

    /// The wrapper of blocks that belong to it; `None` for the base.
    pub fn wrapper(&self) -> Option<String> {
        self.query.as_ref().map(|query| format!("@media {query}"))
    }

    fn of(id: &str, label: &str, width: u32, query: Option<String>) -> Self {
        Self {
            id: id.to_owned(),
            label: label.to_owned(),
            width,
            query,
        }
    }
}

/// A position in the cascade; a later one wins over an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CascadeOrder {
    /// Every width.
    Base,
    /// From a width on, in thousandths of a pixel.
    From(i64),
    /// Up to a width, in thousandths of a pixel.
    UpTo(std::cmp::Reverse<i64>),
    /// Any other condition.
    Other,
}

impl CascadeOrder {
    fn of(query: &Query) -> Self {
        match query.bounds() {
            Some((_, Some(most))) => Self::UpTo(std::cmp::Reverse(most)),
            Some((Some(least), None)) => Self::From(least),
            Some((None, None)) | None => Self::Other,
        }
    }
}

/// What a block's wrappers mean to the editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum StyleContext {
    /// It applies at every width.
    Base,
    /// It belongs to the breakpoint with this id.
    Breakpoint(String),
    /// It applies under a condition that no breakpoint has.
    Other,
}

/// The breakpoint that wrappers belong to.
///
/// Queries are compared by meaning rather than spelling, and exactly: 767px is not 768px. Nested media queries count as
/// one; any other at-rule makes a context of its own.
pub fn context_of(wrappers: &[String], breakpoints: &[Breakpoint]) -> StyleContext {
    if wrappers.is_empty() {
        return StyleContext::Base;
    }
    let mut query: Option<Query> = None;
    for wrapper in wrappers {
        let Some(text) = media_query(wrapper) else {
            return StyleContext::Other;
        };
        let inner = Query::read(text);
        query = match query {
            None => Some(inner),
            Some(outer) => match outer.and(inner) {
                Some(both) => Some(both),
                None => return StyleContext::Other,
            },
        };
    }
    breakpoints
        .iter()
        .find(|breakpoint| breakpoint.query.as_deref().map(Query::read) == query)
        .map_or(StyleContext::Other, |breakpoint| {
            StyleContext::Breakpoint(breakpoint.id.clone())
        })
}

fn media_query(wrapper: &str) -> Option<&str> {
    let rest = wrapper.strip_prefix('@')?;
    let name = rest.get(..5)?;
    let query = rest.get(5..)?;
    let ends = query.is_empty() || query.starts_with([' ', '(']);
    (name.eq_ignore_ascii_case("media") && ends).then_some(query)
}
