//! The site core in the browser.
//!
//! A thin binding without logic of its own: arguments and results are JSON strings, which cross the boundary in half the time
//! of objects, and an edit passes its ops and never the document. Everything else lives in the crates below.

mod copy;
mod failure;
mod given;

use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use copy::SiteCopy;
use failure::Failure;

/// The version of this core, so that the shell can detect a stale one: `{"version":"…"}`.
#[wasm_bindgen(js_name = coreVersion)]
#[must_use]
pub fn core_version() -> String {
    concat!(r#"{"version":""#, env!("CARGO_PKG_VERSION"), r#""}"#).to_owned()
}

/// A replica of a site that follows the log. Errors are thrown as `{"code":"…","message":"…"}`; the code `astray` means that
/// the replica must be created again from the server's documents.
#[wasm_bindgen]
pub struct SiteCore {
    copy: SiteCopy,
}

type Thrown<T> = Result<T, JsValue>;

fn thrown<T>(result: Result<T, Failure>) -> Thrown<T> {
    result.map_err(|failure| JsValue::from_str(&failure.to_json()))
}

#[wasm_bindgen]
impl SiteCore {
    /// A replica of a shell as of a log entry.
    #[wasm_bindgen(constructor)]
    pub fn new(shell: &str, seq: f64) -> Thrown<Self> {
        let copy = thrown(SiteCopy::new(shell, seq))?;
        Ok(Self { copy })
    }

    /// Opens a document that was fetched as of a log entry.
    #[wasm_bindgen(js_name = openBody)]
    pub fn open_body(&mut self, id: &str, body: &str, seq: f64) -> Thrown<()> {
        thrown(self.copy.open(id, body, seq))
    }

    /// Closes a document, unless a pending change touches it.
    #[wasm_bindgen(js_name = closeBody)]
    pub fn close_body(&mut self, id: &str) -> Thrown<()> {
        thrown(self.copy.close(id))
    }

    /// Whether a document is open.
    #[wasm_bindgen(js_name = isOpen)]
    #[must_use]
    pub fn is_open(&self, id: &str) -> bool {
        self.copy.is_open(id)
    }

    /// The sequence of the last log entry that was applied.
    #[must_use]
    pub fn seq(&self) -> f64 {
        self.copy.seq()
    }

    /// Applies a change locally, to be confirmed later: `{"touched":[Entity],"leftOut":[{"position","reason"}]}`.
    pub fn act(&mut self, change: &str) -> Thrown<String> {
        thrown(self.copy.act(change))
    }

    /// Applies the next log entry: `{"touched":[Entity]}`.
    pub fn receive(&mut self, entry: &str) -> Thrown<String> {
        thrown(self.copy.receive(entry))
    }

    /// Drops a pending change that was refused: `{"touched":[Entity]}`.
    #[wasm_bindgen(js_name = dropPending)]
    pub fn drop_pending(&mut self, change: &str) -> Thrown<String> {
        thrown(self.copy.drop_pending(change))
    }

    /// The changes that are not confirmed, oldest first: `[Change]`.
    pub fn pending(&self) -> Thrown<String> {
        thrown(self.copy.pending())
    }

    /// The manifests of all tools: `[ToolManifest]`.
    pub fn tools(&self) -> Thrown<String> {
        thrown(self.copy.tools())
    }

    /// Runs a tool without changing anything: `{"done":{"data","ops","receipt","open","images","expects"}}`, `{"needs":[…]}` or
    /// `{"error":{…}}`. The call is `{"input","view"?,"change","facts"?}`, where `change` is the id of the change it is for.
    #[wasm_bindgen(js_name = runTool)]
    pub fn run_tool(&mut self, name: &str, call: &str) -> Thrown<String> {
        thrown(self.copy.run_tool(name, call))
    }

    /// Renders a page for `canvas` or `publish`: `{"done":{"html","documents","problems"}}` or `{"needs":[…]}`.
    pub fn render(&self, page: &str, purpose: &str, facts: Option<String>) -> Thrown<String> {
        thrown(self.copy.render(page, purpose, facts.as_deref()))
    }

    /// Renders a page for the canvas as it would be after some ops, and changes nothing; the result is that of `render`.
    #[wasm_bindgen(js_name = renderWith)]
    pub fn render_with(&mut self, page: &str, ops: &str, facts: Option<String>) -> Thrown<String> {
        thrown(self.copy.render_with(page, ops, facts.as_deref()))
    }

    /// Renders a node with its descendants for the canvas; the result is that of `render`.
    #[wasm_bindgen(js_name = renderNode)]
    pub fn render_node(&self, body: &str, node: &str, facts: Option<String>) -> Thrown<String> {
        thrown(self.copy.render_node(body, node, facts.as_deref()))
    }

    /// The pages and templates in order: `[{"id","title","slug","permalink","isTemplate"}]`.
    pub fn pages(&self) -> Thrown<String> {
        thrown(self.copy.pages())
    }

    /// The rows in a node, or in the root of an open document: `[Layer]`.
    pub fn layers(&self, body: &str, node: Option<String>) -> Thrown<String> {
        thrown(self.copy.layers(body, node.as_deref()))
    }

    /// A node of an open document with its ancestors: `NodeView`.
    pub fn node(&self, body: &str, node: &str) -> Thrown<String> {
        thrown(self.copy.node(body, node))
    }

    /// The breakpoints of the site, in its order, widest first: `[{"id","label","width","query"?}]`.
    pub fn breakpoints(&self) -> Thrown<String> {
        thrown(self.copy.breakpoints())
    }

    /// The value of a field; null for an optional one that is not set.
    pub fn field(&self, entity: &str, field: &str) -> Thrown<String> {
        thrown(self.copy.field(entity, field))
    }

    /// The sequence that last touched an entity, for `expects`.
    pub fn rev(&self, entity: &str) -> Thrown<f64> {
        thrown(self.copy.rev(entity))
    }
}
