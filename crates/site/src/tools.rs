//! The tools that read and change a site, as pure functions. The browser runs them in wasm and the server without a browser;
//! both get the same change with the same ids.
//!
//! A tool never writes. It works out ops, which are tried on the site and taken back; what cannot be done is an error with
//! what to try next, never an ok. Committing the change is the host's business.

mod catalogue;
pub(crate) mod classes;
mod code;
pub(crate) mod css;
mod documents;
mod edit_plan;
mod fonts;
pub(crate) mod html;
pub(crate) mod nodes;
pub(crate) mod pages;
pub(crate) mod props;
mod read;
pub(crate) mod settings;
mod snapshot;
pub(crate) mod templates;
mod tokens;
mod work;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sitewright_tool::{Definition, DefinitionBuilder, Image, Receipt, ToolError, parse, write};

use crate::{ChangeId, Facts, NodeId, Op, Outcome, Site};

pub use documents::{DocumentRef, DocumentType};
pub use edit_plan::{APPLY_EDIT_PLAN, PREVIEW_EDIT_PLAN};
pub(crate) use work::{LocatedNode, Stop, Work, name_of};

/// What the caller looks at.
#[derive(Debug, Clone, Default)]
pub struct View {
    /// The document that is open.
    pub current: Option<crate::BodyId>,
    /// The node that is selected.
    pub selected: Option<NodeId>,
    /// The breakpoint whose frame is in front.
    pub breakpoint: Option<String>,
}

/// What a tool came to.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRun {
    /// What it answers.
    pub data: Value,
    /// The steps of its change; none for a tool that only looks.
    pub ops: Vec<Op>,
    /// What really happened.
    pub receipt: Receipt,
    /// The document the editor should show now.
    pub open: Option<DocumentRef>,
    /// Pictures for whoever can see; they are never in `data`.
    pub images: Vec<Image>,
}

/// A tool of the site.
pub struct SiteTool {
    /// Everything about it except what it does.
    pub definition: Definition,
    run: Box<Run>,
}

type Run = dyn Fn(Value, &mut Work<'_>) -> Result<Value, Stop> + Send + Sync;

/// Every tool of the site, in the order of the documentation.
pub fn site_tools() -> Vec<SiteTool> {
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
        settings::tools(),
        templates::tools(),
        tokens::tools(),
        fonts::tools(),
        snapshot::tools(),
        code::tools(),
        edit_plan::tools(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl SiteTool {
    /// Runs the tool on the site as the caller sees it. The site is the same afterwards.
    ///
    /// The ids of what it makes come from `change`: running it again with the same one gives the same ops.
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
        };
        Ok(Outcome::Done(run))
    }
}

/// Gives a definition its body, whose types are its schemas.
trait PureBody {
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
