//! Credentials and the models behind them.

use anyhow::Result;
use secrecy::SecretString;
use serde_json::json;
use sitewright_agent::{AccessChange, CredentialError, Models, NewAccess, Offer};
use sitewright_egress::{Egress, EgressPolicy, Limits};
use sitewright_llm::Refresh;
use sitewright_store::{
    AiDefault, Credential, KeySource, Place, Secrets, SiteId, Stamp, Store, Timestamp,
};
use sitewright_testkit::model::{Dialect, ModelSimulator, Scenario};
use sitewright_testkit::vendor::{Answer, Reply, Vendor};
use sitewright_tool::Scope;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
const KEY: &str = "sk-canary-0123456789";

struct Bench {
    models: Models,
    store: Store,
    secrets: Secrets,
    site: SiteId,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new(allow: &str, refresh: Refresh) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let store = Store::open(&Place::File(folder.path().join("sitewright.db"))).await?;
        let key = KeySource::File(folder.path().join("secret.key"));
        let secrets = Secrets::open(&store, &key).await?;
        let site = store.sites().await?.remove(0).id;
        Ok(Self {
            models: Models::new(store.clone(), secrets.clone(), egress(allow)?, refresh),
            store,
            secrets,
            site,
            _folder: folder,
        })
    }

    async fn open() -> Result<Self> {
        Self::new("127.0.0.1/32", Refresh::Off).await
    }

    async fn add(&self, provider: &str, base_url: &str) -> Result<Credential, CredentialError> {
        let new = NewAccess {
            provider_id: provider.to_owned(),
            label: "Main".to_owned(),
            base_url: Some(base_url.to_owned()),
            api_key: Some(SecretString::from(KEY)),
        };
        let by = Stamp::local(NOW);
        self.models.add_credential(&self.site, &new, &by).await
    }

    async fn offer(&self, credential: &Credential) -> Result<Offer, CredentialError> {
        self.models.offer(&self.site, &credential.id, NOW).await
    }

    /// The model of each scope, by the scope.
    async fn defaults(&self) -> Result<Vec<(Scope, String)>> {
        let defaults = self.store.ai_defaults(&self.site).await?.into_iter();
        Ok(defaults.map(|one| (one.scope, one.model_id)).collect())
    }

    async fn tested(&self, provider: &str, vendor: &Vendor) -> Result<(bool, String)> {
        let credential = self.add(provider, &vendor.url("")).await?;
        let tested = self
            .models
            .test_credential(&self.site, &credential.id, NOW)
            .await?;
        Ok((tested.ok, tested.message))
    }
}

fn egress(allow: &str) -> Result<Egress> {
    let policy = EgressPolicy {
        allow: allow.parse()?,
    };
    Ok(Egress::new(policy, Limits::default())?)
}

fn all(model: &str) -> Vec<(Scope, String)> {
    Scope::ALL
        .into_iter()
        .map(|scope| (scope, model.to_owned()))
        .collect()
}

#[tokio::test]
async fn each_providers_models_come_with_windows_and_prices_where_somebody_knows_them() -> Result<()>
{
    // The built-in price list prices Anthropic and OpenAI; the others speak for themselves, or cost nothing.
    for (dialect, model, window, is_priced) in [
        (Dialect::Anthropic, "claude-opus-5-5", true, true),
        (Dialect::OpenAi, "gpt-6-sol", true, true),
        (Dialect::OpenRouter, "anthropic/claude-opus-5.5", true, true),
        (Dialect::Ollama, "qwen3:8b", false, false),
        (Dialect::Venice, "kimi-k3", true, true),
    ] {
        let bench = Bench::open().await?;
        let simulator = ModelSimulator::start(dialect, Scenario::default());
        let credential = bench.add(dialect.id(), &simulator.base_url()).await?;
        assert_eq!(bench.defaults().await?, all(model), "{dialect:?}");
        let offer = bench.offer(&credential).await?;
        let first = &offer.models[0];
        assert_eq!(
            (
                offer.live,
                first.model.id.as_str(),
                first.model.context_window.is_some(),
                first.pricing.is_some()
            ),
            (true, model, window, is_priced),
            "{dialect:?}"
        );
    }
    Ok(())
}

#[tokio::test]
async fn openrouters_own_price_is_the_one_that_is_shown() -> Result<()> {
    let bench = Bench::open().await?;
    let simulator = ModelSimulator::start(Dialect::OpenRouter, Scenario::default());
    let credential = bench.add("openrouter", &simulator.base_url()).await?;
    let offer = serde_json::to_value(bench.offer(&credential).await?)?;
    assert_eq!(
        offer["models"][0]["pricing"],
        json!({ "prompt": 4.0, "completion": 20.0, "cacheRead": 0.2, "cacheWrite": 5.0 })
    );
    Ok(())
}

#[tokio::test]
async fn a_model_that_nobody_lists_has_no_window_and_no_price() -> Result<()> {
    let bench = Bench::open().await?;
    let list = Vendor::answering(|_| Answer::ok(r#"{"data":[{"id":"gpt-of-the-house"}]}"#));
    let credential = bench.add("openai", &list.url("/v1")).await?;
    let offer = bench.offer(&credential).await?;
    let model = &offer.models[0];
    assert_eq!(model.model.id, "gpt-of-the-house");
    assert_eq!((model.model.context_window, model.pricing), (None, None));
    Ok(())
}

fn anthropic_list(ids: &[&str]) -> Vendor {
    let data: Vec<_> = ids.iter().map(|id| json!({ "id": id })).collect();
    let body = json!({ "data": data, "has_more": false }).to_string();
    Vendor::answering(move |_| Answer::ok(body.clone()))
}

#[tokio::test]
async fn the_smartest_model_becomes_the_default_and_else_the_first() -> Result<()> {
    let bench = Bench::open().await?;
    let list = anthropic_list(&["claude-haiku-5-5", "claude-opus-5-5"]);
    bench.add("anthropic", &list.url("")).await?;
    assert_eq!(bench.defaults().await?, all("claude-opus-5-5"));
    let bench = Bench::open().await?;
    let list = anthropic_list(&["house-model-1", "house-model-2"]);
    bench.add("anthropic", &list.url("")).await?;
    assert_eq!(bench.defaults().await?, all("house-model-1"));
    Ok(())
}

#[tokio::test]
async fn a_model_without_tools_is_no_default_while_there_is_another() -> Result<()> {
    let bench = Bench::open().await?;
    let tags = json!({ "models": [
        { "name": "plain", "capabilities": ["completion"] },
        { "name": "handy", "capabilities": ["completion", "tools"] },
    ] })
    .to_string();
    let ollama = Vendor::answering(move |_| Answer::ok(tags.clone()));
    bench.add("ollama", &ollama.url("")).await?;
    assert_eq!(bench.defaults().await?, all("handy"));
    Ok(())
}

#[tokio::test]
async fn scopes_that_have_a_default_keep_it() -> Result<()> {
    let bench = Bench::open().await?;
    let first = anthropic_list(&["first"]);
    let credential = bench.add("anthropic", &first.url("")).await?;
    let by = Stamp::local(NOW);
    bench
        .store
        .clear_ai_default(&bench.site, Scope::Data, &by)
        .await?;
    let chosen = AiDefault {
        scope: Scope::Site,
        credential_id: credential.id.clone(),
        model_id: "chosen".to_owned(),
    };
    bench
        .store
        .set_ai_default(&bench.site, &chosen, &by)
        .await?;
    let second = anthropic_list(&["second"]);
    bench.add("anthropic", &second.url("")).await?;
    let models: Vec<String> = bench
        .defaults()
        .await?
        .into_iter()
        .map(|one| one.1)
        .collect();
    assert_eq!(models, ["chosen", "first", "second", "first", "first"]);
    Ok(())
}

#[tokio::test]
async fn a_provider_that_cannot_be_asked_gives_no_defaults_and_the_usual_models() -> Result<()> {
    let bench = Bench::open().await?;
    let down = Vendor::answering(|_| Answer::Reply(Reply::new(500, "down")));
    let credential = bench.add("anthropic", &down.url("")).await?;
    assert_eq!(bench.defaults().await?, []);
    let offer = bench.offer(&credential).await?;
    let ids: Vec<&str> = offer
        .models
        .iter()
        .map(|one| one.model.id.as_str())
        .collect();
    assert_eq!(
        ids,
        ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"]
    );
    assert_eq!(
        (offer.live, offer.problem.as_deref()),
        (false, Some("The provider failed: try again. (down)"))
    );
    Ok(())
}

#[tokio::test]
async fn a_list_is_asked_for_once_in_a_while_and_again_after_a_change() -> Result<()> {
    let bench = Bench::open().await?;
    let list = anthropic_list(&["claude-opus-5-5"]);
    let credential = bench.add("anthropic", &list.url("")).await?;
    for _ in 0..3 {
        bench.offer(&credential).await?;
    }
    assert_eq!(list.requests().len(), 1);
    let change = AccessChange {
        label: Some("Renamed".to_owned()),
        ..AccessChange::default()
    };
    let by = Stamp::local(NOW);
    let (site, id) = (&bench.site, &credential.id);
    bench
        .models
        .change_credential(site, id, &change, &by)
        .await?;
    bench.offer(&credential).await?;
    assert_eq!(list.requests().len(), 2);
    let later = Timestamp::from_millis(NOW.millis() + 6 * 60 * 1000);
    bench.models.offer(site, id, later).await?;
    assert_eq!(list.requests().len(), 3);
    Ok(())
}

#[tokio::test]
async fn another_sites_credential_cannot_be_used() -> Result<()> {
    let bench = Bench::open().await?;
    let list = anthropic_list(&["claude-opus-5-5"]);
    let credential = bench.add("anthropic", &list.url("")).await?;
    let other = bench.store.create_site("second", "Second", NOW).await?.id;
    let offered = bench.models.offer(&other, &credential.id, NOW).await;
    assert_eq!(
        offered.expect_err("it is refused").to_string(),
        "there is no such credential"
    );
    Ok(())
}

#[tokio::test]
async fn a_test_says_in_words_what_is_wrong() -> Result<()> {
    let bench = Bench::open().await?;
    let answering = |status, body: &'static str| {
        Vendor::answering(move |_| Answer::Reply(Reply::new(status, body)))
    };
    let good = anthropic_list(&["a", "b"]);
    assert_eq!(
        bench.tested("anthropic", &good).await?,
        (true, "Anthropic answers and offers 2 models.".to_owned())
    );
    let bad_key = answering(
        401,
        r#"{"error":{"type":"authentication_error","message":"invalid x-api-key"}}"#,
    );
    assert_eq!(
        bench.tested("anthropic", &bad_key).await?,
        (
            false,
            "The provider does not accept the key: check the credential in AI settings. (invalid x-api-key)".to_owned()
        )
    );
    let no_credit = answering(
        402,
        r#"{"error":{"message":"Insufficient credits","code":402}}"#,
    );
    assert_eq!(
        bench.tested("openrouter", &no_credit).await?,
        (
            false,
            "The provider account has no credit left: add credit there or choose another provider. \
             (Insufficient credits)"
                .to_owned()
        )
    );
    let address = {
        let gone = answering(200, "");
        gone.url("")
    };
    let credential = bench.add("ollama", &address).await?;
    let tested = bench
        .models
        .test_credential(&bench.site, &credential.id, NOW)
        .await?;
    assert_eq!(
        tested.message,
        "The provider cannot be reached: check the network and the base URL of the credential. \
         (127.0.0.1 does not accept connections)"
    );
    Ok(())
}

#[tokio::test]
async fn a_place_that_may_not_be_reached_is_told_with_the_remedy() -> Result<()> {
    let bench = Bench::new("", Refresh::Off).await?;
    let vendor = anthropic_list(&["a"]);
    let (ok, message) = bench.tested("ollama", &vendor).await?;
    assert_eq!(
        (ok, message.as_str()),
        (
            false,
            "The provider cannot be reached: check the network and the base URL of the credential. (127.0.0.1 may not \
             be reached: it is this machine; an operator can list it in SITEWRIGHT_EGRESS_ALLOW)"
        )
    );
    assert_eq!(vendor.connections(), 0);
    Ok(())
}

#[tokio::test]
async fn a_key_does_not_follow_an_address_to_another_host() -> Result<()> {
    let bench = Bench::open().await?;
    let (theirs, other) = (anthropic_list(&["a"]), anthropic_list(&["b"]));
    let credential = bench.add("anthropic", &theirs.url("")).await?;
    let by = Stamp::local(NOW);
    let move_to = |url: String, key: Option<&str>| AccessChange {
        base_url: Some(Some(url)),
        api_key: key.map(|key| Some(SecretString::from(key))),
        ..AccessChange::default()
    };
    let (site, id) = (&bench.site, &credential.id);
    for change in [
        move_to(other.url(""), None),
        AccessChange {
            base_url: Some(None),
            ..AccessChange::default()
        },
    ] {
        let refused = bench.models.change_credential(site, id, &change, &by).await;
        let refused = refused.expect_err("it is refused");
        assert!(
            matches!(
                refused,
                CredentialError::Invalid {
                    field: "apiKey",
                    ..
                }
            ),
            "{refused}"
        );
    }
    let same_host = move_to(theirs.url("/v1"), None);
    bench
        .models
        .change_credential(site, id, &same_host, &by)
        .await?;
    let with_key = move_to(other.url(""), Some("sk-other"));
    bench
        .models
        .change_credential(site, id, &with_key, &by)
        .await?;
    bench.offer(&credential).await?;
    let seen: Vec<_> = other.requests();
    assert_eq!(seen[0].header("x-api-key"), Some("sk-other"));
    Ok(())
}

fn prices() -> Vendor {
    let list = json!({ "data": [{ "id": "anthropic/claude-opus-5.5", "context_length": 123,
        "pricing": { "prompt": "0.000007", "completion": "0.00003" } }] });
    Vendor::answering(move |_| Answer::ok(list.to_string()))
}

#[tokio::test]
async fn nothing_goes_out_before_a_credential_exists_and_then_prices_are_kept() -> Result<()> {
    let list = prices();
    let bench = Bench::new("127.0.0.1/32", Refresh::From(list.url("/models"))).await?;
    let bundled = bench.models.catalogue(NOW).await;
    assert!(bundled.get("claude-opus-5-5").is_some());
    bench.models.close().await;
    assert_eq!(list.connections(), 0);
    let provider = anthropic_list(&["claude-opus-5-5"]);
    bench.add("anthropic", &provider.url("")).await?;
    bench.models.catalogue(NOW).await;
    bench.models.close().await;
    assert_eq!(list.requests().len(), 1);
    // After a restart without a network the list is the fetched one.
    let again = Models::new(
        bench.store.clone(),
        bench.secrets.clone(),
        egress("")?,
        Refresh::Off,
    );
    let kept = again.catalogue(NOW).await;
    let price = kept.get("claude-opus-5-5").expect("the model");
    assert_eq!(price.context_window, Some(123));
    assert_eq!(price.prompt.map(|rate| rate.per_million()), Some(7.0));
    Ok(())
}
