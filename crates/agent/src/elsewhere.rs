//! Turns that run on another node: watched through their rows, and stopped through a request in their row.
//!
//! What a model says reaches the rows message by message, so a watcher on another node sees a turn in larger steps than one on its own
//! node. Sending every event to every node would cost more than the few watchers that arrive there are worth.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use sitewright_llm::{ErrorClass, TurnEvent};
use sitewright_store::{DatabaseKind, StoreError, TurnRecord};

use crate::agent::{Agent, TurnHandle};
use crate::board::{Board, Event, shown};
use crate::outcome::TurnOutcome;
use crate::turn::Turn;

/// How long a row is trusted without a notification: one may be lost while the database is away.
const LOOK_EVERY: Duration = Duration::from_secs(5);

impl Agent {
    /// Watches a turn that does not run on this node. One that is over has a state and no events.
    pub(crate) async fn watch_rows(&self, record: TurnRecord) -> Result<TurnHandle, StoreError> {
        let blocks = shown(&self.messages_of(&record).await?);
        let (turn, conversation) = (record.id.as_str(), record.conversation.as_str());
        let plan = TurnOutcome::of(&record).and_then(|outcome| outcome.plan);
        let id = record.id.clone();
        if !record.state.is_open() {
            let board = Arc::new(Board::of_rows(
                turn,
                conversation,
                blocks,
                record.state.into(),
                plan,
            ));
            return Ok(TurnHandle::of(id, board.watch()));
        }
        let board = Arc::new(Board::new(turn, conversation, blocks.clone()));
        board.replace(blocks, record.state.into(), plan);
        let watch = board.watch();
        let agent = self.clone();
        self.0.tasks.spawn(async move {
            if let Err(error) = agent.follow_rows(&board, record).await {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "a turn of another node cannot be followed");
            }
        });
        Ok(TurnHandle::of(id, watch))
    }

    /// Shows what the rows say until the turn is over, nobody watches any more, or the server stops.
    async fn follow_rows(&self, board: &Board, mut record: TurnRecord) -> Result<(), StoreError> {
        let mut wake = self.0.store.wake(&record.site);
        while board.is_watched() {
            record = self.0.store.turn(&record.site, &record.id).await?;
            let outcome = TurnOutcome::of(&record);
            let blocks = shown(&self.messages_of(&record).await?);
            let plan = outcome.as_ref().and_then(|outcome| outcome.plan.clone());
            board.replace(blocks, record.state.into(), plan);
            if !record.state.is_open() {
                match outcome.and_then(|outcome| outcome.error) {
                    Some(message) => board.model(&TurnEvent::Error {
                        message,
                        class: ErrorClass::Server,
                    }),
                    None => board.own(&Event::Done {
                        outcome: record.state.into(),
                    }),
                }
                return Ok(());
            }
            tokio::select! {
                () = self.0.stopping.cancelled() => return Ok(()),
                goes_on = wake.changed() => if !goes_on { return Ok(()) },
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
        }
        Ok(())
    }

    /// Stops a turn of this node once somebody has asked another node to stop it.
    pub(crate) async fn heed_stop(&self, turn: &Turn) -> Infallible {
        // One process owns a SQLite file, so nobody else can be asked.
        if self.0.store.backend() == DatabaseKind::Sqlite {
            return std::future::pending().await;
        }
        let record = &turn.record;
        let mut wake = self.0.store.wake(&record.site);
        loop {
            tokio::select! {
                goes_on = wake.changed() => if !goes_on { return std::future::pending().await },
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            // A row that cannot be read now is read again the next time.
            let asked = self.0.store.turn(&record.site, &record.id).await;
            if asked.is_ok_and(|record| record.is_stop_asked()) {
                turn.stop.cancel();
                return std::future::pending().await;
            }
        }
    }
}
