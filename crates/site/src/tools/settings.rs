//! Settings of a page and of the site. Only people can protect and lock pages; these tools merely report it.

pub(crate) mod page;
pub(crate) mod site;

use serde::{Deserialize, Deserializer};

use super::SiteTool;
use super::work::Stop;

const ADDRESS_MAX: usize = 2_000;

pub(super) fn tools() -> Vec<SiteTool> {
    [page::tools(), site::tools()]
        .into_iter()
        .flatten()
        .collect()
}

/// Deserialises a field that may be absent, which leaves the setting unchanged, or null, which removes it.
pub(crate) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// A trimmed text of limited length; an empty one removes the setting.
fn text(field: &str, text: &str, chars_max: usize) -> Result<Option<String>, Stop> {
    let text = text.trim();
    if text.chars().count() > chars_max {
        let message = format!("Use at most {chars_max} characters.");
        return Err(Stop::invalid_at(field, message));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// A single line of text that must not be empty.
fn line(field: &str, line: &str, chars_max: usize) -> Result<String, Stop> {
    text(field, line, chars_max)?
        .filter(|line| !line.chars().any(char::is_control))
        .ok_or_else(|| Stop::invalid_at(field, "Enter one line of text."))
}

/// The address of a page or an image, on this site or on the web.
fn address(field: &str, address: &str) -> Result<Option<String>, Stop> {
    let Some(address) = text(field, address, ADDRESS_MAX)? else {
        return Ok(None);
    };
    let on_the_web = ["https://", "http://"]
        .into_iter()
        .find_map(|scheme| address.strip_prefix(scheme))
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    let on_the_site = address.starts_with('/') && !address.starts_with("//");
    let is_plain = !address.contains(|char: char| {
        char.is_whitespace() || char.is_control() || matches!(char, '"' | '<' | '>' | '\\')
    });
    if !(on_the_web || on_the_site) || !is_plain {
        let message = "Enter an address that begins with `/` or `https://`, without spaces.";
        return Err(Stop::invalid_at(field, message));
    }
    Ok(Some(address))
}

/// A language tag as HTML uses it.
fn language(field: &str, language: &str) -> Result<String, Stop> {
    let language = language.trim();
    let mut parts = language.split('-');
    let is_first = |part: &str| {
        (2..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    let is_other = |part: &str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let fine = language.len() <= 35 && parts.next().is_some_and(is_first) && parts.all(is_other);
    if !fine {
        let message = "Enter the code of a language, such as `en` or `de-AT`.";
        return Err(Stop::invalid_at(field, message));
    }
    Ok(language.to_owned())
}
