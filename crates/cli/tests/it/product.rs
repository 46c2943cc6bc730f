//! The product under test: a data folder, the commands that work on it, and the server that has it.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use sitewright_testkit::{Postgres, SmallDisk, TempDatabase, unless_missing};
use tempfile::TempDir;

pub(crate) const OWNER: &str = "ada@example.com";
pub(crate) const PASSWORD: &str = "a long and winding password";

const BINARY: &str = env!("CARGO_BIN_EXE_sitewright");

/// How long anything may take before a test gives up on it; far more than it ever takes.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A data folder and the environment its commands run in; gone after the test.
pub(crate) struct Instance {
    folder: TempDir,
    environment: Vec<(&'static str, String)>,
    database: Option<TempDatabase>,
    disk: Option<SmallDisk>,
}

/// What a command left behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// What a command that succeeded printed with `--json`.
    pub(crate) fn json(&self) -> Value {
        assert_eq!((self.code, self.stderr.as_str()), (Some(0), ""), "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The exit code and the code and sentence of a failure with `--json`.
    pub(crate) fn failure(&self) -> (Option<i32>, String, String) {
        let printed: Value =
            serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"));
        let text = |field: &str| printed[field].as_str().unwrap_or_default().to_owned();
        (self.code, text("code"), text("detail"))
    }
}

impl Instance {
    /// An empty folder, with SQLite.
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            environment: Vec::new(),
            database: None,
            disk: None,
        }
    }

    /// A data folder that is a disk of its own, with an owner.
    pub(crate) fn on_small_disk(megabytes: u32) -> Self {
        let mut instance = Self::new();
        fs::create_dir(instance.data()).unwrap();
        instance.disk = Some(SmallDisk::mount(&instance.data(), megabytes));
        instance.set_up();
        instance
    }

    pub(crate) fn disk(&self) -> &SmallDisk {
        self.disk.as_ref().unwrap()
    }

    /// An empty folder and an empty database on Postgres; nothing where Postgres is missing.
    pub(crate) fn on_postgres() -> Option<Self> {
        let database = unless_missing(Postgres::shared())?.create_database();
        let instance = Self::new().with("DATABASE_URL", &database.url);
        Some(Self {
            database: Some(database),
            ..instance
        })
    }

    /// A folder with an owner.
    pub(crate) fn ready() -> Self {
        let instance = Self::new();
        instance.set_up();
        instance
    }

    /// The same with one more environment variable for everything it runs.
    pub(crate) fn with(mut self, variable: &'static str, value: &str) -> Self {
        self.environment.retain(|(name, _)| *name != variable);
        self.environment.push((variable, value.to_owned()));
        self
    }

    pub(crate) fn variable(&self, variable: &str) -> &str {
        let found = self.environment.iter().find(|(name, _)| *name == variable);
        found.map(|(_, value)| value.as_str()).unwrap()
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.database.is_some()
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A command on the folder, from words without blanks in them.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = match &self.disk {
            Some(disk) => disk.command(BINARY),
            None => Command::new(BINARY),
        };
        closed_in(&mut command, words);
        command.arg("--data").arg(self.data());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run(&self, words: &str) -> Outcome {
        run(self.command(words), "")
    }

    pub(crate) fn run_with_input(&self, words: &str, input: &str) -> Outcome {
        run(self.command(words), input)
    }

    pub(crate) fn set_up(&self) {
        let words = format!("setup --email {OWNER} --password-stdin --json");
        self.run_with_input(&words, PASSWORD).json();
    }

    /// A new token that allows `capabilities`.
    pub(crate) fn token(&self, capabilities: &str) -> String {
        let words = format!("token create --name test --capabilities {capabilities} --json");
        let made = self.run(&words).json();
        made["token"].as_str().unwrap().to_owned()
    }

    /// Starts a server on a free port and waits until it says that it is ready.
    pub(crate) fn serve(&self, words: &str) -> Server {
        let log = self.folder.path().join("log");
        let mut child = self
            .command(&format!("serve --listen 127.0.0.1:0 {words}"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Server {
            child,
            stdout,
            log,
            address: String::new(),
        };
        let line = server.line();
        let said = line.strip_prefix("Sitewright is ready at ");
        let said = said.unwrap_or_else(|| panic!("it did not start: {line:?}\n{}", server.log()));
        server.address = match said.strip_prefix("http://127.0.0.1:") {
            Some(port) => format!("127.0.0.1:{port}"),
            // With a public_url that one is announced, and only the log tells where the server listens.
            None => server.listening_address(),
        };
        server
    }
}

/// A command without a folder, in an environment that lets nothing leave the machine.
pub(crate) fn bare_command(words: &str) -> Command {
    let mut command = Command::new(BINARY);
    closed_in(&mut command, words);
    command
}

/// Gives a command its words and an environment that lets nothing leave the machine.
fn closed_in(command: &mut Command, words: &str) {
    command.args(words.split_whitespace()).env_clear();
    command.env("SITEWRIGHT_MODEL_PRICES_URL", "off");
    command.env("SITEWRIGHT_GOOGLE_FONTS_URL", "off");
    command.env("SITEWRIGHT_FIRST_SITE", "bare");
}

pub(crate) fn run(mut command: Command, input: &str) -> Outcome {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input may be gone already.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A running server, killed with the value.
pub(crate) struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    log: PathBuf,
    /// Host and port to connect to.
    pub(crate) address: String,
}

impl Server {
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next line of its standard output; empty when it ended.
    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// The link on the second line, which is there before set-up.
    pub(crate) fn setup_link(&mut self) -> String {
        let line = self.line();
        let link = line.strip_prefix("To set it up, open this link (it works once): ");
        link.unwrap_or_else(|| panic!("{line:?}")).to_owned()
    }

    /// Its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    fn listening_address(&self) -> String {
        let log = self.log();
        let (_, rest) = log.split_once("listening address=").unwrap();
        rest.split_whitespace().next().unwrap().to_owned()
    }

    /// Ends it at once, as a power cut ends it for the processes around.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends a signal such as `TERM`, and does not wait.
    pub(crate) fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args(["-s", name, &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// Waits for its end; the exit code is nothing when a signal ended it.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        let status = until("the server ends", || self.child.try_wait().unwrap());
        status.code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; there is nothing else to clean up.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Looks again and again until there is something to see.
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(seen) = look() {
            return seen;
        }
        assert!(
            started.elapsed() < PATIENCE,
            "it took too long until {what}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}
