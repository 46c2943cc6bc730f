//! Missions, OpenAPI documents and permissions for personal data: what their rows keep, and who may change them.

use anyhow::Result;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sitewright_store::{
    Actor, MissionRecord, NewOpenApiDocument, PersonalDataGrant, RunQuery, SiteId, Stamp, Store,
    StoreError,
};

use crate::both::{Fresh, on_both};
use crate::people::NOW;

on_both! {
    a_mission_is_saved_only_by_whoever_read_it_last
    a_mission_begins_once_and_is_due_until_it_ends
    a_document_is_sealed_and_a_new_version_waits_beside_it
    permissions_are_per_person_tool_and_field
}

async fn site(store: &Store) -> Result<SiteId> {
    Ok(store.sites().await?.remove(0).id)
}

fn mission(site: &SiteId, id: &str) -> MissionRecord {
    MissionRecord {
        id: id.to_owned(),
        site: site.clone(),
        actor: Actor::Local,
        state: "running".to_owned(),
        body: json!({ "legs": [] }),
        version: 0,
        holder: "one".to_owned(),
        due: Some(NOW),
        at: NOW,
        ended_at: None,
    }
}

async fn a_mission_is_saved_only_by_whoever_read_it_last(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = site(&store).await?;
    store.begin_mission(&mission(&site, "m1")).await?;
    let mut mine = store.mission(&site, "m1").await?;
    let mut theirs = mine.clone();
    theirs.holder = "two".to_owned();
    assert!(store.save_mission(&mut theirs).await?);
    mine.body = json!("lost");
    assert!(
        !store.save_mission(&mut mine).await?,
        "another process has saved it"
    );
    assert_eq!(store.mission(&site, "m1").await?, theirs);
    assert!(
        store.save_mission(&mut theirs).await?,
        "the version was counted up"
    );
    Ok(())
}

async fn a_mission_begins_once_and_is_due_until_it_ends(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = site(&store).await?;
    let first = mission(&site, "m1");
    assert_eq!(store.begin_mission(&first).await?, None);
    let again = MissionRecord {
        body: json!("other"),
        ..first.clone()
    };
    assert_eq!(store.begin_mission(&again).await?, Some(first.clone()));
    store.begin_mission(&mission(&site, "m2")).await?;
    let ids = |missions: Vec<MissionRecord>| -> Vec<String> {
        missions.into_iter().map(|mission| mission.id).collect()
    };
    let all = RunQuery {
        actor: None,
        before: None,
        limit: 10,
    };
    assert_eq!(ids(store.missions(&site, all).await?), ["m2", "m1"]);
    let before = Some("m2");
    let older = store.missions(&site, RunQuery { before, ..all }).await?;
    assert_eq!(ids(older), ["m1"]);
    let actor = Some(&Actor::Anonymous);
    let others = store.missions(&site, RunQuery { actor, ..all }).await?;
    assert_eq!(ids(others), [""; 0]);
    let mut ended = MissionRecord {
        due: None,
        ended_at: Some(NOW),
        state: "completed".to_owned(),
        ..first
    };
    assert!(store.save_mission(&mut ended).await?);
    assert_eq!(ids(store.open_missions().await?), ["m2"]);
    let elsewhere = store.mission(&SiteId::from("other".to_owned()), "m1").await;
    assert!(matches!(elsewhere, Err(StoreError::NotFound { .. })));
    Ok(())
}

async fn a_document_is_sealed_and_a_new_version_waits_beside_it(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let secrets = Fresh::secrets(&store).await;
    let site = site(&store).await?;
    let by = Stamp::local(NOW);
    let (old, new) = (SecretString::from("old k3y"), SecretString::from("new k3y"));
    let tools = ["book".to_owned()];
    let document = |document| NewOpenApiDocument {
        site: &site,
        name: "Flights",
        document,
        tools: &tools,
    };
    let unknown = secrets
        .put_waiting_openapi_document(&document(&new), &by)
        .await;
    assert!(matches!(unknown, Err(StoreError::NotFound { .. })));
    secrets.put_openapi_document(&document(&old), &by).await?;
    let before = store.registered_tools_version().await?;
    secrets
        .put_waiting_openapi_document(&document(&new), &by)
        .await?;
    assert!(
        store.registered_tools_version().await? > before,
        "other nodes notice"
    );
    let texts = async || -> Result<Vec<Option<String>>> {
        let mut documents = secrets.openapi_documents().await?;
        let found = documents.remove(0);
        let text =
            |secret: Option<SecretString>| secret.map(|text| text.expose_secret().to_owned());
        Ok(vec![text(found.document), text(found.waiting)])
    };
    assert_eq!(
        texts().await?,
        [Some("old k3y".to_owned()), Some("new k3y".to_owned())]
    );
    secrets.put_openapi_document(&document(&new), &by).await?;
    assert_eq!(texts().await?, [Some("new k3y".to_owned()), None]);
    store.remove_openapi_document(&site, "Flights", &by).await?;
    assert_eq!(secrets.openapi_documents().await?.len(), 0);
    Ok(())
}

async fn permissions_are_per_person_tool_and_field(fresh: &Fresh) -> Result<()> {
    let store = fresh.open().await;
    let site = site(&store).await?;
    let by = Stamp::local(NOW);
    let grant = |person: &str, field: &str| PersonalDataGrant {
        person: person.to_owned(),
        tool: "book".to_owned(),
        field: field.to_owned(),
        given_at: NOW,
    };
    let grants = [
        grant("ana", "email"),
        grant("ana", "name"),
        grant("ben", "email"),
    ];
    store.grant_personal_data(&site, &grants, &by).await?;
    store.grant_personal_data(&site, &grants[..1], &by).await?;
    assert_eq!(store.personal_data_grants(&site, "ana").await?, grants[..2]);
    assert_eq!(
        store
            .revoke_personal_data(&site, "ana", "book", &by)
            .await?,
        2
    );
    assert_eq!(store.personal_data_grants(&site, "ana").await?, []);
    assert_eq!(store.personal_data_grants(&site, "ben").await?, grants[2..]);
    Ok(())
}
