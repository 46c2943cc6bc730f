//! Finds the part about failed tests in a runner's output: nextest, Vitest, Node and Cargo.

use super::count::without_colour;

/// A runner prints its failures from one line to another, or to the end.
struct Section {
    first: fn(&str) -> bool,
    last: Option<fn(&str) -> bool>,
}

/// The order matters: nextest repeats what Cargo's own harness printed about each failed test.
const SECTIONS: [Section; 4] = [
    Section {
        first: |line| line.starts_with("Summary ["),
        last: None,
    },
    Section {
        first: |line| line.contains(" Failed Tests ") || line.contains(" Failed Suites "),
        last: Some(|line| line.starts_with("Test Files ")),
    },
    Section {
        first: |line| line == "✖ failing tests:",
        last: None,
    },
    Section {
        first: |line| line == "failures:",
        last: Some(|line| line.starts_with("test result: ")),
    },
];

/// The failed tests with their output; `None` when the runner does not say which failed, for example when a test did not compile.
pub(super) fn failures(log: &str) -> Option<Vec<String>> {
    let lines: Vec<String> = log.lines().map(without_colour).collect();
    SECTIONS.iter().find_map(|section| section.find_all(&lines))
}

impl Section {
    fn find_all(&self, lines: &[String]) -> Option<Vec<String>> {
        let mut found = Vec::new();
        let mut inside = false;
        for line in lines {
            inside |= (self.first)(line.trim());
            if inside {
                found.push(line.clone());
            }
            inside &= !self.last.is_some_and(|last| last(line.trim()));
        }
        (!found.is_empty()).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::failures;

    fn check(log: &str, expected: Option<&str>) {
        let found = failures(log).map(|lines| lines.join("\n"));
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn each_runner_tells_its_failures_somewhere_else() {
        check(
            "   PASS [ 0.1s] a\n  FAIL [ 0.1s] b\n   Summary [ 0.2s] 2 tests run: 1 passed, 1 failed\n  FAIL [ 0.1s] b\n    failures:\n    test result: FAILED. 0 passed; 1 failed\nerror: test run failed",
            Some(
                "   Summary [ 0.2s] 2 tests run: 1 passed, 1 failed\n  FAIL [ 0.1s] b\n    failures:\n    test result: FAILED. 0 passed; 1 failed\nerror: test run failed",
            ),
        );
        check(
            " ✓ a.test.ts\n\u{1b}[31m⎯⎯ Failed Tests 1 ⎯⎯\u{1b}[39m\n FAIL b.test.ts\n Test Files  1 failed\n Duration 1 s",
            Some("⎯⎯ Failed Tests 1 ⎯⎯\n FAIL b.test.ts\n Test Files  1 failed"),
        );
        check(
            "✔ a\n✖ b\nℹ fail 1\n✖ failing tests:\n✖ b\n  AssertionError",
            Some("✖ failing tests:\n✖ b\n  AssertionError"),
        );
        check(
            "test b ... FAILED\nfailures:\n---- b ----\nfailures:\n    b\ntest result: FAILED. 0 passed; 1 failed\nrunning 1 test\ntest c ... ok\ntest result: ok. 1 passed",
            Some(
                "failures:\n---- b ----\nfailures:\n    b\ntest result: FAILED. 0 passed; 1 failed",
            ),
        );
        check("error[E0308]: mismatched types", None);
    }
}
