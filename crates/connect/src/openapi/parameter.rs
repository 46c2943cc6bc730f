//! Parameters of an operation, and how their values are written into a request.
//!
//! The styles are those of OpenAPI's table: `simple`, `label` and `matrix` in paths, `form`, `spaceDelimited`, `pipeDelimited` and
//! `deepObject` in queries, `simple` in headers, `form` in cookies.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// Everything except what RFC 3986 calls unreserved.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The same with the reserved characters left as they are, less those that would end the query or one of its parts.
const RESERVED: &AsciiSet = &UNRESERVED
    .remove(b':')
    .remove(b'/')
    .remove(b'?')
    .remove(b'[')
    .remove(b']')
    .remove(b'@')
    .remove(b'!')
    .remove(b'$')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b',')
    .remove(b';');

/// Where a parameter goes. The order is that in which plain names are given away: the first of two namesakes keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Location {
    Path,
    Query,
    Header,
    Cookie,
}

impl Location {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "path" => Self::Path,
            "query" => Self::Query,
            "header" => Self::Header,
            "cookie" => Self::Cookie,
            _ => return None,
        })
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }

    pub(crate) fn default_style(self) -> Style {
        match self {
            Self::Path | Self::Header => Style::Simple,
            Self::Query | Self::Cookie => Style::Form,
        }
    }

    pub(crate) fn allows(self, style: Style) -> bool {
        match self {
            Self::Path => matches!(style, Style::Simple | Style::Label | Style::Matrix),
            Self::Query => matches!(
                style,
                Style::Form | Style::SpaceDelimited | Style::PipeDelimited | Style::DeepObject
            ),
            Self::Header => style == Style::Simple,
            Self::Cookie => style == Style::Form,
        }
    }
}

/// How a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Simple,
    Label,
    Matrix,
    Form,
    SpaceDelimited,
    PipeDelimited,
    DeepObject,
}

impl Style {
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "simple" => Self::Simple,
            "label" => Self::Label,
            "matrix" => Self::Matrix,
            "form" => Self::Form,
            "spaceDelimited" => Self::SpaceDelimited,
            "pipeDelimited" => Self::PipeDelimited,
            "deepObject" => Self::DeepObject,
            _ => return None,
        })
    }
}

/// A parameter and the argument that fills it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) argument: String,
    pub(crate) name: String,
    pub(crate) location: Location,
    pub(crate) writing: Writing,
}

/// How a parameter's value becomes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writing {
    Styled {
        style: Style,
        explode: bool,
        allow_reserved: bool,
    },
    /// As JSON, for a parameter with `content`.
    Json,
}

impl Parameter {
    /// The text in the place of `{name}` in a path. An empty value would change which path is meant, so it is refused.
    pub(crate) fn path_text(&self, value: &Value) -> Result<String, String> {
        let text = match self.writing {
            Writing::Json => encoded(&value.to_string(), false),
            Writing::Styled { style, explode, .. } => {
                path_style(&self.name, value, style, explode)?
            }
        };
        // `.` and `..` are resolved by clients and servers, so they would lead to another path.
        match text.as_str() {
            "" => Err(format!(
                "`{}` is empty and is part of the path",
                self.argument
            )),
            "." | ".." => Err(format!("`{}` must not be `{text}`", self.argument)),
            _ => Ok(text),
        }
    }

    /// The pairs that it adds to a query, already encoded.
    pub(crate) fn query_pairs(&self, value: &Value) -> Result<Vec<String>, String> {
        match self.writing {
            Writing::Json => {
                let text = encoded(&value.to_string(), false);
                Ok(vec![format!("{}={text}", encoded(&self.name, false))])
            }
            Writing::Styled {
                style,
                explode,
                allow_reserved,
            } => {
                let form = Form {
                    name: &self.name,
                    style,
                    explode,
                    allow_reserved,
                };
                form.pairs(value)
            }
        }
    }

    /// The value of a header.
    pub(crate) fn header_text(&self, value: &Value) -> Result<String, String> {
        let text = match self.writing {
            Writing::Json => value.to_string(),
            Writing::Styled { explode, .. } => simple(value, explode, &ToOwned::to_owned)?,
        };
        Ok(text)
    }

    /// The pairs that it adds to the `Cookie` header.
    pub(crate) fn cookie_pairs(&self, value: &Value) -> Result<Vec<String>, String> {
        self.query_pairs(value)
    }
}

/// A name and how its value is written in a query, a cookie or a form.
pub(crate) struct Form<'a> {
    pub(crate) name: &'a str,
    pub(crate) style: Style,
    pub(crate) explode: bool,
    pub(crate) allow_reserved: bool,
}

impl Form<'_> {
    /// `name=value` pairs, encoded.
    pub(crate) fn pairs(&self, value: &Value) -> Result<Vec<String>, String> {
        let name = encoded(self.name, false);
        let encode = |text: &str| encoded(text, self.allow_reserved);
        let separator = match self.style {
            Style::SpaceDelimited => "%20",
            Style::PipeDelimited => "%7C",
            _ => ",",
        };
        match value {
            Value::Null => Ok(Vec::new()),
            Value::Array(items) => {
                let items = scalars(items)?;
                let items: Vec<String> = items.iter().map(|item| encode(item)).collect();
                Ok(match self.explode {
                    true => items.iter().map(|item| format!("{name}={item}")).collect(),
                    false => vec![format!("{name}={}", items.join(separator))],
                })
            }
            Value::Object(fields) if self.style == Style::DeepObject => {
                let mut pairs = Vec::new();
                for (field, value) in fields {
                    deep(
                        &format!("{name}%5B{}%5D", encode(field)),
                        value,
                        &encode,
                        &mut pairs,
                    )?;
                }
                Ok(pairs)
            }
            Value::Object(fields) => {
                let mut parts = Vec::new();
                for (field, value) in fields {
                    let (field, value) = (encode(field), encode(&scalar(value)?));
                    match self.explode {
                        true => parts.push(format!("{field}={value}")),
                        false => parts.extend([field, value]),
                    }
                }
                Ok(match self.explode {
                    true => parts,
                    false => vec![format!("{name}={}", parts.join(separator))],
                })
            }
            value => Ok(vec![format!("{name}={}", encode(&scalar(value)?))]),
        }
    }
}

/// OpenAPI leaves nested values of `deepObject` open; brackets for each level are what servers commonly read.
fn deep(
    name: &str,
    value: &Value,
    encode: &dyn Fn(&str) -> String,
    pairs: &mut Vec<String>,
) -> Result<(), String> {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                deep(
                    &format!("{name}%5B{}%5D", encode(field)),
                    value,
                    encode,
                    pairs,
                )?;
            }
        }
        Value::Array(items) => {
            for item in scalars(items)? {
                pairs.push(format!("{name}={}", encode(&item)));
            }
        }
        value => pairs.push(format!("{name}={}", encode(&scalar(value)?))),
    }
    Ok(())
}

fn path_style(name: &str, value: &Value, style: Style, explode: bool) -> Result<String, String> {
    let encode = |text: &str| encoded(text, false);
    let name = encode(name);
    Ok(match style {
        Style::Label => {
            let separator = if explode { "." } else { "," };
            let text = simple(value, explode, &encode)?;
            format!(".{}", text.replace(',', separator))
        }
        Style::Matrix => match value {
            Value::Array(items) if explode => {
                let items = scalars(items)?;
                items
                    .iter()
                    .map(|item| format!(";{name}={}", encode(item)))
                    .collect()
            }
            Value::Object(_) if explode => {
                format!(";{}", simple(value, true, &encode)?.replace(',', ";"))
            }
            value => format!(";{name}={}", simple(value, false, &encode)?),
        },
        _ => simple(value, explode, &encode)?,
    })
}

/// Values separated by commas; the encoding turns commas within values into something else.
fn simple(value: &Value, explode: bool, encode: &dyn Fn(&str) -> String) -> Result<String, String> {
    Ok(match value {
        Value::Array(items) => {
            let items: Vec<String> = scalars(items)?.iter().map(|item| encode(item)).collect();
            items.join(",")
        }
        Value::Object(fields) => {
            let mut parts = Vec::new();
            for (field, value) in fields {
                let separator = if explode { "=" } else { "," };
                parts.push(format!(
                    "{}{separator}{}",
                    encode(field),
                    encode(&scalar(value)?)
                ));
            }
            parts.join(",")
        }
        value => encode(&scalar(value)?),
    })
}

fn scalars(items: &[Value]) -> Result<Vec<String>, String> {
    items.iter().map(scalar).collect()
}

fn scalar(value: &Value) -> Result<String, String> {
    match value {
        Value::Null => Ok(String::new()),
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Number(number) => Ok(number.to_string()),
        Value::String(text) => Ok(text.clone()),
        Value::Array(_) | Value::Object(_) => {
            Err("it has a list or an object inside, which cannot be written here".to_owned())
        }
    }
}

fn encoded(text: &str, allow_reserved: bool) -> String {
    let set = if allow_reserved { RESERVED } else { UNRESERVED };
    utf8_percent_encode(text, set).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Location, Parameter, Style, Writing};

    fn parameter(location: Location, style: &str, explode: bool) -> Parameter {
        Parameter {
            argument: "color".to_owned(),
            name: "color".to_owned(),
            location,
            writing: Writing::Styled {
                style: Style::parse(style).unwrap(),
                explode,
                allow_reserved: false,
            },
        }
    }

    /// The values of the table in the OpenAPI specification.
    fn values() -> [Value; 3] {
        [
            json!("blue"),
            json!(["blue", "black", "brown"]),
            json!({ "R": 100, "G": 200, "B": 150 }),
        ]
    }

    fn check(location: Location, style: &str, explode: bool, expected: [&str; 3]) {
        let parameter = parameter(location, style, explode);
        for (value, expected) in values().iter().zip(expected) {
            let written = match location {
                Location::Path => parameter.path_text(value).unwrap(),
                Location::Query => parameter.query_pairs(value).unwrap().join("&"),
                Location::Header => parameter.header_text(value).unwrap(),
                Location::Cookie => parameter.cookie_pairs(value).unwrap().join("; "),
            };
            assert_eq!(written, expected, "{location:?} {style} {explode}");
        }
    }

    #[test]
    fn values_are_written_as_the_specification_shows() {
        use Location::{Cookie, Header, Path, Query};
        check(
            Path,
            "simple",
            false,
            ["blue", "blue,black,brown", "R,100,G,200,B,150"],
        );
        check(
            Path,
            "simple",
            true,
            ["blue", "blue,black,brown", "R=100,G=200,B=150"],
        );
        check(
            Path,
            "label",
            false,
            [".blue", ".blue,black,brown", ".R,100,G,200,B,150"],
        );
        check(
            Path,
            "label",
            true,
            [".blue", ".blue.black.brown", ".R=100.G=200.B=150"],
        );
        check(
            Path,
            "matrix",
            false,
            [
                ";color=blue",
                ";color=blue,black,brown",
                ";color=R,100,G,200,B,150",
            ],
        );
        check(
            Path,
            "matrix",
            true,
            [
                ";color=blue",
                ";color=blue;color=black;color=brown",
                ";R=100;G=200;B=150",
            ],
        );
        check(
            Query,
            "form",
            false,
            [
                "color=blue",
                "color=blue,black,brown",
                "color=R,100,G,200,B,150",
            ],
        );
        check(
            Query,
            "form",
            true,
            [
                "color=blue",
                "color=blue&color=black&color=brown",
                "R=100&G=200&B=150",
            ],
        );
        check(
            Header,
            "simple",
            false,
            ["blue", "blue,black,brown", "R,100,G,200,B,150"],
        );
        check(
            Header,
            "simple",
            true,
            ["blue", "blue,black,brown", "R=100,G=200,B=150"],
        );
        check(
            Cookie,
            "form",
            false,
            [
                "color=blue",
                "color=blue,black,brown",
                "color=R,100,G,200,B,150",
            ],
        );
        let delimited = |style: &str, at: usize| {
            let pairs = parameter(Query, style, false).query_pairs(&values()[at]);
            pairs.unwrap().join("&")
        };
        assert_eq!(delimited("spaceDelimited", 1), "color=blue%20black%20brown");
        assert_eq!(delimited("pipeDelimited", 1), "color=blue%7Cblack%7Cbrown");
        assert_eq!(
            delimited("deepObject", 2),
            "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"
        );
    }

    #[test]
    fn hostile_values_stay_in_their_place() {
        let path = parameter(Location::Path, "simple", false);
        assert_eq!(
            path.path_text(&json!("a/b?c#d%")).unwrap(),
            "a%2Fb%3Fc%23d%25"
        );
        assert_eq!(
            path.path_text(&json!("")).unwrap_err(),
            "`color` is empty and is part of the path"
        );
        assert_eq!(
            path.path_text(&json!("..")).unwrap_err(),
            "`color` must not be `..`"
        );
        let query = parameter(Location::Query, "form", true);
        assert_eq!(
            query.query_pairs(&json!("a&b=c+d é")).unwrap(),
            ["color=a%26b%3Dc%2Bd%20%C3%A9"]
        );
        assert!(query.query_pairs(&json!([["nested"]])).is_err());
        let reserved = Parameter {
            writing: Writing::Styled {
                style: Style::Form,
                explode: true,
                allow_reserved: true,
            },
            ..query
        };
        assert_eq!(
            reserved.query_pairs(&json!("/a?b&c#d")).unwrap(),
            ["color=/a?b%26c%23d"]
        );
    }
}
