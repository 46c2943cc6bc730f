//! The three tools of every scope: finding tools, saying that a request is understood, and giving the final answer.
//!
//! They change nothing. What a turn does with their answers (activating what was found, holding a final answer against what the
//! turn really did) is the turn's business.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sitewright_runtime::{
    Attempt, Failure, NameTaken, Output, Reached, Registry, Running, Source, Tool, WeakRegistry,
};
use sitewright_store::SiteId;
use sitewright_tool::{
    Effect, Execution, RetryPolicy, ToolCapability, ToolError, ToolManifest, ToolName, parse,
    schema_of, write,
};

pub(crate) const SEARCH_TOOLS: &str = "searchTools";
pub(crate) const ACKNOWLEDGE_REQUEST: &str = "acknowledgeRequest";
pub(crate) const FINAL_ANSWER: &str = "finalAnswer";

/// The most tools that a search finds.
const FOUND_MAX: usize = 10;

/// Says whether a site may know of a tool, by where it comes from and its name.
pub type Visible = Arc<dyn Fn(&SiteId, &Source, &str) -> bool + Send + Sync>;

/// Adds the three tools to those of an instance.
pub fn register_default_tools(registry: &Registry, visible: Visible) -> Result<(), NameTaken> {
    let search = SearchTools {
        manifest: manifest::<Search, Found>(
            SEARCH_TOOLS,
            "Find tools",
            "Finds tools by what they are for, such as \"send mail\" or \"product prices\", and makes those it finds available.",
            &["find", "discover", "tools", "capabilities"],
        ),
        registry: registry.downgrade(),
        visible,
    };
    let echo = |name: &'static str, title: &'static str, description: &'static str| Echo {
        manifest: manifest::<Said, Said>(name, title, description, &[]),
    };
    registry.register(Source::BuiltIn, Arc::new(search))?;
    registry.register(
        Source::BuiltIn,
        Arc::new(echo(
            ACKNOWLEDGE_REQUEST,
            "Understand the request",
            "Tells the person in a sentence how their request was understood, before longer work begins.",
        )),
    )?;
    registry.register(
        Source::BuiltIn,
        Arc::new(echo(
            FINAL_ANSWER,
            "Give the final answer",
            "Gives the person the final answer and ends the work. What was changed is looked at again first: when something is not as \
             it should be, that is told instead, and the answer can be given again.",
        )),
    )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Search {
    /// What the tool should be for, in a few words.
    #[schemars(length(min = 1, max = 200))]
    query: String,
    /// How many at most, 1 to 10.
    #[schemars(range(min = 1, max = 10))]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Found {
    /// The tools, the best first.
    tools: Vec<FoundTool>,
}

#[derive(Serialize, JsonSchema)]
struct FoundTool {
    name: String,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    guidance: Option<String>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Said {
    /// The text, for the person.
    #[schemars(length(min = 1, max = 20_000))]
    text: String,
}

fn manifest<I: JsonSchema, O: JsonSchema>(
    name: &'static str,
    title: &str,
    description: &str,
    tags: &[&str],
) -> ToolManifest {
    ToolManifest {
        name: ToolName::from_static(name),
        description: description.to_owned(),
        input_schema: schema_of::<I>(),
        output_schema: schema_of::<O>(),
        capability: ToolCapability::Read,
        timeout_ms: 5_000,
        retry_policy: RetryPolicy {
            max_attempts: 1,
            backoff_ms: None,
        },
        idempotent: true,
        title: Some(title.to_owned()),
        scopes: Vec::new(),
        execution: Execution::Server,
        effect: Some(Effect::None),
        confirmation: None,
        cancels: None,
        cancel_for: None,
        compensation: None,
        pii_required: Vec::new(),
        intent_tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        guidance: None,
        heavy: false,
        aliases: Vec::new(),
        enabled: true,
    }
}

struct SearchTools {
    manifest: ToolManifest,
    registry: WeakRegistry,
    visible: Visible,
}

impl Tool for SearchTools {
    fn manifest(&self) -> &ToolManifest {
        &self.manifest
    }

    fn call<'a>(&'a self, attempt: Attempt<'a>) -> Running<'a> {
        Box::pin(async move {
            let Search { query, limit } = parse(attempt.arguments.clone()).map_err(refused)?;
            let registry = self.registry.upgrade();
            let listed = registry
                .map(|registry| registry.list(None))
                .unwrap_or_default();
            let site = SiteId::from(attempt.context.site_id.clone());
            let manifests = listed
                .into_iter()
                .filter(|tool| (self.visible)(&site, &tool.source, tool.manifest.name.as_str()))
                .map(|tool| tool.manifest);
            let found = best(
                &query,
                manifests.collect(),
                limit.unwrap_or(5).clamp(1, FOUND_MAX),
            );
            let tools = found.into_iter().map(|tool| FoundTool {
                name: tool.name.to_string(),
                description: tool.description,
                guidance: tool.guidance,
            });
            let data = write(&Found {
                tools: tools.collect(),
            })
            .map_err(refused)?;
            Ok(Output {
                data,
                ..Output::default()
            })
        })
    }
}

/// Says what it was told.
struct Echo {
    manifest: ToolManifest,
}

impl Tool for Echo {
    fn manifest(&self) -> &ToolManifest {
        &self.manifest
    }

    fn call<'a>(&'a self, attempt: Attempt<'a>) -> Running<'a> {
        Box::pin(async move {
            let Said { text } = parse(attempt.arguments.clone()).map_err(refused)?;
            Ok(Output {
                data: json!({ "text": text }),
                ..Output::default()
            })
        })
    }
}

fn refused(error: ToolError) -> Failure {
    Failure {
        error,
        reached: Reached::Answered,
        retry_after: None,
    }
}

/// The tools that fit a question best: by name first, then by the words for finding them, then by what they say they are for.
fn best(query: &str, tools: Vec<ToolManifest>, most: usize) -> Vec<ToolManifest> {
    let wanted = words(query);
    let mut scored: Vec<(usize, ToolManifest)> = tools
        .into_iter()
        .filter(|tool| tool.enabled)
        .map(|tool| (score(&wanted, &tool), tool))
        .filter(|(score, _)| *score > 0)
        .collect();
    scored
        .sort_by(|(one, a), (other, b)| other.cmp(one).then(a.name.as_str().cmp(b.name.as_str())));
    scored
        .into_iter()
        .take(most)
        .map(|(_, tool)| tool)
        .collect()
}

fn score(wanted: &[String], tool: &ToolManifest) -> usize {
    let name = words(tool.name.as_str());
    let title = tool.title.as_deref().map(words).unwrap_or_default();
    let tags: Vec<String> = tool.intent_tags.iter().flat_map(|tag| words(tag)).collect();
    let description = words(&tool.description);
    let fits = |all: &[String], word: &str| {
        all.iter().any(|one| {
            one == word
                || (word.len() > 3 && (one.starts_with(word) || word.starts_with(one.as_str())))
        })
    };
    wanted
        .iter()
        .map(|word| {
            5 * usize::from(fits(&name, word))
                + 4 * usize::from(fits(&tags, word))
                + 3 * usize::from(fits(&title, word))
                + usize::from(fits(&description, word))
        })
        .sum()
}

/// The words of a text or a name, in small letters: `getProduct` has two.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before_was_small = false;
    for c in text.chars() {
        let begins = c.is_uppercase() && before_was_small;
        if (begins || !c.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        before_was_small = c.is_lowercase();
    }
    words.push(word);
    words.retain(|word| word.len() > 1);
    words
}

/// The names in what a search answered.
pub(crate) fn found_names(data: &Value) -> impl Iterator<Item = String> {
    let tools = data["tools"].as_array().into_iter().flatten();
    tools.filter_map(|tool| tool["name"].as_str().map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::{Said, best, manifest, words};

    #[test]
    fn a_search_ranks_by_name_then_tags_then_description() {
        let tool =
            |name, description, tags: &[&str]| manifest::<Said, Said>(name, "", description, tags);
        let tools = vec![
            tool("crm.note", "Sends nothing, keeps a note about mail", &[]),
            tool("mail.send", "Sends a message", &[]),
            tool("post.letter", "Puts it in a box", &["mail", "send"]),
            tool("weather.today", "How it is outside", &[]),
        ];
        let found = best("send mail", tools, 5);
        let names: Vec<&str> = found.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["mail.send", "post.letter", "crm.note"]);
    }

    #[test]
    fn names_are_read_as_words() {
        assert_eq!(
            words("pim.getProduct_by-SKU"),
            ["pim", "get", "product", "by", "sku"]
        );
    }
}
