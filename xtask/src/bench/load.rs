//! Load on a server from a second process: wrk, nginx for comparison, and servers that run for a while.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

pub(super) const SECONDS: u64 = 4;
pub(super) const CONNECTIONS: usize = 32;
const START_LIMIT: Duration = Duration::from_secs(30);

/// nginx and wrk: the installed ones, or else Debian's, unpacked next to the build and not installed.
pub(super) struct LoadTools {
    nginx: PathBuf,
    wrk: PathBuf,
    libraries: PathBuf,
}

impl LoadTools {
    pub(super) fn find(root: &Path) -> Result<Self> {
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

    /// The requests per second that an address answers, all of them with success.
    pub(super) fn requests_per_second(&self, url: &str, token: Option<&str>) -> Result<f64> {
        let mut wrk = Command::new(&self.wrk);
        wrk.env("LD_LIBRARY_PATH", &self.libraries);
        wrk.args(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{SECONDS}s")]);
        if let Some(token) = token {
            wrk.args(["-H", &format!("Authorization: Bearer {token}")]);
        }
        let output = wrk.arg(url).output().context("wrk does not run")?;
        let text = String::from_utf8_lossy(&output.stdout);
        ensure!(
            !text.contains("Non-2xx"),
            "not every answer was a success:\n{text}"
        );
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix("Requests/sec:"));
        let number = line.with_context(|| format!("wrk said: {text}"))?;
        Ok(number.trim().parse()?)
    }

    /// Starts nginx with one page at `/`.
    pub(super) fn nginx(&self, folder: &Path, port: u16, page: &[u8]) -> Result<Running> {
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
        let mut command = Command::new(&self.nginx);
        command.arg("-c").arg(&file).arg("-p").arg(&place);
        Running::start(command, &local_url(port))
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

/// A server that is stopped at the end.
pub(super) struct Running(Child);

impl Running {
    /// Starts the product on a data folder.
    pub(super) fn product(program: &Path, data: &Path, port: u16) -> Result<Self> {
        let mut product = Command::new(program);
        product.arg("serve").arg("--data").arg(data);
        product.args(["--listen", &format!("127.0.0.1:{port}")]);
        Self::start(product, &format!("{}readyz", local_url(port)))
    }

    pub(super) fn process(&self) -> u32 {
        self.0.id()
    }

    /// Starts a server and waits for a successful answer.
    fn start(mut command: Command, url: &str) -> Result<Self> {
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
        while get(url, None).is_err() {
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

pub(super) fn local_url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/")
}

/// The body of a successful answer.
pub(super) fn get(url: &str, token: Option<&str>) -> Result<Vec<u8>> {
    let address = url.strip_prefix("http://").context("not a local address")?;
    let (host, path) = address.split_once('/').context("no path")?;
    let mut connection = TcpStream::connect(host)?;
    connection.set_read_timeout(Some(Duration::from_secs(5)))?;
    let token = token.map_or_else(String::new, |token| {
        format!("authorization: Bearer {token}\r\n")
    });
    write!(
        connection,
        "GET /{path} HTTP/1.1\r\nhost: {host}\r\n{token}connection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    connection.read_to_end(&mut answer)?;
    ensure!(answer.starts_with(b"HTTP/1.1 200"), "no success at {url}");
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n");
    Ok(answer.split_off(end.context("no end of the head")? + 4))
}

pub(super) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?
        .local_addr()?
        .port())
}

pub(super) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
