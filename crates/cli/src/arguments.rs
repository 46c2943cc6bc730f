//! The command line: one definition from which parsing and help are derived.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// Sitewright: a website that people and AI agents change through the same governed tools.
///
/// Commands work on the data folder. While a server has it, they go through that server, so open tabs see the result. With
/// --server they work on a server elsewhere.
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
    /// The data folder; ./data when left out.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// A settings file instead of sitewright.toml in the data folder.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Any setting of docs/settings.md; may be given several times.
    #[arg(long = "set", global = true, value_name = "NAME=VALUE")]
    pub(crate) settings: Vec<String>,
    /// A running server elsewhere, such as `https://www.example.com`; needs --token.
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
    /// The short name of the site, where there are several.
    #[arg(long, global = true, value_name = "SLUG")]
    pub(crate) site: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Start the server; prints its address on one line when it is ready.
    Serve {
        /// The address to listen on; 127.0.0.1:8080 when left out.
        #[arg(long, value_name = "ADDRESS")]
        listen: Option<String>,
    },
    /// Make the first account, or print the one-time link that does.
    Setup(Setup),
    /// The people of the site.
    #[command(subcommand)]
    User(User),
    /// API tokens for scripts and agents.
    #[command(subcommand)]
    Token(Token),
    /// The key that secrets are encrypted with.
    #[command(subcommand)]
    Key(Key),
    /// The tools that read and change the site.
    #[command(subcommand)]
    Tool(Tool),
    /// OpenAPI documents whose operations become tools.
    #[command(subcommand, name = "openapi")]
    OpenApi(OpenApi),
    /// Missions: calls that succeed together or are taken back.
    #[command(subcommand)]
    Mission(Mission),
    /// Ask the assistant for something, and watch it work.
    ///
    /// For example: sitewright chat "add an About page". Without a credential the built-in commands answer; they are no AI and
    /// understand a list of requests (docs/commands.md).
    Chat(Chat),
    /// Calls that wait for a person's yes, and those whose outcome is unknown.
    #[command(subcommand)]
    Approvals(Approvals),
    /// The policy that decides which calls run, ask or are refused.
    #[command(subcommand)]
    Policy(Policy),
    /// Access to model providers.
    #[command(subcommand)]
    Credential(Credential),
    /// Show the draft to visitors, or see what that would change.
    Publish(Publish),
    /// Show visitors an earlier release again; the draft stays as it is.
    Rollback {
        /// The number of the release, as `releases` shows it; the one before when left out.
        #[arg(long, value_name = "N")]
        to: Option<u64>,
    },
    /// List what was published, the newest first.
    Releases {
        /// How many.
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..=200))]
        limit: u16,
    },
    /// Write what visitors see into a folder, for any static host.
    Export(Export),
    /// Entries of collections, out of the site and into it.
    #[command(subcommand)]
    Content(Content),
    /// The activity log.
    #[command(subcommand)]
    Audit(Audit),
    /// Check that everything stored can be read, and recover what cannot.
    ///
    /// Without options it only looks. It exits with 1 when something is damaged.
    Doctor(Doctor),
    /// Show how much the site holds, how much it may, and what is deleted next because of its age.
    Storage,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Content {
    /// Write entries into a file of JSON lines, or into folders of Markdown files with front matter.
    Export {
        /// The file, or the folder for Markdown.
        #[arg(long, value_name = "PATH")]
        out: PathBuf,
        /// Only this collection, by its slug.
        #[arg(long)]
        collection: Option<String>,
        /// The form of the files.
        #[arg(long = "format", value_enum, default_value_t = ContentForm::Jsonl)]
        form: ContentForm,
    },
    /// Create the entries of a file or folder that `export` wrote; those whose slugs exist are changed.
    Import {
        /// A file of JSON lines, or a folder with one folder of Markdown files for each collection.
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
    /// Read the files of earlier releases, pictures and fonts as well.
    #[arg(long)]
    pub(crate) all_files: bool,
    /// Rewrite damaged release files whose content can be rebuilt.
    #[arg(long, conflicts_with_all = ["recover", "export"])]
    pub(crate) repair: bool,
    /// Make a site whose log is damaged writable again, as far as it can be read.
    #[arg(long, conflicts_with = "export")]
    pub(crate) recover: bool,
    /// With --recover: the entry of a restore point to go back to instead.
    #[arg(long, value_name = "ENTRY", requires = "recover")]
    pub(crate) restore_point: Option<u64>,
    /// Write all documents and log entries into a file, as they are stored, one JSON value per line.
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
    /// What the owner is called; the part of the address before the @ when left out.
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// What the site is called; My site when left out.
    #[arg(long)]
    pub(crate) site_name: Option<String>,
    /// Begin with an empty page instead of the example site.
    #[arg(long, requires = "email")]
    pub(crate) empty: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum User {
    /// List the people of the site.
    List,
    /// Add somebody; prints the link with which they choose a password.
    Add {
        /// Where they are reached.
        #[arg(long)]
        email: String,
        /// Their role: owner, admin, editor, author, viewer, or one of the site's own.
        #[arg(long)]
        role: String,
        /// What they are called; the part of the address before the @ when left out.
        #[arg(long)]
        name: Option<String>,
        /// Read their password from standard input instead of printing a link.
        #[arg(long)]
        password_stdin: bool,
    },
    /// Give somebody another role.
    Role {
        /// Whom.
        email: String,
        /// The role.
        role: String,
    },
    /// Keep somebody from signing in.
    Disable {
        /// Whom.
        email: String,
    },
    /// Let somebody sign in again.
    Enable {
        /// Whom.
        email: String,
    },
    /// Print a link with which somebody chooses a new password.
    PasswordLink {
        /// Whom.
        email: String,
    },
    /// Take somebody off the site.
    Remove {
        /// Whom.
        email: String,
    },
    /// Sign somebody out everywhere.
    EndSessions {
        /// Whom.
        email: String,
    },
    /// Turn off two-step sign-in for somebody who has lost their phone.
    ResetSecondFactor {
        /// Whom.
        email: String,
    },
    /// Delete somebody's account. What they wrote stays, without their name.
    Delete {
        /// Whom.
        email: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Key {
    /// Replace the secret key, and encrypt every secret again with the new one.
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
    /// A program written by people.
    Script,
    /// A model; what it confirms counts for nothing.
    Agent,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Make a token and print it, this once.
    Create {
        /// What to call it.
        #[arg(long)]
        name: String,
        /// What it allows, separated by commas: capabilities, groups such as site.*, or all.
        #[arg(long, value_delimiter = ',', required = true)]
        capabilities: Vec<String>,
        /// Who drives its holder.
        #[arg(long, value_enum, default_value = "script")]
        kind: TokenKind,
        /// After how many days it stops working; 90 when left out.
        #[arg(long, value_name = "DAYS")]
        expires_in_days: Option<u32>,
        /// Let it work until it is revoked; only for scripts.
        #[arg(long, conflicts_with = "expires_in_days")]
        never_expires: bool,
    },
    /// List the tokens of the site.
    List,
    /// Revoke a token; it stops working at once.
    Revoke {
        /// Its id, as `token list` shows it.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Tool {
    /// List the tools there are.
    List {
        /// Only tools of this scope, such as site.
        #[arg(long)]
        scope: Option<String>,
    },
    /// Show what a tool takes and what it answers.
    Describe {
        /// The tool, as `tool list` shows it.
        name: String,
        /// The scope it belongs to.
        #[arg(long)]
        scope: Option<String>,
    },
    /// Call a tool. Exit code 1 when it could not do what was asked.
    ///
    /// For example: sitewright tool call addPage --scope site '{"title": "About us"}'
    Call {
        /// The tool, as `tool list` shows it.
        name: String,
        /// What goes in, as JSON; the same as --args.
        #[arg(value_name = "JSON", conflicts_with = "args")]
        input: Option<String>,
        /// The scope it belongs to.
        #[arg(long)]
        scope: Option<String>,
        /// What goes in, as JSON; @FILE reads a file, - reads standard input.
        #[arg(long, value_name = "JSON|@FILE|-", default_value = "{}")]
        args: String,
        /// A key that repeats of the same call have, too; they get the first one's answer.
        #[arg(long)]
        key: Option<String>,
        /// Say yes to what would ask a person first.
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum OpenApi {
    /// Check a document, with the place and the remedy of everything that is wrong. Exit code 1 when it would be refused.
    Lint {
        /// The document, JSON or YAML. Files that it refers to are read as well.
        file: PathBuf,
    },
    /// Add the tools of a document, or replace those of its earlier version.
    ///
    /// For example: `sitewright openapi add flights.yaml --base-url https://api.example.com`
    Add {
        /// The document, JSON or YAML, as a file or an address. Files that it refers to are read as well.
        #[arg(value_name = "FILE|URL")]
        document: String,
        /// Where its operations are called; the document's own servers when left out.
        #[arg(long, value_name = "URL")]
        base_url: Option<url::Url>,
        /// Read secrets by security scheme from standard input, as a JSON object.
        #[arg(long)]
        credentials_stdin: bool,
        /// Make a tool of an operation that does not say so, by operationId or as "GET /path"; may be given several times.
        #[arg(long, value_name = "OPERATION")]
        operation: Vec<String>,
        /// Make a tool of every operation.
        #[arg(long, conflicts_with = "operation")]
        all_operations: bool,
    },
    /// List the documents and what is wrong with them.
    List,
    /// Decide on a new version of a document that takes promises back.
    Review {
        /// The document, as `openapi list` shows it.
        name: String,
        /// Use the new version from now on.
        #[arg(long, required_unless_present = "reject")]
        accept: bool,
        /// Drop the new version.
        #[arg(long, conflicts_with = "accept")]
        reject: bool,
    },
    /// Remove a document and its tools.
    Remove {
        /// The document, as `openapi list` shows it.
        name: String,
    },
    /// Let a tool have the personal data that it needs.
    Grant {
        /// The tool, as `tool list` shows it.
        tool: String,
    },
    /// List the personal data that you let tools have.
    Grants,
    /// Take back what you let a tool have.
    Revoke {
        /// The tool, as `openapi grants` shows it.
        tool: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Mission {
    /// List the missions, the newest first.
    List,
    /// Show a mission with its legs and what is left of it.
    Show {
        /// The mission, as `mission list` shows it.
        id: String,
    },
    /// Go on with a mission that was interrupted or waits for its next attempt.
    Resume {
        /// The mission, as `mission list` shows it.
        id: String,
    },
    /// Stop a mission and take back what it did.
    Stop {
        /// The mission, as `mission list` shows it.
        id: String,
    },
    /// Cancel a leg of a completed mission.
    Cancel {
        /// The mission, as `mission list` shows it.
        id: String,
        /// The leg, as `mission show` names it.
        leg: String,
    },
    /// Record that you took care of what is left of a leg.
    Resolve {
        /// The mission, as `mission list` shows it.
        id: String,
        /// The leg, as `mission show` names it.
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
    /// What it is about: site, content, data, plugin or breadcrumbs.
    #[arg(long, default_value = "site")]
    pub(crate) scope: String,
    /// The credential to use, as `credential list` shows it; the default's when left out.
    #[arg(long, value_name = "ID")]
    pub(crate) credential: Option<String>,
    /// The model to ask; the scope's default when left out. `offline` is the built-in commands.
    #[arg(long)]
    pub(crate) model: Option<String>,
    /// Go on with a conversation.
    #[arg(long, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// Have a plan made first, and apply it after you have seen it.
    #[arg(long)]
    pub(crate) plan: bool,
    /// Say yes to whatever would ask a person, plans included.
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Approvals {
    /// List what waits for a yes, the oldest first.
    List {
        /// List the calls whose outcome is unknown instead.
        #[arg(long)]
        unknown: bool,
    },
    /// Say yes: the call runs as it was asked for, once.
    Approve {
        /// The call or the card, as `approvals list` shows it.
        id: String,
    },
    /// Say no.
    Deny {
        /// The call or the card, as `approvals list` shows it.
        id: String,
    },
    /// Say what came of a call whose outcome is unknown.
    Settle {
        /// The call, as `approvals list --unknown` shows it.
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
    /// Send it again: the other side takes the same key for the same call.
    SendAgain,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// Print the policy that counts.
    Show,
    /// Check a policy, and tell which calls of the last 30 days it would have decided otherwise.
    Test {
        /// The file with the policy, in Cedar; - reads standard input.
        file: String,
    },
    /// Explain what was decided about a call.
    Why {
        /// The call, as `approvals list` or the error shows it.
        id: String,
    },
    /// Make a policy the one that counts, after it was checked.
    Set {
        /// The file with the policy, in Cedar; - reads standard input.
        #[arg(required_unless_present = "shipped")]
        file: Option<String>,
        /// Go back to the policy that Sitewright comes with.
        #[arg(long, conflicts_with = "file")]
        shipped: bool,
        /// Try it beside the one that counts; it decides nothing, and differences are recorded.
        #[arg(long, conflicts_with = "shipped")]
        shadow: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Credential {
    /// Add access to a model provider. Scopes without a default model get one.
    ///
    /// For example: sitewright credential add --provider anthropic --label Main --api-key-stdin < key.txt
    Add {
        /// The provider: anthropic, openai, openrouter, ollama or venice.
        #[arg(long)]
        provider: String,
        /// What to call it.
        #[arg(long)]
        label: String,
        /// Where the provider is, when it is not at its own address.
        #[arg(long, value_name = "URL")]
        base_url: Option<String>,
        /// Read the key from standard input.
        #[arg(long)]
        api_key_stdin: bool,
    },
    /// List the credentials, without their keys.
    List,
    /// Ask the provider whether it accepts a credential; exit code 1 when it does not.
    Test {
        /// The credential, as `credential list` shows it.
        id: String,
    },
    /// Forget a credential that no default rests on.
    Remove {
        /// The credential, as `credential list` shows it.
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Publish {
    /// Only list what would change.
    #[arg(long, conflicts_with_all = ["leave_out", "note"])]
    pub(crate) preview: bool,
    /// An address that keeps what is published there, such as /about; may be given several times.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) leave_out: Vec<String>,
    /// What to write about the release.
    #[arg(long)]
    pub(crate) note: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The folder; made when missing, refused when it holds something.
    #[arg(value_name = "OUT")]
    pub(crate) out: PathBuf,
    /// Write over files of the same names in a folder that holds something. Others stay.
    #[arg(long)]
    pub(crate) overwrite: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Check that nobody changed the log; exit code 1 when somebody did.
    Verify {
        /// The head that an earlier check printed. Without it, entries cut off at the end go unnoticed.
        #[arg(long, value_name = "HEAD")]
        expect: Option<String>,
    },
    /// Erase the details of an entry, such as personal data. An entry of its own records it.
    Redact {
        /// The entry, as `sitewright audit list --json` shows it.
        #[arg(value_name = "ID")]
        id: String,
    },
    /// Show what happened, the newest first.
    List {
        /// How many entries.
        #[arg(long, default_value_t = 50)]
        limit: u16,
    },
}
