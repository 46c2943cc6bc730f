//! Missions: calls of tools that succeed together or are taken back.
//!
//! [`state`] is the pure part: what a mission does next, and what each result makes of it. The pipeline drives it and saves it at every
//! step. Each leg is an ordinary call with a row of its own, under a key made of the mission and the leg, so that a mission that is
//! resumed after a crash finds what came of its calls instead of making them again.

mod drive;
mod engine;
mod plan;
mod residual;
mod result;
mod state;
mod tool;
mod undo;
mod unseen;
mod view;

pub use engine::{LegDetail, MissionView};
pub use residual::{LegActionError, LegPlace};
pub use state::{LegState, MissionCall, MissionState};
pub use tool::{mission_preview_tool, mission_tool};

pub(crate) use engine::MissionDrivers;
pub(crate) use undo::{UndoSource, undo_arguments};
