//! The site: its data model, how it changes, how it is rendered, and the tools that work on it.
//!
//! Pure code for native and wasm32: no I/O, clock or randomness; ids and time are arguments. Code that needs data from outside
//! returns a description of it, and the host fetches it and calls again.

// The data model.
mod binding;
mod chain;
mod content;
mod entity;
mod field;
mod heading;
mod id;
mod item;
mod mention;
mod module;
mod page;
mod pages;
mod reference;
mod site;
mod style;
mod tree;

// Changes.
mod apply;
mod change;
pub mod gate;
mod invariants;
mod op;
mod revert;

// Storage, replication and replay.
mod format;
mod replay;
mod replica;
mod restore;
mod snapshot;

// Presentation.
mod diff;
mod layers;
mod reading;
mod render;

// Initial content, and the tools that work on a site.
mod detach;
mod example;
mod page_files;
mod page_import;
mod plan;
mod start;
mod tools;

// The types of `markup` that documents, items and ops contain.
pub use sitewright_markup::css::{Breakpoint, ColorToken, FontFile, Piece, Scale};
pub use sitewright_markup::{
    Attr, BadId, BodyId, ComponentUse, Direction, Element, FieldId, Forest, ForestNode, ItemId,
    Kind, Lock, Loop, Name, Namespace, Node, NodeId, RecordId, Reference, SectionStatus,
};

pub use content::{
    BadValue, Collection, CollectionProblem, ContentProblem, EntryProblem, EntryStatus, Field,
    FieldKind, NavItem, NavProblem, NavTarget, Navigation, OpenRecord, Record, content_ops,
};
pub use id::{ChangeId, Mint};
pub use item::{Code, CodeFile, FontFamily, Item, Items, List, Placement, Sheet, Target, Timing};
pub use mention::Mention;
pub use page::{Component, Page, Param, ParamKind, SlugProblem, Template, TemplateTarget};
pub use site::{Shell, Site, SiteSettings};
pub use tree::{Place, PlacementError, Subtree, SubtreeNode, Tree};

pub use apply::{Done, OpError, PriorState};
pub use change::{Applied, Author, CHANGE_BYTES_MAX, Change, Expect, FORMAT};
pub use field::BadField;
pub use invariants::Violation;
pub use op::{Entity, NewEntity, Op, OpScope};

pub use format::{StoredFormat, read_stored, upgrade_change};
pub use replay::{ReplayError, replay_body, replay_shell};
pub use replica::{Astray, Logged, Replica};
pub use snapshot::{BodySnapshot, ShellSnapshot};

pub use diff::{DiffKind, DiffLine, diff};
pub use reading::ReadingPart;
pub use render::{
    BadFontQuery, EntryFilter, EntryList, EntryOrder, EntryQuery, EntryRow, Facts, FontQuery,
    FontReport, Frame, FrameBox, FrameLayout, FrameQuery, FrameReport, FrameWarning,
    FrameWarningKind, Need, Outcome, Purpose, Rendered, RowQuery, UsedEntries, Viewport,
    part_address,
};

pub use detach::{DetachedProp, detach_component};
pub use example::example_ops;
pub use layers::{Layer, NodeView};
pub use page_files::PageFile;
pub use page_import::{PageImport, PageName, import_page};
pub use plan::{
    Accept, Caution, EditPlan, Intent, NodeRef, NormalisedPlan, OpOutcome, OpStatus, PageRef,
    PageSettingsPatch, PlanOp, PlanProblem, PlanProblemKind, PlanRun, Ref, Refused, Repair,
    SUBMIT_EDIT_PLAN, SiteSettingsPatch, Slip, edit_plan_schema, normalise,
};
pub use start::first_ops;
pub use tools::{
    APPLY_EDIT_PLAN, ComponentSource, DocumentRef, DocumentType, ElementState, OwnStyle,
    PREVIEW_EDIT_PLAN, PureBody, SiteTool, Stop, ToolRun, View, Work, document_tools, site_tools,
};

pub(crate) use binding::{check as check_bindings, literal as literal_text};
pub(crate) use chain::Chain;
pub(crate) use change::OPS_MAX;
pub(crate) use pages::Pages;
pub(crate) use render::templates_for;
