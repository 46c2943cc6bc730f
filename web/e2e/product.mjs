// Starts the real program on an empty data folder and a free port, and ends it again.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const PROGRAM = process.env.SITEWRIGHT_BIN ?? fileURLToPath(new URL("../../target/debug/sitewright", import.meta.url));

/** `settings` are those of docs/settings.md, as `NAME=VALUE`. */
export async function startProduct(settings = []) {
  const data = await mkdtemp(join(tmpdir(), "sitewright-e2e-"));
  let program = await serve(data, settings);
  return {
    /** Where it listens; with `admin_url` set, the administration has another host name. */
    get address() {
      return program.address;
    },
    get setupLink() {
      return program.setupLink;
    },
    get said() {
      return program.said;
    },
    /** Calls a tool of the site as a script on the same machine does. */
    async callTool(name, args) {
      const call = ["tool", "call", name, "--scope", "site", "--args", "-", "--json", "--data", data];
      const running = promisify(execFile)(PROGRAM, call);
      // Not as an argument, which may have at most 128 KB.
      running.child.stdin.end(JSON.stringify(args));
      return JSON.parse((await running).stdout).data;
    },
    /** Deletes every stored file, as a lost disk would. */
    loseFiles: () => rm(join(data, "blobs"), { recursive: true, force: true }),
    /** Runs a command of the program on the same data folder, and tells what it printed. */
    async run(...words) {
      const { stdout } = await promisify(execFile)(PROGRAM, [...words, "--data", data]);
      return stdout;
    },
    /** Ends it and starts it again with the same data and other settings. */
    async restart(settings) {
      await program.end();
      program = await serve(data, settings);
    },
    async stop() {
      await program.end();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Starts the program, and waits until it has printed where it listens and the link to set it up, which are on two streams. */
async function serve(data, settings) {
  const set = settings.flatMap((setting) => ["--set", setting]);
  const child = spawn(PROGRAM, ["serve", "--data", data, "--listen", "127.0.0.1:0", ...set], {
    stdio: ["ignore", "pipe", "pipe"],
    // Tests begin with an empty page without styles; a setting says otherwise.
    env: { ...process.env, SITEWRIGHT_FIRST_SITE: "bare" },
  });
  const ended = once(child, "exit");
  const said = [];
  const { address, setupLink } = await new Promise((resolve, reject) => {
    let address;
    let setupLink;
    const read = (line) => {
      said.push(line);
      address ??= /\blistening\b.*\b(127\.0\.0\.1:\d+)/.exec(line)?.[1];
      setupLink ??= /http:\/\/\S+\/admin\/setup#token=[\w-]+/.exec(line)?.[0];
      if (address && setupLink) resolve({ address: `http://${address}`, setupLink });
    };
    createInterface({ input: child.stdout }).on("line", read);
    createInterface({ input: child.stderr }).on("line", read);
    child.on("error", (error) =>
      reject(new Error(`${PROGRAM} did not start; build it or set SITEWRIGHT_BIN`, { cause: error })),
    );
    child.on("exit", (code) =>
      reject(new Error(`the program ended with ${code} before it was ready:\n${said.join("\n")}`)),
    );
  });
  return {
    address,
    setupLink,
    said,
    async end() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
      await ended;
      // A process the program left behind would keep these open, and with them the test run.
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}
