// A whole HTML file becomes a page, with those of its stylesheets and pictures that were chosen with it.

import { ApiError } from "../../../api/problem";
import { readField } from "../../../api/read-field";
import type { MediaItem } from "../../../generated/api";
import { words } from "../../../glossary";
import { newChangeId } from "../../../site/model";
import { ToolRefusal } from "../../../site/needs";
import type { Sync } from "../../../site/sync";
import { leftOut } from "../insert/insertion";

const texts = words.pageImport;
const TOOL = "import_page";

export interface ImportedPage {
  id: string;
  /** What of the file is not on the page, in sentences. */
  told: string;
}

/** A file that comes with the page, as the tool takes it. */
type PageFile = { path: string; css: string } | { path: string; url: string };

export interface PageImportHost {
  sync: Pick<Sync, "plan" | "run">;
  /** Puts a picture into the library. */
  upload(file: File): Promise<MediaItem>;
}

/** Imports the one HTML file among those chosen. A refusal is thrown in the tool's words. */
export async function importPage({ sync, upload }: PageImportHost, chosen: readonly File[]): Promise<ImportedPage> {
  const [document, ...others] = chosen.filter(({ name }) => /\.html?$/i.test(name));
  if (document === undefined || others.length > 0) throw refusal("invalid_input", texts.oneFile);
  const input = { html: await textOf(document), fileName: document.name };
  const missing = async (files: readonly PageFile[]) => {
    const { data } = await sync.plan(TOOL, { input: { ...input, files }, change: newChangeId() });
    return strings(readField(data, "missingFiles"));
  };
  try {
    // Stylesheets first: they may ask for further pictures.
    const sheets = await Promise.all(
      matches(await missing([]), chosen, /\.css$/i).map(async ({ path, file }) => ({ path, css: await textOf(file) })),
    );
    const pictures: PageFile[] = [];
    for (const { path, file } of matches(await missing(sheets), chosen, /\.(?!css$|html?$)[^.]+$/i)) {
      const url = await addressOf(file, upload);
      if (url !== undefined) pictures.push({ path, url });
    }
    const { data, receipt } = await sync.run(
      TOOL,
      { ...input, files: [...sheets, ...pictures] },
      { summary: texts.summary(document.name) },
    );
    const absent = strings(readField(data, "missingFiles"));
    const external = strings(readField(data, "externalStylesheets"));
    const told = [
      leftOut(receipt),
      absent.length > 0 ? texts.missing(absent) : undefined,
      external.length > 0 ? texts.external(external) : undefined,
    ];
    return { id: String(readField(data, "pageId")), told: told.filter((text) => text !== undefined).join(" ") };
  } catch (error) {
    if (!(error instanceof ToolRefusal)) throw error;
    throw refusal(error.code, error.message, error);
  }
}

/** Where a picture is in the library; nothing when the server refuses it, so that it is told with what is missing. */
async function addressOf(file: File, upload: PageImportHost["upload"]): Promise<string | undefined> {
  try {
    return (await upload(file)).url;
  } catch (error) {
    if (error instanceof ApiError && !error.retryable) return undefined;
    throw error;
  }
}

/** The chosen files that the page asks for. A file chooser tells names without folders. */
function matches(paths: readonly string[], chosen: readonly File[], kind: RegExp): { path: string; file: File }[] {
  return paths
    .filter((path) => kind.test(path))
    .flatMap((path) => {
      const name = path.split("/").at(-1);
      const file = chosen.find((one) => one.name === name);
      return file === undefined ? [] : [{ path, file }];
    });
}

/** Files without UTF-8 are those of old editors on Windows, whose encoding reads every byte. */
async function textOf(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function refusal(code: string, detail: string, cause?: unknown): ApiError {
  return new ApiError({ status: 409, code, detail, errors: {} }, { cause });
}
