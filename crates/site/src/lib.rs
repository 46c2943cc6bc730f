//! The site: what it is made of, how it changes, how HTML and CSS come in and go out.
//!
//! Pure, native and wasm32: no I/O, clock or randomness; ids and time are arguments. What must be fetched from outside is
//! asked for by value and handed in by the host.

mod apply;
mod binding;
mod chain;
mod change;
mod css;
mod diff;
mod entity;
mod example;
mod field;
mod format;
mod html;
mod id;
mod item;
mod lawful;
mod layers;
mod mention;
mod module;
mod node;
mod op;
mod page;
mod pages;
mod plan;
mod reading;
mod reference;
mod render;
mod replay;
mod replica;
mod restore;
mod revert;
mod site;
mod snapshot;
mod start;
mod style;
mod tagged;
mod tools;
mod tree;

pub use apply::{Done, Undone, Was};
pub use binding::{
    BadBinding, Lookup, Path, Source, check as check_bindings, fill as fill_bindings, follow,
};
pub use chain::Chain;
pub use change::{Applied, Author, CHANGE_BYTES_MAX, Change, Expect, FORMAT, OPS_MAX};
pub use css::{
    Block, Breakpoint, ClassView, ColorToken, ColorVariant, ContextView, CssEdit, CssError,
    CssForm, CssLeft, CssLimits, CssPlace, CssProblem, CssTally, CssTrouble, Declaration,
    FontToken, Origin, ParsedCss, Piece, Present, Raw, Scale, ScaleEnd, ScaleStep, Screens,
    SelectorNeeds, StyleContext, TokenProblem, Tokens, Utilities, check_piece, class_of,
    class_selector, class_view, context_of, framework_css, is_relevant, parse_css, plan_add,
    plan_upsert, relevant_pieces, selector_needs, tally_css, write_css,
};
pub use diff::{DiffKind, DiffLine, diff};
pub use example::example_ops;
pub use field::BadField;
pub use format::{FormatError, Shape, Stored, read_stored, upgrade_change};
pub use html::{
    Doctype, HtmlDocument, HtmlError, HtmlLimits, HtmlMode, HtmlPlace, HtmlStray, HtmlStyle,
    HtmlStylePlace, ImportedHtml, PageImportError, Quirks, import_html, import_page, refuses_attr,
    refuses_element, write_document, write_forest,
};
pub use id::{BadId, BodyId, ChangeId, ItemId, Mint, NodeId};
pub use item::{
    Code, CodeFile, FontFamily, FontFile, Item, Items, List, Placement, Sheet, Target, Timing,
};
pub use lawful::Unlawful;
pub use layers::{Layer, LoneText, NodeView};
pub use mention::Mention;
pub use module::{MODULES, Module, Prop, PropKind, Unset, module_of};
pub use node::{
    Attr, ComponentUse, Direction, Element, Forest, Kind, Lock, Loop, Name, Namespace, Node,
    Planted,
};
pub use op::{Entity, New, Op, OpScope};
pub use page::{Component, Page, PageSettings, Param, ParamKind, Template, TemplateTarget};
pub use pages::Pages;
pub use plan::{
    Accept, Caution, EditPlan, Intent, NodeRef, Normalised, OpOutcome, OpStatus, PLAN_BYTES_MAX,
    PLAN_NODES_MAX, PLAN_OPS_MAX, PageRef, PageSettingsPatch, PlanOp, PlanProblem, PlanProblemKind,
    PlanRun, Ref, Refused, Repair, SUBMIT_EDIT_PLAN, SUGGESTIONS_MAX, SiteSettingsPatch, Slip,
    edit_plan_schema, normalise,
};
pub use reading::{PageInfo, READING_BUDGET, Ranges, ReadingPart};
pub use reference::{Reference, Referrer};
pub use render::{
    BadFontQuery, Collection, Facts, FontQuery, FontReport, Frame, FrameBox, FrameLayout,
    FrameQuery, FrameReport, FrameWarning, FrameWarningKind, Need, Outcome, Purpose, Rendered,
    RowQuery, Viewport, templates_for,
};
pub use replay::{ReplayError, replay_body, replay_shell};
pub use replica::{Astray, Logged, Replica};
pub use revert::Reverted;
pub use site::{Shell, Site, SiteSettings};
pub use snapshot::{BodySnapshot, ShellSnapshot};
pub use start::first_ops;
pub use tools::{
    APPLY_EDIT_PLAN, DocumentRef, DocumentType, PREVIEW_EDIT_PLAN, SiteTool, ToolRun, View,
    site_tools,
};
pub use tree::{DEPTH_MAX, Grown, Misplaced, Place, Subtree, Tree};
