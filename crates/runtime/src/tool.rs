//! What the pipeline can run: pure tools, which plan ops on the site, and outside tools, which do their work themselves.

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
    Definition, DefinitionBuilder, Image, Receipt, Scope, Taint, ToolContext, ToolError, parse,
    write,
};

use crate::PlannedChange;

/// Where a tool comes from. Only the same source may replace or remove a tool.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ToolSource {
    BuiltIn,
    /// From the bootstrap file.
    File,
    /// Registered over the API while the server runs.
    Registered,
    /// From the connector with this name.
    Connector(String),
}

impl ToolSource {
    /// Its name in lists and error messages.
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
    /// An outside tool. Its schemas are generated from the types of its work.
    pub fn outside<W: Outside>(definition: DefinitionBuilder, work: W) -> Self
    where
        W::Input: JsonSchema,
        W::Data: JsonSchema,
    {
        Self::new(definition.build::<W::Input, W::Data>(), work)
    }

    /// An outside tool whose definition is complete, such as an imported one, whose manifest contains its schemas.
    pub fn new(definition: Definition, work: impl Outside) -> Self {
        Self(Body::Outside(OutsideTool {
            definition: Arc::new(definition),
            work: Arc::new(work),
        }))
    }

    /// The work of an outside tool; `None` for a pure tool.
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

/// The work of a tool that acts outside the site's document: it may wait, fail and be retried.
///
/// The pipeline validates the input, obtains approval, enforces the timeout, decides on retries and validates the answer. Dropping
/// a future must stop its work.
pub trait Outside: Send + Sync + 'static {
    type Input: DeserializeOwned + Send + Sync;
    type Data: Serialize + Send;

    /// Works out what a call would do, without side effects. It is called before the policy judges the call, and again before an
    /// approved call runs. The default is for tools that know nothing beforehand, which is most of them.
    fn foresee(
        &self,
        _input: Self::Input,
        _attempt: Attempt<'_>,
    ) -> impl Future<Output = Result<Foreseen, ToolError>> + Send {
        std::future::ready(Ok(Foreseen::default()))
    }

    /// Makes one attempt. Whether it is retried depends on the [`Failure`] and the manifest.
    fn run(
        &self,
        input: Self::Input,
        attempt: Attempt<'_>,
    ) -> impl Future<Output = Result<ToolOutput<Self::Data>, Failure>> + Send;
}

/// [`Outside`] without its associated types, so that one registry can hold tools of all types.
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

/// What a call of an outside tool would do. Most tools know nothing beforehand, which is the default.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Foreseen {
    /// The facts for the policy.
    pub change: PlannedChange,
    /// Shown to the person who decides.
    pub preview: Option<Value>,
    /// What an approval is bound to, besides the tool and its arguments. If the value is different by the time an approved call is
    /// about to run, the call does not run.
    pub agreed: Option<String>,
}

/// One attempt at a call.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    pub context: &'a ToolContext,
    /// The scope that the caller named; none for all of them.
    pub scope: Option<Scope>,
    /// Who makes the call, and when.
    pub by: &'a Stamp,
    /// The author and permissions for a tool that commits changes to the site.
    pub committer: Option<&'a Committer>,
    /// [`Foreseen::agreed`] of an approved call: the attempt must do exactly that or fail. `None` for a call that did not wait for
    /// approval, which acts on the state it finds.
    pub agreed: Option<&'a str>,
    /// The same for every attempt of a call, and different for every other call.
    pub idempotency_key: &'a str,
    /// How long this attempt may take before the pipeline drops it.
    pub timeout: Duration,
}

/// The result of a successful attempt.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolOutput<T = Value> {
    pub data: T,
    /// Pictures for models that can see.
    pub images: Vec<Image>,
    /// What the tool reports to have created, changed and removed, if it does.
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

/// Why an attempt failed, and what is known about its side effects.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub error: ToolError,
    pub delivery: Delivery,
    /// How long the other side asks us to wait, as in a `Retry-After` header.
    pub retry_after: Option<Duration>,
}

impl Failure {
    /// A failure whose effect is known, because the other side answered.
    pub fn answered(error: ToolError) -> Self {
        Self {
            error,
            delivery: Delivery::Answered,
            retry_after: None,
        }
    }
}

/// An error that occurred before anything was sent.
impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        Self {
            error,
            delivery: Delivery::Never,
            retry_after: None,
        }
    }
}

/// Whether the other side may have received a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// It was not sent.
    Never,
    /// It was answered, so its effect is known.
    Answered,
    /// It may have been received, and there was no answer.
    Unknown,
}
