// Layouts and elements that can be inserted. They are plain HTML: a class is used where sites commonly have one, and what a layout needs to
// be one comes with it as a rule that a site can change.
import { words } from "../../../glossary";
import type { IconName } from "../../../parts/icon/Icon";
import type { InsertKind } from "./insert-point";

export interface Block {
  key: string;
  name: string;
  about: string;
  icon: IconName;
  kind: InsertKind;
  html: string;
}

const { layouts, elements, sample } = words.insert;

/** A grey picture with a mark in it, until there is a real one. It is an address, so that nothing has to be stored for it. */
const PLACEHOLDER =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1200 800'%3E%3Cpath fill='%23dcdcdc' d='M0 0h1200v800H0z'/%3E%3Cpath fill='none' stroke='%23979797' stroke-width='14' stroke-linejoin='round' d='M470 290h260v220H470zm0 170 80-80 70 70 45-45 65 65'/%3E%3Ccircle cx='675' cy='345' r='20' fill='%23979797'/%3E%3C/svg%3E";

const picture = `<img src="${PLACEHOLDER}" alt="" width="1200" height="800" style="max-width: 100%; height: auto">`;
const text = `<p>${sample.text}</p>`;
const column = `<div><h3>${sample.heading}</h3>${text}</div>`;

const GAP = "var(--space-m, 1.5rem)";
const columnsCss = (name: string, least: string) =>
  `<style>.${name} { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(${least}, 100%), 1fr)); gap: ${GAP}; }</style>`;

export const LAYOUTS: readonly Block[] = [
  {
    key: "twoColumns",
    ...layouts.twoColumns,
    icon: "columns",
    kind: "block",
    html: `${columnsCss("columns-two", "20rem")}<div class="columns-two">${column.repeat(2)}</div>`,
  },
  {
    key: "threeColumns",
    ...layouts.threeColumns,
    icon: "columns",
    kind: "block",
    html: `${columnsCss("columns-three", "14rem")}<div class="columns-three">${column.repeat(3)}</div>`,
  },
  {
    key: "pictureAndText",
    ...layouts.pictureAndText,
    icon: "picture",
    kind: "block",
    html: `${columnsCss("columns-two", "20rem")}<div class="columns-two"><div>${picture}</div>${column}</div>`,
  },
  {
    key: "grid",
    ...layouts.grid,
    icon: "grid",
    kind: "block",
    html: `${columnsCss("card-grid", "14rem")}<div class="card-grid">${[1, 2, 3, 4]
      .map((at) => `<article class="card"><h3>${sample.card(at)}</h3>${text}</article>`)
      .join("")}</div>`,
  },
  {
    key: "stack",
    ...layouts.stack,
    icon: "plan",
    kind: "block",
    html: `<style>.stack { display: flex; flex-direction: column; gap: ${GAP}; }</style><div class="stack"><h3>${sample.heading}</h3>${text}${text}</div>`,
  },
  {
    key: "section",
    ...layouts.section,
    icon: "box",
    kind: "section",
    html: `<style>.section { padding: var(--space-xl, 4rem) max(1.5rem, (100% - 70rem) / 2); }</style><section class="section"><h2>${sample.heading}</h2>${text}</section>`,
  },
];

export const ELEMENTS: readonly Block[] = [
  { key: "heading", ...elements.heading, icon: "heading", kind: "block", html: `<h2>${sample.heading}</h2>` },
  { key: "text", ...elements.text, icon: "text", kind: "block", html: text },
  {
    key: "button",
    ...elements.button,
    icon: "link",
    kind: "block",
    html: `<a class="button" href="#">${sample.button}</a>`,
  },
  { key: "picture", ...elements.picture, icon: "picture", kind: "block", html: picture },
  {
    key: "list",
    ...elements.list,
    icon: "plan",
    kind: "block",
    html: `<ul>${[1, 2, 3].map((at) => `<li>${sample.item(at)}</li>`).join("")}</ul>`,
  },
  { key: "video", ...elements.video, icon: "play", kind: "block", html: "" },
  { key: "form", ...elements.form, icon: "pencil", kind: "block", html: formHtml() },
  { key: "divider", ...elements.divider, icon: "minus", kind: "block", html: "<hr>" },
];

function formHtml(): string {
  const field = (name: string, label: string, control: string) =>
    `<p><label>${label}<br>${control.replace("NAME", name)}</label></p>`;
  return `<form method="post">${[
    field("name", sample.name, '<input name="NAME" autocomplete="name" required>'),
    field("email", sample.email, '<input name="NAME" type="email" autocomplete="email" required>'),
    field("message", sample.message, '<textarea name="NAME" rows="5" required></textarea>'),
  ].join("")}<button class="button">${sample.send}</button></form>`;
}

/** The player for the address of a video; nothing when it is not one that can be shown. */
export function videoHtml(address: string): string | undefined {
  let url: URL;
  try {
    url = new URL(address.trim());
  } catch {
    return undefined;
  }
  if (!/^https?:$/.test(url.protocol)) return undefined;
  const source = embedAddress(url);
  if (source !== undefined) {
    return `<iframe src="${source}" title="${sample.video}" loading="lazy" allowfullscreen style="width: 100%; aspect-ratio: 16 / 9; border: 0"></iframe>`;
  }
  if (!/\.(mp4|webm|ogv|m4v|mov)$/i.test(url.pathname)) return undefined;
  return `<video src="${escaped(url.href)}" controls preload="metadata" style="width: 100%"></video>`;
}

/** Players that set no cookie until they are started. */
function embedAddress({ hostname, pathname, searchParams }: URL): string | undefined {
  const host = hostname.replace(/^(www|m|player)\./, "");
  if (host === "youtu.be" || host === "youtube.com" || host === "youtube-nocookie.com") {
    const id = searchParams.get("v") ?? /^\/(?:embed\/|shorts\/|live\/)?([\w-]{6,})$/.exec(pathname)?.[1];
    return id && /^[\w-]{6,20}$/.test(id) ? `https://www.youtube-nocookie.com/embed/${id}` : undefined;
  }
  if (host !== "vimeo.com") return undefined;
  const id = /\/(?:video\/)?(\d{5,})(?:\/|$)/.exec(pathname)?.[1];
  return id === undefined ? undefined : `https://player.vimeo.com/video/${id}?dnt=1`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
