//! Parses the content of a style rule, between its braces.

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, Delimiter, ParseError, Parser, ParserState,
    QualifiedRuleParser, RuleBodyItemParser, RuleBodyParser, SourcePosition, Token,
};

use super::super::limits::CssTrouble;
use super::super::piece::Declaration;
use super::super::text::{drain, is_bad, nested_sound, opens, spell, trim_end};
use super::Sheet;

/// The declarations of a rule, or `None` when rules are nested in it.
pub(super) fn read(input: &mut Parser<'_>, sheet: &mut Sheet<'_>) -> Option<Vec<Declaration>> {
    let mut declarations = Vec::new();
    let mut body = Body;
    for item in RuleBodyParser::new(input, &mut body) {
        let declaration = match item {
            Ok(Item::Declaration(declaration)) => Some(declaration),
            Ok(Item::Nested) => return None,
            Err((_, text, location)) => {
                let starred = starred(text);
                if starred.is_none() {
                    sheet.problem(CssTrouble::Declaration, location.line, text);
                }
                starred
            }
        };
        if let Some(declaration) = declaration {
            if !sheet.count_declaration() {
                return None;
            }
            declarations.push(declaration);
        }
    }
    Some(declarations)
}

/// A declaration whose property is prefixed with a star. Browsers skip this old hack; it is preserved because authors
/// recognise it.
fn starred(text: &str) -> Option<Declaration> {
    let mut input = Parser::new(text.strip_prefix('*')?);
    input.set_nested_block_limit(0);
    let read = input.parse_until_before(Delimiter::Semicolon, |input| {
        let name = match input.next_including_whitespace_and_comments() {
            Ok(Token::Ident(name)) => name.clone(),
            _ => return Err(ParseError::<()>::unexpected_token()),
        };
        input.expect_colon()?;
        read_value(&name, input).ok_or_else(ParseError::unexpected_token)
    });
    let mut declaration = read.ok()?;
    declaration.property.insert(0, '*');
    Some(declaration)
}

struct Body;

enum Item {
    Declaration(Declaration),
    Nested,
}

/// Parses a value up to the end of the input; `None` when browsers would reject it.
fn read_value(name: &str, input: &mut Parser<'_>) -> Option<Declaration> {
    let custom = name.starts_with("--");
    let mut value = Value::default();
    loop {
        let start = input.position();
        let Ok(token) = input.next_including_whitespace_and_comments() else {
            break;
        };
        let nested = opens(token);
        let part = match token {
            Token::WhiteSpace(_) => continue,
            Token::Comment(_) if custom => Part::Other,
            Token::Comment(_) => continue,
            Token::CurlyBracketBlock if !custom => return None,
            Token::Delim('!') => Part::Bang,
            Token::Ident(word) if word.eq_ignore_ascii_case("important") => Part::Important,
            token if is_bad(token) => return None,
            _ => Part::Other,
        };
        if nested && !nested_sound(input) {
            return None;
        }
        value.add(part, start, input.position());
    }
    let important = matches!(value.state, State::Important);
    let span = if important {
        value.before_bang
    } else {
        value.span
    };
    if span.is_none() && !custom {
        return None;
    }
    Some(Declaration {
        property: spell(name),
        value: span.map_or(String::new(), |(start, end)| {
            trim_end(input.slice(start..end)).to_owned()
        }),
        important,
    })
}

type Span = Option<(SourcePosition, SourcePosition)>;

#[derive(Default)]
struct Value {
    span: Span,
    before_bang: Span,
    state: State,
}

#[derive(Default, Clone, Copy)]
enum State {
    #[default]
    Open,
    Bang,
    Important,
}

enum Part {
    Bang,
    Important,
    Other,
}

impl Value {
    fn add(&mut self, part: Part, start: SourcePosition, end: SourcePosition) {
        let before = self.span;
        self.span = Some((before.map_or(start, |(first, _)| first), end));
        self.state = match (part, self.state) {
            (Part::Bang, _) => {
                self.before_bang = before;
                State::Bang
            }
            (Part::Important, State::Bang) => State::Important,
            (Part::Important | Part::Other, _) => State::Open,
        };
    }
}

impl<'i> DeclarationParser<'i> for Body {
    type Declaration = Item;
    type Error = ();

    fn parse_value(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i>,
        _: &ParserState,
    ) -> Result<Item, ParseError<()>> {
        read_value(&name, input)
            .map(Item::Declaration)
            .ok_or_else(ParseError::unexpected_token)
    }
}

impl<'i> AtRuleParser<'i> for Body {
    type Prelude = ();
    type AtRule = Item;
    type Error = ();

    fn parse_prelude(
        &mut self,
        _: CowRcStr<'i>,
        input: &mut Parser<'i>,
    ) -> Result<(), ParseError<()>> {
        drain(input);
        Ok(())
    }

    fn rule_without_block(&mut self, (): (), _: &ParserState) -> Result<Item, ()> {
        Ok(Item::Nested)
    }

    fn parse_block(
        &mut self,
        (): (),
        _: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<Item, ParseError<()>> {
        drain(input);
        Ok(Item::Nested)
    }
}

impl<'i> QualifiedRuleParser<'i> for Body {
    type Prelude = ();
    type QualifiedRule = Item;
    type Error = ();

    fn parse_prelude(&mut self, input: &mut Parser<'i>) -> Result<(), ParseError<()>> {
        drain(input);
        Ok(())
    }

    fn parse_block(
        &mut self,
        (): (),
        _: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<Item, ParseError<()>> {
        drain(input);
        Ok(Item::Nested)
    }
}

impl RuleBodyItemParser<'_, Item, ()> for Body {
    fn parse_declarations(&self) -> bool {
        true
    }

    fn parse_qualified(&self) -> bool {
        true
    }
}
