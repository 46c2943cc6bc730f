// The words on screen for the things of this product, once. Internal names stop here: a screen takes its nouns, states and refusals
// from this file and adds only its own sentences. Large areas have a file of their own beside it.
import { account } from "./glossary/account";
import { agent } from "./glossary/agent";
import { approvals } from "./glossary/approvals";
import { content } from "./glossary/content";
import { design } from "./glossary/design";
import { editor } from "./glossary/editor";
import { home, tour } from "./glossary/home";
import { insert } from "./glossary/insert";
import { history, inspector, pageSettings, presence, preview, siteSettings } from "./glossary/inspector";
import { missions } from "./glossary/missions";
import { openapi } from "./glossary/openapi";
import { pageImport } from "./glossary/page-import";
import { plural } from "./glossary/plural";
import { cards, schema, tools } from "./glossary/tools";

/** What a line of the activity can speak of. */
export interface ActivityAbout {
  /** The person it was done to. */
  who: string;
  /** Whether they did it to themselves. */
  self: boolean;
  subject: string;
  /** What a call does and has done, in words, such as "deleting a page" and "Deleted a page". */
  doing: string;
  done: string;
  name?: string;
  email?: string;
  role?: string;
  siteName?: string;
  address?: string;
  by?: string;
  /** The number of a release. */
  number?: number;
  /** How often it happened within a minute. */
  count?: number;
  model?: string;
  label?: string;
}

const listed = new Intl.ListFormat("en-GB", { type: "conjunction" });

export const words = {
  product: "Sitewright",

  starters: {
    title: "Start with",
    studio: "Studio",
    product: "Product",
    restaurant: "Restaurant",
    portfolio: "Portfolio",
    blank: "Blank page",
  },

  pages: {
    home: "Home",
    site: "Site",
    content: "Content",
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

  discard: {
    title: "Discard your changes?",
    text: "What you changed here has not been saved.",
    stay: "Keep editing",
    verb: "Discard changes",
  },

  actions: {
    back: "Back",
    retry: "Try again",
    cancel: "Cancel",
    close: "Close",
    done: "Done",
    save: "Save",
    copy: "Copy",
    copied: "Copied",
    download: "Download",
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
    required: "This field is required.",
    permission: "Choose at least one permission.",
    email: "Enter an email address such as name@example.com.",
  },

  password: {
    missing: "Choose a password.",
    short: (missing: number) => `Add ${plural(missing, "more character", "more characters")}.`,
    long: "This password is too long. Use a shorter one.",
    progress: (length: number, least: number) =>
      length >= least ? `${length} characters. Long enough.` : `${length} of at least ${least} characters.`,
    show: "Show password",
    hide: "Hide password",
  },

  errors: {
    unreachable: "Can’t reach Sitewright. Check your connection, and that the server is running.",
    unexpected: "Something went wrong on the server. See its log for details.",
    broken: "Something went wrong on this page. Reload it, and report it if that doesn’t help.",
    signedOut: "You are not signed in.",
    forbidden: "You don’t have permission to do this.",
    missing: "This doesn’t exist, or you don’t have access to it.",
    gone: "This no longer exists. Someone may have deleted it.",
    throttled: "Too many attempts. Wait a moment and try again.",
    screen: "This page could not be loaded. Check your connection and reload the page.",
    core: "The editor could not be loaded. Reload the page. If that doesn’t help, the installation is incomplete.",
  },

  account,
  content,

  session: {
    expired: "Your session has expired. Sign in again to pick up where you left off.",
    signedOut: "You’ve signed out.",
    forgotten: "Forgot your password? Ask an administrator for a link to choose a new one.",
  },

  storage: {
    title: "Storage",
    intro: "Check that every page, the activity log and all published files are intact.",
    check: "Check storage",
    sound: "No problems found.",
    audit: (place: string) => `The activity log has been altered: ${place}.`,
    files: (count: number) => `${plural(count, "published file is", "published files are")} missing or damaged.`,
    repair: "Repair files",
    site: "The site is read-only",
    document: (title: string) => `“${title}” is read-only`,
    entry: (what: string, entry: number, reason: string) =>
      `${what}: change ${entry} in its history can’t be read (${reason}).`,
    download: "Download a copy of all data",
    recover: "Recover what’s readable",
    restore: (entry: number) => `Restore to change ${entry}`,
    recoverTitle: "Recover the site?",
    recoverVerb: "Recover",
    recoverLoss: "Changes made after the damage will be lost. Download a copy of all data first.",
    restoreLoss: (entry: number) =>
      `The site will be restored to change ${entry}, and everything after it will be lost. Download a copy of all data first.`,
    recovered: "The site can be edited again.",
  },

  limits: {
    title: "Limits",
    what: {
      documents_max: "Pages, templates and components",
      media_bytes_max: "Pictures",
      font_files_max: "Font files",
      tokens_max: "API tokens",
      conversations_max: "Conversations per person",
      tools_max: "Connected tools",
      preview_links_max: "Preview links",
    } as Partial<Record<string, string>>,
    count: (used: number, most: number) => `${used.toLocaleString("en")} of ${most.toLocaleString("en")}`,
    megabytes: (used: number, most: number) =>
      `${Math.ceil(used / 1_048_576).toLocaleString("en")} of ${Math.round(most / 1_048_576).toLocaleString("en")} MB`,
    next: "Next clean-up",
    deletes: (releases: number, conversations: number, files: number) => {
      const old = [
        releases > 0 && plural(releases, "old release", "old releases"),
        conversations > 0 && plural(conversations, "old conversation", "old conversations"),
        files > 0 && plural(files, "unused file", "unused files"),
      ].filter((part) => part !== false);
      return old.length === 0 ? "Nothing to delete" : `Deletes ${listed.format(old)}`;
    },
    clockNotTrusted: "Starts once the server has run for a week",
  },

  site: {
    pages: "Pages",
    templates: "Templates",
    noPages: "This site has no pages yet",
    canvas: (title: string) => `${title}, as visitors see it`,
    hint: "Click any text to edit it, or tab to it and press Enter.",
    readOnly: "Read-only. Your role can’t edit the site.",
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
      `This site is read-only because change ${entry} in its history is damaged. You’re seeing it as it was before that.`,
    damageRemedy: "See how to recover it",
    outdated: "Sitewright was updated. Reload the page to continue. Your changes are kept.",
    reload: "Reload the page",
    textChange: (text: string) => `Changed text to “${text.trim().replace(/\s+/g, " ").slice(0, 60)}”`,
    refused: (reason: string) => `Your change was not saved. ${reason}`,
    leftOut: (reason: string) => `Part of your change was not saved: ${reason}.`,
    conflict: "Someone else changed this text while you were editing it. Their version was kept.",
    textGone: "The text you were editing no longer exists.",
    yours: "Yours",
    theirs: "Theirs",
    takeMine: "Use mine",
    keepTheirs: "Keep theirs",
    dismiss: "Dismiss",
    undoneInPart: "Part of it was not undone, because someone has changed it since.",
    notUndone: (reason: string) => `Can’t undo. ${reason}`,
    needsNoEnd: "This kept asking for more data, so it was stopped.",
    noLook: "The page is not open in an editor",
    emptyLists: "Lists of entries appear empty here.",
    inspector: "Properties",
    nothingSelected: "Nothing selected",
  },

  approvals,

  ai: {
    tabs: { providers: "Providers", defaults: "Defaults", audit: "Audit" },
    /** The parts of Sitewright that the assistant works in. */
    parts: {
      site: "Site",
      content: "Content",
      data: "Data",
      plugin: "Plugins",
      breadcrumbs: "Breadcrumbs",
    } as Readonly<Record<string, string>>,
    add: "Connect a provider",
    builtIn: "Built-in commands (no AI)",
    builtInAbout: "Always available, free and private. They understand a fixed list of requests.",
    provider: "Provider",
    label: "Name",
    key: "API key",
    keyHint: "Stored encrypted and never shown again.",
    keyKept: "Leave empty to keep the current key.",
    address: "Address",
    ownAddress: (address: string) => `Leave empty to use ${address}.`,
    test: "Test",
    testing: "Contacting the provider…",
    defaultFor: (parts: string) => `Default for ${parts}`,
    seeDefaults: "See defaults",
    nothingChosen: "No model chosen",
    choose: "Choose a model",
    change: "Change",
    clear: "Clear",
    everywhere: "Use it everywhere",
    search: "Find a model",
    window: (tokens: string) => `${tokens} context`,
    noWindow: "context size unknown",
    price: (input: string, output: string) => `${input} in · ${output} out per million tokens`,
    noPrice: "price unknown",
    free: "free",
    sees: "Can see pictures",
    noTools: "Can’t change the site",
    tiers: { smartest: "Strongest", balanced: "Balanced", fastest: "Fastest" },
    retires: (when: string) => `Retires ${when}`,
    noCap: "No limit",
    today: "Today",
    days: (count: number) => `${count} days`,
    range: "Time range",
    perDay: "Cost per day",
    unpriced: (count: number) =>
      `${plural(count, "run has", "runs have")} no known price and ${count === 1 ? "is" : "are"} not included in the cost.`,
    runs: (count: number) => plural(count, "run", "runs"),
  },

  tools,

  cards,
  missions,
  openapi,
  schema,

  home,

  tour,

  activityPage: {
    tabs: {
      waiting: "Approvals",
      changes: "Changes",
      releases: "Releases",
      runs: "Runs",
      missions: "Missions",
      records: "Records",
      workflows: "Workflows",
      log: "Log",
    },
    records: {
      intro:
        "Records written by agents and programs, with the results of their tools. New ones appear as they’re written.",
      none: "No records",
      noneAbout: "Records appear here when an agent or a program writes to /breadcrumbs.",
      schema: "Kind",
      anySchema: "All kinds",
      tag: "Tag",
      search: "Search",
      content: "Content",
      withheld: "The content of this record is sensitive and isn’t shown.",
      partlyWithheld: "Some fields of this record aren’t shown.",
      version: (version: number) => `Version ${version}`,
      sensitive: { pii: "Personal data", secret: "Secret" } as Readonly<Record<string, string>>,
      showHistory: "Show versions",
      history: "Versions",
    },
    workflows: {
      intro: "Steps that ran together, each with its input, output and error.",
      none: "No workflows yet",
      noneAbout: "Workflows appear here when the workflow tool runs.",
      graph: "Steps of the workflow",
      choose: "Select a step to see its input and output.",
      unreadable: "The steps of this workflow can no longer be read.",
      input: "Input",
      output: "Output",
      summary: (steps: number) => plural(steps, "step", "steps"),
      states: {
        pending: "Not started",
        running: "Running",
        waiting: "Waiting for approval",
        done: "Done",
        failed: "Failed",
        skipped: "Skipped",
      } as Readonly<Record<string, string>>,
    },
    older: "Show older",
    byAssistant: "By the assistant",
  },

  publishing: {
    publish: "Publish",
    title: "Publish the site",
    publishCount: (count: number) => `Publish ${plural(count, "page", "pages")}`,
    kinds: { new: "New", changed: "Changed", removed: "Removed" },
    nothing: "Everything is published",
    firstTime: "Nothing is published yet. Visitors see a placeholder page.",
    since: (release: number) => `Compared with release ${release}, which visitors see now.`,
    drafts: "Pages marked as drafts aren’t published. Anything you leave out will be listed again next time.",
    unsaved: (count: number) =>
      `${plural(count, "change", "changes")} made in this tab ${count === 1 ? "is" : "are"} not saved yet and will not be published.`,
    moved: "The site changed in the meantime, so nothing was published. This is the current list.",
    attention: "Check this first",
    leaveAll: "Deselect all",
    takeAll: "Select all",
    scripts: "Adds code that runs in visitors’ browsers",
    outside: "Includes content from outside this site",
    note: "What’s new",
    release: (number: number) => `Release ${number}`,
    published: (number: number) => `Release ${number} is published`,
    unpublished: (count: number) => plural(count, "unpublished change", "unpublished changes"),
    restore: "Roll back to this release",
    shown: "Live",
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

  /** What elements are called, by tag; others go by the tag itself. */
  tags: {
    h1: "heading",
    h2: "heading",
    h3: "heading",
    h4: "heading",
    h5: "heading",
    h6: "heading",
    p: "paragraph",
    a: "link",
    img: "picture",
    ul: "list",
    ol: "list",
    li: "list item",
    nav: "navigation",
    div: "box",
  } as Readonly<Record<string, string>>,

  design,
  editor,

  insert,

  pageImport,
  inspector,

  pageSettings,

  siteSettings,

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
    noneFound: "No results",
    more: "Show older pictures",
  },

  theme: { title: "Appearance", system: "System", light: "Light", dark: "Dark" },

  states: {
    loading: "Loading",
    invited: "Invited",
    disabled: "Disabled",
    builtIn: "Built in",
    you: "You",
    thisDevice: "This device",
    never: "Never",
    expired: "Expired",
    on: "On",
    twoStep: "Two-step",
  },

  tokenKinds: { script: "Script", agent: "AI agent" },

  roles: { owner: "Owner", admin: "Admin", editor: "Editor", author: "Author", viewer: "Viewer" } as Readonly<
    Record<string, string>
  >,

  roleAbout: {
    owner: "Can do everything, and make others owners.",
    admin: "Can do everything except make someone an owner.",
    editor: "Edits and publishes pages and content, and uses the assistant.",
    author: "Writes content and uses the assistant. Others publish it.",
    viewer: "Sees pages, content and tools, and changes nothing.",
  } as Readonly<Record<string, string>>,

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
    "content.deliver": "Read published entries over the API for other programs",
    "content.write": "Change entries, media and navigation",
    "content.publish": "Publish and archive entries",
    "tools.read": "See the tools and their runs",
    "tools.call": "Run tools",
    "tools.approve": "Approve runs that are waiting for a person",
    "tools.manage": "Connect and remove tools, and change their rules",
    "users.manage": "Invite people and choose their roles",
    "settings.manage": "Change settings and read the activity log",
  } as Readonly<Record<string, string>>,

  /** What happened, with whoever did it standing beside it. */
  activity: {
    "instance.set_up": ({ siteName }) => `Set up ${siteName ?? "the site"}`,
    "session.began": ({ address }) => (address === undefined ? "Signed in" : `Signed in from ${address}`),
    "session.ended": () => "Signed out",
    "session.confirmed": () => "Confirmed their identity",
    "session.refused": ({ address, count }) =>
      `${count === undefined || count === 1 ? "Failed to sign in" : `Failed to sign in ${count} times`}${address === undefined ? "" : ` from ${address}`}`,
    "throttle.reached": ({ address, count }) =>
      `${count === undefined || count === 1 ? "Sent requests too fast" : `Sent ${count} requests too fast`}${address === undefined ? "" : ` from ${address}`}`,
    "access.refused": ({ subject }) => `Was refused: ${subject}`,
    "audit.signed": () => "Started signing the activity log",
    "audit.redacted": () => "Erased the details of an entry",
    "user.added": ({ email, role, who }) => `Invited ${email ?? who}${role === undefined ? "" : ` as ${role}`}`,
    "user.renamed": ({ who, self }) => (self ? "Changed their own name" : `Changed ${who}’s name`),
    "user.password_changed": ({ who, self, by }) => {
      if (by === "link") return `Set ${who}’s password with a link`;
      return self ? "Changed their own password" : `Changed ${who}’s password`;
    },
    "user.password_link_made": ({ who }) => `Created a password link for ${who}`,
    "user.role_changed": ({ who, role }) => `Gave ${who} ${role === undefined ? "another role" : `the role ${role}`}`,
    "user.disabled": ({ who }) => `Disabled sign-in for ${who}`,
    "user.enabled": ({ who }) => `Enabled sign-in for ${who}`,
    "user.removed": ({ who }) => `Removed ${who} from the site`,
    "user.deleted": ({ who, self }) => (self ? "Deleted their own account" : `Deleted ${who}’s account`),
    "user.sessions_ended": ({ who }) => `Signed ${who} out everywhere`,
    "user.everything_ended": () => "Signed out everywhere and revoked their tokens",
    "user.second_factor_on": () => "Turned on two-step sign-in",
    "user.second_factor_off": ({ who, self }) =>
      self ? "Turned off two-step sign-in" : `Turned off two-step sign-in for ${who}`,
    "user.recovery_code_used": () => "Used a recovery code",
    "user.recovery_codes_replaced": () => "Replaced their recovery codes",
    "user.passkey_added": ({ name }) => `Added the passkey ${name ?? ""}`.trim(),
    "user.passkey_removed": ({ name }) => `Removed the passkey ${name ?? ""}`.trim(),
    "instance.key_rotated": () => "Replaced the secret key",
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
      `Rolled back to ${number === undefined ? "an earlier release" : `release ${number}`}`,
    "site.code_changed": () => "Changed code that runs in visitors’ browsers",
    "preview_link.made": () => "Created a preview link",
    "preview_link.withdrawn": () => "Revoked a preview link",
    "policy.changed": () => "Changed the tool rules",
    "ai.credential.added": ({ label }) => `Connected the AI provider ${label ?? ""}`.trim(),
    "ai.credential.changed": ({ label }) => `Changed the AI provider ${label ?? ""}`.trim(),
    "ai.credential.removed": ({ label }) => `Removed the AI provider ${label ?? ""}`.trim(),
    "ai.default.set": ({ model }) => (model === undefined ? "Chose a model" : `Chose the model ${model}`),
    "ai.default.cleared": () => "Removed a default model",
    "ai.budget.set": () => "Changed the assistant’s limits",
    "ai.brief.changed": () => "Changed what the assistant knows about the site",
    "ai.conversation.created": () => "Started a conversation with the assistant",
    "ai.conversation.deleted": () => "Deleted a conversation with the assistant",
    "ai.chat.completed": () => "Asked the assistant",
    "ai.chat.failed": () => "Asked the assistant, which failed",
    "ai.chat.stopped": () => "Asked the assistant, then stopped it",
    "call.asked": ({ doing }) => `Asked for approval: ${doing}`,
    "call.ready": ({ doing }) => `Approved: ${doing}`,
    "call.begun": ({ doing }) => `Started: ${doing}`,
    "call.done": ({ done }) => done,
    "call.failed": ({ doing }) => `Failed: ${doing}`,
    "call.outcome_unknown": ({ doing }) => `Sent, but no response came back: ${doing}`,
    "call.refused": ({ doing }) => `Blocked by the tool rules: ${doing}`,
    "call.denied": ({ doing }) => `Denied: ${doing}`,
    "call.expired": ({ doing }) => `Not approved in time: ${doing}`,
    "token.revoked": ({ name }) => `Revoked the token ${name ?? ""}`.trim(),
  } as Readonly<Record<string, (about: ActivityAbout) => string>>,
  actors: {
    local: "System",
    anonymous: "Not signed in",
    gone: "A former member",
    assistant: "The assistant",
    assistantFor: (name: string) => `The assistant, for ${name}`,
    assistantForYou: "The assistant, for you",
  },
  somebody: "someone",
  somebodyAtTheServer: "someone on the server",

  permissionCount: (count: number, of?: number) =>
    count === of ? "Every permission" : count === 0 ? "No permissions" : plural(count, "permission", "permissions"),
  peopleCount: (count: number) => (count === 1 ? "Only you so far" : `${count} people`),
  tokenCount: (count: number) => (count === 0 ? "None yet" : plural(count, "token", "tokens")),
} as const;

/** A role by the name people gave it, or the built-in name. */
export function roleName(key: string, roles: readonly { key: string; name: string }[] = []): string {
  return roles.find((role) => role.key === key)?.name ?? words.roles[key] ?? key;
}
