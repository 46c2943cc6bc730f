//! The agent through its public face, on real rows, with providers that are simulated over real sockets.

mod desk;
mod identity;
mod models;
