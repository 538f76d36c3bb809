//! A file server for one small folder, on this machine only.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::files;

/// A request that is longer is none that a browser makes.
const LONGEST_REQUEST: u64 = 64 * 1024;
/// Whoever is silent for so long is not answered.
const PATIENCE: Duration = Duration::from_secs(10);
const HEADERS: &str = "X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-cache\r\n\
                       Content-Security-Policy: frame-ancestors 'none'\r\nConnection: close\r\n";

/// The files of a folder, read once: no request ever becomes a path.
pub(super) struct Server {
    listener: TcpListener,
    files: BTreeMap<String, Vec<u8>>,
}

impl Server {
    /// At the given port of 127.0.0.1, or at any free one if it is zero.
    pub(super) fn bind(folder: &Path, port: u16) -> Result<Self> {
        let mut content = BTreeMap::new();
        for path in files::tree(folder, &[])? {
            let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
            content.insert(format!("/{name}"), files::read(&path)?);
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .with_context(|| format!("cannot serve at port {port} of 127.0.0.1"))?;
        Ok(Self { listener, files: content })
    }

    pub(super) fn address(&self) -> Result<String> {
        Ok(format!("http://{}/", self.listener.local_addr().context("the server has no address")?))
    }

    /// Answers until the process is ended.
    pub(super) fn run(&self) -> Result<()> {
        thread::scope(|scope| {
            // A browser that goes away in the middle is its own affair.
            for connection in self.listener.incoming().flatten() {
                scope.spawn(move || self.serve(&connection));
            }
        });
        Ok(())
    }

    fn serve(&self, mut connection: &TcpStream) -> io::Result<()> {
        connection.set_read_timeout(Some(PATIENCE))?;
        connection.set_write_timeout(Some(PATIENCE))?;
        let mut lines = BufReader::new(connection.take(LONGEST_REQUEST)).lines();
        let request = lines.next().transpose()?.unwrap_or_default();
        // To the blank line: a connection that is closed with something unread loses the answer.
        while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        connection.write_all(&self.answer(&request))
    }

    /// The answer to the first line of a request.
    fn answer(&self, request: &str) -> Vec<u8> {
        let mut words = request.split(' ');
        let method = words.next().unwrap_or_default();
        let target = words.next().unwrap_or_default();
        if !matches!(method, "GET" | "HEAD") {
            return response("405 Method Not Allowed", "text/plain", b"", true);
        }
        let path = target.split_once('?').map_or(target, |(path, _)| path);
        let name = if path == "/" { "/index.html" } else { path };
        match self.files.get(name) {
            Some(bytes) => response("200 OK", content_type(name), bytes, method == "GET"),
            None => response("404 Not Found", "text/plain", b"not found\n", method == "GET"),
        }
    }
}

fn response(status: &str, content_type: &str, body: &[u8], with_body: bool) -> Vec<u8> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n{HEADERS}\r\n");
    let mut bytes = head.into_bytes();
    if with_body {
        bytes.extend_from_slice(body);
    }
    bytes
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::env;
    use std::fs;

    fn server() -> Server {
        let folder = env::temp_dir().join(format!("xtask-server-{}-{:?}", std::process::id(), thread::current().id()));
        files::fresh_folder(&folder).unwrap();
        fs::write(folder.join("index.html"), "<!doctype html>").unwrap();
        fs::write(folder.join("main.js"), "1").unwrap();
        let server = Server::bind(&folder, 0).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        server
    }

    fn answer(request: &str) -> String {
        String::from_utf8(server().answer(request)).unwrap()
    }

    #[test]
    fn files_have_their_types() {
        let page = answer("GET / HTTP/1.1");
        assert!(
            page.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: 15\r\n")
        );
        assert!(page.ends_with("\r\n\r\n<!doctype html>"));
        assert!(answer("GET /main.js?x HTTP/1.1").contains("text/javascript"));
        assert!(answer("HEAD / HTTP/1.1").ends_with("\r\n\r\n"));
    }

    #[test]
    fn only_files_of_the_folder_are_served() {
        for target in ["/../Cargo.toml", "/%2e%2e/Cargo.toml", "//etc/passwd", "/etc/passwd", "index.html", ""] {
            assert!(answer(&format!("GET {target} HTTP/1.1")).starts_with("HTTP/1.1 404"), "{target}");
        }
        assert!(answer("POST / HTTP/1.1").starts_with("HTTP/1.1 405"));
        assert!(answer("").starts_with("HTTP/1.1 405"));
    }

    #[test]
    fn it_answers_on_this_machine() {
        let server = server();
        let address = server.listener.local_addr().unwrap();
        assert!(address.ip().is_loopback());
        thread::scope(|scope| {
            scope.spawn(|| {
                let (connection, _) = server.listener.accept().unwrap();
                server.serve(&connection).unwrap();
            });
            let mut client = TcpStream::connect(address).unwrap();
            client.write_all(b"GET /main.js HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
            let mut received = String::new();
            client.read_to_string(&mut received).unwrap();
            assert!(received.ends_with("\r\n\r\n1"), "{received}");
        });
    }
}
