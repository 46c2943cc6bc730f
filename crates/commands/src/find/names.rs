//! How well a name in a sentence fits a text on a page.

/// Normalises a text for comparison: lower case, without tags and punctuation.
pub(crate) fn normal(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut in_tag = false;
    for (at, c) in text.char_indices() {
        match c {
            '<' if text[at..].contains('>') => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if in_tag => {}
            '’' | '‘' => plain.push('\''),
            c if c.is_alphanumeric() || "£$€%@'+#".contains(c) => plain.extend(c.to_lowercase()),
            _ => plain.push(' '),
        }
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Rates how well a name fits a text: 3 equal, 2 a run of its words, 1 all its words in any place, 0 not at all.
pub(crate) fn fit(name: &str, text: &str) -> u8 {
    let (name, text) = (normal(name), normal(text));
    if name.is_empty() || text.is_empty() {
        return 0;
    }
    if name == text {
        return 3;
    }
    let words: Vec<&str> = text.split(' ').collect();
    let wanted: Vec<&str> = name.split(' ').collect();
    if words.windows(wanted.len()).any(|window| window == wanted) {
        return 2;
    }
    let stem = |word: &str| word.strip_suffix('s').unwrap_or(word).to_owned();
    let stems: Vec<String> = words.iter().map(|word| stem(word)).collect();
    let is_small = |word: &&&str| !matches!(**word, "the" | "a" | "our" | "of" | "and" | "in");
    let mut big = wanted.iter().filter(is_small).peekable();
    u8::from(big.peek().is_some() && big.all(|word| stems.contains(&stem(word))))
}
