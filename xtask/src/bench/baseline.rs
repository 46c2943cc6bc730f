//! A minimal HTTP server: the least that starting a process and answering one request costs on this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::process::ExitCode;

use anyhow::Result;

/// Answers every request with 200 until it is killed.
pub(crate) fn serve(port: u16) -> Result<ExitCode> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    for connection in listener.incoming() {
        // A client that disconnects early does not matter.
        connection.and_then(answer).ok();
    }
    Ok(ExitCode::SUCCESS)
}

fn answer(mut connection: TcpStream) -> std::io::Result<()> {
    let mut line = String::new();
    let mut reader = BufReader::new(connection.try_clone()?);
    while reader.read_line(&mut line)? > 2 {
        line.clear();
    }
    connection.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok")
}
