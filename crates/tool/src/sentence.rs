//! Error messages are phrases, so that one can be embedded in another; people see sentences.

/// Turns a phrase into a sentence: a capital at the start, a full stop at the end.
pub fn sentence(phrase: &str) -> String {
    let mut chars = phrase.chars();
    let first: String = chars
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    let end = if phrase.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}
