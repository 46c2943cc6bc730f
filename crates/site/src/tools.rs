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
use sitewright_tool::{
    Effect, Execution, Image, Receipt, RetryPolicy, Scope, ToolCapability, ToolError, ToolManifest,
    ToolName, parse, schema_of, write,
};

use crate::{ChangeId, Facts, NodeId, Op, Outcome, Site};

pub use documents::{DocumentRef, DocumentType};
pub(crate) use work::{Found, Stop, Work, name_of};

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
    /// What it says about itself.
    pub manifest: ToolManifest,
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

/// What a tool says about itself besides its types.
struct About {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    capability: ToolCapability,
    execution: Execution,
}

impl About {
    /// A tool that changes the draft.
    const fn change(name: &'static str, title: &'static str, description: &'static str) -> Self {
        Self {
            name,
            title,
            description,
            capability: ToolCapability::Write,
            execution: Execution::Browser,
        }
    }

    /// A tool that looks at what the editor shows.
    const fn look(name: &'static str, title: &'static str, description: &'static str) -> Self {
        Self {
            name,
            title,
            description,
            capability: ToolCapability::Read,
            execution: Execution::Browser,
        }
    }

    /// A tool that looks at what the server has.
    const fn list(name: &'static str, title: &'static str, description: &'static str) -> Self {
        Self {
            name,
            title,
            description,
            capability: ToolCapability::Read,
            execution: Execution::Server,
        }
    }

    fn with<I, O>(
        self,
        run: impl Fn(I, &mut Work<'_>) -> Result<O, Stop> + Send + Sync + 'static,
    ) -> SiteTool
    where
        I: DeserializeOwned + JsonSchema,
        O: Serialize + JsonSchema,
    {
        let manifest = self.manifest(schema_of::<I>(), schema_of::<O>());
        let run = move |input: Value, work: &mut Work<'_>| -> Result<Value, Stop> {
            let input: I = parse(input)?;
            let output = run(input, work)?;
            Ok(write(&output)?)
        };
        SiteTool {
            manifest,
            run: Box::new(run),
        }
    }

    /// Apart from the types, so that it is compiled once.
    fn manifest(self, input_schema: Value, output_schema: Value) -> ToolManifest {
        let Self {
            name,
            title,
            description,
            capability,
            execution,
        } = self;
        let effect = match capability {
            ToolCapability::Read => Effect::None,
            ToolCapability::Write => Effect::Draft,
        };
        ToolManifest {
            name: ToolName::from_static(name),
            description: description.to_owned(),
            input_schema,
            output_schema,
            capability,
            timeout_ms: 90_000,
            retry_policy: RetryPolicy {
                max_attempts: 1,
                backoff_ms: None,
            },
            idempotent: capability == ToolCapability::Read,
            title: Some(title.to_owned()),
            scopes: vec![Scope::Site],
            execution,
            effect: Some(effect),
            confirmation: None,
            cancels: None,
            cancel_for: None,
            compensation: None,
            pii_required: Vec::new(),
            intent_tags: Vec::new(),
            guidance: None,
            heavy: false,
            aliases: Vec::new(),
            enabled: true,
        }
    }
}

/// The answer of a tool that has nothing to tell beyond its receipt.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Nothing {}

#[cfg(test)]
mod tests;
