//! A client that sends exactly what it is told, also what no proper client would, and reads the whole answer.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;

use serde_json::Value;

use crate::product::{PATIENCE, Server};

/// A request under construction.
#[derive(Clone)]
pub(crate) struct Call {
    method: &'static str,
    path: String,
    host: Option<String>,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Call {
    fn new(method: &'static str, path: &str) -> Self {
        Self {
            method,
            path: path.to_owned(),
            host: None,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    pub(crate) fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub(crate) fn delete(path: &str) -> Self {
        Self::new("DELETE", path)
    }

    pub(crate) fn post(path: &str, body: &Value) -> Self {
        Self::new("POST", path).json(body)
    }

    pub(crate) fn put(path: &str, body: &Value) -> Self {
        Self::new("PUT", path).json(body)
    }

    pub(crate) fn patch(path: &str, body: &Value) -> Self {
        Self::new("PATCH", path).json(body)
    }

    /// A file as the body.
    pub(crate) fn upload(path: &str, bytes: Vec<u8>) -> Self {
        let mut call = Self::new("POST", path);
        call.body = bytes;
        call
    }

    fn json(mut self, body: &Value) -> Self {
        self.body = body.to_string().into_bytes();
        self.header("Content-Type", "application/json")
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Names another host than the one it connects to.
    pub(crate) fn host(mut self, host: &str) -> Self {
        self.host = Some(host.to_owned());
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    /// The request on the wire. The server closes the connection after it answered.
    pub(crate) fn to_bytes(&self, address: &str) -> Vec<u8> {
        let host = self.host.as_deref().unwrap_or(address);
        let mut head = format!("{} {} HTTP/1.1\r\nHost: {host}\r\n", self.method, self.path);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        head += &format!(
            "Connection: close\r\nContent-Length: {}\r\n\r\n",
            self.body.len()
        );
        [head.into_bytes(), self.body.clone()].concat()
    }

    pub(crate) fn send(&self, server: &Server) -> Answer {
        self.try_send(&server.address).unwrap()
    }

    pub(crate) fn try_send(&self, address: &str) -> io::Result<Answer> {
        let answer = exchange(address, &self.to_bytes(address))?;
        answer.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// An answer as it arrived.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    /// The body of a success.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Status, code and sentence of a refusal of ours.
    pub(crate) fn problem(&self) -> (u16, String, String) {
        assert_eq!(
            self.header("content-type"),
            Some("application/problem+json"),
            "{self:?}"
        );
        let problem: Value = serde_json::from_slice(&self.body).unwrap();
        assert_eq!(problem["status"], self.status);
        let text = |field: &str| problem[field].as_str().unwrap().to_owned();
        (self.status, text("code"), text("detail"))
    }

    pub(crate) fn refusal(&self) -> (u16, String) {
        let (status, code, _) = self.problem();
        (status, code)
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next()?.split(' ').nth(1)?.parse().unwrap();
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers: Vec<(String, String)> = headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let answer = Self {
            status,
            headers,
            body: bytes[end + 4..].to_vec(),
        };
        // What announces itself must be there in full: an answer that breaks off acknowledges nothing.
        if answer.header("transfer-encoding") == Some("chunked") {
            let body = dechunked(&answer.body)?;
            return Some(Self { body, ..answer });
        }
        let announced = answer.header("content-length");
        let whole =
            announced.is_none_or(|length| length.parse() == Ok(answer.body.len()) || status == 304);
        whole.then_some(answer)
    }
}

fn dechunked(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n")?;
        let length = std::str::from_utf8(&rest[..end]).ok()?;
        let length = usize::from_str_radix(length, 16).ok()?;
        if length == 0 {
            return Some(body);
        }
        body.extend(rest.get(end + 2..end + 2 + length)?);
        rest = rest.get(end + 4 + length..)?;
    }
}

pub(crate) fn connect(address: &str) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Sends bytes and reads until the server closes; nothing when it closed without a whole answer.
pub(crate) fn exchange(address: &str, bytes: &[u8]) -> io::Result<Option<Answer>> {
    let mut stream = connect(address)?;
    // A server that has seen enough answers and closes while we still send.
    let sent = stream.write_all(bytes);
    let answer = read_answer(&mut stream);
    match (answer, sent) {
        (Ok(None), Err(error)) => Err(error),
        (answer, _) => answer,
    }
}

/// Reads until the server closes; nothing when it closed without a whole answer.
pub(crate) fn read_answer(stream: &mut TcpStream) -> io::Result<Option<Answer>> {
    let mut received = Vec::new();
    match stream.read_to_end(&mut received) {
        // What arrived before a reset counts.
        Ok(_) => Ok(Answer::parse(&received)),
        Err(error) => Answer::parse(&received).map(Some).ok_or(error),
    }
}
