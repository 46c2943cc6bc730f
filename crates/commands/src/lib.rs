//! Built-in commands (no AI): a deterministic planner with the same interface as the providers, driving the real tools.
//!
//! It understands a documented list of requests in English and does only what a sentence clearly asks for. It plans on a copy of
//! the site and returns tool calls; it does no I/O, has no state, never invents facts and never acts on the text of a page. The
//! plan for a message travels with its first call, so that any process can resume a turn from its messages.

mod call;
mod colours;
mod content;
mod draft;
mod find;
mod fonts;
mod foreign;
mod grammar;
mod help;
mod lexicon;
mod noun;
mod pattern;
mod place;
mod plan;
mod proposal;
mod request;
mod say;
mod sections;
mod topics;
mod turn;
mod vocabulary;
mod words;

use sitewright_llm::{Block, Message, StopReason, StreamEvent};
use sitewright_site::{BodyId, NodeId, Site};

pub use help::{
    CommandGroup, groups as command_groups, groups_for as command_groups_for,
    markdown as commands_page, text as commands_help,
};

/// What a turn knows besides the conversation and the site.
#[derive(Debug, Clone, Default)]
pub struct Situation {
    /// The document that is open in the editor.
    pub current: Option<BodyId>,
    pub selected: Option<NodeId>,
    /// The names of the tools on offer.
    pub tools: Vec<String>,
    /// The time, in milliseconds since 1970.
    pub now_ms: i64,
}

/// The built-in commands, for one turn.
#[derive(Debug, Clone)]
pub struct Commands {
    situation: Situation,
}

impl Commands {
    /// Creates the commands for one turn.
    pub fn new(situation: Situation) -> Self {
        Self { situation }
    }

    /// Returns the documents that must be open for [`Self::answer`]: none when the turn already has its plan. Reads only the
    /// site's shell.
    pub fn documents(&self, conversation: &[Message], site: &Site) -> Vec<BodyId> {
        turn::documents(conversation, &self.situation, site)
    }

    /// Answers a conversation with the events of one round, including its end. `site` is the site as it is now.
    pub fn answer(&self, conversation: &[Message], site: &Site) -> Vec<StreamEvent> {
        match turn::next(conversation, &self.situation, site) {
            turn::Next::Say(text) => vec![
                StreamEvent::Text(text.clone()),
                StreamEvent::Block(Block::text(text)),
                StreamEvent::Ended(StopReason::End),
            ],
            turn::Next::Call(calls) => {
                let event = |call| StreamEvent::Call {
                    call,
                    problem: None,
                };
                let mut events: Vec<StreamEvent> = calls.into_iter().map(event).collect();
                events.push(StreamEvent::Ended(StopReason::ToolCalls));
                events
            }
        }
    }
}
