//! A provider that writes ten thousand deltas a second, which is far more than real ones do. A body that contains `stall` gets a
//! stream that stops in the middle.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

const DELTAS: usize = 100;
const PACE: Duration = Duration::from_micros(100);
const HEAD: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

pub(crate) fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    println!("{}", listener.local_addr().expect("an address"));
    for stream in listener.incoming().flatten() {
        // A client that leaves is the end of its thread.
        std::thread::Builder::new()
            .stack_size(64 * 1024)
            .spawn(move || drop(converse(&stream)))
            .expect("a thread");
    }
}

fn converse(stream: &TcpStream) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    loop {
        let (mut length, mut line) = (0, String::new());
        loop {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let stall = body.windows(5).any(|window| window == b"stall");
        answer(stream, stall)?;
        if stall {
            // The client goes away when it has seen enough.
            reader.read_line(&mut line)?;
            return Ok(());
        }
    }
}

fn answer(mut stream: &TcpStream, stall: bool) -> std::io::Result<()> {
    stream.write_all(HEAD.as_bytes())?;
    let start = json!({ "type": "message_start", "message": { "id": "m", "model": "claude-opus-5-5", "usage": { "input_tokens": 9 } } });
    let open = json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } });
    chunk(stream, &[start, open])?;
    // The first token carries the time at which it was written.
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    chunk(stream, &[delta(&format!("{}|", now.as_nanos()))])?;
    for _ in 1..DELTAS / if stall { 5 } else { 1 } {
        std::thread::sleep(PACE);
        chunk(stream, &[delta("twelve chars")])?;
    }
    if stall {
        return Ok(());
    }
    let end = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 300 } });
    chunk(
        stream,
        &[
            json!({ "type": "content_block_stop", "index": 0 }),
            end,
            json!({ "type": "message_stop" }),
        ],
    )?;
    stream.write_all(b"0\r\n\r\n")
}

fn delta(text: &str) -> serde_json::Value {
    json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } })
}

fn chunk(mut stream: &TcpStream, events: &[serde_json::Value]) -> std::io::Result<()> {
    let mut text = String::new();
    for event in events {
        text.push_str(&format!(
            "event: {}\ndata: {event}\n\n",
            event["type"].as_str().unwrap_or_default()
        ));
    }
    stream.write_all(format!("{:x}\r\n{text}\r\n", text.len()).as_bytes())
}
