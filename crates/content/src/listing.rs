//! What every `get` tool has in common: one selector, and the form of its answer.

use schemars::JsonSchema;
use serde::Serialize;
use sitewright_site::Stop;

/// How many items an answer has, unless the call says otherwise.
pub(crate) const LIMIT: u32 = 50;
/// The most items of one answer.
const LIMIT_MAX: u32 = 200;

/// The answer of a `get` tool.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Listing<T> {
    success: bool,
    /// How many items there are here.
    count: usize,
    items: Vec<T>,
    /// How many there are in all.
    total: u64,
    /// The cursor of the items that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

impl<T> Listing<T> {
    pub(crate) fn new(items: Vec<T>, total: u64, next: Option<String>) -> Self {
        Self {
            success: true,
            count: items.len(),
            items,
            total,
            next,
        }
    }
}

impl<T> Listing<T> {
    /// A page of things that are all known.
    pub(crate) fn page_of(
        all: Vec<T>,
        wanted: Option<u32>,
        cursor: Option<&str>,
    ) -> Result<Self, Stop> {
        let (limit, total) = (limit(wanted)? as usize, all.len());
        let from = offset(cursor)?;
        let next = (from.saturating_add(limit) < total).then(|| (from + limit).to_string());
        let items = all.into_iter().skip(from).take(limit).collect();
        Ok(Self::new(items, total as u64, next))
    }
}

/// Where a page of a list begins that is cut by position.
pub(crate) fn offset(cursor: Option<&str>) -> Result<usize, Stop> {
    match cursor {
        None => Ok(0),
        Some(cursor) => cursor.parse().map_err(|_bad| {
            Stop::invalid_at("cursor", "cursor must be the `next` of the answer before.")
        }),
    }
}

/// The number of items that a call asks for.
pub(crate) fn limit(wanted: Option<u32>) -> Result<u32, Stop> {
    match wanted {
        None => Ok(LIMIT),
        Some(limit) if (1..=LIMIT_MAX).contains(&limit) => Ok(limit),
        Some(_) => Err(Stop::invalid_at(
            "limit",
            format!("limit must be from 1 to {LIMIT_MAX}; use cursor for more."),
        )),
    }
}

/// The selectors of a tool: which of them a call uses.
pub(crate) struct Selectors<'a> {
    /// Each with whether it is given.
    pub(crate) all: &'a [(&'a str, bool)],
    /// The message when none is given, which names every selector.
    pub(crate) missing: &'a str,
}

impl Selectors<'_> {
    /// Refuses a call that has no selector, or more than one.
    pub(crate) fn check(&self) -> Result<(), Stop> {
        let given: Vec<&str> = self
            .all
            .iter()
            .filter(|(_, is_given)| *is_given)
            .map(|(name, _)| *name)
            .collect();
        match given.as_slice() {
            [_] => Ok(()),
            [] => Err(Stop::invalid(self.missing)),
            several => Err(Stop::invalid(format!(
                "{}, and only one of them; this call has {}.",
                self.missing.trim_end_matches('.'),
                several.join(" and ")
            ))),
        }
    }
}
