//! Tickets: sealed tokens that carry the state of a sign-in from one request to the next. A ticket is for one purpose, expires soon,
//! and can be spent once. Beginning a sign-in is public, so it must not write rows; only spending a ticket does.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sitewright_store::Timestamp;
use sitewright_tool::ErrorCode;

use crate::App;
use crate::problem::ApiError;

/// Long enough to fetch a phone.
const LIFETIME: Duration = Duration::from_secs(10 * 60);

/// What a ticket is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TicketPurpose {
    /// Somebody gave a password and has to give a code.
    SecondStep,
    /// Somebody is shown a new secret for their authenticator app.
    NewSecondFactor,
    NewPasskey,
    /// Somebody proves that they have a passkey.
    Passkey,
}

impl TicketPurpose {
    fn as_str(self) -> &'static str {
        match self {
            Self::SecondStep => "second step",
            Self::NewSecondFactor => "new second factor",
            Self::NewPasskey => "new passkey",
            Self::Passkey => "passkey",
        }
    }
}

/// An open ticket.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Ticket<T> {
    pub(crate) state: T,
    id: String,
    expires_at: i64,
}

impl<T: Serialize + DeserializeOwned> Ticket<T> {
    /// Seals a new ticket.
    pub(crate) fn issue(
        app: &App,
        purpose: TicketPurpose,
        state: T,
        now: Timestamp,
    ) -> Result<String, ApiError> {
        let ticket = Self {
            state,
            id: uuid::Uuid::new_v4().simple().to_string(),
            expires_at: now.after(LIFETIME).millis(),
        };
        let text = serde_json::to_string(&ticket).map_err(|error| ApiError::internal(&error))?;
        Ok(app.secrets().seal_token(purpose.as_str(), &text)?)
    }

    /// Opens a ticket of ours that is for this purpose and has not expired.
    pub(crate) fn open(
        app: &App,
        purpose: TicketPurpose,
        sealed: &str,
        now: Timestamp,
    ) -> Result<Self, ApiError> {
        let text = app.secrets().open_token(purpose.as_str(), sealed);
        let ticket = text.and_then(|text| serde_json::from_str::<Self>(&text).ok());
        ticket
            .filter(|ticket| ticket.expires_at > now.millis())
            .ok_or_else(expired)
    }

    /// Uses the ticket up, and returns its state. Fails if it was used before.
    pub(crate) async fn spend(self, app: &App) -> Result<T, ApiError> {
        let expires_at = Timestamp::from_millis(self.expires_at);
        if app.store().spend_ticket(&self.id, expires_at).await? {
            return Ok(self.state);
        }
        Err(expired())
    }
}

fn expired() -> ApiError {
    ApiError::new(
        ErrorCode::Conflict,
        "This took too long or was already done. Start again.",
    )
}
