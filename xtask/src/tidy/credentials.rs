//! Credentials in committed files. Once pushed, a key is known; it must be replaced, not only removed.

use super::Broken;
use super::files::SourceFile;

/// What keys begin with, and how many letters, digits, `_` and `-` follow at least. Written in two halves so that this file passes its
/// own rule; shorter ones are examples of tests.
const PREFIXES: &[(&str, usize)] = &[
    (concat!("sk-", "ant-"), 24),
    (concat!("sk-", "or-"), 24),
    (concat!("sk-", "proj-"), 24),
    (concat!("AK", "IA"), 16),
    (concat!("gh", "p_"), 30),
    (concat!("github", "_pat_"), 30),
    (concat!("xo", "xb-"), 20),
    (concat!("AI", "za"), 35),
];
const PRIVATE_KEY: &str = concat!("PRIVATE ", "KEY-----");

pub(super) fn check(file: &SourceFile) -> Vec<Broken> {
    let lines = file.text.lines().enumerate();
    let broken = lines.filter(|(_, line)| has_credential(line));
    let rule =
        "this looks like a credential: replace it at its provider, and take it out of the history";
    broken
        .map(|(index, _)| Broken::at(file, index + 1, rule))
        .collect()
}

fn has_credential(line: &str) -> bool {
    let has_key = |(prefix, length): &(&str, usize)| {
        line.match_indices(prefix).any(|(at, _)| {
            let rest = line[at + prefix.len()..].chars();
            let is_part = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            rest.take_while(is_part).count() >= *length
        })
    };
    line.contains(PRIVATE_KEY) || PREFIXES.iter().any(has_key)
}

#[cfg(test)]
mod tests {
    use super::super::files::SourceFile;
    use super::{PRIVATE_KEY, check};

    #[test]
    fn keys_and_private_keys_are_found_and_short_examples_are_not() {
        let key = concat!("sk-", "ant-api03-0123456789abcdefghij");
        let text = format!("key = \"{key}\"\nsk-ant-right-0815\n-----BEGIN {PRIVATE_KEY}\n");
        let places: Vec<String> = check(&SourceFile::new("a.toml", &text))
            .into_iter()
            .map(|broken| broken.place)
            .collect();
        assert_eq!(places, ["a.toml:1", "a.toml:3"]);
    }
}
