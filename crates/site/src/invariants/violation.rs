//! Why a step is refused whoever sends it.

use sitewright_markup::css::CssError;

use crate::SlugProblem;
use crate::site::PARENTS_MAX;

/// Why a step is not allowed, as the end of a sentence about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A rule of a stylesheet would not be read again as that one rule.
    #[error(transparent)]
    Css(#[from] CssError),
    /// The slug cannot be part of an address.
    #[error(transparent)]
    Slug(#[from] SlugProblem),
    /// A page would lie under itself.
    #[error("a page cannot lie under itself")]
    OwnParent,
    /// A page would lie too deep.
    #[error("a page lies under at most {PARENTS_MAX} others")]
    TooManyParents,
    /// The doctype is none.
    #[error("a doctype is written as `<!doctype …>`")]
    Doctype,
    /// The parser would not read the tag as one.
    #[error("`{tag}` is no tag")]
    TagName {
        /// The tag.
        tag: String,
    },
    /// Import takes such elements out.
    #[error("`{tag}` elements are not allowed in documents; scripts are code files of the site")]
    RefusedElement {
        /// The tag.
        tag: String,
    },
    /// The parser would leave SVG or MathML at this tag.
    #[error("`{tag}` is an element of HTML, not of SVG or MathML")]
    HtmlTagInForeign {
        /// The tag.
        tag: String,
    },
    /// An element has two attributes of one name.
    #[error("the attribute `{name}` is given twice")]
    RepeatedAttribute {
        /// The attribute.
        name: String,
    },
    /// The parser would not read the name as one.
    #[error("`{name}` is no name of an attribute")]
    AttributeName {
        /// The name.
        name: String,
    },
    /// Classes and styles are fields of a node.
    #[error("`{name}` is a field of its own, not an attribute")]
    FieldAsAttribute {
        /// The attribute.
        name: String,
    },
    /// An attribute would run code.
    #[error("{what} would run code and is not allowed")]
    RunsCode {
        /// The attribute and what is wrong with it.
        what: String,
    },
    /// The parser reads everything in this element as text.
    #[error("`{parent}` holds text alone")]
    InTextOnlyElement {
        /// The element around it.
        parent: String,
    },
    /// What comes in at an outlet or a component is HTML.
    #[error("outlets and components cannot stand in SVG or MathML")]
    HtmlContentInForeign,
    /// The parser would put the element elsewhere or read it in another namespace.
    #[error("`{tag}` cannot stand in `{parent}`, where another language is spoken")]
    OtherLanguage {
        /// The tag.
        tag: String,
        /// The element around it.
        parent: String,
    },
    /// The text is written without escapes.
    #[error("the text of `{parent}` cannot hold `<`")]
    TagInRawText {
        /// The element around it.
        parent: String,
    },
    /// The comment would end the element around it where scripts run.
    #[error("a comment in `noscript` cannot hold its end")]
    NoscriptEndInComment,
    /// The element has neither children nor an end tag.
    #[error("`{parent}` holds nothing")]
    InVoidElement {
        /// The element around it.
        parent: String,
    },
}
