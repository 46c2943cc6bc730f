//! Checks what a turn's calls claim to have changed against the site, so that the final answer does not report changes that are gone.

use sitewright_runtime::CallOutcome;
use sitewright_site::{BodyId, Entity, List, NodeId, RecordId};
use sitewright_store::{LiveSite, MediaId, Store, StoreError, TurnRecord};
use sitewright_tool::Touched;

/// The changes that the calls of a turn have reported.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClaimedChanges {
    /// The last claim about each thing.
    claims: Vec<Claim>,
    /// The tools whose last call failed, with the reason.
    failed: Vec<(String, String)>,
    /// The mismatches that the model was last informed of.
    pub(crate) told: Vec<String>,
}

/// What a call reported about one thing.
#[derive(Debug, Clone)]
struct Claim {
    touched: Touched,
    /// Whether it is said to be deleted, and otherwise to be there.
    is_deletion: bool,
}

/// What the site says about a thing.
enum Finding {
    Absent,
    /// The entry of the log that touched it last, where one is recorded for the thing itself.
    Present(Option<u64>),
    /// Nothing is known of things of this kind.
    Unknown,
}

/// How much of an error message is quoted.
const WHY_CHARS_MAX: usize = 200;

impl ClaimedChanges {
    /// Records the outcome of a call.
    pub(crate) fn add(&mut self, tool: &str, outcome: &CallOutcome) {
        self.failed.retain(|(failed, _)| failed != tool);
        let receipt = match outcome {
            CallOutcome::Done(answer) => answer.receipt.as_ref(),
            CallOutcome::Refused(error) | CallOutcome::Unknown(error) => {
                let why = error.message.chars().take(WHY_CHARS_MAX).collect();
                self.failed.push((tool.to_owned(), why));
                None
            }
            CallOutcome::Waiting(_) => None,
        };
        let Some(receipt) = receipt else { return };
        let made = receipt.created.iter().chain(&receipt.changed);
        let made = made.map(|touched| (touched, false));
        let removed = receipt.removed.iter().map(|touched| (touched, true));
        for (touched, is_deletion) in made.chain(removed) {
            self.claims.retain(|claim| claim.touched.id != touched.id);
            self.claims.push(Claim {
                touched: touched.clone(),
                is_deletion,
            });
        }
    }

    /// Compares the claims with the site. Returns one sentence for each thing that is not as the turn left it, and for each tool whose
    /// last call failed.
    pub(crate) async fn mismatches(
        &self,
        store: &Store,
        turn: &TurnRecord,
    ) -> Result<Vec<String>, StoreError> {
        let mut wrong: Vec<String> = self
            .failed
            .iter()
            .map(|(tool, why)| format!("the last call of {tool} failed ({why})"))
            .collect();
        if self.claims.is_empty() {
            return Ok(wrong);
        }
        let mut live = store.live_site(&turn.site).await?;
        for claim in &self.claims {
            let finding = match claim.touched.kind.as_str() {
                "image" => find_image(&claim.touched.id, store, turn).await?,
                _ => find(&claim.touched, &mut live).await?,
            };
            let Touched { kind, id, name, .. } = &claim.touched;
            let name = name.as_ref().unwrap_or(id);
            match (finding, claim.is_deletion) {
                (Finding::Absent, false) => {
                    wrong.push(format!("the {kind} {name} no longer exists"));
                }
                (Finding::Present(_), true) => {
                    wrong.push(format!("the {kind} {name} is there again"));
                }
                (Finding::Present(Some(seq)), false) if !is_of(turn, seq, &live).await? => {
                    wrong.push(format!(
                        "someone else has changed the {kind} {name} since, so read it again"
                    ));
                }
                (Finding::Absent, true) | (Finding::Present(_), false) | (Finding::Unknown, _) => {}
            }
        }
        Ok(wrong)
    }
}

/// Looks a thing up in the site.
async fn find(touched: &Touched, live: &mut LiveSite) -> Result<Finding, StoreError> {
    let found = |is_there: bool| match is_there {
        true => Finding::Present(None),
        false => Finding::Absent,
    };
    Ok(match touched.kind.as_str() {
        "page" | "template" | "document" => match touched.id.parse::<BodyId>() {
            Ok(id) => found(live.site().shell.pages.get(id).is_some()),
            Err(_other) => Finding::Unknown,
        },
        // A section is a node at the top of its page.
        "node" | "section" => match touched.id.parse::<NodeId>() {
            Ok(node) => {
                let mut open = live.site().bodies.values();
                let is_open = open.any(|tree| tree.node(node).is_some());
                found(is_open || live.open_owner(node).await?.is_some())
            }
            Err(_other) => Finding::Unknown,
        },
        "entry" => match touched.id.parse::<RecordId>() {
            Ok(id) if live.open_record(id).await? => {
                Finding::Present(Some(live.site().rev(Entity::Record { id })))
            }
            Ok(_gone) => Finding::Absent,
            Err(_other) => Finding::Unknown,
        },
        "navItem" => match touched.id.parse() {
            Ok(id) if live.site().nav_item(id).is_some() => {
                let list = List::NavItems;
                Finding::Present(Some(live.site().rev(Entity::Item { list, id })))
            }
            Ok(_gone) => Finding::Absent,
            Err(_other) => Finding::Unknown,
        },
        _ => Finding::Unknown,
    })
}

async fn find_image(id: &str, store: &Store, turn: &TurnRecord) -> Result<Finding, StoreError> {
    let row = store.media(&MediaId::from(id.to_owned())).await?;
    Ok(match row.filter(|row| row.site == turn.site) {
        Some(_) => Finding::Present(None),
        None => Finding::Absent,
    })
}

/// Whether the turn made an entry of the log. One that has been collapsed is older than the turn's changes and cannot be of others since.
async fn is_of(turn: &TurnRecord, seq: u64, live: &LiveSite) -> Result<bool, StoreError> {
    let entry = live.entry(seq).await?;
    Ok(entry.is_none_or(|entry| entry.turn.as_deref() == Some(turn.id.as_str())))
}
