//! A turn, read from the conversation alone: what was said, what was read, what was called, and what is next.

use serde_json::{Value, json};
use sitewright_llm::{Block, Message, Role, ToolCall, ToolResult};
use sitewright_site::SUBMIT_EDIT_PLAN;

use super::Situation;
use super::find::{Hit, Spoken, What, normal};
use super::grammar::{self, Parsed};
use super::plan::{Outcome, Pick, Planner, Step};
use super::proposal::proposal;
use super::request::{Question, Request};
use super::say;
use super::site_view::{SiteView, Spot};
use super::words;

/// What the commands do in a round.
pub(super) enum Next {
    Call(Vec<(String, Value)>),
    Say(String),
}

/// Tools that are called to look before anything is planned.
const READS: &[&str] = &[
    "list_documents",
    "list_tokens",
    "getSiteSettings",
    "list_breakpoints",
    "read_document",
];
/// The most documents that are read; on a larger site, those that the message names.
const READ_MAX: usize = 60;
/// How often documents are read in a turn: all first parts, then all parts.
const READ_ROUNDS_MAX: usize = 2;

/// A call with its result.
struct Made<'c> {
    call: &'c ToolCall,
    result: Option<&'c ToolResult>,
}

/// What the commands do next in a conversation.
pub(super) fn next(conversation: &[Message], situation: &Situation) -> Next {
    let Some(last) = conversation
        .iter()
        .rposition(|message| message.role == Role::User)
    else {
        return Next::Say(say::left("unclear"));
    };
    let sentence = text_of(&conversation[last]);
    let (earlier, since) = (&conversation[..last], made(&conversation[last + 1..]));
    let asking = Asking::read(&sentence, earlier);
    if let Some(words) = asking.without_site() {
        return Next::Say(words);
    }
    let mut view = SiteView::default();
    let looks = since
        .iter()
        .filter(|made| READS.contains(&made.call.tool_name.as_str()));
    for made in looks {
        if let Some(result) = made.result
            && let Some(data) = result.data.as_ref().filter(|_| result.ok)
        {
            view.take(&made.call.tool_name, &made.call.input, data);
        }
    }
    if let Some(calls) = to_read(&view, &since, (&sentence, situation)) {
        return Next::Call(calls);
    }
    if view.documents.is_empty() {
        return Next::Say("I cannot read the site, so I did nothing.".to_owned());
    }
    asking.go_on(view, &since, (earlier, situation))
}

/// What is to be read before anything is planned; nothing when all is there.
fn to_read(
    view: &SiteView,
    since: &[Made<'_>],
    (sentence, situation): (&str, &Situation),
) -> Option<Vec<(String, Value)>> {
    let called = |tool: &str| {
        since
            .iter()
            .filter(|made| made.call.tool_name == tool)
            .count()
    };
    if called("list_documents") == 0 {
        let first = READS.iter().filter(|tool| **tool != "read_document");
        return Some(first.map(|tool| ((*tool).to_owned(), json!({}))).collect());
    }
    let current = situation.current.map(|current| current.to_string());
    let is_named =
        |title: &str| !normal(title).is_empty() && normal(sentence).contains(&normal(title));
    let is_wanted = |at: usize| {
        let doc = &view.documents[at];
        view.documents.len() <= READ_MAX
            || !doc.is_page()
            || current.as_deref() == Some(doc.id.as_str())
            || doc.is_home()
            || is_named(&doc.title)
    };
    let wanted: Vec<usize> = (0..view.documents.len())
        .filter(|at| is_wanted(*at))
        .collect();
    let is_whole = |at: &usize| view.documents[*at].parts_read >= view.documents[*at].parts;
    // Newer answers of this tool replace older ones, so that all are read again when parts are missing.
    let rounds = since
        .iter()
        .filter(|made| made.call.tool_name == "read_document" && made.call.input["part"] == 1)
        .count();
    if wanted.iter().all(is_whole) || rounds >= READ_ROUNDS_MAX * wanted.len().max(1) {
        return None;
    }
    let mut calls = Vec::new();
    for at in wanted {
        let doc = &view.documents[at];
        for part in 1..=doc.parts {
            calls.push((
                "read_document".to_owned(),
                json!({ "document": { "type": doc.kind, "id": doc.id }, "part": part }),
            ));
        }
    }
    (!calls.is_empty()).then_some(calls)
}

fn text_of(message: &Message) -> String {
    let texts = message.content.iter().filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The calls of messages with their results, in order.
fn made(messages: &[Message]) -> Vec<Made<'_>> {
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
    calls
        .map(|call| Made {
            call,
            result: result_of(&call.tool_call_id),
        })
        .collect()
}

/// What the message asks, in the light of what was said before.
struct Asking {
    parsed: Parsed,
    pick: Option<Pick>,
    before: Vec<Request>,
    said: Option<String>,
}

impl Asking {
    fn read(sentence: &str, earlier: &[Message]) -> Self {
        let parsed = grammar::parse(sentence);
        let last_words = earlier
            .iter()
            .rev()
            .find(|message| message.role == Role::Assistant && !text_of(message).is_empty());
        let question = last_words
            .map(text_of)
            .filter(|text| text.contains("\n1. "));
        let asked = earlier
            .iter()
            .rev()
            .find(|message| message.role == Role::User)
            .map(text_of);
        if let (Some(question), Some(asked)) = (question, asked)
            && let Some(pick) = picked(sentence, &question, &parsed)
        {
            let rest = earlier
                .iter()
                .rposition(|message| message.role == Role::User)
                .unwrap_or(0);
            return Self {
                parsed: grammar::parse(&asked),
                pick: Some(pick),
                before: requests_before(&earlier[..rest]),
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

    /// The answer when nothing of the site is needed for it.
    fn without_site(&self) -> Option<String> {
        if let Some(unknown) = &self.parsed.unknown {
            let short: String = unknown.chars().take(80).collect();
            return Some(format!(
                "I did not understand “{short}”, so I cannot do it and changed nothing. Say “help” for what I can do."
            ));
        }
        let is_plain = |request: &Request| match request {
            Request::Leave(_) | Request::Points { .. } | Request::Cannot(_) => true,
            Request::Question(question) => matches!(
                question,
                Question::Help
                    | Question::HowTo
                    | Question::WhoAreYou
                    | Question::Greeting
                    | Question::Thanks
                    | Question::Live
                    | Question::Preview
                    | Question::Save
                    | Question::LastChange
            ),
            _ => false,
        };
        if !self.parsed.requests.iter().all(is_plain) {
            return None;
        }
        let mut planner = self.planner(SiteView::default(), &[]);
        let outcomes: Vec<Outcome> = self
            .parsed
            .requests
            .iter()
            .map(|request| planner.plan(request))
            .collect();
        let answers: Vec<Answer> = outcomes
            .into_iter()
            .map(|outcome| Answer {
                outcome,
                failed: None,
            })
            .collect();
        Some(words_for(&answers))
    }

    fn planner<'t>(&self, view: SiteView, tools: &'t [String]) -> Planner<'t> {
        Planner {
            view,
            here: 0,
            selected: None,
            spoken: Spoken::default(),
            pick: self.pick.clone(),
            tools,
            before: self.before.clone(),
            said: self.said.clone(),
            steps: Vec::new(),
            request: 0,
        }
    }

    /// Plans on what was read, and makes the next calls or says what came of them.
    fn go_on(
        &self,
        view: SiteView,
        since: &[Made<'_>],
        (earlier, situation): (&[Message], &Situation),
    ) -> Next {
        let mut planner = self.planner(view, &situation.tools);
        let current = situation
            .current
            .and_then(|current| planner.view.by_id(&current.to_string()));
        let home = planner
            .view
            .documents
            .iter()
            .position(super::site_view::Document::is_home);
        planner.here = current.or(home).unwrap_or(0);
        planner.selected = situation
            .selected
            .and_then(|selected| planner.view.by_uid(&selected.to_string()));
        planner.spoken = spoken(earlier, &planner.view);
        let mut outcomes = Vec::new();
        for (at, request) in self.parsed.requests.iter().enumerate() {
            planner.request = at;
            let before = planner.steps.len();
            let outcome = planner.plan(request);
            if !matches!(outcome, Outcome::Done(_)) {
                planner.steps.truncate(before);
            }
            outcomes.push(outcome);
        }
        if self
            .parsed
            .requests
            .iter()
            .all(|request| matches!(request, Request::Mention { .. }))
        {
            return Next::Say("What shall I do with it? For example: remove it, move it up, or change its heading to “…”.".to_owned());
        }
        // A question comes first: nothing is done until it is answered.
        let question = outcomes
            .iter()
            .find(|outcome| matches!(outcome, Outcome::Asked { .. }));
        if let Some(Outcome::Asked { question, choices }) = question {
            return Next::Say(say::asked(question, choices));
        }
        // Where changes are planned, nothing that changes is on offer.
        let has = |name: &str| situation.tools.iter().any(|tool| tool == name);
        let plans = has(SUBMIT_EDIT_PLAN) && !has("insertHtml");
        if plans && !planner.steps.is_empty() {
            return propose(&planner.steps, &outcomes, since);
        }
        follow(&planner.steps, outcomes, since)
    }
}

/// Hands the steps in as a plan, once.
fn propose(steps: &[Step], outcomes: &[Outcome], since: &[Made<'_>]) -> Next {
    let handed_in = since
        .iter()
        .find(|made| made.call.tool_name == SUBMIT_EDIT_PLAN);
    if let Some(made) = handed_in {
        let why = made.result.and_then(|result| result.error.clone());
        let why = why.unwrap_or_else(|| "The plan was not taken.".to_owned());
        return Next::Say(format!("I could not plan it. {why}"));
    }
    let refused = outcomes.iter().filter_map(|outcome| match outcome {
        Outcome::Refused(why) => Some(why.clone()),
        Outcome::Pointed(what) => Some(format!("“{what}”: {}", say::PROVIDER)),
        _ => None,
    });
    match proposal(steps, &refused.collect::<Vec<_>>()) {
        Ok(plan) => Next::Call(vec![(SUBMIT_EDIT_PLAN.to_owned(), plan)]),
        Err(why) => Next::Say(why),
    }
}

/// Goes through the steps: what was called has its result, what comes next is called, what rests on a failure is left.
fn follow(steps: &[Step], outcomes: Vec<Outcome>, since: &[Made<'_>]) -> Next {
    let mut made = since
        .iter()
        .filter(|made| !READS.contains(&made.call.tool_name.as_str()))
        .peekable();
    let mut answers: Vec<Answer> = outcomes
        .into_iter()
        .map(|outcome| Answer {
            outcome,
            failed: None,
        })
        .collect();
    let mut results: Vec<Option<&Value>> = Vec::new();
    let mut calls = Vec::new();
    for step in steps {
        let input = filled(&step.input, &results);
        let recorded = made.next_if(|made| {
            made.call.tool_name == step.tool && Some(&made.call.input) == input.as_ref()
        });
        let has_failed = answers
            .get(step.request)
            .is_some_and(|answer| answer.failed.is_some());
        match (recorded, input) {
            (Some(made), _) => {
                let result = made.result.filter(|result| result.ok);
                results.push(result.map(|result| result.data.as_ref().unwrap_or(&Value::Null)));
                if result.is_none() {
                    let why = made.result.and_then(|result| result.error.clone());
                    if let Some(answer) = answers.get_mut(step.request) {
                        answer.failed.get_or_insert_with(|| {
                            why.unwrap_or_else(|| "The tool did not answer.".to_owned())
                        });
                    }
                }
            }
            _ if has_failed => results.push(None),
            (None, Some(input)) => {
                calls.push((step.tool.to_owned(), input));
                results.push(None);
            }
            // It rests on an answer that is not there yet.
            (None, None) => break,
        }
        if calls.len() >= 40 {
            break;
        }
    }
    if calls.is_empty() {
        Next::Say(words_for(&answers))
    } else {
        Next::Call(calls)
    }
}

/// The input with what earlier calls answered; nothing while one has not.
fn filled(input: &Value, results: &[Option<&Value>]) -> Option<Value> {
    match input {
        Value::String(text) if text.starts_with('$') && text.contains('.') => {
            let mut parts = text[1..].split('.');
            let Some(at) = parts.next().and_then(|at| at.parse::<usize>().ok()) else {
                return Some(input.clone());
            };
            let mut value = (*results.get(at)?)?;
            for part in parts {
                value = match part.parse::<usize>() {
                    Ok(index) => value.get(index)?,
                    Err(_) => value.get(part)?,
                };
            }
            Some(value.clone())
        }
        Value::Object(fields) => {
            let filled = fields
                .iter()
                .map(|(name, value)| Some((name.clone(), filled(value, results)?)));
            filled
                .collect::<Option<serde_json::Map<_, _>>>()
                .map(Value::Object)
        }
        other => Some(other.clone()),
    }
}

/// A request's outcome, and why its calls failed where they did.
struct Answer {
    outcome: Outcome,
    failed: Option<String>,
}

fn words_for(answers: &[Answer]) -> String {
    let mut done = Vec::new();
    let mut not_done = Vec::new();
    let mut told = Vec::new();
    for answer in answers {
        match (&answer.outcome, &answer.failed) {
            (Outcome::Done(words), None) => done.push(words.clone()),
            (Outcome::Done(_), Some(why)) => not_done.push(format!("I could not do it. {why}")),
            (Outcome::Told(words), _) => told.push(words.clone()),
            (Outcome::Left(words), _) => {
                if answers.len() == 1 && !words.is_empty() {
                    told.push(words.clone());
                }
            }
            (Outcome::Refused(why), _) => not_done.push(why.clone()),
            (Outcome::Pointed(what), _) => not_done.push(format!("“{what}”: {}", say::PROVIDER)),
            (Outcome::Asked { question, choices }, _) => {
                not_done.push(say::asked(question, choices))
            }
        }
    }
    let mut parts = told;
    if !done.is_empty() || !not_done.is_empty() {
        parts.push(say::report(&done, &not_done));
    }
    if parts.is_empty() {
        say::left("unclear")
    } else {
        parts.join("\n")
    }
}

/// What the person chose among the choices of the question before; nothing when the message is something else.
fn picked(sentence: &str, question: &str, parsed: &Parsed) -> Option<Pick> {
    let tokens = words::tokens(sentence);
    let plain: Vec<&str> = tokens
        .iter()
        .map(|token| token.word.as_str())
        .filter(|word| {
            !matches!(
                *word,
                "the" | "one" | "please" | "," | "." | "!" | "ones" | "number"
            )
        })
        .collect();
    if let [only] = plain.as_slice() {
        if let Some(nth) = words::ordinal(only) {
            return Some(Pick::Nth(nth));
        }
        if let Some(number) = words::number(only).filter(|number| number.unit.is_empty()) {
            return Some(Pick::Nth(number.value as i64));
        }
        if matches!(*only, "both" | "all") {
            return Some(Pick::All);
        }
    }
    let is_order = parsed.unknown.is_none()
        && !parsed
            .requests
            .iter()
            .all(|request| matches!(request, Request::Question(_)));
    if is_order
        && parsed.requests.iter().any(|request| {
            matches!(
                request,
                Request::Leave(_) | Request::Undo { .. } | Request::Publish
            )
        })
    {
        return None;
    }
    let said = normal(sentence);
    let said = [
        "the one in the ",
        "the one on the ",
        "the one on ",
        "the one in ",
        "in the ",
        "on the ",
        "the ",
    ]
    .iter()
    .find_map(|start| said.strip_prefix(start))
    .unwrap_or(&said);
    if said.is_empty() || said.split(' ').count() > 6 {
        return None;
    }
    let choices = question.lines().filter(|line| {
        line.split_once(". ")
            .is_some_and(|(number, _)| number.parse::<u8>().is_ok())
    });
    let fitting = choices
        .filter(|choice| normal(choice).contains(said))
        .count();
    (fitting == 1).then(|| Pick::Words(said.to_owned()))
}

/// What the last message before this one asked, answers to choices left out.
fn requests_before(earlier: &[Message]) -> Vec<Request> {
    let mut said = earlier
        .iter()
        .rev()
        .filter(|message| message.role == Role::User);
    said.next()
        .map(|message| grammar::parse(&text_of(message)).requests)
        .unwrap_or_default()
}

/// What was said about the last change.
fn words_of_last_change(earlier: &[Message]) -> Option<String> {
    let is_change = |message: &&Message| {
        let calls = made(std::slice::from_ref(*message));
        calls
            .iter()
            .any(|made| !READS.contains(&made.call.tool_name.as_str()))
    };
    let changed = earlier.iter().rposition(|message| is_change(&message))?;
    let mut after = earlier[changed..]
        .iter()
        .filter(|message| message.role == Role::Assistant);
    after.find_map(|message| Some(text_of(message)).filter(|text| !text.is_empty()))
}

/// The things that the last changing turn made or changed.
fn spoken(earlier: &[Message], view: &SiteView) -> Spoken {
    let mut turns: Vec<&[Message]> = Vec::new();
    let starts: Vec<usize> = (0..earlier.len())
        .filter(|at| earlier[*at].role == Role::User)
        .collect();
    for (at, start) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(earlier.len());
        turns.push(&earlier[*start..end]);
    }
    for turn in turns.into_iter().rev() {
        let calls = made(turn);
        let changes: Vec<&Made<'_>> = calls
            .iter()
            .filter(|made| {
                !READS.contains(&made.call.tool_name.as_str())
                    && made.result.is_some_and(|result| result.ok)
            })
            .collect();
        if !changes.is_empty() {
            return spoken_of(&changes, view);
        }
    }
    Spoken::default()
}

fn spoken_of(changes: &[&Made<'_>], view: &SiteView) -> Spoken {
    let mut spoken = Spoken::default();
    let mut pages = Vec::new();
    let finder = super::find::Finder {
        view,
        here: 0,
        selected: None,
        spoken: &Spoken::default(),
    };
    for made in changes {
        let input = &made.call.input;
        let data = made
            .result
            .and_then(|result| result.data.as_ref())
            .unwrap_or(&Value::Null);
        let page = match made.call.tool_name.as_str() {
            "addPage" | "duplicatePage" => data["pageId"].as_str(),
            "renamePage" | "updatePageSettings" => input["pageId"].as_str(),
            _ => None,
        };
        pages.extend(page.and_then(|id| view.by_id(id)));
        if made.call.tool_name == "set_color_tokens" {
            spoken.colour = input["tokens"][0]["slug"].as_str().map(str::to_owned);
        }
        let made_nodes = data["nodeIds"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let nodes: Vec<&str> = made_nodes
            .chain(
                input["nodeId"]
                    .as_str()
                    .filter(|_| data["nodeIds"].is_null()),
            )
            .collect();
        for uid in nodes {
            if let Some(spot) = view.by_uid(uid) {
                let hit = Hit {
                    what: finder.what(spot),
                    spot,
                };
                if !spoken.hits.contains(&hit) {
                    spoken.hits.push(hit);
                }
            }
        }
    }
    if !pages.is_empty() {
        pages.dedup();
        spoken.hits = pages
            .into_iter()
            .map(|document| Hit {
                what: What::Page,
                spot: Spot { document, node: 0 },
            })
            .collect();
    }
    spoken
}
