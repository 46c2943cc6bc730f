//! The words of answers. Plain, short, and true: what was done, what was not, and what is missing.

use super::draft::{Draft, KINDS};
use super::find::kind_word;
use super::plan::Outcome;
use super::request::{Limit, Missing, Reason};

/// Where writing, taste, sight and translation can be had.
pub(crate) const PROVIDER: &str = "That takes an AI model, and these are the built-in commands (no AI). Connect a provider in AI settings, and it can do that.";

pub(crate) const LIVE: &str = "What visitors see is not visible from here. The publish dialog shows what is live and what has changed since.";
pub(crate) const PREVIEW: &str = "The canvas shows the page as visitors will see it, and the widths above it show it on phones and tablets. Nothing is public until it is published.";
pub(crate) const SAVED: &str =
    "Every change is saved as it is made. Saving is not publishing: say “publish” for that.";
pub(crate) const WHO: &str = "These are the built-in commands (no AI): fixed rules that understand a list of requests. Say “help” for the list.";
pub(crate) const HELLO: &str = "Hello. Tell me what to change, or say “help” for what I can do.";
pub(crate) const WELCOME: &str = "Good. Say “undo” if it is not what you wanted.";

/// The kinds of section that can be made.
pub(crate) fn kinds() -> String {
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind_word(kind)).collect();
    kinds.join(", ")
}

/// "a, b and c"
pub(crate) fn listed(words: &[String]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The question for what is missing.
pub(crate) fn missing(what: Missing, draft: &Draft) -> String {
    match what {
        Missing::Section => format!("Which section shall I add? I can add {}.", kinds()),
        Missing::Page => "What shall the page be called?".to_owned(),
        Missing::Name => "What shall it be called?".to_owned(),
        Missing::Text => "What shall it say?".to_owned(),
        Missing::Colour => {
            let colours = draft.site.tokens().colors.into_iter();
            let slugs: Vec<String> = colours.map(|colour| colour.slug).collect();
            format!("Which colour, and to what? There are {}. For example: make the primary colour blue.", slugs.join(", "))
        }
        Missing::Font => "Which font, and for what? For example: use Verdana for the text.".to_owned(),
        Missing::Place => "Which thing, and where shall it go?".to_owned(),
        Missing::Other => "Which two shall I swap? Name both.".to_owned(),
        Missing::What => "Which one? Select it, or name it.".to_owned(),
        Missing::GoAhead => "Shall I publish? Then say “publish”.".to_owned(),
        Missing::Order => "Yes to what? Tell me what to change, or say “help”.".to_owned(),
        Missing::Count => "How many changes shall I take back? For example: undo the last two changes.".to_owned(),
        Missing::Removal => "Shall I delete the page, or make it a draft so that it is not published? Say “delete the page …” or “make the page … a draft”.".to_owned(),
    }
}

/// Says that something is not among what can be done.
pub(crate) fn cannot(limit: &Limit) -> Outcome {
    Outcome::Refused(match limit {
        Limit::Language(words) => format!(
            "{words}\nI understand English only: the built-in commands cannot read other languages."
        ),
        Limit::Unsupported(what) => format!(
            "I cannot do this: {what}. The sections I can add are {}. Say “help” for the whole list.",
            kinds()
        ),
    })
}

/// Why nothing was done.
pub(crate) fn ignored(reason: Reason) -> &'static str {
    match reason {
        Reason::Negated => "All right, I leave it as it is. Nothing was changed.",
        Reason::Question => {
            "That is a question that the built-in commands cannot answer. Nothing was changed. Say “help” for what I can do."
        }
        Reason::Reported => {
            "I do only what you ask me yourself, in plain words. Nothing was changed."
        }
        Reason::PageText => {
            "I follow only what you write here, never what stands on a page. Nothing was changed."
        }
        Reason::Code => "I read sentences, not code. Nothing was changed.",
        Reason::Unclear => {
            "I did not understand that. Nothing was changed. Say “help” for what I can do."
        }
    }
}

/// The answer to a message with several requests: what was done and what was not.
pub(crate) fn report(done: &[String], not_done: &[String]) -> String {
    if not_done.is_empty() {
        return done.join(" ");
    }
    if done.is_empty() {
        return not_done.join("\n");
    }
    format!(
        "I did {} of {}.\nDone: {}\nNot done: {}",
        done.len(),
        done.len() + not_done.len(),
        done.join(" "),
        not_done.join(" ")
    )
}

/// A question with its choices, numbered.
pub(crate) fn asked(question: &str, choices: &[String]) -> String {
    let mut text = question.to_owned();
    for (at, choice) in choices.iter().enumerate() {
        text.push_str(&format!("\n{}. {choice}", at + 1));
    }
    text
}
