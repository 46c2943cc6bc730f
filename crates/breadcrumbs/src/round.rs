//! Returns the answers of a record to the session's model, and makes a record of what the model says to them.

use serde_json::{Map, Value, json};
use sitewright_agent::{Agent, AgentError, Executor, Mode, NewMessage, Watch};
use sitewright_llm::Block;
use sitewright_site::View;
use sitewright_store::{
    Breadcrumb, Conversation, ConversationId, ConversationOwner, Sensitivity, SessionClaim,
    StoreError, Timestamp, TurnId, TurnState, Visibility,
};
use sitewright_tool::{Capability, Scope, Taint, sentence};

use crate::runner::{RunContext, machine};
use crate::schema::AGENT_RESPONSE;
use crate::{BreadcrumbCaller, BreadcrumbError, Breadcrumbs, NewRecord, PostedRecord};

/// How many rounds may follow each other without a person.
const ROUNDS_MAX: i64 = 20;
/// The most text of results that a model gets in one round.
const RESULTS_BYTES_MAX: usize = 200_000;

impl Breadcrumbs {
    /// Gives the answers that go back to the model to the conversation of the session, and writes its response as a record. Does nothing
    /// without a session, a model, or requests whose answers go back: then the answers are in the stream, for whoever planned them.
    pub(crate) async fn return_to_model(
        &self,
        context: &RunContext,
    ) -> Result<(), BreadcrumbError> {
        let requests = self.store().breadcrumb_requests(&context.record.id).await?;
        let Some(session) = &context.run.session else {
            return Ok(());
        };
        let may_chat = context
            .caller
            .committer
            .capabilities
            .has(Capability::AiChat);
        if !may_chat || context.run.is_stopped || !requests.iter().any(|request| request.returns) {
            return Ok(());
        }
        let mut answers = Vec::new();
        for request in requests.iter().filter(|request| request.returns) {
            let Some(id) = &request.response else {
                continue;
            };
            let reader = machine(&context.run.site, Timestamp::now());
            match self.store().breadcrumb(reader, id).await {
                Ok(record) => answers.push(record),
                Err(StoreError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let Some(conversation) = self.conversation(&context.caller, session).await? else {
            return Ok(());
        };
        if context.run.depth >= ROUNDS_MAX {
            let text = format!(
                "Stopped after {ROUNDS_MAX} rounds without a person. Write to the session to go on."
            );
            return self
                .respond(context, final_response(text), Taint::Trusted)
                .await;
        }
        self.round(context, &conversation, &answers).await
    }

    /// The conversation of a session; `None` if no model is set up for it.
    async fn conversation(
        &self,
        caller: &BreadcrumbCaller,
        session: &str,
    ) -> Result<Option<ConversationId>, BreadcrumbError> {
        let owner = caller.owner();
        let store = self.store();
        let claim = store.claim_session(&caller.site, session, &owner).await?;
        match claim {
            SessionClaim::Own {
                conversation: Some(conversation),
            } => return Ok(Some(conversation)),
            SessionClaim::Own { conversation: None } => {}
            SessionClaim::Foreign => return Ok(None),
        }
        let default = store.ai_default(&caller.site, Scope::Breadcrumbs).await?;
        let Some(default) = default else {
            return Ok(None);
        };
        let at = Timestamp::now();
        let conversation = Conversation {
            id: ConversationId::new(),
            site: caller.site.clone(),
            owner,
            scope: Scope::Breadcrumbs,
            title: format!("Session {session}"),
            credential: Some(default.credential_id.to_string()),
            model: Some(default.model_id),
            context_tokens: None,
            is_tainted: false,
            created_at: at,
            updated_at: at,
        };
        store
            .create_conversation(&conversation, caller.by())
            .await?;
        let kept = store
            .set_session_conversation(&caller.site, session, &conversation.id)
            .await?;
        Ok(Some(kept))
    }

    async fn round(
        &self,
        context: &RunContext,
        conversation: &ConversationId,
        answers: &[Breadcrumb],
    ) -> Result<(), BreadcrumbError> {
        let (agent, site) = (&self.0.agent, &context.run.site);
        let taint = answers.iter().map(|answer| answer.taint);
        let is_tainted = taint
            .chain([context.record.taint])
            .any(|taint| taint == Taint::Untrusted);
        if is_tainted {
            self.store().taint_conversation(conversation).await?;
        }
        let turn = match &context.run.turn {
            Some(turn) => self.go_on(context, turn).await?,
            None => self.send(context, conversation, answers).await?,
        };
        let Some(turn) = turn else {
            return Ok(());
        };
        if self.0.stopping.is_cancelled() {
            return Ok(());
        }
        let failed = |error: AgentError| BreadcrumbError::field("session", error.to_string());
        let state = agent.turn_state(site, &turn).await.map_err(failed)?;
        if !matches!(
            state,
            TurnState::Done | TurnState::Failed | TurnState::Stopped
        ) {
            // Interrupted by a process that stopped; whoever takes the run over goes on with the turn.
            return Err(BreadcrumbError::field(
                "session",
                "The turn of the session was interrupted.",
            ));
        }
        let text = agent.final_text(site, &turn).await.map_err(failed)?;
        let new = match text {
            Some(text) => spoken(&text),
            None => final_response("The assistant stopped without an answer.".to_owned()),
        };
        // The model may have called tools during the turn, and earlier turns are in the conversation, too.
        let place = ConversationOwner {
            site,
            owner: &context.caller.owner(),
        };
        let conversation = self.store().conversation(place, conversation).await?;
        let taint = match conversation.is_tainted {
            true => Taint::Untrusted,
            false => Taint::Trusted,
        };
        self.respond(context, new, taint).await
    }

    /// Sends the results as a message and waits for the end of the turn.
    async fn send(
        &self,
        context: &RunContext,
        conversation: &ConversationId,
        answers: &[Breadcrumb],
    ) -> Result<Option<TurnId>, BreadcrumbError> {
        let caller = &context.caller;
        let message = NewMessage {
            site: caller.site.clone(),
            conversation: conversation.clone(),
            owner: caller.owner(),
            person: caller.person.clone(),
            actor: caller.by().actor.clone(),
            capabilities: caller.committer.capabilities.clone(),
            content: vec![Block::text(results_text(&context.record, answers))],
            mode: Mode::Edit,
            executor: Executor::Headless,
            view: View::default(),
            entry: None,
        };
        let sent = match self.0.agent.send(message).await {
            Ok(sent) => sent,
            Err(error) => {
                let text = sentence(&error.to_string());
                self.respond(context, final_response(text), Taint::Trusted)
                    .await?;
                return Ok(None);
            }
        };
        let id = &context.record.id;
        self.store().set_breadcrumb_turn(id, &sent.turn).await?;
        self.wait_for(sent.watch).await;
        Ok(Some(sent.turn))
    }

    /// Finishes the turn that another process began.
    async fn go_on(
        &self,
        context: &RunContext,
        turn: &TurnId,
    ) -> Result<Option<TurnId>, BreadcrumbError> {
        let agent: &Agent = &self.0.agent;
        let (site, owner) = (&context.run.site, context.caller.owner());
        let failed =
            |error: AgentError| BreadcrumbError::field("session", sentence(&error.to_string()));
        let place = || ConversationOwner {
            site,
            owner: &owner,
        };
        let state = agent.turn_state(site, turn).await.map_err(failed)?;
        let handle = match state {
            TurnState::Done | TurnState::Failed | TurnState::Stopped => {
                return Ok(Some(turn.clone()));
            }
            TurnState::Interrupted => agent.go_on(place(), turn).await,
            TurnState::Running | TurnState::Waiting => agent.watch(place(), turn, None).await,
        };
        self.wait_for(handle.map_err(failed)?.watch).await;
        Ok(Some(turn.clone()))
    }

    /// Waits for the end of a turn, or of this process.
    async fn wait_for(&self, mut watch: Watch) {
        let ended = async { while watch.next().await.is_some() {} };
        tokio::select! {
            () = ended => {}
            () = self.0.stopping.cancelled() => {}
        }
    }

    /// Writes what the model said into the session; once, however often it is tried.
    async fn respond(
        &self,
        context: &RunContext,
        mut new: NewRecord,
        taint: Taint,
    ) -> Result<(), BreadcrumbError> {
        new.tags.retain(|tag| !tag.starts_with("session:"));
        if let Some(session) = &context.run.session {
            new.tags.push(format!("session:{session}"));
        }
        new.visibility = context.record.visibility;
        let caller = context.caller.as_agent(taint);
        let key = format!("round:{}", context.record.id);
        let depth = context.run.depth + 1;
        let created = self.create_at_depth(&caller, new, Some(&key), depth).await;
        let problem = match created {
            Err(error @ (BreadcrumbError::Invalid(_) | BreadcrumbError::ForeignSession(_))) => {
                error
            }
            other => return other.map(drop),
        };
        // A person reads why nothing happened, and the next message of the session tells the model.
        let text = format!("The assistant's request could not be used: {problem}");
        let mut told = final_response(text);
        if let Some(session) = &context.run.session {
            told.tags.push(format!("session:{session}"));
        }
        told.visibility = context.record.visibility;
        let created = self.create_at_depth(&caller, told, Some(&key), depth).await;
        created.map(drop)
    }
}

fn results_text(record: &Breadcrumb, answers: &[Breadcrumb]) -> String {
    let room = RESULTS_BYTES_MAX / answers.len().max(1);
    let mut text = format!(
        "Results of the tool requests in the record {}:\n",
        record.id
    );
    for answer in answers {
        let mut answer = answer.clone();
        if answer.sensitivity != Sensitivity::Low {
            answer.context["output"] = json!({ "withheld": true });
        }
        let whole = answer.context.to_string();
        let shown = match whole.len() <= room {
            true => whole,
            false => {
                let mut short = answer.context;
                let output: String = short["output"].to_string().chars().take(room / 2).collect();
                short["output"] = json!({ "truncated": output });
                short.to_string()
            }
        };
        text.push_str(&shown);
        text.push('\n');
    }
    text
}

fn final_response(message: String) -> NewRecord {
    let mut context = Map::new();
    context.insert("message".to_owned(), Value::String(message));
    agent_response(context)
}

fn agent_response(context: Map<String, Value>) -> NewRecord {
    NewRecord {
        schema_name: AGENT_RESPONSE.to_owned(),
        title: "Response".to_owned(),
        tags: vec!["agent:response".to_owned()],
        context,
        visibility: Visibility::default(),
        sensitivity: Sensitivity::default(),
        ttl: None,
    }
}

/// What a model said as a record: the structure if it wrote one, its content alone if it left the outside away, else a message.
fn spoken(text: &str) -> NewRecord {
    let Some(object) = json_object(text) else {
        return final_response(text.trim().to_owned());
    };
    if object.contains_key("breadcrumb") || object.contains_key("schema_name") {
        let posted: Result<PostedRecord, _> = serde_json::from_value(Value::Object(object));
        let record = posted.ok().and_then(|posted| posted.record().ok());
        // Models make responses; other records are made by tools, where the policy judges them.
        return match record.filter(|record| record.schema_name == AGENT_RESPONSE) {
            Some(record) => record,
            None => final_response(text.trim().to_owned()),
        };
    }
    match object.contains_key("tool_requests") {
        true => agent_response(object),
        false => final_response(text.trim().to_owned()),
    }
}

/// The JSON object that a text is, or that stands in its only code block.
fn json_object(text: &str) -> Option<Map<String, Value>> {
    let text = text.trim();
    let inner = text
        .split_once("```json")
        .or_else(|| text.split_once("```"))
        .and_then(|(_, rest)| rest.split_once("```"))
        .map(|(inner, _)| inner.trim());
    [Some(text), inner]
        .into_iter()
        .flatten()
        .find_map(|text| serde_json::from_str(text).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::spoken;

    fn check(text: &str, expected: Value) {
        assert_eq!(Value::Object(spoken(text).context), expected, "{text}");
    }

    #[test]
    fn a_model_may_write_the_structure_its_content_or_plain_text() {
        let request =
            json!({ "tool": "echo", "input": {}, "requestId": "e", "return_to_llm": true });
        let content = json!({ "message": "m", "tool_requests": [request] });
        let whole = json!({ "action": "create", "breadcrumb": { "schema_name": "agent.response.v1", "title": "Response", "context": content } });
        check(&whole.to_string(), content.clone());
        check(&format!("Here:\n```json\n{whole}\n```"), content.clone());
        check(&content.to_string(), content.clone());
        check(" All done. ", json!({ "message": "All done." }));
        check("{\"a\": 1}", json!({ "message": "{\"a\": 1}" }));
        let note = json!({ "schema_name": "note.v1", "title": "T", "context": {} }).to_string();
        check(&note, json!({ "message": note }));
    }
}
