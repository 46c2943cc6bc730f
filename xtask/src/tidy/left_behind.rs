//! What must not be committed: tests that do not run, tests that keep others from running, banners.

use super::Broken;
use super::files::SourceFile;
use super::rust_text::RustText;

pub(super) fn check(file: &SourceFile) -> Vec<Broken> {
    if file.is_rust() {
        rust(file)
    } else if file.is_script() {
        script(file)
    } else {
        Vec::new()
    }
}

fn rust(file: &SourceFile) -> Vec<Broken> {
    let text = RustText::new(&file.text);
    let mut broken = Vec::new();
    for (index, line) in text.code.lines().enumerate() {
        if line.contains("#[ignore") {
            broken.push(Broken::at(
                file,
                index + 1,
                "an ignored test proves nothing: fix it, or move it to `cargo xtask soak`",
            ));
        }
        if line.contains("#[should_panic") {
            broken.push(Broken::at(
                file,
                index + 1,
                "`should_panic` passes on any panic: assert on an error value",
            ));
        }
    }
    let banners = text
        .comments
        .iter()
        .filter(|(_, comment)| is_banner(comment));
    broken.extend(banners.map(|(line, _)| Broken::at(file, *line, BANNER_RULE)));
    broken
}

fn script(file: &SourceFile) -> Vec<Broken> {
    let mut broken = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let runners = ["test", "it", "describe", "suite"];
        let marks = |mark: &str| {
            runners
                .iter()
                .any(|runner| line.contains(&format!("{runner}{mark}")))
        };
        if marks(".only(") {
            broken.push(Broken::at(
                file,
                index + 1,
                "`.only` keeps the other tests from running",
            ));
        }
        if marks(".skip(") || marks(".todo(") {
            broken.push(Broken::at(
                file,
                index + 1,
                "a skipped test proves nothing: fix it or delete it",
            ));
        }
        if line.trim_start().starts_with("//") && is_banner(line.trim_start()) {
            broken.push(Broken::at(file, index + 1, BANNER_RULE));
        }
    }
    broken
}

const BANNER_RULE: &str = "a banner comment divides a file that should be two";

/// A comment that begins with a ruler.
fn is_banner(comment: &str) -> bool {
    let body = comment.trim_start_matches(['/', '!']).trim_start();
    let ruler = |character: char| body.chars().take_while(|found| *found == character).count() >= 4;
    comment.starts_with("//") && ['=', '-', '*', '#', '~', '─', '━'].into_iter().any(ruler)
}

#[cfg(test)]
mod tests {
    use super::super::files::SourceFile;
    use super::check;

    fn check_lines(path: &str, text: &str, expected: &[usize]) {
        let lines: Vec<String> = expected
            .iter()
            .map(|line| format!("{path}:{line}"))
            .collect();
        let broken: Vec<String> = check(&SourceFile::new(path, text))
            .into_iter()
            .map(|broken| broken.place)
            .collect();
        assert_eq!(broken, lines);
    }

    #[test]
    fn tests_that_do_not_run_and_banners_are_found() {
        check_lines(
            "a.rs",
            "#[ignore = \"slow\"]\n#[test]\nfn a() {}\n// ==== Parsing ====\n//! ----",
            &[1, 4, 5],
        );
        check_lines(
            "a.test.ts",
            "test.only('a', f);\n  it.skip(\"b\", f);\n// ----------\ndescribe('c', f);",
            &[1, 2, 3],
        );
    }

    #[test]
    fn text_about_them_is_not() {
        check_lines(
            "a.rs",
            "let a = \"#[ignore]\";\n// see `#[ignore]` and --- dashes\n/// | a |\n/// |---|",
            &[],
        );
        check_lines("a.ts", "list.skip(1); // -- short", &[]);
        check_lines("a.md", "// ======", &[]);
    }
}
