import { useState } from "react";
import { Link } from "wouter";
import type { ListedTool, Tools } from "../../generated/api";
import { words } from "../../glossary";
import type { Resource } from "../../hooks/use-resource";
import { Badge } from "../../parts/badge/Badge";
import { Rows } from "../../parts/card/Card";
import { Empty } from "../../parts/empty/Empty";
import { Field, Select } from "../../parts/field/Field";
import { Loaded } from "../../parts/loading/Loading";
import { Page } from "../../parts/page/Page";
import { Segments } from "../../parts/segments/Segments";
import { PARTS, partName } from "../ai/parts";
import styles from "./Tools.module.css";
import { firstSentence, kindBadge, kindOf, matches, type ToolKind, toolName, toolPath } from "./tool-words";

type KindChoice = "all" | ToolKind;

const KINDS: readonly { value: KindChoice; label: string }[] = [
  { value: "all", label: words.tools.kinds.all },
  { value: "look", label: words.tools.kinds.look },
  { value: "change", label: words.tools.kinds.change },
  { value: "outside", label: words.tools.kinds.outside },
];

/** All tools, to be found by words, part and kind. */
export function Catalogue({ tools }: { tools: Resource<Tools> }) {
  return (
    <Page
      title={words.tools.catalogue}
      intro="What people, scripts and agents can do here. Every run is checked against the site’s rules and recorded."
    >
      <Loaded resource={tools}>{(value) => <ToolList tools={value.tools} />}</Loaded>
    </Page>
  );
}

function ToolList({ tools }: { tools: readonly ListedTool[] }) {
  const [search, setSearch] = useState("");
  const [kind, setKind] = useState<KindChoice>("all");
  const [part, setPart] = useState("");
  const found = tools.filter(
    (tool) => matches(tool, search.trim()) && (kind === "all" || kindOf(tool) === kind) && isFor(tool, part),
  );
  return (
    <div className={styles.catalogue}>
      <search className={styles.filters}>
        <Field
          label={words.tools.search}
          type="search"
          value={search}
          autoComplete="off"
          onChange={(event) => setSearch(event.target.value)}
        />
        <Select label={words.tools.part} value={part} onChange={(event) => setPart(event.target.value)}>
          <option value="">{words.tools.everyPart}</option>
          {PARTS.map((scope) => (
            <option key={scope} value={scope}>
              {partName(scope)}
            </option>
          ))}
        </Select>
        <Segments<KindChoice> title={words.tools.kind} options={KINDS} chosen={kind} onChoose={setKind} />
      </search>
      <p className={styles.count} role="status">
        {words.tools.count(found.length)}
      </p>
      {found.length === 0 ? (
        <Empty icon="tool" title="No results">
          Try fewer words, another area or another kind.
        </Empty>
      ) : (
        <Rows label={words.tools.catalogue}>
          {found.map((tool) => (
            <li key={`${tool.source} ${tool.name}`} className={styles.tool}>
              <Link href={toolPath(tool)}>{toolName(tool)}</Link>
              <code>{tool.name}</code>
              <p>{firstSentence(tool.description)}</p>
              <ToolBadges tool={tool} />
            </li>
          ))}
        </Rows>
      )}
    </div>
  );
}

/** A tool that names no part is offered in all of them. */
function isFor({ scopes = [] }: ListedTool, part: string): boolean {
  return part === "" || scopes.length === 0 || scopes.some((scope) => scope === part);
}

export function ToolBadges({ tool }: { tool: ListedTool }) {
  const { text, tone } = kindBadge(tool);
  return (
    <span className={styles.badges}>
      <Badge tone={tone}>{text}</Badge>
      {tool.source !== "built-in" && <Badge>{words.tools.connected}</Badge>}
      {tool.enabled === false && <Badge tone="caution">{words.tools.off}</Badge>}
    </span>
  );
}
