//! Measures the product against raw baselines in the same run, and records the results in `docs/benchmarks.md`.
//!
//! A ratio is meaningful on any machine; an absolute number only on the machine named next to it.

mod baseline;
mod editor;
mod library;
mod lighthouse;
mod lists;
mod load;
mod machine;
mod page;
mod start;
mod visitors;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

pub(crate) use baseline::serve as serve_baseline;

use crate::paths::Paths;
use crate::progress::{Progress, say};
use crate::release;

/// One benchmark. Add a line to `BENCHES` to have it run.
struct Bench {
    name: &'static str,
    /// The heading of its section on the page.
    title: &'static str,
    measure: fn(&Bed) -> Result<Section>,
}

const BENCHES: &[Bench] = &[
    Bench {
        name: "start",
        title: "Start and idle memory",
        measure: start::measure,
    },
    Bench {
        name: "store",
        title: "One SQL text on both databases",
        measure: library::store,
    },
    Bench {
        name: "documents",
        title: "Large sites and small ones",
        measure: library::documents,
    },
    Bench {
        name: "content",
        title: "Many entries and pictures",
        measure: library::content,
    },
    Bench {
        name: "lists",
        title: "Lists of entries over HTTP",
        measure: lists::measure,
    },
    Bench {
        name: "site",
        title: "Ops and rendering",
        measure: library::site,
    },
    Bench {
        name: "import",
        title: "Import and memory",
        measure: library::import,
    },
    Bench {
        name: "pipeline",
        title: "Calls through the pipeline",
        measure: library::pipeline,
    },
    Bench {
        name: "missions",
        title: "Missions",
        measure: library::missions,
    },
    Bench {
        name: "breadcrumbs",
        title: "Breadcrumbs",
        measure: library::breadcrumbs,
    },
    Bench {
        name: "publish",
        title: "Published pages",
        measure: visitors::measure,
    },
    Bench {
        name: "editor",
        title: "The editor",
        measure: editor::measure,
    },
    Bench {
        name: "lighthouse",
        title: "Lighthouse on the starters",
        measure: lighthouse::measure,
    },
    Bench {
        name: "llm",
        title: "Rounds with a model",
        measure: library::llm,
    },
    Bench {
        name: "turns",
        title: "Turns of the assistant",
        measure: library::turns,
    },
];

/// What benchmarks run on.
struct Bed {
    root: PathBuf,
    /// The release binary.
    program: PathBuf,
}

/// The result of a benchmark.
struct Section {
    /// What was measured and how, so that a reader can judge the numbers.
    method: String,
    rows: Vec<Row>,
}

struct Row {
    measure: String,
    product: String,
    baseline: String,
    ratio: String,
    target: Option<Target>,
}

/// The target that DESIGN sets.
struct Target {
    text: String,
    met: Met,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Met {
    Yes,
    No,
}

pub(crate) fn bench(paths: &Paths, progress: &Progress, only: Option<&str>) -> Result<ExitCode> {
    let chosen: Vec<&Bench> = BENCHES
        .iter()
        .filter(|bench| only.is_none_or(|name| name == bench.name))
        .collect();
    if chosen.is_empty() {
        let names: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
        bail!(
            "There is no benchmark `{}`: use {}.",
            only.unwrap_or_default(),
            names.join(", ")
        );
    }
    let bed = Bed {
        root: paths.root.clone(),
        program: release::build(paths, progress)?,
    };
    let file = paths.root.join("docs/benchmarks.md");
    let mut page = page::Page::read(&file);
    let mut missed = 0;
    for Bench {
        name,
        title,
        measure,
    } in chosen
    {
        let section = progress.step(&format!("bench {name}"), || measure(&bed))?;
        for row in &section.rows {
            say(&format!(
                "   {}: {} (baseline {}, ratio {})",
                row.measure, row.product, row.baseline, row.ratio
            ));
            if let Some(Target { text, met }) = &row.target {
                let verdict = match met {
                    Met::Yes => "met",
                    Met::No => "MISSED",
                };
                missed += usize::from(*met == Met::No);
                say(&format!("   target {text}: {verdict}"));
            }
        }
        page.replace(title, &section);
    }
    page.write(&file)
        .with_context(|| format!("could not write {}", file.display()))?;
    Ok(if missed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
