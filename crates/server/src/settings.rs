//! Settings: one typed struct, filled from the file, then the environment, then the flags, each overriding the one before.
//!
//! This is the only place that reads the environment. An invalid value is rejected with its name, its source and what would be valid.

mod document;
mod layers;
mod value;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use schemars::JsonSchema;
use secrecy::SecretString;
use serde::Deserialize;
use sitewright_egress::{AllowList, EgressPolicy};
use sitewright_llm::Refresh;
use sitewright_publish::{Host, PublicSite};
use sitewright_store::{
    BlobPlace, HistoryLimits, KeySource, Place, Quotas, ReleaseLimits, S3Place,
};
use url::Url;

pub use document::settings_document;
pub use layers::{BadSetting, Layers};

/// Everything an operator can choose.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The data folder: the SQLite file, the files people upload, the secret key, and `sitewright.toml`.
    #[schemars(with = "String")]
    pub data: PathBuf,
    /// The address to listen on. `0.0.0.0:8080` listens on every network; port 0 takes a free one.
    #[serde(deserialize_with = "value::address")]
    #[schemars(with = "String")]
    pub listen: SocketAddr,
    /// A Postgres address, `postgres://user:password@host:5432/name`. Without one, SQLite in the data folder is used.
    /// The environment variable is `DATABASE_URL`.
    #[schemars(with = "Option<String>")]
    pub database_url: Option<SecretString>,
    /// The key that encrypts secrets, as 64 hexadecimal digits. Without one, `secret.key` in the data folder is used, and
    /// created on first start. Nodes that share a Postgres need the same key.
    #[schemars(with = "Option<String>")]
    pub secret_key: Option<SecretString>,
    /// The address people use, such as `https://www.example.com`, when it is not the one Sitewright listens on.
    #[serde(deserialize_with = "value::url")]
    #[schemars(with = "Option<String>")]
    pub public_url: Option<Url>,
    /// A separate address for the administration, on another host name than the public site. With it, `/admin` and the APIs
    /// respond only there.
    #[serde(deserialize_with = "value::url")]
    #[schemars(with = "Option<String>")]
    pub admin_url: Option<Url>,
    /// Addresses or networks of proxies whose `X-Forwarded-*` headers are trusted, separated by commas.
    #[serde(deserialize_with = "value::list")]
    #[schemars(with = "String")]
    pub trusted_proxies: Vec<IpNet>,
    /// Whether the `X-Forwarded-Host` of trusted proxies replaces `Host`. Needed only for a proxy that cannot pass `Host` on. The proxy
    /// must then set the header itself: otherwise visitors can send it and reach the administration on the public host name.
    #[serde(deserialize_with = "value::text")]
    pub trust_forwarded_host: bool,
    /// Targets in private networks that outgoing connections may reach, separated by commas: addresses, networks, and names
    /// with or without a port, such as `127.0.0.1/32,intranet.example:8443`.
    #[serde(deserialize_with = "value::text")]
    #[schemars(with = "String")]
    pub egress_allow: AllowList,
    /// A JSON file of remote tools that are connected at startup, `{"tools": [{"manifest": …, "endpoint": …, "staticHeaders":
    /// …}]}`; see docs/tools.md. The environment variable is `ORCHESTRATOR_TOOL_MANIFEST_PATH`.
    #[schemars(with = "Option<String>")]
    pub tool_manifest_path: Option<PathBuf>,
    /// The access key of your Unsplash application, for `unsplash.search`. Without it, the tool is disabled.
    #[schemars(with = "Option<String>")]
    pub unsplash_access_key: Option<SecretString>,
    /// The name of your Unsplash application. Links to Unsplash include it, as its terms require.
    pub unsplash_app: String,
    /// The URL of the Unsplash API.
    pub unsplash_url: String,
    /// The Pexels API key, for `browseImages` and `importImage`. Without it and `unsplash_access_key`, the tools are disabled.
    #[schemars(with = "Option<String>")]
    pub pexels_api_key: Option<SecretString>,
    /// The URL of the Pexels API.
    pub pexels_url: String,
    /// The search engine for `searchWeb`: `tavily` (or a service with the same API), or `searxng` for your own instance.
    pub web_search_provider: WebSearchProvider,
    /// The API key for `searchWeb`. SearXNG needs none; with Tavily, the tool is disabled without one.
    #[schemars(with = "Option<String>")]
    pub web_search_key: Option<SecretString>,
    /// The URL of the search engine; `https://api.tavily.com` by default for Tavily.
    pub web_search_url: Option<String>,
    /// The URL of a service for embeddings with OpenAI's API, such as `https://api.openai.com/v1`, or
    /// `http://localhost:11434/v1` for Ollama. With it, `getImage` finds pictures by meaning as well as by words. Descriptions
    /// of pictures and searches are sent there.
    pub embedding_url: Option<String>,
    /// The model for embeddings. When it changes, pictures are embedded again.
    pub embedding_model: String,
    /// The key for the service, if it needs one.
    #[schemars(with = "Option<String>")]
    pub embedding_key: Option<SecretString>,
    /// The OpenAI API key, for `image.generate`. Without it and `gemini_api_key`, the tool is disabled.
    #[schemars(with = "Option<String>")]
    pub openai_api_key: Option<SecretString>,
    /// The URL of the OpenAI API, or of a gateway.
    pub openai_url: String,
    /// The default OpenAI model for generating pictures.
    pub openai_image_model: String,
    /// The Google Gemini API key, for `image.generate`.
    #[schemars(with = "Option<String>")]
    pub gemini_api_key: Option<SecretString>,
    /// The URL of the Gemini API, or of a gateway.
    pub gemini_url: String,
    /// The default Gemini model for generating pictures.
    pub gemini_image_model: String,
    /// The URL of Google Fonts, or of a service with the same API, for installing fonts; `off` disables it.
    pub google_fonts_url: String,
    /// The URL that model prices are fetched from once there is a credential; `off` uses the built-in list.
    pub model_prices_url: String,
    /// What a new site starts with: `example`, `product`, `restaurant`, `portfolio`, `empty` with the base theme, or `bare`
    /// without any styles. Whoever creates the first account can choose another one.
    pub first_site: FirstSite,
    /// The log level, such as `info` or `info,sqlx=debug`.
    pub log: String,
    /// The format of log lines: `text` or `json`.
    pub log_format: LogFormat,
    /// The maximum size of a request body in bytes, unless a route has its own limit.
    #[serde(deserialize_with = "value::text")]
    pub body_limit_bytes: usize,
    /// How many days single changes of a site are kept. Older versions are available as monthly restore points.
    #[serde(deserialize_with = "value::text")]
    pub history_days: u32,
    /// How many bytes of single changes are kept per site.
    #[serde(deserialize_with = "value::text")]
    pub history_bytes: u64,
    /// How many of the newest releases are kept, besides the one that visitors see and as many before it.
    #[serde(deserialize_with = "value::text")]
    pub release_count: u32,
    /// How many days other releases are kept after visitors last saw them; at least one.
    #[serde(deserialize_with = "value::text")]
    pub release_days: u32,
    /// How many days after its last message a conversation with the assistant is deleted; 0 keeps conversations until their owner
    /// deletes them.
    #[serde(deserialize_with = "value::text")]
    pub conversation_days: u32,
    /// How many days records of the assistant's usage and cost are kept, at least 62; 0 keeps them forever.
    #[serde(deserialize_with = "value::text")]
    pub usage_days: u32,
    /// How many days entries of the activity log are kept; 0 keeps them forever. The remaining entries can still be verified.
    #[serde(deserialize_with = "value::text")]
    pub audit_days: u32,
    /// How many bytes of pictures a site may have, including all generated sizes.
    #[serde(deserialize_with = "value::text")]
    pub media_bytes_max: u64,
    /// How many pages, templates and components a site may have.
    #[serde(deserialize_with = "value::text")]
    pub documents_max: u64,
    /// How many API tokens a site may have.
    #[serde(deserialize_with = "value::text")]
    pub tokens_max: u64,
    /// How many conversations with the assistant a person or token may have on a site.
    #[serde(deserialize_with = "value::text")]
    pub conversations_max: u64,
    /// How many connected tools a site may have, besides those of `tool_manifest_path`.
    #[serde(deserialize_with = "value::text")]
    pub tools_max: u64,
    /// How many font files a site may have.
    #[serde(deserialize_with = "value::text")]
    pub font_files_max: u64,
    /// How many preview links a site may have at a time.
    #[serde(deserialize_with = "value::text")]
    pub preview_links_max: u64,
    /// The time limit for receiving a request, and again for responding to it, in seconds.
    #[serde(deserialize_with = "value::text")]
    pub request_timeout_seconds: u64,
    /// How long requests in progress may continue after the stop signal, in seconds.
    #[serde(deserialize_with = "value::text")]
    pub shutdown_grace_seconds: u64,
    /// The bucket for files, on S3 or a compatible service. Without one, files are stored in the data folder.
    pub s3_bucket: Option<String>,
    /// The prefix of every key in the bucket.
    pub s3_prefix: String,
    /// The bucket's region.
    pub s3_region: String,
    /// The URL of the service, if it isn't Amazon's.
    pub s3_endpoint: Option<String>,
    /// The access key ID; required with a bucket.
    pub s3_access_key_id: Option<String>,
    /// The secret access key; required with a bucket.
    #[schemars(with = "Option<String>")]
    pub s3_secret_access_key: Option<SecretString>,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line, for collectors.
    Json,
}

/// What a new site has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FirstSite {
    /// A few pages of an invented business, to be changed.
    Example,
    /// A page for a product or a service, to be changed.
    Product,
    /// A restaurant or café, to be changed.
    Restaurant,
    /// The work of one person or a small studio, to be changed.
    Portfolio,
    /// An empty home page, with the base theme.
    Empty,
    /// An empty home page and no styles at all, for a site that brings its own.
    Bare,
}

impl FirstSite {
    /// The key of the design library's starter, if it is one.
    pub(crate) fn starter_key(self) -> Option<&'static str> {
        match self {
            Self::Product => Some("product"),
            Self::Restaurant => Some("restaurant"),
            Self::Portfolio => Some("portfolio"),
            Self::Example | Self::Empty | Self::Bare => None,
        }
    }
}

/// Who answers searches of the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebSearchProvider {
    /// Tavily, or something that answers as it does.
    Tavily,
    /// A SearXNG of one's own.
    Searxng,
}

impl Default for Settings {
    fn default() -> Self {
        let quotas = Quotas::default();
        Self {
            data: PathBuf::from("./data"),
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            database_url: None,
            secret_key: None,
            public_url: None,
            admin_url: None,
            trusted_proxies: Vec::new(),
            trust_forwarded_host: false,
            egress_allow: AllowList::default(),
            tool_manifest_path: None,
            unsplash_access_key: None,
            unsplash_app: "sitewright".to_owned(),
            unsplash_url: "https://api.unsplash.com".to_owned(),
            pexels_api_key: None,
            pexels_url: "https://api.pexels.com/v1".to_owned(),
            web_search_provider: WebSearchProvider::Tavily,
            web_search_key: None,
            web_search_url: None,
            embedding_url: None,
            embedding_model: "text-embedding-3-small".to_owned(),
            embedding_key: None,
            openai_api_key: None,
            openai_url: "https://api.openai.com/v1".to_owned(),
            openai_image_model: "gpt-image-2".to_owned(),
            gemini_api_key: None,
            gemini_url: "https://generativelanguage.googleapis.com/v1beta".to_owned(),
            gemini_image_model: "gemini-3.1-flash-image".to_owned(),
            google_fonts_url: "https://fonts.googleapis.com".to_owned(),
            model_prices_url: "https://openrouter.ai/api/v1/models".to_owned(),
            first_site: FirstSite::Example,
            log: "info,sqlx=warn".to_owned(),
            log_format: LogFormat::Text,
            body_limit_bytes: 1024 * 1024,
            history_days: 365,
            history_bytes: 1024 * 1024 * 1024,
            release_count: 10,
            release_days: 90,
            conversation_days: 365,
            usage_days: 400,
            audit_days: 0,
            media_bytes_max: quotas.media_bytes,
            documents_max: quotas.documents,
            tokens_max: quotas.tokens,
            conversations_max: quotas.conversations,
            tools_max: quotas.tools,
            font_files_max: quotas.font_files,
            preview_links_max: quotas.preview_links,
            request_timeout_seconds: 30,
            shutdown_grace_seconds: 20,
            s3_bucket: None,
            s3_prefix: String::new(),
            s3_region: "us-east-1".to_owned(),
            s3_endpoint: None,
            s3_access_key_id: None,
            s3_secret_access_key: None,
        }
    }
}

impl Settings {
    /// Whether visitors reach the site over https, as the settings say.
    pub(crate) fn is_public_over_https(&self) -> bool {
        is_https(self.public_url.as_ref())
    }

    /// Whether people reach the administration over https, as the settings say.
    pub(crate) fn is_admin_over_https(&self) -> bool {
        is_https(self.admin_url.as_ref().or(self.public_url.as_ref()))
    }

    pub(crate) fn database(&self) -> Place {
        use secrecy::ExposeSecret as _;
        match &self.database_url {
            Some(address) => Place::Postgres(address.expose_secret().to_owned()),
            None => Place::File(self.data.join("sitewright.db")),
        }
    }

    pub(crate) fn key_source(&self) -> KeySource {
        match &self.secret_key {
            Some(key) => KeySource::Given(key.clone()),
            None => KeySource::File(self.data.join("secret.key")),
        }
    }

    /// The bucket when one is configured; `Layers::read` checks that its parts are complete.
    pub(crate) fn blobs(&self) -> BlobPlace {
        let (Some(bucket), Some(access_key_id), Some(secret_access_key)) = (
            &self.s3_bucket,
            &self.s3_access_key_id,
            &self.s3_secret_access_key,
        ) else {
            return BlobPlace::Folder(self.data.join("blobs"));
        };
        BlobPlace::S3(S3Place {
            bucket: bucket.clone(),
            prefix: self.s3_prefix.clone(),
            region: self.s3_region.clone(),
            endpoint: self.s3_endpoint.clone(),
            access_key_id: access_key_id.clone(),
            secret_access_key: secret_access_key.clone(),
        })
    }

    /// Whether an address belongs to a proxy whose headers are believed.
    pub(crate) fn is_trusted_proxy(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted_proxies
            .iter()
            .any(|network| network.contains(&address))
    }

    /// Where visitors find the published site.
    pub(crate) fn public_site(&self) -> PublicSite {
        PublicSite {
            base: self.public_url.as_ref().map(ToString::to_string),
            host: match self.admin_url {
                Some(_) => Host::Own,
                None => Host::Shared,
            },
        }
    }

    /// What outgoing connections may reach.
    pub(crate) fn egress_policy(&self) -> EgressPolicy {
        EgressPolicy {
            allow: self.egress_allow.clone(),
        }
    }

    /// Where fonts are fetched from; `None` when that is switched off.
    pub(crate) fn fonts(&self) -> Option<String> {
        let url = &self.google_fonts_url;
        (url != "off").then(|| url.clone())
    }

    /// Whether and from where model prices are fetched.
    pub(crate) fn model_prices(&self) -> Refresh {
        match self.model_prices_url.as_str() {
            "off" => Refresh::Off,
            url => Refresh::From(url.to_owned()),
        }
    }

    pub(crate) fn history_limits(&self) -> HistoryLimits {
        HistoryLimits {
            age: days(self.history_days),
            bytes: self.history_bytes,
        }
    }

    pub(crate) fn release_limits(&self) -> ReleaseLimits {
        ReleaseLimits {
            count: usize::try_from(self.release_count).unwrap_or(usize::MAX),
            age: days(self.release_days),
        }
    }

    /// How long conversations are kept; `None` until their owner deletes them.
    pub(crate) fn conversation_age(&self) -> Option<Duration> {
        (self.conversation_days > 0).then(|| days(self.conversation_days))
    }

    /// How long the assistant's usage is kept; `None` for good.
    pub(crate) fn usage_age(&self) -> Option<Duration> {
        (self.usage_days > 0).then(|| days(self.usage_days))
    }

    /// How long entries of the audit log are kept; `None` for good.
    pub(crate) fn audit_age(&self) -> Option<Duration> {
        (self.audit_days > 0).then(|| days(self.audit_days))
    }

    pub(crate) fn quotas(&self) -> Quotas {
        Quotas {
            media_bytes: self.media_bytes_max,
            documents: self.documents_max,
            tokens: self.tokens_max,
            conversations: self.conversations_max,
            tools: self.tools_max,
            font_files: self.font_files_max,
            preview_links: self.preview_links_max,
        }
    }

    pub(crate) fn request_timeout(&self) -> Duration {
        Duration::from_secs(self.request_timeout_seconds)
    }

    pub(crate) fn shutdown_grace(&self) -> Duration {
        Duration::from_secs(self.shutdown_grace_seconds)
    }
}

fn days(count: u32) -> Duration {
    Duration::from_secs(24 * 60 * 60 * u64::from(count))
}

fn is_https(url: Option<&Url>) -> bool {
    url.is_some_and(|url| url.scheme() == "https")
}
