// Changes to the list of pages, by the site's own tools. What a tool refuses is thrown in words for people.

import { ApiError } from "../../../api/problem";
import { readField } from "../../../api/read-field";
import { words } from "../../../glossary";
import { newChangeId, type PageEntry } from "../../../site/model";
import { ToolRefusal } from "../../../site/needs";
import type { Sync } from "../../../site/sync";

const summaries = words.editor.summaries;
/** The part of the address that makes a page the home page. */
const HOME = "index";

export interface PageWords {
  title: string;
  /** Empty for one that is made from the title. */
  slug: string;
}

/** Adds a page, with a link to it in the main menu if wanted, and tells its id. */
export function addPage(sync: Sync, { title, slug }: PageWords, inMenu: boolean): Promise<string> {
  return made(sync, "addPage", { title, slug: slug || undefined, inMenu }, summaries.addPage(title));
}

/** Whether the main menu takes another link. */
export async function menuTakesLink(sync: Sync): Promise<boolean> {
  try {
    const input = { title: words.editor.pageTitle, inMenu: true };
    await sync.plan("addPage", { input, change: newChangeId() });
    return true;
  } catch (error) {
    if (error instanceof ToolRefusal) return false;
    throw error;
  }
}

export function duplicatePage(sync: Sync, page: PageEntry, { title, slug }: PageWords): Promise<string> {
  const input = { pageId: page.id, title, slug: slug || undefined };
  return made(sync, "duplicatePage", input, summaries.duplicatePage(page.title));
}

export async function renamePage(sync: Sync, page: PageEntry, { title, slug }: PageWords): Promise<void> {
  const input = { pageId: page.id, title, slug: slug || undefined };
  await run(sync, "renamePage", input, summaries.renamePage(page.title));
}

export async function makeHome(sync: Sync, page: PageEntry): Promise<void> {
  const input = { pageId: page.id, title: page.title, slug: HOME };
  await run(sync, "renamePage", input, summaries.makeHome(page.title));
}

export async function deletePage(sync: Sync, page: PageEntry): Promise<void> {
  await run(sync, "deletePage", { pageId: page.id }, summaries.deletePage(page.title));
}

async function made(sync: Sync, tool: string, input: unknown, summary: string): Promise<string> {
  return String(readField(await run(sync, tool, input, summary), "pageId"));
}

async function run(sync: Sync, tool: string, input: unknown, summary: string): Promise<unknown> {
  try {
    const { data } = await sync.run(tool, JSON.parse(JSON.stringify(input)), { summary });
    return data;
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error;
    const { code, sentence, fieldErrors } = error;
    throw new ApiError({ status: 409, code, detail: sentence, errors: fieldErrors }, { cause: error });
  }
}
