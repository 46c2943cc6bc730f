//! `docs/benchmarks.md`: one section per benchmark; a run replaces the sections it measured and leaves the others unchanged.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::{Met, Section, machine};

const HEAD: &str = "# Benchmarks\n\n\
    Written by `cargo xtask bench`. Ratios are against a raw baseline in the same run; absolute numbers hold for the machine\n\
    named in the section only.\n";

/// The sections by heading, in order.
pub(super) struct Page {
    sections: Vec<(String, String)>,
}

impl Page {
    pub(super) fn read(file: &Path) -> Self {
        Self::parse(&fs::read_to_string(file).unwrap_or_default())
    }

    pub(super) fn replace(&mut self, title: &str, section: &Section) {
        let text = render(section, &machine::describe());
        match self.sections.iter_mut().find(|(found, _)| found == title) {
            Some((_, found)) => *found = text,
            None => self.sections.push((title.to_owned(), text)),
        }
    }

    pub(super) fn write(&self, file: &Path) -> std::io::Result<()> {
        fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))?;
        fs::write(file, self.text())
    }

    fn parse(text: &str) -> Self {
        let sections = text.split("\n## ").skip(1).filter_map(|section| {
            let (title, body) = section.split_once('\n')?;
            Some((title.trim().to_owned(), body.trim().to_owned()))
        });
        Self {
            sections: sections.collect(),
        }
    }

    fn text(&self) -> String {
        self.sections
            .iter()
            .fold(HEAD.to_owned(), |page, (title, body)| {
                format!("{page}\n## {title}\n\n{body}\n")
            })
    }
}

fn render(section: &Section, machine: &str) -> String {
    let mut text = format!(
        "{}\n\nMachine: {machine}.\n\n| measure | Sitewright | baseline | ratio | target |\n|---|---|---|---|---|\n",
        section.method
    );
    for row in &section.rows {
        let target = row
            .target
            .as_ref()
            .map_or_else(String::new, |target| match target.met {
                Met::Yes => format!("{}: met", target.text),
                Met::No => format!("{}: missed", target.text),
            });
        writeln!(
            text,
            "| {} | {} | {} | {} | {target} |",
            row.measure, row.product, row.baseline, row.ratio
        )
        .expect("a string takes any text");
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{HEAD, Page};
    use crate::bench::{Row, Section};

    fn section(value: &str) -> Section {
        let row = Row {
            measure: "m".to_owned(),
            product: value.to_owned(),
            baseline: "1".to_owned(),
            ratio: "2".to_owned(),
            target: None,
        };
        Section {
            method: "How.".to_owned(),
            rows: vec![row],
        }
    }

    #[test]
    fn a_run_replaces_its_own_section_and_keeps_the_others() {
        let mut page = Page::parse(&format!(
            "{HEAD}\n## Reads\n\nold reads\n\n## Writes\n\nold writes\n"
        ));
        page.replace("Reads", &section("3 ms"));
        page.replace("Start", &section("4 ms"));
        let text = page.text();
        let again = Page::parse(&text).text();
        assert_eq!(text, again);
        let titles: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("## "))
            .collect();
        assert_eq!(titles, ["## Reads", "## Writes", "## Start"]);
        assert!(
            text.contains("| m | 3 ms | 1 | 2 |  |")
                && text.contains("old writes")
                && !text.contains("old reads")
        );
    }
}
