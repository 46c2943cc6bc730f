//! What each command requests from the API, and how it prints the response.

mod approvals;
mod audit;
mod chat;
mod content;
mod credential;
mod doctor;
mod export;
mod import;
mod key;
mod mission;
mod openapi;
mod policy;
mod publish;
mod serve;
mod setup;
mod storage;
mod token;
mod tool;
mod user;

use anyhow::Result;

use crate::api::{Absent, Api};
use crate::arguments::{Arguments, Command, OpenApi};

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    let Arguments {
        json,
        target,
        command,
    } = arguments;
    if let Command::Serve { listen } = command {
        return serve::run(&target, listen.as_deref()).await;
    }
    // Replacing the key needs the instance to itself, so it does not go through the API.
    if let Command::Key(key) = command {
        return key::run(&target, key, json).await;
    }
    // Checking a document needs no instance.
    if let Command::OpenApi(OpenApi::Lint { file }) = &command {
        return openapi::lint(file, json);
    }
    let absent = match command {
        Command::Setup(_) | Command::Serve { .. } | Command::Key(_) => Absent::Made,
        Command::User(_)
        | Command::Token(_)
        | Command::Tool(_)
        | Command::OpenApi(_)
        | Command::Mission(_)
        | Command::Chat(_)
        | Command::Approvals(_)
        | Command::Policy(_)
        | Command::Credential(_)
        | Command::Publish(_)
        | Command::Rollback { .. }
        | Command::Releases { .. }
        | Command::Export(_)
        | Command::Import(_)
        | Command::Content(_)
        | Command::Audit(_)
        | Command::Doctor(_)
        | Command::Storage => Absent::Refused,
    };
    let api = Api::open(&target, absent).await?;
    let outcome = match command {
        Command::Serve { .. } | Command::Key(_) => Ok(()),
        Command::Setup(setup) => setup::run(&api, setup, json).await,
        Command::User(user) => user::run(&api, user, json).await,
        Command::Token(token) => token::run(&api, token, json).await,
        Command::Tool(tool) => tool::run(&api, tool, json).await,
        Command::OpenApi(openapi) => openapi::run(&api, openapi, json).await,
        Command::Mission(mission) => mission::run(&api, mission, json).await,
        Command::Chat(chat) => chat::run(&api, chat, json).await,
        Command::Approvals(approvals) => approvals::run(&api, approvals, json).await,
        Command::Policy(policy) => policy::run(&api, policy, json).await,
        Command::Credential(credential) => credential::run(&api, credential, json).await,
        Command::Publish(publish) => publish::run(&api, publish, json).await,
        Command::Rollback { to } => publish::roll_back(&api, to, json).await,
        Command::Releases { limit } => publish::releases(&api, limit, json).await,
        Command::Export(export) => export::run(&api, export, json).await,
        Command::Import(import) => import::run(&api, import, json).await,
        Command::Content(content) => content::run(&api, content, json).await,
        Command::Audit(audit) => audit::run(&api, audit, json).await,
        Command::Doctor(doctor) => doctor::run(&api, doctor, json).await,
        Command::Storage => storage::run(&api, json).await,
    };
    let closed = api.close().await;
    outcome.and(closed)
}
