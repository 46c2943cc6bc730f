//! Limits on the text of policies, checked before Cedar parses it, and the stack on which Cedar then works.
//!
//! Cedar parses, validates, evaluates and drops expressions recursively. A stack overflow aborts the process and cannot be
//! caught. So the depth of every expression is bounded here, by a scan that does not recurse, and [`on_deep_stack`] provides the
//! stack that the deepest expression within the bounds needs.
//!
//! The scan knows Cedar's tokens but not its grammar. It may overcount but never undercounts: each level of an expression takes
//! at least one bracket or one operator, and no expression continues beyond a `;`.

use super::language::PolicyProblem;

/// The longest text of policies.
pub(super) const TEXT_BYTES_MAX: usize = 256 * 1024;
/// The maximum number of policies in a text.
pub(super) const POLICIES_MAX: usize = 1_000;
/// How deep brackets may be nested.
pub(super) const DEPTH_MAX: usize = 32;
/// How many operators a policy may have. Brackets, dots and `if` count, because each may add a level.
pub(super) const OPERATORS_MAX: usize = 500;
/// How many operators all policies of a text may have together, which bounds the time of a judgement. Commas count here too: a long
/// list is not deeper, but each value takes time, and Cedar collects an error for each wrong one.
pub(super) const OPERATORS_IN_TEXT_MAX: usize = 20_000;
/// How many times a policy may use `x is T in y`. Cedar expands that to `x is T && x in y`, so each one nested in an `x` doubles the
/// time for the whole expression.
pub(super) const IS_IN_MAX: usize = 4;

/// The stack that Cedar works on. Measured with Cedar 4.14 on x86-64: evaluation takes up to 60 KiB per operator in a debug build
/// and 6 KiB in a release build, parsing up to 65 and 17 KiB per bracket. So the deepest policies within the limits need about
/// 30 MiB in a debug build and 3 MiB in a release build.
const STACK_BYTES: usize = 64 * 1024 * 1024;

/// Runs work on expressions with enough stack for the deepest one within the limits.
///
/// The work stays on the calling thread, so this can be used in async code, and the pages of the stack cost nothing until they are
/// used. A separate thread would have to be started and joined for each judgement.
pub(super) fn on_deep_stack<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK_BYTES, STACK_BYTES, work)
}

/// Refuses a text that is too long, or whose policies are too many, too large or too deep.
pub(super) fn check(text: &str) -> Result<(), PolicyProblem> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(PolicyProblem::new(format!(
            "the text is longer than {TEXT_BYTES_MAX} bytes: use fewer or shorter policies"
        )));
    }
    let bytes = text.as_bytes();
    let mut size = Size::default();
    let mut at = 0;
    while let Some((token, length)) = bytes.get(at..).and_then(first_token) {
        size.add(token).map_err(|excess| {
            let before = bytes.iter().take(at);
            PolicyProblem {
                line: Some(before.filter(|byte| **byte == b'\n').count() + 1),
                ..PolicyProblem::new(excess.to_string())
            }
        })?;
        at += length;
    }
    Ok(())
}

/// A limit that a text exceeds, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Excess {
    #[error("there are more than {POLICIES_MAX} policies: use fewer")]
    Policies,
    #[error(
        "brackets are nested more than {DEPTH_MAX} deep: split the condition into several policies"
    )]
    Depth,
    #[error(
        "the policy has more than {OPERATORS_MAX} operators and brackets: split it into several policies, or ask \
         `[\"a\", \"b\"].contains(context.tool)` instead of comparing with one value after the other"
    )]
    Operators,
    #[error(
        "the policies have more than {OPERATORS_IN_TEXT_MAX} operators, brackets and commas together: use fewer or shorter policies"
    )]
    OperatorsInText,
    #[error(
        "the policy asks `is … in …` more than {IS_IN_MAX} times: split it into several policies, or ask `==`"
    )]
    IsIn,
}

/// The counts so far.
#[derive(Debug, Default)]
struct Size {
    /// The brackets that would close the open ones. A mismatched bracket closes none, so that a malformed text never counts as less
    /// deep than Cedar may parse it.
    open: Vec<u8>,
    operators: usize,
    operators_in_text: usize,
    policies: usize,
    /// How many `is` and how many `in` the policy has; the smaller number bounds how many `is … in` there are.
    is: usize,
    r#in: usize,
}

impl Size {
    fn add(&mut self, token: Token) -> Result<(), Excess> {
        match token {
            Token::Other => {}
            Token::Comma => self.operators_in_text += 1,
            Token::Close(bracket) => {
                if self.open.last() == Some(&bracket) {
                    self.open.pop();
                }
            }
            Token::End => {
                *self = Self {
                    operators_in_text: self.operators_in_text,
                    policies: self.policies + 1,
                    ..Self::default()
                };
            }
            Token::Open { closed_by } => {
                self.open.push(closed_by);
                self.count_operator();
            }
            Token::Is => {
                self.is += 1;
                self.count_operator();
            }
            Token::In => {
                self.r#in += 1;
                self.count_operator();
            }
            Token::Operator => self.count_operator(),
        }
        let counts = [
            (self.policies, POLICIES_MAX, Excess::Policies),
            (self.open.len(), DEPTH_MAX, Excess::Depth),
            (self.is.min(self.r#in), IS_IN_MAX, Excess::IsIn),
            (self.operators, OPERATORS_MAX, Excess::Operators),
            (
                self.operators_in_text,
                OPERATORS_IN_TEXT_MAX,
                Excess::OperatorsInText,
            ),
        ];
        match counts.into_iter().find(|(count, max, _)| count > max) {
            Some((_, _, excess)) => Err(excess),
            None => Ok(()),
        }
    }

    fn count_operator(&mut self) {
        self.operators += 1;
        self.operators_in_text += 1;
    }
}

/// A token of Cedar, as far as the limits distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Open {
        closed_by: u8,
    },
    Close(u8),
    Is,
    In,
    Comma,
    Operator,
    /// The `;` after a policy.
    End,
    /// Adds no level: names, literals, separators, comments and white space.
    Other,
}

/// The first token and its length; `None` at the end of the text.
fn first_token(bytes: &[u8]) -> Option<(Token, usize)> {
    let first = *bytes.first()?;
    let second = bytes.get(1).copied();
    let open = |closed_by| (Token::Open { closed_by }, 1);
    Some(match first {
        b'"' => (Token::Other, string_length(bytes)),
        // A comment ends at a line feed or a carriage return, as it does for Cedar.
        b'/' if second == Some(b'/') => {
            let length = run_length(bytes, |byte| !b"\n\r".contains(&byte));
            (Token::Other, length)
        }
        b'(' => open(b')'),
        b'[' => open(b']'),
        b'{' => open(b'}'),
        b')' | b']' | b'}' => (Token::Close(first), 1),
        b',' => (Token::Comma, 1),
        b';' => (Token::End, 1),
        b'|' | b'&' if second == Some(first) => (Token::Operator, 2),
        b'=' | b'!' | b'<' | b'>' if second == Some(b'=') => (Token::Operator, 2),
        b'|' | b'&' | b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'%' | b'.' => {
            (Token::Operator, 1)
        }
        b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
            let length = run_length(bytes, |byte| byte == b'_' || byte.is_ascii_alphanumeric());
            let token = match bytes.get(..length) {
                Some(b"is") => Token::Is,
                Some(b"in") => Token::In,
                Some(b"if" | b"has" | b"like") => Token::Operator,
                _ => Token::Other,
            };
            (token, length)
        }
        _ => (Token::Other, 1),
    })
}

fn run_length(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|byte| belongs(**byte)).count()
}

/// The length of the string that begins here. An unterminated one extends to the end of the text, and Cedar refuses it.
fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}
