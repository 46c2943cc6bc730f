//! A time limit for programs: waits for one up to the limit, then kills it and everything it started.

use std::fs;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

/// Waits for the program; after the limit its whole process tree is killed and the step fails.
pub(super) fn wait(child: &mut Child, limit: Duration) -> Result<ExitStatus> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if started.elapsed() > limit {
            // Children first: a runner whose child ended would otherwise start the next one.
            let mut family = descendants(child.id(), &parents());
            family.push(child.id());
            for process in family {
                // It may have exited by itself in the meantime.
                Command::new("kill")
                    .args(["-KILL", &process.to_string()])
                    .status()
                    .ok();
            }
            child.wait()?;
            bail!(
                "it took longer than {} and was ended",
                super::seconds(limit)
            );
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Every process with its parent, as the kernel lists them.
fn parents() -> Vec<(u32, u32)> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pairs = processes.filter_map(|entry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name, in brackets, may itself contain spaces and brackets.
        let (_, after_name) = stat.rsplit_once(')')?;
        Some((process, after_name.split_whitespace().nth(1)?.parse().ok()?))
    });
    pairs.collect()
}

fn descendants(ancestor: u32, parents: &[(u32, u32)]) -> Vec<u32> {
    let children = parents.iter().filter(|(_, parent)| *parent == ancestor);
    children
        .flat_map(|(child, _)| {
            let mut family = descendants(*child, parents);
            family.push(*child);
            family
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{descendants, wait};
    use std::process::{Command, Stdio};
    use std::time::Duration;

    #[test]
    fn a_family_is_everything_below() {
        let parents = [(2, 1), (3, 2), (4, 2), (5, 9), (6, 3)];
        assert_eq!(descendants(2, &parents), [6, 3, 4]);
    }

    #[test]
    fn a_program_past_its_limit_ends_with_what_it_started() {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 600 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("a shell runs");
        let error = wait(&mut shell, Duration::from_millis(300)).expect_err("it sleeps for longer");
        assert_eq!(error.to_string(), "it took longer than 0.3 s and was ended");
        let printed = std::io::read_to_string(shell.stdout.take().expect("piped")).expect("text");
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", printed.trim())).unwrap_or_default();
        assert!(
            stat.is_empty() || stat.contains(") Z "),
            "the child is still there: {stat}"
        );
    }
}
