//! The site: what it is made of, how it changes, how HTML and CSS come in and go out.
//!
//! Pure, native and wasm32: no I/O, clock or randomness; ids and time are arguments. What must be fetched from outside is
//! asked for by value and handed in by the host.

mod apply;
mod binding;
mod chain;
mod change;
mod diff;
mod entity;
mod example;
mod field;
mod format;
pub mod gate;
mod id;
mod invariants;
mod item;
mod layers;
mod mention;
mod module;
mod op;
mod page;
mod page_import;
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
mod tools;
mod tree;

// What documents, items and ops hold.
pub use sitewright_markup::css::{Breakpoint, ColorToken, FontFile, Piece, Scale};
pub use sitewright_markup::{
    Attr, BadId, BodyId, ComponentUse, Direction, Element, Forest, ItemId, Kind, Lock, Loop, Name,
    Namespace, Node, NodeId, Planted, Reference,
};

pub use apply::{Done, OpError, Was};
pub use binding::{
    BadBinding, Lookup, Path, Source, check as check_bindings, fill as fill_bindings, follow,
};
pub use chain::Chain;
pub use change::{Applied, Author, CHANGE_BYTES_MAX, Change, Expect, FORMAT, OPS_MAX};
pub use diff::{DiffKind, DiffLine, diff};
pub use example::example_ops;
pub use field::BadField;
pub use format::{FormatError, Shape, Stored, read_stored, upgrade_change};
pub use id::{ChangeId, Mint};
pub use invariants::Violation;
pub use item::{Code, CodeFile, FontFamily, Item, Items, List, Placement, Sheet, Target, Timing};
pub use layers::{Layer, LoneText, NodeView};
pub use mention::Mention;
pub use module::{MODULES, Module, Prop, PropKind, Unset, module_of};
pub use op::{Entity, New, Op, OpScope};
pub use page::{
    Component, Page, PageSettings, Param, ParamKind, SlugProblem, Template, TemplateTarget,
};
pub use page_import::{PageImportError, import_page};
pub use pages::Pages;
pub use plan::{
    Accept, Caution, EditPlan, Intent, NodeRef, Normalised, OpOutcome, OpStatus, PLAN_BYTES_MAX,
    PLAN_NODES_MAX, PLAN_OPS_MAX, PageRef, PageSettingsPatch, PlanOp, PlanProblem, PlanProblemKind,
    PlanRun, Ref, Refused, Repair, SUBMIT_EDIT_PLAN, SUGGESTIONS_MAX, SiteSettingsPatch, Slip,
    edit_plan_schema, normalise,
};
pub use reading::{PageInfo, READING_BUDGET, Ranges, ReadingPart};
pub use reference::Referrer;
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
pub use tools::{DocumentRef, DocumentType, SiteTool, ToolRun, View, site_tools};
pub use tree::{DEPTH_MAX, Grown, Misplaced, Place, Subtree, Tree};
