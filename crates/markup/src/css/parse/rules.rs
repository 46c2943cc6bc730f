//! Parses rules: at-rules that wrap others, style rules, and everything that stays raw.

use cssparser::{
    AtRuleParser, CowRcStr, ParseError, Parser, ParserState, QualifiedRuleParser, SourcePosition,
    StyleSheetParser, Token,
};

use super::super::limits::CssTrouble;
use super::super::piece::{Block, Piece, Raw};
use super::super::text::{Spacing, Stretch, drain, read_stretch, tidy};
use super::{Sheet, body};

/// Parses a whole prepared source.
pub(super) fn read_sheet(css: &str, sheet: &mut Sheet<'_>) {
    let mut input = Parser::new(css);
    input.set_nested_block_limit(0);
    let mut rules = Rules {
        sheet,
        wrappers: Vec::new(),
    };
    rules.read(&mut input);
}

/// Parser for the rules of one block, or of the sheet when there are no wrappers.
struct Rules<'s, 'l> {
    sheet: &'s mut Sheet<'l>,
    wrappers: Vec<String>,
}

/// The result of parsing one rule.
enum Read {
    /// Its pieces have been added to the sheet.
    Done,
    /// Its text from here on is a raw piece.
    Raw(SourcePosition),
    /// This text plus a semicolon is a raw piece.
    Statement(SourcePosition, SourcePosition),
    /// No browser uses it.
    Unusable { start: SourcePosition, line: u32 },
}

impl Read {
    fn unusable(start: &ParserState) -> Self {
        Self::Unusable {
            start: start.position(),
            line: start.source_location().line,
        }
    }
}

impl Rules<'_, '_> {
    /// Parses rules up to the end of the input.
    ///
    /// Returns `false` when a block contains something that is neither a block nor safely raw. The whole block then
    /// stays raw, because what browsers make of the bad part depends on its surroundings. At the top level such a rule
    /// is only listed as a problem. Also returns `false` once a limit has been exceeded.
    fn read(&mut self, input: &mut Parser<'_>) -> bool {
        let is_block = !self.wrappers.is_empty();
        let begin = input.position();
        let mut iterator = StyleSheetParser::new(input, self);
        while let Some(read) = iterator.next() {
            let end = iterator.input.position();
            let (line, text) = match read {
                Ok(Read::Done) => continue,
                Ok(Read::Raw(start)) => {
                    let text = iterator.input.slice(start..end).to_owned();
                    iterator.parser.push_raw(text);
                    continue;
                }
                Ok(Read::Statement(start, end)) => {
                    let text = format!("{};", iterator.input.slice(start..end));
                    iterator.parser.push_raw(text);
                    continue;
                }
                Ok(Read::Unusable { start, line }) => (line, iterator.input.slice(start..end)),
                Err((_, text, location)) => (location.line, text),
            };
            if is_block || iterator.parser.sheet.failure.is_some() {
                return false;
            }
            iterator.parser.sheet.problem(CssTrouble::Rule, line, text);
        }
        // At the top level these tokens are ignored; inside a block they invalidate the rule after them.
        let text = input.slice_from(begin);
        !is_block || !(text.contains("<!--") || text.contains("-->"))
    }

    /// Fails once a limit has been exceeded, which stops the parser.
    fn go_on(&self) -> Result<(), ParseError<()>> {
        match self.sheet.failure {
            Some(_) => Err(ParseError::custom(())),
            None => Ok(()),
        }
    }

    fn push_raw(&mut self, text: String) {
        let raw = Raw {
            wrappers: self.wrappers.clone(),
            text,
            origin: self.sheet.origin.clone(),
            lock: crate::Lock::Open,
        };
        self.sheet.push(Piece::Raw(raw));
    }

    /// The wrapper text of an at-rule, if it is one that wraps.
    fn wrapper(&self, rule: &AtPrelude<'_>) -> Option<String> {
        let limits = self.sheet.limits;
        let fits = rule.text.len() <= limits.prelude_bytes && self.wrappers.len() < limits.wrappers;
        // Browsers may use part of a prelude that has errors: of `@media print, x)` the first query.
        if !fits || !rule.stretch.sound {
            return None;
        }
        let name = rule.name.to_ascii_lowercase();
        let wraps = match name.as_str() {
            "media" | "supports" | "container" | "scope" | "starting-style" => true,
            "layer" => is_layer_name(rule.text),
            _ => false,
        };
        let prelude = tidy(rule.text, Spacing::Single);
        match (wraps, prelude.is_empty()) {
            (false, _) => None,
            (true, true) => Some(format!("@{name}")),
            (true, false) => Some(format!("@{name} {prelude}")),
        }
    }
}

/// Whether a prelude is exactly one layer name. Each anonymous `@layer` block is a layer of its own and must not be
/// split.
fn is_layer_name(prelude: &str) -> bool {
    let mut input = Parser::new(prelude);
    if input.expect_ident().is_err() {
        return false;
    }
    loop {
        match input.next_including_whitespace() {
            Err(_) => return true,
            Ok(Token::Delim('.')) => {}
            Ok(_) => return false,
        }
        if !matches!(input.next_including_whitespace(), Ok(Token::Ident(_))) {
            return false;
        }
    }
}

struct AtPrelude<'i> {
    name: CowRcStr<'i>,
    text: &'i str,
    /// The position after its last token.
    end: SourcePosition,
    stretch: Stretch,
}

fn read_prelude<'i>(input: &mut Parser<'i>) -> (&'i str, Stretch) {
    let stretch = read_stretch(input);
    let text = stretch
        .span
        .map_or("", |(start, end)| input.slice(start..end));
    (text, stretch)
}

impl<'i> AtRuleParser<'i> for Rules<'_, '_> {
    type Prelude = AtPrelude<'i>;
    type AtRule = Read;
    type Error = ();

    fn parse_prelude(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i>,
    ) -> Result<AtPrelude<'i>, ParseError<()>> {
        let behind_name = input.position();
        let (text, stretch) = read_prelude(input);
        self.go_on()?;
        Ok(AtPrelude {
            name,
            text,
            end: stretch.span.map_or(behind_name, |(_, end)| end),
            stretch,
        })
    }

    fn rule_without_block(&mut self, rule: AtPrelude<'i>, start: &ParserState) -> Result<Read, ()> {
        if !rule.stretch.sound {
            return Ok(Read::unusable(start));
        }
        // The text is already Unicode, and browsers ignore the rule in any position.
        if rule.name.eq_ignore_ascii_case("charset") {
            return Ok(Read::Done);
        }
        Ok(Read::Statement(start.position(), rule.end))
    }

    fn parse_block(
        &mut self,
        rule: AtPrelude<'i>,
        start: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<Read, ParseError<()>> {
        let Some(wrapper) = self.wrapper(&rule) else {
            drain(input);
            // At the start of a sheet it would be skipped, so it cannot be preserved in every position.
            if rule.name.eq_ignore_ascii_case("charset") {
                return Ok(Read::unusable(start));
            }
            return Ok(Read::Raw(start.position()));
        };
        let pieces = self.sheet.pieces.len();
        let problems = self.sheet.problems.len();
        let mut wrappers = self.wrappers.clone();
        wrappers.push(wrapper);
        let mut rules = Rules {
            sheet: &mut *self.sheet,
            wrappers,
        };
        let readable = rules.read(input);
        drain(input);
        // A block without rules can still have an effect: `@layer a {}` fixes the layer's position.
        if !readable || self.sheet.pieces.len() == pieces {
            self.sheet.pieces.truncate(pieces);
            self.sheet.problems.truncate(problems);
            return Ok(Read::Raw(start.position()));
        }
        Ok(Read::Done)
    }
}

impl<'i> QualifiedRuleParser<'i> for Rules<'_, '_> {
    type Prelude = (&'i str, Stretch);
    type QualifiedRule = Read;
    type Error = ();

    fn parse_prelude(
        &mut self,
        input: &mut Parser<'i>,
    ) -> Result<(&'i str, Stretch), ParseError<()>> {
        self.go_on()?;
        Ok(read_prelude(input))
    }

    fn parse_block(
        &mut self,
        (selector, stretch): (&'i str, Stretch),
        start: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<Read, ParseError<()>> {
        if selector.is_empty() || !stretch.sound || stretch.semicolon {
            drain(input);
            return Ok(Read::unusable(start));
        }
        if selector.len() > self.sheet.limits.prelude_bytes {
            drain(input);
            return Ok(Read::Raw(start.position()));
        }
        let problems = self.sheet.problems.len();
        let Some(declarations) = body::read(input, self.sheet) else {
            drain(input);
            self.sheet.problems.truncate(problems);
            return Ok(Read::Raw(start.position()));
        };
        let block = Block {
            wrappers: self.wrappers.clone(),
            selector: tidy(selector, Spacing::Single),
            declarations,
            origin: self.sheet.origin.clone(),
            lock: crate::Lock::Open,
        };
        self.sheet.push(Piece::Block(block));
        Ok(Read::Done)
    }
}
