//! The words of answers. Plain, short, and true: what was done, what was not, and what is missing.

use super::find::kind_word;
use super::foreign;
use super::plan::Outcome;
use super::site_view::{KINDS, SiteView};

/// Where writing, taste, sight and translation can be had.
pub(crate) const PROVIDER: &str = "That takes an AI model, and these are the built-in commands (no AI). Connect a provider in AI settings, and it can do that.";

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

/// Asks for what is missing.
pub(crate) fn missing(what: &str, view: &SiteView) -> Outcome {
    let colours: Vec<&str> = view
        .colours
        .iter()
        .filter(|colour| !colour.name.contains("-"))
        .map(|colour| colour.name.as_str())
        .collect();
    let question = match what {
        "section" => format!("Which section shall I add? I can add {}.", kinds()),
        "page" => "What shall the page be called?".to_owned(),
        "name" => "What shall it be called?".to_owned(),
        "text" => "What shall it say?".to_owned(),
        "colour" => format!("Which colour, and to what? There are {}. For example: make the primary colour blue.", colours.join(", ")),
        "font" => "Which font, and for what? For example: use Verdana for the text.".to_owned(),
        "place" => "Which thing, and where shall it go?".to_owned(),
        "swap" => "Which two shall I swap? Name both.".to_owned(),
        "what" => "Which one? Select it, or name it.".to_owned(),
        "ready" => "Shall I publish? Then say “publish”.".to_owned(),
        "yes" => "Yes to what? Tell me what to change, or say “help”.".to_owned(),
        "undo-all" => "How many changes shall I take back? For example: undo the last two changes.".to_owned(),
        "take-down" => "Shall I delete the page, or make it a draft so that it is not published? Say “delete the page …” or “make the page … a draft”.".to_owned(),
        other => format!("What exactly shall I do with {other}?"),
    };
    let question = if question.contains('?') {
        question
    } else {
        format!("{question} Which one?")
    };
    Outcome::Asked {
        question,
        choices: Vec::new(),
    }
}

/// Says that something is not among what can be done.
pub(crate) fn cannot(what: &str) -> Outcome {
    if let Some(words) = what.strip_prefix(foreign::MARK) {
        return Outcome::Refused(format!(
            "{words}\nI understand English only: the built-in commands cannot read other languages."
        ));
    }
    Outcome::Refused(format!(
        "I cannot do this: {what}. The sections I can add are {}. Say “help” for the whole list.",
        kinds()
    ))
}

/// Why nothing was done.
pub(crate) fn left(why: &str) -> String {
    match why {
        "negated" => "All right, I leave it as it is. Nothing was changed.",
        "question" => "That is a question that the built-in commands cannot answer. Nothing was changed. Say “help” for what I can do.",
        "reported" => "I do only what you ask me yourself, in plain words. Nothing was changed.",
        "page" => "I follow only what you write here, never what stands on a page. Nothing was changed.",
        "code" => "I read sentences, not code. Nothing was changed.",
        _ => "I did not understand that. Nothing was changed. Say “help” for what I can do.",
    }
    .to_owned()
}

/// The answer to a message with several requests: what was done and what was not.
pub(crate) fn report(done: &[String], not_done: &[String]) -> String {
    let count = done.len() + not_done.len();
    if not_done.is_empty() {
        return done.join(" ");
    }
    if done.is_empty() {
        return not_done.join("\n");
    }
    format!(
        "I did {} of {count}.\nDone: {}\nNot done: {}",
        done.len(),
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
