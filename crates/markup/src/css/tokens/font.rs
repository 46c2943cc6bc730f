//! Font tokens: a family by role, with its fallback.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Lock;

use super::super::piece::{Origin, Piece, Raw};
use super::super::text::spell_string;
use super::{Sheet, TokenProblem, check_name, check_value};

/// A font by its role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FontToken {
    /// What people call it.
    pub name: String,
    /// The name of its variable, without dashes.
    pub variable: String,
    /// What stands in while the family is not there, such as `system-ui, sans-serif`.
    pub fallback: String,
    /// The family; without one the fallback is all there is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// What agents may do to it.
    #[serde(default, skip_serializing_if = "Lock::is_open")]
    pub lock: Lock,
}

impl FontToken {
    /// The value of its variable.
    pub fn value(&self) -> String {
        match &self.family {
            Some(family) if self.fallback.is_empty() => spell_string(family),
            Some(family) => format!("{}, {}", spell_string(family), self.fallback),
            None => self.fallback.clone(),
        }
    }

    /// The class that sets the font.
    pub fn class(&self) -> &str {
        &self.variable
    }

    /// Fails when the name or value cannot be written into CSS.
    pub fn check(&self) -> Result<(), TokenProblem> {
        check_name(&self.variable)?;
        check_value(&self.value())
    }
}

/// One file of a font.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct FontFile {
    /// Its weight, such as `400` or `100 900`.
    pub weight: String,
    /// Whether it is slanted.
    #[serde(default)]
    pub italic: bool,
    /// The blob that holds it.
    pub blob: String,
    /// Its format, such as `woff2`.
    pub format: String,
    /// The characters it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unicode_range: Option<String>,
}

/// The `@font-face` rule for a file of an installed family; `None` for a file with a field that could break out of the
/// rule.
pub fn font_face(family: &str, file: &FontFile) -> Option<Piece> {
    let FontFile {
        weight,
        italic,
        blob,
        format,
        unicode_range,
    } = file;
    let is_blob = blob.len() == 64 && blob.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_weight = weight
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b' ');
    let range = unicode_range.as_deref().unwrap_or_default();
    let is_range = range
        .bytes()
        .all(|byte| byte.is_ascii_hexdigit() || b"Uu+?-, ".contains(&byte));
    if !(is_blob && is_weight && is_range && format == "woff2") {
        return None;
    }
    let family = spell_string(family);
    let style = if *italic { "italic" } else { "normal" };
    let range = match range {
        "" => String::new(),
        range => format!(" unicode-range: {range};"),
    };
    Some(Piece::Raw(Raw {
        wrappers: Vec::new(),
        text: format!(
            "@font-face {{ font-family: {family}; font-style: {style}; font-weight: {weight}; font-display: swap; \
             src: url(\"/uploads/fonts/{blob}.woff2\") format(\"woff2\");{range} }}"
        ),
        origin: Origin::Framework,
        lock: Lock::Open,
    }))
}

pub(super) fn add(sheet: &mut Sheet, token: &FontToken) {
    if sheet.define(&token.variable, &token.value()) {
        let value = format!("var(--{})", token.variable);
        sheet.utility(token.class(), &["font-family"], &value);
    }
}

#[cfg(test)]
mod tests {
    use super::{FontFile, font_face};
    use crate::css::{CssForm, write_css};

    fn file() -> FontFile {
        FontFile {
            weight: "400".to_owned(),
            italic: true,
            blob: "0f".repeat(32),
            format: "woff2".to_owned(),
            unicode_range: Some("U+0000-00FF, U+20??".to_owned()),
        }
    }

    #[test]
    fn a_file_becomes_a_rule_from_our_own_host() {
        let face = font_face("Open \"Sans\"", &file());
        let css = write_css(face.iter(), CssForm::Readable);
        assert_eq!(
            css.trim_end(),
            format!(
                "@font-face {{ font-family: \"Open \\\"Sans\\\"\"; font-style: italic; font-weight: 400; font-display: swap; \
                 src: url(\"/uploads/fonts/{}.woff2\") format(\"woff2\"); unicode-range: U+0000-00FF, U+20??; }}",
                "0f".repeat(32)
            )
        );
    }

    #[test]
    fn a_file_that_would_break_out_of_its_rule_gives_none() {
        let bad = |change: &dyn Fn(&mut FontFile)| {
            let mut file = file();
            change(&mut file);
            font_face("X", &file)
        };
        assert_eq!(bad(&|file| file.weight = "400; }".to_owned()), None);
        assert_eq!(bad(&|file| file.blob = "../secret".to_owned()), None);
        assert_eq!(bad(&|file| file.format = "svg".to_owned()), None);
        let range = Some("U+0; } body { color: red".to_owned());
        assert_eq!(bad(&|file| file.unicode_range = range.clone()), None);
    }
}
