//! Steps with visible progress: a line when they start, one at intervals, and one when they end.

mod limit;

use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::arguments::Output;
use crate::paths::Paths;

/// A step that takes longer is assumed to hang. CI allows 90 minutes for all of them.
const LIMIT: Duration = Duration::from_secs(60 * 60);
const HEARTBEAT: Duration = Duration::from_secs(20);
/// How much of a failing step's output is repeated on the screen; the rest is in its log.
const SHOWN_LINES: usize = 400;

/// Runs steps and reports on them.
#[derive(Debug)]
pub(crate) struct Progress {
    logs: PathBuf,
    output: Output,
    limit: Duration,
}

/// How a step's program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) log: PathBuf,
}

impl Progress {
    pub(crate) fn new(paths: &Paths, output: Output) -> Result<Self> {
        let logs = paths.logs();
        fs::create_dir_all(&logs)
            .with_context(|| format!("could not create {}", logs.display()))?;
        Ok(Self {
            logs,
            output,
            limit: LIMIT,
        })
    }

    /// The same progress, with another time limit for each program.
    pub(crate) fn limited(&self, limit: Duration) -> Self {
        Self {
            logs: self.logs.clone(),
            output: self.output,
            limit,
        }
    }

    /// Runs a piece of work under a name and reports how long it took.
    pub(crate) fn step<T>(&self, name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let started = Instant::now();
        say(&format!("   {name} …"));
        let heartbeat = Heartbeat::start(name);
        let result = work();
        heartbeat.stop();
        let mark = if result.is_ok() { "ok" } else { "FAILED" };
        say(&format!(
            "   {name}: {mark} ({})",
            seconds(started.elapsed())
        ));
        result
    }

    /// Runs a program as a step; its output is shown when it fails.
    pub(crate) fn program(&self, name: &str, command: &mut Command) -> Result<()> {
        self.step(name, || self.quietly(name, command))
    }

    /// Runs a program within a step; its failure is the caller's failure.
    pub(crate) fn quietly(&self, name: &str, command: &mut Command) -> Result<()> {
        let ended = self.run(name, command)?;
        if ended.status.success() {
            return Ok(());
        }
        if self.output == Output::WhenFailing {
            show_end_of(&ended.log)?;
        }
        bail!(
            "{name} failed ({}); the whole output is in {}",
            ended.status,
            ended.log.display()
        );
    }

    /// Runs a program to its end with its output in a log (and on the screen if requested).
    pub(crate) fn run(&self, name: &str, command: &mut Command) -> Result<Ended> {
        let log = self.logs.join(format!(
            "{}.log",
            name.replace(|c: char| !c.is_alphanumeric(), "-")
        ));
        let file =
            File::create(&log).with_context(|| format!("could not write {}", log.display()))?;
        let program = command.get_program().to_string_lossy().into_owned();
        command
            .stdin(Stdio::null())
            .stdout(file.try_clone()?)
            .stderr(file);
        let mut child = command
            .spawn()
            .with_context(|| format!("{program} does not run"))?;
        let follower = (self.output == Output::Always).then(|| Follower::start(log.clone()));
        let status = limit::wait(&mut child, self.limit);
        if let Some(follower) = follower {
            follower.stop();
        }
        let status =
            status.with_context(|| format!("{name}, whose output is in {}", log.display()))?;
        Ok(Ended { status, log })
    }

    /// Repeats a failing program's output unless it is already on the screen.
    pub(crate) fn show(&self, ended: &Ended) -> Result<()> {
        if self.output == Output::WhenFailing {
            show_end_of(&ended.log)?;
        }
        Ok(())
    }
}

/// Prints one line immediately, also when standard output is a pipe.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    // If the reader has closed the pipe, the work continues.
    writeln!(out, "{line}").and_then(|()| out.flush()).ok();
}

pub(crate) fn seconds(elapsed: Duration) -> String {
    let tenths = elapsed.as_millis() / 100;
    if tenths < 600 {
        format!("{}.{} s", tenths / 10, tenths % 10)
    } else {
        format!("{} min {:02} s", tenths / 600, tenths / 10 % 60)
    }
}

fn show_end_of(log: &PathBuf) -> Result<()> {
    let bytes = fs::read(log).with_context(|| format!("could not read {}", log.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    for line in &lines[lines.len().saturating_sub(SHOWN_LINES)..] {
        say(&format!("   | {line}"));
    }
    Ok(())
}

/// Reports at intervals that a step is still running.
struct Heartbeat {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Heartbeat {
    fn start(name: &str) -> Self {
        let (stop, stopped) = channel();
        let name = name.to_owned();
        let thread = std::thread::spawn(move || {
            let started = Instant::now();
            while let Err(RecvTimeoutError::Timeout) = stopped.recv_timeout(HEARTBEAT) {
                say(&format!(
                    "   {name} … {} so far",
                    seconds(started.elapsed())
                ));
            }
        });
        Self { stop, thread }
    }

    fn stop(self) {
        drop(self.stop);
        self.thread.join().expect("the heartbeat does not panic");
    }
}

/// Copies a growing log to the screen.
struct Follower {
    stop: Sender<()>,
    thread: JoinHandle<()>,
}

impl Follower {
    fn start(log: PathBuf) -> Self {
        let (stop, stopped) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut file = File::open(&log).expect("the log was created just now");
            loop {
                let ending = stopped.recv_timeout(Duration::from_millis(100))
                    == Err(RecvTimeoutError::Disconnected);
                std::io::copy(&mut file, &mut std::io::stdout().lock()).ok();
                if ending {
                    break;
                }
            }
        });
        Self { stop, thread }
    }

    fn stop(self) {
        drop(self.stop);
        self.thread.join().expect("copying does not panic");
    }
}
