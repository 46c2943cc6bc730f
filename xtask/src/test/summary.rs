//! What ran, with which result, and how long it took.

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::Result;
use sitewright_testkit::Missing;

use super::count::Count;
use super::failures::failures;
use crate::progress::{Progress, say, seconds};

/// How much of one step's failed tests the summary repeats; the rest is in the step's log.
const FAILURE_LINES_MAX: usize = 400;

/// Collects results; a failing step does not stop the ones after it.
pub(crate) struct Summary<'a> {
    progress: &'a Progress,
    lines: Vec<Line>,
    failures: Vec<FailedTests>,
    started: Instant,
}

/// The output of the tests that failed in a step.
struct FailedTests {
    step: String,
    output: Vec<String>,
    log: PathBuf,
}

struct Line {
    name: String,
    outcome: Outcome,
    elapsed: Duration,
}

enum Outcome {
    Passed(Option<Count>),
    Failed(Option<Count>),
    NotRun(String),
    /// A prerequisite is missing that was not left out on request.
    Missing(String),
}

impl<'a> Summary<'a> {
    pub(crate) fn new(progress: &'a Progress) -> Self {
        Self {
            progress,
            lines: Vec::new(),
            failures: Vec::new(),
            started: Instant::now(),
        }
    }

    pub(crate) fn progress(&self) -> &'a Progress {
        self.progress
    }

    /// Runs a step and returns whether it succeeded, for the steps that depend on it.
    pub(crate) fn step(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> bool {
        let started = Instant::now();
        let result = work();
        if let Err(error) = &result {
            say(&format!("   {name}: {error:#}"));
        }
        let outcome = if result.is_ok() {
            Outcome::Passed(None)
        } else {
            Outcome::Failed(None)
        };
        self.lines.push(Line {
            name: name.to_owned(),
            outcome,
            elapsed: started.elapsed(),
        });
        result.is_ok()
    }

    /// Runs a program and counts the tests it reports.
    pub(crate) fn program(&mut self, name: &str, command: &mut Command) {
        self.program_with(self.progress, name, command);
    }

    /// The same, with a separate progress for another time limit.
    pub(crate) fn program_with(&mut self, progress: &Progress, name: &str, command: &mut Command) {
        let started = Instant::now();
        let mut failed = None;
        let outcome = progress
            .step(name, || {
                let ended = progress.run(name, command)?;
                let bytes = std::fs::read(&ended.log)?;
                let printed = String::from_utf8_lossy(&bytes);
                let count = Count::read(&printed);
                if ended.status.success() {
                    return Ok(count);
                }
                failed = failures(&printed).map(|output| FailedTests {
                    step: name.to_owned(),
                    output,
                    log: ended.log.clone(),
                });
                if failed.is_none() {
                    progress.show(&ended)?;
                }
                Err(Failed { count }.into())
            })
            .map_or_else(
                |error| {
                    let count = error.downcast_ref::<Failed>().map(|failed| failed.count);
                    if count.is_none() {
                        say(&format!("   {name}: {error:#}"));
                    }
                    Outcome::Failed(count.flatten())
                },
                Outcome::Passed,
            );
        self.failures.extend(failed);
        self.lines.push(Line {
            name: name.to_owned(),
            outcome,
            elapsed: started.elapsed(),
        });
    }

    /// Records a missing prerequisite: a failure, unless it was left out on request.
    pub(crate) fn missing(&mut self, name: &str, missing: &Missing) {
        let outcome = match missing {
            Missing::LeftOut(_) => Outcome::NotRun(missing.to_string()),
            Missing::Absent { .. } => Outcome::Missing(missing.to_string()),
        };
        say(&format!("   NOT RUN: {name}: {missing}"));
        self.lines.push(Line {
            name: name.to_owned(),
            outcome,
            elapsed: Duration::ZERO,
        });
    }

    /// Records a step that was not run because one it depends on has already failed.
    pub(crate) fn skipped(&mut self, name: &str, reason: &str) {
        let outcome = Outcome::NotRun(reason.to_owned());
        self.lines.push(Line {
            name: name.to_owned(),
            outcome,
            elapsed: Duration::ZERO,
        });
    }

    /// Prints the output of failed tests, the table and, as the last line, the totals.
    pub(crate) fn finish(self) -> ExitCode {
        for failed in &self.failures {
            for line in failed.shown() {
                say(&line);
            }
        }
        say("");
        let width = self
            .lines
            .iter()
            .map(|line| line.name.chars().count())
            .max()
            .unwrap_or(0);
        for Line {
            name,
            outcome,
            elapsed,
        } in &self.lines
        {
            let tests =
                |count: &Option<Count>| count.map(|count| format!("  {count}")).unwrap_or_default();
            let result = match outcome {
                Outcome::Passed(count) => {
                    format!("passed   {:>12}{}", seconds(*elapsed), tests(count))
                }
                Outcome::Failed(count) => {
                    format!("FAILED   {:>12}{}", seconds(*elapsed), tests(count))
                }
                Outcome::NotRun(reason) => format!("NOT RUN  {reason}"),
                Outcome::Missing(reason) => format!("FAILED   {reason}"),
            };
            say(&format!("  {name:width$}  {result}"));
        }
        say(&format!(
            "  {:width$}  {:>21}",
            "in all",
            seconds(self.started.elapsed())
        ));
        say("");
        let total = total(&self.lines);
        say(&total.to_string());
        if total.failed == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}

impl FailedTests {
    fn shown(&self) -> Vec<String> {
        let mut lines = vec![String::new(), format!("Failed in {}", self.step)];
        let shown = self.output.iter().take(FAILURE_LINES_MAX);
        lines.extend(shown.map(|line| format!("   | {line}")));
        let rest = self.output.len().saturating_sub(FAILURE_LINES_MAX);
        if rest > 0 {
            let log = self.log.display();
            lines.push(format!("   … and {rest} more lines, in {log}"));
        }
        lines
    }
}

/// Counts tests where a step reports them, and otherwise the step as one.
fn total(lines: &[Line]) -> Count {
    lines.iter().fold(Count::default(), |total, line| {
        let more = match line.outcome {
            Outcome::Passed(count) => count.unwrap_or(Count {
                passed: 1,
                failed: 0,
            }),
            // A step can fail although all its tests pass, or before the first one; it must count as at least one failure.
            Outcome::Failed(Some(count)) => Count {
                failed: count.failed.max(1),
                ..count
            },
            Outcome::Failed(None) | Outcome::Missing(_) => Count {
                passed: 0,
                failed: 1,
            },
            Outcome::NotRun(_) => Count::default(),
        };
        total + more
    })
}

/// A program that ran and failed, with what it reported about its tests.
#[derive(Debug)]
struct Failed {
    count: Option<Count>,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("it failed")
    }
}

impl std::error::Error for Failed {}

#[cfg(test)]
mod tests {
    use super::{Count, Duration, FAILURE_LINES_MAX, FailedTests, Line, Outcome, PathBuf, total};

    fn check(outcomes: Vec<Outcome>, expected: &str) {
        let line = |outcome| Line {
            name: String::new(),
            outcome,
            elapsed: Duration::ZERO,
        };
        let lines: Vec<Line> = outcomes.into_iter().map(line).collect();
        assert_eq!(total(&lines).to_string(), expected);
    }

    #[test]
    fn a_failed_step_never_disappears_from_the_totals() {
        let seven = Some(Count {
            passed: 7,
            failed: 0,
        });
        check(
            vec![Outcome::Passed(seven), Outcome::Passed(None)],
            "8 passed, 0 failed",
        );
        check(
            vec![Outcome::Passed(seven), Outcome::Failed(None)],
            "7 passed, 1 failed",
        );
        check(vec![Outcome::Failed(seven)], "7 passed, 1 failed");
        check(
            vec![Outcome::Failed(Some(Count {
                passed: 2,
                failed: 3,
            }))],
            "2 passed, 3 failed",
        );
        check(vec![Outcome::NotRun(String::new())], "0 passed, 0 failed");
        check(vec![Outcome::Missing(String::new())], "0 passed, 1 failed");
    }
    #[test]
    fn the_output_of_failed_tests_is_shown_up_to_a_limit() {
        let shown = |lines: usize| {
            let failed = FailedTests {
                step: "Rust tests".to_owned(),
                output: (0..lines).map(|number| number.to_string()).collect(),
                log: PathBuf::from("logs/Rust-tests.log"),
            };
            failed.shown()
        };
        assert_eq!(shown(1), ["", "Failed in Rust tests", "   | 0"]);
        let cut = shown(FAILURE_LINES_MAX + 7);
        assert_eq!(cut.len(), 2 + FAILURE_LINES_MAX + 1);
        assert_eq!(
            cut.last().map(String::as_str),
            Some("   … and 7 more lines, in logs/Rust-tests.log")
        );
    }
}
