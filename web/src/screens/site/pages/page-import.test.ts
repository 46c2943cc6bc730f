import { expect, test } from "vitest";
import { ApiError } from "../../../api/problem";
import type { MediaItem } from "../../../generated/api";
import type { ToolRun } from "../../../site/site-copy";
import { importPage, type PageImportHost } from "./page-import";

/** Stands in for the tool: it asks for the files of a page until it has them. */
function host(asked: readonly string[], receipt: ToolRun["receipt"] = {}) {
  const uploaded: string[] = [];
  const runs: unknown[] = [];
  const answer = (input: unknown): ToolRun => {
    const { files } = input as { files: { path: string }[] };
    const missing = asked.filter((path) => !files.some((file) => file.path === path));
    const externalStylesheets = ["https://cdn.example.com/x.css"];
    return {
      data: { pageId: "p1", missingFiles: missing, externalStylesheets },
      ops: [],
      expects: [],
      receipt,
      images: [],
    };
  };
  const made: PageImportHost = {
    sync: {
      plan: async (_tool, { input }) => answer(input),
      run: async (_tool, input) => {
        runs.push(input);
        return answer(input);
      },
    },
    upload: async (file) => {
      if (file.size === 0) throw new ApiError({ status: 400, code: "invalid_input", detail: "Empty.", errors: {} });
      uploaded.push(file.name);
      return { url: `/uploads/${file.name}` } as MediaItem;
    },
  };
  return { made, uploaded, runs };
}

const file = (name: string, text: string | Uint8Array<ArrayBuffer> = "") => new File([text], name);

test("the files that the page asks for come with it, and what is missing is told", async () => {
  const { made, uploaded, runs } = host(["css/site.css", "img/empty.jpg", "img/oven.jpg", "lost.png"], {
    sanitised: [{ what: "script", at: "head", count: 1 }],
  });
  const imported = await importPage(made, [
    file("site.css", "p {}"),
    file("about.html", "<p>x"),
    file("oven.jpg", "x"),
    file("empty.jpg"),
    file("unused.jpg", "x"),
  ]);
  expect(uploaded).toEqual(["oven.jpg"]);
  expect(runs).toEqual([
    {
      html: "<p>x",
      fileName: "about.html",
      files: [
        { path: "css/site.css", css: "p {}" },
        { path: "img/oven.jpg", url: "/uploads/oven.jpg" },
      ],
    },
  ]);
  expect(imported.id).toBe("p1");
  expect(imported.told).toBe(
    "Left out for safety: scripts. Not included: img/empty.jpg and lost.png. To include files, choose them together with the page. " +
      "Loaded from other sites, and not shown in the editor: https://cdn.example.com/x.css.",
  );
});

test("a file of an old editor is read in its encoding", async () => {
  const { made, runs } = host([]);
  await importPage(made, [file("alt.htm", new Uint8Array([0x42, 0x72, 0xf6, 0x74]))]);
  expect(runs).toMatchObject([{ html: "Bröt" }]);
});

test("without one HTML file nothing is imported", async () => {
  const { made, runs } = host([]);
  for (const files of [[], [file("a.css")], [file("a.html"), file("b.html")]]) {
    await expect(importPage(made, files)).rejects.toThrow("Choose one HTML file");
  }
  expect(runs).toEqual([]);
});
