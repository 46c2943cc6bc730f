//! Runs a turn: assembles history, prompt and tools, drives the loop, and stores the result.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use sitewright_commands::{Commands, Situation};
use sitewright_llm::{
    Backend, Capabilities, Ending, ErrorClass, ModelClient, ModelSettings, ProviderId, Role,
    SystemPrompt, ToolLoop, ToolSpec, TurnEvent, TurnFailure, TurnLimits, TurnPlan,
    prompt_cache_key, resolve_cost_usd, run_turn,
};
use sitewright_runtime::Editor;
use sitewright_store::{
    Actor, AiBudget, Conversation, ConversationOwner, NewTurnMessage, SiteId, SpendingCaps,
    SpendingMonth, StoreError, Timestamp, TurnState, UsageId,
};
use sitewright_tool::{Capability, Scope};

use crate::agent::Agent;
use crate::board::{BudgetPhase, Estimate, Event};
use crate::built_in::BuiltIn;
use crate::claimed_changes::ClaimedChanges;
use crate::outcome::{TurnEnd, TurnOutcome, TurnStatus};
use crate::prompt::{About, system_prompt};
use crate::toolbox::Toolbox;
use crate::turn::{Host, Turn, TurnRequest, TurnResult, UsageLog, WaitClock, text_of};
use crate::usage::{month_start, picodollars, usd};
use crate::{AgentError, history};

/// How many past turns an estimate uses at most, and how many it needs.
const ESTIMATE_FROM: u32 = 20;
const ESTIMATE_MIN: usize = 3;

/// What a token counts as in the sum of a month where the price of a model is not known: ten US dollars per million, as much as a large
/// model costs. Counting nothing would let a model without a price spend without end.
const ASSUMED_PICODOLLARS_PER_TOKEN: u64 = 10_000_000;

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
    BuiltIn(Box<BuiltIn>),
}

pub(crate) fn month(budget: &AiBudget, now: Timestamp) -> SpendingMonth {
    SpendingMonth {
        since: month_start(now),
        caps: SpendingCaps {
            tokens: budget.user_month_tokens,
            cost_picodollars: budget.user_month_usd.and_then(picodollars),
        },
        assumed_picodollars_per_token: ASSUMED_PICODOLLARS_PER_TOKEN,
    }
}

pub(crate) fn over_budget(budget: &AiBudget) -> AgentError {
    let caps = [
        budget.user_month_usd.map(|cap| format!("{cap} US dollars")),
        budget.user_month_tokens.map(|cap| format!("{cap} tokens")),
    ];
    let caps: Vec<String> = caps.into_iter().flatten().collect();
    AgentError::OverBudget(format!(
        "this month's limit of {} for one person is used up, or set aside for turns that are running: wait for them or for the next month, \
         or ask an administrator to raise it in AI settings",
        caps.join(" and ")
    ))
}

impl Agent {
    /// Runs a turn to its end and stores the outcome. A turn that cannot be prepared ends as failed, with the reason in its row.
    pub(crate) async fn run(&self, turn: &Turn, goes_on: bool) {
        match self.prepare(turn, goes_on).await {
            Ok(prepared) => self.drive(turn, prepared).await,
            Err(error) => {
                let message = sitewright_tool::sentence(&error.to_string());
                let outcome = TurnOutcome::failed(&message);
                self.end(turn, TurnState::Failed, &outcome, None).await;
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
        let history = history?;
        let mut toolbox = self.toolbox(turn);
        let asked = history
            .iter()
            .rev()
            .find(|message| message.role == Role::User);
        if let Some(message) = asked {
            toolbox.offer_by_intent(&text_of(&message.content));
        }
        let system = self.system(turn, &toolbox).await?;
        let now = Timestamp::now();
        let tools = toolbox.specs();
        let (backend, capabilities) = self.backend(turn, &tools, now).await?;
        let settings = ModelSettings {
            cache_key: Some(prompt_cache_key(request.scope.as_str(), &tools)),
            ..ModelSettings::new(request.model.as_str(), capabilities)
        };
        let prices = self.0.models.catalogue(now).await;
        let budget = store.ai_budget(&record.site).await?;
        let nothing = sitewright_llm::Usage::default();
        let cost = resolve_cost_usd(&prices, request.provider, &request.model, &nothing);
        let limits = self.limits(turn, &budget, cost.is_some()).await?;
        if request.provider != ProviderId::Offline {
            self.tell_budget(turn, &limits, cost.is_some()).await?;
        }
        let plan = TurnPlan {
            provider: request.provider,
            settings,
            system,
            tools,
            history,
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
        // The site editor always shows a page; the content workspace may have none open.
        if view.current.is_none() && request.scope != Scope::Content {
            view.current = live.site().home_page();
        }
        if let Some(current) = view.current {
            live.open(current).await?;
        }
        let may_read = request.capabilities.has(Capability::ContentRead);
        let entry = request.entry.filter(|_| may_read);
        if let Some(entry) = entry {
            live.open_record(entry).await?;
        }
        let about = About {
            site: live.site(),
            view: &view,
            entry,
            brief: brief.as_deref(),
        };
        let prompt = system_prompt(request.scope, request.stance(), toolbox.offered(), &about);
        drop(live);
        turn.bridge.shows(view);
        Ok(prompt)
    }

    async fn backend(
        &self,
        turn: &Turn,
        tools: &[ToolSpec],
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
                now_ms: now.millis(),
            };
            let built_in = BuiltIn {
                commands: Commands::new(situation),
                bridge: Arc::clone(&turn.bridge),
                store: self.0.store.clone(),
                site: record.site.clone(),
            };
            return Ok((OwnedBackend::BuiltIn(Box::new(built_in)), known));
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

    /// The limits of a turn: the site's caps per turn, lowered to what is left of the user's monthly budget. That much is reserved until
    /// the turn ends. Fails with [`AgentError::OverBudget`] if nothing is left.
    async fn limits(
        &self,
        turn: &Turn,
        budget: &AiBudget,
        is_priced: bool,
    ) -> Result<TurnLimits, AgentError> {
        let mut limits = TurnLimits {
            rounds: budget.turn_rounds,
            time: Duration::from_secs(u64::from(budget.turn_minutes) * 60),
            tokens: budget.turn_tokens,
            cost_usd: budget.turn_usd,
        };
        if turn.request.provider == ProviderId::Offline {
            return Ok(limits);
        }
        let own = SpendingCaps {
            tokens: Some(budget.turn_tokens),
            cost_picodollars: budget.turn_usd.and_then(picodollars),
        };
        let month = month(budget, Timestamp::now());
        let left = self
            .0
            .store
            .reserve_spending(&turn.record, own, &month)
            .await?;
        let left = left.ok_or_else(|| over_budget(budget))?;
        let mut tokens = left.tokens.unwrap_or(u64::MAX);
        if let Some(cost) = left.cost_picodollars {
            let left = usd(cost);
            limits.cost_usd = Some(limits.cost_usd.map_or(left, |own| own.min(left)));
            // The loop cannot count a cost that nobody knows, so tokens stand for it.
            if !is_priced {
                tokens = tokens.min(cost / ASSUMED_PICODOLLARS_PER_TOKEN);
            }
        }
        limits.tokens = limits.tokens.min(tokens);
        Ok(limits)
    }

    /// Fails with [`AgentError::OverBudget`] if the user's monthly budget is used up or reserved by turns that run. Built-in commands cost
    /// nothing and always pass.
    pub(crate) async fn within_month(
        &self,
        request: &TurnRequest,
        site: &SiteId,
        actor: &Actor,
        now: Timestamp,
    ) -> Result<(), AgentError> {
        if request.provider == ProviderId::Offline {
            return Ok(());
        }
        let store = &self.0.store;
        let budget = store.ai_budget(site).await?;
        let left = store
            .spending_left(site, actor, &month(&budget, now))
            .await?;
        match left.is_used_up() {
            true => Err(over_budget(&budget)),
            false => Ok(()),
        }
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
            usage: UsageLog {
                id: UsageId::new(),
                prices: Arc::clone(&prices),
            },
        };
        let mut tool_loop = ToolLoop::new(plan);
        let backend = match &backend {
            OwnedBackend::Provider(client) => Backend::Provider(client),
            OwnedBackend::BuiltIn(built_in) => Backend::BuiltIn(built_in.as_ref()),
        };
        let ending = run_turn(&mut tool_loop, backend, &mut host, &turn.stop).await;
        let result = host.result;
        let cost = result.usage.as_ref().and_then(|usage| {
            resolve_cost_usd(&prices, turn.request.provider, &turn.request.model, usage)
        });
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
            limit: match ending {
                Ending::OutOfBudget(limit) => Some(limit),
                _ => None,
            },
            ..TurnOutcome::new(TurnStatus::Done)
        };
        self.finish(turn, &ending, result, outcome).await;
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
        let is_server_stopping = self.0.stopping.is_cancelled();
        let end = TurnEnd::new(ending, result.broken.as_deref(), is_server_stopping);
        if let Some(answer) = result.answer
            && *ending == Ending::EndedByTool
        {
            self.say(turn, &answer, result.is_tainted).await;
        }
        if end.state == TurnState::Stopped {
            self.withdraw(turn, &result.waiting).await;
        }
        outcome.ended = end.status;
        outcome.error = end.failure.as_ref().map(|failure| failure.message.clone());
        outcome.plan = result.plan;
        self.shorten(turn).await;
        self.end(turn, end.state, &outcome, result.context_tokens)
            .await;
        let failure = match self.begin_next(turn).await {
            Ok(()) => end.failure,
            Err(error) => Some(end.failure.unwrap_or(error)),
        };
        // A watcher that receives the last event must not find the turn still listed as running.
        self.forget(turn);
        match failure {
            Some(TurnFailure { message, class }) => {
                turn.board.model(&TurnEvent::Error { message, class });
            }
            None => turn.board.own(&Event::Done {
                outcome: end.status,
            }),
        }
    }

    /// Starts a turn for messages that were queued, and tells watchers of it. Fails with a message for the watchers if it cannot start:
    /// they may have sent one of them.
    async fn begin_next(&self, turn: &Turn) -> Result<(), TurnFailure> {
        if self.0.stopping.is_cancelled() {
            return Ok(());
        }
        match self.next_turn(turn).await {
            Ok(None) => Ok(()),
            Ok(Some(next)) => {
                turn.board.own(&Event::NextTurn {
                    turn_id: next.to_string(),
                });
                Ok(())
            }
            Err(error) => {
                let cause = &error as &dyn std::error::Error;
                tracing::warn!(cause, turn = %turn.record.id, "a queued message could not be taken up");
                let message = sitewright_tool::sentence(&error.to_string());
                Err(TurnFailure {
                    message: format!("What was said meanwhile was not taken up. {message}"),
                    class: ErrorClass::Server,
                })
            }
        }
    }

    /// Stores and shows a text as the assistant's answer, for turns that a tool call ended.
    async fn say(&self, turn: &Turn, text: &str, is_tainted: bool) {
        let content = json!([{ "kind": "text", "text": text }]).to_string();
        let message = NewTurnMessage {
            role: "assistant",
            content: &content,
            is_tainted,
            at: Timestamp::now(),
        };
        let kept = self.0.store.add_message(&turn.record, message).await;
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
