//! The definition of a tool: written once, as a value from which every interface takes what it needs.
//!
//! A definition contains everything about a tool except its implementation. Another crate adds the body: `site` one that plans
//! ops, `runtime` one that works outside the document. Imported tools come with a manifest, which [`Definition::imported`] takes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::typed::schema_of;
use crate::{
    Capability, Compensation, Effect, Execution, RetryPolicy, Scope, ToolCapability, ToolManifest,
    ToolName,
};

/// The timeout of tools that work on the site in memory; importing a large page takes longest.
const SITE_TIMEOUT_MS: u32 = 90_000;
const OUTSIDE_TIMEOUT_MS: u32 = 30_000;

/// Everything about a tool except its implementation.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// The part that callers can see.
    pub manifest: ToolManifest,
    /// How a call is described on screen. Imported tools have none and are described by their title.
    pub words: Option<Words>,
    /// The argument that names the node the tool is about, so that an editor can show that node's document first.
    pub subject: Option<&'static str>,
    /// The JSON pointer in the answer to the document that the tool read. A later edit by the same turn may rely on that document.
    pub reads: Option<&'static str>,
    /// The boolean argument that asks for pictures. It is overwritten by whether the model accepts images, whatever the model wrote.
    pub pictures: Option<&'static str>,
    /// The capability that a caller must have.
    pub needs: Capability,
    /// The capability with which a person may confirm their own call. An agent never may.
    pub confirmed_by: Capability,
    /// What a turn of the assistant does with the tool.
    pub role: TurnRole,
    /// Where the arguments of a call go.
    pub destination: Destination,
    /// How a mission takes back what a call did, beyond what the manifest says.
    pub rollback: Rollback,
    /// The calls that have no effect, of a tool that has one otherwise.
    pub read_calls: Option<ReadCalls>,
}

/// Calls that only read, by the value of one of their arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadCalls {
    pub argument: &'static str,
    /// Any other value has the effect that the manifest declares.
    pub values: &'static [&'static str],
}

/// How a mission takes back what a call did.
#[derive(Debug, Clone, PartialEq)]
pub struct Rollback {
    /// The tool that does it; `manifest.cancels` unless the vendor names another.
    pub tool: Option<ToolName>,
    /// Its arguments, with `{{outputs.a.b}}` and `{{inputs.a}}`. Without it, fields are filled by their names.
    pub template: Option<Value>,
    /// How long after the call it may be tried.
    pub window_seconds: u32,
    /// What the vendor declares, if it does.
    pub reversibility: Option<Reversibility>,
    /// Of a tool that takes back another one's work: its input has no schema, so it gets everything that is known about the call.
    pub takes_everything: bool,
    /// Of a tool that takes back another one's work: its document declares a 409, which means that it was taken back before.
    pub conflict_means_cancelled: bool,
}

/// How long a mission tries to take a call back if the vendor does not say.
const ROLLBACK_WINDOW_SECONDS: u32 = 60 * 60;

impl Default for Rollback {
    fn default() -> Self {
        Self {
            tool: None,
            template: None,
            window_seconds: ROLLBACK_WINDOW_SECONDS,
            reversibility: None,
            takes_everything: false,
            conflict_means_cancelled: false,
        }
    }
}

/// Whether an effect can be taken back, as its vendor declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reversibility {
    /// It can be undone completely.
    Reversible,
    /// Another call makes up for it.
    Compensating,
    /// It cannot be taken back.
    Irreversible,
}

/// Where the arguments of a call go. A call that only reads can still carry what a conversation knows to whoever answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Destination {
    /// They stay in this instance.
    Here,
    /// To another system.
    Vendor,
    /// To another system that a person marked as harmless: nothing that is sent there can be used against the site.
    Harmless,
}

impl Destination {
    /// Whether arguments leave this instance.
    pub fn is_outside(self) -> bool {
        match self {
            Self::Here => false,
            Self::Vendor | Self::Harmless => true,
        }
    }
}

/// The description of a call on screen: while it runs and afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// Such as "Adding a page".
    pub doing: &'static str,
    /// Such as "Added a page".
    pub done: &'static str,
}

/// What a turn of the assistant does with a tool, besides calling it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnRole {
    /// Nothing: it is offered when the turn may use it.
    #[default]
    Ordinary,
    /// The tools in its answer are offered from then on.
    FindsTools,
    /// Shows the person how the request was understood.
    Acknowledges,
    /// Submits an edit plan and ends the turn. Offered in plan mode only.
    SubmitsPlan,
    /// Gives the final answer and ends the turn. Never offered in plan mode, where the plan is the answer.
    GivesAnswer,
    /// Carries out what a person decided about a plan, so a model is never offered it.
    ForPeople,
}

impl TurnRole {
    /// Whether a successful call is the last one of its turn.
    pub fn ends_turn(self) -> bool {
        match self {
            Self::SubmitsPlan | Self::GivesAnswer => true,
            Self::Ordinary | Self::FindsTools | Self::Acknowledges | Self::ForPeople => false,
        }
    }

    /// Whether the turn itself needs the tool, in every scope.
    pub fn is_part_of_every_turn(self) -> bool {
        match self {
            Self::FindsTools | Self::Acknowledges | Self::GivesAnswer => true,
            Self::Ordinary | Self::SubmitsPlan | Self::ForPeople => false,
        }
    }
}

impl Definition {
    /// The definition of a tool that comes as a manifest. Such a tool runs in another system, so its arguments go there.
    pub fn imported(manifest: ToolManifest) -> Self {
        Self {
            rollback: Rollback {
                tool: manifest.cancels.clone(),
                ..Rollback::default()
            },
            manifest,
            words: None,
            subject: None,
            reads: None,
            pictures: None,
            needs: Capability::ToolsCall,
            confirmed_by: Capability::ToolsApprove,
            role: TurnRole::Ordinary,
            destination: Destination::Vendor,
            read_calls: None,
        }
    }

    /// The effect of a call with these arguments.
    pub fn effect_of(&self, arguments: &Value) -> Effect {
        match self.only_reads(arguments) {
            true => Effect::None,
            false => self.manifest.effect(),
        }
    }

    /// Whether a call with these arguments may be repeated without a further effect.
    pub fn is_idempotent_with(&self, arguments: &Value) -> bool {
        self.manifest.idempotent || self.only_reads(arguments)
    }

    fn only_reads(&self, arguments: &Value) -> bool {
        self.read_calls.is_some_and(|reads| {
            let value = arguments.get(reads.argument).and_then(Value::as_str);
            value.is_some_and(|value| reads.values.contains(&value))
        })
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        self.manifest.name.as_str()
    }
}

/// A tool that changes the draft. It is planned in the editor's tab while one is connected.
pub fn edit(name: &'static str, title: &str, description: &str) -> DefinitionBuilder {
    let mut builder = DefinitionBuilder::new(name, title, description, Effect::Draft);
    builder.0.needs = Capability::SiteWrite;
    builder.of_site(Execution::Browser)
}

/// A tool that reads the site as the editor shows it.
pub fn view(name: &'static str, title: &str, description: &str) -> DefinitionBuilder {
    let mut builder = DefinitionBuilder::new(name, title, description, Effect::None);
    builder.0.needs = Capability::SiteRead;
    builder.of_site(Execution::Browser)
}

/// A tool that reads the server's replica of the site.
pub fn query(name: &'static str, title: &str, description: &str) -> DefinitionBuilder {
    view(name, title, description).on_server()
}

/// A tool whose work is outside the site's document. It is offered in every scope.
pub fn outside(
    name: &'static str,
    title: &str,
    description: &str,
    effect: Effect,
) -> DefinitionBuilder {
    DefinitionBuilder::new(name, title, description, effect)
}

/// A definition without schemas, which come from the types of its body.
#[derive(Debug, Clone)]
#[must_use]
pub struct DefinitionBuilder(Definition);

impl DefinitionBuilder {
    fn new(name: &'static str, title: &str, description: &str, effect: Effect) -> Self {
        let capability = match effect {
            Effect::None => ToolCapability::Read,
            Effect::Draft | Effect::Durable | Effect::External => ToolCapability::Write,
        };
        let manifest = ToolManifest {
            name: ToolName::from_static(name),
            description: description.to_owned(),
            input_schema: Value::Null,
            output_schema: Value::Null,
            capability,
            timeout_ms: OUTSIDE_TIMEOUT_MS,
            retry_policy: RetryPolicy {
                max_attempts: 1,
                backoff_ms: None,
            },
            idempotent: capability == ToolCapability::Read,
            title: Some(title.to_owned()),
            scopes: Vec::new(),
            execution: Execution::Server,
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
        };
        Self(Definition {
            destination: Destination::Here,
            ..Definition::imported(manifest)
        })
    }

    fn of_site(mut self, execution: Execution) -> Self {
        let manifest = &mut self.0.manifest;
        manifest.scopes = vec![Scope::Site];
        manifest.execution = execution;
        manifest.timeout_ms = SITE_TIMEOUT_MS;
        self
    }

    /// Sets how a call is described on screen, while it runs and afterwards.
    pub fn words(mut self, doing: &'static str, done: &'static str) -> Self {
        self.0.words = Some(Words { doing, done });
        self
    }

    /// Sets the argument that names the node the tool is about.
    pub fn subject(mut self, argument: &'static str) -> Self {
        self.0.subject = Some(argument);
        self
    }

    /// Sets the JSON pointer in the answer to the document that the tool read.
    pub fn reads(mut self, pointer: &'static str) -> Self {
        self.0.reads = Some(pointer);
        self
    }

    /// Sets the boolean argument that asks for pictures.
    pub fn pictures(mut self, argument: &'static str) -> Self {
        self.0.pictures = Some(argument);
        self
    }

    /// Marks the answers as large and quickly stale, so that only the newest stays in a conversation.
    pub fn heavy(mut self) -> Self {
        self.0.manifest.heavy = true;
        self
    }

    /// Plans calls on the server even while an editor is open.
    pub fn on_server(mut self) -> Self {
        self.0.manifest.execution = Execution::Server;
        self
    }

    /// Sets the values of an argument with which a call has no effect.
    pub fn only_reads_if(
        mut self,
        argument: &'static str,
        values: &'static [&'static str],
    ) -> Self {
        self.0.read_calls = Some(ReadCalls { argument, values });
        self
    }

    /// Sets the scopes that offer the tool.
    pub fn scopes(mut self, scopes: &[Scope]) -> Self {
        self.0.manifest.scopes = scopes.to_vec();
        self
    }

    /// Sets the capability that a caller must have.
    pub fn needs(mut self, capability: Capability) -> Self {
        self.0.needs = capability;
        self
    }

    /// Sets the capability with which a person may confirm their own call.
    pub fn confirmed_by(mut self, capability: Capability) -> Self {
        self.0.confirmed_by = capability;
        self
    }

    /// Sets how the person is asked for approval, in the manifest's spelling.
    pub fn confirmation(mut self, kind: &str) -> Self {
        self.0.manifest.confirmation = Some(kind.to_owned());
        self
    }

    /// Sets how completely the effect can be undone.
    pub fn compensation(mut self, compensation: Compensation) -> Self {
        self.0.manifest.compensation = Some(compensation);
        self
    }

    /// Marks the tool as idempotent: a repeated call has no further effect.
    pub fn idempotent(mut self) -> Self {
        self.0.manifest.idempotent = true;
        self
    }

    /// Sets the timeout of one attempt.
    pub fn timeout_ms(mut self, timeout_ms: u32) -> Self {
        self.0.manifest.timeout_ms = timeout_ms;
        self
    }

    /// Sets the maximum number of attempts, and the base of the exponential backoff between them.
    pub fn attempts(mut self, max_attempts: u8, backoff_ms: u32) -> Self {
        self.0.manifest.retry_policy = RetryPolicy {
            max_attempts,
            backoff_ms: Some(backoff_ms),
        };
        self
    }

    /// Sets the words by which the tool is found.
    pub fn tags(mut self, tags: &[&str]) -> Self {
        self.0.manifest.intent_tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        self
    }

    /// Sets the line for the prompt while the tool is on offer.
    pub fn guidance(mut self, line: &str) -> Self {
        self.0.manifest.guidance = Some(line.to_owned());
        self
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// Lists the tool without letting anyone call it until an operator follows the remedy.
    pub fn disabled(mut self, remedy: &str) -> Self {
        self.0.manifest.enabled = false;
        self.0.manifest.guidance = Some(remedy.to_owned());
        self
    }

    /// Sets where the arguments of a call go.
    pub fn sends_to(mut self, destination: Destination) -> Self {
        self.0.destination = destination;
        self
    }

    /// Sets what a turn does with the tool.
    pub fn role(mut self, role: TurnRole) -> Self {
        self.0.role = role;
        self
    }

    /// Replaces the input schema that would be generated from the type.
    pub fn input_schema(mut self, schema: Value) -> Self {
        self.0.manifest.input_schema = schema;
        self
    }

    /// The definition for a body that takes an `I` and returns an `O`.
    pub fn build<I: JsonSchema, O: JsonSchema>(mut self) -> Definition {
        let manifest = &mut self.0.manifest;
        if manifest.input_schema.is_null() {
            manifest.input_schema = schema_of::<I>();
        }
        manifest.output_schema = schema_of::<O>();
        self.0
    }
}
