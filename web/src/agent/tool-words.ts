// What the definitions of the built-in tools say for the screen. The file is generated from them.
import tools from "../generated/tools.json";

interface ToolWords {
  /** While it runs. */
  doing: string;
  /** Once it has run. */
  done: string;
  /** The argument that names the node the tool is about. */
  subject?: string;
  /** Whether it only looks; a tool that ends a turn does not count. */
  readsOnly?: boolean;
}

const byName: ReadonlyMap<string, ToolWords> = new Map(Object.entries(tools));

/** The words for a built-in tool; connected tools have none. */
export const toolWords = (name: string): ToolWords | undefined => byName.get(name);
