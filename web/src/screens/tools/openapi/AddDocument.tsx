import { type FormEvent, useState } from "react";
import { toolsApi } from "../../../app-state";
import type { DocumentSource, LintReport } from "../../../generated/api";
import { words } from "../../../glossary";
import { useAction } from "../../../hooks/use-action";
import { useSubmit } from "../../../hooks/use-submit";
import { Button } from "../../../parts/button/Button";
import { Dialog, DialogActions } from "../../../parts/dialog/Dialog";
import { Field, TextArea } from "../../../parts/field/Field";
import { ProblemNote } from "../../../parts/problem/Problem";
import { Segments } from "../../../parts/segments/Segments";
import settings from "../../settings/Settings.module.css";
import { credentialsIn, type DocumentWay, sourceFrom } from "./document-source";
import { Findings } from "./Findings";
import { Operations } from "./Operations";

interface AddDocumentProps {
  onClose(): void;
  onAdded(outcome: string): void;
}

const WAYS: readonly { value: DocumentWay; label: string }[] = [
  { value: "file", label: words.openapi.ways.file },
  { value: "url", label: words.openapi.ways.url },
  { value: "text", label: words.openapi.ways.text },
];

interface Checked {
  source: DocumentSource;
  report: LintReport;
}

/** Adds a document in two steps: it is checked first, and what was checked is what is added. */
export function AddDocument({ onClose, onAdded }: AddDocumentProps) {
  const [checked, setChecked] = useState<Checked>();
  return (
    <Dialog title={words.openapi.add} size="wide" onClose={onClose}>
      {checked === undefined ? (
        <ChooseSource onClose={onClose} onChecked={setChecked} />
      ) : (
        <ChooseOperations checked={checked} onBack={() => setChecked(undefined)} onAdded={onAdded} />
      )}
    </Dialog>
  );
}

function ChooseSource({ onClose, onChecked }: { onClose(): void; onChecked(checked: Checked): void }) {
  const [way, setWay] = useState<DocumentWay>("file");
  const [files, setFiles] = useState<readonly File[]>([]);
  const [text, setText] = useState("");
  const checking = useAction(async () => {
    const source = await sourceFrom(way, text, files);
    const report = await toolsApi.checkDocument(source);
    onChecked({ source: report.fetched ?? source, report });
  });
  function check(event: FormEvent) {
    event.preventDefault();
    checking.run();
  }
  return (
    <form className={settings.form} onSubmit={check} noValidate>
      <Segments<DocumentWay> title={words.openapi.way} options={WAYS} chosen={way} onChoose={setWay} />
      {way === "file" && (
        <Field
          label={words.openapi.file}
          hint={words.openapi.fileHint}
          type="file"
          multiple
          accept=".json,.yaml,.yml,application/json,application/yaml"
          onChange={(event) => setFiles([...(event.target.files ?? [])])}
        />
      )}
      {way === "url" && (
        <Field
          label={words.openapi.url}
          hint={words.openapi.urlHint}
          type="url"
          autoComplete="off"
          spellCheck={false}
          placeholder="https://api.example.com/openapi.json"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {way === "text" && (
        <TextArea
          label={words.openapi.text}
          hint={words.openapi.textHint}
          rows={12}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <ProblemNote problem={checking.problem} />
      <DialogActions>
        <Button onClick={onClose}>{words.actions.cancel}</Button>
        <Button look="primary" type="submit" busy={checking.pending}>
          {words.openapi.check}
        </Button>
      </DialogActions>
    </form>
  );
}

interface ChooseOperationsProps {
  checked: Checked;
  onBack(): void;
  onAdded(outcome: string): void;
}

function ChooseOperations({ checked, onBack, onAdded }: ChooseOperationsProps) {
  const { source, report } = checked;
  const marked = new Set(report.operations.filter(({ isTool }) => isTool).map(({ label }) => label));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const isRefused = report.findings.some(({ level }) => level === "error");
  const form = useSubmit(
    async (values) => {
      const baseUrl = values.text("baseUrl");
      const credentials = credentialsIn(values.text("credentials"));
      const added = await toolsApi.addDocument({
        ...source,
        operations: [...chosen],
        ...(baseUrl === "" ? {} : { baseUrl }),
        ...(credentials === undefined ? {} : { credentials }),
      });
      onAdded(added.outcome);
    },
    (name, value) =>
      name === "credentials" && value.trim() !== "" && credentialsIn(value) === undefined
        ? words.openapi.notCredentials
        : undefined,
  );
  return (
    <form className={settings.form} onSubmit={form.onSubmit} noValidate>
      <h3>{words.openapi.findings}</h3>
      <Findings findings={report.findings} />
      {!isRefused && (
        <>
          <h3>{words.openapi.operations}</h3>
          <p>{words.openapi.operationsHint}</p>
          <Operations operations={report.operations} marked={marked} chosen={chosen} onChoose={setChosen} />
          <Field
            label={words.openapi.baseUrl}
            hint={words.openapi.baseUrlHint}
            name="baseUrl"
            type="url"
            autoComplete="off"
            spellCheck={false}
            error={form.errors.baseUrl}
          />
          <TextArea
            label={words.openapi.credentials}
            hint={words.openapi.credentialsHint}
            name="credentials"
            rows={2}
            spellCheck={false}
            error={form.errors.credentials}
          />
        </>
      )}
      <ProblemNote problem={form.problem} />
      <DialogActions>
        <Button onClick={onBack}>{words.actions.back}</Button>
        {!isRefused && (
          <Button look="primary" type="submit" busy={form.pending}>
            {words.openapi.addIt}
          </Button>
        )}
      </DialogActions>
    </form>
  );
}
