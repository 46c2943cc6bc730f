//! Describes the machine by what matters for the numbers, and by nothing that identifies it.

use std::fs;

use anyhow::{Context as _, Result};

pub(super) fn describe() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = field(&cpuinfo, "model name").unwrap_or("unknown processor");
    let memory_kib: u64 = field(&meminfo, "MemTotal").and_then(kib).unwrap_or(0);
    format!(
        "{model}, {cores} cores, {} GiB memory",
        memory_kib.div_ceil(1024 * 1024)
    )
}

/// The resident memory of a process.
pub(super) fn resident_mb(process: u32) -> Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let resident = field(&status, "VmRSS").and_then(kib);
    let resident = resident.context("the process shows no resident memory")?;
    #[expect(
        clippy::cast_precision_loss,
        reason = "memory in KiB is far below 2^52"
    )]
    Ok(resident as f64 * 1024.0 / 1e6)
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

fn kib(value: &str) -> Option<u64> {
    value.split_whitespace().next()?.parse().ok()
}
