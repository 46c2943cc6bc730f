//! Separates reasoning that a model writes into its text, between `<think>` and `</think>` at the very start.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// A piece of text, separated into reasoning and answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ThinkPart {
    pub(super) thought: String,
    pub(super) text: String,
}

/// Separates a text piece by piece. A tag may be split between pieces anywhere.
#[derive(Debug)]
pub(super) enum ThinkTags {
    /// So far only a possible prefix of the opening tag, which is held back.
    Start(String),
    /// Between the tags. A possible prefix of the closing tag is held back.
    Inside(String),
    /// Right after the closing tag, where whitespace is dropped.
    Behind,
    /// Plain text to the end.
    Text,
}

impl Default for ThinkTags {
    fn default() -> Self {
        Self::Start(String::new())
    }
}

impl ThinkTags {
    pub(super) fn push(&mut self, piece: &str) -> ThinkPart {
        let mut said = ThinkPart::default();
        if piece.is_empty() {
            return said;
        }
        match self {
            Self::Start(held) => {
                held.push_str(piece);
                let begun = held.trim_start();
                if let Some(inside) = begun.strip_prefix(OPEN) {
                    let inside = inside.to_owned();
                    *self = Self::Inside(String::new());
                    return self.push(&inside);
                }
                if !OPEN.starts_with(begun) {
                    said.text = std::mem::take(held);
                    *self = Self::Text;
                }
            }
            Self::Inside(held) => {
                held.push_str(piece);
                if let Some(at) = held.find(CLOSE) {
                    said.thought = held[..at].to_owned();
                    let behind = held[at + CLOSE.len()..].to_owned();
                    *self = Self::Behind;
                    said.text = self.push(&behind).text;
                    return said;
                }
                let keep = (1..CLOSE.len())
                    .rev()
                    .find(|length| held.ends_with(&CLOSE[..*length]))
                    .unwrap_or(0);
                let rest = held.split_off(held.len() - keep);
                said.thought = std::mem::replace(held, rest);
            }
            Self::Behind => {
                let text = piece.trim_start();
                if !text.is_empty() {
                    text.clone_into(&mut said.text);
                    *self = Self::Text;
                }
            }
            Self::Text => piece.clone_into(&mut said.text),
        }
        said
    }

    /// Ends the text. Returns what was held back and did not become a tag.
    pub(super) fn end(&mut self) -> ThinkPart {
        match std::mem::replace(self, Self::Text) {
            Self::Start(text) => ThinkPart {
                text,
                ..ThinkPart::default()
            },
            Self::Inside(thought) => ThinkPart {
                thought,
                ..ThinkPart::default()
            },
            Self::Behind | Self::Text => ThinkPart::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ThinkPart, ThinkTags};

    fn check(text: &str, thought: &str, rest: &str) {
        for size in 1..=text.len() {
            let (mut tags, mut all) = (ThinkTags::default(), ThinkPart::default());
            let mut add = |said: ThinkPart| {
                all.thought.push_str(&said.thought);
                all.text.push_str(&said.text);
            };
            for piece in text.as_bytes().chunks(size) {
                add(tags.push(std::str::from_utf8(piece).unwrap()));
            }
            add(tags.end());
            assert_eq!((all.thought.as_str(), all.text.as_str()), (thought, rest));
        }
    }

    #[test]
    fn k26_think_tags_in_the_text_are_reasoning() {
        check("<think>hm < 3</think>\n\nFine.", "hm < 3", "Fine.");
        check("\n<think></think>x", "", "x");
        check("plain <think>", "", "plain <think>");
        check("<thin", "", "<thin");
        check("<think>cut off</thi", "cut off</thi", "");
    }
}
