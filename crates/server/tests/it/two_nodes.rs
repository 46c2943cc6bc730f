//! Two nodes on one Postgres: with one place for their files they show the same, and with two they say what is wrong.

use http::Request;
use http::header::HOST;
use secrecy::SecretString;
use serde_json::{Value, json};
use sitewright_server::Settings;
use sitewright_testkit::{Postgres, TempDatabase};
use tokio::task::JoinSet;

use crate::instance::{Answer, Browser, Instance};
use crate::media::picture;

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const LOST: &str = "503 unavailable: The file is missing or damaged in the storage of this server. Servers that share a database \
                    need one bucket or one folder for their files; `sitewright doctor --all-files` lists what is missing.";

struct Nodes {
    one: Instance,
    two: Instance,
    ada: Browser,
    _database: TempDatabase,
}

impl Nodes {
    async fn new(place: impl Fn(&mut Settings)) -> Option<Self> {
        let database = sitewright_testkit::unless_missing(Postgres::shared())?.create_database();
        let settings = |settings: &mut Settings| {
            settings.database_url = Some(SecretString::from(database.url.clone()));
            settings.secret_key = Some(SecretString::from(KEY));
            place(settings);
        };
        let (one, ada) = Instance::owned_with(settings).await;
        let two = Instance::with(settings).await;
        Some(Self {
            one,
            two,
            ada,
            _database: database,
        })
    }

    async fn upload(&self) -> Value {
        let request = Request::post("/admin/api/media?name=boat.png")
            .header(HOST, "localhost:8080")
            .body(axum::body::Body::from(picture(1)))
            .expect("a request");
        let added = self.one.send(self.ada.dress(request)).await;
        assert_eq!(added.said(), "200");
        added.body
    }

    async fn publish(&self, node: &Instance) -> Answer {
        let path = "/admin/api/site/publish";
        self.ada.call(node, "POST", path, json!({})).await
    }
}

async fn status(node: &Instance, path: &str) -> u16 {
    Browser::default().get(node, path).await.status.as_u16()
}

#[tokio::test]
async fn a_picture_on_another_nodes_folder_is_said_to_be_missing() {
    let Some(nodes) = Nodes::new(|_| {}).await else {
        return;
    };
    let item = nodes.upload().await;
    for field in ["url", "thumbnail"] {
        let address = item[field].as_str().expect("an address");
        assert_eq!(status(&nodes.one, address).await, 200);
        let lost = Browser::default().get(&nodes.two, address).await;
        assert_eq!(lost.said(), LOST);
    }
    let unknown = status(&nodes.two, "/uploads/none/640.png").await;
    assert_eq!(unknown, 404, "what never was is not missing");
    let listed = nodes.ada.get(&nodes.two, "/admin/api/media").await.body;
    assert_eq!(listed["media"][0]["id"], item["id"], "the rows are shared");
    let doctor = "/admin/api/doctor?allFiles=true";
    let here = nodes.ada.get(&nodes.one, doctor).await.body;
    assert_eq!(here["ok"], true, "{here}");
    let there = nodes.ada.get(&nodes.two, doctor).await.body;
    assert_eq!(there["ok"], false, "{there}");
    assert!(there["files"].to_string().contains("missing"), "{there}");
}

#[tokio::test]
async fn a_release_on_another_nodes_folder_is_written_by_publishing_here() {
    let Some(nodes) = Nodes::new(|_| {}).await else {
        return;
    };
    assert_eq!(nodes.publish(&nodes.one).await.said(), "200");
    assert_eq!(status(&nodes.one, "/").await, 200);
    assert_eq!(status(&nodes.two, "/").await, 503);
    assert_eq!(nodes.publish(&nodes.two).await.said(), "200");
    assert_eq!(status(&nodes.two, "/").await, 200);
}

/// An S3 server on a folder, which ends with the value.
struct Bucket {
    endpoint: String,
    _folder: tempfile::TempDir,
    _server: JoinSet<()>,
}

impl Bucket {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("bucket")).expect("a folder");
        let files = s3s_fs::FileSystem::new(folder.path()).expect("the S3 server's folder");
        let mut builder = s3s::service::S3ServiceBuilder::new(files);
        builder.set_auth(s3s::auth::SimpleAuth::from_single("id", "key"));
        let service = builder.build();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await;
        let listener = listener.expect("a port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let mut server = JoinSet::new();
        server.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let service = service.clone();
                connections.spawn(async move {
                    let io = hyper_util::rt::TokioIo::new(stream);
                    let executor = hyper_util::rt::TokioExecutor::new();
                    let http = hyper_util::server::conn::auto::Builder::new(executor);
                    // A client that goes away ends its connection with an error.
                    drop(http.serve_connection(io, service).await);
                });
            }
        });
        Self {
            endpoint,
            _folder: folder,
            _server: server,
        }
    }

    fn settings(&self, settings: &mut Settings) {
        settings.s3_bucket = Some("bucket".to_owned());
        settings.s3_endpoint = Some(self.endpoint.clone());
        settings.s3_access_key_id = Some("id".to_owned());
        settings.s3_secret_access_key = Some(SecretString::from("key"));
    }
}

#[tokio::test]
async fn nodes_with_one_bucket_show_the_same_pictures_and_pages() {
    let bucket = Bucket::new().await;
    let Some(nodes) = Nodes::new(|settings| bucket.settings(settings)).await else {
        return;
    };
    let item = nodes.upload().await;
    assert_eq!(nodes.publish(&nodes.one).await.said(), "200");
    for path in ["/", item["url"].as_str().expect("an address")] {
        let [here, there] = [&nodes.one, &nodes.two].map(|node| async {
            let answer = Browser::default().get(node, path).await;
            (answer.status.as_u16(), answer.body)
        });
        let (here, there) = (here.await, there.await);
        assert_eq!(here.0, 200);
        assert_eq!(here, there, "{path}");
    }
    let doctor = "/admin/api/doctor?allFiles=true";
    for node in [&nodes.one, &nodes.two] {
        assert_eq!(nodes.ada.get(node, doctor).await.body["ok"], true);
    }
}
