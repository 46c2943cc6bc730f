//! A real Chromium: where it is, the flags it needs to run headless (as root too), and one-shot looks at a page.
//!
//! Flows with clicks are the browser tests in `web/e2e`; this is for the question "what does a browser make of this address".

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{Missing, Prerequisite, unless_left_out};

/// The variable that names the browser to use.
pub const BROWSER_VARIABLE: &str = "CHROMIUM";

const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];

/// What every launch needs: no sandbox (root has none), no first-run pages, no calls home.
pub const LAUNCH_FLAGS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

/// How long a page may take to load and settle.
const SETTLE_LIMIT_MS: u32 = 10_000;
const LAUNCH_LIMIT: Duration = Duration::from_secs(60);

/// The size of the window, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// From left to right.
    pub width: u32,
    /// From top to bottom.
    pub height: u32,
}

/// What `prefers-color-scheme` answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Dark text on light ground.
    Light,
    /// Light text on dark ground.
    Dark,
}

/// Where Chromium is.
///
/// # Errors
/// When there is none, with the remedy, or browsers are left out.
pub fn locate() -> Result<PathBuf, Missing> {
    unless_left_out(Prerequisite::Browser)?;
    if let Some(named) = std::env::var_os(BROWSER_VARIABLE).filter(|named| !named.is_empty()) {
        let named = PathBuf::from(named);
        return if named.is_file() {
            Ok(named)
        } else {
            Err(Missing::absent(
                Prerequisite::Browser,
                format!(
                    "{BROWSER_VARIABLE} names {}, which is not a file.",
                    named.display()
                ),
            ))
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::iter::once(PathBuf::from("/usr/bin"))
        .chain(std::env::split_paths(&path))
        .collect();
    NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|candidate| candidate.is_file())
        .ok_or_else(|| {
            Missing::absent(
                Prerequisite::Browser,
                format!(
                    "Chromium is not installed: install it (on Debian `apt-get install chromium`) or name one in {BROWSER_VARIABLE}."
                ),
            )
        })
}

/// The document as HTML after its scripts have run.
///
/// # Errors
/// When there is no browser.
///
/// # Panics
/// When the browser fails or takes longer than a minute.
pub fn dump_dom(url: &str) -> Result<String, Missing> {
    let budget = format!("--virtual-time-budget={SETTLE_LIMIT_MS}");
    Ok(launch(&locate()?, &["--dump-dom", &budget, url]))
}

/// Writes a PNG of the page's first screen.
///
/// # Errors
/// When there is no browser.
///
/// # Panics
/// When the browser fails, takes longer than a minute or leaves no picture.
pub fn screenshot(url: &str, picture: &Path, size: Size, scheme: Scheme) -> Result<(), Missing> {
    let browser = locate()?;
    let budget = format!("--virtual-time-budget={SETTLE_LIMIT_MS}");
    let output = format!("--screenshot={}", picture.display());
    let window = format!("--window-size={},{}", size.width, size.height);
    let mut arguments = vec![budget.as_str(), &output, &window];
    // Blink's own switch; `--force-dark-mode` colours the window's frame, which a headless window does not have.
    arguments.push(match scheme {
        Scheme::Light => "--blink-settings=preferredColorScheme=1",
        Scheme::Dark => "--blink-settings=preferredColorScheme=0",
    });
    arguments.push(url);
    launch(&browser, &arguments);
    assert!(picture.is_file(), "the browser left no picture of {url}");
    Ok(())
}

/// A browser that stays at a page until it is dropped.
#[derive(Debug)]
pub struct Visit {
    child: Child,
    _profile: TempDir,
}

impl Visit {
    /// Opens a page. Names of the network lead nowhere: the page sees what is on 127.0.0.1 only.
    ///
    /// # Errors
    /// When there is no browser.
    ///
    /// # Panics
    /// When the browser does not start.
    pub fn to(url: &str, size: Size) -> Result<Self, Missing> {
        let browser = locate()?;
        let profile = tempfile::tempdir().expect("a temporary folder");
        let child = Command::new(browser)
            .args(LAUNCH_FLAGS)
            .arg("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
            .arg(format!("--window-size={},{}", size.width, size.height))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            // Without it a headless browser ends once the page is loaded.
            .arg("--remote-debugging-port=0")
            .arg(url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser runs");
        Ok(Self {
            child,
            _profile: profile,
        })
    }

    /// Whether the browser is still there.
    ///
    /// # Panics
    /// When the machine cannot say.
    pub fn is_open(&mut self) -> bool {
        self.child.try_wait().expect("our own child").is_none()
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        // It may be gone already, which is as good.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Runs the browser once with a profile of its own and returns what it printed.
fn launch(browser: &Path, arguments: &[&str]) -> String {
    let profile = tempfile::tempdir().expect("a temporary folder");
    let printed = profile.path().join("printed");
    let mut child = Command::new(browser)
        .args(LAUNCH_FLAGS)
        .arg(format!(
            "--user-data-dir={}",
            profile.path().join("profile").display()
        ))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&printed).expect("our own folder"))
        .stderr(Stdio::null())
        .spawn()
        .expect("the browser runs");
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("our own child") {
            break status;
        }
        if started.elapsed() > LAUNCH_LIMIT {
            child.kill().expect("our own child");
            panic!(
                "the browser took longer than {} s: {arguments:?}",
                LAUNCH_LIMIT.as_secs()
            );
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(
        status.success(),
        "the browser failed ({status}): {arguments:?}"
    );
    std::fs::read_to_string(&printed).expect("the browser prints text")
}

#[cfg(test)]
mod tests {
    use super::{Scheme, Size, dump_dom, screenshot};
    use crate::unless_missing;

    const PAGE: &str = "<body style='margin:0'><script>\
        const dark = matchMedia('(prefers-color-scheme: dark)').matches;\
        document.body.style.background = dark ? '%23000' : '%23fff';\
        setTimeout(() => document.title = 'settled', 500);</script>";

    #[test]
    fn the_document_is_read_after_its_scripts_settled() {
        let Some(document) = unless_missing(dump_dom(&format!("data:text/html,{PAGE}"))) else {
            return;
        };
        assert!(document.contains("<title>settled</title>"), "{document}");
    }

    #[test]
    fn a_picture_has_the_size_and_the_scheme_asked_for() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let take = |name: &str, scheme| {
            let picture = folder.path().join(name);
            let size = Size {
                width: 320,
                height: 200,
            };
            unless_missing(screenshot(
                &format!("data:text/html,{PAGE}"),
                &picture,
                size,
                scheme,
            ))?;
            Some(std::fs::read(picture).expect("it was taken"))
        };
        let Some(light) = take("light.png", Scheme::Light) else {
            return;
        };
        let dark = take("dark.png", Scheme::Dark).expect("the browser was there a moment ago");
        // Width and height stand in the header of a PNG at bytes 16 to 24.
        assert_eq!(light[16..24], [0, 0, 1, 64, 0, 0, 0, 200]);
        assert_ne!(light, dark);
    }
}
