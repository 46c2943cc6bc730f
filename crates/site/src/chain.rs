//! An ordered list whose items are found, moved and removed by id, each at a cost independent of the list's length.

use std::borrow::Cow;
use std::collections::HashMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A doubly linked list of items, indexed by id.
#[derive(Debug, Clone)]
pub struct Chain<I, T> {
    links: HashMap<I, Link<I, T>>,
    first: Option<I>,
    last: Option<I>,
}

#[derive(Debug, Clone)]
struct Link<I, T> {
    item: T,
    before: Option<I>,
    after: Option<I>,
}

/// The position of an item: after another one, or first.
pub(crate) type After<I> = Option<I>;

impl<I, T> Default for Chain<I, T> {
    fn default() -> Self {
        Self {
            links: HashMap::new(),
            first: None,
            last: None,
        }
    }
}

impl<I: Copy + Eq + std::hash::Hash, T> Chain<I, T> {
    /// The item with this id.
    pub fn get(&self, id: I) -> Option<&T> {
        self.links.get(&id).map(|link| &link.item)
    }

    pub(crate) fn get_mut(&mut self, id: I) -> Option<&mut T> {
        self.links.get_mut(&id).map(|link| &mut link.item)
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The last item's id.
    pub fn last(&self) -> Option<I> {
        self.last
    }

    /// The id of the item before this one.
    pub fn before(&self, id: I) -> After<I> {
        self.links.get(&id)?.before
    }

    /// The items in order.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        let mut next = self.first;
        std::iter::from_fn(move || {
            let id = next?;
            let link = self.links.get(&id)?;
            next = link.after;
            Some((id, &link.item))
        })
    }

    /// The items in memory order, which is faster when the order does not matter.
    pub(crate) fn in_any_order(&self) -> impl Iterator<Item = (I, &T)> {
        self.links.iter().map(|(id, link)| (*id, &link.item))
    }

    /// Inserts an item after `after`, or first. If the anchor does not exist, the item becomes the last. Returns the item that
    /// had this id before.
    pub(crate) fn insert(&mut self, id: I, item: T, after: After<I>) -> Option<T> {
        let replaced = self.remove(id).map(|(item, _)| item);
        let before = match after {
            Some(anchor) if !self.links.contains_key(&anchor) => self.last,
            after => after,
        };
        let behind = match before {
            Some(before) => self
                .links
                .get_mut(&before)
                .and_then(|link| link.after.replace(id)),
            None => self.first.replace(id),
        };
        match behind {
            Some(behind) => {
                if let Some(link) = self.links.get_mut(&behind) {
                    link.before = Some(id);
                }
            }
            None => self.last = Some(id),
        }
        self.links.insert(
            id,
            Link {
                item,
                before,
                after: behind,
            },
        );
        replaced
    }

    /// Moves an item and returns its former predecessor. An item that is its own anchor stays in place.
    pub(crate) fn relocate(&mut self, id: I, after: After<I>) -> Option<After<I>> {
        let (item, was) = self.remove(id)?;
        self.insert(id, item, if after == Some(id) { was } else { after });
        Some(was)
    }

    /// Removes an item and returns it with its predecessor.
    pub(crate) fn remove(&mut self, id: I) -> Option<(T, After<I>)> {
        let Link {
            item,
            before,
            after,
        } = self.links.remove(&id)?;
        match before.and_then(|before| self.links.get_mut(&before)) {
            Some(link) => link.after = after,
            None => self.first = after,
        }
        match after.and_then(|after| self.links.get_mut(&after)) {
            Some(link) => link.before = before,
            None => self.last = before,
        }
        Some((item, before))
    }
}

impl<I: Copy + Eq + std::hash::Hash, T: PartialEq> PartialEq for Chain<I, T> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<I: Copy + Eq + std::hash::Hash + Serialize, T: Serialize> Serialize for Chain<I, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, I: Copy + Eq + std::hash::Hash + DeserializeOwned, T: DeserializeOwned> Deserialize<'de>
    for Chain<I, T>
{
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut chain = Self::default();
        for (id, item) in Vec::<(I, T)>::deserialize(deserializer)? {
            let last = chain.last;
            chain.insert(id, item, last);
        }
        Ok(chain)
    }
}

impl<I: JsonSchema, T: JsonSchema> JsonSchema for Chain<I, T> {
    fn schema_name() -> Cow<'static, str> {
        format!("ChainOf{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Vec::<(I, T)>::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Chain;

    proptest! {
        #[test]
        fn it_behaves_as_a_plain_list(steps in proptest::collection::vec((any::<bool>(), 0u8..12, proptest::option::of(0u8..12)), 0..60)) {
            let mut chain: Chain<u8, u8> = Chain::default();
            let mut list: Vec<u8> = Vec::new();
            for (insert, id, after) in steps {
                let position = list.iter().position(|known| *known == id);
                if insert {
                    if let Some(position) = position {
                        list.remove(position);
                    }
                    let at = match after {
                        None => 0,
                        Some(anchor) => list.iter().position(|known| *known == anchor).map_or(list.len(), |found| found + 1),
                    };
                    list.insert(at, id);
                    chain.insert(id, id, after);
                } else {
                    let removed = chain.remove(id);
                    let before = position.and_then(|position| position.checked_sub(1)).map(|at| list[at]);
                    prop_assert_eq!(removed, position.map(|_| (id, before)));
                    if let Some(position) = position {
                        list.remove(position);
                    }
                }
                prop_assert_eq!(chain.iter().map(|(id, _)| id).collect::<Vec<_>>(), list.clone());
                prop_assert_eq!(chain.last(), list.last().copied());
            }
            let text = serde_json::to_string(&chain).unwrap();
            prop_assert_eq!(serde_json::from_str::<Chain<u8, u8>>(&text).unwrap(), chain);
        }
    }
}
