//! A turn: the message, the plan for it, the calls that were made, and what comes next.

mod progress;

use serde_json::Value;
use sitewright_llm::{Block, Message, Role, ToolCall, ToolResult};
use sitewright_site::{BodyId, SUBMIT_EDIT_PLAN, Site};

use super::Situation;
use super::call::Call;
use super::content;
use super::draft::{Document, Draft, documents_of};
use super::find::{Finder, Hit, What, normal, page_hit};
use super::grammar::{self, Interpretation};
use super::noun::{Noun, Phrase};
use super::plan::{NAME_TAKEN, Outcome, Pick, Planner};
use super::request::{NewPage, Reason, Request};
use super::say;
use super::words::{self, Token};
use progress::Plan;

/// What the commands do in a round.
pub(super) enum Next {
    Call(Vec<ToolCall>),
    Say(String),
}

/// The limit for opening every document; on a larger site only those are opened that the message names.
const DOCUMENTS_MAX: usize = 60;

pub(super) struct CallRecord<'c> {
    pub(super) call: &'c ToolCall,
    pub(super) result: Option<&'c ToolResult>,
}

/// Returns the documents that a plan for the last message may involve; none when there is already a plan.
pub(super) fn documents(
    conversation: &[Message],
    situation: &Situation,
    site: &Site,
) -> Vec<BodyId> {
    let Some(last) = last_said(conversation) else {
        return Vec::new();
    };
    // Content is in the shell and in rows.
    if content::is_offered(situation) {
        return Vec::new();
    }
    let since = call_records(&conversation[last + 1..]);
    if since
        .iter()
        .any(|record| Plan::of_call(record.call).is_some())
    {
        return Vec::new();
    }
    let said = normal(&text_of(&conversation[last]));
    let count = documents_of(site).count();
    let is_wanted = |doc: &Document<'_>| {
        let title = normal(doc.title());
        count <= DOCUMENTS_MAX
            || !doc.is_page()
            || doc.is_home()
            || situation.current == Some(doc.body)
            || !title.is_empty() && said.contains(&title)
    };
    let wanted = documents_of(site).filter(is_wanted);
    wanted.map(|doc| doc.body).collect()
}

/// Returns what the commands do next in a conversation.
///
/// The state is derived from the messages alone. If a call since the last user message carries a plan, that plan continues from
/// the results so far. A submitted edit plan in these messages means that it was refused, which is reported. Otherwise the
/// message is parsed and planned.
pub(super) fn next(conversation: &[Message], situation: &Situation, site: &Site) -> Next {
    let Some(last) = last_said(conversation) else {
        return Next::Say(say::ignore_words(Reason::Unclear).to_owned());
    };
    let (earlier, since) = (
        &conversation[..last],
        call_records(&conversation[last + 1..]),
    );
    if let Some(plan) = since.iter().find_map(|made| Plan::of_call(made.call)) {
        return plan.next(&since);
    }
    let handed_in = since
        .iter()
        .find(|made| made.call.tool_name == SUBMIT_EDIT_PLAN);
    if let Some(made) = handed_in {
        let why = made.result.and_then(|result| result.error.clone());
        let why = why.unwrap_or_else(|| "The plan wasn’t accepted.".to_owned());
        return Next::Say(format!("I couldn’t plan it. {why}"));
    }
    let said = text_of(&conversation[last]);
    if content::is_offered(situation) {
        return content::next(&said, &since, situation, site);
    }
    Prompt::read(&said, earlier).answer(earlier, situation, site)
}

fn last_said(conversation: &[Message]) -> Option<usize> {
    let is_said = |message: &Message| message.role == Role::User;
    conversation.iter().rposition(is_said)
}

fn text_of(message: &Message) -> String {
    let texts = message.content.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The calls in these messages with their results, in order.
fn call_records(messages: &[Message]) -> Vec<CallRecord<'_>> {
    let blocks = || messages.iter().flat_map(|message| &message.content);
    let result_of = |id: &str| {
        blocks().find_map(|block| match block {
            Block::ToolResult(result) if result.tool_call_id == id => Some(result),
            _ => None,
        })
    };
    let calls = blocks().filter_map(|block| match block {
        Block::ToolCall(call) => Some(call),
        _ => None,
    });
    let made = calls.map(|call| CallRecord {
        call,
        result: result_of(&call.tool_call_id),
    });
    made.collect()
}

/// A parsed message, with the context of the conversation before it.
struct Prompt {
    parsed: Interpretation,
    pick: Option<Pick>,
    before: Vec<Request>,
    said: Option<String>,
}

impl Prompt {
    fn read(sentence: &str, earlier: &[Message]) -> Self {
        let parsed = grammar::parse(sentence);
        let mut answers = earlier
            .iter()
            .rev()
            .filter(|message| message.role == Role::Assistant && !text_of(message).is_empty());
        let question = answers.next().map(text_of);
        if let (Some(question), Some(asked)) = (&question, last_said(earlier))
            && let Some(request) = other_page(sentence, question, &text_of(&earlier[asked]))
        {
            return Self {
                parsed: Interpretation {
                    requests: vec![request],
                    unknown: None,
                },
                pick: None,
                before: requests_before(&earlier[..asked]),
                said: None,
            };
        }
        let question = question.filter(|text| text.contains("\n1. "));
        if let (Some(question), Some(asked)) = (question, last_said(earlier))
            && let Some(pick) = choice_of(sentence, &question, &parsed)
        {
            return Self {
                parsed: grammar::parse(&text_of(&earlier[asked])),
                pick: Some(pick),
                before: requests_before(&earlier[..asked]),
                said: None,
            };
        }
        Self {
            parsed,
            pick: None,
            before: requests_before(earlier),
            said: words_of_last_change(earlier),
        }
    }

    /// Plans the requests and returns the first calls, or says why there are none.
    fn answer(self, earlier: &[Message], situation: &Situation, site: &Site) -> Next {
        if let Some(unknown) = &self.parsed.unknown {
            let short: String = unknown.chars().take(80).collect();
            return Next::Say(format!(
                "I didn’t understand “{short}”, so I changed nothing. Say “help” for what I can do."
            ));
        }
        let draft = Draft::new(site);
        let current = situation.current.map(|current| draft.doc(current));
        let current = current.filter(|doc| doc.root().is_some());
        let home = || draft.pages().find(Document::is_home);
        let here = current.or_else(home).or_else(|| draft.documents().next());
        let Some(here) = here.map(|doc| doc.body) else {
            return Next::Say("I can’t read the site, so I didn’t change anything.".to_owned());
        };
        let requests = self.parsed.requests;
        let mut planner = Planner {
            here,
            selected: situation.selected.and_then(|node| draft.spot(node)),
            recent: recent_things(earlier, &draft, here),
            pick: self.pick,
            tools: &situation.tools,
            before: self.before,
            said: self.said,
            request: 0,
            draft,
        };
        let outcomes = planner.plan_all(&requests);
        let is_mention = |request: &Request| matches!(request, Request::Mention { .. });
        if requests.iter().all(is_mention) {
            return Next::Say("What should I do with it? For example: remove it, move it up, or change its heading to “…”.".to_owned());
        }
        // A question takes precedence: nothing is done until it is answered.
        let mut questions = outcomes.iter().filter_map(|outcome| match outcome {
            Outcome::Asked { question, choices } => Some(say::question_text(question, choices)),
            _ => None,
        });
        if let Some(question) = questions.next() {
            return Next::Say(question);
        }
        drop(questions);
        let plan = Plan {
            steps: planner.draft.steps,
            outcomes,
        };
        // In planning mode no tool that changes the site is on offer.
        let has = |name: &str| situation.tools.iter().any(|tool| tool == name);
        if has(SUBMIT_EDIT_PLAN) && !has("insertHtml") && !plan.steps.is_empty() {
            return plan.propose();
        }
        plan.next(&[])
    }
}

impl Planner<'_> {
    /// Plans requests in order. A request that is not carried out leaves no steps in the draft.
    fn plan_all(&mut self, requests: &[Request]) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for (at, request) in requests.iter().enumerate() {
            self.request = at;
            let before = self.draft.clone();
            let outcome = self.plan(request);
            if matches!(outcome, Outcome::Done(_)) {
                self.before.push(request.clone());
            } else {
                self.draft = before;
            }
            outcomes.push(outcome);
        }
        outcomes
    }
}

/// What is wanted after the question about a page whose name is taken: another name for the new page, or to open the one that is
/// there. `None` when the message is something else.
fn other_page(sentence: &str, question: &str, asked: &str) -> Option<Request> {
    let (_, taken) = question.split_once("There’s already a page “")?;
    let (taken, rest) = taken.split_once('”')?;
    rest.contains(NAME_TAKEN).then_some(())?;
    let requests = grammar::parse(asked).requests.into_iter();
    let mut pages = requests.filter_map(|request| match request {
        Request::AddPage(page) => Some(page),
        _ => None,
    });
    let page = pages.next()?;
    let tokens = words::tokens(sentence);
    if tokens.len() <= 5 && tokens.iter().any(|token| token.is("open")) {
        let mut what = Phrase::called(taken);
        what.noun = Some(Noun::Page);
        return Some(Request::Open { what });
    }
    let at = tokens
        .iter()
        .position(|token| token.is_any(&["called", "call", "name", "named"]))?;
    let name = tokens[at + 1..].iter();
    let name: Vec<Token> = name
        .skip_while(|token| token.is_any(&["it", ":"]))
        .take_while(|token| !token.is_end())
        .cloned()
        .collect();
    let name = words::typed(sentence, &name).trim();
    (!name.is_empty() && name.chars().count() <= 60).then(|| {
        Request::AddPage(NewPage {
            name: Some(name.to_owned()),
            is_described: false,
            ..page
        })
    })
}

/// Returns which choice of the preceding question the message picks; `None` when the message is something else.
fn choice_of(sentence: &str, question: &str, parsed: &Interpretation) -> Option<Pick> {
    let tokens = words::tokens(sentence);
    let padding = ["the", "one", "please", ",", ".", "!", "ones", "number"];
    let plain: Vec<&str> = tokens
        .iter()
        .map(|token| token.word.as_str())
        .filter(|word| !padding.contains(word))
        .collect();
    if let [only] = plain.as_slice() {
        let number = words::number(only).filter(|number| number.unit.is_empty());
        let nth = words::ordinal(only).or(number.map(|number| number.value as i64));
        if let Some(nth) = nth {
            return Some(Pick::Nth(nth));
        }
        if matches!(*only, "both" | "all") {
            return Some(Pick::All);
        }
    }
    let is_other_order = |request: &Request| {
        matches!(
            request,
            Request::Ignore(_) | Request::Undo { .. } | Request::Publish
        )
    };
    let is_question = |request: &Request| matches!(request, Request::Question(_));
    let is_order = parsed.unknown.is_none() && !parsed.requests.iter().all(is_question);
    if is_order && parsed.requests.iter().any(is_other_order) {
        return None;
    }
    let said = normal(sentence);
    let mut said = said.as_str();
    for start in ["the one ", "in ", "on ", "the "] {
        said = said.strip_prefix(start).unwrap_or(said);
    }
    if said.is_empty() || said.split(' ').count() > 6 {
        return None;
    }
    let is_choice = |line: &&str| {
        let number = line.split_once(". ").map(|(number, _)| number);
        number.is_some_and(|number| number.parse::<u8>().is_ok())
    };
    let choices = question.lines().filter(is_choice);
    let fitting = choices.filter(|choice| normal(choice).contains(said));
    (fitting.count() == 1).then(|| Pick::Words(said.to_owned()))
}

/// The requests of the last message before this one.
fn requests_before(earlier: &[Message]) -> Vec<Request> {
    let last = last_said(earlier).map(|at| text_of(&earlier[at]));
    last.map(|said| grammar::parse(&said).requests)
        .unwrap_or_default()
}

/// The successful changes in these messages.
fn changes(messages: &[Message]) -> Vec<(Call, &Value)> {
    let made = call_records(messages).into_iter();
    let changes = made.filter_map(|made| {
        let call = Call::from_parts(&made.call.tool_name, &made.call.input)?;
        let result = made.result.filter(|result| result.ok)?;
        Some((call, result.data.as_ref().unwrap_or(&Value::Null)))
    });
    changes.collect()
}

/// The assistant's text about the last change.
fn words_of_last_change(earlier: &[Message]) -> Option<String> {
    let is_change = |message: &Message| {
        let calls = call_records(std::slice::from_ref(message)).into_iter();
        let mut calls = calls.map(|made| Call::from_parts(&made.call.tool_name, &made.call.input));
        calls.any(|call| call.is_some())
    };
    let changed = earlier.iter().rposition(is_change)?;
    let after = earlier[changed..].iter();
    let mut texts = after
        .filter(|message| message.role == Role::Assistant)
        .map(text_of);
    texts.find(|text| !text.is_empty())
}

/// The things that the last changing turn created or changed.
fn recent_things(earlier: &[Message], draft: &Draft, here: BodyId) -> Vec<Hit> {
    let mut rest = earlier;
    while let Some(start) = last_said(rest) {
        let changes = changes(&rest[start..]);
        if !changes.is_empty() {
            return changed_things(&changes, draft, here);
        }
        rest = &rest[..start];
    }
    Vec::new()
}

fn changed_things(changes: &[(Call, &Value)], draft: &Draft, here: BodyId) -> Vec<Hit> {
    let finder = Finder {
        draft,
        here,
        selected: None,
        recent: &[],
    };
    let mut hits: Vec<Hit> = Vec::new();
    for (call, data) in changes {
        let page = match call {
            Call::AddPage { .. } | Call::DuplicatePage { .. } => {
                data["pageId"].as_str().and_then(|id| id.parse().ok())
            }
            Call::RenamePage { page_id, .. } | Call::UpdatePageSettings { page_id, .. } => {
                Some(*page_id)
            }
            _ => None,
        };
        let mut found: Vec<Hit> = page
            .and_then(|page| page_hit(draft.doc(page)))
            .into_iter()
            .collect();
        let nodes = match call.node() {
            Some(node) if data["nodeIds"].is_null() => vec![node],
            _ => made_nodes(data),
        };
        let spots = nodes.into_iter().filter_map(|node| draft.spot(node));
        found.extend(spots.map(|spot| finder.hit(spot)));
        for hit in found {
            if !hits.contains(&hit) {
                hits.push(hit);
            }
        }
    }
    // After a page was created, "it" means the page and not what was put on it.
    if hits.iter().any(|hit| hit.what == What::Page) {
        hits.retain(|hit| hit.what == What::Page);
    }
    hits
}

fn made_nodes(data: &Value) -> Vec<sitewright_site::NodeId> {
    let ids = data["nodeIds"].as_array().into_iter().flatten();
    ids.filter_map(|id| id.as_str()?.parse().ok()).collect()
}
