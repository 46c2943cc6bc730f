//! Words of the corpus in any order: whatever comes of them, nothing is deleted, published, taken back or changed without a word
//! that asks for it.

use sitewright_commands::{Commands, Situation};
use sitewright_llm::{Block, Message, Role, StreamEvent};

use crate::corpus::{fixture, phrases};
use crate::stage::{Conversation, build, site};

const SENTENCES: usize = 10_000;

/// Words that ask to remove something.
const REMOVING: &[&str] = &[
    "delete",
    "remove",
    "kill",
    "trash",
    "drop",
    "erase",
    "rid",
    "take",
    "out",
    "empty",
    "clear",
    "go",
    "delet",
    "delte",
    "rm",
    "dont",
    "don't",
    "deletepage",
];
/// Words that ask to publish.
const PUBLISHING: &[&str] = &[
    "publish",
    "live",
    "deploy",
    "online",
    "pubish",
    "publishing",
];
/// Words that ask to take something back or to do it again.
const TAKING_BACK: &[&str] = &[
    "undo", "revert", "back", "cancel", "redo", "again", "ctrl", "restore",
];
/// Words and signs that ask for some change. Without one of them, a row of words is no order.
const CHANGING: &[&str] = &[
    "build",
    "add",
    "ad",
    "create",
    "crate",
    "make",
    "new",
    "want",
    "need",
    "put",
    "set",
    "insert",
    "include",
    "have",
    "like",
    "rename",
    "renmae",
    "call",
    "name",
    "change",
    "chnage",
    "chnge",
    "update",
    "replace",
    "write",
    "rewrite",
    "use",
    "move",
    "mv",
    "shift",
    "bring",
    "swap",
    "switch",
    "exchange",
    "order",
    "reorder",
    "copy",
    "clone",
    "duplicate",
    "dupe",
    "hide",
    "show",
    "link",
    "give",
    "center",
    "centre",
    "align",
    "underline",
    "should",
    "must",
    "can",
    "could",
    "reduce",
    "increase",
    "raise",
    "instead",
    "->",
    "→",
    ":",
    "=",
    "less",
    "more",
    "tighter",
    "rounder",
    "bigger",
    "smaller",
    "larger",
    "darker",
    "lighter",
    "bold",
    "square",
    "describe",
    "stick",
    "place",
    "uppercase",
    "lowercase",
    "italic",
    "underlined",
    "centered",
    "open",
    "edit",
    "save",
    "too",
    "also",
    "same",
    "up",
    "down",
    "higher",
    "lower",
    "missing",
    "corners",
    "radius",
    "size",
    "huge",
    "spacing",
    "costs",
    "tell",
    "unhide",
    "typo",
    "verdana",
    "arial",
    "helvetica",
    "tahoma",
    "georgia",
    "gallery",
    "table",
    "form",
];

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // The generator of Numerical Recipes is good enough for choosing words, and the same everywhere.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).expect("a small number")
    }
}

fn has(sentence: &str, words: &[&str]) -> bool {
    let lower = sentence.to_lowercase();
    let parts: Vec<&str> = lower
        .split(|c: char| c.is_whitespace() || ",.;!?\"'()“”".contains(c))
        .collect();
    words.iter().any(|word| {
        parts.contains(word)
            || word.len() == 1 && !word.chars().all(char::is_alphanumeric) && lower.contains(word)
            || *word == "->" && lower.contains(word)
    })
}

/// The colours of the corpus stand for a wish without any other word: "red buttons".
fn has_colour(sentence: &str) -> bool {
    let colours = [
        "red", "blue", "orange", "navy", "gold", "coral", "ivory", "black", "white", "green",
        "gray", "grey", "beige",
    ];
    has(sentence, &colours)
        || sentence.contains('#')
        || sentence.contains("rgb")
        || sentence.contains("hsl")
        || sentence.contains('£')
        || sentence.contains("px")
}

/// "A hero section", "page 'Hello'": naming one thing that is not there yet asks for it.
fn is_named_alone(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    let said = lower.strip_prefix("and ").unwrap_or(&lower);
    let is_section = [" section", " block", " part", " area"]
        .iter()
        .any(|noun| said.ends_with(noun) && said.split(' ').count() == 2);
    let starts = ["a ", "an ", "page "];
    is_section || starts.iter().any(|start| said.starts_with(start))
}

/// Why a call is not clearly asked for.
fn unasked(tool: &str, sentence: &str) -> Option<&'static str> {
    match tool {
        "deletePage" | "deleteNode" if !has(sentence, REMOVING) => Some("removes"),
        "publishSite" if !has(sentence, PUBLISHING) => Some("publishes"),
        "revertTurn" | "undo" | "redo" if !has(sentence, TAKING_BACK) => Some("takes back"),
        _ if is_named_alone(sentence) => None,
        _ if !has(sentence, CHANGING)
            && !has(sentence, REMOVING)
            && !has(sentence, PUBLISHING)
            && !has(sentence, TAKING_BACK)
            && !has_colour(sentence) =>
        {
            Some("changes")
        }
        _ => None,
    }
}

fn calls(events: &[StreamEvent]) -> Vec<String> {
    let names = events.iter().filter_map(|event| match event {
        StreamEvent::Call { call, .. } => Some(call.tool_name.clone()),
        _ => None,
    });
    names.collect()
}

#[test]
fn words_in_any_order_do_no_harm() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        let file = build(folder.path(), &fixture()).await;
        let conversation = Conversation::on(&file).await;
        let home = conversation.snapshot().await.pages[0].id;
        let site = site(&conversation.store).await;
        let commands = Commands::new(Situation {
            current: Some(home),
            selected: None,
            tools: conversation.tools(),
            now_ms: 0,
        });
        let words: Vec<String> = phrases()
            .into_iter()
            .flat_map(|(_, phrases)| phrases)
            .flat_map(|phrase| {
                phrase
                    .say
                    .split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            })
            .collect();
        let mut random = Random(7);
        let (mut acted, mut harm) = (0, Vec::new());
        for _ in 0..SENTENCES {
            let length = 1 + random.below(9);
            let sentence: Vec<&str> = (0..length)
                .map(|_| words[random.below(words.len())].as_str())
                .collect();
            let sentence = sentence.join(" ");
            let made = calls(&commands.answer(&[Message::user(&sentence)], &site));
            acted += usize::from(!made.is_empty());
            harm.extend(made.iter().filter_map(|tool| {
                Some(format!(
                    "{} ({tool}): {sentence}",
                    unasked(tool, &sentence)?
                ))
            }));
        }
        println!("{acted} of {SENTENCES} random sentences led to a call");
        assert!(
            harm.is_empty(),
            "not clearly asked for:\n{}",
            harm.join("\n")
        );
        conversation.close().await;
    });
}

/// Whoever stops a turn and goes on with it later, even in another process, gets the rest of it and nothing twice.
#[test]
fn the_rest_of_a_turn_follows_from_its_messages() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        let file = build(folder.path(), &fixture()).await;
        let mut conversation = Conversation::on(&file).await;
        let home = conversation.snapshot().await.pages[0].id;
        let before = site(&conversation.store).await;
        conversation
            .say(
                "add a team page and put it in the menu",
                (home, None),
                false,
            )
            .await;
        let messages = conversation.messages();
        let situation = Situation {
            current: Some(home),
            selected: None,
            tools: conversation.tools(),
            now_ms: 0,
        };
        for (at, message) in messages
            .iter()
            .enumerate()
            .filter(|(_, message)| message.role == Role::Assistant)
        {
            let events = Commands::new(situation.clone()).answer(&messages[..at], &before);
            let said: Vec<(String, String)> = events
                .iter()
                .filter_map(|event| match event {
                    StreamEvent::Call { call, .. } => {
                        Some((call.tool_name.clone(), call.input.to_string()))
                    }
                    StreamEvent::Text(text) => Some((text.clone(), String::new())),
                    _ => None,
                })
                .collect();
            let recorded: Vec<(String, String)> = message
                .content
                .iter()
                .filter_map(|block| match block {
                    Block::ToolCall(call) => Some((call.tool_name.clone(), call.input.to_string())),
                    Block::Text { text, .. } => Some((text.clone(), String::new())),
                    _ => None,
                })
                .collect();
            assert_eq!(said, recorded, "round {at}");
        }
        conversation.close().await;
    });
}

/// The page of the documentation is the list of the rules.
#[test]
fn the_documentation_lists_what_can_be_said() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/commands.md");
    let page = sitewright_commands::commands_page();
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    if written != page {
        std::fs::write(&path, &page).expect("the page");
    }
    assert_eq!(
        written, page,
        "docs/commands.md was not up to date; it is now, so commit it"
    );
    assert!(sitewright_commands::commands_help().contains("undo that"));
}
