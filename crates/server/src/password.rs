//! Passwords: Argon2id on two threads of its own. Each thread keeps its 19 MB of memory from one password to the next, because memory
//! that is allocated for each would stay with the allocator, once per thread that ever hashed. Few wait in the queue; more are
//! refused, so that a flood of sign-ins cannot hold up everything behind it.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use argon2::password_hash::phc::{Output, ParamsString, PasswordHash, Salt};
use argon2::{Algorithm, Argon2, Block, Params, Version, password_hash};
use sitewright_tool::ErrorCode;
use tokio::sync::oneshot;

use crate::problem::ApiError;

const MIN_CHARS: usize = 12;
const MAX_BYTES: usize = 1024;
const THREADS: usize = 2;
/// Two threads hash this many in about half a second.
const QUEUE: usize = 24;

/// How many of the queue's places one account, and one client, may take. Otherwise a flood of guesses at one account would keep
/// everybody else from signing in.
const SHARE: usize = 4;

/// The places that accounts and clients have taken.
static SHARES: LazyLock<Mutex<HashMap<String, usize>>> = LazyLock::new(Mutex::default);

/// A place in the queue, on behalf of an account and a client. It is free again when this is dropped.
pub(crate) struct HashClaim([String; 2]);

impl HashClaim {
    /// Takes a place, unless the account or the client has its share already. Accounts that do not exist count like others, so that
    /// nobody learns from it which ones do.
    pub(crate) fn take(account: &str, client: &str) -> Result<Self, ApiError> {
        let subjects = [format!("account {account}"), format!("client {client}")];
        let mut shares = SHARES.lock().unwrap_or_else(PoisonError::into_inner);
        let is_used_up = |subject| shares.get(subject).is_some_and(|taken| *taken >= SHARE);
        if subjects.iter().any(is_used_up) {
            return Err(busy());
        }
        for subject in &subjects {
            *shares.entry(subject.clone()).or_default() += 1;
        }
        Ok(Self(subjects))
    }
}

impl Drop for HashClaim {
    fn drop(&mut self) {
        let mut shares = SHARES.lock().unwrap_or_else(PoisonError::into_inner);
        for subject in &self.0 {
            if let Some(taken) = shares.get_mut(subject) {
                *taken -= 1;
            }
            if shares.get(subject) == Some(&0) {
                shares.remove(subject);
            }
        }
    }
}

/// A hash to compute in the thread's memory.
type Job = Box<dyn FnOnce(&mut Vec<Block>) + Send>;

static HASHERS: LazyLock<SyncSender<Job>> = LazyLock::new(|| {
    let (sender, receiver) = sync_channel::<Job>(QUEUE);
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..THREADS {
        let receiver = Arc::clone(&receiver);
        let thread = std::thread::Builder::new().name("passwords".to_owned());
        if let Err(error) = thread.spawn(move || hash_passwords(&receiver)) {
            tracing::error!(%error, "a thread for hashing passwords could not be started");
        }
    }
    sender
});

/// A hash that matches no password, so that an unknown address takes as long as a wrong password.
static NOBODY: LazyLock<Option<String>> =
    LazyLock::new(|| hash_in(&mut Vec::new(), "a password that nobody has").ok());

fn hash_passwords(jobs: &Mutex<Receiver<Job>>) {
    let mut memory = Vec::new();
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        match job {
            Ok(job) => job(&mut memory),
            Err(_closed) => return,
        }
    }
}

/// Rejects a password that is too easy to guess or too long to hash.
pub(crate) fn check(field: &str, password: &str, email: &str) -> Result<(), ApiError> {
    if password.chars().count() < MIN_CHARS {
        return Err(ApiError::field(
            field,
            format!("Choose a password of at least {MIN_CHARS} characters."),
        ));
    }
    if password.len() > MAX_BYTES {
        return Err(ApiError::field(
            field,
            format!("Choose a password of at most {MAX_BYTES} bytes."),
        ));
    }
    if password.eq_ignore_ascii_case(email) {
        return Err(ApiError::field(
            field,
            "Choose a password that is not your email address.",
        ));
    }
    crate::common_passwords::check(field, password, email)
}

/// Hashes a password for storage.
pub(crate) async fn hash(password: String) -> Result<String, ApiError> {
    let hashed = run(move |memory| hash_in(memory, &password)).await?;
    hashed.map_err(|error| ApiError::internal(&error))
}

/// Whether the password matches the hash. Without a hash it returns `false` after the same amount of work.
pub(crate) async fn verify(
    password: String,
    hash: Option<String>,
    claim: HashClaim,
) -> Result<bool, ApiError> {
    if password.len() > MAX_BYTES {
        return Ok(false);
    }
    run(move |memory| {
        // Until here, and not until the answer is read: a caller that goes away leaves its job in the queue.
        let _claim = claim;
        let fits = hash
            .as_ref()
            .or(NOBODY.as_ref())
            .is_some_and(|hash| verify_in(memory, &password, hash).unwrap_or(false));
        fits && hash.is_some()
    })
    .await
}

/// Runs a job on one of the threads, unless too many wait already.
async fn run<T: Send + 'static>(
    job: impl FnOnce(&mut Vec<Block>) -> T + Send + 'static,
) -> Result<T, ApiError> {
    let (reply, answer) = oneshot::channel();
    let job: Job = Box::new(move |memory| {
        // Whoever asked may be gone by now; then nobody needs the hash, and it is not computed.
        if !reply.is_closed() {
            drop(reply.send(job(memory)));
        }
    });
    HASHERS.try_send(job).map_err(|error| match error {
        TrySendError::Full(_) => busy(),
        TrySendError::Disconnected(_) => ApiError::internal(&error),
    })?;
    answer.await.map_err(|error| ApiError::internal(&error))
}

fn busy() -> ApiError {
    ApiError::new(
        ErrorCode::Unavailable,
        "Too many people are signing in at the moment. Try again in a few seconds.",
    )
    .retry_after(2)
}

fn hash_in(memory: &mut Vec<Block>, password: &str) -> password_hash::Result<String> {
    let (algorithm, version, params) = Default::default();
    let salt = Salt::generate();
    let hash = PasswordHash {
        algorithm: Algorithm::ident(&algorithm),
        version: Some(Version::into(version)),
        params: ParamsString::try_from(&params)?,
        salt: Some(salt),
        hash: None,
    };
    let output = output_in(memory, password, &hash)?;
    let hash = PasswordHash {
        hash: Some(output),
        ..hash
    };
    Ok(hash.to_string())
}

fn verify_in(memory: &mut Vec<Block>, password: &str, stored: &str) -> password_hash::Result<bool> {
    let stored = PasswordHash::new(stored)?;
    let output = output_in(memory, password, &stored)?;
    // Compares in constant time.
    Ok(stored.hash == Some(output))
}

/// What a password comes to with the parameters and the salt of a hash.
fn output_in(
    memory: &mut Vec<Block>,
    password: &str,
    hash: &PasswordHash,
) -> password_hash::Result<Output> {
    let params = Params::try_from(hash)?;
    let version = hash.version.map(Version::try_from).transpose()?;
    let algorithm = Algorithm::try_from(hash.algorithm.as_str())?;
    let salt = hash
        .salt
        .as_ref()
        .ok_or(password_hash::Error::SaltInvalid)?;
    let mut output = [0; Output::MAX_LENGTH];
    let length = params.output_len().unwrap_or(Params::DEFAULT_OUTPUT_LEN);
    let output = output
        .get_mut(..length)
        .ok_or(password_hash::Error::OutputSize)?;
    if memory.len() < params.block_count() {
        memory.resize(params.block_count(), Block::default());
    }
    Argon2::new(algorithm, version.unwrap_or_default(), params).hash_password_into_with_memory(
        password.as_bytes(),
        salt,
        output,
        memory,
    )?;
    Ok(Output::new(output)?)
}

#[cfg(test)]
mod tests {
    use super::{HashClaim, QUEUE, SHARE};

    #[test]
    fn h4_one_account_or_client_takes_only_its_share_of_the_queue() {
        let take = |account: &str, client: &str| HashClaim::take(account, client).ok();
        let flood: Vec<Option<HashClaim>> = (0..QUEUE)
            .map(|client| take("nobody@example.com", &format!("192.0.2.{client}")))
            .collect();
        assert_eq!(flood.iter().flatten().count(), SHARE);
        let stranger: Vec<Option<HashClaim>> = (0..QUEUE)
            .map(|account| take(&format!("{account}@example.com"), "198.51.100.1"))
            .collect();
        assert_eq!(stranger.iter().flatten().count(), SHARE);
        assert!(take("ada@example.com", "203.0.113.1").is_some());
        assert!(take("nobody@example.com", "203.0.113.1").is_none());
        drop(flood);
        assert!(take("nobody@example.com", "203.0.113.1").is_some());
    }
}
