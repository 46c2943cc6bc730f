import { type FormEvent, useState } from "react";
import { useSearch } from "wouter";
import { may } from "../../access/permissions";
import { readField } from "../../api/read-field";
import { toolsApi } from "../../app-state";
import type { CalledTool, ListedTool } from "../../generated/api";
import { words } from "../../glossary";
import { useAction } from "../../hooks/use-action";
import { useSession } from "../../hooks/use-session";
import { Button } from "../../parts/button/Button";
import { Card } from "../../parts/card/Card";
import { Checkbox } from "../../parts/choice/Choice";
import { TextArea } from "../../parts/field/Field";
import { Note, ProblemNote } from "../../parts/problem/Problem";
import { Segments } from "../../parts/segments/Segments";
import { type Draft, type Errors, emptyDraft, readDraft } from "../../schema/draft";
import { fieldOf } from "../../schema/shape";
import { CallAnswer } from "./CallAnswer";
import { Decisions } from "./Decisions";
import { SchemaForm } from "./SchemaForm";
import styles from "./Tools.module.css";
import { kindOf } from "./tool-words";

type Mode = "form" | "json";

/** Runs the tool with what is filled in, as a form or as JSON, and says what came of it. */
export function TryIt({ tool }: { tool: ListedTool }) {
  const field = fieldOf(tool.inputSchema);
  const { capabilities } = useSession();
  const given = givenArguments(useSearch());
  const [mode, setMode] = useState<Mode>(field.shape.kind === "group" && given === undefined ? "form" : "json");
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(field));
  const [json, setJson] = useState(given ?? "{}");
  const [confirmed, setConfirmed] = useState(false);
  const [errors, setErrors] = useState<Errors>({});
  const [answer, setAnswer] = useState<CalledTool>();
  const [judged, setJudged] = useState<Record<string, unknown>>();
  const running = useAction(async (args: Record<string, unknown>) => {
    const scope = tool.scopes?.[0];
    const came = await toolsApi.call({ tool: tool.name, arguments: args, confirmed, ...(scope && { scope }) });
    setErrors(errorsOf(came));
    setAnswer(came);
  });

  function filled(): { value: unknown; errors: Errors } {
    if (mode === "form") return readDraft(field, draft);
    return readDraft({ ...field, shape: { kind: "json" } }, json);
  }

  /** What is filled in, when it is whole. */
  function complete(): Record<string, unknown> | undefined {
    const read = filled();
    setErrors(read.errors);
    setAnswer(undefined);
    return Object.keys(read.errors).length === 0 && isObject(read.value) ? read.value : undefined;
  }

  function run(event: FormEvent) {
    event.preventDefault();
    setJudged(undefined);
    const args = complete();
    if (args !== undefined) running.run(args);
  }

  function judge() {
    setJudged(complete());
  }

  function choose(next: Mode) {
    if (next === "json") setJson(JSON.stringify(readDraft(field, draft).value, null, 2));
    setErrors({});
    setMode(next);
  }

  const pointed = Object.entries(errors);
  const asks = kindOf(tool) !== "look" && may(capabilities, { needs: "tools.approve" });
  return (
    <>
      <Card>
        <form className={styles.form} onSubmit={run} noValidate>
          {field.shape.kind === "group" && field.shape.fields.length > 0 && (
            <div>
              <Segments<Mode>
                title={words.tools.tryIt}
                options={[
                  { value: "form", label: words.tools.form },
                  { value: "json", label: words.tools.json },
                ]}
                chosen={mode}
                onChoose={choose}
              />
            </div>
          )}
          {mode === "form" ? (
            <SchemaForm field={field} draft={draft} pointer="" errors={errors} onChange={setDraft} />
          ) : (
            <TextArea
              label={words.tools.json}
              rows={8}
              spellCheck={false}
              value={json}
              error={pointed.length > 0 ? words.tools.notTaken : undefined}
              onChange={(event) => setJson(event.target.value)}
            />
          )}
          {(mode === "json" ? pointed : pointed.filter(([pointer]) => pointer === "")).map(([pointer, message]) => (
            <Note key={pointer} tone="danger">
              {pointer !== "" && <code>{pointer}</code>} {message}
            </Note>
          ))}
          {asks && (
            <Checkbox
              label={words.tools.confirmed}
              checked={confirmed}
              onChange={(event) => setConfirmed(event.target.checked)}
            />
          )}
          {judged && <Decisions tool={tool} arguments={judged} />}
          <ProblemNote problem={running.problem} />
          <div className={styles.buttons}>
            <Button look="primary" type="submit" busy={running.pending}>
              {words.tools.run}
              <span className="visually-hidden"> {tool.name}</span>
            </Button>
            <Button look="quiet" onClick={judge}>
              {words.tools.judge}
            </Button>
          </div>
        </form>
      </Card>
      <div className={styles.answer} role="status">
        {answer && <CallAnswer answer={answer} />}
      </div>
    </>
  );
}

/** The arguments that a link fills in, such as a follow-up of another answer. */
function givenArguments(search: string): string | undefined {
  const text = new URLSearchParams(search).get("with");
  if (text === null) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The places in the input that the server found wrong. */
function errorsOf({ error }: CalledTool): Errors {
  const found: Record<string, string> = {};
  const places = error?.code === "invalid_input" ? readField(error.details, "errors") : undefined;
  for (const place of Array.isArray(places) ? places : []) {
    if (isObject(place) && typeof place.pointer === "string" && typeof place.message === "string") {
      found[place.pointer] = place.message;
    }
  }
  return found;
}
