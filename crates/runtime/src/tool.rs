//! What the pipeline can run: tools of the site, which are pure, and tools whose work is elsewhere.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde_json::Value;
use sitewright_store::{By, Committer};
use sitewright_tool::{Capability, Image, Receipt, Taint, ToolContext, ToolError, ToolManifest};

use crate::PlannedChange;

/// Where a tool comes from. A tool may be replaced only from where it came.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Source {
    /// Built in.
    BuiltIn,
    /// The bootstrap file.
    File,
    /// Registered while running, over the API.
    Registered,
    /// A connector, by its name.
    Connector(String),
}

impl Source {
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

/// A tool whose work is elsewhere: it may wait, fail, and be tried again.
///
/// One call of `call` is one attempt. The pipeline has validated the input, has the approval, bounds the time, decides on
/// another attempt and validates the answer; dropping the future must stop the work.
pub trait Tool: Send + Sync {
    /// What it says about itself.
    fn manifest(&self) -> &ToolManifest;

    /// What whoever calls it must be allowed to do.
    fn needs(&self) -> Capability {
        Capability::ToolsCall
    }

    /// What one must be allowed to do to say yes to one's own call. An agent cannot say yes, whatever it may do.
    fn confirmed_by(&self) -> Capability {
        Capability::ToolsApprove
    }

    /// Works out what a call would do, without doing it: before it is judged, and again before it runs with somebody's yes.
    fn foresee<'a>(&'a self, _: Attempt<'a>) -> Foreseeing<'a> {
        Box::pin(std::future::ready(Ok(Foreseen::default())))
    }

    /// Makes one attempt.
    fn call<'a>(&'a self, attempt: Attempt<'a>) -> Running<'a>;
}

/// An attempt that is under way.
pub type Running<'a> = Pin<Box<dyn Future<Output = Result<Output, Failure>> + Send + 'a>>;

/// A look ahead that is under way.
pub type Foreseeing<'a> = Pin<Box<dyn Future<Output = Result<Foreseen, ToolError>> + Send + 'a>>;

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
    /// What goes in.
    pub arguments: &'a Value,
    /// Where the call belongs.
    pub context: &'a ToolContext,
    /// Who makes the call.
    pub by: &'a By,
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

/// What came of an attempt that went well.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Output {
    /// What the tool answers.
    pub data: Value,
    /// Pictures for whoever can see.
    pub images: Vec<Image>,
    /// What really happened, where the tool tells.
    pub receipt: Option<Receipt>,
    /// How far the answer is to be trusted.
    pub taint: Taint,
}

/// Why an attempt failed, and what is known of its effect.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The error for the caller.
    pub error: ToolError,
    /// Whether the other side may have seen the request.
    pub reached: Reached,
    /// How long the other side asks to be left alone.
    pub retry_after: Option<Duration>,
}

/// Whether the other side may have seen a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// It never left.
    Never,
    /// It was answered: what happened is known.
    Answered,
    /// It may have been seen, and no answer came.
    Unknown,
}
