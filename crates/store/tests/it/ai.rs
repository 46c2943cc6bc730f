//! Credentials, defaults, budgets, prices and what turns used.

use anyhow::Result;
use secrecy::{ExposeSecret, SecretString};
use sitewright_store::{
    Actor, AiBudget, AiDefault, ConversationId, Credential, CredentialChange, CredentialId,
    KeySource, NewCredential, NewToken, Place, Secrets, SiteId, Stamp, Store, StoreError,
    StoredPrices, Timestamp, TokenKind, TurnId, UsageBy, UsageId, UsageRow, UsageTotal, UserId,
};
use sitewright_tool::{CapabilitySet, Scope};

use crate::audit::tamper;
use crate::both::{Fresh, on_both};
use crate::people::{NOW, set_up};

on_both! {
    a_key_is_sealed_and_comes_out_for_its_site_alone
    a_key_that_was_moved_to_another_credential_does_not_open
    parts_of_a_credential_are_replaced_one_by_one
    a_credential_that_defaults_rest_on_stays_and_names_them
    a_default_needs_a_credential_of_its_site
    seeding_fills_empty_scopes_only
    a_credential_and_a_default_at_once_never_dangle
    caps_are_on_until_somebody_changes_them
    an_older_price_list_does_not_replace_a_newer
    a_run_counts_once_however_often_it_is_recorded
    a_token_spends_its_makers_money
    past_turns_come_whole_and_newest_first
    sums_are_the_dearest_first_with_names
    numbers_beyond_reason_do_not_break_the_sums
}

const KEY: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

async fn opened(fresh: &Fresh) -> Result<(Store, Secrets, SiteId)> {
    let store = fresh.open().await;
    let secrets = Secrets::open(&store, &KeySource::Given(SecretString::from(KEY))).await?;
    let site = store.sites().await?.remove(0).id;
    Ok((store, secrets, site))
}

async fn add(secrets: &Secrets, site: &SiteId, key: &str) -> Result<Credential> {
    let new = NewCredential {
        site,
        provider_id: "anthropic",
        label: "Main",
        base_url: Some("https://gateway.example.com"),
        key: Some(&SecretString::from(key)),
    };
    Ok(secrets.add_credential(&new, &Stamp::local(NOW)).await?)
}

async fn key_of(store: &Store, secrets: &Secrets, site: &SiteId, id: &CredentialId) -> String {
    match store.credential_secret(site, id, secrets).await {
        Ok(secret) => secret
            .key
            .map_or("none".to_owned(), |key| key.expose_secret().to_owned()),
        Err(error) => error.to_string(),
    }
}

async fn a_key_is_sealed_and_comes_out_for_its_site_alone(fresh: &Fresh) -> Result<()> {
    let (store, secrets, site) = opened(fresh).await?;
    let other = store.create_site("second", "Second", NOW).await?.id;
    let credential = add(&secrets, &site, "sk-canary-1").await?;
    assert_eq!(store.credential(&site, &credential.id).await?, credential);
    assert_eq!(
        key_of(&store, &secrets, &site, &credential.id).await,
        "sk-canary-1"
    );
    let elsewhere = key_of(&store, &secrets, &other, &credential.id).await;
    assert_eq!(elsewhere, "there is no such credential");
    assert_eq!(store.credentials(&other).await?, []);
    let told = store.audit_page(&site, None, 10).await?;
    assert!(!format!("{told:?} {credential:?}").contains("canary"));
    store.close().await;
    if let Place::File(path) = &fresh.place {
        let bytes = std::fs::read(path)?;
        assert!(!bytes.windows(11).any(|window| window == b"sk-canary-1"));
    }
    Ok(())
}

async fn a_key_that_was_moved_to_another_credential_does_not_open(fresh: &Fresh) -> Result<()> {
    let (store, secrets, site) = opened(fresh).await?;
    add(&secrets, &site, "sk-first").await?;
    let second = add(&secrets, &site, "sk-second").await?;
    // Ids made later sort later.
    let copy = "UPDATE ai_credentials SET sealed_key = (SELECT sealed_key FROM ai_credentials ORDER BY id LIMIT 1)";
    tamper(fresh, copy).await?;
    let read = key_of(&store, &secrets, &site, &second.id).await;
    assert_eq!(read, "the stored secret cannot be read");
    Ok(())
}

async fn parts_of_a_credential_are_replaced_one_by_one(fresh: &Fresh) -> Result<()> {
    let (store, secrets, site) = opened(fresh).await?;
    let id = add(&secrets, &site, "sk-old").await?.id;
    let by = Stamp::local(NOW);
    let label = CredentialChange {
        label: Some("Renamed"),
        ..CredentialChange::default()
    };
    let changed = secrets.change_credential(&site, &id, &label, &by).await?;
    assert_eq!(
        (
            changed.label.as_str(),
            changed.base_url.as_deref(),
            changed.has_key
        ),
        ("Renamed", Some("https://gateway.example.com"), true)
    );
    let key = SecretString::from("sk-new");
    let rest = CredentialChange {
        base_url: Some(None),
        key: Some(Some(&key)),
        ..CredentialChange::default()
    };
    let changed = secrets.change_credential(&site, &id, &rest, &by).await?;
    assert_eq!(
        (changed.label.as_str(), changed.base_url),
        ("Renamed", None)
    );
    assert_eq!(key_of(&store, &secrets, &site, &id).await, "sk-new");
    let none = CredentialChange {
        key: Some(None),
        ..CredentialChange::default()
    };
    assert!(
        !secrets
            .change_credential(&site, &id, &none, &by)
            .await?
            .has_key
    );
    assert_eq!(key_of(&store, &secrets, &site, &id).await, "none");
    let told = store.audit_page(&site, None, 1).await?.entries.remove(0);
    assert_eq!(
        (
            told.action.as_str(),
            told.detail.unwrap_or_default().to_string()
        ),
        (
            "ai.credential.changed",
            "{\"changed\":[\"apiKey\"]}".to_owned()
        )
    );
    Ok(())
}

fn default(scope: Scope, credential_id: &CredentialId, model: &str) -> AiDefault {
    AiDefault {
        scope,
        credential_id: credential_id.clone(),
        model_id: model.to_owned(),
    }
}

async fn a_credential_that_defaults_rest_on_stays_and_names_them(fresh: &Fresh) -> Result<()> {
    let (store, secrets, site) = opened(fresh).await?;
    let id = add(&secrets, &site, "sk").await?.id;
    let by = Stamp::local(NOW);
    for scope in [Scope::Site, Scope::Content] {
        store
            .set_ai_default(&site, &default(scope, &id, "m"), &by)
            .await?;
    }
    let refused = store.remove_credential(&site, &id, &by).await;
    assert_eq!(
        refused.expect_err("it is refused").to_string(),
        "the credential is in use: it is the default for content, site"
    );
    for scope in Scope::ALL {
        store.clear_ai_default(&site, scope, &by).await?;
    }
    store.remove_credential(&site, &id, &by).await?;
    let gone = store.remove_credential(&site, &id, &by).await;
    assert!(matches!(gone, Err(StoreError::NotFound { .. })), "{gone:?}");
    let actions: Vec<String> = store
        .audit_page(&site, None, 10)
        .await?
        .entries
        .into_iter()
        .map(|entry| entry.action)
        .filter(|action| action.starts_with("ai."))
        .collect();
    assert_eq!(
        actions,
        [
            "ai.credential.removed",
            "ai.default.cleared",
            "ai.default.cleared",
            "ai.default.set",
            "ai.default.set",
            "ai.credential.added",
        ]
    );
    Ok(())
}

async fn a_default_needs_a_credential_of_its_site(fresh: &Fresh) -> Result<()> {
    let (store, secrets, site) = opened(fresh).await?;
    let other = store.create_site("second", "Second", NOW).await?.id;
    let id = add(&secrets, &site, "sk").await?.id;
    let by = Stamp::local(NOW);
    let wanted = default(Scope::Site, &id, "m");
    let refused = store.set_ai_default(&other, &wanted, &by).await;
    assert!(
        matches!(refused, Err(StoreError::NotFound { .. })),
        "{refused:?}"
    );
    store.set_ai_default(&site, &wanted, &by).await?;
    assert_eq!(store.ai_default(&site, Scope::Site).await?, Some(wanted));
    assert_eq!(store.ai_default(&other, Scope::Site).await?, None);
    Ok(())
}

async fn seeding_fills_empty_scopes_only(fresh: &Fresh) -> Result<()> {
    let (store, secrets, site) = opened(fresh).await?;
    let (first, second) = (
        add(&secrets, &site, "a").await?.id,
        add(&secrets, &site, "b").await?.id,
    );
    let by = Stamp::local(NOW);
    store
        .set_ai_default(&site, &default(Scope::Content, &first, "kept"), &by)
        .await?;
    let mut seeded = Vec::new();
    for scope in Scope::ALL {
        let wanted = default(scope, &second, "new");
        seeded.push(store.seed_ai_default(&site, &wanted, &by).await?);
    }
    assert_eq!(seeded, [true, false, true, true, true]);
    assert_eq!(
        store.ai_defaults(&site).await?,
        [
            default(Scope::Site, &second, "new"),
            default(Scope::Content, &first, "kept"),
            default(Scope::Data, &second, "new"),
            default(Scope::Plugin, &second, "new"),
            default(Scope::Breadcrumbs, &second, "new"),
        ]
    );
    Ok(())
}

async fn a_credential_and_a_default_at_once_never_dangle(fresh: &Fresh) -> Result<()> {
    let (store, secrets, site) = opened(fresh).await?;
    let (elsewhere, _, _) = opened(fresh).await?;
    let by = Stamp::local(NOW);
    for _ in 0..8 {
        let id = add(&secrets, &site, "sk").await?.id;
        let wanted = default(Scope::Data, &id, "m");
        let (removed, set) = tokio::join!(
            store.remove_credential(&site, &id, &by),
            elsewhere.set_ai_default(&site, &wanted, &by)
        );
        assert_eq!(removed.is_ok(), set.is_err(), "{removed:?} {set:?}");
        store.clear_ai_default(&site, Scope::Data, &by).await?;
    }
    Ok(())
}

async fn caps_are_on_until_somebody_changes_them(fresh: &Fresh) -> Result<()> {
    let (store, _secrets, site) = opened(fresh).await?;
    let caps = store.ai_budget(&site).await?;
    assert_eq!(
        (caps.turn_usd, caps.user_month_usd),
        (Some(2.0), Some(50.0))
    );
    let mine = AiBudget {
        turn_usd: Some(0.25),
        user_month_usd: None,
        turn_tokens: 100_000,
        ..caps
    };
    store
        .set_ai_budget(&site, &mine, &Stamp::local(NOW))
        .await?;
    assert_eq!(store.ai_budget(&site).await?, mine);
    let other = store.create_site("second", "Second", NOW).await?.id;
    assert_eq!(store.ai_budget(&other).await?, AiBudget::default());
    Ok(())
}

async fn an_older_price_list_does_not_replace_a_newer(fresh: &Fresh) -> Result<()> {
    let (store, _secrets, _site) = opened(fresh).await?;
    assert_eq!(store.prices().await?, None);
    let list = |millis, text: &str| StoredPrices {
        fetched_at: Timestamp::from_millis(millis),
        catalogue: text.to_owned(),
    };
    for (millis, text) in [(10, "first"), (30, "newest"), (20, "late")] {
        store.keep_prices(&list(millis, text)).await?;
    }
    assert_eq!(store.prices().await?, Some(list(30, "newest")));
    Ok(())
}

/// A run of a turn, a second later for each turn.
fn run(site: &SiteId, turn: u32, cost: Option<u64>) -> UsageRow {
    UsageRow {
        id: UsageId::new(),
        site: site.clone(),
        turn_id: TurnId::from(format!("turn-{turn}")),
        conversation_id: ConversationId::from("talk".to_owned()),
        user_id: Actor::Local,
        scope: Scope::Site,
        provider_id: "anthropic".to_owned(),
        model_id: "claude".to_owned(),
        prompt_tokens: 70,
        completion_tokens: 20,
        cache_read_tokens: 10,
        cache_creation_tokens: 0,
        tokens: 100,
        cost_picodollars: cost,
        at: Timestamp::from_millis(NOW.millis() + i64::from(turn) * 1000),
    }
}

async fn a_run_counts_once_however_often_it_is_recorded(fresh: &Fresh) -> Result<()> {
    let (store, _secrets, site) = opened(fresh).await?;
    let mut row = run(&site, 1, Some(5));
    store.record_usage(&row).await?;
    (row.tokens, row.cost_picodollars) = (150, None);
    store.record_usage(&row).await?;
    store.record_usage(&run(&site, 2, Some(7))).await?;
    let spent = store.spent_since(&site, None, NOW).await?;
    let expected = UsageTotal {
        tokens: 250,
        cost_picodollars: 7,
        has_unknown: true,
    };
    assert_eq!(spent, expected);
    let later = Timestamp::from_millis(NOW.millis() + 2000);
    let spent = store.spent_since(&site, None, later).await?;
    assert_eq!((spent.tokens, spent.has_unknown), (100, false));
    let none = store
        .spent_since(&site, None, Timestamp::from_millis(i64::MAX))
        .await?;
    assert_eq!(none, UsageTotal::default());
    Ok(())
}

async fn a_token_spends_its_makers_money(fresh: &Fresh) -> Result<()> {
    let (store, _secrets, site) = opened(fresh).await?;
    let ada = set_up(&store).await?.id;
    let token = |maker: Option<UserId>| {
        let (store, site) = (store.clone(), site.clone());
        async move {
            let new = NewToken {
                site: &site,
                name: "script",
                kind: TokenKind::Script,
                capabilities: CapabilitySet::all(),
                maker: maker.as_ref(),
                parent: None,
                expires_at: None,
            };
            store
                .create_token(new, &Stamp::local(NOW))
                .await
                .map(|(_, token)| token.id)
        }
    };
    let hers = Actor::Token(token(Some(ada.clone())).await?);
    let machines = Actor::Token(token(None).await?);
    let ada = Actor::User(ada);
    for (actor, cost) in [(&ada, 1), (&hers, 10), (&machines, 100)] {
        let row = UsageRow {
            user_id: actor.clone(),
            ..run(&site, 1, Some(cost))
        };
        store.record_usage(&row).await?;
    }
    let mut costs = Vec::new();
    for actor in [&ada, &hers, &machines, &Actor::Local] {
        let spent = store.spent_since(&site, Some(actor), NOW).await?;
        costs.push(spent.cost_picodollars);
    }
    assert_eq!(costs, [11, 11, 100, 0]);
    let sums = store.usage_by(&site, NOW, UsageBy::User).await?;
    let sums: Vec<_> = sums
        .into_iter()
        .map(|one| (one.key, one.name, one.sum.cost_picodollars))
        .collect();
    assert_eq!(
        sums,
        [
            (machines.to_string(), Some("script".to_owned()), 100),
            (ada.to_string(), Some("Ada".to_owned()), 11),
        ]
    );
    Ok(())
}

async fn past_turns_come_whole_and_newest_first(fresh: &Fresh) -> Result<()> {
    let (store, _secrets, site) = opened(fresh).await?;
    for (turn, cost) in [
        (1, Some(1)),
        (2, Some(10)),
        (2, Some(20)),
        (3, Some(5)),
        (3, None),
    ] {
        store.record_usage(&run(&site, turn, cost)).await?;
    }
    let elsewhere = UsageRow {
        scope: Scope::Content,
        ..run(&site, 9, Some(9))
    };
    store.record_usage(&elsewhere).await?;
    let costs = store.turn_costs(&site, Scope::Site, 2).await?;
    let costs: Vec<_> = costs
        .into_iter()
        .map(|turn| (turn.turn_id.to_string(), turn.tokens, turn.cost_picodollars))
        .collect();
    assert_eq!(
        costs,
        [
            ("turn-3".to_owned(), 200, None),
            ("turn-2".to_owned(), 200, Some(30))
        ]
    );
    Ok(())
}

async fn sums_are_the_dearest_first_with_names(fresh: &Fresh) -> Result<()> {
    let (store, _secrets, site) = opened(fresh).await?;
    let cheap = UsageRow {
        model_id: "haiku".to_owned(),
        ..run(&site, 1, Some(3))
    };
    let dear = run(&site, 2, Some(30));
    let unpriced = UsageRow {
        provider_id: "venice".to_owned(),
        scope: Scope::Content,
        at: Timestamp::from_millis(NOW.millis() + 900_000),
        ..run(&site, 3, None)
    };
    for row in [&cheap, &dear, &unpriced] {
        store.record_usage(row).await?;
    }
    let sums = async |by| -> Result<Vec<String>> {
        let rollups = store.usage_by(&site, NOW, by).await?;
        let shown = rollups.iter().map(|one| {
            let (key, model, sum) = (&one.key, &one.model, one.sum);
            format!(
                "{key} {model} runs {} tokens {} cost {} unpriced {}",
                sum.runs, sum.tokens, sum.cost_picodollars, sum.unpriced_runs
            )
        });
        Ok(shown.collect())
    };
    assert_eq!(
        sums(UsageBy::Model).await?,
        [
            "anthropic claude runs 1 tokens 100 cost 30 unpriced 0",
            "anthropic haiku runs 1 tokens 100 cost 3 unpriced 0",
            "venice claude runs 1 tokens 100 cost 0 unpriced 1",
        ]
    );
    assert_eq!(
        sums(UsageBy::Scope).await?,
        [
            "site  runs 2 tokens 200 cost 33 unpriced 0",
            "content  runs 1 tokens 100 cost 0 unpriced 1",
        ]
    );
    assert_eq!(
        sums(UsageBy::Quarter).await?,
        [
            "2000000  runs 2 tokens 200 cost 33 unpriced 0",
            "2000001  runs 1 tokens 100 cost 0 unpriced 1",
        ]
    );
    assert_eq!(
        sums(UsageBy::Nothing).await?,
        ["  runs 3 tokens 300 cost 33 unpriced 1"]
    );
    Ok(())
}

async fn numbers_beyond_reason_do_not_break_the_sums(fresh: &Fresh) -> Result<()> {
    let (store, _secrets, site) = opened(fresh).await?;
    for turn in 1..=3 {
        let row = UsageRow {
            tokens: u64::MAX,
            prompt_tokens: u64::MAX,
            ..run(&site, turn, Some(u64::MAX))
        };
        store.record_usage(&row).await?;
    }
    let spent = store.spent_since(&site, None, NOW).await?;
    assert_eq!(
        (spent.tokens, spent.cost_picodollars),
        (3_000_000_000_000, 3_000_000_000_000_000)
    );
    Ok(())
}
