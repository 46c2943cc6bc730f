//! The texts of answers: what was done, what was not, and what is missing, in plain and short sentences.

use super::draft::{Draft, KINDS};
use super::find::kind_word;
use super::plan::{Outcome, PLACEHOLDERS};
use super::request::{Fact, Limit, MissingPart, Reason};

/// Where to find writing, judgement of taste, sight and translation.
pub(crate) const PROVIDER: &str = "That takes an AI model, and these are the built-in commands (no AI). Connect a provider in AI settings, and it can do that.";

/// Answers about what is the same on every site.
pub(crate) fn fact(fact: Fact) -> &'static str {
    match fact {
        Fact::Live => {
            "The live site isn’t visible from here. The publish dialog shows what is live and what has changed since."
        }
        Fact::Preview => {
            "The canvas shows the page as visitors will see it, and the widths above it show it on phones and tablets. Nothing is public until it is published."
        }
        Fact::Saved => {
            "Every change is saved as it is made. Saving is not publishing: say “publish” for that."
        }
        Fact::Who => {
            "These are the built-in commands (no AI). They understand a fixed list of requests. Say “help” for the list."
        }
        Fact::Hello => "Hello. Tell me what to change, or say “help” for what I can do.",
        Fact::Welcome => "Good. Say “undo” if it isn’t what you wanted.",
    }
}

/// Lists the kinds of section that can be created.
pub(crate) fn kinds() -> String {
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind_word(kind)).collect();
    kinds.join(", ")
}

/// Joins words as "a, b and c".
pub(crate) fn join_words(words: &[String]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The question that asks for the missing part.
pub(crate) fn missing(what: MissingPart, draft: &Draft) -> String {
    match what {
        MissingPart::Section => format!("Which section should I add? I can add {}.", kinds()),
        MissingPart::Page => "What should the page be called?".to_owned(),
        MissingPart::Name => "What should it be called?".to_owned(),
        MissingPart::Text => "What should it say?".to_owned(),
        MissingPart::Colour => {
            let colours = draft.site.tokens().colors.into_iter();
            let slugs: Vec<String> = colours.map(|colour| colour.slug).collect();
            format!("Which colour, and to what? There are {}. For example: make the primary colour blue.", slugs.join(", "))
        }
        MissingPart::Font => "Which font, and for what? For example: use Verdana for the text.".to_owned(),
        MissingPart::Place => "What should I move, and where to?".to_owned(),
        MissingPart::Other => "Which two should I swap? Name both.".to_owned(),
        MissingPart::What => "Which one? Select it, or name it.".to_owned(),
        MissingPart::GoAhead => "Ready to publish? Say “publish”.".to_owned(),
        MissingPart::Order => "Yes to what? Tell me what to change, or say “help”.".to_owned(),
        MissingPart::Count => "How many changes should I undo? For example: undo the last two changes.".to_owned(),
        MissingPart::Removal => "Should I delete the page, or make it a draft so it isn’t published? Say “delete the page …” or “make the page … a draft”.".to_owned(),
    }
}

/// Says that something is not supported.
pub(crate) fn cannot(limit: &Limit) -> Outcome {
    Outcome::Refused(match limit {
        Limit::Language(words) => {
            format!("{words}\nThe built-in commands only understand English.")
        }
        Limit::Unsupported(what) => format!(
            "I can’t do this: {what}. The sections I can add are {}. Say “help” for the whole list.",
            kinds()
        ),
    })
}

/// Says why nothing was done.
pub(crate) fn ignore_words(reason: Reason) -> &'static str {
    match reason {
        Reason::Negated => "OK, I left it as it is. Nothing was changed.",
        Reason::Question => {
            "The built-in commands can’t answer that question. Nothing was changed. Say “help” for what I can do."
        }
        Reason::Reported => "I only do what you ask me in plain words. Nothing was changed.",
        Reason::PageText => {
            "I only follow what you write here, never text on a page. Nothing was changed."
        }
        Reason::Code => "I understand sentences, not code. Nothing was changed.",
        Reason::Unclear => {
            "I didn’t understand that. Nothing was changed. Say “help” for what I can do."
        }
    }
}

/// The answer to a message with several requests: what was done and what was not.
pub(crate) fn report(done: &[String], not_done: &[String]) -> String {
    let done = &without_repetition(done);
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

/// The sentences with the one about placeholders only at the end of the last that has it.
fn without_repetition(done: &[String]) -> Vec<String> {
    let last = done.iter().rposition(|words| words.contains(PLACEHOLDERS));
    let kept = done.iter().enumerate().map(|(at, words)| match last {
        Some(last) if at < last => words.replace(&format!(" {PLACEHOLDERS}"), ""),
        _ => words.clone(),
    });
    kept.collect()
}

/// A question with its numbered choices.
pub(crate) fn question_text(question: &str, choices: &[String]) -> String {
    let mut text = question.to_owned();
    for (at, choice) in choices.iter().enumerate() {
        text.push_str(&format!("\n{}. {choice}", at + 1));
    }
    text
}
