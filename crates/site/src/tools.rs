//! The tools that read and change a site, as pure functions. They run in wasm in the browser and natively on the
//! server; both produce the same change with the same ids.
//!
//! A tool never commits. It computes ops, which are tried on the site and undone. What cannot be done is an error that
//! says what to try next, never a success. Committing the change is up to the host.

mod breakpoints;
mod catalogue;
pub(crate) mod classes;
mod code;
mod component;
pub(crate) mod css;
mod documents;
mod edit_plan;
mod fonts;
pub(crate) mod html;
mod import;
mod menu;
pub(crate) mod nodes;
mod own_style;
pub(crate) mod pages;
pub(crate) mod props;
mod read;
pub(crate) mod settings;
mod snapshot;
pub(crate) mod templates;
mod token_uses;
mod tokens;
mod work;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sitewright_tool::{Definition, DefinitionBuilder, Image, Receipt, ToolError, parse, write};

use crate::{ChangeId, Facts, NodeId, Op, Outcome, Site};

pub use component::ComponentSource;
pub(crate) use component::is_of_template;
pub use documents::{DocumentRef, DocumentType};
pub use edit_plan::{APPLY_EDIT_PLAN, PREVIEW_EDIT_PLAN};
pub use own_style::{ElementState, OwnStyle};
pub(crate) use work::{LocatedNode, name_of};
pub use work::{Stop, Work};

/// The caller's view of the editor.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// The document that is open.
    pub current: Option<crate::BodyId>,
    pub selected: Option<NodeId>,
    /// The breakpoint of the active frame.
    pub breakpoint: Option<String>,
}

/// The result of running a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRun {
    /// The output of the tool.
    pub data: Value,
    /// The ops of its change; empty for a read-only call.
    pub ops: Vec<Op>,
    /// What the call really created, changed and removed.
    pub receipt: Receipt,
    /// The document the editor should show.
    pub open: Option<DocumentRef>,
    /// Images for models that can see; they are never part of `data`.
    pub images: Vec<Image>,
    /// What to show before the change is confirmed, for a tool that previews.
    pub question: Option<Value>,
}

/// A pure tool of the site.
pub struct SiteTool {
    /// Everything about the tool except its body.
    pub definition: Definition,
    run: Box<Run>,
}

type Run = dyn Fn(Value, &mut Work<'_>) -> Result<Value, Stop> + Send + Sync;

/// Every tool of the site, in the order of the documentation.
pub fn site_tools() -> Vec<SiteTool> {
    let mut tools = document_tools();
    tools.extend(edit_plan::tools());
    tools
}

/// The tools that a tab can run. Plans are checked and applied on the server, and leaving them out of the browser's core keeps 120 KB
/// (compressed) out of the editor's download.
pub fn document_tools() -> Vec<SiteTool> {
    [
        documents::tools(),
        read::tools(),
        catalogue::tools(),
        html::tools(),
        props::tools(),
        nodes::tools(),
        classes::tools(),
        css::tools(),
        pages::tools(),
        import::tools(),
        settings::tools(),
        templates::tools(),
        tokens::tools(),
        token_uses::tools(),
        breakpoints::tools(),
        fonts::tools(),
        snapshot::tools(),
        code::tools(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl SiteTool {
    /// Runs the tool on the site as the caller sees it; the site is unchanged afterwards.
    ///
    /// The tool applies its ops while it works and all of them are undone before this returns, also when it fails. New
    /// ids derive from `change`, so running the tool again with the same change gives the same ops. `Outcome::Needs`
    /// lists what the host must provide, such as a document that is not loaded, before it calls again with the same
    /// arguments.
    pub fn run(
        &self,
        input: Value,
        site: &mut Site,
        view: &View,
        (facts, change): (&Facts, ChangeId),
    ) -> Result<Outcome<ToolRun>, ToolError> {
        let mut work = Work::new(site, view, facts, change);
        let data = match (self.run)(input, &mut work) {
            Ok(data) => data,
            Err(Stop::Needs(needs)) => return Ok(Outcome::Needs(needs)),
            Err(Stop::Error(error)) => return Err(*error),
        };
        let run = ToolRun {
            data,
            ops: work.take_ops()?,
            receipt: std::mem::take(&mut work.receipt),
            open: work.open,
            images: std::mem::take(&mut work.images),
            question: work.question.take(),
        };
        Ok(Outcome::Done(run))
    }
}

/// Completes a definition with its body, whose input and output types give the schemas.
pub trait PureBody {
    /// The tool with this body.
    fn with<I, O>(
        self,
        run: impl Fn(I, &mut Work<'_>) -> Result<O, Stop> + Send + Sync + 'static,
    ) -> SiteTool
    where
        I: DeserializeOwned + JsonSchema,
        O: Serialize + JsonSchema;
}

impl PureBody for DefinitionBuilder {
    fn with<I, O>(
        self,
        run: impl Fn(I, &mut Work<'_>) -> Result<O, Stop> + Send + Sync + 'static,
    ) -> SiteTool
    where
        I: DeserializeOwned + JsonSchema,
        O: Serialize + JsonSchema,
    {
        let run = move |input: Value, work: &mut Work<'_>| -> Result<Value, Stop> {
            let input: I = parse(input)?;
            let output = run(input, work)?;
            Ok(write(&output)?)
        };
        SiteTool {
            definition: self.build::<I, O>(),
            run: Box::new(run),
        }
    }
}

/// The answer of a tool that has nothing to tell beyond its receipt.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Nothing {}

#[cfg(test)]
mod tests;
