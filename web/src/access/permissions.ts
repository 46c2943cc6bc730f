// What a person may see, from the capabilities in the session. The server decides again on every request.
import { words } from "../glossary";

export interface Gate {
  /** The capability without which the server refuses the screen; absent when every signed-in person may see it. */
  needs?: string;
}

export function may(capabilities: readonly string[], gate: Gate): boolean {
  return gate.needs === undefined || capabilities.includes(gate.needs);
}

export function allowed<T extends Gate>(capabilities: readonly string[], gates: readonly T[]): T[] {
  return gates.filter((gate) => may(capabilities, gate));
}

/** The capability that the server gives with another one. */
export function impliedBy(capability: string): string | undefined {
  return capability === "content.read" ? "content.deliver" : undefined;
}

export interface PermissionGroup {
  title: string;
  permissions: { name: string; label: string }[];
}

/** Capabilities under the headings a person looks for; one the glossary does not know keeps the server's description. */
export function grouped(names: readonly string[], described: Readonly<Record<string, string>> = {}): PermissionGroup[] {
  const groups = new Map<string, PermissionGroup>();
  for (const name of names) {
    const area = name.split(".", 1)[0] ?? name;
    const title = words.permissionAreas[area] ?? words.permissionAreas.other ?? area;
    const group = groups.get(title) ?? { title, permissions: [] };
    group.permissions.push({ name, label: words.permissions[name] ?? described[name] ?? name });
    groups.set(title, group);
  }
  return [...groups.values()];
}
