// The words on screen for the things of this product, once. Internal names stop here: a screen takes its nouns, states and refusals
// from this file and adds only its own sentences. Large areas have a file of their own beside it.
import { agent } from "./glossary/agent";
import { editor } from "./glossary/editor";
import { history, inspector, look, pageSettings, presence, preview, siteSettings } from "./glossary/inspector";
import { plural } from "./glossary/plural";

/** What a line of the activity can speak of. */
export interface ActivityAbout {
  /** The person it was done to. */
  who: string;
  /** Whether they did it to themselves. */
  self: boolean;
  subject: string;
  name?: string;
  email?: string;
  role?: string;
  siteName?: string;
  address?: string;
  by?: string;
  /** The number of a release. */
  number?: number;
  model?: string;
  label?: string;
}

export const words = {
  product: "Sitewright",

  pages: {
    home: "Home",
    site: "Site",
    approvals: "Approvals",
    approval: "Approval",
    activity: "Activity",
    settings: "Settings",
    siteSettings: "Site",
    ai: "AI",
    connections: "Connections",
    people: "People",
    roles: "Roles",
    tokens: "API tokens",
    system: "System",
    account: "Your account",
    setup: "Set up Sitewright",
    signIn: "Sign in",
    join: "Choose a password",
    missing: "Page not found",
  },

  actions: {
    retry: "Try again",
    cancel: "Cancel",
    close: "Close",
    done: "Done",
    save: "Save",
    copy: "Copy",
    copied: "Copied",
    signIn: "Sign in",
    signOut: "Sign out",
    invite: "Invite someone",
    newRole: "New role",
    newToken: "New token",
    revoke: "Revoke",
    remove: "Remove",
    delete: "Delete",
    edit: "Edit",
    showMore: "Show older activity",
    showOlder: "Show older calls",
    approve: "Approve",
    deny: "Deny",
  },

  form: {
    required: "Fill this in.",
    permission: "Choose at least one permission.",
    email: "Enter an email address such as name@example.com.",
  },

  password: {
    missing: "Choose a password.",
    short: (missing: number) => `Add ${plural(missing, "more character", "more characters")}.`,
    long: "This is too long to be a password. Use a shorter one.",
    progress: (length: number, least: number) =>
      length >= least ? `${length} characters. Long enough.` : `${length} of at least ${least} characters.`,
    show: "Show password",
    hide: "Hide password",
  },

  errors: {
    unreachable: "Sitewright did not answer. Check your connection, or whether the server is running.",
    unexpected: "Something went wrong on the server. Its log says more.",
    broken: "This page ran into a mistake of its own. Reload it; if that does not help, please report it.",
    signedOut: "You are not signed in.",
    forbidden: "You may not do this.",
    missing: "This does not exist, or you may not see it.",
    throttled: "Too many tries. Wait a little and try again.",
    screen: "This page could not be loaded. Check your connection and reload the page.",
    core: "The editor core could not be loaded. Reload the page; if that does not help, the installation is incomplete.",
  },

  session: {
    expired: "Your session has ended. Sign in again to go on where you were.",
    signedOut: "You are signed out.",
  },

  storage: {
    title: "Storage",
    intro: "Check that every page, the activity log and the published files can be read.",
    check: "Check storage",
    sound: "Everything can be read.",
    audit: (place: string) => `The activity log was changed: ${place}.`,
    files: (count: number) => `${plural(count, "published file is", "published files are")} missing or damaged.`,
    repair: "Repair files",
    site: "The site is read-only",
    document: (title: string) => `“${title}” is read-only`,
    entry: (what: string, entry: number, reason: string) =>
      `${what}: entry ${entry} of its history cannot be read (${reason}).`,
    download: "Download everything as it is stored",
    recover: "Keep what can be read",
    restore: (entry: number) => `Restore entry ${entry}`,
    recoverTitle: "Recover the site?",
    recoverVerb: "Recover",
    recoverLoss: "Changes after the damage are dropped. Download everything first, so that nothing is lost for good.",
    restoreLoss: (entry: number) =>
      `The site becomes what it was at entry ${entry}. Download everything first, so that nothing is lost for good.`,
    recovered: "The site can be changed again.",
  },

  site: {
    pages: "Pages",
    templates: "Templates",
    noPages: "This site has no pages yet",
    canvas: (title: string) => `${title}, as visitors see it`,
    hint: "Click a text to edit it, or reach it with Tab and press Enter.",
    readOnly: "You may look at the site and not change it.",
    textField: "Text",
    undo: "Undo",
    redo: "Redo",
    saved: "Saved",
    saving: "Saving…",
    connecting: "Connecting…",
    offline: "Offline",
    offlineWaiting: (count: number) => `Offline: ${plural(count, "change", "changes")} waiting`,
    damaged: "Read-only",
    damage: (entry: number) =>
      `This site is read-only because entry ${entry} of its history is damaged. You see it as it was before that.`,
    damageRemedy: "See how to recover it",
    outdated: "Sitewright was updated. Reload the page to go on; what you wrote is kept.",
    reload: "Reload the page",
    textChange: (text: string) => `Text: ${text.trim().replace(/\s+/g, " ").slice(0, 60)}`,
    refused: (reason: string) => `Your change was not saved. ${reason}`,
    leftOut: (reason: string) => `A part of your change was not saved: ${reason}.`,
    conflict: "Somebody changed this text while you were writing. It stands as they wrote it.",
    textGone: "The text you were writing in is not there any more.",
    yours: "Yours",
    theirs: "Theirs",
    takeMine: "Use mine",
    keepTheirs: "Keep theirs",
    dismiss: "Dismiss",
    undoneInPart: "A part was left as it is, because somebody changed it since.",
    notUndone: (reason: string) => `This could not be undone. ${reason}`,
    needsNoEnd: "This asks for more and more without end.",
    noLook: "The page is not on screen in an editor",
    emptyLists: "Lists of entries are shown empty here.",
    inspector: "Properties",
    nothingSelected: "Nothing is selected",
  },

  approvals: {
    unknown: "Unknown outcomes",
    unknownCount: (count: number) =>
      `${plural(count, "run was", "runs were")} sent and not answered. Nobody knows whether it was done.`,
    waitingCount: (count: number) => `${count} waiting`,
    all: "All approvals",
    toTheCard: "Answer it",
    alike: "Also for the next hour in this conversation",
    alikeHint: "Calls of the same kind then run without asking.",
    asks: (who: string, count: number) => `${who} asks for ${count} things at once`,
    why: "Why it asks",
    details: "Details",
    outside: "Runs outside this site with exactly this:",
    outsideBare: "Runs outside this site. Nothing is handed over.",
    unnamed: "Changes the site",
    siteSettings: "Changes the settings of the site",
    sayWhatCame: "Say what came of it",
    noAnswer: "Counts as a no",
    removes: "Removes",
    changes: "Changes",
    adds: "Adds",
    onPages: (count: number) => `Touches ${plural(count, "page", "pages")}`,
    code: "Changes scripts, which run in the browsers of visitors",
    headCode: "Changes code in the head of pages",
    publishes: "Publishes: everybody sees it",
    locks: (count: number) => `Changes ${plural(count, "locked part", "locked parts")}`,
    leavesOut: (count: number) => `Leaves out ${plural(count, "unsafe part", "unsafe parts")} of what was sent`,
    more: (count: number) => `${count} more`,
    moreValues: (count: number) => `Show ${plural(count, "more value", "more values")}`,
    notShown: (count: number) => `${plural(count, "further value is", "further values are")} not shown here.`,
    cut: (count: number) => `… and ${count.toLocaleString("en")} more characters`,
    values: { yes: "yes", no: "no", nothing: "nothing", empty: "empty" },
    states: {
      waiting: "Waiting",
      ready: "About to run",
      running: "Running",
      done: "Done",
      failed: "Failed",
      unknown: "Unknown",
      denied: "Denied",
      expired: "Expired",
    } as Readonly<Record<string, string>>,
    outcomes: {
      waiting: "It waits for an answer.",
      ready: "It is about to run.",
      running: "It is running.",
      done: "Done.",
      failed: "It was not done.",
      unknown: "It was sent, and what came of it is not known.",
      denied: "It was denied. Nothing was done.",
      expired: "Nobody answered in time. Nothing was done.",
    } as Readonly<Record<string, string>>,
    approvedBy: (who: string) => `Approved by ${who}.`,
    settle: { happened: "It was done", did_not_happen: "It was not done", send_again: "Send again" },
  },

  ai: {
    tabs: { providers: "Providers", defaults: "Defaults", audit: "Audit" },
    /** The parts of Sitewright that the assistant works in. */
    parts: { site: "Site", content: "Content", data: "Data", plugin: "Plugins" } as Readonly<Record<string, string>>,
    add: "Connect a provider",
    builtIn: "Built-in commands (no AI)",
    builtInAbout: "Always there. They understand a list of requests, cost nothing and send nothing anywhere.",
    provider: "Provider",
    label: "Name",
    key: "API key",
    keyHint: "Encrypted at once and never shown again.",
    keyKept: "Leave it empty to keep the key that is there.",
    address: "Address",
    ownAddress: (address: string) => `Leave it empty for ${address}.`,
    test: "Test",
    testing: "Asking the provider…",
    defaultFor: (parts: string) => `Default for ${parts}`,
    seeDefaults: "See defaults",
    nothingChosen: "Nothing chosen",
    choose: "Choose a model",
    change: "Change",
    clear: "Clear",
    everywhere: "Use it for every part",
    search: "Find a model",
    window: (tokens: string) => `${tokens} window`,
    noWindow: "window unknown",
    price: (input: string, output: string) => `${input} in · ${output} out per million tokens`,
    noPrice: "price unknown",
    free: "free",
    sees: "Sees pictures",
    noTools: "Cannot change the site",
    tiers: { smartest: "Strongest", balanced: "Balanced", fastest: "Fastest" },
    retires: (when: string) => `Ends ${when}`,
    noCap: "No limit",
    today: "Today",
    days: (count: number) => `${count} days`,
    range: "Time range",
    perDay: "Cost per day",
    unpriced: (count: number) =>
      `${plural(count, "run has", "runs have")} no known price and ${count === 1 ? "is" : "are"} not in the cost.`,
    runs: (count: number) => plural(count, "run", "runs"),
  },

  tools: {
    catalogue: "Tools",
    sources: "Connected tools",
    search: "Find a tool",
    part: "Part",
    everyPart: "Every part",
    kind: "Kind",
    kinds: { all: "All", look: "Look", change: "Change", outside: "Outside" },
    kindBadges: {
      look: "Only looks",
      change: "Changes the site",
      outside: "Acts outside",
      durable: "Cannot be undone",
    },
    count: (count: number) => plural(count, "tool", "tools"),
    builtIn: "Built in",
    connected: "Connected",
    off: "Switched off",
    takes: "What it takes",
    answers: "What it answers",
    takesNothing: "Nothing.",
    raw: "Show as JSON Schema",
    mayRun: "Who may run it",
    you: "You",
    agent: "An agent with your permissions",
    decisions: { allow: "Runs at once", ask: "Asks first", deny: "Refused" } as Readonly<Record<string, string>>,
    judge: "What would the rules say?",
    notTaken: "This was not taken. What is wrong stands below.",
    tryIt: "Try it",
    form: "Form",
    json: "JSON",
    run: "Run",
    addItem: "Add one",
    removeItem: (position: number) => `Remove ${position}`,
    ran: (ms: number) => `Done in ${ms} ms.`,
    waits: "It waits for a yes. Nothing was done yet.",
    toTheCard: "Answer it",
    confirmed: "I mean it: run it without asking me again",
    fromOutside: "What came back is from outside this site. It is shown as text and nothing in it counts as a request.",
    pictures: (count: number) => `${plural(count, "picture", "pictures")} came with it.`,
    answer: "Answer",
    register: "Connect a tool",
  },

  schema: {
    types: {
      text: "text",
      number: "number",
      integer: "whole number",
      boolean: "yes or no",
      choice: "choice",
      fixed: "fixed value",
      group: "group",
      json: "JSON",
      alternatives: "one of several shapes",
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
      preset: (value: string) => `usually ${value}`,
    },
    required: "needed",
    always: "always there",
    notChosen: "Left out",
    yes: "Yes",
    no: "No",
    needsNumber: "Enter a number.",
    needsInteger: "Enter a whole number.",
    notJson: (reason: string) => `This is not JSON. ${reason}`.trim(),
  },

  home: {
    next: "What to do next",
    progress: (done: number, of: number) => `${done} of ${of} done.`,
    done: "done",
    dismiss: "Put this away",
    steps: {
      name: { title: "Name the site", about: "Visitors and search engines see it with every page." },
      assistant: {
        title: "Meet the assistant",
        about: "Connect an AI provider, or try the built-in commands in the editor: they need no key.",
      },
      page: { title: "Make a page your own", about: "Open the editor, click a text and write." },
      invite: { title: "Invite somebody", about: "People you work with get a role and an account of their own." },
      publish: { title: "Publish", about: "Until then visitors see a plain page that says there is nothing yet." },
    },
    changes: "Recent changes",
    allChanges: "All changes",
    noChanges: "Nothing has been changed yet.",
    published: "What visitors see",
    nothingPublished: "Nothing is published yet",
    comparing: "Comparing…",
    upToDate: "Nothing new to publish",
    visit: "Visit the site",
    nothingWaits: "Nothing waits for you.",
    waiting: (count: number) => `${plural(count, "request waits", "requests wait")} for your answer`,
    unknown: (count: number) => `${plural(count, "run has", "runs have")} no known outcome`,
    usage: "AI usage this month",
    ofBudget: (cap: string) => `of ${cap}`,
    yourUsage: "Your part of the monthly budget that is used",
    tokens: (count: string) => `You used ${count} tokens`,
    partlyUnpriced: "some without a known price",
    everybody: (cost: string) => `Everybody together ${cost}`,
    details: "Details",
  },

  tour: {
    steps: {
      assistant: {
        title: "Ask the assistant",
        text: "Say what you want, such as “add a section with our opening hours”. It works on the page while you watch. Without an AI provider the built-in commands answer.",
      },
      text: {
        title: "Click a text to change it",
        text: "Click once to select, click again to write. What you do is saved at once.",
      },
      undo: {
        title: "Everything can be taken back",
        text: "Undo here, or open the history and take back a single change or a whole request to the assistant.",
      },
      preview: {
        title: "Look before others do",
        text: "A preview shows the draft by a link that ends. You can send it to somebody or open it on a phone.",
      },
      publish: {
        title: "Publish when it is good",
        text: "Visitors see nothing of what you do here until you publish. You choose the pages, and can go back to an earlier release.",
      },
    },
    step: (position: number, of: number) => `${position} of ${of}`,
    next: "Next",
    skip: "Skip the tour",
    again: "Show the tour again",
    end: "Start working",
  },

  activityPage: {
    tabs: { waiting: "Waiting for you", changes: "Changes", releases: "Releases", runs: "Runs", log: "Log" },
    older: "Show older ones",
    byAssistant: "By the assistant",
  },

  publishing: {
    publish: "Publish",
    title: "Publish the site",
    publishCount: (count: number) => `Publish ${plural(count, "page", "pages")}`,
    kinds: { new: "New", changed: "Changed", removed: "Removed" },
    nothing: "Visitors see everything as it is here",
    firstTime: "Nothing is published yet. Visitors see a plain page that says so.",
    since: (release: number) => `Compared with release ${release}, which visitors see now.`,
    drafts: "Pages marked as drafts stay out, and whatever you leave out is offered again the next time.",
    unsaved: (count: number) =>
      `${plural(count, "change", "changes")} made in this tab ${count === 1 ? "is" : "are"} not saved yet and will not be published.`,
    moved: "The site changed while you were looking. This is the list as it is now; nothing was published.",
    attention: "Look at this first",
    leaveAll: "Leave all out",
    takeAll: "Take all in",
    scripts: "Brings code that runs for visitors",
    outside: "Something from outside had a part in it",
    note: "What is new",
    release: (number: number) => `Release ${number}`,
    published: (number: number) => `Release ${number} is published`,
    unpublished: (count: number) => plural(count, "unpublished change", "unpublished changes"),
    restore: "Go back to this",
    shown: "Visitors see this",
    pages: (count: number) => plural(count, "page", "pages"),
  },

  agent,

  /** One and many of what calls touch. */
  things: {
    page: ["page", "pages"],
    node: ["element", "elements"],
    rule: ["style rule", "style rules"],
    token: ["design token", "design tokens"],
    font: ["font", "fonts"],
    file: ["code file", "code files"],
  } as Readonly<Record<string, readonly [one: string, many: string]>>,

  editor,

  inspector,

  pageSettings,

  siteSettings,

  look,

  editorTools: "Settings, history and preview",

  history,

  preview,

  presence,

  picture: {
    upload: "Upload",
    library: "Library",
    drop: "Drop a picture here",
    none: "No picture",
    uploading: "Uploading…",
    choose: "Choose a picture",
    search: "Search by name or description",
    empty: "No pictures yet",
    noneFound: "No picture is called that",
    more: "Show older pictures",
  },

  theme: { title: "Appearance", system: "System", light: "Light", dark: "Dark" },

  states: {
    loading: "Loading",
    invited: "Invited",
    disabled: "Switched off",
    builtIn: "Built in",
    you: "You",
    thisDevice: "This device",
    never: "Never",
    expired: "Expired",
  },

  tokenKinds: { script: "Script", agent: "AI agent" },

  roles: { owner: "Owner", admin: "Admin", editor: "Editor", author: "Author", viewer: "Viewer" } as Readonly<
    Record<string, string>
  >,

  permissionAreas: {
    ai: "Assistant",
    site: "Site",
    content: "Content",
    tools: "Tools",
    users: "Administration",
    settings: "Administration",
    other: "Other",
  } as Readonly<Record<string, string>>,

  permissions: {
    "ai.chat": "Talk to the assistant",
    "ai.tools.write": "Let the assistant change things",
    "ai.providers.manage": "Add and remove AI providers and their keys",
    "ai.audit.read": "See what the assistant did and what it cost",
    "site.read": "See pages, styles and drafts",
    "site.write": "Change pages and styles",
    "site.publish": "Publish the site and roll it back",
    "site.code": "Write scripts and code for the page head",
    "content.read": "See entries, media and navigation",
    "content.write": "Change entries, media and navigation",
    "content.publish": "Publish and archive entries",
    "tools.read": "See the tools and their runs",
    "tools.call": "Run tools",
    "tools.approve": "Approve runs that wait for a person",
    "tools.manage": "Connect and remove tools, and change their rules",
    "users.manage": "Invite people and choose their roles",
    "settings.manage": "Change settings and read the activity",
  } as Readonly<Record<string, string>>,

  /** What happened, with whoever did it standing beside it. */
  activity: {
    "instance.set_up": ({ siteName }) => `Set up ${siteName ?? "the site"}`,
    "session.began": ({ address }) => (address === undefined ? "Signed in" : `Signed in from ${address}`),
    "session.ended": () => "Signed out",
    "user.added": ({ email, role, who }) => `Invited ${email ?? who}${role === undefined ? "" : ` as ${role}`}`,
    "user.renamed": ({ who, self }) => (self ? "Changed their own name" : `Changed the name of ${who}`),
    "user.password_changed": ({ who, self, by }) => {
      if (by === "link") return `The password of ${who} was chosen with a link`;
      return self ? "Changed their own password" : `Changed the password of ${who}`;
    },
    "user.password_link_made": ({ who }) => `Made a password link for ${who}`,
    "user.role_changed": ({ who, role }) => `Gave ${who} the role ${role ?? "of somebody else"}`,
    "user.disabled": ({ who }) => `Switched off signing in for ${who}`,
    "user.enabled": ({ who }) => `Let ${who} sign in again`,
    "user.removed": ({ who }) => `Removed ${who} from the site`,
    "role.changed": ({ name, subject }) => `Saved the role ${name ?? subject}`,
    "role.removed": ({ subject }) => `Deleted the role ${subject}`,
    "secret.stored": ({ subject }) => `Stored the secret ${subject}`,
    "secret.removed": ({ subject }) => `Removed the secret ${subject}`,
    "token.created": ({ name }) => `Created the token ${name ?? ""}`.trim(),
    "tool.registered": ({ subject }) => `Connected the tool ${subject}`,
    "tool.replaced": ({ subject }) => `Replaced the tool ${subject}`,
    "tool.removed": ({ subject }) => `Removed the tool ${subject}`,
    "media.added": ({ name }) => (name === undefined ? "Added a picture" : `Added the picture ${name}`),
    "media.changed": ({ name }) => (name === undefined ? "Changed a picture" : `Changed the picture ${name}`),
    "media.removed": ({ name }) => (name === undefined ? "Deleted a picture" : `Deleted the picture ${name}`),
    "font.installed": ({ subject }) => `Installed the font ${subject}`.trim(),
    "site.published": ({ number }) => (number === undefined ? "Published the site" : `Published release ${number}`),
    "site.rolled_back": ({ number }) =>
      `Went back to ${number === undefined ? "an earlier release" : `release ${number}`}`,
    "site.code_changed": () => "Changed code that runs for visitors",
    "policy.changed": () => "Changed the rules for tools",
    "ai.credential.added": ({ label }) => `Connected the AI provider ${label ?? ""}`.trim(),
    "ai.credential.changed": ({ label }) => `Changed the AI provider ${label ?? ""}`.trim(),
    "ai.credential.removed": ({ label }) => `Removed the AI provider ${label ?? ""}`.trim(),
    "ai.default.set": ({ model }) => (model === undefined ? "Chose a model" : `Chose the model ${model}`),
    "ai.default.cleared": () => "Took away a default model",
    "ai.budget.set": () => "Changed the limits of the assistant",
    "ai.brief.changed": () => "Changed what the assistant knows about the site",
    "ai.conversation.created": () => "Began a conversation with the assistant",
    "ai.conversation.deleted": () => "Deleted a conversation with the assistant",
    "ai.chat.completed": () => "Asked the assistant, which finished",
    "ai.chat.failed": () => "Asked the assistant, which failed",
    "ai.chat.stopped": () => "Asked the assistant, and it was stopped",
    "call.asked": ({ subject }) => `Asked to run ${subject}`,
    "call.ready": ({ subject }) => `Let ${subject} run`,
    "call.begun": ({ subject }) => `Began ${subject}`,
    "call.done": ({ subject }) => `Ran ${subject}`,
    "call.failed": ({ subject }) => `Tried ${subject}, which failed`,
    "call.outcome_unknown": ({ subject }) => `Sent ${subject}, and no answer came back`,
    "call.denied": ({ subject }) => `Denied ${subject}`,
    "call.expired": ({ subject }) => `Nobody answered in time whether ${subject} may run`,
    "token.revoked": ({ name }) => `Revoked the token ${name ?? ""}`.trim(),
  } as Readonly<Record<string, (about: ActivityAbout) => string>>,
  actors: {
    local: "On the server itself",
    anonymous: "Without signing in",
    gone: "Somebody who left",
    assistant: "The assistant",
    assistantFor: (name: string) => `The assistant, for ${name}`,
  },
  somebody: "somebody",
  somebodyAtTheServer: "somebody on the server itself",

  permissionCount: (count: number, of?: number) =>
    count === of ? "Every permission" : count === 0 ? "No permissions" : plural(count, "permission", "permissions"),
  peopleCount: (count: number) => (count === 1 ? "Only you so far" : `${count} people`),
  tokenCount: (count: number) => (count === 0 ? "None yet" : plural(count, "token", "tokens")),
} as const;

/** A role by the name people gave it, or the built-in name. */
export function roleName(key: string, roles: readonly { key: string; name: string }[] = []): string {
  return roles.find((role) => role.key === key)?.name ?? words.roles[key] ?? key;
}
