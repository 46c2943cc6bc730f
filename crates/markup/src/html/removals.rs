//! Counts what was removed, by kind and place.

use std::collections::BTreeMap;

use sitewright_tool::Sanitised;

/// Hostile input can contain any number of distinct kinds; those beyond the limit are counted together.
const KINDS_MAX: usize = 100;
/// Longer names are truncated: they come from outside and end up in a report.
const NAME_MAX: usize = 80;

#[derive(Debug, Default)]
pub(super) struct Removals {
    counts: BTreeMap<(String, String), u32>,
}

impl Removals {
    /// Counts something that was removed from the element with this tag.
    pub(super) fn add(&mut self, what: &str, at: &str) {
        self.add_times(what, at, 1);
    }

    pub(super) fn append(&mut self, more: Self) {
        for ((what, at), count) in more.counts {
            self.add_times(&what, &at, count);
        }
    }

    fn add_times(&mut self, what: &str, at: &str, count: u32) {
        let mut key = (cut(what), cut(at));
        if self.counts.len() >= KINDS_MAX && !self.counts.contains_key(&key) {
            key = ("other things".to_owned(), "several tags".to_owned());
        }
        let sum = self.counts.entry(key).or_default();
        *sum = sum.saturating_add(count);
    }

    pub(super) fn into_list(self) -> Vec<Sanitised> {
        self.counts
            .into_iter()
            .map(|((what, at), count)| Sanitised { what, at, count })
            .collect()
    }
}

fn cut(name: &str) -> String {
    name.chars().take(NAME_MAX).collect()
}
