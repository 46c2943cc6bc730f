//! A limit for the length of files: one that has grown past it has more than one job.

use super::Broken;
use super::files::SourceFile;

const LINES_MAX: usize = 800;

pub(super) fn check(file: &SourceFile) -> Option<Broken> {
    let counted = file.is_rust() || file.path.ends_with(".ts") || file.path.ends_with(".tsx");
    let lines = file.text.lines().count();
    (counted && !is_exempt(&file.path) && lines > LINES_MAX).then(|| {
        Broken::new(
            &file.path,
            format!("has {lines} lines; {LINES_MAX} is the limit: split it by job"),
        )
    })
}

/// Tests and generated code have no limit.
fn is_exempt(path: &str) -> bool {
    let folder = |name: &str| path.split('/').any(|part| part == name);
    folder("tests")
        || folder("generated")
        || folder("e2e")
        || ["_tests.rs", "/tests.rs", ".test.ts", ".test.tsx"]
            .iter()
            .any(|end| path.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::super::files::SourceFile;
    use super::check;

    #[test]
    fn only_hand_written_code_is_measured() {
        let check = |path: &str, lines: usize| {
            check(&SourceFile::new(path, &"x\n".repeat(lines))).is_some()
        };
        assert!(!check("crates/a/src/lib.rs", 800));
        assert!(check("crates/a/src/lib.rs", 801));
        assert!(check("web/src/App.tsx", 801));
        assert!(!check("crates/a/tests/it/main.rs", 801));
        assert!(!check("crates/a/src/lib_tests.rs", 801));
        assert!(!check("web/src/generated/api.ts", 801));
        assert!(!check("docs/guide.md", 801));
    }
}
