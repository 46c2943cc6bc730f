//! The ops from the current state of a site to an earlier one, when the changes in between are no longer stored.

use serde_json::{Map, Value};

use crate::revert::same_thing;
use crate::{Entity, List, Op, Site};

impl Site {
    /// The ops that turn this site into `target`. Every document of either site must be open in it.
    ///
    /// An entity that differs is removed and inserted again as it was, with its ids, because a restore should bring back the
    /// old version and not a mixture of both.
    pub fn ops_to(&self, target: &Self) -> Vec<Op> {
        let mut ops = self.settings_to(target);
        for (mine, theirs) in self.lists().into_iter().zip(target.lists()) {
            let stays = |entity: &Entity| {
                let (mine, theirs) = (self.as_new(*entity), target.as_new(*entity));
                mine.zip(theirs)
                    .is_some_and(|(mine, theirs)| same_thing(&mine, &theirs))
            };
            if mine == theirs && mine.iter().all(stays) {
                continue;
            }
            let (kept, gone): (Vec<Entity>, Vec<Entity>) = mine.into_iter().partition(stays);
            ops.extend(gone.into_iter().map(|entity| Op::Remove { entity }));
            let mut after = None;
            for entity in theirs {
                if kept.contains(&entity) {
                    ops.push(Op::Order { entity, after });
                } else if let Some(new) = target.as_new(entity) {
                    ops.push(Op::Insert { new: Box::new(new) });
                }
                after = Some(entity);
            }
        }
        ops
    }

    /// All entities in lists of the shell, list by list.
    fn lists(&self) -> Vec<Vec<Entity>> {
        let pages = self.shell.pages.iter().map(|(id, _)| Entity::Page { id });
        let components = self.shell.components.iter();
        let items = List::ALL.iter().map(|list| {
            let items = self.shell.items.list(*list);
            items
                .map(|(id, _)| Entity::Item { list: *list, id })
                .collect()
        });
        [
            pages.collect(),
            components.map(|(id, _)| Entity::Component { id }).collect(),
        ]
        .into_iter()
        .chain(items)
        .collect()
    }

    fn settings_to(&self, target: &Self) -> Vec<Op> {
        let fields = |site: &Self| match serde_json::to_value(&site.shell.settings) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) | Err(_) => Map::new(),
        };
        let (mine, theirs) = (fields(self), fields(target));
        let mut names: Vec<&String> = mine.keys().chain(theirs.keys()).collect();
        names.sort_unstable();
        names.dedup();
        names
            .into_iter()
            .filter(|name| mine.get(*name) != theirs.get(*name))
            .map(|name| Op::Put {
                entity: Entity::Site,
                field: name.clone(),
                value: theirs.get(name).cloned().unwrap_or_default(),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::change::tests::{ops, start, written};
    use crate::{Op, Site};

    /// The site without sequences, which a restore stamps again.
    fn content(site: &Site) -> String {
        let mut site = site.clone();
        let entities: Vec<_> = site.revs.keys().copied().collect();
        for entity in entities {
            site.stamp(entity, 0);
        }
        // A restore leaves entries as they are.
        site.records.clear();
        for tree in site.bodies.values_mut() {
            for id in tree.walk(tree.root()).collect::<Vec<_>>() {
                tree.stamp(id, 0);
            }
        }
        written(&site)
    }

    proptest! {
        #[test]
        fn a_site_becomes_the_one_it_was(before in ops(0..20), since in ops(0..20)) {
            let mut site = start();
            site.apply_all(&before, 2);
            let target = site.clone();
            site.apply_all(&since, 3);
            let steps: Vec<Op> = site.ops_to(&target);
            let applied = site.apply_all(&steps, 4);
            prop_assert_eq!(applied.rejected, vec![]);
            prop_assert_eq!(content(&site), content(&target));
            prop_assert_eq!(site.ops_to(&target), vec![]);
        }
    }
}
