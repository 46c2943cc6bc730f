//! A process that dies at a stage, which is as sudden as being killed.

use std::sync::atomic::{AtomicUsize, Ordering};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Aborts the process at an event of one of the targets.
pub struct AbortAt {
    targets: &'static [&'static str],
    moment: Moment,
}

enum Moment {
    /// The event has this `stage`.
    Stage(String),
    /// So many events are still to come, this one included.
    Count(AtomicUsize),
}

impl AbortAt {
    /// Aborts at the first event with this `stage`. The process must have no other listener.
    pub fn stage(targets: &'static [&'static str], stage: String) {
        Self::install(targets, Moment::Stage(stage));
    }

    /// Aborts at the n-th event. The process must have no other listener.
    pub fn count(targets: &'static [&'static str], count: usize) {
        Self::install(targets, Moment::Count(AtomicUsize::new(count)));
    }

    fn install(targets: &'static [&'static str], moment: Moment) {
        let listener = Self { targets, moment };
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
        match &self.moment {
            Moment::Stage(stage) => event.record(&mut StageMatch(stage)),
            Moment::Count(left) => {
                if left.fetch_sub(1, Ordering::SeqCst) == 1 {
                    std::process::abort();
                }
            }
        }
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
