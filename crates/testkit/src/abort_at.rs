//! A process that dies at a stage, which is as sudden as being killed.

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Aborts the process when an event of one of the targets has this `stage`.
pub struct AbortAt {
    targets: &'static [&'static str],
    stage: String,
}

impl AbortAt {
    /// Installs itself as the listener of the process, which must have no other.
    pub fn install(targets: &'static [&'static str], stage: String) {
        let listener = Self { targets, stage };
        tracing::subscriber::set_global_default(listener).expect("one listener");
    }
}

impl Subscriber for AbortAt {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.targets.contains(&metadata.target())
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut StageMatch(&self.stage));
    }
}

struct StageMatch<'a>(&'a str);

impl Visit for StageMatch<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "stage" && value == self.0 {
            std::process::abort();
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}
