//! The three tools of every scope: searching for tools, acknowledging a request, and giving the final answer.
//!
//! They have no effects. Acting on their results (activating the tools that were found, checking a final answer against the changes
//! that were really made) is up to the turn.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sitewright_runtime::{
    Attempt, Failure, Outside, Registry, Tool, ToolOutput, ToolSource, WeakRegistry,
};
use sitewright_store::SiteId;
use sitewright_tool::definition::outside;
use sitewright_tool::{DefinitionBuilder, Effect, ToolManifest, TurnRole};

/// The most tools that a search returns.
const FOUND_MAX: usize = 10;

/// Decides whether a site may know of a tool, by the tool's source and name.
pub type ToolVisibility = Arc<dyn Fn(&SiteId, &ToolSource, &str) -> bool + Send + Sync>;

/// Creates the three tools. The search covers the tools of the caller's scope in `registry`, which is referenced weakly because it will own these tools.
pub fn default_tools(registry: &Registry, visible: ToolVisibility) -> Vec<Tool> {
    vec![
        Tool::outside(
            of_every_turn(outside(
                "searchTools",
                "Find tools",
                "Finds tools by what they are for, such as \"send mail\" or \"product prices\", and makes those it finds available. \
                 Use it when none on offer fits.",
                Effect::None,
            ))
            .words("Looking for a tool", "Looked for a tool")
            .role(TurnRole::FindsTools)
            .tags(&["find", "discover", "tools", "capabilities"]),
            SearchTools {
                registry: registry.downgrade(),
                visible,
            },
        ),
        Tool::outside(
            of_every_turn(outside(
                "acknowledgeRequest",
                "Understand the request",
                "Tells the person in a sentence how their request was understood. Comes first, before any other tool.",
                Effect::None,
            ))
            .words("Reading the request", "Understood the request")
            .role(TurnRole::Acknowledges),
            Echo,
        ),
        Tool::outside(
            of_every_turn(outside(
                "finalAnswer",
                "Give the final answer",
                "Gives the person the final answer and ends the work. What was changed is looked at again first: when something is not as \
                 it should be, that is told instead, and the answer can be given again.",
                Effect::None,
            ))
            .words("Answering", "Answered")
            .role(TurnRole::GivesAnswer),
            Echo,
        ),
    ]
}

fn of_every_turn(definition: DefinitionBuilder) -> DefinitionBuilder {
    definition.timeout_ms(5_000)
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

/// What a search answers.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FoundTools {
    /// The tools, the best first.
    pub(crate) tools: Vec<FoundTool>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FoundTool {
    pub(crate) name: String,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    guidance: Option<String>,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    /// The text, for the person.
    #[schemars(length(min = 1, max = 20_000))]
    pub(crate) text: String,
}

struct SearchTools {
    registry: WeakRegistry,
    visible: ToolVisibility,
}

impl Outside for SearchTools {
    type Input = Search;
    type Data = FoundTools;

    async fn run(
        &self,
        Search { query, limit }: Search,
        attempt: Attempt<'_>,
    ) -> Result<ToolOutput<FoundTools>, Failure> {
        let registry = self.registry.upgrade();
        let listed = registry
            .map(|registry| registry.list(attempt.scope))
            .unwrap_or_default();
        let site = SiteId::from(attempt.context.site_id.clone());
        let manifests = listed
            .into_iter()
            .filter(|tool| (self.visible)(&site, &tool.source, tool.definition.name()))
            .map(|tool| tool.definition.manifest);
        let limit = limit.unwrap_or(5).clamp(1, FOUND_MAX);
        let found = best(&query, manifests.collect(), limit);
        let tools = found.into_iter().map(|tool| FoundTool {
            name: tool.name.to_string(),
            description: tool.description,
            guidance: tool.guidance,
        });
        Ok(ToolOutput::from(FoundTools {
            tools: tools.collect(),
        }))
    }
}

/// Returns its input.
struct Echo;

impl Outside for Echo {
    type Input = Text;
    type Data = Text;

    async fn run(&self, text: Text, _: Attempt<'_>) -> Result<ToolOutput<Text>, Failure> {
        Ok(ToolOutput::from(text))
    }
}

/// The tools that match a query best. Matches in the name weigh most, then those in the tags, the title and the description.
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

/// Whether a word is among others, also as the beginning of one or with an ending, such as a plural.
fn fits(all: &[String], word: &str) -> bool {
    all.iter().any(|one| {
        one == word || (word.len() > 3 && (one.starts_with(word) || word.starts_with(one.as_str())))
    })
}

/// How many of a tool's intent tags are in what somebody said, with all their words.
pub(crate) fn tags_in(said: &[String], tool: &ToolManifest) -> usize {
    let is_said = |tag: &&String| {
        let tag = words(tag);
        !tag.is_empty() && tag.iter().all(|word| fits(said, word))
    };
    tool.intent_tags.iter().filter(is_said).count()
}

fn score(wanted: &[String], tool: &ToolManifest) -> usize {
    let name = words(tool.name.as_str());
    let title = tool.title.as_deref().map(words).unwrap_or_default();
    let tags: Vec<String> = tool.intent_tags.iter().flat_map(|tag| words(tag)).collect();
    let description = words(&tool.description);
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

/// Splits a text or an identifier into lowercase words: `getProduct` has two.
pub(crate) fn words(text: &str) -> Vec<String> {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sitewright_runtime::Registry;
    use sitewright_tool::definition::outside;
    use sitewright_tool::{Effect, ToolManifest};

    use super::{Text, best, default_tools, words};

    #[test]
    fn a_search_ranks_by_name_then_tags_then_description() {
        let tool = |name, description, tags: &[&str]| -> ToolManifest {
            let definition = outside(name, "", description, Effect::None).tags(tags);
            definition.build::<Text, Text>().manifest
        };
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
    fn each_is_described_by_its_part_in_a_task() {
        let registry = Registry::built_in();
        let tools = default_tools(&registry, Arc::new(|_, _, _| true));
        for (tool, parts) in tools.iter().zip([
            ["Finds tools by what they are for", "none on offer fits"],
            ["how their request was understood", "before any other tool"],
            ["final answer and ends the work", "looked at again first"],
        ]) {
            let description = &tool.definition().manifest.description;
            for part in parts {
                assert!(description.contains(part), "{description}");
            }
        }
    }

    #[test]
    fn names_are_read_as_words() {
        assert_eq!(
            words("pim.getProduct_by-SKU"),
            ["pim", "get", "product", "by", "sku"]
        );
    }
}
