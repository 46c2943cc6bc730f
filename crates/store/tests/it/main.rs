//! Every repository, through its public face, on SQLite and on Postgres by the same tests.

#![expect(
    clippy::expect_used,
    reason = "a test that cannot get what it needs has failed"
)]

mod accounts;
mod ai;
mod audit;
mod away;
mod blobs;
mod both;
mod breadcrumbs;
mod calls;
mod clock;
mod conversations;
mod damage;
mod documents;
mod entries;
mod fonts;
mod garbage;
mod history_seals;
mod key_rotation;
mod media;
mod missions;
mod older;
mod past;
mod people;
mod quotas;
mod registered_tools;
mod releases;
mod reopening;
mod retention;
mod secrets;
mod sessions;
mod spending;
mod tokens;
mod writers;
