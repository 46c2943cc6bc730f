//! Writes pieces as CSS.

use super::piece::{Block, Declaration, Piece};
use super::prepare::{closing_tags, prepare};

/// The layout of CSS output. Both forms have the same meaning and parse to the same pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CssForm {
    /// One declaration per line, for people and models.
    Readable,
    /// As short as possible without changing any value.
    Compact,
}

/// Writes pieces in order. Neighbours with the same wrappers share them. The output is safe inside a style element.
pub fn write_css<'p>(pieces: impl IntoIterator<Item = &'p Piece>, form: CssForm) -> String {
    let mut writer = Writer {
        out: String::new(),
        form,
        open: &[],
    };
    for piece in pieces {
        writer.piece(piece);
    }
    writer.close_down_to(0);
    let Writer { out, .. } = writer;
    if closing_tags(&out).is_empty() {
        return out;
    }
    match prepare(&out, ESCAPE_DEPTH_MAX) {
        Ok(escaped) => escaped.into_owned(),
        // Text this deep did not come from `parse`. A backslash is safe, although it may end a token early.
        Err(_) => escape_blindly(&out),
    }
}

/// Deeper than any parsed piece: its own brackets and the wrappers around it.
const ESCAPE_DEPTH_MAX: u32 = 256;

fn escape_blindly(css: &str) -> String {
    let mut escaped = css.to_owned();
    for at in closing_tags(css).into_iter().rev() {
        escaped.insert(at + 1, '\\');
    }
    escaped
}

struct Writer<'p> {
    out: String,
    form: CssForm,
    /// The wrappers that are currently open.
    open: &'p [String],
}

impl<'p> Writer<'p> {
    fn piece(&mut self, piece: &'p Piece) {
        let wrappers = piece.wrappers();
        let shared = self
            .open
            .iter()
            .zip(wrappers)
            .take_while(|(open, wanted)| open == wanted)
            .count();
        self.close_down_to(shared);
        for (depth, wrapper) in wrappers.iter().enumerate().skip(shared) {
            self.line(depth, wrapper);
            self.brace();
        }
        self.open = wrappers;
        match piece {
            Piece::Block(block) => self.block(block),
            // Lines inside are not indented, because they may be part of a string.
            Piece::Raw(raw) => {
                self.line(wrappers.len(), &raw.text);
                self.end();
            }
        }
    }

    fn block(&mut self, block: &Block) {
        let depth = block.wrappers.len();
        self.line(depth, &block.selector);
        if block.declarations.is_empty() && self.form == CssForm::Readable {
            self.out.push_str(" {}\n");
            return;
        }
        self.brace();
        for (index, declaration) in block.declarations.iter().enumerate() {
            if index > 0 && self.form == CssForm::Compact {
                self.out.push(';');
            }
            self.declaration(depth + 1, declaration);
        }
        self.line(depth, "}");
        self.end();
    }

    fn declaration(&mut self, depth: usize, declaration: &Declaration) {
        self.line(depth, &declaration.property);
        self.out.push(':');
        // Older browsers accept an empty custom property only if there is a space.
        if self.form == CssForm::Readable || declaration.value.is_empty() {
            self.out.push(' ');
        }
        self.out.push_str(&declaration.value);
        if declaration.important {
            self.out.push_str(match self.form {
                CssForm::Readable => " !important",
                CssForm::Compact => "!important",
            });
        }
        if self.form == CssForm::Readable {
            self.out.push_str(";\n");
        }
    }

    fn close_down_to(&mut self, depth: usize) {
        for open in (depth..self.open.len()).rev() {
            self.line(open, "}");
            self.end();
        }
        self.open = &self.open[..depth.min(self.open.len())];
    }

    fn line(&mut self, depth: usize, text: &str) {
        if self.form == CssForm::Readable {
            self.out.extend(std::iter::repeat_n("  ", depth));
        }
        self.out.push_str(text);
    }

    fn brace(&mut self) {
        self.out.push_str(match self.form {
            CssForm::Readable => " {\n",
            CssForm::Compact => "{",
        });
    }

    fn end(&mut self) {
        if self.form == CssForm::Readable {
            self.out.push('\n');
        }
    }
}
