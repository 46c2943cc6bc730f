//! Limits of an HTML import, and the errors for exceeding them.

/// Limits of one import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HtmlLimits {
    /// Bytes of input.
    pub bytes: usize,
    /// Elements, texts and comments.
    pub nodes: usize,
    /// How deep nodes may nest; children of the body, the head and a fragment are at depth 1.
    pub depth: usize,
    /// Attributes of one tag.
    pub attributes: usize,
}

impl Default for HtmlLimits {
    fn default() -> Self {
        Self {
            bytes: 10_000_000,
            nodes: 200_000,
            depth: 512,
            attributes: 256,
        }
    }
}

impl HtmlLimits {
    /// Attributes of all elements together. The parser copies misnested formatting elements with their attributes, so
    /// the tree can have far more of them than the input.
    pub(super) fn attributes_total(&self) -> usize {
        self.nodes.saturating_mul(4)
    }

    /// Bytes of attribute values and texts, bounded for the same reason.
    pub(super) fn text(&self) -> usize {
        self.bytes.saturating_mul(2)
    }

    /// Tags, comments, and runs of text between them, references and stray signs. Each costs far more than its bytes.
    pub(super) fn tokens(&self) -> u64 {
        (self.nodes as u64).saturating_mul(10)
    }

    /// Steps over elements that are open while parsing. Well-formed pages need a few dozen for each tag.
    pub(super) fn steps(&self) -> u64 {
        (self.nodes as u64).saturating_mul(600)
    }

    /// The limits for parsing our own output, which is longer where references replace characters.
    pub(super) fn for_reading_back(&self) -> Self {
        Self {
            bytes: self.bytes.saturating_mul(2),
            nodes: self.nodes.saturating_mul(2),
            ..*self
        }
    }
}

/// Why HTML was refused. Refused input is not imported in part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HtmlError {
    #[error("the HTML has {found} bytes and the limit is {limit}: import it in parts")]
    Bytes {
        /// The maximum.
        limit: usize,
        found: usize,
    },
    #[error("the HTML has more than {limit} elements, texts and comments: import it in parts")]
    Nodes {
        /// The maximum.
        limit: usize,
    },
    /// Too many tags and runs of text.
    #[error(
        "the HTML has more than {limit} tags, references and stretches of text: import it in parts"
    )]
    Tokens {
        /// The maximum.
        limit: u64,
    },
    #[error(
        "the HTML nests deeper than {limit} levels: close elements that are left open, or remove wrappers"
    )]
    Depth {
        /// The maximum.
        limit: usize,
    },
    /// One tag has too many attributes.
    #[error("a tag in the HTML has more than {limit} attributes: remove some")]
    Attributes {
        /// The maximum.
        limit: usize,
    },
    /// All tags together have too many attributes.
    #[error("the HTML has more than {limit} attributes: import it in parts")]
    AttributesInAll {
        /// The maximum.
        limit: usize,
    },
    /// Misnested formatting elements multiply beyond the size of the input.
    #[error(
        "elements in the HTML are misnested so that they multiply: close <b>, <i>, <a>, <font> and the like where they end"
    )]
    Misnested,
    /// The tree cannot be written so that parsing the text gives the same tree.
    #[error(
        "elements in the HTML are nested in a way that HTML cannot spell: close <a>, <form> and <table> where they end"
    )]
    Unspeakable,
    /// The page has a frameset instead of a body.
    #[error("the page is a <frameset>: import the page of each frame instead")]
    Frameset,
}
