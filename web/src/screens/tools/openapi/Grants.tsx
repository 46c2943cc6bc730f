import { toolsApi } from "../../../app-state";
import type { ListedTool, Tools } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { type Resource, useResource } from "../../../hooks/use-resource";
import { Badge } from "../../../parts/badge/Badge";
import { Button } from "../../../parts/button/Button";
import { Rows } from "../../../parts/card/Card";
import { Loaded } from "../../../parts/loading/Loading";
import { Section } from "../../../parts/page/Page";
import { ProblemNote } from "../../../parts/problem/Problem";
import { visible } from "../../../words/visible-text";
import styles from "./Documents.module.css";

/** The personal data that tools of a document need, and whether the person who looks lets them have it. */
export function Grants({ names, tools }: { names: readonly string[]; tools: Resource<Tools> }) {
  const { state } = tools;
  const needing =
    state.status === "ready"
      ? state.value.tools.filter(({ name, piiRequired = [] }) => names.includes(name) && piiRequired.length > 0)
      : [];
  return needing.length === 0 ? null : <GrantRows tools={needing} />;
}

function GrantRows({ tools }: { tools: readonly ListedTool[] }) {
  const grants = useResource(toolsApi.grants);
  const changing = useAction(async (tool: string, isAllowed: boolean) => {
    await (isAllowed ? toolsApi.revoke(tool) : toolsApi.grant(tool));
    grants.reload();
  });
  return (
    <Section title={words.openapi.grants} intro={words.openapi.grantsHint}>
      <Loaded resource={grants}>
        {(value) => (
          <Rows label={words.openapi.grants}>
            {tools.map(({ name, piiRequired = [] }) => {
              const given = value.grants.filter(({ tool }) => tool === name).map(({ field }) => field);
              const isAllowed = piiRequired.every((field) => given.includes(field));
              return (
                <li key={name} className={styles.grant}>
                  <div>
                    <code>{visible(name)}</code>{" "}
                    <Badge tone={isAllowed ? "accent" : "plain"}>
                      {isAllowed ? words.openapi.allowed : words.openapi.notAllowed}
                    </Badge>
                    <p className={styles.faint}>{piiRequired.map(visible).join(", ")}</p>
                  </div>
                  <Button busy={changing.pending} onClick={() => changing.run(name, isAllowed)}>
                    {isAllowed ? words.openapi.revoke : words.openapi.allow}
                    <span className="visually-hidden"> {name}</span>
                  </Button>
                </li>
              );
            })}
          </Rows>
        )}
      </Loaded>
      <ProblemNote problem={changing.problem} />
    </Section>
  );
}
