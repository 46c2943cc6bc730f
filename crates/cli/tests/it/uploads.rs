//! Files on their way to the server: as large as they may be, a byte larger, broken off, and many at once.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::Shutdown;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::http::{Answer, Call, connect, exchange};
use crate::product::{Instance, Server};

const MEDIA: &str = "/admin/api/media";
const LIMIT: usize = 50 * 1024 * 1024;

/// A picture of one pixel. What follows its last byte is part of the file and not of the picture.
fn picture(colour: u8, length: usize) -> Vec<u8> {
    let mut bytes =
        b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;"
            .to_vec();
    bytes[13] = colour;
    bytes.resize(length.max(bytes.len()), 0);
    bytes
}

struct Uploads {
    instance: Instance,
    server: Server,
    token: String,
}

impl Uploads {
    fn on(instance: Instance) -> Self {
        instance.set_up();
        let token = instance.token("all");
        let server = instance.serve("");
        Self {
            instance,
            server,
            token,
        }
    }

    fn upload(&self, bytes: Vec<u8>) -> Answer {
        let call = Call::upload(MEDIA, bytes).token(&self.token);
        call.send(&self.server)
    }

    /// The sizes of the files of all pictures there are.
    fn sizes(&self) -> Vec<u64> {
        let listed = Call::get(MEDIA)
            .token(&self.token)
            .send(&self.server)
            .json();
        let media = listed["media"].as_array().unwrap().iter();
        media.map(|item| item["bytes"].as_u64().unwrap()).collect()
    }

    /// The start of an upload, up to its body.
    fn head(&self, length: &str) -> Vec<u8> {
        let head = format!(
            "POST {MEDIA} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n{length}\r\n\r\n",
            self.server.address, self.token
        );
        head.into_bytes()
    }

    /// Sends a body in one chunk, so that its length is not announced.
    fn upload_in_a_chunk(&self, bytes: &[u8]) -> Answer {
        let mut request = self.head("Transfer-Encoding: chunked");
        request.extend(format!("{:x}\r\n", bytes.len()).into_bytes());
        request.extend(bytes);
        request.extend(b"\r\n0\r\n\r\n");
        exchange(&self.server.address, &request).unwrap().unwrap()
    }
}

#[test]
fn a_file_of_exactly_the_limit_is_taken_and_one_more_byte_is_not() {
    let uploads = Uploads::on(Instance::new());
    let over = picture(1, LIMIT + 1);
    let too_large = (
        413,
        "too_large".to_owned(),
        format!("The body is larger than the {LIMIT} bytes allowed here."),
    );
    assert_eq!(uploads.upload(over.clone()).problem(), too_large);
    assert_eq!(uploads.upload_in_a_chunk(&over).problem(), too_large);
    assert_eq!(uploads.sizes(), [0; 0]);
    assert_eq!(uploads.upload(picture(2, LIMIT)).json()["bytes"], LIMIT);
    let in_a_chunk = uploads.upload_in_a_chunk(&picture(3, LIMIT));
    assert_eq!(in_a_chunk.json()["bytes"], LIMIT);
    assert_eq!(uploads.sizes(), [LIMIT as u64; 2]);
}

/// How many files of sites there are. What stands beside their folders belongs to the storage itself.
fn stored_files(blobs: &Path) -> usize {
    let sites = paths_in(blobs).into_iter().filter(|path| path.is_dir());
    sites.map(|site| files_in(&site)).sum()
}

fn files_in(folder: &Path) -> usize {
    let paths = paths_in(folder).into_iter();
    paths
        .map(|path| if path.is_dir() { files_in(&path) } else { 1 })
        .sum()
}

fn paths_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn an_upload_that_breaks_off_leaves_nothing_and_can_be_repeated() {
    let uploads = Uploads::on(Instance::new());
    let blobs = uploads.instance.data().join("blobs");
    let before = stored_files(&blobs);
    let whole = picture(1, 1024 * 1024);
    for (length, start) in [
        (format!("Content-Length: {}", whole.len()), Vec::new()),
        (
            "Transfer-Encoding: chunked".to_owned(),
            b"100000\r\n".to_vec(),
        ),
    ] {
        // What arrived is a whole picture, and still not the file that was announced.
        for arrived in [0, 1, 100, whole.len() / 2, whole.len() - 1] {
            let mut stream = connect(&uploads.server.address).unwrap();
            let half = [
                uploads.head(&length),
                start.clone(),
                whole[..arrived].to_vec(),
            ];
            stream.write_all(&half.concat()).unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            // The server answers or closes once it has seen the end, so nothing is under way after this.
            let answer = crate::http::read_answer(&mut stream).unwrap();
            if let Some(answer) = answer {
                assert_eq!(answer.refusal(), (400, "invalid_input".to_owned()));
            }
            assert_eq!(uploads.sizes(), [0; 0], "{arrived}");
        }
    }
    assert_eq!(stored_files(&blobs), before);
    let added = uploads.upload(whole.clone()).json();
    assert_eq!(uploads.sizes(), [whole.len() as u64]);
    assert_eq!(
        uploads.upload(whole).json(),
        added,
        "the same file is one picture"
    );
}

fn many_at_once(instance: Instance) {
    const PICTURES: u8 = 6;
    let uploads = Uploads::on(instance);
    // Each file is sent four times; the larger ones are still arriving while the others are stored.
    let files: Vec<Vec<u8>> = (0..PICTURES * 4)
        .map(|number| picture(number % PICTURES, usize::from(number % PICTURES) * 700_000))
        .collect();
    let added: Vec<(Vec<u8>, Value)> = std::thread::scope(|scope| {
        let uploads = &uploads;
        let sending = files.into_iter().map(|file| {
            scope.spawn(move || {
                let added = uploads.upload(file.clone()).json();
                (file, added)
            })
        });
        let sending: Vec<_> = sending.collect();
        sending
            .into_iter()
            .map(|sent| sent.join().unwrap())
            .collect()
    });
    let mut ids: BTreeMap<Vec<u8>, Value> = BTreeMap::new();
    for (file, item) in added {
        assert_eq!(item["bytes"], file.len());
        let shown = Call::get(item["url"].as_str().unwrap()).send(&uploads.server);
        assert_eq!(shown.status, 200);
        let id = ids.entry(file).or_insert_with(|| item["id"].clone());
        assert_eq!(*id, item["id"], "the same file is one picture");
    }
    assert_eq!(ids.len(), usize::from(PICTURES));
    assert_eq!(uploads.sizes().len(), usize::from(PICTURES));
}

#[test]
fn many_uploads_at_once_are_all_kept_on_sqlite() {
    many_at_once(Instance::new());
}

#[test]
fn many_uploads_at_once_are_all_kept_on_postgres() {
    if let Some(instance) = Instance::on_postgres() {
        many_at_once(instance);
    }
}
