// Completes package-lock.json with the packages for other platforms. npm leaves an optional package out when the machine that
// writes the lock cannot fetch it, and then `npm ci` refuses the lock everywhere. Run it after every `npm install`.
import { readFile, writeFile } from "node:fs/promises";

const SYSTEMS = ["android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"];
const PROCESSORS = ["arm64", "arm", "ia32", "loong64", "ppc64", "riscv64", "s390x", "wasm32", "x64"];

const path = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(await readFile(path, "utf8"));

for (const [parent, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    const nested = `${parent}/${place}`;
    if (lock.packages[place] || lock.packages[nested] || !/^\d/.test(version)) continue;
    lock.packages[place] = { version, ...platform(name), ...(entry.dev && { dev: true }), optional: true };
  }
}

const sorted = Object.entries(lock.packages).sort(([one], [other]) => (one < other ? -1 : 1));
lock.packages = Object.fromEntries(sorted);
await writeFile(path, `${JSON.stringify(lock, null, 2)}\n`);

/** Such packages are named after the platform they are for. */
function platform(name) {
  const parts = name.split("/").at(-1).split("-");
  const os = SYSTEMS.filter((system) => parts.includes(system));
  const cpu = PROCESSORS.filter((processor) => parts.includes(processor));
  if (os.length + cpu.length === 0) throw new Error(`${name} is missing from the lock and names no platform`);
  const libc = parts.includes("musl") ? ["musl"] : parts.includes("gnu") ? ["glibc"] : [];
  return { ...(cpu.length > 0 && { cpu }), ...(os.length > 0 && { os }), ...(libc.length > 0 && { libc }) };
}
