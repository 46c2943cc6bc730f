//! Requests per second on a published page, compared with nginx on the same bytes; then publishing itself.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::{Bed, Met, Row, Section, Target, library, start};

const ROUNDS: usize = 5;
const SECONDS: u64 = 4;
const CONNECTIONS: usize = 32;
/// The target that DESIGN sets: at least this share of nginx's requests per second.
const SHARE: f64 = 0.8;
const START_LIMIT: Duration = Duration::from_secs(30);

pub(super) fn measure(bed: &Bed) -> Result<Section> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    start::set_up(&bed.program, &data)?;
    publish_a_page(&bed.program, &data)?;
    let tools = Tools::find(&bed.root)?;
    let (product_port, nginx_port) = (free_port()?, free_port()?);
    let mut product = Command::new(&bed.program);
    product.arg("serve").arg("--data").arg(&data);
    product.args(["--listen", &format!("127.0.0.1:{product_port}")]);
    let _product = Running::start(product, product_port)?;
    let page = fetch(product_port)?;
    let _nginx = nginx(&tools.nginx, folder.path(), (nginx_port, &page))?;
    ensure!(fetch(nginx_port)? == page, "both serve the same bytes");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(tools.requests_per_second(product_port)?);
        theirs.push(tools.requests_per_second(nginx_port)?);
    }
    let (ours, theirs) = (median(&mut ours), median(&mut theirs));
    let share = ours / theirs;
    let kilobytes = page.len() / 1000;
    let mut rows = vec![Row {
        measure: format!(
            "requests per second on a published page of {kilobytes} KB, against nginx"
        ),
        product: format!("{ours:.0}/s"),
        baseline: format!("{theirs:.0}/s"),
        ratio: format!("{share:.2}"),
        target: Some(Target {
            text: format!("at least {SHARE} of nginx's, found {share:.2}"),
            met: if share >= SHARE { Met::Yes } else { Met::No },
        }),
    }];
    let publishing = library::publish(bed)?;
    rows.extend(publishing.rows);
    Ok(Section {
        method: format!(
            "Release build, SQLite. Requests: {ROUNDS} rounds of {SECONDS} s turn about, medians; wrk with {CONNECTIONS} connections and one thread \
             on the same machine, no compression asked for; nginx with a worker per processor, `sendfile` and no log. {}",
            publishing.method
        ),
        rows,
    })
}

/// Creates a page of about eight kilobytes and publishes it as the start page.
fn publish_a_page(program: &Path, data: &Path) -> Result<()> {
    let paragraph = "<p>The quick brown fox jumps over the lazy dog, again and again, until the page is long enough.</p>";
    let call = |tool: &str, arguments: &str| -> Result<serde_json::Value> {
        let mut command = Command::new(program);
        command.args([
            "tool", "call", tool, "--scope", "site", "--json", "--args", arguments, "--data",
        ]);
        let output = command.arg(data).output()?;
        ensure!(
            output.status.success(),
            "{tool} failed: {}",
            String::from_utf8_lossy(&output.stdout)
        );
        Ok(serde_json::from_slice(&output.stdout)?)
    };
    let read = call("read_document", "{}")?["data"].to_string();
    let root = read
        .split_once("uid=\\\"")
        .and_then(|(_, rest)| rest.split_once("\\\""))
        .context("the page has a body")?
        .0
        .to_owned();
    let html = serde_json::json!({ "parentId": root, "html": paragraph.repeat(76) });
    call("insertHtml", &html.to_string())?;
    let published = Command::new(program)
        .args(["publish", "--data"])
        .arg(data)
        .output()?;
    ensure!(
        published.status.success(),
        "publishing failed: {}",
        String::from_utf8_lossy(&published.stderr)
    );
    Ok(())
}

/// nginx and wrk: the installed ones, or else Debian's, unpacked next to the build and not installed.
struct Tools {
    nginx: PathBuf,
    wrk: PathBuf,
    libraries: PathBuf,
}

impl Tools {
    fn find(root: &Path) -> Result<Self> {
        let folder = root.join("target/bench-tools");
        let libraries = folder.join("usr/lib/x86_64-linux-gnu");
        let installed = |name: &str| {
            let places = ["/usr/sbin", "/usr/bin", "/usr/local/bin"];
            let mut found = places.iter().map(|place| Path::new(place).join(name));
            found.find(|path| path.exists())
        };
        if let (Some(nginx), Some(wrk)) = (installed("nginx"), installed("wrk")) {
            return Ok(Self {
                nginx,
                wrk,
                libraries,
            });
        }
        let (nginx, wrk) = (folder.join("usr/sbin/nginx"), folder.join("usr/bin/wrk"));
        if !(nginx.exists() && wrk.exists()) {
            unpack(&folder)
                .context("nginx and wrk are not to be had; install both to run this benchmark")?;
        }
        Ok(Self {
            nginx,
            wrk,
            libraries,
        })
    }

    fn requests_per_second(&self, port: u16) -> Result<f64> {
        let output = Command::new(&self.wrk)
            .env("LD_LIBRARY_PATH", &self.libraries)
            .args(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{SECONDS}s")])
            .arg(format!("http://127.0.0.1:{port}/"))
            .output()
            .context("wrk does not run")?;
        let text = String::from_utf8_lossy(&output.stdout);
        ensure!(
            !text.contains("Non-2xx"),
            "not every answer was a page:\n{text}"
        );
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("Requests/sec:"));
        let number = line.with_context(|| format!("wrk said: {text}"))?;
        Ok(number.trim().parse()?)
    }
}

fn unpack(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let packages = ["nginx", "wrk", "libluajit-5.1-2"];
    let downloaded = Command::new("apt-get")
        .current_dir(folder)
        .arg("download")
        .args(packages)
        .output()
        .context("there is no apt-get")?;
    ensure!(
        downloaded.status.success(),
        "{}",
        String::from_utf8_lossy(&downloaded.stderr)
    );
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "deb") {
            let unpacked = Command::new("dpkg-deb")
                .arg("-x")
                .arg(&path)
                .arg(folder)
                .status()?;
            ensure!(unpacked.success(), "{} cannot be unpacked", path.display());
        }
    }
    Ok(())
}

fn nginx(program: &Path, folder: &Path, (port, page): (u16, &[u8])) -> Result<Running> {
    let place = folder.join("nginx");
    fs::create_dir_all(place.join("html"))?;
    fs::write(place.join("html/index.html"), page)?;
    let shown = place.display();
    let config = format!(
        "worker_processes auto;\npid {shown}/pid;\nerror_log {shown}/error.log crit;\ndaemon off;\nmaster_process on;\nuser root;\n\
         events {{ worker_connections 1024; }}\nhttp {{\n  access_log off;\n  sendfile on;\n  tcp_nopush on;\n  keepalive_requests 100000000;\n\
         \x20 open_file_cache max=100;\n  types {{ text/html html; }}\n  charset utf-8;\n\
         \x20 client_body_temp_path {shown}/body;\n  proxy_temp_path {shown}/proxy;\n  fastcgi_temp_path {shown}/fastcgi;\n\
         \x20 uwsgi_temp_path {shown}/uwsgi;\n  scgi_temp_path {shown}/scgi;\n\
         \x20 server {{ listen 127.0.0.1:{port}; root {shown}/html; }}\n}}\n"
    );
    let file = place.join("nginx.conf");
    fs::write(&file, config)?;
    let mut command = Command::new(program);
    command.arg("-c").arg(&file).arg("-p").arg(&place);
    Running::start(command, port)
}

/// A server that answers; it is stopped when the value is dropped.
struct Running(Child);

impl Running {
    fn start(mut command: Command, port: u16) -> Result<Self> {
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut running = Self(
            command
                .spawn()
                .with_context(|| format!("{command:?} does not run"))?,
        );
        let started = Instant::now();
        while fetch(port).is_err() {
            if let Some(status) = running.0.try_wait()? {
                bail!("the server ended before it answered ({status}): {command:?}");
            }
            ensure!(
                started.elapsed() < START_LIMIT,
                "the server does not answer: {command:?}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(running)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A master process stops its workers when it is asked to terminate, but not when it is killed.
        let asked = Command::new("kill").arg(self.0.id().to_string()).status();
        if !asked.is_ok_and(|status| status.success()) {
            self.0.kill().ok();
        }
        self.0.wait().ok();
    }
}

/// The body of the start page.
fn fetch(port: u16) -> Result<Vec<u8>> {
    let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    connection.set_read_timeout(Some(Duration::from_secs(5)))?;
    write!(
        connection,
        "GET / HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer)?;
    ensure!(answer.starts_with(b"HTTP/1.1 200"), "no page");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    Ok(answer.split_off(end.context("no end of the head")? + 4))
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
