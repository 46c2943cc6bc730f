//! Reads how many tests passed and failed from the output of the runners: nextest, Cargo, Vitest and Node.

use std::fmt;
use std::ops::Add;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Count {
    /// `None` when the text reports no tests at all.
    ///
    /// Nextest repeats what the harness of a failed test printed, which contains a count of its own: where nextest reports a
    /// count, only that one is used.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let counts = || {
            text.lines()
                .filter_map(|line| in_line(&without_colour(line)))
        };
        let total = |runner| {
            let of_runner = counts().filter(move |(by, _)| *by == runner);
            of_runner.map(|(_, count)| count).reduce(Add::add)
        };
        total(Runner::Nextest).or_else(|| total(Runner::Other))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Runner {
    Nextest,
    Other,
}

impl Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            passed: self.passed + other.passed,
            failed: self.failed + other.failed,
        }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)
    }
}

fn in_line(line: &str) -> Option<(Runner, Count)> {
    let line = line.trim();
    // Node: one line each, "ℹ pass 12".
    if let Some(rest) = line.strip_prefix("ℹ ").or_else(|| line.strip_prefix("# ")) {
        let (word, number) = rest.split_once(' ')?;
        let number = number.trim().parse().ok()?;
        let (passed, failed) = match word {
            "pass" => (number, 0),
            "fail" | "cancelled" => (0, number),
            _ => return None,
        };
        return Some((Runner::Other, Count { passed, failed }));
    }
    let nextest = line.starts_with("Summary [") && line.contains("run:");
    let cargo = line.starts_with("test result:");
    let vitest = line
        .strip_prefix("Tests")
        .is_some_and(|rest| rest.starts_with(' '));
    if !nextest && !cargo && !vitest {
        return None;
    }
    let words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let before = |names: &[&str]| {
        let counted = words.windows(2).filter(|pair| names.contains(&pair[1]));
        counted
            .filter_map(|pair| pair[0].parse::<u64>().ok())
            .reduce(Add::add)
    };
    let (passed, failed) = (before(&["passed"]), before(&["failed", "timed", "exec"]));
    passed.or(failed)?;
    let count = Count {
        passed: passed.unwrap_or(0),
        failed: failed.unwrap_or(0),
    };
    let runner = if nextest {
        Runner::Nextest
    } else {
        Runner::Other
    };
    Some((runner, count))
}

/// Terminal escape sequences end with a letter.
pub(super) fn without_colour(line: &str) -> String {
    let mut plain = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::Count;

    fn check(text: &str, expected: Option<(u64, u64)>) {
        assert_eq!(
            Count::read(text),
            expected.map(|(passed, failed)| Count { passed, failed })
        );
    }

    #[test]
    fn every_runner_is_understood() {
        check(
            "     Summary [   3.751s] 11 tests run: 11 passed, 0 skipped",
            Some((11, 0)),
        );
        check(
            "     Summary [   3.7s] 11 tests run: 8 passed (1 slow), 2 failed, 1 timed out, 4 skipped",
            Some((8, 3)),
        );
        check(
            "     Summary [   3.7s] 5/11 tests run: 4 passed, 1 failed, 0 skipped",
            Some((4, 1)),
        );
        check(
            "test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 2 failed; 0 ignored",
            Some((6, 2)),
        );
        check(
            "\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m12 passed\u{1b}[39m (12)",
            Some((12, 0)),
        );
        check(
            " Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 11 passed (12)",
            Some((11, 1)),
        );
        check(
            "ℹ tests 9\nℹ suites 0\nℹ pass 8\nℹ fail 1\nℹ cancelled 0\nℹ duration_ms 12.5",
            Some((8, 1)),
        );
    }

    #[test]
    fn a_failed_test_counts_once_although_nextest_repeats_its_output() {
        check(
            "     Summary [   0.2s] 4 tests run: 2 passed, 2 failed, 0 skipped\n        FAIL [   0.1s] (2/4) sample c\n  \
             stdout ───\n\n    running 1 test\n    test result: FAILED. 0 passed; 1 failed; 0 ignored\n        \
             FAIL [   0.1s] (3/4) sample b\n    test result: FAILED. 0 passed; 1 failed; 0 ignored\n",
            Some((2, 2)),
        );
    }

    #[test]
    fn other_text_counts_nothing() {
        check(
            "   Compiling tests v1.0.0\nTests are fine\n# heading 3",
            None,
        );
    }
}
