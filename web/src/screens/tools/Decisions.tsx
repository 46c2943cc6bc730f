import { useCallback } from "react";
import { toolsApi } from "../../app-state";
import type { ListedTool } from "../../generated/api";
import { words } from "../../glossary";
import { useResource } from "../../hooks/use-resource";
import { Badge } from "../../parts/badge/Badge";
import { Loaded } from "../../parts/loading/Loading";
import { reasonOf } from "../../words/call-words";
import styles from "./Tools.module.css";

const TONES: Readonly<Record<string, "accent" | "caution" | "danger">> = {
  allow: "accent",
  ask: "caution",
  deny: "danger",
};
const CALLERS = ["me", "agent"] as const;

interface DecisionsProps {
  tool: ListedTool;
  /** What would go in; without it the tool is judged by what it is. */
  arguments?: Record<string, unknown>;
}

/** What the rules of the site would decide, for the person who looks and for an agent. Nothing is run. */
export function Decisions({ tool, arguments: args }: DecisionsProps) {
  const scope = tool.scopes?.[0];
  const load = useCallback(
    () =>
      Promise.all(
        CALLERS.map(async (as) => {
          const given = { ...(scope && { scope }), ...(args && { arguments: args }) };
          return { as, ...(await toolsApi.decision({ tool: tool.name, as, ...given })) };
        }),
      ),
    [tool.name, scope, args],
  );
  const decisions = useResource(load);
  return (
    <Loaded resource={decisions}>
      {(value) => (
        <dl className={styles.decisions}>
          {value.map(({ as, decision, why, capability }) => (
            <div key={as} className={styles.decision}>
              <dt>{as === "me" ? words.tools.you : words.tools.agent}</dt>
              <dd>
                <Badge tone={TONES[decision] ?? "plain"}>{words.tools.decisions[decision] ?? decision}</Badge>
                <span>
                  {capability
                    ? `It needs the permission “${words.permissions[capability] ?? capability}”.`
                    : reasonOf(why)}
                </span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Loaded>
  );
}
