//! Bindings: `{source.field|fallback}` in texts and attributes, filled in when a page is rendered.
//!
//! A formatter follows a colon: `{currentEntry.publishedAt:date}`, `{currentEntry.price:number(2)|on request}`. Text that is
//! not a binding stays as it is, so braces in ordinary text need no escaping; `\{` writes a brace where a binding would start.

mod format;

use std::borrow::Cow;

use serde_json::Value;

use format::Formatter;
pub(crate) use format::{iso_time, plain_text, rich_html, rich_text};

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// The row of the innermost loop, or the entry that the page shows.
    CurrentEntry,
    /// The row of the loop around that one.
    ParentEntry,
    Page,
    Site,
    /// The requested address.
    Route,
    /// The props of the component.
    Props,
    /// The current item of a loop over a list in the props.
    Item,
}

impl Source {
    /// All sources.
    pub(crate) const ALL: [Self; 7] = [
        Self::CurrentEntry,
        Self::ParentEntry,
        Self::Page,
        Self::Site,
        Self::Route,
        Self::Props,
        Self::Item,
    ];

    /// The name of the source in a binding.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::CurrentEntry => "currentEntry",
            Self::ParentEntry => "parentEntry",
            Self::Page => "page",
            Self::Site => "site",
            Self::Route => "route",
            Self::Props => "props",
            Self::Item => "item",
        }
    }
}

/// The value that a binding refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path<'a> {
    pub source: Source,
    /// The path from there; a number is an index into a list.
    pub fields: Vec<&'a str>,
}

/// Resolves a path to its value.
pub(crate) type Lookup<'a> = dyn Fn(&Path<'_>) -> Option<Value> + 'a;

/// A text that looks like a binding and is not a valid one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadBinding {
    /// Double braces.
    #[error("`{written}` has two braces; write `{right}`")]
    DoubleBraces {
        /// The text as written.
        written: String,
        /// The correct form.
        right: String,
    },
    /// The source does not exist.
    #[error(
        "`{written}` names no source; sources are currentEntry, parentEntry, page, site, route, props and item"
    )]
    UnknownSource {
        /// The text as written.
        written: String,
    },
}

/// Fills in the bindings of a component's own values and leaves every other as it is written. A value is written so that braces in
/// it stay text.
pub(crate) fn fill_props(text: &str, lookup: &Lookup<'_>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        filled.push_str(before);
        let own = (!before.ends_with('\\'))
            .then(|| Binding::parse(from))
            .flatten()
            .filter(|(binding, _)| matches!(binding.path.source, Source::Props | Source::Item));
        match own {
            Some((binding, behind)) => {
                filled.push_str(&literal(&binding.value("en", lookup)));
                rest = behind;
            }
            None => {
                filled.push('{');
                rest = &from[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// Fills in all bindings of a text. If a value is missing or empty, the fallback is used.
pub(crate) fn fill<'a>(text: &'a str, language: &str, lookup: &Lookup<'_>) -> Cow<'a, str> {
    if !text.contains('{') {
        return Cow::Borrowed(text);
    }
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        if let Some(escaped) = before.strip_suffix('\\') {
            filled.push_str(escaped);
            filled.push('{');
            rest = &from[1..];
            continue;
        }
        filled.push_str(before);
        match Binding::parse(from) {
            Some((binding, behind)) => {
                filled.push_str(&binding.value(language, lookup));
                rest = behind;
            }
            None => {
                filled.push('{');
                rest = &from[1..];
            }
        }
    }
    filled.push_str(rest);
    Cow::Owned(filled)
}

/// The path of a text that is nothing but one binding without formatters.
pub(crate) fn whole_binding(text: &str) -> Option<Path<'_>> {
    let (binding, behind) = Binding::parse(text.trim())?;
    (behind.is_empty() && binding.formatters.is_empty()).then_some(binding.path)
}

/// What a loop over a value repeats: one of the component's props, such as `props.items`, or a field of the current entry, such as
/// `currentEntry.pictures`. `None` for a loop over rows.
pub(crate) fn looped_value(source: &str) -> Option<Path<'_>> {
    let (name, fields) = source.split_once('.')?;
    let sources = [Source::Props, Source::CurrentEntry];
    let source = sources.into_iter().find(|source| source.as_str() == name)?;
    let fields = fields.split('.').collect();
    Some(Path { source, fields })
}

/// Replaces the bindings that can no longer be filled with their fallbacks. `None` if the text contains none of them.
pub(crate) fn without(text: &str, is_lost: impl Fn(&Path<'_>) -> bool) -> Option<Unbound> {
    let mut unbound = Unbound::default();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        unbound.text.push_str(before);
        let escaped = before.ends_with('\\');
        let lost = (!escaped)
            .then(|| Binding::parse(from))
            .flatten()
            .filter(|(binding, _)| is_lost(&binding.path));
        match lost {
            Some((binding, behind)) => {
                let written = &from[..from.len() - behind.len()];
                unbound
                    .lost
                    .push((written.to_owned(), binding.fallback.to_owned()));
                unbound.text.push_str(binding.fallback);
                rest = behind;
            }
            None => {
                unbound.text.push('{');
                rest = &from[1..];
            }
        }
    }
    unbound.text.push_str(rest);
    (!unbound.lost.is_empty()).then_some(unbound)
}

/// A text whose unfillable bindings were replaced.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Unbound {
    /// The resulting text.
    pub(crate) text: String,
    /// The bindings that were replaced, as written, and their fallbacks.
    pub(crate) lost: Vec<(String, String)>,
}

/// Escapes a text from outside so that every brace in it is shown as it is. Only braces that would be read as the start of a binding,
/// or that `check` would refuse, get a backslash: code in a text stays readable.
pub(crate) fn literal(text: &str) -> Cow<'_, str> {
    if !text.contains('{') {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        escaped.push_str(before);
        // A backslash that is already there would be taken for an escape, and would be lost.
        if before.ends_with('\\') || Binding::parse(from).is_some() || slip(from).is_some() {
            escaped.push('\\');
        }
        escaped.push('{');
        rest = &from[1..];
    }
    escaped.push_str(rest);
    Cow::Owned(escaped)
}

/// Fails if a text contains something that looks like a binding and is not a valid one, so that the author can be told.
pub(crate) fn check(text: &str) -> Result<(), BadBinding> {
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, from) = rest.split_at(at);
        if !before.ends_with('\\')
            && let Some(error) = slip(from)
        {
            return Err(error);
        }
        rest = &from[1..];
    }
    Ok(())
}

/// The mistake at the start of a text, which is an opening brace.
fn slip(from: &str) -> Option<BadBinding> {
    if let Some(inner) = from
        .strip_prefix("{{")
        .and_then(|inner| inner.split_once("}}"))
        .map(|(inner, _)| inner)
        && looks_like_a_path(inner.trim())
    {
        return Some(BadBinding::DoubleBraces {
            written: format!("{{{{{inner}}}}}"),
            right: format!("{{{}}}", corrected(inner.trim())),
        });
    }
    let (inner, _) = from[1..].split_once('}')?;
    (looks_like_a_path(inner) && Binding::parse(from).is_none()).then(|| {
        BadBinding::UnknownSource {
            written: format!("{{{inner}}}"),
        }
    })
}

/// Corrects common mistakes: sources by the names other systems use.
fn corrected(path: &str) -> String {
    let (source, rest) = path.split_once('.').unwrap_or((path, ""));
    let known = Source::ALL.iter().any(|known| known.as_str() == source);
    if known {
        path.to_owned()
    } else {
        format!(
            "currentEntry.{}",
            if rest.is_empty() { source } else { rest }
        )
    }
}

fn looks_like_a_path(text: &str) -> bool {
    let mut parts = text.split(['|', ':']).next().unwrap_or_default().split('.');
    let is_word = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_alphabetic())
            && part
                .chars()
                .all(|char| char.is_ascii_alphanumeric() || char == '_' || char == '-')
    };
    parts.next().is_some_and(is_word) && parts.next().is_some_and(is_word)
}

/// A binding, parsed.
#[derive(Debug, PartialEq)]
struct Binding<'a> {
    path: Path<'a>,
    formatters: Vec<Formatter<'a>>,
    fallback: &'a str,
}

impl<'a> Binding<'a> {
    /// Parses a binding at the start of a text and returns it with the text after it.
    fn parse(text: &'a str) -> Option<(Self, &'a str)> {
        let (inner, behind) = text.strip_prefix('{')?.split_once('}')?;
        let (expression, fallback) = inner.split_once('|').unwrap_or((inner, ""));
        let mut parts = expression.split(':');
        let mut fields = parts.next()?.split('.');
        let name = fields.next()?;
        let source = Source::ALL
            .into_iter()
            .find(|source| source.as_str() == name)?;
        let fields: Vec<&str> = fields.collect();
        let is_field = |field: &&str| {
            !field.is_empty()
                && field
                    .chars()
                    .all(|char| char.is_alphanumeric() || "_-".contains(char))
        };
        if fields.is_empty() || !fields.iter().all(is_field) {
            return None;
        }
        let formatters = parts.map(Formatter::parse).collect::<Option<Vec<_>>>()?;
        Some((
            Self {
                path: Path { source, fields },
                formatters,
                fallback,
            },
            behind,
        ))
    }

    fn value(&self, language: &str, lookup: &Lookup<'_>) -> String {
        let found = lookup(&self.path).filter(|value| !is_empty(value));
        let Some(value) = found else {
            return self.fallback.to_owned();
        };
        let (first, others) = match self.formatters.split_first() {
            Some((first, others)) => (first.apply(&value, language), others),
            None => (format::plain(&value), &[][..]),
        };
        others.iter().fold(first, |text, formatter| {
            formatter.apply(&Value::String(text), language)
        })
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Object(_) => rich_html(value).is_some_and(|html| html.trim().is_empty()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => false,
    }
}

/// Follows a path of fields into a value.
pub(crate) fn follow<'a>(value: &'a Value, fields: &[&str]) -> Option<&'a Value> {
    fields.iter().try_fold(value, |value, field| match value {
        Value::Array(items) => items.get(field.parse::<usize>().ok()?),
        value => value.get(field),
    })
}

#[cfg(test)]
mod tests {
    use super::{check, fill, follow, literal};
    use serde_json::{Value, json};

    fn filled(text: &str, language: &str) -> String {
        let data = json!({
            "currentEntry": { "title": "Über <b>uns</b>", "price": 1234.5, "publishedAt": "2026-11-05T08:09:00Z", "tags": ["a", "b"], "empty": "", "no": null, "draft": false },
            "page": { "title": "Home" }
        });
        let lookup = |path: &super::Path<'_>| -> Option<Value> {
            data.get(path.source.as_str())
                .and_then(|value| follow(value, &path.fields))
                .cloned()
        };
        fill(text, language, &lookup).into_owned()
    }

    #[test]
    fn bindings_are_filled_and_everything_else_stays() {
        for (text, expected) in [
            ("plain", "plain"),
            ("{page.title}: {currentEntry.tags.1}", "Home: b"),
            (
                "{page.missing|none} {currentEntry.empty|nothing} {currentEntry.no}",
                "none nothing ",
            ),
            ("{currentEntry.draft} {currentEntry.price}", "false 1234.5"),
            ("{currentEntry.tags}", "a, b"),
            ("\\{page.title} and {page.title}", "{page.title} and Home"),
            (
                "if (x) { y.z } {unknown.field} {page} {page.} {page.title",
                "if (x) { y.z } {unknown.field} {page} {page.} {page.title",
            ),
            (
                "{page.title:shout} {{page.title}}",
                "{page.title:shout} {Home}",
            ),
            ("{}{{}}{", "{}{{}}{"),
        ] {
            assert_eq!(filled(text, "en"), expected, "{text}");
        }
    }

    #[test]
    fn formatters_write_dates_numbers_and_text_as_the_language_does() {
        for (text, language, expected) in [
            ("{currentEntry.publishedAt:date}", "en", "5 November 2026"),
            (
                "{currentEntry.publishedAt:date(dd.MM.yyyy)}",
                "de",
                "05.11.2026",
            ),
            (
                "{currentEntry.publishedAt:date(yyyy-MM-dd HH:mm)}",
                "en",
                "{currentEntry.publishedAt:date(yyyy-MM-dd HH:mm)}",
            ),
            (
                "{currentEntry.publishedAt:date(yyyy-MM-dd HH.mm)}",
                "en",
                "2026-11-05 08.09",
            ),
            ("{currentEntry.title:date|no date}", "en", "Über <b>uns</b>"),
            ("{currentEntry.price:number(2)}", "en", "1,234.50"),
            ("{currentEntry.price:number(2)}", "de-AT", "1.234,50"),
            ("{currentEntry.price:number(0)}", "fr", "1\u{202f}235"),
            ("{currentEntry.price:number}", "en", "1,234.5"),
            ("{currentEntry.title:plain:upper}", "en", "ÜBER UNS"),
            ("{currentEntry.title:plain:truncate(4)}", "en", "Über…"),
            ("{page.title:lower:capitalize}", "en", "Home"),
        ] {
            assert_eq!(filled(text, language), expected, "{text}");
        }
    }

    #[test]
    fn slips_are_named_with_the_right_spelling() {
        let said = |text: &str| check(text).map_err(|error| error.to_string());
        assert_eq!(said("{currentEntry.title} and {not a binding} {x}"), Ok(()));
        assert_eq!(
            said("{{post.title}}"),
            Err("`{{post.title}}` has two braces; write `{currentEntry.title}`".to_owned())
        );
        assert_eq!(
            said("a {{ page.title }}"),
            Err("`{{ page.title }}` has two braces; write `{page.title}`".to_owned())
        );
        assert_eq!(
            said("{post.title}"),
            Err("`{post.title}` names no source; sources are currentEntry, parentEntry, page, site, route, props and item".to_owned())
        );
    }

    #[test]
    fn text_from_outside_is_shown_as_it_was_written() {
        for (text, escaped) in [
            ("plain", "plain"),
            ("if (x) { y.z } {}", "if (x) { y.z } {}"),
            ("{page.title}", "\\{page.title}"),
            ("{page.title|a{b}", "\\{page.title|a{b}"),
            (
                "{{post.title}} and {{ page.title }}",
                "\\{\\{post.title}} and \\{{ page.title }}",
            ),
            ("{user.name}", "\\{user.name}"),
            ("\\{page.title} \\{x}", "\\\\{page.title} \\\\{x}"),
        ] {
            assert_eq!(literal(text), escaped, "{text}");
            assert_eq!(filled(&literal(text), "en"), text);
            assert_eq!(check(&literal(text)), Ok(()), "{text}");
        }
    }
}
