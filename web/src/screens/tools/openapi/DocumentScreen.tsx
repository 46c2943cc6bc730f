import { useCallback, useState } from "react";
import { Link } from "wouter";
import { notices, toolsApi } from "../../../app-state";
import type { DocumentDetail, DocumentInfo, Tools } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { type Resource, useResource } from "../../../hooks/use-resource";
import { Button, ButtonLink } from "../../../parts/button/Button";
import { Card } from "../../../parts/card/Card";
import { Loaded } from "../../../parts/loading/Loading";
import { Page, Section } from "../../../parts/page/Page";
import { Note, ProblemNote } from "../../../parts/problem/Problem";
import { visible } from "../../../words/visible-text";
import styles from "./Documents.module.css";
import { Findings } from "./Findings";
import { Grants } from "./Grants";
import { Operations } from "./Operations";

interface DocumentScreenProps {
  name: string;
  tools: Resource<Tools>;
  onChanged(): void;
}

/** One document: its tools, what is wrong with it, which operations are tools, and what they may know about you. */
export function DocumentScreen({ name, tools, onChanged }: DocumentScreenProps) {
  const load = useCallback(async () => {
    const [detail, { documents }] = await Promise.all([toolsApi.document(name), toolsApi.documents()]);
    return { detail, info: documents.find((document) => document.name === name) };
  }, [name]);
  const document = useResource(load);
  const changed = () => {
    document.reload();
    onChanged();
  };
  return (
    <Page title={visible(name)} action={<ButtonLink href="/tools/openapi">{words.openapi.all}</ButtonLink>}>
      <Loaded resource={document}>
        {({ detail, info }) => (
          <>
            {info && <Review info={info} onChanged={changed} />}
            {info && <ToolLinks names={info.tools} />}
            <Section title={words.openapi.findings}>
              <Card>
                <Findings findings={detail.findings} />
              </Card>
            </Section>
            <OperationsSection key={detail.chosen.join(" ")} detail={detail} onChanged={changed} />
            {info && <Grants names={info.tools} tools={tools} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function ToolLinks({ names }: { names: readonly string[] }) {
  return (
    <Section title={words.tools.catalogue}>
      <Card>
        <ul className={styles.stack}>
          {names.map((name) => (
            <li key={name}>
              <Link href={`/tools/tool/${encodeURIComponent(name)}`}>{visible(name)}</Link>
            </li>
          ))}
        </ul>
      </Card>
    </Section>
  );
}

function Review({ info, onChanged }: { info: DocumentInfo; onChanged(): void }) {
  const { name, problem, weakened = [] } = info;
  const reviewing = useAction(async (accept: boolean) => {
    await toolsApi.reviewDocument(name, accept);
    onChanged();
  });
  return (
    <>
      {problem && <Note tone="danger">{visible(problem)}</Note>}
      {weakened.length > 0 && (
        <Note tone="caution">
          <div className={styles.stack}>
            <p>{words.openapi.weakened}</p>
            <ul>
              {weakened.map((line) => (
                <li key={line}>{visible(line)}</li>
              ))}
            </ul>
            <div className={styles.buttons}>
              <Button busy={reviewing.pending} onClick={() => reviewing.run(true)}>
                {words.openapi.accept}
              </Button>
              <Button onClick={() => reviewing.run(false)}>{words.openapi.reject}</Button>
            </div>
          </div>
        </Note>
      )}
      <ProblemNote problem={reviewing.problem} />
    </>
  );
}

function OperationsSection({ detail, onChanged }: { detail: DocumentDetail; onChanged(): void }) {
  const before = new Set(detail.chosen);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(before);
  const isChosen = (label: string) => before.has(label) && !detail.allOperations;
  const marked = new Set(
    detail.operations.filter(({ label, isTool }) => isTool && !isChosen(label)).map(({ label }) => label),
  );
  const saving = useAction(async () => {
    const { outcome } = await toolsApi.chooseOperations(detail.name, [...chosen]);
    notices.show(words.openapi.outcomes[outcome] ?? words.openapi.saved);
    onChanged();
  });
  return (
    <Section title={words.openapi.operations} intro={words.openapi.operationsHint}>
      <Card>
        <div className={styles.stack}>
          <Operations operations={detail.operations} marked={marked} chosen={chosen} onChoose={setChosen} />
          <ProblemNote problem={saving.problem} />
          {!detail.allOperations && detail.operations.length > marked.size && (
            <div>
              <Button look="primary" busy={saving.pending} onClick={() => saving.run()}>
                {words.openapi.saveOperations}
              </Button>
            </div>
          )}
        </div>
      </Card>
    </Section>
  );
}
