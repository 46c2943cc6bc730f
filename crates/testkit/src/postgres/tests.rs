use super::database::with_database;
use super::{Binaries, Postgres};
use crate::unless_missing;
use std::process::Command;

fn query(url: &str, statement: &str) -> Result<String, String> {
    let psql = Binaries::find().expect("found before").psql;
    let output = Command::new(psql)
        .args([
            "--no-psqlrc",
            "--quiet",
            "--tuples-only",
            "--no-align",
            "--command",
            statement,
            "--dbname",
            url,
        ])
        .output()
        .expect("psql runs");
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    }
    Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())
}

#[test]
fn a_server_keeps_its_promises_and_stops_with_its_owner() {
    let Some(postgres) = unless_missing(Postgres::start()) else {
        return;
    };
    let url = postgres.url().to_owned();
    assert_eq!(query(&url, "SHOW fsync"), Ok("on".to_owned()));
    assert_eq!(query(&url, "SHOW synchronous_commit"), Ok("on".to_owned()));
    let folder = query(&url, "SHOW data_directory").expect("the server answers");
    drop(postgres);
    assert!(
        query(&url, "SELECT 1").is_err(),
        "the server is still there"
    );
    assert!(
        !std::path::Path::new(&folder).exists(),
        "the data folder is still there"
    );
}

/// What a killed test process leaves behind is what a shell sees when its input closes: nothing.
#[test]
fn a_server_stops_when_its_process_is_killed() {
    let Some(mut postgres) = unless_missing(Postgres::start()) else {
        return;
    };
    let mut server = postgres._server.take().expect("started here");
    let folder = query(postgres.url(), "SHOW data_directory").expect("the server answers");
    let status = server.outlive().expect("our own child");
    // A drop would remove the folder, which a process that was killed does not get to do.
    std::mem::forget(server);
    assert!(
        !std::path::Path::new(&folder).exists(),
        "the data folder is still there after {status}"
    );
}

#[test]
fn databases_are_made_at_the_same_time_and_dropped_with_connections_open() {
    let Some(postgres) = unless_missing(Postgres::shared()) else {
        return;
    };
    let databases: Vec<_> = std::thread::scope(|scope| {
        let makers: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| postgres.create_database()))
            .collect();
        makers
            .into_iter()
            .map(|maker| maker.join().expect("a database"))
            .collect()
    });
    let mut names: Vec<_> = databases
        .iter()
        .map(|database| query(&database.url, "SELECT current_database()").expect("it is there"))
        .collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 8);

    let mut connected = Command::new(Binaries::find().expect("found before").psql)
        .args([
            "--no-psqlrc",
            "--quiet",
            "--command",
            "SELECT pg_sleep(60)",
            "--dbname",
            &databases[0].url,
        ])
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("psql runs");
    let url = databases[0].url.clone();
    drop(databases);
    connected.wait().expect("our own child");
    let refusal = query(&url, "SELECT 1").expect_err("it is dropped");
    assert!(refusal.contains("does not exist"), "{refusal}");
}

#[test]
fn the_address_of_a_database_keeps_everything_but_the_path() {
    let check = |server: &str, expected: &str| assert_eq!(with_database(server, "site"), expected);
    check(
        "postgres://a@127.0.0.1:5432/postgres",
        "postgres://a@127.0.0.1:5432/site",
    );
    check("postgres://a:b@host", "postgres://a:b@host/site");
    check(
        "postgresql://host/x?sslmode=disable",
        "postgresql://host/site?sslmode=disable",
    );
}
