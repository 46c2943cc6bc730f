//! The time from starting the process to its first 200, and its memory when idle.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::{Bed, Met, Row, Section, Target, machine};

const RUNS: usize = 20;
const START_TARGET_MS: f64 = 200.0;
const RESIDENT_TARGET_MB: f64 = 40.0;
const IDLE: Duration = Duration::from_secs(2);
const START_LIMIT: Duration = Duration::from_secs(30);

pub(super) fn measure(bed: &Bed) -> Result<Section> {
    let folder = tempfile::tempdir()?;
    set_up(&bed.program, folder.path())?;
    let product = |port: u16| {
        let mut command = Command::new(&bed.program);
        command
            .arg("serve")
            .arg("--data")
            .arg(folder.path())
            .args(["--listen", &format!("127.0.0.1:{port}")]);
        command
    };
    let ourselves = std::env::current_exe()?;
    let baseline = |port: u16| {
        let mut command = Command::new(&ourselves);
        command.args(["baseline-server", &port.to_string()]);
        command
    };
    let (mut product_ms, mut baseline_ms) = (Vec::new(), Vec::new());
    // Alternating, so that other load on the machine affects both.
    for _ in 0..RUNS {
        product_ms.push(Server::start(product)?.stop()?);
        baseline_ms.push(Server::start(baseline)?.stop()?);
    }
    let (product_mb, baseline_mb) = (idle_mb(product)?, idle_mb(baseline)?);
    let p50 = percentile(&mut product_ms, 50);
    let p95 = percentile(&mut product_ms, 95);
    let baseline_p50 = percentile(&mut baseline_ms, 50);
    let baseline_p95 = percentile(&mut baseline_ms, 95);
    Ok(Section {
        method: format!(
            "Release binary, SQLite, a data folder that is set up. From starting the process to the first 200 of `/healthz`, \
             {RUNS} runs, files in the page cache; resident memory after {} s without requests. The baseline is a bare \
             listener on the standard library, started the same way.",
            IDLE.as_secs()
        ),
        rows: vec![
            row("start, p50", (p50, baseline_p50), "ms", None),
            row(
                "start, p95",
                (p95, baseline_p95),
                "ms",
                Some(START_TARGET_MS),
            ),
            row(
                "idle resident memory",
                (product_mb, baseline_mb),
                "MB",
                Some(RESIDENT_TARGET_MB),
            ),
        ],
    })
}

fn row(measure: &str, (product, baseline): (f64, f64), unit: &str, limit: Option<f64>) -> Row {
    Row {
        measure: measure.to_owned(),
        product: format!("{product:.1} {unit}"),
        baseline: format!("{baseline:.1} {unit}"),
        ratio: format!("{:.1}", product / baseline),
        target: limit.map(|limit| Target {
            text: format!("under {limit:.0} {unit}"),
            met: if product < limit { Met::Yes } else { Met::No },
        }),
    }
}

pub(super) fn set_up(program: &Path, data: &Path) -> Result<()> {
    let mut setup = Command::new(program)
        .args([
            "setup",
            // The page contains only what a benchmark adds to it.
            "--empty",
            "--email",
            "owner@example.com",
            "--password-stdin",
            "--data",
        ])
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .with_context(|| format!("{} does not run", program.display()))?;
    setup
        .stdin
        .take()
        .context("it is piped")?
        .write_all(b"a long enough password for a bench\n")?;
    let status = setup.wait()?;
    ensure!(status.success(), "`sitewright setup` failed ({status})");
    Ok(())
}

fn idle_mb(command: impl Fn(u16) -> Command) -> Result<f64> {
    let server = Server::start(command)?;
    std::thread::sleep(IDLE);
    let resident = machine::resident_mb(server.child.id())?;
    server.stop()?;
    Ok(resident)
}

/// A server that has answered once.
struct Server {
    child: Child,
    start_ms: f64,
}

impl Server {
    fn start(command: impl Fn(u16) -> Command) -> Result<Self> {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
            .local_addr()?
            .port();
        let mut command = command(port);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let started = Instant::now();
        let mut child = command.spawn()?;
        while !is_healthy(port) {
            if let Some(status) = child.try_wait()? {
                bail!("the server ended before it answered ({status}): {command:?}");
            }
            if started.elapsed() > START_LIMIT {
                child.kill()?;
                bail!(
                    "the server did not answer within {} s: {command:?}",
                    START_LIMIT.as_secs()
                );
            }
            std::thread::sleep(Duration::from_micros(500));
        }
        Ok(Self {
            child,
            start_ms: started.elapsed().as_secs_f64() * 1e3,
        })
    }

    /// Stops it as an operator would, so that the next start finds a clean folder, and returns how long the start took.
    fn stop(mut self) -> Result<f64> {
        let asked = Command::new("kill")
            .arg(self.child.id().to_string())
            .status()?;
        ensure!(asked.success(), "the server was gone before it was stopped");
        self.child.wait()?;
        Ok(self.start_ms)
    }
}

fn is_healthy(port: u16) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        connection.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(
            connection,
            "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n\r\n"
        )?;
        let mut status = [0; 12];
        connection.read_exact(&mut status)?;
        Ok(&status == b"HTTP/1.1 200")
    };
    ask().unwrap_or(false)
}

/// The smallest value that at least this share of the runs did not exceed.
fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() * percent).div_ceil(100).max(1) - 1]
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn percentiles_are_values_that_were_measured() {
        let mut values: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(percentile(&mut values, 50), 10.0);
        assert_eq!(percentile(&mut values, 95), 19.0);
        assert_eq!(percentile(&mut [7.0], 95), 7.0);
    }
}
