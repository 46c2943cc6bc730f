//! The site core in the browser.
//!
//! Translates and nothing else: arguments and results are JSON strings, which cross the boundary in half the time of objects,
//! and an edit carries its ops and never the document. What is worth thinking about lives in a crate below.

mod copy;
mod failure;
mod given;

use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

use copy::SiteCopy;
use failure::Failure;

/// Which core this is, so that the shell can tell a stale one: `{"version":"…"}`.
#[wasm_bindgen(js_name = coreVersion)]
#[must_use]
pub fn core_version() -> String {
    concat!(r#"{"version":""#, env!("CARGO_PKG_VERSION"), r#""}"#).to_owned()
}

/// A copy of a site that follows the log. What cannot be done is thrown as `{"code":"…","message":"…"}`; `astray` means that
/// the copy must be made anew from the server's documents.
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
    /// The copy of a shell as it was at an entry of the log.
    #[wasm_bindgen(constructor)]
    pub fn new(shell: &str, seq: f64) -> Thrown<Self> {
        let copy = thrown(SiteCopy::new(shell, seq))?;
        Ok(Self { copy })
    }

    /// Opens a document that was fetched as of an entry.
    #[wasm_bindgen(js_name = openBody)]
    pub fn open_body(&mut self, id: &str, body: &str, seq: f64) -> Thrown<()> {
        thrown(self.copy.open(id, body, seq))
    }

    /// Closes a document, unless something unconfirmed is in it.
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

    /// The last entry of the log that was taken in.
    #[must_use]
    pub fn seq(&self) -> f64 {
        self.copy.seq()
    }

    /// Does a change here, to be confirmed later: `{"touched":[Entity],"leftOut":[{"position","reason"}]}`.
    pub fn act(&mut self, change: &str) -> Thrown<String> {
        thrown(self.copy.act(change))
    }

    /// Takes in the next entry of the log: `{"touched":[Entity]}`.
    pub fn receive(&mut self, entry: &str) -> Thrown<String> {
        thrown(self.copy.receive(entry))
    }

    /// Drops a change that was refused: `{"touched":[Entity]}`.
    #[wasm_bindgen(js_name = dropPending)]
    pub fn drop_pending(&mut self, change: &str) -> Thrown<String> {
        thrown(self.copy.drop_pending(change))
    }

    /// The changes that are not confirmed, the oldest first: `[Change]`.
    pub fn pending(&self) -> Thrown<String> {
        thrown(self.copy.pending())
    }

    /// What the tools say about themselves: `[ToolManifest]`.
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

    /// Renders a node with everything in it for the canvas; the answer is that of `render`.
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

    /// A node of an open document with the rows it lies in: `NodeView`.
    pub fn node(&self, body: &str, node: &str) -> Thrown<String> {
        thrown(self.copy.node(body, node))
    }

    /// The widths the site is shown at, the widest first as the site has them: `[{"id","label","width","query"?}]`.
    pub fn breakpoints(&self) -> Thrown<String> {
        thrown(self.copy.breakpoints())
    }

    /// The value of a field; null for an optional one that is not set.
    pub fn field(&self, entity: &str, field: &str) -> Thrown<String> {
        thrown(self.copy.field(entity, field))
    }

    /// The sequence that last touched a thing, for `expects`.
    pub fn rev(&self, entity: &str) -> Thrown<f64> {
        thrown(self.copy.rev(entity))
    }
}
