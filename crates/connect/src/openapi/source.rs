//! One file of an OpenAPI document: its JSON value, and the line of each part.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use serde_json::Value;

use super::yaml::{self, NodeLines};

/// A text that is neither JSON nor YAML, or unfolds into too much.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxProblem {
    pub(crate) line: u32,
    pub(crate) message: String,
}

impl SyntaxProblem {
    pub(crate) fn new(line: u32, message: &str) -> Self {
        Self {
            line: line.max(1),
            message: message.to_owned(),
        }
    }
}

impl fmt::Display for SyntaxProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.message)
    }
}

/// A parsed file.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) value: Value,
    lines: Lines,
}

#[derive(Debug)]
enum Lines {
    /// The JSON parser does not report positions, so the text is walked once more when the first line is needed.
    Json {
        text: String,
        lines: OnceLock<NodeLines>,
    },
    Yaml(NodeLines),
}

impl Source {
    /// Parses JSON or YAML.
    pub(crate) fn parse(text: &str) -> Result<Self, SyntaxProblem> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let json_problem = match text.trim_start().starts_with(['{', '[']) {
            false => None,
            true => match serde_json::from_str(text) {
                Ok(value) => {
                    return Ok(Self {
                        value,
                        lines: Lines::Json {
                            text: text.to_owned(),
                            lines: OnceLock::new(),
                        },
                    });
                }
                Err(error) => Some(SyntaxProblem::new(
                    line_number(error.line()),
                    &without_place(&error.to_string()),
                )),
            },
        };
        // YAML may begin with a brace as well. If it is neither, it was meant to be JSON.
        let parsed = yaml::parse(text).map_err(|problem| json_problem.unwrap_or(problem))?;
        Ok(Self {
            value: parsed.value,
            lines: Lines::Yaml(parsed.lines),
        })
    }

    /// The line of a JSON pointer; of the nearest part around it if it does not exist.
    pub(crate) fn line(&self, pointer: &str) -> u32 {
        let segments: Vec<String> = segments(pointer).collect();
        let lines = match &self.lines {
            Lines::Json { text, lines } => lines.get_or_init(|| JsonScan::new(text).lines()),
            Lines::Yaml(lines) => lines,
        };
        line_in(&self.value, lines, &segments)
    }
}

pub(crate) fn line_number(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// The decoded segments of a JSON pointer.
pub(crate) fn segments(pointer: &str) -> impl Iterator<Item = String> {
    pointer
        .split('/')
        .skip(1)
        .map(|segment| segment.replace("~1", "/").replace("~0", "~"))
}

/// A JSON pointer with one more segment.
pub(crate) fn child(pointer: &str, segment: &str) -> String {
    format!(
        "{pointer}/{}",
        segment.replace('~', "~0").replace('/', "~1")
    )
}

/// The JSON parser appends the position to its message.
fn without_place(message: &str) -> String {
    let end = message.find(" at line ").unwrap_or(message.len());
    message[..end].to_owned()
}

fn line_in(value: &Value, lines: &NodeLines, segments: &[String]) -> u32 {
    let (mut value, mut lines) = (value, lines);
    for segment in segments {
        let at = match value {
            Value::Object(fields) => fields.keys().position(|name| name == segment),
            Value::Array(_) => segment.parse().ok(),
            _ => None,
        };
        let next = match value {
            Value::Object(fields) => fields.get(segment),
            Value::Array(items) => at.and_then(|at: usize| items.get(at)),
            _ => None,
        };
        let (Some(at), Some(next)) = (at, next) else {
            break;
        };
        let Some(child) = lines.children.get(at) else {
            break;
        };
        (value, lines) = (next, child);
    }
    lines.line
}

/// Walks text that the JSON parser accepted, so it is no deeper than 128 levels.
struct JsonScan<'a> {
    text: &'a str,
    at: usize,
    line: u32,
}

impl<'a> JsonScan<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
        }
    }

    /// The lines of the value that comes next.
    fn lines(&mut self) -> NodeLines {
        self.skip_space();
        let line = self.line;
        let children = match self.peek() {
            Some(b'{') => self.fields(),
            Some(b'[') => self.items(),
            Some(b'"') => {
                self.skip_string();
                Vec::new()
            }
            _ => {
                self.skip_scalar();
                Vec::new()
            }
        };
        NodeLines { line, children }
    }

    fn fields(&mut self) -> Vec<NodeLines> {
        let mut children: Vec<NodeLines> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        self.at += 1;
        loop {
            self.skip_space();
            if self.peek() != Some(b'"') {
                break;
            }
            let (line, from) = (self.line, self.at);
            self.skip_string();
            let key = self.text.get(from..self.at).unwrap_or_default();
            let key: String = serde_json::from_str(key).unwrap_or_default();
            self.skip_space();
            // The colon.
            self.at += 1;
            let node = NodeLines {
                line,
                ..self.lines()
            };
            // A field that is written twice keeps its first place and its last value.
            match places.get(&key) {
                Some(place) => children[*place] = node,
                None => {
                    places.insert(key, children.len());
                    children.push(node);
                }
            }
            if !self.skip_comma() {
                break;
            }
        }
        self.at += 1;
        children
    }

    fn items(&mut self) -> Vec<NodeLines> {
        let mut children = Vec::new();
        self.at += 1;
        self.skip_space();
        if self.peek() != Some(b']') {
            loop {
                children.push(self.lines());
                if !self.skip_comma() {
                    break;
                }
            }
        }
        self.at += 1;
        children
    }

    fn skip_comma(&mut self) -> bool {
        self.skip_space();
        let is_comma = self.peek() == Some(b',');
        self.at += usize::from(is_comma);
        is_comma
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek().filter(u8::is_ascii_whitespace) {
            self.line += u32::from(byte == b'\n');
            self.at += 1;
        }
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => return,
                _ => {}
            }
        }
    }

    fn skip_scalar(&mut self) {
        let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace();
        while self.peek().is_some_and(|byte| !ends(&byte)) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    const JSON: &str =
        "{\n  \"a/b\": {\"x\": [1,\n {\"c\\\"d\": 2},\n \"}\"],\n  \"~y\": 3},\n\n  \"z\": true\n}";
    const YAML: &str =
        "# comment\na/b:\n  x:\n    - 1\n    - c\"d: 2\n    - '}'\n  ~y: 3\n\nz: true\n";

    fn check(text: &str, pointer: &str, expected: u32) {
        assert_eq!(
            Source::parse(text).unwrap().line(pointer),
            expected,
            "{pointer}"
        );
    }

    #[test]
    fn a_pointer_in_json_has_the_line_of_its_key() {
        for (pointer, line) in [
            ("", 1),
            ("/a~1b", 2),
            ("/a~1b/x/0", 2),
            ("/a~1b/x/1", 3),
            ("/a~1b/x/1/c\"d", 3),
            ("/a~1b/x/2", 4),
            ("/a~1b/~0y", 5),
            ("/z", 7),
            ("/a~1b/nowhere/at/all", 2),
            ("/a~1b/x/9", 2),
        ] {
            check(JSON, pointer, line);
        }
    }

    #[test]
    fn a_field_that_is_written_twice_has_its_last_line() {
        check("{\n\"a\": 1,\n\"b\": 2,\n\"a\": 3\n}", "/a", 4);
        check("{\n\"a\": 1,\n\"b\": 2,\n\"a\": 3\n}", "/b", 3);
    }

    #[test]
    fn a_pointer_in_yaml_has_the_line_of_its_key() {
        for (pointer, line) in [
            ("/a~1b", 2),
            ("/a~1b/x", 3),
            ("/a~1b/x/0", 4),
            ("/a~1b/x/1/c\"d", 5),
            ("/a~1b/x/2", 6),
            ("/a~1b/~0y", 7),
            ("/z", 9),
            ("/a~1b/nowhere", 2),
        ] {
            check(YAML, pointer, line);
        }
    }

    #[test]
    fn what_is_neither_is_told_as_what_it_looks_like() {
        let problem = |text: &str| Source::parse(text).map(|_| ()).unwrap_err().to_string();
        assert_eq!(
            problem("{\n\"a\": [1,\n"),
            "line 3: EOF while parsing a value"
        );
        assert_eq!(Source::parse("{a: 1}").unwrap().value["a"], 1);
        assert!(Source::parse("\u{feff}{\"a\": 1}").is_ok());
    }
}
