// How each page stands between its draft and what visitors see.
import type { WouldChange } from "../../generated/api";
import type { OverviewPage } from "../../site/overview";

export type PageState = "live" | "changed" | "new" | "draft";

/** The state of a page; unknown until the comparison with what is published has arrived. */
export function pageState(
  { permalink, isDraft }: Pick<OverviewPage, "permalink" | "isDraft">,
  would: Pick<WouldChange, "changes" | "release"> | undefined,
): PageState | undefined {
  if (isDraft) return "draft";
  if (would === undefined) return undefined;
  if (would.release == null) return "new";
  // The page for missing addresses is published as a file.
  const isIt = (address: string) => address === permalink || address === `${permalink}.html`;
  const change = would.changes.find(({ address }) => isIt(address))?.change;
  return change === "new" || change === "changed" ? change : "live";
}

/** The sentences of the publish check: what is not as it should be, page by page and for the whole site. */
export function publishProblems({ changes, problems }: Pick<WouldChange, "changes" | "problems">): string[] {
  return [...changes.flatMap((change) => change.problems), ...problems];
}
