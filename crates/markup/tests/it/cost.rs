//! What work costs, as a multiple of what a parser alone takes for ordinary text of the same length.
//!
//! Both are measured in one process, one right after the other, in processor time: a machine that is slow or busy is so for both.

use std::hint::black_box;

use sitewright_testkit::processor::timed;

use crate::html_tree;

/// Long enough to be measured, short enough to be measured often.
const SAMPLE_BYTES: usize = 512 * 1024;

/// Who reads the ordinary text.
#[derive(Clone, Copy)]
pub(crate) enum Parser {
    Html,
    Css,
    Json,
}

impl Parser {
    fn seconds_per_byte(self) -> f64 {
        let text = self.ordinary_text();
        let ((), spent) = timed(|| self.read(&text));
        spent.as_secs_f64() / text.len() as f64
    }

    fn ordinary_text(self) -> String {
        let repeated = |piece: &str| piece.repeat(SAMPLE_BYTES / piece.len());
        match self {
            Self::Html => repeated(
                "<section class=\"hero wide\"><h2 id=title>Fish &amp; chips</h2><p>Some words, and <a href=\"/more\">some more</a>.</p></section>\n",
            ),
            Self::Css => {
                repeated(".hero > .wide:hover { color: #123456; margin: 0 auto 1.5rem; }\n")
            }
            Self::Json => {
                let list = repeated(
                    "{ \"type\": \"node\", \"field\": \"text\", \"value\": [\"some words\", 12.5, null] },",
                );
                format!("[{list}0]")
            }
        }
    }

    fn read(self, text: &str) {
        match self {
            Self::Html => {
                black_box(html_tree::nodes(text));
            }
            Self::Css => read_blocks(&mut cssparser::Parser::new(text)),
            Self::Json => {
                let read = serde_json::from_str::<serde_json::Value>(text);
                drop(black_box(read));
            }
        }
    }
}

/// Does work on so many bytes, and says how many times as much it cost as reading as many bytes of ordinary text.
///
/// Short texts count as if they were as long as the sample, because a few microseconds cannot be compared.
pub(crate) fn times_as_much<T>(parser: Parser, bytes: usize, work: impl FnOnce() -> T) -> (T, f64) {
    let before = parser.seconds_per_byte();
    let (done, spent) = timed(work);
    // What disturbed one of the two is no reason to fail.
    let ordinary = before.max(parser.seconds_per_byte());
    let times = spent.as_secs_f64() / (ordinary * bytes.max(SAMPLE_BYTES) as f64);
    (done, times)
}

fn read_blocks(parser: &mut cssparser::Parser<'_>) {
    use cssparser::Token;
    while let Ok(token) = parser.next_including_whitespace_and_comments() {
        let is_block = matches!(
            black_box(token),
            Token::CurlyBracketBlock
                | Token::ParenthesisBlock
                | Token::SquareBracketBlock
                | Token::Function(_)
        );
        if is_block {
            let read: Result<(), cssparser::ParseError<()>> = parser.parse_nested_block(|parser| {
                read_blocks(parser);
                Ok(())
            });
            drop(black_box(read));
        }
    }
}
