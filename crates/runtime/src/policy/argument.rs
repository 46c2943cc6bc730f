//! Arguments as policies see them: flattened, limited in number, and only of types that Cedar has.
//!
//! They are never parsed as Cedar's JSON, in which `__entity` and `__extn` have a special meaning.

use cedar_policy::{Entities, Entity, RestrictedExpression};
use serde_json::Value;

use super::language::Language;

/// The maximum number of arguments that policies see.
const ARGUMENTS_MAX: usize = 64;
/// The longest string that policies see.
const TEXT_BYTES_MAX: usize = 4096;
/// How many values are visited to find them.
const VISITS_MAX: usize = 4096;
/// The longest JSON pointer to an argument.
const POINTER_BYTES_MAX: usize = 1024;

/// A value of a type that Cedar has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Leaf<'a> {
    Text(&'a str),
    Number(i64),
    Flag(bool),
}

/// The arguments by JSON pointer, and whether none was left out.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Flat<'a> {
    pub(super) leaves: Vec<(String, Leaf<'a>)>,
    pub(super) complete: bool,
}

/// Flattens arguments breadth first, so that padding at deeper levels cannot push out arguments at the top. Fields are sorted by
/// name, so that equal arguments always give the same result.
pub(super) fn flatten(arguments: &Value) -> Flat<'_> {
    let mut flat = Flat {
        leaves: Vec::new(),
        complete: true,
    };
    let mut level = vec![(String::new(), arguments)];
    let mut visits = 0;
    while !level.is_empty() {
        let mut below = Vec::new();
        for (pointer, value) in level {
            visits += 1;
            if visits > VISITS_MAX || pointer.len() > POINTER_BYTES_MAX {
                flat.complete = false;
                continue;
            }
            let room = VISITS_MAX.saturating_sub(visits + below.len());
            match value {
                Value::Null => {}
                Value::Bool(flag) => flat.push(pointer, Some(Leaf::Flag(*flag))),
                Value::Number(number) => flat.push(pointer, number.as_i64().map(Leaf::Number)),
                Value::String(text) => {
                    let short = Some(text).filter(|text| text.len() <= TEXT_BYTES_MAX);
                    flat.push(pointer, short.map(|text| Leaf::Text(text)));
                }
                Value::Array(items) => {
                    flat.complete &= items.len() <= room;
                    let items = items.iter().take(room).enumerate();
                    below.extend(items.map(|(index, item)| (format!("{pointer}/{index}"), item)));
                }
                Value::Object(fields) => {
                    flat.complete &= fields.len() <= room;
                    let mut names: Vec<(&String, &Value)> = fields.iter().collect();
                    if names.len() > room {
                        names.select_nth_unstable_by_key(room, |(name, _)| *name);
                        names.truncate(room);
                    }
                    names.sort_unstable_by_key(|(name, _)| *name);
                    below.extend(names.into_iter().map(|(name, field)| {
                        let name = name.replace('~', "~0").replace('/', "~1");
                        (format!("{pointer}/{name}"), field)
                    }));
                }
            }
        }
        level = below;
    }
    flat
}

impl<'a> Flat<'a> {
    fn push(&mut self, pointer: String, leaf: Option<Leaf<'a>>) {
        match leaf {
            Some(leaf) if self.leaves.len() < ARGUMENTS_MAX => self.leaves.push((pointer, leaf)),
            Some(_) | None => self.complete = false,
        }
    }
}

/// The entities that have the arguments as tags, and whether none was left out.
pub(super) fn entities(language: &Language, arguments: &Value) -> Result<(Entities, bool), String> {
    let flat = flatten(arguments);
    let (mut texts, mut numbers, mut flags) = (Vec::new(), Vec::new(), Vec::new());
    for (pointer, leaf) in flat.leaves {
        match leaf {
            Leaf::Text(text) => {
                texts.push((pointer, RestrictedExpression::new_string(text.to_owned())));
            }
            Leaf::Number(number) => numbers.push((pointer, RestrictedExpression::new_long(number))),
            Leaf::Flag(flag) => flags.push((pointer, RestrictedExpression::new_bool(flag))),
        }
    }
    let holders = [
        (&language.texts, texts),
        (&language.numbers, numbers),
        (&language.flags, flags),
    ];
    let mut entities = Vec::with_capacity(holders.len());
    for (holder, tags) in holders {
        let entity = Entity::new_with_tags(holder.clone(), [], [], tags);
        entities.push(entity.map_err(|error| error.to_string())?);
    }
    let entities = Entities::from_entities(entities, None).map_err(|error| error.to_string())?;
    Ok((entities, flat.complete))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ARGUMENTS_MAX, Leaf, flatten};

    fn pointers(arguments: &Value) -> Vec<String> {
        flatten(arguments)
            .leaves
            .into_iter()
            .map(|(pointer, _)| pointer)
            .collect()
    }

    #[test]
    fn only_texts_whole_numbers_and_flags_are_seen() {
        let arguments = json!({
            "to": ["a@example.com"], "count": -3, "all": true, "rate": 0.5, "none": null, "big": u64::MAX, "a/b~c": { "": "x" }
        });
        let flat = flatten(&arguments);
        assert_eq!(
            flat.leaves,
            [
                ("/all".to_owned(), Leaf::Flag(true)),
                ("/count".to_owned(), Leaf::Number(-3)),
                ("/a~1b~0c/".to_owned(), Leaf::Text("x")),
                ("/to/0".to_owned(), Leaf::Text("a@example.com")),
            ]
        );
        assert!(!flat.complete);
        assert!(flatten(&json!({ "a": [null, {}, []], "b": 1 })).complete);
    }

    #[test]
    fn padding_deep_down_does_not_push_out_what_stands_at_the_top() {
        let padding: Vec<i32> = (0..1_000_000).collect();
        let arguments = json!({ "a": padding, "z": "kept" });
        let flat = flatten(&arguments);
        assert_eq!(flat.leaves[0], ("/z".to_owned(), Leaf::Text("kept")));
        assert_eq!((flat.leaves.len(), flat.complete), (ARGUMENTS_MAX, false));
    }

    #[test]
    fn many_fields_are_cut_in_the_order_of_their_names() {
        let fields = (0..100_000)
            .rev()
            .map(|number| (format!("k{number:06}"), json!(number)));
        let arguments = Value::Object(fields.collect());
        let expected: Vec<String> = (0..64).map(|number| format!("/k{number:06}")).collect();
        assert_eq!(pointers(&arguments), expected);
    }

    #[test]
    fn depth_costs_nothing() {
        let mut arguments = json!("deep");
        for _ in 0..1_000 {
            arguments = Value::Array(vec![arguments]);
        }
        let flat = flatten(&arguments);
        assert_eq!((flat.leaves.len(), flat.complete), (0, false));
    }
}
