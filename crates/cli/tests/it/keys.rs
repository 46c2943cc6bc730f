//! L15: replacing the secret key from the command line.

use std::fs;

use crate::product::{Instance, run};

#[test]
fn l15_the_key_is_replaced_while_no_server_runs() {
    let instance = Instance::ready();
    let server = instance.serve("");
    let refused = instance.run("key rotate --json").failure();
    assert_eq!((refused.0, refused.1.as_str()), (Some(1), "conflict"));
    drop(server);
    let file = instance.data().join("secret.key");
    let before = fs::read_to_string(&file).unwrap();
    let rotated = instance.run("key rotate --json").json();
    assert_ne!(fs::read_to_string(&file).unwrap(), before);
    assert_eq!(rotated["secrets"], 0);
    let verified = instance.run("audit verify");
    assert_eq!(verified.code, Some(0), "{verified:?}");
    assert_eq!(instance.run("user list").code, Some(0));
    // The old key does not open the instance any more.
    fs::write(&file, before).unwrap();
    let refused = instance.run("user list");
    assert_eq!(refused.code, Some(1), "{refused:?}");
}

#[test]
fn a_mistyped_folder_is_no_instance_whose_key_is_replaced() {
    let instance = Instance::new();
    let refused = instance.run("key rotate --json").failure();
    assert_eq!(refused.1, "not_found");
    let mut elsewhere = instance.command("key rotate --json");
    elsewhere.args(["--server", "https://example.com", "--token", "swt_x"]);
    assert_eq!(run(elsewhere, "").failure().1, "invalid_input");
}
