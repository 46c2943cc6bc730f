//! HTML import and export.
//!
//! [`import_html`] parses with html5ever (scripting off) into an arena, removes what could run code, extracts the CSS
//! and converts the rest to a [`Forest`](crate::Forest). [`write_forest`] and [`write_document`] serialise a forest so
//! that a browser parses it to the same tree. The deny-list is in `policy`.
//!
//! Nothing here recurses on depth. Every input is handled in time and memory proportional to its size, or refused with
//! an error that names the limit.

mod arena;
mod code;
mod document;
mod feed;
mod import;
mod limits;
mod links;
mod loops;
mod plant;
mod policy;
mod removals;
mod sink;
mod spelling;
mod url;
mod write;

pub use code::{FoundCode, PageScan, find_code, rendered_page_limits, scan_page};
pub use document::{
    Doctype, HtmlDocument, HtmlPlace, HtmlStray, Quirks, component_element, doctype_text,
    write_document, write_forest, write_strays,
};
pub use import::{HtmlMode, ImportedHtml, import_html};
pub use limits::{HtmlError, HtmlLimits};
pub use links::{is_css_type, links_sheet};
pub use loops::{loop_element, outlet_element};
pub use plant::{HtmlStyle, HtmlStylePlace};
pub use policy::{is_raw_text, refuses_attr, refuses_element};
pub use spelling::parser_spelling;
pub use write::{
    Position, attr, close_tag, comment, escape_html, is_attr_name, is_raw_text_safe, is_tag_name,
    is_void, open_tag, text,
};
