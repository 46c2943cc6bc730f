//! Whole streams, split and damaged in every way.

use proptest::prelude::*;

use super::{RequestInfo, StreamEvent};
use crate::provider::ProviderId;

/// A stream of each format with all features: reasoning, non-ASCII text, parallel calls, keep-alives, CRLF.
fn recorded(provider: ProviderId) -> &'static [u8] {
    match provider {
        ProviderId::Anthropic => include_bytes!("streams/messages.sse"),
        ProviderId::OpenAi => include_bytes!("streams/responses.sse"),
        ProviderId::OpenRouter => include_bytes!("streams/openrouter.sse"),
        ProviderId::Ollama => include_bytes!("streams/ollama.sse"),
        ProviderId::Venice => include_bytes!("streams/venice.sse"),
        ProviderId::Offline => unreachable!("it has no wire"),
    }
}

fn any_provider() -> impl Strategy<Value = ProviderId> {
    prop::sample::select(ProviderId::ALL.to_vec())
}

#[test]
fn a_recorded_stream_of_each_provider_is_read_to_its_end() {
    for provider in ProviderId::ALL {
        let events = RequestInfo::new(provider).read(&[recorded(provider)]);
        insta::assert_debug_snapshot!(format!("recorded_{provider}"), events);
    }
}

#[test]
fn every_single_cut_gives_the_same_events() {
    for provider in ProviderId::ALL {
        let (asked, bytes) = (RequestInfo::new(provider), recorded(provider));
        let whole = asked.read(&[bytes]);
        for at in 0..bytes.len() {
            assert_eq!(
                asked.read(&[&bytes[..at], &bytes[at..]]),
                whole,
                "{provider} at {at}"
            );
        }
    }
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_events(
        provider in any_provider(),
        sizes in prop::collection::vec(1_usize..400, 1..60),
    ) {
        let (asked, bytes) = (RequestInfo::new(provider), recorded(provider));
        let mut pieces = Vec::new();
        let mut rest = bytes;
        for size in sizes.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, more) = rest.split_at((*size).min(rest.len()));
            pieces.push(piece);
            rest = more;
        }
        prop_assert_eq!(asked.read(&pieces), asked.read(&[bytes]));
    }

    #[test]
    fn random_damage_ends_the_stream_once_and_never_panics(
        provider in any_provider(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = recorded(provider).to_vec();
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.truncate(cut.index(bytes.len()));
        let events = RequestInfo::new(provider).read(&[&bytes]);
        let ends = events.iter().filter(|event| matches!(event, StreamEvent::Ended(_) | StreamEvent::Failed(_)));
        prop_assert_eq!(ends.count(), 1);
        prop_assert!(matches!(events.last(), Some(StreamEvent::Ended(_) | StreamEvent::Failed(_))));
    }
}
