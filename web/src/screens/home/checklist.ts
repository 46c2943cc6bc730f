// The first steps of a site, each a fact that is so or not. Steps that somebody may not take are not theirs to see.
import { may } from "../../access/permissions";
import type { HomeFacts } from "./home-facts";

export interface Step {
  name: "name" | "assistant" | "page" | "invite" | "publish";
  done: boolean;
  path: string;
}

/** What a site is called until somebody names it. */
const UNNAMED = "My site";

export function stepsOf(facts: HomeFacts, siteName: string, capabilities: readonly string[]): Step[] {
  const mayDo = (needs: string) => may(capabilities, { needs });
  const changes = facts.changes ?? [];
  const byAgent = changes.some(({ author }) => author.kind === "agent");
  const byPerson = changes.some(({ author }) => author.kind === "person" || author.kind === "agent");
  const steps: (Step & { needs: string })[] = [
    { name: "name", done: siteName.trim() !== "" && siteName !== UNNAMED, path: "/settings/site", needs: "site.write" },
    {
      name: "assistant",
      done: facts.hasProvider === true || byAgent,
      path: mayDo("ai.providers.manage") ? "/ai/providers" : "/site",
      needs: "ai.chat",
    },
    { name: "page", done: byPerson, path: "/site", needs: "site.write" },
    { name: "invite", done: (facts.people ?? 0) > 1, path: "/settings/people", needs: "users.manage" },
    { name: "publish", done: Boolean(facts.release), path: "/activity/releases", needs: "site.publish" },
  ];
  return steps.filter(({ needs }) => mayDo(needs)).map(({ needs: _, ...step }) => step);
}
