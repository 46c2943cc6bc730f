import { may } from "../../access/permissions";
import type { ListedTool, Tools } from "../../generated/api";
import { words } from "../../glossary";
import type { Resource } from "../../hooks/use-resource";
import { useSession } from "../../hooks/use-session";
import { ButtonLink } from "../../parts/button/Button";
import { Card } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Loaded } from "../../parts/loading/Loading";
import { Page, Section } from "../../parts/page/Page";
import { fieldOf } from "../../schema/shape";
import { visible } from "../../words/visible-text";
import { partNames } from "../ai/parts";
import { ToolBadges } from "./Catalogue";
import { Decisions } from "./Decisions";
import { SchemaView } from "./SchemaView";
import styles from "./Tools.module.css";
import { TryIt } from "./TryIt";
import { toolName } from "./tool-words";

/** One tool in full: what it is for, what goes in and comes out, who may run it, and trying it. */
export function ToolScreen({ name, tools }: { name: string; tools: Resource<Tools> }) {
  return (
    <Loaded resource={tools}>
      {(value) => {
        const tool = value.tools.find((one) => one.name === name || one.aliases?.includes(name));
        if (tool !== undefined) return <Tool tool={tool} />;
        return (
          <Page title={words.tools.catalogue}>
            <Empty icon="tool" title="Tool not found" action={<ButtonLink href="/tools">All tools</ButtonLink>}>
              It may have been removed, or belong to another site.
            </Empty>
          </Page>
        );
      }}
    </Loaded>
  );
}

function Tool({ tool }: { tool: ListedTool }) {
  const { capabilities } = useSession();
  const parts = partNames(tool.scopes ?? []);
  return (
    <Page
      title={toolName(tool)}
      action={<ButtonLink href="/tools">All tools</ButtonLink>}
      intro={visible(tool.description)}
    >
      <div className={styles.facts}>
        <code>{tool.name}</code>
        <ToolBadges tool={tool} />
        <span>
          {tool.source === "built-in" ? words.tools.builtIn : `From ${tool.source}`}
          {parts !== "" && ` · for ${parts}`} · times out after {tool.timeoutMs / 1000} s
          {tool.idempotent && " · safe to repeat"}
        </span>
      </div>
      {may(capabilities, { needs: "tools.call" }) && (
        <Section title={words.tools.tryIt} intro="This runs for real, on this site, as you.">
          <TryIt tool={tool} />
        </Section>
      )}
      <Section title={words.tools.takes}>
        <Card>
          <SchemaView field={fieldOf(tool.inputSchema)} schema={tool.inputSchema} sure={words.schema.required} />
        </Card>
      </Section>
      <Section title={words.tools.answers}>
        <Card>
          <SchemaView field={fieldOf(tool.outputSchema)} schema={tool.outputSchema} sure={words.schema.always} />
        </Card>
      </Section>
      {/* The last, because it arrives later than the rest. */}
      <Section title={words.tools.mayRun} intro="What the tool rules decide before they see the input.">
        <Card>
          <Decisions tool={tool} />
        </Card>
      </Section>
    </Page>
  );
}
