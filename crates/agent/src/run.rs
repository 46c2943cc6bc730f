//! Runs a turn: assembles history, prompt and tools, drives the loop, and stores the result.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sitewright_commands::{Commands, Situation};
use sitewright_llm::{
    Backend, Capabilities, Ending, ErrorClass, ModelClient, ModelSettings, ProviderId,
    SystemPrompt, ToolLoop, ToolSpec, TurnEvent, TurnFailure, TurnLimits, TurnPlan,
    prompt_cache_key, resolve_cost_usd, run_turn,
};
use sitewright_runtime::Editor;
use sitewright_store::{
    AiBudget, Conversation, ConversationOwner, StoreError, Timestamp, TurnState, UsageId,
};

use crate::agent::Agent;
use crate::board::{BudgetPhase, Estimate, Event};
use crate::built_in::BuiltIn;
use crate::claimed_changes::ClaimedChanges;
use crate::outcome::{ReachedLimit, TurnEnd, TurnNumbers, TurnOutcome, TurnStatus};
use crate::prompt::{About, system_prompt};
use crate::toolbox::Toolbox;
use crate::turn::{Host, Turn, TurnRequest, TurnResult, WaitClock};
use crate::usage::{ModelRun, month_start, usd};
use crate::{AgentError, NewMessage, history};

/// How many past turns an estimate uses at most, and how many it needs.
const ESTIMATE_FROM: u32 = 20;
const ESTIMATE_MIN: usize = 3;

/// Everything that must be ready before the loop begins.
struct PreparedTurn {
    conversation: Conversation,
    plan: TurnPlan,
    toolbox: Toolbox,
    backend: OwnedBackend,
}

/// What answers the rounds of a turn.
enum OwnedBackend {
    Provider(ModelClient),
    BuiltIn(BuiltIn),
}

impl Agent {
    /// Runs a turn to its end and stores the outcome. A turn that cannot be prepared ends as failed, with the reason in its row.
    pub(crate) async fn run(&self, turn: &Turn, goes_on: bool) {
        match self.prepare(turn, goes_on).await {
            Ok(prepared) => self.drive(turn, prepared).await,
            Err(error) => {
                let message = sitewright_tool::sentence(&error.to_string());
                let outcome = TurnOutcome::failed(&message);
                self.end(turn, TurnState::Failed, &outcome, TurnNumbers::default())
                    .await;
                self.forget(turn);
                let class = match error {
                    AgentError::ChooseModel => ErrorClass::Auth,
                    _ => ErrorClass::Server,
                };
                turn.board.model(&TurnEvent::Error { message, class });
            }
        }
    }

    async fn prepare(&self, turn: &Turn, goes_on: bool) -> Result<PreparedTurn, AgentError> {
        let store = &self.0.store;
        let Turn {
            record, request, ..
        } = turn;
        let place = ConversationOwner {
            site: &record.site,
            owner: request.owner.as_str(),
        };
        let conversation = store.conversation(place, &record.conversation).await?;
        let said = store.said(&record.conversation).await?;
        let history: Result<Vec<_>, _> = said
            .iter()
            .map(|(role, content)| history::message(role, content))
            .collect();
        let toolbox = self.toolbox(turn);
        let system = self.system(turn, &toolbox).await?;
        let now = Timestamp::now();
        let tools = toolbox.specs();
        let (backend, capabilities) = self.backend((turn, &tools), now).await?;
        let settings = ModelSettings {
            cache_key: Some(prompt_cache_key(request.scope.as_str(), &tools)),
            ..ModelSettings::new(request.model.as_str(), capabilities)
        };
        let prices = self.0.models.catalogue(now).await;
        let budget = store.ai_budget(&record.site).await?;
        let limits = self.limits(turn, &budget, now).await?;
        if request.provider != ProviderId::Offline {
            let nothing = sitewright_llm::Usage::default();
            let cost = resolve_cost_usd(&prices, request.provider, &request.model, &nothing);
            self.tell_budget(turn, &limits, cost.is_some()).await?;
        }
        let plan = TurnPlan {
            provider: request.provider,
            settings,
            system,
            tools,
            history: history?,
            goes_on,
            limits,
            prices,
            seed: u64::from_str_radix(&record.id.as_str()[16..], 16).unwrap_or(1),
        };
        Ok(PreparedTurn {
            conversation,
            plan,
            toolbox,
            backend,
        })
    }

    fn toolbox(&self, turn: &Turn) -> Toolbox {
        let Turn {
            record, request, ..
        } = turn;
        let mut listed = self.0.pipeline.tools().list(Some(request.scope));
        listed.retain(|tool| (self.0.visible)(&record.site, &tool.source, tool.definition.name()));
        Toolbox::new(
            listed,
            request.scope,
            request.stance(),
            &request.capabilities,
        )
    }

    async fn system(&self, turn: &Turn, toolbox: &Toolbox) -> Result<SystemPrompt, StoreError> {
        let Turn {
            record, request, ..
        } = turn;
        let brief = self.0.store.site_brief(&record.site).await?;
        let mut live = self.0.store.live_site(&record.site).await?;
        let mut view = turn.bridge.view();
        if let Some(current) = view.current
            && !live.open(current).await?
        {
            view.current = None;
        }
        if view.current.is_none() {
            view.current = live.site().home_page();
        }
        if let Some(current) = view.current {
            live.open(current).await?;
        }
        let about = About {
            site: live.site(),
            view: &view,
            brief: brief.as_deref(),
        };
        let prompt = system_prompt(request.scope, request.stance(), toolbox.offered(), &about);
        drop(live);
        turn.bridge.shows(view);
        Ok(prompt)
    }

    async fn backend(
        &self,
        (turn, tools): (&Turn, &[ToolSpec]),
        now: Timestamp,
    ) -> Result<(OwnedBackend, Capabilities), AgentError> {
        let Turn {
            record, request, ..
        } = turn;
        let known = Capabilities::of(&request.model);
        if request.provider == ProviderId::Offline {
            let view = Editor::view(&*turn.bridge);
            let names = tools.iter().map(|tool| tool.name.clone());
            let situation = Situation {
                current: view.current,
                selected: view.selected,
                tools: names.collect(),
            };
            let built_in = BuiltIn {
                commands: Commands::new(situation),
                bridge: Arc::clone(&turn.bridge),
                store: self.0.store.clone(),
                site: record.site.clone(),
            };
            return Ok((OwnedBackend::BuiltIn(built_in), known));
        }
        let Some(credential) = &request.credential else {
            return Err(AgentError::ChooseModel);
        };
        let id = credential.clone().into();
        let client = self.0.models.client(&record.site, &id).await?;
        // The provider's own list overrides what we know about the model. If the list cannot be fetched, the turn still runs.
        let listed = self.0.models.live(&record.site, &id, now).await.ok();
        let model = listed
            .iter()
            .flat_map(|models| models.iter())
            .find(|model| model.id == request.model);
        let capabilities = match model {
            Some(model) => known.with(model),
            None => known,
        };
        Ok((OwnedBackend::Provider(client), capabilities))
    }

    /// The limits of a turn: the site's caps per turn, lowered to what is left of the user's monthly budget.
    async fn limits(
        &self,
        turn: &Turn,
        budget: &AiBudget,
        now: Timestamp,
    ) -> Result<TurnLimits, StoreError> {
        let record = &turn.record;
        let spent = self
            .0
            .store
            .spent_since(&record.site, Some(&record.actor), month_start(now))
            .await?;
        let month_usd = budget
            .user_month_usd
            .map(|cap| (cap - usd(spent.cost_picodollars)).max(0.0));
        let month_tokens = budget
            .user_month_tokens
            .map_or(u64::MAX, |cap| cap.saturating_sub(spent.tokens));
        let cost_usd = match (budget.turn_usd, month_usd) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        Ok(TurnLimits {
            rounds: budget.turn_rounds,
            time: Duration::from_secs(u64::from(budget.turn_minutes) * 60),
            tokens: budget.turn_tokens.min(month_tokens),
            cost_usd,
        })
    }

    /// Fails with [`AgentError::OverBudget`] if the user's monthly budget is used up. Built-in commands cost nothing and always pass.
    pub(crate) async fn within_month(
        &self,
        request: &TurnRequest,
        sending: &NewMessage,
        now: Timestamp,
    ) -> Result<(), AgentError> {
        if request.provider == ProviderId::Offline {
            return Ok(());
        }
        let store = &self.0.store;
        let budget = store.ai_budget(&sending.site).await?;
        let since = month_start(now);
        let spent = store
            .spent_since(&sending.site, Some(&sending.actor), since)
            .await?;
        let over_usd = budget
            .user_month_usd
            .filter(|cap| usd(spent.cost_picodollars) >= *cap);
        let over_tokens = budget.user_month_tokens.filter(|cap| spent.tokens >= *cap);
        let cap = match (over_usd, over_tokens) {
            (Some(cap), _) => format!("{cap} US dollars"),
            (None, Some(cap)) => format!("{cap} tokens"),
            (None, None) => return Ok(()),
        };
        Err(AgentError::OverBudget(format!(
            "this month's limit of {cap} for one person is used up: wait for the next month, or ask an administrator to raise it in AI \
             settings"
        )))
    }

    /// Shows the cap before the run, with an estimate based on the cost of recent turns in the same scope.
    async fn tell_budget(
        &self,
        turn: &Turn,
        limits: &TurnLimits,
        price_known: bool,
    ) -> Result<(), StoreError> {
        let Turn {
            record, request, ..
        } = turn;
        let past = self
            .0
            .store
            .turn_costs(&record.site, request.scope, ESTIMATE_FROM)
            .await?;
        let mut costs: Vec<f64> = past
            .iter()
            .filter_map(|past| past.cost_picodollars)
            .map(usd)
            .collect();
        costs.sort_by(f64::total_cmp);
        // The lowest and the highest tenth are left out as outliers.
        let edge = costs.len() / 10;
        let estimate = (price_known && costs.len() >= ESTIMATE_MIN).then(|| Estimate {
            low_usd: costs[edge],
            high_usd: costs[costs.len() - 1 - edge],
            turns: costs.len(),
        });
        turn.board.own(&Event::Budget {
            phase: BudgetPhase::Before,
            cap_usd: limits.cost_usd,
            cap_tokens: limits.tokens,
            estimate,
            price_known,
        });
        Ok(())
    }

    async fn drive(&self, turn: &Turn, prepared: PreparedTurn) {
        let PreparedTurn {
            conversation,
            plan,
            toolbox,
            backend,
        } = prepared;
        let prices = Arc::clone(&plan.prices);
        let said_before = plan.history.len() as u64;
        let mut host = Host {
            turn,
            store: &self.0.store,
            pipeline: &self.0.pipeline,
            decided: &self.0.decided,
            toolbox,
            has_new_tools: false,
            // Rounds name the cards of their approvals. Counting from the history keeps a resumed turn from reusing names.
            rounds: said_before,
            result: TurnResult {
                is_tainted: conversation.is_tainted,
                ..TurnResult::default()
            },
            changes: ClaimedChanges::default(),
            waiting: WaitClock::default(),
        };
        let mut tool_loop = ToolLoop::new(plan);
        let backend = match &backend {
            OwnedBackend::Provider(client) => Backend::Provider(client),
            OwnedBackend::BuiltIn(built_in) => Backend::BuiltIn(built_in),
        };
        let ending = run_turn(&mut tool_loop, backend, &mut host, &turn.stop).await;
        let result = host.result;
        let cost = result.usage.as_ref().and_then(|usage| {
            usage.cost_usd.or_else(|| {
                resolve_cost_usd(&prices, turn.request.provider, &turn.request.model, usage)
            })
        });
        self.record_usage(turn, &result, cost).await;
        // A turn that waits for a person when the server stops stays waiting: its row is left open, and the next process resumes it.
        if self.0.stopping.is_cancelled() && !result.waiting.is_empty() {
            turn.board.own(&Event::Done {
                outcome: TurnStatus::Waiting,
            });
            return;
        }
        let outcome = TurnOutcome {
            provider: Some(turn.request.provider),
            model: Some(turn.request.model.clone()),
            usage: result.usage,
            cost_usd: cost,
            limit: ReachedLimit::of(&ending),
            ..TurnOutcome::new(TurnStatus::Done)
        };
        self.finish(turn, &ending, result, outcome).await;
    }

    async fn record_usage(&self, turn: &Turn, result: &TurnResult, cost: Option<f64>) {
        let Turn {
            record, request, ..
        } = turn;
        let Some(usage) = &result.usage else { return };
        if request.provider == ProviderId::Offline {
            return;
        }
        let run = ModelRun {
            site: record.site.clone(),
            turn_id: record.id.clone(),
            conversation_id: record.conversation.clone(),
            user_id: record.actor.clone(),
            scope: request.scope,
            provider: request.provider,
            model_id: request.model.clone(),
        };
        let row = run.row(UsageId::new(), usage, cost, Timestamp::now());
        if let Err(error) = self.0.store.record_usage(&row).await {
            let error = &error as &dyn std::error::Error;
            tracing::error!(error, turn = %record.id, "what a turn used could not be recorded");
        }
    }

    /// Stores the end of a turn and notifies its watchers.
    ///
    /// The order matters. The final answer and the withdrawal of open approvals are stored before the row is closed, and a turn for
    /// messages that arrived meanwhile is started before watchers hear of the end, so that they can follow it. The last event is sent
    /// only after the rows say that the turn is over, because a client may send its next message as soon as it receives it.
    async fn finish(
        &self,
        turn: &Turn,
        ending: &Ending,
        result: TurnResult,
        mut outcome: TurnOutcome,
    ) {
        let numbers = TurnNumbers {
            context_tokens: result.context_tokens,
            is_tainted: result.is_tainted,
        };
        let is_server_stopping = self.0.stopping.is_cancelled();
        let end = TurnEnd::new(ending, result.broken.as_deref(), is_server_stopping);
        if let Some(answer) = result.answer
            && *ending == Ending::EndedByTool
        {
            self.say(turn, &answer).await;
        }
        if end.state == TurnState::Stopped {
            self.withdraw(turn, &result.waiting).await;
        }
        outcome.ended = end.status;
        outcome.error = end.failure.as_ref().map(|failure| failure.message.clone());
        outcome.plan = result.plan;
        self.shorten(turn).await;
        self.end(turn, end.state, &outcome, numbers).await;
        if !self.0.stopping.is_cancelled()
            && let Some(next) = self.next_turn(turn).await
        {
            turn.board.own(&Event::NextTurn {
                turn_id: next.to_string(),
            });
        }
        // A watcher that receives the last event must not find the turn still listed as running.
        self.forget(turn);
        match end.failure {
            Some(TurnFailure { message, class }) => {
                turn.board.model(&TurnEvent::Error { message, class });
            }
            None => turn.board.own(&Event::Done {
                outcome: end.status,
            }),
        }
    }

    /// Stores and shows a text as the assistant's answer, for turns that a tool call ended.
    async fn say(&self, turn: &Turn, text: &str) {
        let content = json!([{ "kind": "text", "text": text }]).to_string();
        let message = ("assistant", content.as_str());
        let kept = self
            .0
            .store
            .add_message(&turn.record, message, Timestamp::now())
            .await;
        match kept {
            Ok(_) => turn.board.text(text),
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::error!(error, turn = %turn.record.id, "an answer could not be stored");
            }
        }
    }

    /// Shortens long tool results in the stored history. They are only needed in full during their own turn.
    async fn shorten(&self, turn: &Turn) {
        let store = &self.0.store;
        let conversation = &turn.record.conversation;
        let shortened = async {
            let rows = store.messages(conversation).await?;
            let shorter = history::shortened(&rows, &turn.record.id);
            store.shorten_messages(conversation, &shorter).await
        };
        if let Err(error) = shortened.await {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(error, turn = %turn.record.id, "the messages of a turn stay long");
        }
    }
}
