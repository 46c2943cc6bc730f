//! YAML as JSON values, with the line of every node.
//!
//! The rules are those of YAML 1.2's core schema, which OpenAPI names: `on` and `yes` are texts. Aliases are copied, so their number of
//! nodes is bounded; a document of a few lines could otherwise unfold into gigabytes.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

use super::source::{SyntaxProblem, line_number};

/// How many nodes copies of aliases may add. What is written out is bounded by the size of the text.
const COPIED_NODES_MAX: usize = 200_000;
/// The same as for JSON, whose parser goes no deeper.
const DEPTH_MAX: usize = 120;

/// The line of a node and of what is in it, in the order of its JSON value.
#[derive(Debug, Clone)]
pub(crate) struct NodeLines {
    /// Of a field, the line of its key.
    pub(crate) line: u32,
    pub(crate) children: Vec<NodeLines>,
}

#[derive(Clone)]
struct Node {
    value: Value,
    lines: NodeLines,
    /// How many nodes it has, itself included.
    size: usize,
}

enum Frame {
    List {
        anchor: usize,
        line: u32,
        items: Vec<Node>,
    },
    Fields {
        anchor: usize,
        line: u32,
        fields: Vec<Field>,
        key: Option<Key>,
    },
}

struct Key {
    text: String,
    line: u32,
    is_merge: bool,
}

struct Field {
    key: Key,
    node: Node,
}

/// Parses the first and only document of a text.
pub(crate) fn parse(text: &str) -> Result<ParsedYaml, SyntaxProblem> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            SyntaxProblem::new(line_number(error.marker().line()), error.info())
        })?;
        builder.take(event, line_number(span.start.line()))?;
    }
    let root = builder
        .root
        .ok_or_else(|| SyntaxProblem::new(1, "the document is empty"))?;
    Ok(ParsedYaml {
        value: root.value,
        lines: root.lines,
    })
}

pub(crate) struct ParsedYaml {
    pub(crate) value: Value,
    pub(crate) lines: NodeLines,
}

#[derive(Default)]
struct Builder {
    stack: Vec<Frame>,
    anchors: HashMap<usize, Node>,
    copied: usize,
    root: Option<Node>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, line: u32) -> Result<(), SyntaxProblem> {
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(_) if self.root.is_some() => Err(SyntaxProblem::new(
                line,
                "a second document begins here; keep one document per file",
            )),
            Event::DocumentStart(_) => Ok(()),
            Event::Alias(anchor) => {
                let Some(node) = self.anchors.get(&anchor) else {
                    return Err(SyntaxProblem::new(
                        line,
                        "an alias points to something that contains it, or to nothing",
                    ));
                };
                // Before the copy is made, because it may be large.
                self.copied += node.size;
                if self.copied > COPIED_NODES_MAX {
                    return Err(SyntaxProblem::new(
                        line,
                        "its aliases unfold into too much; write the parts out, or use `$ref`",
                    ));
                }
                let node = node.clone();
                self.put(node, line)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let is_key = matches!(self.stack.last(), Some(Frame::Fields { key: None, .. }));
                if is_key {
                    let is_merge = style == ScalarStyle::Plain && text == "<<";
                    self.set_key(text.into_owned(), is_merge, line);
                    return Ok(());
                }
                let node = Node {
                    value: scalar(&text, style, tag.as_deref()),
                    lines: NodeLines {
                        line,
                        children: Vec::new(),
                    },
                    size: 1,
                };
                self.close(node, anchor, line)
            }
            Event::SequenceStart(anchor, _) => self.open(
                Frame::List {
                    anchor,
                    line,
                    items: Vec::new(),
                },
                line,
            ),
            Event::MappingStart(anchor, _) => self.open(
                Frame::Fields {
                    anchor,
                    line,
                    fields: Vec::new(),
                    key: None,
                },
                line,
            ),
            Event::SequenceEnd | Event::MappingEnd => self.end(line),
        }
    }

    fn open(&mut self, frame: Frame, line: u32) -> Result<(), SyntaxProblem> {
        if matches!(self.stack.last(), Some(Frame::Fields { key: None, .. })) {
            return Err(SyntaxProblem::new(line, "a key must be a text"));
        }
        if self.stack.len() >= DEPTH_MAX {
            return Err(SyntaxProblem::new(
                line,
                &format!("it is nested more than {DEPTH_MAX} levels deep"),
            ));
        }
        self.stack.push(frame);
        Ok(())
    }

    fn set_key(&mut self, text: String, is_merge: bool, line: u32) {
        if let Some(Frame::Fields { key, .. }) = self.stack.last_mut() {
            *key = Some(Key {
                text,
                line,
                is_merge,
            });
        }
    }

    fn end(&mut self, end_line: u32) -> Result<(), SyntaxProblem> {
        let Some(frame) = self.stack.pop() else {
            return Ok(());
        };
        let (node, anchor, line) = match frame {
            Frame::List {
                anchor,
                line,
                items,
            } => (list(items, line), anchor, line),
            Frame::Fields {
                anchor,
                line,
                fields,
                ..
            } => (object(fields, line, end_line)?, anchor, line),
        };
        self.close(node, anchor, line)
    }

    fn close(&mut self, node: Node, anchor: usize, line: u32) -> Result<(), SyntaxProblem> {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.put(node, line)
    }

    fn put(&mut self, node: Node, line: u32) -> Result<(), SyntaxProblem> {
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some(Frame::List { items, .. }) => items.push(node),
            Some(Frame::Fields { fields, key, .. }) => match key.take() {
                Some(key) => fields.push(Field { key, node }),
                // An alias in the place of a key.
                None => match node.value {
                    Value::String(text) => {
                        *key = Some(Key {
                            text,
                            line,
                            is_merge: false,
                        });
                    }
                    _ => return Err(SyntaxProblem::new(line, "a key must be a text")),
                },
            },
        }
        Ok(())
    }
}

fn list(items: Vec<Node>, line: u32) -> Node {
    let mut values = Vec::with_capacity(items.len());
    let mut children = Vec::with_capacity(items.len());
    let mut size = 1;
    for item in items {
        size += item.size;
        values.push(item.value);
        children.push(item.lines);
    }
    Node {
        value: Value::Array(values),
        lines: NodeLines { line, children },
        size,
    }
}

/// A field that is written twice has its last value, as JSON parsers have it. Merged fields (`<<`) only fill gaps.
fn object(fields: Vec<Field>, line: u32, end_line: u32) -> Result<Node, SyntaxProblem> {
    let mut map = Map::with_capacity(fields.len());
    let mut children: Vec<NodeLines> = Vec::with_capacity(fields.len());
    let mut merged = Vec::new();
    let mut size = 1;
    for Field { key, node } in fields {
        size += node.size;
        if key.is_merge {
            merged.push(node);
            continue;
        }
        let lines = NodeLines {
            line: key.line,
            ..node.lines
        };
        match map.keys().position(|known| *known == key.text) {
            Some(at) => children[at] = lines,
            None => children.push(lines),
        }
        map.insert(key.text, node.value);
    }
    for node in merged {
        merge(node, &mut map, &mut children).ok_or_else(|| {
            SyntaxProblem::new(end_line, "`<<` merges something that is not an object")
        })?;
    }
    Ok(Node {
        value: Value::Object(map),
        lines: NodeLines { line, children },
        size,
    })
}

fn merge(node: Node, map: &mut Map<String, Value>, children: &mut Vec<NodeLines>) -> Option<()> {
    match node.value {
        Value::Object(fields) => {
            for ((name, value), lines) in fields.into_iter().zip(node.lines.children) {
                if !map.contains_key(&name) {
                    map.insert(name, value);
                    children.push(lines);
                }
            }
        }
        Value::Array(items) => {
            for (value, lines) in items.into_iter().zip(node.lines.children) {
                let size = 0;
                merge(Node { value, lines, size }, map, children)?;
            }
        }
        _ => return None,
    }
    Some(())
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Value {
    let is_text = style != ScalarStyle::Plain
        || tag.is_some_and(|tag| !tag.is_yaml_core_schema() || tag.suffix == "str");
    if is_text {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        text => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(Number::from);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let plain = text.strip_prefix('+').unwrap_or(text);
    if is_whole {
        let whole = plain.parse::<i64>().map(Number::from).ok();
        let whole = whole.or_else(|| plain.parse::<u64>().map(Number::from).ok());
        return whole.or_else(|| Number::from_f64(plain.parse().ok()?));
    }
    // Rust also parses `inf`, `nan` and `infinity`, which are texts here.
    let is_fraction = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.bytes().any(|byte| byte.is_ascii_digit())
        && digits
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'-' | b'+'));
    is_fraction
        .then(|| plain.parse::<f64>().ok())
        .flatten()
        .and_then(Number::from_f64)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::parse;

    fn check(text: &str, expected: Value) {
        let found = parse(text).map(|parsed| parsed.value);
        assert_eq!(
            found.map_err(|problem| problem.to_string()),
            Ok(expected),
            "{text}"
        );
    }

    fn refuse(text: &str, expected: &str) {
        let found = parse(text).map(|parsed| parsed.value);
        assert_eq!(
            found.map_err(|problem| problem.to_string()),
            Err(expected.to_owned()),
            "{text}"
        );
    }

    #[test]
    fn scalars_have_the_types_of_the_core_schema() {
        check(
            "a: 1\nb: 1.5\nc: true\nd: on\ne: '1'\nf: ~\ng: 2024-01-01\nh: 0x10\ni: -3\nj: 1.0.0\nk: .nan\nl: 1e3",
            json!({ "a": 1, "b": 1.5, "c": true, "d": "on", "e": "1", "f": null, "g": "2024-01-01", "h": 16, "i": -3,
                "j": "1.0.0", "k": ".nan", "l": 1000.0 }),
        );
        check(
            "200:\n  description: ok",
            json!({ "200": { "description": "ok" } }),
        );
        check(
            "a: !!str 5\nb: |\n  two\n  lines\n",
            json!({ "a": "5", "b": "two\nlines\n" }),
        );
    }

    #[test]
    fn aliases_are_copied_and_merged_fields_fill_gaps() {
        check(
            "base: &base {x: 1, y: 2}\none: *base\ntwo:\n  <<: *base\n  y: 3",
            json!({ "base": { "x": 1, "y": 2 }, "one": { "x": 1, "y": 2 }, "two": { "y": 3, "x": 1 } }),
        );
        check("a: 1\na: 2", json!({ "a": 2 }));
    }

    #[test]
    fn what_would_unfold_without_end_is_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = level - 1;
            let items = vec![format!("*a{before}"); 10].join(", ");
            text.push_str(&format!("a{level}: &a{level} [{items}]\n"));
        }
        let problem = parse(&text).map(|_| ()).unwrap_err().to_string();
        assert!(
            problem
                .ends_with("its aliases unfold into too much; write the parts out, or use `$ref`"),
            "{problem}"
        );
        refuse(
            "a: &a [*a]",
            "line 1: an alias points to something that contains it, or to nothing",
        );
    }

    #[test]
    fn broken_text_is_told_with_its_line() {
        refuse("", "line 1: the document is empty");
        refuse("? [a]\n: b", "line 1: a key must be a text");
        assert!(parse("a: 1\n b: [").is_err());
        refuse(
            "a: 1\n---\nb: 2",
            "line 2: a second document begins here; keep one document per file",
        );
        let deep = "[".repeat(150);
        refuse(&deep, "line 1: it is nested more than 120 levels deep");
    }
}
