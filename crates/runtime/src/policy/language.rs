//! The language of policies: Cedar with our schema of facts. Parses and validates policies, and builds requests for them.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use cedar_policy::{
    Context, EntityId, EntityTypeName, EntityUid, Policy as CedarPolicy, PolicyId, PolicySet,
    Request, RestrictedExpression, Schema, ValidationMode, Validator,
};
use miette::Diagnostic;
use serde::Serialize;
use serde_json::Value;

use super::fact::{FactValue, Facts};
use super::limit::{self, on_deep_stack};
use super::{Principal, Reason};

/// The text of the default policy.
pub const SHIPPED: &str = include_str!("../../policies/shipped.cedar");
/// The facts that a policy may read, as a Cedar schema.
pub const FACTS_SCHEMA: &str = include_str!("../../policies/facts.cedarschema");

const PROBLEMS_MAX: usize = 50;
/// Facts that need the flattened arguments.
const OF_ARGUMENTS: [&str; 4] = ["texts", "numbers", "flags", "argumentsComplete"];

/// Why a text of policies is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyProblem {
    /// The id of the policy, if known.
    pub policy: Option<String>,
    /// The line in the text, from 1, if known.
    pub line: Option<usize>,
    /// What is wrong and what to do.
    pub message: String,
}

impl PolicyProblem {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            policy: None,
            line: None,
            message: message.into(),
        }
    }

    fn of(policy: &PolicyId, message: impl Into<String>) -> Self {
        Self {
            policy: Some(policy.to_string()),
            ..Self::new(message)
        }
    }
}

impl fmt::Display for PolicyProblem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(out, "line {line}: ")?;
        }
        if let Some(policy) = &self.policy {
            write!(out, "policy `{policy}`: ")?;
        }
        out.write_str(&self.message)
    }
}

/// The entity types and ids that requests consist of, parsed once.
#[derive(Debug)]
pub(super) struct Language {
    user: EntityTypeName,
    agent: EntityTypeName,
    client: EntityTypeName,
    tool: EntityTypeName,
    call: EntityUid,
    choices: HashMap<&'static str, EntityTypeName>,
    pub(super) texts: EntityUid,
    pub(super) numbers: EntityUid,
    pub(super) flags: EntityUid,
}

/// Policies that passed all checks.
pub(super) struct CheckedPolicies {
    pub(super) policies: PolicySet,
    pub(super) reasons: Reasons,
    pub(super) read: ReadFacts,
}

/// Each policy's own explanation.
#[derive(Debug)]
pub(super) struct Reasons(HashMap<PolicyId, Arc<Reason>>);

impl Reasons {
    /// The reasons of these policies, sorted by id.
    pub(super) fn named<'a>(&self, ids: impl Iterator<Item = &'a PolicyId>) -> Vec<Arc<Reason>> {
        let mut reasons: Vec<Arc<Reason>> = ids.filter_map(|id| self.0.get(id).cloned()).collect();
        reasons.sort_unstable_by(|a, b| a.policy.cmp(&b.policy));
        reasons
    }
}

impl Language {
    pub(super) fn new() -> Result<Self, Vec<PolicyProblem>> {
        let holder = |kind: &str| {
            let id = EntityId::new("arguments");
            entity_type(kind).map(|kind| EntityUid::from_type_name_and_id(kind, id))
        };
        let mut choices = HashMap::new();
        for kind in ["Scope", "Effect", "Execution"] {
            choices.insert(kind, entity_type(kind)?);
        }
        let call = EntityUid::from_type_name_and_id(entity_type("Action")?, EntityId::new("call"));
        Ok(Self {
            user: entity_type("User")?,
            agent: entity_type("Agent")?,
            client: entity_type("Client")?,
            tool: entity_type("Tool")?,
            call,
            choices,
            texts: holder("Texts")?,
            numbers: holder("Numbers")?,
            flags: holder("Flags")?,
        })
    }

    pub(super) fn parse(&self, text: &str) -> Result<CheckedPolicies, Vec<PolicyProblem>> {
        limit::check(text).map_err(|problem| vec![problem])?;
        on_deep_stack(|| self.parse_within_limits(text))
    }

    fn parse_within_limits(&self, text: &str) -> Result<CheckedPolicies, Vec<PolicyProblem>> {
        let written = PolicySet::from_str(text).map_err(|errors| {
            let told = errors.iter().take(PROBLEMS_MAX);
            told.map(|error| placed(text, error)).collect::<Vec<_>>()
        })?;
        let policies = named(&written)?;
        validate(text, &policies)?;
        let mut reasons = HashMap::new();
        let mut all = ReadFacts::default();
        for policy in policies.policies() {
            let mut read = ReadFacts::default();
            read.policy(policy)?;
            all.join(&read);
            reasons.insert(policy.id().clone(), Arc::new(read.into_reason(policy)));
        }
        Ok(CheckedPolicies {
            policies,
            reasons: Reasons(reasons),
            read: all,
        })
    }

    /// The request for a judgement. It is not validated against the schema: its parts are built here and have fixed types.
    pub(super) fn request(
        &self,
        facts: &Facts<'_>,
        read: &ReadFacts,
        asked: PolicyQuery,
    ) -> Result<Request, String> {
        let (kind, id) = match facts.principal {
            Principal::User(id) => (&self.user, id),
            Principal::Agent(id) => (&self.agent, id),
            Principal::Client(id) => (&self.client, id),
        };
        let principal = EntityUid::from_type_name_and_id(kind.clone(), EntityId::new(id));
        let tool = EntityUid::from_type_name_and_id(self.tool.clone(), EntityId::new(facts.tool));
        let context = self.context(facts, read, asked)?;
        Request::new(principal, self.call.clone(), tool, context, None)
            .map_err(|error| error.to_string())
    }

    /// The record of facts. Facts that no policy reads are left out, because building them is most of the cost.
    fn context(
        &self,
        facts: &Facts<'_>,
        read: &ReadFacts,
        asked: PolicyQuery,
    ) -> Result<Context, String> {
        let mut pairs = Vec::with_capacity(facts.all.len() + 6);
        let mut put = |name: &str, make: &dyn Fn() -> Result<RestrictedExpression, String>| {
            if read.reads(name) {
                pairs.push((name.to_owned(), make()?));
            }
            Ok::<(), String>(())
        };
        for (name, given) in facts.all {
            put(name, &|| self.expression(given))?;
        }
        if let Some(person) = facts.person {
            put("person", &|| self.expression(FactValue::Text(person)))?;
        }
        let holders = [
            ("texts", &self.texts),
            ("numbers", &self.numbers),
            ("flags", &self.flags),
        ];
        for (name, holder) in holders {
            put(name, &|| {
                Ok(RestrictedExpression::new_entity_uid(holder.clone()))
            })?;
        }
        put("argumentsComplete", &|| {
            self.expression(FactValue::Flag(asked.complete))
        })?;
        put("approved", &|| {
            self.expression(FactValue::Flag(asked.approved))
        })?;
        Context::from_pairs(pairs).map_err(|error| error.to_string())
    }

    fn expression(&self, given: FactValue<'_>) -> Result<RestrictedExpression, String> {
        Ok(match given {
            FactValue::Text(text) => RestrictedExpression::new_string(text.to_owned()),
            FactValue::Count(count) => RestrictedExpression::new_long(i64::from(count)),
            FactValue::Flag(flag) => RestrictedExpression::new_bool(flag),
            FactValue::Choice(kind, name) => {
                let kind = self
                    .choices
                    .get(kind)
                    .ok_or_else(|| format!("there is no kind {kind}"))?;
                let uid = EntityUid::from_type_name_and_id(kind.clone(), EntityId::new(name));
                RestrictedExpression::new_entity_uid(uid)
            }
        })
    }
}

fn entity_type(name: &str) -> Result<EntityTypeName, Vec<PolicyProblem>> {
    EntityTypeName::from_str(name).map_err(|error| vec![PolicyProblem::new(error.to_string())])
}

pub(super) fn facts_schema() -> Result<Schema, PolicyProblem> {
    let (schema, _warnings) = Schema::from_cedarschema_str(FACTS_SCHEMA)
        .map_err(|error| PolicyProblem::new(error.to_string()))?;
    Ok(schema)
}

/// The policies with their `@id` as id.
fn named(written: &PolicySet) -> Result<PolicySet, Vec<PolicyProblem>> {
    let mut problems: Vec<PolicyProblem> = written
        .templates()
        .map(|template| {
            PolicyProblem::of(
                template.id(),
                "has a slot such as `?principal`: write the entity itself",
            )
        })
        .collect();
    let mut policies = PolicySet::new();
    for policy in written.policies() {
        let id = policy.annotation("id").filter(|id| !id.is_empty());
        let policy = match id {
            Some(id) => policy.new_id(PolicyId::new(id)),
            None => policy.clone(),
        };
        let id = policy.id().clone();
        if policies.add(policy).is_err() {
            problems.push(PolicyProblem::of(
                &id,
                "there are two policies with this @id: give each its own",
            ));
        }
    }
    if problems.is_empty() {
        Ok(policies)
    } else {
        Err(problems)
    }
}

fn validate(text: &str, policies: &PolicySet) -> Result<(), Vec<PolicyProblem>> {
    let schema = facts_schema().map_err(|problem| vec![problem])?;
    let result = Validator::new(schema).validate(policies, ValidationMode::Strict);
    let problems: Vec<PolicyProblem> = result
        .validation_errors()
        .take(PROBLEMS_MAX)
        .map(|error| PolicyProblem {
            policy: Some(error.policy_id().to_string()),
            ..placed(text, error)
        })
        .collect();
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems)
    }
}

/// A problem from an error of Cedar, with the line it points to and its help text.
fn placed(text: &str, error: &(impl Diagnostic + fmt::Display)) -> PolicyProblem {
    let offset = error
        .labels()
        .and_then(|mut labels| labels.next())
        .map(|label| label.offset());
    let line = offset
        .and_then(|offset| text.get(..offset))
        .map(|before| before.matches('\n').count() + 1);
    let mut message = error.to_string();
    if let Some(help) = error.help() {
        message = format!("{message}: {help}");
    }
    PolicyProblem {
        line,
        ..PolicyProblem::new(message)
    }
}

/// What a request contains besides the facts: it differs between the two requests of a judgement, or with the arguments.
#[derive(Debug, Clone, Copy)]
pub(super) struct PolicyQuery {
    pub(super) approved: bool,
    /// Whether no argument was left out.
    pub(super) complete: bool,
}

/// The facts that policies read.
#[derive(Debug, Default)]
pub(super) struct ReadFacts {
    facts: BTreeSet<String>,
    /// A policy uses the record as a whole.
    everything: bool,
}

impl ReadFacts {
    pub(super) fn reads(&self, fact: &str) -> bool {
        self.everything || self.facts.contains(fact)
    }

    pub(super) fn reads_arguments(&self) -> bool {
        OF_ARGUMENTS.iter().any(|fact| self.reads(fact))
    }

    fn join(&mut self, other: &Self) {
        self.everything |= other.everything;
        self.facts.extend(other.facts.iter().cloned());
    }

    fn policy(&mut self, policy: &CedarPolicy) -> Result<(), Vec<PolicyProblem>> {
        let json = policy
            .to_json()
            .map_err(|error| vec![PolicyProblem::of(policy.id(), error.to_string())])?;
        // The scope of a policy constrains the principal and the tool without naming a fact.
        for (part, fact) in [("principal", "principal"), ("resource", "tool")] {
            if json[part]["op"] != "All" {
                self.facts.insert(fact.to_owned());
            }
        }
        self.expression(&json["conditions"]);
        Ok(())
    }

    /// Collects the facts of an expression. In Cedar's JSON, `context.fact` is `{".": {"left": {"Var": "context"}, "attr": "fact"}}`.
    fn expression(&mut self, json: &Value) {
        match json {
            Value::Array(items) => items.iter().for_each(|item| self.expression(item)),
            Value::Object(fields) => {
                for (name, inner) in fields {
                    let is_fact =
                        matches!(name.as_str(), "." | "has") && inner["left"]["Var"] == "context";
                    match inner["attr"].as_str() {
                        Some(fact) if is_fact => {
                            self.facts.insert(fact.to_owned());
                        }
                        _ if name == "Var" && inner == "context" => self.everything = true,
                        _ if name == "Var" && inner == "principal" => {
                            self.facts.insert("principal".to_owned());
                        }
                        _ if name == "Var" && inner == "resource" => {
                            self.facts.insert("tool".to_owned());
                        }
                        _ => self.expression(inner),
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    fn into_reason(self, policy: &CedarPolicy) -> Reason {
        let id = policy.id().to_string();
        let text = policy
            .annotation("reason")
            .filter(|reason| !reason.is_empty());
        Reason {
            text: text.map_or_else(|| format!("The policy `{id}` says so."), ToOwned::to_owned),
            policy: id,
            facts: self.facts.into_iter().collect(),
        }
    }
}
