//! The replica behind the wasm interface, with strings for arguments and results.

use std::collections::BTreeSet;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sitewright_site::{
    BodyId, BodySnapshot, Change, ChangeId, DocumentRef, Entity, Expect, Facts, Logged, Need,
    NodeId, Op, Outcome, Purpose, Rendered, Replica, ShellSnapshot, SiteTool, ToolRun, View,
    document_tools,
};
use sitewright_tool::{ErrorCode, Image, Receipt, ToolError};

use crate::failure::Failure;
use crate::given::{Call, WrittenFacts};

/// A replica of a site, and the tools that work on it.
pub(crate) struct SiteCopy {
    replica: Replica,
    tools: Vec<SiteTool>,
}

type Answer = Result<String, Failure>;

// Answers are types and not `serde_json` values, because building a value would compile the serialization of ops a second time.

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
struct Acted {
    touched: BTreeSet<Entity>,
    left_out: Vec<LeftOut>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LeftOut {
    position: usize,
    reason: String,
}

#[derive(Serialize)]
struct Touched<'a> {
    touched: &'a BTreeSet<Entity>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
enum Run {
    Done(Box<DoneRun>),
    Needs(Vec<Need>),
    Error(ToolError),
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DoneRun {
    data: Value,
    ops: Vec<Op>,
    receipt: Receipt,
    open: Option<DocumentRef>,
    images: Vec<Image>,
    expects: Vec<Expect>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, schemars(rename = "PageEntry"))]
struct ListedPage<'a> {
    id: BodyId,
    title: &'a str,
    slug: &'a str,
    permalink: String,
    is_template: bool,
}

impl SiteCopy {
    pub(crate) fn new(shell: &str, seq: f64) -> Result<Self, Failure> {
        let shell: ShellSnapshot = read("shell", shell)?;
        Ok(Self {
            replica: Replica::new(shell, sequence(seq)),
            tools: document_tools(),
        })
    }

    pub(crate) fn open(&mut self, id: &str, body: &str, seq: f64) -> Result<(), Failure> {
        let tree: BodySnapshot = read("body", body)?;
        self.replica.open(id.parse()?, &tree, sequence(seq))?;
        Ok(())
    }

    pub(crate) fn close(&mut self, id: &str) -> Result<(), Failure> {
        self.replica.close(id.parse()?);
        Ok(())
    }

    pub(crate) fn is_open(&self, id: &str) -> bool {
        id.parse::<BodyId>()
            .is_ok_and(|id| self.replica.site().bodies.contains_key(&id))
    }

    /// Sequences stay below 2^52, where those of pending changes start; JavaScript numbers are exact up to 2^53.
    pub(crate) fn seq(&self) -> f64 {
        self.replica.seq() as f64
    }

    pub(crate) fn act(&mut self, change: &str) -> Answer {
        let change: Change = read("change", change)?;
        let applied = self.replica.act(change);
        let touched: BTreeSet<Entity> = applied.touched().collect();
        let left_out = applied.rejected.iter().map(|(position, why)| LeftOut {
            position: *position,
            reason: why.to_string(),
        });
        write(&Acted {
            touched,
            left_out: left_out.collect(),
        })
    }

    pub(crate) fn receive(&mut self, entry: &str) -> Answer {
        let entry: Logged = read("entry", entry)?;
        touched(&self.replica.receive(entry)?)
    }

    pub(crate) fn drop_pending(&mut self, change: &str) -> Answer {
        let id = ChangeId::from(change.to_owned());
        touched(&self.replica.drop_pending(&id)?)
    }

    pub(crate) fn pending(&self) -> Answer {
        write(&self.replica.pending().collect::<Vec<_>>())
    }

    pub(crate) fn tools(&self) -> Answer {
        let manifests = self.tools.iter().map(|tool| &tool.definition.manifest);
        write(&manifests.collect::<Vec<_>>())
    }

    pub(crate) fn run_tool(&mut self, name: &str, call: &str) -> Answer {
        let call: Call = read("call", call)?;
        let (view, facts) = (View::from(call.view), Facts::from(call.facts));
        let Some(tool) = self
            .tools
            .iter()
            .find(|tool| tool.definition.manifest.name.as_str() == name)
        else {
            let message = format!("There is no tool `{name}` for the site.");
            return write(&Run::Error(ToolError::new(ErrorCode::UnknownTool, message)));
        };
        let site = self.replica.site_mut();
        match tool.run(call.input, site, &view, (&facts, call.change)) {
            Ok(Outcome::Done(run)) => self.done(run),
            Ok(Outcome::Needs(needs)) => write(&Run::Needs(needs)),
            Err(error) => write(&Run::Error(error)),
        }
    }

    fn done(&self, run: ToolRun) -> Answer {
        let expects = self.replica.site().expects(&run.ops);
        let ToolRun {
            data,
            ops,
            receipt,
            open,
            images,
            // Tools that ask first run on the server.
            question: _,
        } = run;
        write(&Run::Done(Box::new(DoneRun {
            data,
            ops,
            receipt,
            open,
            images,
            expects,
        })))
    }

    pub(crate) fn render(&self, page: &str, purpose: &str, facts: Option<&str>) -> Answer {
        let purpose = match purpose {
            "canvas" => Purpose::Canvas,
            "publish" => Purpose::Publish,
            other => return Err(Failure::Missing(format!("purpose `{other}`"))),
        };
        let id: BodyId = page.parse()?;
        let rendered = self.replica.site().render(id, purpose, &read_facts(facts)?);
        rendering(rendered, || format!("page {id}"))
    }

    /// The ops are applied for the rendering only: listeners of the replica never hear of them.
    pub(crate) fn render_with(&mut self, page: &str, ops: &str, facts: Option<&str>) -> Answer {
        let id: BodyId = page.parse()?;
        let ops: Vec<Op> = read("ops", ops)?;
        let facts = read_facts(facts)?;
        let applied = self.replica.attempt(&ops);
        let rendered = self.replica.site().render(id, Purpose::Canvas, &facts);
        self.replica.site_mut().undo_all(&applied)?;
        rendering(rendered, || format!("page {id}"))
    }

    pub(crate) fn render_node(&self, body: &str, node: &str, facts: Option<&str>) -> Answer {
        let (body, node): (BodyId, NodeId) = (body.parse()?, node.parse()?);
        let rendered = self
            .replica
            .site()
            .render_node(body, node, &read_facts(facts)?);
        rendering(rendered, || format!("node {node}"))
    }

    pub(crate) fn pages(&self) -> Answer {
        let site = self.replica.site();
        let pages = site.shell.pages.iter().map(|(id, page)| ListedPage {
            id,
            title: &page.title,
            slug: &page.slug,
            permalink: site.permalink(id),
            is_template: page.template.is_some(),
        });
        write(&pages.collect::<Vec<_>>())
    }

    pub(crate) fn layers(&self, body: &str, node: Option<&str>) -> Answer {
        let body: BodyId = body.parse()?;
        let node: Option<NodeId> = node.map(str::parse).transpose()?;
        let rows = self.replica.site().layers(body, node);
        write(&rows.ok_or_else(|| Failure::Missing(format!("such place in {body}")))?)
    }

    pub(crate) fn node(&self, body: &str, node: &str) -> Answer {
        let (body, node): (BodyId, NodeId) = (body.parse()?, node.parse()?);
        let view = self.replica.site().node_view(body, node);
        write(&view.ok_or_else(|| Failure::Missing(format!("node {node}")))?)
    }

    pub(crate) fn breakpoints(&self) -> Answer {
        write(&self.replica.site().breakpoints())
    }

    pub(crate) fn field(&self, entity: &str, field: &str) -> Answer {
        let entity: Entity = read("entity", entity)?;
        write(&self.replica.site().field(entity, field)?)
    }

    pub(crate) fn rev(&self, entity: &str) -> Result<f64, Failure> {
        let entity: Entity = read("entity", entity)?;
        Ok(self.replica.site().rev(entity) as f64)
    }
}

fn rendering(rendered: Option<Outcome<Rendered>>, what: impl Fn() -> String) -> Answer {
    write(&rendered.ok_or_else(|| Failure::Missing(what()))?)
}

fn touched(touched: &BTreeSet<Entity>) -> Answer {
    write(&Touched { touched })
}

fn read_facts(facts: Option<&str>) -> Result<Facts, Failure> {
    let written: WrittenFacts =
        facts.map_or_else(|| Ok(WrittenFacts::default()), |facts| read("facts", facts))?;
    Ok(written.into())
}

fn read<T: DeserializeOwned>(what: &'static str, text: &str) -> Result<T, Failure> {
    // Parsed by way of a `Value`, as ops are too, so that each type's deserializer is compiled for only one source.
    let unreadable = |reason| Failure::Unreadable { what, reason };
    let value = serde_json::from_str(text).map_err(|error| unreadable(error.to_string()))?;
    sitewright_tool::read(&value).map_err(|misread| unreadable(misread.to_string()))
}

fn write(value: &impl Serialize) -> Answer {
    serde_json::to_string(value).map_err(Failure::Unwritable)
}

/// A JavaScript number is a float. Sequences are whole and never negative, and a cast from a float saturates.
fn sequence(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
#[path = "copy_tests.rs"]
mod tests;

#[cfg(test)]
mod schema;
