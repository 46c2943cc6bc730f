//! Counters and timings in memory, for `/metrics`.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();

/// Starts recording. Idempotent.
pub(crate) fn install() {
    HANDLE.get_or_init(|| {
        let recorder = PrometheusBuilder::new().build_recorder();
        let handle = recorder.handle();
        if let Err(error) = metrics::set_global_recorder(recorder) {
            tracing::warn!(%error, "somebody else keeps the numbers");
        }
        handle
    });
}

/// The metrics in the Prometheus text format.
pub(crate) fn render() -> String {
    HANDLE
        .get()
        .map(PrometheusHandle::render)
        .unwrap_or_default()
}

/// Folds recent timings into summaries, so that they do not pile up between two scrapes.
pub(crate) fn fold() {
    if let Some(handle) = HANDLE.get() {
        handle.run_upkeep();
    }
}
