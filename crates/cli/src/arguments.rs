//! The command line: one definition from which parsing and help are derived.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Sitewright: a website that people and AI agents edit with the same tools, under the same rules.
///
/// Commands work on the data folder. While a server is using it, they go through that server, so open tabs see the result. With
/// --server, they work on a remote server.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, max_term_width = 100)]
pub(crate) struct Arguments {
    /// Print machine-readable JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) target: Target,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What a command works on.
#[derive(Debug, Clone, Args)]
pub(crate) struct Target {
    /// The data folder [default: ./data].
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// A settings file instead of sitewright.toml in the data folder.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Any setting from docs/settings.md; repeatable.
    #[arg(long = "set", global = true, value_name = "NAME=VALUE")]
    pub(crate) settings: Vec<String>,
    /// A remote server, such as `https://www.example.com`; needs --token.
    #[arg(long, global = true, value_name = "URL", requires = "token")]
    pub(crate) server: Option<url::Url>,
    /// The API token for --server.
    #[arg(
        long,
        global = true,
        value_name = "TOKEN",
        env = "SITEWRIGHT_TOKEN",
        hide_env_values = true
    )]
    pub(crate) token: Option<String>,
    /// The slug of the site, if there are several.
    #[arg(long, global = true, value_name = "SLUG")]
    pub(crate) site: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the server; prints its address on one line when it is ready.
    Serve {
        /// The address to listen on [default: 127.0.0.1:8080].
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<String>,
    },
    /// Create the first account, or print a one-time link for creating it.
    Setup(Setup),
    /// Manage people.
    #[command(subcommand)]
    User(User),
    /// Manage API tokens for scripts and agents.
    #[command(subcommand)]
    Token(Token),
    /// Manage the key that encrypts secrets.
    #[command(subcommand)]
    Key(Key),
    /// List, describe and call tools.
    #[command(subcommand)]
    Tool(Tool),
    /// Manage OpenAPI documents, whose operations become tools.
    #[command(subcommand, name = "openapi")]
    OpenApi(OpenApi),
    /// Manage missions: calls that succeed together or are cancelled.
    #[command(subcommand)]
    Mission(Mission),
    /// Ask the assistant for something and watch it work.
    ///
    /// For example: sitewright chat "add an About page". Without a credential, the built-in commands answer. They are not AI and
    /// understand a fixed list of requests (docs/commands.md).
    Chat(Chat),
    /// Approve or deny calls, and settle calls whose outcome is unknown.
    #[command(subcommand)]
    Approvals(Approvals),
    /// Manage the policy that decides which calls run, ask first or are refused.
    #[command(subcommand)]
    Policy(Policy),
    /// Manage credentials for model providers.
    #[command(subcommand)]
    Credential(Credential),
    /// Publish the draft, or preview what would change.
    Publish(Publish),
    /// Roll back to an earlier release. The draft stays as it is.
    Rollback {
        /// The number of the release, as shown by `releases` [default: the previous one].
        #[arg(long, value_name = "N")]
        to: Option<u64>,
    },
    /// List releases, newest first.
    Releases {
        /// How many.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=200))]
        limit: u16,
    },
    /// Export the published site to a folder, for any static host.
    Export(Export),
    /// Import an HTML file as a page, with the stylesheets and pictures beside it.
    ///
    /// The page is part of the draft until it is published. Scripts are left out.
    Import(Import),
    /// Export and import collection entries.
    #[command(subcommand)]
    Content(Content),
    /// Show, verify and redact the activity log.
    #[command(subcommand)]
    Audit(Audit),
    /// Check that all stored data is readable, and recover what isn't.
    ///
    /// Without options, it changes nothing. Exits with 1 if anything is damaged.
    Doctor(Doctor),
    /// Show how much storage the site uses, its limits, and what will be deleted next because of its age.
    Storage,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// The HTML file. Files that it refers to are read from its folder.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The title [default: the document's own].
    #[arg(long)]
    pub(crate) title: Option<String>,
    /// The end of the URL [default: the name of the file].
    #[arg(long)]
    pub(crate) slug: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Content {
    /// Export entries to a JSON Lines file, or to folders of Markdown files with front matter.
    Export {
        /// The file, or the folder for Markdown.
        #[arg(long, value_name = "PATH")]
        out: PathBuf,
        /// Only this collection, by its slug.
        #[arg(long)]
        collection: Option<String>,
        /// The file format.
        #[arg(long = "format", value_enum, default_value_t = ContentForm::Jsonl)]
        form: ContentForm,
    },
    /// Import entries from a file or folder written by `export`. Entries whose slugs exist are updated.
    Import {
        /// A JSON Lines file, or a folder with one folder of Markdown files per collection.
        #[arg(value_name = "PATH")]
        from: PathBuf,
    },
}

/// How entries are written into files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContentForm {
    /// One entry per line, as JSON.
    Jsonl,
    /// One Markdown file per entry, with everything but its text in the front matter.
    Markdown,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Also check the files of earlier releases, pictures and fonts.
    #[arg(long)]
    pub(crate) all_files: bool,
    /// Rewrite damaged release files whose content can be rebuilt.
    #[arg(long, conflicts_with_all = ["recover", "export"])]
    pub(crate) repair: bool,
    /// Make a site with a damaged log writable again, keeping what can be read.
    #[arg(long, conflicts_with = "export")]
    pub(crate) recover: bool,
    /// With --recover: restore to this restore point instead.
    #[arg(long, value_name = "ENTRY", requires = "recover")]
    pub(crate) restore_point: Option<u64>,
    /// Export all documents and log entries as they are stored, one JSON value per line.
    #[arg(long, value_name = "FILE")]
    pub(crate) export: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct Setup {
    /// Print a new one-time link to open in a browser.
    #[arg(long, conflicts_with_all = ["email", "password_stdin"], required_unless_present = "email")]
    pub(crate) link: bool,
    /// The owner's email address.
    #[arg(long, requires = "password_stdin")]
    pub(crate) email: Option<String>,
    /// Read the owner's password from standard input.
    #[arg(long)]
    pub(crate) password_stdin: bool,
    /// The owner's name; by default the part of the email address before the @.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The name of the site [default: My site].
    #[arg(long)]
    pub(crate) site_name: Option<String>,
    /// What the site starts with [default: the setting first_site].
    #[arg(long, value_enum, requires = "email")]
    pub(crate) starter: Option<Starter>,
    /// Start with an empty page; same as --starter empty.
    #[arg(long, requires = "email", conflicts_with = "starter")]
    pub(crate) empty: bool,
}

/// What a new site starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Starter {
    /// A pottery studio with a journal.
    Example,
    /// A page for a product or service.
    Product,
    /// A restaurant with its menu and opening hours.
    Restaurant,
    /// The work of one person or a small studio.
    Portfolio,
    /// An empty page with the base theme.
    Empty,
    /// An empty page without any styles.
    Bare,
}

impl Starter {
    /// The name that the API knows it by.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Self::Example => "example",
            Self::Product => "product",
            Self::Restaurant => "restaurant",
            Self::Portfolio => "portfolio",
            Self::Empty => "empty",
            Self::Bare => "bare",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum User {
    /// List people.
    List,
    /// Invite someone, and print a link for choosing a password.
    Add {
        /// Their email address.
        #[arg(long)]
        email: String,
        /// Their role: owner, admin, editor, author, viewer, or a custom role.
        #[arg(long)]
        role: String,
        /// Their name; by default the part of the email address before the @.
        #[arg(long)]
        name: Option<String>,
        /// Read their password from standard input instead of printing a link.
        #[arg(long)]
        password_stdin: bool,
    },
    /// Change someone's role.
    Role {
        /// Their email address.
        email: String,
        /// The role.
        role: String,
    },
    /// Disable sign-in for someone.
    Disable {
        /// Their email address.
        email: String,
    },
    /// Enable sign-in for someone.
    Enable {
        /// Their email address.
        email: String,
    },
    /// Print a link for choosing a new password.
    PasswordLink {
        /// Their email address.
        email: String,
    },
    /// Remove someone from the site.
    Remove {
        /// Their email address.
        email: String,
    },
    /// Sign someone out everywhere.
    EndSessions {
        /// Their email address.
        email: String,
    },
    /// Turn off two-step sign-in for someone who has lost their phone.
    ResetSecondFactor {
        /// Their email address.
        email: String,
    },
    /// Delete someone's account. What they wrote stays, without their name.
    Delete {
        /// Their email address.
        email: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Replace the secret key and re-encrypt every secret.
    ///
    /// Stop every server of the instance first. If it is interrupted, the instance keeps working with one of the two keys, and the
    /// command can be run again. Links to previews stop working.
    Rotate {
        /// Read the new key from standard input, for an instance whose key is in its settings: 64 hexadecimal digits.
        #[arg(long)]
        key_stdin: bool,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TokenKind {
    /// A script.
    Script,
    /// An AI agent. It can't approve its own calls.
    Agent,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Create a token and print it. It is shown only once.
    Create {
        /// A name for it.
        #[arg(long)]
        name: String,
        /// Comma-separated permissions: capabilities, groups such as site.*, or all.
        #[arg(long, value_delimiter = ',', required = true)]
        capabilities: Vec<String>,
        /// Who will use it.
        #[arg(long, value_enum, default_value = "script")]
        kind: TokenKind,
        /// Days until it expires [default: 90].
        #[arg(long, value_name = "DAYS")]
        expires_in_days: Option<u32>,
        /// Never expire. Only for scripts.
        #[arg(long, conflicts_with = "expires_in_days")]
        never_expires: bool,
    },
    /// List tokens.
    List,
    /// Revoke a token. It stops working immediately.
    Revoke {
        /// Its id, as `token list` shows it.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tool {
    /// List tools.
    List {
        /// Only tools of this scope, such as site.
        #[arg(long)]
        scope: Option<String>,
    },
    /// Show a tool's input and output.
    Describe {
        /// The tool, as shown by `tool list`.
        name: String,
        /// The scope it belongs to.
        #[arg(long)]
        scope: Option<String>,
    },
    /// Call a tool. Exits with 1 if the call fails.
    ///
    /// For example: sitewright tool call addPage --scope site '{"title": "About us"}'
    Call {
        /// The tool, as shown by `tool list`.
        name: String,
        /// The input as JSON; same as --args.
        #[arg(value_name = "JSON", conflicts_with = "args")]
        input: Option<String>,
        /// The scope it belongs to.
        #[arg(long)]
        scope: Option<String>,
        /// The input as JSON. @FILE reads a file, - reads standard input.
        #[arg(long, value_name = "JSON|@FILE|-", default_value = "{}")]
        args: String,
        /// An idempotency key. Repeating a call with the same key returns the first result.
        #[arg(long)]
        key: Option<String>,
        /// Approve calls that would ask a person first.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum OpenApi {
    /// Check a document, and print where each problem is and how to fix it. Exits with 1 if the document would be refused.
    Lint {
        /// The document, in JSON or YAML. Files it references are read too.
        file: PathBuf,
    },
    /// Add the tools of a document, or replace those of its earlier version.
    ///
    /// For example: `sitewright openapi add flights.yaml --base-url https://api.example.com`
    Add {
        /// The file or URL of the document, in JSON or YAML. Files it references are read too.
        #[arg(value_name = "FILE|URL")]
        document: String,
        /// The URL of the service [default: the servers in the document].
        #[arg(long, value_name = "URL")]
        base_url: Option<url::Url>,
        /// Read secrets by security scheme from standard input, as a JSON object.
        #[arg(long)]
        credentials_stdin: bool,
        /// Also make a tool from this operation, by operationId or as "GET /path"; repeatable.
        #[arg(long, value_name = "OPERATION")]
        operation: Vec<String>,
        /// Make a tool from every operation.
        #[arg(long, conflicts_with = "operation")]
        all_operations: bool,
    },
    /// List documents and their problems.
    List,
    /// Review a new version of a document that drops guarantees.
    Review {
        /// The document, as shown by `openapi list`.
        name: String,
        /// Use the new version from now on.
        #[arg(long, required_unless_present = "reject")]
        accept: bool,
        /// Keep the current version.
        #[arg(long, conflicts_with = "accept")]
        reject: bool,
    },
    /// Remove a document and its tools.
    Remove {
        /// The document, as shown by `openapi list`.
        name: String,
    },
    /// Allow a tool to use the personal data it needs.
    Grant {
        /// The tool, as shown by `tool list`.
        tool: String,
    },
    /// List the personal data that tools are allowed to use.
    Grants,
    /// Revoke a tool's access to your personal data.
    Revoke {
        /// The tool, as shown by `openapi grants`.
        tool: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Mission {
    /// List missions, newest first.
    List,
    /// Show a mission with its legs and anything that couldn't be cancelled.
    Show {
        /// The mission, as shown by `mission list`.
        id: String,
    },
    /// Resume a mission that was interrupted or is waiting to retry.
    Resume {
        /// The mission, as shown by `mission list`.
        id: String,
    },
    /// Stop a mission and cancel what it has done.
    Stop {
        /// The mission, as shown by `mission list`.
        id: String,
    },
    /// Cancel a leg of a completed mission.
    Cancel {
        /// The mission, as shown by `mission list`.
        id: String,
        /// The leg, as shown by `mission show`.
        leg: String,
    },
    /// Mark a leg that couldn't be cancelled as resolved.
    Resolve {
        /// The mission, as shown by `mission list`.
        id: String,
        /// The leg, as shown by `mission show`.
        leg: String,
        /// What you did and why, for the activity log.
        #[arg(long)]
        note: String,
    },
}

/// What the built-in commands understand, generated from the grammar.
const BUILT_IN_COMMANDS: &str = include_str!("../../../docs/commands.md");

#[derive(Debug, Args)]
#[command(after_long_help = BUILT_IN_COMMANDS)]
pub(crate) struct Chat {
    /// What to ask for; - reads standard input.
    pub(crate) prompt: String,
    /// The area: site, content, data, plugin or breadcrumbs.
    #[arg(long, default_value = "site")]
    pub(crate) scope: String,
    /// The credential to use, as shown by `credential list` [default: the area's default].
    #[arg(long, value_name = "ID")]
    pub(crate) credential: Option<String>,
    /// The model to ask [default: the area's default]. `offline` uses the built-in commands.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Continue a conversation.
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Show a plan first, and apply it once you accept it.
    #[arg(long)]
    pub(crate) plan: bool,
    /// Approve everything that would ask a person, including plans.
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Approvals {
    /// List calls waiting for approval, oldest first.
    List {
        /// List the calls whose outcome is unknown instead.
        #[arg(long)]
        unknown: bool,
    },
    /// Approve a call. It runs once, exactly as requested.
    Approve {
        /// The call or the card, as shown by `approvals list`.
        id: String,
    },
    /// Deny a call.
    Deny {
        /// The call or the card, as shown by `approvals list`.
        id: String,
    },
    /// Record the outcome of a call whose outcome is unknown.
    Settle {
        /// The call, as shown by `approvals list --unknown`.
        id: String,
        /// What you found in the other system.
        #[arg(value_enum)]
        found: SettledAs,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SettledAs {
    /// It was done.
    Happened,
    /// It was not done.
    DidNotHappen,
    /// Send it again; the other system recognises it as the same call.
    SendAgain,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Print the active policy.
    Show,
    /// Check a policy, and list the calls of the last 30 days that it would have decided differently.
    Test {
        /// The file with the policy, in Cedar; - reads standard input.
        file: String,
    },
    /// Explain the decision about a call.
    Why {
        /// The call, as `approvals list` or the error shows it.
        id: String,
    },
    /// Check a policy and activate it.
    Set {
        /// The file with the policy, in Cedar; - reads standard input.
        #[arg(required_unless_present = "shipped")]
        file: Option<String>,
        /// Reset to the default policy.
        #[arg(long, conflicts_with = "file")]
        shipped: bool,
        /// Try it alongside the active policy: it decides nothing, and differences are recorded.
        #[arg(long, conflicts_with = "shipped")]
        shadow: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Credential {
    /// Add a credential for a model provider. Areas without a default model get one.
    ///
    /// For example: sitewright credential add --provider anthropic --label Main --api-key-stdin < key.txt
    Add {
        /// The provider: anthropic, openai, openrouter, ollama or venice.
        #[arg(long)]
        provider: String,
        /// A name for it.
        #[arg(long)]
        label: String,
        /// A custom endpoint for the provider.
        #[arg(long, value_name = "URL")]
        base_url: Option<String>,
        /// Read the key from standard input.
        #[arg(long)]
        api_key_stdin: bool,
    },
    /// List credentials, without their keys.
    List,
    /// Test a credential with its provider. Exits with 1 if it is not accepted.
    Test {
        /// The credential, as shown by `credential list`.
        id: String,
    },
    /// Delete a credential that no default uses.
    Remove {
        /// The credential, as shown by `credential list`.
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Only list what would change.
    #[arg(long, conflicts_with_all = ["leave_out", "note"])]
    pub(crate) preview: bool,
    /// Leave out this page, such as /about; repeatable.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) leave_out: Vec<String>,
    /// A note for the release.
    #[arg(long)]
    pub(crate) note: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The folder. It is created if missing, and must be empty.
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// Overwrite files with the same names in a folder that isn't empty. Other files stay.
    #[arg(long)]
    pub(crate) overwrite: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Verify that the log has not been altered. Exits with 1 if it has.
    Verify {
        /// The head printed by an earlier check. Without it, entries removed from the end go unnoticed.
        #[arg(long, value_name = "HEAD")]
        expect: Option<String>,
    },
    /// Erase the details of an entry, such as personal data. This is logged too.
    Redact {
        /// The entry, as shown by `sitewright audit list --json`.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Show the activity log, newest first.
    List {
        /// How many entries.
        #[arg(long, default_value_t = 50)]
        limit: u16,
    },
}
