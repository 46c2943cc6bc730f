//! The pages in order, with an index of their slugs, so that finding a free one costs the same however many pages there are.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Deref;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::chain::After;
use crate::{BodyId, Chain, Page};

/// The pages and templates of a site. They can be read as a chain, but are only changed here, which keeps the index of slugs
/// correct.
#[derive(Debug, Clone, Default)]
pub struct Pages {
    chain: Chain<BodyId, Page>,
    slugs: HashMap<Among, Slugs>,
}

/// Identifies pages whose slugs must differ: those with the same parent and language.
type Among = (Option<BodyId>, Option<String>);

/// The slugs of such a group of pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Slugs {
    /// How many pages have each slug. It may be more than one, because a page that moves may bring a slug that is taken.
    held: HashMap<String, usize>,
    /// The numbers used after each base, such as 2 and 3 for `about-2` and `about-3`.
    numbers: HashMap<String, Numbers>,
}

impl Pages {
    /// The page's slug, or if that is taken, the slug with the lowest number from 2 that is free among its siblings.
    pub(crate) fn free_slug(&self, id: BodyId, page: &Page) -> String {
        let among = among(page);
        let Some(slugs) = self.slugs.get(&among) else {
            return page.slug.clone();
        };
        // The page's own current slug does not count as taken.
        let own = self.chain.get(id).filter(|own| self::among(own) == among);
        let own = own.map(|own| own.slug.as_str());
        let others = |slug: &str| {
            let held = slugs.held.get(slug).copied().unwrap_or(0);
            held - usize::from(own == Some(slug))
        };
        if others(&page.slug) == 0 {
            return page.slug.clone();
        }
        let numbers = slugs.numbers.get(&page.slug);
        let free = numbers.map_or(FIRST, Numbers::least_free);
        let own = own.filter(|own| others(own) == 0).and_then(numbered);
        let free = match own {
            Some((base, number)) if base == page.slug => free.min(number),
            _ => free,
        };
        format!("{}-{free}", page.slug)
    }

    pub(crate) fn insert(&mut self, id: BodyId, page: Page, after: After<BodyId>) {
        self.remove(id);
        self.take(among(&page), &page.slug);
        self.chain.insert(id, page, after);
    }

    pub(crate) fn relocate(&mut self, id: BodyId, after: After<BodyId>) -> Option<After<BodyId>> {
        self.chain.relocate(id, after)
    }

    pub(crate) fn remove(&mut self, id: BodyId) -> Option<(Page, After<BodyId>)> {
        let (page, after) = self.chain.remove(id)?;
        self.give_back(&among(&page), &page.slug);
        Some((page, after))
    }

    /// Changes a page in place.
    pub(crate) fn change<T>(
        &mut self,
        id: BodyId,
        change: impl FnOnce(&mut Page) -> T,
    ) -> Option<T> {
        let page = self.chain.get_mut(id)?;
        let was = (among(page), page.slug.clone());
        let changed = change(page);
        let is = (among(page), page.slug.clone());
        if was != is {
            self.give_back(&was.0, &was.1);
            self.take(is.0, &is.1);
        }
        Some(changed)
    }

    fn take(&mut self, among: Among, slug: &str) {
        let slugs = self.slugs.entry(among).or_default();
        let held = slugs.held.entry(slug.to_owned()).or_default();
        *held += 1;
        if *held == 1
            && let Some((base, number)) = numbered(slug)
        {
            let numbers = slugs.numbers.entry(base.to_owned()).or_default();
            numbers.insert(number);
        }
    }

    fn give_back(&mut self, among: &Among, slug: &str) {
        let Some(slugs) = self.slugs.get_mut(among) else {
            return;
        };
        match slugs.held.get_mut(slug) {
            Some(held) if *held > 1 => {
                *held -= 1;
                return;
            }
            _ => slugs.held.remove(slug),
        };
        if let Some((base, number)) = numbered(slug)
            && let Some(numbers) = slugs.numbers.get_mut(base)
        {
            numbers.remove(number);
            if numbers.runs.is_empty() {
                slugs.numbers.remove(base);
            }
        }
        if slugs.held.is_empty() {
            self.slugs.remove(among);
        }
    }
}

fn among(page: &Page) -> Among {
    (page.parent_id, page.locale.clone())
}

/// The number that the second page with a slug gets.
const FIRST: u32 = 2;

/// Splits a slug that looks as if it had been made unique into its base and its number.
fn numbered(slug: &str) -> Option<(&str, u32)> {
    let (base, digits) = slug.rsplit_once('-')?;
    let is_ours = !digits.starts_with(['0', '+']);
    let number = digits.parse().ok().filter(|number| *number >= FIRST)?;
    is_ours.then_some((base, number))
}

/// A set of numbers as contiguous runs: from the first number of each run to its last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Numbers {
    runs: BTreeMap<u32, u32>,
}

impl Numbers {
    fn least_free(&self) -> u32 {
        let run = self.runs.get(&FIRST);
        run.map_or(FIRST, |last| last.saturating_add(1))
    }

    /// Adds a number that is not in the set.
    fn insert(&mut self, number: u32) {
        let before = self.runs.range(..number).next_back();
        let joined = before.filter(|(_, last)| **last == number - 1);
        let first = joined.map_or(number, |(first, _)| *first);
        let behind = number
            .checked_add(1)
            .and_then(|next| self.runs.remove(&next));
        self.runs.insert(first, behind.unwrap_or(number));
    }

    fn remove(&mut self, number: u32) {
        let run = self.runs.range(..=number).next_back();
        let Some((first, last)) = run.map(|(first, last)| (*first, *last)) else {
            return;
        };
        self.runs.remove(&first);
        if first < number {
            self.runs.insert(first, number - 1);
        }
        if number < last {
            self.runs.insert(number + 1, last);
        }
    }
}

impl Deref for Pages {
    type Target = Chain<BodyId, Page>;

    fn deref(&self) -> &Self::Target {
        &self.chain
    }
}

impl PartialEq for Pages {
    fn eq(&self, other: &Self) -> bool {
        self.chain == other.chain
    }
}

impl From<Chain<BodyId, Page>> for Pages {
    fn from(chain: Chain<BodyId, Page>) -> Self {
        let mut pages = Self::default();
        for (_, page) in chain.in_any_order() {
            pages.take(among(page), &page.slug);
        }
        pages.chain = chain;
        pages
    }
}

impl Serialize for Pages {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.chain.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Pages {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Chain::deserialize(deserializer).map(Self::from)
    }
}

impl JsonSchema for Pages {
    fn schema_name() -> Cow<'static, str> {
        Chain::<BodyId, Page>::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Chain::<BodyId, Page>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Pages;
    use crate::{BodyId, Page};

    /// A page is requested, moved or removed.
    #[derive(Debug, Clone)]
    enum Step {
        Insert(u64, Page),
        Change(u64, Page),
        Remove(u64),
    }

    fn page() -> impl Strategy<Value = Page> {
        let slug = prop::sample::select(&[
            "a",
            "a-2",
            "a-3",
            "a-4",
            "a-2-2",
            "a-02",
            "a-1",
            "b",
            "a-99999999999",
        ]);
        let parent = prop::option::of(Just(BodyId::from(9)));
        (slug, parent).prop_map(|(slug, parent_id)| Page {
            parent_id,
            ..Page::new("", slug)
        })
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0u64..6, page()).prop_map(|(id, page)| Step::Insert(id, page)),
            (0u64..6, page()).prop_map(|(id, page)| Step::Change(id, page)),
            (0u64..6).prop_map(Step::Remove),
        ]
    }

    /// The reference implementation: checks every page for every number.
    fn by_looking(pages: &Pages, id: BodyId, page: &Page) -> String {
        let is_taken = |slug: &str| {
            pages.iter().any(|(other, sibling)| {
                other != id && sibling.slug == slug && sibling.parent_id == page.parent_id
            })
        };
        if !is_taken(&page.slug) {
            return page.slug.clone();
        }
        let numbered = (2..).map(|number| format!("{}-{number}", page.slug));
        numbered.into_iter().find(|slug| !is_taken(slug)).unwrap()
    }

    proptest! {
        #[test]
        fn a_free_slug_is_the_one_a_look_at_every_page_finds(steps in prop::collection::vec(step(), 0..30), asked in page()) {
            let mut pages = Pages::default();
            for step in steps {
                match step {
                    Step::Insert(id, page) => pages.insert(BodyId::from(id), page, None),
                    Step::Change(id, page) => drop(pages.change(BodyId::from(id), |known| *known = page)),
                    Step::Remove(id) => drop(pages.remove(BodyId::from(id))),
                }
                for id in (0..7).map(BodyId::from) {
                    prop_assert_eq!(pages.free_slug(id, &asked), by_looking(&pages, id, &asked));
                }
            }
            let anew = Pages::from(pages.chain.clone());
            prop_assert_eq!(anew.slugs, pages.slugs);
        }
    }
}
