//! The words that are understood: one spelling for each, with synonyms and slips of the keyboard.
//!
//! A word is taken for another one only when it is none itself and one slip away; names and texts are never corrected.

use super::words::{Token, TokenKind};

/// Several words that mean one, longest first where one begins another.
const PHRASES: &[(&str, &str)] = &[
    ("frequently asked questions", "faq"),
    ("questions and answers", "faq"),
    ("quesions and answers", "faq"),
    ("question and answer", "faq"),
    ("q & a", "faq"),
    ("call to action", "cta"),
    ("call-to-action", "cta"),
    ("big banner", "hero"),
    ("customer reviews", "testimonials"),
    ("customer testimonials", "testimonials"),
    ("quotes from riders", "testimonials"),
    ("photo gallery", "gallery"),
    ("image gallery", "gallery"),
    ("picture gallery", "gallery"),
    ("pricing table", "pricing-section"),
    ("price table", "pricing-section"),
    ("pricing columns", "pricing-section"),
    ("price list section", "pricing-section"),
    ("contact form", "contact-form"),
    ("area for text", "text-section"),
    ("text section", "text-section"),
    ("text block", "text-section"),
    ("text area", "text-section"),
    ("get rid of", "remove"),
    ("navigation bar", "menu"),
    ("top navigation", "menu"),
    ("top nav", "menu"),
    ("main navigation", "menu"),
    ("main nav", "menu"),
    ("main menu", "menu"),
    ("menu items", "menu-item"),
    ("menu item", "menu-item"),
    ("menu entry", "menu-item"),
    ("menu link", "menu-item"),
    ("home page", "homepage"),
    ("start page", "homepage"),
    ("front page", "homepage"),
    ("main page", "homepage"),
    ("landing page", "page"),
    ("web page", "page"),
    ("start over", "restart"),
    ("meta description", "description"),
    ("seo description", "description"),
    ("search description", "description"),
    ("alt texts", "alt"),
    ("alt text", "alt"),
    ("alt txt", "alt"),
    ("alternative text", "alt"),
    ("alt tag", "alt"),
    ("white space", "spacing"),
    ("brand colour", "primary-colour"),
    ("main colour", "primary-colour"),
    ("brand color", "primary-colour"),
    ("main color", "primary-colour"),
    ("primary colour", "primary-colour"),
    ("primary color", "primary-colour"),
    ("accent colour", "accent-colour"),
    ("accent color", "accent-colour"),
    ("acent colour", "accent-colour"),
    ("acent color", "accent-colour"),
    ("text colour", "ink-colour"),
    ("text color", "ink-colour"),
    ("ink colour", "ink-colour"),
    ("ink color", "ink-colour"),
    ("background colour", "background"),
    ("background color", "background"),
    ("border radius", "radius"),
    ("border-radius", "radius"),
    ("corner radius", "radius"),
    ("font size", "font-size"),
    ("text size", "font-size"),
    ("base font size", "base-font-size"),
    ("base text size", "base-font-size"),
    ("base size", "base-font-size"),
    ("base spacing", "base-spacing"),
    ("whole site", "whole-site"),
    ("entire site", "whole-site"),
    ("whole website", "whole-site"),
    ("all pages", "all-pages"),
    ("every page", "all-pages"),
    ("search engines", "google"),
    ("bit more", "bit"),
    ("little bit", "bit"),
    ("a bit", "bit"),
    ("a little bit", "bit"),
    ("a little", "bit"),
    ("at the moment", "now"),
    ("for now", "now"),
    ("right now", "now"),
    ("do not", "don't"),
    ("don 't", "don't"),
    ("as well", "too"),
    ("phone number", "phone"),
    ("e-mail", "email"),
    ("email address", "email"),
    ("mail address", "email"),
    ("set up", "add"),
    ("ctrl z", "undo"),
    ("ctrl+z", "undo"),
    ("roll back", "undo"),
    ("instead of", "instead-of"),
    ("rather than", "instead-of"),
    ("in front of", "before"),
    ("directly under", "below"),
    ("directly below", "below"),
    ("right below", "below"),
    ("right under", "below"),
    ("right after", "after"),
    ("just above", "above"),
    ("right above", "above"),
    ("just below", "below"),
    ("just under", "below"),
    ("this page", "this-page"),
    ("the page in front", "this-page"),
    ("current page", "this-page"),
];

/// Words that mean another one.
const SYNONYMS: &[(&str, &str)] = &[
    ("delete", "remove"),
    ("erase", "remove"),
    ("kill", "remove"),
    ("trash", "remove"),
    ("drop", "remove"),
    ("delet", "remove"),
    ("rm", "remove"),
    ("insert", "add"),
    ("include", "add"),
    ("create", "add"),
    ("build", "add"),
    ("generate", "add"),
    ("ad", "add"),
    ("append", "add"),
    ("crate", "add"),
    ("stick", "put"),
    ("place", "put"),
    ("mv", "move"),
    ("shift", "move"),
    ("bring", "move"),
    ("pg", "page"),
    ("tab", "page"),
    ("webpage", "page"),
    ("subpage", "page"),
    ("pages", "pages"),
    ("nav", "menu"),
    ("navbar", "menu"),
    ("navigation", "menu"),
    ("menue", "menu"),
    ("menubar", "menu"),
    ("part", "section"),
    ("block", "section"),
    ("area", "section"),
    ("sections", "sections"),
    ("blocks", "sections"),
    ("parts", "sections"),
    ("banner", "hero"),
    ("reviews", "testimonials"),
    ("testimonial", "testimonial"),
    ("faqs", "faq"),
    ("galery", "gallery"),
    ("headline", "heading"),
    ("headlines", "headings"),
    ("header-text", "heading"),
    ("titles", "headings"),
    ("picture", "image"),
    ("photo", "image"),
    ("pic", "image"),
    ("img", "image"),
    ("pictures", "images"),
    ("photos", "images"),
    ("pics", "images"),
    ("color", "colour"),
    ("colors", "colours"),
    ("centre", "center"),
    ("homepage", "homepage"),
    ("startpage", "homepage"),
    ("duplicate", "copy"),
    ("clone", "copy"),
    ("dupe", "copy"),
    ("exchange", "swap"),
    ("switch", "switch"),
    ("url", "address"),
    ("slug", "address"),
    ("permalink", "address"),
    ("bg", "background"),
    ("box", "card"),
    ("boxes", "cards"),
    ("tile", "card"),
    ("tiles", "cards"),
    ("plans", "plans"),
    ("labelled", "called"),
    ("labeled", "called"),
    ("named", "called"),
    ("titled", "called"),
    ("entitled", "called"),
    ("website", "site"),
    ("underneath", "below"),
    ("beneath", "below"),
    ("under", "below"),
    ("over", "above"),
    ("larger", "bigger"),
    ("huge", "bigger"),
    ("larger", "bigger"),
    ("increase", "increase"),
    ("tinier", "smaller"),
    ("pubish", "publish"),
    ("deploy", "publish"),
    ("u", "you"),
    ("r", "are"),
    ("ppl", "people"),
    ("teh", "the"),
    ("pls", "please"),
    ("plz", "please"),
    ("thx", "thanks"),
    ("thanx", "thanks"),
    ("dont", "don't"),
    ("doesnt", "doesn't"),
    ("cant", "can't"),
    ("wont", "won't"),
    ("don’t", "don't"),
    ("whats", "what's"),
    ("what’s", "what's"),
    ("phones", "mobile"),
    ("smartphone", "mobile"),
    ("smartphones", "mobile"),
    ("mobiles", "mobile"),
    ("fonts", "font"),
    ("typeface", "font"),
    ("corner", "corners"),
    ("rounded", "round"),
    ("paragraphs", "paragraphs"),
    ("sentence", "paragraph"),
    ("line", "paragraph"),
    ("chnage", "change"),
    ("modify", "change"),
    ("update", "change"),
    ("edit", "edit"),
    ("txt", "text"),
    ("homescreen", "homepage"),
    ("grey", "gray"),
];

/// Words that slips of the keyboard are corrected to, when they are long enough.
const CORRECTED: &[&str] = &[
    "remove",
    "delete",
    "change",
    "rename",
    "create",
    "publish",
    "duplicate",
    "replace",
    "heading",
    "headline",
    "section",
    "pricing",
    "gallery",
    "testimonials",
    "features",
    "question",
    "questions",
    "background",
    "accent",
    "primary",
    "button",
    "buttons",
    "picture",
    "paragraph",
    "spacing",
    "contact",
    "footer",
    "header",
    "center",
    "insert",
    "please",
    "website",
    "colour",
    "image",
    "bigger",
    "smaller",
    "revert",
    "title",
];

const NUMBERS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// The number that a word stands for.
pub(crate) fn number_word(word: &str) -> Option<f64> {
    let at = NUMBERS.iter().position(|known| *known == word)?;
    u32::try_from(at).ok().map(f64::from)
}

/// Puts words into one spelling and several words that mean one together.
pub(crate) fn canonical(tokens: Vec<Token>) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if let Some((length, word)) = phrase(&tokens[at..]) {
            let (first, last) = (&tokens[at], &tokens[at + length - 1]);
            let texts: Vec<&str> = tokens[at..at + length]
                .iter()
                .map(|token| token.text.as_str())
                .collect();
            found.push(Token {
                kind: TokenKind::Word,
                text: texts.join(" "),
                word: word.to_owned(),
                span: (first.span.0, last.span.1),
            });
            at += length;
            continue;
        }
        let mut token = tokens[at].clone();
        if token.kind == TokenKind::Word {
            token.word = one_spelling(&token.word);
        }
        found.push(token);
        at += 1;
    }
    found
}

fn phrase(tokens: &[Token]) -> Option<(usize, &'static str)> {
    let fits = |(phrase, _): &&(&str, &str)| {
        let words: Vec<&str> = phrase.split(' ').collect();
        words.len() <= tokens.len()
            && words
                .iter()
                .zip(tokens)
                .all(|(word, token)| token.kind == TokenKind::Word && token.word == *word)
    };
    let longest = PHRASES
        .iter()
        .filter(fits)
        .max_by_key(|(phrase, _)| phrase.split(' ').count())?;
    Some((longest.0.split(' ').count(), longest.1))
}

fn one_spelling(word: &str) -> String {
    let synonym = |word: &str| {
        let found = SYNONYMS.iter().find(|(known, _)| *known == word);
        found.map(|(_, meant)| (*meant).to_owned())
    };
    if let Some(meant) = synonym(word) {
        return meant;
    }
    let is_plain = word.len() >= 5 && word.chars().all(|c| c.is_ascii_lowercase());
    if !is_plain || CORRECTED.contains(&word) || WORDS.contains(&word) {
        return word.to_owned();
    }
    let near = CORRECTED.iter().find(|known| is_one_slip(word, known));
    near.map_or_else(
        || word.to_owned(),
        |known| synonym(known).unwrap_or_else(|| (*known).to_owned()),
    )
}

/// Words that are near to a corrected one and mean what they say.
const WORDS: &[&str] = &[
    "feature",
    "section",
    "sections",
    "gallery",
    "titles",
    "contacts",
    "contract",
    "heading",
    "headings",
    "removed",
    "deleted",
    "changed",
    "renamed",
    "created",
    "published",
    "colours",
    "pricing",
    "images",
    "closer",
    "later",
    "center",
    "picture",
    "pictures",
    "headers",
    "footers",
    "headlines",
    "changes",
    "deletes",
    "removes",
    "little",
    "leader",
    "reader",
    "heater",
    "featured",
    "button",
    "buttons",
    "paragraphs",
    "replaced",
    "inserts",
    "manage",
    "charge",
    "chance",
    "entitle",
    "titled",
    "tile",
    "biggest",
    "smallest",
    "foster",
    "poster",
    "renames",
    "removal",
    "creates",
    "creator",
    "publishes",
    "heading",
    "loading",
    "leading",
    "reading",
    "questions",
    "question",
    "pricings",
    "primer",
    "primary",
    "enter",
    "renter",
    "centre",
    "cancer",
    "reverse",
    "reverts",
    "prices",
    "price",
    "title",
];

/// Whether a word is another one with one letter more, less, wrong, or two swapped.
pub(crate) fn is_one_slip(word: &str, known: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (word.chars().collect(), known.chars().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(x, y)| x == y)
        .count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    match (a, b) {
        ([], [_]) | ([_], []) | ([_], [_]) => start > 0,
        ([x, y], [p, q]) => start > 0 && x == q && y == p,
        _ => false,
    }
}
