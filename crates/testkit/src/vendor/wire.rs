//! The bytes of HTTP/1.1, as far as a vendor needs them.

use std::io::{self, BufRead, Read};

use super::Received;

pub(super) fn head(status: u16, headers: &[(String, String)]) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status} -\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.into_bytes()
}

pub(super) fn chunked_head(headers: &[(String, String)]) -> Vec<u8> {
    let mut bytes = head(200, headers);
    bytes.extend(b"transfer-encoding: chunked\r\n\r\n");
    bytes
}

pub(super) fn chunk(part: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{:x}\r\n", part.len()).into_bytes();
    bytes.extend(part);
    bytes.extend(b"\r\n");
    bytes
}

/// What one request may weigh; a test that sends more has a bug.
const REQUEST_MAX: u64 = 64 * 1024 * 1024;

/// `None` when the client closed, or said something that is no request, such as a TLS greeting.
pub(super) fn read_request(reader: &mut impl BufRead) -> io::Result<Option<Received>> {
    let mut reader = reader.take(REQUEST_MAX);
    let start = read_line(&mut reader)?;
    let mut words = start.split(' ');
    let (Some(method), Some(path), Some("HTTP/1.1")) = (words.next(), words.next(), words.next())
    else {
        return Ok(None);
    };
    let mut received = Received {
        method: method.to_owned(),
        path: path.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    loop {
        let line = read_line(&mut reader)?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        let line = (name.to_ascii_lowercase(), value.trim().to_owned());
        received.headers.push(line);
    }
    received.body = if received.header("transfer-encoding") == Some("chunked") {
        read_chunks(&mut reader)?
    } else {
        let length = received.header("content-length").unwrap_or("0");
        read_exactly(&mut reader, length.parse().map_err(io::Error::other)?)?
    };
    Ok(Some(received))
}

fn read_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    reader.read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(line.trim_ascii_end()).into_owned())
}

fn read_exactly(reader: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length {
        Ok(bytes)
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

fn read_chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let length = read_line(reader)?;
        let length = u64::from_str_radix(&length, 16).map_err(io::Error::other)?;
        body.extend(read_exactly(reader, length)?);
        read_line(reader)?;
        if length == 0 {
            return Ok(body);
        }
    }
}
