// Words of Home and of the tour through the editor.
import { plural } from "./plural";

export const home = {
  next: "Getting started",
  progress: (done: number, of: number) => `${done} of ${of} done.`,
  done: "done",
  dismiss: "Dismiss",
  steps: {
    name: { title: "Name the site", about: "Visitors and search engines see it on every page." },
    assistant: {
      title: "Meet the assistant",
      about: "Connect an AI provider, or try the built-in commands in the editor. No key needed.",
    },
    page: { title: "Make a page your own", about: "Open the editor, click some text and start typing." },
    invite: { title: "Invite someone", about: "Everyone you work with gets their own account and role." },
    publish: { title: "Publish", about: "Until then, visitors see a placeholder page." },
  },
  changes: "Recent changes",
  allChanges: "All changes",
  noChanges: "No changes yet.",
  published: "Live site",
  nothingPublished: "Nothing is published yet",
  comparing: "Comparing…",
  upToDate: "Nothing new to publish",
  visit: "Visit the site",
  site: "Your site",
  picture: "Home page",
  openEditor: "Open the editor",
  allPages: (count: number) => `All ${plural(count, "page", "pages")}`,
  pageStates: { live: "Live", changed: "Changed", new: "Not published", draft: "Draft" },
  attention: "Needs attention",
  nothingWaits: "Nothing right now.",
  problems: (count: number) => `${plural(count, "thing", "things")} to check before you publish`,
  waiting: (count: number) => `${plural(count, "request needs", "requests need")} your approval`,
  unknown: (count: number) => `${plural(count, "run has", "runs have")} an unknown outcome`,
  unresolved: (count: number) => `${plural(count, "mission", "missions")} left something to take care of`,
  usage: "AI usage this month",
  ofBudget: (cap: string) => `of ${cap}`,
  yourUsage: "Share of your monthly budget used",
  tokens: (count: string) => `You used ${count} tokens`,
  partlyUnpriced: "some without a known price",
  everybody: (cost: string) => `Team total: ${cost}`,
  details: "Details",
} as const;

export const tour = {
  steps: {
    assistant: {
      title: "Ask the assistant",
      text: "Say what you want, such as “add a section with our opening hours”. It works on the page while you watch. Without an AI provider, the built-in commands answer.",
    },
    insert: {
      title: "Add a section",
      text: "Choose from designed sections, layouts and elements. They take on the look of your site. Between two sections, the + does the same.",
    },
    text: {
      title: "Click text to edit it",
      text: "Click once to select and again to type. Your changes are saved right away.",
    },
    undo: {
      title: "Everything can be undone",
      text: "Undo here, or open the history to revert a single change or everything the assistant did for one request.",
    },
    preview: {
      title: "Preview before you publish",
      text: "Share your draft with a link that expires. Send it to someone, or open it on your phone.",
    },
    publish: {
      title: "Publish when you’re ready",
      text: "Nothing goes live until you publish. You choose which pages, and you can always roll back.",
    },
  },
  step: (position: number, of: number) => `${position} of ${of}`,
  next: "Next",
  skip: "Skip the tour",
  again: "Show the tour again",
  end: "Start editing",
} as const;
