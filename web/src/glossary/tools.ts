// Words of the tools: their list, one tool with its schema, and trying it.
import { plural } from "./plural";

export const tools = {
  catalogue: "Tools",
  sources: "Connected tools",
  search: "Find a tool",
  part: "Area",
  everyPart: "All areas",
  kind: "Kind",
  kinds: { all: "All", look: "Read", change: "Change", outside: "External" },
  kindBadges: {
    look: "Read-only",
    change: "Changes the site",
    outside: "Acts outside the site",
    durable: "Can’t be undone",
  },
  count: (count: number) => plural(count, "tool", "tools"),
  builtIn: "Built in",
  connected: "Connected",
  off: "Disabled",
  takes: "Input",
  answers: "Output",
  takesNothing: "None.",
  raw: "Show as JSON Schema",
  mayRun: "Who can run it",
  you: "You",
  agent: "An agent with your permissions",
  decisions: { allow: "Runs without asking", ask: "Asks first", deny: "Not allowed" } as Readonly<
    Record<string, string>
  >,
  judge: "Check against the tool rules",
  notTaken: "This wasn’t accepted. See the errors below.",
  tryIt: "Try it",
  form: "Form",
  json: "JSON",
  run: "Run",
  addItem: "Add item",
  removeItem: (position: number) => `Remove item ${position}`,
  ran: (ms: number) => (ms < 1 ? "Done." : `Done in ${ms} ms.`),
  waits: "Waiting for approval. Nothing has been done yet.",
  toTheCard: "Review",
  confirmed: "Run without confirmation",
  fromOutside:
    "This response comes from outside the site. It is shown as plain text, and nothing in it is treated as a request.",
  pictures: (count: number) => `Includes ${plural(count, "picture", "pictures")}.`,
  answer: "Response",
  register: "Connect a tool",
} as const;

export const cards = {
  card: "Result",
  receipt: "Receipt",
  next: "Next steps",
  kinds: {
    "structured-cart": "Order",
    "structured-itinerary": "Itinerary",
    "structured-booking": "Booking",
    "structured-reservation": "Reservation",
    "structured-trip": "Mission",
  } as Readonly<Record<string, string>>,
  asksAgain: "Asks again",
  takenBackBy: (tool: string) => `Can be cancelled with ${tool}`,
  noWayBack: "Can’t be cancelled automatically",
  total: (sums: string) => `Total: ${sums}`,
  host: (host: string) => `Sent to ${host}`,
  personalData: (fields: string) => `Includes personal data: ${fields}`,
} as const;

export const schema = {
  types: {
    text: "text",
    number: "number",
    integer: "whole number",
    boolean: "yes or no",
    choice: "choice",
    fixed: "fixed value",
    group: "group",
    json: "JSON",
    alternatives: "one of several types",
    list: (of: string) => {
      if (of.startsWith("list of")) return `list of ${of.replace("list", "lists")}`;
      return ["text", "number", "whole number", "choice", "group"].includes(of) ? `list of ${of}s` : `list of ${of}`;
    },
  },
  limits: {
    characters: ["character", "characters"],
    items: ["item", "items"],
    range: (least: number | undefined, most: number | undefined, unit: readonly [string, string]) => {
      const of = (count: number) => `${count.toLocaleString("en")} ${count === 1 ? unit[0] : unit[1]}`.trim();
      if (least === undefined) return `at most ${of(most ?? 0)}`;
      if (most === undefined) return `at least ${of(least)}`;
      return `${least.toLocaleString("en")} to ${of(most)}`;
    },
    pattern: (pattern: string) => `matches ${pattern}`,
    format: (format: string) => `as ${format}`,
    preset: (value: string) => `default: ${value}`,
  },
  required: "required",
  always: "always present",
  notChosen: "Not set",
  yes: "Yes",
  no: "No",
  needsNumber: "Enter a number.",
  needsInteger: "Enter a whole number.",
  notJson: (reason: string) => `This isn’t valid JSON. ${reason}`.trim(),
} as const;
