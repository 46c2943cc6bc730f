//! The state that every request handler can reach: the store, the settings and the parts of the server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};

use sitewright_agent::{Agent, Models, ToolVisibility};
use sitewright_breadcrumbs::{BreadcrumbParts, Breadcrumbs, breadcrumb_tools};
use sitewright_connect::{GoogleFonts, VendorPseudonyms};
use sitewright_egress::{Egress, Limits};
use sitewright_media::Library;
use sitewright_publish::Publisher;
use sitewright_runtime::{
    Pipeline, Registry, ToolSource, mission_preview_tool, mission_tool, workflow_tool,
};
use sitewright_store::{Blobs, LinkPurpose, Secrets, Stamp, Store, StoreError, Timestamp};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::built_in_tools::{ToolParts, register_built_in};
use crate::presence::Presence;
use crate::public::Front;
use crate::rate_limit::RateLimits;
use crate::readiness::Readiness;
use crate::refusals::Refusals;
use crate::tool_sources::ToolSources;
use crate::{Settings, StartError};

/// A running instance. Cheap to clone; all clones share one state.
#[derive(Clone)]
pub struct App(Arc<Parts>);

struct Parts {
    settings: Settings,
    store: Store,
    blobs: Blobs,
    readiness: Readiness,
    secrets: Secrets,
    egress: Egress,
    library: Library,
    agent: Agent,
    breadcrumbs: Breadcrumbs,
    fonts: GoogleFonts,
    publisher: Publisher,
    front: Front,
    presence: Presence,
    rate_limits: RateLimits,
    refusals: Refusals,
    pipeline: Pipeline,
    tool_sources: Arc<ToolSources>,
    /// The address that the server listens on, once it does.
    bound: OnceLock<String>,
    /// Cancelled when the server stops, so that streaming responses end.
    stopping: CancellationToken,
    /// Cancelled when a stopping server has ended all turns of the assistant, so that streams that watch turns can end.
    turns_ended: CancellationToken,
}

impl App {
    /// Opens the database that the settings name, and verifies that the secret key fits and the file storage can be opened, so that a
    /// misconfiguration fails the start and not a later request.
    pub async fn open(settings: Settings) -> Result<Self, StartError> {
        let store = Store::open(&settings.database()).await?;
        let store = store.with_quotas(settings.quotas());
        let secrets = Secrets::open(&store, &settings.key_source()).await?;
        let blobs = Blobs::open(&settings.blobs())?;
        let library = Library::new(store.clone(), blobs.clone());
        let publisher = Publisher::new(store.clone(), blobs.clone(), settings.public_site());
        let egress = Egress::new(settings.egress_policy(), Limits::default())?;
        let tools = Registry::built_in();
        let pseudonyms = VendorPseudonyms::new(secrets.derive_key("vendor pseudonyms")?);
        let tool_sources = ToolSources::from_file(&settings, &tools, &egress, pseudonyms);
        let tool_sources = Arc::new(tool_sources);
        let visible = visibility(&tool_sources);
        register_built_in(ToolParts {
            settings: &settings,
            registry: &tools,
            visible: Arc::clone(&visible),
            store: &store,
            publisher: &publisher,
            egress: &egress,
            library: &library,
        })?;
        let models = Models::new(
            store.clone(),
            secrets.clone(),
            egress.clone(),
            settings.model_prices(),
        );
        let fonts = GoogleFonts::new(
            egress.clone(),
            settings.fonts(),
            store.clone(),
            blobs.clone(),
        );
        let pipeline = Pipeline::with_fonts(store.clone(), tools, Arc::new(fonts.clone()));
        let agent = Agent::new(store.clone(), pipeline.clone(), models, visible);
        let breadcrumbs = Breadcrumbs::new(BreadcrumbParts {
            store: store.clone(),
            secrets: secrets.clone(),
            pipeline: pipeline.clone(),
            agent: agent.clone(),
        });
        register_callers(&pipeline, &breadcrumbs, &agent)?;
        let app = Self(Arc::new(Parts {
            settings,
            agent,
            breadcrumbs,
            fonts,
            pipeline,
            store,
            blobs,
            readiness: Readiness::default(),
            secrets,
            egress,
            library,
            publisher,
            front: Front::default(),
            presence: Presence::default(),
            rate_limits: RateLimits::default(),
            refusals: Refusals::default(),
            tool_sources,
            bound: OnceLock::new(),
            stopping: CancellationToken::new(),
            turns_ended: CancellationToken::new(),
        }));
        app.refresh_tools().await?;
        Ok(app)
    }

    /// Stops the assistant and running calls, seals the remaining audit entries and closes the database.
    pub async fn close(self) -> Result<(), StoreError> {
        self.breadcrumbs().close().await;
        self.agent().close().await;
        self.pipeline().close().await;
        self.refusals()
            .flush_all(self.store(), Timestamp::now())
            .await;
        let sealed = async {
            self.store().seal_histories(Timestamp::now()).await?;
            self.secrets().seal_audit().await
        };
        let sealed = sealed.await;
        self.store().close().await;
        sealed.map(drop)
    }

    /// Interrupts the assistant's turns, so that clients that watch them receive the outcome before their streams end.
    pub(crate) async fn end_turns(&self) {
        self.breadcrumbs().close().await;
        self.agent().close().await;
        self.0.turns_ended.cancel();
    }

    pub(crate) fn turns_ended(&self) -> &CancellationToken {
        &self.0.turns_ended
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn blobs(&self) -> &Blobs {
        &self.0.blobs
    }

    pub(crate) fn readiness(&self) -> &Readiness {
        &self.0.readiness
    }

    pub(crate) fn tools(&self) -> &Registry {
        self.0.pipeline.tools()
    }

    pub(crate) fn pipeline(&self) -> &Pipeline {
        &self.0.pipeline
    }

    pub(crate) fn secrets(&self) -> &Secrets {
        &self.0.secrets
    }

    /// The HTTP client for addresses that people or tools name.
    pub(crate) fn egress(&self) -> &Egress {
        &self.0.egress
    }

    pub(crate) fn library(&self) -> &Library {
        &self.0.library
    }

    pub(crate) fn fonts(&self) -> &GoogleFonts {
        &self.0.fonts
    }

    /// The models that the stored credentials give access to.
    pub(crate) fn models(&self) -> &Models {
        self.agent().models()
    }

    /// How many turns of the assistant run on this node, and how many replies from browser tabs they wait for.
    pub fn under_way(&self) -> (usize, usize) {
        self.agent().under_way()
    }

    /// Notifies when a turn of the assistant begins or ends on this node.
    pub fn under_way_changed(&self) -> watch::Receiver<()> {
        self.agent().running_changed()
    }

    pub(crate) fn agent(&self) -> &Agent {
        &self.0.agent
    }

    pub(crate) fn breadcrumbs(&self) -> &Breadcrumbs {
        &self.0.breadcrumbs
    }

    pub(crate) fn publisher(&self) -> &Publisher {
        &self.0.publisher
    }

    pub(crate) fn front(&self) -> &Front {
        &self.0.front
    }

    pub(crate) fn presence(&self) -> &Presence {
        &self.0.presence
    }

    pub(crate) fn rate_limits(&self) -> &RateLimits {
        &self.0.rate_limits
    }

    pub(crate) fn refusals(&self) -> &Refusals {
        &self.0.refusals
    }

    pub(crate) fn tool_sources(&self) -> &ToolSources {
        &self.0.tool_sources
    }

    pub(crate) fn stopping(&self) -> &CancellationToken {
        &self.0.stopping
    }

    /// The address people use: the one in the settings, or the one the server listens on.
    pub(crate) fn address(&self) -> String {
        let settings = self.settings();
        let declared = settings.admin_url.as_ref().or(settings.public_url.as_ref());
        declared.map_or_else(
            || self.local_address(),
            |url| url.as_str().trim_end_matches('/').to_owned(),
        )
    }

    /// The address for a browser on this machine.
    pub(crate) fn local_address(&self) -> String {
        let bound = self.0.bound.get().cloned();
        bound.unwrap_or_else(|| browsable(self.settings().listen))
    }

    /// Records the address that the server listens on; the settings do not determine it when they say port 0.
    pub(crate) fn listens_on(&self, address: SocketAddr) {
        self.0.bound.get_or_init(|| browsable(address));
    }

    /// Creates a one-time link for setting the instance up; `None` when set-up is complete.
    pub(crate) async fn setup_link(&self) -> Result<Option<String>, StoreError> {
        if !self.store().setup_required().await? {
            return Ok(None);
        }
        let link = self
            .store()
            .create_link(&LinkPurpose::Setup, &Stamp::local(Timestamp::now()))
            .await?;
        Ok(Some(format!(
            "{}/admin/setup#token={}",
            self.address(),
            link.token
        )))
    }
}

/// An address that a browser on this machine can open.
fn browsable(address: SocketAddr) -> String {
    let ip = match address.ip() {
        ip if !ip.is_unspecified() => ip,
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
    };
    format!("http://{}", SocketAddr::new(ip, address.port()))
}

/// Which tools exist for which site.
fn visibility(sources: &Arc<ToolSources>) -> ToolVisibility {
    let sources = Arc::clone(sources);
    Arc::new(move |site, source, name| sources.is_for(site, source, name))
}

/// Registers the tools that call other tools, and so need the pipeline they are in.
fn register_callers(
    pipeline: &Pipeline,
    breadcrumbs: &Breadcrumbs,
    agent: &Agent,
) -> Result<(), StartError> {
    let mut tools = vec![
        mission_tool(pipeline),
        mission_preview_tool(pipeline),
        workflow_tool(pipeline),
    ];
    tools.extend(breadcrumb_tools(breadcrumbs, agent.models()));
    for tool in tools {
        pipeline.tools().register(ToolSource::BuiltIn, tool)?;
    }
    Ok(())
}
