//! Why an op is refused, no matter who sends it.

use sitewright_markup::css::CssError;

use crate::SlugProblem;
use crate::site::PARENTS_MAX;

/// Why an op is not allowed, phrased as the end of a sentence about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A rule of a stylesheet would not parse back as that same single rule.
    #[error(transparent)]
    Css(#[from] CssError),
    /// The slug is not valid in an address.
    #[error(transparent)]
    Slug(#[from] SlugProblem),
    /// A page would be under itself.
    #[error("a page cannot lie under itself")]
    OwnParent,
    /// A page would be nested too deep.
    #[error("a page lies under at most {PARENTS_MAX} others")]
    TooManyParents,
    /// The value is not a doctype.
    #[error("a doctype is written as `<!doctype …>`")]
    Doctype,
    /// The parser would not read it as a tag.
    #[error("`{tag}` is no tag")]
    TagName {
        /// The tag.
        tag: String,
    },
    /// The parser would make an element with another tag of it.
    #[error("`{tag}` is spelled `{spelling}` in HTML")]
    TagSpelling {
        /// The tag.
        tag: String,
        /// The tag that the parser would make of it.
        spelling: String,
    },
    /// The parser would end the head before it.
    #[error("`{tag}` cannot stand in the head of a page")]
    NotInHead {
        /// The tag.
        tag: String,
    },
    /// Import removes such elements.
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
    /// An element has the same attribute twice.
    #[error("the attribute `{name}` is given twice")]
    RepeatedAttribute {
        /// The attribute.
        name: String,
    },
    /// The parser would not read it as an attribute name.
    #[error("`{name}` is no name of an attribute")]
    AttributeName {
        /// The name.
        name: String,
    },
    /// Classes and styles are fields of a node, not attributes.
    #[error("`{name}` is a field of its own, not an attribute")]
    FieldAsAttribute {
        /// The attribute.
        name: String,
    },
    /// An attribute would run code, or take visitors to another site.
    #[error("{what} is not allowed in documents: it can run code or take visitors elsewhere")]
    RunsCode {
        /// The attribute and what is wrong with it.
        what: String,
    },
    /// The parser reads everything in this element as text.
    #[error("`{parent}` holds text alone")]
    InTextOnlyElement {
        /// The parent element.
        parent: String,
    },
    /// The content of outlets and components is HTML.
    #[error("outlets and components cannot stand in SVG or MathML")]
    HtmlContentInForeign,
    /// The parser would move the element or read it in another namespace.
    #[error("`{tag}` cannot stand in `{parent}`, where another language is spoken")]
    OtherLanguage {
        /// The tag.
        tag: String,
        /// The parent element.
        parent: String,
    },
    /// Text in this element is written without escaping.
    #[error("the text of `{parent}` cannot hold `<`")]
    TagInRawText {
        /// The parent element.
        parent: String,
    },
    /// The element has neither children nor an end tag.
    #[error("`{parent}` holds nothing")]
    InVoidElement {
        /// The parent element.
        parent: String,
    },
}
