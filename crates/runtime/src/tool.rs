//! What the pipeline can run: tools that plan ops on the site, and tools that reach outside it.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sitewright_site::SiteTool;
use sitewright_store::{Committer, Stamp};
use sitewright_tool::{
    Definition, DefinitionBuilder, Image, Receipt, Taint, ToolContext, ToolError, parse, write,
};

use crate::PlannedChange;

/// Where a tool comes from. A tool may be replaced only from where it came.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ToolSource {
    /// Built in.
    BuiltIn,
    /// The bootstrap file.
    File,
    /// Registered while running, over the API.
    Registered,
    /// A connector, by its name.
    Connector(String),
}

impl ToolSource {
    /// The word for it in lists.
    pub fn as_str(&self) -> &str {
        match self {
            Self::BuiltIn => "built-in",
            Self::File => "file",
            Self::Registered => "registered",
            Self::Connector(name) => name,
        }
    }
}

/// A tool that the pipeline can run: a definition and a body.
#[derive(Clone)]
pub struct Tool(pub(crate) Body);

#[derive(Clone)]
pub(crate) enum Body {
    /// Plans ops on a copy of the site, which the pipeline commits.
    Pure(Arc<SiteTool>),
    /// Does its work itself, outside the site's document.
    Outside(OutsideTool),
}

#[derive(Clone)]
pub(crate) struct OutsideTool {
    pub(crate) definition: Arc<Definition>,
    pub(crate) work: Arc<dyn ErasedOutside>,
}

impl Tool {
    /// A tool that reaches outside. Its schemas come from the types of its work.
    pub fn outside<W: Outside>(definition: DefinitionBuilder, work: W) -> Self
    where
        W::Input: JsonSchema,
        W::Data: JsonSchema,
    {
        Self::new(definition.build::<W::Input, W::Data>(), work)
    }

    /// A tool whose definition is complete, such as an imported one, whose manifest brings its schemas.
    pub fn new(definition: Definition, work: impl Outside) -> Self {
        Self(Body::Outside(OutsideTool {
            definition: Arc::new(definition),
            work: Arc::new(work),
        }))
    }

    /// The work of a tool that reaches outside; nothing for one that plans ops.
    pub fn outside_work(&self) -> Option<&dyn ErasedOutside> {
        match &self.0 {
            Body::Pure(_) => None,
            Body::Outside(tool) => Some(&*tool.work),
        }
    }

    /// Everything about the tool except what it does.
    pub fn definition(&self) -> &Definition {
        match &self.0 {
            Body::Pure(tool) => &tool.definition,
            Body::Outside(tool) => &tool.definition,
        }
    }
}

impl From<SiteTool> for Tool {
    fn from(tool: SiteTool) -> Self {
        Self(Body::Pure(Arc::new(tool)))
    }
}

/// The work of a tool that reaches outside the site's document: it may wait, fail, and be attempted again.
///
/// The pipeline has validated the input, has the approval, bounds the time, decides on another attempt and validates the answer.
/// Dropping a future must stop its work.
pub trait Outside: Send + Sync + 'static {
    /// What goes in.
    type Input: DeserializeOwned + Send + Sync;
    /// What it answers.
    type Data: Serialize + Send;

    /// Works out what a call would do without doing it: before the policy judges it, and again before it runs with an approval. Most
    /// tools know nothing beforehand.
    fn foresee(
        &self,
        _input: Self::Input,
        _attempt: Attempt<'_>,
    ) -> impl Future<Output = Result<Foreseen, ToolError>> + Send {
        std::future::ready(Ok(Foreseen::default()))
    }

    /// Makes one attempt.
    fn run(
        &self,
        input: Self::Input,
        attempt: Attempt<'_>,
    ) -> impl Future<Output = Result<ToolOutput<Self::Data>, Failure>> + Send;
}

/// [`Outside`] without its types, so that tools of all types stand in one registry.
pub trait ErasedOutside: Send + Sync {
    /// [`Outside::foresee`].
    fn foresee<'a>(
        &'a self,
        arguments: &'a Value,
        attempt: Attempt<'a>,
    ) -> BoxFuture<'a, Result<Foreseen, ToolError>>;

    /// [`Outside::run`].
    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        attempt: Attempt<'a>,
    ) -> BoxFuture<'a, Result<ToolOutput, Failure>>;
}

impl<W: Outside> ErasedOutside for W {
    fn foresee<'a>(
        &'a self,
        arguments: &'a Value,
        attempt: Attempt<'a>,
    ) -> BoxFuture<'a, Result<Foreseen, ToolError>> {
        Box::pin(async move { Outside::foresee(self, parse(arguments.clone())?, attempt).await })
    }

    fn run<'a>(
        &'a self,
        arguments: &'a Value,
        attempt: Attempt<'a>,
    ) -> BoxFuture<'a, Result<ToolOutput, Failure>> {
        Box::pin(async move {
            let input = parse(arguments.clone())?;
            let output = Outside::run(self, input, attempt).await?;
            Ok(ToolOutput {
                data: write(&output.data).map_err(Failure::answered)?,
                images: output.images,
                receipt: output.receipt,
                taint: output.taint,
            })
        })
    }
}

/// What a call would do; nothing is known of most that are done elsewhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Foreseen {
    /// For the policy.
    pub change: PlannedChange,
    /// For whoever is asked.
    pub preview: Option<Value>,
    /// What a yes is a yes to, besides the tool and its arguments. When it is another one by the time a call is to run that somebody
    /// was asked about, it does not run.
    pub agreed: Option<String>,
}

/// One attempt at a call.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// Where the call belongs.
    pub context: &'a ToolContext,
    /// Who makes the call.
    pub by: &'a Stamp,
    /// Whose change it would be, for a tool that changes the site.
    pub committer: Option<&'a Committer>,
    /// What was foreseen when somebody agreed to it: the attempt must do that or nothing. Nothing for a call that ran without
    /// anybody being asked; it does what it finds.
    pub agreed: Option<&'a str>,
    /// The same for every attempt at the same call, and for no other call.
    pub idempotency_key: &'a str,
    /// How long this attempt may take; the pipeline stops it then.
    pub timeout: Duration,
}

/// What an attempt that succeeded answers.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput<T = Value> {
    pub data: T,
    /// Pictures for models that can see.
    pub images: Vec<Image>,
    /// What really happened, where the tool tells.
    pub receipt: Option<Receipt>,
    /// Whether anything in it came from outside.
    pub taint: Taint,
}

impl<T> From<T> for ToolOutput<T> {
    fn from(data: T) -> Self {
        Self {
            data,
            images: Vec::new(),
            receipt: None,
            taint: Taint::Trusted,
        }
    }
}

/// Why an attempt failed, and what is known of its effect.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The error for the caller.
    pub error: ToolError,
    /// Whether the other side may have seen the request.
    pub delivery: Delivery,
    /// How long the other side asks to be left alone.
    pub retry_after: Option<Duration>,
}

impl Failure {
    /// A failure after which what happened is known.
    pub fn answered(error: ToolError) -> Self {
        Self {
            error,
            delivery: Delivery::Answered,
            retry_after: None,
        }
    }
}

/// An error before anything was sent.
impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        Self {
            error,
            delivery: Delivery::Never,
            retry_after: None,
        }
    }
}

/// Whether the other side may have seen a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It never left.
    Never,
    /// It was answered: what happened is known.
    Answered,
    /// It may have been seen, and no answer came.
    Unknown,
}
