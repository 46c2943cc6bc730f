// The words on screen for the things of this product, once. Internal names stop here: a screen takes its nouns, states and refusals
// from this file and adds only its own sentences.

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

export const words = {
  product: "Sitewright",

  pages: {
    home: "Home",
    activity: "Activity",
    settings: "Settings",
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
  },

  form: {
    required: "Fill this in.",
    email: "Enter an email address such as name@example.com.",
  },

  password: {
    missing: "Choose a password.",
    short: (missing: number) => `Add ${plural(missing, "more character", "more characters")}.`,
    long: (most: number) => `Use at most ${most} characters.`,
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
    core: "The editor core could not be loaded. Reload the page; if that does not help, the installation is incomplete.",
  },

  session: {
    expired: "Your session has ended. Sign in again to go on where you were.",
    signedOut: "You are signed out.",
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

  permissionCount: (count: number, of?: number) =>
    count === of ? "Every permission" : count === 0 ? "No permissions" : plural(count, "permission", "permissions"),
  peopleCount: (count: number) => (count === 1 ? "Only you so far" : `${count} people`),
  tokenCount: (count: number) => (count === 0 ? "None yet" : plural(count, "token", "tokens")),
} as const;

/** A role by the name people gave it, or the built-in name. */
export function roleName(key: string, roles: readonly { key: string; name: string }[] = []): string {
  return roles.find((role) => role.key === key)?.name ?? words.roles[key] ?? key;
}
