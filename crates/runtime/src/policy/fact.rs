//! The facts of a judgement: their names in policies, their values, and their descriptions for people.

use std::fmt::Write as _;

use sitewright_tool::{Destination, Effect, Execution, Taint};

use super::language::ReadFacts;
use super::{Judgement, Principal, grant};

/// The value of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FactValue<'a> {
    Text(&'a str),
    Count(u32),
    Flag(bool),
    /// A value of an enumeration: the entity type and the name.
    Choice(&'static str, &'static str),
}

/// All facts except those about arguments and approval.
pub(super) struct Facts<'a> {
    pub(super) all: [(&'static str, FactValue<'a>); 16],
    pub(super) person: Option<&'a str>,
    pub(super) principal: Principal<'a>,
    pub(super) tool: &'a str,
}

impl<'a> Facts<'a> {
    pub(super) fn of(judgement: &Judgement<'a>) -> Self {
        let change = judgement.change;
        let all = [
            ("tool", FactValue::Text(judgement.tool)),
            (
                "scope",
                FactValue::Choice("Scope", judgement.scope.as_str()),
            ),
            (
                "effect",
                FactValue::Choice("Effect", effect(judgement.effect)),
            ),
            (
                "execution",
                FactValue::Choice("Execution", execution(judgement.execution)),
            ),
            ("pagesTouched", FactValue::Count(change.pages_touched)),
            ("pagesRemoved", FactValue::Count(change.pages_removed)),
            ("nodesRemoved", FactValue::Count(change.nodes_removed)),
            ("codeTouched", FactValue::Flag(change.code_touched)),
            ("headCode", FactValue::Flag(change.head_code)),
            ("publishes", FactValue::Flag(change.publishes)),
            ("locksTouched", FactValue::Count(change.locks_touched)),
            (
                "tainted",
                FactValue::Flag(judgement.taint == Taint::Untrusted),
            ),
            ("personalData", FactValue::Flag(judgement.personal_data)),
            (
                "sendsOutside",
                FactValue::Flag(judgement.destination.is_outside()),
            ),
            (
                "markedHarmless",
                FactValue::Flag(judgement.destination == Destination::Harmless),
            ),
            ("granted", FactValue::Flag(grant::is_granted(judgement))),
        ];
        Self {
            all,
            person: judgement.person,
            principal: judgement.principal,
            tool: judgement.tool,
        }
    }

    /// The cache key: the facts that policies read, so that judgements with equal keys have the same verdict.
    pub(super) fn key(&self, read: &ReadFacts) -> String {
        let mut key = String::with_capacity(256);
        let mut put = |name: &str, value: &dyn std::fmt::Debug| {
            if read.reads(name) {
                // Writing into a string cannot fail.
                write!(key, "{value:?},").unwrap_or_default();
            }
        };
        for (name, given) in &self.all {
            put(name, given);
        }
        put("person", &self.person);
        put("principal", &self.principal);
        key
    }

    /// A fact in words; `None` for a flag that is not set, a count of zero, or a fact that has no description.
    pub(super) fn told(&self, name: &str) -> Option<String> {
        if name == "principal" {
            let caller = match self.principal {
                Principal::User(_) => "a person calls",
                Principal::Agent(_) => "an agent calls",
                Principal::Client(_) => "a script calls",
            };
            return Some(caller.to_owned());
        }
        let (_, given) = self.all.iter().find(|(known, _)| *known == name)?;
        match given {
            FactValue::Text(text) => Some(format!("the tool is `{text}`")),
            FactValue::Flag(false) | FactValue::Count(0) => None,
            FactValue::Flag(true) => flag_in_words(name).map(ToOwned::to_owned),
            FactValue::Count(count) => count_in_words(name, *count),
            FactValue::Choice(_, value) => Some(choice_in_words(name, value)),
        }
    }
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::None => "none",
        Effect::Draft => "draft",
        Effect::Durable => "durable",
        Effect::External => "external",
    }
}

fn execution(execution: Execution) -> &'static str {
    match execution {
        Execution::Server => "server",
        Execution::Browser => "browser",
    }
}

fn flag_in_words(name: &str) -> Option<&'static str> {
    Some(match name {
        "codeTouched" => "it changes scripts",
        "headCode" => "it changes code in the head of pages",
        "publishes" => "it publishes",
        "tainted" => "something from outside had a part in it",
        "personalData" => "it uses or shows personal data",
        "sendsOutside" => "it sends its arguments to another system",
        "markedHarmless" => "a person marked the tool as harmless",
        "granted" => "a person allowed calls of this kind in this conversation",
        _ => return None,
    })
}

fn count_in_words(name: &str, count: u32) -> Option<String> {
    let things = |one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        count => format!("{count} {many}"),
    };
    Some(match name {
        "pagesTouched" => format!("it touches {}", things("page", "pages")),
        "pagesRemoved" => format!("it removes {}", things("page", "pages")),
        "nodesRemoved" => format!("it removes {}", things("node", "nodes")),
        "locksTouched" => format!("it touches {}", things("locked thing", "locked things")),
        _ => return None,
    })
}

fn choice_in_words(name: &str, value: &str) -> String {
    match (name, value) {
        ("effect", "none") => "it changes nothing".to_owned(),
        ("effect", "draft") => "it changes a draft, which undo takes back".to_owned(),
        ("effect", "durable") => "it changes what undo does not reach".to_owned(),
        ("effect", "external") => "it has an effect outside".to_owned(),
        ("execution", place) => format!("it runs in the {place}"),
        (name, value) => format!("its {name} is {value}"),
    }
}
