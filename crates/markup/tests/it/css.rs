//! CSS in and out, one file per topic, and the short notation their tests are written in.

#![expect(clippy::unwrap_used, reason = "a panic in a test is a failed test")]

mod limits;
mod needs;
mod parse;
mod plan;
mod properties;
mod tokens;
mod views;
mod write;
use sitewright_markup::css::{
    Block, CssForm, CssLimits, CssTrouble, Declaration, Origin, ParsedCss, Piece, parse_css,
};

fn read(css: &str) -> ParsedCss {
    parse_css(css, Origin::Author, &CssLimits::default()).unwrap()
}

fn pieces(css: &str) -> Vec<Piece> {
    read(css).pieces
}

fn compact(css: &str) -> String {
    sitewright_markup::css::write_css(&pieces(css), CssForm::Compact)
}

fn declaration(property: &str, value: &str) -> Declaration {
    Declaration {
        property: property.to_owned(),
        value: value.to_owned(),
        important: false,
    }
}

/// One piece a line: `@media print | .a | color=red!; margin=0` or `raw | @keyframes …`.
fn show(pieces: &[Piece]) -> String {
    let lines: Vec<String> = pieces.iter().map(show_piece).collect();
    lines.join("\n")
}

fn show_piece(piece: &Piece) -> String {
    let mut parts = piece.wrappers().to_vec();
    match piece {
        Piece::Block(Block {
            selector,
            declarations,
            ..
        }) => {
            parts.push(selector.clone());
            parts.push(show_declarations(declarations));
        }
        Piece::Raw(raw) => {
            parts.push("raw".to_owned());
            parts.push(raw.text.clone());
        }
    }
    parts.join(" | ")
}

fn show_declarations(declarations: &[Declaration]) -> String {
    let shown: Vec<String> = declarations
        .iter()
        .map(|declaration| {
            let mark = if declaration.important { "!" } else { "" };
            format!("{}={}{mark}", declaration.property, declaration.value)
        })
        .collect();
    shown.join("; ")
}

fn show_problems(parsed: &ParsedCss) -> String {
    let shown: Vec<String> = parsed
        .problems
        .iter()
        .map(|problem| {
            let trouble = match problem.trouble {
                CssTrouble::Declaration => "declaration",
                CssTrouble::Rule => "rule",
            };
            format!("{}: {trouble}: {}", problem.line, problem.text)
        })
        .collect();
    shown.join("\n")
}
