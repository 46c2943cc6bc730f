//! Built-in commands (no AI): a deterministic planner behind the same interface as the providers, driving the real tools.
//!
//! It understands a documented list of requests in English, reads the site before it changes anything, and does only what a
//! sentence clearly asks for. It is a pure function of the conversation: each round it reads the last message again, looks at
//! which calls have results, and says what is next. It never invents facts, never acts on text of a page, and has no state.

mod colours;
mod find;
mod foreign;
mod grammar;
mod help;
mod lexicon;
mod markup;
mod noun;
mod pattern;
mod place;
mod plan;
mod proposal;
mod request;
mod say;
mod sections;
mod site_view;
mod topics;
mod turn;
mod words;

use futures_util::future::BoxFuture;
use sitewright_llm::{Block, LocalModel, Message, Stop, StreamEvent, ToolCall};
use sitewright_site::{BodyId, NodeId};

pub use help::{
    CommandGroup, groups as command_groups, markdown as commands_page, text as commands_help,
};

/// What a turn knows besides the conversation.
#[derive(Debug, Clone, Default)]
pub struct Situation {
    /// The document in front.
    pub current: Option<BodyId>,
    /// The element that is selected.
    pub selected: Option<NodeId>,
    /// The names of the tools on offer.
    pub tools: Vec<String>,
}

/// The built-in commands, for one turn.
#[derive(Debug, Clone)]
pub struct Commands {
    situation: Situation,
}

impl Commands {
    /// The commands for a turn.
    pub fn new(situation: Situation) -> Self {
        Self { situation }
    }
}

impl LocalModel for Commands {
    fn answer<'a>(&'a self, conversation: &'a [Message]) -> BoxFuture<'a, Vec<StreamEvent>> {
        let said = turn::next(conversation, &self.situation);
        Box::pin(std::future::ready(events(said)))
    }
}

fn events(said: turn::Next) -> Vec<StreamEvent> {
    match said {
        turn::Next::Say(text) => vec![
            StreamEvent::Text(text.clone()),
            StreamEvent::Block(Block::text(text)),
            StreamEvent::Ended(Stop::End),
        ],
        turn::Next::Call(calls) => {
            let event = |(at, (tool_name, input)): (usize, (String, serde_json::Value))| {
                let call = ToolCall {
                    tool_call_id: format!("command-{at}"),
                    tool_name,
                    input,
                    echo: None,
                };
                StreamEvent::Call {
                    call,
                    problem: None,
                }
            };
            let mut events: Vec<StreamEvent> = calls.into_iter().enumerate().map(event).collect();
            events.push(StreamEvent::Ended(Stop::ToolCalls));
            events
        }
    }
}
