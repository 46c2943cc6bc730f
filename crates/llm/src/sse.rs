//! A parser of server-sent events, for all providers.
//!
//! Chunks may end anywhere: inside a character, between CR and LF, inside a field name. Only `event` and `data` are used. Comments are
//! skipped; the reader of the bytes counts them as keep-alives. An event without its closing empty line is discarded.

/// A server-sent event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SseEvent {
    /// The `event` field, or empty if there is none.
    pub(crate) name: String,
    /// The `data` fields, joined with line breaks.
    pub(crate) data: String,
}

/// An event exceeds the size limit of the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {limit} bytes")]
pub(crate) struct EventTooLarge {
    limit: usize,
}

/// Events with encrypted reasoning or pictures have megabytes, so the limit is generous.
const EVENT_BYTES_MAX: usize = 16 * 1024 * 1024;

/// An incremental parser: bytes in, events out.
#[derive(Debug)]
pub(crate) struct SseParser {
    /// The bytes of the incomplete line.
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    /// The last byte was a CR, which ended a line; an LF right after it is part of the same line end.
    after_cr: bool,
    first_line: bool,
    limit: usize,
}

impl Default for SseParser {
    fn default() -> Self {
        Self::with_limit(EVENT_BYTES_MAX)
    }
}

impl SseParser {
    /// Creates a parser that fails on events of more than `limit` bytes.
    pub(crate) fn with_limit(limit: usize) -> Self {
        Self {
            line: Vec::new(),
            event: SseEvent::default(),
            has_data: false,
            after_cr: false,
            first_line: true,
            limit,
        }
    }

    /// Parses more bytes and appends the events that they complete.
    pub(crate) fn push(
        &mut self,
        bytes: &[u8],
        out: &mut Vec<SseEvent>,
    ) -> Result<(), EventTooLarge> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.keep(rest)?;
                break;
            };
            self.keep(&rest[..end])?;
            self.after_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            out.extend(self.line());
        }
        Ok(())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), EventTooLarge> {
        if self.line.len() + self.event.data.len() + bytes.len() > self.limit {
            return Err(EventTooLarge { limit: self.limit });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn line(&mut self) -> Option<SseEvent> {
        let bytes = std::mem::take(&mut self.line);
        let mut line: &[u8] = &bytes;
        if std::mem::take(&mut self.first_line) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(colon) => {
                let value = &line[colon + 1..];
                (&line[..colon], value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &[][..]),
        };
        match field {
            b"data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(&String::from_utf8_lossy(value));
            }
            b"event" => self.event.name = String::from_utf8_lossy(value).into_owned(),
            // Comments, `id`, `retry` and unknown fields.
            _ => (),
        }
        // Reuse the allocation, because most lines have a similar length.
        self.line = bytes;
        self.line.clear();
        None
    }
}

#[cfg(test)]
mod tests {
    use super::{SseEvent, SseParser};
    use proptest::prelude::*;

    fn parse(pieces: &[&[u8]]) -> Vec<(String, String)> {
        let (mut parser, mut events) = (SseParser::default(), Vec::new());
        for piece in pieces {
            parser.push(piece, &mut events).unwrap();
        }
        let pair = |SseEvent { name, data }| (name, data);
        events.into_iter().map(pair).collect()
    }

    fn check(text: &str, expected: &[(&str, &str)]) {
        let own: Vec<_> = expected
            .iter()
            .map(|(name, data)| ((*name).to_owned(), (*data).to_owned()))
            .collect();
        assert_eq!(parse(&[text.as_bytes()]), own, "{text:?}");
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(parse(&bytes), own, "{text:?} byte by byte");
    }

    #[test]
    fn k02_line_ends_bom_comments_and_fields_without_space() {
        check("data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]);
        check("data: a\r\n\r\ndata:b\r\n\r\n", &[("", "a"), ("", "b")]);
        check("data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]);
        check("\u{feff}event: x\ndata: a\n\n", &[("x", "a")]);
        check(
            ": OPENROUTER PROCESSING\n\ndata:  two spaces\n\n",
            &[("", " two spaces")],
        );
        check("data: a\ndata: b\ndata\n\n", &[("", "a\nb\n")]);
        check("event: only a name\n\n", &[]);
        check("id: 1\nretry: 5\nodd\ndata: a\n\n", &[("", "a")]);
    }

    #[test]
    fn k01_a_character_split_between_chunks_arrives_whole() {
        let text = "data: 4 °C — snø ☃ 😀\n\n".as_bytes();
        for cut in 0..text.len() {
            assert_eq!(
                parse(&[&text[..cut], &text[cut..]]),
                [(String::new(), "4 °C — snø ☃ 😀".to_owned())]
            );
        }
    }

    #[test]
    fn k02_a_large_event_is_read_and_one_past_the_limit_is_refused() {
        let large = format!("data: {}\n\n", "x".repeat(300_000));
        assert_eq!(parse(&[large.as_bytes()])[0].1.len(), 300_000);
        let mut parser = SseParser::with_limit(1000);
        let refused = parser.push(large.as_bytes(), &mut Vec::new()).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "an event of the stream is larger than 1000 bytes"
        );
    }

    #[test]
    fn an_event_without_its_empty_line_is_none() {
        check("data: a\n\ndata: b\n", &[("", "a")]);
        check("data: a\n\ndata: b", &[("", "a")]);
    }

    proptest! {
        #[test]
        fn any_bytes_cut_anywhere_give_the_same_events(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), Just(b':'), Just(b'd'), any::<u8>()], 0..200),
            size in 1_usize..20,
        ) {
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(parse(&pieces), parse(&[&bytes]));
        }
    }
}
