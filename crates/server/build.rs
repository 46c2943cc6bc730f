//! The shell is embedded from `web/dist`, which may be built after this crate was.

fn main() {
    println!("cargo::rerun-if-changed=../../web/dist");
}
