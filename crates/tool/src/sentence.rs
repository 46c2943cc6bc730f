//! Errors are phrases, which can stand within others; people get sentences.

/// A phrase as a sentence.
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
