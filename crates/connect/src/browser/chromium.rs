//! One Chromium with a profile of its own, driven over its debugging pipe.
//!
//! The pipe is used instead of the debugging port because a port can be opened by every program of the machine.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use sitewright_egress::ForwardProxy;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout_at};

const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];
const START_TIME: Duration = Duration::from_secs(40);
const LOAD_TIME: Duration = Duration::from_secs(30);
const ANSWER_TIME: Duration = Duration::from_secs(20);
const MESSAGE_BYTES_MAX: u64 = 64 * 1024 * 1024;

const FLAGS: &[&str] = &[
    "--headless=new",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-breakpad",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--mute-audio",
    "--hide-scrollbars",
    "--window-size=1280,900",
    // Loopback addresses go through the proxy as well, which refuses them.
    "--proxy-bypass-list=<-loopback>",
    // The browser looks no name up itself; the exception is the proxy.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    // WebRTC would send UDP past the proxy.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-features=WebRtcHideLocalIpsWithMdns,DnsOverHttps,AsyncDns,MediaRouter,OptimizationHints,NetworkPrediction",
];

/// Why the browser did not do something.
#[derive(Debug, thiserror::Error)]
pub(super) enum BrowserFailure {
    #[error("The browser could not be started: {0}. Install Chromium, or ask an administrator to.")]
    Start(String),
    #[error("The browser has ended; call again to start another.")]
    Gone,
    #[error("The page did not answer in time.")]
    Late,
    #[error("{0}")]
    Page(String),
}

pub(super) struct Chromium {
    child: Child,
    /// What the writing thread sends.
    commands: std::sync::mpsc::Sender<Vec<u8>>,
    messages: mpsc::Receiver<Value>,
    next_id: u64,
    session: Option<String>,
    has_loaded: bool,
    _profile: TempDir,
    _proxy: ForwardProxy,
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It may be gone already, which is as good.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

impl Chromium {
    /// Starts a browser with an empty profile, whose only route out is the proxy.
    pub(super) async fn start(
        program: Option<PathBuf>,
        proxy: ForwardProxy,
    ) -> Result<Self, BrowserFailure> {
        let start = |what: &dyn std::fmt::Display| BrowserFailure::Start(what.to_string());
        let program = program
            .or_else(find)
            .ok_or_else(|| start(&"there is none"))?;
        let profile = tempfile::tempdir().map_err(|error| start(&error))?;
        let mut child = command(&program, &profile, &proxy)
            .spawn()
            .map_err(|error| start(&error))?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(start(&"it has no pipe"));
        };
        let (commands, to_send) = std::sync::mpsc::channel::<Vec<u8>>();
        // Pipes block, so each end has a thread of its own, which ends with the browser.
        std::thread::spawn(move || {
            while let Ok(bytes) = to_send.recv() {
                if stdin
                    .write_all(&bytes)
                    .and_then(|()| stdin.flush())
                    .is_err()
                {
                    break;
                }
            }
        });
        let (tell, messages) = mpsc::channel(1024);
        std::thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut bytes = Vec::new();
            loop {
                bytes.clear();
                let mut bounded = std::io::Read::take(&mut reader, MESSAGE_BYTES_MAX);
                if !matches!(bounded.read_until(0, &mut bytes), Ok(count) if count > 0) {
                    break;
                }
                let text = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
                let Ok(message) = serde_json::from_slice(text) else {
                    break;
                };
                if tell.blocking_send(message).is_err() {
                    break;
                }
            }
        });
        let mut chromium = Self {
            child,
            commands,
            messages,
            next_id: 0,
            session: None,
            has_loaded: false,
            _profile: profile,
            _proxy: proxy,
        };
        chromium.attach().await?;
        Ok(chromium)
    }

    async fn attach(&mut self) -> Result<(), BrowserFailure> {
        let until = Instant::now() + START_TIME;
        let target = self
            .command_until(
                "Target.createTarget",
                json!({ "url": "about:blank" }),
                until,
            )
            .await?;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = self
            .command_until("Target.attachToTarget", attach, until)
            .await?;
        let deny = json!({ "behavior": "deny" });
        self.command_until("Browser.setDownloadBehavior", deny, until)
            .await?;
        self.session = attached["sessionId"].as_str().map(str::to_owned);
        self.command_until("Page.enable", json!({}), until).await?;
        Ok(())
    }

    /// Goes to an address and waits until the page is loaded.
    pub(super) async fn navigate(&mut self, url: &str) -> Result<(), BrowserFailure> {
        self.has_loaded = false;
        let until = Instant::now() + LOAD_TIME;
        let gone = self
            .command_until("Page.navigate", json!({ "url": url }), until)
            .await?;
        if let Some(problem) = gone["errorText"].as_str() {
            return Err(BrowserFailure::Page(format!(
                "The page could not be opened ({problem}). Addresses inside the network are refused unless an operator lists them."
            )));
        }
        while !self.has_loaded {
            let message = self.message(until).await?;
            self.notice(&message)?;
        }
        Ok(())
    }

    /// The value of an expression in the page.
    pub(super) async fn evaluate(&mut self, script: &str) -> Result<Value, BrowserFailure> {
        let parameters = json!({
            "expression": script, "returnByValue": true, "awaitPromise": true, "timeout": ANSWER_TIME.as_millis() as u64,
        });
        let until = Instant::now() + ANSWER_TIME;
        let mut evaluated = self
            .command_until("Runtime.evaluate", parameters, until)
            .await?;
        if let Some(details) = evaluated.get("exceptionDetails") {
            let thrown = details["exception"]["description"].as_str();
            let text = thrown.or(details["text"].as_str()).unwrap_or("It failed.");
            let text: String = text.chars().take(500).collect();
            return Err(BrowserFailure::Page(format!("The script failed: {text}")));
        }
        Ok(evaluated["result"]["value"].take())
    }

    /// Clicks an element with the mouse; false if there is none.
    pub(super) async fn click(&mut self, selector: &str) -> Result<bool, BrowserFailure> {
        let script = format!(
            "(() => {{ const found = document.querySelector({}); if (!found) return null; found.scrollIntoView({{ block: 'center' }}); \
             const box = found.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()",
            json!(selector)
        );
        let place = self.evaluate(&script).await?;
        let (Some(x), Some(y)) = (place[0].as_f64(), place[1].as_f64()) else {
            return Ok(false);
        };
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            let until = Instant::now() + ANSWER_TIME;
            self.command_until("Input.dispatchMouseEvent", event, until)
                .await?;
        }
        Ok(true)
    }

    /// A picture of the visible part of the page, a PNG in base64.
    pub(super) async fn screenshot(&mut self) -> Result<String, BrowserFailure> {
        let until = Instant::now() + ANSWER_TIME;
        let parameters = json!({ "format": "png" });
        let taken = self
            .command_until("Page.captureScreenshot", parameters, until)
            .await?;
        let picture = taken["data"].as_str().map(str::to_owned);
        picture.ok_or_else(|| BrowserFailure::Page("The page gave no picture.".to_owned()))
    }

    async fn command_until(
        &mut self,
        method: &str,
        parameters: Value,
        until: Instant,
    ) -> Result<Value, BrowserFailure> {
        let id = self.send(method, parameters)?;
        loop {
            let mut message = self.message(until).await?;
            if message["id"].as_u64() != Some(id) {
                self.notice(&message)?;
                continue;
            }
            if let Some(error) = message["error"]["message"].as_str() {
                return Err(BrowserFailure::Page(format!(
                    "The browser refused: {error}."
                )));
            }
            return Ok(message["result"].take());
        }
    }

    /// Sends a command, and returns the number that its answer has.
    fn send(&mut self, method: &str, parameters: Value) -> Result<u64, BrowserFailure> {
        self.next_id += 1;
        let id = self.next_id;
        let mut command = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            let is_browser_wide = method.starts_with("Target.") || method.starts_with("Browser.");
            if !is_browser_wide {
                command["sessionId"] = json!(session);
            }
        }
        let mut bytes = command.to_string().into_bytes();
        bytes.push(0);
        self.commands
            .send(bytes)
            .map_err(|_gone| BrowserFailure::Gone)?;
        Ok(id)
    }

    fn notice(&mut self, message: &Value) -> Result<(), BrowserFailure> {
        match message["method"].as_str() {
            Some("Page.loadEventFired") => self.has_loaded = true,
            // A dialog holds the page up until somebody answers. Nobody agrees to anything here, except to leave a page.
            Some("Page.javascriptDialogOpening") => {
                let leaves = message["params"]["type"] == "beforeunload";
                self.send("Page.handleJavaScriptDialog", json!({ "accept": leaves }))?;
            }
            _ => {}
        }
        Ok(())
    }

    async fn message(&mut self, until: Instant) -> Result<Value, BrowserFailure> {
        match timeout_at(until, self.messages.recv()).await {
            Ok(Some(message)) => Ok(message),
            Ok(None) => Err(BrowserFailure::Gone),
            Err(_elapsed) => Err(BrowserFailure::Late),
        }
    }
}

/// The browser reads commands from its descriptor 3 and writes to 4; the shell connects these to our pipes.
fn command(program: &std::path::Path, profile: &TempDir, proxy: &ForwardProxy) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .args([
            "-c",
            "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1",
        ])
        .arg(program)
        .args(FLAGS)
        .arg(format!("--proxy-server=http://{}", proxy.address()))
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if is_root() {
        // Chromium refuses to start its sandbox as root.
        command.arg("--no-sandbox");
    }
    command
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

fn find() -> Option<PathBuf> {
    let folders = ["/usr/bin", "/usr/local/bin", "/snap/bin"];
    let candidates = folders.iter().flat_map(|folder| {
        NAMES
            .iter()
            .map(move |name| PathBuf::from(folder).join(name))
    });
    candidates.into_iter().find(|path| path.is_file())
}
