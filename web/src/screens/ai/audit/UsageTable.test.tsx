import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { UsageTable } from "./UsageTable";

const USAGE = {
  runs: 2,
  promptTokens: 2400,
  completionTokens: 700,
  cacheReadTokens: 8000,
  cacheCreationTokens: 600,
  totalTokens: 11_700,
  costUsd: 0.0268,
  unpricedRuns: 0,
};

/** The texts of the cells, row by row. */
function cells(markup: string): string[][] {
  const rows = markup.match(/<tr>.*?<\/tr>/g) ?? [];
  return rows.map((row) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/g)].map(([, cell]) => cell?.replace(/<[^>]*>/g, "").trim() ?? ""),
  );
}

test("each sum stands under its heading, written as everywhere else", () => {
  const rows = [{ key: "a", name: "claude-opus-5-5", about: "anthropic", usage: USAGE }];
  expect(cells(renderToStaticMarkup(<UsageTable label="By model" heading="Model" rows={rows} />))).toEqual([
    ["Model", "Runs", "Input", "From cache", "Output", "Cost"],
    ["claude-opus-5-5 anthropic", "2", "2,400", "8,000", "700", "$0.03"],
  ]);
});

test("a table without usage says so in a row of its own", () => {
  const [, row] = cells(renderToStaticMarkup(<UsageTable label="By area" heading="Area" rows={[]} />));
  expect(row).toEqual(["No usage."]);
});
