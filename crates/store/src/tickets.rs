//! Tickets that were used. A ticket is a sealed token that carries one step of a sign-in to the next, so that strangers who begin a
//! sign-in write nothing; only its use is a row.

use crate::sessions::hash;
use crate::{Store, StoreError, Timestamp};

impl Store {
    /// Marks a ticket as used. False if it was used before, however many callers try at the same time.
    pub async fn spend_ticket(
        &self,
        ticket: &str,
        expires_at: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut write = self.write().await?;
        let spent = sqlx::query(
            "INSERT INTO spent_tickets (ticket_hash, expires_at) VALUES ($1, $2) ON CONFLICT (ticket_hash) DO NOTHING",
        )
        .bind(hash(ticket))
        .bind(expires_at.millis())
        .execute(&mut *write)
        .await?;
        write.commit().await?;
        Ok(spent.rows_affected() == 1)
    }
}
